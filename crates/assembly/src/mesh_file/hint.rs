//! Remedies for invalid mesh files.

use resile_mesh::read::{LeftOut, MeshFileError, ObjError};
use std::path::Path;

/// Remedies.
const DAMAGED_FILE_HINT: &str = "save it again in the program that made it, or in another format";
const SURFACE_ONLY_HINT: &str = "save the surface as .obj, .stl, .ply or .off and fill it: `Fill(file: ...)` \
    in a scene, or `sim mesh`";
const ELEMENT_ORDER_HINT: &str =
    "save it with element order 1 in the program that made it (Gmsh: Mesh.ElementOrder = 1)";
const EMPTY_FILE_HINT: &str =
    "there is nothing in it to simulate: was it saved with the surface selected?";

/// The remedy for an error of a reader; may be empty.
pub(super) fn hint(path: &Path, error: &MeshFileError) -> String {
    match error {
        MeshFileError::NotASolid { .. } => SURFACE_ONLY_HINT.to_owned(),
        MeshFileError::OtherSolids { tets, others } => other_solids(path, *tets, others),
        // These errors contain their remedy.
        MeshFileError::Unsupported { .. } => String::new(),
        MeshFileError::Part { error, .. } => hint(path, error),
        MeshFileError::NoFaces => EMPTY_FILE_HINT.to_owned(),
        _ => DAMAGED_FILE_HINT.to_owned(),
    }
}

/// The remedy for an error in an OBJ file.
pub(super) fn hint_for_obj(error: &ObjError) -> String {
    match error {
        ObjError::NoFaces => EMPTY_FILE_HINT.to_owned(),
        ObjError::Branch { .. } => {
            "a rod has no branches: part the lines where they meet".to_owned()
        }
        ObjError::NoLength { .. } => "merge vertices that are in one place".to_owned(),
        _ => DAMAGED_FILE_HINT.to_owned(),
    }
}

/// The remedy for a file with elements other than linear tetrahedra, of which it has `tets`.
fn other_solids(path: &Path, tets: usize, others: &[LeftOut]) -> String {
    if tets > 0 {
        return format!(
            "mesh it with linear tetrahedra alone in the program that made it; `sim mesh {} --tets-only -o \
             tets.msh` takes those that are there, and leaves holes",
            path.display()
        );
    }
    match others.iter().any(|other| other.kind.ends_with("-order tetrahedron")) {
        true => ELEMENT_ORDER_HINT.to_owned(),
        false => {
            format!("mesh it with tetrahedra in the program that made it, or {SURFACE_ONLY_HINT}")
        }
    }
}
