//! Error quadrics: area-weighted mean square distance of a point from planes.

use resile_math::{Mat3, Vec3, outer};

/// `sum_k A_k (n_k . (x - o) - d_k)^2` for planes of area `A_k` (Garland & Heckbert 1997, *Surface
/// simplification using quadric error metrics*), about an origin `o` near them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quadric {
    /// `sum_k A_k n_k n_k^T`.
    matrix: Mat3,
    /// `-sum_k A_k d_k n_k`.
    vector: Vec3,
    /// `sum_k A_k d_k^2`.
    constant: f64,
    /// `sum_k A_k` (m^2).
    area: f64,
}

impl Quadric {
    /// Quadric of no planes.
    pub(super) const ZERO: Self =
        Self { matrix: Mat3::ZERO, vector: Vec3::ZERO, constant: 0.0, area: 0.0 };

    /// Quadric of the plane of a triangle, weighted by its area.
    pub(super) fn of_triangle([a, b, c]: [Vec3; 3], origin: Vec3) -> Self {
        let double_area_vector = (b - a).cross(c - a);
        let area = 0.5 * double_area_vector.length();
        let normal = double_area_vector.normalize_or_zero();
        let height = normal.dot(a - origin);
        Self {
            matrix: outer(normal, normal) * area,
            vector: normal * (-area * height),
            constant: area * height * height,
            area,
        }
    }

    /// Sum of two quadrics about the same origin.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            matrix: self.matrix + other.matrix,
            vector: self.vector + other.vector,
            constant: self.constant + other.constant,
            area: self.area + other.area,
        }
    }

    /// Root mean square distance (m) of the point `origin + x` from the planes.
    pub(super) fn distance(&self, x: Vec3) -> f64 {
        if self.area == 0.0 {
            return 0.0;
        }
        let sum = x.dot(self.matrix * x) + 2.0 * self.vector.dot(x) + self.constant;
        (sum.max(0.0) / self.area).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadric_equals_the_mean_square_distance_to_planes() {
        let origin = Vec3::new(0.3, 0.1, -0.2);
        let (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z);
        // Areas of 1/2 in the plane z = 0, and of 1 in x = 0.
        let flat = Quadric::of_triangle([Vec3::ZERO, x, y], origin);
        let upright = Quadric::of_triangle([Vec3::ZERO, 2.0 * y, z], origin);
        let both = flat.plus(&upright);
        let at = Vec3::new(0.4, 7.0, 0.3);
        let expected = ((0.5 * 0.3 * 0.3 + 0.4 * 0.4) / 1.5_f64).sqrt();
        assert!((both.distance(at - origin) - expected).abs() < 1e-14);
        assert_eq!(Quadric::ZERO.distance(at), 0.0);
    }
}
