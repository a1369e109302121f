//! What is known of the way of a body between two frames.
//!
//! What is led is where the scene says, and what stands still is where it was. Of a free body
//! the ends of its way are known and the velocities at them. It is taken as straight, and
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

use super::depth::rounding;
use super::frame::{Setting, exact};
use super::grid::Grid;
use super::led::{Led, Map};
use super::report::Reason;
use super::surface::Face;
use crate::description::{Body, ExpandedBody, Joint, Scene};
use resile_math::Vec3;

/// How much farther than it shows a free body may have been off the straight way.
const UNSEEN: f64 = 100.0;
/// Play beyond this part of the mean edge of a surface would hide what goes through it: how deep
/// two triangles can be in each other is limited by their size.
const MOST_PLAY: f64 = 0.25;
/// Two frames are a step apart up to the rounding of their times.
const STEP_ROUNDING: f64 = 1e-6;

/// What of a scene tells about the time between frames.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) led: Vec<Led>,
    /// Of each body, whether something other than gravity and contact can bring it back.
    tied: Vec<bool>,
    /// The longest time between two frames of which anything is claimed (s).
    longest: f64,
    /// The largest acceleration of free fall (m/s^2).
    gravity: f64,
    /// The distance at which contact sets in (m).
    pub(super) d_hat: f64,
}

/// What is known of where something is between two frames.
#[derive(Debug)]
pub(super) enum Way {
    /// It is led: by the maps to all poses.
    Led(Vec<Map>),
    /// It is straight, up to so much (m).
    Straight(f64),
    /// Nothing that allows to accuse anybody.
    Unknown(Reason),
}

/// A frame and its time (s).
pub(super) struct Moment {
    pub(super) time: f64,
    pub(super) grid: Grid,
}

impl Script {
    /// Takes up a scene of which surfaces keep `d_hat` (m).
    pub(super) fn of(scene: &Scene, bodies: &[ExpandedBody], d_hat: f64) -> Self {
        let changes = scene.gravity_changes.iter().map(|change| change.gravity);
        let falls = changes.chain([scene.gravity]).map(|g| Vec3::from_array(g).length());
        Self {
            led: Led::of(scene, bodies),
            tied: bodies.iter().map(|body| is_tied(scene, body)).collect(),
            longest: scene.time.step.seconds() * (1.0 + STEP_ROUNDING),
            gravity: falls.fold(0.0, f64::max),
            d_hat,
        }
    }

    /// Whether two frames are near enough to each other to say anything.
    pub(super) fn is_near(&self, times: [f64; 2]) -> bool {
        times[1] - times[0] <= self.longest
    }

    /// What is known of a body or obstacle that is not led.
    pub(super) fn free(&self, setting: &Setting, [a, b]: [&Moment; 2], collider: u32) -> Way {
        let Some(&tied) = self.tied.get(collider as usize) else { return Way::Straight(0.0) };
        if tied {
            return Way::Unknown(Reason::Tied);
        }
        let h = b.time - a.time;
        let points = setting.surfaces.faces_of(collider).iter().flat_map(|face| face.points);
        let mut shown = points.map(|point| astray([a, b], point, h));
        let Some(shown) = shown.try_fold(0.0_f64, |most, off| Some(most.max(off?))) else {
            return Way::Unknown(Reason::Bent);
        };
        let play = UNSEEN * shown + 0.5 * self.gravity * h * h;
        match play <= MOST_PLAY * mean_edge(setting, &a.grid, collider) {
            true => Way::Straight(play),
            false => Way::Unknown(Reason::Bent),
        }
    }
}

/// How far a point is from where its velocities would have taken it (m), if that is a number.
fn astray([a, b]: [&Moment; 2], point: u32, h: f64) -> Option<f64> {
    let at = |array: &[[f32; 3]]| Some(exact(*array.get(point as usize)?));
    let way = at(&b.grid.points)? - at(&a.grid.points)?;
    let ends = [at(&a.grid.velocities)?, at(&b.grid.velocities)?];
    let [before, after] = ends.map(|v| (v * h - way).length());
    (before.is_finite() && after.is_finite()).then_some(before.max(after))
}

fn mean_edge(setting: &Setting, grid: &Grid, collider: u32) -> f64 {
    let faces = setting.surfaces.faces_of(collider);
    let around = |[p, q, r]: [Vec3; 3]| p.distance(q) + q.distance(r) + r.distance(p);
    let corners = |face: &Face| face.points.map(|point| exact(grid.points[point as usize]));
    let sum: f64 = faces.iter().map(|face| around(corners(face))).sum();
    sum / (3 * faces.len().max(1)) as f64
}

/// Whether something other than gravity and contact can bring a body back.
fn is_tied(scene: &Scene, ExpandedBody { source, body, .. }: &ExpandedBody) -> bool {
    let Body { hold, attach, terms, .. } = body;
    let names = [body.name.as_str(), scene.bodies[*source].name.as_str()];
    let joined = scene.joints.iter().any(|joint| {
        let (Joint::Ball { a, b, .. } | Joint::Hinge { a, b, .. }) = joint;
        names.contains(&a.as_str()) || b.as_ref().is_some_and(|b| names.contains(&b.as_str()))
    });
    !hold.is_empty() || !attach.is_empty() || !terms.is_empty() || joined
}

/// The larger rounding of a triangle in two frames (m).
pub(super) fn roundings(corners: [[[f32; 3]; 3]; 2]) -> f64 {
    let [a, b] = corners.map(rounding);
    a.max(b)
}
