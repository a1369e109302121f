//! Contact: a patch test, and Hertz's sphere and cylinder.

use super::mapped::{MappedSolid, Order, balance, elastic, is_at, world};
use super::{CaseOnMesh, VerificationEntry};
use crate::drive::{StudyError, scene_error};
use resile_contact::{
    Barrier, BarrierPotential, CollisionMesh, FrictionPotential, FrictionRule, Obstacles,
    PairTable, Plane, Role,
};
use resile_energy::Material;
use resile_system::{Body, State, Vec3};
use resile_world::{Collisions, World};
use std::f64::consts::PI;
use std::sync::Arc;

const PATCH: &str = "contact patch test, unlike meshes";
const SPHERE: &str = "sphere on a rigid plane (Hertz 1882)";
const CYLINDER: &str = "FENET D3613: steel cylinder on aluminium";

/// Radius of the cylinder (mm).
const CYLINDER_RADIUS: f64 = 50.0;
/// Half of the width (mm) of the meshed part of the cylinder.
const CYLINDER_HALF_WIDTH: f64 = 45.0;
/// Numbers of cells of the cylinder along the surface and along its height.
const CYLINDER_CELLS: [usize; 2] = [24, 12];
/// Thickness of the slice (mm).
const SLICE_THICKNESS: f64 = 0.5;
/// Largest pressure (`MPa`) between cylinder and block.
const CYLINDER_PRESSURE: f64 = 3585.0;

/// A solid with its body and its initial state.
pub(super) type SolidBody<'a> = (&'a MappedSolid, (Body, State));

/// Friction of all bodies and of the floor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roughness {
    /// The coefficient of friction.
    pub(super) friction: f64,
    /// The slip speed (m/s).
    pub(super) slip_speed: f64,
}

impl Roughness {
    /// No friction.
    const NONE: Self = Self { friction: 0.0, slip_speed: 1e-3 };
}

/// A world of bodies with contact between them and, if `has_floor`, with a floor at height zero.
pub(super) fn contact_world(
    bodies: Vec<SolidBody<'_>>,
    has_floor: bool,
    barrier: BarrierPotential,
    roughness: Roughness,
) -> World {
    let body_count = bodies.len();
    let surface = |(solid, _): &SolidBody<'_>| {
        let mesh = CollisionMesh::new(solid.positions(), &solid.triangles());
        Arc::new(mesh.expect("a proper surface").with_signed_sums())
    };
    let planes = match has_floor {
        true => vec![Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: body_count }],
        false => Vec::new(),
    };
    let collider_count = body_count + usize::from(has_floor);
    let coefficients = vec![roughness.friction; collider_count];
    let pairs = PairTable::new(collider_count).with_friction(FrictionRule::Min, coefficients);
    let collisions = Collisions {
        surfaces: bodies.iter().map(surface).collect(),
        roles: vec![Role::Simulated; body_count],
        half_thicknesses: vec![0.0; body_count],
        obstacles: Arc::new(Obstacles::new(planes, Vec::new()).expect("a proper plane")),
        pairs: Arc::new(pairs),
        barrier,
        adhesion: None,
        friction: FrictionPotential { slip_speed: roughness.slip_speed },
        gravity: Vec3::ZERO,
    };
    let extent = bodies.iter().map(|(solid, _)| solid.extent()).fold(0.0, f64::max);
    world(bodies.into_iter().map(|(_, body)| body).collect(), Some(collisions), extent)
}

/// The clamped logarithmic barrier.
pub(super) fn barrier(d_hat: f64, kappa: f64) -> BarrierPotential {
    BarrierPotential { barrier: Barrier::ClampedLog, d_hat, kappa }
}

/// The normal contact forces (N) on the nodes of a body.
fn normal_forces(world: &mut World, body: usize, case: &str) -> Result<Vec<Vec3>, StudyError> {
    let contact_forces =
        world.contact_forces(1.0).ok_or_else(|| scene_error(case, "nothing collides"))?;
    Ok(contact_forces.bodies[body].normal.clone())
}

/// Two cubes with different meshes, one upon the other, whose lateral faces are guided: under a pressure, each is in
/// uniform uniaxial strain.
///
/// The gap of each vertex in contact determines its pressure. Gaps differ by fractions of `d_hat`, so the deviation
/// from the uniform state is of the order of `d_hat` over the displacement under the pressure.
pub(super) fn patch(_quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let [young, poisson, pressure, d_hat]: [f64; 4] = [1.0, 0.3, 1e-3, 1e-5];
    let block = |cells: [usize; 3], bottom: f64| {
        MappedSolid::new(cells, Order::Linear, move |unit| unit + Vec3::Y * bottom)
    };
    let [lower, upper] = [block([4, 4, 4], 0.0), block([3, 3, 3], 1.0 + 0.5 * d_hat)];
    let is_guided = |unit: Vec3, axis: usize| is_at(unit[axis], 0.0) || is_at(unit[axis], 1.0);
    let material = || elastic(Material::Linear, young, poisson);
    let load = upper.traction(1, 1.0, Vec3::Y * -pressure);
    let lower_body = lower.body(material(), Vec::new(), |unit| {
        [is_guided(unit, 0), is_at(unit.y, 0.0), is_guided(unit, 2)]
    });
    let upper_body =
        upper.body(material(), load, |unit| [is_guided(unit, 0), false, is_guided(unit, 2)]);
    let bodies = vec![(&lower, lower_body), (&upper, upper_body)];
    let mut world =
        balance(contact_world(bodies, false, barrier(d_hat, pressure), Roughness::NONE), PATCH)?;
    // For each node of the upper side of the lower cube, the contact force per area.
    let forces = normal_forces(&mut world, 0, PATCH)?;
    let areas = lower.side(1, 1.0).areas(lower.positions());
    let pressures: Vec<f64> = areas.iter().map(|&(node, area)| -forces[node].y / area).collect();
    let stresses: Vec<f64> = areas
        .iter()
        .filter_map(|&(node, _)| world.stress(0).cauchy(node))
        .map(|stress| -stress.y_axis.y)
        .collect();
    let total_force: f64 = forces.iter().map(|force| -force.y).sum();
    let case = CaseOnMesh { case: PATCH, mesh: "4 x 4 x 4 under 3 x 3 x 3, linear".to_owned() };
    let entry = |quantity, value, tolerance| case.entry(quantity, value, pressure, tolerance);
    let min = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let max = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(vec![
        entry("mean contact pressure", total_force, 1e-6),
        entry("least contact pressure at a node", min(&pressures), 0.02),
        entry("largest contact pressure at a node", max(&pressures), 0.02),
        entry("least stress at a node", min(&stresses), 0.02),
        entry("largest stress at a node", max(&stresses), 0.02),
    ])
}

/// A cubic grading of the unit interval, with slope `initial_slope` at zero: cells at zero are `initial_slope` times as
/// large as uniform ones.
fn cubic_grading(t: f64, initial_slope: f64) -> f64 {
    t * (initial_slope + (1.0 - initial_slope) * t * t)
}

/// Hertz contact of a sphere of radius R that a force F presses onto a rigid plane. The radius of contact is given by
/// `a^3 = 3 F R / 4 E*` with `E* = E / (1 - nu^2)`.
pub(super) fn sphere(_quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let mut entries = Vec::new();
    for order in [Order::Quadratic, Order::Curved] {
        entries.extend(pressed_cap([6, 6, 5], order)?);
    }
    Ok(entries)
}

/// The radius of contact and the largest stress for a quarter of a solid whose lower side is a spherical cap.
fn pressed_cap(cells: [usize; 3], order: Order) -> Result<Vec<VerificationEntry>, StudyError> {
    let [young, poisson, contact_radius, radius, extent]: [f64; 5] = [1.0, 0.3, 1.0, 20.0, 8.0];
    let effective_modulus = young / (1.0 - poisson * poisson);
    let force = 4.0 * effective_modulus * contact_radius.powi(3) / (3.0 * radius);
    let largest_pressure = 3.0 * force / (2.0 * PI * contact_radius * contact_radius);
    let d_hat = 1e-3 * contact_radius * contact_radius / radius;
    let solid = MappedSolid::new(cells, order, |unit| {
        let [x, z] = [unit.x, unit.z].map(|t| extent * cubic_grading(t, 0.25));
        let surface_height = radius - (radius * radius - x * x - z * z).sqrt();
        let height_fraction = cubic_grading(unit.y, 0.25);
        Vec3::new(x, surface_height + height_fraction * (extent - surface_height) + 0.5 * d_hat, z)
    });
    let load = solid.traction(1, 1.0, Vec3::Y * (-0.25 * force / (extent * extent)));
    let body = solid.body(elastic(Material::Linear, young, poisson), load, |unit| {
        [is_at(unit.x, 0.0), false, is_at(unit.z, 0.0)]
    });
    let potential = barrier(d_hat, largest_pressure);
    let mut world =
        balance(contact_world(vec![(&solid, body)], true, potential, Roughness::NONE), SPHERE)?;
    let forces = normal_forces(&mut world, 0, SPHERE)?;
    let total_force: f64 = forces.iter().map(|force| force.y).sum();
    let pairs = forces.iter().zip(solid.positions());
    let second_moment: f64 = pairs.map(|(f, x)| f.y * (x.x * x.x + x.z * x.z)).sum();
    let contact_node = solid.node_at(Vec3::Y * 0.5 * d_hat);
    let stress = world.stress(0).cauchy(contact_node).map_or(0.0, |stress| -stress.y_axis.y);
    let case = CaseOnMesh { case: SPHERE, mesh: solid.description() };
    // Forces of contact on flat triangles are not consistent with quadratic shape functions.
    let stress_tolerance = (order == Order::Quadratic).then_some(0.1);
    Ok(vec![
        // For Hertz's pressure, the mean square of the distance from the axis is 2/5 of the squared radius.
        case.entry(
            "radius of contact",
            (2.5 * second_moment / total_force).sqrt(),
            contact_radius,
            Some(0.02),
        ),
        case.entry("largest stress", stress, largest_pressure, stress_tolerance),
    ])
}

/// Hertz contact of a steel cylinder (radius 50 mm, 35 kN/mm) on an aluminium block, in mm and `MPa`. The model is half
/// of a slice in plane strain. The cylinder ends at its horizontal diameter, where the load is distributed.
pub(super) fn cylinder(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    if quick {
        // This case takes most of the time of the study.
        return Ok(Vec::new());
    }
    let [line_load, d_hat]: [f64; 2] = [35e3, 2e-3];
    let (cylinder, block) = (half_cylinder_slice(d_hat), half_block_slice());
    let is_face = |unit: Vec3| is_at(unit.z, 0.0) || is_at(unit.z, 1.0);
    let load = cylinder.traction(1, 1.0, Vec3::Y * (-0.5 * line_load / CYLINDER_HALF_WIDTH));
    let [steel, aluminium] = [210e3, 70e3].map(|young| elastic(Material::Linear, young, 0.3));
    let cylinder_body =
        cylinder.body(steel, load, |unit| [is_at(unit.x, 0.0), false, is_face(unit)]);
    let block_body = block.body(aluminium, Vec::new(), |unit| {
        [is_at(unit.x, 0.0), is_at(unit.y, 0.0), is_face(unit)]
    });
    let bodies = vec![(&cylinder, cylinder_body), (&block, block_body)];
    let potential = barrier(d_hat, CYLINDER_PRESSURE);
    let mut world = balance(contact_world(bodies, false, potential, Roughness::NONE), CYLINDER)?;
    let forces = normal_forces(&mut world, 1, CYLINDER)?;
    let total_force: f64 = forces.iter().map(|force| force.y).sum();
    let second_moment: f64 =
        forces.iter().zip(block.positions()).map(|(f, x)| f.y * x.x * x.x).sum();
    let stress_at = |body: usize, solid: &MappedSolid, y: f64| {
        let node = solid.node_at(Vec3::Y * y);
        world.stress(body).cauchy(node).map_or(0.0, |stress| -stress.y_axis.y)
    };
    let stress = stress_at(1, &block, 0.0);
    let case = CaseOnMesh {
        case: CYLINDER,
        mesh: format!("{}; {}", cylinder.description(), block.description()),
    };
    Ok(vec![
        // For Hertz's pressure along a line, the mean square of the distance is a quarter of the squared half width.
        case.entry(
            "half width of contact (mm)",
            (4.0 * second_moment / total_force).sqrt(),
            6.21,
            0.02,
        ),
        case.entry("largest stress (MPa)", stress, CYLINDER_PRESSURE, 0.1),
    ])
}

/// Half of a slice of the cylinder (mm) up to its horizontal diameter, half of `d_hat` (mm) above the block. The cells
/// are small near the contact.
fn half_cylinder_slice(d_hat: f64) -> MappedSolid {
    let [cells_across, cells_down] = CYLINDER_CELLS;
    MappedSolid::new([cells_across, cells_down, 1], Order::Quadratic, move |unit| {
        let radius = CYLINDER_RADIUS;
        let x = CYLINDER_HALF_WIDTH * cubic_grading(unit.x, 0.2);
        let surface_height = radius - (radius * radius - x * x).sqrt();
        let y =
            surface_height + cubic_grading(unit.y, 0.15) * (radius - surface_height) + 0.5 * d_hat;
        Vec3::new(x, y, SLICE_THICKNESS * unit.z)
    })
}

/// Half of a slice of the block (mm) under the cylinder. The cells are small near the contact, and differ from those of
/// the cylinder.
fn half_block_slice() -> MappedSolid {
    let [cells_across, cells_down] = CYLINDER_CELLS;
    MappedSolid::new([cells_across * 11 / 10, cells_down, 1], Order::Quadratic, |unit| {
        let [x, y] = [100.0 * cubic_grading(unit.x, 0.1), -200.0 * (1.0 - unit.y)];
        let depth = 200.0 * cubic_grading(1.0 - unit.y, 0.04);
        Vec3::new(x, if is_at(unit.y, 0.0) { y } else { -depth }, SLICE_THICKNESS * unit.z)
    })
}
