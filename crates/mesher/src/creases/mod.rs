//! Sharp edges of a surface, restored on the solid that fills it.
//!
//! Stuffing cuts creases off: where a surface is sharp, edges of the mesh lead from one
//! side to the other through the solid, or outside of it. Here one end of each such edge
//! is moved onto the crease, corners first, the shortest moves first. A move is taken back
//! if it leaves an element with a small angle even after the neighbours have made room, or makes
//! the boundary cross itself, which is decided exactly;
//! then a tetrahedron more or less may still turn the edge.
//!
//! A cube that lies askew is filled exactly in this way, and the volume that a wingnut of
//! 20,000 tetrahedra lacks goes from 1.3 to 0.2 % (`docs/meshing.md`).
//!
//! Rejected: moving lattice points onto creases before the cells are cut. Its stencils
//! know one cut point an edge, and the bound of the angles would have to be won anew.

mod find;
mod fit;
mod flip;

use find::Network;
use fit::{Fit, Hold};
use flip::turn_edges;
use resile_mesh::{TetMesh, TriMesh, TriangleTree};
use resile_watch::Watched;

/// What becomes of a surface's sharp edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Creases {
    /// They are cut off, by up to half a cell.
    CutOff,
    /// Edges at which the surface turns by more than so many degrees are kept, as far as
    /// [`LEAST_ANGLE`] allows.
    Keep(f64),
}

/// How a solid's creases came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CreaseReport {
    /// Edges of the boundary that cut a crease off before anything was done.
    pub cut_off: usize,
    /// Nodes that were moved onto a crease or a corner.
    pub moved: usize,
    /// Edges of the boundary that were turned.
    pub turned: usize,
    /// Edges of the boundary that still cut a crease off.
    pub left: usize,
}

/// Keeping creases leaves no dihedral angle below this, in degrees, that was not there
/// before. With 10 instead, a twentieth more nodes found a place on the creases of a
/// wingnut, and surface and volume were no nearer.
pub const LEAST_ANGLE: f64 = 12.0;

/// Edges that turn by more than this, in degrees, are creases by default:
/// those of machine parts do, the facets of smooth shapes of a thousand triangles do not.
pub const USUAL_ANGLE: f64 = 40.0;

/// Elements with smaller angles than this, in degrees, are made better where their nodes
/// may move.
const ENOUGH: f64 = 18.0;

/// How many nodes near a corner are tried.
const CANDIDATES: usize = 6;

/// How often what is cut off is looked for anew. The second time found nothing more to do
/// for cubes and a wingnut.
const ROUNDS: usize = 3;

/// Chains of sharp edges that are nowhere so many cells across are noise.
const NOISE: f64 = 2.0;

/// Moves nodes of a solid with cells of `size`, whose boundary lies on `surface`, onto the
/// edges of the surface that turn by more than `degrees`. `tree` has the surface's triangles.
/// Ends soon after `watched` says stop, and what is there then is of no use.
pub(crate) fn restore(
    mesh: &mut TetMesh,
    surface: &TriMesh,
    tree: &TriangleTree,
    degrees: f64,
    size: f64,
    watched: &Watched,
) -> CreaseReport {
    let mut report = CreaseReport::default();
    let Some(creases) = Network::find(surface, degrees, NOISE * size, &watched.interrupt) else {
        return report;
    };
    let boundary = mesh.surface();
    let mut holds = vec![Hold::Free; mesh.positions.len()];
    boundary.vertices.iter().for_each(|&v| holds[v as usize] = Hold::Surface);
    watched.tally.begin("rounds of creases", ROUNDS);
    report.cut_off = cut_off(mesh, &boundary.edges, &creases, size).len();
    for round in 0..ROUNDS {
        let boundary = mesh.surface();
        let mut fit = Fit::new(mesh, &mut holds, tree, size, &watched.interrupt);
        let corners =
            if round == 0 { put_corners(&mut fit, &boundary.vertices, &creases) } else { 0 };
        let moved = corners + put_edges(&mut fit, &boundary.edges, &creases);
        let turned = turn_edges(mesh, &creases, tree, size);
        report.moved += moved;
        report.turned += turned;
        watched.tally.add(1);
        if moved + turned == 0 {
            break;
        }
    }
    Fit::new(mesh, &mut holds, tree, size, &watched.interrupt).polish(ENOUGH);
    report.left = cut_off(mesh, &mesh.surface().edges, &creases, size).len();
    report
}

/// The edges that cut a crease off.
fn cut_off(mesh: &TetMesh, edges: &[[u32; 2]], creases: &Network, size: f64) -> Vec<[u32; 2]> {
    edges.iter().copied().filter(|&edge| is_cut_off(mesh, edge, creases, size)).collect()
}

fn is_cut_off(mesh: &TetMesh, edge: [u32; 2], creases: &Network, size: f64) -> bool {
    creases.are_cut_by(edge.map(|v| mesh.positions[v as usize]), size)
}

/// Puts a node on every corner that has one near.
fn put_corners(fit: &mut Fit<'_>, vertices: &[u32], creases: &Network) -> usize {
    let mut moved = 0;
    for &corner in &creases.corners {
        if fit.interrupt.is_raised() {
            break;
        }
        let mut near = nearest_first(vertices, |v| {
            let distance = fit.mesh.positions[v as usize].distance(corner);
            (distance < fit.size && fit.holds[v as usize] == Hold::Surface).then_some(distance)
        });
        near.truncate(CANDIDATES);
        moved += usize::from(near.into_iter().any(|v| fit.put(v, corner)));
    }
    moved
}

/// Puts an end of every edge that cuts a crease off onto it.
fn put_edges(fit: &mut Fit<'_>, edges: &[[u32; 2]], creases: &Network) -> usize {
    let bad = cut_off(fit.mesh, edges, creases, fit.size);
    let mut ends: Vec<(u32, [u32; 2])> =
        bad.iter().flat_map(|&edge| edge.map(|v| (v, edge))).collect();
    ends.sort_unstable();
    let mut vertices: Vec<u32> = ends.iter().map(|&(v, _)| v).collect();
    vertices.dedup();
    let order = nearest_first(&vertices, |v| {
        let p = fit.mesh.positions[v as usize];
        (fit.holds[v as usize] == Hold::Surface).then(|| p.distance(creases.closest(p)))
    });
    let mut moved = 0;
    for v in order {
        let from = ends.partition_point(|&(other, _)| other < v);
        let mine = ends[from..].iter().take_while(|&&(other, _)| other == v);
        if mine.clone().any(|&(_, edge)| is_cut_off(fit.mesh, edge, creases, fit.size)) {
            let place = creases.closest(fit.mesh.positions[v as usize]);
            moved += usize::from(fit.put(v, place));
        }
    }
    moved
}

/// Those that have a distance, the smallest first.
fn nearest_first(vertices: &[u32], distance: impl Fn(u32) -> Option<f64>) -> Vec<u32> {
    let mut near: Vec<(f64, u32)> =
        vertices.iter().filter_map(|&v| distance(v).map(|d| (d, v))).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    near.into_iter().map(|(_, v)| v).collect()
}
