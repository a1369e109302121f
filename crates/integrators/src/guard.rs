//! A guard for methods that take forces at the start of a step.
//!
//! A trapezoidal stage, Newmark's prediction, the outer theta method act on velocities with
//! the forces at `x_n`. Stiff contact that is not in equilibrium there is a large force over a
//! short way: it throws what has next to no energy. These methods lose energy on linear
//! problems (Hairer, Wanner, *Solving Ordinary Differential Equations II*, section IV.3: no
//! A-stable method with |R(infinity)| < 1 adds any), so a step in contact that ends with more than
//! it had, work and losses counted, is not a solution, and it is taken again by implicit Euler.

use crate::error::StepError;
use crate::memory;
use crate::one_step::Euler;
use crate::step::{Step, StepEnd, StepReport};
use resile_system::{Links, Path, State, System};

/// The gain that is left to a method, over the larger kinetic energy of both ends: what it
/// may be off by where it resolves the motion.
const GAIN: f64 = 0.01;

/// Whether anything touches at either end of a step, and the step ends with more energy than
/// it had. Afterwards the system is prepared at the end.
pub(crate) fn gains(system: &mut System, [start, end]: [&State; 2], report: &StepReport) -> bool {
    let mut links = Links::new(system.bodies().len());
    let mut energy = |state: &State| {
        let system = system.along(state.time, &[Path::at(&state.positions)]);
        system.link(&state.positions, &mut links);
        let kinetic: f64 = system.kinetic_by_body(&state.velocities).iter().sum();
        [system.potential(&state.positions), kinetic]
    };
    let [potential, kinetic] = energy(start);
    let [potential_after, kinetic_after] = energy(end);
    let touches = (0..report.work.len()).any(|b| links.touches(b));
    let added: f64 = report.work.iter().sum::<f64>() - report.dissipated.iter().sum::<f64>();
    let gain = potential_after + kinetic_after - potential - kinetic - added;
    touches && gain > GAIN * kinetic.max(kinetic_after)
}

/// A step of implicit Euler that leaves the gradient to a method that needs it.
///
/// # Errors
/// If it cannot be solved.
pub(crate) fn implicit_euler(step: &mut Step<'_>) -> Result<StepEnd, StepError> {
    let euler = Euler::new(step);
    let mut end = euler.take(step)?;
    let gradient = step.balancing_gradient(&euler.stage, step.h * step.h, &end.state.positions);
    memory::remember_gradient(gradient, &mut end.state.memory);
    Ok(end)
}
