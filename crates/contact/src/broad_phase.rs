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

use crate::arrangement::{Arrangement, Placed, Point, Role, Shape};
use crate::candidates::{Candidate, Candidates, Meeting, PlaneCandidate, Support};
use crate::ccd::{safe_time, safe_time_above_plane};
use crate::chunks::chunks;
use crate::distance::{Closest, PairKind};
use crate::search::{Budget, Search};
use crate::{Surface, bvh, mollifier};
use rayon::prelude::*;
use resile_math::Vec3;
use std::ops::ControlFlow;

/// Every pair that is nearer than `d_hat` somewhere on the free part of the way between
/// these positions of points, and some more. Nothing if more pairs of boxes overlap on the
/// way than the budget has.
pub(crate) fn find_near(
    arrangement: &Arrangement,
    from: &[Vec3],
    to: &[Vec3],
    budget: &Budget,
) -> Option<Search> {
    let mut candidates = Candidates::default();
    let mut free = arrangement.find_planes(from, to, &mut candidates);
    let shapes = arrangement.shapes(from, to);
    let tasks = arrangement.tasks(&shapes, &mut candidates);
    let mut pairs = arrangement.pair_lists.lend();
    if pairs.len() < tasks.len() {
        pairs.resize_with(tasks.len(), Vec::new);
    }
    tasks.par_iter().zip(&mut *pairs).for_each(|(task, pairs)| task.overlaps(budget, pairs));
    if budget.is_exceeded() {
        return None;
    }
    let way = OnWay { from, to, fixed: &arrangement.obstacles.points };
    // Most tasks are small where bodies are many, so their chunks are shared out together.
    let of_tasks = tasks.iter().zip(&*pairs);
    let work: Vec<(&Task<'_>, &[[u32; 2]])> =
        of_tasks.flat_map(|(task, pairs)| chunks(pairs).map(move |chunk| (task, chunk))).collect();
    let narrow = |(task, chunk): &(&Task<'_>, &[[u32; 2]])| task.narrow(chunk, &way);
    let narrowed: Vec<Narrowed> = work.par_iter().map(narrow).collect();
    free = narrowed.iter().fold(free, |free, narrowed| free.min(narrowed.free));
    for Narrowed { kept, .. } in narrowed {
        let in_time = kept.iter().filter(|(near, _)| *near <= free);
        candidates.pairs.extend(in_time.map(|(_, candidate)| *candidate));
    }
    candidates.divide();
    Some(Search { candidates, free })
}

/// What became of some pairs.
struct Narrowed {
    /// Those that may come near, with the fraction of the way from which on they may. An
    /// impact cuts the way short, and most of them with it.
    kept: Vec<(f64, Candidate)>,
    /// How far all of them are free.
    free: f64,
}

/// Where all points go.
struct OnWay<'a> {
    from: &'a [Vec3],
    to: &'a [Vec3],
    fixed: &'a [Vec3],
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

    /// What to look for between shapes whose boxes overlap on their way. Says who meets.
    fn tasks<'a>(&self, shapes: &'a [Shape<'a>], out: &mut Candidates) -> Vec<Task<'a>> {
        let mut tasks = Vec::new();
        for (i, j) in self.meetings(shapes, self.settings.d_hat) {
            let (a, b) = (&shapes[i], &shapes[j]);
            let (meeting, offset) = (out.meetings.len() as u32, a.offset + b.offset);
            let reach = self.settings.d_hat + offset;
            let task = Task { a, b, kind: PairKind::EdgeEdge, reach, offset, meeting };
            let Some(body) = a.body.filter(|_| task.may_meet()) else { continue };
            let friction = self.pairs.friction(a.collider, b.collider);
            // What the points of a fixed obstacle hang on does not matter.
            let support = match j < self.placed.len() {
                true => support(&[a.surface, b.surface]),
                false => support(&[a.surface]),
            };
            let (shapes, other) = ([i, j], b.body);
            out.meetings.push(Meeting { shapes, body, other, friction, offset, support });
            tasks.push(task);
            tasks.push(Task { kind: PairKind::VertexFace, ..task });
            if i != j {
                tasks.push(Task { a: b, b: a, kind: PairKind::VertexFace, ..task });
            }
        }
        tasks
    }
}

fn support(surfaces: &[&Surface]) -> Support {
    match surfaces.iter().any(|surface| surface.embedding().is_some()) {
        true => Support::Embedded,
        false => Support::Nodes,
    }
}

/// What to look for between two shapes: edges of both, or vertices of `a` and faces of `b`.
#[derive(Clone, Copy)]
struct Task<'a> {
    a: &'a Shape<'a>,
    b: &'a Shape<'a>,
    kind: PairKind,
    /// The distance from which on the pair is active.
    reach: f64,
    offset: f64,
    meeting: u32,
}

impl Task<'_> {
    fn is_self(&self) -> bool {
        std::ptr::eq(self.a, self.b)
    }

    fn may_meet(&self) -> bool {
        let relative = self.b.mean - self.a.mean;
        let b = self.b.root.swept(relative).inflate(self.slack());
        self.is_self() || self.a.root.overlaps(&b)
    }

    /// The reach, and what rounding in the boxes may take away.
    fn slack(&self) -> f64 {
        let size = |s: &Shape<'_>| {
            let root = s.root;
            root.min.abs().max(root.max.abs()).max_element() + s.mean.abs().max_element()
        };
        self.reach * (1.0 + 1e-9) + 8.0 * f64::EPSILON * size(self.a).max(size(self.b))
    }

    /// Lists pairs of primitives, without a vertex in common, whose swept boxes overlap; only
    /// some where the budget is exceeded.
    fn overlaps(&self, budget: &Budget, out: &mut Vec<[u32; 2]>) {
        out.clear();
        let mut list = |i: usize, j: usize| {
            out.push([i as u32, j as u32]);
            budget.listed(out.len())
        };
        let listed = match self.kind {
            PairKind::EdgeEdge => self.edge_edge(&mut list),
            PairKind::VertexFace => self.vertex_face(&mut list),
        };
        if listed.is_continue() {
            budget.complete(out.len());
        }
    }

    #[inline]
    fn edge_edge(&self, mut list: impl FnMut(usize, usize) -> ControlFlow<()>) -> ControlFlow<()> {
        let (a, b) = (self.a, self.b);
        if !self.is_self() {
            return bvh::pairs(a.edges(), b.edges(), b.mean - a.mean, self.slack(), list);
        }
        let edges = &a.surface.edges;
        bvh::self_pairs(a.edges(), self.slack(), |i, j| {
            let ([p, q], [r, s]) = (edges[i], edges[j]);
            let apart = p != r && p != s && q != r && q != s;
            if apart { list(i, j) } else { ControlFlow::Continue(()) }
        })
    }

    #[inline]
    fn vertex_face(
        &self,
        mut list: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (a, b) = (self.a, self.b);
        let is_self = self.is_self();
        bvh::pairs(a.vertices(), b.triangles(), b.mean - a.mean, self.slack(), |i, j| {
            let shared = || b.surface.triangles[j].contains(&a.surface.vertices[i]);
            if is_self && shared() { ControlFlow::Continue(()) } else { list(i, j) }
        })
    }

    /// Of these pairs those that come near, and how far all of them are free.
    fn narrow(&self, pairs: &[[u32; 2]], way: &OnWay<'_>) -> Narrowed {
        let mut kept = Vec::with_capacity(pairs.len().min(32));
        let mut free: f64 = 1.0;
        let most_moved = (self.b.mean - self.a.mean).length() + self.a.stray + self.b.stray;
        let too_far = (self.reach + most_moved) * (1.0 + 1e-9);
        for &pair in pairs {
            let points = self.points(pair);
            let start = points.map(|p| p.position(way.from, way.fixed));
            if surely_farther(self.kind, &start, too_far) {
                continue;
            }
            let end = points.map(|p| p.position(way.to, way.fixed));
            let moved = relative_motion(self.kind, &start, &end);
            // The distance changes by no more than the relative motion.
            let far = (self.reach + moved) * (1.0 + 1e-9);
            let distance = Closest::new(self.kind, &start).distance();
            if distance > far {
                continue;
            }
            let near = if moved > 0.0 { (distance - self.reach) / moved - 1e-9 } else { 0.0 };
            kept.push((near, self.candidate(pair, points)));
            if moved > 0.0 && distance - self.offset <= 2.0 * moved {
                free = free.min(safe_time(self.kind, &start, &end, self.offset));
            }
        }
        Narrowed { kept, free }
    }

    fn points(&self, [i, j]: [u32; 2]) -> [Point; 4] {
        let (i, j) = (i as usize, j as usize);
        let (a, b) = (self.a, self.b);
        match self.kind {
            PairKind::EdgeEdge => {
                let [e0, e1] = a.surface.edges[i].map(|n| a.first.offset(n));
                let [f0, f1] = b.surface.edges[j].map(|n| b.first.offset(n));
                [e0, e1, f0, f1]
            }
            PairKind::VertexFace => {
                let [f0, f1, f2] = b.surface.triangles[j].map(|n| b.first.offset(n));
                [a.first.offset(a.surface.vertices[i]), f0, f1, f2]
            }
        }
    }

    fn candidate(&self, [i, j]: [u32; 2], points: [Point; 4]) -> Candidate {
        let (i, j) = (i as usize, j as usize);
        let (sa, sb) = (self.a.surface, self.b.surface);
        let (kind, meeting) = (self.kind, self.meeting);
        let simulated = (self.a.body.is_some(), self.b.body.is_some());
        let (area, mollifier) = match (kind, simulated) {
            (PairKind::EdgeEdge, (_, other)) => {
                let area = match other {
                    true => 0.25 * (sa.edge_areas[i] + sb.edge_areas[j]),
                    false => 0.5 * sa.edge_areas[i],
                };
                (area, mollifier::threshold(sa.edge_lengths2[i], sb.edge_lengths2[j]))
            }
            (PairKind::VertexFace, (true, true)) => (0.5 * sa.vertex_areas[i], 0.0),
            (PairKind::VertexFace, (true, false)) => (sa.vertex_areas[i], 0.0),
            (PairKind::VertexFace, (false, _)) => (sb.triangle_areas[j] / 3.0, 0.0),
        };
        Candidate { points, area, mollifier, kind, meeting }
    }
}

/// Whether the plane half way between the middles of both pieces proves them farther apart
/// than `far`: a few products, and true of most neighbours in one surface.
fn surely_farther(kind: PairKind, x: &[Vec3; 4], far: f64) -> bool {
    // Twice, or three times, what is meant.
    let (between, gap, times) = match kind {
        PairKind::EdgeEdge => {
            let between = (x[2] - x[0]) + (x[3] - x[1]);
            let spread = between.dot(x[1] - x[0]).abs() + between.dot(x[3] - x[2]).abs();
            (between, between.length_squared() - spread, 2.0)
        }
        PairKind::VertexFace => {
            let corners = [x[0] - x[1], x[0] - x[2], x[0] - x[3]];
            let between = corners[0] + corners[1] + corners[2];
            let least = corners.map(|c| between.dot(c)).into_iter().fold(f64::INFINITY, f64::min);
            (between, 3.0 * least, 3.0)
        }
    };
    gap > 0.0 && gap * gap > (times * far).powi(2) * between.length_squared()
}
