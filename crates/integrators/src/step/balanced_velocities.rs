//! Velocities that determine the friction on bodies in a given state.

use super::MAX_RELAXATION_ROUNDS;
use super::friction_objective::FrictionObjective;
use resile_math::Vec3;
use resile_solver::{Newton, NewtonSettings};
use resile_system::{DissipationFrame, Rounds, State, System};

/// The time to which the velocities of bodies belong. On an accelerating support it decides about their slip: the
/// velocities of implicit Euler are those of the middle of a step, those of BDF2 belong to its end, and steps that a guard
/// has repeated have those of implicit Euler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VelocityTime {
    /// The middle of the last step.
    Middle,
    /// The time of the state.
    End,
}

/// The velocities (m/s) at which friction and damping balance the impulses of potentials over `h` (s) in `state`:
///
/// ```text
/// argmin_v  1/2 |v - u|_m^2 + h D(v),   u = v_n - h m^-1 grad P(x_n)
/// ```
///
/// The velocities of a state have the tolerance of its solve. If that is about as large as the slip speed, they do not
/// determine the static friction that holds a body. These velocities do, within their own `tolerance` (m/s). Friction
/// is lagged at the positions of the state. Prescribed nodes have the velocities to which they accelerate in `h` from the
/// time `at`, so the friction is that which accelerates a body with its support.
pub fn balanced_velocities(
    system: &mut System,
    state: &State,
    h: f64,
    tolerance: f64,
    at: VelocityTime,
) -> Vec<Vec3> {
    let x = &state.positions;
    let next_time = state.time + h;
    let next_velocities = with_prescribed_velocities(system, state, (next_time, h), at);
    if !system.dissipates() {
        return next_velocities;
    }
    let dissipation = system.lagged(state);
    let gradient = system.at(x).gradient(state.time, x);
    let masses = system.masses();
    let undamped_velocity = |i: usize| {
        let free = state.velocities[i] - h / masses[i] * gradient[i];
        system.compose(i, free, next_velocities[i])
    };
    let undamped: Vec<Vec3> = (0..x.len()).map(undamped_velocity).collect();
    let frame = DissipationFrame::at_start(state.time);
    let rounds = Rounds { max_rounds: MAX_RELAXATION_ROUNDS, tolerance };
    let relaxed = dissipation.relaxed(&frame, h, &undamped, &next_velocities, rounds);
    let mut objective = FrictionObjective::new(system, &dissipation, (frame, h), &undamped, &[]);
    let mut velocities = objective.gather(&relaxed);
    // If the tolerance is not met, the result is still better than the initial value.
    let _ =
        Newton::new(NewtonSettings::default()).minimise(&mut objective, &mut velocities, tolerance);
    objective.scatter(&velocities)
}

/// The dissipation potential (W) of friction and damping at the velocities of `state`, after a step of `h` (s), where
/// prescribed nodes have those at the time `at`. It is smaller at the time to which the velocities belong, unless bodies
/// slide much faster than their support accelerates in a step.
pub fn slip_dissipation(system: &System, state: &State, h: f64, at: VelocityTime) -> f64 {
    if !system.dissipates() {
        return 0.0;
    }
    let velocities = with_prescribed_velocities(system, state, (state.time, h), at);
    system.lagged(state).value(&DissipationFrame::at_start(state.time), &velocities)
}

/// The velocities (m/s) of `state` with those of prescribed nodes in a step of `h` (s) to the time `end` (s), `at` its middle
/// or its end: the mean one, or the derivative of the parabola through the positions at its start, middle and end.
fn with_prescribed_velocities(
    system: &System,
    state: &State,
    (end, h): (f64, f64),
    at: VelocityTime,
) -> Vec<Vec3> {
    let mut velocities = state.velocities.clone();
    let [starts, middles, ends] = [end - h, end - 0.5 * h, end].map(|time| system.prescribed(time));
    for (((node, start), (_, middle)), (_, end)) in starts.zip(middles).zip(ends) {
        let displacement = match at {
            VelocityTime::Middle => end - start,
            VelocityTime::End => 3.0 * end - 4.0 * middle + start,
        };
        velocities[node] = system.compose(node, velocities[node], displacement / h);
    }
    velocities
}
