//! Pressure of a liquid at rest.

use crate::closed_surface::edges;
use crate::factor::Factor;
use crate::gather::Gather;
use crate::pressure::PressureError;
use crate::schedule::between;
use crate::triangles::check;
use resile_math::{cross_matrix, outer};
use resile_system::{Energy, Hessian, Mat3, Psd, Vec3};
use std::collections::BTreeMap;

/// A liquid at rest below a plane with the gauge pressure `p(x) = max(0, gamma . (x - x_0))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Liquid {
    /// Point `x_0` of the free surface (m).
    pub surface: Vec3,
    /// Weight per volume `gamma = rho g` (N/m^3), downwards.
    pub weight: Vec3,
    /// Whether the liquid is behind the triangles, as in a tank, and pushes along their normals instead of against
    /// them.
    pub inside: bool,
}

impl Liquid {
    /// `gamma . (x - x_0)` (Pa), negative above the surface.
    fn pressure(&self, x: Vec3) -> f64 {
        self.weight.dot(x - self.surface)
    }

    /// 1 if the force on a triangle is against its normal, else -1.
    fn sign(&self) -> f64 {
        if self.inside { -1.0 } else { 1.0 }
    }

    /// The forces `-+integral of p N_i n dA` (N) on the nodes of `triangles`, in ascending order of nodes; exact
    /// also for triangles that the free surface cuts. O(triangles).
    pub fn forces(&self, triangles: &[[u32; 3]], x: &[Vec3]) -> Vec<(usize, Vec3)> {
        let mut sums: BTreeMap<usize, Vec3> = BTreeMap::new();
        for nodes in triangles {
            let corners = nodes.map(|node| x[node as usize]);
            let gradients = self.gradient(corners);
            for (&node, gradient) in nodes.iter().zip(gradients) {
                *sums.entry(node as usize).or_default() -= gradient;
            }
        }
        sums.into_iter().collect()
    }

    /// Adds `scale` times the symmetric part of the derivative of minus the [forces](Self::forces) (N/m). O(triangles).
    pub(crate) fn add_load_stiffness(
        &self,
        triangles: &[[u32; 3]],
        x: &[Vec3],
        scale: f64,
        out: &mut Hessian<'_>,
    ) {
        for nodes in triangles {
            let nodes = nodes.map(|node| node as usize);
            let blocks = self.hessian(nodes.map(|node| x[node]), Psd::Exact);
            for i in 0..3 {
                for j in i..3 {
                    out.add(nodes[i], nodes[j], blocks[i][j] * scale);
                }
            }
        }
    }

    /// `out += scale * A u`, where A is the antisymmetric part of the derivative of minus the [forces](Self::forces).
    /// O(triangles).
    pub(crate) fn add_antisymmetric_load(
        &self,
        triangles: &[[u32; 3]],
        (x, u): (&[Vec3], &[Vec3]),
        scale: f64,
        out: &mut [Vec3],
    ) {
        for nodes in triangles {
            let nodes = nodes.map(|node| node as usize);
            let products = self.antisymmetric_product(nodes.map(|i| x[i]), nodes.map(|i| u[i]));
            nodes
                .into_iter()
                .zip(products)
                .for_each(|(node, product)| out[node] += product * scale);
        }
    }

    /// The product of the antisymmetric part of the derivative of [`gradient`](Self::gradient) with displacements.
    fn antisymmetric_product(&self, corners: [Vec3; 3], displacements: [Vec3; 3]) -> [Vec3; 3] {
        let pressures = corners.map(|x| self.pressure(x));
        let wetted = wetted(pressures);
        let loads = loads(&wetted, pressures);
        let area = area_vector(corners) * self.sign();
        let axes = self.rotation_axes(corners);
        let axes_by_displacements: Vec3 =
            axes.iter().zip(displacements).map(|(axis, u)| axis.cross(u)).sum();
        let loaded_displacement = combine(&loads, &displacements);
        std::array::from_fn(|i| {
            let wetted_displacement = combine(&wetted[i], &displacements);
            let change_of_pressure = area * self.weight.dot(wetted_displacement)
                - self.weight * area.dot(wetted_displacement);
            axes_by_displacements * loads[i]
                + axes[i].cross(loaded_displacement)
                + change_of_pressure * 0.5
        })
    }

    /// Half of the vectors (m) of whose cross matrices the derivatives of the area vector with respect to the corners
    /// consist, with the sign of the load.
    fn rotation_axes(&self, [a, b, c]: [Vec3; 3]) -> [Vec3; 3] {
        [c - b, a - c, b - a].map(|edge| edge * (0.25 * self.sign()))
    }

    /// Minus the forces on the corners of a triangle.
    fn gradient(&self, corners: [Vec3; 3]) -> [Vec3; 3] {
        let pressures = corners.map(|x| self.pressure(x));
        let area = area_vector(corners) * self.sign();
        loads(&wetted(pressures), pressures).map(|load| area * load)
    }

    /// The contribution (J) of a triangle to the potential of a closed surface.
    fn value(&self, corners: [Vec3; 3]) -> f64 {
        let pressures = corners.map(|x| self.pressure(x));
        let loads = loads(&wetted(pressures), pressures);
        let squared_pressure: f64 = loads.iter().zip(pressures).map(|(load, p)| load * p).sum();
        let projected_area = self.weight.dot(area_vector(corners)) / self.weight.length_squared();
        0.5 * self.sign() * projected_area * squared_pressure
    }

    /// The symmetric part of the derivative of [`gradient`](Self::gradient), or a positive semidefinite part of it.
    fn hessian(&self, corners: [Vec3; 3], psd: Psd) -> [[Mat3; 3]; 3] {
        let pressures = corners.map(|x| self.pressure(x));
        let wetted = wetted(pressures);
        let area = area_vector(corners) * self.sign();
        let opposite = self.rotation_axes(corners);
        let loads = loads(&wetted, pressures);
        let pressure_block = match psd {
            Psd::Exact => (outer(area, self.weight) + outer(self.weight, area)) * 0.5,
            Psd::Clamp => clamp_dyad(area, self.weight),
        };
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let rotation_block = match psd {
                    Psd::Exact => cross_matrix(opposite[j] * loads[i] - opposite[i] * loads[j]),
                    Psd::Clamp => Mat3::ZERO,
                };
                pressure_block * wetted[i][j] + rotation_block
            })
        })
    }
}

/// The sum of `vectors` times `coefficients`.
fn combine(coefficients: &[f64; 3], vectors: &[Vec3; 3]) -> Vec3 {
    coefficients.iter().zip(vectors).map(|(coefficient, vector)| *vector * *coefficient).sum()
}

/// The area vector (m^2) of a triangle.
fn area_vector([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a) * 0.5
}

/// The positive eigenvalue of `(u v^T + v u^T) / 2` with its eigenvector: `|u| |v| w w^T / 4`, w the sum of the
/// directions.
fn clamp_dyad(u: Vec3, v: Vec3) -> Mat3 {
    let sum = u.normalize_or_zero() + v.normalize_or_zero();
    outer(sum, sum) * (0.25 * u.length() * v.length())
}

/// The integrals of `p N_i` over the wetted part, divided by the area of the triangle.
fn loads(wetted: &[[f64; 3]; 3], pressures: [f64; 3]) -> [f64; 3] {
    wetted.map(|row| row.iter().zip(pressures).map(|(m, p)| m * p).sum())
}

/// The integrals of `N_i N_j` over the part of a triangle where the linear function with these corner values is
/// positive, divided by the area of the triangle.
fn wetted(pressures: [f64; 3]) -> [[f64; 3]; 3] {
    let mut integrals = [[0.0; 3]; 3];
    let polygon = clip(pressures);
    for k in 2..polygon.len() {
        // Corners of a triangle of the polygon, in barycentric coordinates.
        let corners = [polygon[0], polygon[k - 1], polygon[k]];
        let [a, b, c] = corners.map(Vec3::from_array);
        let subtriangle_weight = a.dot(b.cross(c)) / 12.0;
        let corner_sum = a + b + c;
        for (i, row) in integrals.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                let products: f64 = corners.iter().map(|corner| corner[i] * corner[j]).sum();
                *entry += subtriangle_weight * (products + corner_sum[i] * corner_sum[j]);
            }
        }
    }
    integrals
}

/// The barycentric coordinates of the corners of the part of a triangle where the linear function with these corner
/// values is positive (Sutherland & Hodgman 1974, *Reentrant
/// polygon clipping*).
fn clip(values: [f64; 3]) -> Vec<[f64; 3]> {
    let corner = |k: usize| std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 });
    let mut polygon = Vec::with_capacity(4);
    for from in 0..3 {
        let to = (from + 1) % 3;
        if values[from] > 0.0 {
            polygon.push(corner(from));
        }
        if (values[from] > 0.0) != (values[to] > 0.0) {
            let fraction = values[from] / (values[from] - values[to]);
            let mut cut = [0.0; 3];
            (cut[from], cut[to]) = (1.0 - fraction, fraction);
            polygon.push(cut);
        }
    }
    polygon
}

/// The potential of a body immersed in a [`Liquid`], or of a container of it: `P(x, t) = +-s(t) integral of p dV`
/// over the volume inside a closed surface, the energy needed to displace the liquid.
///
/// By the divergence theorem it is a sum over the triangles of the surface,
/// `P = integral of p^2 (gamma . n) / (2 |gamma|^2) dA`, with the gradient `integral of p N_i n dA`; both are exact for
/// triangles that the free surface cuts. The buoyancy equals the weight of the displaced liquid to rounding.
///
/// # Projection
/// Each triangle contributes the block `A gamma^T` (A its area vector) from the change of pressure, and blocks of
/// the order of `p l` (l an edge length) from the rotation of its normal. The projection omits the latter, as in
/// [`Pressure`](crate::Pressure), and keeps the positive eigenvalue of the symmetric part of the former, so a
/// floating body has the stiffness of its immersed faces. The exact blocks are those of the symmetric part, whose
/// sum over a closed surface is the Hessian.
///
/// O(triangles). Bitwise equal for any number of threads.
#[derive(Debug, Clone)]
pub struct Hydrostatic {
    triangles: Vec<[usize; 3]>,
    gather: Gather<3>,
    liquid: Liquid,
    factor: Factor,
}

impl Hydrostatic {
    /// A `liquid` at `triangles` of a body of `node_count` nodes, its pressure times a `factor`. The triangles are
    /// counter-clockwise seen from outside.
    ///
    /// # Errors
    /// No triangle; the first triangle without three nodes; the first edge without exactly one triangle on each side; a
    /// weight that is zero or not finite.
    pub fn new(
        node_count: usize,
        triangles: &[[u32; 3]],
        liquid: Liquid,
        factor: impl Into<Factor>,
    ) -> Result<Self, PressureError> {
        let weight = liquid.weight.length();
        if !(weight > 0.0 && weight.is_finite()) {
            return Err(PressureError::NotFinite { pressure: weight });
        }
        if triangles.is_empty() {
            return Err(PressureError::Empty);
        }
        check(node_count, triangles)?;
        edges(triangles)?;
        let gather = Gather::unchecked(triangles);
        let triangles = triangles.iter().map(|t| t.map(|node| node as usize)).collect();
        let factor = factor.into();
        Ok(Self { triangles, gather, liquid, factor })
    }

    /// P (J) without the factor, with node `i` at `position(i)`.
    fn potential(&self, position: impl Fn(usize) -> Vec3 + Sync) -> f64 {
        self.gather.sum(|triangle| self.liquid.value(self.triangles[triangle].map(&position)))
    }
}

impl Energy for Hydrostatic {
    fn name(&self) -> &str {
        "hydrostatic"
    }

    fn is_follower_load(&self) -> bool {
        true
    }

    fn next_change(&self, time: f64) -> f64 {
        self.factor.next_change(time)
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        self.factor.at(time) * self.potential(|node| x[node])
    }

    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let factor = self.factor.at(time);
        self.gather.add_gradients(out, |triangle| {
            let corners = self.triangles[triangle].map(|node| x[node]);
            self.liquid.gradient(corners).map(|g| g * (scale * factor))
        });
    }

    fn add_hessian(&self, time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        let factor = self.factor.at(time);
        // A negative factor reverses the side of the liquid.
        let inside = self.liquid.inside != (factor < 0.0);
        let liquid = Liquid { inside, ..self.liquid };
        self.gather.add_hessians(out, |triangle| {
            let corners = self.triangles[triangle].map(|node| x[node]);
            liquid.hessian(corners, psd).map(|row| row.map(|block| block * factor.abs()))
        });
    }

    /// `integral of P ds`.
    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        self.factor.work(times, |fraction, factor| {
            factor * self.potential(|node| between(from[node], to[node], fraction))
        })
    }
}
