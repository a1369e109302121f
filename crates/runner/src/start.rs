//! The common initial state of all variants.

use resile_math::Vec3;
use resile_scene::description::{Ground, Scene};
use resile_world::{Momenta, World};

/// Speed (m/s) whose kinetic energy is the smallest reference for relative energies. It is far above the rounding
/// errors of potentials, about 1e-15 J per kilogram.
const MIN_SPEED: f64 = 1e-6;

/// Quantities before the first step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Start {
    /// Kinetic and potential energy (J).
    pub energy: f64,
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// The ground level (J) of energies.
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
    /// The start of a scene and its world. `ground` is the common ground level of the comparison.
    pub fn new(scene: &Scene, world: &mut World, ground: Option<Ground>) -> Self {
        let observed = world.observe();
        let Momenta { linear: momentum, angular } = world.momenta();
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

    /// Initial energy above the ground level (J).
    pub fn energy_above_ground(&self) -> f64 {
        self.energy - self.ground.unwrap_or(0.0)
    }

    /// An energy above the ground level, divided by the initial energy above it; `None` if the latter consists of
    /// rounding errors.
    pub fn relative(&self, energy: f64) -> Option<f64> {
        let initial = self.energy_above_ground();
        let min_energy = 0.5 * self.mass * MIN_SPEED * MIN_SPEED;
        (initial > min_energy).then(|| (energy - self.ground.unwrap_or(0.0)) / initial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_energies_need_a_start_above_rounding() {
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
