//! Quadratic tetrahedra: one node at the middle of every edge, which may be curved.

use crate::masses::fit_moments;
use crate::moments::Integrals;
use crate::{Moments, TetMesh};
use resile_math::Vec3;
use std::array::from_fn;
use std::collections::BTreeMap;

/// Corners of the edges of the mid-edge nodes 4 to 9.
pub(crate) const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
/// Node indices of the linear sub-tetrahedra at the four corners of an element.
const AT_CORNERS: [[usize; 4]; 4] = [[0, 4, 5, 6], [4, 1, 7, 8], [5, 7, 2, 9], [6, 8, 9, 3]];
/// A diagonal of the octahedron that remains between the sub-tetrahedra at the corners.
#[derive(Debug, Clone, Copy)]
struct Diagonal {
    /// Nodes at its ends.
    ends: [usize; 2],
    /// The other four nodes, in order around the diagonal.
    ring: [usize; 4],
}
/// The three diagonals of the octahedron.
const DIAGONALS: [Diagonal; 3] = [
    Diagonal { ends: [4, 9], ring: [5, 6, 8, 7] },
    Diagonal { ends: [5, 8], ring: [4, 7, 9, 6] },
    Diagonal { ends: [6, 7], ring: [4, 5, 9, 8] },
];
/// Largest distance of a mid-edge node of a straight element from the midpoint of its edge, relative to the length of
/// the edge.
const MIDPOINT_TOLERANCE: f64 = 1e-9;
/// Fractions of an element's mass at each corner and at each mid-edge node, in proportion to the diagonal of
/// the consistent mass matrix (Hinton, Rock & Zienkiewicz 1976, *A note on mass lumping and related processes
/// in the finite element method*).
const LUMPED: [f64; 2] = [1.0 / 36.0, 4.0 / 27.0];

/// Positions (m) of the mid-edge nodes of curved edges, by the corners of the edge, the lower index first.
pub type CurvedEdges = BTreeMap<[u32; 2], Vec3>;

/// A solid as quadratic tetrahedra: each is the image of a tetrahedron under the quadratic map that takes corners and
/// midpoints of edges to its nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QuadraticMesh {
    /// Rest positions in metres: the corners as in the linear mesh, then the mid-edge nodes.
    pub positions: Vec<Vec3>,
    /// Ten node indices of each element: four corners, then the mid-edge nodes of the edges 01, 02, 03, 12, 13, 23.
    pub elements: Vec<[u32; 10]>,
}

/// Whether every mid-edge node of `element` is at the midpoint of its edge, up to a distance of 1e-9 of the length of
/// the edge and the rounding error of coordinates.
pub fn is_straight(positions: &[Vec3], element: &[u32; 10]) -> bool {
    EDGES.iter().zip(&element[4..]).all(|([i, j], &node)| {
        let [a, b, middle] = [element[*i], element[*j], node].map(|node| positions[node as usize]);
        let rounding = 4.0 * f64::EPSILON * a.abs().max(b.abs()).max_element();
        middle.distance(0.5 * (a + b)) <= MIDPOINT_TOLERANCE * a.distance(b) + rounding
    })
}

impl TetMesh {
    /// Returns the mid-edge nodes of the edges on the boundary at the positions (m) that `middle` returns for the two
    /// ends (m) of an edge. Edges for which it returns `None` stay straight.
    pub fn curved_edges(&self, middle: impl Fn(Vec3, Vec3) -> Option<Vec3>) -> CurvedEdges {
        let edges = self.surface().edges.into_iter();
        let position = |node: u32| self.positions[node as usize];
        edges
            .filter_map(|edge| Some((edge, middle(position(edge[0]), position(edge[1]))?)))
            .collect()
    }

    /// Builds [`quadratic`](Self::quadratic) with the mid-edge nodes of the edges in `curved` at the positions given
    /// there.
    pub fn quadratic_with_curved_edges(&self, curved: &CurvedEdges) -> QuadraticMesh {
        let mut mesh = self.quadratic();
        let QuadraticMesh { positions, elements } = &mut mesh;
        for element in elements {
            for ([i, j], middle) in EDGES.into_iter().zip(4..) {
                let [a, b] = [element[i], element[j]];
                if let Some(position) = curved.get(&[a.min(b), a.max(b)]) {
                    positions[element[middle] as usize] = *position;
                }
            }
        }
        mesh
    }

    /// Adds a node at the midpoint of every edge, shared by all elements at that edge. Costs one sort of all
    /// edges.
    pub fn quadratic(&self) -> QuadraticMesh {
        let edges_of_tet =
            |tet: &[u32; 4]| EDGES.map(|[i, j]| [tet[i].min(tet[j]), tet[i].max(tet[j])]);
        let mut edges: Vec<[u32; 2]> = self.tets.iter().flat_map(edges_of_tet).collect();
        edges.sort_unstable();
        edges.dedup();
        let first_mid_edge_node = self.positions.len();
        let node_of_edge = |edge: [u32; 2]| {
            let index = edges.binary_search(&edge).expect("every edge is listed");
            (first_mid_edge_node + index) as u32
        };
        let element = |tet: &[u32; 4]| -> [u32; 10] {
            let middles = edges_of_tet(tet).map(node_of_edge);
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
    /// Returns the number of elements with curved edges: those that are not [straight](is_straight).
    pub fn curved_count(&self) -> usize {
        self.elements.iter().filter(|element| !is_straight(&self.positions, element)).count()
    }

    /// Subdivides the solid into linear tetrahedra over all nodes, eight consecutive ones per element: four at
    /// the corners, and four around the shortest diagonal of the remaining octahedron. The boundary has four
    /// triangles for each boundary triangle of the linear mesh. Curved faces become flat triangles.
    pub fn refined(&self) -> TetMesh {
        let tets = self.elements.iter().flat_map(|element| self.sub_tetrahedra(element)).collect();
        TetMesh { positions: self.positions.clone(), tets }
    }

    /// Iterates over the edges of all elements: the corners of the edge, the lower index first, and its mid-edge node.
    /// An edge occurs once per incident element.
    pub fn middles(&self) -> impl Iterator<Item = ([u32; 2], u32)> + '_ {
        self.elements.iter().flat_map(|element| {
            EDGES.into_iter().zip(4..).map(|([i, j], middle)| {
                let [a, b] = [element[i], element[j]];
                ([a.min(b), a.max(b)], element[middle])
            })
        })
    }

    /// Splits an element into eight linear tetrahedra over its ten nodes: four at the corners, and four around the
    /// shortest diagonal.
    fn sub_tetrahedra(&self, element: &[u32; 10]) -> [[u32; 4]; 8] {
        let position = |k: usize| self.positions[element[k] as usize];
        let length = |diagonal: &Diagonal| {
            let [a, b] = diagonal.ends.map(position);
            a.distance(b)
        };
        let mut shortest = DIAGONALS[0];
        for other in &DIAGONALS[1..] {
            if length(other) < length(&shortest) {
                shortest = *other;
            }
        }
        let Diagonal { ends: [a, b], ring } = shortest;
        let ring_tet = |k: usize| [a, b, ring[k], ring[(k + 1) % 4]];
        let local: [[usize; 4]; 8] =
            from_fn(|k| if k < 4 { AT_CORNERS[k] } else { ring_tet(k - 4) });
        local.map(|tet| tet.map(|k| element[k]))
    }

    /// Returns the corners `chosen` (ascending) and the mid-edge nodes of edges with both ends among them, in ascending
    /// order.
    pub fn with_middles(&self, chosen: &[u32]) -> Vec<u32> {
        let is_chosen = |node: u32| chosen.binary_search(&node).is_ok();
        let middles_of_element = |element: &[u32; 10]| {
            let element = *element;
            let selected = EDGES
                .into_iter()
                .zip(4..)
                .filter(move |([i, j], _)| is_chosen(element[*i]) && is_chosen(element[*j]));
            selected.map(move |(_, middle)| element[middle]).collect::<Vec<_>>()
        };
        let middles = self.elements.iter().flat_map(middles_of_element);
        let mut nodes: Vec<u32> = chosen.iter().copied().chain(middles).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Computes the node masses (kg) for a density (kg/m^3). They have the mass, centre and second moments of the
    /// solid, as in [`TetMesh::node_masses`]. They are the nearest to lumped masses of 1/36 of an element's mass per
    /// corner and 4/27 per mid-edge node.
    pub fn node_masses(&self, density: f64) -> Vec<f64> {
        let solid = self.corners();
        let is_curved = self.curved_count() > 0;
        let volumes = if is_curved { self.volumes() } else { solid.volumes() };
        let mut masses = vec![0.0; self.positions.len()];
        for (element, volume) in self.elements.iter().zip(volumes) {
            for (k, &node) in element.iter().enumerate() {
                masses[node as usize] += LUMPED[usize::from(k >= 4)] * density * volume;
            }
        }
        let moments = |elements: &[usize]| match is_curved {
            true => self.moments_of(elements),
            false => solid.moments_of(elements),
        };
        fit_moments(&solid, &self.elements, masses, moments)
    }

    /// Returns the linear tetrahedra of the corners, over the positions of all nodes.
    fn corners(&self) -> TetMesh {
        let tets = self.elements.iter().map(|element| from_fn(|k| element[k])).collect();
        TetMesh { positions: self.positions.clone(), tets }
    }

    /// Returns the positions (m) of the nodes of element `element`.
    pub(crate) fn nodes(&self, element: usize) -> [Vec3; 10] {
        self.elements[element].map(|node| self.positions[node as usize])
    }

    /// Computes the signed volume (m^3) of each element, exact up to rounding.
    pub fn volumes(&self) -> Vec<f64> {
        (0..self.elements.len()).map(|e| Integrals::new(&self.nodes(e)).volume).collect()
    }

    /// Computes the volume (m^3) of the solid: the sum of [`volumes`](Self::volumes).
    pub fn volume(&self) -> f64 {
        self.volumes().iter().sum()
    }

    /// Computes the moments of the solid, exact up to rounding; `None` if it has no volume.
    pub fn moments(&self) -> Option<Moments> {
        let elements: Vec<usize> = (0..self.elements.len()).collect();
        self.moments_of(&elements)
    }

    /// Computes the moments of the solid of these `elements` (indices); `None` if it has no volume.
    fn moments_of(&self, elements: &[usize]) -> Option<Moments> {
        // Coordinates are relative to one of the nodes, because a distant origin would cause cancellation.
        let origin = self.nodes(*elements.first()?)[0];
        let element_integrals = |&e: &usize| Integrals::new(&self.nodes(e).map(|x| x - origin));
        let sum = elements
            .iter()
            .map(element_integrals)
            .fold(Integrals::ZERO, |sum, element| sum.plus(&element));
        sum.moments(origin)
    }
}
