//! Continuous collision detection for straight motion over `t` in [0, 1], safe for every finite input.
//!
//! Additive CCD (Li, Kaufman & Jiang 2021, *Codimensional IPC*, section 5) advances by steps in which no contact
//! can occur. It stops when only a fraction [`CONSERVATIVE_GAP`] of the initial distance remains. Its step is
//! `d / l`, where `l` is the largest relative motion in any direction. Bodies that slide closely past one another
//! then need thousands of steps. Here, a step lasts as long as the *plane between the closest points* separates the
//! two primitives (Mirtich 1996). All vertices move linearly, so each gap along the normal is linear in time, and the
//! first gap that shrinks to the required one gives the step in closed form. The step is never shorter than the
//! additive one, since every gap starts at no less than `d`. Parallel sliding takes one step. Bodies that rotate
//! together are separated by planes that rotate with them (`conservative_advancement.rs`), so the number of steps does
//! not grow as their distance shrinks.
//!
//! Any separating plane proves the absence of contact, so inaccurate closest points cost iterations but not safety.
//! It equally proves that the primitives stay farther apart than a minimum separation, such as the thickness of sheets,
//! if the gaps stay above it. Root finding on the cubic of coplanarity was rejected: it is neither conservative nor
//! robust for flat motion. Interval-based inclusion (Wang et al. 2021, *A Large Scale Benchmark and an
//! Inclusion-Based Algorithm for CCD*) is also safe by construction.
//!
//! # Rounding
//! The additive step relies on a computed distance, which may be too large. Here only the gaps of a plane are
//! relied on, which are computed from the coordinates. Let these be at most `M`, and `u = 2^-53`. The error of each
//! component of starts, motions and positions is at most `15 u M`. That of products with a normal and their sums is
//! at most `95 u M` per point, so that of a gap is at most `190 u M`, and less than `220 u M` with the rounding of
//! the normal's length. A step is taken in doubles only if the gap to be left is above `CERTAIN_GAP M`, which is
//! `512 u M`, and if at its start no gap is smaller than the distance by more than a quarter of that. Then three
//! quarters, `384 u M`, of every gap remain at its end, and between by linearity. The coefficients of the gaps along a
//! rotating normal have the same error, so at least half of the gap to be left remains.
//!
//! All other cases go to `certified.rs`, which checks planes of many directions in double-double arithmetic. These
//! are gaps below about 6e-13 of the largest coordinate, and pairs for which the closest points yield no separating
//! plane, or none within [`MAX_STEPS`] steps. Coordinates whose products overflow or underflow are scaled by a
//! power of two first. This path is slow and rare. If nothing is proved there, the time reached is returned, 0 if
//! none.
//!
//! `tests/exact` compares the results with arbitrary-precision integer arithmetic.

mod certified;
mod conservative_advancement;
mod double_double;
mod heights;

use crate::geometry::distance::{Closest, PairKind};
use certified::Paths;
use conservative_advancement::Advancement;
use heights::Heights;
use resile_math::Vec3;
use std::array::from_fn;

/// Fraction of the initial gap that remains at the returned time, equal to that of the conservative rescaling of
/// additive CCD (0.9).
pub const CONSERVATIVE_GAP: f64 = 0.1;

/// Maximum number of steps in doubles, and again in double-doubles. After these the time reached, which is safe, is
/// returned.
pub const MAX_STEPS: usize = 200;

/// Distance, relative to the extent of the pair, below which a pair may not close any further: rounding, about
/// 1e-15 of the extent, would begin to affect the detection of crossings. A method without forces at the end of its
/// step reaches this distance in a dozen Newton iterations, each of which leaves a tenth of the distance.
pub const FLOOR: f64 = 1e-13;

/// The bound [`FLOOR`] relative to the largest coordinate: positions are rounded, and points of embedded surfaces are
/// sums of four products.
const COORDINATE_FLOOR: f64 = 16.0 * f64::EPSILON;

/// Smallest remaining gap, relative to the largest coordinate, for which all rounding errors in doubles are
/// negligible.
const CERTAIN_GAP: f64 = 256.0 * f64::EPSILON;

/// Range of the largest coordinate (m), `2^-200` to `2^200`, in which no product of four coordinates overflows and no
/// relevant one underflows.
const MIN_COORDINATE: f64 = f64::from_bits((1023 - 200) << 52);
const MAX_COORDINATE: f64 = 1.0 / MIN_COORDINATE;

/// Scaling factor `2^300`, less than the ratio of these two bounds.
const SCALE_FACTOR: f64 = f64::from_bits((1023 + 300) << 52);

/// A time in [0, 1] up to which the distance of the pair is certified to exceed `min_separation` (m) while its points
/// move straight from `from` to `to` (m), in the order of [`PairKind`].
///
/// The time is 1 if that holds for the whole path. Otherwise between one and two [`CONSERVATIVE_GAP`]s of the initial
/// gap (distance minus minimum separation) remain at that time, or more after [`MAX_STEPS`] steps. The remaining gap is
/// at least [`FLOOR`] of the extent and a few roundings of the coordinates. The time is zero only if there is no gap, or
/// if the initial gap is smaller than this bound and does not provably open.
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
    let max_coordinate = largest_coordinate(from).max(largest_coordinate(to));
    let origin = from[0];
    let start = from.map(|x| x - origin);
    let motion = relative_motion(from, to);
    let is_in_range = (MIN_COORDINATE..=MAX_COORDINATE).contains(&max_coordinate);
    let certain_gap = if is_in_range { CERTAIN_GAP * max_coordinate } else { f64::INFINITY };
    let floor = certain_gap.max(FLOOR * largest_coordinate(&start));
    if is_separated(kind, &start, &motion, min_separation, floor) {
        return 1.0;
    }
    let closest = Closest::new(kind, &start);
    let conservative_gap = CONSERVATIVE_GAP * (closest.distance() - min_separation);
    let is_decidable_in_doubles = conservative_gap > certain_gap;
    if !is_decidable_in_doubles {
        return certified_time(kind, from, to, min_separation);
    }
    let min_remaining_gap = conservative_gap.max(floor);
    let (start, motion) = (&start, &motion);
    let advancement = Advancement { kind, start, motion, min_separation, min_remaining_gap };
    match advancement.run(closest) {
        Ok(time) => time,
        Err(time) => certified_time(kind, from, to, min_separation).max(time),
    }
}

/// [`time_of_impact`] for pairs that doubles cannot decide. Coordinates that are too large or too small are scaled
/// by a power of two. This does not change the result: bits lost to underflow are negligible relative to the
/// largest coordinate.
#[cold]
fn certified_time(kind: PairKind, from: &[Vec3; 4], to: &[Vec3; 4], min_separation: f64) -> f64 {
    let max_coordinate = largest_coordinate(from).max(largest_coordinate(to));
    if max_coordinate == 0.0 || !max_coordinate.is_finite() {
        return 0.0;
    }
    if !(MIN_COORDINATE..=MAX_COORDINATE).contains(&max_coordinate) {
        let factor = if max_coordinate < 1.0 { SCALE_FACTOR } else { 1.0 / SCALE_FACTOR };
        let [from, to] = [from, to].map(|x| x.map(|x| x * factor));
        return time_of_impact(kind, &from, &to, min_separation * factor);
    }
    let start = from.map(|x| x - from[0]);
    if Closest::new(kind, &start).distance() <= min_separation {
        return 0.0;
    }
    let floor = (COORDINATE_FLOOR * max_coordinate).max(FLOOR * largest_coordinate(&start));
    Paths { kind, from, to, min_separation, max_coordinate }.time_of_impact(floor)
}

/// Whether a plane normal to the line between the centroids of both primitives proves that [`CONSERVATIVE_GAP`] of the
/// gap, and at least `floor` (m), remains on the whole path. This holds for half of the neighbours in two surfaces and
/// needs no closest points.
fn is_separated(
    kind: PairKind,
    start: &[Vec3; 4],
    motion: &[Vec3; 4],
    min_separation: f64,
    floor: f64,
) -> bool {
    let x = start;
    let direction = match kind {
        PairKind::VertexFace => x[0] - (x[1] + x[2] + x[3]) * (1.0 / 3.0),
        PairKind::EdgeEdge => ((x[2] + x[3]) - (x[0] + x[1])) * 0.5,
        PairKind::VertexEdge => x[0] - (x[1] + x[2]) * 0.5,
        PairKind::VertexVertex => x[0] - x[1],
    };
    // The distance of the centroids is an upper bound of the distance of the primitives.
    let max_distance = direction.length();
    let required_gap = (CONSERVATIVE_GAP * (max_distance - min_separation)).max(floor);
    let required_height = (min_separation + required_gap) * max_distance;
    let heights = Heights::new(direction, start, motion);
    heights.gap_at(kind, 0.0) > required_height && heights.gap_at(kind, 1.0) > required_height
}

/// [`time_of_impact`] of a point and a plane, from the gaps (m) at the start and at the end. The coordinates of the
/// point are at most `max_coordinate` (m).
pub fn time_of_impact_with_plane(from: f64, to: f64, max_coordinate: f64) -> f64 {
    if from <= 0.0 {
        return 0.0;
    }
    let remaining_gap = (CONSERVATIVE_GAP * from).max(FLOOR * max_coordinate).min(from);
    if to >= remaining_gap { 1.0 } else { (from - remaining_gap) / (from - to) }
}

/// Largest relative displacement (m) between a point of one primitive and a point of the other.
#[inline]
pub(crate) fn max_relative_displacement(kind: PairKind, motion: &[Vec3; 4]) -> f64 {
    let square = |i: usize, j: usize| (motion[i] - motion[j]).length_squared();
    let squares = match kind {
        PairKind::EdgeEdge => [square(0, 2), square(0, 3), square(1, 2), square(1, 3)],
        PairKind::VertexFace => [square(0, 1), square(0, 2), square(0, 3), 0.0],
        PairKind::VertexEdge => [square(0, 1), square(0, 2), 0.0, 0.0],
        PairKind::VertexVertex => [square(0, 1), 0.0, 0.0, 0.0],
    };
    squares.into_iter().fold(0.0, f64::max).sqrt()
}

/// Largest absolute coordinate.
fn largest_coordinate(points: &[Vec3; 4]) -> f64 {
    points.iter().map(|x| x.abs().max_element()).fold(0.0, f64::max)
}

/// Displacements minus their mean, which does not affect distances.
fn relative_motion(from: &[Vec3; 4], to: &[Vec3; 4]) -> [Vec3; 4] {
    let displacements: [Vec3; 4] = from_fn(|k| to[k] - from[k]);
    let mean = (displacements[0] + displacements[1] + displacements[2] + displacements[3]) * 0.25;
    displacements.map(|displacement| displacement - mean)
}

/// Positions at a time in [0, 1].
fn advance(start: &[Vec3; 4], motion: &[Vec3; 4], time: f64) -> [Vec3; 4] {
    from_fn(|k| start[k] + motion[k] * time)
}
