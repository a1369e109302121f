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
    pub(super) path: PathBuf,
    pub(super) mesh: ForeignMesh,
    pub(super) pose: Pose,
}

impl PlacedShape<'_> {
    /// Whether the mesh has tetrahedra.
    pub(super) fn is_solid(&self) -> bool {
        self.mesh.solid().is_some()
    }

    /// Positions (m) of all nodes.
    pub(super) fn points(&self) -> Vec<Vec3> {
        let rotation = self.pose.rotation();
        let current_position = |p: &Vec3| rotation * (self.pose.scale * *p) + self.pose.translation;
        self.mesh.positions().iter().map(current_position).collect()
    }

    /// Bounding box (m) of all nodes.
    pub(super) fn bounds(&self) -> Aabb {
        Aabb::of_points(self.points())
    }
}

/// Resolves a path of a script, which is relative to one of the folders above the script.
pub(super) fn resolve(script: &Path, path: &str) -> Option<PathBuf> {
    let absolute = std::path::absolute(script).unwrap_or_else(|_| script.to_owned());
    let folders = absolute.ancestors().skip(1);
    folders.map(|folder| folder.join(path)).find(|path| path.is_file())
}

/// Rotation `Rx Ry Rz` of the format with angles in degrees; the rotation about z is applied first.
pub(super) fn turns(degrees: Triple) -> Vec<Turn> {
    let turns = [2, 1, 0].map(|axis| Turn::rotated_about(axis, degrees[axis]));
    turns.into_iter().filter(|turn| turn.degrees != 0.0).collect()
}

/// All shapes as placed by the source before the animation.
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

/// Finds and reads the mesh of a shape. A path without an extension names a mesh of `TetGen`.
fn read_mesh(file: &Path, shape: &Shape) -> Result<(PathBuf, ForeignMesh), String> {
    let ending = Path::new(&shape.path).extension().and_then(|ending| ending.to_str());
    let path = match ending {
        None => format!("{}.ele", shape.path),
        Some(_) => shape.path.clone(),
    };
    let resolved = resolve(file, &path)
        .ok_or_else(|| "no such file in the folder of the script or above it".to_owned())?;
    let mesh = match ending {
        Some("seg" | "pt") => meshes::read_wireframe(&resolved)?,
        _ => meshes::read(&resolved)?,
    };
    Ok((resolved, mesh))
}

/// Applies `rotateModel` and `size`, which act on all shapes together.
fn transform_model(script: &Script, placed: &mut [PlacedShape<'_>]) {
    let bounds =
        |placed: &[PlacedShape<'_>]| Aabb::of_points(placed.iter().flat_map(PlacedShape::points));
    let mut change_poses = |change: &dyn Fn(Pose) -> Pose| {
        for shape in placed.iter_mut() {
            shape.pose = change(std::mem::take(&mut shape.pose));
        }
        bounds(placed)
    };
    let mut current_bounds = change_poses(&|pose| pose);
    if let Some((axis, degrees)) = script.turn.filter(|(_, degrees)| *degrees != 0.0) {
        // The source rotates about half of the extent, independently of the model's position.
        let center = 0.5 * current_bounds.size();
        current_bounds = change_poses(&|pose| pose.rotated(Turn { axis, degrees }, center));
    }
    if let Some(size) = script.size {
        let factor = size / current_bounds.size().max_element();
        let corner = factor * current_bounds.min;
        change_poses(&|pose| pose.scaled(factor).translated(-corner));
    }
}
