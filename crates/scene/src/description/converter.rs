//! Programs that convert mesh files.

use std::path::Path;

/// Advice on the program that converts a file of a known but unsupported format; `None` for unknown formats.
pub fn conversion_advice(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "glb" | "gltf" | "3mf" | "dae" | "fbx" | "3ds" | "amf" | "x3d" => {
            "convert it to .obj: `assimp export FILE model.obj`, or open it in Blender and export \
             Wavefront OBJ"
        }
        "usd" | "usda" | "usdc" | "usdz" | "abc" | "blend" => {
            "convert it to .obj: open it in Blender and export Wavefront OBJ"
        }
        "step" | "stp" | "iges" | "igs" | "brep" | "geo" => {
            "mesh it with Gmsh: `gmsh -3 FILE -o model.msh` for tetrahedra, `-2` for its surface"
        }
        "inp" | "bdf" | "fem" | "nas" | "dat" | "e" | "exo" | "ex2" | "cgns" | "med" | "xdmf"
        | "xmf" | "unv" | "avs" | "su2" | "h5m" | "f3grid" => {
            "convert it with meshio: `meshio convert FILE model.vtu`"
        }
        _ => return None,
    })
}
