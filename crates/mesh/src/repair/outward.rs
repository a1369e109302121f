//! Closed parts that face outward.

use crate::TriMesh;
use crate::TriangleTree;
use crate::parts::{Parts, surface_parts};

/// Turns closed parts that face inward around, unless they are the walls of cavities:
/// inside another part. Costs a tree, if there are any, and a winding number for each.
pub(super) fn face_outward(mesh: &mut TriMesh) {
    let parts = surface_parts(mesh);
    let inward: Vec<usize> = (parts.iter())
        .filter(|part| part.closed && part.volume < 0.0)
        .map(|part| part.triangle)
        .collect();
    if inward.is_empty() {
        return;
    }
    let tree = TriangleTree::of(mesh);
    let wrong = |&triangle: &usize| {
        let [a, b, c] = mesh.corners(triangle);
        // Seen from a point of itself, all but that triangle of a part that faces inward
        // take minus half of the view; the rest is what other parts take.
        let others = tree.winding_number((a + b + c) / 3.0, Some(triangle as u32)) + 0.5;
        others.abs() < 0.5
    };
    let mut groups = Parts::of(mesh.positions.len(), &mesh.triangles);
    let wrong = inward.into_iter().filter(wrong);
    let names = groups.names(wrong.map(|triangle| mesh.triangles[triangle][0]));
    for triangle in &mut mesh.triangles {
        if names.binary_search(&groups.find(triangle[0])).is_ok() {
            triangle.swap(1, 2);
        }
    }
}
