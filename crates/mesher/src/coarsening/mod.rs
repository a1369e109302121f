//! Mesh coarsening by edge collapse.
//!
//! A wall thinner than a lattice cell can be filled only with small cells, but can be represented by
//! large triangles. A solid with thin walls is therefore filled finely, and its shortest edges are
//! collapsed until it has the requested number of tetrahedra.
//!
//! A collapse is allowed if
//! * the topology stays (the link condition of Dey, Edelsbrunner, Guha & Nekhayev 1999,
//!   *Topology preserving edge contraction*),
//! * no element gets a dihedral angle below a limit that it did not have before,
//! * the boundary stays near its planes (error quadrics), does not fold, and does not cross
//!   itself, which is decided exactly.

mod collapse;
mod quadric;

use crate::boundary::Boundary;
use collapse::EdgeCollapse;
use quadric::Quadric;
use resile_math::Vec3;
use resile_mesh::{TetMesh, TriangleTree};
use resile_watch::TaskContext;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Limits of each pass: smallest dihedral angle (degrees), and largest quadric distance from the
/// boundary over the length of the collapsed edge.
const PASS_LIMITS: [(f64, f64); 4] = [(15.0, 0.05), (12.0, 0.1), (10.0, 0.15), (8.0, 0.25)];

/// Number of tried collapses between two progress reports and interrupt polls.
const POLL_INTERVAL: usize = 256;

/// A queued edge. Candidates are ordered by length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Bits of its squared length (m^2), which order like the (positive) number itself.
    squared_length_bits: u64,
    edge: [u32; 2],
    /// Change counts of both ends when it was queued.
    changes: [u32; 2],
}

/// Collapses edges until the solid has at most `max_count` tetrahedra or no collapse is allowed. Its
/// boundary lies on the surface of `tree`; `size` is its edge length (m). Ends soon after an
/// interrupt.
pub(crate) fn coarsen(
    mesh: &mut TetMesh,
    tree: &TriangleTree,
    size: f64,
    max_count: usize,
    context: &TaskContext,
) {
    let mut collapsing = EdgeCollapse::new(mesh, tree, size);
    context.tally.begin("tetrahedra to be joined", collapsing.count().saturating_sub(max_count));
    for (min_angle, max_distance) in PASS_LIMITS {
        collapsing.set_limits(min_angle, max_distance);
        collapse_pass(&mut collapsing, max_count, context);
        if collapsing.count() <= max_count || context.interrupt.is_raised() {
            break;
        }
    }
    *mesh = collapsing.finish();
}

/// Collapses edges within the current limits in the order of their candidates, until at most `max_count` tetrahedra are
/// left, no edge can be collapsed, or an interrupt is raised. An edge whose candidate changed is skipped.
fn collapse_pass(collapsing: &mut EdgeCollapse<'_>, max_count: usize, context: &TaskContext) {
    let mut queue: BinaryHeap<Reverse<Candidate>> =
        collapsing.edges().into_iter().map(|edge| Reverse(candidate(collapsing, edge))).collect();
    let (mut attempts, mut reported_count) = (0, collapsing.count());
    while let Some(Reverse(next)) = queue.pop() {
        if collapsing.count() <= max_count {
            return;
        }
        attempts += 1;
        if attempts % POLL_INTERVAL == 0 {
            context.tally.add(reported_count - collapsing.count());
            reported_count = collapsing.count();
            if context.interrupt.is_raised() {
                return;
            }
        }
        if next != candidate(collapsing, next.edge) {
            continue;
        }
        if let Some(survivor) = collapsing.collapse(next.edge) {
            let neighbours = collapsing.neighbours(survivor);
            let edges = neighbours.into_iter().map(|n| [n.min(survivor), n.max(survivor)]);
            queue.extend(edges.map(|edge| Reverse(candidate(collapsing, edge))));
        }
    }
}

/// The queue entry of an edge in its current state.
fn candidate(collapsing: &EdgeCollapse<'_>, edge: [u32; 2]) -> Candidate {
    let [a, b] = edge.map(|n| collapsing.position(n));
    Candidate {
        squared_length_bits: a.distance_squared(b).to_bits(),
        edge,
        changes: edge.map(|n| collapsing.changes(n)),
    }
}

/// Quadrics of all nodes, each about its own position; zero for interior nodes.
fn quadrics(boundary: &[[u32; 3]], positions: &[Vec3]) -> Vec<Quadric> {
    let mut quadrics = vec![Quadric::ZERO; positions.len()];
    for triangle in boundary {
        let corners = triangle.map(|n| positions[n as usize]);
        for &n in triangle {
            let quadric = &mut quadrics[n as usize];
            *quadric = quadric.plus(&Quadric::of_triangle(corners, Vec3::ZERO));
        }
    }
    quadrics
}

/// Boundary triangles of a solid, as a list and in a grid.
fn boundary(mesh: &TetMesh, size: f64) -> (Vec<[u32; 3]>, Boundary) {
    let triangles = mesh.surface().triangles;
    let boundary = Boundary::new(&triangles, &mesh.positions, size);
    (triangles, boundary)
}
