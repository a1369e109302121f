//! Messages about remaining defects, with the position of the first of each kind.

use super::Repaired;
use crate::TriMesh;
use crate::parts::{HalfEdge, half_edges};
use resile_math::Vec3;

impl Repaired {
    /// One sentence per kind of remaining defect.
    pub fn remaining_defects(&self) -> Vec<String> {
        let Self { mesh, report, .. } = self;
        let is_open: DefectTest = |half_edges| half_edges == [1, 0] || half_edges == [0, 1];
        let is_non_manifold: DefectTest = |[forward, backward]| forward + backward > 2;
        let is_misoriented: DefectTest =
            |[forward, backward]| forward != backward && forward + backward > 1;
        let kinds = [
            (report.holes_left, "holes too large or too tangled to be closed safely", is_open),
            (report.defects.non_manifold_edges, "non-manifold edges", is_non_manifold),
            (
                report.defects.misoriented_edges,
                "edges with inconsistent orientation",
                is_misoriented,
            ),
        ];
        let remarks = kinds.into_iter().filter(|(count, ..)| *count > 0);
        remarks
            .map(|(count, what, is_defect)| {
                format!("{what}: {count}{}", first_location(mesh, is_defect))
            })
            .collect()
    }
}

/// Predicate on the numbers of triangles that traverse an edge forward and backward.
type DefectTest = fn([usize; 2]) -> bool;

/// The midpoint of the first defective edge, as the end of a message; empty if there is none.
fn first_location(mesh: &TriMesh, is_defect: DefectTest) -> String {
    let half_edges = half_edges(mesh);
    let direction_counts = |half_edges_of_edge: &[HalfEdge]| {
        let forward = half_edges_of_edge.iter().filter(|half_edge| half_edge.forward).count();
        [forward, half_edges_of_edge.len() - forward]
    };
    let first = half_edges
        .chunk_by(|a, b| a.edge == b.edge)
        .find(|half_edges_of_edge| is_defect(direction_counts(half_edges_of_edge)));
    let Some(&[HalfEdge { edge, .. }, ..]) = first else { return String::new() };
    let [p, q] = edge.map(|vertex| mesh.positions[vertex as usize]);
    let midpoint: Vec3 = 0.5 * (p + q);
    // Printed in single precision, which is enough to find the place.
    let [x, y, z] = midpoint.to_array().map(|c| c as f32);
    format!(", the first at ({x}, {y}, {z}) m")
}
