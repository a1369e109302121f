#![doc = include_str!("../README.md")]
//! # Design
//!
//! The contact term guarantees that surfaces never intersect. This crate verifies it from the frames on
//! disk and [`Rules`] alone. It shares no code with the simulation: it has its own reader (`grid`),
//! surfaces (`surface`), poses (`motion`) and broad phase (`boxes`), and uses exact orientation
//! predicates (`triangles`) instead of distances. Intersection is decided without a tolerance; a derived
//! bound decides whether rounding to single precision can explain it (`depth`).
//!
//! # What it tests
//! In every frame:
//! * all pairs of triangles, of different bodies, of bodies and obstacles, and of one body.
//!   Pairs that share a vertex may meet in it alone; pairs that share an edge may not be folded
//!   onto each other;
//! * all vertices of surfaces against planes;
//! * containment of components in closed components. If two surfaces do not intersect, one vertex
//!   decides for the whole component; a component that was outside at the start cannot be inside later,
//!   nor the reverse, without having crossed. This finds a body that jumped into another between two
//!   frames;
//! * all pairs of rod segments, and of rod segments and triangles (`rods`): the distance of their axes
//!   must be at least their thickness, computed in double precision;
//! * linking of components with holes (`links`). Two rings that came apart have crossed.
//!
//! Between two frames it moves kinematic bodies along their prescribed motion (`kinematic`) and tests
//! them against the known positions of all others (`paths`, `between`).
//!
//! Pairs in [`Contact::off`] are skipped.
//!
//! # What it cannot detect
//! * **Crossings of free bodies that are over before the next frame.** A body that changed from one side
//!   of another to the other side may have gone around it. Straight paths between two frames would
//!   give false alarms for fast bodies that change direction, because the true path is unknown. For the
//!   same reason a sheet that is now on the other side of a ball is not reported: sheets have no
//!   inside. Frames at every step minimise this gap.
//! * **Crossings shallower than single precision**, some 1e-7 of the distance from the origin.
//!   They are counted as touching.
//! * **The interior of bodies**: inverted elements behind a valid surface.
//! * **Rods between frames**, and changes of their linking.
//! * **Particles and the springs between them**, which have no surface and collide with nothing; cloth of
//!   springs has a surface and is tested.
//!
//! Every reported crossing is real: rounding cannot make disjoint surfaces intersect deeper than the check
//! allows. Passages assume that bodies are larger than a few units in the last place.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod between;
mod boxes;
mod depth;
mod distance;
mod error;
mod frame;
mod grid;
mod index;
mod inside;
mod kinematic;
mod links;
mod motion;
mod obstacles;
mod paths;
mod ply;
mod report;
mod rods;
mod rules;
mod summary;
mod surface;
mod triangles;

pub use error::{FrameError, VerifyError};
pub use report::{
    Change, Crossing, Part, Passage, Reason, Report, Sweep, Unchecked, Unreadable, Verdict,
};

pub use motion::{Interpolation, Key, Motion};
pub use rules::{Body, Contact, Obstacle, ObstacleShape, Rules};

use between::Between;
use frame::{Findings, Plane, Setting};
use glam::DVec3 as Vec3;
use grid::{Cells, Grid};
use index::Index;
use paths::{Script, TimedFrame};
use rayon::prelude::*;
use resile_files::Folder;
use rules::Colliders;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;
use summary::Summary;
use surface::{Collected, Surfaces};

/// Frames per thread between two progress reports.
const FRAMES_PER_THREAD: usize = 2;

/// A verifier of the frames of a run.
#[derive(Debug)]
pub struct Verifier {
    folder: Folder,
    index: Index,
    setting: Setting,
    script: Script,
    /// Cells that every frame must have.
    cells: Cells,
    /// Number of points that every frame must have.
    points: usize,
}

impl Verifier {
    /// Opens the run in the folder `run`, to be checked against `rules`.
    ///
    /// # Errors
    /// If there is nothing to check: contact is off, there are no readable frames, or they do not belong to
    /// these bodies and obstacles.
    pub fn open(rules: &Rules, run: &Path) -> Result<Self, VerifyError> {
        let contact = rules.contact.as_ref().ok_or(VerifyError::NoContact)?;
        let script = Script::new(rules, contact.d_hat);
        let folder = open_frames(run)?;
        let index = index::read(&folder)?;
        let Grid { points, cells, .. } = first_readable(&folder, &index)?;
        let body_count = check_bodies(rules, &cells)?;
        let mut collected = Collected::default();
        collected.add(&cells, 0, body_count + rules.obstacles.len());
        let mut obstacle_points = Vec::new();
        let obstacles_file = index.obstacles_file();
        if let Some(obstacles) =
            obstacles::read(rules, body_count as u32, (&folder, obstacles_file))?
        {
            let first_point = points.len() as u32;
            collected.add(&obstacles.cells, first_point, usize::MAX);
            obstacle_points = obstacles.points;
        }
        let surfaces = collected.surfaces(points.len() + obstacle_points.len());
        let halves: Vec<f64> = rules.bodies.iter().map(|body| body.rod.unwrap_or(0.0)).collect();
        let pieces = rods::pieces(&cells, &points, &halves);
        let mut corners = corners(&surfaces, body_count);
        corners.extend(pieces.iter().flat_map(|p| p.points.map(|point| (point, p.collider))));
        corners.sort_unstable();
        corners.dedup();
        let setting = Setting {
            colliders: Colliders::new(rules, contact),
            surfaces,
            pieces,
            halves,
            d_hat: contact.d_hat,
            planes: planes(rules, body_count),
            obstacle_points,
            corners,
        };
        Ok(Self { folder, index, setting, script, cells, points: points.len() })
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.index.frames.len() as u64
    }

    /// Times of all frames (s).
    pub fn times(&self) -> Vec<f64> {
        self.index.frames.iter().map(|frame| frame.time).collect()
    }

    /// Tests all frames on all threads of the current pool; calls `progress` now and then with the
    /// number of tested frames. The report does not depend on the number of threads.
    ///
    /// Each thread holds one frame. Testing one takes O(n log n) for n triangles.
    pub fn run(&self, progress: &mut dyn FnMut(u64)) -> Report {
        let (summary, _) = self.test_frames(&mut |tested| {
            progress(tested);
            ControlFlow::Continue(())
        });
        summary.report()
    }

    /// As [`run`](Self::run), until `progress` cancels the test; `None` then.
    pub fn run_until_cancelled(
        &self,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Option<Report> {
        let (summary, outcome) = self.test_frames(progress);
        outcome.is_continue().then(|| summary.report())
    }

    /// Tests frames until all are tested or `progress` cancels the test, and returns the findings so far.
    fn test_frames(
        &self,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> (Summary<'_>, ControlFlow<()>) {
        let mut summary = Summary::new(self);
        let mut checked = 0;
        let batch_len = FRAMES_PER_THREAD * rayon::current_num_threads();
        for frames in self.index.frames.chunks(batch_len) {
            let indices = checked as usize..checked as usize + frames.len();
            let tested: Vec<_> = indices.into_par_iter().map(|frame| self.check(frame)).collect();
            for (frame, tested) in frames.iter().zip(tested) {
                summary.add(checked, frame, tested);
                checked += 1;
            }
            if progress(checked).is_break() {
                return (summary, ControlFlow::Break(()));
            }
        }
        (summary, ControlFlow::Continue(()))
    }

    /// Tests a frame, and the time since the previous frame if that is readable.
    fn check(&self, frame_index: usize) -> Result<Tested, FrameError> {
        let moment = self.moment(frame_index)?;
        let findings = frame::check(&self.setting, &moment.grid.points);
        let previous = match frame_index {
            0 => None,
            _ if self.script.kinematic.is_empty() => None,
            _ => self.moment(frame_index - 1).ok(),
        };
        let between = previous
            .map(|previous| between::check(&self.setting, &self.script, [&previous, &moment]));
        let mut between = between.unwrap_or_default();
        if frame_index > 0 {
            let count = between.unchecked.len();
            between.unchecked.extend(self.script.deforming().map(|k| (k, Reason::Deforming)));
            between.moved |= between.unchecked.len() > count;
        }
        Ok(Tested { findings, between })
    }

    /// A frame with the points of obstacles appended.
    fn moment(&self, frame_index: usize) -> Result<TimedFrame, FrameError> {
        let frame = &self.index.frames[frame_index];
        let mut grid = grid::read(&self.folder, &frame.file)?;
        if grid.cells != self.cells || grid.points.len() != self.points {
            return Err(FrameError::OtherCells);
        }
        grid.points.extend_from_slice(&self.setting.obstacle_points);
        Ok(TimedFrame { time: frame.time, grid })
    }
}

/// Findings of a frame and of the time before it.
struct Tested {
    findings: Findings,
    between: Between,
}

/// The first frame that can be read; otherwise the error of the first one.
fn first_readable(folder: &Folder, index: &Index) -> Result<Grid, VerifyError> {
    let mut first_error = None;
    for frame in &index.frames {
        match grid::read(folder, &frame.file) {
            Ok(grid) => return Ok(grid),
            Err(error) => {
                let path = folder.path().join(&frame.file);
                first_error = first_error.or(Some(VerifyError::File { path, error }));
            }
        }
    }
    Err(first_error.unwrap_or_else(|| VerifyError::NoFrames { folder: folder.path().to_owned() }))
}

/// Points on the surfaces of bodies, with the indices of their bodies.
fn corners(surfaces: &Surfaces, bodies: usize) -> Vec<(u32, u32)> {
    let body_faces = surfaces.faces.iter().filter(|face| (face.collider as usize) < bodies);
    let with_body = |face: &surface::Face| face.points.map(|point| (point, face.collider));
    body_faces.flat_map(with_body).collect()
}

/// The planes of the scene; `bodies` is the number of colliders before the obstacles.
fn planes(rules: &Rules, bodies: usize) -> Vec<Plane> {
    let plane = |(collider, obstacle): (u32, &Obstacle)| match obstacle.shape {
        ObstacleShape::Plane { point, normal } => Some(Plane {
            collider,
            point: Vec3::from_array(point),
            normal: Vec3::from_array(normal).normalize(),
        }),
        ObstacleShape::Still | ObstacleShape::Moving(_) | ObstacleShape::Deforming => None,
    };
    (bodies as u32..).zip(&rules.obstacles).filter_map(plane).collect()
}

/// Opens the folder with the frames of a run.
fn open_frames(run: &Path) -> Result<Folder, VerifyError> {
    let path = run.join("frames");
    Folder::open_unlinked(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => VerifyError::NoFrames { folder: path.clone() },
        _ => VerifyError::File { path: path.clone(), error: error.into() },
    })
}

/// Number of bodies and drawn obstacles in a frame, which must be that of the rules.
fn check_bodies(rules: &Rules, cells: &Cells) -> Result<usize, VerifyError> {
    let drawn_obstacles = rules.obstacles.iter().filter(|obstacle| obstacle.is_drawn()).count();
    let expected = rules.bodies.len() + drawn_obstacles;
    // Skins, which are drawn in place of bodies, are numbered after all colliders.
    let collider_count = expected + rules.obstacles.len();
    let found = match rules.skins {
        0 => cells.bodies(usize::MAX),
        skins if cells.bodies(usize::MAX) == collider_count + skins => cells.bodies(collider_count),
        _ => cells.bodies(usize::MAX),
    };
    match found == expected {
        true => Ok(expected),
        false => Err(VerifyError::OtherBodies { expected, found }),
    }
}
