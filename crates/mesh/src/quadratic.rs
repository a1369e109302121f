//! Quadratic tetrahedra: one node at the midpoint of every edge.

use crate::TetMesh;
use crate::masses::fitted;
use resile_math::Vec3;
use std::array::from_fn;

/// Corner pairs of the midpoint nodes 4 to 9.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
/// Linear sub-tetrahedra at the four corners of an element.
const AT_CORNERS: [[usize; 4]; 4] = [[0, 4, 5, 6], [4, 1, 7, 8], [5, 7, 2, 9], [6, 8, 9, 3]];
/// Diagonals of the remaining octahedron, each with the ring of the other four nodes.
const DIAGONALS: [([usize; 2], [usize; 4]); 3] =
    [([4, 9], [5, 6, 8, 7]), ([5, 8], [4, 7, 9, 6]), ([6, 7], [4, 5, 9, 8])];
/// Fractions of an element's mass at each corner and at each midpoint node, in proportion to the diagonal of
/// the consistent mass matrix (Hinton, Rock & Zienkiewicz 1976, *A note on mass lumping and related processes
/// in the finite element method*).
const LUMPED: [f64; 2] = [1.0 / 36.0, 4.0 / 27.0];

/// A solid as quadratic tetrahedra with straight edges.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QuadraticMesh {
    /// Rest positions in metres: the corners as in the linear mesh, then the midpoint nodes.
    pub positions: Vec<Vec3>,
    /// Ten node indices each: four corners, then the midpoints of the edges 01, 02, 03, 12, 13, 23.
    pub elements: Vec<[u32; 10]>,
}

impl TetMesh {
    /// Adds a node at the midpoint of every edge, shared by all elements at that edge. Costs one sort of all
    /// edges.
    pub fn quadratic(&self) -> QuadraticMesh {
        let named = |tet: &[u32; 4]| EDGES.map(|[i, j]| [tet[i].min(tet[j]), tet[i].max(tet[j])]);
        let mut edges: Vec<[u32; 2]> = self.tets.iter().flat_map(named).collect();
        edges.sort_unstable();
        edges.dedup();
        let first = self.positions.len();
        let number = |edge: [u32; 2]| {
            let place = edges.binary_search(&edge).expect("every edge is listed");
            (first + place) as u32
        };
        let element = |tet: &[u32; 4]| -> [u32; 10] {
            let middles = named(tet).map(number);
            from_fn(|k| if k < 4 { tet[k] } else { middles[k - 4] })
        };
        let middle =
            |[a, b]: &[u32; 2]| 0.5 * (self.positions[*a as usize] + self.positions[*b as usize]);
        QuadraticMesh {
            positions: self.positions.iter().copied().chain(edges.iter().map(middle)).collect(),
            elements: self.tets.iter().map(element).collect(),
        }
    }
}

impl QuadraticMesh {
    /// Subdivides the solid into linear tetrahedra over all nodes, eight consecutive ones per element: four at
    /// the corners, and four around the shortest diagonal of the remaining octahedron. The boundary has four
    /// triangles for each boundary triangle of the linear mesh.
    pub fn refined(&self) -> TetMesh {
        let tets = self.elements.iter().flat_map(|element| self.pieces(element)).collect();
        TetMesh { positions: self.positions.clone(), tets }
    }

    /// Every edge, the lower corner first, with its midpoint node; once per element at the edge.
    pub fn middles(&self) -> impl Iterator<Item = ([u32; 2], u32)> + '_ {
        self.elements.iter().flat_map(|element| {
            EDGES.into_iter().zip(4..).map(|([i, j], middle)| {
                let [a, b] = [element[i], element[j]];
                ([a.min(b), a.max(b)], element[middle])
            })
        })
    }

    fn pieces(&self, element: &[u32; 10]) -> [[u32; 4]; 8] {
        let at = |k: usize| self.positions[element[k] as usize];
        let length = |[a, b]: [usize; 2]| at(a).distance(at(b));
        let mut best = DIAGONALS[0];
        for other in &DIAGONALS[1..] {
            if length(other.0) < length(best.0) {
                best = *other;
            }
        }
        let ([a, b], ring) = best;
        let around = |k: usize| [a, b, ring[k], ring[(k + 1) % 4]];
        let local: [[usize; 4]; 8] = from_fn(|k| if k < 4 { AT_CORNERS[k] } else { around(k - 4) });
        local.map(|tet| tet.map(|k| element[k]))
    }

    /// The corners `chosen` (ascending) and the midpoint nodes of the edges between them.
    pub fn with_middles(&self, chosen: &[u32]) -> Vec<u32> {
        let is_chosen = |node: u32| chosen.binary_search(&node).is_ok();
        let of_element = |element: &[u32; 10]| {
            let element = *element;
            let own = EDGES
                .into_iter()
                .zip(4..)
                .filter(move |([i, j], _)| is_chosen(element[*i]) && is_chosen(element[*j]));
            own.map(move |(_, middle)| element[middle]).collect::<Vec<_>>()
        };
        let middles = self.elements.iter().flat_map(of_element);
        let mut nodes: Vec<u32> = chosen.iter().copied().chain(middles).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Node masses (kg) for a density (kg/m^3) with the mass, centre and second moments of the solid, as in
    /// [`TetMesh::node_masses`]. They are the nearest to lumped masses of 1/36 of an element's mass per corner
    /// and 4/27 per midpoint node.
    pub fn node_masses(&self, density: f64) -> Vec<f64> {
        let tets = self.elements.iter().map(|element| from_fn(|k| element[k])).collect();
        let solid = TetMesh { positions: self.positions.clone(), tets };
        let mut masses = vec![0.0; self.positions.len()];
        for (element, volume) in self.elements.iter().zip(solid.volumes()) {
            for (k, &node) in element.iter().enumerate() {
                masses[node as usize] += LUMPED[usize::from(k >= 4)] * density * volume;
            }
        }
        fitted(&solid, &self.elements, masses)
    }
}
