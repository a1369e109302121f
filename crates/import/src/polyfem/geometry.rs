//! `geometry`: meshes, arrays of meshes, planes and mesh sequences.

use super::material;
use super::part::{Part, read_part};
use super::placement::{array_poses, mesh_pose, placed_points};
use super::reader::Reader;
use super::sequence;
use super::unit::Dimension;
use crate::meshes::{self, Content, ForeignMesh};
use crate::pose::Pose;
use crate::wireframe;
use resile_math::Vec3;
use resile_mesh::Wireframe;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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

/// Mean area (m^2) of a vertex of the surfaces of all parts: a third of the triangles around it.
pub(super) fn mean_vertex_area(geometry: &Geometry) -> f64 {
    let (mut area, mut vertices) = (0.0, 0);
    for part in &geometry.parts {
        let (triangles, points) = (part.mesh.triangles(), part.points());
        let corners = triangles.iter().map(|triangle| triangle.map(|k| points[k as usize]));
        area += corners.map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum::<f64>();
        vertices += triangles.iter().flatten().collect::<BTreeSet<_>>().len();
    }
    area / f64::max(vertices as f64, 1.0)
}

/// Length (m) of the shortest edge of triangles of `points` (m).
fn shortest_edge_of(triangles: &[[u32; 3]], points: &[Vec3]) -> f64 {
    let edges = triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
    let lengths = edges.map(|[a, b]| points[a as usize].distance(points[b as usize]));
    lengths.fold(f64::INFINITY, f64::min)
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
    let fields: &[&str] = match kind {
        "plane" => &["point", "normal"],
        "ground" => &["height"],
        "mesh_sequence" => &SEQUENCE_FIELDS,
        _ => &MESH_FIELDS,
    };
    reader.allow_only(path, &[&COMMON_FIELDS, fields].concat());
    let obstacle = |shape| Obstacle { shape, surface: None };
    match kind {
        "plane" => {
            let point = reader.vector(&field("point"), Dimension::LENGTH).unwrap_or_default();
            let normal = reader.triple(&field("normal")).unwrap_or([0.0, 1.0, 0.0]);
            geometry.obstacles.push(obstacle(ObstacleShape::Plane { point, normal }));
        }
        "ground" => {
            let height = reader.quantity_or(&field("height"), Dimension::LENGTH, 0.0);
            let (point, normal) = ([0.0, height, 0.0], [0.0, 1.0, 0.0]);
            geometry.obstacles.push(obstacle(ObstacleShape::Plane { point, normal }));
        }
        "mesh_sequence" => geometry.obstacles.extend(read_sequence(reader, path).map(obstacle)),
        "mesh" | "mesh_array" => read_meshes(reader, path, geometry),
        kind => reader.refuse(&field("type"), format!("geometry of the type {kind} is not known")),
    }
}

/// Reads the mesh of the entry at `path` and its copies, and adds them as obstacles or parts.
fn read_meshes(reader: &mut Reader<'_>, path: &str, geometry: &mut Geometry) {
    let is_obstacle = reader.flag(&format!("{path}/is_obstacle"), false);
    let content = reader.text(&format!("{path}/extract")).filter(|_| is_obstacle);
    let read = read_mesh(reader, &format!("{path}/mesh"), is_obstacle, content);
    let Some((file, mesh)) = read else { return };
    let pose = mesh_pose(reader, path, &mesh);
    if !is_obstacle {
        for copy in array_poses(reader, path, &mesh, &pose) {
            geometry.parts.extend(read_part(reader, path, &file, &mesh, copy));
        }
        return;
    }
    let surface = obstacle_surface(reader, path);
    let wireframe = match &mesh.content {
        Content::Wireframe(wireframe) => Some(wireframe),
        Content::Solid(_) | Content::Surface(_) => None,
    };
    for (pose, _) in array_poses(reader, path, &mesh, &pose) {
        let wireframe = wireframe.cloned();
        let shape = ObstacleShape::Mesh { file: file.clone(), pose, wireframe };
        geometry.obstacles.push(Obstacle { shape, surface });
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

/// Reads the mesh sequence of the entry at `entry_path`. Refuses sequences without files, a first file that cannot be
/// read, and sequences of points or edges.
fn read_sequence(reader: &mut Reader<'_>, entry_path: &str) -> Option<ObstacleShape> {
    refuse_obstacle_settings(reader, entry_path);
    let extract_path = format!("{entry_path}/extract");
    if let Some(content @ ("points" | "edges")) = reader.text(&extract_path) {
        let message = format!("mesh sequences of {content} alone cannot be expressed");
        reader.refuse(&extract_path, message);
    }
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
