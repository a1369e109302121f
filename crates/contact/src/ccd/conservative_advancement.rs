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

/// Largest deficit of a gap along the normal below the distance for which its plane is accepted, relative to the
/// remaining gap. Without rounding no gap is less than the distance.
const MAX_GAP_DEFICIT: f64 = 0.25;

/// Steps before rotating planes are tried. Most pairs take fewer, and an attempt costs as much as several steps.
const FIXED_PLANE_STEPS: usize = 32;

/// Attempts at a rotating plane in a step; each covers a quarter of the time of the last one.
const MAX_ATTEMPTS: usize = 8;

/// Two primitives on straight paths.
pub(super) struct Advancement<'a> {
    pub(super) kind: PairKind,
    pub(super) start: &'a [Vec3; 4],
    pub(super) motion: &'a [Vec3; 4],
    /// Distance (m) that must be exceeded.
    pub(super) min_separation: f64,
    /// Gap (m) beyond the minimum separation that must remain.
    pub(super) min_remaining_gap: f64,
}

impl Advancement<'_> {
    /// Time in [0, 1] as [`time_of_impact`](super::time_of_impact), from the closest points at the start. The error is
    /// the time reached if no plane in doubles is accepted, or after [`MAX_STEPS`] steps.
    pub(super) fn run(&self, mut closest: Closest) -> Result<f64, f64> {
        let required = self.min_separation + self.min_remaining_gap;
        let (mut time, mut current, mut duration) = (0.0, *self.start, 1.0);
        for step in 0..MAX_STEPS {
            let distance = closest.distance();
            if time > 0.0 && distance - self.min_separation <= 2.0 * self.min_remaining_gap {
                return Ok(time);
            }
            let heights = self.separating_plane(&closest, &current).ok_or(time)?;
            if heights.gap_at(self.kind, 1.0 - time) >= required {
                return Ok(1.0);
            }
            let mut until = time + heights.separated_for(self.kind, distance, required);
            if step >= FIXED_PLANE_STEPS && until < 1.0 {
                let later =
                    self.rotating_plane_time([time, until], (&closest, &current), &mut duration);
                until = later.unwrap_or(until);
            }
            if until >= 1.0 {
                return Ok(1.0);
            }
            if until <= time {
                return Ok(time);
            }
            time = until;
            current = advance(self.start, self.motion, time);
            closest = Closest::new(self.kind, &current);
        }
        Err(time)
    }

    /// A plane along which no gap is much smaller than the distance.
    fn separating_plane(&self, closest: &Closest, current: &[Vec3; 4]) -> Option<Heights> {
        let distance = closest.distance();
        let required = distance - MAX_GAP_DEFICIT * self.min_remaining_gap;
        let heights_along = |normal: Vec3| {
            let heights = Heights::new(normal, current, self.motion);
            (heights.gap_at(self.kind, 0.0) >= required).then_some(heights)
        };
        heights_along(closest.difference / distance)
            .or_else(|| heights_along(closest.normal(current)))
    }

    /// A time after `fixed` up to which a rotating plane separates the primitives from `time` on, if one is found.
    fn rotating_plane_time(
        &self,
        [time, fixed]: [f64; 2],
        (closest, current): (&Closest, &[Vec3; 4]),
        duration: &mut f64,
    ) -> Option<f64> {
        *duration *= 4.0;
        for _ in 0..MAX_ATTEMPTS {
            let is_last = *duration >= 1.0 - time;
            let until = if is_last { 1.0 } else { time + *duration };
            if until <= fixed {
                return None;
            }
            let [midpoint, end] =
                [0.5 * (time + until), until].map(|time| advance(self.start, self.motion, time));
            let [closest_midway, closest_at_end] =
                [&midpoint, &end].map(|x| Closest::new(self.kind, x));
            let normals = normals([
                (closest, current),
                (&closest_midway, &midpoint),
                (&closest_at_end, &end),
            ]);
            if self.separates(normals, [current, &end]) {
                return Some(until);
            }
            *duration = 0.25 * (until - time);
        }
        None
    }

    /// Whether the required gap remains along a normal that is quadratic in time, through these three in the middle and
    /// at the ends of the path between the positions `ends`.
    fn separates(&self, [first, midway, last]: [Vec3; 3], ends: [&[Vec3; 4]; 2]) -> bool {
        let control = 2.0 * midway - 0.5 * (first + last);
        let longest = [first, control, last].map(Vec3::length).into_iter().fold(0.0, f64::max);
        let required = (self.min_separation + self.min_remaining_gap) * longest;
        let [ahead, behind] = sides(self.kind);
        ahead.iter().all(|&i| {
            behind.iter().all(|&j| {
                let [from, to] = ends.map(|x| x[i] - x[j]);
                let b_1 = (2.0 * control.dot(from) + first.dot(to)) / 3.0;
                let b_2 = (last.dot(from) + 2.0 * control.dot(to)) / 3.0;
                [first.dot(from), b_1, b_2, last.dot(to)].iter().all(|gap| *gap >= required)
            })
        })
    }
}

/// Normals at three times: cross products of the edges of a common feature, of about unit length, or else unit vectors.
fn normals(configurations: [(&Closest, &[Vec3; 4]); 3]) -> [Vec3; 3] {
    let feature = configurations[0].0.feature;
    let common = configurations.iter().all(|(closest, _)| closest.feature == feature);
    if let (Feature::Plane(first, second), true) = (feature, common) {
        let cross_products = configurations.map(|(closest, x)| {
            let edge = |[a, b]: [u8; 2]| x[usize::from(b)] - x[usize::from(a)];
            let normal = edge(first).cross(edge(second));
            if normal.dot(closest.difference) < 0.0 { -normal } else { normal }
        });
        let length = cross_products[0].length();
        return cross_products.map(|normal| normal / length);
    }
    configurations.map(|(closest, _)| closest.difference / closest.distance())
}
