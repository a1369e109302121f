//! The check for intersections in the initial state.

use super::{Parts, error, path_of};
use resile_contact::{Intersection, Primitive, intersections};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_scene::description::{Contact, FillMesh, Problem, Shape};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Number of intersecting pairs of primitives at which the search ends (about ten megabytes).
const MAX_INTERSECTIONS: usize = 50_000;
/// Maximum number of reported pairs of bodies.
const MAX_REPORTS: usize = 20;

/// Depth (m) below which two bodies are said to touch rather than to intersect, as neighbouring parts of an assembly
/// do.
const TOUCHING_DEPTH: f64 = 1e-9;

/// Two bodies, or a body and an obstacle, that intersect at the start, or a body that intersects itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crossing {
    /// The two bodies, equal for a self-intersection.
    pub sides: [Side; 2],
    /// Whether the search was complete: it ends at fifty thousand pairs.
    pub complete: bool,
    /// The point of the deepest intersection (m).
    pub point: [f64; 3],
    /// The penetration depth (m): the length of the shortest translation that separates the two primitives, or the
    /// depth below a plane.
    pub depth: f64,
    /// The distance of the two primitives (m). It is positive only if they are closer than their thickness.
    pub distance: f64,
    /// The sum of the half thicknesses of both surfaces (m).
    pub thickness: f64,
    /// Length of a translation (m) along a coordinate axis that separates the two bodies; `None` for
    /// self-intersections.
    pub parting: Option<f64>,
}

/// One side of an intersection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// The name of the body or the obstacle.
    pub name: String,
    /// Index of the collider: bodies first, each copy counted, then obstacles.
    #[serde(skip)]
    pub(super) collider: usize,
    /// The primitive of the deepest intersection, such as `edge 3-7`.
    pub primitive: String,
    /// The index of an element that contains the primitive; `None` for surfaces.
    pub element: Option<u32>,
    /// Indices of the intersecting triangles of its surface; empty for a plane.
    pub triangles: Vec<u32>,
    /// Positions of the corners of these triangles (m).
    #[serde(skip)]
    pub corners: Vec<[Vec3; 3]>,
}

impl Crossing {
    /// The intersecting triangles of each side as a mesh without shared corners, with the index of the collider.
    pub fn meshes(&self) -> impl Iterator<Item = (u32, TriMesh)> {
        self.sides.iter().map(|side| {
            let positions: Vec<Vec3> = side.corners.as_flattened().to_vec();
            let triangles = (0..positions.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]);
            (side.collider as u32, TriMesh { triangles: triangles.collect(), positions })
        })
    }
}

/// Initial positions of all nodes, and the first node of each body.
pub(super) fn initial_positions(parts: &Parts<'_>) -> (Vec<Vec3>, Vec<usize>) {
    let (mut x, mut first_nodes) = (Vec::new(), vec![0]);
    for body in &parts.placed {
        x.extend_from_slice(&body.state.positions);
        first_nodes.push(x.len());
    }
    (x, first_nodes)
}

/// The name of a body or an obstacle by the index of its collider.
pub(super) fn collider_name(parts: &Parts<'_>, collider: usize) -> String {
    match parts.placed.get(collider) {
        Some(body) => body.body.name.clone(),
        None => parts.scene.obstacles[collider - parts.placed.len()].name().to_owned(),
    }
}

/// All pairs of bodies that intersect, in a fixed order.
pub(super) fn find_crossings(parts: &Parts<'_>) -> Vec<Crossing> {
    let Some(collisions) = &parts.collisions else { return Vec::new() };
    let bodies: Vec<usize> = (0..parts.placed.len()).collect();
    let (x, first_nodes) = initial_positions(parts);
    let scene = collisions.scene(&bodies, |k| first_nodes[k]);
    let all_intersections = intersections(&scene, &x, MAX_INTERSECTIONS);
    let is_complete = all_intersections.len() < MAX_INTERSECTIONS;
    let mut group_of_pair: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    let mut groups: Vec<Vec<Intersection>> = Vec::new();
    for intersection in all_intersections {
        let [a, b] = intersection.colliders;
        let group = *group_of_pair.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(intersection);
    }
    groups.iter().map(|group| merge_intersections(parts, group, is_complete)).collect()
}

/// Combines the intersections of one pair.
fn merge_intersections(parts: &Parts<'_>, group: &[Intersection], is_complete: bool) -> Crossing {
    let is_deeper = |a: &Intersection, b: &Intersection| {
        b.pair_depth > a.pair_depth || (b.pair_depth == a.pair_depth && b.distance < a.distance)
    };
    let deepest = group[1..].iter().fold(&group[0], |a, b| if is_deeper(a, b) { b } else { a });
    let [a, b] = deepest.colliders;
    let mut triangles = [BTreeSet::new(), BTreeSet::new()];
    for intersection in group {
        for (collider, primitive) in intersection.colliders.iter().zip(intersection.primitives) {
            let side_index = usize::from(*collider != a);
            triangles[side_index].extend(triangles_of_primitive(parts, *collider, primitive));
        }
        if let [_, Primitive::Plane(plane)] = intersection.primitives {
            triangles[0].extend(triangles_below_plane(
                parts,
                a,
                plane,
                intersection.min_separation,
            ));
        }
    }
    let [triangles_of_a, triangles_of_b] = triangles;
    Crossing {
        sides: [
            describe_side(parts, a, deepest.primitives[0], triangles_of_a),
            describe_side(parts, b, deepest.primitives[1], triangles_of_b),
        ],
        complete: is_complete,
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

/// The indices of the corners of a primitive; none for a plane.
fn corners_of_primitive(primitive: &Primitive) -> &[u32] {
    match primitive {
        Primitive::Vertex(i) => std::slice::from_ref(i),
        Primitive::Edge(ends) => ends,
        Primitive::Triangle(corners) => corners,
        Primitive::Plane(_) => &[],
    }
}

/// The indices of the triangles of a surface that contain all corners of a primitive.
fn triangles_of_primitive(parts: &Parts<'_>, collider: usize, primitive: Primitive) -> Vec<u32> {
    let triangles = match parts.placed.get(collider) {
        Some(body) => body.surface.triangles(),
        None => match &parts.obstacles[collider - parts.placed.len()].mesh {
            Some(mesh) => &mesh.triangles,
            None => return Vec::new(),
        },
    };
    let corners = corners_of_primitive(&primitive);
    if corners.is_empty() {
        return Vec::new();
    }
    let contains = |t: &[u32; 3]| corners.iter().all(|corner| t.contains(corner));
    (0..).zip(triangles).filter(|(_, t)| contains(t)).map(|(index, _)| index).collect()
}

/// The indices of the triangles of a body that reach below the height `offset` (m) above a plane.
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
    let is_below = |t: &[u32; 3]| t.iter().any(|&i| plane.height(points[i as usize]) <= offset);
    (0..).zip(triangles).filter(|(_, t)| is_below(t)).map(|(index, _)| index).collect()
}

/// Describes one side of an intersection with the indices of its intersecting triangles.
fn describe_side(
    parts: &Parts<'_>,
    collider: usize,
    primitive: Primitive,
    indices: BTreeSet<u32>,
) -> Side {
    let corners = surface(parts, collider).map_or_else(Vec::new, |(surface_triangles, points)| {
        let corners_of = |t: &u32| surface_triangles[*t as usize].map(|i| points[i as usize]);
        indices.iter().map(corners_of).collect()
    });
    Side {
        name: collider_name(parts, collider),
        collider,
        primitive: primitive_name(primitive),
        element: element_of_primitive(parts, collider, primitive),
        triangles: indices.into_iter().collect(),
        corners,
    }
}

/// The name of a primitive with the indices of its corners.
pub(super) fn primitive_name(primitive: Primitive) -> String {
    match primitive {
        Primitive::Vertex(i) => format!("vertex {i}"),
        Primitive::Edge([i, j]) => format!("edge {i}-{j}"),
        Primitive::Triangle([i, j, k]) => format!("triangle {i}-{j}-{k}"),
        Primitive::Plane(_) => "the plane".to_owned(),
    }
}

/// The first element of a solid that contains all nodes of a primitive of its boundary.
fn element_of_primitive(parts: &Parts<'_>, collider: usize, primitive: Primitive) -> Option<u32> {
    let body = parts.placed.get(collider).filter(|body| body.surface.embedding().is_none())?;
    let nodes = corners_of_primitive(&primitive);
    if nodes.is_empty() {
        return None;
    }
    let contains = |tet: &[u32; 4]| nodes.iter().all(|node| tet.contains(node));
    body.tets.iter().position(contains).map(|tet| tet as u32)
}

/// An error for each of the first [`MAX_REPORTS`] pairs, and one for all others.
pub(super) fn crossing_problems(parts: &Parts<'_>, crossings: &[Crossing]) -> Vec<Problem> {
    let mut problems: Vec<Problem> = crossings
        .iter()
        .take(MAX_REPORTS)
        .map(|crossing| crossing_problem(parts, crossing))
        .collect();
    let first_omitted = crossings.get(MAX_REPORTS);
    problems.extend(first_omitted.map(|first| {
        let omitted_count = crossings.len() - MAX_REPORTS;
        let [a, b] = first.sides.each_ref().map(|side| &side.name);
        let message =
            format!("{omitted_count} more pairs intersect at the start, first \"{a}\" and \"{b}\"");
        error(placement_path(parts, first), message, "`sim check --json` lists them all")
    }));
    problems
}

/// The error for an intersection.
fn crossing_problem(parts: &Parts<'_>, crossing: &Crossing) -> Problem {
    let [a, b] = crossing.sides.each_ref().map(|side| &side.name);
    let [p, q] = crossing.sides.each_ref().map(|side| match side.element {
        Some(element) => format!("{} (element {element})", side.primitive),
        None => side.primitive.clone(),
    });
    let units = parts.scene.units;
    let position = units.point(crossing.point);
    let is_self_intersection = crossing.sides[0].collider == crossing.sides[1].collider;
    let message = if crossing.depth == 0.0 && crossing.thickness > 0.0 {
        let [distance, offset] =
            [crossing.distance, crossing.thickness].map(|length| units.show(length, "m"));
        let nearness = format!("{p} is {distance:e} from {q} at {position}");
        let pair = if is_self_intersection {
            format!("\"{a}\" and itself")
        } else {
            format!("\"{a}\" and \"{b}\"")
        };
        format!("{pair} are nearer than their thickness, {offset:e}, at the start: {nearness}")
    } else {
        let pair = match is_self_intersection {
            true => format!("\"{a}\" intersects itself at the start"),
            false => format!("\"{a}\" and \"{b}\" intersect at the start"),
        };
        let deepest = match crossing.depth {
            0.0 => format!("they touch where {p} meets {q} at {position}"),
            depth => {
                let depth = units.show(depth, "m");
                format!("deepest, {depth:.6}, where {p} meets {q} at {position}")
            }
        };
        format!("{pair}: {}; {deepest}", triangle_counts(crossing, is_self_intersection))
    };
    let message = message + &continuation_text(parts, crossing);
    let remedy = match crossing.parting {
        Some(depth) if depth < TOUCHING_DEPTH && are_parts_of_one_file(parts, crossing) => {
            parts_remedy(parts)
        }
        Some(depth) if depth < TOUCHING_DEPTH => {
            "leave a gap between them, or list the pair in `contact.exclude`".to_owned()
        }
        Some(depth) => {
            let by = format!("by more than {:.6}", units.show(depth, "m"));
            match crossing.sides.each_ref().map(|side| is_continued(parts, side)) {
                [false, false] => {
                    format!("move one of them {by}, or list the pair in `contact.exclude`")
                }
                [true, true] => {
                    "start from another run, or list the pair in `contact.exclude`".to_owned()
                }
                [a_is_continued, _] => format!(
                    "move \"{}\" {by}, start from another run, or list the pair in `contact.exclude`",
                    if a_is_continued { b } else { a }
                ),
            }
        }
        None if is_continued(parts, &crossing.sides[0]) => {
            "start from another run, or list the pair in `contact.exclude`".to_owned()
        }
        None if is_in_original_surface(parts, crossing) => {
            "repair its mesh, or draw it and let the boundary of the \
            tetrahedra touch: `surface: (draw: Original, contact: Boundary)`"
                .to_owned()
        }
        None => "deform the body less, repair its mesh, or list the pair in `contact.exclude`"
            .to_owned(),
    };
    let help = format!("{remedy}; `sim check` with `-o crossings.vtu` writes these triangles");
    error(placement_path(parts, crossing), message, help)
}

/// Whether the two sides are parts of one mesh file.
fn are_parts_of_one_file(parts: &Parts<'_>, crossing: &Crossing) -> bool {
    let file = |side: &Side| match &parts.expanded.get(side.collider)?.body.shape {
        Shape::Part { file, .. } => Some(file),
        _ => None,
    };
    let [a, b] = crossing.sides.each_ref().map(file);
    a.is_some() && a == b
}

/// The remedy for parts of one mesh file that touch because they share nodes.
fn parts_remedy(parts: &Parts<'_>) -> String {
    let gap = match parts.scene.contact {
        Contact::Barrier { d_hat, .. } => parts.scene.units.number(d_hat, "m"),
        Contact::Off => 0.0,
    };
    format!(
        "they share nodes of the file: `gap: {gap}` in both parts lets them touch without crossing; bonded parts are one \
         body with `group_materials`, or a seam, and the pair in `contact.exclude`"
    )
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
fn triangle_counts(crossing: &Crossing, is_self_intersection: bool) -> String {
    let prefix = if crossing.complete { "" } else { "at least " };
    let [a, b] = crossing.sides.each_ref().map(|side| side.triangles.len());
    let noun = |n| if n == 1 { "triangle" } else { "triangles" };
    match (is_self_intersection, b) {
        (true, _) => format!("{prefix}{a} {} take part", noun(a)),
        (false, 0) => format!("{a} {} reach below", noun(a)),
        (false, _) => format!("{prefix}{a} {} of the one and {b} of the other", noun(a)),
    }
}

/// Whether a side is a body in its state at the end of another run.
fn is_continued(parts: &Parts<'_>, side: &Side) -> bool {
    parts.placed.get(side.collider).is_some_and(|body| body.is_continued)
}

/// A clause that says which sides are where another run ended; empty if there are none.
fn continuation_text(parts: &Parts<'_>, crossing: &Crossing) -> String {
    let continued = crossing.sides.iter().filter(|side| is_continued(parts, side));
    let names: BTreeSet<String> = continued.map(|side| format!("\"{}\"", side.name)).collect();
    let names: Vec<String> = names.into_iter().collect();
    match (&parts.initial_run, names.len()) {
        (_, 0) | (None, _) => String::new(),
        (Some(run), count) => format!(
            "; {} {} where the run in {} ended",
            names.join(" and "),
            if count == 1 { "is" } else { "are" },
            run.display()
        ),
    }
}

/// The path of what determines the place of a side: the placement of the first body that is not continued from another
/// run, the obstacle, or the start from the other run.
fn placement_path(parts: &Parts<'_>, crossing: &Crossing) -> String {
    let placed_sides = || crossing.sides.iter().filter(|side| !is_continued(parts, side));
    let body = placed_sides().find_map(|side| parts.expanded.get(side.collider));
    if let Some(body) = body {
        return format!("{}.placement", path_of(body));
    }
    let obstacles = &parts.scene.obstacles;
    let index = |side: &Side| obstacles.iter().position(|other| other.name() == side.name);
    match placed_sides().next() {
        None => "initial.folder".to_owned(),
        Some(side) => index(side).map_or("obstacles".to_owned(), |k| format!("obstacles[{k}]")),
    }
}
