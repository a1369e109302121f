//! The smallest change of nodal masses that reproduces the moments of a solid.
//!
//! With the given masses `w_i`, relative changes `u_i`, and `p` the ten polynomials of degree two in
//! coordinates in which the solid has unit second moments,
//!
//! ```text
//!   minimise 1/2 sum_i w_i u_i^2   such that   sum_i w_i u_i p(x_i) = lack,   u_i >= -r
//! ```
//!
//! The solution is `u_i = max(-r, mu . p(x_i))`, a polynomial truncated from below. Objective and
//! constraints are invariant under affine maps of the solid, and so are the masses. If no bound is
//! active, `mu` is given by a projection. Otherwise Newton's method maximises the dual function, which
//! is concave and piecewise quadratic. If the moments are infeasible, the dual is unbounded, and
//! proximal steps (the method of multipliers) converge to the nearest feasible moments (Chiche &
//! Gilbert 2016, *How the augmented Lagrangian algorithm can deal with an infeasible convex quadratic
//! optimization problem*).

use crate::Moments;
use resile_math::small::SymmetricEigen;
use resile_math::{Mat3, Vec3, cholesky, outer};
use std::array::from_fn;
use std::f64::consts::SQRT_2;

/// Largest relative decrease of a mass, `r`.
const MAX_RELATIVE_DECREASE: f64 = 0.9;
/// Number of polynomials: the constant, three coordinates, six products.
const ALL: usize = 10;
/// The affine polynomials, whose integrals are mass and centre.
const AFFINE: usize = 4;
/// Variance over the nodes below which a polynomial counts as an affine function of them.
const MIN_VARIANCE: f64 = 1e-6;
/// Distance of the given centre of mass from that of the solid, relative to the size of the solid, below which it is
/// rounding.
const CENTRE_TOLERANCE: f64 = 1e-9;
/// Weight of a proximal step: each step reduces the error to a thousandth or less.
const PROXIMITY: f64 = 1e-5;
/// Error of the moments that a final projection removes without activating bounds.
const MOMENT_TOLERANCE: f64 = 1e-8;
/// Proximal steps end once a step leaves more than this fraction of the error.
const STALL_RATIO: f64 = 0.9;
/// Largest number of Newton steps and of proximal steps; the meshes of the tests take 5 and 20.
const MAX_STEPS: usize = 60;

/// One value per polynomial.
type Ten = [f64; ALL];

/// Masses (kg) at `points` (m) with the moments `target` of a homogeneous solid, nearest to `masses`, which must have
/// the mass of the solid. Returns `masses` if the points do not span a volume.
pub(super) fn fit(points: &[Vec3], masses: &[f64], target: &Moments) -> Vec<f64> {
    let Some(problem) = Problem::new(points, masses, target) else { return masses.to_vec() };
    let changes = problem.changes();
    masses.iter().zip(changes).map(|(mass, change)| mass * (1.0 + change)).collect()
}

struct Problem {
    /// Points in coordinates in which the solid has unit second moments.
    points: Vec<Vec3>,
    /// Masses that sum to one.
    weights: Vec<f64>,
    /// Missing part of the integrals of the polynomials.
    lack: Ten,
    /// Combinations of the polynomials that are orthonormal over the nodes, the affine ones first; zero if the
    /// rank is lower.
    basis: [Ten; ALL],
    /// Change of the second moments (Frobenius norm) per unit of each combination.
    reach: Ten,
}

/// The dual function at some multipliers.
struct Dual {
    value: f64,
    gradient: Ten,
    /// Curvature from the nodes without an active bound.
    curvature: [Ten; ALL],
}

impl Problem {
    fn new(points: &[Vec3], masses: &[f64], target: &Moments) -> Option<Self> {
        let inverse = cholesky(target.second * target.volume.recip())?.inverse();
        let total: f64 = masses.iter().sum();
        let points: Vec<Vec3> = points.iter().map(|x| inverse * (*x - target.center)).collect();
        let weights: Vec<f64> = masses.iter().map(|m| m / total).collect();
        let squares = points.iter().zip(&weights).map(|(y, w)| outer(*y, *y) * *w);
        let rest = Mat3::IDENTITY - squares.fold(Mat3::ZERO, |sum, one| sum + one);
        let [x, y, z] = [rest.x_axis, rest.y_axis, rest.z_axis];
        let off = [y.z, x.z, x.y].map(|entry| SQRT_2 * entry);
        let first: Vec3 = points.iter().zip(&weights).map(|(y, w)| *y * *w).sum();
        let first = if first.length() > CENTRE_TOLERANCE { -first } else { Vec3::ZERO };
        let lack = [0.0, first.x, first.y, first.z, x.x, y.y, z.z, off[0], off[1], off[2]];
        let nothing = [[0.0; ALL]; ALL];
        let mut problem = Self { points, weights, lack, basis: nothing, reach: [0.0; ALL] };
        problem.orthogonalise().then_some(problem)
    }

    /// Orthonormalises the polynomials; returns whether the nodes span a volume.
    fn orthogonalise(&mut self) -> bool {
        let mut gram = [[0.0; ALL]; ALL];
        self.points.iter().zip(&self.weights).for_each(|(y, w)| add_square(&mut gram, *w, *y));
        let product = |a: &Ten, b: &Ten| dot(a, &gram.map(|row| dot(&row, b)));
        let mut rows: [Ten; ALL] = from_fn(unit);
        for i in 0..ALL {
            // Orthogonalise twice: one pass leaves components along nearly dependent rows.
            for _ in 0..2 {
                for j in 0..i.min(AFFINE) {
                    let along = product(&rows[i], &rows[j]);
                    let other = rows[j];
                    rows[i].iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
                }
            }
            if i < AFFINE {
                let length = product(&rows[i], &rows[i]).sqrt();
                if !matches!(length, l if l > MIN_VARIANCE) {
                    return false;
                }
                rows[i] = rows[i].map(|a| a / length);
                self.basis[i] = rows[i];
            }
        }
        let quadratic = &rows[AFFINE..];
        let among: [[f64; 6]; 6] = from_fn(|i| from_fn(|j| product(&quadratic[i], &quadratic[j])));
        let SymmetricEigen { values, vectors } = SymmetricEigen::new(&among);
        for k in (0..6).filter(|&k| values[k] > MIN_VARIANCE) {
            let length = values[k].sqrt();
            let entry = |j: usize| (0..6).map(|i| vectors[i][k] * quadratic[i][j]).sum::<f64>();
            self.basis[AFFINE + k] = from_fn(|j| entry(j) / length);
            self.reach[AFFINE + k] = length;
        }
        true
    }

    /// The relative changes of the masses that give the target moments, within limits.
    fn changes(&self) -> Vec<f64> {
        let mut changes = vec![0.0; self.points.len()];
        self.project(&mut changes, ALL);
        if changes.iter().any(|change| *change < -MAX_RELATIVE_DECREASE) {
            let (polynomial, converged) = self.within_limits();
            changes = self.points.iter().map(|y| cut(&polynomial, *y)).collect();
            self.project(&mut changes, if converged { ALL } else { AFFINE });
        }
        changes
    }

    /// Adds the smallest change that makes the moments of the first `count` combinations exact.
    fn project(&self, changes: &mut [f64], count: usize) {
        // The second pass removes the rounding error of the first.
        for _ in 0..2 {
            let residual = self.residual(changes);
            let mut along = self.in_basis(&residual);
            along[count..].fill(0.0);
            let polynomial = self.polynomial(&along);
            for (change, y) in changes.iter_mut().zip(&self.points) {
                *change += dot(&polynomial, &polynomials(*y));
            }
        }
    }

    /// Residual of the integrals after these changes.
    fn residual(&self, changes: &[f64]) -> Ten {
        let mut residual = self.lack;
        for ((y, w), change) in self.points.iter().zip(&self.weights).zip(changes) {
            let weighted_change = w * change;
            residual
                .iter_mut()
                .zip(polynomials(*y))
                .for_each(|(residual, p)| *residual -= weighted_change * p);
        }
        residual
    }

    /// Polynomial of the changes within the bounds, and whether the moments are exact.
    fn within_limits(&self) -> (Ten, bool) {
        let mut multipliers = self.in_basis(&self.lack);
        let mut center = [0.0; ALL];
        let mut error = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            self.proximal_step(&mut multipliers, &center);
            // By optimality of the proximal step, the residual is proportional to it.
            let lack = from_fn(|k| match self.reach[k] {
                0.0 => 0.0,
                reach => PROXIMITY * (multipliers[k] - center[k]) / reach,
            });
            let residual = dot(&lack, &lack).sqrt();
            if residual < MOMENT_TOLERANCE || residual > STALL_RATIO * error {
                return (self.polynomial(&multipliers), residual < MOMENT_TOLERANCE);
            }
            (error, center) = (residual, multipliers);
        }
        (self.polynomial(&multipliers), false)
    }

    /// Minimises the negative dual function plus the proximal term about `center`.
    fn proximal_step(&self, multipliers: &mut Ten, center: &Ten) {
        for _ in 0..MAX_STEPS {
            let dual = self.dual(multipliers, center);
            if dual.gradient.iter().all(|g| g.abs() < 0.01 * MOMENT_TOLERANCE) {
                return;
            }
            let direction = solve(dual.curvature, dual.gradient.map(|g| -g));
            let slope = dot(&direction, &dual.gradient);
            let at = |t: f64| -> Ten { from_fn(|k| multipliers[k] + t * direction[k]) };
            let mut t = 1.0;
            while self.dual(&at(t), center).value > dual.value + 1e-4 * t * slope {
                t *= 0.5;
                if t < 1e-6 {
                    return;
                }
            }
            *multipliers = at(t);
        }
    }

    /// Value, gradient and curvature of the dual objective, with a proximal term around `center`.
    fn dual(&self, multipliers: &Ten, center: &Ten) -> Dual {
        let polynomial = self.polynomial(multipliers);
        let (mut value, mut residual, mut gram) = (0.0, self.lack, [[0.0; ALL]; ALL]);
        for (y, w) in self.points.iter().zip(&self.weights) {
            let height = dot(&polynomial, &polynomials(*y));
            let change = height.max(-MAX_RELATIVE_DECREASE);
            value += w * change * (height - 0.5 * change);
            residual
                .iter_mut()
                .zip(polynomials(*y))
                .for_each(|(residual, p)| *residual -= w * change * p);
            if height > -MAX_RELATIVE_DECREASE {
                add_square(&mut gram, *w, *y);
            }
        }
        value -= dot(multipliers, &self.in_basis(&self.lack));
        let mut gradient = self.in_basis(&residual).map(|l| -l);
        let half: [Ten; ALL] = self.basis.map(|row| gram.map(|g| dot(&g, &row)));
        let mut curvature: [Ten; ALL] = from_fn(|i| from_fn(|j| dot(&half[i], &self.basis[j])));
        for k in 0..ALL {
            // Directions without curvature stay, and affine ones have a floor.
            let stiffness = match self.reach[k] {
                0.0 if k >= AFFINE => 1.0,
                0.0 => MOMENT_TOLERANCE,
                reach => PROXIMITY / (reach * reach),
            };
            curvature[k][k] += stiffness;
            if self.reach[k] > 0.0 {
                let displacement = multipliers[k] - center[k];
                value += 0.5 * stiffness * displacement * displacement;
                gradient[k] += stiffness * displacement;
            }
        }
        Dual { value, gradient, curvature }
    }

    fn in_basis(&self, integrals: &Ten) -> Ten {
        self.basis.map(|row| dot(&row, integrals))
    }

    fn polynomial(&self, multipliers: &Ten) -> Ten {
        from_fn(|j| (0..ALL).map(|k| multipliers[k] * self.basis[k][j]).sum())
    }
}

/// The polynomials at a point. The factors make the norm of the last six equal the Frobenius norm of
/// the second moments.
fn polynomials(y: Vec3) -> Ten {
    let [yz, xz, xy] = [y.y * y.z, y.x * y.z, y.x * y.y].map(|product| SQRT_2 * product);
    [1.0, y.x, y.y, y.z, y.x * y.x, y.y * y.y, y.z * y.z, yz, xz, xy]
}

fn cut(polynomial: &Ten, y: Vec3) -> f64 {
    dot(polynomial, &polynomials(y)).max(-MAX_RELATIVE_DECREASE)
}

fn add_square(gram: &mut [Ten; ALL], weight: f64, y: Vec3) {
    let p = polynomials(y);
    for (row, a) in gram.iter_mut().zip(p) {
        row.iter_mut().zip(p).for_each(|(entry, b)| *entry += weight * a * b);
    }
}

fn unit(k: usize) -> Ten {
    from_fn(|j| f64::from(u8::from(j == k)))
}

fn dot(a: &Ten, b: &Ten) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves `matrix x = right` for a positive definite matrix by elimination.
fn solve(mut matrix: [Ten; ALL], mut right: Ten) -> Ten {
    for k in 0..ALL {
        for i in k + 1..ALL {
            let factor = matrix[i][k] / matrix[k][k];
            let row = matrix[k];
            matrix[i].iter_mut().zip(row).for_each(|(a, b)| *a -= factor * b);
            right[i] -= factor * right[k];
        }
    }
    for k in (0..ALL).rev() {
        let known: f64 = (k + 1..ALL).map(|j| matrix[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
    right
}
