//! Pressure of a liquid: derivatives, the weight of what is displaced, and the work of a change.

use crate::common::*;
use resile_energy::{Factor, Hydrostatic, Liquid, PressureError, Schedule};
use resile_math::{Mat3, Vec3};
use resile_mesh::TriMesh;
use resile_mesh::generate::Icosphere;
use resile_system::check::energy_derivatives;
use resile_system::{Energy, Psd};

const WEIGHT: Vec3 = Vec3::new(1.2e3, -9.5e3, 0.7e3);

fn liquid(surface: Vec3) -> Liquid {
    Liquid { surface, weight: WEIGHT, inside: false }
}

fn sphere() -> TriMesh {
    let mesh = Icosphere { radius: 0.2, subdivisions: 1 }.build().expect("a sphere");
    let x = deformed(&mesh.positions, Mat3::from_diagonal(Vec3::new(0.7, 1.2, 1.0)), 0.02);
    TriMesh { positions: x, triangles: mesh.triangles }
}

fn cube() -> TriMesh {
    let (positions, tets) = grid(2, 3, 1);
    let triangles = resile_mesh::TetMesh { positions: positions.clone(), tets }.surface().triangles;
    TriMesh { positions, triangles }
}

fn always(mesh: &TriMesh, liquid: Liquid) -> Hydrostatic {
    let schedule = Schedule::constant(1.0);
    Hydrostatic::new(mesh.positions.len(), &mesh.triangles, liquid, schedule).expect("closed")
}

fn total(forces: &[Vec3]) -> Vec3 {
    -forces.iter().sum::<Vec3>()
}

#[test]
fn a_body_under_the_surface_is_lifted_by_the_weight_of_the_liquid_to_rounding() {
    for (mesh, volume) in [(cube(), 6.0), (sphere(), sphere().enclosed_volume())] {
        let body = always(&mesh, liquid(Vec3::new(0.3, 7.0, -0.2)));
        let lift = total(&gradient(&body, &mesh.positions));
        let expected = -WEIGHT * volume;
        assert!((lift - expected).length() < 1e-12 * expected.length(), "{lift}, not {expected}");
    }
}

/// A box of 2 x 3 x 1 m that the surface cuts at a height of 1.25 m, through its triangles.
#[test]
fn a_body_that_floats_is_lifted_by_the_weight_of_what_is_immersed() {
    let mesh = cube();
    let weight = Vec3::new(0.0, -9810.0, 0.0);
    let level = Liquid { surface: Vec3::Y * 1.25, weight, inside: false };
    let force = gradient(&always(&mesh, level), &mesh.positions);
    let expected = Vec3::Y * (9810.0 * 2.0 * 1.25);
    assert!((total(&force) - expected).length() < 1e-9, "{}", total(&force));
    // It acts at the centre of what is immersed.
    let torque: Vec3 = mesh.positions.iter().zip(&force).map(|(x, g)| x.cross(-*g)).sum();
    let centre = Vec3::new(1.0, 0.625, 0.5);
    assert!((torque - centre.cross(expected)).length() < 1e-8, "{torque}");
    let energy = always(&mesh, level).value(0.0, &mesh.positions);
    let lifted = 9810.0 * 2.0 * 1.25 * 0.625;
    assert!((energy - lifted).abs() < 1e-9 * lifted, "{energy} J, not {lifted} J");
}

#[test]
fn derivatives_are_those_of_the_value_and_nothing_negative_is_left_by_the_clamp() {
    // Below the surface, and cut by it.
    for surface in [Vec3::Y * 2.0, Vec3::Y * 0.03] {
        for inside in [false, true] {
            let mesh = sphere();
            let body = always(&mesh, Liquid { inside, ..liquid(surface) });
            let errors = energy_derivatives(&body, &mesh.positions, 1e-4).expect("it presses");
            assert!(errors.gradient < 1e-7 && errors.hessian < 1e-4, "{surface}: {errors:?}");
            if surface.y > 1.0 {
                assert!(errors.gradient < 1e-9 && errors.hessian < 1e-8, "{errors:?}");
            }
            let clamped = hessian(&body, &mesh.positions, Psd::Clamp).symmetric_eigenvalues();
            assert!(clamped.min() > -1e-10 * clamped.max(), "{clamped}");
            assert!(clamped.max() > 0.0);
        }
    }
}

/// Sinking by 1 mm costs the weight on the area of the surface that it cuts.
#[test]
fn a_body_that_floats_is_as_stiff_as_its_section_at_the_surface() {
    let mesh = cube();
    let weight = Vec3::new(0.0, -9810.0, 0.0);
    let level = Liquid { surface: Vec3::Y * 1.25, weight, inside: false };
    let body = always(&mesh, level);
    for psd in [Psd::Exact, Psd::Clamp] {
        let matrix = hessian(&body, &mesh.positions, psd);
        let stiffness: f64 = (0..mesh.positions.len())
            .flat_map(|i| (0..mesh.positions.len()).map(move |j| (3 * i + 1, 3 * j + 1)))
            .map(|(i, j)| matrix[(i, j)])
            .sum();
        // The clamp keeps a quarter of the weight on each area that is parallel to gravity: 7.5 m^2 are immersed.
        let kept = if psd == Psd::Exact { 0.0 } else { 7.5 / 4.0 };
        let expected = 9810.0 * (2.0 + kept);
        assert!(
            (stiffness - expected).abs() < 1e-9 * expected,
            "{psd:?}: {stiffness} N/m, not {expected} N/m"
        );
    }
}

#[test]
fn a_tank_is_pushed_outwards_by_what_a_body_is_pushed_inwards() {
    let mesh = cube();
    let outside = liquid(Vec3::Y * 2.2);
    let inside = Liquid { inside: true, ..outside };
    let [a, b] = [outside, inside].map(|l| gradient(&always(&mesh, l), &mesh.positions));
    assert!(a.iter().zip(&b).all(|(a, b)| *a == -*b));
    // Its walls hold as much as its potential says, without a potential.
    let forces = inside.forces(&mesh.triangles, &mesh.positions);
    for (node, force) in forces {
        assert!((force + b[node]).length() < 1e-10 * WEIGHT.length(), "node {node}");
    }
}

/// For nodes at rest the work of a growing density is the change of the potential.
#[test]
fn the_work_of_a_change_is_that_of_the_potential() {
    let mesh = sphere();
    let ramp = Factor::table(Schedule::constant(1.0), vec![(0.0, 0.0), (2.0, 4.0)]);
    let ramp = ramp.expect("ascending");
    let body = Hydrostatic::new(42, &mesh.triangles, liquid(Vec3::Y), ramp).expect("it is closed");
    let work = body.work(&mesh.positions, &mesh.positions, [0.5, 1.5]);
    let change = body.value(1.5, &mesh.positions) - body.value(0.5, &mesh.positions);
    assert!((work - change).abs() < 1e-12 * change.abs() && change > 1.0, "{work} J, {change} J");
}

#[test]
fn an_open_surface_and_a_liquid_without_weight_are_refused() {
    let mesh = cube();
    let make = |triangles: &[[u32; 3]], liquid: Liquid| {
        Hydrostatic::new(24, triangles, liquid, Schedule::constant(1.0)).map(|_| ())
    };
    let open = make(&mesh.triangles[1..], liquid(Vec3::ZERO));
    assert!(matches!(open, Err(PressureError::Open { .. })), "{open:?}");
    let weightless = make(&mesh.triangles, Liquid { weight: Vec3::ZERO, ..liquid(Vec3::ZERO) });
    assert!(matches!(weightless, Err(PressureError::NotFinite { .. })), "{weightless:?}");
}
