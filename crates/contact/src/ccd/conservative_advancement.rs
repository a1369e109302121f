//! Conservative advancement in doubles: steps in which planes separate two primitives.
//!
//! A step lasts as long as the plane normal to the line between the closest points separates the primitives. Two bodies
//! that rotate together by an angle `a` leave such a plane fixed in space after `a = d/l`, where `d` is their
//! distance and `l` the length of the primitives, so a path would take `a l/d` steps. After [`FIXED_PLANE_STEPS`]
//! steps, planes whose normal is quadratic in time are tried, too, through the normals at the closest points of three
//! times. A normal of two features, the cross product of edges that move straight, is quadratic itself. With the
//! control points `c_k` of the normal and the offset of two points from `r_0` to `r_1`, the gap along the normal is a
//! cubic polynomial with the Bernstein coefficients
//!
//! ```text
//!   b_0 = c_0 . r_0,   b_1 = (2 c_1 . r_0 + c_0 . r_1)/3,   b_2 = (c_2 . r_0 + 2 c_1 . r_1)/3,   b_3 = c_2 . r_1
//! ```
//!
//! and at least the smallest of these (convex hull property; Farin 2002, *Curves and Surfaces for CAGD*). The length of
//! the normal is at most the largest of its control points.

use super::heights::{Heights, sides};
use super::{MAX_STEPS, advance};
use crate::geometry::distance::{Closest, Feature, PairKind};
use resile_math::Vec3;

/// Largest amount by which a gap along the normal may be below the distance for its plane to be accepted, relative to
/// the remaining gap. Without rounding no gap is less than the distance.
const MAX_GAP_DEFICIT: f64 = 0.25;

/// Steps before rotating planes are tried. Most pairs take fewer, and an attempt costs as much as several steps.
const FIXED_PLANE_STEPS: usize = 32;

/// Attempts at a rotating plane in a step; each covers a quarter of the time of the last one.
const MAX_ATTEMPTS: usize = 8;

/// Factor by which the duration of a rotating plane grows for the next step, and shrinks after a failed attempt.
const DURATION_FACTOR: f64 = 4.0;

/// Two primitives on straight paths.
pub(super) struct Advancement<'a> {
    pub(super) kind: PairKind,
    /// Initial positions (m).
    pub(super) start: &'a [Vec3; 4],
    /// Displacements on the path (m).
    pub(super) motion: &'a [Vec3; 4],
    /// Distance (m) that must be exceeded.
    pub(super) min_separation: f64,
    /// Gap (m) beyond the minimum separation that must remain.
    pub(super) min_remaining_gap: f64,
}

impl Advancement<'_> {
    /// Time in [0, 1] as [`time_of_impact`](super::time_of_impact), from the closest points at the start. Fails with the
    /// time reached if no plane in doubles is accepted, or after [`MAX_STEPS`] steps.
    pub(super) fn run(&self, mut closest: Closest) -> Result<f64, f64> {
        let required_distance = self.min_separation + self.min_remaining_gap;
        let (mut time, mut positions, mut duration) = (0.0, *self.start, 1.0);
        for step in 0..MAX_STEPS {
            let distance = closest.distance();
            if time > 0.0 && distance - self.min_separation <= 2.0 * self.min_remaining_gap {
                return Ok(time);
            }
            let heights = self.separating_plane(&closest, &positions).ok_or(time)?;
            if heights.gap_at(self.kind, 1.0 - time) >= required_distance {
                return Ok(1.0);
            }
            let mut until = time + heights.separated_for(self.kind, distance, required_distance);
            if step >= FIXED_PLANE_STEPS && until < 1.0 {
                let state = PairState { time, closest, positions };
                let later = self.rotating_plane_time(&state, until, &mut duration);
                until = later.unwrap_or(until);
            }
            if until >= 1.0 {
                return Ok(1.0);
            }
            if until <= time {
                return Ok(time);
            }
            time = until;
            positions = advance(self.start, self.motion, time);
            closest = Closest::new(self.kind, &positions);
        }
        Err(time)
    }

    /// The first plane, of two with approximately the normal of the closest points, along which no gap is much smaller
    /// than the distance: heights from `positions` (m) on. `None` if there is none.
    fn separating_plane(&self, closest: &Closest, positions: &[Vec3; 4]) -> Option<Heights> {
        let distance = closest.distance();
        let min_gap = distance - MAX_GAP_DEFICIT * self.min_remaining_gap;
        let heights_along = |normal: Vec3| {
            let heights = Heights::new(normal, positions, self.motion);
            (heights.gap_at(self.kind, 0.0) >= min_gap).then_some(heights)
        };
        heights_along(closest.difference / distance)
            .or_else(|| heights_along(closest.normal(positions)))
    }

    /// A time later than `min_until` up to which a rotating plane separates the primitives from `state` on, if one is
    /// found. `duration` is that of the last attempt.
    fn rotating_plane_time(
        &self,
        state: &PairState,
        min_until: f64,
        duration: &mut f64,
    ) -> Option<f64> {
        let time = state.time;
        *duration *= DURATION_FACTOR;
        for _ in 0..MAX_ATTEMPTS {
            let reaches_end = *duration >= 1.0 - time;
            let until = if reaches_end { 1.0 } else { time + *duration };
            if until <= min_until {
                return None;
            }
            let midway = self.state_at(0.5 * (time + until));
            let end = self.state_at(until);
            if self.separates(normals([state, &midway, &end]), [state, &end]) {
                return Some(until);
            }
            *duration = (until - time) / DURATION_FACTOR;
        }
        None
    }

    /// The pair at a time.
    fn state_at(&self, time: f64) -> PairState {
        let positions = advance(self.start, self.motion, time);
        PairState { time, closest: Closest::new(self.kind, &positions), positions }
    }

    /// Whether the required gap remains between two states along a normal that is quadratic in time and has these
    /// values at the first one, halfway and at the last one.
    fn separates(&self, [first, midway, last]: [Vec3; 3], ends: [&PairState; 2]) -> bool {
        let control = 2.0 * midway - 0.5 * (first + last);
        let longest = [first, control, last].map(Vec3::length).into_iter().fold(0.0, f64::max);
        let required = (self.min_separation + self.min_remaining_gap) * longest;
        let [ahead, behind] = sides(self.kind);
        ahead.iter().all(|&i| {
            behind.iter().all(|&j| {
                let [from, to] = ends.map(|state| state.positions[i] - state.positions[j]);
                let b_1 = (2.0 * control.dot(from) + first.dot(to)) / 3.0;
                let b_2 = (last.dot(from) + 2.0 * control.dot(to)) / 3.0;
                [first.dot(from), b_1, b_2, last.dot(to)].iter().all(|gap| *gap >= required)
            })
        })
    }
}

/// Closest points and positions (m) of a pair at a time.
struct PairState {
    time: f64,
    closest: Closest,
    positions: [Vec3; 4],
}

/// Normals of three states, towards the primitive ahead: cross products of the edges of a feature that all have in
/// common, of about unit length, otherwise unit vectors along the differences of the closest points.
fn normals(states: [&PairState; 3]) -> [Vec3; 3] {
    let feature = states[0].closest.feature;
    let is_common = states.iter().all(|state| state.closest.feature == feature);
    if let (Feature::Plane(first, second), true) = (feature, is_common) {
        let cross_products = states.map(|PairState { closest, positions, .. }| {
            let edge = |[a, b]: [u8; 2]| positions[usize::from(b)] - positions[usize::from(a)];
            let normal = edge(first).cross(edge(second));
            if normal.dot(closest.difference) < 0.0 { -normal } else { normal }
        });
        let length = cross_products[0].length();
        return cross_products.map(|normal| normal / length);
    }
    states.map(|state| state.closest.difference / state.closest.distance())
}
