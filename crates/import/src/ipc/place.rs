//! Placement of the shapes of a script.

use super::script::{Script, Shape, Triple};
use crate::meshes::{self, ForeignMesh};
use crate::pose::{Pose, Turn};
use crate::refusal::Findings;
use resile_math::{Aabb, Vec3};
use std::path::{Path, PathBuf};

/// A shape of a script with its mesh and its pose.
#[derive(Debug, Clone)]
pub(super) struct PlacedShape<'a> {
    pub(super) shape: &'a Shape,
    /// Path of the mesh file.
    pub(super) path: PathBuf,
    pub(super) mesh: ForeignMesh,
    pub(super) pose: Pose,
}

impl PlacedShape<'_> {
    /// Whether the mesh has tetrahedra.
    pub(super) fn is_solid(&self) -> bool {
        self.mesh.solid().is_some()
    }

    /// Positions (m) of all nodes in the pose.
    pub(super) fn points(&self) -> Vec<Vec3> {
        let rotation = self.pose.rotation();
        let placed_position = |p: &Vec3| rotation * (self.pose.scale * *p) + self.pose.translation;
        self.mesh.positions().iter().map(placed_position).collect()
    }

    /// Bounding box (m) of all nodes in the pose.
    pub(super) fn bounds(&self) -> Aabb {
        Aabb::of_points(self.points())
    }
}

/// Resolves a path of a script, which is relative to the folder of the script or to one above it. The innermost folder
/// with such a file is used; `None` if there is no such folder.
pub(super) fn resolve(script: &Path, path: &str) -> Option<PathBuf> {
    let absolute = std::path::absolute(script).unwrap_or_else(|_| script.to_owned());
    let folders = absolute.ancestors().skip(1);
    folders.map(|folder| folder.join(path)).find(|path| path.is_file())
}

/// Rotations of the product `Rx Ry Rz` with angles in degrees, in the order of their application: first about z.
/// Rotations by zero are left out.
pub(super) fn turns(degrees: Triple) -> Vec<Turn> {
    let turns = [2, 1, 0].map(|axis| Turn::rotated_about(axis, degrees[axis]));
    turns.into_iter().filter(|turn| turn.degrees != 0.0).collect()
}

/// All shapes as placed by the source before the animation. Refuses meshes that cannot be read, and scales that are not
/// positive.
pub(super) fn place_shapes<'a>(
    file: &Path,
    script: &'a Script,
    findings: &mut Findings,
) -> Vec<PlacedShape<'a>> {
    let mut placed = Vec::new();
    for shape in &script.shapes {
        match read_mesh(file, shape) {
            Ok((path, mesh)) => {
                let pose = Pose {
                    scale: Vec3::from_array(shape.scale),
                    turns: turns(shape.rotate),
                    translation: Vec3::from_array(shape.translate),
                };
                placed.push(PlacedShape { shape, path, mesh, pose });
            }
            Err(reason) => findings.refuse(file, shape.line, format!("`{}`: {reason}", shape.path)),
        }
        if shape.scale.iter().any(|factor| *factor <= 0.0) {
            findings.refuse(file, shape.line, "a scale that mirrors or flattens the shape");
        }
    }
    transform_model(script, &mut placed);
    placed
}

/// Finds and reads the mesh of a shape of the script `file`. A path without an extension names a mesh of `TetGen`.
///
/// # Errors
/// The reason, if there is no such file or it cannot be read.
fn read_mesh(file: &Path, shape: &Shape) -> Result<(PathBuf, ForeignMesh), String> {
    let extension = Path::new(&shape.path).extension().and_then(|extension| extension.to_str());
    let path = match extension {
        None => format!("{}.ele", shape.path),
        Some(_) => shape.path.clone(),
    };
    let resolved = resolve(file, &path)
        .ok_or_else(|| "no such file in the folder of the script or above it".to_owned())?;
    let mesh = match extension {
        Some("seg" | "pt") => meshes::read_wireframe(&resolved)?,
        _ => meshes::read(&resolved)?,
    };
    Ok((resolved, mesh))
}

/// Applies `rotateModel` and `size`, which act on all shapes together. After `size` the lower corner of the model is at
/// the origin.
fn transform_model(script: &Script, placed: &mut [PlacedShape<'_>]) {
    if let Some((axis, degrees)) = script.turn.filter(|(_, degrees)| *degrees != 0.0) {
        // The source rotates about half of the extent, independently of the model's position.
        let center = 0.5 * joint_bounds(placed).size();
        change_poses(placed, &|pose| pose.rotated(Turn { axis, degrees }, center));
    }
    if let Some(size) = script.size {
        let bounds = joint_bounds(placed);
        let factor = size / bounds.size().max_element();
        let corner = factor * bounds.min;
        change_poses(placed, &|pose| pose.scaled(factor).translated(-corner));
    }
}

/// Bounding box (m) of all shapes in their poses.
fn joint_bounds(placed: &[PlacedShape<'_>]) -> Aabb {
    Aabb::of_points(placed.iter().flat_map(PlacedShape::points))
}

/// Replaces the poses of all shapes.
fn change_poses(placed: &mut [PlacedShape<'_>], change: &dyn Fn(Pose) -> Pose) {
    for shape in placed {
        shape.pose = change(std::mem::take(&mut shape.pose));
    }
}
