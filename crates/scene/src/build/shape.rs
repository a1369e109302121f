//! Shapes become meshes; files are read once, however many bodies use them.

use super::error;
use crate::description::{Field, Geometry, Problem, Resolution, Severity, Shape};
use resile_linalg::Vec3;
use resile_mesh::generate::{
    Ball, BoxGrid, Cylinder, Disc, Extrusion, Gear, GenerateError, Icosphere, Link, Sheet, Stairs,
    Torus,
};
use resile_mesh::stuffing::{self, Pieces, Stuffing};
use resile_mesh::{Surface, TetMesh, TriMesh, read};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Mesh files of a scene, by name.
#[derive(Debug)]
pub(super) struct Meshes<'a> {
    folder: &'a Path,
    read: BTreeMap<String, Result<Mesh, Problem>>,
    /// Solids that were described by signed distances.
    stuffed: Vec<(Field, Resolution, TetMesh)>,
    /// What the readers left out of files, as warnings.
    pub(super) notes: Vec<Problem>,
}

impl<'a> Meshes<'a> {
    /// No file read yet; names are relative to `folder`.
    pub(super) fn new(folder: &'a Path) -> Self {
        Self { folder, read: BTreeMap::new(), stuffed: Vec::new(), notes: Vec::new() }
    }

    /// Where a file of the scene is.
    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// The undeformed mesh of a shape that has one, around its own origin.
    pub(super) fn of_shape(&mut self, shape: &Shape, path: &str) -> Result<Mesh, Problem> {
        let count = |n: u32| n as usize;
        let tets = |built: Result<TetMesh, GenerateError>| built.map(Mesh::Tets);
        let surface = |built: Result<TriMesh, GenerateError>| built.map(Mesh::Surface);
        let built = match *shape {
            Shape::Box { size, cells } => {
                tets(BoxGrid { cells: cells.map(count), size: Vec3::from_array(size) }.build())
            }
            Shape::Ball { radius, layers } => tets(Ball { radius, layers: count(layers) }.build()),
            Shape::Cylinder { radius, height, rings, layers } => tets(
                Cylinder { radius, height, rings: count(rings), layers: count(layers) }.build(),
            ),
            Shape::Sheet { size, cells } => {
                surface(Sheet { size, cells: cells.map(count) }.build())
            }
            Shape::Disc { radius, rings } => surface(Disc { radius, rings: count(rings) }.build()),
            Shape::Sphere { radius, subdivisions } => {
                surface(Icosphere { radius, subdivisions: count(subdivisions) }.build())
            }
            Shape::Torus { ring_radius, tube_radius, around_ring, around_tube } => {
                let [around_ring, around_tube] = [around_ring, around_tube].map(count);
                surface(Torus { ring_radius, tube_radius, around_ring, around_tube }.build())
            }
            Shape::Link {
                straight,
                end_radius,
                tube_radius,
                along_side,
                along_end,
                around_tube,
            } => {
                let [along_side, along_end, around_tube] =
                    [along_side, along_end, around_tube].map(count);
                let link =
                    Link { straight, end_radius, tube_radius, along_side, along_end, around_tube };
                surface(link.build())
            }
            Shape::Gear { teeth, root_radius, tip_radius, bore_radius, thickness } => {
                let teeth = count(teeth);
                surface(Gear { teeth, root_radius, tip_radius, bore_radius, thickness }.build())
            }
            Shape::Extrusion { ref corners, depth, along } => {
                let corners = corners.clone();
                surface(Extrusion { corners, depth, along: count(along) }.build())
            }
            Shape::Stairs { steps, rise, run, width } => {
                surface(Stairs { steps: count(steps), rise, run, width }.build())
            }
            Shape::Implicit { ref field, resolution } => {
                return self.of_field(field, resolution, path);
            }
            Shape::File(ref name) => return self.of_file(name, shape, path),
            Shape::Particles { .. } | Shape::Line { .. } => {
                unreachable!("particles are made without a mesh")
            }
        };
        built.map_err(|e| error(path, e, "choose other sizes or counts"))
    }

    /// Meshing takes seconds, and copies of a body share their mesh.
    fn of_field(&mut self, field: &Field, fine: Resolution, path: &str) -> Result<Mesh, Problem> {
        let known = self.stuffed.iter().find(|(f, r, _)| f == field && *r == fine);
        if let Some((_, _, mesh)) = known {
            return Ok(Mesh::Tets(mesh.clone()));
        }
        let resolution = match fine {
            Resolution::Size(size) => stuffing::Resolution::Size(size),
            Resolution::Tets(tets) => stuffing::Resolution::Tets(tets as usize),
        };
        let solid = field.to_implicit();
        let stuffing = Stuffing { resolution, pieces: Pieces::Largest };
        let refuse = |e: &dyn ToString| {
            error(path, e.to_string(), "choose another `resolution`, or mend the description")
        };
        let bounds = solid.bounds().ok_or_else(|| refuse(&"there is nothing inside"))?;
        let filled = stuffing.fill(|p| solid.value(p), bounds).map_err(|e| refuse(&e))?;
        self.notes.extend(filled.report.notes().into_iter().map(|message| Problem {
            severity: Severity::Warning,
            path: path.to_owned(),
            message,
            help: "a finer `resolution` may keep more".to_owned(),
        }));
        self.stuffed.push((field.clone(), fine, filled.mesh.clone()));
        Ok(Mesh::Tets(filled.mesh))
    }

    fn of_file(&mut self, name: &str, shape: &Shape, path: &str) -> Result<Mesh, Problem> {
        if !self.read.contains_key(name) {
            let file = self.folder.join(name);
            let mesh = match shape.geometry() {
                Geometry::Surface => read_surface(&file, path, &mut self.notes).map(Mesh::Surface),
                _ => read_tets(&file, path, &mut self.notes).map(Mesh::Tets),
            };
            self.read.insert(name.to_owned(), mesh);
        }
        self.read[name].clone()
    }
}

/// A shape as triangles or tetrahedra.
#[derive(Debug, Clone)]
pub(super) enum Mesh {
    Tets(TetMesh),
    Surface(TriMesh),
}

impl Mesh {
    /// The surface, or that of the solid, without its inner nodes.
    pub(super) fn into_surface(self) -> TriMesh {
        let mesh = match self {
            Self::Surface(mesh) => return mesh,
            Self::Tets(mesh) => mesh,
        };
        let Surface { vertices, triangles, .. } = mesh.surface();
        let renumbered = |old: u32| vertices.partition_point(|&vertex| vertex < old) as u32;
        TriMesh {
            positions: vertices.iter().map(|&vertex| mesh.positions[vertex as usize]).collect(),
            triangles: triangles.into_iter().map(|t| t.map(renumbered)).collect(),
        }
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
            "solids are read from Gmsh .msh files (2.2 or 4.1) of linear tetrahedra",
        )
    })?;
    notes.extend(notes_on(file, path, mesh.report.notes()));
    let mesh = mesh.mesh;
    mesh.check().map_err(|e| {
        let message = format!("{}: {e}", file.display());
        error(path, message, "mend the mesh where it was made")
    })?;
    Ok(mesh)
}

/// The surface in an OBJ file.
pub(super) fn read_surface(
    file: &Path,
    path: &str,
    notes: &mut Vec<Problem>,
) -> Result<TriMesh, Problem> {
    let read = read::read_obj(open(file, path)?);
    let mesh = read.map_err(|e| {
        let message = format!("{}: {e}", file.display());
        error(path, message, "surfaces are read from Wavefront .obj files")
    })?;
    notes.extend(notes_on(file, path, mesh.report.notes()));
    Ok(mesh.mesh)
}

/// What a reader says it left out or changed, as warnings.
fn notes_on(file: &Path, path: &str, notes: Vec<String>) -> impl Iterator<Item = Problem> {
    notes.into_iter().map(move |note| Problem {
        severity: Severity::Warning,
        path: path.to_owned(),
        message: format!("{}: {note}", file.display()),
        help: String::new(),
    })
}
