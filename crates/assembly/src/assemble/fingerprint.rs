//! Fingerprints of scenes with their meshes.

use super::body::PlacedBody;
use super::collisions::PlacedObstacle;
use super::{BodyMesh, Built};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_record::Fingerprint;
use resile_scene::description::{Initial, Scene};
use std::borrow::Borrow;

impl Built {
    /// A hash of everything that determines the motion: the fingerprint of the scene and the meshes, which may come
    /// from files. Call it before the first step.
    pub fn fingerprint(&self, scene: &Scene) -> Fingerprint {
        let nodes = |body| &self.world.state(body).positions[..];
        let bodies = self.meshes.iter().enumerate().map(|(body, mesh)| (nodes(body), mesh));
        let obstacles = self.obstacles.iter().map(|(_, mesh)| mesh);
        with_meshes(scene_fingerprint(scene), bodies, obstacles)
    }
}

/// The fingerprint of a scene as if it did not start from another run, before its world is built.
pub(super) fn described_fingerprint(
    scene: &Scene,
    placed: &[PlacedBody],
    obstacles: &[PlacedObstacle],
) -> Fingerprint {
    let described = Scene { initial: Initial::Described, ..scene.clone() };
    let bodies = placed.iter().map(|body| (&body.state.positions[..], body.mesh()));
    let fixed = scene.obstacles.iter().zip(obstacles);
    let fixed = fixed.filter(|(described, _)| !described.moves());
    let fixed = fixed.filter_map(|(_, obstacle)| obstacle.mesh.as_ref());
    with_meshes(scene_fingerprint(&described), bodies, fixed)
}

/// The hash of the part of a scene that determines the motion.
fn scene_fingerprint(scene: &Scene) -> Fingerprint {
    Fingerprint::EMPTY.with(scene.motion_text().as_bytes())
}

/// Adds the nodes, elements and samples of bodies, and the meshes of obstacles, to the hash of the scene.
fn with_meshes<'m>(
    scene: Fingerprint,
    bodies: impl Iterator<Item = (&'m [Vec3], impl Borrow<BodyMesh>)>,
    obstacles: impl Iterator<Item = &'m TriMesh>,
) -> Fingerprint {
    let mut hash = scene;
    for (nodes, mesh) in bodies {
        let mesh = mesh.borrow();
        hash = with_points(hash, nodes);
        hash = with_points(hash, &mesh.surface.points(nodes));
        hash = with_elements(hash, mesh);
        if let Some(samples) = &mesh.samples {
            hash = samples.times().iter().fold(hash, |hash, time| hash.with(&time.to_le_bytes()));
            hash = samples.positions().iter().fold(hash, |hash, points| with_points(hash, points));
        }
    }
    for mesh in obstacles {
        hash = with_points(hash, &mesh.positions);
        hash = with_cells(hash, &mesh.triangles);
    }
    hash
}

impl BodyMesh {
    /// A hash of its elements, its number of nodes and its number of surface points, independent of positions.
    /// O(elements).
    pub fn fingerprint(&self, node_count: usize) -> Fingerprint {
        let counts = [node_count, self.surface.point_count()];
        let hash = counts.iter().fold(Fingerprint::EMPTY, |hash, n| hash.with(&n.to_le_bytes()));
        with_elements(hash, self)
    }
}

/// Adds the tetrahedra and triangles of a mesh.
fn with_elements(hash: Fingerprint, mesh: &BodyMesh) -> Fingerprint {
    let hash = with_cells(hash, &mesh.tets);
    let hash = with_cells(hash, mesh.surface.triangles());
    with_cells(hash, &mesh.triangles)
}

/// Adds points. Their number comes first, so that different divisions of points into lists have different hashes.
fn with_points(hash: Fingerprint, points: &[Vec3]) -> Fingerprint {
    let coordinates = points.iter().flat_map(|p| p.to_array());
    let hash = hash.with(&points.len().to_le_bytes());
    coordinates.fold(hash, |hash, x| hash.with(&x.to_le_bytes()))
}

/// Adds the number of cells and their nodes.
fn with_cells<const N: usize>(hash: Fingerprint, cells: &[[u32; N]]) -> Fingerprint {
    let nodes = cells.as_flattened().iter();
    let hash = hash.with(&cells.len().to_le_bytes());
    nodes.fold(hash, |hash, node| hash.with(&node.to_le_bytes()))
}
