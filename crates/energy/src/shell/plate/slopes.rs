//! Slopes of a shell at the midpoints of its edges, from the angles of neighbouring edges.
//!
//! The slope across an edge at its midpoint is the mean of the slopes of its two triangles plus an error that is
//! linear in the curvature, and zero if a rotation by half a turn maps one triangle to the other. The curvature
//! follows from the angles of the nearest edges. The error is a weighted sum of these angles; the weights have the
//! least norm among those that are exact for every constant curvature.

use super::unfolded::{EdgeForm, EdgeFrame, EdgeWeight, Form, RestSurface, UnfoldedTriangle};
use resile_math::small::SymmetricEigen;
use std::array::from_fn;

/// Errors of the mean below this fraction of edge length times curvature are treated as zero.
const SYMMETRY_TOLERANCE: f64 = 1e-6;

/// Limit of the neighbourhood of an edge: its two triangles with their neighbours form the first ring, and a further
/// ring of neighbours is added while the angles determine the curvature poorly.
const MAX_RINGS: usize = 3;

/// The largest sum of absolute weights for which the angles determine the curvature well. On meshes of points moved
/// by up to 0.6 of their distance, 0.3 % of the edges exceed it in the first ring, and none after `MAX_RINGS`.
const MAX_WEIGHT_SUM: f64 = 3.0;

/// An eigenvalue of the normal equations below this fraction of the largest is zero.
const RANK_TOLERANCE: f64 = 1e-10;

/// Weights below this are dropped.
const MIN_WEIGHT: f64 = 1e-9;

/// For each edge the correction to subtract from the mean slope, across the edge from the first triangle to the
/// second, as weights of edges. Angles are positive for ridges seen from the side of the normal of the first
/// triangle of the edge.
pub(super) fn corrections(surface: &RestSurface<'_>) -> Vec<Vec<EdgeWeight>> {
    (0..surface.edges.len() as u32).map(|edge| correction(surface, edge)).collect()
}

/// The weights of the angles around an edge that correct its mean slope; empty if no correction is needed, or if the
/// angles do not determine it.
fn correction(surface: &RestSurface<'_>, edge: u32) -> Vec<EdgeWeight> {
    let first = surface.unfold(surface.edges[edge as usize].triangles[0]);
    let edges = surface.sides[first.triangle as usize];
    let side = edges.iter().position(|side| *side == Some(edge)).expect("the edge of its triangle");
    let second = surface.unfold_neighbour(&first, side).expect("an inner edge has two triangles");
    let (mean_error, length) = error_of_mean_slope(&first, side, &second);
    if mean_error.iter().all(|error| error.abs() <= SYMMETRY_TOLERANCE * length) {
        return Vec::new();
    }
    let mut unfolded = vec![first, second];
    for _ in 0..MAX_RINGS {
        let angles = angles_in(surface, &unfolded);
        let weights = least_norm_weights(&angles, mean_error, length);
        if let Some(weights) = weights.filter(|weights| absolute_sum(weights) <= MAX_WEIGHT_SUM) {
            return weights.into_iter().filter(|w| w.weight.abs() > MIN_WEIGHT).collect();
        }
        add_neighbours(surface, &mut unfolded);
    }
    Vec::new()
}

/// The sum of the absolute weights.
fn absolute_sum(weights: &[EdgeWeight]) -> f64 {
    weights.iter().map(|edge| edge.weight.abs()).sum()
}

/// The error of the mean of the slopes of two triangles at the midpoint of their edge, which is that `side` of the first
/// one, and the length of the edge (m).
fn error_of_mean_slope(
    first: &UnfoldedTriangle,
    side: usize,
    second: &UnfoldedTriangle,
) -> (Form, f64) {
    let [p, q, tip] = from_fn(|k| first.corners[(side + k) % 3]);
    let neighbour_tip = opposite_corner(second, p, q);
    let frame = EdgeFrame::new(p, q, neighbour_tip);
    let (a, b) = (frame.slope_error(tip), frame.slope_error(neighbour_tip));
    (from_fn(|i| 0.5 * (a[i] + b[i])), frame.length)
}

/// The corner of a triangle that is neither `p` nor `q`.
fn opposite_corner(triangle: &UnfoldedTriangle, p: [f64; 2], q: [f64; 2]) -> [f64; 2] {
    let tip = triangle.corners.into_iter().find(|corner| *corner != p && *corner != q);
    tip.expect("a triangle has a corner off each edge")
}

/// The edges of the unfolded triangles, each once, with their angles as linear forms of the curvature.
fn angles_in(surface: &RestSurface<'_>, unfolded: &[UnfoldedTriangle]) -> Vec<EdgeForm> {
    let mut angles: Vec<EdgeForm> = Vec::new();
    for triangle in unfolded {
        for side in 0..3 {
            let Some(edge) = surface.sides[triangle.triangle as usize][side] else { continue };
            if angles.iter().any(|known| known.edge == edge) {
                continue;
            }
            let Some(other) = surface.unfold_neighbour(triangle, side) else { continue };
            let [p, q, tip] = from_fn(|k| triangle.corners[(side + k) % 3]);
            let neighbour_tip = opposite_corner(&other, p, q);
            let frame = EdgeFrame::new(p, q, neighbour_tip);
            let (error, neighbour_error) =
                (frame.slope_error(tip), frame.slope_error(neighbour_tip));
            let sign = triangle.orientation * surface.orientation(edge, triangle.triangle);
            let form = from_fn(|i| sign * (neighbour_error[i] - error[i]));
            angles.push(EdgeForm { edge, form });
        }
    }
    angles
}

/// Adds the unfolded neighbours of all triangles that are not yet among them.
fn add_neighbours(surface: &RestSurface<'_>, unfolded: &mut Vec<UnfoldedTriangle>) {
    for index in 0..unfolded.len() {
        for side in 0..3 {
            let Some(next) = surface.unfold_neighbour(&unfolded[index], side) else { continue };
            if unfolded.iter().all(|other| other.triangle != next.triangle) {
                unfolded.push(next);
            }
        }
    }
}

/// The weights of least norm of the forms of edges for which the weighted sum is `target`, by the normal equations, with
/// forms and target divided by `length` (m); `None` if there are none.
fn least_norm_weights(forms: &[EdgeForm], target: Form, length: f64) -> Option<Vec<EdgeWeight>> {
    let scaled = |form: &Form| form.map(|c| c / length);
    let mut gram = [[0.0; 3]; 3];
    for EdgeForm { form, .. } in forms {
        let form = scaled(form);
        for i in 0..3 {
            for j in 0..3 {
                gram[i][j] += form[i] * form[j];
            }
        }
    }
    let eigen = SymmetricEigen::new(&gram);
    let target = scaled(&target);
    let largest = eigen.values.iter().copied().fold(0.0, f64::max);
    // Lagrange multipliers: the solution of `gram multiplier = target` of least norm.
    let mut multiplier = [0.0; 3];
    for k in (0..3).filter(|&k| eigen.values[k] > RANK_TOLERANCE * largest) {
        let component: f64 = (0..3).map(|i| eigen.vectors[i][k] * target[i]).sum();
        for (i, multiplier) in multiplier.iter_mut().enumerate() {
            *multiplier += eigen.vectors[i][k] * component / eigen.values[k];
        }
    }
    let weight = |form: &Form| (0..3).map(|i| scaled(form)[i] * multiplier[i]).sum();
    let edge_weight =
        |&EdgeForm { edge, form }: &EdgeForm| EdgeWeight { edge, weight: weight(&form) };
    let weights: Vec<EdgeWeight> = forms.iter().map(edge_weight).collect();
    let form_sum = |i: usize| -> f64 {
        let edges = forms.iter().zip(&weights);
        edges.map(|(edge, EdgeWeight { weight, .. })| scaled(&edge.form)[i] * weight).sum()
    };
    (0..3).all(|i| (form_sum(i) - target[i]).abs() <= SYMMETRY_TOLERANCE).then_some(weights)
}
