//! Safe repair of surfaces.
//!
//! Repair does not visibly change the shape: it welds near vertices, removes degenerate and duplicate
//! triangles, orients triangles outward, and closes small holes. It leaves and counts defects that
//! would need a guess: large holes and non-manifold edges.
//!
//! Each step relies on the ones before: neighbours are known only after welding, duplicates would be
//! third triangles at an edge, a boundary loop can be traced only around consistently oriented
//! triangles, and only a closed surface has an outside.
//!
//! Complete repair (Attene 2010 removes intersecting triangles) would have to cut away parts of the
//! model. The signed distance of `resile-mesher` fills surfaces that stay defective.

mod duplicates;
mod flat;
mod holes;
mod left;
mod outward;
mod weld;

use crate::orient::orient_consistently;
use crate::read::polygons::keep_used;
use crate::{SurfaceDefects, SurfaceError, TriMesh};

pub use duplicates::MIN_DUPLICATE_FRACTION;
pub use holes::{MAX_HOLE_EDGES, MAX_PATCH_FRACTION};
pub use weld::WELD_TOLERANCE;

/// A repaired surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The surface: kept triangles in their order, then the triangles that close holes.
    pub mesh: TriMesh,
    /// The input triangle of each triangle; `None` for those that close holes.
    pub origins: Vec<Option<u32>>,
    /// Changes and remaining defects.
    pub report: RepairReport,
}

/// A surface under repair, with the input triangle of each triangle.
#[derive(Debug)]
struct TracedSurface {
    mesh: TriMesh,
    origins: Vec<u32>,
}

impl TracedSurface {
    /// Removes the triangles for which `keep` (index, corners) is false; returns their number.
    fn retain(&mut self, keep: impl Fn(usize, [u32; 3]) -> bool) -> usize {
        let triangles = &self.mesh.triangles;
        let kept: Vec<bool> = (0..).zip(triangles).map(|(n, t)| keep(n, *t)).collect();
        let count_before = kept.len();
        let mut flags = kept.iter();
        self.mesh.triangles.retain(|_| flags.next().is_some_and(|kept| *kept));
        let mut flags = kept.iter();
        self.origins.retain(|_| flags.next().is_some_and(|kept| *kept));
        count_before - self.origins.len()
    }
}

/// Changes made to a surface, and remaining defects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RepairReport {
    /// Vertices welded to others.
    pub welded: usize,
    /// Triangles removed because two of their corners are one vertex.
    pub collapsed: usize,
    /// Duplicate triangles removed.
    pub repeated: usize,
    /// Degenerate triangles removed by an edge flip.
    pub exchanged: usize,
    /// Degenerate triangles removed without a flip.
    pub flat: usize,
    /// Triangles whose orientation was flipped.
    pub turned: usize,
    /// Holes closed.
    pub holes: usize,
    /// Triangles that close them.
    pub added: usize,
    /// Unused vertices removed.
    pub unused: usize,
    /// Holes left open: larger than [`MAX_HOLE_EDGES`] or [`MAX_PATCH_FRACTION`], or closable only with a
    /// non-manifold edge.
    pub holes_left: usize,
    /// Remaining defects.
    pub defects: SurfaceDefects,
}

impl RepairReport {
    /// One sentence per kind of change.
    pub fn notes(&self) -> Vec<String> {
        let counts = [
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
        let changes = counts.iter().filter(|(count, _)| *count > 0);
        changes.map(|(count, what)| format!("{what}: {count}")).collect()
    }
}

/// Repairs a surface. Costs some sorts of its edges, the cube of the number of edges of each closed
/// hole, and a winding number for each component that faces inward.
///
/// # Errors
/// If the mesh is empty, coordinates are not finite, vertex indices are out of range, or no triangle remains.
pub fn repair(mesh: &TriMesh) -> Result<Repaired, SurfaceError> {
    mesh.check_numbers()?;
    let origins = (0..mesh.triangles.len() as u32).collect();
    let mut surface = TracedSurface { mesh: mesh.clone(), origins };
    let mut report =
        RepairReport { welded: weld::weld(&mut surface.mesh), ..RepairReport::default() };
    report.collapsed = surface.retain(|_, [a, b, c]| a != b && b != c && a != c);
    report.repeated = duplicates::drop_repeated(&mut surface);
    [report.exchanged, report.flat] = flat::remove_flat(&mut surface);
    report.repeated += duplicates::drop_repeated(&mut surface);
    let TracedSurface { mut mesh, origins } = surface;
    if mesh.triangles.is_empty() {
        return Err(SurfaceError::Empty);
    }
    let original_triangles = mesh.triangles.clone();
    orient_consistently(&mut mesh);
    let closed = holes::close_holes(&mut mesh);
    [report.holes, report.added, report.holes_left] =
        [closed.closed, closed.added, closed.left_open];
    outward::face_outward(&mut mesh);
    let is_flipped = |(old, new): (&[u32; 3], &[u32; 3])| !is_rotation(*old, *new);
    report.turned =
        original_triangles.iter().zip(&mesh.triangles).filter(|&pair| is_flipped(pair)).count();
    let vertex_count = mesh.positions.len();
    mesh.positions = keep_used(mesh.positions, mesh.triangles.as_flattened_mut());
    // Welded vertices are counted already.
    report.unused = vertex_count - mesh.positions.len() - report.welded;
    report.defects = mesh.defects();
    let added = std::iter::repeat_n(None, mesh.triangles.len() - origins.len());
    let origins = origins.into_iter().map(Some).chain(added).collect();
    Ok(Repaired { mesh, origins, report })
}

/// Whether two triangles with the same corners have the same orientation.
fn is_rotation([a, b, c]: [u32; 3], new: [u32; 3]) -> bool {
    [[a, b, c], [b, c, a], [c, a, b]].contains(&new)
}
