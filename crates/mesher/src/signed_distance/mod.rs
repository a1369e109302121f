//! Signed distance to a triangle mesh, and solids from surfaces.
//!
//! The magnitude is the distance to the nearest triangle. The sign follows from the generalised winding number,
//! the normalised solid angle of the whole surface (Jacobson, Kavan, Sorkine-Hornung 2013). For a closed
//! surface the number is one inside and zero outside; it varies smoothly across holes and is two where
//! components overlap. A point is inside if it is at least one half. Surfaces made by hand, which are rarely
//! closed manifolds, therefore still bound a solid. Far triangles are approximated together (Barill et al.
//! 2018).
//!
//! Alternatives: a single hole or duplicate face flips the parity of ray crossings along a whole line. The side
//! of the nearest triangle is ambiguous at edges, and undefined where the boundary of a hole is nearest.
//!
//! Inconsistently oriented triangles would cancel others, so neighbours are oriented consistently
//! first. [`ClosureReport`] lists all findings and changes.

mod doubled;
mod loss;
mod report;
mod thin;
mod work;

pub use thin::ThinWalls;

pub use loss::{MAX_LOST_FRACTION, VolumeLoss};
pub use report::{ClosureReport, SolidError};
pub use work::MAX_VISITS;

use crate::coarsening::coarsen;
use crate::creases::{CreaseReport, Creases, restore};
use crate::stuffing::{Stuffed, Stuffing, StuffingError};
use rayon::prelude::*;
use resile_math::{Aabb, Vec3};
use resile_mesh::{TriMesh, TriangleSample, TriangleTree};
use resile_watch::TaskContext;
use work::check_cost;

/// Smallest maximum of the winding number for which a surface is filled. A point is inside from one half on. A
/// surface with a lower maximum bounds almost no volume, and the search for its inside is expensive.
const MIN_WINDING: f64 = 0.55;

/// A solid bounded by a surface, as a function of position.
#[derive(Debug)]
pub struct SignedDistance {
    /// The consistently oriented surface.
    surface: TriMesh,
    tree: TriangleTree,
    report: ClosureReport,
    /// Approximate maximum of the winding number, which is attained beside a triangle.
    max_winding: f64,
    /// Whether the centroid of a triangle lies inside another component.
    has_buried_centroids: bool,
}

impl SignedDistance {
    /// Computes the signed distance to `mesh`. Costs a sort of its edges, `O(n log^2 n)` for a tree, and a
    /// winding number for each triangle.
    pub fn new(mesh: &TriMesh) -> Result<Self, SolidError> {
        Self::new_watched(mesh, &TaskContext::unobserved(), |_| 0.0)
    }

    /// Creates the distance as [`new`](Self::new) does, with progress and interrupt. `query_count` estimates, from the
    /// bounding box (m), the number of queries that will follow.
    ///
    /// # Errors
    /// If the mesh is invalid, the queries cost too much, or an interrupt was raised.
    fn new_watched(
        mesh: &TriMesh,
        context: &TaskContext,
        query_count: impl FnOnce(Aabb) -> f64,
    ) -> Result<Self, SolidError> {
        mesh.check_numbers()?;
        let mut mesh = mesh.clone();
        let defects = mesh.defects();
        let doubled = doubled::remove_doubled_sides(&mut mesh);
        let turned = mesh.orient();
        let tree = TriangleTree::of_mesh(&mesh);
        check_cost(&mesh, &tree, query_count(tree.bounds()))?;
        let winding_at_centroid = |t: usize| {
            if context.interrupt.is_raised() {
                return 0.0;
            }
            context.tally.add(1);
            let [a, b, c] = mesh.corners(t);
            // At the centroid of a triangle, its solid angle is zero, and the other triangles of a closed surface have
            // the winding number 1/2.
            tree.winding_number((a + b + c) / 3.0, Some(t as u32))
        };
        let count = mesh.triangles.len();
        context.tally.begin("triangles", count);
        let windings: Vec<f64> =
            (0..count).into_par_iter().with_min_len(64).map(winding_at_centroid).collect();
        context.check_interrupt().map_err(SolidError::Interrupted)?;
        // Off the surface the winding number is harmonic, so its maximum is on the inner side of a triangle, where
        // this triangle adds 1/2.
        let max_winding = windings.iter().fold(f64::NEG_INFINITY, |max, &w| max.max(w)) + 0.5;
        let buried = count_buried(&mesh, &tree);
        let has_buried_centroids = windings.iter().any(|&winding| winding > 1.0);
        let report = ClosureReport { defects, doubled, turned, buried };
        Ok(Self { surface: mesh, tree, report, max_winding, has_buried_centroids })
    }

    /// Signed distance from `point` to the surface in metres, negative inside. Costs a nearest-triangle query
    /// and a winding number.
    ///
    /// Across a hole the value jumps from minus to plus the distance to the hole's boundary. Inside,
    /// the walls of overlapping components count as surface.
    pub fn value(&self, point: Vec3) -> f64 {
        let distance = self.tree.distance(point);
        let Aabb { min, max } = self.tree.bounds();
        // The solid ends at the bounding box, even at a large hole.
        let is_in_box = min.cmple(point).all() && point.cmple(max).all();
        if is_in_box && self.winding_number(point) >= 0.5 { -distance } else { distance }
    }

    /// Generalised winding number of the surface around `point`, with an error below 0.005: far triangles are
    /// approximated together.
    pub fn winding_number(&self, point: Vec3) -> f64 {
        self.tree.winding_number(point, None)
    }

    /// Bounding box of the surface.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    /// Defects of the surface and the changes made to it.
    pub fn report(&self) -> ClosureReport {
        self.report
    }
}

/// Number of triangles that lie at least partly inside another part of a surface.
fn count_buried(mesh: &TriMesh, tree: &TriangleTree) -> usize {
    let samples = mesh.interior_samples();
    let by_triangle: Vec<&[TriangleSample]> =
        samples.chunk_by(|a, b| a.triangle == b.triangle).collect();
    let is_buried = |samples: &&&[TriangleSample]| {
        samples.iter().any(|sample| sample.is_inside_another(mesh, tree))
    };
    by_triangle.par_iter().with_min_len(64).filter(is_buried).count()
}

/// A solid made from a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct FilledSurface {
    /// The solid and the report of stuffing.
    pub solid: Stuffed,
    /// Defects of the surface and the changes made to it.
    pub closure: ClosureReport,
    /// Outcome of restoring creases; none are restored if the centroid of a triangle lies inside another component.
    pub creases: CreaseReport,
    /// Missing volume, if it exceeds [`MAX_LOST_FRACTION`].
    pub lost: Option<VolumeLoss>,
    /// Lattice of thin walls before coarsening, if there are any.
    pub thin: Option<ThinWalls>,
}

/// Fills the inside of a surface with tetrahedra: [`SignedDistance`], [`Stuffing::fill`] and treatment of
/// creases.
///
/// If the cells for the requested number of tetrahedra are too large for 5 % of the volume, the solid is first
/// filled with cells that fit its wall thickness. Edges are then collapsed until about that number of
/// tetrahedra is left.
///
/// # Errors
/// If the surface is invalid, bounds no solid or cannot be filled, if its queries would visit more
/// triangles than [`MAX_VISITS`], or if thin walls would need too large a lattice.
pub fn fill_surface(
    mesh: &TriMesh,
    stuffing: &Stuffing,
    creases: Creases,
) -> Result<FilledSurface, SolidError> {
    fill_surface_watched(mesh, stuffing, creases, &TaskContext::unobserved())
}

/// Fills a surface as [`fill_surface`] does, with progress and interrupt.
///
/// # Errors
/// As [`fill_surface`], and [`SolidError::Interrupted`].
pub fn fill_surface_watched(
    mesh: &TriMesh,
    stuffing: &Stuffing,
    creases: Creases,
    context: &TaskContext,
) -> Result<FilledSurface, SolidError> {
    let query_count = |bounds| stuffing.min_points(bounds);
    let distance = SignedDistance::new_watched(mesh, context, query_count)?;
    if distance.max_winding < MIN_WINDING {
        return Err(SolidError::NoInside { most: distance.max_winding });
    }
    let closure = distance.report();
    let thin_walls = distance.thin_wall_stuffing(stuffing)?;
    let stuffing = thin_walls.as_ref().map_or(*stuffing, |thin_walls| thin_walls.stuffing);
    let filled = stuffing.fill_watched(|p| distance.value(p), distance.bounds(), context);
    let mut solid = match filled {
        Ok(solid) => solid,
        Err(StuffingError::Interrupted(cause)) => return Err(SolidError::Interrupted(cause)),
        Err(error) => return Err(SolidError::Stuffing { error, closure }),
    };
    let creases = match creases {
        // Creases of components inside others do not belong to the solid.
        Creases::Keep(degrees) if !distance.has_buried_centroids => {
            let (mesh, size) = (&mut solid.mesh, solid.report.size);
            restore(mesh, &distance.surface, &distance.tree, degrees, size, context)
        }
        _ => CreaseReport::default(),
    };
    if let Some(thin_walls) = &thin_walls {
        coarsen(&mut solid.mesh, &distance.tree, thin_walls.size, thin_walls.tets, context);
    }
    context.check_interrupt().map_err(SolidError::Interrupted)?;
    let lost = distance.loss(&solid);
    let thin = thin_walls.map(|thin_walls| thin_walls.walls);
    Ok(FilledSurface { solid, closure, creases, lost, thin })
}
