//! Survey of a run before its frames are written: poses of bodies, ranges of values, and extents.

use crate::ViewError;
use crate::arrows::{Arrows, arrows};
use crate::inside::{Inside, SplitFrame};
use crate::outline::Outline;
use crate::pose::{Pose, fitted_pose, posed_point, to_vec3};
use crate::scalar::{Scalar, scalars};
use resile_math::Vec3;
use resile_record::{Playback, PlayedBody, PlayedFrame, Role, StillBody};
use std::io::{Result, Write};

/// Smallest quantisation step of positions, relative to the extent of the body: finer than the pixels of any screen.
const MIN_RELATIVE_QUANTUM: f64 = 1.0 / 32768.0;
/// Largest number of quantisation steps of a difference, which is stored as a 16-bit integer.
const MAX_STEPS: f64 = 32767.0;

/// Data from all frames that are needed before the first one is stored.
#[derive(Debug)]
pub(crate) struct Survey {
    /// Positions of all vertices in the first frame (m).
    pub(crate) reference: Vec<[f32; 3]>,
    /// What cut faces show.
    pub(crate) inside: Inside,
    /// For each frame, the pose of each body.
    pub(crate) poses: Vec<Vec<Pose>>,
    /// Quantisation step of the positions of each body (m).
    pub(crate) quanta: Vec<f64>,
    /// Fields that colours can show.
    pub(crate) fields: Vec<Scalar>,
    /// Fields that arrows can show.
    pub(crate) arrows: Vec<Arrows>,
    /// Smallest and largest coordinates (m) of everything but planes, over all frames.
    pub(crate) bounds: [Vec3; 2],
    /// Extent of most of the run.
    pub(crate) outline: Outline,
}

impl Survey {
    /// Reads all frames; calls `progress` with the number of frames read so far, whose error ends the survey.
    pub(crate) fn new(
        run: &Playback,
        progress: &mut dyn FnMut(usize) -> std::result::Result<(), ViewError>,
    ) -> std::result::Result<Self, ViewError> {
        let first = run.frame(0)?;
        let (fields, arrows) = (scalars(run, &first), arrows(run, &first));
        let reference = first.positions;
        let mut bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let mut outline = Outline::default();
        for part in obstacles(run) {
            extend_bounds(&mut bounds, &part.positions);
            outline.add_fixed_positions(&part.positions);
        }
        let obstacle_vertices: usize = obstacles(run).map(|part| part.positions.len()).sum();
        let inside = match fields.is_empty() {
            true => Inside::default(),
            false => Inside::new(run, reference.len() + obstacle_vertices)?,
        };
        let (poses, quanta) = (Vec::new(), Vec::new());
        let mut survey = Self { reference, inside, poses, quanta, fields, arrows, bounds, outline };
        let mut max_differences = vec![0.0_f64; run.bodies().len()];
        for frame_index in 0..run.times().len() {
            let SplitFrame { drawn: frame, inside } = survey.inside.read(run, frame_index)?;
            let poses: Vec<Pose> =
                run.bodies().iter().map(|body| survey.pose(body, &frame)).collect();
            let bodies = run.bodies().iter().zip(&poses);
            for ((body, pose), max_difference) in bodies.zip(&mut max_differences) {
                let differences = survey.differences(body, pose, &frame).flatten();
                *max_difference = differences.fold(*max_difference, |max, x| max.max(x.abs()));
            }
            for (body, difference) in survey.inside.differences(&poses, &inside) {
                let max_difference = &mut max_differences[body];
                *max_difference =
                    difference.iter().fold(*max_difference, |max, x| max.max(x.abs()));
            }
            survey.poses.push(poses);
            survey.add_frame(run, &frame);
            progress(frame_index + 1)?;
        }
        let [min, max] = survey.bounds;
        let diagonal = (max - min).length();
        let extents = run.bodies().iter().map(|body| survey.extent(body));
        let quantum = |(extent, max_difference): (f64, f64)| {
            let quantum = (MIN_RELATIVE_QUANTUM * extent).max(max_difference / MAX_STEPS);
            // The pose of a single point is exact; its quantum must only be nonzero.
            if quantum > 0.0 { quantum } else { (1e-7 * diagonal).max(f64::MIN_POSITIVE) }
        };
        survey.quanta = extents.zip(max_differences).map(quantum).collect();
        Ok(survey)
    }

    /// Pose of a body in a frame.
    fn pose(&self, body: &PlayedBody, frame: &PlayedFrame) -> Pose {
        let range = body.vertices.clone();
        fitted_pose(&self.reference[range.clone()], &frame.positions[range])
    }

    /// Differences (m) between the positions of the vertices of a body in a frame and their positions under its pose.
    pub(crate) fn differences<'a>(
        &'a self,
        body: &PlayedBody,
        pose: &'a Pose,
        frame: &'a PlayedFrame,
    ) -> impl Iterator<Item = [f64; 3]> + 'a {
        let range = body.vertices.clone();
        let vertices = self.reference[range.clone()].iter().zip(&frame.positions[range]);
        vertices.map(|(reference, position)| {
            (to_vec3(position) - posed_point(pose, reference)).to_array()
        })
    }

    /// Diagonal (m) of the bounding box of a body in the first frame; zero if it has no vertices.
    fn extent(&self, body: &PlayedBody) -> f64 {
        let mut bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        extend_bounds(&mut bounds, &self.reference[body.vertices.clone()]);
        let [min, max] = bounds;
        if body.vertices.is_empty() { 0.0 } else { (max - min).length() }
    }

    /// Extends bounds, outline and ranges of values to a frame.
    fn add_frame(&mut self, run: &Playback, frame: &PlayedFrame) {
        extend_bounds(&mut self.bounds, &frame.positions);
        let bodies = run.bodies().iter().map(|body| &frame.positions[body.vertices.clone()]);
        self.outline.add_frame(bodies);
        for scalar in &mut self.fields {
            scalar.add_frame(frame);
        }
        for arrows in &mut self.arrows {
            arrows.add_frame(frame);
        }
    }
}

/// Fixed obstacles except infinite planes.
pub(crate) fn obstacles(run: &Playback) -> impl Iterator<Item = &StillBody> {
    run.still().iter().filter(|part| part.body.role != Role::Plane)
}

/// Extends the smallest and largest coordinates to these positions.
fn extend_bounds([min, max]: &mut [Vec3; 2], positions: &[[f32; 3]]) {
    for position in positions {
        *min = min.min(to_vec3(position));
        *max = max.max(to_vec3(position));
    }
}

/// Writes the vertex positions of the first frame and of obstacles (m), then the vertex indices of all triangles, of
/// all edges and of all points. The vertices of obstacles are counted after those of frames.
pub(crate) fn write_shape(run: &Playback, survey: &Survey, out: &mut impl Write) -> Result<()> {
    for coordinate in survey.reference.as_flattened() {
        out.write_all(&coordinate.to_le_bytes())?;
    }
    for coordinate in obstacles(run).flat_map(|part| part.positions.as_flattened()) {
        out.write_all(&coordinate.to_le_bytes())?;
    }
    let cell_kinds: [fn(&PlayedBody) -> &[u32]; 3] = [
        |body| body.triangles.as_flattened(),
        |body| body.edges.as_flattened(),
        |body| &body.points,
    ];
    for cell_vertices in cell_kinds {
        for vertex in run.bodies().iter().flat_map(cell_vertices) {
            out.write_all(&vertex.to_le_bytes())?;
        }
        let mut first_vertex = survey.reference.len() as u32;
        for part in obstacles(run) {
            for vertex in cell_vertices(&part.body) {
                out.write_all(&(vertex + first_vertex).to_le_bytes())?;
            }
            first_vertex += part.positions.len() as u32;
        }
    }
    Ok(())
}
