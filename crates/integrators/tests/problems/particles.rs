//! Terms on single coordinates and on pairs of nodes.

use resile_system::{Energy, Hessian, Mat3, Psd, Vec3};

/// The 3x3 block with one entry, for the x coordinate.
fn xx(entry: f64) -> Mat3 {
    Mat3::from_diagonal(Vec3::new(entry, 0.0, 0.0))
}

/// `k x^2 / 2` on the x coordinate of each node.
pub struct Oscillator {
    pub stiffness: f64,
}

impl Energy for Oscillator {
    fn name(&self) -> &str {
        "oscillator"
    }
    fn value(&self, x: &[Vec3]) -> f64 {
        x.iter().map(|x| 0.5 * self.stiffness * x.x * x.x).sum()
    }
    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        x.iter().zip(out).for_each(|(x, out)| out.x += scale * self.stiffness * x.x);
    }
    fn add_hessian(&self, x: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        (0..x.len()).for_each(|i| out.add(i, i, xx(self.stiffness)));
    }
}

/// `-g cos x` on the x coordinate, an angle: a pendulum of unit mass and length.
pub struct Pendulum {
    pub gravity: f64,
}

impl Energy for Pendulum {
    fn name(&self) -> &str {
        "pendulum"
    }
    fn value(&self, x: &[Vec3]) -> f64 {
        -self.gravity * x[0].x.cos()
    }
    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        out[0].x += scale * self.gravity * x[0].x.sin();
    }
    fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        let curvature = self.gravity * x[0].x.cos();
        let clamped = match psd {
            Psd::Exact => curvature,
            Psd::Clamp => curvature.max(0.0),
        };
        out.add(0, 0, xx(clamped));
    }
}

/// `k x^2 / 2` where x < 0: the penalty wall of ASEARCH, appendix E.
pub struct Wall {
    pub stiffness: f64,
}

impl Energy for Wall {
    fn name(&self) -> &str {
        "wall"
    }
    fn value(&self, x: &[Vec3]) -> f64 {
        0.5 * self.stiffness * x[0].x.min(0.0).powi(2)
    }
    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        out[0].x += scale * self.stiffness * x[0].x.min(0.0);
    }
    fn add_hessian(&self, x: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        out.add(0, 0, xx(if x[0].x < 0.0 { self.stiffness } else { 0.0 }));
    }
}

/// Hookean springs `k/2 (|e| - r)^2` between nodes.
pub struct SpringNet {
    pub springs: Vec<(usize, usize, f64)>,
    pub stiffness: f64,
}

impl SpringNet {
    /// A tetrahedron of four nodes and six springs at rest, and its nodes.
    pub fn tetrahedron(stiffness: f64) -> (Self, Vec<Vec3>) {
        let nodes = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.3, 0.2, 0.9)];
        let mut springs = Vec::new();
        for i in 0..4 {
            for j in i + 1..4 {
                springs.push((i, j, (nodes[i] - nodes[j]).length()));
            }
        }
        (Self { springs, stiffness }, nodes)
    }
}

impl Energy for SpringNet {
    fn name(&self) -> &str {
        "springs"
    }
    fn value(&self, x: &[Vec3]) -> f64 {
        let of = |&(i, j, rest): &(usize, usize, f64)| {
            0.5 * self.stiffness * ((x[i] - x[j]).length() - rest).powi(2)
        };
        self.springs.iter().map(of).sum()
    }
    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for &(i, j, rest) in &self.springs {
            let e = x[i] - x[j];
            let force = scale * self.stiffness * (e.length() - rest) * e.normalize();
            out[i] += force;
            out[j] -= force;
        }
    }
    fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        for &(i, j, rest) in &self.springs {
            let e = x[i] - x[j];
            let (n, length) = (e.normalize(), e.length());
            let across = match psd {
                Psd::Exact => 1.0 - rest / length,
                Psd::Clamp => (1.0 - rest / length).max(0.0),
            };
            let along = Mat3::from_cols(n * n.x, n * n.y, n * n.z);
            let block = self.stiffness * (along + across * (Mat3::IDENTITY - along));
            out.add(i, i, block);
            out.add(j, j, block);
            out.add(i, j, -block);
        }
    }
}
