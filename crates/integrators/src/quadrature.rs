//! Quadrature rules on the unit interval.

use resile_math::parameters::{Allowed, OutOfRange};

/// A quadrature rule on [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub enum Quadrature {
    /// Simpson's rule, exact for the forces of a quartic potential, such as that of Saint Venant-Kirchhoff.
    #[default]
    Simpson,
    /// Gauss-Legendre: exact to degree `2 n - 1`. One node is the implicit midpoint rule.
    Gauss {
        /// Number of nodes, 1 to 5.
        nodes: u32,
    },
    /// Equidistant nodes with both ends: the trapezoidal rule, Simpson's, the three-eighths rule, Boole's.
    NewtonCotes {
        /// Number of nodes, 2 to 5.
        nodes: u32,
    },
}

impl Quadrature {
    /// Range of the number of nodes of Gauss' rules.
    pub const GAUSS: Allowed = Allowed::Count(1, 5);
    /// Range of the number of nodes of Newton and Cotes' rules.
    pub const NEWTON_COTES: Allowed = Allowed::Count(2, 5);

    /// Checks the number of nodes.
    pub(crate) fn check(self) -> Result<(), OutOfRange> {
        match self {
            Self::Simpson => Ok(()),
            Self::Gauss { nodes } => Self::GAUSS.check("the number of nodes", nodes.into()),
            Self::NewtonCotes { nodes } => {
                Self::NEWTON_COTES.check("the number of nodes", nodes.into())
            }
        }
    }

    /// Pairs of a node and its weight; empty if there is no such rule (Abramowitz and Stegun, 25.4.29 and 25.4.1-14).
    /// Gauss' rules are tabulated for [-1, 1] by their non-negative nodes, and Newton and Cotes' by weights up to a
    /// common factor.
    pub fn nodes(self) -> Vec<(f64, f64)> {
        let to_unit_interval = |t: f64, weight: f64| ((1.0 + t) / 2.0, weight / 2.0);
        let gauss = |non_negative_nodes: &[(f64, f64)]| -> Vec<(f64, f64)> {
            let mirrored = non_negative_nodes
                .iter()
                .filter(|(t, _)| *t > 0.0)
                .map(|(t, weight)| to_unit_interval(-t, *weight));
            mirrored
                .chain(non_negative_nodes.iter().map(|(t, weight)| to_unit_interval(*t, *weight)))
                .collect()
        };
        let cotes = |weights: &[f64]| -> Vec<(f64, f64)> {
            let (last_index, total) = (weights.len() as f64 - 1.0, weights.iter().sum::<f64>());
            weights
                .iter()
                .enumerate()
                .map(|(i, weight)| (i as f64 / last_index, weight / total))
                .collect()
        };
        match self {
            Self::Gauss { nodes: 1 } => gauss(&[(0.0, 2.0)]),
            Self::Gauss { nodes: 2 } => gauss(&[(1.0 / 3f64.sqrt(), 1.0)]),
            Self::Gauss { nodes: 3 } => gauss(&[(0.0, 8.0 / 9.0), (0.6f64.sqrt(), 5.0 / 9.0)]),
            Self::Gauss { nodes: 4 } => {
                let (root, w) = ((4.8f64).sqrt() / 7.0, 30f64.sqrt() / 36.0);
                gauss(&[((3.0 / 7.0 - root).sqrt(), 0.5 + w), ((3.0 / 7.0 + root).sqrt(), 0.5 - w)])
            }
            Self::Gauss { nodes: 5 } => {
                let (root, w) = (2.0 * (10.0 / 7.0f64).sqrt(), 13.0 * 70f64.sqrt());
                let node = |sign: f64| (5.0 + sign * root).sqrt() / 3.0;
                let weight = |sign: f64| (322.0 - sign * w) / 900.0;
                gauss(&[(0.0, 128.0 / 225.0), (node(-1.0), weight(-1.0)), (node(1.0), weight(1.0))])
            }
            Self::NewtonCotes { nodes: 2 } => cotes(&[1.0, 1.0]),
            Self::Simpson | Self::NewtonCotes { nodes: 3 } => cotes(&[1.0, 4.0, 1.0]),
            Self::NewtonCotes { nodes: 4 } => cotes(&[1.0, 3.0, 3.0, 1.0]),
            Self::NewtonCotes { nodes: 5 } => cotes(&[7.0, 32.0, 12.0, 32.0, 7.0]),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Quadrature::{Gauss, NewtonCotes};

    #[test]
    fn quadrature_rules_are_exact_up_to_their_degree() {
        let rules = [1, 3, 5, 7, 9]
            .into_iter()
            .enumerate()
            .map(|(i, degree)| (Gauss { nodes: i as u32 + 1 }, degree))
            .chain(
                [(2, 1), (3, 3), (4, 3), (5, 5)]
                    .map(|(nodes, degree)| (NewtonCotes { nodes }, degree)),
            );
        for (rule, degree) in rules {
            let error = |k: i32| {
                let sum: f64 = rule.nodes().iter().map(|(t, c)| c * t.powi(k)).sum();
                (sum - 1.0 / f64::from(k + 1)).abs()
            };
            for k in 0..=degree {
                assert!(error(k) < 1e-15, "{rule:?}, degree {k}: {:e}", error(k));
            }
            assert!(error(degree + 1) > 1e-7, "{rule:?} is better than it should be");
        }
    }
}
