//! Continuous collision detection for straight motion over `t` in [0, 1].
//!
//! Additive CCD (Li, Kaufman & Jiang 2021, *Codimensional IPC*, section 5) advances
//! by steps in which nothing can have touched, and stops when only a fraction
//! [`CONSERVATIVE_GAP`] of the starting distance is left. Its step is `d / l`, `l` the
//! largest relative motion in any direction; bodies that slide past one another
//! closely then need thousands of steps. Ours is the step in which the *plane
//! between the closest points* keeps separating the two pieces (Mirtich 1996): all
//! vertices move linearly, so each gap along the normal is linear in time and the
//! first to shrink to the gap to be left gives the step in closed form. It is never shorter
//! than the additive step, since every gap starts at no less than `d`; parallel
//! sliding takes one step.
//!
//! Any plane that separates proves the absence of contact, so a poor closest point
//! costs iterations but no safety. It proves as well that the pieces stay farther apart
//! than a minimum separation, the thickness of sheets: the gaps only have to stay above it.
//! Root finding on the cubic of coplanarity was rejected: it is neither conservative nor
//! robust for flat motion.
//!
//! # Very small distances
//! Below some 1e-8 of the pair's extent the direction between the closest points is rounded so
//! much that its plane need not separate the pieces. So the gaps are looked at before they are
//! believed: where one is clearly below the distance, the additive step is taken, which
//! needs the distance alone.

use crate::distance::{Closest, PairKind};
use resile_math::Vec3;
use std::array::from_fn;

/// Fraction of the starting gap that is left at the time returned: what the conservative
/// rescaling of additive CCD (0.9) leaves.
pub const CONSERVATIVE_GAP: f64 = 0.1;

/// Fraction of the gap that must be left between all points along the normal for its plane to be
/// believed; without rounding none is less than the whole.
const TRUSTED: f64 = 0.99;

/// After so many steps the time reached, which is safe, is returned.
pub const MAX_STEPS: usize = 200;

/// Distances over the extent of the pair below which no pair may close any further:
/// rounding, some 1e-15 of the extent, would begin to decide about crossings. A method
/// that takes no forces at the end of its step comes there in a dozen Newton iterations,
/// a tenth of the distance left by each.
pub const FLOOR: f64 = 1e-13;

/// The same over the largest coordinate: points are rounded where they stand, and points of
/// embedded surfaces are sums of four products.
const COORDINATES: f64 = 16.0 * f64::EPSILON;

/// Narrow phase: a time in [0, 1] up to which the pair surely stays farther apart than
/// `min_separation` (m) while its points go straight `from -> to` (m). 1 if it does all the
/// path, else a time at which between one and two [`CONSERVATIVE_GAP`]s of the starting gap, the
/// distance less the minimum separation, are left (or more, after [`MAX_STEPS`] steps), and no
/// less than [`FLOOR`] of the extent and a few roundings of the coordinates. Zero only if the
/// gap is smaller than that at the start and is not seen to open, or is none.
///
/// ```
/// use resile_contact::{Vec3, ccd::time_of_impact, distance::PairKind};
///
/// // A point falls through a triangle.
/// let (a, b, c) = (Vec3::ZERO, Vec3::X, Vec3::Y);
/// let from = [Vec3::new(0.2, 0.2, 1.0), a, b, c];
/// let to = [Vec3::new(0.2, 0.2, -1.0), a, b, c];
/// let time = time_of_impact(PairKind::VertexFace, &from, &to, 0.0);
/// assert!(time < 0.5 && time > 0.4);
/// ```
pub fn time_of_impact(
    kind: PairKind,
    from: &[Vec3; 4],
    to: &[Vec3; 4],
    min_separation: f64,
) -> f64 {
    let rounding = COORDINATES * largest(from).max(largest(to));
    let origin = from[0];
    let start = from.map(|x| x - origin);
    let motion = relative_motion(from, to);
    let floor = rounding.max(FLOOR * largest(&start));
    if surely_apart(kind, &start, &motion, min_separation, floor) {
        return 1.0;
    }
    let mut closest = Closest::new(kind, &start);
    let mut distance = closest.distance();
    if distance <= min_separation {
        return 0.0;
    }
    let left = (CONSERVATIVE_GAP * (distance - min_separation)).max(floor);
    let least = min_separation + left;
    let (mut time, mut now) = (0.0, start);
    for _ in 0..MAX_STEPS {
        // What touches has no normal; what starts below the floor may still part.
        if distance == 0.0 || (time > 0.0 && distance - min_separation <= 2.0 * left) {
            return time;
        }
        let heights = Heights::new(closest.difference / distance, &now, &motion);
        let gap = heights.gap_after(kind, 0.0) - min_separation;
        let separates = gap >= TRUSTED * (distance - min_separation);
        let step = if !separates {
            additive_step(kind, &motion, distance - least)
        } else if heights.gap_after(kind, 1.0 - time) >= least {
            return 1.0;
        } else {
            heights.separated_for(kind, distance, least)
        };
        if time + step >= 1.0 {
            return 1.0;
        }
        if time + step <= time {
            return time;
        }
        time += step;
        now = advance(&start, &motion, time);
        closest = Closest::new(kind, &now);
        distance = closest.distance();
    }
    time
}

/// Whether the plane half way between the middles of both pieces proves that they stay
/// farther apart than what has to be left: true of half of the neighbours in two surfaces,
/// and found without their closest points.
fn surely_apart(
    kind: PairKind,
    start: &[Vec3; 4],
    motion: &[Vec3; 4],
    min_separation: f64,
    floor: f64,
) -> bool {
    let x = start;
    let between = match kind {
        PairKind::VertexFace => x[0] - (x[1] + x[2] + x[3]) * (1.0 / 3.0),
        PairKind::EdgeEdge => ((x[2] + x[3]) - (x[0] + x[1])) * 0.5,
        PairKind::VertexEdge => x[0] - (x[1] + x[2]) * 0.5,
        PairKind::VertexVertex => x[0] - x[1],
    };
    // At least the distance.
    let length = between.length();
    let least =
        (min_separation + (CONSERVATIVE_GAP * (length - min_separation)).max(floor)) * length;
    let heights = Heights::new(between, start, motion);
    heights.gap_after(kind, 0.0) > least && heights.gap_after(kind, 1.0) > least
}

/// Four points along a direction: where they are, and how far they move.
struct Heights {
    start: [f64; 4],
    motion: [f64; 4],
}

impl Heights {
    fn new(direction: Vec3, start: &[Vec3; 4], motion: &[Vec3; 4]) -> Self {
        let along = |v: &[Vec3; 4]| v.map(|v| direction.dot(v));
        Self { start: along(start), motion: along(motion) }
    }

    /// How far the lowest point of the side that the direction points to is ahead of the
    /// highest of the other after some time.
    fn gap_after(&self, kind: PairKind, time: f64) -> f64 {
        let [a, b, c, d]: [f64; 4] = from_fn(|k| self.start[k] + self.motion[k] * time);
        match kind {
            PairKind::VertexFace => a - b.max(c).max(d),
            PairKind::EdgeEdge => c.min(d) - a.max(b),
            PairKind::VertexEdge => a - b.max(c),
            PairKind::VertexVertex => a - b,
        }
    }

    /// For how long every point on the side that the direction points to stays at least
    /// `least` ahead of every point of the other side.
    fn separated_for(&self, kind: PairKind, distance: f64, least: f64) -> f64 {
        let [ahead, behind] = sides(kind);
        let mut shortest = f64::INFINITY;
        for &i in ahead {
            for &j in behind {
                let closing = self.motion[j] - self.motion[i];
                if closing > 0.0 {
                    // No gap is below the distance but by rounding, and a little at most.
                    let gap = (self.start[i] - self.start[j]).max(distance);
                    shortest = shortest.min((gap - least) / closing);
                }
            }
        }
        shortest
    }
}

/// The time of impact, as [`time_of_impact`], for gaps above a plane (m) at start and end, of
/// a point whose coordinates are up to `size` (m).
pub fn time_of_impact_with_plane(from: f64, to: f64, size: f64) -> f64 {
    if from <= 0.0 {
        return 0.0;
    }
    let left = (CONSERVATIVE_GAP * from).max(FLOOR * size).min(from);
    if to >= left { 1.0 } else { (from - left) / (from - to) }
}

/// The points of the piece that the normal points to, and those of the other.
fn sides(kind: PairKind) -> [&'static [usize]; 2] {
    match kind {
        PairKind::VertexFace => [&[0], &[1, 2, 3]],
        PairKind::EdgeEdge => [&[2, 3], &[0, 1]],
        PairKind::VertexEdge => [&[0], &[1, 2]],
        PairKind::VertexVertex => [&[0], &[1]],
    }
}

/// The most (m) that any point of one piece moves against any point of the other.
pub(crate) fn fastest(kind: PairKind, motion: &[Vec3; 4]) -> f64 {
    let [ahead, behind] = sides(kind);
    let pairs = ahead.iter().flat_map(|&i| behind.iter().map(move |&j| (i, j)));
    let squares = pairs.map(|(i, j)| (motion[i] - motion[j]).length_squared());
    squares.fold(0.0, f64::max).sqrt()
}

/// The largest coordinate, without its sign.
fn largest(points: &[Vec3; 4]) -> f64 {
    points.iter().map(|x| x.abs().max_element()).fold(0.0, f64::max)
}

/// For how long the distance surely falls by no more than `by` (m): not at all if that is
/// negative, since nobody knows then whether the pair parts.
fn additive_step(kind: PairKind, motion: &[Vec3; 4], by: f64) -> f64 {
    let fastest = fastest(kind, motion);
    if fastest > 0.0 { by / fastest } else { f64::INFINITY }
}

/// Displacements less their mean, which changes no distance.
fn relative_motion(from: &[Vec3; 4], to: &[Vec3; 4]) -> [Vec3; 4] {
    let moved: [Vec3; 4] = from_fn(|k| to[k] - from[k]);
    let mean = (moved[0] + moved[1] + moved[2] + moved[3]) * 0.25;
    moved.map(|m| m - mean)
}

fn advance(start: &[Vec3; 4], motion: &[Vec3; 4], time: f64) -> [Vec3; 4] {
    from_fn(|k| start[k] + motion[k] * time)
}
