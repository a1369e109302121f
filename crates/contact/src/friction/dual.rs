//! The curvature of friction between the iterates of a solve: a primal-dual method.
//!
//! The force of a pair divided by its limit, `w = f1(|u|) u / |u|`, satisfies
//!
//! ```text
//! r(|u|) w = u,   r(y) = y / f1(y),
//! ```
//!
//! an equation without a kink in `u`. Newton's method for the equilibrium and these equations together, with `w` as
//! additional unknowns (Chan, Golub and Mulet 1999, *A nonlinear primal-dual method for total variation-based image
//! restoration*, for `r = sqrt(y^2 + beta)`), solves
//!
//! ```text
//! r dw + r' w (u . du) / |u| = u + du - r w.
//! ```
//!
//! Elimination of `dw` leaves the gradient of friction as it is and gives the matrix
//!
//! ```text
//! H = 1/r (I - r' / (2 |u|) (w u^T + u w^T)),
//! ```
//!
//! symmetrised as in that paper. It is positive semi-definite for `|w| <= 1`, because `r' <= 1`. If `w` is the force at
//! `u`, it is the second derivative, so the convergence of Newton's method near a solution is unchanged. The second
//! derivative of a pair that slips is zero along its slip, so steps are too long and reverse the slip. `w` does not
//! reverse in such a step, and the curvature along the slip is then twice that of the secant.

use super::potential::secant_slope;
use resile_math::{Mat3, Vec3, outer};

/// Largest distance of `w` from the force at its slip at which the curvature counts as the second derivative. With 0.01
/// solves in piles need an additional matrix a fifth more often, with 0.5 a third less often
/// (`docs/notes/2026-11-28.md`, primal-dual friction); heat of friction is equally accurate with 0.01 and 0.1.
const MAX_DISTANCE: f64 = 0.1;

/// Unknown `w` of the primal-dual method for a pair, at an iterate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dual {
    /// The slip at that iterate (m/s).
    slip: Vec3,
    /// `w`, in the tangent plane, of length at most one.
    pub(super) force: Vec3,
}

impl Dual {
    /// The value at the first iterate: the force at its slip (m/s).
    pub(super) fn first(slip: Vec3, eps: f64) -> Self {
        Self { slip, force: force(slip, eps) }
    }

    /// The value at the next iterate: the equation of `w`, linearised at this iterate, is solved at the new slip (m/s),
    /// and the solution is projected onto the unit ball.
    pub(super) fn next(self, slip: Vec3, eps: f64) -> Self {
        let Secant { inverse_radius, slope, along } = Secant::new(self.slip, eps);
        let change = slope * along.dot(slip - self.slip);
        let force = (slip - self.force * change) * inverse_radius;
        Self { slip, force: force / force.length().max(1.0) }
    }

    /// The slip and `w`.
    pub(super) fn into_values(self) -> [Vec3; 2] {
        [self.slip, self.force]
    }

    /// Whether `w` is the force at its slip, within [`MAX_DISTANCE`].
    pub(super) fn is_settled(self, eps: f64) -> bool {
        (self.force - force(self.slip, eps)).length() <= MAX_DISTANCE
    }
}

/// The unknowns of pairs from their [values](Dual::into_values).
pub(super) fn from_values(values: &[Vec3]) -> impl Iterator<Item = Dual> + '_ {
    let (pairs, _) = values.as_chunks::<2>();
    pairs.iter().map(|&[slip, force]| Dual { slip, force })
}

/// Friction force at a slip (m/s), divided by its limit.
pub(super) fn force(slip: Vec3, eps: f64) -> Vec3 {
    slip * secant_slope(slip.length(), eps)
}

/// `H` (s/m) in space, zero along the normal, at a slip (m/s) and the unknown `w` (`force`), with the slip speed `eps`
/// (m/s) of the law.
pub(super) fn curvature(slip: Vec3, force: Vec3, normal: Vec3, eps: f64) -> Mat3 {
    let Secant { inverse_radius, slope, along: slip_direction } = Secant::new(slip, eps);
    let magnitude = force.length();
    if magnitude == 0.0 || slip_direction == Vec3::ZERO {
        return (Mat3::IDENTITY - outer(normal, normal)) * inverse_radius;
    }
    // Written as a sum of squares, so that rounding cannot make it indefinite. Its axes halve the angles between `w`
    // and `u`.
    let direction = force / magnitude;
    let (sum, difference) = (slip_direction + direction, slip_direction - direction);
    let (cos, sin) = (0.25 * sum.length_squared(), 0.25 * difference.length_squared());
    let first = if cos > sin { sum } else { normal.cross(difference) }.normalize();
    let second = normal.cross(first);
    let first_term = outer(first, first) * (1.0 - slope * magnitude * cos).max(0.0);
    (first_term + outer(second, second) * (1.0 + slope * magnitude * sin)) * inverse_radius
}

/// Secant of the smoothed Coulomb law at a slip.
struct Secant {
    /// `1/r` (s/m).
    inverse_radius: f64,
    /// `r'`, from 0 to 1.
    slope: f64,
    /// Direction of the slip; zero if the slip is zero.
    along: Vec3,
}

impl Secant {
    /// Secant of the smoothed Coulomb law at a slip (m/s) with the slip speed `eps` (m/s).
    fn new(slip: Vec3, eps: f64) -> Self {
        let speed = slip.length();
        let inverse_radius = secant_slope(speed, eps);
        let along = if speed > 0.0 { slip / speed } else { Vec3::ZERO };
        // `r' = (r / eps)^2` below the slip speed.
        let slope = (inverse_radius * eps).max(1.0).powi(-2);
        Self { inverse_radius, slope, along }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    const EPS: f64 = 1e-3;
    const NORMAL: Vec3 = Vec3::new(0.6, 0.0, 0.8);

    /// A vector of this length at an angle (rad) in the tangent plane.
    fn tangent(size: f64, angle: f64) -> Vec3 {
        (Vec3::Y * angle.sin() + NORMAL.cross(Vec3::Y) * angle.cos()) * size
    }

    fn eigenvalues(matrix: Mat3) -> DVector<f64> {
        DMatrix::from_fn(3, 3, |i, j| matrix.col(j)[i]).symmetric_eigenvalues()
    }

    fn angle() -> std::ops::Range<f64> {
        0.0..std::f64::consts::TAU
    }

    /// Speeds from far below to far above the slip speed.
    fn speed() -> impl Strategy<Value = f64> {
        (-12.0..5.0).prop_map(|exponent: f64| EPS * exponent.exp())
    }

    proptest! {
        #[test]
        fn the_curvature_is_semi_definite_and_that_of_the_equation(
            speed in speed(), (a, b) in (angle(), angle()), size in 0.0..=1.0,
        ) {
            let (slip, w) = (tangent(speed, a), tangent(size, b));
            let found = curvature(slip, w, NORMAL, EPS);
            let f1 = speed * secant_slope(speed, EPS);
            let (r, h) = (speed / f1, 1e-6 * speed);
            let slope = if speed < EPS { (2.0 - speed / EPS).powi(-2) } else { 1.0 };
            // Central differences confirm the slope; r' itself has a kink at the slip speed.
            let radius = |y: f64| 1.0 / secant_slope(y, EPS);
            let difference = (radius(speed + h) - radius(speed - h)) / (2.0 * h);
            prop_assert!((slope - difference).abs() < 1e-4, "{} {}", slope, difference);
            let mixed = outer(w, slip) + outer(slip, w);
            let tangents = Mat3::IDENTITY - outer(NORMAL, NORMAL);
            let expected = (tangents - mixed * (0.5 * slope / speed)) * (1.0 / r);
            for (found, expected) in found.to_cols_array().iter().zip(expected.to_cols_array()) {
                prop_assert!((found - expected).abs() <= 1e-13 / r);
            }
            prop_assert!(eigenvalues(found).min() >= -1e-15 / r);
        }

        #[test]
        fn a_force_is_at_most_one_and_that_of_a_slip_that_stays(
            speeds in prop::collection::vec((speed(), angle()), 2..8),
        ) {
            let slips: Vec<Vec3> = speeds.iter().map(|(speed, angle)| tangent(*speed, *angle)).collect();
            let mut dual = Dual::first(slips[0], EPS);
            // Bound of the normal component of `w` by rounding, which each iterate adds to and scales like `w`.
            let mut bound = 1e-15;
            for slip in &slips {
                let Secant { inverse_radius, slope, along } = Secant::new(dual.slip, EPS);
                let change = slope * along.dot(*slip - dual.slip);
                let unprojected = (*slip - dual.force * change).length() * inverse_radius;
                let terms = 1.0 + (slip.length() + change.abs()) * inverse_radius;
                bound = (bound * change.abs() * inverse_radius + 1e-15 * terms) / unprojected.max(1.0);
                dual = dual.next(*slip, EPS);
                prop_assert!(dual.force.length() <= 1.0 + 1e-15);
                prop_assert!(dual.force.dot(NORMAL).abs() <= bound);
            }
            let last = slips[slips.len() - 1];
            prop_assert!((dual.next(last, EPS).force - force(last, EPS)).length() <= 1e-15);
        }

        #[test]
        fn the_force_follows_a_slip_to_second_order(
            speed in 0.1..10.0, (a, b) in (angle(), angle()),
        ) {
            let slip = tangent(speed * EPS, a);
            let error = |change: f64| {
                let there = slip + tangent(change * speed * EPS, b);
                (Dual::first(slip, EPS).next(there, EPS).force - force(there, EPS)).length()
            };
            prop_assert!(error(1e-3) <= 2e-5 && error(1e-4) <= 2e-7, "{} {}", error(1e-3), error(1e-4));
        }
    }

    #[test]
    fn a_reversed_slip_has_twice_the_curvature_of_the_secant() {
        let (slip, back) = (tangent(0.5, 1.0), tangent(-0.2, 1.0));
        let dual = Dual::first(slip, EPS).next(back, EPS);
        assert!(!dual.is_settled(EPS) && dual.next(back, EPS).is_settled(EPS));
        let found = curvature(back, dual.force, NORMAL, EPS);
        let along = tangent(1.0, 1.0);
        let secant = 1.0 / back.length();
        assert!(((found * along).dot(along) - 2.0 * secant).abs() <= 1e-12 * secant);
        let exact = curvature(back, force(back, EPS), NORMAL, EPS);
        assert!((exact * along).length() <= 1e-12 * secant, "the second derivative is zero");
    }
}
