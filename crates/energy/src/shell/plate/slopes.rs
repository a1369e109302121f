//! How a shell slopes across its edges, from the angles of the edges around.
//!
//! In the middle of an edge the slope across it is the mean of those of its two triangles, but for an error that is
//! linear in the curvature there, and zero if the triangles are images of each other under half a turn. The curvature
//! follows from the angles of the nearest edges: the error is a sum over them, whose weights are the smallest of
//! those that are right for every constant curvature.

use super::unfolded::{EdgeFrame, Form, Laid, RestSurface};
use resile_math::small::SymmetricEigen;
use std::array::from_fn;

/// An error of the mean below this fraction of the edge times the curvature is none.
const HALF_TURN: f64 = 1e-6;

/// How far around an edge angles are looked at: two triangles and their neighbours, and once more the neighbours
/// of what was looked at as long as its angles do not tell the curvature well.
const RINGS: usize = 3;

/// Angles tell the curvature well if the weights of none sum up to more. On meshes of points that were moved by up to
/// 0.6 of their distance 0.3 % of the edges exceed it at first, and none after `RINGS`.
const MOST_WEIGHT: f64 = 3.0;

/// An eigenvalue of the normal equations below this fraction of the largest is zero.
const RANK: f64 = 1e-10;

/// Weights below this move nothing.
const NO_WEIGHT: f64 = 1e-9;

/// For each edge: the slope that is to be taken off the mean of its triangles', across the edge from the first to the
/// second, as weights of edges by their numbers. Angles count from the side to which the edge's first triangle's normal points.
pub(super) fn corrections(surface: &RestSurface<'_>) -> Vec<Vec<(u32, f64)>> {
    (0..surface.edges.len() as u32).map(|edge| correction(surface, edge)).collect()
}

fn correction(surface: &RestSurface<'_>, edge: u32) -> Vec<(u32, f64)> {
    let first = surface.lay(surface.edges[edge as usize].triangles[0]);
    let own = surface.sides[first.triangle as usize];
    let side = own.iter().position(|side| *side == Some(edge)).expect("the edge of its triangle");
    let second = surface.beyond(&first, side).expect("an inner edge has two triangles");
    let (mean, length) = mean_error(&first, side, &second);
    if mean.iter().all(|error| error.abs() <= HALF_TURN * length) {
        return Vec::new();
    }
    let mut laid = vec![first, second];
    for _ in 0..RINGS {
        let angles = angles_in(surface, &laid);
        let weights = least_weights(&angles, mean, length);
        if let Some(weights) = weights.filter(|weights| total(weights) <= MOST_WEIGHT) {
            return weights.into_iter().filter(|(_, w)| w.abs() > NO_WEIGHT).collect();
        }
        grow(surface, &mut laid);
    }
    Vec::new()
}

fn total(weights: &[(u32, f64)]) -> f64 {
    weights.iter().map(|(_, weight)| weight.abs()).sum()
}

/// The error of the mean of two triangles' slopes in the middle of their edge, and the edge's length (m).
fn mean_error(first: &Laid, side: usize, second: &Laid) -> (Form, f64) {
    let [p, q, tip] = from_fn(|k| first.corners[(side + k) % 3]);
    let beyond = tip_beyond(second, p, q);
    let frame = EdgeFrame::new(p, q, beyond);
    let (a, b) = (frame.slope_error(tip), frame.slope_error(beyond));
    (from_fn(|i| 0.5 * (a[i] + b[i])), frame.length)
}

fn tip_beyond(laid: &Laid, p: [f64; 2], q: [f64; 2]) -> [f64; 2] {
    let tip = laid.corners.into_iter().find(|corner| *corner != p && *corner != q);
    tip.expect("a triangle has a corner off each edge")
}

/// The edges of triangles in the plane, each once, and their angles as forms of the curvature, seen from the first
/// triangle's side.
fn angles_in(surface: &RestSurface<'_>, laid: &[Laid]) -> Vec<(u32, Form)> {
    let mut angles: Vec<(u32, Form)> = Vec::new();
    for own in laid {
        for side in 0..3 {
            let Some(edge) = surface.sides[own.triangle as usize][side] else { continue };
            if angles.iter().any(|(known, _)| *known == edge) {
                continue;
            }
            let Some(other) = surface.beyond(own, side) else { continue };
            let [p, q, tip] = from_fn(|k| own.corners[(side + k) % 3]);
            let beyond = tip_beyond(&other, p, q);
            let frame = EdgeFrame::new(p, q, beyond);
            let (here, there) = (frame.slope_error(tip), frame.slope_error(beyond));
            let sign = own.up * surface.sense(edge, own.triangle);
            angles.push((edge, from_fn(|i| sign * (there[i] - here[i]))));
        }
    }
    angles
}

/// Lays the neighbours that do not lie in the plane yet.
fn grow(surface: &RestSurface<'_>, laid: &mut Vec<Laid>) {
    for known in 0..laid.len() {
        for side in 0..3 {
            let Some(next) = surface.beyond(&laid[known], side) else { continue };
            if laid.iter().all(|other| other.triangle != next.triangle) {
                laid.push(next);
            }
        }
    }
}

/// The weights with the least sum of squares with which the forms sum up to `want`; none if none do.
fn least_weights(forms: &[(u32, Form)], want: Form, length: f64) -> Option<Vec<(u32, f64)>> {
    let scaled = |form: &Form| form.map(|c| c / length);
    let mut normal = [[0.0; 3]; 3];
    for (_, form) in forms {
        let form = scaled(form);
        for i in 0..3 {
            for j in 0..3 {
                normal[i][j] += form[i] * form[j];
            }
        }
    }
    let eigen = SymmetricEigen::new(&normal);
    let want = scaled(&want);
    let largest = eigen.values.iter().copied().fold(0.0, f64::max);
    let mut multiplier = [0.0; 3];
    for k in (0..3).filter(|&k| eigen.values[k] > RANK * largest) {
        let part: f64 = (0..3).map(|i| eigen.vectors[i][k] * want[i]).sum();
        for (i, multiplier) in multiplier.iter_mut().enumerate() {
            *multiplier += eigen.vectors[i][k] * part / eigen.values[k];
        }
    }
    let weight = |form: &Form| (0..3).map(|i| scaled(form)[i] * multiplier[i]).sum();
    let weights: Vec<(u32, f64)> = forms.iter().map(|(edge, form)| (*edge, weight(form))).collect();
    let sum = |i: usize| -> f64 {
        forms.iter().zip(&weights).map(|((_, form), (_, weight))| scaled(form)[i] * weight).sum()
    };
    (0..3).all(|i| (sum(i) - want[i]).abs() <= HALF_TURN).then_some(weights)
}
