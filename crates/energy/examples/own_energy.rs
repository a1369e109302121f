//! An energy of one's own over elements of three nodes: surface tension, `V = gamma A(x)`.
//!
//! It says what one triangle gives; [`Gather`] sums, over threads, with the same bits for any
//! number of them. The derivatives are checked against finite differences.
//!
//!     cargo run -p resile-energy --example own_energy

#![allow(clippy::print_stdout, reason = "an example shows its figures")]

use resile_energy::{Gather, GatherError};
use resile_math::small::project_psd;
use resile_math::{Mat3, Vec3, cross_matrix, outer};
use resile_system::check::energy_derivatives;
use resile_system::{Energy, Hessian, Psd};
use std::array::from_fn;

/// Energy of the area of triangles, gamma (J/m^2) each square metre.
struct SurfaceTension {
    triangles: Vec<[u32; 3]>,
    gamma: f64,
    gather: Gather<3>,
}

/// A triangle in its place.
struct Triangle {
    /// For each corner the side opposite to it, from the last corner to the next.
    sides: [Vec3; 3],
    /// The unit normal.
    normal: Vec3,
    /// Twice the area.
    twice_area: f64,
}

impl SurfaceTension {
    fn new(nodes: usize, triangles: Vec<[u32; 3]>, gamma: f64) -> Result<Self, GatherError> {
        let gather = Gather::new(nodes, &triangles)?;
        Ok(Self { triangles, gamma, gather })
    }

    fn triangle(&self, x: &[Vec3], number: usize) -> Triangle {
        let [a, b, c] = self.triangles[number].map(|node| x[node as usize]);
        let cross = (b - a).cross(c - a);
        let twice_area = cross.length();
        Triangle { sides: [b - c, c - a, a - b], normal: cross / twice_area, twice_area }
    }
}

impl Triangle {
    /// `dA/dx_i = w_i x n / 2`, with the side `w_i` opposite to corner i and the normal n.
    fn gradient(&self) -> [Vec3; 3] {
        self.sides.map(|side| side.cross(self.normal) * 0.5)
    }

    /// `d2A/dx_i dx_j = ([w_i]_x (n n^T - I) [w_j]_x / 2A -+ [n]_x) / 2`, minus where j
    /// follows i, plus where i follows j, neither for i = j.
    fn hessian(&self) -> [[Mat3; 3]; 3] {
        let n = self.normal;
        let plane = (outer(n, n) - Mat3::IDENTITY) * (0.5 / self.twice_area);
        from_fn(|i| {
            from_fn(|j| {
                let turned = cross_matrix(self.sides[i]) * plane * cross_matrix(self.sides[j]);
                let skew = cross_matrix(n) * 0.5;
                match (3 + j - i) % 3 {
                    0 => turned,
                    1 => turned - skew,
                    _ => turned + skew,
                }
            })
        })
    }
}

/// The blocks with the negative eigenvalues of the whole element set to zero.
fn projected(blocks: [[Mat3; 3]; 3]) -> [[Mat3; 3]; 3] {
    let mut dense: [[f64; 9]; 9] =
        from_fn(|row| from_fn(|column| blocks[row / 3][column / 3].col(column % 3)[row % 3]));
    project_psd(&mut dense);
    let entry = |i: usize, j: usize, k: usize| dense[3 * i + k % 3][3 * j + k / 3];
    from_fn(|i| from_fn(|j| Mat3::from_cols_array(&from_fn(|k| entry(i, j, k)))))
}

impl Energy for SurfaceTension {
    fn name(&self) -> &str {
        "surface tension"
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        self.gather.sum(|number| 0.5 * self.gamma * self.triangle(x, number).twice_area)
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let scale = scale * self.gamma;
        self.gather.add_gradients(out, |number| {
            self.triangle(x, number).gradient().map(|slope| slope * scale)
        });
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.gather.add_hessians(out, |number| {
            let blocks = self.triangle(x, number).hessian().map(|row| row.map(|b| b * self.gamma));
            match psd {
                Psd::Exact => blocks,
                Psd::Clamp => projected(blocks),
            }
        });
    }
}

/// A wavy sheet of `n` by `n` squares of 1 cm, two triangles each.
fn sheet(n: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let place = |k: u32| {
        let [u, v] = [k / (n + 1), k % (n + 1)].map(f64::from);
        Vec3::new(0.01 * u, 0.01 * v, 0.004 * (0.9 * u + 0.5 * v).sin())
    };
    let square = |k: u32| {
        let (i, j) = (k / n, k % n);
        let corners = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]
    };
    ((0..(n + 1) * (n + 1)).map(place).collect(), (0..n * n).flat_map(square).collect())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 1,152 triangles: more than one patch of the gather.
    for n in [4, 24] {
        let (x, triangles) = sheet(n);
        let soap = SurfaceTension::new(x.len(), triangles, 0.025)?;
        println!("{} triangles, {:.3e} J", soap.gather.elements(), soap.value(0.0, &x));
        let errors = energy_derivatives(&soap, &x, 1e-6).map_err(|e| format!("{e:?}"))?;
        println!(
            "relative errors: gradient {:.0e}, Hessian {:.0e}",
            errors.gradient, errors.hessian
        );
        assert!(errors.gradient < 1e-7 && errors.hessian < 1e-7);
    }
    Ok(())
}
