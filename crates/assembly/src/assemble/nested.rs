//! Warnings of bodies that start inside others.
//!
//! Their surfaces do not intersect, so the scene is valid, but contact keeps the inner body inside. This is
//! intended if the outer body is hollow; the inner one is then in the cavity and not in the material.

use super::body::PlacedBody;
use super::warnings::{origin, warning};
use super::{Parts, start};
use resile_contact::neighbours::overlapping;
use resile_math::{Aabb, Vec3};
use resile_mesh::TriMesh;
use resile_mesher::signed_distance::SignedDistance;
use resile_scene::description::Problem;
use std::collections::{BTreeMap, BTreeSet};

/// A warning for each body that starts within the material of another. O(n log n) for well distributed bodies.
pub(super) fn nested(parts: &Parts<'_>) -> Vec<Problem> {
    let inside_box = inside_boxes(parts);
    let mut problems = Vec::new();
    for (outer, candidates) in inside_box {
        let body = &parts.placed[outer];
        let positions = points(body);
        let mesh = TriMesh { positions, triangles: body.surface.triangles().to_vec() };
        let Ok(solid) = SignedDistance::new(&mesh) else { continue };
        // Without intersections a surface is inside completely or not at all.
        let first = |inner: usize| {
            let vertex = parts.placed[inner].surface.vertices().first()?;
            Some(points(&parts.placed[inner])[*vertex as usize])
        };
        let is_inside = |&inner: &usize| first(inner).is_some_and(|x| solid.value(x) < 0.0);
        problems.extend(candidates.into_iter().filter(is_inside).map(|inner| {
            let [a, b] = [inner, outer].map(|k| start::name(parts, k));
            warning(
                origin(parts, inner).0,
                format!("\"{a}\" begins inside the solid of \"{b}\""),
                "no surfaces cross, so contact will keep it there: move one of them, or list \
                 both in `contact.off`",
            )
        }));
    }
    problems
}

/// For each solid the bodies that start in its bounding box and collide with it, ascending.
fn inside_boxes(parts: &Parts<'_>) -> BTreeMap<usize, BTreeSet<usize>> {
    let Some(collisions) = &parts.collisions else { return BTreeMap::new() };
    let around = |body: &PlacedBody| Aabb::around(&points(body)).unwrap_or(Aabb::EMPTY);
    let boxes: Vec<Aabb> = parts.placed.iter().map(around).collect();
    let mut inside: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    overlapping(&boxes, |a, b| {
        for (inner, outer) in [(a, b), (b, a)] {
            let body = &parts.placed[outer];
            let is_solid = !body.tets.is_empty() || body.affine.is_some();
            if is_solid
                && holds(boxes[outer], boxes[inner])
                && collisions.pairs.collide(inner, outer)
            {
                inside.entry(outer).or_default().insert(inner);
            }
        }
    });
    inside
}

/// Initial positions of the points of a surface (m).
fn points(body: &PlacedBody) -> Vec<Vec3> {
    body.surface.points(&body.state.positions).into_owned()
}

/// Whether `inner` lies within `outer`.
fn holds(outer: Aabb, inner: Aabb) -> bool {
    outer.min.cmple(inner.min).all() && inner.max.cmple(outer.max).all()
}
