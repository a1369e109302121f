//! Certificate that a surface, or a part of it, does not touch itself on a path.
//!
//! Most self-collision queries find only neighbours at about their rest distance. Let `D` be the smallest rest
//! distance between primitives without a common point. Let `A(t)` be the affine map that best fits the current
//! positions, and `delta` the largest distance of a point from its image. All are known at both ends of a straight
//! path and vary linearly between them. Two primitives are therefore never closer than `D sigma_min(A) - 2 delta`.
//! If this bound is too small, it still holds for most pairs with their own deviations: primitives that deviate by
//! `delta_i` and `delta_j` are never closer than `D sigma_min(A) - delta_i - delta_j`. The traversal skips a pair
//! of tree nodes if their largest deviations certify it. The bound holds for solids, shells and embedded surfaces.
//! It costs two passes over the points, a hundredth of a traversal. Bounds from energy (Zheng and James 2012,
//! *Energy-based self-collision culling*) and from the change of normals (Volino and Magnenat-Thalmann 1994) serve
//! the same purpose. This one needs neither an elastic model nor a closed contour, and it bounds distances, as
//! required by contact with a positive activation distance.
//!
//! For any rotation `Q`, `sigma_min(A)` is at least the smallest eigenvalue of the symmetric part of `Q^T A`. This
//! eigenvalue is a concave function of `A`, so its minimum on the path is at an end. `Q` is the rotation nearest to
//! `A` at the midpoint of the path. Rotation of the body by an angle then weakens the bound only by the cosine of
//! half the angle.

use crate::CollisionMesh;
use crate::geometry::collision_mesh::Deviations;
use crate::geometry::min_eigenvalue::min_eigenvalue_bound;
use resile_math::lanes::{LANES, Mat3x8};
use resile_math::polar::nearest_rotation;
use resile_math::{Mat3, Vec3, cholesky, outer};

/// Rounding error subtracted from the bound, relative to the coordinates: an image is a sum of a few products.
const RELATIVE_ROUNDING: f64 = 1e-12;

/// Squared ratio of thickness and length below which a surface counts as flat: a thousandth.
const MIN_THICKNESS_RATIO2: f64 = 1e-6;

/// Rest shape of a surface: data of the certificate.
#[derive(Debug, Clone)]
pub(crate) struct RestShape {
    /// Vertices relative to their mean (m), in the order of the mesh's vertices.
    offsets: Vec<Vec3>,
    /// Inverse of the sum of `p p^T` over the offsets `p` (1/m^2).
    inverse: Mat3,
    /// Lower bound of the distance (m) between primitives without a common point.
    pub(crate) distance: f64,
}

/// Bounds of the distances between parts of a surface on a path.
#[derive(Debug)]
pub(crate) struct Clearance {
    /// Smallest distance (m) between the images of primitives without a common point.
    min_image_distance: f64,
    /// Largest distance of each vertex from its image (m).
    deviations: Vec<f64>,
}

/// Affine fit of the positions of a surface.
struct Fit {
    /// Linear part of the affine map.
    map: Mat3,
    /// Squared distance of each vertex from its image (m^2).
    deviations2: Vec<f64>,
    /// Largest absolute coordinate of a position (m).
    size: f64,
}

impl RestShape {
    /// Rest shape of a mesh with points at `rest` (m). `distance(limit)` returns a lower bound (m) of the distance
    /// between primitives without a common point, at most `limit` (m). `None` if the mesh has neither triangles nor
    /// edges, or if its points lie in a plane, where the map is not unique. O(n).
    pub(crate) fn measured(
        mesh: &CollisionMesh,
        rest: &[Vec3],
        distance: impl FnOnce(f64) -> f64,
    ) -> Option<Self> {
        let lowest_height = mesh.lowest?.height;
        let vertices = mesh.vertices();
        let mean = vertices.iter().map(|&i| rest[i as usize]).sum::<Vec3>() / vertices.len() as f64;
        let offsets: Vec<Vec3> = vertices.iter().map(|&i| rest[i as usize] - mean).collect();
        let moments = offsets.iter().fold(Mat3::ZERO, |sum, &p| sum + outer(p, p));
        let trace = moments.x_axis.x + moments.y_axis.y + moments.z_axis.z;
        cholesky(moments - Mat3::IDENTITY * (MIN_THICKNESS_RATIO2 * trace))?;
        let distance = distance(lowest_height);
        Some(Self { offsets, inverse: moments.inverse(), distance })
    }

    /// Bounds of the distances between primitives without a common point while the mesh's points move straight from
    /// `from` to `to` (m). `vertices` are those of the mesh. `None` if an affine map is not finite. O(n).
    pub(crate) fn clearance(
        &self,
        vertices: &[u32],
        from: &[Vec3],
        to: &[Vec3],
    ) -> Option<Clearance> {
        let fits = [from, to].map(|x| self.fit(vertices, x));
        if !fits.iter().all(|fit| fit.map.is_finite()) {
            return None;
        }
        let midpoint_map = (fits[0].map + fits[1].map) * 0.5;
        let inverse_rotation =
            nearest_rotation(&Mat3x8::from_lanes(&[midpoint_map; LANES])).lane(0).transpose();
        let min_eigenvalues = fits.iter().map(|fit| {
            let map = inverse_rotation * fit.map;
            min_eigenvalue_bound(&((map + map.transpose()) * 0.5))
        });
        let stretch = min_eigenvalues.fold(f64::INFINITY, f64::min) - RELATIVE_ROUNDING;
        let size = fits.iter().map(|fit| fit.size).fold(0.0, f64::max);
        let min_image_distance = self.distance * stretch - 2.0 * RELATIVE_ROUNDING * size;
        let [start, end] = fits.map(|fit| fit.deviations2);
        let larger = |(start, end): (f64, f64)| start.max(end).sqrt();
        let deviations = start.into_iter().zip(end).map(larger).collect();
        Some(Clearance { min_image_distance, deviations })
    }

    /// Least-squares affine fit of the positions of `vertices`, with points at `x` (m).
    fn fit(&self, vertices: &[u32], x: &[Vec3]) -> Fit {
        let positions = || vertices.iter().map(|&i| x[i as usize]);
        let mean = positions().sum::<Vec3>() / vertices.len() as f64;
        let pairs = || positions().zip(&self.offsets);
        let moments = pairs().fold(Mat3::ZERO, |sum, (x, &p)| sum + outer(x - mean, p));
        let map = moments * self.inverse;
        let deviations2 = pairs().map(|(x, &p)| (x - mean - map * p).length_squared()).collect();
        let size = positions().map(|x| x.abs().max_element()).fold(0.0, f64::max);
        Fit { map, deviations2, size }
    }
}

impl Clearance {
    /// Lower bound (m) of the distance between primitives without a common point; nothing is certified if it is not
    /// positive.
    pub(crate) fn min_distance(&self) -> f64 {
        self.min_image_distance - 2.0 * self.deviations.iter().copied().fold(0.0, f64::max)
    }

    /// Largest deviation of the points in each node of the trees of `mesh`, relative to the sum of two deviations up to
    /// which primitives certainly stay farther apart than `distance` (m). `None` if no sum is small enough.
    pub(crate) fn deviations(&self, mesh: &CollisionMesh, distance: f64) -> Option<Deviations> {
        let margin = self.min_image_distance - distance;
        let mut relative_deviations = vec![0.0; mesh.point_count()];
        for (&i, deviation) in mesh.vertices().iter().zip(&self.deviations) {
            relative_deviations[i as usize] = deviation / margin;
        }
        (margin > 0.0).then(|| mesh.subtree_maxima(&relative_deviations))
    }
}
