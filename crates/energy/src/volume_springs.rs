//! Springs that penalise changes of volume.

use crate::four_nodes::Differences;
use crate::gather::Gather;
use resile_math::{cross_matrix, outer};
use resile_system::{Energy, Hessian, Mat3, Psd, Vec3};

/// The three edges from the first node.
const EDGES: Differences = Differences {
    coefficients: [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
};

/// Invalid volume springs.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum VolumeError {
    /// A node does not exist.
    #[error("tetrahedron {tet} has node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The tetrahedron, counted from zero.
        tet: usize,
        /// Index of the node.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// A tetrahedron is flat or inverted at rest.
    #[error("tetrahedron {tet} has the volume {volume} m^3 at rest, but must have a positive one")]
    Volume {
        /// The tetrahedron, counted from zero.
        tet: usize,
        /// Signed volume (m^3).
        volume: f64,
    },
    /// The stiffness is not a positive number.
    #[error("volumes have the stiffness {stiffness} Pa, but must have a positive, finite one")]
    Stiffness {
        /// The given value (Pa).
        stiffness: f64,
    },
}

/// `P(x) = sum_t k/2 V_t (v_t/V_t - 1)^2`, with v the signed volume of a tetrahedron and
/// V that at rest: the volume constraint of EXPLICIT, section 3.
///
/// *Decisions*, because our copy of the paper lacks the formulas: the penalty of the volume ratio is
/// weighted by the volume, so k is a bulk modulus (Pa) independent of the mesh. The paper adds a
/// force that grows without bound at collapse; here v is signed and the energy a polynomial of degree
/// six, which pushes an inverted tetrahedron back through zero but does not forbid inversion.
/// Evaluation is O(tetrahedra); clamping costs one eigen-decomposition of a 12x12 matrix per
/// tetrahedron. It is parallel in the current rayon pool, and bitwise equal for any number of threads.
#[derive(Debug, Clone)]
pub struct VolumeSprings {
    tets: Vec<[u32; 4]>,
    volumes: Vec<f64>,
    stiffness: f64,
    gather: Gather<4>,
}

/// A deformed tetrahedron.
struct VolumetricStrain {
    /// The edges (m) from the first node.
    edges: [Vec3; 3],
    /// The volume V at rest (m^3).
    rest_volume: f64,
    /// `v/V - 1`.
    strain: f64,
}

/// The edges (m) of a tetrahedron from its first node.
fn edges(x: &[Vec3], tet: &[u32; 4]) -> [Vec3; 3] {
    EDGES.vectors(tet.map(|node| x[node as usize]))
}

/// The signed volume (m^3) of a tetrahedron with these edges.
fn volume([a, b, c]: [Vec3; 3]) -> f64 {
    a.dot(b.cross(c)) / 6.0
}

/// Derivatives of the volume with respect to the edges.
fn gradients([a, b, c]: [Vec3; 3]) -> [Vec3; 3] {
    [b.cross(c) / 6.0, c.cross(a) / 6.0, a.cross(b) / 6.0]
}

impl VolumeSprings {
    /// Springs of `stiffness` k (Pa) with the rest positions `rest` (m).
    ///
    /// # Errors
    /// A stiffness that is not positive; the first tetrahedron without a node or
    /// without a positive volume.
    pub fn new(rest: &[Vec3], tets: &[[u32; 4]], stiffness: f64) -> Result<Self, VolumeError> {
        if !(stiffness > 0.0 && stiffness.is_finite()) {
            return Err(VolumeError::Stiffness { stiffness });
        }
        let nodes = rest.len();
        let mut volumes = Vec::with_capacity(tets.len());
        for (tet, corners) in tets.iter().enumerate() {
            if let Some(&node) = corners.iter().find(|&&node| node as usize >= nodes) {
                return Err(VolumeError::NoSuchNode { tet, node, nodes });
            }
            let volume = volume(edges(rest, corners));
            if !(volume > 0.0 && volume.is_finite()) {
                return Err(VolumeError::Volume { tet, volume });
            }
            volumes.push(volume);
        }
        Ok(Self { tets: tets.to_vec(), volumes, stiffness, gather: Gather::unchecked(tets) })
    }

    /// Volume of each tetrahedron at rest (m^3).
    pub fn rest_volumes(&self) -> &[f64] {
        &self.volumes
    }

    /// The volumetric strain of a tetrahedron.
    fn strain(&self, x: &[Vec3], index: usize) -> VolumetricStrain {
        let (edges, rest_volume) = (edges(x, &self.tets[index]), self.volumes[index]);
        VolumetricStrain { edges, rest_volume, strain: volume(edges) / rest_volume - 1.0 }
    }
}

impl Energy for VolumeSprings {
    fn name(&self) -> &str {
        "elastic"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn is_internal(&self) -> bool {
        true
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        self.gather.sum(|index| {
            let VolumetricStrain { rest_volume, strain, .. } = self.strain(x, index);
            0.5 * self.stiffness * rest_volume * strain * strain
        })
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.gather.add_gradients(out, |index| {
            let VolumetricStrain { edges, strain, .. } = self.strain(x, index);
            let pressure = scale * self.stiffness * strain;
            EDGES.gradient(gradients(edges).map(|gradient| gradient * pressure))
        });
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.gather.add_hessians(out, |index| {
            let VolumetricStrain { edges, rest_volume, strain } = self.strain(x, index);
            let gradients = gradients(edges);
            let cross_terms = edges.map(|e| cross_matrix(e) * (self.stiffness * strain / 6.0));
            let block = |k: usize, l: usize| {
                // d2v/de_k de_l = -+ [e_m]_x / 6, m the third edge
                let second = match (3 + l - k) % 3 {
                    0 => Mat3::ZERO,
                    1 => -cross_terms[(l + 1) % 3],
                    _ => cross_terms[(k + 1) % 3],
                };
                outer(gradients[k], gradients[l]) * (self.stiffness / rest_volume) + second
            };
            let blocks = std::array::from_fn(|k| std::array::from_fn(|l| block(k, l)));
            EDGES.hessian(&blocks, psd)
        });
    }
}
