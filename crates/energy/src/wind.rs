//! The air that sheets move through.

use resile_math::outer;
use resile_system::{Dissipation, Hessian, Laplacian, Mat3, Psd, Vec3};

/// The bits of a number that hold its exponent: alone, they are the power of two at or below it.
const EXPONENT: u64 = 0x7ff0_0000_0000_0000;

/// Air and how it takes hold of a sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Air {
    /// Its velocity (m/s).
    pub velocity: Vec3,
    /// Its density (kg/m^3).
    pub density: f64,
    /// Coefficient of the pressure across the sheet.
    pub drag: f64,
    /// Coefficient of the friction along it.
    pub friction: f64,
}

/// `D(v) = sum_t rho A_t / 6 (c |u_n|^3 + f |u_s|^3)` over triangles of area `A_t`, with `u_n` and `u_s` the parts
/// across and along a triangle of the mean velocity `u` of its corners less that of the air: each bears
/// the pressure `c rho u_n^2 / 2` of the stream across it and the friction `f rho u_s^2 / 2` of that along it, both sides of the sheet
/// together. Of a plate at an angle the pressure is what lifts it as well as what slows it.
///
/// Areas and normals are those at the start of the step. Where the air drives the sheet it gives energy: what is
/// dissipated, `v . dD/dv`, is negative there.
#[derive(Debug, Clone, PartialEq)]
pub struct Wind {
    air: Air,
    triangles: Vec<[u32; 3]>,
    /// `rho A / 2` (kg/m) of each triangle at rest.
    at_rest: Vec<f64>,
    /// `rho A / 2` (kg/m) and the unit normal of each triangle.
    frozen: Vec<(f64, Vec3)>,
}

impl Wind {
    /// The air around `triangles`, whose nodes are at `rest` (m) when nothing acts on them. Density and coefficients are not negative.
    pub fn new(triangles: Vec<[u32; 3]>, rest: &[Vec3], air: Air) -> Self {
        let mut wind = Self {
            air,
            frozen: vec![(0.0, Vec3::ZERO); triangles.len()],
            at_rest: Vec::new(),
            triangles,
        };
        wind.freeze(rest);
        wind.at_rest = wind.frozen.iter().map(|(weight, _)| *weight).collect();
        wind
    }

    /// The largest coefficient times velocity (m/s) of all triangles, rounded up to a power of two.
    fn fastest(&self, v: &[Vec3]) -> f64 {
        let Air { drag, friction, .. } = self.air;
        let of_triangle = |(_, _, _, across, along): (_, f64, _, f64, Vec3)| {
            (drag * across.abs()).max(friction * along.length())
        };
        let most = self.streams(v).map(of_triangle).fold(0.0, f64::max);
        let below = f64::from_bits(most.to_bits() & EXPONENT);
        if below < most { 2.0 * below } else { below }
    }

    /// Each triangle with half its mass of air (kg/m), its normal, and its velocity across (m/s) and along it.
    fn streams<'s>(
        &'s self,
        v: &'s [Vec3],
    ) -> impl Iterator<Item = (&'s [u32; 3], f64, Vec3, f64, Vec3)> {
        self.triangles.iter().zip(&self.frozen).map(|(nodes, &(weight, normal))| {
            let [a, b, c] = nodes.map(|node| v[node as usize]);
            let u = (a + b + c) / 3.0 - self.air.velocity;
            let across = u.dot(normal);
            (nodes, weight, normal, across, u - across * normal)
        })
    }
}

impl Dissipation for Wind {
    fn name(&self) -> &str {
        "wind"
    }

    fn freeze(&mut self, x: &[Vec3]) {
        for (nodes, frozen) in self.triangles.iter().zip(&mut self.frozen) {
            let [a, b, c] = nodes.map(|node| x[node as usize]);
            let twice = (b - a).cross(c - a);
            *frozen = (0.25 * self.air.density * twice.length(), twice.normalize_or_zero());
        }
    }

    fn value(&self, v: &[Vec3]) -> f64 {
        let Air { drag, friction, .. } = self.air;
        let of_triangle = |(_, weight, _, across, along): (_, f64, _, f64, Vec3)| {
            weight / 3.0 * (drag * across.abs().powi(3) + friction * along.length().powi(3))
        };
        self.streams(v).map(of_triangle).sum()
    }

    fn add_gradient(&self, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let Air { drag, friction, .. } = self.air;
        for (nodes, weight, normal, across, along) in self.streams(v) {
            let force = drag * across.abs() * across * normal + friction * along.length() * along;
            let share = scale * weight / 3.0 * force;
            nodes.iter().for_each(|&node| out[node as usize] += share);
        }
    }

    /// Positive semi-definite, as D is convex.
    fn add_hessian(&self, v: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        let Air { drag, friction, .. } = self.air;
        for (nodes, weight, normal, across, along) in self.streams(v) {
            let (plane, speed) = (Mat3::IDENTITY - outer(normal, normal), along.length());
            let direction = along.normalize_or_zero();
            let block = outer(normal, normal) * (2.0 * drag * across.abs())
                + (plane + outer(direction, direction)) * (friction * speed);
            let share = block * (weight / 9.0);
            for (k, &i) in nodes.iter().enumerate() {
                nodes[k..].iter().for_each(|&j| out.add(i as usize, j as usize, share));
            }
        }
    }

    /// The bound of the Hessian that all triangles have in the fastest stream of them, at their areas at rest: the same to the bit
    /// until that stream is twice or half as fast.
    fn add_laplacian(&self, v: &[Vec3], out: &mut Laplacian<'_>) {
        let rate = 2.0 * self.fastest(v);
        for (nodes, weight) in self.triangles.iter().zip(&self.at_rest) {
            nodes.iter().for_each(|&i| out.add(i as usize, i as usize, rate * weight / 3.0));
        }
    }
}
