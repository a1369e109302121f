//! A guard for methods that lose energy on linear problems.
//!
//! A trapezoidal stage, the predictor of Newmark's method and the outer theta method change velocities by the forces at
//! `x_n`. A stiff contact that is not in equilibrium there exerts a large force over a short distance, which these
//! methods integrate over a whole step, so that it accelerates bodies far too much. BDF2 extrapolates velocities from
//! before an impact to the time after it, and the first stage of SDIRK2 may exert a force that no longer acts at the
//! end. All of these methods lose energy on linear problems (Hairer, Wanner, *Solving Ordinary Differential Equations
//! II*, section IV.3: no A-stable method with |R(infinity)| < 1 adds any). A step in which a group of bodies in contact
//! increases its energy, work and losses included, is therefore repeated with implicit Euler. Only these groups take
//! the repeated motion: which other bodies are solved with them depends on boxes around their motions, and so on the
//! direction of the axes.

use crate::error::StepError;
use crate::methods::one_step::Euler;
use crate::step::co_moving::CoMoving;
use crate::step::memory::{self, Previous};
use crate::step::{Step, StepEnd, StepReport};
use resile_math::Vec3;
use resile_system::{Links, Path, State, System};

/// Permitted gain of energy, relative to the heat: the heat of friction is the larger of two amounts
/// ([`StageHeat`](crate::step::StageHeat)). They differ by 3 to 7 % of the heat in the first steps of a body that
/// friction holds on an accelerated support. Implicit Euler would leave this body half a step behind the support, from
/// where it gains again, and so on.
const MAX_HEAT_ERROR: f64 = 0.1;

/// Whether each body belongs to a group of bodies that exchange force and increase their energy, after work and losses,
/// by more than `max_relative_gain`, relative to the larger kinetic energy at both ends in the frame of the contact, and
/// [`MAX_HEAT_ERROR`] permit. The force is that at either end of the step, at its stages (`stage_links`) or at the
/// previous point of a multistep method. `impulse` (N s) is the momentum that friction and damping take from each body.
/// Afterwards the system is prepared at the end.
///
/// Groups without support are judged in the frame of their centre of mass: a multistep method changes momenta by the
/// forces of earlier steps, too, which do not sum to zero over the bodies of a group.
pub(crate) fn bodies_that_gain_energy(
    system: &mut System,
    [start, end]: [&State; 2],
    report: &StepReport,
    impulse: &[Vec3],
    stage_links: Option<Links>,
    max_relative_gain: f64,
) -> Vec<bool> {
    // Prescribed nodes have their mean velocities at the end.
    let start_velocity = |i: usize| system.compose(i, start.velocities[i], end.velocities[i]);
    let start_velocities: Vec<Vec3> = (0..system.node_count()).map(start_velocity).collect();
    let mut links = stage_links.unwrap_or_else(|| Links::new(system.bodies().len()));
    if system.is_driven() {
        links = links.with_velocities(start_velocities.clone());
    }
    if let Some(Previous { positions, .. }) = Previous::recall(&start.memory) {
        system.along(&[Path::at(positions)]).link(positions, &mut links);
    }
    let mut energies = |state: &State| -> Vec<f64> {
        let system = system.along(&[Path::at(&state.positions)]);
        system.link(&state.positions, &mut links);
        let potentials = system.potential_by_body(state.time, &state.positions);
        let kinetic = system.kinetic_by_body(&state.velocities);
        potentials.iter().zip(kinetic).map(|(potential, kinetic)| potential + kinetic).collect()
    };
    let [start_energies, end_energies] = [energies(start), energies(end)];
    let mut gains = vec![false; report.work.len()];
    if !(0..gains.len()).any(|b| links.touches(b)) {
        return gains;
    }
    let times = [start.time, end.time];
    let frames = CoMoving::new(system, &links, &start_velocities, times);
    let flight_work = if system.is_driven() || system.has_moving_support(times) {
        // The reported work contains it.
        vec![0.0; gains.len()]
    } else {
        frames.flight_work(system, [&start_velocities, &end.velocities], impulse, times)
    };
    let relative_kinetic = [start, end].map(|state| frames.kinetic(system, &state.velocities));
    for group in links.groups() {
        let sum = |values: &[f64]| group.iter().map(|&b| values[b]).sum::<f64>();
        let heat = sum(&report.dissipated);
        let work = sum(&report.work) + sum(&flight_work);
        let gain = sum(&end_energies) - sum(&start_energies) - work + heat;
        let [kinetic_at_start, kinetic_at_end] = relative_kinetic.each_ref().map(|k| sum(k));
        let max_gain = max_relative_gain * kinetic_at_start.max(kinetic_at_end)
            + MAX_HEAT_ERROR * heat.max(0.0);
        if group.iter().any(|&b| links.touches(b)) && gain > max_gain {
            group.iter().for_each(|&b| gains[b] = true);
        }
    }
    gains
}

/// Replaces the motion of the bodies flagged in `repeated` by that of the step by implicit Euler. Bodies that exchange
/// force with them in the result are flagged as well; all bodies, if the straight paths from `start` are blocked.
/// Afterwards the system is prepared at the end.
pub(crate) fn replace_motion(
    system: &mut System,
    start: &State,
    mut repeated: Vec<bool>,
    (state, mut report): (State, StepReport),
    (euler_state, euler_report): (State, StepReport),
) -> (State, StepReport) {
    while repeated.contains(&false) {
        let body_state = |b: usize| {
            let source = if repeated[b] { &euler_state } else { &state };
            source.part(system.nodes(b), b)
        };
        let states: Vec<State> = (0..repeated.len()).map(body_state).collect();
        let combined = State::join(states.iter());
        let mixed_bodies = mixed_bodies(system, [start, &combined], &repeated);
        if mixed_bodies.is_empty() {
            report.replace_bodies(&repeated, euler_report);
            return (combined, report);
        }
        mixed_bodies.into_iter().for_each(|b| repeated[b] = true);
    }
    system.along(&[Path::at(&euler_state.positions)]);
    (euler_state, euler_report)
}

/// The bodies of groups that exchange force at the `end` and of which only some are flagged; all bodies, if the straight
/// paths from the `start` are blocked. Afterwards the system is prepared at the end.
fn mixed_bodies(system: &mut System, [start, end]: [&State; 2], flags: &[bool]) -> Vec<usize> {
    let prepared = system.along(&[Path { from: &start.positions, to: &end.positions }]);
    if prepared.fraction() < 1.0 {
        return (0..flags.len()).collect();
    }
    let mut links = Links::new(flags.len());
    prepared.link(&end.positions, &mut links);
    let is_mixed =
        |group: &Vec<usize>| group.iter().any(|&b| flags[b]) && !group.iter().all(|&b| flags[b]);
    links.groups().into_iter().filter(is_mixed).flatten().collect()
}

/// A step of implicit Euler for a method that stores the gradient.
///
/// # Errors
/// If it cannot be solved.
pub(crate) fn implicit_euler(step: &mut Step<'_>) -> Result<StepEnd, StepError> {
    let (euler, mut end) = Euler::take_step(step)?;
    let gradient = step.balancing_gradient(&euler.stage, step.h * step.h, &end.state.positions);
    memory::remember_gradient(gradient, &mut end.state.memory);
    Ok(end)
}
