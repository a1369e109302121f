//! Where a body cannot touch itself: a certificate for a surface on a path, and for parts of it.
//!
//! Most searches of a body against itself find only neighbours, as far apart as at rest. Let `D`
//! be the least distance at rest between primitives without a common point, `A(t)` the affine map
//! that is nearest to where the points are, and `delta` the farthest that any point is from its
//! image. All are known at both ends of a straight path and linear between, so that two
//! primitives are never nearer than `D sigma_min(A) - 2 delta`. Where that is not enough it still is
//! for most pairs: two primitives that stray by `delta_i` and `delta_j` are never nearer than
//! `D sigma_min(A) - delta_i - delta_j`, and a descent leaves alone what lies below two nodes of a tree
//! whose largest strays say so. This holds for solids, shells
//! and surfaces that hang on other nodes; it costs two passes over the points, a hundredth of a
//! descent in trees. Bounds by energy (Zheng and James 2012, *Energy-based self-collision
//! culling*) and by the change of normals (Volino and Magnenat-Thalmann 1994) have the same aim;
//! ours needs neither an elastic model nor a closed contour, and bounds distances, which contact
//! before touching asks for.
//!
//! With any rotation `Q`, `sigma_min(A)` is at least the least eigenvalue of the symmetric part of
//! `Q^T A`, a concave function of `A`: on the path it is least at an end. `Q` is the rotation
//! nearest to `A` half way. A body that turns by an angle loses by it only the cosine of its half.

use crate::CollisionMesh;
use crate::geometry::collision_mesh::Strays;
use resile_math::lanes::{LANES, Mat3x8};
use resile_math::polar::nearest_rotation;
use resile_math::small::SymmetricEigen;
use resile_math::{Mat3, Vec3, cholesky, outer};

/// Roundings of coordinates that are taken off: an image is a sum of a few products.
const ROUNDING: f64 = 1e-12;

/// The rest shape of a surface, as the certificate needs it.
#[derive(Debug)]
pub(crate) struct RestShape {
    /// The vertices (m) seen from their mean, in the order of the mesh's vertices.
    offsets: Vec<Vec3>,
    /// The inverse of the sum of `p p^T` over the offsets `p` (1/m^2).
    inverse: Mat3,
    /// At most the least distance (m) between primitives without a common point.
    pub(crate) distance: f64,
}

/// How near parts of a surface come to each other on a path.
#[derive(Debug)]
pub(crate) struct Clearance {
    /// The least distance (m) between the images of primitives without a common point.
    images: f64,
    /// How far each vertex is from its image at most (m).
    strays: Vec<f64>,
}

/// Where an affine map takes a surface, nearly.
struct Fit {
    map: Mat3,
    /// The squared distance of each vertex from its image (m^2).
    apart2: Vec<f64>,
    /// The largest coordinate (m).
    size: f64,
}

impl RestShape {
    /// That of the points `rest` (m), of which primitives without a common point are at least as far apart as
    /// `distance` says (m). Nothing if they lie in a plane, where the map is not unique, or there are none. O(n).
    pub(crate) fn measured(
        mesh: &CollisionMesh,
        rest: &[Vec3],
        distance: impl FnOnce(f64) -> f64,
    ) -> Option<Self> {
        let (lowest, _) = mesh.lowest?;
        let vertices = mesh.vertices();
        let mean = vertices.iter().map(|&i| rest[i as usize]).sum::<Vec3>() / vertices.len() as f64;
        let offsets: Vec<Vec3> = vertices.iter().map(|&i| rest[i as usize] - mean).collect();
        let moments = offsets.iter().fold(Mat3::ZERO, |sum, &p| sum + outer(p, p));
        // Thinner than a thousandth of its length is as good as flat.
        let trace = moments.x_axis.x + moments.y_axis.y + moments.z_axis.z;
        cholesky(moments - Mat3::IDENTITY * (1e-6 * trace))?;
        let distance = distance(lowest);
        Some(Self { offsets, inverse: moments.inverse(), distance })
    }

    /// How near primitives without a common point come on the straight path of the mesh's points
    /// `from -> to` (m). Nothing if it is not finite. O(n).
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
        let half_way = (fits[0].map + fits[1].map) * 0.5;
        let turned = nearest_rotation(&Mat3x8::from_lanes(&[half_way; LANES])).lane(0).transpose();
        let least = fits.iter().map(|fit| {
            let map = turned * fit.map;
            let symmetric = (map + map.transpose()) * 0.5;
            let values = SymmetricEigen::new(&symmetric.to_cols_array_2d()).values;
            values.into_iter().fold(f64::INFINITY, f64::min)
        });
        let stretch = least.fold(f64::INFINITY, f64::min) - ROUNDING;
        let size = fits.iter().map(|fit| fit.size).fold(0.0, f64::max);
        let images = self.distance * stretch - 2.0 * ROUNDING * size;
        let [start, end] = fits.map(|fit| fit.apart2);
        let mut strays = start;
        strays.iter_mut().zip(end).for_each(|(stray, end)| *stray = stray.max(end).sqrt());
        Some(Clearance { images, strays })
    }

    /// The affine map nearest to where the vertices are, by least squares.
    fn fit(&self, vertices: &[u32], x: &[Vec3]) -> Fit {
        let at = || vertices.iter().map(|&i| x[i as usize]);
        let mean = at().sum::<Vec3>() / vertices.len() as f64;
        let pairs = || at().zip(&self.offsets);
        let moments = pairs().fold(Mat3::ZERO, |sum, (x, &p)| sum + outer(x - mean, p));
        let map = moments * self.inverse;
        let apart2 = pairs().map(|(x, &p)| (x - mean - map * p).length_squared()).collect();
        let size = at().map(|x| x.abs().max_element()).fold(0.0, f64::max);
        Fit { map, apart2, size }
    }
}

impl Clearance {
    /// A lower bound (m) of the distance between primitives without a common point; not positive if it
    /// says nothing.
    pub(crate) fn of_all(&self) -> f64 {
        self.images - 2.0 * self.strays.iter().copied().fold(0.0, f64::max)
    }

    /// For each node of the trees of `mesh`, how far its points stray at most, over how far two points
    /// may in all for their primitives to be farther apart than `distance` (m). Nothing if they may not.
    pub(crate) fn strays(&self, mesh: &CollisionMesh, distance: f64) -> Option<Strays> {
        let spare = self.images - distance;
        let mut of_points = vec![0.0; mesh.point_count()];
        for (&i, stray) in mesh.vertices().iter().zip(&self.strays) {
            of_points[i as usize] = stray / spare;
        }
        (spare > 0.0).then(|| mesh.largest(&of_points))
    }
}
