//! Natural modes, buckling and equilibrium paths of bodies.

use super::{StepRecord, World, WorldBody};
use resile_integrators::{
    BucklingError, BucklingMode, Mode, ModesError, PathError, PathTangent, Stiffness,
    UnsupportedMotion, buckling, follow_path, is_driven, modes, unsupported,
};
use resile_system::{State, System};

impl World {
    /// The `count` lowest natural modes of a body at its current state, without contact and joints: see [`modes`].
    ///
    /// # Errors
    /// As [`modes`].
    pub fn modes(&self, body: usize, count: usize) -> Result<Vec<Mode>, ModesError> {
        self.with_uncoupled_system(body, |system, state| modes(system, state, count))
    }

    /// The stiffness of a body at its current state, without contact and joints.
    pub fn stiffness(&self, body: usize) -> Stiffness {
        self.with_uncoupled_system(body, Stiffness::new)
    }

    /// The stiffness of a body at a state in which it does not bear its loads yet, such as its shape at rest: see
    /// [`Stiffness::without_loads`].
    pub fn stiffness_without_loads(&self, body: usize) -> Stiffness {
        self.with_uncoupled_system(body, Stiffness::without_loads)
    }

    /// The `count` smallest positive buckling factors of the load at the current state of a body. `unloaded` is its
    /// [stiffness](Self::stiffness) without the load: see [`buckling`].
    ///
    /// # Errors
    /// As [`buckling`].
    pub fn buckling(
        &self,
        body: usize,
        unloaded: &Stiffness,
        count: usize,
    ) -> Result<Vec<BucklingMode>, BucklingError> {
        self.with_uncoupled_system(body, |system, state| buckling(system, unloaded, state, count))
    }

    /// The rigid motions of a body along and about the axes that neither its prescribed nodes nor its terms resist,
    /// without contact and joints: see [`unsupported`].
    pub fn unsupported(&self, body: usize) -> Vec<UnsupportedMotion> {
        self.with_uncoupled_system(body, unsupported)
    }

    /// Whether the forces on a body at the `time` (s) of its loads, without contact and joints, drive it along a rigid
    /// motion: see [`is_driven`].
    pub fn is_driven(&self, body: usize, motion: UnsupportedMotion, time: f64) -> bool {
        self.with_uncoupled_system(body, |system, state| {
            is_driven(system, &State { time, ..state.clone() }, motion)
        })
    }

    /// Follows the equilibrium path of the only body by a `length` (m), also beyond limit points, where loads decrease:
    /// see [`follow_path`]. `previous_tangent` is that at the end of the last step. The time of the world is afterwards
    /// that of the loads.
    ///
    /// # Errors
    /// As [`follow_path`]; if there is more than one body, or contact. The world is then as it was before.
    pub fn path_step(
        &mut self,
        length: f64,
        previous_tangent: Option<&PathTangent>,
    ) -> Result<(PathTangent, StepRecord), PathError> {
        if self.members.len() != 1 || self.collisions.is_some() {
            return Err(PathError::Coupled);
        }
        let step = self.with_uncoupled_system(0, |system, state| {
            follow_path(system, state, length, previous_tangent)
        })?;
        self.members[0].state = step.state;
        let mut record = StepRecord::new(1, 0.0, std::iter::empty());
        record.iterations = step.corrections;
        record.observed = self.observe();
        Ok((step.tangent, record))
    }

    /// Evaluates a function of the system of one body at its current state, without contact and joints.
    fn with_uncoupled_system<R>(
        &self,
        index: usize,
        evaluate: impl FnOnce(&mut System, &State) -> R,
    ) -> R {
        let WorldBody { body, state, .. } = &self.members[index];
        let mut system = System::new(vec![body.clone()]);
        system.set_internal(&state.internal, state.time);
        evaluate(&mut system, state)
    }
}
