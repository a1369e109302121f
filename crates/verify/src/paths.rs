//! What is known of the way of a body between two frames.
//!
//! A kinematic body is where its motion takes it, and what stands still is where it was. Of a free body
//! the ends of its path are known and the velocities at them. It is taken as straight, and
//! may be off that by its *play*, which is
//!
//! ```text
//!   100 max |h v - d| + h^2 g / 2,
//! ```
//!
//! over the points of its surface and both velocities `v`, where `d` is the way of a point and `h`
//! the time. What rests or flies straight has next to none. A body that was pushed out of the way
//! goes on, comes back with a velocity, or shows at least a hundredth of how far it
//! went; what gravity alone brings back was not farther away than it falls in that time. A spring or
//! a joint can bring a body back to the bit, so nothing is presumed of one that is tied.

use crate::depth::rounding;
use crate::frame::{Setting, exact};
use crate::grid::Grid;
use crate::kinematic::{Kinematic, Map};
use crate::report::Reason;
use crate::rules::{ObstacleShape, Rules};
use crate::surface::Face;
use glam::DVec3 as Vec3;

/// How much farther than it shows a free body may have been off the straight path.
const UNSEEN: f64 = 100.0;
/// Play beyond this part of the mean edge of a surface would hide what goes through it: how deep
/// two triangles can be in each other is limited by their size.
const MOST_PLAY: f64 = 0.25;
/// Two frames are a step apart up to the rounding of their times.
const STEP_ROUNDING: f64 = 1e-6;

/// What of the rules is about the time between frames.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) kinematic: Vec<Kinematic>,
    /// Of each body and each obstacle that frames show, why nothing can be known of its path.
    unknown: Vec<Option<Reason>>,
    /// The longest time between two frames of which anything is claimed (s).
    longest: f64,
    /// The largest acceleration of free fall (m/s^2).
    gravity: f64,
    /// The distance at which contact sets in (m).
    pub(crate) d_hat: f64,
}

/// What is known of where something is between two frames.
#[derive(Debug)]
pub(crate) enum Path {
    /// It is kinematic: by the maps to all poses.
    Kinematic(Vec<Map>),
    /// It is straight, up to so much (m).
    Straight(f64),
    /// Nothing that allows to accuse anybody.
    Unknown(Reason),
}

/// A frame and its time (s).
pub(crate) struct Moment {
    pub(crate) time: f64,
    pub(crate) grid: Grid,
}

impl Script {
    /// What rules say of a run whose surfaces keep `d_hat` (m).
    pub(crate) fn of(rules: &Rules, d_hat: f64) -> Self {
        let tied = rules.bodies.iter().map(|body| body.tied.then_some(Reason::Tied));
        let drawn = rules.obstacles.iter().filter(|obstacle| obstacle.is_drawn());
        let deforming = drawn.map(|obstacle| match obstacle.shape {
            ObstacleShape::Deforming => Some(Reason::Deforming),
            _ => None,
        });
        Self {
            kinematic: Kinematic::of(rules),
            unknown: tied.chain(deforming).collect(),
            longest: rules.step * (1.0 + STEP_ROUNDING),
            gravity: rules.gravity,
            d_hat,
        }
    }

    /// Whether two frames are near enough to each other to say anything.
    pub(crate) fn is_near(&self, times: [f64; 2]) -> bool {
        times[1] - times[0] <= self.longest
    }

    /// The obstacles of which each point is moved by a file.
    pub(crate) fn deforming(&self) -> impl Iterator<Item = u32> + '_ {
        let deforms = |(_, reason): &(u32, &Option<Reason>)| **reason == Some(Reason::Deforming);
        (0..).zip(&self.unknown).filter(deforms).map(|(collider, _)| collider)
    }

    /// What is known of a body or obstacle that is not kinematic.
    pub(crate) fn free(&self, setting: &Setting, [a, b]: [&Moment; 2], collider: u32) -> Path {
        match self.unknown.get(collider as usize) {
            None => return Path::Straight(0.0),
            Some(Some(reason)) => return Path::Unknown(*reason),
            Some(None) => {}
        }
        let h = b.time - a.time;
        let points = setting.surfaces.faces_of(collider).iter().flat_map(|face| face.points);
        let mut shown = points.map(|point| deviation([a, b], point, h));
        let Some(shown) = shown.try_fold(0.0_f64, |most, off| Some(most.max(off?))) else {
            return Path::Unknown(Reason::Bent);
        };
        let play = UNSEEN * shown + 0.5 * self.gravity * h * h;
        match play <= MOST_PLAY * mean_edge(setting, &a.grid, collider) {
            true => Path::Straight(play),
            false => Path::Unknown(Reason::Bent),
        }
    }
}

/// Distance (m) between a point and its extrapolation by the velocity at the start or end; `None` if not
/// finite.
fn deviation([a, b]: [&Moment; 2], point: u32, h: f64) -> Option<f64> {
    let at = |array: &[[f32; 3]]| Some(exact(*array.get(point as usize)?));
    let path = at(&b.grid.points)? - at(&a.grid.points)?;
    let ends = [at(&a.grid.velocities)?, at(&b.grid.velocities)?];
    let [before, after] = ends.map(|v| (v * h - path).length());
    (before.is_finite() && after.is_finite()).then_some(before.max(after))
}

fn mean_edge(setting: &Setting, grid: &Grid, collider: u32) -> f64 {
    let faces = setting.surfaces.faces_of(collider);
    let around = |[p, q, r]: [Vec3; 3]| p.distance(q) + q.distance(r) + r.distance(p);
    let corners = |face: &Face| face.points.map(|point| exact(grid.points[point as usize]));
    let sum: f64 = faces.iter().map(|face| around(corners(face))).sum();
    sum / (3 * faces.len().max(1)) as f64
}

/// The larger rounding of a triangle in two frames (m).
pub(crate) fn roundings(corners: [[[f32; 3]; 3]; 2]) -> f64 {
    let [a, b] = corners.map(rounding);
    a.max(b)
}
