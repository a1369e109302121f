//! `geometry`: meshes, arrays of meshes, planes and mesh sequences, with the ids of their volumes, faces and nodes.

use super::material;
use super::reader::Reader;
use super::selection::{self, NONE, Selection};
use super::sequence;
use super::transformation;
use super::unit::{Dimension, Unit};
use super::volumes::Volumes;
use crate::meshes::{self, Content, ForeignMesh};
use crate::pose::Pose;
use crate::refine::refined;
use crate::wireframe;
use resile_math::{Aabb, Vec3};
use resile_mesh::Wireframe;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A grid of copies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Array {
    /// Numbers of copies along the axes.
    pub(super) counts: [u32; 3],
    /// Distances (m) between copies along the axes.
    pub(super) spacing: [f64; 3],
    /// Whether this is the first copy, at the corner of the grid.
    pub(super) is_first: bool,
}

/// An elastic part.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Path of the entry in the document.
    pub(super) path: String,
    pub(super) file: PathBuf,
    /// Number of uniform refinements.
    pub(super) refinements: u32,
    /// Mesh, after refinement.
    pub(super) mesh: ForeignMesh,
    pub(super) pose: Pose,
    pub(super) volumes: Volumes,
    /// Boundary faces with their ids.
    pub(super) faces: Vec<([u32; 3], i64)>,
    /// Id of each node by `point_selection`, or `NONE`.
    pub(super) node_ids: Vec<i64>,
    /// Ids that `surface_selection` and `point_selection` can assign.
    pub(super) declared_ids: BTreeSet<i64>,
    pub(super) array: Option<Array>,
}

impl Part {
    /// Positions (m) of the nodes at the pose.
    pub(super) fn points(&self) -> Vec<Vec3> {
        placed_points(&self.mesh, &self.pose)
    }
}

/// Shape of an obstacle.
#[derive(Debug, Clone)]
pub(super) enum ObstacleShape {
    Mesh {
        file: PathBuf,
        pose: Pose,
        /// Segments and points, if the mesh consists of them.
        wireframe: Option<Wireframe>,
    },
    Plane {
        point: [f64; 3],
        normal: [f64; 3],
    },
    Sequence {
        /// The files of the frames; there is at least one.
        files: Vec<PathBuf>,
        /// Frames per second.
        rate: f64,
        pose: Pose,
    },
}

/// An obstacle.
#[derive(Debug, Clone)]
pub(super) struct Obstacle {
    pub(super) shape: ObstacleShape,
    /// Id of the surface.
    pub(super) surface: Option<i64>,
}

/// The complete geometry.
#[derive(Debug, Default)]
pub(super) struct Geometry {
    pub(super) parts: Vec<Part>,
    pub(super) obstacles: Vec<Obstacle>,
}

/// Fields of all entries.
const COMMON_FIELDS: [&str; 3] = ["type", "enabled", "is_obstacle"];
/// Fields of meshes.
const MESH_FIELDS: [&str; 11] = [
    "mesh",
    "extract",
    "unit",
    "transformation",
    "volume_selection",
    "surface_selection",
    "curve_selection",
    "point_selection",
    "n_refs",
    "advanced",
    "array",
];
/// Fields of mesh sequences.
const SEQUENCE_FIELDS: [&str; 7] =
    ["mesh_sequence", "fps", "extract", "unit", "transformation", "n_refs", "advanced"];

/// Length (m) of the shortest edge of the surfaces of all parts and obstacles of triangles; infinite without one. The
/// midpoints of the edges of quadratic elements divide them.
pub(super) fn shortest_surface_edge(reader: &mut Reader<'_>, geometry: &Geometry) -> f64 {
    let mut shortest_edge = f64::INFINITY;
    for part in &geometry.parts {
        let order = f64::from(material::element_order(reader, &part.volumes).max(1));
        let edge = shortest_edge_of(&part.mesh.triangles(), &part.points());
        shortest_edge = shortest_edge.min(edge / order);
    }
    for obstacle in &geometry.obstacles {
        let (file, pose) = match &obstacle.shape {
            ObstacleShape::Mesh { file, pose, .. } => (file, pose),
            ObstacleShape::Sequence { files, pose, .. } => (&files[0], pose),
            ObstacleShape::Plane { .. } => continue,
        };
        if let Ok(mesh) = meshes::read(file) {
            let edge = shortest_edge_of(&mesh.triangles(), &placed_points(&mesh, pose));
            shortest_edge = shortest_edge.min(edge);
        }
    }
    shortest_edge
}

/// Length (m) of the shortest edge of triangles of `points` (m).
fn shortest_edge_of(triangles: &[[u32; 3]], points: &[Vec3]) -> f64 {
    let edges = triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
    let lengths = edges.map(|[a, b]| points[a as usize].distance(points[b as usize]));
    lengths.fold(f64::INFINITY, f64::min)
}

/// Positions (m) of the nodes of a mesh at a pose.
fn placed_points(mesh: &ForeignMesh, pose: &Pose) -> Vec<Vec3> {
    let rotation = pose.rotation();
    let placed_position = |p: &Vec3| rotation * (pose.scale * *p) + pose.translation;
    mesh.positions().iter().map(placed_position).collect()
}

/// Reads the enabled entries of `geometry`.
pub(super) fn read(reader: &mut Reader<'_>) -> Geometry {
    let mut geometry = Geometry::default();
    for path in reader.items("geometry") {
        if reader.flag(&format!("{path}/enabled"), true) {
            read_item(reader, &path, &mut geometry);
        }
    }
    geometry
}

/// Reads an entry of `geometry` and adds its obstacles or parts. Planes and mesh sequences are obstacles, and so are
/// meshes and arrays of meshes with `is_obstacle`; any other mesh is a part. Refuses unknown types.
fn read_item(reader: &mut Reader<'_>, path: &str, geometry: &mut Geometry) {
    let field = |name: &str| format!("{path}/{name}");
    let kind = reader.text(&field("type")).unwrap_or("mesh");
    let is_obstacle = reader.flag(&field("is_obstacle"), false);
    let fields: &[&str] = match kind {
        "plane" => &["point", "normal"],
        "ground" => &["height"],
        "mesh_sequence" => &SEQUENCE_FIELDS,
        _ => &MESH_FIELDS,
    };
    reader.allow_only(path, &[&COMMON_FIELDS, fields].concat());
    let fixed = |shape| Obstacle { shape, surface: None };
    match kind {
        "plane" => {
            let point = reader.vector(&field("point"), Dimension::LENGTH).unwrap_or_default();
            let normal = reader.triple(&field("normal")).unwrap_or([0.0, 1.0, 0.0]);
            geometry.obstacles.push(fixed(ObstacleShape::Plane { point, normal }));
        }
        "ground" => {
            let height = reader.quantity_or(&field("height"), Dimension::LENGTH, 0.0);
            let (point, normal) = ([0.0, height, 0.0], [0.0, 1.0, 0.0]);
            geometry.obstacles.push(fixed(ObstacleShape::Plane { point, normal }));
        }
        "mesh_sequence" => {
            refuse_obstacle_settings(reader, path);
            if let Some(content @ ("points" | "edges")) = reader.text(&field("extract")) {
                let message = format!("mesh sequences of {content} alone cannot be expressed");
                reader.refuse(&field("extract"), message);
            }
            geometry.obstacles.extend(read_sequence(reader, path).map(fixed));
        }
        "mesh" | "mesh_array" => {
            let content = reader.text(&field("extract")).filter(|_| is_obstacle);
            let read = read_mesh(reader, &field("mesh"), is_obstacle, content);
            let Some((file, mesh)) = read else { return };
            let pose = mesh_pose(reader, path, &mesh);
            let surface = match is_obstacle {
                true => obstacle_surface(reader, path),
                false => None,
            };
            for (pose, array) in array_poses(reader, path, &mesh, &pose) {
                if is_obstacle {
                    let wireframe = match &mesh.content {
                        Content::Wireframe(wireframe) => Some(wireframe.clone()),
                        Content::Solid(_) | Content::Surface(_) => None,
                    };
                    let shape = ObstacleShape::Mesh { file: file.clone(), pose, wireframe };
                    geometry.obstacles.push(Obstacle { shape, surface });
                } else {
                    let part = read_part(reader, path, &file, &mesh, (pose, array));
                    geometry.parts.extend(part);
                }
            }
        }
        kind => reader.refuse(&field("type"), format!("geometry of the type {kind} is not known")),
    }
}

/// Reads the mesh whose file is named at `path`, and returns the file and the mesh. An obstacle may consist of segments,
/// or of the `content` of its mesh, `edges` or `points`. Refuses files that cannot be read.
fn read_mesh(
    reader: &mut Reader<'_>,
    path: &str,
    is_obstacle: bool,
    content: Option<&str>,
) -> Option<(PathBuf, ForeignMesh)> {
    let name = reader.text(path).unwrap_or_default();
    let file = reader.document.file(name).ok_or_else(|| format!("there is no file {name}"));
    let read = |file: &Path| {
        let mesh = meshes::read(file).or_else(|reason| match is_obstacle {
            true => wireframe::read_obj_lines(file).map_err(|_| reason),
            false => Err(reason),
        })?;
        match content {
            Some("edges") => wireframe::edges_of(&mesh),
            Some("points") => wireframe::points_of(&mesh),
            _ => Ok(mesh),
        }
    };
    match file.and_then(|file| Ok((read(&file)?, file))) {
        Ok((mesh, file)) => Some((file, mesh)),
        Err(reason) => {
            reader.refuse(path, reason);
            None
        }
    }
}

/// Reads the id of the surface of the obstacle at `path`. Refuses selections of parts of the surface, and settings that
/// obstacles do not have.
fn obstacle_surface(reader: &mut Reader<'_>, path: &str) -> Option<i64> {
    refuse_obstacle_settings(reader, path);
    let selection_path = format!("{path}/surface_selection");
    let selection = reader.get(&selection_path)?;
    let id = selection.as_i64();
    if id.is_none() {
        reader.refuse(&selection_path, "the whole surface of an obstacle has one number");
    }
    id
}

/// Refuses refined obstacles.
fn refuse_obstacle_settings(reader: &mut Reader<'_>, path: &str) {
    let refinement_path = format!("{path}/n_refs");
    if reader.number_or(&refinement_path, 0.0) != 0.0 {
        reader.refuse(&refinement_path, "obstacles are not refined");
    }
}

/// Refuses unknown fields of `advanced` and of the array of the entry at `path`, and what no scene has in them.
fn check_mesh_settings(reader: &mut Reader<'_>, path: &str) {
    let advanced = format!("{path}/advanced");
    let fields =
        ["normalize_mesh", "force_linear_geometry", "refinement_location", "min_component"];
    reader.allow_only(&advanced, &fields);
    reader.allow_only(&format!("{path}/array"), &["offset", "size", "relative"]);
    let smallest_component = format!("{advanced}/min_component");
    if reader.number_or(&smallest_component, -1.0) > 0.0 {
        reader.refuse(&smallest_component, "all components of a surface take part in contact");
    }
    let curves = format!("{path}/curve_selection");
    if reader.get(&curves).is_some() {
        reader.refuse(&curves, "selections of curves cannot be expressed");
    }
}

/// Pose of the mesh of the entry at `path`: conversion of units, optional map to the unit cube at the origin
/// (`normalize_mesh`), then `transformation`.
fn mesh_pose(reader: &mut Reader<'_>, path: &str, mesh: &ForeignMesh) -> Pose {
    check_mesh_settings(reader, path);
    let unit_of_length = reader.units.si_value(Dimension::LENGTH);
    let mut normalised =
        Pose::default().scaled(mesh_unit(reader, path).unwrap_or(unit_of_length) / unit_of_length);
    let mesh_bounds = mesh.bounds();
    let [min, max] = [mesh_bounds.min, mesh_bounds.max].map(|corner| normalised.apply(corner));
    if reader.flag(&format!("{path}/advanced/normalize_mesh"), false) {
        let factor = 1.0 / Aabb { min, max }.size().max_element();
        normalised = normalised.translated(-min).scaled(factor);
    }
    let extents = mesh_bounds.size() * normalised.scale;
    let transformation = transformation::read(reader, &format!("{path}/transformation"), extents);
    Pose {
        scale: transformation.scale * normalised.scale,
        translation: transformation.apply(normalised.translation),
        turns: transformation.turns,
    }
    .scaled(unit_of_length)
}

/// Unit of length (m) of the mesh of the entry at `entry_path`, if the entry states one. Refuses other units.
fn mesh_unit(reader: &mut Reader<'_>, entry_path: &str) -> Option<f64> {
    let path = format!("{entry_path}/unit");
    let text = reader.text(&path).filter(|text| !text.is_empty())?;
    let unit = Unit::parse(text).filter(|unit| unit.dimension == Dimension::LENGTH);
    if unit.is_none() {
        reader.refuse(&path, format!("`{text}` is no unit of length"));
    }
    unit.map(|unit| unit.factor)
}

/// Poses of the copies of a mesh in the array of the entry at `path`, each with its array. The first copy has `pose`,
/// and is the only one if there is no array.
fn array_poses(
    reader: &mut Reader<'_>,
    path: &str,
    mesh: &ForeignMesh,
    pose: &Pose,
) -> Vec<(Pose, Option<Array>)> {
    let array_path = format!("{path}/array");
    if reader.get(&array_path).is_none() {
        return vec![(pose.clone(), None)];
    }
    let offset = reader.number_or(&format!("{array_path}/offset"), 0.0);
    let size = reader.triple(&format!("{array_path}/size")).unwrap_or([1.0; 3]);
    // Length (m) of which `offset` is a multiple, by axis.
    let offset_unit = match reader.flag(&format!("{array_path}/relative"), false) {
        true => Aabb::of_points(placed_points(mesh, pose)).size(),
        false => Vec3::splat(reader.units.si_value(Dimension::LENGTH)),
    };
    let counts = size.map(|count| count as u32);
    let spacing = offset * offset_unit;
    let mut poses = Vec::new();
    for x in 0..counts[0] {
        for y in 0..counts[1] {
            for z in 0..counts[2] {
                let cell = Vec3::new(f64::from(x), f64::from(y), f64::from(z));
                let is_first = [x, y, z] == [0; 3];
                let array = Array { counts, spacing: spacing.to_array(), is_first };
                poses.push((pose.clone().translated(spacing * cell), Some(array)));
            }
        }
    }
    poses
}

/// Creates an elastic part of a `mesh` at a pose, refined `n_refs` times. Its volume, faces and nodes have the ids of
/// the selections. Refuses meshes without tetrahedra, and refinement that does not divide edges at their midpoints.
fn read_part(
    reader: &mut Reader<'_>,
    path: &str,
    file: &Path,
    mesh: &ForeignMesh,
    (pose, array): (Pose, Option<Array>),
) -> Option<Part> {
    let field = |name: &str| format!("{path}/{name}");
    let Content::Solid(_) = &mesh.content else {
        reader.refuse(&field("mesh"), "an elastic body must be of tetrahedra");
        return None;
    };
    if let Some(content @ ("surface" | "points" | "edges")) = reader.text(&field("extract")) {
        reader.refuse(&field("extract"), format!("an elastic body of {content} alone"));
    }
    let refinements = read_refinements(reader, path);
    let mesh = match refinements {
        0 => mesh.clone(),
        _ => refined_mesh(mesh, refinements),
    };
    let points = placed_points(&mesh, &pose);
    let bounds = Aabb::of_points(points.iter().copied());
    let corners =
        |nodes: &[u32]| nodes.iter().map(|node| points[*node as usize]).collect::<Vec<_>>();
    let face_rules = selection::read(reader, &field("surface_selection"), bounds);
    let faces = mesh.triangles().into_iter().enumerate().map(|(index, face)| {
        (face, selection::assigned_id(&face_rules, index, &corners(&face)).unwrap_or(NONE))
    });
    let faces = faces.collect();
    let point_rules = selection::read(reader, &field("point_selection"), bounds);
    let node_ids = points
        .iter()
        .enumerate()
        .map(|(node, point)| selection::assigned_id(&point_rules, node, &[*point]).unwrap_or(NONE));
    let node_ids = node_ids.collect();
    let declared_ids = face_rules.iter().chain(&point_rules).flat_map(Selection::ids).collect();
    let volumes = Volumes::read(reader, &field("volume_selection"), &mesh, &points, bounds);
    let (path, file) = (path.to_owned(), file.to_owned());
    let part =
        Part { path, file, refinements, mesh, pose, volumes, faces, node_ids, declared_ids, array };
    Some(part)
}

/// Reads the number of refinements of the entry at `path`. Refuses divisions of edges other than at their midpoints.
fn read_refinements(reader: &mut Reader<'_>, path: &str) -> u32 {
    let refinements = reader.number_or(&format!("{path}/n_refs"), 0.0) as u32;
    let location_path = format!("{path}/advanced/refinement_location");
    if refinements > 0 && reader.number_or(&location_path, 0.5) != 0.5 {
        reader.refuse(&location_path, "edges are divided in their middle alone");
    }
    refinements
}

/// A solid mesh after this number of uniform refinements. The pieces of an element follow each other.
fn refined_mesh(mesh: &ForeignMesh, refinements: u32) -> ForeignMesh {
    let Content::Solid(solid) = &mesh.content else { return mesh.clone() };
    let refined = (0..refinements).fold(solid.clone(), |mesh, _| refined(&mesh));
    let pieces = refined.tets.len() / solid.tets.len().max(1);
    let volume_ids = mesh.volume_ids.iter().flat_map(|id| std::iter::repeat_n(*id, pieces));
    ForeignMesh {
        vertex_indices: (0..refined.positions.len() as u32).collect(),
        volume_ids: volume_ids.collect(),
        content: Content::Solid(refined),
    }
}

/// Reads the mesh sequence of the entry at `entry_path`. Refuses sequences without files, and a first file that cannot
/// be read.
fn read_sequence(reader: &mut Reader<'_>, entry_path: &str) -> Option<ObstacleShape> {
    let path = format!("{entry_path}/mesh_sequence");
    let time_unit = reader.units.si_value(Dimension::TIME);
    let rate = reader.number_or(&format!("{entry_path}/fps"), 1.0) / time_unit;
    let files = sequence::files(reader, &path)?;
    match meshes::read(files.first()?) {
        Ok(mesh) => {
            let pose = mesh_pose(reader, entry_path, &mesh);
            Some(ObstacleShape::Sequence { files, rate, pose })
        }
        Err(reason) => {
            reader.refuse(&path, reason);
            None
        }
    }
}
