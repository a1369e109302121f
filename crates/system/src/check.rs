//! The derivative checker, used in the tests of all terms.
//!
//! It compares derivatives of a term with central differences of fourth order, of three steps. The smallest error
//! counts: differences of a large step are inaccurate near singularities and kinks of the term, those of a small one
//! because of rounding, and wrong derivatives differ from all of them. A term that is inactive at `x` (zero gradient)
//! is reported as [`Vacuous`] instead of passing.

use crate::{DissipationPotential, Energy, Hessian, Mat3, Psd, Vec3};
use resile_math::outer;
use resile_sparse::BlockSink;

/// Steps of the differences, relative to the largest.
const STEPS: [f64; 3] = [1.0, 0.1, 0.01];

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
    /// Largest error of the Hessian relative to its largest entry; zero if both the Hessian and its differences vanish.
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
/// differences of steps of at most `eps` (m; about 1e-4 of the length over which the energy varies).
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
    let function = Function { value: &|x| energy.value(time, x), gradient: &gradient };
    let mut errors = compare(x, eps, &hessian, function)?;
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
    let gradient = |v: &[Vec3]| {
        let mut g = vec![Vec3::ZERO; v.len()];
        term.add_gradient(0.0, v, 1.0, &mut g);
        g
    };
    compare(v, eps, &hessian, Function { value: &|v| term.value(0.0, v), gradient: &gradient })
}

/// A function with its gradient.
#[derive(Clone, Copy)]
struct Function<'a> {
    value: &'a dyn Fn(&[Vec3]) -> f64,
    gradient: &'a dyn Fn(&[Vec3]) -> Vec<Vec3>,
}

/// Compares the gradient of `function` and its `hessian` at `x` with central differences of the steps [`STEPS`] times
/// `eps`.
fn compare(
    x: &[Vec3],
    eps: f64,
    hessian: &DenseSink,
    function: Function<'_>,
) -> Result<DerivativeErrors, Vacuous> {
    if !(function.value)(x).is_finite() {
        return Err(Vacuous::Inadmissible);
    }
    let gradient = (function.gradient)(x);
    let largest_gradient = gradient.iter().map(|g| g.abs().max_element()).fold(0.0, f64::max);
    let largest_hessian = hessian.entries.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    if largest_gradient == 0.0 {
        return Err(Vacuous::Inactive);
    }
    let mut smallest = DerivativeErrors { gradient: f64::INFINITY, hessian: f64::INFINITY };
    for factor in STEPS {
        let errors = errors_of_step(x, factor * eps, &gradient, hessian, function);
        smallest.gradient = smallest.gradient.min(errors.gradient / largest_gradient);
        // The Hessian of a linear term and its differences are zero.
        let is_exact = errors.hessian == 0.0;
        let hessian = if is_exact { 0.0 } else { errors.hessian / largest_hessian };
        smallest.hessian = smallest.hessian.min(hessian);
    }
    Ok(smallest)
}

/// Largest absolute errors of the `gradient` and the `hessian` of `function` at `x`, by central differences of step `eps`;
/// infinite if a difference is not finite.
fn errors_of_step(
    x: &[Vec3],
    eps: f64,
    gradient: &[Vec3],
    hessian: &DenseSink,
    function: Function<'_>,
) -> DerivativeErrors {
    // f' = (8 (f(+1) - f(-1)) - (f(+2) - f(-2))) / 12 eps, error O(eps^4)
    let difference = |[a, b, c, d]: [f64; 4]| (8.0 * (c - b) - (d - a)) / (12.0 * eps);
    // `f64::max` ignores NaN.
    let error =
        |a: f64, b: f64| Some((a - b).abs()).filter(|e| e.is_finite()).unwrap_or(f64::INFINITY);
    let mut errors = DerivativeErrors { gradient: 0.0, hessian: 0.0 };
    for column in 0..hessian.size {
        let points = [-2.0, -1.0, 1.0, 2.0].map(|s| {
            let mut y = x.to_vec();
            y[column / 3][column % 3] += s * eps;
            y
        });
        let expected = difference(points.each_ref().map(|y| (function.value)(y)));
        errors.gradient = errors.gradient.max(error(expected, gradient[column / 3][column % 3]));
        let gradients = points.map(|y| (function.gradient)(&y));
        for row in 0..hessian.size {
            let expected = difference(gradients.each_ref().map(|g| g[row / 3][row % 3]));
            errors.hessian = errors.hessian.max(error(expected, hessian.at(row, column)));
        }
    }
    errors
}
