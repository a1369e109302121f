//! Warnings of bodies and obstacles that start inside others.
//!
//! Their surfaces do not intersect, so the scene is valid, but contact keeps the inner object inside. This is intended
//! if the outer object is hollow: the inner one is then in the cavity and not in the material.

use super::body::PlacedBody;
use super::warnings::{origin, warning};
use super::{Parts, start};
use resile_contact::neighbours::overlapping;
use resile_math::{Aabb, Vec3};
use resile_mesh::{SurfaceDefects, TriMesh};
use resile_mesher::signed_distance::SignedDistance;
use resile_scene::description::Problem;
use std::collections::{BTreeMap, BTreeSet};

/// A body or an obstacle at the start.
struct Collider {
    /// Its index in the table of pairs.
    index: usize,
    surface: TriMesh,
    bounds: Aabb,
    /// A point of its surface.
    surface_point: Option<Vec3>,
    /// Whether its surface encloses material.
    is_solid: bool,
}

/// Warns of each body or obstacle that starts within the material of another; the copies of a body have one warning.
/// O(n log n) for well distributed bodies.
pub(super) fn warn_nested(parts: &Parts<'_>) -> Vec<Problem> {
    let colliders = placed_colliders(parts);
    let mut problems = Vec::new();
    for (outer, candidates) in pairs_by_boxes(parts, &colliders) {
        let Ok(solid) = SignedDistance::new(&colliders[outer].surface) else { continue };
        // Without intersections a surface is inside completely or not at all.
        let is_inside =
            |&inner: &usize| colliders[inner].surface_point.is_some_and(|x| solid.value(x) < 0.0);
        let outer = colliders[outer].index;
        let inner_colliders =
            candidates.into_iter().filter(is_inside).map(|inner| colliders[inner].index);
        // For each body of the scene, its first copy inside and the number of further copies.
        let mut inside_of_body: Vec<(usize, usize)> = Vec::new();
        for inner in inner_colliders {
            match inside_of_body.last_mut() {
                Some((first, more)) if origin(parts, *first) == origin(parts, inner) => *more += 1,
                _ => inside_of_body.push((inner, 0)),
            }
        }
        problems.extend(inside_of_body.into_iter().map(|(inner, more)| {
            let [a, b] = [inner, outer].map(|index| start::collider_name(parts, index));
            let help = if outer < parts.expanded.len() {
                "no surfaces cross, so contact will keep it there: move one of them, or list both in `contact.exclude`"
            } else {
                "no surfaces cross, so contact will keep it there, as in a container: if it is none, move one of them; \
                 a container with walls, or with triangles that face inward, gives no warning"
            };
            let message = match more {
                0 => format!("\"{a}\" begins inside the solid of \"{b}\""),
                _ => format!("\"{a}\" and {more} more copies begin inside the solid of \"{b}\""),
            };
            warning(origin(parts, inner).0, message, help)
        }));
    }
    problems
}

/// The bodies, the moving obstacles, and the fixed obstacles except planes.
fn placed_colliders(parts: &Parts<'_>) -> Vec<Collider> {
    let body_count = parts.expanded.len();
    let placed = parts.placed.iter().enumerate().map(|(index, body)| {
        let surface = TriMesh {
            positions: surface_points(body),
            triangles: body.surface.triangles().to_vec(),
        };
        let is_solid = match index < body_count {
            true => !body.tets.is_empty() || body.affine.is_some(),
            false => encloses_material(&surface),
        };
        let surface_point = body.surface.vertices().first().map(|&v| surface.positions[v as usize]);
        let bounds = Aabb::around(&surface.positions).unwrap_or(Aabb::EMPTY);
        Collider { index, surface, bounds, surface_point, is_solid }
    });
    let obstacles = parts.scene.obstacles.iter().zip(&parts.obstacles).enumerate();
    let fixed = obstacles.filter(|(_, (described, _))| !described.moves());
    let fixed = fixed.filter_map(|(k, (_, placed))| {
        let surface = placed.mesh.clone()?;
        let bounds = surface.bounds()?;
        let (index, surface_point) = (parts.placed.len() + k, surface.positions.first().copied());
        Some(Collider {
            index,
            is_solid: encloses_material(&surface),
            surface,
            bounds,
            surface_point,
        })
    });
    placed.chain(fixed).collect()
}

/// Whether a surface is closed and faces outward.
fn encloses_material(surface: &TriMesh) -> bool {
    surface.defects() == SurfaceDefects::default() && surface.enclosed_volume() > 0.0
}

/// For each collider with material, the colliders whose bounding boxes start inside its box and that collide with it.
/// Keys and values are indices of `colliders`.
fn pairs_by_boxes(parts: &Parts<'_>, colliders: &[Collider]) -> BTreeMap<usize, BTreeSet<usize>> {
    let Some(collisions) = &parts.collisions else { return BTreeMap::new() };
    let is_obstacle = |collider: &Collider| collider.index >= parts.expanded.len();
    let boxes: Vec<Aabb> = colliders.iter().map(|collider| collider.bounds).collect();
    let mut pairs: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    overlapping(&boxes, |a, b| {
        for (inner, outer) in [(a, b), (b, a)] {
            let pair = [inner, outer].map(|k| &colliders[k]);
            if pair[1].is_solid
                && !pair.into_iter().all(is_obstacle)
                && contains(boxes[outer], boxes[inner])
                && collisions.pairs.collide(pair[0].index, pair[1].index)
            {
                pairs.entry(outer).or_default().insert(inner);
            }
        }
    });
    pairs
}

/// Initial positions of the points of a surface (m).
fn surface_points(body: &PlacedBody) -> Vec<Vec3> {
    body.surface.points(&body.state.positions).into_owned()
}

/// Whether `inner` lies within `outer`.
fn contains(outer: Aabb, inner: Aabb) -> bool {
    outer.min.cmple(inner.min).all() && inner.max.cmple(outer.max).all()
}
