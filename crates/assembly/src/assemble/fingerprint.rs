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
        bodies_and_obstacles(description(scene), bodies, obstacles)
    }
}

/// The fingerprint of a scene without a start from another run, before its world is built.
pub(super) fn of_placed(
    scene: &Scene,
    placed: &[PlacedBody],
    obstacles: &[PlacedObstacle],
) -> Fingerprint {
    let described = Scene { initial: Initial::Described, ..scene.clone() };
    let bodies = placed.iter().map(|body| (&body.state.positions[..], body.mesh()));
    let still = scene.obstacles.iter().zip(obstacles);
    let still = still.filter(|(described, _)| !described.moves());
    let still = still.filter_map(|(_, obstacle)| obstacle.mesh.as_ref());
    bodies_and_obstacles(description(&described), bodies, still)
}

fn description(scene: &Scene) -> Fingerprint {
    Fingerprint::EMPTY.with(scene.motion_text().as_bytes())
}

/// Adds the nodes, elements and samples of bodies, and the meshes of obstacles, to the hash of the scene.
fn bodies_and_obstacles<'m>(
    scene: Fingerprint,
    bodies: impl Iterator<Item = (&'m [Vec3], impl Borrow<BodyMesh>)>,
    obstacles: impl Iterator<Item = &'m TriMesh>,
) -> Fingerprint {
    let mut sum = scene;
    for (nodes, mesh) in bodies {
        let mesh = mesh.borrow();
        sum = with_points(sum, nodes);
        sum = with_points(sum, &mesh.surface.points(nodes));
        sum = with_elements(sum, mesh);
        if let Some(samples) = &mesh.samples {
            sum = samples.times().iter().fold(sum, |sum, time| sum.with(&time.to_le_bytes()));
            sum = samples.positions().iter().fold(sum, |sum, points| with_points(sum, points));
        }
    }
    for mesh in obstacles {
        sum = with_points(sum, &mesh.positions);
        sum = with_cells(sum, &mesh.triangles);
    }
    sum
}

impl BodyMesh {
    /// A hash of its elements and its number of nodes, independent of positions. O(elements).
    pub fn fingerprint(&self, nodes: usize) -> Fingerprint {
        let counts = [nodes, self.surface.point_count()];
        let sum = counts.iter().fold(Fingerprint::EMPTY, |sum, n| sum.with(&n.to_le_bytes()));
        with_elements(sum, self)
    }
}

fn with_elements(sum: Fingerprint, mesh: &BodyMesh) -> Fingerprint {
    let sum = with_cells(sum, &mesh.tets);
    let sum = with_cells(sum, mesh.surface.triangles());
    with_cells(sum, &mesh.triangles)
}

/// Hashes the number of points before the points, so that lists are separated.
fn with_points(sum: Fingerprint, points: &[Vec3]) -> Fingerprint {
    let numbers = points.iter().flat_map(|p| p.to_array());
    let sum = sum.with(&points.len().to_le_bytes());
    numbers.fold(sum, |sum, number| sum.with(&number.to_le_bytes()))
}

fn with_cells<const N: usize>(sum: Fingerprint, cells: &[[u32; N]]) -> Fingerprint {
    let nodes = cells.as_flattened().iter();
    let sum = sum.with(&cells.len().to_le_bytes());
    nodes.fold(sum, |sum, node| sum.with(&node.to_le_bytes()))
}
