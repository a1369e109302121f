//! Shapes become meshes; files are read once, however many bodies use them.

use super::error;
use crate::description::{Problem, Severity, Shape};
use resile_linalg::Vec3;
use resile_mesh::generate::{Ball, BoxGrid, Cylinder};
use resile_mesh::{TetMesh, TriMesh, read};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

/// Mesh files of a scene, by name.
#[derive(Debug)]
pub(super) struct Meshes<'a> {
    folder: &'a Path,
    read: BTreeMap<String, Result<TetMesh, Problem>>,
    /// What the readers left out of files, as warnings.
    pub(super) notes: Vec<Problem>,
}

impl<'a> Meshes<'a> {
    /// No file read yet; names are relative to `folder`.
    pub(super) fn new(folder: &'a Path) -> Self {
        Self { folder, read: BTreeMap::new(), notes: Vec::new() }
    }

    /// The undeformed mesh of a shape that has one, around its own origin.
    pub(super) fn of_shape(&mut self, shape: &Shape, path: &str) -> Result<TetMesh, Problem> {
        let built = match *shape {
            Shape::Box { size, cells } => {
                BoxGrid { cells: cells.map(|n| n as usize), size: Vec3::from_array(size) }.build()
            }
            Shape::Ball { radius, layers } => Ball { radius, layers: layers as usize }.build(),
            Shape::Cylinder { radius, height, rings, layers } => {
                Cylinder { radius, height, rings: rings as usize, layers: layers as usize }.build()
            }
            Shape::File(ref name) => return self.of_file(name, path),
            Shape::Particles { .. } | Shape::Line { .. } => {
                unreachable!("particles are made without a mesh")
            }
        };
        built.map_err(|e| error(path, e, "choose other sizes or counts"))
    }

    fn of_file(&mut self, name: &str, path: &str) -> Result<TetMesh, Problem> {
        if !self.read.contains_key(name) {
            let mesh = read_tets(&self.folder.join(name), path, &mut self.notes);
            self.read.insert(name.to_owned(), mesh);
        }
        self.read[name].clone()
    }
}

fn open(file: &Path, path: &str) -> Result<File, Problem> {
    File::open(file).map_err(|e| {
        let message = format!("the mesh file {} cannot be opened: {e}", file.display());
        error(path, message, "names are relative to the scene file")
    })
}

fn read_tets(file: &Path, path: &str, notes: &mut Vec<Problem>) -> Result<TetMesh, Problem> {
    let read = read::read_gmsh(open(file, path)?);
    let mesh = read.map_err(|e| {
        let message = format!("{}: {e}", file.display());
        error(
            path,
            message,
            "bodies are read from Gmsh .msh files (2.2 or 4.1) of linear tetrahedra",
        )
    })?;
    notes.extend(mesh.report.notes().into_iter().map(|note| Problem {
        severity: Severity::Warning,
        path: path.to_owned(),
        message: format!("{}: {note}", file.display()),
        help: String::new(),
    }));
    let mesh = mesh.mesh;
    mesh.check().map_err(|e| {
        let message = format!("{}: {e}", file.display());
        error(path, message, "mend the mesh where it was made")
    })?;
    Ok(mesh)
}

/// The surface in an OBJ file.
pub(super) fn read_surface(file: &Path, path: &str) -> Result<TriMesh, Problem> {
    let read = read::read_obj(open(file, path)?);
    let mesh = read.map_err(|e| {
        let message = format!("{}: {e}", file.display());
        error(path, message, "obstacles are read from Wavefront .obj files")
    })?;
    Ok(mesh.mesh)
}
