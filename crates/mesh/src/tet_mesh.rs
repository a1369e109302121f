//! Solids: nodes and tetrahedra.

use crate::{Surface, TriMesh};
use resile_math::{Aabb, Vec3};
use thiserror::Error;

/// A solid of linear tetrahedra.
///
/// Tetrahedron `[a, b, c, d]` is positively oriented: `det(b-a, c-a, d-a) > 0`, so seen from `d` the triangle
/// `a b c` is clockwise. The public fields carry no invariant by themselves; [`check`](Self::check) verifies
/// the output of readers and generators.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TetMesh {
    /// Rest positions in metres.
    pub positions: Vec<Vec3>,
    /// Four node indices per tetrahedron.
    pub tets: Vec<[u32; 4]>,
}

/// Errors of a tetrahedral mesh.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There are no elements.
    #[error("the mesh has no tetrahedra")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("node {node} has a coordinate that is not a finite number")]
    NotFinite {
        /// Index of the node, from 0.
        node: usize,
    },
    /// An element refers to a node that does not exist.
    #[error("tetrahedron {tet} refers to node {node}, but there are {nodes} nodes")]
    NodeOutOfRange {
        /// Index of the element, from 0.
        tet: usize,
        /// Index of the missing node.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// Elements with zero or negative volume.
    #[error(
        "{} flat or inverted tetrahedra: numbers {} (from 0); the volume of the first is {volume:.3e} m^3",
        tets.len(), list_of_first(tets)
    )]
    Inverted {
        /// Indices of the elements, in ascending order, from 0.
        tets: Vec<u32>,
        /// Volume of the first, in m^3.
        volume: f64,
    },
    /// Two elements lie on the same side of one face: they overlap, or an element is listed twice.
    #[error("tetrahedra {first} and {second} lie on the same side of a shared face")]
    Overlap {
        /// Index of one element, from 0.
        first: u32,
        /// Index of the other element, from 0.
        second: u32,
    },
    /// A node belongs to no element and so has no mass.
    #[error("node {node} belongs to no tetrahedron")]
    UnusedNode {
        /// Index of the node, from 0.
        node: usize,
    },
}

/// The four faces of a positively oriented tetrahedron, outward
/// counter-clockwise; face `k` lies opposite corner `k`.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Formats the first few indices, followed by an ellipsis if there are more.
fn list_of_first(numbers: &[u32]) -> String {
    const MAX_LISTED: usize = 8;
    let ellipsis = if numbers.len() > MAX_LISTED { ", ..." } else { "" };
    let first: Vec<String> = numbers.iter().take(MAX_LISTED).map(u32::to_string).collect();
    first.join(", ") + ellipsis
}

impl TetMesh {
    /// Corners of element `tet`. Like every measure below, panics if an element refers to a missing node; see
    /// [`check`](Self::check).
    pub fn corners(&self, tet: usize) -> [Vec3; 4] {
        self.tets[tet].map(|node| self.positions[node as usize])
    }

    /// Signed volume `det(b-a, c-a, d-a) / 6` of each element, in m^3.
    pub fn volumes(&self) -> Vec<f64> {
        (0..self.tets.len()).map(|tet| self.volume_of(tet)).collect()
    }

    /// Signed volume of element `tet`, in m^3.
    pub fn volume_of(&self, tet: usize) -> f64 {
        let [a, b, c, d] = self.corners(tet);
        (b - a).cross(c - a).dot(d - a) / 6.0
    }

    /// Sum of [`volumes`](Self::volumes), in m^3.
    pub fn volume(&self) -> f64 {
        self.volumes().iter().sum()
    }

    /// Centre of volume, in metres; `None` unless the volume is positive.
    pub fn centroid(&self) -> Option<Vec3> {
        let mut moment = Vec3::ZERO;
        let mut volume = 0.0;
        for tet in 0..self.tets.len() {
            let v = self.volume_of(tet);
            let [a, b, c, d] = self.corners(tet);
            moment += 0.25 * v * (a + b + c + d);
            volume += v;
        }
        (volume > 0.0).then(|| moment / volume)
    }

    /// Elements whose volume is not positive (flat, inverted, or NaN).
    pub fn inverted(&self) -> Vec<u32> {
        let is_inverted = |&tet: &u32| !matches!(self.volume_of(tet as usize), v if v > 0.0);
        (0..self.tets.len() as u32).filter(is_inverted).collect()
    }

    /// Bounding box of all nodes; `None` if there are none.
    pub fn bounds(&self) -> Option<Aabb> {
        Aabb::around(&self.positions)
    }

    /// Boundary vertices, edges and triangles, with the node indices of this mesh.
    ///
    /// A triangle is on the boundary if exactly one element has it. Triangles are in the order of their
    /// elements. Costs one sort of all faces.
    pub fn surface(&self) -> Surface {
        let faces = self.sorted_faces();
        let mut outer: Vec<u32> = faces
            .chunk_by(|a, b| a.corners == b.corners)
            .filter(|same| same.len() == 1)
            .map(|same| same[0].slot)
            .collect();
        outer.sort_unstable();
        Surface::from_triangles(outer.into_iter().map(|slot| self.face(slot)).collect())
    }

    /// The boundary as a separate mesh: surface nodes only, renumbered in ascending order.
    pub fn boundary(&self) -> TriMesh {
        let surface = self.surface();
        let renumber = |node: u32| {
            let index = surface.vertices.binary_search(&node);
            index.expect("every corner of a surface triangle is a surface vertex") as u32
        };
        TriMesh {
            positions: surface.vertices.iter().map(|&v| self.positions[v as usize]).collect(),
            triangles: surface.triangles.iter().map(|t| t.map(renumber)).collect(),
        }
    }

    /// Validates the solid: finite positions, nodes in range and used, positive volumes, no two elements on the
    /// same side of a face.
    ///
    /// Does not search for elements that [overlap](Self::overlap) without sharing a face. Costs one sort of all faces.
    pub fn check(&self) -> Result<(), MeshError> {
        if self.tets.is_empty() {
            return Err(MeshError::Empty);
        }
        if let Some(node) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(MeshError::NotFinite { node });
        }
        self.check_nodes()?;
        let tets = self.inverted();
        if let Some(&first) = tets.first() {
            return Err(MeshError::Inverted { volume: self.volume_of(first as usize), tets });
        }
        self.check_faces()
    }

    /// Checks that elements refer to existing nodes, and that every node belongs to an element.
    fn check_nodes(&self) -> Result<(), MeshError> {
        let nodes = self.positions.len();
        let mut used = vec![false; nodes];
        for (tet, corners) in self.tets.iter().enumerate() {
            for &node in corners {
                match used.get_mut(node as usize) {
                    Some(is_used) => *is_used = true,
                    None => return Err(MeshError::NodeOutOfRange { tet, node, nodes }),
                }
            }
        }
        match used.iter().position(|&is_used| !is_used) {
            Some(node) => Err(MeshError::UnusedNode { node }),
            None => Ok(()),
        }
    }

    /// Checks that no two elements lie on the same side of a face. Two elements with positive volumes lie on opposite
    /// sides exactly if they traverse the face with opposite orientations.
    fn check_faces(&self) -> Result<(), MeshError> {
        let faces = self.sorted_faces();
        let overlap = faces
            .windows(2)
            .find(|pair| pair[0].corners == pair[1].corners && pair[0].even == pair[1].even);
        match overlap {
            Some(pair) => {
                Err(MeshError::Overlap { first: pair[0].slot / 4, second: pair[1].slot / 4 })
            }
            None => Ok(()),
        }
    }

    /// Each face once, with the elements on both sides; a boundary face repeats its only element.
    pub(crate) fn shared_faces(&self) -> Vec<([u32; 3], [u32; 2])> {
        let faces = self.sorted_faces();
        let groups = faces.chunk_by(|a, b| a.corners == b.corners);
        groups
            .map(|sides| (sides[0].corners, [sides[0].slot / 4, sides[sides.len() - 1].slot / 4]))
            .collect()
    }

    /// Corners of a face, oriented outward; `slot` is four times the element index plus the index of the face.
    fn face(&self, slot: u32) -> [u32; 3] {
        FACES[slot as usize % 4].map(|k| self.tets[slot as usize / 4][k])
    }

    /// Faces of all elements, sorted so that equal faces are adjacent.
    pub(crate) fn sorted_faces(&self) -> Vec<Face> {
        let slots = 0..4 * self.tets.len() as u32;
        let mut faces: Vec<Face> = slots.map(|slot| Face::new(self.face(slot), slot)).collect();
        faces.sort_unstable();
        faces
    }
}

/// A face of an element, with corners in an order that is the same for all elements that share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Face {
    /// Corner indices in ascending order.
    pub(crate) corners: [u32; 3],
    /// Whether the permutation that sorts the corners is even.
    pub(crate) even: bool,
    /// Four times the element index, plus the index of the face in the element.
    pub(crate) slot: u32,
}

impl Face {
    /// A face with these corners, oriented outward from its element.
    fn new([a, b, c]: [u32; 3], slot: u32) -> Self {
        let inversions = u8::from(a > b) + u8::from(b > c) + u8::from(a > c);
        let mut corners = [a, b, c];
        corners.sort_unstable();
        Self { corners, even: inversions % 2 == 0, slot }
    }
}
