//! A field of force towards a fixed point.

use resile_math::outer;
use resile_system::{Energy, Hessian, Mat3, Psd, Vec3};

/// `P(x) = -sum_i m_i s / |x_i - c|`: Kepler's problem (Goldstein, *Classical
/// Mechanics*, 3.7), zero at infinity. It attracts for `s > 0`, repels for `s < 0`.
///
/// The energy is named `gravity`. P tends to `-inf` near an attracting centre, but its value
/// exactly at the centre, where the field is undefined, is `+inf`. There is no step bound, so
/// paths through the centre are not detected. O(nodes).
#[derive(Debug, Clone, PartialEq)]
pub struct CentralField {
    masses: Vec<f64>,
    center: Vec3,
    strength: f64,
}

impl CentralField {
    /// The field of `strength` s (m^3/s^2: G times the mass at the centre) around
    /// `center` c (m), acting on nodes of mass `masses` (kg).
    pub fn new(masses: Vec<f64>, center: Vec3, strength: f64) -> Self {
        Self { masses, center, strength }
    }

    /// For each node with mass its index, `m s`, and its position relative to the centre.
    fn seen<'a>(&'a self, x: &'a [Vec3]) -> impl Iterator<Item = (usize, f64, Vec3)> {
        let nodes = self.masses.iter().zip(x).enumerate();
        let heavy = nodes.filter(|(_, (m, _))| **m != 0.0);
        heavy.map(|(i, (m, x))| (i, m * self.strength, *x - self.center))
    }
}

impl Energy for CentralField {
    fn name(&self) -> &str {
        "gravity"
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        let term_value = |(_, pull, r): (usize, f64, Vec3)| {
            if r == Vec3::ZERO { f64::INFINITY } else { -pull / r.length() }
        };
        self.seen(x).map(term_value).sum()
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for (i, pull, r) in self.seen(x) {
            out[i] += r * (scale * pull / r.length().powi(3));
        }
    }

    /// Eigenvalues `m s / r^3` across the ray, twice, and `-2 m s / r^3` along it.
    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        for (i, pull, r) in self.seen(x) {
            let (length, n) = (r.length(), r / r.length());
            let (across, along) = (pull / length.powi(3), -2.0 * pull / length.powi(3));
            let (across, along) = match psd {
                Psd::Exact => (across, along),
                Psd::Clamp => (across.max(0.0), along.max(0.0)),
            };
            let block = Mat3::from_diagonal(Vec3::splat(across)) + outer(n, n) * (along - across);
            out.add(i, i, block);
        }
    }
}
