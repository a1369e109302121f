//! Surfaces mended as far as it is safe.
//!
//! What is done changes no shape that anyone could see: vertices that were meant to be
//! one become one, triangles without area and repeated ones go, triangles are turned
//! so that outside is outside, and small holes are closed. What would need a guess is left
//! as it is and counted: large holes, and edges of more than two triangles.
//!
//! In this order, since each step relies on the ones before: neighbours are only known
//! once vertices are welded, duplicates would be third triangles at an edge, holes can
//! be walked around only if the triangles at them agree on a direction, and only what is
//! closed has an outside.
//!
//! Rejected: to mend everything (Attene 2010 removes what intersects), which cannot be
//! done without cutting away parts of the model; the signed distance of
//! `resile-mesher` fills surfaces that are left defective.

mod duplicates;
mod flat;
mod holes;
mod left;
mod outward;
mod weld;

use crate::orient::agree;
use crate::read::polygons::keep_used;
use crate::{SurfaceDefects, SurfaceError, TriMesh};

pub use duplicates::DOUBLED;
pub use holes::{LARGEST_HOLE, LARGEST_PATCH};
pub use weld::NEARNESS;

/// A surface that was mended.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The surface: kept triangles in their order, those that close holes behind them.
    pub mesh: TriMesh,
    /// The triangle of the input that each was; `None` of those that close holes.
    pub origins: Vec<Option<u32>>,
    /// What was done and what is left.
    pub report: RepairReport,
}

/// A surface that loses triangles, and the triangle of the input that each one was.
#[derive(Debug)]
struct TracedSurface {
    mesh: TriMesh,
    origins: Vec<u32>,
}

impl TracedSurface {
    /// Leaves out triangles, which are given by their numbers and corners. Returns how many.
    fn retain(&mut self, keep: impl Fn(usize, [u32; 3]) -> bool) -> usize {
        let triangles = &self.mesh.triangles;
        let kept: Vec<bool> = (0..).zip(triangles).map(|(n, t)| keep(n, *t)).collect();
        let before = kept.len();
        let mut each = kept.iter();
        self.mesh.triangles.retain(|_| each.next().is_some_and(|kept| *kept));
        let mut each = kept.iter();
        self.origins.retain(|_| each.next().is_some_and(|kept| *kept));
        before - self.origins.len()
    }
}

/// What was done to a surface, and what is left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RepairReport {
    /// Vertices that became one with another.
    pub welded: usize,
    /// Triangles left out because two of their corners are one vertex.
    pub collapsed: usize,
    /// Triangles left out because they repeat another.
    pub repeated: usize,
    /// Triangles without area, gone by exchanging the diagonal with a neighbour's.
    pub exchanged: usize,
    /// Triangles without area that were left out.
    pub flat: usize,
    /// Triangles that were turned around.
    pub turned: usize,
    /// Holes that were closed.
    pub holes: usize,
    /// Triangles that close them.
    pub added: usize,
    /// Vertices left out because no triangle uses them.
    pub unused: usize,
    /// Holes left open: larger than [`LARGEST_HOLE`] or [`LARGEST_PATCH`], or not to be
    /// closed without a third triangle at an edge.
    pub holes_left: usize,
    /// Of what came out.
    pub defects: SurfaceDefects,
}

impl RepairReport {
    /// A sentence for each thing that was done; none if there was nothing to do.
    pub fn notes(&self) -> Vec<String> {
        let done = [
            (self.welded, "vertices welded to others at the same place"),
            (self.collapsed, "triangles dropped that had collapsed to a line"),
            (self.repeated, "triangles dropped that repeat another"),
            (self.exchanged, "triangles without area exchanged with a neighbour"),
            (self.flat, "triangles without area dropped"),
            (self.turned, "triangles turned around"),
            (self.holes, "holes closed"),
            (self.added, "triangles added to close them"),
            (self.unused, "vertices dropped that no triangle uses"),
        ];
        let said = done.iter().filter(|(count, _)| *count > 0);
        said.map(|(count, what)| format!("{what}: {count}")).collect()
    }
}

/// Mends a surface. Costs some sorts of its edges, the cube of the number of edges of
/// each hole that is closed, and a winding number for each part that faces inward.
///
/// # Errors
/// If coordinates or numbers of vertices are no good.
pub fn repair(mesh: &TriMesh) -> Result<Repaired, SurfaceError> {
    mesh.check_numbers()?;
    let origins = (0..mesh.triangles.len() as u32).collect();
    let mut kept = TracedSurface { mesh: mesh.clone(), origins };
    let mut report = RepairReport { welded: weld::weld(&mut kept.mesh), ..RepairReport::default() };
    report.collapsed = kept.retain(|_, [a, b, c]| a != b && b != c && a != c);
    report.repeated = duplicates::drop_repeated(&mut kept);
    [report.exchanged, report.flat] = flat::remove_flat(&mut kept);
    report.repeated += duplicates::drop_repeated(&mut kept);
    let TracedSurface { mut mesh, origins } = kept;
    if mesh.triangles.is_empty() {
        return Err(SurfaceError::Empty);
    }
    let before = mesh.triangles.clone();
    agree(&mut mesh);
    let closed = holes::close(&mut mesh);
    [report.holes, report.added, report.holes_left] = [closed.closed, closed.added, closed.left];
    outward::face_outward(&mut mesh);
    let turned = |(old, new): (&[u32; 3], &[u32; 3])| !is_rotation(*old, *new);
    report.turned = before.iter().zip(&mesh.triangles).filter(|&pair| turned(pair)).count();
    let vertices = mesh.positions.len();
    mesh.positions = keep_used(mesh.positions, mesh.triangles.as_flattened_mut());
    // Those that were welded away are counted already.
    report.unused = vertices - mesh.positions.len() - report.welded;
    report.defects = mesh.defects();
    let added = std::iter::repeat_n(None, mesh.triangles.len() - origins.len());
    let origins = origins.into_iter().map(Some).chain(added).collect();
    Ok(Repaired { mesh, origins, report })
}

/// Whether two triangles with the same corners face the same side.
fn is_rotation([a, b, c]: [u32; 3], new: [u32; 3]) -> bool {
    [[a, b, c], [b, c, a], [c, a, b]].contains(&new)
}
