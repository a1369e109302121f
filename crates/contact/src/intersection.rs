//! Does a state intersect itself? Asked once, at the start of a run.
//!
//! Surfaces intersect if and only if an edge of one crosses a triangle of another
//! (triangles that intersect contain such a pair). Crossing is decided by exact
//! orientations; contact in a common plane, which they cannot decide, by distances to
//! rounding, so that touching counts. A body that lies wholly inside another,
//! without touching it, is not found: a shell around things is a legal scene.
//!
//! Surfaces with a thickness must in addition be farther apart than it: pairs that do not
//! cross are measured.

use crate::arrangement::{Arrangement, Placed, Point, Role, Shape};
use crate::bvh;
use crate::distance::{Closest, PairKind};
use crate::predicates::orientation;
use resile_math::Vec3;
use std::ops::ControlFlow;

/// What takes part in an intersection, by point numbers of its own surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Primitive {
    /// A vertex.
    Vertex(u32),
    /// An edge.
    Edge([u32; 2]),
    /// A triangle.
    Triangle([u32; 3]),
    /// An obstacle plane, by its number among the planes.
    Plane(usize),
}

/// Two primitives that touch or cross, or are nearer than the thickness of their sheets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intersection {
    /// Numbers of both colliders; the same for a body that meets itself.
    pub colliders: [usize; 2],
    /// The edge or vertex of the first, the triangle, edge or plane of the second.
    pub primitives: [Primitive; 2],
    /// Where (m).
    pub point: Vec3,
    /// The distance at which the two touch (m): what both sides' thicknesses take up.
    pub offset: f64,
    /// Their distance (m), zero if they cross.
    pub distance: f64,
    /// The shortest translation (m) of one primitive against the other after which
    /// the two merely touch, were they of no thickness; of a vertex and a plane, the depth.
    /// Zero if they touch or do not cross.
    pub pair_depth: f64,
    /// A translation (m) of one collider against the other that surely parts the two:
    /// the shortest along a coordinate axis that parts their boxes, grown by their offsets,
    /// or for a plane along its normal. Not finite if a body meets itself: no translation helps.
    pub collider_depth: f64,
}

/// The intersections of a state, at most `limit` of them, in a fixed order: vertices
/// below planes first, the deepest of each body; then for each two shapes edges through
/// triangles, or if there are none pairs that are nearer than their offsets.
/// O(n log n) for a state that is free of them.
pub fn intersections(arrangement: &Arrangement, x: &[Vec3], limit: usize) -> Vec<Intersection> {
    let mut out = Vec::new();
    let x = &*arrangement.points.points(x);
    below_planes(arrangement, x, &mut out);
    let shapes = arrangement.shapes(x, x);
    for (i, j) in arrangement.meetings(&shapes, 0.0) {
        let (a, b) = (&shapes[i], &shapes[j]);
        let slack = a.offset + b.offset + 1e-14 * (1.0 + extent(a).max(extent(b)));
        if !a.root.inflate(slack).overlaps(&b.root) {
            continue;
        }
        let before = out.len();
        let both = Both { arrangement, a, b, x };
        let mut found = Found { list: &mut out, limit };
        if both.crossing(slack, &mut found).is_break()
            || (i != j && both.turned().crossing(slack, &mut found).is_break())
        {
            break;
        }
        let nothing = found.list.len() == before;
        if nothing && a.offset + b.offset > 0.0 && both.too_near(&mut found).is_break() {
            break;
        }
    }
    out.truncate(limit);
    out
}

/// What was found, and when it is enough: a sheet with a thickness far above its edges
/// would fill the memory.
struct Found<'a> {
    list: &'a mut Vec<Intersection>,
    limit: usize,
}

impl Found<'_> {
    fn add(&mut self, found: impl IntoIterator<Item = Intersection>) -> ControlFlow<()> {
        self.list.extend(found);
        if self.list.len() < self.limit {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

fn extent(shape: &Shape<'_>) -> f64 {
    let root = shape.root;
    root.min.abs().max(root.max.abs()).max_element()
}

fn below_planes(arrangement: &Arrangement, x: &[Vec3], out: &mut Vec<Intersection>) {
    let simulated = |(_, placed): &(usize, &Placed)| placed.role == Role::Simulated;
    for (k, placed) in arrangement.placed.iter().enumerate().filter(simulated) {
        for (number, plane) in arrangement.obstacles.planes.iter().enumerate() {
            if !arrangement.pairs.collide(placed.collider, plane.collider) {
                continue;
            }
            let at = |i: u32| x[arrangement.points.first(k) + i as usize];
            let heights = placed.surface.vertices.iter().map(|&i| (plane.height(at(i)), i));
            let Some((height, vertex)) = heights.min_by(|a, b| a.0.total_cmp(&b.0)) else {
                continue;
            };
            if height <= placed.offset {
                out.push(Intersection {
                    colliders: [placed.collider, plane.collider],
                    primitives: [Primitive::Vertex(vertex), Primitive::Plane(number)],
                    point: at(vertex),
                    offset: placed.offset,
                    distance: height.max(0.0),
                    pair_depth: (-height).max(0.0),
                    collider_depth: placed.offset - height,
                });
            }
        }
    }
}

/// Two shapes that may meet, perhaps the same, with the points of the system.
#[derive(Clone, Copy)]
struct Both<'a> {
    arrangement: &'a Arrangement,
    a: &'a Shape<'a>,
    b: &'a Shape<'a>,
    x: &'a [Vec3],
}

impl Both<'_> {
    fn turned(self) -> Self {
        Self { a: self.b, b: self.a, ..self }
    }

    fn same(&self) -> bool {
        std::ptr::eq(self.a, self.b)
    }

    fn offset(&self) -> f64 {
        self.a.offset + self.b.offset
    }

    fn at(&self, p: Point) -> Vec3 {
        p.position(self.x, &self.arrangement.obstacles.points)
    }

    /// Where points of a shape's surface are.
    fn place<const N: usize>(&self, shape: &Shape<'_>, points: [u32; N]) -> [Vec3; N] {
        points.map(|n| self.at(shape.first.offset(n)))
    }

    fn collider_depth(&self) -> f64 {
        if self.same() {
            return f64::INFINITY;
        }
        let grown = self.a.root.inflate(self.offset());
        grown.separation(&self.b.root).max(0.0)
    }

    /// Edges of the first shape through triangles of the second.
    fn crossing(&self, slack: f64, out: &mut Found<'_>) -> ControlFlow<()> {
        let (a, b) = (self.a, self.b);
        let (edges, triangles) = (a.edges(), b.triangles());
        bvh::pairs(edges, triangles, Vec3::ZERO, slack, |i, j| {
            let (edge, triangle) = (a.surface.edges[i], b.surface.triangles[j]);
            if self.same() && edge.iter().any(|n| triangle.contains(n)) {
                return ControlFlow::Continue(());
            }
            let (e, t) = (self.place(a, edge), self.place(b, triangle));
            out.add(edge_triangle(e, t).map(|(point, pair_depth)| Intersection {
                colliders: [a.collider, b.collider],
                primitives: [Primitive::Edge(edge), Primitive::Triangle(triangle)],
                point,
                offset: self.offset(),
                distance: 0.0,
                pair_depth,
                collider_depth: self.collider_depth(),
            }))
        })
    }

    /// Pairs that are no farther apart than the offset.
    fn too_near(&self, out: &mut Found<'_>) -> ControlFlow<()> {
        self.vertices_near_faces(out)?;
        if !self.same() {
            self.turned().vertices_near_faces(out)?;
        }
        self.edges_near_edges(out)
    }

    fn vertices_near_faces(&self, out: &mut Found<'_>) -> ControlFlow<()> {
        let (a, b) = (self.a, self.b);
        let (vertices, faces) = (a.vertices(), b.triangles());
        bvh::pairs(vertices, faces, Vec3::ZERO, self.offset(), |i, j| {
            let (vertex, face) = (a.surface.vertices[i], b.surface.triangles[j]);
            if self.same() && face.contains(&vertex) {
                return ControlFlow::Continue(());
            }
            let ([p], [q, r, s]) = (self.place(a, [vertex]), self.place(b, face));
            let primitives = [Primitive::Vertex(vertex), Primitive::Triangle(face)];
            out.add(self.nearness(PairKind::VertexFace, [p, q, r, s], primitives))
        })
    }

    fn edges_near_edges(&self, out: &mut Found<'_>) -> ControlFlow<()> {
        let (a, b) = (self.a, self.b);
        let visit = |i: usize, j: usize| {
            let (e, f) = (a.surface.edges[i], b.surface.edges[j]);
            if self.same() && e.iter().any(|n| f.contains(n)) {
                return ControlFlow::Continue(());
            }
            let ([p, q], [r, s]) = (self.place(a, e), self.place(b, f));
            let primitives = [Primitive::Edge(e), Primitive::Edge(f)];
            out.add(self.nearness(PairKind::EdgeEdge, [p, q, r, s], primitives))
        };
        let (ea, eb) = (a.edges(), b.edges());
        if self.same() {
            bvh::self_pairs(ea, self.offset(), visit)
        } else {
            bvh::pairs(ea, eb, Vec3::ZERO, self.offset(), visit)
        }
    }

    /// A pair that is no farther apart than the offset.
    fn nearness(
        &self,
        kind: PairKind,
        points: [Vec3; 4],
        primitives: [Primitive; 2],
    ) -> Option<Intersection> {
        let closest = Closest::new(kind, &points);
        let distance = closest.distance();
        let on_first = match kind {
            PairKind::VertexFace => points[0],
            PairKind::EdgeEdge => points[0] * -closest.weights[0] + points[1] * -closest.weights[1],
        };
        (distance <= self.offset()).then(|| Intersection {
            colliders: [self.a.collider, self.b.collider],
            primitives,
            point: on_first,
            offset: self.offset(),
            distance,
            pair_depth: 0.0,
            collider_depth: self.collider_depth(),
        })
    }
}

/// Where an edge meets a triangle, and the shortest translation that parts them.
pub(crate) fn edge_triangle([p, q]: [Vec3; 2], t: [Vec3; 3]) -> Option<(Vec3, f64)> {
    let [a, b, c] = t;
    let (above, below) = (orientation(a, b, c, p), orientation(a, b, c, q));
    if (above > 0.0 && below > 0.0) || (above < 0.0 && below < 0.0) {
        return None;
    }
    if above == 0.0 && below == 0.0 {
        return touching_in_plane([p, q], t).map(|point| (point, 0.0));
    }
    let sides = [orientation(p, q, a, b), orientation(p, q, b, c), orientation(p, q, c, a)];
    if sides.iter().any(|&s| s > 0.0) && sides.iter().any(|&s| s < 0.0) {
        return None;
    }
    let fraction = above.abs() / (above.abs() + below.abs());
    Some((p + (q - p) * fraction, parting_translation([p, q], t)))
}

/// The shortest translation that parts an edge and a triangle that meet: along the
/// normal of the triangle, or along that of the edge and a side of the triangle (the
/// normals of the faces of their Minkowski difference).
fn parting_translation(edge: [Vec3; 2], t: [Vec3; 3]) -> f64 {
    let along = edge[1] - edge[0];
    let sides = [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let normals = [sides[0].cross(sides[1])].into_iter().chain(sides.map(|s| along.cross(s)));
    let overlap = |n: Vec3| {
        let reach = |points: &[Vec3]| {
            points
                .iter()
                .map(|p| n.dot(*p - t[0]))
                .fold((f64::INFINITY, f64::NEG_INFINITY), |r, h| (r.0.min(h), r.1.max(h)))
        };
        let (e, f) = (reach(&edge), reach(&t));
        (e.1 - f.0).min(f.1 - e.0).max(0.0)
    };
    normals.filter_map(Vec3::try_normalize).map(overlap).fold(f64::INFINITY, f64::min)
}

/// A point that an edge and a triangle of one plane have in common, to rounding.
fn touching_in_plane([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> Option<Vec3> {
    let size = [q, a, b, c].iter().fold(0.0, |m: f64, &y| m.max((y - p).length()));
    let ends = [p, q].map(|end| ([end, a, b, c], PairKind::VertexFace));
    let sides = [[a, b], [b, c], [c, a]].map(|[s, t]| ([p, q, s, t], PairKind::EdgeEdge));
    ends.into_iter().chain(sides).find_map(|(points, kind)| {
        let closest = Closest::new(kind, &points);
        let on_edge = match kind {
            PairKind::VertexFace => points[0],
            PairKind::EdgeEdge => p * -closest.weights[0] + q * -closest.weights[1],
        };
        (closest.distance() <= 1e-15 * size).then_some(on_edge)
    })
}
