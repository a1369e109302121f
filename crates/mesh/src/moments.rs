//! Volume, centroid and second moments of solids and of the inside of closed surfaces.

use crate::{TetMesh, TriMesh};
use resile_math::small::SymmetricEigen;
use resile_math::{Mat3, Vec3, cholesky, outer};
use std::array::from_fn;

/// Integrals over a solid, or the inside of a closed surface, exact for flat faces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Signed volume (m^3); negative if the triangles face inward.
    pub volume: f64,
    /// Centroid (m).
    pub center: Vec3,
    /// `integral (x - center)(x - center)^T dV` (m^5).
    pub second: Mat3,
}

impl Moments {
    /// Moments of signed tetrahedra with corners relative to `origin`. For each tetrahedron
    /// `integral x x^T dV = V/20 (sum_i p_i p_i^T + (sum_i p_i)(sum_i p_i)^T)`.
    fn of(origin: Vec3, tets: impl Iterator<Item = [Vec3; 4]>) -> Option<Self> {
        let (mut volume, mut first, mut second) = (0.0, Vec3::ZERO, Mat3::ZERO);
        for corners in tets {
            let [a, b, c, d] = corners;
            let v = (b - a).cross(c - a).dot(d - a) / 6.0;
            let sum = a + b + c + d;
            volume += v;
            first += sum * (v / 4.0);
            let squares = corners.iter().fold(outer(sum, sum), |m, p| m + outer(*p, *p));
            second += squares * (v / 20.0);
        }
        if volume == 0.0 || !volume.is_finite() {
            return None;
        }
        let center = first / volume;
        Some(Self {
            volume,
            center: origin + center,
            second: second - outer(center, center) * volume,
        })
    }

    /// Largest relative error, over all axes through the centre, of the moments of inertia of point
    /// masses (kg) at `points` (m) compared with a homogeneous body of the same mass. Infinite for a body
    /// without volume.
    ///
    /// With `J(S) = tr(S) I - S` it is the largest `|lambda - 1|` of the generalised
    /// eigenvalues of the two tensors. Costs one pass over the points.
    pub fn inertia_error(&self, points: &[Vec3], masses: &[f64]) -> f64 {
        let inertia = |s: Mat3| {
            let trace = s.x_axis.x + s.y_axis.y + s.z_axis.z;
            Mat3::from_diagonal(Vec3::splat(trace)) - s
        };
        let mass: f64 = masses.iter().sum();
        let arm = |p: &Vec3| *p - self.center;
        let second = points.iter().zip(masses).map(|(p, m)| outer(arm(p), arm(p)) * *m);
        let ours = inertia(second.fold(Mat3::ZERO, |sum, one| sum + one) * mass.recip());
        let Some(root) = cholesky(inertia(self.second * self.volume.recip())) else {
            return f64::INFINITY;
        };
        let inverse = root.inverse();
        let ratio = inverse * ours * inverse.transpose();
        let rows: [[f64; 3]; 3] = from_fn(|i| from_fn(|j| ratio.col(j)[i]));
        let values = SymmetricEigen::new(&rows).values;
        values.into_iter().map(|value| (value - 1.0).abs()).fold(0.0, f64::max)
    }
}

impl TetMesh {
    /// Moments of the solid; `None` if it has no volume.
    pub fn moments(&self) -> Option<Moments> {
        let all: Vec<usize> = (0..self.tets.len()).collect();
        self.moments_of(&all)
    }

    /// Moments of a subset of the elements.
    pub(crate) fn moments_of(&self, tets: &[usize]) -> Option<Moments> {
        // Coordinates are relative to one of the nodes, because a distant origin would cause cancellation.
        let origin = self.corners(*tets.first()?)[0];
        Moments::of(origin, tets.iter().map(|&tet| self.corners(tet).map(|p| p - origin)))
    }
}

impl TriMesh {
    /// Moments of the enclosed volume by the divergence theorem: sums over the signed tetrahedra from one point
    /// to all triangles. Mirtich 1996, *Fast and accurate computation of polyhedral mass properties*, has an
    /// equivalent form. `None` if the surface encloses no volume; meaningless if it is open.
    pub fn moments(&self) -> Option<Moments> {
        let &apex = self.positions.first()?;
        let cones = (0..self.triangles.len()).map(|t| {
            let [a, b, c] = self.corners(t).map(|p| p - apex);
            [Vec3::ZERO, a, b, c]
        });
        Moments::of(apex, cones)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{BoxSurface, Icosphere};

    fn close(a: Mat3, b: Mat3, size: f64) {
        let difference = a - b;
        assert!(difference.to_cols_array().iter().all(|d| d.abs() < 1e-12 * size), "{a} {b}");
    }

    #[test]
    fn translated_and_rotated_box_has_the_exact_moments() {
        let size = Vec3::new(2.0, 0.5, 1.0);
        let mut mesh = BoxSurface { size, cells: [3, 2, 4] }.build().unwrap();
        let shift = Vec3::new(30.0, -4.0, 7.0);
        mesh.positions.iter_mut().for_each(|p| *p += shift);
        let moments = mesh.moments().unwrap();
        assert!((moments.volume - 1.0).abs() < 1e-12);
        assert!((moments.center - shift).length() < 1e-12);
        close(moments.second, Mat3::from_diagonal(size * size / 12.0), 1.0);
    }

    #[test]
    fn moments_of_a_ball_converge_and_change_sign_with_orientation() {
        let mut mesh = Icosphere { radius: 1.0, subdivisions: 5 }.build().unwrap();
        let moments = mesh.moments().unwrap();
        let ball = std::f64::consts::PI * 4.0 / 15.0;
        assert!((moments.second.x_axis.x / ball - 1.0).abs() < 5e-3);
        mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        assert!(mesh.moments().unwrap().volume < 0.0);
    }
}
