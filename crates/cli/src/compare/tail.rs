//! Statistics of the energy in the last fifth of a run.

/// Fraction of the run in these statistics.
const TAIL_FRACTION: f64 = 0.2;

/// Statistics of the energy at the end of a run (J).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tail {
    /// Mean energy.
    pub(super) mean: f64,
    /// Standard deviation about the mean.
    pub(super) swing: f64,
    /// Amplitude of the oscillation at the step frequency: the root mean square of
    /// `(E_n+1 - 2 E_n + E_n-1) / 4`, which is `a` for `E_n = (-1)^n a`.
    pub(super) noise: f64,
}

impl Tail {
    /// The statistics of energies over time, `(s, J)`; `None` for fewer than three values.
    pub(super) fn new(energies: &[(f64, f64)]) -> Option<Self> {
        let end = energies.last()?.0;
        let begin = end - TAIL_FRACTION * (end - energies.first()?.0);
        let tail: Vec<f64> =
            energies.iter().filter(|(time, _)| *time >= begin).map(|(_, energy)| *energy).collect();
        if tail.len() < 3 {
            return None;
        }
        let count = tail.len() as f64;
        let mean = tail.iter().sum::<f64>() / count;
        let swing = (tail.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / count).sqrt();
        let second_differences =
            tail.windows(3).map(|e| ((e[2] - 2.0 * e[1] + e[0]) / 4.0).powi(2));
        let noise = (second_differences.sum::<f64>() / (count - 2.0)).sqrt();
        Some(Self { mean, swing, noise })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternation_counts_as_noise_and_a_slow_wave_does_not() {
        let run = |energy: fn(f64) -> f64| {
            let energies: Vec<_> =
                (0..=1000).map(|n| (f64::from(n), energy(f64::from(n)))).collect();
            Tail::new(&energies).unwrap()
        };
        let alternating = run(|n| 3.0 + 0.5 * (std::f64::consts::PI * n).cos());
        assert!((alternating.noise - 0.5).abs() < 1e-12);
        assert!((alternating.mean - 3.0).abs() < 0.01 && (alternating.swing - 0.5).abs() < 0.01);
        let slow = run(|n| 3.0 + 0.5 * (std::f64::consts::TAU * n / 100.0).cos());
        assert!(slow.noise < 5e-4 && (slow.swing - 0.5f64 / 2f64.sqrt()).abs() < 0.01);
        assert_eq!(Tail::new(&[(0.0, 1.0), (1.0, 1.0)]), None);
    }
}
