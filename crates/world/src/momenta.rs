//! Masses, centres of mass and momenta.

use super::{World, WorldBody};
use resile_math::Vec3;
use resile_system::Body;

/// Linear and angular momentum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Momenta {
    /// Linear momentum (kg m/s).
    pub linear: Vec3,
    /// Angular momentum about the origin (kg m^2/s).
    pub angular: Vec3,
}

impl Momenta {
    const ZERO: Self = Self { linear: Vec3::ZERO, angular: Vec3::ZERO };

    /// Adds the momenta of the nodes of a body.
    fn add_body(&mut self, WorldBody { body, state, .. }: &WorldBody) {
        for ((m, x), v) in body.masses.iter().zip(&state.positions).zip(&state.velocities) {
            self.linear += *m * *v;
            self.angular += *m * x.cross(*v);
        }
    }

    /// Whether all components are finite.
    pub fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }
}

impl World {
    /// Mass (kg) of a body.
    pub fn mass_of(&self, body: usize) -> f64 {
        self.members[body].body.masses.iter().sum()
    }

    /// Centre of mass (m) of a body.
    pub fn center_of_mass(&self, body: usize) -> Vec3 {
        let WorldBody { body: Body { masses, .. }, state, .. } = &self.members[body];
        let mass: f64 = masses.iter().sum();
        if mass == 0.0 {
            // A body with prescribed motion may have no mass.
            return state.positions.iter().sum::<Vec3>() / state.positions.len() as f64;
        }
        let mass_moment: Vec3 = masses.iter().zip(&state.positions).map(|(m, x)| *m * *x).sum();
        mass_moment / mass
    }

    /// Centre of mass (m) of all bodies together.
    pub fn common_center_of_mass(&self) -> Vec3 {
        let mut mass_moment = Vec3::ZERO;
        for WorldBody { body, state, .. } in &self.members {
            for (m, x) in body.masses.iter().zip(&state.positions) {
                mass_moment += *m * *x;
            }
        }
        mass_moment / self.mass()
    }

    /// Momenta of all bodies together.
    pub fn momenta(&self) -> Momenta {
        let mut momenta = Momenta::ZERO;
        self.members.iter().for_each(|member| momenta.add_body(member));
        momenta
    }

    /// Momenta of a body.
    pub fn momenta_of(&self, body: usize) -> Momenta {
        let mut momenta = Momenta::ZERO;
        momenta.add_body(&self.members[body]);
        momenta
    }
}
