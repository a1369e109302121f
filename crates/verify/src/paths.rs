//! Paths of bodies between two frames.
//!
//! A kinematic body follows its motion, and a fixed one stays. For a free body only the end points of its path
//! and the velocities there are known. Its path is assumed to be straight, up to its *play*
//!
//! ```text
//!   100 max |h v - d| + h^2 g / 2,
//! ```
//!
//! over the points of its surface and both velocities `v`, where `d` is the displacement of a point and `h` the
//! time. A body at rest or in straight motion has almost no play. A body that was pushed away keeps moving,
//! returns with a velocity, or shows at least a hundredth of its excursion. Gravity alone returns a body only
//! from within its free fall in that time. A spring or a joint can return a body exactly, so the path of a tied
//! body is unknown.

use crate::depth::rounding;
use crate::frame::{Setting, exact};
use crate::grid::Grid;
use crate::kinematic::{Kinematic, Map};
use crate::report::Reason;
use crate::rules::{ObstacleShape, Rules};
use crate::surface::Face;
use glam::DVec3 as Vec3;

/// Largest ratio of a free body's excursion to its visible deviation from a straight path.
const MAX_EXCURSION_RATIO: f64 = 100.0;
/// Largest play, relative to the mean edge of a surface. Larger play would hide intersections, whose
/// depth is limited by the size of triangles.
const MAX_PLAY: f64 = 0.25;
/// Relative tolerance of the time between frames that are one step apart.
const STEP_ROUNDING: f64 = 1e-6;

/// Rules for the time between frames.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) kinematic: Vec<Kinematic>,
    /// For each body and each obstacle in frames, the reason why its path is unknown, if it is.
    unknown: Vec<Option<Reason>>,
    /// Longest tested time between two frames (s).
    max_interval: f64,
    /// Largest acceleration of free fall (m/s^2).
    gravity: f64,
    /// Activation distance of contact (m).
    pub(crate) d_hat: f64,
}

/// Path of a collider between two frames.
#[derive(Debug)]
pub(crate) enum Path {
    /// Kinematic: maps to all poses.
    Kinematic(Vec<Map>),
    /// Straight, with this play (m).
    Straight(f64),
    /// Unknown: intersections cannot be asserted.
    Unknown(Reason),
}

/// A frame and its time (s).
pub(crate) struct TimedFrame {
    pub(crate) time: f64,
    pub(crate) grid: Grid,
}

impl Script {
    /// Rules for a run with activation distance `d_hat` (m).
    pub(crate) fn new(rules: &Rules, d_hat: f64) -> Self {
        let tied = rules.bodies.iter().map(|body| body.tied.then_some(Reason::Tied));
        let drawn = rules.obstacles.iter().filter(|obstacle| obstacle.is_drawn());
        let deforming = drawn.map(|obstacle| match obstacle.shape {
            ObstacleShape::Deforming => Some(Reason::Deforming),
            _ => None,
        });
        Self {
            kinematic: Kinematic::from_rules(rules),
            unknown: tied.chain(deforming).collect(),
            max_interval: rules.step * (1.0 + STEP_ROUNDING),
            gravity: rules.gravity,
            d_hat,
        }
    }

    /// Whether the time between two frames is short enough to be tested.
    pub(crate) fn is_near(&self, times: [f64; 2]) -> bool {
        times[1] - times[0] <= self.max_interval
    }

    /// Obstacles whose points are moved by a file.
    pub(crate) fn deforming(&self) -> impl Iterator<Item = u32> + '_ {
        let deforms = |(_, reason): &(u32, &Option<Reason>)| **reason == Some(Reason::Deforming);
        (0..).zip(&self.unknown).filter(deforms).map(|(collider, _)| collider)
    }

    /// Path of a body or obstacle that is not kinematic.
    pub(crate) fn free(&self, setting: &Setting, [a, b]: [&TimedFrame; 2], collider: u32) -> Path {
        match self.unknown.get(collider as usize) {
            None => return Path::Straight(0.0),
            Some(Some(reason)) => return Path::Unknown(*reason),
            Some(None) => {}
        }
        let h = b.time - a.time;
        let points = setting.surfaces.faces_of(collider).iter().flat_map(|face| face.points);
        let mut deviations = points.map(|point| deviation([a, b], point, h));
        let Some(max_deviation) =
            deviations.try_fold(0.0_f64, |max, deviation| Some(max.max(deviation?)))
        else {
            return Path::Unknown(Reason::Bent);
        };
        let play = MAX_EXCURSION_RATIO * max_deviation + 0.5 * self.gravity * h * h;
        match play <= MAX_PLAY * mean_edge(setting, &a.grid, collider) {
            true => Path::Straight(play),
            false => Path::Unknown(Reason::Bent),
        }
    }
}

/// Distance (m) between a point and its extrapolation by the velocity at the start or end; `None` if it is not
/// finite.
fn deviation([a, b]: [&TimedFrame; 2], point: u32, h: f64) -> Option<f64> {
    let vector = |array: &[[f32; 3]]| Some(exact(*array.get(point as usize)?));
    let path = vector(&b.grid.points)? - vector(&a.grid.points)?;
    let ends = [vector(&a.grid.velocities)?, vector(&b.grid.velocities)?];
    let [before, after] = ends.map(|v| (v * h - path).length());
    (before.is_finite() && after.is_finite()).then_some(before.max(after))
}

/// Mean length (m) of the edges of a collider.
fn mean_edge(setting: &Setting, grid: &Grid, collider: u32) -> f64 {
    let faces = setting.surfaces.faces_of(collider);
    let perimeter = |[p, q, r]: [Vec3; 3]| p.distance(q) + q.distance(r) + r.distance(p);
    let corners = |face: &Face| face.points.map(|point| exact(grid.points[point as usize]));
    let sum: f64 = faces.iter().map(|face| perimeter(corners(face))).sum();
    sum / (3 * faces.len().max(1)) as f64
}

/// The larger of the roundings of a triangle in two frames (m).
pub(crate) fn roundings(corners: [[[f32; 3]; 3]; 2]) -> f64 {
    let [a, b] = corners.map(rounding);
    a.max(b)
}
