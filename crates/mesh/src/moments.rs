//! Volume, centre and second moments of what a closed surface encloses.

use crate::TriMesh;
use resile_linalg::{Mat3, Vec3, outer};

/// Integrals over the inside of a closed surface, exact for flat triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// The volume (m^3); negative if the triangles face inward.
    pub volume: f64,
    /// The centroid (m).
    pub center: Vec3,
    /// `integral (x - center)(x - center)^T dV` (m^5).
    pub second: Mat3,
}

impl TriMesh {
    /// The moments of the inside, by the divergence theorem: sums over the signed
    /// tetrahedra from a point to all triangles, for which `integral x x^T dV =
    /// V/20 (sum_i p_i p_i^T + (sum_i p_i)(sum_i p_i)^T)` over the corners (Mirtich 1996,
    /// *Fast and accurate computation of polyhedral mass properties*, has another form
    /// of the same). `None` if the surface encloses no volume; without meaning if it
    /// is open.
    pub fn moments(&self) -> Option<Moments> {
        // From the first vertex rather than from the origin, which may be far away.
        let &apex = self.positions.first()?;
        let (mut volume, mut first, mut second) = (0.0, Vec3::ZERO, Mat3::ZERO);
        for t in 0..self.triangles.len() {
            let corners = self.corners(t).map(|p| p - apex);
            let [a, b, c] = corners;
            let v = a.cross(b).dot(c) / 6.0;
            let sum = a + b + c;
            volume += v;
            first += sum * (v / 4.0);
            let squares = corners.iter().fold(outer(sum, sum), |m, p| m + outer(*p, *p));
            second += squares * (v / 20.0);
        }
        if volume == 0.0 || !volume.is_finite() {
            return None;
        }
        let center = first / volume;
        Some(Moments {
            volume,
            center: apex + center,
            second: second - outer(center, center) * volume,
        })
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
    fn a_box_anywhere_has_the_moments_of_a_box() {
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
    fn a_ball_is_approached_and_an_inward_surface_is_negative() {
        let mut mesh = Icosphere { radius: 1.0, subdivisions: 5 }.build().unwrap();
        let moments = mesh.moments().unwrap();
        let ball = std::f64::consts::PI * 4.0 / 15.0;
        assert!((moments.second.x_axis.x / ball - 1.0).abs() < 5e-3);
        mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        assert!(mesh.moments().unwrap().volume < 0.0);
    }
}
