//! Natural modes of bodies.

use super::World;
use resile_integrators::{Mode, ModesError, modes};
use resile_system::System;

impl World {
    /// The `count` lowest natural modes of a body where it is, without contact and joints: see [`modes`].
    ///
    /// # Errors
    /// As [`modes`].
    pub fn modes(&mut self, body: usize, count: usize) -> Result<Vec<Mode>, ModesError> {
        let member = &mut self.members[body];
        let mut system = System::new(vec![std::mem::take(&mut member.body)]);
        let found = modes(&mut system, &member.state, count);
        if let Some(body) = system.into_bodies().pop() {
            member.body = body;
        }
        found
    }
}
