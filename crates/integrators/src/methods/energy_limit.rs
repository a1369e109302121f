//! Upper bound of the energy of bodies that rotate on supports.
//!
//! The rigid motion of such a body (`free_flight.rs`) has the exact energy, and the forces at the end of a step add
//! little. The strain that rotates with the body during a step is that of its start, however, which acts like an
//! imbalance: a rubber gyroscope gains 1e-5 of its energy per step. Velocities are therefore scaled down to the
//! permitted energy.

use crate::step::{Step, StepEnd};
use resile_math::Vec3;
use resile_system::Path;

/// Scales the velocities of `body` down if its kinetic energy exceeds `allowed` (J).
pub(crate) fn limit_energy(step: &Step<'_>, body: usize, allowed: f64, velocities: &mut [Vec3]) {
    let kinetic = step.system.kinetic_by_body(velocities)[body];
    if kinetic > allowed && allowed > 0.0 {
        let factor = (allowed / kinetic).sqrt();
        velocities[step.system.nodes(body)].iter_mut().for_each(|v| *v *= factor);
    }
}

/// Limits the energy of bodies on supports to that at the start, plus work, minus heat. Afterwards the system is
/// prepared at the end.
pub(crate) fn limit_to_start_energy(step: &mut Step<'_>, end: &mut StepEnd) {
    let supported_bodies: Vec<usize> = step.flight.supported_bodies().collect();
    if supported_bodies.is_empty() {
        return;
    }
    let (start, x, time) = (step.state, &end.state.positions, step.end_time());
    let work = step.work(x);
    let end_potential = step.system.potential_by_body(time, x);
    let start_potential = step.at_start().potential_by_body(start.time, &start.positions);
    step.system.along(&[Path::at(x)]);
    let start_kinetic = step.system.kinetic_by_body(&start.velocities);
    for body in supported_bodies {
        let allowed_energy =
            start_potential[body] + start_kinetic[body] + work[body] - end.heat.from_bodies[body];
        limit_energy(step, body, allowed_energy - end_potential[body], &mut end.state.velocities);
    }
}
