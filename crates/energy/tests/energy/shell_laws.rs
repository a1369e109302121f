//! What the energies of shells owe to mechanics.

use crate::common::{Pushes, deformed, gradient, hessian, noise, rotation};
use crate::shell_support::*;
use nalgebra::DVector;
use proptest::prelude::*;
use resile_energy::{
    MembraneLaw, PlaneLame, PlateBending, PlateStiffness, RestAngles, SheetMaterial, ShellBending,
    ShellError, ShellMembrane, StiffnessDamping, TriangleError,
};
use resile_math::{Mat3, Vec3};
use resile_mesh::TriMesh;
use resile_system::check::dissipation_derivatives;
use resile_system::{Dissipation, Energy, Hessian, Path, Psd};

fn norm(v: &[Vec3]) -> f64 {
    v.iter().map(|v| v.length_squared()).sum::<f64>().sqrt()
}

/// A crumpled sheet whose rest shape is curved too.
fn crumpled() -> (TriMesh, Vec<Vec3>) {
    let flat = squares(4, 3);
    let rest = deformed(&flat.positions, Mat3::from_rotation_x(1.0), 0.1);
    let x = deformed(&rest, Mat3::from_diagonal(Vec3::new(1.2, 0.9, 0.8)), 0.15);
    (TriMesh { positions: rest, triangles: flat.triangles }, x)
}

/// All kinds of terms over a mesh.
fn terms(mesh: &TriMesh) -> Vec<Box<dyn Energy>> {
    let mut out: Vec<Box<dyn Energy>> = Vec::new();
    for law in laws() {
        out.push(Box::new(membrane(mesh, law)));
    }
    for angles in [RestAngles::AsGiven, RestAngles::Flat] {
        out.push(Box::new(bending(mesh, 0.3, angles)));
    }
    out
}

#[test]
fn a_rigid_motion_costs_nothing_and_needs_no_force() {
    let (mesh, _) = crumpled();
    let turn = Mat3::from_rotation_y(2.0) * Mat3::from_rotation_z(0.3);
    let moved: Vec<Vec3> = mesh.positions.iter().map(|x| turn * *x + Vec3::ONE).collect();
    for term in &terms(&mesh)[..3] {
        assert!(term.value(0.0, &moved).abs() < 1e-14, "{}", term.name());
        assert!(norm(&gradient(&**term, &moved)) < 1e-13, "{}", term.name());
    }
    let flat = squares(4, 3);
    let moved: Vec<Vec3> = flat.positions.iter().map(|x| turn * *x + Vec3::ONE).collect();
    assert!(bending(&flat, 1.0, RestAngles::Flat).value(0.0, &moved) < 1e-28);
    assert!(
        terms(&mesh)[3].value(0.0, &mesh.positions) > 0.01,
        "a crumpled sheet wants to be flat"
    );
}

#[test]
fn both_laws_linearise_to_hookes_law_in_plane_stress() {
    let mesh = squares(2, 2);
    let (young, poisson, thickness) = (2.0, 0.3, 0.1);
    let sheet = SheetMaterial::new(young, poisson, thickness).expect("parameters in range");
    for law in
        [MembraneLaw::StVenantKirchhoff(sheet.plane()), MembraneLaw::NeoHookean(sheet.plane())]
    {
        let k = hessian(&membrane(&mesh, law), &mesh.positions, Psd::Exact);
        for case in 0..10 {
            // Displacements linear in x and z, in all three directions.
            let h = Mat3::from_cols_array(&std::array::from_fn(|i| noise(9 * case + i)));
            let (xx, zz) = (h.x_axis.x, h.z_axis.z);
            let xz = (h.x_axis.z + h.z_axis.x) / 2.0;
            // Half stress times strain (Timoshenko & Goodier, Theory of Elasticity, section 16).
            let plane = young / (1.0 - poisson * poisson);
            let density = plane / 2.0 * (xx * xx + zz * zz + 2.0 * poisson * xx * zz)
                + young / (1.0 + poisson) * xz * xz;
            let u = mesh.positions.iter().flat_map(|x| (h * *x).to_array());
            let u = DVector::from_iterator(k.nrows(), u);
            let (energy, expected) = (0.5 * u.dot(&(&k * &u)), density * 4.0 * thickness);
            assert!((energy - expected).abs() < 1e-12 * expected, "{law:?}: {energy} {expected}");
        }
    }
}

/// The energy (J/m^2) of a neo-Hookean sheet with these two stretches, of unit shear stiffness.
fn stretched(poisson: f64, [a, b]: [f64; 2]) -> f64 {
    let sheet = SheetMaterial::new(2.0 * (1.0 + poisson), poisson, 1.0).expect("it is a material");
    let triangle =
        TriMesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], triangles: vec![[0, 1, 2]] };
    let law = MembraneLaw::NeoHookean(sheet.plane());
    2.0 * membrane(&triangle, law).value(0.0, &[Vec3::ZERO, Vec3::X * a, Vec3::Y * b])
}

/// Without change of volume the thickness is one over both stretches.
#[test]
fn an_incompressible_sheet_has_the_energy_of_rubber() {
    for (a, b) in [(1.0, 1.0), (1.383, 1.383), (3.0, 0.4), (0.2, 0.3), (8.0, 5.0)] {
        let expected = 0.5 * (a * a + b * b + 1.0 / (a * a * b * b) - 3.0);
        let actual = stretched(0.5, [a, b]);
        assert!(
            (actual - expected).abs() < 1e-14 * (1.0 + expected),
            "{a} {b}: {actual} {expected}"
        );
    }
}

/// A sphere of rubber bears at most `2 mu t/R (7^(-1/6) - 7^(-7/6))`, at a stretch of `7^(1/6)`
/// (Holzapfel, Nonlinear Solid Mechanics, section 6.5).
#[test]
fn a_balloon_of_rubber_bears_its_limit_pressure() {
    // Pressure by dE/dV of a sphere of unit radius: dE = 4 pi dpsi, dV = 4 pi s^2 ds.
    let pressure = |s: f64| {
        let step = 1e-4;
        let slope = (stretched(0.5, [s + step; 2]) - stretched(0.5, [s - step; 2])) / (2.0 * step);
        slope / (s * s)
    };
    let stretches = (0..4000).map(|k| 1.0 + 1e-3 * f64::from(k));
    let (s, most) = stretches
        .map(|s| (s, pressure(s)))
        .reduce(|a, b| if b.1 > a.1 { b } else { a })
        .expect("there are stretches");
    let root = 7_f64.powf(1.0 / 6.0);
    assert!((s - root).abs() < 1e-3, "{s}");
    let expected = 2.0 * (1.0 / root - root.powi(-7));
    assert!((most / expected - 1.0).abs() < 1e-6, "{most} {expected}");
}

/// A strip that is pulled is as a bar of the tetrahedra's law: no stress on its sides, whatever
/// Poisson's ratio.
#[test]
fn a_strip_that_is_pulled_becomes_equally_narrow_and_thin() {
    for poisson in [0.0, 0.2, 0.45, 0.4999] {
        for pull in [0.5, 1.3, 4.0] {
            // The width for which the energy is least.
            let energy = |width: f64| stretched(poisson, [pull, width]);
            let slope = |width: f64| energy(width + 1e-5) - energy(width - 1e-5);
            let (mut low, mut high) = (0.1, 3.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if slope(middle) < 0.0 { low = middle } else { high = middle }
            }
            let sheet = SheetMaterial::new(1.0, poisson, 1.0).expect("it is a material");
            let trace = pull * pull + low * low;
            let (c, _) = least_over_the_thickness(sheet.plane(), trace, pull * low);
            assert!((c.sqrt() - low).abs() < 1e-5, "{poisson}, {pull}: {low} {}", c.sqrt());
        }
    }
}

#[test]
fn a_neo_hookean_sheet_that_becomes_thicker_when_drawn_is_refused() {
    let sheet = |poisson| SheetMaterial::new(1.0, poisson, 0.1).expect("it is a material").plane();
    let made = |law| ShellMembrane::new(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[[0, 1, 2]], law).err();
    assert_eq!(
        made(MembraneLaw::NeoHookean(sheet(-0.25))),
        Some(ShellError::Auxetic { poisson: -0.25 })
    );
    assert_eq!(made(MembraneLaw::StVenantKirchhoff(sheet(-0.25))), None);
    assert_eq!(made(MembraneLaw::NeoHookean(sheet(0.0))), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn energy_is_frame_indifferent(r in rotation(), t in prop::array::uniform3(-5.0f64..5.0)) {
        let (mesh, x) = crumpled();
        let moved: Vec<Vec3> = x.iter().map(|x| r * *x + Vec3::from_array(t)).collect();
        for term in terms(&mesh) {
            let (here, there) = (term.value(0.0, &x), term.value(0.0, &moved));
            prop_assert!((here - there).abs() < 1e-12 * here, "{}: {here} {there}", term.name());
            let (here, there) = (gradient(&*term, &x), gradient(&*term, &moved));
            let apart: Vec<Vec3> = here.iter().zip(&there).map(|(a, b)| r * *a - *b).collect();
            prop_assert!(norm(&apart) < 1e-12 * norm(&here), "{}", term.name());
        }
    }

    #[test]
    fn internal_forces_have_no_resultant(size in 0.01f64..0.2) {
        let (mesh, _) = crumpled();
        let x = deformed(&mesh.positions, Mat3::from_rotation_y(1.0), size);
        for term in terms(&mesh) {
            let g = gradient(&*term, &x);
            let push: Vec3 = g.iter().sum();
            let turn: Vec3 = g.iter().zip(&x).map(|(g, x)| x.cross(*g)).sum();
            prop_assert!(norm(&g) > 1e-3, "the state is strained");
            let size = 1e-13 * (1.0 + norm(&g)) * (1.0 + norm(&x));
            prop_assert!(push.length() < size && turn.length() < size, "{push} {turn}");
        }
    }

    #[test]
    fn the_step_bound_keeps_a_tenth_of_every_area(size in 0.05f64..3.0, seed in 0usize..1000) {
        let mesh = squares(4, 3);
        let from = deformed(&mesh.positions, Mat3::from_rotation_x(0.5), 0.05);
        // In the plane mostly: that is where triangles collapse.
        let shake = |k: usize| Vec3::new(noise(k), 0.1 * noise(k + 1), noise(k + 2));
        let to: Vec<Vec3> = from.iter().enumerate()
            .map(|(i, x)| *x + Mat3::from_rotation_x(0.5) * shake(3 * (i + 100 * seed)) * size)
            .collect();
        let areas = |t: f64| -> Vec<f64> {
            let x: Vec<Vec3> = from.iter().zip(&to).map(|(a, b)| a.lerp(*b, t)).collect();
            let edge = |tri: &[u32; 3], k: usize| x[tri[k] as usize] - x[tri[0] as usize];
            mesh.triangles.iter().map(|t| edge(t, 1).cross(edge(t, 2)).length()).collect()
        };
        let paths = [Path { from: &from, to: &to }];
        let term = membrane(&mesh, laws()[1]);
        let bound = term.step_bound(&paths);
        prop_assert!(bound > 0.0 && bound <= 1.0);
        let start = areas(0.0);
        for k in 0..=200 {
            let now = areas(bound * f64::from(k) / 200.0);
            prop_assert!(now.iter().zip(&start).all(|(v, v0)| *v > 0.1 * v0 * (1.0 - 1e-9)));
        }
        if bound < 1.0 {
            let after = areas(bound * (1.0 + 1e-4) + 1e-5);
            prop_assert!(after.iter().zip(&start).any(|(v, v0)| *v < 0.1 * v0), "{bound}");
        }
        prop_assert_eq!(membrane(&mesh, laws()[0]).step_bound(&paths), 1.0);
    }
}

#[test]
fn the_proof_is_the_least_ratio_of_areas() {
    let mesh = squares(3, 1);
    let mut x = mesh.positions.clone();
    for law in laws() {
        let term = membrane(&mesh, law);
        assert!((term.certificate(&x).min_det_f - 1.0).abs() < 1e-15);
    }
    // The first column of nodes moves half a square towards the second, and back as a mirror image.
    for (shift, least) in [(0.5, 0.5), (1.75, 0.75), (2.5, 1.0)] {
        x[0].x = mesh.positions[0].x + shift;
        x[4].x = mesh.positions[4].x + shift;
        let certificate = membrane(&mesh, laws()[1]).certificate(&x);
        assert!((certificate.min_det_f - least).abs() < 1e-15, "{shift}: {certificate:?}");
    }
    x[4] = x[0];
    assert_eq!(membrane(&mesh, laws()[1]).value(0.0, &x), f64::INFINITY);
    assert!(membrane(&mesh, laws()[0]).value(0.0, &x).is_finite());
}

#[test]
fn non_finite_positions_are_inadmissible() {
    let (mesh, mut x) = crumpled();
    x[7].y = f64::NAN;
    for term in terms(&mesh) {
        assert_eq!(term.value(0.0, &x), f64::INFINITY, "{}", term.name());
    }
    assert_eq!(membrane(&mesh, laws()[0]).certificate(&x).min_det_f, f64::NEG_INFINITY);
}

#[test]
fn a_shell_is_the_sum_of_its_parts_however_many_fill_the_lanes() {
    let (mesh, x) = crumpled();
    for count in 1..=mesh.triangles.len() {
        let some = |range: &[[u32; 3]]| TriMesh {
            positions: mesh.positions.clone(),
            triangles: range.to_vec(),
        };
        let whole = membrane(&some(&mesh.triangles[..count]), laws()[1]);
        assert_eq!(whole.triangle_count(), count);
        let mut value = whole.value(0.0, &x);
        let mut g = gradient(&whole, &x);
        let mut k = hessian(&whole, &x, Psd::Clamp);
        for triangle in mesh.triangles[..count].chunks(1) {
            let part = membrane(&some(triangle), laws()[1]);
            value -= part.value(0.0, &x);
            part.add_gradient(0.0, &x, -1.0, &mut g);
            k -= hessian(&part, &x, Psd::Clamp);
        }
        assert!(value.abs() < 1e-12 && norm(&g) < 1e-12 && k.norm() < 1e-11, "{count}");
    }
    // A fan of hinges: each inner edge is one pair of triangles.
    let whole = bending(&mesh, 0.3, RestAngles::AsGiven);
    let (mut value, mut g) = (whole.value(0.0, &x), gradient(&whole, &x));
    let mut hinges = 0;
    for i in 0..mesh.triangles.len() {
        for j in 0..i {
            let pair = vec![mesh.triangles[j], mesh.triangles[i]];
            let pair = TriMesh { positions: mesh.positions.clone(), triangles: pair };
            let part = bending(&pair, 0.3, RestAngles::AsGiven);
            hinges += part.hinge_count();
            value -= part.value(0.0, &x);
            part.add_gradient(0.0, &x, -1.0, &mut g);
        }
    }
    assert_eq!(hinges, whole.hinge_count());
    assert!(value.abs() < 1e-12 && norm(&g) < 1e-12);
}

#[test]
fn turning_a_triangle_over_changes_nothing() {
    let (mesh, x) = crumpled();
    let mut other = mesh.clone();
    other.triangles.iter_mut().step_by(3).for_each(|t| t.swap(1, 2));
    for (actual, reference) in terms(&mesh).iter().zip(terms(&other)) {
        let (a, b) = (actual.value(0.0, &x), reference.value(0.0, &x));
        assert!((a - b).abs() < 1e-13 * a, "{}: {a} {b}", actual.name());
    }
}

#[test]
fn evaluation_is_bitwise_equal_for_any_number_of_threads() {
    let mesh = squares(60, 50);
    assert!(mesh.triangles.len() > 5000, "several waves of several chunks");
    let x = deformed(&mesh.positions, Mat3::from_rotation_y(1.0), 0.1);
    let to = deformed(&mesh.positions, Mat3::from_rotation_y(2.0), 0.4);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be started").install(|| {
            let mut pushes = Pushes::default();
            let mut rest = Vec::new();
            for term in terms(&mesh) {
                for psd in [Psd::Exact, Psd::Clamp] {
                    term.add_hessian(0.0, &x, psd, &mut Hessian::new(&mut pushes, 0, 1.0));
                }
                let bound = term.step_bound(&[Path { from: &x, to: &to }]);
                rest.push((term.value(0.0, &x), gradient(&*term, &x), bound, term.certificate(&x)));
            }
            (pushes, rest)
        })
    };
    let one = run(1);
    assert!(one.1.iter().all(|r| r.0.is_finite() && r.0 > 0.0) && one.1[1].2 < 1.0);
    for threads in [2, 5] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn stiffness_damping_works_with_both_terms() {
    let (mesh, x) = crumpled();
    let count = x.len();
    let rigid: Vec<Vec3> = mesh.positions.iter().map(|x| Vec3::X + Vec3::Z.cross(*x)).collect();
    let v: Vec<Vec3> =
        (0..count).map(|i| Vec3::new(noise(i), noise(i + 50), noise(i + 99))).collect();
    let terms: [Box<dyn Dissipation>; 2] = [
        Box::new(StiffnessDamping::new(Box::new(membrane(&mesh, laws()[1])), count, 0.1)),
        Box::new(StiffnessDamping::new(
            Box::new(bending(&mesh, 0.3, RestAngles::AsGiven)),
            count,
            0.1,
        )),
    ];
    for law in terms {
        let damping = law.lagged(&mesh.positions);
        assert!(damping.value(0.0, &v) > 1e-3);
        assert!(
            damping.value(0.0, &rigid) < 1e-13 * damping.value(0.0, &v),
            "rigid motion is free at rest"
        );
        let damping = law.lagged(&x);
        let errors = dissipation_derivatives(&*damping, &v, 1e-2).expect("the body moves");
        assert!(errors.gradient < 1e-9 && errors.hessian < 1e-9, "{errors:?}");
    }
}

#[test]
fn invalid_shells_are_rejected_with_numbers() {
    let law = laws()[0];
    let mesh = squares(2, 1);
    let stretch = |mesh: &TriMesh| ShellMembrane::new(&mesh.positions, &mesh.triangles, law).err();
    let bend = |mesh: &TriMesh| {
        let (rest, triangles) = (&mesh.positions, &mesh.triangles);
        let plate = PlateStiffness::new(1.0, 0.3).unwrap();
        let plate = PlateBending::new(rest, triangles, plate, RestAngles::AsGiven, None).err();
        let hinges = ShellBending::new(rest, triangles, 1.0, RestAngles::AsGiven).err();
        assert_eq!(plate, hinges, "both models refuse the same");
        hinges
    };
    let both = |mesh: &TriMesh, expected: ShellError| {
        assert_eq!(stretch(mesh), Some(expected));
        assert_eq!(bend(mesh), Some(expected));
    };
    let mut bad = mesh.clone();
    bad.triangles[1][2] = 9;
    both(&bad, TriangleError::NoSuchNode { triangle: 1, node: 9, nodes: 6 }.into());
    let mut bad = mesh.clone();
    bad.positions[3].x = f64::INFINITY;
    both(&bad, ShellError::NotFinite { node: 3, position: bad.positions[3] });
    let mut bad = mesh.clone();
    let [_, node, _] = bad.triangles[2];
    bad.triangles[2][0] = node;
    both(&bad, TriangleError::Degenerate { triangle: 2, node }.into());
    let mut bad = mesh.clone();
    let [a, b, c] = bad.triangles[2].map(|node| node as usize);
    bad.positions[c] = bad.positions[a].midpoint(bad.positions[b]);
    for refused in [stretch(&bad), bend(&bad)] {
        assert!(matches!(refused, Some(ShellError::NoArea { area: 0.0, .. })), "{refused:?}");
    }

    // Three pages of a book, and a page that is there twice.
    let mut book = hinge(0.0);
    book.positions.push(Vec3::Z);
    book.triangles.push([0, 1, 4]);
    assert_eq!(bend(&book), Some(ShellError::NonManifoldEdge { edge: [0, 1], triangles: 3 }));
    assert_eq!(stretch(&book), None);
    let mut twice = hinge(0.0);
    twice.triangles[1] = [0, 2, 1];
    assert!(matches!(bend(&twice), Some(ShellError::Folded { .. })));

    let refused = |young, poisson, thickness| SheetMaterial::new(young, poisson, thickness).err();
    assert!(matches!(refused(0.0, 0.3, 0.1), Some(ShellError::NotPositive { value: 0.0, .. })));
    assert!(matches!(refused(1.0, 0.3, f64::NAN), Some(ShellError::NotPositive { .. })));
    assert_eq!(refused(1.0, 0.6, 0.1), Some(ShellError::Poisson { poisson: 0.6 }));
    assert_eq!(refused(1.0, -1.0, 0.1), Some(ShellError::Poisson { poisson: -1.0 }));
    assert!(PlaneLame::from_stretching(-1.0, 0.3).is_err());
    assert!(PlateStiffness::new(0.0, 0.3).is_err() && PlateStiffness::new(1.0, 0.6).is_err());
    let zero = ShellBending::new(&mesh.positions, &mesh.triangles, 0.0, RestAngles::Flat);
    let text = zero.expect_err("there is no stiffness").to_string();
    assert_eq!(text, "the flexural rigidity is 0 N m, but must be positive and finite");
}
