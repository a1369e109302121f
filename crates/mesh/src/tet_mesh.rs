//! Solids: nodes and tetrahedra.

use crate::{Surface, TriMesh};
use resile_math::{Aabb, Vec3};
use thiserror::Error;

/// A solid as linear tetrahedra.
///
/// Tetrahedron `[a, b, c, d]` is positively oriented: `det(b-a, c-a, d-a) > 0`,
/// so seen from `d` the triangle `a b c` turns clockwise. The fields are public
/// and carry no promise by themselves; [`check`](Self::check) verifies what
/// readers and generators deliver.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TetMesh {
    /// Rest positions in metres.
    pub positions: Vec<Vec3>,
    /// Four node numbers each.
    pub tets: Vec<[u32; 4]>,
}

/// What makes a list of tetrahedra not a solid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There are no elements.
    #[error("the mesh has no tetrahedra")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("node {node} has a coordinate that is not a finite number")]
    NotFinite {
        /// Its number, from 0.
        node: usize,
    },
    /// An element refers to a node that does not exist.
    #[error("tetrahedron {tet} refers to node {node}, but there are {nodes} nodes")]
    NodeOutOfRange {
        /// The element's number, from 0.
        tet: usize,
        /// The node it asks for.
        node: u32,
        /// Their number.
        nodes: usize,
    },
    /// Elements with no volume or a negative one.
    #[error(
        "{} flat or inverted tetrahedra: numbers {} (from 0); the volume of the first is {volume:.3e} m^3",
        tets.len(), first_of(tets)
    )]
    Inverted {
        /// All of them, in ascending order, from 0.
        tets: Vec<u32>,
        /// The volume of the first.
        volume: f64,
    },
    /// Two elements lie on the same side of one triangle: they overlap, or one
    /// is listed twice.
    #[error("tetrahedra {first} and {second} lie on the same side of a shared face")]
    Overlap {
        /// An element's number, from 0.
        first: u32,
        /// The other's.
        second: u32,
    },
    /// A node belongs to no element and so has no mass.
    #[error("node {node} belongs to no tetrahedron")]
    UnusedNode {
        /// Its number, from 0.
        node: usize,
    },
}

/// The four faces of a positively oriented tetrahedron, outward
/// counter-clockwise; face `k` lies opposite corner `k`.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// A few numbers, and a sign that there are more.
fn first_of(numbers: &[u32]) -> String {
    const MAX_LISTED: usize = 8;
    let more = if numbers.len() > MAX_LISTED { ", ..." } else { "" };
    let first: Vec<String> = numbers.iter().take(MAX_LISTED).map(u32::to_string).collect();
    first.join(", ") + more
}

impl TetMesh {
    /// The corners of element `tet`. Panics, as every measure below does, if the
    /// mesh refers to nodes it does not have; see [`check`](Self::check).
    pub fn corners(&self, tet: usize) -> [Vec3; 4] {
        self.tets[tet].map(|node| self.positions[node as usize])
    }

    /// The signed volume `det(b-a, c-a, d-a) / 6` of each element, in m^3.
    pub fn volumes(&self) -> Vec<f64> {
        (0..self.tets.len()).map(|tet| self.volume_of(tet)).collect()
    }

    /// The signed volume of element `tet`, in m^3.
    pub fn volume_of(&self, tet: usize) -> f64 {
        let [a, b, c, d] = self.corners(tet);
        (b - a).cross(c - a).dot(d - a) / 6.0
    }

    /// The sum of [`volumes`](Self::volumes), in m^3.
    pub fn volume(&self) -> f64 {
        self.volumes().iter().sum()
    }

    /// The centre of volume, in metres; `None` for a mesh without volume.
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

    /// The elements whose volume is not positive (flat, inverted, or NaN).
    pub fn inverted(&self) -> Vec<u32> {
        let bad = |&tet: &u32| !matches!(self.volume_of(tet as usize), v if v > 0.0);
        (0..self.tets.len() as u32).filter(bad).collect()
    }

    /// The box around all nodes; `None` if there are none.
    pub fn bounds(&self) -> Option<Aabb> {
        Aabb::around(&self.positions)
    }

    /// Vertices, edges and triangles of the boundary, numbered as in this mesh.
    ///
    /// A triangle is on the boundary if exactly one element has it. Triangles
    /// come in the order of their elements. Costs one sort of all faces.
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

    /// The boundary as a mesh of its own: surface nodes only, renumbered in
    /// ascending order.
    pub fn boundary(&self) -> TriMesh {
        let surface = self.surface();
        let renumber = |node: u32| {
            let place = surface.vertices.binary_search(&node);
            place.expect("every corner of a surface triangle is a surface vertex") as u32
        };
        TriMesh {
            positions: surface.vertices.iter().map(|&v| self.positions[v as usize]).collect(),
            triangles: surface.triangles.iter().map(|t| t.map(renumber)).collect(),
        }
    }

    /// Verifies that this is a solid: finite positions, nodes in range and used,
    /// positive volumes, no two elements on the same side of a face.
    ///
    /// It does not look for elements that overlap without sharing a face: that
    /// is the intersection test's work. Costs one sort of all faces.
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

    fn check_nodes(&self) -> Result<(), MeshError> {
        let nodes = self.positions.len();
        let mut used = vec![false; nodes];
        for (tet, corners) in self.tets.iter().enumerate() {
            for &node in corners {
                match used.get_mut(node as usize) {
                    Some(seen) => *seen = true,
                    None => return Err(MeshError::NodeOutOfRange { tet, node, nodes }),
                }
            }
        }
        match used.iter().position(|&seen| !seen) {
            Some(node) => Err(MeshError::UnusedNode { node }),
            None => Ok(()),
        }
    }

    /// With positive volumes, two elements at one face are neighbours exactly if
    /// they see it with opposite orientations.
    fn check_faces(&self) -> Result<(), MeshError> {
        let faces = self.sorted_faces();
        let clash = faces
            .windows(2)
            .find(|pair| pair[0].corners == pair[1].corners && pair[0].even == pair[1].even);
        match clash {
            Some(pair) => {
                Err(MeshError::Overlap { first: pair[0].slot / 4, second: pair[1].slot / 4 })
            }
            None => Ok(()),
        }
    }

    /// Each face once, with the element on either side, or twice the one there is.
    pub(crate) fn shared_faces(&self) -> Vec<([u32; 3], [u32; 2])> {
        let faces = self.sorted_faces();
        let groups = faces.chunk_by(|a, b| a.corners == b.corners);
        groups
            .map(|same| (same[0].corners, [same[0].slot / 4, same[same.len() - 1].slot / 4]))
            .collect()
    }

    fn face(&self, slot: u32) -> [u32; 3] {
        FACES[slot as usize % 4].map(|k| self.tets[slot as usize / 4][k])
    }

    pub(crate) fn sorted_faces(&self) -> Vec<Face> {
        let slots = 0..4 * self.tets.len() as u32;
        let mut faces: Vec<Face> = slots.map(|slot| Face::new(self.face(slot), slot)).collect();
        faces.sort_unstable();
        faces
    }
}

/// A face under the name that all its elements give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Face {
    /// In ascending order.
    pub(crate) corners: [u32; 3],
    /// Whether sorting the corners took an even permutation.
    pub(crate) even: bool,
    /// Four times the element, plus the face's number in it.
    pub(crate) slot: u32,
}

impl Face {
    fn new([a, b, c]: [u32; 3], slot: u32) -> Self {
        let inversions = u8::from(a > b) + u8::from(b > c) + u8::from(a > c);
        let mut corners = [a, b, c];
        corners.sort_unstable();
        Self { corners, even: inversions % 2 == 0, slot }
    }
}
