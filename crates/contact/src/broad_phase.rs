//! Broad phase: the pairs that may come nearer than `d_hat`, and their thickness, on a
//! straight way.
//!
//! # Area weights
//! A pair's energy is `kappa d_hat area b(d)`. The areas are chosen so that the sum
//! over pairs is an integral of pressure over the surface:
//!
//! * vertex and plane: the vertex's area `A_v` (a third of its triangles). A flat face
//!   pressed on a plane at distance `d` then carries exactly `-kappa d_hat b'(d)`
//!   times its area.
//! * vertex and face of two bodies: `A_v / 2`, because in a flat contact both sides'
//!   vertices see a face, and the area is to count once.
//! * edge and edge of two bodies: `(A_a + A_b) / 4`, `A` a third of the edge's
//!   triangles. Two triangulations with edge length `a` laid on one another at a
//!   generic angle have about `8/a^2` crossings a unit area (`2/pi` times both lengths
//!   of edges a unit area), each of weight about `0.15 a^2`: edges add a little more
//!   than vertices give, so a flat contact of two bodies is 2.2 to 2.5 times as
//!   stiff as that with a plane, while `d_hat` is small against the edges. Nearer
//!   than that to an edge or a vertex, a point is counted with each adjacent face, as
//!   in IPC; taking such duplicates out makes the energy discontinuous where
//!   closest features change. A factor on the stiffness moves the distance at rest by a
//!   fraction of `d_hat`, and changes no force: what has to be carried is carried.
//! * against obstacle meshes, and scripted bodies, only the body's areas matter, so that how an obstacle is
//!   triangulated does not: the body's vertex `A_v`, the body's face a third of
//!   its area, the body's edge `A_e / 2`.

use crate::arrangement::{Arrangement, Placed, Role, Shape};
use crate::candidates::{Candidate, Candidates, Meeting, PlaneCandidate, Support};
use crate::ccd::{safe_time, safe_time_above_plane};
use crate::chunks::map_chunks;
use crate::distance::{Closest, PairKind};
use crate::{Surface, bvh, mollifier};
use rayon::prelude::*;
use resile_linalg::Vec3;

/// Candidates together with how far the way is free.
pub(crate) struct Search {
    pub(crate) candidates: Candidates,
    /// Safe fraction of the way.
    pub(crate) free: f64,
}

/// Every pair that is nearer than `d_hat` somewhere on the way between these positions of
/// points, and some more.
pub(crate) fn search(arrangement: &Arrangement, from: &[Vec3], to: &[Vec3]) -> Search {
    let mut candidates = Candidates::default();
    let mut free = arrangement.find_planes(from, to, &mut candidates);
    let raw = arrangement.find_boxes(from, to, &mut candidates);
    let d_hat = arrangement.settings.d_hat;
    let fixed = &arrangement.obstacles.points;
    let meetings = &candidates.meetings;
    let near = map_chunks(&raw, |chunk| {
        let mut kept = Vec::new();
        let mut time: f64 = 1.0;
        for candidate in chunk {
            let start = candidate.positions(from, fixed);
            let end = candidate.positions(to, fixed);
            let offset = meetings[candidate.meeting as usize].offset;
            let distance = Closest::new(candidate.kind, &start).distance();
            let reach = relative_motion(candidate.kind, &start, &end);
            // The distance changes by no more than the relative motion.
            if distance > (d_hat + offset + reach) * (1.0 + 1e-9) {
                continue;
            }
            kept.push(*candidate);
            if reach > 0.0 && distance - offset <= 2.0 * reach {
                time = time.min(safe_time(candidate.kind, &start, &end, offset));
            }
        }
        (kept, time)
    });
    for (kept, time) in near {
        candidates.pairs.extend(kept);
        free = free.min(time);
    }
    candidates.divide();
    Search { candidates, free }
}

/// The most that any point of one primitive moves against any point of the other.
fn relative_motion(kind: PairKind, from: &[Vec3; 4], to: &[Vec3; 4]) -> f64 {
    let m: [Vec3; 4] = std::array::from_fn(|k| to[k] - from[k]);
    let between = |i: usize, j: usize| (m[i] - m[j]).length_squared();
    let most = match kind {
        PairKind::VertexFace => between(0, 1).max(between(0, 2)).max(between(0, 3)),
        PairKind::EdgeEdge => {
            between(0, 2).max(between(0, 3)).max(between(1, 2)).max(between(1, 3))
        }
    };
    most.sqrt()
}

impl Arrangement {
    /// Vertices that come near planes; returns how far the way is free of planes.
    fn find_planes(&self, from: &[Vec3], to: &[Vec3], out: &mut Candidates) -> f64 {
        let mut free: f64 = 1.0;
        for (k, placed) in self.placed.iter().enumerate() {
            if placed.role == Role::Scripted {
                continue;
            }
            for (p, plane) in self.obstacles.planes.iter().enumerate() {
                if self.pairs.collide(placed.collider, plane.collider) {
                    free = free.min(self.find_plane([k, p], [from, to], out));
                }
            }
        }
        free
    }

    /// Vertices of body `k` that come near plane `p`.
    fn find_plane(
        &self,
        [k, p]: [usize; 2],
        [from, to]: [&[Vec3]; 2],
        out: &mut Candidates,
    ) -> f64 {
        let (placed, plane) = (&self.placed[k], &self.obstacles.planes[p]);
        let Placed { body, offset, ref surface, .. } = *placed;
        let (meeting, before) = (out.meetings.len() as u32, out.planes.len());
        let mut free: f64 = 1.0;
        for (&vertex, &area) in surface.vertices.iter().zip(&surface.vertex_areas) {
            let point = self.points.first(k) + vertex as usize;
            let (start, end) = (plane.height(from[point]), plane.height(to[point]));
            if start.min(end) < (self.settings.d_hat + offset) * (1.0 + 1e-9) {
                let size = from[point].abs().max_element();
                let point = point as u32;
                out.planes.push(PlaneCandidate { point, plane: p as u32, area, meeting });
                free = free.min(safe_time_above_plane(start - offset, end - offset, size));
            }
        }
        if out.planes.len() > before {
            let friction = self.pairs.friction(placed.collider, plane.collider);
            let shapes = [k, self.placed.len() + self.obstacles.meshes.len() + p];
            let support = support(&[surface]);
            out.meetings.push(Meeting { shapes, body, other: None, friction, offset, support });
        }
        free
    }

    /// Pairs of primitives whose swept boxes, grown by `d_hat`, overlap.
    fn find_boxes(&self, from: &[Vec3], to: &[Vec3], out: &mut Candidates) -> Vec<Candidate> {
        let shapes = self.shapes(from, to);
        let mut tasks = Vec::new();
        for (i, j) in self.meetings(&shapes) {
            let (a, b) = (&shapes[i], &shapes[j]);
            let offset = a.offset + b.offset;
            let margin = (self.settings.d_hat + offset) * (1.0 + 1e-9);
            let task = Task { a, b, margin, meeting: out.meetings.len() as u32 };
            let Some(body) = a.body.filter(|_| task.may_meet()) else { continue };
            let friction = self.pairs.friction(a.collider, b.collider);
            // What the points of a fixed obstacle hang on does not matter.
            let support = match j < self.placed.len() {
                true => support(&[a.surface, b.surface]),
                false => support(&[a.surface]),
            };
            out.meetings.push(Meeting {
                shapes: [i, j],
                body,
                other: b.body,
                friction,
                offset,
                support,
            });
            tasks.push((task, Sought::EdgeEdge));
            tasks.push((task, Sought::VertexFace));
            if i != j {
                tasks.push((task, Sought::FaceVertex));
            }
        }
        let found: Vec<Vec<Candidate>> = tasks
            .par_iter()
            .map(|(task, kind)| match kind {
                Sought::EdgeEdge => task.edge_edge(),
                Sought::VertexFace => task.vertex_face(task.a, task.b),
                Sought::FaceVertex => task.vertex_face(task.b, task.a),
            })
            .collect();
        found.concat()
    }
}

fn support(surfaces: &[&Surface]) -> Support {
    match surfaces.iter().any(|surface| surface.embedding().is_some()) {
        true => Support::Embedded,
        false => Support::Nodes,
    }
}

/// What to look for between two shapes.
#[derive(Clone, Copy)]
enum Sought {
    EdgeEdge,
    VertexFace,
    FaceVertex,
}

/// One pair of shapes to be searched.
#[derive(Clone, Copy)]
struct Task<'a> {
    a: &'a Shape<'a>,
    b: &'a Shape<'a>,
    margin: f64,
    meeting: u32,
}

impl Task<'_> {
    fn is_self(&self) -> bool {
        std::ptr::eq(self.a, self.b)
    }

    fn may_meet(&self) -> bool {
        let relative = self.b.mean - self.a.mean;
        let b = self.b.boxes.root().swept(relative).inflate(self.slack());
        self.is_self() || self.a.boxes.root().overlaps(&b)
    }

    /// The margin, and what rounding in the boxes may take away.
    fn slack(&self) -> f64 {
        let size = |s: &Shape<'_>| {
            let root = s.boxes.root();
            root.min.abs().max(root.max.abs()).max_element() + s.mean.abs().max_element()
        };
        self.margin + 8.0 * f64::EPSILON * size(self.a).max(size(self.b))
    }

    fn edge_edge(&self) -> Vec<Candidate> {
        let (a, b) = (self.a, self.b);
        let (sa, sb) = (a.surface, b.surface);
        let mut out = Vec::new();
        let mut visit = |i: usize, j: usize| {
            let (e, f) = (sa.edges[i], sb.edges[j]);
            if self.is_self() && e.iter().any(|n| f.contains(n)) {
                return;
            }
            let area = match b.body {
                Some(_) => 0.25 * (sa.edge_areas[i] + sb.edge_areas[j]),
                None => 0.5 * sa.edge_areas[i],
            };
            let mollifier = mollifier::threshold(sa.edge_lengths2[i], sb.edge_lengths2[j]);
            let [e0, e1] = e.map(|n| a.first.offset(n));
            let [f0, f1] = f.map(|n| b.first.offset(n));
            let (kind, meeting) = (PairKind::EdgeEdge, self.meeting);
            out.push(Candidate { points: [e0, e1, f0, f1], area, mollifier, kind, meeting });
        };
        let (ta, tb) = (sa.edge_tree(&a.boxes), sb.edge_tree(&b.boxes));
        if self.is_self() {
            bvh::self_pairs(ta, self.slack(), &mut visit);
        } else {
            bvh::pairs(ta, tb, b.mean - a.mean, self.slack(), &mut visit);
        }
        out
    }

    /// The vertices of `a` and the faces of `b`.
    fn vertex_face(&self, a: &Shape<'_>, b: &Shape<'_>) -> Vec<Candidate> {
        let (sa, sb) = (a.surface, b.surface);
        let mut out = Vec::new();
        let mut visit = |i: usize, j: usize| {
            let (vertex, face) = (sa.vertices[i], sb.triangles[j]);
            if self.is_self() && face.contains(&vertex) {
                return;
            }
            let area = match (a.body, b.body) {
                (Some(_), Some(_)) => 0.5 * sa.vertex_areas[i],
                (Some(_), None) => sa.vertex_areas[i],
                (None, _) => sb.triangle_areas[j] / 3.0,
            };
            let [f0, f1, f2] = face.map(|n| b.first.offset(n));
            let points = [a.first.offset(vertex), f0, f1, f2];
            let (kind, meeting) = (PairKind::VertexFace, self.meeting);
            out.push(Candidate { points, area, mollifier: 0.0, kind, meeting });
        };
        let (ta, tb) = (sa.vertex_tree(&a.boxes), sb.triangle_tree(&b.boxes));
        bvh::pairs(ta, tb, b.mean - a.mean, self.slack(), &mut visit);
        out
    }
}
