//! Step bounds that keep corners of rods away from folds by half a turn.

use crate::step_bound::KEPT_FRACTION;
use resile_system::{Path, Vec3};
use std::f64::consts::FRAC_PI_2;

/// The fraction of the remaining angle that one stride may consume.
const STRIDE_FRACTION: f64 = 0.5;
/// Maximum number of strides; each consumes half of the remaining angle or ends the search.
const MAX_STRIDES: usize = 60;
/// Number of bisections that determine the length of a stride.
const BISECTIONS: usize = 30;

/// Edges before and after a corner on a straight path of its nodes.
struct Edges {
    /// The edges at the start of the path (m).
    start: [Vec3; 2],
    /// Change of the edges over the whole path (m).
    change: [Vec3; 2],
}

impl Edges {
    /// The unit vectors along the edges at the fraction `t`.
    fn directions(&self, t: f64) -> [Vec3; 2] {
        [0, 1].map(|k| (self.start[k] + self.change[k] * t).normalize_or_zero())
    }
}

/// A lower bound of the angle (rad) between the unit vectors e and -f, which is zero in a fold.
fn min_angle([e, f]: [Vec3; 2]) -> f64 {
    (e + f).length()
}

/// An upper bound of the sum of the rotation angles (rad) of both edges between two pairs of directions. The direction of
/// a vector on a straight path rotates monotonically, so the bound grows along the path.
fn max_rotation(from: [Vec3; 2], to: [Vec3; 2]) -> f64 {
    FRAC_PI_2 * (from[0].distance(to[0]) + from[1].distance(to[1]))
}

/// The largest fraction of the path on which all corners keep `KEPT_FRACTION` of their angle to a fold. Corners
/// that are folded at the start are ignored.
pub(super) fn bound(path: &Path<'_>, corners: &[[u32; 3]]) -> f64 {
    let edges = |corner: &[u32; 3]| {
        let [a, b, c] = corner.map(|node| node as usize);
        let edges_at = |x: &[Vec3]| [x[b] - x[a], x[c] - x[b]];
        let (start, end) = (edges_at(path.from), edges_at(path.to));
        Edges { start, change: [end[0] - start[0], end[1] - start[1]] }
    };
    corners.iter().map(|corner| corner_bound(&edges(corner))).fold(1.0, f64::min)
}

/// The [`bound`] of one corner. It advances in strides that cannot exhaust the remaining angle.
fn corner_bound(edges: &Edges) -> f64 {
    let start = edges.directions(0.0);
    let start_angle = min_angle(start);
    if start_angle <= 0.0
        || max_rotation(start, edges.directions(1.0)) < (1.0 - KEPT_FRACTION) * start_angle
    {
        return 1.0;
    }
    let (mut t, mut directions) = (0.0, start);
    for _ in 0..MAX_STRIDES {
        let angle = min_angle(directions);
        let is_safe_to =
            |to: f64| max_rotation(directions, edges.directions(to)) <= STRIDE_FRACTION * angle;
        if angle < KEPT_FRACTION * start_angle {
            return t;
        }
        if is_safe_to(1.0) {
            return 1.0;
        }
        let next = last_safe(t, is_safe_to);
        if next <= t {
            return t;
        }
        t = next;
        directions = edges.directions(t);
    }
    t
}

/// The largest fraction found by bisection between `from` and 1 for which `is_safe_to` holds, which holds for `from` and
/// not for 1.
fn last_safe(from: f64, is_safe_to: impl Fn(f64) -> bool) -> f64 {
    let (mut safe, mut not_safe) = (from, 1.0);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (safe + not_safe);
        if is_safe_to(middle) {
            safe = middle;
        } else {
            not_safe = middle;
        }
    }
    safe
}
