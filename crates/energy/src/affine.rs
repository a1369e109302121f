//! Affine bodies: bodies that deform homogeneously (Lan et al. 2022, *Affine Body
//! Dynamics*), represented by four ordinary nodes.
//!
//! # Four equal masses instead of a 12x12 block
//! A body moves by `x(X) = A X + t`: twelve unknowns. The positions of any four points in
//! general position determine them, and the mass matrix of the body in those unknowns is 4x4 (times the
//! identity): `M_kl = integral rho w_k w_l dV` with the barycentric weights `w`. It is
//! diagonal exactly if the four points, with masses `M_kk`, have the mass, the centre and the
//! second moments of the body: an *equimomental* system. Four equal masses at
//!
//! ```text
//!   p_k = c + L t_k,   L L^T = 1/V integral (X - c)(X - c)^T dV,
//!   t_k = (1,1,1), (-1,1,-1), (1,-1,-1), (-1,-1,1)
//! ```
//!
//! satisfy this, because `sum t_k = 0` and `sum t_k t_k^T = 4 I`. An affine body therefore
//! consists of four nodes with the mass `m/4` each, whose kinetic energy, linear and angular
//! momentum equal those of the body exactly. Integrators, energies and solvers need no special
//! case.
//!
//! # Elasticity
//! A homogeneous deformation has the energy `V psi(F)`, with `F` the deformation gradient of
//! the tetrahedron of the nodes, for any material. The
//! orthogonality potential of the paper, `kappa V |A A^T - I|^2`, is Saint Venant-Kirchhoff
//! with `lambda = 0` and `mu = 4 kappa`.

use crate::material::Material;
use crate::tet::TetElasticity;
use resile_math::lanes::{LANES, Mat3x8};
use resile_math::svd::SignedSvd;
use resile_math::{Mat3, Vec3, cholesky};
use resile_mesh::Moments;

/// The surface does not define a body.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum AffineError {
    /// The enclosed volume is not positive: the surface is open or its triangles face inward.
    #[error(
        "the surface encloses {volume:.3e} m^3; its triangles must face outward around a volume"
    )]
    NoVolume {
        /// The signed volume (m^3).
        volume: f64,
    },
    /// The second moments are singular: the body is flat in some direction.
    #[error("the second moments of the body are not those of a solid: is its surface open?")]
    Degenerate,
}

/// The corners `t_k` of a regular tetrahedron, positively oriented.
const CORNERS: [Vec3; 4] = [
    Vec3::new(1.0, 1.0, 1.0),
    Vec3::new(-1.0, 1.0, -1.0),
    Vec3::new(1.0, -1.0, -1.0),
    Vec3::new(-1.0, -1.0, 1.0),
];

/// The nodes of an affine body at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AffineBody {
    nodes: [Vec3; 4],
    volume: f64,
    /// Maps positions relative to node 0 to the barycentric weights of nodes 1, 2, 3.
    inverse: Mat3,
}

impl AffineBody {
    /// The body with the given moments of its closed surface.
    ///
    /// # Errors
    /// If the volume is not positive, or the moments are not those of a solid.
    pub fn new(moments: &Moments) -> Result<Self, AffineError> {
        let volume = moments.volume;
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(AffineError::NoVolume { volume });
        }
        let root = cholesky(moments.second * volume.recip()).ok_or(AffineError::Degenerate)?;
        let nodes = CORNERS.map(|t| moments.center + root * t);
        Self::from_nodes(nodes, volume)
    }

    /// A body over the box `min` to `max` (m) without mass properties, for a prescribed motion,
    /// where only the surface matters.
    ///
    /// # Errors
    /// If the box is not finite.
    pub fn around(min: Vec3, max: Vec3) -> Result<Self, AffineError> {
        let half_width = (0.5 * (max - min)).max_element().max(f64::MIN_POSITIVE);
        let center = 0.5 * (min + max);
        Self::from_nodes(CORNERS.map(|t| center + half_width * t), (2.0 * half_width).powi(3))
    }

    /// A body with these nodes (m) and this volume (m^3). An error if the nodes are coplanar.
    fn from_nodes(nodes: [Vec3; 4], volume: f64) -> Result<Self, AffineError> {
        let [a, b, c, d] = nodes;
        let inverse = Mat3::from_cols(b - a, c - a, d - a).inverse();
        if inverse.is_finite() {
            Ok(Self { nodes, volume, inverse })
        } else {
            Err(AffineError::Degenerate)
        }
    }

    /// The body rotated by `rotation` about the origin, then moved by `translation` (m). Points that move with it keep
    /// their [weights](Self::weights).
    #[must_use]
    pub fn moved(&self, rotation: Mat3, translation: Vec3) -> Self {
        Self {
            nodes: self.nodes.map(|node| rotation * node + translation),
            volume: self.volume,
            inverse: self.inverse * rotation.transpose(),
        }
    }

    /// Rest positions of the four nodes (m).
    pub fn nodes(&self) -> [Vec3; 4] {
        self.nodes
    }

    /// Volume at rest (m^3).
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The masses (kg) of the nodes for a density (kg/m^3).
    pub fn masses(&self, density: f64) -> [f64; 4] {
        [0.25 * density * self.volume; 4]
    }

    /// Barycentric weights of a point of the rest shape; their sum is one.
    pub fn weights(&self, point: Vec3) -> [f64; 4] {
        let w = self.inverse * (point - self.nodes[0]);
        [1.0 - w.x - w.y - w.z, w.x, w.y, w.z]
    }

    /// The deformation gradient `A` of nodes at `x`; for a rigid motion, the rotation.
    pub fn deformation_gradient(&self, x: &[Vec3; 4]) -> Mat3 {
        Mat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]) * self.inverse
    }

    /// The pose of the body for nodes at `x`: the rotation nearest to `A` (its polar factor), and
    /// the centre of mass (m).
    pub fn pose(&self, x: &[Vec3; 4]) -> (Mat3, Vec3) {
        let a = Mat3x8::from_lanes(&[self.deformation_gradient(x); LANES]);
        let center = (x[0] + x[1] + x[2] + x[3]) * 0.25;
        (SignedSvd::new(&a).rotation().lane(0), center)
    }

    /// The elastic energy `V psi(A)`, which keeps the body nearly rigid if it is stiff.
    pub fn elasticity(&self, material: Material) -> TetElasticity {
        TetElasticity::uniform(&self.nodes, self.volume, material)
    }
}
