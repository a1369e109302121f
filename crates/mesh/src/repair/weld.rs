//! Welding of near vertices.

use crate::TriMesh;
use resile_math::Vec3;
use std::collections::BTreeMap;

/// Welding distance, relative to the diagonal of the bounding box: a few roundings of a coordinate in
/// single precision, which STL files and many exporters have.
pub const WELD_TOLERANCE: f64 = 1e-6;

/// Replaces each used vertex by a kept one within the weld tolerance, or keeps it if there is none. Returns the number
/// of replaced vertices.
///
/// Kept vertices are farther apart than the tolerance, so vertices do not drift along a chain of near ones. Costs a map
/// lookup for 27 cells per vertex.
pub(super) fn weld(mesh: &mut TriMesh) -> usize {
    let Some(bounds) = mesh.bounds() else { return 0 };
    let tolerance = WELD_TOLERANCE * bounds.size().length();
    if tolerance == 0.0 {
        return 0;
    }
    let mut used = vec![false; mesh.positions.len()];
    mesh.triangles.as_flattened().iter().for_each(|&v| used[v as usize] = true);
    let mut kept_vertices = KeptVertices { tolerance, min: bounds.min, cells: BTreeMap::new() };
    let mut representatives: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    let mut welded_count = 0;
    for (vertex, &p) in mesh.positions.iter().enumerate().filter(|&(v, _)| used[v]) {
        match kept_vertices.nearest_kept_vertex(p, &mesh.positions) {
            Some(kept_vertex) => {
                representatives[vertex] = kept_vertex;
                welded_count += 1;
            }
            None => kept_vertices.add(vertex as u32, p),
        }
    }
    mesh.triangles.as_flattened_mut().iter_mut().for_each(|v| *v = representatives[*v as usize]);
    welded_count
}

/// Kept vertices by grid cell; the edge of a cell is the welding distance.
struct KeptVertices {
    tolerance: f64,
    min: Vec3,
    cells: BTreeMap<[i64; 3], Vec<u32>>,
}

impl KeptVertices {
    /// Grid cell of a position.
    fn cell(&self, p: Vec3) -> [i64; 3] {
        ((p - self.min) / self.tolerance).floor().to_array().map(|c| c as i64)
    }

    fn add(&mut self, vertex: u32, p: Vec3) {
        self.cells.entry(self.cell(p)).or_default().push(vertex);
    }

    /// Kept vertex with the lowest index within the welding distance.
    fn nearest_kept_vertex(&self, p: Vec3, positions: &[Vec3]) -> Option<u32> {
        let [x, y, z] = self.cell(p);
        let is_near = |&&v: &&u32| positions[v as usize].distance(p) <= self.tolerance;
        let shifts = (0..27).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]);
        let cells = shifts.filter_map(|[i, j, k]| self.cells.get(&[x + i, y + j, z + k]));
        cells.flatten().filter(is_near).min().copied()
    }
}
