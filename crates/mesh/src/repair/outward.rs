//! Outward orientation of closed components.

use crate::TriMesh;
use crate::TriangleTree;
use crate::parts::{Parts, surface_parts};

/// Flips closed components that face inward, unless they are cavity walls inside another component.
/// Costs a tree, if there are any, and a winding number for each.
pub(super) fn face_outward(mesh: &mut TriMesh) {
    // The first triangle of each closed component that faces inward.
    let inward_triangles: Vec<usize> = (surface_parts(mesh).iter())
        .filter(|part| part.closed && part.volume < 0.0)
        .map(|part| part.triangle)
        .collect();
    if inward_triangles.is_empty() {
        return;
    }
    let tree = TriangleTree::of_mesh(mesh);
    let is_reversed = |&triangle: &usize| {
        let [a, b, c] = mesh.corners(triangle);
        // At the centroid of its triangle, an inward component without that triangle has winding number -1/2; the
        // difference is that of the other components.
        let other_winding = tree.winding_number((a + b + c) / 3.0, Some(triangle as u32)) + 0.5;
        other_winding.abs() < 0.5
    };
    let mut components = Parts::of_elements(mesh.positions.len(), &mesh.triangles);
    let reversed_triangles = inward_triangles.into_iter().filter(is_reversed);
    let reversed_components =
        components.representatives(reversed_triangles.map(|triangle| mesh.triangles[triangle][0]));
    for triangle in &mut mesh.triangles {
        if reversed_components.binary_search(&components.find(triangle[0])).is_ok() {
            triangle.swap(1, 2);
        }
    }
}
