//! Solid cylinders.

use super::{Disc, GenerateError, check_count, check_elements, check_size};
use crate::{CurvedEdges, TetMesh};
use resile_math::Vec3;

/// Relative deviation from the radius below which a node lies on the lateral surface.
const RADIUS_TOLERANCE: f64 = 1e-9;

/// A solid cylinder around the y axis: a [`Disc`] extruded in `layers` equal slices of prisms, three tetrahedra
/// each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinder {
    /// Radius in metres.
    pub radius: f64,
    /// Height along y, in metres.
    pub height: f64,
    /// Number of rings of the disc; the circumference has `6 rings` edges.
    pub rings: usize,
    /// Number of slices along y.
    pub layers: usize,
}

impl Cylinder {
    /// Builds the cylinder with `(1 + 3 n (n + 1)) (layers + 1)` nodes and `18 n^2 layers` tetrahedra for `n` rings.
    ///
    /// # Errors
    /// If a length is not a positive finite number, or a count is zero or too large.
    pub fn build(&self) -> Result<TetMesh, GenerateError> {
        check_size("height", self.height)?;
        check_count("layers", self.layers, 1)?;
        check_elements(&[18, self.rings, self.rings, self.layers])?;
        let disc = Disc { radius: self.radius, rings: self.rings }.build()?;
        let vertices_per_layer = disc.positions.len();
        let mut mesh = TetMesh::default();
        for layer in 0..=self.layers {
            let layers = self.layers as f64;
            let y = self.height * (2.0 * layer as f64 - layers) / (2.0 * layers);
            mesh.positions.extend(disc.positions.iter().map(|p| p.with_y(y)));
        }
        for layer in 0..self.layers {
            let [bottom, top] = [layer, layer + 1].map(|layer| (layer * vertices_per_layer) as u32);
            mesh.tets.extend(disc.triangles.iter().flat_map(|&t| split_prism(t, bottom, top)));
        }
        Ok(mesh)
    }
}

impl Cylinder {
    /// The mid-edge nodes of the edges of `mesh`, built by [`build`](Self::build), that lie on the lateral surface. The
    /// volume of the quadratic cylinder converges to `pi r^2 h` as `1 / rings^4`.
    pub fn curved_edges(&self, mesh: &TetMesh) -> CurvedEdges {
        let is_lateral =
            |p: Vec3| (p.with_y(0.0).length() / self.radius - 1.0).abs() < RADIUS_TOLERANCE;
        mesh.curved_edges(|a, b| {
            let middle = 0.5 * (a + b);
            let direction = middle.with_y(0.0).try_normalize()?;
            let is_on_surface = is_lateral(a) && is_lateral(b);
            is_on_surface.then(|| (direction * self.radius).with_y(middle.y))
        })
    }
}

/// Splits the prism over `triangle` into three tetrahedra. `bottom` and `top` are the indices of the first vertices of
/// the layers below and above. On each lateral face the diagonal rises from the smaller vertex index to the larger,
/// independently of the prism, so adjacent prisms match (Dompierre et al. 1999).
fn split_prism(triangle: [u32; 3], bottom: u32, top: u32) -> [[u32; 4]; 3] {
    let [mut a, mut b, mut c] = triangle;
    // Rotation keeps the orientation and brings the smallest index to the front.
    while a > b || a > c {
        (a, b, c) = (b, c, a);
    }
    let (low, high) = (|v| bottom + v, |v| top + v);
    if b < c {
        [
            [low(a), low(b), low(c), high(c)],
            [low(a), low(b), high(c), high(b)],
            [low(a), high(b), high(c), high(a)],
        ]
    } else {
        [
            [low(a), low(b), low(c), high(b)],
            [low(a), low(c), high(c), high(b)],
            [low(a), high(c), high(a), high(b)],
        ]
    }
}
