//! Stress at nodes, for whoever looks at a body.

use resile_math::{Mat3, Vec3};

/// What the elements around each node feel, averaged by their volumes at rest.
///
/// Stress is constant or linear in an element and jumps between them; the mean over those around a node is
/// the usual smoothing (Zienkiewicz & Taylor, *The Finite Element Method*, 14.2), one order better
/// inside of a body than at its surface.
#[derive(Debug, Clone, PartialEq)]
pub struct NodalStress {
    volumes: Vec<f64>,
    /// Sums, each times its volume.
    stresses: Vec<Mat3>,
    densities: Vec<f64>,
}

impl NodalStress {
    /// For so many nodes, with no elements around them yet.
    pub fn new(nodes: usize) -> Self {
        let zeros = vec![0.0; nodes];
        Self { volumes: zeros.clone(), stresses: vec![Mat3::ZERO; nodes], densities: zeros }
    }

    /// Adds an element of a volume at rest (m^3) to a node, with its Cauchy stress (Pa) and its
    /// strain energy density (J/m^3, by volume at rest) there.
    pub fn add(&mut self, node: usize, volume: f64, stress: Mat3, density: f64) {
        self.volumes[node] += volume;
        self.stresses[node] += stress * volume;
        self.densities[node] += density * volume;
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.volumes.len()
    }

    /// The Cauchy stress (Pa) at a node; nothing where there are no elements.
    pub fn cauchy(&self, node: usize) -> Option<Mat3> {
        let volume = self.volumes[node];
        (volume > 0.0).then(|| self.stresses[node] * (1.0 / volume))
    }

    /// The strain energy density (J/m^3, by volume at rest) at a node; nothing where there are no
    /// elements.
    pub fn density(&self, node: usize) -> Option<f64> {
        let volume = self.volumes[node];
        (volume > 0.0).then(|| self.densities[node] / volume)
    }

    /// The von Mises stress (Pa) at a node; nothing where there are no elements.
    pub fn von_mises(&self, node: usize) -> Option<f64> {
        self.cauchy(node).map(von_mises)
    }
}

/// The von Mises stress `sqrt(3/2 s : s)` (Pa), `s` the deviator of a Cauchy stress: that of a bar
/// under pure tension is its tension.
pub fn von_mises(cauchy: Mat3) -> f64 {
    let pressure = (cauchy.x_axis.x + cauchy.y_axis.y + cauchy.z_axis.z) / 3.0;
    let deviator = cauchy - Mat3::from_diagonal(Vec3::splat(pressure));
    let square: f64 = deviator.to_cols_array().iter().map(|entry| entry * entry).sum();
    (1.5 * square).sqrt()
}
