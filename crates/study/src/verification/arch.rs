//! Snap-through of a shallow arch.

use super::{CaseOnMesh, VerificationEntry, world_of_scene};
use crate::drive::{StudyError, scene_error};
use resile_world::World;
use std::f64::consts::PI;
use std::fmt::Write;

const ARCH: &str = "hinged shallow arch (Fung & Kaplan 1952)";
/// Number of segments of the rod.
const SEGMENTS: usize = 64;
/// Young's modulus (Pa).
const YOUNG: f64 = 1e9;
/// Radius of the section (m) of an arch of 1 m.
const RADIUS: f64 = 5e-3;
/// Rise (m).
const RISE: f64 = 2.0 * RADIUS;
/// Arc length of a step (m): the root mean square of the displacements.
const STEP: f64 = 2e-4;

/// The limit load of a rod of the shape `a sin(pi x / L)` between hinges under a load `p sin(pi x / L)` per length.
/// With `k = (a / 2 rho)^2`, rho the radius of gyration, and the ratio `y` of its rise to a,
///
/// ```text
///   p = E I (pi / L)^4 a (1 - y + k (1 - y^2) y)
/// ```
///
/// The load is largest at `y^2 = (1 - 1/k) / 3`. With k = 4 that is at half the rise, before the arch buckles sideways.
pub(super) fn shallow(_quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let mut world = world_of_scene(&scene(), ARCH)?;
    let (mut tangent, mut loads) = (None, vec![0.0]);
    let mut heights = vec![RISE];
    while loads.len() < 200 && loads.windows(2).all(|pair| pair[1] > pair[0]) {
        let step = world.path_step(STEP, tangent.as_ref());
        let (next, _) = step.map_err(|failure| scene_error(ARCH, failure))?;
        tangent = Some(next);
        loads.push(world.state(0).time);
        heights.push(rise(&world));
    }
    let [load, rise_at_peak] = load_peak(&loads, &heights);
    let k = (RISE / RADIUS) * (RISE / RADIUS);
    let ratio = ((1.0 - 1.0 / k) / 3.0).sqrt();
    let limit_load = 1.0 - ratio + k * (1.0 - ratio * ratio) * ratio;
    let case = CaseOnMesh { case: ARCH, mesh: format!("{SEGMENTS} segments, rod") };
    Ok(vec![
        case.entry("limit load over E I (pi / L)^4 a", load, limit_load, 0.01),
        case.entry("rise there over a", rise_at_peak / RISE, ratio, 0.02),
    ])
}

/// Height of the middle of the arch (m).
fn rise(world: &World) -> f64 {
    world.state(0).positions[SEGMENTS / 2].y
}

/// The largest value of the parabola through the last three loads, and the rise at which it is reached.
fn load_peak(loads: &[f64], heights: &[f64]) -> [f64; 2] {
    let [.., a, b, c] = *loads else { return [f64::NAN; 2] };
    let [.., height_before, height_at, height_after] = *heights else { return [f64::NAN; 2] };
    // The three values are those at t = -1, 0 and 1.
    let (slope, curvature) = (0.5 * (c - a), a - 2.0 * b + c);
    let t = -slope / curvature;
    let parabola = |[a, b, c]: [f64; 3]| b + 0.5 * (c - a) * t + 0.5 * (a - 2.0 * b + c) * t * t;
    [parabola([a, b, c]), parabola([height_before, height_at, height_after])]
}

/// Text of the scene of the arch, a sine wave whose load has the same shape and is proportional to time.
fn scene() -> String {
    let coordinate = |node: usize| node as f64 / SEGMENTS as f64;
    let unit_load = YOUNG * PI * RADIUS.powi(4) / 4.0 * PI.powi(4) * RISE / SEGMENTS as f64;
    let (mut points, mut loads) = (String::new(), String::new());
    for node in 0..=SEGMENTS {
        let sine = libm::sin(PI * coordinate(node));
        let _ = write!(points, "({:?}, {:?}, 0), ", coordinate(node), RISE * sine);
        if node > 0 && node < SEGMENTS {
            let _ = write!(
                loads,
                "Force(force: (0, {:?}, 0), region: Nodes([{node}]), start: -1000, \
                 factor: Table(points: [(-1000, -1000), (1000, 1000)])), ",
                -unit_load * sine
            );
        }
    }
    format!(
        r#"(
            version: 2,
            materials: {{ "m": (density: 1000, model: StVK(young: {YOUNG:?}, poisson: 0)) }},
            bodies: [(
                name: "arch",
                shape: Curve(points: [{points}]),
                kind: Rod(radius: {RADIUS}, rest_shape: Shape),
                material: "m",
                terms: [{loads}],
                hold: [
                    (region: Nodes([0, {SEGMENTS}]), motion: Fixed),
                    (region: All, motion: Fixed, axes: "z"),
                ],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: 1, duration: 1),
        )"#
    )
}
