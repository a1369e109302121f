//! Test for intersections in the initial state.

use super::{Parts, error, path_of};
use resile_contact::{Intersection, Primitive, intersections};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_scene::description::{FillMesh, Problem, Shape};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Limit of intersecting primitives, at which the search ends (about ten megabytes).
const MAX_INTERSECTIONS: usize = 50_000;
/// Limit of reported pairs of bodies.
const MAX_REPORTS: usize = 20;

/// Depth (m) below which two bodies touch rather than intersect, as neighbouring parts of an assembly do.
const TOUCHING: f64 = 1e-9;

/// Two bodies, or a body and an obstacle, that intersect at the start, or one that
/// intersects itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crossing {
    /// The two bodies, equal for a self-intersection.
    pub sides: [Side; 2],
    /// Whether the search was complete: it ends at fifty thousand pairs.
    pub complete: bool,
    /// The point of the deepest intersection (m).
    pub point: [f64; 3],
    /// The penetration depth (m): the shortest translation that separates the primitives there, or the depth below a
    /// plane.
    pub depth: f64,
    /// The distance of the two (m), positive only if they are closer than their thickness.
    pub distance: f64,
    /// The sum of their half thicknesses (m).
    pub thickness: f64,
    /// A translation (m) along an axis that separates the two; `None` for self-intersections.
    pub parting: Option<f64>,
}

/// One of the two sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// The name of the body or the obstacle.
    pub name: String,
    /// Its number: bodies first, each copy counted, then obstacles.
    #[serde(skip)]
    pub(super) collider: usize,
    /// The primitive of the deepest intersection, such as `edge 3-7`.
    pub primitive: String,
    /// An element of that primitive; `None` for surfaces.
    pub element: Option<u32>,
    /// Numbers of the intersecting triangles of its surface, from 0; empty for a plane.
    pub triangles: Vec<u32>,
    /// Positions of the corners of these triangles (m).
    #[serde(skip)]
    pub corners: Vec<[Vec3; 3]>,
}

impl Crossing {
    /// The triangles of each side with separate corners, and its collider number for each triangle; obstacles follow
    /// the bodies.
    pub fn meshes(&self) -> impl Iterator<Item = (u32, TriMesh)> {
        self.sides.iter().map(|side| {
            let positions: Vec<Vec3> = side.corners.as_flattened().to_vec();
            let triangles = (0..positions.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]);
            (side.collider as u32, TriMesh { triangles: triangles.collect(), positions })
        })
    }
}

/// Initial positions of all nodes, and the first node of each body.
pub(super) fn positions(parts: &Parts<'_>) -> (Vec<Vec3>, Vec<usize>) {
    let (mut x, mut first_nodes) = (Vec::new(), vec![0]);
    for body in &parts.placed {
        x.extend_from_slice(&body.state.positions);
        first_nodes.push(x.len());
    }
    (x, first_nodes)
}

/// The name of a body or an obstacle by its number.
pub(super) fn name(parts: &Parts<'_>, collider: usize) -> String {
    match parts.placed.get(collider) {
        Some(body) => body.body.name.clone(),
        None => parts.scene.obstacles[collider - parts.placed.len()].name().to_owned(),
    }
}

/// All pairs of bodies that intersect, in a fixed order.
pub(super) fn crossings(parts: &Parts<'_>) -> Vec<Crossing> {
    let Some(collisions) = &parts.collisions else { return Vec::new() };
    let bodies: Vec<usize> = (0..parts.placed.len()).collect();
    let (x, first_nodes) = positions(parts);
    let scene = collisions.scene(&bodies, |k| first_nodes[k]);
    let found = intersections(&scene, &x, MAX_INTERSECTIONS);
    let complete = found.len() < MAX_INTERSECTIONS;
    let mut pairs: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    let mut groups: Vec<Vec<Intersection>> = Vec::new();
    for found in found {
        let [a, b] = found.colliders;
        let group = *pairs.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(found);
    }
    groups.iter().map(|group| merge_intersections(parts, group, complete)).collect()
}

/// Combines the intersections of one pair.
fn merge_intersections(parts: &Parts<'_>, group: &[Intersection], complete: bool) -> Crossing {
    let deeper = |a: &Intersection, b: &Intersection| {
        b.pair_depth > a.pair_depth || (b.pair_depth == a.pair_depth && b.distance < a.distance)
    };
    let deepest = group[1..].iter().fold(&group[0], |a, b| if deeper(a, b) { b } else { a });
    let [a, b] = deepest.colliders;
    let mut taking_part = [BTreeSet::new(), BTreeSet::new()];
    for crossing in group {
        for (collider, primitive) in crossing.colliders.iter().zip(crossing.primitives) {
            let side = usize::from(*collider != a);
            taking_part[side].extend(triangles_of_primitive(parts, *collider, primitive));
        }
        if let [_, Primitive::Plane(number)] = crossing.primitives {
            taking_part[0].extend(triangles_below_plane(parts, a, number, crossing.min_separation));
        }
    }
    let [of_a, of_b] = taking_part;
    Crossing {
        sides: [
            side(parts, a, deepest.primitives[0], of_a),
            side(parts, b, deepest.primitives[1], of_b),
        ],
        complete,
        point: deepest.point.to_array(),
        depth: deepest.pair_depth,
        distance: deepest.distance,
        thickness: deepest.min_separation,
        parting: deepest.collider_depth.is_finite().then_some(deepest.collider_depth),
    }
}

/// The surface of a body or obstacle, with the positions of its points.
fn surface<'a>(parts: &'a Parts<'_>, collider: usize) -> Option<(&'a [[u32; 3]], Vec<Vec3>)> {
    if let Some(body) = parts.placed.get(collider) {
        let points = body.surface.points(&body.state.positions).into_owned();
        return Some((body.surface.triangles(), points));
    }
    let mesh = parts.obstacles[collider - parts.placed.len()].mesh.as_ref()?;
    Some((&mesh.triangles, mesh.positions.clone()))
}

/// The triangles of a surface that contain all corners of a primitive.
fn triangles_of_primitive(parts: &Parts<'_>, collider: usize, primitive: Primitive) -> Vec<u32> {
    let triangles = match parts.placed.get(collider) {
        Some(body) => body.surface.triangles(),
        None => match &parts.obstacles[collider - parts.placed.len()].mesh {
            Some(mesh) => &mesh.triangles,
            None => return Vec::new(),
        },
    };
    let corners: &[u32] = match &primitive {
        Primitive::Vertex(i) => std::slice::from_ref(i),
        Primitive::Edge(ends) => ends,
        Primitive::Triangle(corners) => corners,
        Primitive::Plane(_) => return Vec::new(),
    };
    let has = |t: &[u32; 3]| corners.iter().all(|corner| t.contains(corner));
    (0..).zip(triangles).filter(|(_, t)| has(t)).map(|(number, _)| number).collect()
}

/// The triangles of a body that reach below a plane.
fn triangles_below_plane(
    parts: &Parts<'_>,
    collider: usize,
    plane: usize,
    offset: f64,
) -> Vec<u32> {
    let (Some(collisions), Some((triangles, points))) =
        (&parts.collisions, surface(parts, collider))
    else {
        return Vec::new();
    };
    let plane = &collisions.obstacles.planes()[plane];
    let reaches = |t: &[u32; 3]| t.iter().any(|&i| plane.height(points[i as usize]) <= offset);
    (0..).zip(triangles).filter(|(_, t)| reaches(t)).map(|(number, _)| number).collect()
}

/// Describes one side of an intersection; `taking_part` are the indices of its intersecting triangles.
fn side(
    parts: &Parts<'_>,
    collider: usize,
    primitive: Primitive,
    taking_part: BTreeSet<u32>,
) -> Side {
    let corners = surface(parts, collider).map_or_else(Vec::new, |(triangles, points)| {
        let at = |t: &u32| triangles[*t as usize].map(|i| points[i as usize]);
        taking_part.iter().map(at).collect()
    });
    Side {
        name: name(parts, collider),
        collider,
        primitive: named(primitive),
        element: element(parts, collider, primitive),
        triangles: taking_part.into_iter().collect(),
        corners,
    }
}

/// The name of a primitive with the numbers of its corners.
pub(super) fn named(primitive: Primitive) -> String {
    match primitive {
        Primitive::Vertex(i) => format!("vertex {i}"),
        Primitive::Edge([i, j]) => format!("edge {i}-{j}"),
        Primitive::Triangle([i, j, k]) => format!("triangle {i}-{j}-{k}"),
        Primitive::Plane(_) => "the plane".to_owned(),
    }
}

/// The first element of a solid that contains all nodes of a primitive of its boundary.
fn element(parts: &Parts<'_>, collider: usize, primitive: Primitive) -> Option<u32> {
    let body = parts.placed.get(collider).filter(|body| body.surface.embedding().is_none())?;
    let nodes: &[u32] = match &primitive {
        Primitive::Vertex(i) => std::slice::from_ref(i),
        Primitive::Edge(ends) => ends,
        Primitive::Triangle(corners) => corners,
        Primitive::Plane(_) => return None,
    };
    let has = |tet: &[u32; 4]| nodes.iter().all(|node| tet.contains(node));
    body.tets.iter().position(has).map(|tet| tet as u32)
}

/// An error for each pair, and a final one for omitted pairs.
pub(super) fn reports(parts: &Parts<'_>, crossings: &[Crossing]) -> Vec<Problem> {
    let mut problems: Vec<Problem> =
        crossings.iter().take(MAX_REPORTS).map(|crossing| report(parts, crossing)).collect();
    let first_left = crossings.get(MAX_REPORTS);
    problems.extend(first_left.map(|first| {
        let more = crossings.len() - MAX_REPORTS;
        let [a, b] = first.sides.each_ref().map(|side| &side.name);
        let message =
            format!("{more} more pairs intersect at the start, first \"{a}\" and \"{b}\"");
        error(path(parts, first), message, "`sim check --json` lists them all")
    }));
    problems
}

/// The problem that two intersecting parts cause.
fn report(parts: &Parts<'_>, crossing: &Crossing) -> Problem {
    let [a, b] = crossing.sides.each_ref().map(|side| &side.name);
    let [p, q] = crossing.sides.each_ref().map(|side| match side.element {
        Some(element) => format!("{} (element {element})", side.primitive),
        None => side.primitive.clone(),
    });
    let units = parts.scene.units;
    let place = units.point(crossing.point);
    let itself = crossing.sides[0].collider == crossing.sides[1].collider;
    let message = if crossing.depth == 0.0 && crossing.thickness > 0.0 {
        let [distance, offset] =
            [crossing.distance, crossing.thickness].map(|length| units.show(length, "m"));
        let near = format!("{p} is {distance:e} from {q} at {place}");
        let pair =
            if itself { format!("\"{a}\" and itself") } else { format!("\"{a}\" and \"{b}\"") };
        format!("{pair} are nearer than their thickness, {offset:e}, at the start: {near}")
    } else {
        let pair = match itself {
            true => format!("\"{a}\" intersects itself at the start"),
            false => format!("\"{a}\" and \"{b}\" intersect at the start"),
        };
        let deepest = match crossing.depth {
            0.0 => format!("they touch where {p} meets {q} at {place}"),
            depth => {
                let depth = units.show(depth, "m");
                format!("deepest, {depth:.6}, where {p} meets {q} at {place}")
            }
        };
        format!("{pair}: {}; {deepest}", counts(crossing, itself))
    };
    let part = match crossing.parting {
        Some(depth) if depth < TOUCHING => {
            "leave a gap between them, or switch the pair off in `contact.off`".to_owned()
        }
        Some(depth) => format!(
            "move one of them by more than {:.6}, or switch the pair off in `contact.off`",
            units.show(depth, "m")
        ),
        None if is_in_original_surface(parts, crossing) => {
            "repair its mesh, or draw it and let the boundary of the \
            tetrahedra touch: `surface: (draw: Original, contact: Boundary)`"
                .to_owned()
        }
        None => "deform the body less, repair its mesh, or switch the pair off in `contact.off`"
            .to_owned(),
    };
    let help = format!("{part}; `sim check` with `-o crossings.vtu` writes these triangles");
    error(path(parts, crossing), message, help)
}

/// Whether a self-intersection is one of the original surface of a filled body.
fn is_in_original_surface(parts: &Parts<'_>, crossing: &Crossing) -> bool {
    let body = parts.expanded.get(crossing.sides[0].collider);
    body.is_some_and(|expanded| match &expanded.body.shape {
        Shape::Fill { surface, .. } => surface.contact == FillMesh::Original,
        _ => false,
    })
}

/// Describes how many triangles of each side intersect.
fn counts(crossing: &Crossing, itself: bool) -> String {
    let prefix = if crossing.complete { "" } else { "at least " };
    let [a, b] = crossing.sides.each_ref().map(|side| side.triangles.len());
    let noun = |n| if n == 1 { "triangle" } else { "triangles" };
    match (itself, b) {
        (true, _) => format!("{prefix}{a} {} take part", noun(a)),
        (false, 0) => format!("{a} {} reach below", noun(a)),
        (false, _) => format!("{prefix}{a} {} of the one and {b} of the other", noun(a)),
    }
}

/// The path of the field that places the first body.
fn path(parts: &Parts<'_>, crossing: &Crossing) -> String {
    (crossing.sides.iter().find_map(|side| parts.expanded.get(side.collider)))
        .map_or_else(|| "obstacles".to_owned(), |body| format!("{}.placement", path_of(body)))
}
