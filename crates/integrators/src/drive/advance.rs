//! A step of a method from one state to the next.

use crate::drive::guard;
use crate::drive::plastic;
use crate::drive::restitution;
use crate::drive::retry::Attempts;
use crate::error::StepError;
use crate::rigid::free_flight::{FreeFlight, Limits};
use crate::step::impacts::is_impact_ahead;
use crate::step::stamp;
use crate::step::{Integrator, StageSolver, Step, StepReport};
use resile_solver::{SolveError, SolveReport};
use resile_system::{Memory, State, System};

/// Advances `state` by `h` seconds. On error the state is unchanged.
///
/// A caller may change positions and velocities between steps: methods with memory detect that and restart.
///
/// # Errors
/// If the step fails, or parameters are invalid.
pub fn advance(
    integrator: &dyn Integrator,
    system: &mut System,
    solver: &mut StageSolver,
    state: &mut State,
    h: f64,
) -> Result<StepReport, StepError> {
    let end = state.time + h;
    advance_to(integrator, system, solver, state, h, end)
}

/// Advances as [`advance`] does, to the time `end` (s), which is `h` later within rounding.
///
/// Sums of steps and multiples of a step differ by rounding. If the end of each step is bitwise the start of the next
/// one, an event at a given time affects motion and energy balance in the same step.
///
/// # Errors
/// If the method could not take the step.
pub fn advance_to(
    integrator: &dyn Integrator,
    system: &mut System,
    solver: &mut StageSolver,
    state: &mut State,
    h: f64,
    end: f64,
) -> Result<StepReport, StepError> {
    if let Some(cause) = solver.interrupt.cause() {
        let cause = SolveError::Interrupted { cause, iteration: 0, pairs: 0 };
        return Err(StepError::Solve { time: end, step: h, cause });
    }
    integrator.check().map_err(|cause| StepError::Parameters { step: h, cause })?;
    let without_memory = (!stamp::matches_checksums(system, state))
        .then(|| State { memory: Memory::default(), ..state.clone() });
    let start = without_memory.as_ref().unwrap_or(state);
    // A step whose end time is its start time approaches static equilibrium, so flow has had unlimited time.
    let flow_start = if end == start.time { f64::NEG_INFINITY } else { start.time };
    system.set_internal(&start.internal, flow_start);
    let (mut next, mut report) = take_step(integrator, system, solver, start, h, end)?;
    plastic::flow(system, &mut next, &mut report);
    stamp::store_checksums(system, &mut next);
    *state = next;
    Ok(report)
}

/// The limits of free motion for a method.
fn flight_limits(integrator: &dyn Integrator) -> Limits {
    Limits {
        in_contact: integrator.max_rotation_in_contact(),
        on_supports: integrator.max_rotation_on_supports(),
        falls: !integrator.falls_exactly(),
        deforms: integrator.deforms_in_flight(),
    }
}

/// Takes a step of `h` (s) from `state` to the time `end` (s), without plastic flow. The step is repeated if bodies in
/// free motion come into contact, if bodies with a coefficient of restitution collide, or if the method gains energy in
/// contact. The report has the repetitions and their cost.
fn take_step(
    integrator: &dyn Integrator,
    system: &mut System,
    solver: &mut StageSolver,
    state: &State,
    h: f64,
    end: f64,
) -> Result<(State, StepReport), StepError> {
    let limits = flight_limits(integrator);
    let mut flight = FreeFlight::new(system, state, h, limits);
    let mut attempts = Attempts::new(integrator);
    let approaches_impact = !integrator.handles_restitution()
        && system.has_restitution_pairs()
        && is_impact_ahead(system, (state, &flight), h, solver.tolerance);
    let mut discarded_cost = SolveReport::default();
    let (next, mut report, impacted) = loop {
        let mut step = Step::begin(system, solver, state, h, end, flight.clone());
        let has_impact = approaches_impact || step.separating.contains(&true);
        let mut step_end = if attempts.begin(has_impact) {
            guard::implicit_euler(&mut step)?
        } else {
            integrator.step(&mut step)?
        };
        let impacted = step_end.impacted.take().unwrap_or_else(|| {
            let State { positions, velocities, .. } = &step_end.state;
            step.impacted(positions, velocities)
        });
        let (stage_links, impulse) = (step_end.stage_links.take(), step_end.heat.impulse.clone());
        flight.clone_from(&step.flight);
        let (next, report) = step.finish(step_end)?;
        let counts_before = flight.counts();
        flight = flight.without_contact(system, &next, [h; 2]);
        let has_new_contact = flight.counts() != counts_before;
        if !attempts.repeats_for_contact(has_new_contact, impacted.contains(&true)) {
            let gaining = attempts.max_energy_gain().map_or_else(Vec::new, |max_gain| {
                let states = [state, &next];
                let links = stage_links;
                guard::bodies_that_gain_energy(system, states, &report, &impulse, links, max_gain)
            });
            if !gaining.contains(&true) {
                break (next, report, impacted);
            }
            attempts.repeat_for_gain();
            discarded_cost.absorb(&report.solve);
            let mut euler_step = Step::begin(system, solver, state, h, end, flight);
            let euler_end = guard::implicit_euler(&mut euler_step)?;
            let repeated = euler_step.finish(euler_end)?;
            let (next, report) =
                guard::replace_motion(system, state, gaining, (next, report), repeated);
            break (next, report, impacted);
        }
        discarded_cost.absorb(&report.solve);
    };
    report.solve.absorb(&discarded_cost);
    report.repeats = attempts.into_repeats().map(|repeat| (repeat, h)).collect();
    let rebound =
        restitution::bounce(system, [state, &next], &report, &impacted, solver.tolerance)?;
    Ok(rebound.unwrap_or((next, report)))
}
