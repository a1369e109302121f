//! Start from the final state of another run.

use super::body::PlacedBody;
use super::error;
use resile_integrators::{Integrator, check_memory};
use resile_math::Vec3;
use resile_record::{
    BodyRecord, CheckpointError, Fingerprint, OtherRun, RunFolder, StateRecord, read_other,
    runs_within,
};
use resile_scene::description::{Initial, Problem, Scene, Units};
use resile_system::{Memory, State};
use std::collections::BTreeMap;
use std::f64::consts::GOLDEN_RATIO;
use std::path::{Path, PathBuf};

/// Relative difference of mean rest lengths above which rest shapes are different. Other placements of one shape differ by
/// the rounding of coordinates.
const REST_LENGTH_TOLERANCE: f64 = 1e-9;

/// Sets the state of bodies to that of bodies of the same name in another run, if the scene starts from one. Paths are
/// relative to `folder`; `described` is the fingerprint of the scene as if it did not start from another run.
pub(super) fn restore_start(
    scene: &Scene,
    (folder, described): (&Path, Fingerprint),
    placed: &mut [PlacedBody],
    problems: &mut Vec<Problem>,
) {
    let Initial::Run { folder: run_folder, time } = &scene.initial else { return };
    let run = RunFolder::at(folder.join(run_folder));
    let other = match read_other(&run.checkpoint()) {
        Ok(other) => other,
        Err(failure) => {
            problems.push(unreadable_run_problem(&run, &failure));
            return;
        }
    };
    let Some(start_time) = other.states.first().map(|state| state.time) else { return };
    if let Some(problem) = wrong_time_problem(scene, *time, start_time) {
        problems.push(problem);
        return;
    }
    // The memory of the integrator is kept only if the scene is unchanged.
    let is_unedited = other.described == described.value();
    let method = scene.integrator.method().ok().filter(|_| is_unedited);
    let record_by_name: BTreeMap<&str, _> = (other.bodies.iter().zip(&other.states).rev())
        .map(|(body, state)| (body.name.as_str(), (body, state)))
        .collect();
    let mut any_restored = false;
    for body in placed.iter_mut() {
        let Some(&(description, state)) = record_by_name.get(body.body.name.as_str()) else {
            problems.extend(start_body_at(body, start_time, scene.units));
            continue;
        };
        any_restored = true;
        let conflict = mesh_conflict(body, description, scene.units).or_else(|| {
            let restored = restore_body(body, state, method.as_deref(), scene.time.step.seconds());
            let reason = restored.err().or_else(|| jump_message(body, start_time, scene.units))?;
            Some((reason, "give the body another name to begin as described"))
        });
        problems.extend(conflict.map(|(reason, help)| {
            let message = format!("\"{}\" cannot go on: {reason}", body.body.name);
            error("initial.folder", message, help)
        }));
    }
    if !any_restored {
        problems.push(different_bodies_problem(&run, &other));
    }
}

/// The folder of the run from whose end the scene starts, if any. Paths are relative to `folder`.
pub(super) fn run_folder(scene: &Scene, folder: &Path) -> Option<PathBuf> {
    match &scene.initial {
        Initial::Described => None,
        Initial::Run { folder: run_folder, .. } => Some(folder.join(run_folder)),
    }
}

/// The message for a run whose checkpoint cannot be read.
fn unreadable_run_problem(run: &RunFolder, failure: &CheckpointError) -> Problem {
    let folder = run.path().display();
    let runs = runs_within(run.path());
    let help = match (failure, runs.first()) {
        (CheckpointError::Io { .. }, Some(first)) => {
            format!(
                "{folder} holds {} runs: name one of them, such as {}",
                runs.len(),
                first.display()
            )
        }
        (CheckpointError::Io { .. }, None) => format!(
            "a run leaves one in its folder, which is looked for from that of the scene: `sim run` a scene into {folder} first"
        ),
        _ => format!(
            "put back a copy of it, or repeat that run: `sim rerun {folder} -o NEW`, and name the new folder here"
        ),
    };
    error("initial.folder", failure, help)
}

/// The message for a run that has no body of the scene.
fn different_bodies_problem(run: &RunFolder, other: &OtherRun) -> Problem {
    const MAX_LISTED: usize = 8;
    let names = other.bodies.iter().take(MAX_LISTED).map(|body| format!("\"{}\"", body.name));
    let names: Vec<String> = names.collect();
    let message = format!("no body of the scene is in {}", run.path().display());
    error("initial.folder", message, format!("it has {}", names.join(", ")))
}

/// The message for a run that ended at another time than requested, or after the end of this run; `None` if the time
/// fits.
fn wrong_time_problem(scene: &Scene, requested: Option<f64>, start_time: f64) -> Option<Problem> {
    let half_step = 0.5 * scene.time.step.seconds();
    if let Some(requested) =
        requested.filter(|requested| (requested - start_time).abs() > half_step)
    {
        let message = format!("the run stopped at {start_time} s, not at {requested} s");
        let help = format!(
            "whole states are kept only of where a run stops: run it into a folder of its own with \
             `--set time.duration={requested}`, or leave `time` out"
        );
        return Some(error("initial.time", message, help));
    }
    (scene.time.duration <= start_time).then(|| {
        let message = format!("the run begins at {start_time} s, where the other one stopped");
        error("time.duration", message, "the duration counts from time zero: make it longer")
    })
}

/// The reason why the mesh of a body is not the one that it has in the other run, and the remedy; `None` if it is. The
/// rest shape of an obstacle may change, because it starts at its prescribed position.
fn mesh_conflict(
    body: &PlacedBody,
    record: &BodyRecord,
    units: Units,
) -> Option<(String, &'static str)> {
    let mesh = body.mesh();
    if record.cells != mesh.fingerprint(body.body.node_count()).value() {
        let help = "give the body another name to begin as described";
        return Some(("its mesh is another one there".to_owned(), help));
    }
    let [there, here] = [record.rest_lengths, mesh.rest_lengths];
    let is_equal = |k: usize| (there[k] - here[k]).abs() <= REST_LENGTH_TOLERANCE * here[k];
    if body.body.is_kinematic() || [0, 1].into_iter().all(is_equal) {
        return None;
    }
    let lengths = match is_equal(0) {
        true => "edges with other lengths".to_owned(),
        false => {
            let [there, here] = [there[0], here[0]].map(|length| units.show(length, "m"));
            format!("a mean length of edges of {there:.3e}, not {here:.3e}")
        }
    };
    let help = "restore the `shape` and the `scale` that it has there, or give the body another name to begin as \
                described";
    Some((format!("its rest shape is another one there, with {lengths}"), help))
}

impl PlacedBody {
    /// Root mean square of the lengths of all edges of tetrahedra, triangles and lines at rest (m), and that with weights
    /// between zero and one that differ from edge to edge, so that exchanged edges are noticed. O(elements).
    pub(super) fn rest_lengths(&self) -> [f64; 2] {
        let points = self.surface.points(&self.rest);
        let squared = |x: &[Vec3], [a, b]: [u32; 2]| x[a as usize].distance_squared(x[b as usize]);
        let tet_edges = self
            .tets
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]]);
        let surface_edges =
            self.surface.triangles().iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let of_nodes = tet_edges.chain(self.lines.iter().copied());
        let all = of_nodes
            .map(|edge| squared(&self.rest, edge))
            .chain(surface_edges.map(|edge| squared(&points, edge)));
        let mut sums = [0.0; 2];
        let mut weights = [0.0; 2];
        for (edge, length2) in all.enumerate() {
            // Multiples of the golden ratio modulo one are spread evenly over the unit interval (Weyl's sequence).
            let edge_weights = [1.0, (GOLDEN_RATIO * (edge + 1) as f64).fract()];
            for (k, weight) in edge_weights.into_iter().enumerate() {
                sums[k] += weight * length2;
                weights[k] += weight;
            }
        }
        [0, 1].map(|k| if weights[k] > 0.0 { (sums[k] / weights[k]).sqrt() } else { 0.0 })
    }
}

/// Sets the body to its state in the other run, with the memory of `method`, which is `None` if the scene was changed.
///
/// # Errors
/// The reason why the state does not fit the body.
fn restore_body(
    body: &mut PlacedBody,
    record: &StateRecord,
    method: Option<&dyn Integrator>,
    step: f64,
) -> Result<(), String> {
    let node_count = body.body.node_count();
    let records = [&record.positions, &record.velocities];
    let is_valid = |record: &&Vec<f64>| {
        record.len() == 3 * node_count && record.iter().all(|value| value.is_finite())
    };
    if !records.iter().all(is_valid) {
        return Err("its positions and velocities are not whole".to_owned());
    }
    if !body.body.admits_internal(&record.internal) {
        let reason = "it has flowed there, by plasticity or viscosity, and its material does not flow here in the same \
                      places";
        return Err(reason.to_owned());
    }
    let mut state = State::from(record);
    match method {
        Some(method) => {
            let checked = check_memory(method, &state.memory, node_count, step);
            checked.map_err(|error| error.to_string())?;
        }
        None => (state.memory, state.suggested_step) = (Memory::default(), None),
    }
    if body.body.is_kinematic() && method.is_none() {
        start_obstacle_at(body, state.time);
    } else {
        body.state = state;
        body.is_continued = !body.body.is_kinematic();
    }
    Ok(())
}

/// Moves an obstacle to its prescribed position at the start time.
fn start_obstacle_at(body: &mut PlacedBody, time: f64) {
    let mut state = State { time, ..body.state.clone() };
    for prescribed in &body.body.prescribed {
        state.positions[prescribed.node] = prescribed.motion.position(prescribed.start, time);
    }
    body.state = state;
}

/// Starts a body that does not exist in the other run in its described state, at the start time.
fn start_body_at(body: &mut PlacedBody, time: f64, units: Units) -> Option<Problem> {
    if body.body.is_kinematic() {
        start_obstacle_at(body, time);
        return None;
    }
    body.state.time = time;
    jump_message(body, time, units).map(|reason| {
        let message = format!("\"{}\" cannot begin: {reason}", body.body.name);
        error("initial.folder", message, "let its motion begin no earlier than that")
    })
}

/// The reason why a body cannot start at a time: the position of its prescribed motion differs from that of a node.
fn jump_message(body: &PlacedBody, time: f64, units: Units) -> Option<String> {
    let deviation = |p: &resile_system::Prescribed| {
        let current = body.state.positions[p.node];
        let distance = p.held.part(p.motion.position(p.start, time) - current).length();
        (distance > 1e-9 * (1.0 + current.abs().max_element())).then_some((p.node, distance))
    };
    let (node, distance) = body.body.prescribed.iter().find_map(deviation)?;
    let distance = units.show(distance, "m");
    Some(format!("at {time} s its motion is {distance:.6} away from where node {node} is"))
}
