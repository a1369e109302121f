//! Natural modes and buckling of bodies.

use super::World;
use resile_integrators::{
    BucklingError, BucklingMode, Mode, ModesError, Stiffness, UnsupportedMotion, buckling, modes,
    unsupported,
};
use resile_system::{State, System};

impl World {
    /// The `count` lowest natural modes of a body at its current state, without contact and joints: see [`modes`].
    ///
    /// # Errors
    /// As [`modes`].
    pub fn modes(&mut self, body: usize, count: usize) -> Result<Vec<Mode>, ModesError> {
        self.alone(body, |system, state| modes(system, state, count))
    }

    /// The stiffness of a body at its current state, without contact and joints.
    pub fn stiffness(&mut self, body: usize) -> Stiffness {
        self.alone(body, Stiffness::of)
    }

    /// The `count` smallest positive buckling factors of the load at the current state of a body. `unloaded` is its
    /// [stiffness](Self::stiffness) without the load: see [`buckling`].
    ///
    /// # Errors
    /// As [`buckling`].
    pub fn buckling(
        &mut self,
        body: usize,
        unloaded: &Stiffness,
        count: usize,
    ) -> Result<Vec<BucklingMode>, BucklingError> {
        self.alone(body, |system, state| buckling(system, unloaded, state, count))
    }

    /// The rigid motions of a body along and about the axes that neither its prescribed nodes nor its terms resist,
    /// without contact and joints: see [`unsupported`].
    pub fn unsupported(&mut self, body: usize) -> Vec<UnsupportedMotion> {
        self.alone(body, unsupported)
    }

    /// Evaluates a function of the system of one body.
    fn alone<R>(&mut self, body: usize, evaluate: impl FnOnce(&mut System, &State) -> R) -> R {
        let member = &mut self.members[body];
        let mut system = System::new(vec![std::mem::take(&mut member.body)]);
        let result = evaluate(&mut system, &member.state);
        if let Some(body) = system.into_bodies().pop() {
            member.body = body;
        }
        result
    }
}
