//! Plates against theory, on structured, crossed and random meshes.

use crate::shell_support::solve::{masses, small_displacement};
use crate::shell_support::*;
use resile_energy::{PlateStiffness, RestAngles};
use resile_math::{Mat3, Vec3};
use resile_mesh::TriMesh;
use resile_system::{Energy, Psd};
use std::f64::consts::PI;

const NU: f64 = 0.3;

fn plate() -> PlateStiffness {
    PlateStiffness::new(1.0, NU).expect("parameters in range")
}

fn flat(mesh: &TriMesh) -> resile_energy::PlateBending {
    plate_bending(mesh, plate(), RestAngles::Flat)
}

/// Plates move across their plane only.
fn in_plane(axis: usize) -> bool {
    axis != 1
}

fn form(term: &dyn Energy, x: &[Vec3], u: &[Vec3]) -> f64 {
    let u = nalgebra::DVector::from_iterator(3 * u.len(), u.iter().flat_map(|u| u.to_array()));
    u.dot(&(crate::common::hessian(term, x, Psd::Exact) * &u))
}

/// Constant curvature has its energy, but for what moment-free ends of a sheet take off.
#[test]
fn constant_curvatures_without_moments_at_the_ends_have_the_energy_of_a_plate() {
    for cut in CUTS {
        let mesh = rectangle(cut, [7, 5], [1.4, 1.0]);
        let term = flat(&mesh);
        // Twist alone has no moment across the ends.
        let twist: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::Y * (p.x * p.z)).collect();
        let (value, expected) = (form(&term, &mesh.positions, &twist), 2.0 * (1.0 - NU) * 1.4);
        assert!((value - expected).abs() < 1e-10 * expected, "{cut:?}: {value} {expected}");
    }
}

/// The second difference over sizes leaves the ends alone.
#[test]
fn constant_curvatures_have_the_energy_of_a_plate_inside() {
    for (cut, tolerance) in [(Cut::Structured, 1e-11), (Cut::Crossed, 1e-11)] {
        for [xx, zz, xz] in
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.3, -1.2, 0.7]]
        {
            let energy = |n: usize| {
                let mesh = rectangle(cut, [n, n], [n as f64, n as f64]);
                let lift =
                    |p: &Vec3| Vec3::Y * (0.5 * (xx * p.x * p.x + zz * p.z * p.z) + xz * p.x * p.z);
                let u: Vec<Vec3> = mesh.positions.iter().map(lift).collect();
                form(&flat(&mesh), &mesh.positions, &u)
            };
            let inside = (energy(10) - 2.0 * energy(8) + energy(6)) / 8.0;
            let expected = xx * xx + zz * zz + 2.0 * NU * xx * zz + 2.0 * (1.0 - NU) * xz * xz;
            assert!(
                (inside - expected).abs() < tolerance * expected,
                "{cut:?} {inside} {expected}"
            );
        }
    }
}

/// Neither does a constant moment put a force on nodes inside.
#[test]
fn constant_curvatures_put_no_force_on_inner_nodes() {
    for cut in CUTS {
        let mesh = rectangle(cut, [12, 12], [12.0, 12.0]);
        let term = flat(&mesh);
        let k = crate::common::hessian(&term, &mesh.positions, Psd::Exact);
        for [xx, zz, xz] in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let lift = |p: &Vec3| 0.5 * (xx * p.x * p.x + zz * p.z * p.z) + xz * p.x * p.z;
            let u = mesh.positions.iter().flat_map(|p| [0.0, lift(p), 0.0]);
            let u = nalgebra::DVector::from_iterator(3 * mesh.positions.len(), u);
            let forces = &k * u;
            for (node, p) in mesh.positions.iter().enumerate() {
                if p.x.abs().max(p.z.abs()) < 2.5 {
                    let force = forces[3 * node + 1];
                    assert!(force.abs() < 1e-9, "{cut:?} {xx} {zz} {xz}: {force} at {p}");
                }
            }
        }
    }
}

/// The lowest eigenvalue above `skip` of a plate, over that of its masses, by nodes that are not held.
fn eigenvalue(mesh: &TriMesh, held: &dyn Fn(Vec3) -> bool, skip: usize) -> f64 {
    let k = crate::common::hessian(&flat(mesh), &mesh.positions, Psd::Exact);
    let free: Vec<usize> =
        (0..mesh.positions.len()).filter(|&i| !held(mesh.positions[i])).collect();
    let m = masses(mesh, 1.0);
    let scaled = nalgebra::DMatrix::from_fn(free.len(), free.len(), |i, j| {
        k[(3 * free[i] + 1, 3 * free[j] + 1)] / (m[free[i]] * m[free[j]]).sqrt()
    });
    let mut values: Vec<f64> = scaled.symmetric_eigenvalues().iter().copied().collect();
    values.sort_by(f64::total_cmp);
    values[skip]
}

/// Errors of 8 and 16 cells: small, and of second order.
fn converges(cut: Cut, [coarse, fine]: [f64; 2], limit: f64) {
    assert!(fine.abs() < limit && fine.abs() < 0.35 * coarse.abs(), "{cut:?}: {coarse} {fine}");
}

/// Held along its rim: `omega = 2 pi^2 sqrt(D/m) / a^2`.
#[test]
fn a_simply_supported_square_swings_like_naviers() {
    for cut in CUTS {
        let error = [8, 16].map(|n| {
            let mesh = rectangle(cut, [n, n], [1.0, 1.0]);
            let rim = |p: Vec3| p.x.abs().max(p.z.abs()) > 0.5 - 1e-9;
            eigenvalue(&mesh, &rim, 0).sqrt() / (2.0 * PI * PI) - 1.0
        });
        converges(cut, error, 0.01);
    }
}

/// Free: `omega = 13.468 sqrt(D/m) / a^2` for nu = 0.3, mostly twist (Leissa 1969, *Vibration of Plates*, table 4.74: 13.489 by Ritz;
/// 13.468 with more functions, Leissa 1973).
#[test]
fn a_free_square_twists_as_leissa_says() {
    for cut in CUTS {
        let error = [8, 16].map(|n| {
            let mesh = rectangle(cut, [n, n], [1.0, 1.0]);
            eigenvalue(&mesh, &|_| false, 3).sqrt() / 13.468 - 1.0
        });
        converges(cut, error, 0.01);
    }
}

/// Saint-Venant's torsion of a thin strip: `E = D (1 - nu) phi^2 b / L`.
#[test]
fn a_twisted_strip_has_saint_venants_energy() {
    for cut in CUTS {
        let mesh = rectangle(cut, [30, 3], [10.0, 1.0]);
        let term = flat(&mesh);
        let ends = |p: Vec3| p.x.abs() > 5.0 - 1e-9;
        let turned = |p: Vec3| if ends(p) { Vec3::Y * (0.1 * p.x * p.z) } else { Vec3::ZERO };
        let u: Vec<Vec3> = mesh.positions.iter().map(|p| turned(*p)).collect();
        let k = crate::common::hessian(&term, &mesh.positions, Psd::Exact);
        let vector =
            nalgebra::DVector::from_iterator(3 * u.len(), u.iter().flat_map(|u| u.to_array()));
        let pull = -(&k * &vector);
        let loads: Vec<Vec3> = (0..u.len())
            .map(|i| Vec3::new(pull[3 * i], pull[3 * i + 1], pull[3 * i + 2]))
            .collect();
        let held = |node: usize, axis: usize| in_plane(axis) || ends(mesh.positions[node]);
        let rest = small_displacement(&[&term], &mesh.positions, &loads, &held);
        let all: Vec<Vec3> = u.iter().zip(&rest).map(|(a, b)| *a + *b).collect();
        let (energy, expected) =
            (0.5 * form(&term, &mesh.positions, &all), (1.0 - NU) * 0.01 * 10.0);
        assert!((energy / expected - 1.0).abs() < 1e-6, "{cut:?}: {energy} {expected}");
    }
}

/// A strip held in two rows, under a load at its end: a beam of stiffness `D (1 - nu^2)` a width, from half-way
/// between the rows on, but for the clamp, which does not let the strip curl.
#[test]
fn a_cantilever_bends_like_a_beam() {
    for cut in CUTS {
        let (length, width) = (10.0, 1.0);
        let mesh = rectangle(cut, [60, 6], [length, width]);
        let row = length / 60.0;
        let held_at = |p: Vec3| p.x < -0.5 * length + 1.4 * row;
        let held = |node: usize, axis: usize| in_plane(axis) || held_at(mesh.positions[node]);
        let end = |p: Vec3| p.x > 0.5 * length - 1e-9;
        let mut ends: Vec<usize> =
            (0..mesh.positions.len()).filter(|&i| end(mesh.positions[i])).collect();
        ends.sort_by(|a, b| mesh.positions[*a].z.total_cmp(&mesh.positions[*b].z));
        let mut loads = vec![Vec3::ZERO; mesh.positions.len()];
        for pair in ends.windows(2) {
            let part = 0.5 * (mesh.positions[pair[1]].z - mesh.positions[pair[0]].z);
            pair.iter().for_each(|&i| loads[i].y += part);
        }
        let term = flat(&mesh);
        let u = small_displacement(&[&term], &mesh.positions, &loads, &held);
        let work: f64 = loads.iter().zip(&u).map(|(f, u)| f.y * u.y).sum();
        let free = length - 0.5 * row;
        let expected = free.powi(3) / (3.0 * (1.0 - NU * NU));
        assert!((work / expected - 1.0).abs() < 0.02, "{cut:?}: {work} {expected}");
    }
}

/// Rolled up along x without stretching, on meshes whose rows stand across.
#[test]
fn a_sheet_rolled_up_without_stretching_has_the_energy_of_the_cylinder() {
    for cut in [Cut::Structured, Cut::Crossed] {
        for radius in [10.0_f64, 1.0, 0.3] {
            let energy = |columns: usize| {
                let mesh = rectangle(cut, [columns, 8], [columns as f64 / 40.0, 0.2]);
                let half: f64 = 0.5 / 40.0;
                // Facets keep their length and turn by the same angle each.
                let turn = 2.0 * (half / radius).asin();
                let roll = |p: &Vec3| {
                    let angle = turn * p.x * 40.0;
                    Vec3::new(radius * angle.sin(), radius * (1.0 - angle.cos()), p.z)
                };
                let x: Vec<Vec3> = mesh.positions.iter().map(roll).collect();
                flat(&mesh).value(0.0, &x)
            };
            let strip = (energy(28) - energy(24)) * 40.0 / 4.0;
            // Along the two long sides, which are free, triangles curl: half of theirs, 2 of 16 rows, is nu^2 less.
            let expected = 0.5 * 0.2 / (radius * radius) * (1.0 - NU * NU / 8.0);
            assert!((strip / expected - 1.0).abs() < 2e-2, "{cut:?} {radius}: {strip} {expected}");
        }
    }
}

/// On a curved surface, at rest and not, and as a whole turned.
#[test]
fn rigid_motions_change_nothing() {
    for cut in CUTS {
        let mesh = rectangle(cut, [6, 5], [1.2, 1.0]);
        let curved = |p: &Vec3| *p + Vec3::Y * (0.3 * p.x * p.x - 0.2 * p.z * p.x);
        let rest =
            TriMesh { positions: mesh.positions.iter().map(curved).collect(), ..mesh.clone() };
        let term = plate_bending(&rest, plate(), RestAngles::AsGiven);
        let turn = Mat3::from_rotation_x(2.0) * Mat3::from_rotation_z(-1.0);
        let moved = |x: &[Vec3]| -> Vec<Vec3> { x.iter().map(|x| turn * *x + Vec3::ONE).collect() };
        assert!(term.value(0.0, &moved(&rest.positions)) < 1e-25);
        let bent = crate::common::deformed(&rest.positions, Mat3::IDENTITY, 0.05);
        let (one, two) = (term.value(0.0, &bent), term.value(0.0, &moved(&bent)));
        assert!(one > 1e-3 && (one - two).abs() < 1e-12 * one, "{one} {two}");
    }
}

#[test]
fn plates_have_the_same_bits_for_any_number_of_threads() {
    let mesh = rectangle(Cut::Random, [30, 20], [30.0, 20.0]);
    let x = crate::common::deformed(&mesh.positions, Mat3::IDENTITY, 0.2);
    let term = flat(&mesh);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be started").install(|| {
            let mut forces = vec![Vec3::ZERO; x.len()];
            let value = term.value_and_gradient(0.0, &x, 1.0, &mut forces);
            assert_eq!(value.to_bits(), term.value(0.0, &x).to_bits());
            assert_eq!(forces, crate::common::gradient(&term, &x));
            (value.to_bits(), forces, crate::common::hessian(&term, &x, Psd::Clamp))
        })
    };
    let one = run(1);
    assert!(run(2) == one && run(5) == one);
}
