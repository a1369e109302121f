//! States of simulations: the start, saved states, and those of single bodies.

use crate::errors::Failure;
use crate::scene::Source;
use resile_math::Vec3;
use resile_record::CheckpointError;
use resile_runner::Stepper;
use resile_system::State;
use resile_watch::Interrupt;

/// Builds a scene and settles its start.
pub(super) fn settled_stepper(source: &Source, interrupt: &Interrupt) -> Result<Stepper, Failure> {
    let loaded = source.build()?;
    let mut stepper = Stepper::new(loaded.scene, loaded.built, interrupt.clone());
    while stepper.settle().map_err(|error| Failure::of_run(0, error))? {}
    Ok(stepper)
}

/// The failure of `load` with `length` bytes. The remedies of the error itself are those for the checkpoint of a run in
/// a folder.
fn load_failure(length: usize, error: &CheckpointError) -> Failure {
    let message = match error {
        CheckpointError::NotACheckpoint { .. } => "save() did not return this state".to_owned(),
        CheckpointError::Version { found, .. } => {
            format!("the state has version {found} of the format, which this version cannot read")
        }
        CheckpointError::OtherScene { .. } => {
            "the state is of another scene, or of this one with other physics or another time step"
                .to_owned()
        }
        CheckpointError::Contents { errors, .. } => {
            format!("the state does not fit this scene: {}", errors.join("; "))
        }
        _ => "the state is damaged".to_owned(),
    };
    Failure::argument("state", format!("{length} bytes"), message)
        .with_remedy("give what save() of a simulation of the same scene returned")
}

/// Whether the scene releases held nodes at some time. Nodes cannot be held again, so that going back in time then
/// requires a new world.
fn releases_nodes(stepper: &Stepper) -> bool {
    stepper.scene().bodies.iter().flat_map(|body| &body.hold).any(|hold| hold.until.is_some())
}

/// Sets the state of a body, which is given by its index and its name. Fails and changes nothing if bodies would
/// intersect or an element would be inverted.
pub(super) fn set_state(
    stepper: &mut Stepper,
    (index, body): (usize, &str),
    positions: Option<Vec<Vec3>>,
    velocities: Option<Vec<Vec3>>,
) -> Result<(), Failure> {
    let world = stepper.world_mut();
    let previous = world.state(index).clone();
    let State { time, positions: old_positions, velocities: old_velocities, internal, .. } =
        previous.clone();
    let positions = positions.unwrap_or(old_positions);
    let velocities = velocities.unwrap_or(old_velocities);
    world.set_state(index, State::new(time, positions, velocities).with_internal(internal));
    let violation = match world.intersections(1).is_empty() {
        false => Some("bodies would intersect"),
        true if world.observe().certificate.inverted => Some("an element would be inverted"),
        true => None,
    };
    let Some(violation) = violation else { return Ok(()) };
    world.set_state(index, previous);
    Err(Failure::argument("positions", body, violation)
        .with_remedy("nothing was changed; move the body elsewhere"))
}

/// Restores a state that [`Stepper::save`] returned for the scene of `source`. A failure changes nothing.
pub(super) fn load_state(
    stepper: &mut Stepper,
    source: &Source,
    state: &[u8],
) -> Result<(), Failure> {
    let failure = |error| load_failure(state.len(), &error);
    if !releases_nodes(stepper) {
        return stepper.load(state).map_err(failure);
    }
    let mut fresh = settled_stepper(source, &stepper.interrupt().clone())?;
    fresh.load(state).map_err(failure)?;
    *stepper = fresh;
    Ok(())
}
