//! Results and errors of stuffing.

use super::MAX_LATTICE_POINTS;
use crate::ShownLength;
use resile_math::Vec3;
use resile_mesh::TetMesh;
use resile_mesh::generate::MAX_ELEMENTS;
use resile_watch::Cause;
use thiserror::Error;

/// Smallest number of tetrahedra that can be requested.
pub const MIN_TETS: usize = 50;

/// A filled solid with its report.
#[derive(Debug, Clone, PartialEq)]
pub struct Stuffed {
    /// The solid; it passes [`TetMesh::check`].
    pub mesh: TetMesh,
    /// Statistics of stuffing.
    pub report: StuffingReport,
}

/// Statistics of stuffing, and removed parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StuffingReport {
    /// Length of a lattice cell in metres.
    pub size: f64,
    /// Number of lattice points at which the field was evaluated.
    pub points: usize,
    /// Number of lattice points moved onto the surface.
    pub moved: usize,
    /// Tetrahedra removed because they connect to the rest only at an edge or a vertex, where the solid is
    /// thinner than a cell.
    pub hinges: usize,
    /// Pieces dropped by [`Pieces::Largest`](super::Pieces::Largest).
    pub dropped_pieces: usize,
    /// Number of tetrahedra of the dropped pieces.
    pub dropped_tets: usize,
    /// Volume of the dropped pieces in m^3.
    pub dropped_volume: f64,
}

impl StuffingReport {
    /// One sentence per kind of removed part.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.hinges > 0 {
            notes.push(format!(
                "took off {} tetrahedra that hung together with the rest at an edge or a vertex \
                 only: there the solid is thinner than a cell of {} m",
                self.hinges,
                ShownLength(self.size)
            ));
        }
        if self.dropped_pieces > 0 {
            let pieces = if self.dropped_pieces == 1 { "piece" } else { "pieces" };
            notes.push(format!(
                "dropped {} {pieces} ({} tetrahedra) beside the largest one",
                self.dropped_pieces, self.dropped_tets
            ));
        }
        notes
    }
}

/// Errors of filling a solid.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum StuffingError {
    /// A cell size that is zero, negative, NaN or infinite.
    #[error("the cell size is {size}, but must be a positive, finite length in metres")]
    Size {
        /// Given value.
        size: f64,
    },
    /// A number of tetrahedra too small to aim for.
    #[error("cannot aim for {tets} tetrahedra; the fewest is {MIN_TETS}")]
    TooFew {
        /// Given value.
        tets: usize,
    },
    /// Bounds that are not a box of finite size.
    #[error("the bounds from {min} to {max} are not a box of finite size")]
    Bounds {
        /// Smallest coordinates.
        min: Vec3,
        /// Largest coordinates.
        max: Vec3,
    },
    /// More lattice points than [`MAX_LATTICE_POINTS`].
    #[error(
        "a cell size of {} m needs {points:.3e} lattice points; at most {MAX_LATTICE_POINTS} are used",
        ShownLength(*size)
    )]
    TooManyPoints {
        /// Cell size in metres.
        size: f64,
        /// Number of lattice points.
        points: f64,
    },
    /// More tetrahedra than [`MAX_ELEMENTS`].
    #[error("{tets:.3e} tetrahedra are asked for; at most {MAX_ELEMENTS} are made")]
    TooManyTets {
        /// Number of tetrahedra.
        tets: f64,
    },
    /// The field is NaN or infinite somewhere.
    #[error("the field is {value} at {point}; it must be finite everywhere")]
    NotFinite {
        /// Position in metres.
        point: Vec3,
        /// Value of the field at `point`.
        value: f64,
    },
    /// The field is negative outside its bounds.
    #[error("the solid goes beyond its bounds: the field is {value} at {point}")]
    BeyondBounds {
        /// Position in metres.
        point: Vec3,
        /// Value of the field at `point`.
        value: f64,
    },
    /// No lattice point is inside.
    #[error(
        "nothing is left of the solid with cells of {} m: it is empty, or thinner than that",
        ShownLength(*size)
    )]
    Empty {
        /// Cell size in metres.
        size: f64,
    },
    /// The interrupt was raised.
    #[error("meshing was interrupted: {0}")]
    Interrupted(Cause),
}
