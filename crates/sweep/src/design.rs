//! Designs: combinations of parameter values.

use crate::random::SplitMix64;
use crate::values::Values;
use serde::{Deserialize, Serialize};

/// Combinations of the parameters' values that are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Design {
    /// Full factorial grid; the last parameter varies fastest.
    Grid,
    /// The first values of all parameters together, then the second values, and so on.
    Zip,
    /// Independent uniform samples. The first samples of a longer design are those of a shorter one.
    Random {
        /// Number of runs.
        runs: usize,
        /// Seed of the random numbers.
        seed: u64,
    },
    /// A Latin hypercube (`McKay`, Beckman, Conover 1979): with `n` runs, each of the `n` equal parts of a
    /// parameter's interval contains one sample.
    LatinHypercube {
        /// Number of runs.
        runs: usize,
        /// Seed of the random numbers.
        seed: u64,
    },
}

impl Design {
    /// Names of all designs.
    pub const NAMES: [&str; 4] = ["grid", "zip", "random", "latin-hypercube"];

    /// Design with this name, with the number of runs and the seed of its samples.
    ///
    /// # Errors
    /// A message if there is no such design, or if the number of runs is missing or superfluous.
    pub fn named(name: &str, runs: Option<usize>, seed: u64) -> Result<Self, String> {
        match (name, runs) {
            ("grid", None) => Ok(Self::Grid),
            ("zip", None) => Ok(Self::Zip),
            ("random", Some(runs @ 1..)) => Ok(Self::Random { runs, seed }),
            ("latin-hypercube", Some(runs @ 1..)) => Ok(Self::LatinHypercube { runs, seed }),
            ("grid" | "zip", Some(_)) => {
                Err(format!("the values determine the number of runs of the design {name}"))
            }
            ("random" | "latin-hypercube", _) => {
                Err(format!("the design {name} requires a number of runs from 1 on"))
            }
            _ => Err(format!("no design `{name}`; known: {}", Self::NAMES.join(", "))),
        }
    }

    /// Whether the design draws random samples.
    pub fn is_random(self) -> bool {
        matches!(self, Self::Random { .. } | Self::LatinHypercube { .. })
    }

    /// Values of all parameters, run by run. The parameters must fit the design.
    pub(crate) fn runs(self, parameters: &[&Values]) -> Vec<Vec<String>> {
        let counts: Vec<usize> = parameters.iter().filter_map(|values| values.count()).collect();
        let values_at = |indices: &[usize]| {
            parameters
                .iter()
                .zip(indices)
                .filter_map(|(values, &index)| values.value_at(index))
                .collect()
        };
        match self {
            Self::Grid => (0..counts.iter().product())
                .map(|run| values_at(&grid_indices(run, &counts)))
                .collect(),
            Self::Zip => {
                let runs = counts.first().copied().unwrap_or(0);
                (0..runs).map(|run| values_at(&vec![run; counts.len()])).collect()
            }
            Self::Random { .. } | Self::LatinHypercube { .. } => {
                let values_at_fractions = |fractions: Vec<f64>| {
                    let pairs = parameters.iter().zip(fractions);
                    pairs.map(|(values, fraction)| values.value_at_fraction(fraction)).collect()
                };
                self.fractions(parameters.len()).into_iter().map(values_at_fractions).collect()
            }
        }
    }

    /// Random points in the unit cube with `parameters` dimensions, run by run; empty for a design without random
    /// numbers.
    pub(crate) fn fractions(self, parameters: usize) -> Vec<Vec<f64>> {
        match self {
            Self::Grid | Self::Zip => Vec::new(),
            Self::Random { runs, seed } => {
                let mut random = SplitMix64::new(seed);
                (0..runs).map(|_| (0..parameters).map(|_| random.unit()).collect()).collect()
            }
            Self::LatinHypercube { runs, seed } => {
                let mut random = SplitMix64::new(seed);
                let mut samples = vec![Vec::with_capacity(parameters); runs];
                for _ in 0..parameters {
                    let strata = random.permutation(runs);
                    for (sample, stratum) in samples.iter_mut().zip(strata) {
                        sample.push((stratum as f64 + random.unit()) / runs as f64);
                    }
                }
                samples
            }
        }
    }
}

/// For each parameter, the index of its value in a run of a grid: the digits of the run number in the mixed radix of
/// the counts.
fn grid_indices(mut run: usize, counts: &[usize]) -> Vec<usize> {
    let mut indices = vec![0; counts.len()];
    for (index, &count) in indices.iter_mut().zip(counts).rev() {
        (*index, run) = (run % count, run / count);
    }
    indices
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn runs(design: Design, texts: &[&str]) -> Vec<Vec<String>> {
        let values: Vec<_> = texts.iter().map(|t| Values::parse(t).expect("it is good")).collect();
        design.runs(&values.iter().collect::<Vec<_>>())
    }

    #[test]
    fn design_is_given_by_name_and_number_of_runs() {
        for name in Design::NAMES {
            let random = Design::named(name, Some(3), 1).is_ok_and(Design::is_random);
            assert_ne!(random, Design::named(name, None, 1).is_ok(), "{name}");
        }
        assert!(Design::named("sobol", Some(3), 1).is_err_and(|error| error.contains("random")));
    }

    #[test]
    fn grid_combines_all_values_and_zip_pairs_them() {
        let grid = runs(Design::Grid, &["0:1:3", "a,b"]);
        let expected = [["0", "a"], ["0", "b"], ["0.5", "a"], ["0.5", "b"], ["1", "a"], ["1", "b"]];
        assert_eq!(grid, expected);
        assert_eq!(runs(Design::Zip, &["0:1:2", "a,b"]), [["0", "a"], ["1", "b"]]);
    }

    #[test]
    fn longer_random_design_extends_the_shorter_one() {
        let of = |runs| Design::Random { runs, seed: 5 }.fractions(3);
        assert_eq!(of(20)[..7], of(7));
        assert_ne!(of(7), Design::Random { runs: 7, seed: 6 }.fractions(3));
    }

    proptest! {
        #[test]
        fn latin_hypercube_has_one_sample_in_each_stratum(n in 1usize..200, p in 1usize..6, seed: u64) {
            let samples = Design::LatinHypercube { runs: n, seed }.fractions(p);
            prop_assert_eq!(samples.len(), n);
            for parameter in 0..p {
                let mut strata: Vec<usize> =
                    samples.iter().map(|sample| (sample[parameter] * n as f64) as usize).collect();
                strata.sort_unstable();
                prop_assert_eq!(strata, (0..n).collect::<Vec<_>>());
            }
        }

        #[test]
        fn random_samples_lie_in_the_unit_cube(n in 1usize..100, seed: u64) {
            for design in [Design::Random { runs: n, seed }, Design::LatinHypercube { runs: n, seed }] {
                let samples = design.fractions(2);
                prop_assert!(samples.iter().flatten().all(|u| (0.0..1.0).contains(u)));
            }
        }
    }
}
