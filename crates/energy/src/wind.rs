//! Aerodynamic drag on sheets and rods.

use resile_math::outer;
use resile_system::{Dissipation, DissipationPotential, Hessian, Laplacian, Mat3, Psd, Vec3};
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

/// Mask of the exponent of an f64; a positive number masked by it is rounded down to a power of two.
const EXPONENT_MASK: u64 = 0x7ff0_0000_0000_0000;

/// Air and its drag coefficients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Air {
    /// Velocity (m/s).
    pub velocity: Vec3,
    /// Density (kg/m^3).
    pub density: f64,
    /// Coefficient of the pressure normal to a sheet, or of the cross-flow drag of a rod.
    pub drag: f64,
    /// Coefficient of skin friction, for both sides of a sheet together.
    pub friction: f64,
}

/// `D(v) = sum_t rho A_t / 6 (c |u_n|^3 + f |u_s|^3)` over triangles of area `A_t`, where `u_n` and `u_s` are the
/// normal and tangential components of the mean velocity `u` of the corners relative to the air. Each triangle has
/// the pressure `c rho u_n^2 / 2` and the friction `f rho u_s^2 / 2`, both sides of the sheet together. On an
/// inclined plate the pressure causes both lift and drag.
///
/// The segments of a rod (`N` is 2) have the cross-flow drag of a cylinder, `c rho d l |u_n| u_n / 2` for the
/// diameter d, the length l and the component `u_n` of `u` across the segment. Skin friction acts on half of their
/// surface, `pi d l / 2`, like that of a sheet on one of its two sides (the cross-flow principle: Hoerner,
/// *Fluid-Dynamic Drag*, 1965, chapter III).
///
/// Areas, lengths and directions are those at the start of the step. Where the air drives the sheet, the dissipated
/// power `v . dD/dv` is negative.
#[derive(Debug, Clone)]
pub struct Wind<const N: usize = 3>(Arc<AirFlow<N>>);

/// The air around the elements of a body.
#[derive(Debug)]
struct AirFlow<const N: usize> {
    /// Velocity of the air (m/s).
    velocity: Vec3,
    /// Coefficients of the flow along and across the axis of an element; the axis is the normal of a triangle or the
    /// direction of an edge.
    coefficients: [f64; 2],
    /// `rho / 2` for triangles, `rho d / 2` for edges; times the area or length it is in kg/m.
    density: f64,
    /// Nodes of each element.
    elements: Vec<[u32; N]>,
    /// Density times size (kg/m) of each element at rest.
    rest_masses: Vec<f64>,
}

/// The drag on elements of constant sizes and axes.
struct LaggedWind<const N: usize> {
    flow: Arc<AirFlow<N>>,
    /// Density times size (kg/m) and axis of each element.
    masses_and_axes: Vec<(f64, Vec3)>,
}

impl Wind {
    /// The air around `triangles` with the rest positions `rest` (m). Density and coefficients must not be negative.
    pub fn new(triangles: Vec<[u32; 3]>, rest: &[Vec3], air: Air) -> Self {
        let coefficients = [air.drag, air.friction];
        Self::from_elements(triangles, rest, (air.velocity, coefficients, 0.5 * air.density))
    }
}

impl Wind<2> {
    /// The air around the segments of rods of this diameter (m), as [`new`](Wind::new).
    pub fn around_rods(edges: Vec<[u32; 2]>, rest: &[Vec3], diameter: f64, air: Air) -> Self {
        let coefficients = [FRAC_PI_2 * air.friction, air.drag];
        let density = 0.5 * air.density * diameter;
        Self::from_elements(edges, rest, (air.velocity, coefficients, density))
    }
}

/// Size (area in m^2, length in m) and axis of an element: the normal of a triangle, the direction of an edge.
fn measure(corners: &[Vec3]) -> (f64, Vec3) {
    match corners {
        [a, b] => ((*b - *a).length(), (*b - *a).normalize_or_zero()),
        [a, b, c] => {
            let doubled_area = (*b - *a).cross(*c - *a);
            (0.5 * doubled_area.length(), doubled_area.normalize_or_zero())
        }
        _ => (0.0, Vec3::ZERO),
    }
}

impl<const N: usize> Wind<N> {
    /// The flow around these elements, with their masses of air at rest.
    fn from_elements(
        elements: Vec<[u32; N]>,
        rest: &[Vec3],
        (velocity, coefficients, density): (Vec3, [f64; 2], f64),
    ) -> Self {
        let mut flow =
            AirFlow { velocity, coefficients, density, rest_masses: Vec::new(), elements };
        flow.rest_masses = flow.masses_and_axes(rest).into_iter().map(|(mass, _)| mass).collect();
        Self(Arc::new(flow))
    }
}

impl<const N: usize> AirFlow<N> {
    /// Density times size (kg/m) and axis of each element at the positions `x` (m).
    fn masses_and_axes(&self, x: &[Vec3]) -> Vec<(f64, Vec3)> {
        let element_value = |nodes: &[u32; N]| {
            let (size, axis) = measure(&nodes.map(|node| x[node as usize]));
            (self.density * size, axis)
        };
        self.elements.iter().map(element_value).collect()
    }
}

impl<const N: usize> LaggedWind<N> {
    /// The largest coefficient times velocity (m/s) of all elements, rounded up to a power of two.
    fn max_scaled_speed(&self, v: &[Vec3]) -> f64 {
        let [axial, lateral] = self.flow.coefficients;
        let element_value = |(_, _, _, axial_speed, lateral_velocity): (_, f64, _, f64, Vec3)| {
            (axial * axial_speed.abs()).max(lateral * lateral_velocity.length())
        };
        let max_speed = self.relative_flow(v).map(element_value).fold(0.0, f64::max);
        let rounded_down = f64::from_bits(max_speed.to_bits() & EXPONENT_MASK);
        if rounded_down < max_speed { 2.0 * rounded_down } else { rounded_down }
    }

    /// For each element: density times size (kg/m), axis, and the relative velocity along and across the axis (m/s).
    fn relative_flow<'s>(
        &'s self,
        v: &'s [Vec3],
    ) -> impl Iterator<Item = (&'s [u32; N], f64, Vec3, f64, Vec3)> {
        self.flow.elements.iter().zip(&self.masses_and_axes).map(|(nodes, &(mass, axis))| {
            let sum: Vec3 = nodes.iter().map(|&node| v[node as usize]).sum();
            let u = sum / N as f64 - self.flow.velocity;
            let axial_speed = u.dot(axis);
            (nodes, mass, axis, axial_speed, u - axial_speed * axis)
        })
    }
}

impl<const N: usize> Dissipation for Wind<N> {
    fn name(&self) -> &str {
        "wind"
    }

    fn lagged(&self, x: &[Vec3]) -> Arc<dyn DissipationPotential> {
        let (flow, masses_and_axes) = (self.0.clone(), self.0.masses_and_axes(x));
        Arc::new(LaggedWind { flow, masses_and_axes })
    }
}

impl<const N: usize> DissipationPotential for LaggedWind<N> {
    fn value(&self, _time: f64, v: &[Vec3]) -> f64 {
        let [axial, lateral] = self.flow.coefficients;
        let element_value =
            |(_, mass, _, axial_speed, lateral_velocity): (_, f64, _, f64, Vec3)| {
                mass / 3.0
                    * (axial * axial_speed.abs().powi(3)
                        + lateral * lateral_velocity.length().powi(3))
            };
        self.relative_flow(v).map(element_value).sum()
    }

    fn add_gradient(&self, _time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let [axial, lateral] = self.flow.coefficients;
        for (nodes, mass, axis, axial_speed, lateral_velocity) in self.relative_flow(v) {
            let force = axial * axial_speed.abs() * axial_speed * axis
                + lateral * lateral_velocity.length() * lateral_velocity;
            let nodal_part = scale * mass / N as f64 * force;
            nodes.iter().for_each(|&node| out[node as usize] += nodal_part);
        }
    }

    /// Positive semi-definite, as D is convex.
    fn add_hessian(&self, _time: f64, v: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        let [axial, lateral] = self.flow.coefficients;
        for (nodes, mass, axis, axial_speed, lateral_velocity) in self.relative_flow(v) {
            let (plane, speed) = (Mat3::IDENTITY - outer(axis, axis), lateral_velocity.length());
            let direction = lateral_velocity.normalize_or_zero();
            let block = outer(axis, axis) * (2.0 * axial * axial_speed.abs())
                + (plane + outer(direction, direction)) * (lateral * speed);
            let nodal_part = block * (mass / (N * N) as f64);
            for (k, &i) in nodes.iter().enumerate() {
                nodes[k..].iter().for_each(|&j| out.add(i as usize, j as usize, nodal_part));
            }
        }
    }

    /// An upper bound of the Hessian from the fastest relative flow and the rest sizes; bitwise constant until that
    /// flow doubles or halves.
    fn add_laplacian(&self, _time: f64, v: &[Vec3], out: &mut Laplacian<'_>) {
        let rate = 2.0 * self.max_scaled_speed(v);
        for (nodes, mass) in self.flow.elements.iter().zip(&self.flow.rest_masses) {
            let nodal_part = rate * mass / N as f64;
            nodes.iter().for_each(|&i| out.add(i as usize, i as usize, nodal_part));
        }
    }
}
