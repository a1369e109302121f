//! Obstacles whose vertices a file moves: point caches, and a mesh file for each frame.
//!
//! Triangles come from one mesh file and positions from the frames. Vertices correspond by their indices in the files,
//! so nothing is welded, repaired or reordered. Animated surfaces often intersect themselves, for example between
//! fingers. This is not an error, because all nodes are prescribed and contact within an obstacle is not evaluated.

use super::frame_files::Topology;
use super::shape::Meshes;
use super::{error, frame_files};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_mesh::read::{CacheTime, PointCache};
use resile_scene::description::{
    AfterFrames, Animation, BetweenFrames, Placement, Problem, Scene, Units,
};
use resile_system::{AfterLast, SampleInterpolation, Samples, SamplesError};
use std::path::PathBuf;
use std::sync::Arc;

/// Tolerance (s) by which a run may exceed its frames.
const TIME_TOLERANCE: f64 = 1e-9;

/// An obstacle moved by frames.
#[derive(Debug)]
pub(super) struct Animated {
    /// Its surface in the first frame.
    pub(super) mesh: TriMesh,
    /// Its segments, if it has no triangles.
    pub(super) segments: Option<Vec<[u32; 2]>>,
    /// The motion of its vertices.
    pub(super) samples: Arc<Samples>,
}

/// Frames of files, restricted to the vertices that triangles use.
struct VertexFrames {
    /// Times since the first frame (s).
    times: Vec<f64>,
    /// The positions of all vertices in each frame, in the units of the scene.
    positions: Vec<Vec<Vec3>>,
}

/// Reads the frames of an obstacle and places them.
pub(super) fn place_animated(
    scene: &Scene,
    animation: &Animation<'_>,
    placement: &Placement,
    path: &str,
    meshes: &mut Meshes<'_>,
) -> Result<Animated, Problem> {
    let topology = meshes.topology(animation.file, &format!("{path}.file"))?;
    let frames = match animation.is_numbered() {
        true => read_numbered_files(animation, &topology, path, meshes)?,
        false => frames_of_cache(animation, &topology, path, meshes)?,
    };
    let times: Vec<f64> = frames.times.iter().map(|time| animation.start + time).collect();
    refuse_short(scene, animation, &times, path)?;
    let per_metre = scene.units.per_metre();
    let place_points =
        |points: Vec<Vec3>| points.into_iter().map(|p| placement.apply(p / per_metre)).collect();
    let positions: Vec<Vec<Vec3>> = frames.positions.into_iter().map(place_points).collect();
    let interpolation = match animation.interpolation {
        BetweenFrames::Linear => SampleInterpolation::Linear,
        BetweenFrames::Cubic => SampleInterpolation::Cubic,
    };
    let after = match animation.after {
        Some(AfterFrames::Repeat) => AfterLast::Repeat,
        Some(AfterFrames::Hold) | None => AfterLast::Rest,
    };
    let samples_error = |e| samples_problem(&e, scene.units, &topology, animation.frames, path);
    let samples = Samples::new(times, positions, interpolation, after).map_err(samples_error)?;
    let positions = samples.positions()[0].clone();
    let mesh = TriMesh { positions, triangles: topology.triangles };
    Ok(Animated { mesh, segments: topology.segments, samples: Arc::new(samples) })
}

/// The problem that an invalid sequence of frames causes.
fn samples_problem(
    e: &SamplesError,
    units: Units,
    topology: &Topology,
    frames: &str,
    path: &str,
) -> Problem {
    let frames_path = format!("{path}.frames");
    match e {
        SamplesError::NotClosed { point, off: distance } => {
            let vertex = topology.vertices[*point];
            let message = format!(
                "the last frame of {frames} is not the first: vertex {vertex}, counted from 0, is {:.3e} away",
                units.show(*distance, "m")
            );
            let help = "save the first frame once more at the end, or write `after: Hold`";
            error(format!("{path}.after"), message, help)
        }
        SamplesError::NotFinite { sample, point } => {
            let vertex = topology.vertices[*point];
            let message = format!(
                "{frames}: vertex {vertex} of frame {sample}, both counted from 0, is beyond all numbers once placed"
            );
            error(frames_path, message, "choose a smaller `placement.scale`")
        }
        SamplesError::NotAscending { sample, time, before } => {
            let message = format!(
                "{frames}: frame {sample}, counted from 0, is at {time} s, not after the one before it, at {before} s"
            );
            error(
                frames_path,
                message,
                "save it once more, or give a `frame_rate`, which replaces the times of the file",
            )
        }
        other => error(frames_path, format!("{frames}: {other}"), "save it once more"),
    }
}

/// Refuses a run that is longer than its frames, unless the scene defines the motion after the last frame.
fn refuse_short(
    scene: &Scene,
    animation: &Animation<'_>,
    times: &[f64],
    path: &str,
) -> Result<(), Problem> {
    let (last_time, duration) = (times.last().copied().unwrap_or_default(), scene.time.duration);
    if animation.after.is_some() || duration <= last_time + TIME_TOLERANCE {
        return Ok(());
    }
    let message = format!(
        "the {} frames of {} end at {last_time:.6} s, and the run at {duration} s",
        times.len(),
        animation.frames
    );
    let help = "add `after: Hold`, which lets it stand still from then on, or `after: Repeat`, or end the run earlier";
    Err(error(format!("{path}.after"), message, help))
}

/// Reads the positions of a point cache, with the times of its frames.
fn frames_of_cache(
    animation: &Animation<'_>,
    topology: &Topology,
    path: &str,
    meshes: &Meshes<'_>,
) -> Result<VertexFrames, Problem> {
    let frames_path = format!("{path}.frames");
    let PointCache { times, unit, samples } =
        frame_files::read_cache(&meshes.file_path(animation.frames))
            .map_err(|e| error(&frames_path, e.message, e.help))?;
    let vertex_count = samples[0].len();
    if vertex_count != topology.file_vertex_count {
        let message = format!(
            "{} has {vertex_count} vertices, and {} has {}",
            animation.frames, animation.file, topology.file_vertex_count
        );
        let help = "save both from the same object, with the same modifiers, without triangulating or joining vertices on the way; \
                    OBJ keeps the order of vertices";
        return Err(error(frames_path, message, help));
    }
    let times = match (animation.frame_rate, unit) {
        (Some(rate), CacheTime::Frames) => times.iter().map(|frame| frame / rate).collect(),
        (Some(rate), CacheTime::Seconds) => times_at_rate(samples.len(), rate),
        (None, CacheTime::Seconds) => times,
        (None, CacheTime::Frames) => return Err(missing_rate_problem(animation, path)),
    };
    let used_positions = |sample: Vec<Vec3>| {
        topology.vertices.iter().map(|&vertex| sample[vertex as usize]).collect()
    };
    Ok(VertexFrames { times, positions: samples.into_iter().map(used_positions).collect() })
}

/// Times of frames at a constant rate (1/s), from zero (s).
fn times_at_rate(frames: usize, rate: f64) -> Vec<f64> {
    (0..frames).map(|frame| frame as f64 / rate).collect()
}

/// The message for frames without times.
fn missing_rate_problem(animation: &Animation<'_>, path: &str) -> Problem {
    let message = format!("{} says nothing about how long a frame takes", animation.frames);
    error(format!("{path}.frame_rate"), message, "add `frame_rate: 24`")
}

/// Reads the positions of numbered mesh files, at the frame rate of the scene.
fn read_numbered_files(
    animation: &Animation<'_>,
    topology: &Topology,
    path: &str,
    meshes: &Meshes<'_>,
) -> Result<VertexFrames, Problem> {
    let frames_path = format!("{path}.frames");
    let rate = animation.frame_rate.ok_or_else(|| missing_rate_problem(animation, path))?;
    let files = frame_files::numbered_files(&meshes.file_path(animation.frames))
        .map_err(|e| error(&frames_path, e.message, e.help))?;
    let read_frame = |file: &PathBuf| frame_files::read_frame(file, topology, animation.file);
    let positions: Result<Vec<Vec<Vec3>>, _> = files.iter().map(read_frame).collect();
    let positions = positions.map_err(|e| error(&frames_path, e.message, e.help))?;
    Ok(VertexFrames { times: times_at_rate(files.len(), rate), positions })
}
