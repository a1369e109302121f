//! Static and modal benchmarks of engineers against published figures and closed forms.
//!
//! Each case is a solid of linear or quadratic tetrahedra over a box that is mapped to the shape in question, with
//! supports and consistent loads. Lengths are in m and stresses in `MPa`, so forces are in MN. A stress at a point is
//! that of the node there: the mean of the elements around it, weighted by their volumes, each evaluated at the node
//! and not extrapolated. Boundaries that are curved are meshed by straight edges.

mod arch;
mod beams;
mod bend;
mod contact;
mod gas;
mod history;
mod mapped;
mod mindlin;
mod plates;
mod rings;
mod rubber;

pub(crate) use mapped::world;

use crate::drive::{StudyError, Watch};
use crate::table::Table;
use crate::track::{build_scene, scene_with};
use resile_world::World;

/// A value of a case, with its target.
#[derive(Debug, Clone, PartialEq)]
pub struct VerificationEntry {
    /// The case, with its source.
    pub case: &'static str,
    /// The measured quantity, with its unit.
    pub quantity: &'static str,
    /// The mesh: cells of the box, each of six tetrahedra, and their order.
    pub mesh: String,
    /// Computed value.
    pub value: f64,
    /// Published or theoretical value.
    pub target: f64,
    /// Permitted deviation of the ratio from one; `None` where the elements are known to be too stiff.
    pub tolerance: Option<f64>,
}

impl VerificationEntry {
    /// Value over target.
    pub fn ratio(&self) -> f64 {
        self.value / self.target
    }

    /// Whether the ratio is within its tolerance, if there is one.
    pub fn as_published(&self) -> Option<bool> {
        Some((self.ratio() - 1.0).abs() <= self.tolerance?)
    }
}

/// A case on a mesh.
struct CaseOnMesh {
    case: &'static str,
    mesh: String,
}

impl CaseOnMesh {
    /// An entry of this case with a value, its target, and the relative tolerance, if there is one.
    fn entry(
        &self,
        quantity: &'static str,
        value: f64,
        target: f64,
        tolerance: impl Into<Option<f64>>,
    ) -> VerificationEntry {
        let (case, mesh, tolerance) = (self.case, self.mesh.clone(), tolerance.into());
        VerificationEntry { case, quantity, mesh, value, target, tolerance }
    }
}

/// A function that computes the values of a case, on a coarse mesh if the argument is true.
type Case = fn(bool) -> Result<Vec<VerificationEntry>, StudyError>;

/// Builds the world of a scene.
fn world_of_scene(text: &str, case: &str) -> Result<World, StudyError> {
    Ok(build_scene(&scene_with(case, text, [])?, case)?.world)
}

/// Runs all cases, on coarse meshes if `quick`.
///
/// # Errors
/// If there is no static equilibrium, or no modes are found.
pub fn measure(quick: bool, watch: Watch<'_>) -> Result<Vec<VerificationEntry>, StudyError> {
    let cases: [Case; 23] = [
        plates::thick_plate,
        plates::membrane,
        plates::cook,
        plates::cylinder,
        beams::cantilever,
        beams::column,
        beams::frequencies,
        beams::free_plate,
        rings::tube,
        rings::ring,
        rubber::uniaxial,
        bend::by_solids,
        bend::by_rods,
        arch::shallow,
        contact::patch,
        contact::sphere,
        contact::cylinder,
        mindlin::sphere,
        history::cyclic,
        history::viscoplastic,
        history::creep,
        history::prony,
        gas::balloon,
    ];
    let mut entries = Vec::new();
    for case in cases {
        entries.extend(case(quick)?);
        if let Some(entry) = entries.last() {
            watch(entry.case);
        }
    }
    Ok(entries)
}

/// One row per value.
pub fn table(entries: &[VerificationEntry]) -> Table {
    Table::with_rows("verification", entries)
        .column("case", |e| e.case)
        .column("quantity", |e| e.quantity)
        .column("mesh", |e| e.mesh.as_str())
        .column("value", |e| e.value)
        .column("target", |e| e.target)
        .number("value/target", 4, VerificationEntry::ratio)
        .column("as published", VerificationEntry::as_published)
        .table()
}
