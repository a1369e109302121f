//! Filling of surfaces for scenes and programs.

use resile_mesh::{Deviation, TetMesh, TriMesh};
use resile_mesher::ShownLength;
use resile_mesher::creases::{CreaseReport, Creases};
use resile_mesher::signed_distance::{SolidError, fill_surface_watched};
use resile_mesher::stuffing::{Pieces, Resolution, Stuffing, StuffingReport};
use resile_watch::TaskContext;

/// Parameters of filling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Filling {
    /// Resolution.
    pub resolution: Resolution,
    /// Number of times that cells may double in size away from the surface.
    pub grade: u8,
    /// Dihedral deviation (degrees) above which edges are preserved as creases.
    pub creases: f64,
}

/// A solid that fills a surface.
#[derive(Debug)]
pub(crate) struct Filled {
    pub(crate) mesh: TetMesh,
    pub(crate) creases: CreaseReport,
    /// Whether parts of the surface lie inside others, so that they bound nothing.
    pub(crate) has_overlap: bool,
    /// Defects of the surface and losses, each with a remedy.
    pub(crate) notes: Vec<(String, &'static str)>,
}

/// Remedies of the notes.
const FINER_RESOLUTION_HINT: &str = "a finer resolution keeps more";
const THIN_WALL_HINT: &str = "the thinner the walls, the better a `Shell` fits";
const REPAIR_HINT: &str =
    "`sim info` says more, and `sim mesh --repair` repairs what is safe to repair";

/// Coordinates of a message that are smaller than this share of a cell are shown as zero.
const MIN_SHOWN_SHARE: f64 = 1e-6;

/// Fills a surface with its largest connected solid, and notes what was lost.
pub(crate) fn fill(
    surface: &TriMesh,
    filling: Filling,
    task: &TaskContext,
) -> Result<Filled, SolidError> {
    let creases = Creases::Keep(filling.creases);
    let stuffing = connected_stuffing(filling.resolution, filling.grade);
    let filled = fill_surface_watched(surface, &stuffing, creases, task)?;
    if let Some(lost) = filled.lost {
        return Err(SolidError::VolumeLost(lost));
    }
    let (mesh, report) = (filled.solid.mesh, filled.solid.report);
    let mut notes: Vec<_> =
        filled.closure.notes().into_iter().map(|note| (note, REPAIR_HINT)).collect();
    notes.extend(filled.thin.map(|walls| (walls.to_string(), THIN_WALL_HINT)));
    notes.extend(report.notes().into_iter().map(|note| (note, FINER_RESOLUTION_HINT)));
    let has_overlap = filled.closure.buried > 0;
    // Parts inside others would dominate the deviation.
    if !has_overlap {
        let lost = Deviation::one_sided(surface, &mesh.boundary())?;
        notes.extend(lost_parts_note(&lost, &report).map(|note| (note, FINER_RESOLUTION_HINT)));
    }
    Ok(Filled { mesh, creases: filled.creases, has_overlap, notes })
}

/// The note of parts that were lost; `None` if the surface of the solid is everywhere within a cell of the filled one, from which
/// its deviation is `lost`.
fn lost_parts_note(lost: &Deviation, report: &StuffingReport) -> Option<String> {
    if lost.largest <= report.size {
        return None;
    }
    // Coordinates that differ from zero by rounding only are shown as zero.
    let shown_coordinate = |coordinate: f64| {
        let is_zero = coordinate.abs() < MIN_SHOWN_SHARE * report.size;
        ShownLength(if is_zero { 0.0 } else { coordinate })
    };
    let [x, y, z] = lost.location.to_array().map(shown_coordinate);
    let [size, largest] = [report.size, lost.largest].map(ShownLength);
    let lost_parts = match report.dropped_pieces {
        0 => format!("parts thinner than a cell of {size} m were lost"),
        // They may be the dropped pieces, or others that have no tetrahedra.
        _ => format!("dropped pieces, or parts thinner than a cell of {size} m, are missing"),
    };
    Some(format!("{lost_parts}: the surface ends {largest} m short of ({x}, {y}, {z})"))
}

/// The remedy for a surface that cannot be filled.
pub(crate) fn fill_help(error: &SolidError) -> &'static str {
    match error {
        SolidError::NoInside { .. } => {
            "it is a sheet, or most of it is missing: close it in the program that made it, or simulate \
             it as a `Shell`"
        }
        SolidError::Stuffing { .. } => {
            "choose another resolution; `sim info` says how large the surface is, and lengths \
             are in metres"
        }
        SolidError::TooMuchWork { .. } => {
            "mesh the surface anew with triangles of more even shape, or ask for fewer tetrahedra"
        }
        SolidError::TooThin(_) | SolidError::VolumeLost(_) => {
            "ask for that resolution, for a number of tetrahedra (`Tets`, `--tets`), which fits cells to \
             walls, or simulate thin walls as a `Shell`"
        }
        SolidError::Interrupted(_) => "",
        _ => "repair the surface in the program that made it",
    }
}

/// Parameters of the mesher for a solid of which only the largest connected component is kept.
pub(crate) fn connected_stuffing(resolution: Resolution, grade: u8) -> Stuffing {
    Stuffing { resolution, grade, pieces: Pieces::Largest }
}
