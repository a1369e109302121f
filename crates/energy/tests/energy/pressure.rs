//! Pressure: derivatives, balance, and the work that it does.

use crate::common::*;
use resile_energy::{
    Pressure, PressureError, Schedule, SpringElement, SpringLaw, Springs, StiffnessDamping,
    TriangleError,
};
use resile_math::{Mat3, Vec3};
use resile_mesh::TriMesh;
use resile_mesh::generate::{Icosphere, Torus};
use resile_system::check::{Vacuous, energy_derivatives};
use resile_system::{Dissipation, Energy, Psd};

const PRESSURE: f64 = 130.0;

fn sphere(subdivisions: usize) -> TriMesh {
    Icosphere { radius: 0.2, subdivisions }.build().expect("a sphere")
}

fn always(mesh: &TriMesh) -> Pressure {
    let schedule = Schedule::constant(1.0);
    Pressure::new(mesh.positions.len(), &mesh.triangles, PRESSURE, schedule).expect("closed")
}

/// Squeezed, shaken, and far from the origin.
fn squeezed(mesh: &TriMesh) -> Vec<Vec3> {
    let x = deformed(&mesh.positions, Mat3::from_diagonal(Vec3::new(0.7, 1.2, 1.0)), 0.02);
    x.into_iter().map(|x| x + Vec3::new(3.0, -1.0, 2.0)).collect()
}

fn volume(mesh: &TriMesh, x: &[Vec3]) -> f64 {
    TriMesh { positions: x.to_vec(), triangles: mesh.triangles.clone() }.enclosed_volume()
}

#[test]
fn derivatives_are_those_of_the_value_and_nothing_negative_is_left_by_the_clamp() {
    let torus = Torus { ring_radius: 0.3, tube_radius: 0.1, around_ring: 7, around_tube: 5 };
    for mesh in [sphere(1), torus.build().expect("a torus")] {
        let (pressure, x) = (always(&mesh), squeezed(&mesh));
        let errors = energy_derivatives(&pressure, &x, 1e-3).expect("it presses");
        assert!(errors.gradient < 1e-10 && errors.hessian < 1e-10, "{errors:?}");
        let exact = hessian(&pressure, &x, Psd::Exact).symmetric_eigenvalues();
        assert!(exact.min() < -0.1 * exact.max(), "as much negative curvature as positive");
        assert!(hessian(&pressure, &x, Psd::Clamp).symmetric_eigenvalues().min() >= 0.0);
    }
}

#[test]
fn both_kinds_of_hessian_push_the_same_pairs() {
    let mesh = sphere(1);
    let pairs = |psd| {
        let mut pushes = Pushes::default();
        let mut out = resile_system::Hessian::new(&mut pushes, 0, 1.0);
        always(&mesh).add_hessian(0.0, &mesh.positions, psd, &mut out);
        pushes.0.into_iter().map(|(i, j, _)| (i, j)).collect::<Vec<_>>()
    };
    assert_eq!(pairs(Psd::Exact), pairs(Psd::Clamp));
    assert_eq!(pairs(Psd::Exact).len(), 120, "edges of a sphere of 42 nodes");
}

#[test]
fn the_net_force_and_torque_are_zero() {
    let mesh = sphere(1);
    let x = squeezed(&mesh);
    let force = gradient(&always(&mesh), &x);
    let size: f64 = force.iter().map(|f| f.length()).sum();
    let torque: Vec3 = x.iter().zip(&force).map(|(x, f)| x.cross(*f)).sum();
    assert!(force.iter().sum::<Vec3>().length() < 1e-14 * size);
    assert!(torque.length() < 1e-13 * size);
}

/// The area vectors of a closed surface sum up to nothing, so the three faces at a corner
/// of a tetrahedron push it as much as the fourth would be pushed the other way.
#[test]
fn a_corner_of_a_tetrahedron_is_pushed_away_from_the_opposite_face() {
    let x: Vec<Vec3> = squeezed(&sphere(0))[..4].to_vec();
    let faces = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
    let area = |f: [u32; 3]| {
        let [a, b, c] = f.map(|node| x[node as usize]);
        (b - a).cross(c - a) / 2.0
    };
    let outward = area(faces[0]).dot(x[1] - x[0]).signum();
    let turned = faces.map(|[a, b, c]| if outward > 0.0 { [a, b, c] } else { [a, c, b] });
    let pressure = Pressure::new(4, &turned, PRESSURE, Schedule::constant(1.0)).expect("closed");
    let force = gradient(&pressure, &x);
    for (node, face) in turned.into_iter().enumerate() {
        let expected = area(face) * (PRESSURE / 3.0);
        assert!(
            (force[node] - expected).length() < 1e-14 * expected.length(),
            "{} {expected}",
            force[node]
        );
    }
}

/// The gradient is quadratic along a straight path, so Simpson's rule has its work exactly.
#[test]
fn the_work_of_the_pressure_is_p_times_the_change_of_volume() {
    let mesh = sphere(2);
    let (pressure, from) = (always(&mesh), &mesh.positions);
    let to: Vec<Vec3> = squeezed(&mesh).iter().map(|x| *x * 1.3).collect();
    let force_on = |share: f64| {
        let x: Vec<Vec3> = from.iter().zip(&to).map(|(a, b)| *a + (*b - *a) * share).collect();
        let along = gradient(&pressure, &x);
        -along.iter().zip(from.iter().zip(&to)).map(|(g, (a, b))| g.dot(*b - *a)).sum::<f64>()
    };
    let work = (force_on(0.0) + 4.0 * force_on(0.5) + force_on(1.0)) / 6.0;
    let gained = PRESSURE * (volume(&mesh, &to) - volume(&mesh, from));
    assert!((work - gained).abs() < 1e-12 * gained.abs(), "{work} {gained}");
    assert!(gained > 1.0, "the case is not an empty one: {gained}");
    let fallen = pressure.value(0.0, from) - pressure.value(0.0, &to);
    assert!((fallen - gained).abs() < 1e-12 * gained, "{fallen} {gained}");
}

/// An icosahedron of springs of the edge L: by the virial theorem `30 k (L - L_0) L = 3 p V`
/// with `V = 5/12 (3 + sqrt 5) L^3`, and by its symmetry balance is then everywhere.
#[test]
fn an_inflated_icosahedron_is_in_balance_at_the_size_of_the_virial_theorem() {
    let mesh = sphere(0);
    let edges = mesh.surface().edges;
    let stiffness = 40.0;
    let spring = |e: &[u32; 2]| {
        SpringElement::at_rest(e.map(|node| node as usize), &mesh.positions, stiffness)
    };
    let elements: Vec<SpringElement> = edges.iter().map(spring).collect();
    let rest = elements[0].rest;
    let springs = Springs::new(12, elements, SpringLaw::Hooke).expect("in order");
    let edge = 1.25 * rest;
    let p = 10.0 * stiffness * (edge - rest) / (5.0 / 12.0 * (3.0 + 5.0f64.sqrt()) * edge * edge);
    let pressure = Pressure::new(12, &mesh.triangles, p, Schedule::constant(1.0)).expect("closed");
    let x: Vec<Vec3> = mesh.positions.iter().map(|x| *x * 1.25).collect();
    let (pull, push) = (gradient(&springs, &x), gradient(&pressure, &x));
    for (pull, push) in pull.iter().zip(&push) {
        assert!((*pull + *push).length() < 1e-13 * pull.length(), "{pull} {push}");
    }
    assert!(pull[0].length() > 1.0);
}

#[test]
fn switching_on_costs_p_times_the_volume_at_that_instant() {
    let mesh = sphere(1);
    let window = Schedule::window(1.0, 2.0).expect("a window");
    let pressure = Pressure::new(42, &mesh.triangles, PRESSURE, window).expect("it is closed");
    assert_eq!(
        energy_derivatives(&pressure, &mesh.positions, 1e-3),
        Err(Vacuous::Inactive),
        "before the window"
    );
    let grown = |share: f64| -> Vec<Vec3> {
        mesh.positions.iter().map(|x| *x * (1.0 + share) + Vec3::X * share).collect()
    };
    let work = pressure.work(&grown(0.0), &grown(1.0), [0.5, 1.5]);
    let expected = -PRESSURE * volume(&mesh, &grown(0.5));
    assert!((work - expected).abs() < 1e-13 * expected.abs(), "{work} {expected}");
    let off = pressure.work(&grown(0.0), &grown(1.0), [1.5, 2.0]);
    let expected = PRESSURE * volume(&mesh, &grown(1.0));
    assert!((off - expected).abs() < 1e-13 * expected, "{off} {expected}");
    assert!((pressure.value(1.0, &grown(1.0)) + expected).abs() < 1e-13 * expected);
}

#[test]
fn surfaces_that_hold_no_pressure_are_refused_and_the_edge_is_named() {
    let mesh = sphere(0);
    let make = |triangles: &[[u32; 3]]| {
        Pressure::new(12, triangles, PRESSURE, Schedule::constant(1.0)).map(|_| ())
    };
    let mut open = mesh.triangles.clone();
    let [a, b, c] = open.pop().expect("it has triangles");
    let refused = make(&open);
    let Err(PressureError::Open { triangle, from, to }) = refused else { panic!("{refused:?}") };
    assert!(mesh.triangles[triangle].contains(&from) && mesh.triangles[triangle].contains(&to));
    assert!([a, b, c].contains(&from) && [a, b, c].contains(&to), "an edge of the hole");
    let mut turned = mesh.triangles.clone();
    turned[7].swap(0, 1);
    let refused = make(&turned);
    let Err(PressureError::Unoriented { triangles, .. }) = refused else { panic!("{refused:?}") };
    assert!(triangles.contains(&7), "{triangles:?}");
    let mut lost = mesh.triangles.clone();
    lost[3][1] = 12;
    let refused = TriangleError::NoSuchNode { triangle: 3, node: 12, nodes: 12 };
    assert_eq!(make(&lost), Err(refused.into()));
    lost[3] = [4, 5, 5];
    assert_eq!(make(&lost), Err(TriangleError::Degenerate { triangle: 3, node: 5 }.into()));
    assert_eq!(make(&[]), Err(PressureError::Empty));
    let vague = Pressure::new(12, &mesh.triangles, f64::NAN, Schedule::constant(1.0));
    assert!(matches!(vague, Err(PressureError::NotFinite { .. })));
}

#[test]
fn damping_along_a_pressure_is_none() {
    let mesh = sphere(1);
    let law = StiffnessDamping::new(Box::new(always(&mesh)), 42, 0.1);
    drop(law.lagged(&mesh.positions));
    let damping = law.lagged(&squeezed(&mesh));
    assert_eq!(damping.value(0.0, &squeezed(&mesh)), 0.0);
}
