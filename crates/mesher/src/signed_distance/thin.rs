//! Thin walls: the resolution that they need and its cost.

use super::loss::{MAX_LOST_FRACTION, size_for};
use super::work::estimated_seconds;
use super::{SignedDistance, SolidError};
use crate::ShownLength;
use crate::stuffing::{Resolution, Stuffing};
use crate::thickness::Thickness;
use std::fmt;

/// Wall thickness, in cells, below which a lattice tears the wall: an edge, one cell long, can cross
/// it.
const MIN_CELLS_ACROSS: f64 = 1.25;

/// Number of cells across a wall that preserves it: a hollow ball with a wall of a tenth of its radius keeps
/// more than 99 % of its volume.
pub(super) const CELLS_ACROSS: f64 = 1.6;

/// Largest number of lattice points for walls: half a minute of one core.
const MAX_WALL_POINTS: f64 = 4e6;

/// Largest number of tetrahedra before coarsening.
const MAX_WALL_TETS: f64 = 1e6;

/// Smallest grade of the lattice before coarsening. Large interior cells cost nothing, because coarsening would merge
/// small ones anyway.
const MIN_GRADE: u8 = 3;

/// The share of the volume in parts thinner than [`ThinWalls::thickness`], as messages show it.
pub(super) const SHARE_OF_WALLS: &str = "a twentieth";

/// Thin walls, and the lattice that they require.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThinWalls {
    /// Thickness (m) below which 5 % of the volume lies.
    pub thickness: f64,
    /// Cell length (m) that preserves the walls.
    pub size: f64,
    /// Number of lattice points.
    pub points: f64,
    /// Number of tetrahedra with cells of `size`.
    pub elements: f64,
    /// Estimated single-core time (s) for the lattice points.
    pub seconds: f64,
}

impl fmt::Display for ThinWalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { points, elements, seconds, .. } = self;
        let [thickness, size] = [self.thickness, self.size].map(ShownLength);
        write!(
            f,
            "{SHARE_OF_WALLS} of the volume is thinner than {thickness} m: it takes cells of {size} m, a lattice of {points:.1e} \
             points (about {seconds:.0} s of one core), and {elements:.1e} tetrahedra before these are \
             joined"
        )
    }
}

/// Stuffing of a solid with thin walls in small cells, before coarsening.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ThinWallStuffing {
    pub(super) stuffing: Stuffing,
    pub(super) walls: ThinWalls,
    /// Requested number of tetrahedra.
    pub(super) tets: usize,
    /// Cell length for that number of tetrahedra (m).
    pub(super) size: f64,
}

/// Number of tetrahedra in a volume (m^3) for cells of `size` (m).
pub(super) fn tet_count_for(volume: f64, size: f64) -> f64 {
    12.0 * volume / size.powi(3)
}

impl SignedDistance {
    /// Wall thickness at sample points of the surface.
    pub(super) fn thickness(&self) -> Thickness {
        Thickness::new(&self.surface, &self.tree)
    }

    /// Stuffing with smaller cells, if walls that the cells for the requested number of tetrahedra would tear have more
    /// than a fraction [`MAX_LOST_FRACTION`] of the volume. `None` if they have less, if the surface is open, or if a
    /// cell size was requested.
    ///
    /// # Errors
    /// If the smaller cells would take too many points or tetrahedra.
    pub(super) fn thin_wall_stuffing(
        &self,
        stuffing: &Stuffing,
    ) -> Result<Option<ThinWallStuffing>, SolidError> {
        let (Resolution::Tets(tets), Some(volume)) = (stuffing.resolution, self.enclosed_volume())
        else {
            return Ok(None);
        };
        let size = size_for(volume, tets as f64);
        let thickness = self.thickness();
        if thickness.volume_below(MIN_CELLS_ACROSS * size) <= MAX_LOST_FRACTION * volume {
            return Ok(None);
        }
        let wall_thickness = thickness.with_volume_below(MAX_LOST_FRACTION * volume);
        let fine_size = wall_thickness / CELLS_ACROSS;
        let resolution = Resolution::Size(fine_size);
        let grade = stuffing.grade.max(MIN_GRADE);
        let fine_stuffing = Stuffing { resolution, grade, ..*stuffing };
        let points = fine_stuffing.min_points(self.bounds());
        let elements = tet_count_for(volume, fine_size);
        let seconds = estimated_seconds(&self.tree, points);
        let walls =
            ThinWalls { thickness: wall_thickness, size: fine_size, points, elements, seconds };
        if points > MAX_WALL_POINTS || elements > MAX_WALL_TETS {
            return Err(SolidError::TooThin(walls));
        }
        Ok(Some(ThinWallStuffing { stuffing: fine_stuffing, walls, tets, size }))
    }
}
