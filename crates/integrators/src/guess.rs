//! Where Newton may begin: each body moved as if it were rigid.
//!
//! From `x_n` Newton's first step has to find that a body flies on and turns, and its second
//! that a turn is no stretch. Of `1/2 |u - y|_m^2 + w P(u)` both are known without a
//! Hessian: among rigid motions of the body the inertial part asks for the mean shift and
//! turn of `y - x_n`, and the forces at `x_n`, of which those within the body cancel, for
//! `-w` times their sum and torque. What vibrates is left as it is. The solver begins there
//! if the way is free and the objective lower, which it is for all that flies; what it
//! converges to, and how far, is its own business as before.

use crate::stage::Stage;
use resile_linalg::{Mat3, Vec3, outer};
use resile_system::System;

/// Below this determinant of the inertia over its cubed trace nodes are as good as on a
/// line, and no turn is guessed.
const LEAST: f64 = 1e-9;

/// The positions to begin with, from `x` with `grad P(x)` (N) there. Bodies with
/// prescribed nodes stay. O(nodes).
pub(crate) fn rigid(system: &System, stage: &Stage, x: &[Vec3], gradient: &[Vec3]) -> Vec<Vec3> {
    let weight: f64 = stage.terms.iter().map(|term| term.weight * term.share).sum();
    let mut guess = x.to_vec();
    for body in 0..system.bodies().len() {
        let nodes = system.nodes(body);
        if nodes.is_empty() || !system.free()[nodes.clone()].iter().all(|free| *free) {
            continue;
        }
        let masses = &system.masses()[nodes.clone()];
        // Impulses times seconds (kg m): what each node is asked to move, by its mass.
        let impulse = |i: usize| {
            masses[i] * (stage.predictor[nodes.start + i] - x[nodes.start + i])
                - weight * gradient[nodes.start + i]
        };
        let own = &x[nodes.clone()];
        let motion = RigidMotion::of(masses, own, impulse);
        guess[nodes.clone()].iter_mut().for_each(|x| *x = motion.apply(*x));
    }
    guess
}

/// A turn about a centre, and a shift.
struct RigidMotion {
    centre: Vec3,
    turn: Mat3,
    shift: Vec3,
}

impl RigidMotion {
    /// The one that masses at `x` make under these impulses times seconds (kg m).
    fn of(masses: &[f64], x: &[Vec3], impulse: impl Fn(usize) -> Vec3) -> Self {
        let mass: f64 = masses.iter().sum();
        let centre = masses.iter().zip(x).map(|(m, x)| *m * *x).sum::<Vec3>() / mass;
        let (mut shift, mut torque, mut inertia) = (Vec3::ZERO, Vec3::ZERO, Mat3::ZERO);
        for (i, (m, x)) in masses.iter().zip(x).enumerate() {
            let (r, impulse) = (*x - centre, impulse(i));
            shift += impulse / mass;
            torque += r.cross(impulse);
            inertia += (Mat3::from_diagonal(Vec3::splat(r.length_squared())) - outer(r, r)) * *m;
        }
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let turns = inertia.determinant() > LEAST * trace.powi(3);
        let angle = if turns { inertia.inverse() * torque } else { Vec3::ZERO };
        Self { centre, turn: rotation(angle), shift }
    }

    fn apply(&self, x: Vec3) -> Vec3 {
        self.centre + self.shift + self.turn * (x - self.centre)
    }
}

/// The rotation by `angle.length()` (rad) about `angle` (Rodrigues).
fn rotation(angle: Vec3) -> Mat3 {
    let phi = angle.length();
    if phi == 0.0 || !phi.is_finite() {
        return Mat3::IDENTITY;
    }
    Mat3::from_axis_angle(angle / phi, phi)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_and_flies_as_one_is_guessed_to_rounding() {
        let x: Vec<Vec3> = (0..7)
            .map(|k| f64::from(k))
            .map(|k| Vec3::new(k.sin(), (2.3 * k).cos(), (0.7 * k * k).sin()))
            .collect();
        let masses = [1.0, 0.5, 2.0, 0.3, 1.1, 0.9, 0.4];
        let (angle, by) = (Vec3::new(0.3, -0.5, 0.2), Vec3::new(0.1, 2.0, -1.0));
        let mass: f64 = masses.iter().sum();
        let centre = masses.iter().zip(&x).map(|(m, x)| *m * *x).sum::<Vec3>() / mass;
        // What free motion for a unit of time would be, in straight lines.
        let impulse = |i: usize| masses[i] * (by + angle.cross(x[i] - centre));
        let motion = RigidMotion::of(&masses, &x, impulse);
        for x in &x {
            let meant = centre + by + rotation(angle) * (*x - centre);
            assert!((motion.apply(*x) - meant).length() < 1e-14);
        }
        let turned = rotation(angle) * Vec3::X - Vec3::X;
        assert!((turned - angle.cross(Vec3::X)).length() < 0.3 * angle.length_squared().sqrt());
    }

    #[test]
    fn nodes_on_a_line_are_shifted_only() {
        let x: Vec<Vec3> = (0..4).map(|k| Vec3::X * f64::from(k)).collect();
        let motion = RigidMotion::of(&[1.0; 4], &x, |_| Vec3::Y);
        assert_eq!(motion.apply(x[2]), x[2] + Vec3::Y);
        let single = RigidMotion::of(&[2.0], &x[1..2], |_| Vec3::Z);
        assert_eq!(single.apply(x[1]), x[1] + Vec3::Z * 0.5);
    }
}
