//! Detection of mesh formats by file extension.

/// Supported formats, identified by file extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Wavefront `.obj`.
    Obj,
    /// `.stl`.
    Stl,
    /// `.ply`.
    Ply,
    /// `.off`.
    Off,
    /// Gmsh `.msh`.
    Gmsh,
    /// VTK legacy `.vtk`.
    Vtk,
    /// VTK XML `.vtu`.
    Vtu,
    /// VTK XML `.vtp`, polygonal data.
    Vtp,
    /// Medit `.mesh`.
    Medit,
    /// `TetGen` `.node` and `.ele`, two files that differ in their extension.
    TetGen,
}

/// Kind of mesh in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A triangulated surface.
    Surface,
    /// A solid of tetrahedra.
    Solid,
}

impl Format {
    /// Supported extensions, for messages.
    pub const EXTENSIONS: &'static str = ".msh, .vtu, .vtk, .mesh, .node and .ele for \
        tetrahedra, .obj, .stl, .ply, .off, .vtp, .msh, .vtu, .vtk and .mesh for surfaces";

    /// Format by the extension of a file name, ignoring case; `None` if it is unknown.
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "obj" => Self::Obj,
            "stl" => Self::Stl,
            "ply" => Self::Ply,
            "off" => Self::Off,
            "msh" => Self::Gmsh,
            "vtk" => Self::Vtk,
            "vtu" => Self::Vtu,
            "vtp" => Self::Vtp,
            "mesh" => Self::Medit,
            "node" | "ele" => Self::TetGen,
            _ => return None,
        })
    }

    /// Usual kind of mesh. Gmsh, VTK and Medit files may hold surfaces instead.
    pub fn holds(self) -> Holds {
        match self {
            Self::Obj | Self::Stl | Self::Ply | Self::Off | Self::Vtp => Holds::Surface,
            Self::Gmsh | Self::Vtk | Self::Vtu | Self::Medit | Self::TetGen => Holds::Solid,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_follows_the_extension_in_either_case() {
        assert_eq!(Format::of_name("a.b/Bunny.OBJ"), Some(Format::Obj));
        assert_eq!(Format::of_name("x.ele").map(Format::holds), Some(Holds::Solid));
        assert_eq!(Format::of_name("bunny"), None);
        assert_eq!(Format::of_name("bunny.blend"), None);
    }
}
