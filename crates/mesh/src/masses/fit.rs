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
/// Number of polynomials: the constant, three coordinates, six products of coordinates.
const POLYNOMIALS: usize = 10;
/// Number of affine polynomials, whose integrals are the mass and the centre.
const AFFINE: usize = 4;
/// Variance over the nodes below which a quadratic polynomial counts as an affine function on them.
const MIN_VARIANCE: f64 = 1e-6;
/// Distance of the given centre of mass from that of the solid, relative to the size of the solid, below which it is
/// rounding.
const CENTRE_TOLERANCE: f64 = 1e-9;
/// Weight of a proximal step: each step reduces the error to a thousandth or less.
const PROXIMITY: f64 = 1e-5;
/// Error of the moments that a final projection removes without activating bounds.
const MOMENT_TOLERANCE: f64 = 1e-8;
/// Largest entry of the gradient of the dual function at the end of a proximal step.
const GRADIENT_TOLERANCE: f64 = 0.01 * MOMENT_TOLERANCE;
/// Fraction of the decrease predicted by the slope that the line search requires (Armijo).
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Step length at which the line search gives up, because only rounding errors are left.
const MIN_STEP_LENGTH: f64 = 1e-6;
/// Proximal steps end once a step leaves more than this fraction of the error.
const STALL_RATIO: f64 = 0.9;
/// Largest number of Newton steps and of proximal steps; the meshes of the tests take 5 and 20.
const MAX_STEPS: usize = 60;

/// One value per polynomial, or per combination of polynomials.
type Coefficients = [f64; POLYNOMIALS];

/// Masses (kg) at `points` (m) with the moments `target` of a homogeneous solid, nearest to `masses` (kg), which must
/// have the mass of the solid. Returns `masses` if the points or the solid span no volume.
pub(super) fn fit(points: &[Vec3], masses: &[f64], target: &Moments) -> Vec<f64> {
    let Some(problem) = Problem::new(points, masses, target) else { return masses.to_vec() };
    let changes = problem.relative_changes();
    masses.iter().zip(changes).map(|(mass, change)| mass * (1.0 + change)).collect()
}

/// The quadratic program for the relative changes of the masses.
struct Problem {
    /// Points in coordinates in which the solid has unit second moments.
    points: Vec<Vec3>,
    /// Masses that sum to one.
    weights: Vec<f64>,
    /// Integrals of the polynomials over the solid minus their sums over the point masses.
    missing: Coefficients,
    /// Combinations of the polynomials that are orthonormal over the nodes, the affine ones first; zero if the
    /// rank is lower.
    basis: [Coefficients; POLYNOMIALS],
    /// Norm of the change of the second moments (Frobenius norm) per unit of each combination; zero for affine
    /// combinations.
    moment_scale: Coefficients,
}

/// Value and derivatives of the negative dual function, with the proximal term, at some multipliers.
struct Dual {
    value: f64,
    gradient: Coefficients,
    /// Curvature from the nodes without an active bound.
    curvature: [Coefficients; POLYNOMIALS],
}

impl Problem {
    /// Expresses the points in coordinates in which the solid has unit second moments, and orthonormalises the
    /// polynomials. `None` if the points or the solid span no volume.
    fn new(points: &[Vec3], masses: &[f64], target: &Moments) -> Option<Self> {
        let inverse = cholesky(target.second * target.volume.recip())?.inverse();
        let total: f64 = masses.iter().sum();
        let points: Vec<Vec3> = points.iter().map(|x| inverse * (*x - target.center)).collect();
        let weights: Vec<f64> = masses.iter().map(|m| m / total).collect();
        let squares = points.iter().zip(&weights).map(|(y, w)| outer(*y, *y) * *w);
        let missing_second = Mat3::IDENTITY - squares.fold(Mat3::ZERO, |sum, term| sum + term);
        let [x, y, z] = [missing_second.x_axis, missing_second.y_axis, missing_second.z_axis];
        let [yz, xz, xy] = [y.z, x.z, x.y].map(|entry| SQRT_2 * entry);
        let first: Vec3 = points.iter().zip(&weights).map(|(y, w)| *y * *w).sum();
        let first = if first.length() > CENTRE_TOLERANCE { -first } else { Vec3::ZERO };
        let missing = [0.0, first.x, first.y, first.z, x.x, y.y, z.z, yz, xz, xy];
        let zero_basis = [[0.0; POLYNOMIALS]; POLYNOMIALS];
        let mut problem =
            Self { points, weights, missing, basis: zero_basis, moment_scale: [0.0; POLYNOMIALS] };
        problem.orthogonalise().then_some(problem)
    }

    /// Computes `basis` and `moment_scale`: Gram-Schmidt for the affine polynomials, then an eigenvalue decomposition
    /// of the quadratic ones without their affine components. Returns `false` if the nodes span no volume.
    fn orthogonalise(&mut self) -> bool {
        let mut gram = [[0.0; POLYNOMIALS]; POLYNOMIALS];
        self.points
            .iter()
            .zip(&self.weights)
            .for_each(|(y, w)| add_outer_product(&mut gram, *w, *y));
        let product = |a: &Coefficients, b: &Coefficients| dot(a, &gram.map(|row| dot(&row, b)));
        let mut rows: [Coefficients; POLYNOMIALS] = from_fn(unit_row);
        for i in 0..POLYNOMIALS {
            // Orthogonalise twice: one pass leaves components along nearly dependent rows.
            for _ in 0..2 {
                for j in 0..i.min(AFFINE) {
                    let projection = product(&rows[i], &rows[j]);
                    let other = rows[j];
                    rows[i].iter_mut().zip(other).for_each(|(a, b)| *a -= projection * b);
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
        let gram_of_quadratic: [[f64; 6]; 6] =
            from_fn(|i| from_fn(|j| product(&quadratic[i], &quadratic[j])));
        let SymmetricEigen { values, vectors } = SymmetricEigen::new(&gram_of_quadratic);
        for k in (0..6).filter(|&k| values[k] > MIN_VARIANCE) {
            let length = values[k].sqrt();
            let entry = |j: usize| (0..6).map(|i| vectors[i][k] * quadratic[i][j]).sum::<f64>();
            self.basis[AFFINE + k] = from_fn(|j| entry(j) / length);
            self.moment_scale[AFFINE + k] = length;
        }
        true
    }

    /// Relative changes of the masses that give the target moments, bounded from below by `-MAX_RELATIVE_DECREASE`. If
    /// there are none, mass and centre are exact, and the second moments as near to their targets as possible.
    fn relative_changes(&self) -> Vec<f64> {
        let mut changes = vec![0.0; self.points.len()];
        self.project(&mut changes, POLYNOMIALS);
        if changes.iter().any(|change| *change < -MAX_RELATIVE_DECREASE) {
            let (polynomial, converged) = self.bounded_polynomial();
            changes = self.points.iter().map(|y| bounded_value(&polynomial, *y)).collect();
            self.project(&mut changes, if converged { POLYNOMIALS } else { AFFINE });
        }
        changes
    }

    /// Adds the smallest change that makes the moments of the first `count` combinations exact.
    fn project(&self, changes: &mut [f64], count: usize) {
        // The second pass removes the rounding error of the first.
        for _ in 0..2 {
            let residual = self.residual(changes);
            let mut components = self.in_basis(&residual);
            components[count..].fill(0.0);
            let polynomial = self.polynomial(&components);
            for (change, y) in changes.iter_mut().zip(&self.points) {
                *change += dot(&polynomial, &polynomials(*y));
            }
        }
    }

    /// Integrals that are still missing after these relative changes.
    fn residual(&self, changes: &[f64]) -> Coefficients {
        let mut residual = self.missing;
        for ((y, w), change) in self.points.iter().zip(&self.weights).zip(changes) {
            let weighted_change = w * change;
            residual
                .iter_mut()
                .zip(polynomials(*y))
                .for_each(|(residual, p)| *residual -= weighted_change * p);
        }
        residual
    }

    /// Polynomial that gives the changes with active bounds, and whether its moments are exact. Proximal steps continue
    /// until the moments are exact or stop improving.
    fn bounded_polynomial(&self) -> (Coefficients, bool) {
        let mut multipliers = self.in_basis(&self.missing);
        let mut center = [0.0; POLYNOMIALS];
        let mut error = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            self.proximal_step(&mut multipliers, &center);
            // By optimality of the proximal step, the residual is proportional to it.
            let error_of_moments = from_fn(|k| match self.moment_scale[k] {
                0.0 => 0.0,
                moment_scale => PROXIMITY * (multipliers[k] - center[k]) / moment_scale,
            });
            let residual = dot(&error_of_moments, &error_of_moments).sqrt();
            if residual < MOMENT_TOLERANCE || residual > STALL_RATIO * error {
                return (self.polynomial(&multipliers), residual < MOMENT_TOLERANCE);
            }
            (error, center) = (residual, multipliers);
        }
        (self.polynomial(&multipliers), false)
    }

    /// Minimises the negative dual function plus the proximal term about `center` by Newton's method with a line
    /// search.
    fn proximal_step(&self, multipliers: &mut Coefficients, center: &Coefficients) {
        for _ in 0..MAX_STEPS {
            let dual = self.dual(multipliers, center);
            if dual.gradient.iter().all(|g| g.abs() < GRADIENT_TOLERANCE) {
                return;
            }
            let direction = solve(dual.curvature, dual.gradient.map(|g| -g));
            let slope = dot(&direction, &dual.gradient);
            let trial =
                |step: f64| -> Coefficients { from_fn(|k| multipliers[k] + step * direction[k]) };
            let mut step = 1.0;
            while self.dual(&trial(step), center).value
                > dual.value + SUFFICIENT_DECREASE * step * slope
            {
                step *= 0.5;
                if step < MIN_STEP_LENGTH {
                    return;
                }
            }
            *multipliers = trial(step);
        }
    }

    /// Value, gradient and Hessian of the negative dual function plus the proximal term about `center`.
    fn dual(&self, multipliers: &Coefficients, center: &Coefficients) -> Dual {
        let polynomial = self.polynomial(multipliers);
        let (mut value, mut residual, mut gram) =
            (0.0, self.missing, [[0.0; POLYNOMIALS]; POLYNOMIALS]);
        for (y, w) in self.points.iter().zip(&self.weights) {
            let unbounded_change = dot(&polynomial, &polynomials(*y));
            let change = unbounded_change.max(-MAX_RELATIVE_DECREASE);
            value += w * change * (unbounded_change - 0.5 * change);
            residual
                .iter_mut()
                .zip(polynomials(*y))
                .for_each(|(residual, p)| *residual -= w * change * p);
            if unbounded_change > -MAX_RELATIVE_DECREASE {
                add_outer_product(&mut gram, *w, *y);
            }
        }
        value -= dot(multipliers, &self.in_basis(&self.missing));
        let mut gradient = self.in_basis(&residual).map(|component| -component);
        let basis_times_gram: [Coefficients; POLYNOMIALS] =
            self.basis.map(|row| gram.map(|g| dot(&g, &row)));
        let mut curvature: [Coefficients; POLYNOMIALS] =
            from_fn(|i| from_fn(|j| dot(&basis_times_gram[i], &self.basis[j])));
        for k in 0..POLYNOMIALS {
            // Combinations that are zero get unit stiffness, by which their multipliers stay. Affine ones get a small
            // stiffness, so that the matrix is regular if nearly all bounds are active.
            let stiffness = match self.moment_scale[k] {
                0.0 if k >= AFFINE => 1.0,
                0.0 => MOMENT_TOLERANCE,
                moment_scale => PROXIMITY / (moment_scale * moment_scale),
            };
            curvature[k][k] += stiffness;
            if self.moment_scale[k] > 0.0 {
                let displacement = multipliers[k] - center[k];
                value += 0.5 * stiffness * displacement * displacement;
                gradient[k] += stiffness * displacement;
            }
        }
        Dual { value, gradient, curvature }
    }

    /// Integrals of the orthonormal combinations, from the integrals of the polynomials.
    fn in_basis(&self, integrals: &Coefficients) -> Coefficients {
        self.basis.map(|row| dot(&row, integrals))
    }

    /// Coefficients of the polynomial that is the sum of the combinations times `multipliers`.
    fn polynomial(&self, multipliers: &Coefficients) -> Coefficients {
        from_fn(|j| (0..POLYNOMIALS).map(|k| multipliers[k] * self.basis[k][j]).sum())
    }
}

/// The polynomials at a point. The factors make the norm of the last six equal the Frobenius norm of
/// the second moments.
fn polynomials(y: Vec3) -> Coefficients {
    let [yz, xz, xy] = [y.y * y.z, y.x * y.z, y.x * y.y].map(|product| SQRT_2 * product);
    [1.0, y.x, y.y, y.z, y.x * y.x, y.y * y.y, y.z * y.z, yz, xz, xy]
}

/// Relative change at a point: the polynomial, bounded from below.
fn bounded_value(polynomial: &Coefficients, y: Vec3) -> f64 {
    dot(polynomial, &polynomials(y)).max(-MAX_RELATIVE_DECREASE)
}

/// Adds `weight p p^T` to a Gram matrix, where p are the values of the polynomials at a point.
fn add_outer_product(gram: &mut [Coefficients; POLYNOMIALS], weight: f64, y: Vec3) {
    let p = polynomials(y);
    for (row, a) in gram.iter_mut().zip(p) {
        row.iter_mut().zip(p).for_each(|(entry, b)| *entry += weight * a * b);
    }
}

/// The unit vector with index `k`.
fn unit_row(k: usize) -> Coefficients {
    from_fn(|j| f64::from(u8::from(j == k)))
}

fn dot(a: &Coefficients, b: &Coefficients) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves `matrix x = right` for a positive definite matrix by elimination.
fn solve(mut matrix: [Coefficients; POLYNOMIALS], mut right: Coefficients) -> Coefficients {
    for k in 0..POLYNOMIALS {
        for i in k + 1..POLYNOMIALS {
            let factor = matrix[i][k] / matrix[k][k];
            let row = matrix[k];
            matrix[i].iter_mut().zip(row).for_each(|(a, b)| *a -= factor * b);
            right[i] -= factor * right[k];
        }
    }
    for k in (0..POLYNOMIALS).rev() {
        let known: f64 = (k + 1..POLYNOMIALS).map(|j| matrix[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
    right
}
