//! Bodies that turn on supports gain no energy.
//!
//! On the path that such a body is followed from (`free_flight.rs`) its energy is exact, and what the
//! forces at the end of a step add is small. But the strain that turns along with the body for a
//! whole step is that of the start, and the body turns as if it were unbalanced by it: a rubber
//! gyroscope gains a hundred-thousandth of its energy in a step. So what is more than there can be
//! is taken off the velocities, all in the same proportion.

use crate::step::{Step, StepEnd};
use resile_math::Vec3;
use resile_system::Path;

/// Slows `body` down to the kinetic energy `allowed` (J), if that is exceeded.
pub(crate) fn brake(step: &Step<'_>, body: usize, allowed: f64, velocities: &mut [Vec3]) {
    let kinetic = step.system.kinetic_by_body(velocities)[body];
    if kinetic > allowed && allowed > 0.0 {
        let factor = (allowed / kinetic).sqrt();
        velocities[step.system.nodes(body)].iter_mut().for_each(|v| *v *= factor);
    }
}

/// Slows the bodies on supports down to the energy that they had at the start, with the work done on
/// them and without the heat they have given. Afterwards the system is prepared at the end.
pub(crate) fn keep_start(step: &mut Step<'_>, end: &mut StepEnd) {
    let held: Vec<usize> = step.flight.held().collect();
    if held.is_empty() {
        return;
    }
    let (start, x, time) = (step.state, &end.state.positions, step.end_time());
    let work = step.work(x);
    let after = step.system.potential_by_body(x);
    let before = step.at_start().potential_by_body(&start.positions);
    step.system.along(time, &[Path::at(x)]);
    let kinetic = step.system.kinetic_by_body(&start.velocities);
    for body in held {
        let there = before[body] + kinetic[body] + work[body] - end.heat.from_bodies[body];
        brake(step, body, there - after[body], &mut end.state.velocities);
    }
}
