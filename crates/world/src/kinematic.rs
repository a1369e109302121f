//! Bodies of which every node is prescribed: obstacles that move.
//!
//! Nothing has to be solved for to know where they are, so an island that may meet one
//! has its own copy, made for the step, and the world's is moved once a step.

use resile_system::{Body, Quantity, State, Vec3};

/// Where the nodes are (m) at `time` (s).
pub(super) fn positions(body: &Body, time: f64) -> Vec<Vec3> {
    let mut positions = vec![Vec3::ZERO; body.node_count()];
    for prescribed in &body.prescribed {
        positions[prescribed.node] = prescribed.motion.position(prescribed.start, time);
    }
    positions
}

/// The same body once more.
pub(super) fn copy(body: &Body) -> Body {
    let copy = Body::new(&body.name, body.masses.clone());
    Body { prescribed: body.prescribed.clone(), ..copy }
}

/// Moves the world's body to `end` (s), `h` after where it is, or after the last of the
/// times `between` at which its path is cut.
pub(super) fn lead(body: &Body, state: &mut State, between: &[f64], h: f64, end: f64) {
    let there = positions(body, end);
    let velocities = match between.last() {
        Some(&last) => mean_velocities(&positions(body, last), &there, end - last),
        None => mean_velocities(&state.positions, &there, h),
    };
    *state = State::new(end, there, velocities);
}

/// Adds the body to the state of an island, as if it had been in it all along: where the
/// others remember something, so does the copy. `own` is the world's state of it.
pub(super) fn append(joined: &mut State, body: &Body, own: &State) {
    joined.positions.extend(positions(body, joined.time));
    joined.velocities.extend_from_slice(&own.velocities);
    let time = joined.time;
    joined.memory.append(|quantity| match quantity {
        Quantity::Position { ago } => positions(body, time - ago),
        Quantity::Velocity { ago } => {
            let before = time - ago;
            mean_velocities(&positions(body, before - ago), &positions(body, before), ago)
        }
        Quantity::Action => vec![Vec3::ZERO; body.node_count()],
    });
}

fn mean_velocities(from: &[Vec3], to: &[Vec3], h: f64) -> Vec<Vec3> {
    from.iter().zip(to).map(|(from, to)| (*to - *from) / h).collect()
}
