//! The state that all variants begin in.

use crate::description::{Ground, Scene};
use resile_math::Vec3;
use resile_world::World;

/// What all bodies at this speed (m/s) have is no energy to compare others with: potentials of
/// bodies at rest round to some 1e-15 of a joule for a kilogram.
const LEAST_SPEED: f64 = 1e-6;

/// What is known before the first step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Start {
    /// Kinetic and potential energy (J).
    pub energy: f64,
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// The energy (J) from which energies are counted.
    pub ground: Option<f64>,
    /// Mass of all bodies (kg).
    pub mass: f64,
    /// Acceleration of free fall (m/s^2).
    pub gravity: Vec3,
    /// Linear momentum (kg m/s).
    pub momentum: Vec3,
    /// Angular momentum about the origin (kg m^2/s).
    pub angular: Vec3,
    /// Pairs closer than `d_hat`.
    pub contacts: u64,
}

impl Start {
    /// Of a scene and its world before the first step. `ground` is that of the comparison, so that
    /// all variants are counted from the same energy.
    pub fn of(scene: &Scene, world: &mut World, ground: Option<Ground>) -> Self {
        let observed = world.observe();
        let [momentum, angular, _] = world.momenta();
        let (mass, gravity) = (world.mass(), Vec3::from_array(scene.gravity));
        let ground = ground.map(|ground| match ground {
            Ground::Joules(energy) => energy,
            Ground::RestHeight(height) => mass * gravity.length() * height,
        });
        Self {
            energy: observed.total(),
            kinetic: observed.kinetic(),
            ground,
            mass,
            gravity,
            momentum,
            angular,
            contacts: observed.certificate.contacts as u64,
        }
    }

    /// Energy at the start above the ground (J).
    pub fn height(&self) -> f64 {
        self.energy - self.ground.unwrap_or(0.0)
    }

    /// An energy above the ground, over that at the start; none if the scene starts
    /// with none but rounding errors, to which nothing can be compared.
    pub fn relative(&self, energy: f64) -> Option<f64> {
        let height = self.height();
        let least = 0.5 * self.mass * LEAST_SPEED * LEAST_SPEED;
        (height > least).then(|| (energy - self.ground.unwrap_or(0.0)) / height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energies_are_relative_to_more_than_rounding_errors() {
        let start = |energy| Start {
            energy,
            kinetic: 0.0,
            ground: None,
            mass: 2.0,
            gravity: Vec3::ZERO,
            momentum: Vec3::ZERO,
            angular: Vec3::ZERO,
            contacts: 0,
        };
        assert_eq!(start(2.0).relative(1.0), Some(0.5));
        assert_eq!(start(1e-9).relative(2e-9), Some(2.0));
        for rounding in [3e-32, 1e-15, 0.0, -1.0] {
            assert_eq!(start(rounding).relative(1.0), None, "{rounding}");
        }
    }
}
