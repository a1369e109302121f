//! Kinematic bodies: moving obstacles with prescribed nodes.
//!
//! Their positions are known without a solve. An island that may collide with one has its own copy for the step,
//! and the body of the world moves once per step.

use resile_system::{Body, Quantity, State, Vec3};

/// Positions of the nodes (m) at `time` (s).
pub(super) fn positions(body: &Body, time: f64) -> Vec<Vec3> {
    let mut positions = vec![Vec3::ZERO; body.node_count()];
    for prescribed in &body.prescribed {
        positions[prescribed.node] = prescribed.motion.position(prescribed.start, time);
    }
    positions
}

/// A copy of the body without its terms.
pub(super) fn without_terms(body: &Body) -> Body {
    let copy = Body::new(&body.name, body.masses.clone());
    Body { prescribed: body.prescribed.clone(), ..copy }
}

/// Moves the body of the world to the time `end` (s). The velocity is the mean over the step `h` (s), or over the
/// interval since the last of the times `cuts` (s) at which the path is cut.
pub(super) fn move_along_path(body: &Body, state: &mut State, cuts: &[f64], h: f64, end: f64) {
    let end_positions = positions(body, end);
    let velocities = match cuts.last() {
        Some(&last_cut) => {
            mean_velocities(&positions(body, last_cut), &end_positions, end - last_cut)
        }
        None => mean_velocities(&state.positions, &end_positions, h),
    };
    *state = State::new(end, end_positions, velocities);
}

/// Appends a kinematic body with the given `state` to the state of an island. The body also gets the records of the
/// memory that the other bodies have.
pub(super) fn append(joined: &mut State, body: &Body, state: &State) {
    joined.positions.extend(positions(body, joined.time));
    joined.velocities.extend_from_slice(&state.velocities);
    let time = joined.time;
    joined.memory.append(|quantity| match quantity {
        Quantity::Position { ago } => positions(body, time - ago),
        Quantity::Velocity { ago } => {
            let past_time = time - ago;
            mean_velocities(&positions(body, past_time - ago), &positions(body, past_time), ago)
        }
        Quantity::Action => vec![Vec3::ZERO; body.node_count()],
    });
}

/// The mean velocities (m/s) between two positions (m) that are `h` seconds apart.
fn mean_velocities(from: &[Vec3], to: &[Vec3], h: f64) -> Vec<Vec3> {
    from.iter().zip(to).map(|(from, to)| (*to - *from) / h).collect()
}
