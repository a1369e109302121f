//! What a surface lacks, and why it cannot be filled.

use super::{ThinWalls, VolumeLoss};
use crate::stuffing::StuffingError;
use resile_mesh::{SurfaceDefects, SurfaceError};
use resile_watch::Cause;
use std::fmt;
use thiserror::Error;

/// How well a surface bounds a solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClosureReport {
    /// Of the surface as it was given.
    pub defects: SurfaceDefects,
    /// Triangles of a doubled surface (every triangle once for either side) that were
    /// dropped.
    pub doubled: usize,
    /// Triangles that were turned around to agree with their neighbours.
    pub turned: usize,
    /// Triangles inside another part of the surface; they bound nothing.
    pub buried: usize,
}

impl ClosureReport {
    /// A sentence for each thing that is not as it should be.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.defects.open_edges > 0 {
            notes.push(format!(
                "the surface has holes ({} edges with a single triangle), closed where half of \
                 the view from inside is",
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
                "parts overlap: {} triangles lie inside another part and bound nothing",
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

/// Why there is no solid inside a surface.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SolidError {
    /// It is none.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// The surface is a sheet, or so open that no point is inside.
    #[error(
        "the surface bounds no solid: its winding number is nowhere above {most:.2}, but 1 \
         inside a closed surface"
    )]
    NoInside {
        /// The largest winding number found.
        most: f64,
    },
    /// It cannot be filled.
    #[error("{error} ({closure})")]
    Stuffing {
        /// The error of the mesher.
        error: StuffingError,
        /// What the surface lacks.
        closure: ClosureReport,
    },
    /// Filling it would take more looks at triangles than
    /// [`MOST_LOOKS`](super::MOST_LOOKS).
    #[error(
        "the surface is too much work: each of {questions:.1e} points asks for the side it is on, \
         and must look at {each:.0} of {triangles} triangles for it, because they are long and \
         many of them meet"
    )]
    TooMuchWork {
        /// Points in the box and on the surface that are asked about, at least.
        questions: f64,
        /// Triangles that one of them looks at, some twice, in the mean.
        each: f64,
        /// Triangles of the surface.
        triangles: usize,
    },
    /// Its walls are so thin that a lattice for them is too large.
    #[error("{0}; that is too large")]
    TooThin(ThinWalls),
    /// The solid lacks more than [`MOST_LOST`](super::MOST_LOST) of the volume.
    #[error("{0}")]
    VolumeLost(VolumeLoss),
    /// The interrupt was raised.
    #[error("meshing was interrupted: {0}")]
    Interrupted(Cause),
}
