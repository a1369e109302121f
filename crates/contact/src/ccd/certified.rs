//! Time of impact in double-double arithmetic: separating planes for cases that doubles cannot decide.
//!
//! The distance of two convex primitives is the largest gap along any direction. The direction of the largest gap is
//! normal to a pair of features: from point to point, from a point normal to an edge, normal to a face, or normal
//! to two edges. Therefore no case distinction and no decision by rounded signs is needed: *all* these directions
//! are tried, and the gap along each is computed from the given coordinates. Coplanar primitives are separated by a
//! direction in their plane and collinear primitives by the direction of their line, since these are among the
//! candidates. Features without length or area yield no direction.
//!
//! Along any fixed direction, even a rounded one, a gap that is positive at two times is positive between them,
//! since it is a minimum of functions linear in time. The plane that separates the primitives for the longest time is
//! chosen. If no plane advances the time, the time reached is returned.
//!
//! # Bound
//! Let all coordinates be at most `M`, and `u = 2^-53`. Differences of coordinates are exact. The errors of motions
//! (at most `4 M`) are at most `12 u^2 M`, and those of positions, after the product with time and the sum,
//! `50 u^2 M`. A direction is taken as exact and has components below one. The error of a product is then at most
//! `80 u^2 M`, and that of a sum of three less than `350 u^2 M`. A minimum separation that a gap can exceed is
//! below `18 M`, and the error of its product with the length of the direction is less than `400 u^2 M`.
//! [`MAX_GAP_ERROR`] exceeds the sum of these bounds by a factor of eighty.

use super::double_double::{DoubleDouble, Vector};
use super::heights::sides;
use super::{CONSERVATIVE_GAP, MAX_STEPS};
use crate::geometry::distance::PairKind;
use resile_math::Vec3;

/// Error bound of a gap along a normalised direction, relative to the largest coordinate: `2^-90`.
const MAX_GAP_ERROR: f64 = f64::from_bits((1023 - 90) << 52);

/// Fraction of a gap below the floor that must remain: the gap may persist but not close.
const MIN_REMAINING_GAP: f64 = 0.99;

/// Two primitives whose points move on straight paths.
pub(super) struct Paths<'a> {
    pub(super) kind: PairKind,
    /// Positions (m) at time 0 and at time 1.
    pub(super) from: &'a [Vec3; 4],
    pub(super) to: &'a [Vec3; 4],
    /// Distance (m) that must be exceeded.
    pub(super) min_separation: f64,
    /// Largest coordinate (m), from `2^-200` to `2^200`.
    pub(super) max_coordinate: f64,
}

impl Paths<'_> {
    /// Time up to which the primitives provably stay apart, as [`time_of_impact`](super::time_of_impact) with a
    /// remaining gap of at least `floor` (m). A smaller initial gap permits either the whole path or no motion.
    pub(super) fn time_of_impact(&self, floor: f64) -> f64 {
        let gap = self.planes(0.0).iter().map(|plane| plane.gap(0.0)).fold(0.0, f64::max);
        let remaining = (CONSERVATIVE_GAP * gap).max(floor).min(MIN_REMAINING_GAP * gap);
        let time = self.separated_until(remaining);
        if gap <= floor && time < 1.0 { 0.0 } else { time }
    }

    /// Time up to which the gap certainly remains above `remaining` (m): 1, or a time at which it is at most twice as
    /// large, unless no plane advances the time or [`MAX_STEPS`] are exceeded.
    fn separated_until(&self, remaining: f64) -> f64 {
        let mut time = 0.0;
        for _ in 0..MAX_STEPS {
            let planes = self.planes(time);
            let gap = planes.iter().map(|plane| plane.gap(time)).fold(0.0, f64::max);
            if time > 0.0 && gap <= 2.0 * remaining {
                return time;
            }
            let mut until = latest_separated_time(&planes, time, remaining);
            // Planes normal to the features at a later time may separate the primitives for longer than those at the
            // current time.
            while time < until && until < 1.0 {
                let probe_time = (time + 2.0 * (until - time)).min(1.0);
                let later = latest_separated_time(&self.planes(probe_time), time, remaining);
                if later <= until {
                    break;
                }
                until = later;
            }
            if until == time || until == 1.0 {
                return until;
            }
            time = until;
        }
        time
    }

    /// Planes normal to all pairs of features at a time.
    fn planes(&self, time: f64) -> Vec<SeparatingPlane> {
        let directions = directions(self.kind, |i, j| self.relative(i, j).value_at(time));
        let planes = directions.into_iter().filter_map(Vector::normalised);
        planes.map(|normal| self.plane(normal)).collect()
    }

    /// Gaps along `normal` between the points of both primitives as linear functions of time.
    fn plane(&self, normal: Vector) -> SeparatingPlane {
        let [ahead, behind] = sides(self.kind);
        let pairs = ahead.iter().flat_map(|&i| behind.iter().map(move |&j| (i, j)));
        let gaps = pairs.map(|(i, j)| self.relative(i, j).component_along(normal)).collect();
        let length = normal.dot(normal).sqrt();
        let required =
            length * self.min_separation.into() + (MAX_GAP_ERROR * self.max_coordinate).into();
        SeparatingPlane { gaps, required_gap: required, length: length.high }
    }

    /// Position of point `i` relative to point `j`.
    fn relative(&self, i: usize, j: usize) -> LinearInTime<Vector> {
        let start = Vector::difference(self.from[i], self.from[j]);
        let end = Vector::difference(self.to[i], self.to[j]);
        LinearInTime { start, motion: end - start }
    }
}

/// Latest time up to which one of the planes separates the primitives by more than `remaining` (m) from `time` on.
fn latest_separated_time(planes: &[SeparatingPlane], time: f64, remaining: f64) -> f64 {
    planes.iter().map(|plane| plane.separated_until(time, remaining)).fold(time, f64::max)
}

/// A quantity linear in time.
struct LinearInTime<T> {
    start: T,
    motion: T,
}

impl LinearInTime<Vector> {
    /// Vector at a time in [0, 1].
    fn value_at(&self, time: f64) -> Vector {
        self.start + self.motion * time.into()
    }

    /// Dot product with `normal` as a function of time.
    fn component_along(&self, normal: Vector) -> LinearInTime<DoubleDouble> {
        LinearInTime { start: self.start.dot(normal), motion: self.motion.dot(normal) }
    }
}

/// Gaps along a direction between each point ahead and each point behind.
struct SeparatingPlane {
    gaps: Vec<LinearInTime<DoubleDouble>>,
    /// Lower bound of the gaps that certifies the minimum separation.
    required_gap: DoubleDouble,
    /// Length of the direction.
    length: f64,
}

impl SeparatingPlane {
    /// Certified gap beyond the minimum separation at a time (m), if positive.
    fn gap(&self, time: f64) -> f64 {
        let excess = |gap: &LinearInTime<DoubleDouble>| self.excess(gap, time);
        self.gaps.iter().map(excess).fold(f64::INFINITY, f64::min) / self.length
    }

    /// Difference (m, times the length of the direction) between a gap at a time and the required gap.
    fn excess(&self, gap: &LinearInTime<DoubleDouble>, time: f64) -> f64 {
        (gap.start + gap.motion * time.into() - self.required_gap).high
    }

    /// Time, at most 1, up to which this plane certifies from `time` on that the primitives stay apart, and at which
    /// the gap `remaining` (m) remains. Returns `time` if nothing is certified.
    fn separated_until(&self, time: f64, remaining: f64) -> f64 {
        if self.gap(time) <= remaining {
            return time;
        }
        let closing = self.gaps.iter().filter(|gap| gap.motion.high < 0.0);
        let until = closing.map(|gap| {
            time + (self.excess(gap, time) - remaining * self.length) / -gap.motion.high
        });
        let until = until.fold(1.0, f64::min);
        // The time is rounded, so the gap is checked at the time that is returned.
        if self.gap(until) > 0.0 { until } else { time }
    }
}

/// All directions normal to a pair of features, towards the primitive of [`sides`] that is ahead. `x(i, j)` is
/// the vector from point `j` to point `i`.
fn directions(kind: PairKind, x: impl Fn(usize, usize) -> Vector) -> Vec<Vector> {
    match kind {
        PairKind::VertexVertex => vec![x(0, 1)],
        PairKind::VertexEdge => vec![x(0, 1), x(0, 2), x(0, 1).scaled_rejection(x(2, 1))],
        PairKind::VertexFace => {
            let normal = x(2, 1).cross(x(3, 1));
            let edge_normals =
                [(1, 2), (1, 3), (2, 3)].map(|(a, b)| x(0, a).scaled_rejection(x(b, a)));
            [vec![x(0, 1), x(0, 2), x(0, 3), normal, -normal], edge_normals.to_vec()].concat()
        }
        PairKind::EdgeEdge => {
            let (u, v) = (x(1, 0), x(3, 2));
            let normal = u.cross(v);
            let points = vec![x(2, 0), x(2, 1), x(3, 0), x(3, 1), normal, -normal];
            let edge_normals = [(2, 0, u), (3, 0, u), (2, 0, v), (2, 1, v)];
            [points, edge_normals.map(|(a, b, edge)| x(a, b).scaled_rejection(edge)).to_vec()]
                .concat()
        }
    }
}
