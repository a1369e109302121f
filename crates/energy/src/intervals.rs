//! A bar in one dimension.

use crate::step_bound;
use resile_math::elementary;
use resile_math::outer;
use resile_system::{Certificate, Energy, Hessian, Path, Psd, Vec3};

/// `P = sum_i dx_i (mu/2 (F_i^2 - 1) - mu ln F_i)` with `F_i = (q_{i+1} - q_i)/dx_i`:
/// neo-Hookean intervals, the bar of ASEARCH, section 5.5. `+inf` unless all `F > 0`.
///
/// P is convex in F, so its Hessian needs no projection. Near rest it is an elastic
/// bar with `E A = 2 mu`. O(intervals).
#[derive(Debug, Clone, PartialEq)]
pub struct Intervals {
    chain: Vec<usize>,
    axis: Vec3,
    rest_lengths: Vec<f64>,
    mu: f64,
}

/// An interval in a deformed state.
struct StretchedInterval {
    nodes: [usize; 2],
    /// Rest length (m).
    dx: f64,
    /// Stretch F: length over rest length.
    f: f64,
}

impl Intervals {
    /// Intervals between consecutive nodes of `chain`, of lengths `rest_lengths` dx
    /// (m) at rest, along the component `axis` (0, 1, 2 for x, y, z), in whose
    /// direction the chain must run. `modulus_mu` is mu times the cross-section (N).
    ///
    /// # Panics
    /// If there is no such axis, or not one length for each interval. Evaluation
    /// panics if there is no such node.
    pub fn new(chain: Vec<usize>, axis: usize, rest_lengths: Vec<f64>, modulus_mu: f64) -> Self {
        let intervals = chain.len().saturating_sub(1);
        assert_eq!(rest_lengths.len(), intervals, "a chain has one rest length an interval");
        Self { chain, axis: Vec3::AXES[axis], rest_lengths, mu: modulus_mu }
    }

    /// Length (m) of interval k.
    fn length(&self, x: &[Vec3], k: usize) -> f64 {
        (x[self.chain[k + 1]] - x[self.chain[k]]).dot(self.axis)
    }

    /// The intervals for nodes at `x`.
    fn stretched<'a>(&'a self, x: &'a [Vec3]) -> impl Iterator<Item = StretchedInterval> {
        self.rest_lengths.iter().enumerate().map(move |(k, &dx)| StretchedInterval {
            nodes: [self.chain[k], self.chain[k + 1]],
            dx,
            f: self.length(x, k) / dx,
        })
    }
}

impl Energy for Intervals {
    fn name(&self) -> &str {
        "elastic"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn is_internal(&self) -> bool {
        true
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        let interval_value = |StretchedInterval { dx, f, .. }| {
            let density: f64 = 0.5 * (f * f - 1.0) - elementary::ln(f);
            if f > 0.0 { dx * self.mu * density } else { f64::INFINITY }
        };
        self.stretched(x).map(interval_value).sum()
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for StretchedInterval { nodes: [i, j], f, .. } in self.stretched(x) {
            let force = self.axis * (scale * self.mu * (f - 1.0 / f));
            out[j] += force;
            out[i] -= force;
        }
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        for StretchedInterval { nodes: [i, j], dx, f } in self.stretched(x) {
            let stiffness = self.mu * (1.0 + 1.0 / (f * f)) / dx;
            let block = outer(self.axis, self.axis) * stiffness;
            out.add(i, i, block);
            out.add(j, j, block);
            out.add(i, j, -block);
        }
    }

    /// Returns the largest fraction of the paths after which each interval keeps a tenth of its length.
    fn step_bound(&self, paths: &[Path<'_>]) -> f64 {
        step_bound::max_step_fraction(paths, self.rest_lengths.len(), |x, k| self.length(x, k))
    }

    fn certificate(&self, x: &[Vec3]) -> Certificate {
        let stretches = self.stretched(x).map(|interval| interval.f);
        Certificate::of_elements(stretches.fold(f64::INFINITY, f64::min), true)
    }
}
