//! `geometry`: meshes, arrays of meshes, planes and mesh sequences, with the ids of their volumes, faces and nodes.

use super::reader::Reader;
use super::selection::{self, NONE};
use super::transformation;
use super::unit::{Dimension, Unit};
use crate::meshes::{self, Content, ForeignMesh};
use crate::pose::Pose;
use crate::refine::refined;
use resile_math::{Aabb, Vec3};
use resile_mesh::TetMesh;
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
    /// Id of the volume, which all elements share.
    pub(super) volume: i64,
    /// Boundary faces with their ids.
    pub(super) faces: Vec<([u32; 3], i64)>,
    /// Id of each node by `point_selection`, or `NONE`.
    pub(super) node_ids: Vec<i64>,
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
    },
    Plane {
        point: [f64; 3],
        normal: [f64; 3],
    },
    Sequence {
        /// The file of the first frame.
        file: PathBuf,
        /// The path of all frames, with a `#` in place of each digit of the number.
        frames: PathBuf,
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

/// Largest number of digits of the frames of a mesh sequence.
const MAX_FRAME_DIGITS: usize = 8;
/// Supported fields of an entry.
const FIELDS: [&str; 19] = [
    "mesh",
    "type",
    "extract",
    "unit",
    "transformation",
    "volume_selection",
    "surface_selection",
    "curve_selection",
    "point_selection",
    "n_refs",
    "advanced",
    "enabled",
    "is_obstacle",
    "array",
    "point",
    "normal",
    "height",
    "mesh_sequence",
    "fps",
];

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
        reader.allow_only(&path, &FIELDS);
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
    let surface = reader.get(&field("surface_selection")).and_then(serde_json::Value::as_i64);
    let obstacle_of_shape = |shape| Obstacle { shape, surface };
    match kind {
        "plane" => {
            let point = reader.vector(&field("point"), Dimension::LENGTH).unwrap_or_default();
            let normal = reader.triple(&field("normal")).unwrap_or([0.0, 1.0, 0.0]);
            geometry.obstacles.push(obstacle_of_shape(ObstacleShape::Plane { point, normal }));
        }
        "ground" => {
            let height = reader.quantity_or(&field("height"), Dimension::LENGTH, 0.0);
            let (point, normal) = ([0.0, height, 0.0], [0.0, 1.0, 0.0]);
            geometry.obstacles.push(obstacle_of_shape(ObstacleShape::Plane { point, normal }));
        }
        "mesh_sequence" => {
            geometry.obstacles.extend(read_sequence(reader, path).map(obstacle_of_shape));
        }
        "mesh" | "mesh_array" => {
            let Some((file, mesh)) = read_mesh(reader, &field("mesh")) else { return };
            let pose = mesh_pose(reader, path, &mesh);
            for (pose, array) in array_poses(reader, path, &mesh, &pose) {
                if is_obstacle {
                    refuse_extract(reader, path);
                    let shape = ObstacleShape::Mesh { file: file.clone(), pose };
                    geometry.obstacles.push(obstacle_of_shape(shape));
                } else {
                    let part = read_part(reader, path, &file, &mesh, (pose, array));
                    geometry.parts.extend(part);
                }
            }
        }
        kind => reader.refuse(&field("type"), format!("geometry of the type {kind} is not known")),
    }
}

/// Reads the mesh whose file is named at `path`, and returns the file and the mesh. Refuses files that cannot be read.
fn read_mesh(reader: &mut Reader<'_>, path: &str) -> Option<(PathBuf, ForeignMesh)> {
    let name = reader.text(path).unwrap_or_default();
    let file = reader.document.file(name).ok_or_else(|| format!("there is no file {name}"));
    match file.and_then(|file| Ok((meshes::read(&file)?, file))) {
        Ok((mesh, file)) => Some((file, mesh)),
        Err(reason) => {
            reader.refuse(path, reason);
            None
        }
    }
}

/// Refuses obstacles that consist of the points or edges of a mesh.
fn refuse_extract(reader: &mut Reader<'_>, path: &str) {
    let extract_path = format!("{path}/extract");
    if let Some(content @ ("points" | "edges")) = reader.text(&extract_path) {
        reader.refuse(&extract_path, format!("obstacles of {content} alone cannot be expressed"));
    }
}

/// Pose of the mesh of the entry at `path`: conversion of units, optional map to the unit cube at the origin
/// (`normalize_mesh`), then `transformation`.
fn mesh_pose(reader: &mut Reader<'_>, path: &str, mesh: &ForeignMesh) -> Pose {
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
    let Content::Solid(solid) = &mesh.content else {
        reader.refuse(&field("mesh"), "an elastic body must be of tetrahedra");
        return None;
    };
    let refinements = reader.number_or(&field("n_refs"), 0.0) as u32;
    if refinements > 0 && reader.number_or(&field("advanced/refinement_location"), 0.5) != 0.5 {
        reader.refuse(
            &field("advanced/refinement_location"),
            "edges are divided in their middle alone",
        );
    }
    let mesh = match refinements {
        0 => mesh.clone(),
        _ => refined_mesh(solid, refinements),
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
    let volume = volume_id(reader, &field("volume_selection"), &mesh, &points, bounds);
    let (path, file) = (path.to_owned(), file.to_owned());
    Some(Part { path, file, refinements, mesh, pose, volume, faces, node_ids, array })
}

/// A solid mesh after this number of uniform refinements.
fn refined_mesh(solid: &TetMesh, refinements: u32) -> ForeignMesh {
    let refined = (0..refinements).fold(solid.clone(), |mesh, _| refined(&mesh));
    ForeignMesh {
        vertex_indices: (0..refined.positions.len() as u32).collect(),
        content: Content::Solid(refined),
    }
}

/// Id of the volume of a mesh with nodes at `points` (m) and these bounds (m), by the selection at `path`: the common
/// id of all elements, or `id_offset`. Refuses meshes whose elements have different ids.
fn volume_id(
    reader: &mut Reader<'_>,
    path: &str,
    mesh: &ForeignMesh,
    points: &[Vec3],
    bounds: Aabb,
) -> i64 {
    if let Some(offset) = reader.get(path).and_then(|value| value.get("id_offset")) {
        return offset.as_i64().unwrap_or(0);
    }
    let rules = selection::read(reader, path, bounds);
    let tets = mesh.solid().map_or(&[][..], |mesh| &mesh.tets);
    let mut volumes = tets.iter().enumerate().map(|(index, tet)| {
        selection::assigned_id(&rules, index, &tet.map(|node| points[node as usize])).unwrap_or(0)
    });
    let first_volume = volumes.next().unwrap_or(0);
    if volumes.any(|volume| volume != first_volume) {
        reader
            .refuse(path, "several volumes in one mesh cannot be told apart; use a mesh for each");
    }
    first_volume
}

/// Reads the mesh sequence of the entry at `entry_path`: files whose names differ only in a number with a constant
/// count of digits.
///
/// The document names a path with or without `*` in place of the number and with or without an extension, such as
/// `meshes/frame*.obj` or `meshes/frame`; `.obj` is the default extension. Numbers begin with 0 or 1 and have up to
/// eight digits. The sequence is refused if no first file is found or it cannot be read.
fn read_sequence(reader: &mut Reader<'_>, entry_path: &str) -> Option<ObstacleShape> {
    let path = format!("{entry_path}/mesh_sequence");
    let pattern = reader.text(&path).unwrap_or_default().to_owned();
    let time_unit = reader.units.si_value(Dimension::TIME);
    let rate = reader.number_or(&format!("{entry_path}/fps"), 1.0) / time_unit;
    let pattern_path = Path::new(&pattern);
    let extension = pattern_path
        .extension()
        .map_or_else(|| "obj".to_owned(), |extension| extension.to_string_lossy().into_owned());
    let without_extension = pattern_path.with_extension("");
    // The path up to the number: a folder, which ends with a slash or is empty, and the beginning of the file name.
    let path_prefix = without_extension.to_string_lossy().trim_end_matches('*').to_owned();
    let name_prefix = match Path::new(&path_prefix).file_name() {
        Some(name) if !path_prefix.ends_with('/') => name.to_string_lossy().into_owned(),
        _ => String::new(),
    };
    for digits in 1..=MAX_FRAME_DIGITS {
        for first_number in [0, 1] {
            let first_file_name = format!("{path_prefix}{first_number:0digits$}.{extension}");
            let Some(file) = reader.document.file(&first_file_name) else { continue };
            // In scenes, each `#` stands for a digit.
            let hashes = "#".repeat(digits);
            let frames = file.with_file_name(format!("{name_prefix}{hashes}.{extension}"));
            let mesh = match meshes::read(&file) {
                Ok(mesh) => mesh,
                Err(reason) => {
                    reader.refuse(&path, reason);
                    return None;
                }
            };
            let pose = mesh_pose(reader, entry_path, &mesh);
            return Some(ObstacleShape::Sequence { file, frames, rate, pose });
        }
    }
    reader.refuse(&path, "no files were found that differ in a number of one width alone");
    None
}
