//! Loads without a potential, such as pressures that follow an open surface.
//!
//! In a step of settling they act as at its start, so settling is a fixed-point iteration. Where the load stiffness is
//! larger than the tangent stiffness plus the inertia of the step, displacements alternate (real eigenvalues) or circle
//! (complex ones: the load stiffness is not symmetric) and grow. Shorter steps have more inertia and converge.

use crate::World;
use resile_system::Vec3;

/// Largest cosine of the angle between the displacements of two steps, as vectors of all nodes, that counts as a turn: 60
/// degrees. Steps down a potential hardly turn.
const MAX_TURN_COSINE: f64 = 0.5;

/// Largest ratio of the lengths of the displacements of two steps that is convergence: displacements that turn at least halve
/// from step to step.
const MAX_CONTRACTION: f64 = 0.5;

/// The displacements of consecutive steps.
#[derive(Debug, Default)]
pub(super) struct Path {
    /// The displacements (m) of the nodes of each body in the last step.
    previous: Option<Vec<Vec<Vec3>>>,
}

impl Path {
    /// Whether these displacements (m) have turned from those of the last step without being much shorter. They take the
    /// place of those.
    pub(super) fn turns(&mut self, displacements: &[Vec<Vec3>]) -> bool {
        let Some(previous) = self.previous.replace(displacements.to_vec()) else { return false };
        let product = dot(displacements, &previous);
        let [length, previous_length] =
            [displacements, &previous].map(|vectors| dot(vectors, vectors).sqrt());
        let has_turned = product < MAX_TURN_COSINE * length * previous_length;
        has_turned && length > MAX_CONTRACTION * previous_length
    }
}

/// The sum of the products of the displacements of all nodes (m^2).
fn dot(a: &[Vec<Vec3>], b: &[Vec<Vec3>]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a.dot(*b)).sum()
}

impl World {
    /// Whether a body has loads without a potential, which act in a step as at its start.
    pub(super) fn has_lagged_loads(&self) -> bool {
        self.members.iter().any(|member| !member.body.dissipations.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each of these displacements of a node turns from the one before it.
    fn turns<const N: usize>(displacements: [Vec3; N]) -> [bool; N] {
        let mut path = Path::default();
        displacements.map(|displacement| path.turns(&[vec![displacement], vec![]]))
    }

    #[test]
    fn growing_displacements_in_one_direction_do_not_turn() {
        assert_eq!(turns([Vec3::X, Vec3::X * 3.0, Vec3::new(9.0, 9.0, 0.0)]), [false; 3]);
    }

    #[test]
    fn displacements_that_alternate_or_circle_turn() {
        assert_eq!(turns([Vec3::X, Vec3::X * -0.6, Vec3::X * 0.4]), [false, true, true]);
        assert_eq!(turns([Vec3::X, Vec3::Y, -Vec3::X]), [false, true, true]);
    }

    #[test]
    fn displacements_that_halve_may_alternate() {
        assert_eq!(turns([Vec3::X, Vec3::X * -0.4, Vec3::X * 0.1]), [false; 3]);
        assert_eq!(turns([Vec3::ZERO; 2]), [false; 2], "in equilibrium");
    }
}
