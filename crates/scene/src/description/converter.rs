//! Programs that convert files of meshes.

use std::path::Path;

/// The program that converts a known, unsupported format to a supported one.
pub fn converter(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match ending.as_str() {
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
