//! Bodies that begin inside of others.
//!
//! No surfaces cross there, and so nothing is refused: contact keeps what is inside where it
//! is for ever. It is meant where the outer body is a hollow of two surfaces, and then the
//! inner one is in the hollow and not in the solid.

use super::warnings::{origin, warning};
use super::{Parts, start};
use crate::description::Problem;
use resile_math::{Aabb, Vec3};
use resile_mesh::TriMesh;
use resile_mesher::signed_distance::SignedDistance;

/// A warning for each body that begins within the material of another.
pub(super) fn nested(parts: &Parts<'_>) -> Vec<Problem> {
    let Some(collisions) = &parts.collisions else { return Vec::new() };
    let surfaces: Vec<Vec<Vec3>> =
        parts.placed.iter().map(|b| b.surface.points(&b.state.positions).into_owned()).collect();
    let boxes: Vec<Option<Aabb>> = surfaces.iter().map(|points| Aabb::around(points)).collect();
    let mut found = Vec::new();
    for (outer, body) in parts.placed.iter().enumerate() {
        if body.tets.is_empty() && body.affine.is_none() {
            continue;
        }
        let inside_box = |&inner: &usize| {
            inner != outer
                && collisions.pairs.collide(inner, outer)
                && boxes[inner].zip(boxes[outer]).is_some_and(|(a, b)| holds(b, a))
        };
        let candidates: Vec<usize> = (0..surfaces.len()).filter(inside_box).collect();
        if candidates.is_empty() {
            continue;
        }
        let triangles = body.surface.triangles().to_vec();
        let mesh = TriMesh { positions: surfaces[outer].clone(), triangles };
        let Ok(solid) = SignedDistance::new(&mesh) else { continue };
        // Surfaces that do not cross are inside as a whole or not at all.
        let first = |inner: &usize| {
            let vertex = parts.placed[*inner].surface.vertices().first()?;
            Some(surfaces[*inner][*vertex as usize])
        };
        let is_inside = |inner: &usize| first(inner).is_some_and(|x| solid.value(x) < 0.0);
        found.extend(candidates.iter().filter(|inner| is_inside(inner)).map(|&inner| {
            let [a, b] = [inner, outer].map(|k| start::name(parts, k));
            warning(
                origin(parts, inner).0,
                format!("\"{a}\" begins inside the solid of \"{b}\""),
                "no surfaces cross, so contact will keep it there: move one of them, or list \
                 both in `contact.off`",
            )
        }));
    }
    found
}

/// Whether `inner` lies within `outer`.
fn holds(outer: Aabb, inner: Aabb) -> bool {
    outer.min.cmple(inner.min).all() && inner.max.cmple(outer.max).all()
}
