//! Value, gradient and Hessian of shells belong together, in every state.

use crate::common::{clamped, deformed, gradient, hessian, noise, rotation};
use crate::shell_support::*;
use nalgebra::{DMatrix, Matrix3x2, SMatrix};
use proptest::prelude::*;
use resile_energy::{MembraneLaw, PlateBending, PlateStiffness, RestAngles};
use resile_math::{Mat3, Vec3};
use resile_mesh::TriMesh;
use resile_system::check::energy_derivatives;
use resile_system::{Energy, Psd};
use std::f64::consts::PI;

/// A thousandth of an edge.
const EPS: f64 = 1e-3;

fn check(term: &dyn Energy, name: &str, x: &[Vec3], tol: f64) {
    let errors = energy_derivatives(term, x, EPS).expect("the state is strained and admissible");
    assert!(errors.gradient < tol && errors.hessian < tol, "{}, {name}: {errors:?}", term.name());
}

#[test]
fn derivatives_of_the_membrane_agree_with_differences() {
    let mesh = squares(2, 2);
    let turn = Mat3::from_rotation_x(0.7) * Mat3::from_rotation_z(-1.9);
    let x = |a: f64, b: f64, size: f64| {
        deformed(&mesh.positions, turn * Mat3::from_diagonal(Vec3::new(a, 1.0, b)), size)
    };
    for law in laws() {
        let term = membrane(&mesh, law);
        check(&term, "random", &x(1.0, 1.0, 0.2), 1e-8);
        check(&term, "stretched", &x(3.0, 0.6, 0.1), 1e-8);
        check(&term, "compressed", &x(0.5, 0.6, 0.05), 1e-7);
        check(&term, "near rest", &x(1.0, 1.0, 1e-3), 1e-8);
        check(&term, "two equal", &x(1.3, 1.3, 0.0), 1e-8);
        check(&term, "two almost equal", &x(1.3, 1.3, 1e-8), 1e-8);
    }
}

#[test]
fn derivatives_agree_where_triangles_are_crushed_to_a_line_or_a_point() {
    let mesh =
        TriMesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], triangles: vec![[0, 1, 2]] };
    let term = membrane(&mesh, laws()[0]);
    for (name, f) in [
        ("a line along x", [Vec3::new(0.8, 0.0, 0.0), Vec3::ZERO]),
        ("a line along y", [Vec3::new(0.0, 0.3, 0.0), Vec3::new(0.0, 1.2, 0.0)]),
        ("some line", [Vec3::new(0.3, -0.2, 0.5), Vec3::new(0.6, -0.4, 1.0)]),
        ("almost a line", [Vec3::new(0.3, -0.2, 0.5), Vec3::new(0.6, -0.4, 1.0 + 1e-9)]),
    ] {
        check(&term, name, &[Vec3::ZERO, f[0], f[1]], 1e-8);
    }
    // In a point no force acts, and the curvature is that of pure compression.
    let level = -lame().lambda() - lame().mu();
    let k = hessian(&term, &[Vec3::ONE; 3], Psd::Exact);
    let expected = DMatrix::<f64>::identity(6, 6) * (level / 2.0);
    assert!((k.view((3, 3), (6, 6)) - expected).norm() < 1e-14);
}

/// psi by its definition.
fn density(law: MembraneLaw, f: &Matrix3x2<f64>) -> f64 {
    let c = f.transpose() * f;
    match law {
        MembraneLaw::StVenantKirchhoff(l) => {
            let g = (c - SMatrix::<f64, 2, 2>::identity()) / 2.0;
            l.mu() * g.norm_squared() + l.lambda() / 2.0 * g.trace().powi(2)
        }
        MembraneLaw::NeoHookean(l) => {
            least_over_the_thickness(l, c.trace(), c.determinant().sqrt()).1
        }
    }
}

/// The triangle whose edges are the unit vectors: F is that of its edges, and its
/// Hessian at nodes 1, 2 is half of d2psi/dF2.
fn corner(law: MembraneLaw) -> impl Energy {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    membrane(&TriMesh { positions, triangles: vec![[0, 1, 2]] }, law)
}

fn corner_at(f: [Vec3; 2]) -> [Vec3; 3] {
    let origin = Vec3::new(0.25, -0.5, 1.0);
    [origin, origin + f[0], origin + f[1]]
}

/// U diag(s) V^T with ordinary, coinciding and extreme values.
fn gradients() -> impl Strategy<Value = [Vec3; 2]> {
    let any = 0.2f64..3.0;
    let stretches = prop_oneof![
        (any.clone(), any.clone()),
        any.clone().prop_map(|a| (a, a)),
        (any, -1e-9f64..1e-9).prop_map(|(a, e)| (a + e, a - e)),
        (-1e-3f64..1e-3).prop_map(|e| (1.0 + e, 1.0)),
        Just((4.0, 0.1)),
        Just((0.05, 0.04)),
        Just((1.0, 1.0)),
    ];
    (rotation(), stretches, -4.0f64..4.0).prop_map(|(u, (s0, s1), v)| {
        let (sin, cos) = v.sin_cos();
        let (a, b) = (u.x_axis * s0, u.y_axis * s1);
        [a * cos - b * sin, a * sin + b * cos]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_value_is_the_density_times_the_area(f in gradients()) {
        for law in laws() {
            let m = Matrix3x2::from_fn(|i, j| f[j][i]);
            let (value, want) = (2.0 * corner(law).value(0.0, &corner_at(f)), density(law, &m));
            let size = 1e-12 * (1.0 + m.norm_squared()).powi(2);
            prop_assert!((value - want).abs() < size, "{law:?}: {value} {want}");
        }
    }

    #[test]
    fn the_membranes_projection_is_the_clamp_of_all_six_eigenvalues(f in gradients()) {
        for law in laws() {
            let of = |psd| hessian(&corner(law), &corner_at(f), psd);
            let (whole, projected) = (of(Psd::Exact), of(Psd::Clamp));
            let size = whole.norm();
            prop_assert!((&whole - whole.transpose()).norm() < 1e-13 * size);
            let want = clamped(&whole.view((3, 3), (6, 6)).into_owned());
            let ours = projected.view((3, 3), (6, 6)).into_owned();
            prop_assert!((&ours - &want).norm() < 1e-12 * size, "{law:?} at {f:?}");
            prop_assert!(projected.symmetric_eigenvalues().min() > -1e-13 * size);
        }
    }

    #[test]
    fn a_membrane_in_tension_is_not_touched(
        u in rotation(), s in prop::array::uniform2(1.05f64..1.2), v in -4.0f64..4.0,
    ) {
        let (sin, cos) = v.sin_cos();
        let (a, b) = (u.x_axis * s[0], u.y_axis * s[1]);
        let x = corner_at([a * cos - b * sin, a * sin + b * cos]);
        for law in laws() {
            prop_assert_eq!(
                hessian(&corner(law), &x, Psd::Exact), hessian(&corner(law), &x, Psd::Clamp)
            );
        }
    }

    #[test]
    fn derivatives_of_the_hinge_agree_with_differences_at_every_angle(
        theta in -3.1f64..3.1, rest in -3.1f64..3.1, turn in rotation(), seed in 0usize..1000,
    ) {
        prop_assume!((theta - rest).abs() > 1e-3);
        let term = bending(&hinge(rest), 2.0, RestAngles::AsGiven);
        let shake = |i: usize| Vec3::from_array(std::array::from_fn(|k| noise(9 * seed + 3 * i + k)));
        let x: Vec<Vec3> = hinge(theta).positions.iter().enumerate()
            .map(|(i, x)| turn * (*x + 0.02 * shake(i))).collect();
        let errors = energy_derivatives(&term, &x, 1e-4);
        let errors = errors.expect("the hinge is bent");
        prop_assert!(errors.gradient < 1e-6 && errors.hessian < 1e-6, "{errors:?}");
    }

    #[test]
    fn the_hinges_projection_is_definite_and_a_majorant(
        theta in -3.1f64..3.1, rest in -3.1f64..3.1, turn in rotation(), seed in 0usize..1000,
    ) {
        let term = bending(&hinge(rest), 2.0, RestAngles::AsGiven);
        let shake = |i: usize| Vec3::from_array(std::array::from_fn(|k| noise(9 * seed + 3 * i + k)));
        let x: Vec<Vec3> = hinge(theta).positions.iter().enumerate()
            .map(|(i, x)| turn * (*x + 0.1 * shake(i))).collect();
        let (exact, ours) = (hessian(&term, &x, Psd::Exact), hessian(&term, &x, Psd::Clamp));
        let size = ours.norm();
        prop_assert!((&ours - ours.transpose()).norm() < 1e-14 * size);
        prop_assert!(ours.symmetric_eigenvalues().min() > -1e-13 * size, "definite");
        prop_assert!((&ours - &exact).symmetric_eigenvalues().min() > -1e-13 * size, "majorant");
        // And not a wasteful one: the clamp in nodal coordinates is the least in norm.
        let least = clamped(&exact).norm();
        prop_assert!(ours.norm() < 1.1 * least, "{} over {least}", ours.norm());
    }

    #[test]
    fn the_angle_is_that_of_the_normals_with_the_sign_of_the_side(theta in -0.999 * PI..0.999 * PI) {
        let mesh = hinge(theta);
        let angles = bending(&hinge(0.0), 1.0, RestAngles::Flat).angles(&mesh.positions);
        prop_assert_eq!(angles[0].0, [0, 1]);
        prop_assert!((angles[0].1 - theta).abs() < 1e-14, "{} {theta}", angles[0].1);
        let normal = |t: usize| {
            let [a, b, c] = mesh.corners(t);
            (b - a).cross(c - a).normalize()
        };
        let cos = normal(0).dot(normal(1));
        prop_assert!((angles[0].1.cos() - cos).abs() < 1e-14);
    }
}

#[test]
fn derivatives_of_bending_agree_with_differences_on_a_curved_surface() {
    let mesh = squares(3, 2);
    let bent = deformed(&mesh.positions, Mat3::from_rotation_x(0.5), 0.2);
    let rest = TriMesh { positions: bent, triangles: mesh.triangles.clone() };
    for (angles, size) in [(RestAngles::Flat, 0.0), (RestAngles::AsGiven, 0.25)] {
        let term = bending(&rest, 0.7, angles);
        let x = deformed(&rest.positions, Mat3::from_rotation_y(1.0), size);
        let errors = energy_derivatives(&term, &x, 1e-3).expect("the surface is bent");
        assert!(errors.gradient < 1e-6 && errors.hessian < 1e-6, "{errors:?}");
    }
}

#[test]
fn without_moments_the_hinges_projection_is_exact() {
    for theta in [-2.5, -0.4, 0.0, 1.0, 3.0] {
        let mesh = hinge(theta);
        let term = bending(&mesh, 2.0, RestAngles::AsGiven);
        let of = |psd| hessian(&term, &mesh.positions, psd);
        let size = of(Psd::Exact).norm();
        assert!(size > 1.0 && (of(Psd::Exact) - of(Psd::Clamp)).norm() < 1e-14 * size);
    }
}

#[test]
fn a_hinge_with_a_crushed_triangle_has_no_angle_and_no_force() {
    let mesh = hinge(0.5);
    let term = bending(&mesh, 2.0, RestAngles::AsGiven);
    let mut x = mesh.positions.clone();
    x[2] = x[0].lerp(x[1], 0.25);
    assert!((term.value(0.0, &x) - term.value(0.0, &hinge(0.0).positions)).abs() < 1e-15);
    assert!(gradient(&term, &x).iter().all(|g| g.is_finite()));
    assert_eq!(gradient(&term, &x)[2], Vec3::ZERO);
    assert!(hessian(&term, &x, Psd::Clamp).iter().all(|k| k.is_finite()));
    for angle in [PI, -PI] {
        // Folded on to itself: at the end of the range, but finite.
        let x = hinge(angle).positions;
        assert!((term.angles(&x)[0].1.abs() - PI).abs() < 1e-12);
        assert!(hessian(&term, &x, Psd::Exact).iter().all(|k| k.is_finite()));
    }
}

/// Stiffness that differs from place to place scales each triangle and each hinge, and the derivatives with it.
#[test]
fn a_shell_that_is_stiffer_in_places_has_the_derivatives_of_its_value() {
    let mesh = squares(3, 2);
    let nodes = mesh.positions.len();
    let shaken = |k: usize| {
        mesh.positions[k] + 0.2 * Vec3::new(noise(3 * k), noise(3 * k + 1), noise(3 * k + 2))
    };
    let x: Vec<Vec3> = (0..nodes).map(shaken).collect();
    let factors: Vec<f64> = (0..nodes).map(|k| 1.5 + noise(7 * k)).collect();
    let terms = |factors: &[f64]| -> [Box<dyn Energy>; 2] {
        let membrane = membrane(&mesh, laws()[0]).scaled(factors).unwrap();
        let bending = bending(&mesh, 0.7, RestAngles::AsGiven).scaled(factors).unwrap();
        [Box::new(membrane), Box::new(bending)]
    };
    for term in terms(&factors) {
        let errors = energy_derivatives(&*term, &x, 1e-4).unwrap();
        assert!(errors.gradient < 1e-7 && errors.hessian < 1e-6, "{}: {errors:?}", term.name());
    }
    // All of it three times as stiff is three times the energy; a part of it is a part of that.
    let [one, three, some] = [vec![1.0; nodes], vec![3.0; nodes], factors]
        .map(|factors| terms(&factors).map(|term| term.value(0.0, &x)));
    for k in 0..2 {
        assert!((three[k] - 3.0 * one[k]).abs() < 1e-12 * three[k], "{three:?} {one:?}");
        assert!(0.5 * one[k] < some[k] && some[k] < 2.5 * one[k], "{some:?} {one:?}");
    }
    for wrong in [0.0, -1.0, f64::NAN] {
        assert!(membrane(&mesh, laws()[0]).scaled(&vec![wrong; nodes]).is_err());
    }
}

/// A curved surface of a random mesh at rest, and one nearby.
fn curved_plate(angles: RestAngles, factors: Option<&[f64]>) -> (PlateBending, Vec<Vec3>) {
    let mesh = rectangle(Cut::Random, [5, 4], [5.0, 4.0]);
    let rest = deformed(&mesh.positions, Mat3::from_rotation_x(0.5), 0.1);
    let plate = PlateStiffness::new(0.7, 0.3).unwrap();
    (PlateBending::new(&rest, &mesh.triangles, plate, angles, factors).unwrap(), rest)
}

#[test]
fn derivatives_of_plates_agree_with_differences_on_a_curved_surface() {
    let factors: Vec<f64> = (0..30).map(|k| 1.5 + noise(7 * k)).collect();
    for (angles, size, factors) in [
        (RestAngles::Flat, 0.0, None),
        (RestAngles::AsGiven, 0.15, None),
        (RestAngles::AsGiven, 0.3, Some(&factors[..])),
    ] {
        let (term, rest) = curved_plate(angles, factors);
        let x = deformed(&rest, Mat3::from_rotation_y(1.0), size);
        let errors = energy_derivatives(&term, &x, 3e-4).expect("the surface is bent");
        assert!(errors.gradient < 1e-6 && errors.hessian < 1e-6, "{errors:?}");
    }
}

#[test]
fn the_plates_projection_is_definite_and_a_majorant() {
    // Of the last the noise is nearly as large as the edges.
    for (size, limit) in [(0.0, 1.001), (0.05, 1.1), (0.3, 1.1), (0.8, 1.5)] {
        let (term, rest) = curved_plate(RestAngles::AsGiven, None);
        let x = deformed(&rest, Mat3::from_rotation_y(1.0), size);
        let (exact, actual) = (hessian(&term, &x, Psd::Exact), hessian(&term, &x, Psd::Clamp));
        let norm = actual.norm();
        assert!((&actual - actual.transpose()).norm() < 1e-14 * norm);
        assert!(actual.clone().symmetric_eigenvalues().min() > -1e-13 * norm, "definite");
        assert!((&actual - &exact).symmetric_eigenvalues().min() > -1e-13 * norm, "majorant");
        if size == 0.0 {
            assert!((&actual - &exact).norm() < 1e-13 * norm, "exact at rest");
        }
        let least = clamped(&exact).norm();
        assert!(actual.norm() < limit * least, "{} over {least} at {size}", actual.norm());
    }
}

/// Which way round triangles are numbered, and in which order, changes nothing.
#[test]
fn plates_are_independent_of_triangle_numbering() {
    let mesh = rectangle(Cut::Random, [5, 4], [5.0, 4.0]);
    let rest = deformed(&mesh.positions, Mat3::IDENTITY, 0.1);
    let x = deformed(&rest, Mat3::IDENTITY, 0.2);
    let plate = PlateStiffness::new(0.7, 0.3).unwrap();
    let value = |triangles: &[[u32; 3]]| {
        PlateBending::new(&rest, triangles, plate, RestAngles::AsGiven, None)
            .unwrap()
            .value(0.0, &x)
    };
    let turned = |(k, &[a, b, c]): (usize, &[u32; 3])| match k % 4 {
        0 => [a, b, c],
        1 => [a, c, b],
        2 => [c, a, b],
        _ => [b, a, c],
    };
    let mut other: Vec<[u32; 3]> = mesh.triangles.iter().enumerate().map(turned).collect();
    other.reverse();
    let (expected, value) = (value(&mesh.triangles), value(&other));
    assert!(expected > 0.1 && (value - expected).abs() < 1e-12 * expected, "{value} {expected}");
}

#[test]
fn a_plate_with_a_crushed_triangle_stays_finite() {
    let (term, mut x) = curved_plate(RestAngles::AsGiven, None);
    x[7] = x[6];
    x[8] = x[9];
    assert!(term.value(0.0, &x).is_finite());
    assert!(gradient(&term, &x).iter().all(|g| g.is_finite()));
    assert!(hessian(&term, &x, Psd::Clamp).iter().all(|k| k.is_finite()));
    x[3].x = f64::NAN;
    assert_eq!(term.value(0.0, &x), f64::INFINITY);
}
