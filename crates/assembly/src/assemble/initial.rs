//! Start from the final state of another run.

use super::body::PlacedBody;
use super::error;
use resile_integrators::{Integrator, check_memory};
use resile_record::{CheckpointError, Fingerprint, OtherRun, RunFolder, StateRecord, read_other};
use resile_scene::description::{Initial, Problem, Scene, Units};
use resile_system::{Memory, State};
use std::collections::BTreeMap;
use std::path::Path;

/// Sets the state of bodies to that of bodies of the same name in another run, if the scene asks for it. Paths are
/// relative to `folder`; `described` is the fingerprint of the scene without this start.
pub(super) fn restored_start(
    scene: &Scene,
    (folder, described): (&Path, Fingerprint),
    placed: &mut [PlacedBody],
    problems: &mut Vec<Problem>,
) {
    let Initial::Run { folder: from, time } = &scene.initial else { return };
    let run = RunFolder::at(folder.join(from));
    let other = match read_other(&run.checkpoint()) {
        Ok(other) => other,
        Err(failure) => {
            problems.push(unreadable(&run, &failure));
            return;
        }
    };
    let Some(start) = other.states.first().map(|state| state.time) else { return };
    if let Some(problem) = wrong_time(scene, *time, start) {
        problems.push(problem);
        return;
    }
    // For an edited scene the memory of integrators is discarded.
    let unedited = other.described == described.value();
    let method = scene.integrator.method().ok().filter(|_| unedited);
    let known: BTreeMap<&str, _> = (other.bodies.iter().zip(&other.states).rev())
        .map(|(body, state)| (body.name.as_str(), (body, state)))
        .collect();
    let mut met = false;
    for body in placed.iter_mut() {
        let Some(&(description, state)) = known.get(body.body.name.as_str()) else {
            problems.extend(start_body_at(body, start, scene.units));
            continue;
        };
        met = true;
        let conflict = match description.cells == body.cells() {
            true => restore_body(body, state, method.as_deref(), scene.time.step.seconds()).err(),
            false => Some("its mesh is another one there".to_owned()),
        };
        let conflict = conflict.or_else(|| jump(body, start, scene.units));
        problems.extend(conflict.map(|reason| {
            let message = format!("\"{}\" cannot go on: {reason}", body.body.name);
            error("initial.folder", message, "give the body another name to begin as described")
        }));
    }
    if !met {
        problems.push(different_bodies_problem(&run, &other));
    }
}

fn unreadable(run: &RunFolder, failure: &CheckpointError) -> Problem {
    let help = format!(
        "a run leaves one in its folder, which is looked for from that of the scene: \
         `sim run` a scene into {} first",
        run.path().display()
    );
    error("initial.folder", failure, help)
}

fn different_bodies_problem(run: &RunFolder, other: &OtherRun) -> Problem {
    const MAX_LISTED: usize = 8;
    let names = other.bodies.iter().take(MAX_LISTED).map(|body| format!("\"{}\"", body.name));
    let names: Vec<String> = names.collect();
    let message = format!("no body of the scene is in {}", run.path().display());
    error("initial.folder", message, format!("it has {}", names.join(", ")))
}

/// The problem of a run that ended at another time, or that is complete.
fn wrong_time(scene: &Scene, requested: Option<f64>, start: f64) -> Option<Problem> {
    let half = 0.5 * scene.time.step.seconds();
    if let Some(requested) = requested.filter(|requested| (requested - start).abs() > half) {
        let message = format!("the run stopped at {start} s, not at {requested} s");
        let help = format!(
            "whole states are kept only of where a run stops: run it into a folder of its own with \
             `--set time.duration={requested}`, or leave `time` out"
        );
        return Some(error("initial.time", message, help));
    }
    (scene.time.duration <= start).then(|| {
        let message = format!("the run begins at {start} s, where the other one stopped");
        error("time.duration", message, "the duration counts from time zero: make it longer")
    })
}

impl PlacedBody {
    /// A hash of the elements of a body.
    pub(super) fn cells(&self) -> u64 {
        self.mesh().fingerprint(self.body.node_count()).value()
    }
}

/// Sets the body to its state in the other run. The memory of the `method` is restored only if the scene is
/// identical.
fn restore_body(
    body: &mut PlacedBody,
    record: &StateRecord,
    method: Option<&dyn Integrator>,
    step: f64,
) -> Result<(), String> {
    let nodes = body.body.node_count();
    let vectors = [&record.positions, &record.velocities];
    let is_valid = |numbers: &&Vec<f64>| {
        numbers.len() == 3 * nodes && numbers.iter().all(|number| number.is_finite())
    };
    if !vectors.iter().all(is_valid) {
        return Err("its positions and velocities are not whole".to_owned());
    }
    if !body.body.admits_internal(&record.internal) {
        return Err("it has flowed there, and its material does not yield here in the same places"
            .to_owned());
    }
    let mut state = State::from(record);
    match method {
        Some(method) => {
            let checked = check_memory(method, &state.memory, nodes, step);
            checked.map_err(|error| error.to_string())?;
        }
        None => (state.memory, state.suggested_step) = (Memory::default(), None),
    }
    if body.body.is_kinematic() && method.is_none() {
        begin_obstacle(body, state.time);
    } else {
        body.state = state;
    }
    Ok(())
}

/// Moves an obstacle to its prescribed position at the start.
fn begin_obstacle(body: &mut PlacedBody, time: f64) {
    let mut state = State { time, ..body.state.clone() };
    for prescribed in &body.body.prescribed {
        state.positions[prescribed.node] = prescribed.motion.position(prescribed.start, time);
    }
    body.state = state;
}

/// Starts a body that does not exist in the other run, as its description says but at a later time.
fn start_body_at(body: &mut PlacedBody, time: f64, units: Units) -> Option<Problem> {
    if body.body.is_kinematic() {
        begin_obstacle(body, time);
        return None;
    }
    body.state.time = time;
    jump(body, time, units).map(|reason| {
        let message = format!("\"{}\" cannot begin: {reason}", body.body.name);
        error("initial.folder", message, "let its motion begin no earlier than that")
    })
}

/// The message for a motion that would displace nodes at the start.
fn jump(body: &PlacedBody, time: f64, units: Units) -> Option<String> {
    let off = |p: &resile_system::Prescribed| {
        let at = body.state.positions[p.node];
        let off = p.held.part(p.motion.position(p.start, time) - at).length();
        (off > 1e-9 * (1.0 + at.abs().max_element())).then_some((p.node, off))
    };
    let (node, off) = body.body.prescribed.iter().find_map(off)?;
    let off = units.show(off, "m");
    Some(format!("at {time} s its motion is {off:.6} away from where node {node} is"))
}
