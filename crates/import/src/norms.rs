//! Norms of a displacement from rest, as computed by `PolyFEM` by quadrature over the elements. Linear
//! tetrahedra have one quadrature point at the centroid, with the volume as weight.

use resile_math::{Mat3, Vec3};

/// Accumulated sums over elements, from which the norms follow.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DisplacementNorms {
    /// `int |u|^2`.
    integral_of_squares: f64,
    /// `int |grad u|^2`.
    integral_of_squared_gradients: f64,
    /// `int |u|^8`.
    integral_of_eighth_powers: f64,
    /// Largest `|u|` (m) of a centroid.
    max_displacement: f64,
}

impl DisplacementNorms {
    /// Adds the linear tetrahedra of a body by the positions (m) of its nodes at rest and at present.
    ///
    /// # Panics
    /// If a node of a tetrahedron has no position.
    pub fn add(&mut self, tets: &[[u32; 4]], rest: &[Vec3], current: &[Vec3]) {
        for tet in tets {
            let corner_positions = |points: &[Vec3]| tet.map(|node| points[node as usize]);
            let edges = |[a, b, c, d]: [Vec3; 4]| Mat3::from_cols(b - a, c - a, d - a);
            let (rest_corners, current_corners) =
                (corner_positions(rest), corner_positions(current));
            let rest_edges = edges(rest_corners);
            let volume = rest_edges.determinant().abs() / 6.0;
            let centroid_displacement =
                (current_corners.iter().sum::<Vec3>() - rest_corners.iter().sum::<Vec3>()) / 4.0;
            let gradient = edges(current_corners) * rest_edges.inverse() - Mat3::IDENTITY;
            let squared_length = centroid_displacement.length_squared();
            self.integral_of_squares += volume * squared_length;
            self.integral_of_squared_gradients +=
                volume * gradient.to_cols_array().iter().map(|entry| entry * entry).sum::<f64>();
            self.integral_of_eighth_powers += volume * squared_length.powi(4);
            self.max_displacement = self.max_displacement.max(squared_length.sqrt());
        }
    }

    /// `sqrt(int |u|^2)`.
    pub fn l2(&self) -> f64 {
        self.integral_of_squares.sqrt()
    }

    /// `sqrt(int |grad u|^2)`.
    pub fn h1_semi(&self) -> f64 {
        self.integral_of_squared_gradients.sqrt()
    }

    /// `(int |u|^8)^(1/8)`.
    pub fn l8(&self) -> f64 {
        self.integral_of_eighth_powers.sqrt().sqrt().sqrt()
    }

    /// Largest displacement (m) of a centroid.
    pub fn linf(&self) -> f64 {
        self.max_displacement
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_mesh::generate::BoxGrid;

    #[test]
    fn displacement_norms_of_translation_and_stretch_equal_their_integrals() {
        let mesh = BoxGrid { cells: [4, 4, 4], size: Vec3::new(1.0, 2.0, 0.5) }.build().unwrap();
        let moved: Vec<Vec3> =
            mesh.positions.iter().map(|x| *x + Vec3::new(0.3, 0.0, 0.4)).collect();
        let mut norms = DisplacementNorms::default();
        norms.add(&mesh.tets, &mesh.positions, &moved);
        for norm in [norms.l2(), norms.l8(), norms.linf()] {
            // The total volume is one.
            assert!((norm - 0.5).abs() < 1e-14, "{norm}");
        }
        assert!(norms.h1_semi() < 1e-14);
        let stretched: Vec<Vec3> =
            mesh.positions.iter().map(|x| *x * Vec3::new(1.2, 1.0, 0.9)).collect();
        let mut norms = DisplacementNorms::default();
        norms.add(&mesh.tets, &mesh.positions, &stretched);
        assert!((norms.h1_semi() - 0.05_f64.sqrt()).abs() < 1e-14);
    }
}
