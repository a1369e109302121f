//! Export formats.

/// An export format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ, a sequence of files.
    Obj,
    /// PLY, a sequence of files.
    Ply,
    /// Point Cache 2 and a mesh for each body.
    Pc2,
    /// MDD and a mesh for each body.
    Mdd,
    /// glTF 2.0, binary.
    Glb,
    /// USD as text.
    Usda,
    /// Comma-separated values, a row for each vertex and time.
    Csv,
    /// An archive of arrays for `NumPy`.
    Npz,
}

/// Layout of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One file.
    Single,
    /// A folder of files.
    Folder,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 8] =
        [Self::Obj, Self::Ply, Self::Pc2, Self::Mdd, Self::Glb, Self::Usda, Self::Csv, Self::Npz];

    /// Name of the format, which is also its file extension.
    pub fn word(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Pc2 => "pc2",
            Self::Mdd => "mdd",
            Self::Glb => "glb",
            Self::Usda => "usda",
            Self::Csv => "csv",
            Self::Npz => "npz",
        }
    }

    /// Alias by format family: `gltf` for `glb`, `usd` for `usda`.
    pub fn alias(self) -> Option<&'static str> {
        match self {
            Self::Glb => Some("gltf"),
            Self::Usda => Some("usd"),
            Self::Obj | Self::Ply | Self::Pc2 | Self::Mdd | Self::Csv | Self::Npz => None,
        }
    }

    /// Format with this name or alias.
    pub fn from_name(name: &str) -> Option<Self> {
        let has_name = |format: &Self| format.word() == name || format.alias() == Some(name);
        Self::ALL.into_iter().find(has_name)
    }

    /// Whether the format writes one file or a folder of files.
    pub fn layout(self) -> Layout {
        match self {
            Self::Obj | Self::Ply | Self::Pc2 | Self::Mdd => Layout::Folder,
            Self::Glb | Self::Usda | Self::Csv | Self::Npz => Layout::Single,
        }
    }
}
