//! Collision times where doubles do not suffice: planes tried and proved in double-doubles.
//!
//! The distance of two convex pieces is the largest gap along any direction, and the direction
//! in which it is largest is across a pair of features: from point to point, from a point across
//! an edge, across a face, or across two edges. So there are no cases here to tell apart, and
//! nothing to be decided by rounded signs: *all* these directions are tried, and the gap along
//! each is measured from the given coordinates. Pieces in one plane are separated by a
//! direction in the plane, pieces on one line by the line's own, because these are among them.
//! Features without length, or area, give no direction.
//!
//! Whichever direction is found, rounded as it may be, a gap along *it* that is positive at two
//! times is positive between them, since it is the least of functions linear in time. Of
//! all planes the one is taken that lasts longest. Where none lasts, the time reached is the answer.
//!
//! # Bound
//! Let all coordinates be at most `M`, and `u = 2^-53`. Differences of coordinates are
//! exact, motions (at most `4 M`) off by `12 u^2 M`, and, with the time's product and
//! sum, places by `50 u^2 M`. A direction, itself taken for exact, has components below one, so a
//! product is off by `80 u^2 M`, and the sum of three by less than `350 u^2 M`. Where a gap could pass
//! a minimum separation, that is below `18 M`, and its product with the direction's length off by less
//! than `400 u^2 M`. [`ROUNDING`] has a factor of eighty to spare.

use super::double_double::{DoubleDouble, Vector};
use super::heights::sides;
use super::{CONSERVATIVE_GAP, MAX_STEPS};
use crate::geometry::distance::PairKind;
use resile_math::Vec3;

/// What a gap along a normalised direction is off by at most, over the largest coordinate: `2^-90`.
const ROUNDING: f64 = f64::from_bits((1023 - 90) << 52);

/// The fraction that must be left of a gap below the floor: it may stay, but not close.
const STAYING: f64 = 0.99;

/// Two pieces whose points go straight.
pub(super) struct Paths<'a> {
    pub(super) kind: PairKind,
    pub(super) from: &'a [Vec3; 4],
    pub(super) to: &'a [Vec3; 4],
    /// Pieces must stay farther apart (m).
    pub(super) min_separation: f64,
    /// The largest coordinate (m), no less than `2^-200` and no more than `2^200`.
    pub(super) size: f64,
}

impl Paths<'_> {
    /// A time up to which the pieces surely stay apart: as [`time_of_impact`](super::time_of_impact)
    /// with a gap to be left of at least `floor` (m); what is below goes all the path or not at all.
    pub(super) fn time_of_impact(&self, floor: f64) -> f64 {
        let gap = self.planes(0.0).iter().map(|plane| plane.gap(0.0)).fold(0.0, f64::max);
        let left = (CONSERVATIVE_GAP * gap).max(floor).min(STAYING * gap);
        let time = self.separated_until(left);
        if gap <= floor && time < 1.0 { 0.0 } else { time }
    }

    /// A time at which little more than `left` (m) remains of the gap, or 1.
    fn separated_until(&self, left: f64) -> f64 {
        let mut time = 0.0;
        for _ in 0..MAX_STEPS {
            let planes = self.planes(time);
            let gap = planes.iter().map(|plane| plane.gap(time)).fold(0.0, f64::max);
            if time > 0.0 && gap <= 2.0 * left {
                return time;
            }
            let mut lasts = furthest(&planes, time, left);
            // Planes across the features as they will be last longer than those of now.
            while time < lasts && lasts < 1.0 {
                let ahead = (time + 2.0 * (lasts - time)).min(1.0);
                let longer = furthest(&self.planes(ahead), time, left);
                if longer <= lasts {
                    break;
                }
                lasts = longer;
            }
            if lasts == time || lasts == 1.0 {
                return lasts;
            }
            time = lasts;
        }
        time
    }

    /// The planes across the features as they are at a time.
    fn planes(&self, time: f64) -> Vec<SeparatingPlane> {
        let directions = directions(self.kind, |i, j| self.relative(i, j).at(time));
        let planes = directions.into_iter().filter_map(Vector::normalised);
        planes.map(|normal| self.plane(normal)).collect()
    }

    fn plane(&self, normal: Vector) -> SeparatingPlane {
        let [ahead, behind] = sides(self.kind);
        let pairs = ahead.iter().flat_map(|&i| behind.iter().map(move |&j| (i, j)));
        let gaps = pairs.map(|(i, j)| self.relative(i, j).along(normal)).collect();
        let length = normal.dot(normal).sqrt();
        let least = length * self.min_separation.into() + (ROUNDING * self.size).into();
        SeparatingPlane { gaps, least, length: length.high }
    }

    /// Point `i` seen from point `j`.
    fn relative(&self, i: usize, j: usize) -> Straight<Vector> {
        let start = Vector::difference(self.from[i], self.from[j]);
        let end = Vector::difference(self.to[i], self.to[j]);
        Straight { start, motion: end - start }
    }
}

/// The latest time to which one of the planes lasts.
fn furthest(planes: &[SeparatingPlane], time: f64, left: f64) -> f64 {
    planes.iter().map(|plane| plane.lasts(time, left)).fold(time, f64::max)
}

/// What changes linearly in time.
struct Straight<T> {
    start: T,
    motion: T,
}

impl Straight<Vector> {
    fn at(&self, time: f64) -> Vector {
        self.start + self.motion * time.into()
    }

    fn along(&self, normal: Vector) -> Straight<DoubleDouble> {
        Straight { start: self.start.dot(normal), motion: self.motion.dot(normal) }
    }
}

/// A direction, and the gaps along it between each point ahead and each behind.
struct SeparatingPlane {
    gaps: Vec<Straight<DoubleDouble>>,
    /// What every gap must be above for the pieces to be surely far enough apart.
    least: DoubleDouble,
    /// Of the direction.
    length: f64,
}

impl SeparatingPlane {
    /// By how much the pieces are surely farther apart at a time than they must be (m), if positive.
    fn gap(&self, time: f64) -> f64 {
        let excess = |gap: &Straight<DoubleDouble>| self.excess(gap, time);
        self.gaps.iter().map(excess).fold(f64::INFINITY, f64::min) / self.length
    }

    fn excess(&self, gap: &Straight<DoubleDouble>, time: f64) -> f64 {
        (gap.start + gap.motion * time.into() - self.least).high
    }

    /// The time, at most 1, up to which this plane proves from `time` on that the pieces stay
    /// apart, and at which `left` (m) remains of the gap; `time` if it proves nothing.
    fn lasts(&self, time: f64, left: f64) -> f64 {
        if self.gap(time) <= left {
            return time;
        }
        let closing = self.gaps.iter().filter(|gap| gap.motion.high < 0.0);
        let until = closing
            .map(|gap| time + (self.excess(gap, time) - left * self.length) / -gap.motion.high);
        let until = until.fold(1.0, f64::min);
        // The time is rounded; what counts is the gap at the time that will be returned.
        if self.gap(until) > 0.0 { until } else { time }
    }
}

/// All directions across a pair of features, towards the piece of [`sides`] that is ahead. `between`
/// is the vector to a point from another.
fn directions(kind: PairKind, between: impl Fn(usize, usize) -> Vector) -> Vec<Vector> {
    let x = between;
    match kind {
        PairKind::VertexVertex => vec![x(0, 1)],
        PairKind::VertexEdge => vec![x(0, 1), x(0, 2), x(0, 1).across(x(2, 1))],
        PairKind::VertexFace => {
            let normal = x(2, 1).cross(x(3, 1));
            let across = [(1, 2), (1, 3), (2, 3)].map(|(a, b)| x(0, a).across(x(b, a)));
            [vec![x(0, 1), x(0, 2), x(0, 3), normal, -normal], across.to_vec()].concat()
        }
        PairKind::EdgeEdge => {
            let (u, v) = (x(1, 0), x(3, 2));
            let normal = u.cross(v);
            let points = vec![x(2, 0), x(2, 1), x(3, 0), x(3, 1), normal, -normal];
            let across = [(2, 0, u), (3, 0, u), (2, 0, v), (2, 1, v)];
            [points, across.map(|(a, b, edge)| x(a, b).across(edge)).to_vec()].concat()
        }
    }
}
