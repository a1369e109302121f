//! The signed distance to a triangle mesh, and solids from surfaces.
//!
//! How far a point is from the surface is a question to the nearest triangle. On which
//! side it is, is asked of all of them: the generalised winding number, the share of
//! the view that the surface takes (Jacobson, Kavan, Sorkine-Hornung 2013). For a closed
//! surface it is one inside and zero outside; where there is a hole it changes smoothly
//! across it, and where parts overlap it is two. A point is inside from one half on. So
//! surfaces made by hand, which rarely are closed manifolds, still bound a solid.
//! Far triangles are taken together (Barill et al. 2018).
//!
//! Rejected: counting the crossings of a ray, which one hole or one doubled face turns
//! around along a whole line; and the side of the nearest triangle, which is ambiguous
//! at edges and says nothing about a point that is nearest to a hole's rim.
//!
//! Triangles that face the wrong way would count against the others, so neighbours are
//! made to agree first. What was found and done is in the [`ClosureReport`].

mod doubled;
mod loss;
mod report;
mod thin;
mod work;

pub use thin::ThinWalls;

pub use loss::{MOST_LOST, VolumeLoss};
pub use report::{ClosureReport, SolidError};
pub use work::MOST_LOOKS;

use crate::coarsening::coarsen;
use crate::creases::{CreaseReport, Creases, restore};
use crate::stuffing::{Stuffed, Stuffing, StuffingError};
use rayon::prelude::*;
use resile_math::{Aabb, Vec3};
use resile_mesh::{TriMesh, TriangleTree};
use resile_watch::Watched;
use work::refuse_too_much;

/// A point is inside if its winding number is one half; if it is nowhere larger than
/// this, the surface bounds next to nothing, and looking for its inside would cost much.
const LEAST_INSIDE: f64 = 0.55;

/// The solid inside a surface, as a function of position.
#[derive(Debug)]
pub struct SignedDistance {
    /// As it was found to be meant.
    surface: TriMesh,
    tree: TriangleTree,
    report: ClosureReport,
    /// The largest winding number beside a triangle, and so anywhere, about.
    most: f64,
}

impl SignedDistance {
    /// Of the solid inside `mesh`. Costs a sort of its edges, `O(n log^2 n)` for a tree,
    /// and a winding number for each triangle.
    pub fn new(mesh: &TriMesh) -> Result<Self, SolidError> {
        Self::new_watched(mesh, &Watched::by_nobody(), |_| 0.0)
    }

    /// The same, watched; `points` says of the surface's box at how many points
    /// there will be questions.
    fn new_watched(
        mesh: &TriMesh,
        watched: &Watched,
        points: impl FnOnce(Aabb) -> f64,
    ) -> Result<Self, SolidError> {
        mesh.check_numbers()?;
        let mut mesh = mesh.clone();
        let defects = mesh.defects();
        let doubled = doubled::drop_second_sides(&mut mesh);
        let turned = mesh.orient();
        let tree = TriangleTree::of(&mesh);
        refuse_too_much(&mesh, &tree, points(tree.bounds()))?;
        let beside = |t: usize| {
            if watched.interrupt.is_raised() {
                return 0.0;
            }
            watched.tally.add(1);
            let [a, b, c] = mesh.corners(t);
            // Seen from a point of itself, a triangle takes none of the view, and the
            // others of a closed surface take half of it.
            tree.winding_number((a + b + c) / 3.0, Some(t as u32))
        };
        let count = mesh.triangles.len();
        watched.tally.begin("triangles", count);
        let windings: Vec<f64> = (0..count).into_par_iter().with_min_len(64).map(beside).collect();
        watched.go_on().map_err(SolidError::Interrupted)?;
        // Off the surface the winding number is harmonic, so it is largest beside it:
        // there the triangle's own half is added.
        let most = windings.iter().fold(f64::NEG_INFINITY, |most, &w| most.max(w)) + 0.5;
        let buried = windings.iter().filter(|&&w| w > 1.0).count();
        let report = ClosureReport { defects, doubled, turned, buried };
        Ok(Self { surface: mesh, tree, report, most })
    }

    /// The signed distance from `point` to the surface in metres, negative inside.
    /// Costs a search for the nearest triangle and one for the winding number.
    ///
    /// Where the surface has a hole the value jumps across it, from minus to plus the
    /// distance to the rim. Inside, the walls of parts that overlap count as surface.
    pub fn value(&self, point: Vec3) -> f64 {
        let distance = self.tree.distance(point);
        let Aabb { min, max } = self.tree.bounds();
        // A solid does not bulge out of its box, however large a hole is.
        let boxed = min.cmple(point).all() && point.cmple(max).all();
        if boxed && self.winding_number(point) >= 0.5 { -distance } else { distance }
    }

    /// The generalised winding number of the surface around `point`, right to 0.01 or
    /// so: far triangles are taken together.
    pub fn winding_number(&self, point: Vec3) -> f64 {
        self.tree.winding_number(point, None)
    }

    /// The box around the surface.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    /// What the surface lacks, and what was done about it.
    pub fn report(&self) -> ClosureReport {
        self.report
    }
}

/// A solid made from a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct FilledSurface {
    /// The solid, and how its cells came out.
    pub solid: Stuffed,
    /// What the surface lacks, and what was done about it.
    pub closure: ClosureReport,
    /// How its creases came out; nothing is done about those of parts that overlap.
    pub creases: CreaseReport,
    /// What of the volume is missing, if that is more than [`MOST_LOST`].
    pub lost: Option<VolumeLoss>,
    /// How thin walls were filled before tetrahedra were joined, if there are any.
    pub thin: Option<ThinWalls>,
}

/// Fills the inside of a surface with tetrahedra: [`SignedDistance`] handed to
/// [`Stuffing::fill`], and its creases treated as asked.
///
/// Where a number of tetrahedra is asked for, of which cells would be too large for a twentieth of
/// the volume, it is filled with cells that fit the thickness of its walls, and edges are collapsed
/// until about that number is left.
///
/// # Errors
/// If it is no surface, bounds no solid or cannot be filled, or if that would take more looks at
/// triangles than [`MOST_LOOKS`], or too large a lattice for thin walls.
pub fn fill_surface(
    mesh: &TriMesh,
    stuffing: &Stuffing,
    creases: Creases,
) -> Result<FilledSurface, SolidError> {
    fill_surface_watched(mesh, stuffing, creases, &Watched::by_nobody())
}

/// The same, watched: progress is counted, and the work ends soon after `watched`
/// says stop.
///
/// # Errors
/// As [`fill_surface`], and [`SolidError::Interrupted`].
pub fn fill_surface_watched(
    mesh: &TriMesh,
    stuffing: &Stuffing,
    creases: Creases,
    watched: &Watched,
) -> Result<FilledSurface, SolidError> {
    let points = |bounds| stuffing.points_at_least(bounds);
    let distance = SignedDistance::new_watched(mesh, watched, points)?;
    if distance.most < LEAST_INSIDE {
        return Err(SolidError::NoInside { most: distance.most });
    }
    let closure = distance.report();
    let fine = distance.fine(stuffing)?;
    let used = fine.as_ref().map_or(*stuffing, |fine| fine.stuffing);
    match used.fill_watched(|p| distance.value(p), distance.bounds(), watched) {
        Ok(mut solid) => {
            let creases = match creases {
                // Creases inside other parts are none of the solid's.
                Creases::Keep(degrees) if closure.buried == 0 => {
                    let (mesh, size) = (&mut solid.mesh, solid.report.size);
                    restore(mesh, &distance.surface, &distance.tree, degrees, size, watched)
                }
                _ => CreaseReport::default(),
            };
            if let Some(fine) = &fine {
                coarsen(&mut solid.mesh, &distance.tree, fine.size, fine.tets, watched);
            }
            watched.go_on().map_err(SolidError::Interrupted)?;
            let lost = distance.loss(&solid);
            Ok(FilledSurface { solid, closure, creases, lost, thin: fine.map(|fine| fine.walls) })
        }
        Err(StuffingError::Interrupted(cause)) => Err(SolidError::Interrupted(cause)),
        Err(error) => Err(SolidError::Stuffing { error, closure }),
    }
}
