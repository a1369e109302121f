//! A guard for methods that take forces at the start of a step.
//!
//! A trapezoidal stage, the predictor of Newmark's method and the outer theta method change velocities by the forces at
//! `x_n`. A stiff contact that is not in equilibrium there exerts a large force over a short distance, which these
//! methods integrate over a whole step, so that it accelerates bodies far too much. The methods lose energy on linear
//! problems (Hairer, Wanner, *Solving Ordinary Differential Equations II*, section IV.3: no A-stable method with
//! |R(infinity)| < 1 adds any). A step in contact that increases the energy, work and losses included, is therefore repeated
//! with implicit Euler.

use crate::error::StepError;
use crate::methods::one_step::Euler;
use crate::step::co_moving::CoMoving;
use crate::step::memory;
use crate::step::{Step, StepEnd, StepReport};
use resile_math::Vec3;
use resile_system::{Links, Path, State, System};

/// Permitted gain of energy, relative to the larger kinetic energy at both ends in the frame of the contact: the error
/// of a method that resolves the motion.
const MAX_ENERGY_GAIN: f64 = 0.01;

/// Whether the step has contact at either end and increases the energy, after work and losses, by more than
/// [`MAX_ENERGY_GAIN`]. Afterwards the system is prepared at the end.
pub(crate) fn gains_energy(
    system: &mut System,
    [start, end]: [&State; 2],
    report: &StepReport,
) -> bool {
    // Prescribed nodes have their mean velocities at the end.
    let start_velocity = |i: usize| system.compose(i, start.velocities[i], end.velocities[i]);
    let start_velocities: Vec<Vec3> = (0..system.node_count()).map(start_velocity).collect();
    let mut links = Links::new(system.bodies().len());
    if system.is_driven() {
        links = links.with_velocities(start_velocities.clone());
    }
    let mut potential = |state: &State| {
        let system = system.along(&[Path::at(&state.positions)]);
        system.link(&state.positions, &mut links);
        system.potential(state.time, &state.positions)
    };
    let potential_change = -potential(start) + potential(end);
    if !(0..report.work.len()).any(|b| links.touches(b)) {
        return false;
    }
    let kinetic = |v: &[Vec3]| system.kinetic_by_body(v).iter().sum::<f64>();
    let kinetic_change = kinetic(&end.velocities) - kinetic(&start.velocities);
    let supplied: f64 = report.work.iter().sum::<f64>() - report.dissipated.iter().sum::<f64>();
    let frames = CoMoving::new(system, &links, &start_velocities, [start.time, end.time]);
    let kinetic_in_contact_frame =
        [start, end].map(|state| frames.kinetic(system, &state.velocities).iter().sum());
    potential_change + kinetic_change - supplied
        > MAX_ENERGY_GAIN * f64::max(kinetic_in_contact_frame[0], kinetic_in_contact_frame[1])
}

/// A step of implicit Euler for a method that stores the gradient.
///
/// # Errors
/// If it cannot be solved.
pub(crate) fn implicit_euler(step: &mut Step<'_>) -> Result<StepEnd, StepError> {
    let euler = Euler::new(step);
    let mut end = euler.solve_step(step)?;
    let gradient = step.balancing_gradient(&euler.stage, step.h * step.h, &end.state.positions);
    memory::remember_gradient(gradient, &mut end.state.memory);
    Ok(end)
}
