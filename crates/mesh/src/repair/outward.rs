//! Outward orientation of closed components.

use crate::TriMesh;
use crate::TriangleTree;
use crate::parts::{Parts, surface_parts};

/// Flips closed components that face inward, unless they are cavity walls inside another component.
/// Costs a tree, if there are any, and a winding number for each.
pub(super) fn face_outward(mesh: &mut TriMesh) {
    let parts = surface_parts(mesh);
    let inward: Vec<usize> = (parts.iter())
        .filter(|part| part.closed && part.volume < 0.0)
        .map(|part| part.triangle)
        .collect();
    if inward.is_empty() {
        return;
    }
    let tree = TriangleTree::of_mesh(mesh);
    let is_reversed = |&triangle: &usize| {
        let [a, b, c] = mesh.corners(triangle);
        // At a point of the component itself, an inward component without that triangle has
        // winding number -1/2; the rest is that of the other components.
        let other_winding = tree.winding_number((a + b + c) / 3.0, Some(triangle as u32)) + 0.5;
        other_winding.abs() < 0.5
    };
    let mut groups = Parts::of_elements(mesh.positions.len(), &mesh.triangles);
    let is_reversed = inward.into_iter().filter(is_reversed);
    let representatives =
        groups.representatives(is_reversed.map(|triangle| mesh.triangles[triangle][0]));
    for triangle in &mut mesh.triangles {
        if representatives.binary_search(&groups.find(triangle[0])).is_ok() {
            triangle.swap(1, 2);
        }
    }
}
