//! Messages about remaining defects, with the position of the first of each kind.

use super::Repaired;
use crate::TriMesh;
use resile_math::Vec3;

impl Repaired {
    /// One sentence per kind of remaining defect.
    pub fn left(&self) -> Vec<String> {
        let Self { mesh, report, .. } = self;
        let open: DefectTest = |half_edges| half_edges == [1, 0] || half_edges == [0, 1];
        let crowded: DefectTest = |[forth, back]| forth + back > 2;
        let opposed: DefectTest = |[forth, back]| forth != back && forth + back > 1;
        let left = [
            (report.holes_left, "holes too large or too tangled to be closed safely", open),
            (report.defects.non_manifold_edges, "non-manifold edges", crowded),
            (report.defects.misoriented_edges, "edges with inconsistent orientation", opposed),
        ];
        let remarks = left.into_iter().filter(|(count, ..)| *count > 0);
        remarks
            .map(|(count, what, is_defect)| format!("{what}: {count}{}", place(mesh, is_defect)))
            .collect()
    }
}

/// Predicate on the numbers of triangles that traverse an edge in either direction.
type DefectTest = fn([usize; 2]) -> bool;

/// The midpoint of the first edge that satisfies the predicate, as text.
fn place(mesh: &TriMesh, is_defect: DefectTest) -> String {
    let mut sides: Vec<([u32; 2], bool)> = Vec::with_capacity(3 * mesh.triangles.len());
    for &[a, b, c] in &mesh.triangles {
        sides.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], p < q)));
    }
    sides.sort_unstable();
    let half_edges = |same: &[([u32; 2], bool)]| {
        let forth = same.iter().filter(|(_, forth)| *forth).count();
        [forth, same.len() - forth]
    };
    let first = sides.chunk_by(|a, b| a.0 == b.0).find(|same| is_defect(half_edges(same)));
    let Some([([p, q], _), ..]) = first else { return String::new() };
    let middle: Vec3 = 0.5 * (mesh.positions[*p as usize] + mesh.positions[*q as usize]);
    // Printed in single precision, which is enough to find the place.
    let [x, y, z] = middle.to_array().map(|c| c as f32);
    format!(", the first at ({x}, {y}, {z}) m")
}
