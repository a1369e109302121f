//! Mesh files, read and written by the extension of their names.
//!
//! The errors contain the messages of the readers of `resile-mesh`, and a remedy for users who want to simulate a file
//! of another program.

mod fill;
mod hint;
mod part;

pub use fill::Filling;
pub(crate) use fill::{Filled, connected_stuffing, fill, fill_help};
pub(crate) use part::{PartChoice, PartError, part_of};
pub use resile_mesh::read::{
    CellFields, Group, Groups, Holds, OtherSolidPolicy, Seams, VertexFields,
};
pub use resile_mesher::stuffing::Resolution;

use hint::{hint, hint_for_obj};
use resile_files::{open_linked, replace};
use resile_mesh::read::{
    self, AnyMesh, Format, MeshFileError as ReadError, ObjMesh, SolidMesh, SurfaceMesh,
};
use resile_mesh::write;
use resile_mesh::{CurvedEdges, Polylines, TetMesh, TriMesh, Wireframe};
use resile_record::belongs_to_a_run;
use resile_scene::description::conversion_advice;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A mesh of any kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Mesh {
    /// Tetrahedra.
    Solid(TetMesh),
    /// Triangles.
    Surface(TriMesh),
    /// Curves.
    Curves(Polylines),
}

impl Mesh {
    /// The surface, or the boundary of the solid without interior nodes; curves give no triangles.
    pub fn into_surface(self) -> TriMesh {
        match self {
            Self::Curves(Polylines { positions, .. }) => {
                TriMesh { positions, triangles: Vec::new() }
            }
            Self::Surface(mesh) => mesh,
            Self::Solid(mesh) => mesh.boundary(),
        }
    }
}

/// A mesh with further data of its file.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshFile {
    /// The mesh as in the file, neither checked nor repaired.
    pub mesh: Mesh,
    /// The vertex of the mesh for each vertex of the file; `None` for unused vertices.
    pub vertices: Vec<Option<u32>>,
    /// Midside nodes of second-order tetrahedra in the file, each with the end nodes of its edge in the mesh.
    pub middles: Vec<(u32, [u32; 2])>,
    /// The curved edges of second-order tetrahedra.
    pub curved: CurvedEdges,
    /// A note for each omitted or changed part.
    pub notes: Vec<String>,
    /// Notes on content that is probably unintended.
    pub warnings: Vec<String>,
    /// The note about second-order tetrahedra, if any.
    pub second_order: Option<String>,
    /// The missing parts of a solid, if [`OtherSolidPolicy::LeaveOut`] left holes.
    pub holes: Option<String>,
    /// Named groups of the file.
    pub groups: Groups,
    /// Cell data of the file, by name.
    pub fields: CellFields,
    /// Vertex data of the file, by name, for the vertices of the mesh.
    pub vertex_fields: VertexFields,
    /// Number of dropped unused vertices.
    pub unused_vertices: usize,
    /// Number of dropped triangles with two corners at one vertex.
    pub collapsed_triangles: usize,
    /// Number of tetrahedra of negative orientation in the file.
    pub reoriented: usize,
}

/// The error of a mesh file that cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MeshFileError {
    /// The file cannot be opened.
    #[error("the mesh file {} cannot be opened: {error}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// Unknown extension.
    #[error("{}: the file extension is not that of a supported format", path.display())]
    Ending {
        /// The file.
        path: PathBuf,
    },
    /// The file is not valid.
    #[error("{}: {message}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The message of the reader.
        message: String,
        /// The remedy; may be empty.
        help: String,
    },
    /// A format without a writer.
    #[error("{}: {what} are not written in this format", path.display())]
    NotWritten {
        /// The file.
        path: PathBuf,
        /// The kind of mesh.
        what: &'static str,
        /// The supported extensions.
        endings: &'static str,
    },
    /// The file belongs to a run.
    #[error("{} is a file of a run, which needs it", path.display())]
    OfARun {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("the mesh file {} cannot be written: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
}

impl MeshFileError {
    /// The remedy; may be empty.
    pub fn help(&self) -> String {
        match self {
            Self::Open { .. } | Self::Write { .. } => String::new(),
            Self::Ending { path } => match conversion_advice(path) {
                Some(program) => program.to_owned(),
                None => format!("known are {}", Format::EXTENSIONS),
            },
            Self::Read { help, .. } => help.clone(),
            Self::OfARun { .. } => "choose another name with -o".to_owned(),
            Self::NotWritten { endings, .. } => format!("choose one of {endings}"),
        }
    }
}

/// Reads a mesh by the extension of its name; `others` is the treatment of elements other than tetrahedra.
///
/// # Errors
/// If the file is not a valid mesh of that format.
pub fn read(path: &Path, others: OtherSolidPolicy) -> Result<MeshFile, MeshFileError> {
    read_with(path, others, Seams::Sewn)
}

/// As [`read()`], with a choice about the seams of surfaces.
pub(crate) fn read_with(
    path: &Path,
    others: OtherSolidPolicy,
    seams: Seams,
) -> Result<MeshFile, MeshFileError> {
    let unknown_extension = || MeshFileError::Ending { path: path.to_owned() };
    let format = Format::of_name(&path.to_string_lossy()).ok_or_else(unknown_extension)?;
    let refuse =
        |message: String, help| MeshFileError::Read { path: path.to_owned(), message, help };
    let read_error = |e: ReadError| refuse(e.to_string(), hint(path, &e));
    let surface = |read: Result<SurfaceMesh, ReadError>| read.map(from_surface).map_err(read_error);
    let any = |read: Result<AnyMesh, ReadError>| match read.map_err(read_error)? {
        AnyMesh::Solid(solid) => Ok(from_solid(solid)),
        AnyMesh::Surface(surface) => Ok(from_surface(surface)),
    };
    match format {
        Format::Obj => {
            let read = read::read_obj_mesh(open(path)?, seams)
                .map_err(|e| refuse(e.to_string(), hint_for_obj(&e)))?;
            Ok(match read {
                ObjMesh::Surface(surface) => from_surface(surface),
                ObjMesh::Curves { curves, vertices, vertex_fields } => {
                    from_curves(curves, vertices, vertex_fields)
                }
            })
        }
        Format::Stl => surface(read::read_stl(open(path)?)),
        Format::Ply => surface(read::read_ply_with(open(path)?, seams)),
        Format::Off => surface(read::read_off_with(open(path)?, seams)),
        Format::Gmsh => any(read::read_gmsh_any(open(path)?, others, seams)),
        Format::Vtk => any(read::read_vtk_any(open(path)?, others, seams)),
        Format::Vtu | Format::Vtp => any(read::read_vtu_any(open(path)?, others, seams)),
        Format::Medit => any(read::read_medit_any(open(path)?, others, seams)),
        Format::TetGen => {
            let node = open(&path.with_extension("node"))?;
            let solid = read::read_tetgen(node, open(&path.with_extension("ele"))?);
            solid.map(from_solid).map_err(read_error)
        }
    }
}

/// Reads segments and points.
///
/// # Errors
/// If the file is not a list of segments and points.
pub(crate) fn read_wireframe(path: &Path) -> Result<Wireframe, MeshFileError> {
    read::read_wireframe(open(path)?).map_err(|e| MeshFileError::Read {
        path: path.to_owned(),
        message: e.to_string(),
        help: hint(path, &e),
    })
}

/// The file of a surface.
fn from_surface(surface: SurfaceMesh) -> MeshFile {
    let SurfaceMesh { mesh, vertices, groups, vertex_fields, report } = surface;
    MeshFile {
        mesh: Mesh::Surface(mesh),
        vertices,
        middles: Vec::new(),
        curved: CurvedEdges::new(),
        notes: report.notes(),
        warnings: report.warnings(),
        second_order: None,
        holes: None,
        groups,
        fields: CellFields::new(),
        vertex_fields,
        unused_vertices: report.unused_vertices,
        collapsed_triangles: report.collapsed,
        reoriented: 0,
    }
}

/// The file of curves, which has no groups.
fn from_curves(
    curves: Polylines,
    vertices: Vec<Option<u32>>,
    vertex_fields: VertexFields,
) -> MeshFile {
    MeshFile {
        mesh: Mesh::Curves(curves),
        unused_vertices: vertices.iter().filter(|vertex| vertex.is_none()).count(),
        vertices,
        middles: Vec::new(),
        curved: CurvedEdges::new(),
        notes: Vec::new(),
        warnings: Vec::new(),
        second_order: None,
        holes: None,
        groups: Groups::new(),
        fields: CellFields::new(),
        vertex_fields,
        collapsed_triangles: 0,
        reoriented: 0,
    }
}

/// The file of a solid.
fn from_solid(solid: SolidMesh) -> MeshFile {
    let SolidMesh { mesh, vertices, middles, curved, groups, fields, vertex_fields, report } =
        solid;
    MeshFile {
        mesh: Mesh::Solid(mesh),
        vertices,
        middles,
        curved,
        notes: report.notes(),
        warnings: report.warnings(),
        second_order: report.second_order.map(|report| report.to_string()),
        holes: report.holes.map(|holes| holes.to_string()),
        groups,
        fields,
        vertex_fields,
        unused_vertices: report.unused_nodes,
        collapsed_triangles: 0,
        reoriented: report.reoriented,
    }
}

/// Opens a file, or the target of a link.
fn open(path: &Path) -> Result<File, MeshFileError> {
    open_linked(path).map_err(|error| MeshFileError::Open { path: path.to_owned(), error })
}

/// Extensions of writable solids.
pub const SOLIDS_WRITTEN: &str = ".msh, .vtu and .mesh";
/// Extensions of writable surfaces.
pub const SURFACES_WRITTEN: &str = ".obj and .ply";

/// Extensions of all writable meshes.
const ALL_WRITTEN: &str = ".msh, .vtu and .mesh for tetrahedra, .obj and .ply for surfaces";

/// Refuses to overwrite a file that belongs to a run, even with `--force`.
///
/// # Errors
/// If the file belongs to a run.
pub fn refuse_files_of_runs(path: &Path) -> Result<(), MeshFileError> {
    match belongs_to_a_run(path) {
        true => Err(MeshFileError::OfARun { path: path.to_owned() }),
        false => Ok(()),
    }
}

/// The kind of mesh that a file of this name can hold.
///
/// # Errors
/// If its format has no writer, or it is a file of a run.
pub fn written_as(path: &Path) -> Result<Holds, MeshFileError> {
    refuse_files_of_runs(path)?;
    let not_written =
        |what, endings| Err(MeshFileError::NotWritten { path: path.to_owned(), what, endings });
    match Format::of_name(&path.to_string_lossy()) {
        Some(Format::Gmsh | Format::Vtu | Format::Medit) => Ok(Holds::Solid),
        Some(Format::Obj | Format::Ply) => Ok(Holds::Surface),
        Some(Format::Stl | Format::Off | Format::Vtp) => not_written("surfaces", SURFACES_WRITTEN),
        Some(Format::Vtk | Format::TetGen) => not_written("tetrahedra", SOLIDS_WRITTEN),
        None => not_written("meshes", ALL_WRITTEN),
    }
}

/// Writes a mesh with its groups by the extension of the name. An existing file is replaced atomically.
///
/// # Errors
/// If the format has no writer or cannot hold the mesh, or the file cannot be written.
pub fn write(mesh: &Mesh, groups: &Groups, path: &Path) -> Result<(), MeshFileError> {
    write_curved((mesh, &CurvedEdges::new()), groups, path)
}

/// As [`write()`]; solids with curved edges are written as second-order tetrahedra in `.msh` and `.vtu`.
///
/// # Errors
/// As [`write()`].
pub fn write_curved(
    (mesh, curved): (&Mesh, &CurvedEdges),
    groups: &Groups,
    path: &Path,
) -> Result<(), MeshFileError> {
    let kind = written_as(path)?;
    let write_error = |error| MeshFileError::Write { path: path.to_owned(), error };
    let not_written =
        |what, endings| Err(MeshFileError::NotWritten { path: path.to_owned(), what, endings });
    let format = Format::of_name(&path.to_string_lossy());
    match (mesh, kind) {
        (Mesh::Solid(mesh), Holds::Solid) => replace(path, |file| {
            let quadratic = || mesh.quadratic_with_curved_edges(curved);
            match (format, curved.is_empty()) {
                (Some(Format::Vtu), true) => write::write_vtu(mesh, groups, file),
                (Some(Format::Vtu), false) => {
                    write::write_vtu_quadratic(&quadratic(), groups, file)
                }
                (Some(Format::Medit), _) => write::write_medit(mesh, groups, file),
                (_, true) => write::write_gmsh(mesh, groups, file),
                (_, false) => write::write_gmsh_quadratic(&quadratic(), groups, file),
            }
        })
        .map_err(write_error),
        (Mesh::Surface(mesh), Holds::Surface) => replace(path, |file| match format {
            Some(Format::Ply) => write::write_ply(mesh, file),
            _ => write::write_obj(mesh, groups, file),
        })
        .map_err(write_error),
        (Mesh::Solid(_), Holds::Surface) => not_written("tetrahedra", SOLIDS_WRITTEN),
        (Mesh::Curves(_), _) => not_written("curves", "none: keep the file they are from"),
        (Mesh::Surface(_), Holds::Solid) => not_written("surfaces", SURFACES_WRITTEN),
    }
}

/// A note if a file of this name loses curved edges.
pub fn straightened_note(mesh: &Mesh, curved: &CurvedEdges, path: &Path) -> Option<String> {
    let format = Format::of_name(&path.to_string_lossy());
    let is_lost =
        !curved.is_empty() && (format == Some(Format::Medit) || !matches!(mesh, Mesh::Solid(_)));
    is_lost
        .then(|| format!("{} curved edges are straightened; .msh and .vtu keep them", curved.len()))
}

/// A note if a file of this name loses groups.
pub fn lost_groups_note(mesh: &Mesh, groups: &Groups, path: &Path) -> Option<String> {
    let format = Format::of_name(&path.to_string_lossy())?;
    let has_no_elements = |group: &Group| group.elements.is_empty();
    match (mesh, format) {
        _ if groups.is_empty() => None,
        (_, Format::Medit) => Some(
            "this format has numbers for groups and no names: comments of the file say which are which"
                .to_owned(),
        ),
        (_, Format::Ply) => {
            Some(format!("this format holds no groups: {} are lost; .obj keeps them", groups.len()))
        }
        (Mesh::Surface(_), _) if groups.values().any(has_no_elements) => {
            Some("groups of vertices alone are lost".to_owned())
        }
        _ => None,
    }
}
