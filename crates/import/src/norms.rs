//! Norms of a displacement from rest, as computed by `PolyFEM` by quadrature over the elements. Linear
//! tetrahedra have one quadrature point at the centroid, with the volume as weight. Quadratic ones have the four points
//! of the rule of degree two (Hammer and Stroud 1956).

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
    /// Largest `|u|` (m) at a quadrature point.
    max_displacement: f64,
}

/// Barycentric coordinate of a point of the rule of degree two at its own corner: (5 + 3 sqrt 5)/20.
const NEAR: f64 = 0.585_410_196_624_968_5;
/// The coordinates at the other corners: (5 - sqrt 5)/20.
const FAR: f64 = 0.138_196_601_125_010_5;
/// Corners of the edges of which a quadratic tetrahedron has the midpoints as its nodes 4 to 9.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
/// Gradients of the barycentric coordinates of the reference tetrahedron, whose first corner is the origin.
const BARYCENTRIC_GRADIENTS: [Vec3; 4] = [Vec3::NEG_ONE, Vec3::X, Vec3::Y, Vec3::Z];

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
            self.add_point(volume, centroid_displacement, gradient);
        }
    }

    /// Adds the quadratic tetrahedra of a body by the positions (m) of its nodes at rest and at present. The nodes are
    /// the corners, and then the midpoints of the edges 01, 02, 03, 12, 13, 23.
    ///
    /// # Panics
    /// If a node of a tetrahedron has no position.
    pub fn add_quadratic(&mut self, elements: &[[u32; 10]], rest: &[Vec3], current: &[Vec3]) {
        for element in elements {
            for corner in 0..4 {
                let mut barycentric = [FAR; 4];
                barycentric[corner] = NEAR;
                let (mut displacement, mut rest_edges) = (Vec3::ZERO, Mat3::ZERO);
                let mut reference_gradient = Mat3::ZERO;
                for (node, (value, gradient)) in element.iter().zip(shape_functions(barycentric)) {
                    let (at_rest, at_present) = (rest[*node as usize], current[*node as usize]);
                    let change = at_present - at_rest;
                    displacement += value * change;
                    rest_edges += outer_product(at_rest, gradient);
                    reference_gradient += outer_product(change, gradient);
                }
                // Each of the four points has a quarter of the volume.
                let volume = rest_edges.determinant().abs() / 24.0;
                self.add_point(volume, displacement, reference_gradient * rest_edges.inverse());
            }
        }
    }

    /// Adds a quadrature point with a volume (m^3), a displacement (m) and its gradient.
    fn add_point(&mut self, volume: f64, displacement: Vec3, gradient: Mat3) {
        let squared_length = displacement.length_squared();
        self.integral_of_squares += volume * squared_length;
        self.integral_of_squared_gradients +=
            volume * gradient.to_cols_array().iter().map(|entry| entry * entry).sum::<f64>();
        self.integral_of_eighth_powers += volume * squared_length.powi(4);
        self.max_displacement = self.max_displacement.max(squared_length.sqrt());
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

    /// Largest displacement (m) at a quadrature point.
    pub fn linf(&self) -> f64 {
        self.max_displacement
    }
}

/// Values of the shape functions of a quadratic tetrahedron, with their gradients on the reference tetrahedron.
fn shape_functions(barycentric: [f64; 4]) -> impl Iterator<Item = (f64, Vec3)> {
    let corners = (0..4).map(move |k| {
        let x = barycentric[k];
        (x * (2.0 * x - 1.0), (4.0 * x - 1.0) * BARYCENTRIC_GRADIENTS[k])
    });
    let midpoints = EDGES.into_iter().map(move |[a, b]| {
        let (x, y) = (barycentric[a], barycentric[b]);
        (4.0 * x * y, 4.0 * (x * BARYCENTRIC_GRADIENTS[b] + y * BARYCENTRIC_GRADIENTS[a]))
    });
    corners.chain(midpoints)
}

/// The matrix `a b^T`.
fn outer_product(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
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
