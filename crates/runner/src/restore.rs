//! Resumption of a run at its checkpoint, which is treated as untrusted.
//!
//! The checksum detects accidental damage. This module checks the properties of every valid checkpoint of the scene, so
//! that no contents can crash the program or start a meaningless run: sizes and bounds of all numbers, a state without
//! intersections, and counters that equal the sums over the rows of the history.

use super::RunError;
use super::identity::Identity;
use super::totals::Totals;
use resile_assembly::Clock;
use resile_integrators::check_memory;
use resile_record::{
    Checkpoint, CheckpointError, FileExtents, Fingerprint, MemoryRecord, Progress, RunFolder,
    Settled, StateRecord, read_checkpoint,
};
use resile_scene::description::Scene;
use resile_system::State;
use resile_world::World;

/// Largest plausible count, which a run would take years to reach.
const MAX_COUNT: u64 = 1 << 53;
/// Maximum number of reported errors of a checkpoint.
const MAX_REPORTED: usize = 3;

/// The scene that a checkpoint must fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct RestoredScene<'a> {
    pub(super) scene: &'a Scene,
    pub(super) clock: &'a Clock,
    /// Whether the scene settles before its first step.
    pub(super) settles: bool,
}

/// Sets the world to the states of a checkpoint, and returns the counters and the extents of files. A checkpoint
/// before the end of settling restores nothing.
///
/// # Errors
/// If the checkpoint cannot be read or is inconsistent.
pub(super) fn restore(
    restored: RestoredScene<'_>,
    world: &mut World,
    identity: &Identity,
    folder: &RunFolder,
    fingerprint: Fingerprint,
) -> Result<(Totals, FileExtents), RunError> {
    let checkpoint = read_checkpoint(&folder.checkpoint(), fingerprint)?;
    let RestoredScene { clock, settles, .. } = restored;
    let is_unsettled = settles && checkpoint.progress.settled.is_none();
    if is_unsettled && checkpoint.progress.steps == 0 {
        // Settling is repeated from its start, so that the result is the same.
        return Ok((Totals::at_start(world), FileExtents::default()));
    }
    let mut errors = Vec::new();
    let time = checkpoint_time(clock, &checkpoint.progress, &mut Vec::new());
    let start_and_end = [clock.after(0), time];
    check_extents(&checkpoint.file_extents, &checkpoint.progress, start_and_end, &mut errors);
    let extents = checkpoint.file_extents.clone();
    let totals = restore_world(restored, world, identity, checkpoint, &mut errors);
    refuse_damaged(folder, errors)?;
    Ok((totals, extents))
}

/// Sets the world to the states of a checkpoint, if it is consistent; otherwise appends descriptions of the errors to
/// `errors`. Returns the counters of the checkpoint in both cases.
pub(super) fn restore_world(
    RestoredScene { scene, clock, settles }: RestoredScene<'_>,
    world: &mut World,
    identity: &Identity,
    checkpoint: Checkpoint,
    errors: &mut Vec<String>,
) -> Totals {
    let Checkpoint { described, bodies, states, progress, .. } = checkpoint;
    if (described, &bodies) != (identity.described, &identity.bodies) {
        errors.push("its bodies are not those of the scene".to_owned());
    }
    let time = checkpoint_time(clock, &progress, errors);
    check_states(scene, world, &states, time, errors);
    check_progress(settles, world, &progress, errors);
    if errors.is_empty() {
        for (b, record) in states.iter().enumerate() {
            world.set_state(b, State::from(record));
        }
        check_world(world, errors);
    }
    Totals::from_progress(progress)
}

/// Refuses the checkpoint in `folder` if there are errors, of which the first [`MAX_REPORTED`] are reported.
pub(super) fn refuse_damaged(
    folder: &RunFolder,
    mut errors: Vec<String>,
) -> Result<(), CheckpointError> {
    if errors.is_empty() {
        return Ok(());
    }
    if errors.len() > MAX_REPORTED {
        let more = errors.split_off(MAX_REPORTED).len();
        errors.push(format!("and {more} more"));
    }
    Err(CheckpointError::Contents { path: folder.checkpoint(), errors })
}

/// The time (s) of the checkpoint; appends an error and returns zero if its number of steps is implausible.
fn checkpoint_time(clock: &Clock, progress: &Progress, errors: &mut Vec<String>) -> f64 {
    if progress.steps > MAX_COUNT / (1 << 32) {
        errors.push(format!("it counts {} steps", progress.steps));
        return 0.0;
    }
    clock.after(progress.steps)
}

/// Checks the recorded states of all bodies at the `time` (s) of the checkpoint.
fn check_states(
    scene: &Scene,
    world: &World,
    states: &[StateRecord],
    time: f64,
    errors: &mut Vec<String>,
) {
    if states.len() != world.body_count() {
        let (count, expected) = (states.len(), world.body_count());
        errors.push(format!("it holds {count} bodies, the scene {expected}"));
        return;
    }
    for (b, record) in states.iter().enumerate() {
        let node_count = world.state(b).positions.len();
        let internal_check = match world.admits_internal(b, &record.internal) {
            true => Ok(()),
            false => Err("its plastic strains are invalid".to_owned()),
        };
        if let Err(reason) = check_state(scene, world, record, node_count, time).and(internal_check)
        {
            errors.push(format!("body {}: {reason}", world.name(b)));
        }
    }
}

/// Checks that the recorded state of a body fits the scene and the time of the checkpoint.
fn check_state(
    scene: &Scene,
    world: &World,
    record: &StateRecord,
    node_count: usize,
    time: f64,
) -> Result<(), String> {
    let step = scene.time.step.seconds();
    if record.time != time {
        return Err(format!("its time is {} s, not {time} s", record.time));
    }
    let vectors = [("position", &record.positions), ("velocity", &record.velocities)];
    for (quantity, numbers) in vectors {
        if numbers.len() != 3 * node_count {
            return Err(format!("{} numbers of {quantity} for {node_count} nodes", numbers.len()));
        }
        if let Some(index) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(format!("the {quantity} of node {} is not finite", index / 3));
        }
    }
    if let Some(next_step) = record.suggested_step {
        // The suggested step at most doubles, and no step exceeds that of the scene.
        if !(next_step > 0.0 && next_step <= 2.0 * step) {
            return Err(format!("its suggested step of {next_step} s is invalid"));
        }
    }
    let check_vectors = |(key, memory): &(String, MemoryRecord)| match memory
        .fields
        .iter()
        .any(|field| field.values.len() % 3 != 0)
    {
        true => Err(format!("an incomplete vector in `{key}`")),
        false => Ok(()),
    };
    record.memory.iter().try_for_each(check_vectors)?;
    let state = State::from(record);
    if state.memory.records().count() != record.memory.len() {
        return Err("a field of the memory of the integrator occurs twice".to_owned());
    }
    let memory_check = check_memory(world.integrator(), &state.memory, node_count, step);
    memory_check.map_err(|error| error.to_string())
}

/// Checks the counters of the checkpoint, as far as that is possible without the history.
fn check_progress(settles: bool, world: &World, progress: &Progress, errors: &mut Vec<String>) {
    let Progress { counts, phase_seconds, settled, .. } = progress;
    let mut require = |is_valid: bool, property: &str| {
        if !is_valid {
            errors.push(format!("{property} is invalid"));
        }
    };
    let bodies = world.body_count() as u64;
    require(counts.island_iterations <= MAX_COUNT, "its number of Newton iterations of islands");
    require(counts.part_iterations <= MAX_COUNT, "its number of Newton iterations of some bodies");
    let iterations = counts.island_iterations.saturating_add(counts.part_iterations);
    require(counts.projected_iterations <= iterations, "its number of projected iterations");
    require(counts.direct_solves <= MAX_COUNT, "its number of factorisations");
    require(
        counts.unconverged_solves <= counts.island_iterations,
        "its number of solves that missed the tolerance",
    );
    require(counts.most_islands <= bodies, "its number of islands");
    require(counts.largest_island <= bodies, "the size of its largest island");
    require(is_finite_and_nonnegative(progress.wall_seconds), "its wall time");
    let phases = [phase_seconds.solving(), phase_seconds.output];
    require(phases.into_iter().all(is_finite_and_nonnegative), "its wall time by phase");
    let solver_phases =
        [phase_seconds.assembly, phase_seconds.linear_solve, phase_seconds.collision];
    require(solver_phases.into_iter().all(is_finite_and_nonnegative), "its wall time by phase");
    require(progress.start_energy.is_finite(), "its energy at the start");
    let is_box = |[min, max]: [[f64; 3]; 2]| {
        (0..3).all(|k| min[k].is_finite() && max[k].is_finite() && min[k] <= max[k])
    };
    require(progress.frame_box.is_none_or(is_box), "the box around its frames");
    require(settled.is_some() == settles, "its record of whether the start has settled");
    require(settled.as_ref().is_none_or(is_valid_settling), "its record of settling");
}

/// Whether a number is finite and not negative, as durations and residuals are.
fn is_finite_and_nonnegative(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

/// Whether a run can have this record of settling.
fn is_valid_settling(settled: &Settled) -> bool {
    let numbers = [settled.residual_speed, settled.residual_change, settled.moved];
    let is_valid_distance = |distance: f64| distance.is_finite() && distance > 0.0;
    numbers.into_iter().all(is_finite_and_nonnegative)
        && settled.smallest_distance.is_none_or(is_valid_distance)
        && settled.steps <= MAX_COUNT
        && settled.newton_iterations <= MAX_COUNT
}

/// Checks the names of files in the extents, and that the times (s) of frames ascend from that of the `start` of the
/// run to the `end` of the checkpoint.
fn check_extents(
    extents: &FileExtents,
    progress: &Progress,
    [start, end]: [f64; 2],
    errors: &mut Vec<String>,
) {
    let tables = [
        "history.csv",
        "bodies.csv",
        "poses.csv",
        "contacts.csv",
        "momentum.csv",
        "probes.csv",
        "profile.csv",
    ];
    if let Some(name) = extents.tables.keys().find(|name| !tables.contains(&name.as_str())) {
        errors.push(format!("it lists an unknown table {name:?}"));
    }
    if progress.steps > 0 && !extents.tables.contains_key(tables[0]) {
        errors.push("it does not list history.csv".to_owned());
    }
    for (ending, frames) in &extents.frames {
        let are_ascending = frames.windows(2).all(|pair| pair[0].time < pair[1].time);
        let are_within = frames.iter().all(|frame| (start..=end).contains(&frame.time));
        let is_extension = !ending.is_empty() && ending.bytes().all(|b| b.is_ascii_alphanumeric());
        if !(is_extension && are_ascending && are_within) {
            errors.push(format!("the list of its {ending:?} frames is invalid"));
        }
    }
}

/// Checks that surfaces do not intersect, elements are not inverted, and energy and momentum are finite.
fn check_world(world: &mut World, errors: &mut Vec<String>) {
    if let Some(crossing) = world.intersections(1).first() {
        let name = |collider: usize| match collider < world.body_count() {
            true => world.name(collider).to_owned(),
            false => "an obstacle".to_owned(),
        };
        let [a, b] = crossing.colliders.map(name);
        errors.push(format!("{a} and {b} intersect"));
        return;
    }
    let observed = world.observe();
    if !observed.total().is_finite() || observed.certificate.inverted {
        errors.push("an element of its bodies is inverted, or its energy is not finite".to_owned());
    }
    if !world.momenta().is_finite() || !world.common_center_of_mass().is_finite() {
        errors.push("its momentum is not finite".to_owned());
    }
}
