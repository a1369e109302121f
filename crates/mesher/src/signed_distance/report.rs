//! Defects of a surface to be filled, and errors.

use super::{ThinWalls, VolumeLoss};
use crate::stuffing::StuffingError;
use resile_mesh::{SurfaceDefects, SurfaceError};
use resile_watch::Cause;
use std::fmt;
use thiserror::Error;

/// Defects of a surface as the boundary of a solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClosureReport {
    /// Defects of the given surface.
    pub defects: SurfaceDefects,
    /// Dropped triangles of a doubled surface (every triangle in both orientations).
    pub doubled: usize,
    /// Triangles flipped for a consistent orientation.
    pub turned: usize,
    /// Triangles that lie at least partly inside another component, where they bound nothing.
    pub buried: usize,
}

impl ClosureReport {
    /// One sentence per kind of defect.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.defects.open_edges > 0 {
            notes.push(format!(
                "the surface has {} open edges; its holes are closed by the winding number, so the \
                 shape there is an estimate",
                self.defects.open_edges
            ));
        }
        if self.doubled > 0 {
            notes.push(format!(
                "the surface is doubled: dropped {} triangles that repeat others",
                self.doubled
            ));
        }
        if self.turned > 0 {
            notes.push(format!("turned {} triangles that faced the wrong way", self.turned));
        }
        if self.buried > 0 {
            notes.push(format!(
                "parts overlap: {} triangles lie at least partly inside another part and bound nothing there",
                self.buried
            ));
        }
        if self.defects.non_manifold_edges > 0 {
            notes.push(format!(
                "{} edges have more than two triangles",
                self.defects.non_manifold_edges
            ));
        }
        notes
    }
}

impl fmt::Display for ClosureReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let notes = self.notes();
        if notes.is_empty() {
            return write!(f, "the surface is closed");
        }
        write!(f, "{}", notes.join("; "))
    }
}

/// Errors of filling a surface.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SolidError {
    /// The surface is invalid.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// The surface is a sheet, or so open that no point is inside.
    #[error(
        "the surface encloses no volume: its winding number is at most {most:.2}, and 1 inside a \
         closed surface"
    )]
    NoInside {
        /// Largest winding number found.
        most: f64,
    },
    /// Stuffing failed.
    #[error("{error} ({closure})")]
    Stuffing {
        /// Error of the mesher.
        error: StuffingError,
        /// Defects of the surface.
        closure: ClosureReport,
    },
    /// Queries would visit more triangles than
    /// [`MAX_VISITS`](super::MAX_VISITS).
    #[error(
        "inside tests of the surface are too expensive: each of {queries:.1e} points visits {each:.0} \
         of {triangles} triangles, because they are long and many of them meet"
    )]
    TooMuchWork {
        /// Lower bound of the number of query points in the box and on the surface.
        queries: f64,
        /// Mean number of triangles that one query visits.
        each: f64,
        /// Number of triangles of the surface.
        triangles: usize,
    },
    /// The walls are so thin that their lattice would be too large.
    #[error("{0}; that is too large")]
    TooThin(ThinWalls),
    /// The solid lacks more than [`MAX_LOST_FRACTION`](super::MAX_LOST_FRACTION) of the volume.
    #[error("{0}")]
    VolumeLost(VolumeLoss),
    /// The interrupt was raised.
    #[error("meshing was interrupted: {0}")]
    Interrupted(Cause),
}
