//! Elastic parts of a geometry, with the ids of their volumes, faces and nodes.

use super::placement::placed_points;
use super::reader::Reader;
use super::selection::{self, NONE, Selection};
use super::volumes::Volumes;
use crate::meshes::{Content, ForeignMesh};
use crate::pose::Pose;
use crate::refine::refined;
use resile_math::{Aabb, Vec3};
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

/// Creates an elastic part of a `mesh` at a pose, refined `n_refs` times. Its volume, faces and nodes have the ids of
/// the selections. Refuses meshes without tetrahedra, and refinement that does not divide edges at their midpoints.
pub(super) fn read_part(
    reader: &mut Reader<'_>,
    path: &str,
    file: &Path,
    mesh: &ForeignMesh,
    (pose, array): (Pose, Option<Array>),
) -> Option<Part> {
    let field = |name: &str| format!("{path}/{name}");
    if !is_solid(reader, path, mesh) {
        return None;
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

/// Whether the mesh of the entry at `path` has tetrahedra. Refuses others, and parts of meshes.
fn is_solid(reader: &mut Reader<'_>, path: &str, mesh: &ForeignMesh) -> bool {
    let Content::Solid(_) = &mesh.content else {
        reader.refuse(&format!("{path}/mesh"), "an elastic body must be of tetrahedra");
        return false;
    };
    let extract_path = format!("{path}/extract");
    if let Some(content @ ("surface" | "points" | "edges")) = reader.text(&extract_path) {
        reader.refuse(&extract_path, format!("an elastic body of {content} alone"));
    }
    true
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
