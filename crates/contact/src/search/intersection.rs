//! Intersection test of a state, performed once at the start of a run.
//!
//! Surfaces intersect if and only if an edge of one crosses a triangle of another (triangles that intersect contain
//! such a pair). Crossing is decided by exact orientation predicates. They cannot decide contact in a common plane,
//! nor contact of codimensional primitives, which cross nothing. These cases are decided by distances up to
//! rounding, so touching counts as intersection. A body entirely inside another one without touching it is not
//! reported: a shell around other bodies is a valid scene.
//!
//! Surfaces with a thickness must also keep their minimum separation: distances are computed for pairs that do not
//! cross.

use crate::geometry::bvh;
use crate::geometry::collision_mesh::Sort;
use crate::geometry::distance::{Closest, PairKind};
use crate::geometry::point::Point;
use crate::geometry::predicates::{are_separated_along, filtered, orientation};
use crate::geometry::shape::Shape;
use crate::{Collider, CollisionScene, Primitive, Role};
use resile_math::Vec3;
use std::ops::ControlFlow;

/// Sweep of the boxes of a state, in which nothing moves.
const NO_SWEEP: Vec3 = Vec3::ZERO;

/// Bound of the rounding errors of boxes, relative to the largest coordinate.
const BOX_ROUNDING: f64 = 1e-14;

/// Bound of the rounding error of a distance, relative to the largest coordinate or to the extent of the pair.
const DISTANCE_ROUNDING: f64 = 1e-15;

/// Two primitives that touch, cross or are closer than their minimum separation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intersection {
    /// Indices of both colliders; equal for self-contact.
    pub colliders: [usize; 2],
    /// Edge or vertex of the first collider; triangle, edge, vertex or plane of the second.
    pub primitives: [Primitive; 2],
    /// Crossing point, or the closest point on the first primitive (m).
    pub point: Vec3,
    /// Distance at which the two touch (m): the sum of the half thicknesses.
    pub min_separation: f64,
    /// Distance (m), zero if they cross.
    pub distance: f64,
    /// Penetration depth of the primitives (m): the shortest relative translation after which they merely touch,
    /// without regard to thickness. For a vertex and a plane, the depth below the plane. Zero if they touch or do
    /// not cross.
    pub pair_depth: f64,
    /// Length (m) of a relative translation that certainly separates both colliders: the shortest one along a
    /// coordinate axis that separates their boxes, inflated by the minimum separation, or along the normal of a
    /// plane. Infinite for self-contact, which no translation resolves.
    pub collider_depth: f64,
}

/// Intersections of the colliders and obstacles of a scene with nodes at `x` (m), at most `limit`, in a fixed order.
/// Simulated bodies that touch a plane come first, each with its lowest vertex over that plane. For each pair of shapes
/// the edges that cross triangles follow or, if there are none, the pairs closer than their minimum separation.
/// O(n log n) for a state without intersections.
pub fn intersections(scene: &CollisionScene, x: &[Vec3], limit: usize) -> Vec<Intersection> {
    let mut out = Vec::new();
    let x = &*scene.points.points(x);
    add_vertices_on_planes(scene, x, &mut out);
    let shapes = scene.shapes(x, x);
    for (i, j) in scene.near_shapes(&shapes, 0.0) {
        let (a, b) = (&shapes[i], &shapes[j]);
        let min_separation = a.half_thickness + b.half_thickness;
        // Largest distance (m) of boxes of primitives that may touch.
        let slack = min_separation + BOX_ROUNDING * max_coordinate(a).max(max_coordinate(b));
        if !a.root.inflate(slack).overlaps(&b.root) {
            continue;
        }
        let old_count = out.len();
        let pair = ShapePair { scene, a, b, x };
        let mut collector = IntersectionCollector { list: &mut out, limit };
        if pair.add_crossings(slack, &mut collector).is_break()
            || (i != j && pair.reversed().add_crossings(slack, &mut collector).is_break())
        {
            break;
        }
        let none_found = collector.list.len() == old_count;
        if none_found && pair.may_be_too_near() && pair.add_too_near(&mut collector).is_break() {
            break;
        }
    }
    out.truncate(limit);
    out
}

/// Intersections found, up to a limit: a sheet much thicker than its edge length would exhaust the memory.
struct IntersectionCollector<'a> {
    list: &'a mut Vec<Intersection>,
    limit: usize,
}

impl IntersectionCollector<'_> {
    /// Adds intersections; breaks once the limit is reached.
    fn add(&mut self, intersections: impl IntoIterator<Item = Intersection>) -> ControlFlow<()> {
        self.list.extend(intersections);
        if self.list.len() < self.limit {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

/// Largest absolute coordinate of the bounding box of a shape (m).
fn max_coordinate(shape: &Shape<'_>) -> f64 {
    let root = shape.root;
    root.min.abs().max(root.max.abs()).max_element()
}

/// Adds each pair of a simulated collider and a plane that touch to `out`, with the lowest vertex of the collider, for
/// points at `x` (m).
fn add_vertices_on_planes(scene: &CollisionScene, x: &[Vec3], out: &mut Vec<Intersection>) {
    let is_simulated = |(_, collider): &(usize, &Collider)| collider.role == Role::Simulated;
    for (k, collider) in scene.colliders.iter().enumerate().filter(is_simulated) {
        for (plane_index, plane) in scene.obstacles.planes.iter().enumerate() {
            if !scene.pairs.collide(collider.number, plane.collider) {
                continue;
            }
            let position = |i: u32| x[scene.points.first(k) + i as usize];
            let height_of = |i: u32| plane.height(position(i));
            let vertices = collider.mesh.vertices().iter().copied();
            let lowest = vertices.min_by(|&i, &j| height_of(i).total_cmp(&height_of(j)));
            let Some(vertex) = lowest else { continue };
            let height = height_of(vertex);
            if height <= collider.half_thickness {
                out.push(Intersection {
                    colliders: [collider.number, plane.collider],
                    primitives: [Primitive::Vertex(vertex), Primitive::Plane(plane_index)],
                    point: position(vertex),
                    min_separation: collider.half_thickness,
                    distance: height.max(0.0),
                    pair_depth: (-height).max(0.0),
                    collider_depth: collider.half_thickness - height,
                });
            }
        }
    }
}

/// Two shapes that may touch, possibly the same one, with points of the colliders at `x` (m).
#[derive(Clone, Copy)]
struct ShapePair<'a> {
    scene: &'a CollisionScene,
    a: &'a Shape<'a>,
    b: &'a Shape<'a>,
    x: &'a [Vec3],
}

impl ShapePair<'_> {
    /// The pair with its shapes exchanged.
    fn reversed(self) -> Self {
        Self { a: self.b, b: self.a, ..self }
    }

    /// Whether both shapes are the same one.
    fn is_self(&self) -> bool {
        std::ptr::eq(self.a, self.b)
    }

    /// Distance (m) at which the two shapes touch: the sum of the half thicknesses.
    fn min_separation(&self) -> f64 {
        self.a.half_thickness + self.b.half_thickness
    }

    /// Whether primitives that do not cross can still touch.
    fn may_be_too_near(&self) -> bool {
        let codimensional = self.a.mesh.has_codimensional() || self.b.mesh.has_codimensional();
        self.min_separation() > 0.0 || codimensional
    }

    /// Whether two primitives with the points `a` and `b` are neighbours along one curve.
    fn are_neighbours(&self, a: &[u32], b: &[u32]) -> bool {
        self.a.mesh.are_neighbours(a, b, self.contact_distance())
    }

    /// Distance (m) up to which pairs count as touching.
    fn contact_distance(&self) -> f64 {
        match self.min_separation() {
            0.0 => DISTANCE_ROUNDING * max_coordinate(self.a).max(max_coordinate(self.b)),
            separation => separation,
        }
    }

    /// Position of a point (m).
    fn position(&self, p: Point) -> Vec3 {
        p.position(self.x, &self.scene.obstacles.points)
    }

    /// Positions of points of a shape (m).
    fn positions<const N: usize>(&self, shape: &Shape<'_>, points: [u32; N]) -> [Vec3; N] {
        points.map(|n| self.position(shape.first.plus(n)))
    }

    /// Length (m) of a translation that separates the two colliders; see [`Intersection::collider_depth`].
    fn collider_depth(&self) -> f64 {
        if self.is_self() {
            return f64::INFINITY;
        }
        let inflated = self.a.root.inflate(self.min_separation());
        inflated.separation(&self.b.root).max(0.0)
    }

    /// Adds the edges of the first shape that cross triangles of the second to `out`, and breaks at its limit. Only
    /// pairs whose bounding boxes are within `slack` (m) are tested.
    fn add_crossings(&self, slack: f64, out: &mut IntersectionCollector<'_>) -> ControlFlow<()> {
        let (a, b) = (self.a, self.b);
        let (edges, triangles) = (a.tree(Sort::Edges), b.tree(Sort::Triangles));
        bvh::pairs(edges, triangles, NO_SWEEP, slack, |i, j| {
            let (edge, triangle) = (a.mesh.edges()[i], b.mesh.triangles()[j]);
            if self.is_self() && edge.iter().any(|n| triangle.contains(n)) {
                return ControlFlow::Continue(());
            }
            let (e, t) = (self.positions(a, edge), self.positions(b, triangle));
            out.add(edge_triangle_intersection(e, t).map(|(point, pair_depth)| Intersection {
                colliders: [a.collider, b.collider],
                primitives: [Primitive::Edge(edge), Primitive::Triangle(triangle)],
                point,
                min_separation: self.min_separation(),
                distance: 0.0,
                pair_depth,
                collider_depth: self.collider_depth(),
            }))
        })
    }

    /// Adds pairs of primitives within the contact distance to `out`, and breaks at its limit.
    fn add_too_near(&self, out: &mut IntersectionCollector<'_>) -> ControlFlow<()> {
        self.add_vertices_near_faces(out)?;
        self.add_vertices_near_free_edges(out)?;
        if !self.is_self() {
            self.reversed().add_vertices_near_faces(out)?;
            self.reversed().add_vertices_near_free_edges(out)?;
        }
        self.add_points_near_points(out)?;
        self.add_edges_near_edges(out)
    }

    /// Adds pairs of a vertex of `a` and a triangle of `b` within the contact distance.
    fn add_vertices_near_faces(&self, out: &mut IntersectionCollector<'_>) -> ControlFlow<()> {
        let (a, b) = (self.a, self.b);
        let (vertices, faces) = (a.tree(Sort::Vertices), b.tree(Sort::Triangles));
        bvh::pairs(vertices, faces, NO_SWEEP, self.contact_distance(), |i, j| {
            let (vertex, face) = (a.mesh.vertices()[i], b.mesh.triangles()[j]);
            if self.is_self() && face.contains(&vertex) {
                return ControlFlow::Continue(());
            }
            let ([p], [q, r, s]) = (self.positions(a, [vertex]), self.positions(b, face));
            let primitives = [Primitive::Vertex(vertex), Primitive::Triangle(face)];
            out.add(self.find_too_near(PairKind::VertexFace, [p, q, r, s], primitives))
        })
    }

    /// Adds pairs of a vertex of `a` and a codimensional edge of `b` within the contact distance.
    fn add_vertices_near_free_edges(&self, out: &mut IntersectionCollector<'_>) -> ControlFlow<()> {
        let (a, b) = (self.a, self.b);
        let (vertices, edges) = (a.tree(Sort::Vertices), b.tree(Sort::FreeEdges));
        bvh::pairs(vertices, edges, NO_SWEEP, self.contact_distance(), |i, j| {
            let primitives_b = &b.mesh.primitives;
            let (vertex, edge) =
                (a.mesh.vertices()[i], primitives_b.edges[primitives_b.free_edges[j] as usize]);
            if self.is_self() && (edge.contains(&vertex) || self.are_neighbours(&[vertex], &edge)) {
                return ControlFlow::Continue(());
            }
            let ([p], [q, r]) = (self.positions(a, [vertex]), self.positions(b, edge));
            let primitives = [Primitive::Vertex(vertex), Primitive::Edge(edge)];
            out.add(self.find_too_near(PairKind::VertexEdge, [p, q, r, r], primitives))
        })
    }

    /// Adds pairs of codimensional points of both shapes within the contact distance.
    fn add_points_near_points(&self, out: &mut IntersectionCollector<'_>) -> ControlFlow<()> {
        let (a, b) = (self.a, self.b);
        let point = |shape: &Shape<'_>, k: usize| {
            let primitives = &shape.mesh.primitives;
            primitives.vertices[primitives.free_points[k] as usize]
        };
        let visit = |i: usize, j: usize| {
            let (first, second) = (point(a, i), point(b, j));
            let ([p], [q]) = (self.positions(a, [first]), self.positions(b, [second]));
            let primitives = [Primitive::Vertex(first), Primitive::Vertex(second)];
            out.add(self.find_too_near(PairKind::VertexVertex, [p, q, q, q], primitives))
        };
        self.visit_near_pairs(Sort::FreePoints, visit)
    }

    /// Adds pairs of edges of both shapes within the contact distance.
    fn add_edges_near_edges(&self, out: &mut IntersectionCollector<'_>) -> ControlFlow<()> {
        let (a, b) = (self.a, self.b);
        let visit = |i: usize, j: usize| {
            let (e, f) = (a.mesh.edges()[i], b.mesh.edges()[j]);
            let shared = || e.iter().any(|n| f.contains(n)) || self.are_neighbours(&e, &f);
            if self.is_self() && shared() {
                return ControlFlow::Continue(());
            }
            let ([p, q], [r, s]) = (self.positions(a, e), self.positions(b, f));
            let primitives = [Primitive::Edge(e), Primitive::Edge(f)];
            out.add(self.find_too_near(PairKind::EdgeEdge, [p, q, r, s], primitives))
        };
        self.visit_near_pairs(Sort::Edges, visit)
    }

    /// Visits pairs of primitives of one sort whose boxes are nearer than the contact distance.
    fn visit_near_pairs(
        &self,
        sort: Sort,
        visit: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (a, b) = (self.a.tree(sort), self.b.tree(sort));
        match self.is_self() {
            true => bvh::self_pairs(a, self.contact_distance(), visit),
            false => bvh::pairs(a, b, NO_SWEEP, self.contact_distance(), visit),
        }
    }

    /// The intersection of two primitives of this `kind` of pair with these positions (m), if they are within the
    /// contact distance. Pairs with fewer than four points repeat the last one.
    fn find_too_near(
        &self,
        kind: PairKind,
        positions: [Vec3; 4],
        primitives: [Primitive; 2],
    ) -> Option<Intersection> {
        let closest = Closest::new(kind, &positions);
        let distance = closest.distance();
        let [p, q, ..] = positions;
        let point_on_first = match kind {
            PairKind::EdgeEdge => p * -closest.weights[0] + q * -closest.weights[1],
            _ => p,
        };
        (distance <= self.contact_distance()).then(|| Intersection {
            colliders: [self.a.collider, self.b.collider],
            primitives,
            point: point_on_first,
            min_separation: self.min_separation(),
            distance,
            pair_depth: 0.0,
            collider_depth: self.collider_depth(),
        })
    }
}

/// Intersection point (m) of the edge `p q` and the triangle `t`, given by their corners (m), and the length (m) of the
/// shortest translation after which they merely touch. `None` if they do not intersect.
pub(crate) fn edge_triangle_intersection([p, q]: [Vec3; 2], t: [Vec3; 3]) -> Option<(Vec3, f64)> {
    let [a, b, c] = t;
    // Sides of the triangle's plane on which the ends of the edge lie.
    let [side_p, side_q] = match [p, q].map(|end| filtered(a, b, c, end)) {
        [Some(side_p), Some(side_q)] => [side_p, side_q],
        // Exact arithmetic is slow, and most coplanar pairs are disjoint.
        _ if are_separated_in_plane([p, q], t) => return None,
        _ => [p, q].map(|end| orientation(a, b, c, end)),
    };
    if (side_p > 0.0 && side_q > 0.0) || (side_p < 0.0 && side_q < 0.0) {
        return None;
    }
    if side_p == 0.0 && side_q == 0.0 {
        return common_point_in_plane([p, q], t).map(|point| (point, 0.0));
    }
    // The line of the edge crosses the triangle if it passes all three triangle sides in the same sense.
    let senses = [orientation(p, q, a, b), orientation(p, q, b, c), orientation(p, q, c, a)];
    if senses.iter().any(|&s| s > 0.0) && senses.iter().any(|&s| s < 0.0) {
        return None;
    }
    let fraction = side_p.abs() / (side_p.abs() + side_q.abs());
    Some((p + (q - p) * fraction, separating_translation([p, q], t)))
}

/// Whether a line in the plane of a triangle, along one of its sides or along the edge, provably separates the two.
fn are_separated_in_plane([p, q]: [Vec3; 2], t: [Vec3; 3]) -> bool {
    let [a, b, c] = t;
    let normal = (b - a).cross(c - a);
    [b - a, c - b, a - c, q - p]
        .into_iter()
        .any(|direction| are_separated_along(normal.cross(direction), &[p, q], &t))
}

/// Length (m) of the shortest translation that separates an intersecting edge and triangle. It is along the normal of
/// the triangle or along the common normal of the edge and a side (the face normals of their Minkowski difference).
fn separating_translation(edge: [Vec3; 2], t: [Vec3; 3]) -> f64 {
    let edge_vector = edge[1] - edge[0];
    let sides = [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let normals = [sides[0].cross(sides[1])].into_iter().chain(sides.map(|s| edge_vector.cross(s)));
    let overlap_along = |normal: Vec3| {
        let heights = |points: &[Vec3]| Interval::of(points.iter().map(|p| normal.dot(*p - t[0])));
        let (of_edge, of_triangle) = (heights(&edge), heights(&t));
        (of_edge.max - of_triangle.min).min(of_triangle.max - of_edge.min).max(0.0)
    };
    normals.filter_map(Vec3::try_normalize).map(overlap_along).fold(f64::INFINITY, f64::min)
}

/// Smallest and largest one of several numbers.
struct Interval {
    min: f64,
    max: f64,
}

impl Interval {
    /// The interval spanned by `numbers`.
    fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let none = Self { min: f64::INFINITY, max: f64::NEG_INFINITY };
        numbers.fold(none, |span, x| Self { min: span.min.min(x), max: span.max.max(x) })
    }
}

/// A common point (m) of a coplanar edge and triangle; `None` if their distance exceeds [`DISTANCE_ROUNDING`].
fn common_point_in_plane([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> Option<Vec3> {
    let extent = [q, a, b, c].iter().fold(0.0, |extent: f64, &x| extent.max((x - p).length()));
    let ends = [p, q].map(|end| ([end, a, b, c], PairKind::VertexFace));
    let sides = [[a, b], [b, c], [c, a]].map(|[s, t]| ([p, q, s, t], PairKind::EdgeEdge));
    ends.into_iter().chain(sides).find_map(|(positions, kind)| {
        let closest = Closest::new(kind, &positions);
        let point_on_edge = match kind {
            PairKind::EdgeEdge => p * -closest.weights[0] + q * -closest.weights[1],
            _ => positions[0],
        };
        (closest.distance() <= DISTANCE_ROUNDING * extent).then_some(point_on_edge)
    })
}
