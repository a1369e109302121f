//! Converts shapes to meshes; each file is read once.

mod file;

use self::file::FilePart;
use super::affine::AffinePrototype;
use super::error;
use super::file_numbers::FileVertexMap;
use super::frame_files::Topology;
use super::painted;
pub(super) use crate::mesh_file::Mesh;
use crate::mesh_file::{
    self, CellFields, Filled, Filling, Groups, MeshFile, MeshFileError, OtherSolidPolicy, Seams,
    connected_stuffing, fill, fill_help,
};
use resile_math::Vec3;
use resile_mesh::generate::{
    Ball, BoxGrid, Circle, Cylinder, Disc, Extrusion, Gear, GenerateError, Helix, Icosphere, Link,
    Sheet, Stairs, Torus,
};
use resile_mesh::read::VertexFields;
use resile_mesh::{CurvedEdges, Polylines, StrandEnds, TetMesh, TriMesh, Wireframe};
use resile_scene::description::{
    ExpandedBody, Field, FillMesh, FillSurface, Problem, Resolution, Shape, Units,
    is_wireframe_file,
};
use resile_watch::TaskContext;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The original surface of a filled body.
pub(super) enum Original {
    /// It is used for contact and drawn.
    Contact(TriMesh),
    /// It is only drawn.
    Drawn(TriMesh),
}

/// The index of a body in the scene and the scale of a copy. Copies with equal keys share a prototype.
type PrototypeKey = (usize, [f64; 3]);

/// A cache of the meshes of a scene, so that each file is read once.
#[derive(Debug)]
pub(super) struct Meshes<'a> {
    folder: &'a Path,
    /// Units of lengths and stresses in files.
    units: Units,
    /// Files that were read, by name.
    read: BTreeMap<String, Result<MeshFile, MeshFileError>>,
    /// Parts of files that were extracted.
    parts: Vec<(FilePart, MeshFile)>,
    /// Names of files whose meshes are valid.
    valid: BTreeSet<String>,
    /// Solids from signed distance functions.
    implicit: Vec<(Field, Resolution, u8, TetMesh)>,
    /// Solids that fill surfaces from files, with the vertex data of the surfaces at the nodes of the solids.
    filled: Vec<(String, Filling, TetMesh, VertexFields)>,
    /// The affine body that was built last, with its key.
    affine: Option<(PrototypeKey, Arc<AffinePrototype>)>,
    /// Warnings of ignored contents of files.
    pub(super) notes: Vec<Problem>,
}

impl<'a> Meshes<'a> {
    /// An empty cache; names are relative to `folder`, values in files are in `units`.
    pub(super) fn new(folder: &'a Path, units: Units) -> Self {
        Self {
            folder,
            units,
            read: BTreeMap::new(),
            parts: Vec::new(),
            valid: BTreeSet::new(),
            implicit: Vec::new(),
            filled: Vec::new(),
            affine: None,
            notes: Vec::new(),
        }
    }

    /// Adds a warning once.
    pub(super) fn note(&mut self, problem: Option<Problem>) {
        self.notes.extend(problem.filter(|problem| !self.notes.contains(problem)));
    }

    /// The prototype of an affine body, shared by copies of one scale.
    pub(super) fn affine_prototype(
        &mut self,
        expanded: &ExpandedBody,
        path: &str,
    ) -> Result<Arc<AffinePrototype>, Vec<Problem>> {
        let described = &expanded.body;
        let key: PrototypeKey = (expanded.source, described.placement.scale.0);
        if let Some((known, prototype)) = &self.affine
            && *known == key
        {
            return Ok(prototype.clone());
        }
        let mesh =
            self.of_shape(&described.shape, &format!("{path}.shape")).map_err(|p| vec![p])?;
        let prototype = Arc::new(AffinePrototype::new(described, mesh, path)?);
        self.affine = Some((key, prototype.clone()));
        Ok(prototype)
    }

    /// The undeformed mesh of a shape, around its own origin.
    pub(super) fn of_shape(&mut self, shape: &Shape, path: &str) -> Result<Mesh, Problem> {
        let as_count = |n: u32| n as usize;
        let solid = |built: Result<TetMesh, GenerateError>| built.map(Mesh::Solid);
        let surface = |built: Result<TriMesh, GenerateError>| built.map(Mesh::Surface);
        let built = match *shape {
            Shape::Box { size, cells } => {
                solid(BoxGrid { cells: cells.map(as_count), size: Vec3::from_array(size) }.build())
            }
            Shape::Ball { radius, layers } => {
                solid(Ball { radius, layers: as_count(layers) }.build())
            }
            Shape::Cylinder { radius, height, rings, layers } => solid(
                Cylinder { radius, height, rings: as_count(rings), layers: as_count(layers) }
                    .build(),
            ),
            Shape::Sheet { size, cells } => {
                surface(Sheet { size, cells: cells.map(as_count) }.build())
            }
            Shape::Disc { radius, rings } => {
                surface(Disc { radius, rings: as_count(rings) }.build())
            }
            Shape::Sphere { radius, subdivisions } => {
                surface(Icosphere { radius, subdivisions: as_count(subdivisions) }.build())
            }
            Shape::Torus { ring_radius, tube_radius, around_ring, around_tube } => {
                let [around_ring, around_tube] = [around_ring, around_tube].map(as_count);
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
                    [along_side, along_end, around_tube].map(as_count);
                let link =
                    Link { straight, end_radius, tube_radius, along_side, along_end, around_tube };
                surface(link.build())
            }
            Shape::Gear { teeth, root_radius, tip_radius, bore_radius, thickness } => {
                let teeth = as_count(teeth);
                surface(Gear { teeth, root_radius, tip_radius, bore_radius, thickness }.build())
            }
            Shape::Extrusion { ref corners, depth, along } => {
                let corners = corners.clone();
                surface(Extrusion { corners, depth, along: as_count(along) }.build())
            }
            Shape::Stairs { steps, rise, run, width } => {
                surface(Stairs { steps: as_count(steps), rise, run, width }.build())
            }
            Shape::Implicit { ref field, resolution, grade } => {
                return self.of_field(field, resolution, grade, path);
            }
            Shape::File(ref name) => return self.of_file(name, path),
            Shape::Part { .. } => return self.of_part(shape, path),
            Shape::Fill { ref file, resolution, grade, creases, .. } => {
                let filling = Filling { resolution: resolution.mesher(), grade, creases };
                return self.fill_surface(file, filling, path).map(Mesh::Solid);
            }
            Shape::Curve { .. } | Shape::Circle { .. } | Shape::Helix { .. } => {
                return self.curves(shape, path).map(Mesh::Curves);
            }
            Shape::Particles { .. } | Shape::Line { .. } => {
                return Err(error(path, "particles have no mesh", "choose a shape that has one"));
            }
        };
        built.map_err(|e| error(path, e, "choose other sizes or counts"))
    }

    /// The curves of a shape, around its own origin.
    pub(super) fn curves(&mut self, shape: &Shape, path: &str) -> Result<Polylines, Problem> {
        let built = match *shape {
            Shape::Curve { ref points, closed } => {
                let points = points.iter().copied().map(Vec3::from_array).collect();
                let ends = if closed { StrandEnds::Joined } else { StrandEnds::Free };
                let curve = Polylines::from_points(points, ends);
                return match curve.check() {
                    Ok(()) => Ok(curve),
                    Err(e) => Err(error(path, e, "correct the points")),
                };
            }
            Shape::Circle { radius, segments } => {
                Circle { radius, segments: segments as usize }.build()
            }
            Shape::Helix { radius, pitch, turns, segments } => {
                Helix { radius, pitch, turns, segments: segments as usize }.build()
            }
            Shape::File(ref name) => match self.read_file(name, path)? {
                Mesh::Curves(curves) => return Ok(curves),
                _ => {
                    let message = format!("{} has no curves", self.folder.join(name).display());
                    return Err(error(
                        path,
                        message,
                        "rods are of .obj files with lines, and no faces",
                    ));
                }
            },
            _ => return Err(error(path, "the shape is no curve", "choose one that is")),
        };
        built.map_err(|e| error(path, e, "choose other sizes or counts"))
    }

    /// Meshes a signed distance function. Copies of a body share the mesh.
    fn of_field(
        &mut self,
        field: &Field,
        resolution: Resolution,
        grade: u8,
        path: &str,
    ) -> Result<Mesh, Problem> {
        let known = self.implicit.iter().find(|(known_field, known_resolution, known_grade, _)| {
            known_field == field && (*known_resolution, *known_grade) == (resolution, grade)
        });
        if let Some((_, _, _, mesh)) = known {
            return Ok(Mesh::Solid(mesh.clone()));
        }
        let solid = field.to_implicit();
        let refuse = |e: &dyn ToString| {
            error(path, e.to_string(), "choose another `resolution`, or correct the description")
        };
        let bounds = solid.bounds().ok_or_else(|| refuse(&"there is nothing inside"))?;
        let stuffing = connected_stuffing(resolution.mesher(), grade);
        let filled = stuffing.fill(|p| solid.value(p), bounds).map_err(|e| refuse(&e))?;
        let notes = filled.report.notes().into_iter();
        self.notes.extend(notes.map(|note| warning(path, note, FINER_RESOLUTION_HINT)));
        self.implicit.push((field.clone(), resolution, grade, filled.mesh.clone()));
        Ok(Mesh::Solid(filled.mesh))
    }

    /// The segments and points of a file, around its own origin.
    pub(super) fn wireframe(&mut self, name: &str, path: &str) -> Result<Wireframe, Problem> {
        let file = self.folder.join(name);
        let mut frame =
            mesh_file::read_wireframe(&file).map_err(|e| mesh_file_problem(&e, path))?;
        if self.units != Units::Metres {
            frame.positions.iter_mut().for_each(|point| *point /= self.units.per_metre());
        }
        let invalid = |e| error(path, format!("{}: {e}", file.display()), "correct the file");
        frame.check().map_err(invalid)?;
        Ok(frame)
    }

    /// The mesh of an obstacle from a file, which may have lines alone if it has a motion.
    pub(super) fn of_obstacle(
        &mut self,
        name: &str,
        has_motion: bool,
        path: &str,
    ) -> Result<Mesh, Problem> {
        match self.read_file(name, path)? {
            mesh @ Mesh::Curves(_) if has_motion => Ok(mesh),
            Mesh::Curves(_) => {
                let message = format!("{name} has lines alone, and no faces");
                Err(error(path, message, "add `motion: Fixed` to make an obstacle of its lines"))
            }
            _ => self.of_file(name, path),
        }
    }

    /// The triangles of a file and the indices of their vertices in the file. Coincident vertices are not welded,
    /// because the frames may separate them.
    pub(super) fn topology(&mut self, name: &str, path: &str) -> Result<Topology, Problem> {
        if is_wireframe_file(name) {
            return self
                .wireframe(name, path)
                .map(|wireframe| Topology::from_wireframe(&wireframe));
        }
        let result =
            mesh_file::read_with(&self.folder.join(name), OtherSolidPolicy::Divide, Seams::Kept);
        let file = result.map_err(|e| mesh_file_problem(&e, path))?;
        for note in &file.warnings {
            let message = format!("{}: {note}", self.folder.join(name).display());
            self.note(Some(warning(path, message, "")));
        }
        Topology::new(&file).ok_or_else(|| {
            if let Mesh::Curves(_) = file.mesh {
                return error(path, format!("{name} has lines alone, and no faces"), "");
            }
            let message = format!(
                "{name} has {} nodes of no tetrahedron, after which others are renumbered",
                file.unused_vertices
            );
            error(path, message, "save its boundary as .obj or .ply: `sim mesh`")
        })
    }

    /// Units of lengths and stresses in files.
    pub(super) fn units(&self) -> Units {
        self.units
    }

    /// The path of a file that the scene names.
    pub(super) fn file_path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The original surface of a filled body, if it is kept.
    pub(super) fn original(
        &mut self,
        shape: &Shape,
        path: &str,
    ) -> Result<Option<Original>, Problem> {
        let Shape::Fill { file, surface, .. } = shape else { return Ok(None) };
        let path = format!("{path}.file");
        Ok(match *surface {
            FillSurface { contact: FillMesh::Original, .. } => {
                let checked = self.of_file(file, &path).map_err(|problem| Problem {
                    help: format!(
                        "{}, or draw it and let the boundary of the tetrahedra touch: `surface: (draw: \
                         Original, contact: Boundary)`",
                        problem.help
                    ),
                    ..problem
                })?;
                Some(Original::Contact(checked.into_surface()))
            }
            FillSurface { draw: FillMesh::Original, .. } => {
                Some(Original::Drawn(self.read_file(file, &path)?.into_surface()))
            }
            _ => None,
        })
    }

    /// The curved edges of a shape with these tetrahedra; empty if all edges are straight.
    pub(super) fn curved_edges(&self, shape: &Shape, mesh: &TetMesh) -> CurvedEdges {
        match *shape {
            Shape::Ball { radius, layers } => {
                Ball { radius, layers: layers as usize }.curved_edges(mesh)
            }
            Shape::Cylinder { radius, height, rings, layers } => {
                let [rings, layers] = [rings, layers].map(|n| n as usize);
                Cylinder { radius, height, rings, layers }.curved_edges(mesh)
            }
            _ => self.file_of(shape).map_or_else(CurvedEdges::new, |file| file.curved.clone()),
        }
    }

    /// Warns if the shape is a file of second-order tetrahedra, because the body ignores their midpoint nodes.
    pub(super) fn note_second_order(&mut self, shape: &Shape, path: &str) {
        let (Shape::File(name) | Shape::Part { file: name, .. }) = shape else { return };
        let Some(note) = self.file_of(shape).and_then(|file| file.second_order.as_ref()) else {
            return;
        };
        let message = format!("{}: {note}", self.folder.join(name).display());
        self.note(Some(warning(path, message, "")));
    }

    /// Groups and cell data in the file of a shape; empty for other shapes.
    pub(super) fn parts(&self, shape: &Shape) -> (&Groups, &CellFields) {
        static NO_GROUPS: Groups = Groups::new();
        static NO_FIELDS: CellFields = CellFields::new();
        self.file_of(shape).map_or((&NO_GROUPS, &NO_FIELDS), |file| (&file.groups, &file.fields))
    }

    /// Vertex data in the file of a shape, by vertex of the mesh; for a filled surface by node of the solid. Empty for
    /// other shapes.
    pub(super) fn vertex_fields(&self, shape: &Shape) -> &VertexFields {
        static NO_FIELDS: VertexFields = VertexFields::new();
        if let Shape::Fill { file, resolution, grade, creases, .. } = shape {
            let filling =
                Filling { resolution: resolution.mesher(), grade: *grade, creases: *creases };
            let known = self
                .filled
                .iter()
                .find(|(name, known_filling, ..)| name == file && *known_filling == filling);
            return known.map_or(&NO_FIELDS, |(.., fields)| fields);
        }
        self.file_of(shape).map_or(&NO_FIELDS, |file| &file.vertex_fields)
    }

    /// The map from vertices of the file of a shape to those of its mesh; `None` for other shapes.
    pub(super) fn vertex_map(&self, shape: &Shape) -> Option<FileVertexMap> {
        let file = self.file_of(shape)?;
        let has_numbers = !file.vertices.is_empty();
        has_numbers.then(|| FileVertexMap {
            vertices: file.vertices.clone(),
            middles: file.middles.clone(),
        })
    }

    /// Fills a surface with tetrahedra. Copies of a body share the mesh. Defects of the surface are accepted if its
    /// inside is defined.
    fn fill_surface(
        &mut self,
        name: &str,
        filling: Filling,
        path: &str,
    ) -> Result<TetMesh, Problem> {
        let known = self.filled.iter().find(|(known_name, known_filling, ..)| {
            known_name == name && *known_filling == filling
        });
        if let Some((_, _, mesh, _)) = known {
            return Ok(mesh.clone());
        }
        let Mesh::Surface(surface) = self.read_file(name, &format!("{path}.file"))? else {
            let message = format!("{name} holds no surface that could be filled");
            return Err(error(path, message, "use it as it is: `shape: File(...)`"));
        };
        let file = self.folder.join(name);
        let Filled { mesh, notes, .. } = fill(&surface, filling, &TaskContext::unobserved())
            .map_err(|e| error(path, format!("{}: {e}", file.display()), fill_help(&e)))?;
        let notes = notes.into_iter();
        self.notes.extend(
            notes.map(|(note, help)| warning(path, format!("{}: {note}", file.display()), help)),
        );
        let read = self.read.get(name).and_then(|read| read.as_ref().ok());
        let node_fields = |file: &MeshFile| {
            painted::fields_at_closest_points(&surface, &file.vertex_fields, &mesh.positions)
        };
        let fields = read.map_or_else(VertexFields::new, node_fields);
        self.filled.push((name.to_owned(), filling, mesh.clone(), fields));
        Ok(mesh)
    }
}

/// Remedy for a file that is not found.
const RELATIVE_PATH_HINT: &str = "names are relative to the scene file";
/// Remedy for lost details of a solid.
const FINER_RESOLUTION_HINT: &str = "a finer `resolution` may keep more";

/// The message for a mesh file that cannot be read.
fn mesh_file_problem(e: &MeshFileError, path: &str) -> Problem {
    let is_missing = matches!(e, MeshFileError::Open { .. });
    error(path, e, if is_missing { RELATIVE_PATH_HINT.to_owned() } else { e.help() })
}

/// A warning about a field.
fn warning(path: &str, message: String, help: &str) -> Problem {
    super::warnings::warning(path.to_owned(), message, help)
}
