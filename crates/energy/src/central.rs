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

    /// For each node with mass: its index, `m s` (N m^2), and its position relative to the centre (m).
    fn attracted_nodes<'a>(&'a self, x: &'a [Vec3]) -> impl Iterator<Item = (usize, f64, Vec3)> {
        let nodes = self.masses.iter().zip(x).enumerate();
        let massive = nodes.filter(|(_, (m, _))| **m != 0.0);
        massive.map(|(i, (m, x))| (i, m * self.strength, *x - self.center))
    }
}

impl Energy for CentralField {
    fn name(&self) -> &str {
        "gravity"
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        let term_value = |(_, attraction, r): (usize, f64, Vec3)| {
            if r == Vec3::ZERO { f64::INFINITY } else { -attraction / r.length() }
        };
        self.attracted_nodes(x).map(term_value).sum()
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for (i, attraction, r) in self.attracted_nodes(x) {
            out[i] += r * (scale * attraction / r.length().powi(3));
        }
    }

    /// The eigenvalues are `m s / r^3` (twice) in transverse directions and `-2 m s / r^3` in the radial one.
    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        for (i, attraction, r) in self.attracted_nodes(x) {
            let (length, n) = (r.length(), r / r.length());
            let (transverse, radial) =
                (attraction / length.powi(3), -2.0 * attraction / length.powi(3));
            let (transverse, radial) = match psd {
                Psd::Exact => (transverse, radial),
                Psd::Clamp => (transverse.max(0.0), radial.max(0.0)),
            };
            let block =
                Mat3::from_diagonal(Vec3::splat(transverse)) + outer(n, n) * (radial - transverse);
            out.add(i, i, block);
        }
    }
}
