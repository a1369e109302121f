//! Survey of a run: ranges of values, poses of bodies.

use crate::ViewError;
use crate::arrows::{Arrows, arrows};
use crate::outline::Outline;
use crate::pose::{Pose, double, fitted, posed};
use crate::scalar::{Scalar, scalars};
use resile_math::Vec3;
use resile_record::{Playback, PlayedBody, PlayedFrame, Role, StillBody};
use std::io::{Result, Write};

/// Smallest quantum relative to a body's size: finer than any screen.
const MIN_QUANTUM: f64 = 1.0 / 32768.0;
/// Largest number of quanta.
const MAX_QUANTA: f64 = 32767.0;

/// Data from all frames that are needed before the first one is stored.
#[derive(Debug)]
pub(crate) struct Survey {
    /// Positions of the first frame.
    pub(crate) reference: Vec<[f32; 3]>,
    /// Pose of each body in each frame.
    pub(crate) poses: Vec<Vec<Pose>>,
    /// Quantisation step of the positions of each body (m).
    pub(crate) quanta: Vec<f64>,
    pub(crate) fields: Vec<Scalar>,
    pub(crate) arrows: Vec<Arrows>,
    /// Smallest and largest coordinates of everything but planes.
    pub(crate) bounds: [Vec3; 2],
    /// Extent of most of the run.
    pub(crate) outline: Outline,
}

impl Survey {
    /// Reads all frames; calls `progress` with the number read.
    pub(crate) fn new(
        run: &Playback,
        progress: &mut dyn FnMut(usize),
    ) -> std::result::Result<Self, ViewError> {
        let first = run.frame(0)?;
        let (fields, arrows) = (scalars(run, &first), arrows(run, &first));
        let reference = first.positions;
        let mut bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let mut outline = Outline::default();
        for part in obstacles(run) {
            widen(&mut bounds, &part.positions);
            outline.add_fixed_positions(&part.positions);
        }
        let (mut poses, mut farthest) = (Vec::new(), vec![0.0_f64; run.bodies().len()]);
        let (before, quanta) = (Vec::new(), Vec::new());
        let mut survey = Self { reference, poses: before, quanta, fields, arrows, bounds, outline };
        for number in 0..run.times().len() {
            let frame = run.frame(number)?;
            let of_frame: Vec<Pose> =
                run.bodies().iter().map(|body| survey.pose(body, &frame)).collect();
            for ((body, pose), farthest) in run.bodies().iter().zip(&of_frame).zip(&mut farthest) {
                let off = survey.differences(body, pose, &frame);
                *farthest = off.flatten().fold(*farthest, |max, x| max.max(x.abs()));
            }
            poses.push(of_frame);
            survey.add_frame(run, &frame);
            progress(number + 1);
        }
        survey.poses = poses;
        let diagonal = (survey.bounds[1] - survey.bounds[0]).length();
        let sizes = run.bodies().iter().map(|body| survey.size(body));
        let quantum = |(size, far): (f64, f64)| {
            let quantum = (MIN_QUANTUM * size).max(far / MAX_QUANTA);
            // The pose of a single point is exact; its quantum must only be nonzero.
            if quantum > 0.0 { quantum } else { (1e-7 * diagonal).max(f64::MIN_POSITIVE) }
        };
        survey.quanta = sizes.zip(farthest).map(quantum).collect();
        Ok(survey)
    }

    fn pose(&self, body: &PlayedBody, frame: &PlayedFrame) -> Pose {
        let range = body.vertices.clone();
        fitted(&self.reference[range.clone()], &frame.positions[range])
    }

    /// Differences between the positions of a body's vertices and their positions under the pose.
    pub(crate) fn differences<'a>(
        &'a self,
        body: &PlayedBody,
        pose: &'a Pose,
        frame: &'a PlayedFrame,
    ) -> impl Iterator<Item = [f64; 3]> + 'a {
        let range = body.vertices.clone();
        let pairs = self.reference[range.clone()].iter().zip(&frame.positions[range]);
        pairs.map(|(reference, position)| (double(position) - posed(pose, reference)).to_array())
    }

    /// Diagonal of a body in the first frame (m).
    fn size(&self, body: &PlayedBody) -> f64 {
        let mut bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        widen(&mut bounds, &self.reference[body.vertices.clone()]);
        if body.vertices.is_empty() { 0.0 } else { (bounds[1] - bounds[0]).length() }
    }

    fn add_frame(&mut self, run: &Playback, frame: &PlayedFrame) {
        widen(&mut self.bounds, &frame.positions);
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

fn widen(bounds: &mut [Vec3; 2], positions: &[[f32; 3]]) {
    for position in positions {
        bounds[0] = bounds[0].min(double(position));
        bounds[1] = bounds[1].max(double(position));
    }
}

/// Writes the positions of the first frame and of obstacles; then triangles, lines and points over them.
pub(crate) fn write_shape(run: &Playback, survey: &Survey, out: &mut impl Write) -> Result<()> {
    for number in survey.reference.as_flattened() {
        out.write_all(&number.to_le_bytes())?;
    }
    for number in obstacles(run).flat_map(|part| part.positions.as_flattened()) {
        out.write_all(&number.to_le_bytes())?;
    }
    let kinds: [fn(&PlayedBody) -> &[u32]; 3] = [
        |body| body.triangles.as_flattened(),
        |body| body.edges.as_flattened(),
        |body| &body.points,
    ];
    for numbers in kinds {
        for number in run.bodies().iter().flat_map(numbers) {
            out.write_all(&number.to_le_bytes())?;
        }
        let mut first = survey.reference.len() as u32;
        for part in obstacles(run) {
            for number in numbers(&part.body) {
                out.write_all(&(number + first).to_le_bytes())?;
            }
            first += part.positions.len() as u32;
        }
    }
    Ok(())
}
