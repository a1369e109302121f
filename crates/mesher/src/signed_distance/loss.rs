//! Volume that a filled solid lacks compared with its surface.

use super::SignedDistance;
use super::thin::{CELLS_ACROSS, SHARE_OF_WALLS, tet_count_for};
use crate::ShownLength;
use crate::stuffing::Stuffed;
use rayon::prelude::*;
use resile_math::{Aabb, Vec3, elementary};
use resile_mesh::{Parts, SurfaceDefects, TriMesh};
use std::fmt;

/// Largest accepted fraction of missing volume.
pub const MAX_LOST_FRACTION: f64 = 0.05;

/// Number of points along each side of the grid that estimates the volume of overlapping components.
const GRID_POINTS: usize = 48;

/// Missing volume, and the resolution that would keep it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumeLoss {
    /// Missing fraction of the volume.
    pub fraction: f64,
    /// Cell length of the filling (m).
    pub size: f64,
    /// Thickness of thin walls (m), if there are any.
    pub walls: Option<f64>,
    /// Estimated cell length (m) that keeps 95 % of the volume.
    pub needed_size: f64,
    /// Number of tetrahedra with cells of `needed_size`.
    pub needed_tets: f64,
}

impl fmt::Display for VolumeLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fraction, size, walls, needed_size, needed_tets } = self;
        let [size, needed_size] = [*size, *needed_size].map(ShownLength);
        write!(
            f,
            "cells of {size} m lose {:.1} % of the volume, and at most {:.0} % may be lost",
            100.0 * fraction,
            100.0 * MAX_LOST_FRACTION
        )?;
        if let Some(walls) = walls {
            write!(f, ": {SHARE_OF_WALLS} of it is thinner than {} m", ShownLength(*walls))?;
        }
        write!(f, "; it takes cells of {needed_size} m, about {needed_tets:.1e} tetrahedra")
    }
}

impl SignedDistance {
    /// The enclosed volume (m^3), if the surface is closed and its components do not visibly overlap.
    pub(super) fn enclosed_volume(&self) -> Option<f64> {
        let report = self.report();
        let is_closed = report.defects == SurfaceDefects::default() && report.buried == 0;
        let volume = self.surface.enclosed_volume();
        (is_closed && volume > 0.0).then_some(volume)
    }

    /// The volume that the filling `solid` lacks compared with this surface, if it exceeds [`MAX_LOST_FRACTION`].
    /// Dropped components count as missing only if the surface has a single outer component.
    pub(super) fn loss(&self, solid: &Stuffed) -> Option<VolumeLoss> {
        let mut volume_kept = solid.mesh.volume();
        if outer_component_count(&self.surface) > 1 {
            volume_kept += solid.report.dropped_volume;
        }
        let lost_fraction = |volume: f64| 1.0 - volume_kept / volume;
        let enclosed_volume =
            self.enclosed_volume().filter(|volume| lost_fraction(*volume) > MAX_LOST_FRACTION)?;
        // The divergence theorem counts the overlap of components twice.
        let volume = enclosed_volume.min(self.estimated_volume());
        let fraction = lost_fraction(volume);
        if fraction <= MAX_LOST_FRACTION {
            return None;
        }
        let size = solid.report.size;
        let thickness = self.thickness().with_volume_below(MAX_LOST_FRACTION * volume);
        let walls = (thickness < CELLS_ACROSS * size).then_some(thickness);
        let estimated_size = 0.9 * size * (MAX_LOST_FRACTION / fraction).sqrt();
        let needed_size = walls.map_or(estimated_size, |walls| walls / CELLS_ACROSS);
        let needed_tets = tet_count_for(volume, needed_size);
        Some(VolumeLoss { fraction, size, walls, needed_size, needed_tets })
    }

    /// Estimates the enclosed volume (m^3) by counting inside points of a grid.
    fn estimated_volume(&self) -> f64 {
        let Aabb { min, max } = self.bounds();
        // Position along a side of the bounding box, as a fraction.
        let fraction = |index: usize| (index as f64 + 0.5) / GRID_POINTS as f64;
        let is_inside = |k: usize| {
            let fractions = Vec3::new(
                fraction(k % GRID_POINTS),
                fraction(k / GRID_POINTS % GRID_POINTS),
                fraction(k / GRID_POINTS.pow(2)),
            );
            self.winding_number(min + fractions * (max - min)) >= 0.5
        };
        let count = (0..GRID_POINTS.pow(3)).into_par_iter().filter(|&k| is_inside(k)).count();
        (max - min).element_product() * count as f64 / GRID_POINTS.pow(3) as f64
    }
}

/// Number of components that enclose positive volume; a cavity has negative volume.
fn outer_component_count(surface: &TriMesh) -> usize {
    let mut components = Parts::of_elements(surface.positions.len(), &surface.triangles);
    // Six times the volume (m^3) that each component encloses, at the index of its representative vertex.
    let mut six_volumes = vec![0.0; surface.positions.len()];
    for t in 0..surface.triangles.len() {
        let [a, b, c] = surface.corners(t).map(|p| p - surface.positions[0]);
        let component = components.find(surface.triangles[t][0]);
        six_volumes[component as usize] += a.cross(b).dot(c);
    }
    six_volumes.into_iter().filter(|six_volume| *six_volume > 0.0).count()
}

/// Cell length (m) at which `tet_count` tetrahedra fill `volume` (m^3).
pub(super) fn size_for(volume: f64, tet_count: f64) -> f64 {
    elementary::cbrt(12.0 * volume / tet_count)
}
