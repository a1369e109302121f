//! Strain and stress at nodes, for output.

use resile_math::lanes::{LANES, Mat3x8};
use resile_math::symmetric3::Symmetric3x8;
use resile_math::{Mat3, Vec3};

/// Strain and stress of an element, functions of its deformation gradient `F`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strained {
    /// The deformation gradient `F`.
    pub gradient: Mat3,
    /// The Cauchy stress (Pa).
    pub cauchy: Mat3,
    /// The strain energy density (J/m^3, by volume at rest).
    pub energy_density: f64,
}

/// Strain and stress at nodes: means over the incident elements, weighted by rest volume.
///
/// Strain and stress are constant or linear in an element and discontinuous between elements; the nodal mean is
/// the usual smoothing (Zienkiewicz & Taylor, *The Finite Element Method*, 14.2). Inside a body its order is one
/// higher than at the surface.
#[derive(Debug, Clone, PartialEq)]
pub struct NodalStress {
    /// Sums weighted by volume.
    nodes: Vec<Sums>,
}

/// Sums over the incident elements of a node, weighted by volume.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Sums {
    volume: f64,
    determinant: f64,
    /// Green strain.
    green: Mat3,
    cauchy: Mat3,
    energy_density: f64,
    plastic: f64,
    /// Volume of sheet elements.
    sheet: f64,
    thickness: f64,
}

impl NodalStress {
    /// Creates zero sums at `nodes` nodes.
    pub fn new(nodes: usize) -> Self {
        let zero = Sums { green: Mat3::ZERO, cauchy: Mat3::ZERO, ..Sums::default() };
        Self { nodes: vec![zero; nodes] }
    }

    /// Adds strain and stress of an element with this rest volume (m^3) to a node.
    pub fn add(&mut self, node: usize, volume: f64, strained: &Strained) {
        let Strained { gradient: f, cauchy, energy_density } = *strained;
        let sums = &mut self.nodes[node];
        sums.volume += volume;
        sums.determinant += f.determinant() * volume;
        sums.green += (f.transpose() * f - Mat3::IDENTITY) * (0.5 * volume);
        sums.cauchy += cauchy * volume;
        sums.energy_density += energy_density * volume;
    }

    /// Adds stress and energy of an element whose law acts in parallel to that of another element over the same nodes.
    /// The volume and the strain are those of the other element, which is [added](Self::add) separately.
    pub fn add_overlay(&mut self, node: usize, volume: f64, strained: &Strained) {
        let sums = &mut self.nodes[node];
        sums.cauchy += strained.cauchy * volume;
        sums.energy_density += strained.energy_density * volume;
    }

    /// Adds the sums of `other`, which has the same nodes.
    pub fn merge(&mut self, other: &Self) {
        for (sums, other_sums) in self.nodes.iter_mut().zip(&other.nodes) {
            sums.volume += other_sums.volume;
            sums.determinant += other_sums.determinant;
            sums.green += other_sums.green;
            sums.cauchy += other_sums.cauchy;
            sums.energy_density += other_sums.energy_density;
            sums.plastic += other_sums.plastic;
            sums.sheet += other_sums.sheet;
            sums.thickness += other_sums.thickness;
        }
    }

    /// Adds the equivalent plastic strain of an element with this rest volume (m^3) to a node.
    pub fn add_plastic_strain(&mut self, node: usize, volume: f64, strain: f64) {
        self.nodes[node].plastic += strain * volume;
    }

    /// Adds the deformed thickness (m) of a sheet element with this rest volume (m^3) to a node.
    pub fn add_thickness(&mut self, node: usize, volume: f64, thickness: f64) {
        let sums = &mut self.nodes[node];
        sums.sheet += volume;
        sums.thickness += thickness * volume;
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no node has elements.
    pub fn is_empty(&self) -> bool {
        self.nodes.iter().all(|sums| sums.volume == 0.0)
    }

    /// Returns the mean of a quantity at a node: its weighted sum divided by the volume; `None` without elements.
    fn mean<T: std::ops::Mul<f64, Output = T>>(
        &self,
        node: usize,
        sum: impl Fn(&Sums) -> T,
    ) -> Option<T> {
        let sums = &self.nodes[node];
        (sums.volume > 0.0).then(|| sum(sums) * (1.0 / sums.volume))
    }

    /// Returns the mean `det F` at a node; `None` without elements.
    pub fn determinant(&self, node: usize) -> Option<f64> {
        self.mean(node, |sums| sums.determinant)
    }

    /// Returns the mean Green strain `E = (F^T F - I) / 2` at a node; `None` without elements.
    pub fn green(&self, node: usize) -> Option<Mat3> {
        self.mean(node, |sums| sums.green)
    }

    /// Returns the principal stretches at a node, the largest first: the roots of the eigenvalues of `2 E + I`, `E` the
    /// mean [Green strain](Self::green). `None` without elements.
    pub fn stretches(&self, node: usize) -> Option<Vec3> {
        let mut squares = eigenvalues(self.green(node)? * 2.0 + Mat3::IDENTITY).to_array();
        squares.sort_by(|a, b| b.total_cmp(a));
        Some(Vec3::from_array(squares.map(|square| square.max(0.0).sqrt())))
    }

    /// Returns the mean Cauchy stress (Pa) at a node; `None` without elements.
    pub fn cauchy(&self, node: usize) -> Option<Mat3> {
        self.mean(node, |sums| sums.cauchy)
    }

    /// Returns the mean strain energy density (J/m^3, per rest volume) at a node; `None` without elements.
    pub fn energy_density(&self, node: usize) -> Option<f64> {
        self.mean(node, |sums| sums.energy_density)
    }

    /// Returns the mean equivalent plastic strain at a node; `None` without elements.
    pub fn plastic_strain(&self, node: usize) -> Option<f64> {
        self.mean(node, |sums| sums.plastic)
    }

    /// Returns the mean thickness (m) of the sheets around a node, deformed; `None` without sheets.
    pub fn thickness(&self, node: usize) -> Option<f64> {
        let sums = &self.nodes[node];
        (sums.sheet > 0.0).then(|| sums.thickness / sums.sheet)
    }

    /// Returns the von Mises stress (Pa) at a node; `None` without elements.
    pub fn von_mises(&self, node: usize) -> Option<f64> {
        self.cauchy(node).map(von_mises)
    }
}

/// Returns the eigenvalues of a symmetric matrix, in no particular order.
fn eigenvalues(a: Mat3) -> Vec3 {
    let Mat3x8 { cols: [x, y, z] } = Mat3x8::from_lanes(&[a; LANES]);
    let matrix = Symmetric3x8 { diagonal: [x[0], y[1], z[2]], off: [z[1], z[0], y[0]] };
    let (values, _) = matrix.eigen();
    Vec3::from_array(values.map(|value| value.as_array()[0]))
}

/// Returns the principal stresses (Pa) of a Cauchy stress: its eigenvalues, the largest first.
pub fn principal_stresses(cauchy: Mat3) -> Vec3 {
    let mut values = eigenvalues(cauchy).to_array();
    values.sort_by(|a, b| b.total_cmp(a));
    Vec3::from_array(values)
}

/// Returns the von Mises stress `sqrt(3/2 s : s)` (Pa), `s` the deviator of a Cauchy stress; in uniaxial tension it
/// equals the tension.
pub fn von_mises(cauchy: Mat3) -> f64 {
    let pressure = (cauchy.x_axis.x + cauchy.y_axis.y + cauchy.z_axis.z) / 3.0;
    let deviator = cauchy - Mat3::from_diagonal(Vec3::splat(pressure));
    let square: f64 = deviator.to_cols_array().iter().map(|entry| entry * entry).sum();
    (1.5 * square).sqrt()
}
