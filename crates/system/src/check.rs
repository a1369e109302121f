//! The derivative checker, used in the tests of all terms.
//!
//! It compares derivatives of a term with central differences of fourth order. A term that is
//! inactive at `x` (zero gradient) is reported as [`Vacuous`] instead of passing.

use crate::{DissipationPotential, Energy, Hessian, Mat3, Psd, Vec3};
use resile_math::outer;
use resile_sparse::BlockSink;

/// A dense symmetric matrix as a sink of blocks, for tests and small systems.
#[derive(Debug, Clone)]
pub struct DenseSink {
    size: usize,
    entries: Vec<f64>,
}

impl DenseSink {
    /// The zero matrix for `nodes` nodes.
    pub fn new(nodes: usize) -> Self {
        Self { size: 3 * nodes, entries: vec![0.0; 9 * nodes * nodes] }
    }

    /// Number of rows, three a node.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The entry at `(row, column)`.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }
}

impl BlockSink for DenseSink {
    fn add(&mut self, i: usize, j: usize, block: Mat3) {
        for r in 0..3 {
            for c in 0..3 {
                self.entries[(3 * i + r) * self.size + 3 * j + c] += block.col(c)[r];
                if i != j {
                    self.entries[(3 * j + c) * self.size + 3 * i + r] += block.col(c)[r];
                }
            }
        }
    }

    fn add_dyad(&mut self, weight: f64, entries: &[(usize, Vec3)]) -> bool {
        for (k, &(i, a)) in entries.iter().enumerate() {
            entries[k..].iter().for_each(|&(j, b)| self.add(i, j, outer(a, b) * weight));
        }
        true
    }
}

/// Differences between the derivatives of a term and finite differences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DerivativeErrors {
    /// Largest error of the gradient relative to its largest entry; infinite if
    /// [`Energy::value_and_gradient`] differs from the separate calls.
    pub gradient: f64,
    /// Largest error of the Hessian relative to its largest entry.
    pub hessian: f64,
}

/// Reason why a check of derivatives would prove nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vacuous {
    /// The value at the point is not finite.
    Inadmissible,
    /// The gradient at the point vanishes: the term is not active there.
    Inactive,
}

/// Compares derivatives of an energy with finite differences at time zero; see [`energy_derivatives_at`].
pub fn energy_derivatives(
    energy: &dyn Energy,
    x: &[Vec3],
    eps: f64,
) -> Result<DerivativeErrors, Vacuous> {
    energy_derivatives_at(0.0, energy, x, eps)
}

/// Compares gradient and exact Hessian of `energy` at `time` (s) and `x` with finite
/// differences of step `eps` (metres; about 1e-4 of the size of what varies).
pub fn energy_derivatives_at(
    time: f64,
    energy: &dyn Energy,
    x: &[Vec3],
    eps: f64,
) -> Result<DerivativeErrors, Vacuous> {
    let mut hessian = DenseSink::new(x.len());
    energy.add_hessian(time, x, Psd::Exact, &mut Hessian::new(&mut hessian, 0, 1.0));
    let gradient = |x: &[Vec3]| {
        let mut g = vec![Vec3::ZERO; x.len()];
        energy.add_gradient(time, x, 1.0, &mut g);
        g
    };
    let mut errors = compare(x, eps, &hessian, &|x| energy.value(time, x), &gradient)?;
    let mut combined_gradient = vec![Vec3::ZERO; x.len()];
    let value = energy.value_and_gradient(time, x, 1.0, &mut combined_gradient);
    if (value, combined_gradient) != (energy.value(time, x), gradient(x)) {
        errors.gradient = f64::INFINITY;
    }
    Ok(errors)
}

/// Compares gradient and exact Hessian of a dissipation potential at `v` and time zero with finite differences of step
/// `eps` (m/s), as [`energy_derivatives`] does for an energy.
pub fn dissipation_derivatives(
    term: &dyn DissipationPotential,
    v: &[Vec3],
    eps: f64,
) -> Result<DerivativeErrors, Vacuous> {
    let mut hessian = DenseSink::new(v.len());
    term.add_hessian(0.0, v, Psd::Exact, &mut Hessian::new(&mut hessian, 0, 1.0));
    compare(v, eps, &hessian, &|v| term.value(0.0, v), &|v| {
        let mut g = vec![Vec3::ZERO; v.len()];
        term.add_gradient(0.0, v, 1.0, &mut g);
        g
    })
}

/// Compares `gradient` and `hessian` at `x` with central differences of step `eps`.
fn compare(
    x: &[Vec3],
    eps: f64,
    hessian: &DenseSink,
    value: &dyn Fn(&[Vec3]) -> f64,
    gradient: &dyn Fn(&[Vec3]) -> Vec<Vec3>,
) -> Result<DerivativeErrors, Vacuous> {
    if !value(x).is_finite() {
        return Err(Vacuous::Inadmissible);
    }
    let g = gradient(x);
    let largest_gradient = g.iter().map(|g| g.abs().max_element()).fold(0.0, f64::max);
    let largest_hessian = hessian.entries.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    if largest_gradient == 0.0 {
        return Err(Vacuous::Inactive);
    }
    let mut errors = DerivativeErrors { gradient: 0.0, hessian: 0.0 };
    for column in 0..hessian.size {
        let perturbed = |s: f64| {
            let mut y = x.to_vec();
            y[column / 3][column % 3] += s * eps;
            y
        };
        // f' = (8 (f(+1) - f(-1)) - (f(+2) - f(-2))) / 12 eps, error O(eps^4)
        let difference =
            |f: &dyn Fn(f64) -> f64| (8.0 * (f(1.0) - f(-1.0)) - (f(2.0) - f(-2.0))) / (12.0 * eps);
        let expected = difference(&|s| value(&perturbed(s)));
        errors.gradient = errors.gradient.max((expected - g[column / 3][column % 3]).abs());
        let gradients: Vec<Vec<Vec3>> =
            [-2.0, -1.0, 1.0, 2.0].iter().map(|&s| gradient(&perturbed(s))).collect();
        for row in 0..hessian.size {
            let f = |k: usize| gradients[k][row / 3][row % 3];
            let expected = (8.0 * (f(2) - f(1)) - (f(3) - f(0))) / (12.0 * eps);
            errors.hessian = errors.hessian.max((expected - hessian.at(row, column)).abs());
        }
    }
    errors.gradient /= largest_gradient;
    errors.hessian /= largest_hessian;
    Ok(errors)
}
