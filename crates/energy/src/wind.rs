//! The air that sheets and rods move through.

use resile_math::outer;
use resile_system::{Dissipation, Hessian, Laplacian, Mat3, Psd, Vec3};
use std::f64::consts::FRAC_PI_2;

/// The bits of a number that hold its exponent: alone, they are the power of two at or below it.
const EXPONENT: u64 = 0x7ff0_0000_0000_0000;

/// Air and how it takes hold of a sheet or a rod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Air {
    /// Its velocity (m/s).
    pub velocity: Vec3,
    /// Its density (kg/m^3).
    pub density: f64,
    /// Coefficient of the pressure across the sheet, or of the drag across the rod.
    pub drag: f64,
    /// Coefficient of the friction along it, on both sides of a sheet together.
    pub friction: f64,
}

/// `D(v) = sum_t rho A_t / 6 (c |u_n|^3 + f |u_s|^3)` over triangles of area `A_t`, with `u_n` and `u_s` the parts
/// across and along a triangle of the mean velocity `u` of its corners less that of the air: each bears
/// the pressure `c rho u_n^2 / 2` of the stream across it and the friction `f rho u_s^2 / 2` of that along it, both sides of the sheet
/// together. Of a plate at an angle the pressure is what lifts it as well as what slows it.
///
/// The straight pieces of a rod (`N` is 2) bear the drag of a cylinder across the stream, `c rho d l |u_n| u_n / 2` for the
/// diameter d and the length l, `u_n` being the part of `u` across the piece, and the friction along it on half of
/// their surface, `pi d l / 2`, as a sheet has it on one of its two sides (the cross-flow principle: Hoerner, *Fluid-Dynamic Drag*, 1965,
/// chapter III).
///
/// Areas, lengths and directions are those at the start of the step. Where the air drives the sheet it gives energy: what is
/// dissipated, `v . dD/dv`, is negative there.
#[derive(Debug, Clone, PartialEq)]
pub struct Wind<const N: usize = 3> {
    /// Velocity of the air (m/s).
    velocity: Vec3,
    /// Coefficients of the stream along the axis of a piece, which is the normal of a triangle or the direction of
    /// an edge, and of that across the axis.
    coefficients: [f64; 2],
    /// `rho / 2` for triangles, `rho d / 2` for edges: times their size it is a mass (kg/m).
    density: f64,
    pieces: Vec<[u32; N]>,
    /// The mass (kg/m) of each piece at rest.
    at_rest: Vec<f64>,
    /// The mass (kg/m) and the axis of each piece.
    frozen: Vec<(f64, Vec3)>,
}

impl Wind {
    /// The air around `triangles`, whose nodes are at `rest` (m) when nothing acts on them. Density and coefficients are not negative.
    pub fn new(triangles: Vec<[u32; 3]>, rest: &[Vec3], air: Air) -> Self {
        let coefficients = [air.drag, air.friction];
        Self::around(triangles, rest, (air.velocity, coefficients, 0.5 * air.density))
    }
}

impl Wind<2> {
    /// The air around rods of this diameter (m), by their straight pieces, as [`new`](Wind::new).
    pub fn around_rods(edges: Vec<[u32; 2]>, rest: &[Vec3], diameter: f64, air: Air) -> Self {
        let coefficients = [FRAC_PI_2 * air.friction, air.drag];
        let density = 0.5 * air.density * diameter;
        Self::around(edges, rest, (air.velocity, coefficients, density))
    }
}

/// The size of a piece, an area (m^2) or a length (m), and its axis: the normal of a triangle, the direction of an edge.
fn measure(corners: &[Vec3]) -> (f64, Vec3) {
    match corners {
        [a, b] => ((*b - *a).length(), (*b - *a).normalize_or_zero()),
        [a, b, c] => {
            let twice = (*b - *a).cross(*c - *a);
            (0.5 * twice.length(), twice.normalize_or_zero())
        }
        _ => (0.0, Vec3::ZERO),
    }
}

impl<const N: usize> Wind<N> {
    fn around(
        pieces: Vec<[u32; N]>,
        rest: &[Vec3],
        (velocity, coefficients, density): (Vec3, [f64; 2], f64),
    ) -> Self {
        let frozen = vec![(0.0, Vec3::ZERO); pieces.len()];
        let mut wind =
            Self { velocity, coefficients, density, frozen, at_rest: Vec::new(), pieces };
        wind.freeze(rest);
        wind.at_rest = wind.frozen.iter().map(|(mass, _)| *mass).collect();
        wind
    }

    /// The largest coefficient times velocity (m/s) of all pieces, rounded up to a power of two.
    fn fastest(&self, v: &[Vec3]) -> f64 {
        let [axial, lateral] = self.coefficients;
        let of_piece = |(_, _, _, along, across): (_, f64, _, f64, Vec3)| {
            (axial * along.abs()).max(lateral * across.length())
        };
        let most = self.streams(v).map(of_piece).fold(0.0, f64::max);
        let below = f64::from_bits(most.to_bits() & EXPONENT);
        if below < most { 2.0 * below } else { below }
    }

    /// Each piece with its mass of air (kg/m), its axis, and its velocity along the axis (m/s) and across it.
    fn streams<'s>(
        &'s self,
        v: &'s [Vec3],
    ) -> impl Iterator<Item = (&'s [u32; N], f64, Vec3, f64, Vec3)> {
        self.pieces.iter().zip(&self.frozen).map(|(nodes, &(mass, axis))| {
            let sum: Vec3 = nodes.iter().map(|&node| v[node as usize]).sum();
            let u = sum / N as f64 - self.velocity;
            let along = u.dot(axis);
            (nodes, mass, axis, along, u - along * axis)
        })
    }
}

impl<const N: usize> Dissipation for Wind<N> {
    fn name(&self) -> &str {
        "wind"
    }

    fn freeze(&mut self, x: &[Vec3]) {
        for (nodes, frozen) in self.pieces.iter().zip(&mut self.frozen) {
            let (size, axis) = measure(&nodes.map(|node| x[node as usize]));
            *frozen = (self.density * size, axis);
        }
    }

    fn value(&self, v: &[Vec3]) -> f64 {
        let [axial, lateral] = self.coefficients;
        let of_piece = |(_, mass, _, along, across): (_, f64, _, f64, Vec3)| {
            mass / 3.0 * (axial * along.abs().powi(3) + lateral * across.length().powi(3))
        };
        self.streams(v).map(of_piece).sum()
    }

    fn add_gradient(&self, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let [axial, lateral] = self.coefficients;
        for (nodes, mass, axis, along, across) in self.streams(v) {
            let force = axial * along.abs() * along * axis + lateral * across.length() * across;
            let share = scale * mass / N as f64 * force;
            nodes.iter().for_each(|&node| out[node as usize] += share);
        }
    }

    /// Positive semi-definite, as D is convex.
    fn add_hessian(&self, v: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        let [axial, lateral] = self.coefficients;
        for (nodes, mass, axis, along, across) in self.streams(v) {
            let (plane, speed) = (Mat3::IDENTITY - outer(axis, axis), across.length());
            let direction = across.normalize_or_zero();
            let block = outer(axis, axis) * (2.0 * axial * along.abs())
                + (plane + outer(direction, direction)) * (lateral * speed);
            let share = block * (mass / (N * N) as f64);
            for (k, &i) in nodes.iter().enumerate() {
                nodes[k..].iter().for_each(|&j| out.add(i as usize, j as usize, share));
            }
        }
    }

    /// The bound of the Hessian that all pieces have in the fastest stream of them, at their sizes at rest: the same to the bit
    /// until that stream is twice or half as fast.
    fn add_laplacian(&self, v: &[Vec3], out: &mut Laplacian<'_>) {
        let rate = 2.0 * self.fastest(v);
        for (nodes, mass) in self.pieces.iter().zip(&self.at_rest) {
            let share = rate * mass / N as f64;
            nodes.iter().for_each(|&i| out.add(i as usize, i as usize, share));
        }
    }
}
