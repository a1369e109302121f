//! Fewer and larger tetrahedra in the same solid, by edge collapse.
//!
//! A wall that is thinner than a cell of the lattice needs small cells to be filled at all, but
//! not to be kept: two surfaces that are close to each other may consist of large triangles. So a
//! solid with thin walls is filled finely, and its shortest edges are collapsed until it has as
//! many tetrahedra as were asked for.
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
use collapse::Collapsing;
use quadric::Quadric;
use resile_math::Vec3;
use resile_mesh::{TetMesh, TriangleTree};
use resile_watch::Watched;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// In turn the smallest dihedral angle (degrees) and the largest distance from the planes of the
/// boundary, over the length of an edge that is collapsed.
const PASSES: [(f64, f64); 4] = [(15.0, 0.05), (12.0, 0.1), (10.0, 0.15), (8.0, 0.25)];

/// How often progress is told and an interrupt noticed, in collapses that were tried.
const OFTEN: usize = 256;

/// An edge of a queue, the shortest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Its squared length in an order of bits, which for positive numbers is that of numbers.
    length: u64,
    edge: [u32; 2],
    /// How often the ends had changed when it was listed.
    changes: [u32; 2],
}

/// Collapses edges of a solid until it has no more than `most` tetrahedra, or no edge is left that
/// may be collapsed. Its boundary lies on the surface of `tree`; `size` is the length of its edges.
/// Ends soon after `watched` says stop.
pub(crate) fn coarsen(
    mesh: &mut TetMesh,
    tree: &TriangleTree,
    size: f64,
    most: usize,
    watched: &Watched,
) {
    let mut collapsing = Collapsing::new(mesh, tree, size);
    watched.tally.begin("tetrahedra to be joined", collapsing.count().saturating_sub(most));
    for (angle, distance) in PASSES {
        collapsing.limit(angle, distance);
        pass(&mut collapsing, most, watched);
        if collapsing.count() <= most || watched.interrupt.is_raised() {
            break;
        }
    }
    *mesh = collapsing.finish();
}

/// Collapses what may be collapsed, the shortest edges first.
fn pass(collapsing: &mut Collapsing<'_>, most: usize, watched: &Watched) {
    let mut queue: BinaryHeap<Reverse<Candidate>> =
        collapsing.edges().into_iter().map(|edge| Reverse(candidate(collapsing, edge))).collect();
    let (mut tried, mut told) = (0, collapsing.count());
    while let Some(Reverse(next)) = queue.pop() {
        if collapsing.count() <= most {
            return;
        }
        tried += 1;
        if tried % OFTEN == 0 {
            watched.tally.add(told - collapsing.count());
            told = collapsing.count();
            if watched.interrupt.is_raised() {
                return;
            }
        }
        if next != candidate(collapsing, next.edge) {
            continue;
        }
        if let Some(kept) = collapsing.collapse(next.edge) {
            let near = collapsing.neighbours(kept);
            let edges = near.into_iter().map(|n| [n.min(kept), n.max(kept)]);
            queue.extend(edges.map(|edge| Reverse(candidate(collapsing, edge))));
        }
    }
}

fn candidate(collapsing: &Collapsing<'_>, edge: [u32; 2]) -> Candidate {
    let [a, b] = edge.map(|n| collapsing.position(n));
    Candidate {
        length: a.distance_squared(b).to_bits(),
        edge,
        changes: edge.map(|n| collapsing.changes(n)),
    }
}

/// The quadrics of nodes, each about its own position; zero inside.
fn quadrics(boundary: &[[u32; 3]], positions: &[Vec3]) -> Vec<Quadric> {
    let mut quadrics = vec![Quadric::ZERO; positions.len()];
    for triangle in boundary {
        let corners = triangle.map(|n| positions[n as usize]);
        for &n in triangle {
            let own = &mut quadrics[n as usize];
            *own = own.plus(&Quadric::of_triangle(corners, Vec3::ZERO));
        }
    }
    quadrics
}

/// The boundary of a solid that may change.
fn boundary(mesh: &TetMesh, size: f64) -> (Vec<[u32; 3]>, Boundary) {
    let triangles = mesh.surface().triangles;
    let boundary = Boundary::new(&triangles, &mesh.positions, size);
    (triangles, boundary)
}
