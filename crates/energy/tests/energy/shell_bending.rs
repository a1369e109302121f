//! What bent sheets do, against the theory of plates, beams and rings.

use crate::shell_support::solve::{equilibrium, masses, small_displacement};
use crate::shell_support::*;
use nalgebra::{DMatrix, DVector};
use resile_energy::{Gravity, MembraneLaw, PlaneLame, RestAngles};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_mesh::generate::{CylinderSurface, Disc};
use resile_system::{Energy, Psd};
use std::f64::consts::{PI, TAU};

/// The plates below move across their plane only.
fn in_plane(axis: usize) -> bool {
    axis != 1
}

/// Twice the bending energy a unit area of the surface y = x.k x/2, per flexural rigidity.
/// The second difference over three sizes of patches leaves their areas alone.
fn quadratic_form(patch: impl Fn(usize) -> TriMesh, k: [f64; 3]) -> f64 {
    let energy = |n: usize| {
        let mesh = patch(n);
        let term = bending(&mesh, 1.0, RestAngles::Flat);
        let stiffness = crate::common::hessian(&term, &mesh.positions, Psd::Exact);
        let lift = |p: &Vec3| (k[0] * p.x * p.x + k[1] * p.z * p.z) / 2.0 + k[2] * p.x * p.z;
        let u = mesh.positions.iter().flat_map(|p| [0.0, lift(p), 0.0]);
        let u = DVector::from_iterator(3 * mesh.positions.len(), u);
        (u.dot(&(stiffness * &u)), mesh.area())
    };
    let (one, two, three) = (energy(2), energy(4), energy(6));
    (three.0 - 2.0 * two.0 + one.0) / (three.1 - 2.0 * two.1 + one.1)
}

#[test]
fn on_a_smooth_surface_hinges_are_the_plate_that_their_mesh_makes_them() {
    for (xx, zz, xz) in
        [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.3, -1.2, 0.7)]
    {
        let (trace, gauss): (f64, f64) = (xx + zz, xx * zz - xz * xz);
        let regular = quadratic_form(|n| equilateral(n, n, 1.0), [xx, zz, xz]);
        let expected = trace * trace - 8.0 / 3.0 * gauss;
        assert!((regular - expected).abs() < 1e-12, "equilateral: {regular} {expected}");
        let chequered = quadratic_form(|n| squares(n, n), [xx, zz, xz]);
        let expected = xx * xx + zz * zz + 4.0 * xz * xz;
        assert!((chequered - expected).abs() < 1e-12, "squares: {chequered} {expected}");
    }
}

#[test]
fn a_sheet_rolled_up_without_stretching_has_the_energy_of_a_cylinder() {
    let (facets, width, rows) = (24, 0.3, 5);
    let flat = squares(facets, rows);
    // Facets keep their length h and turn by kappa h each, up to a closed tube.
    for turn in [0.01, 0.1, TAU / facets as f64] {
        let mut corner = vec![Vec3::ZERO];
        for k in 0..facets {
            let angle = turn * k as f64;
            corner.push(corner[k] + Vec3::new(angle.cos(), angle.sin(), 0.0) * width);
        }
        let at = |p: &Vec3| (p.x + facets as f64 / 2.0).round() as usize;
        let scaled = flat.positions.iter().map(|p| *p * width).collect();
        let sheet = TriMesh { positions: scaled, triangles: flat.triangles.clone() };
        let x: Vec<Vec3> =
            flat.positions.iter().map(|p| corner[at(p)] + Vec3::Z * p.z * width).collect();
        let curvature = turn / width;
        // The outer halves of the first and the last facet are not bent.
        let area = (facets - 1) as f64 * width * rows as f64 * width;
        let (value, expected) = (
            bending(&sheet, 0.7, RestAngles::Flat).value(0.0, &x),
            0.7 / 2.0 * curvature * curvature * area,
        );
        assert!((value - expected).abs() < 1e-11 * expected, "{turn}: {value} {expected}");
        let stretch = membrane(&sheet, laws()[0]).value(0.0, &x);
        assert!(stretch.abs() < 1e-25, "rolling stretches nothing: {stretch}");
    }
}

/// Deflection in the middle of a clamped unit square plate with
/// `D (w_xxxx + 2 H w_xxzz + w_zzzz) = q` over `q/D`: Ritz's method with the products
/// of `1 - cos(2 pi m x)`.
fn ritz_deflection(h: f64, count: usize) -> f64 {
    let forms = |m: usize, p: usize| {
        let (same, m) = (if m == p { 0.5 } else { 0.0 }, m as f64);
        (1.0 + same, (TAU * m).powi(2) * same, (TAU * m).powi(4) * same)
    };
    let split = |k: usize| (k / count + 1, k % count + 1);
    let stiffness = DMatrix::from_fn(count * count, count * count, |k, l| {
        let ((m, n), (p, q)) = (split(k), split(l));
        let ((a0, a1, a2), (b0, b1, b2)) = (forms(m, p), forms(n, q));
        a2 * b0 + a0 * b2 + 2.0 * h * a1 * b1
    });
    let load = DVector::from_element(count * count, 1.0);
    let mix = stiffness.cholesky().expect("definite").solve(&load);
    let odd = |m: usize| if m.is_multiple_of(2) { 0.0 } else { 2.0 };
    (0..count * count).map(|k| mix[k] * odd(split(k).0) * odd(split(k).1)).sum()
}

/// Deflection of the middle under unit load and rigidity of a plate whose nodes are held
/// where `held` says.
fn deflection(mesh: &TriMesh, held: &dyn Fn(Vec3) -> bool) -> f64 {
    let term = bending(mesh, 1.0, RestAngles::Flat);
    let loads: Vec<Vec3> = masses(mesh, 1.0).iter().map(|a| Vec3::Y * *a).collect();
    let is_held = |node: usize, axis: usize| in_plane(axis) || held(mesh.positions[node]);
    let u = small_displacement(&[&term], &mesh.positions, &loads, &is_held);
    u.iter().map(|u| u.y).fold(0.0, f64::max)
}

/// A clamp holds two rows of nodes, so that the angle between them is held too. The hinge
/// on the inner row stands for the strip of half a cell on either side, so that the clamp
/// acts half-way between the rows.
///
/// Of squares with alternating diagonals every second node has eight neighbours and the
/// others four; in equilibrium these sink against those by `(k_xx + k_zz) / 12` squared
/// sides, which takes a sixth of `(k_xx + k_zz)^2` off the quadratic form, and leaves,
/// clamped, 5/6 of a plate with H = 2.2.
#[test]
fn a_clamped_square_of_squares_bends_like_the_orthotropic_plate_they_are() {
    let exact = 1.2 * ritz_deflection(2.2, 12);
    // Timoshenko & Woinowsky-Krieger, table 35, is the plate with H = 1.
    let isotropic = ritz_deflection(1.0, 12);
    assert!((isotropic - 0.00126).abs() < 0.00001, "{isotropic}");
    let mut errors = Vec::new();
    for cells in [20, 40, 80] {
        let mesh = squares(cells, cells);
        let inner = cells as f64 / 2.0 - 1.5;
        let held = |p: Vec3| p.x.abs() > inner || p.z.abs() > inner;
        let side = cells as f64 - 1.0;
        errors.push(deflection(&mesh, &held) / side.powi(4) / exact - 1.0);
    }
    assert!(errors[2].abs() < 0.02, "{errors:?}");
    assert!(errors[1].abs() < 0.6 * errors[0].abs() && errors[2].abs() < 0.6 * errors[1].abs());
}

#[test]
fn a_clamped_square_of_equilateral_triangles_bends_like_timoshenkos() {
    let exact = ritz_deflection(1.0, 12);
    let mut errors = Vec::new();
    for (columns, rows) in [(13, 15), (26, 30), (52, 60)] {
        // 15/13 of sqrt(3)/2 is 0.99926: squeezed by that little to fill a square.
        let mut mesh = equilateral(columns + 3, rows + 3, 1.0);
        let side = columns as f64;
        let height = side / rows as f64;
        let middle = Vec3::new((columns + 3) as f64 / 2.0 + 0.25, 0.0, side / 2.0 + 1.5 * height);
        for p in &mut mesh.positions {
            p.z *= height / 0.75_f64.sqrt();
            *p -= middle;
        }
        let half = side / 2.0;
        let held = |p: Vec3| p.x.abs() > half - 0.26 || p.z.abs() > half - 0.6 * height;
        errors.push(deflection(&mesh, &held) / side.powi(4) / exact - 1.0);
    }
    assert!(errors[2].abs() < 0.015, "{errors:?}");
    assert!(errors[1].abs() < 0.6 * errors[0].abs() && errors[2].abs() < 0.6 * errors[1].abs());
}

/// Timoshenko's clamped circular plate sinks by `q R^4 / 64 D`.
#[test]
fn a_clamped_disc_of_rings_is_six_per_cent_too_soft() {
    let mut errors = Vec::new();
    for rings in [10, 20, 40] {
        let radius = rings as f64;
        let mesh = Disc { radius, rings }.build().expect("sizes are positive");
        let held = |p: Vec3| p.length() > radius - 1.5;
        errors.push(deflection(&mesh, &held) * 64.0 / (radius - 0.5).powi(4) - 1.0);
    }
    // The six sectors' triangles are not equilateral but sheared, and refining leaves them so.
    assert!(errors.iter().all(|e| (0.05..0.07).contains(e)), "{errors:?}");
}

/// A strip along x, two squares wide, with diagonals that mirror each other at the middle.
/// All columns are alike, so that no node can sink against its neighbours, and edges
/// across run straight from side to side: this is a beam of the stiffness D times its width.
fn chevrons(columns: usize, side: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    for i in 0..=columns {
        mesh.positions.extend([-1.0, 0.0, 1.0].map(|z| Vec3::new(i as f64, 0.0, z) * side));
    }
    for i in 0..columns {
        let [a, b, c] = [0, 1, 2].map(|k| (3 * i + k) as u32);
        let [d, e, f] = [3, 4, 5].map(|k| (3 * i + k) as u32);
        mesh.triangles.extend([[a, b, e], [a, e, d], [c, e, b], [c, f, e]]);
    }
    mesh
}

/// A strip held at its left end.
#[test]
fn a_cantilever_sags_under_its_own_weight_as_euler_and_bernoulli_say() {
    let mut errors = Vec::new();
    for length in [20, 40, 80] {
        let mesh = chevrons(length, 1.0);
        let term = bending(&mesh, 2.0, RestAngles::Flat);
        let loads: Vec<Vec3> = masses(&mesh, 1.0).iter().map(|m| Vec3::Y * -*m).collect();
        let held = |node: usize, axis: usize| in_plane(axis) || node < 6;
        let u = small_displacement(&[&term], &mesh.positions, &loads, &held);
        let expected = -(length as f64 - 0.5).powi(4) / (8.0 * 2.0);
        errors.push(u[3 * length + 1].y / expected - 1.0);
    }
    assert!(errors[2].abs() < 3e-4, "{errors:?}");
    assert!(errors[1].abs() < 0.3 * errors[0].abs() && errors[2].abs() < 0.3 * errors[1].abs());
}

/// A strip so heavy that it hangs down: the elastica `D theta'' = -q (L - s) cos theta`,
/// clamped at s = 0 and free at L, is integrated by shooting.
#[test]
fn a_heavy_strip_hangs_like_the_elastica() {
    let (cells, load) = (40, 10.0);
    let side = 1.0 / (cells as f64 - 0.5);
    let mesh = chevrons(cells, side);
    let (mut stretch, mut bend) = (
        membrane(&mesh, MembraneLaw::NeoHookean(PlaneLame::from_stretching(1e6, 0.0).unwrap())),
        bending(&mesh, 1.0, RestAngles::Flat),
    );
    let mut weight = Gravity::new(masses(&mesh, load), Vec3::NEG_Y);
    let held = |node: usize, _: usize| node < 6;
    let mut x = mesh.positions.clone();
    equilibrium(&mut [&mut stretch, &mut bend, &mut weight], &mut x, &held, 1e-10);
    let tip = x[3 * cells + 1];
    // The clamp acts half a cell before the second column of nodes.
    let start = Vec3::X * (side / 2.0);
    let (across, down) = elastica(load);
    assert!((tip.x - start.x - across).abs() < 1e-4 && (start.y - tip.y - down).abs() < 1e-4);
    assert!(down > 0.5 && across < 0.8, "the strip hangs far down");
}

/// Where the end of an elastica of unit length and rigidity hangs under the load q.
fn elastica(q: f64) -> (f64, f64) {
    const STEPS: usize = 2000;
    let shoot = |moment: f64| {
        let h = 1.0 / STEPS as f64;
        let slope =
            |s: f64, y: [f64; 4]| [y[1], q * (s - 1.0) * y[0].cos(), y[0].cos(), y[0].sin()];
        let mut y = [0.0, moment, 0.0, 0.0];
        for k in 0..STEPS {
            let s = k as f64 * h;
            let add = |d: [f64; 4], f: f64| std::array::from_fn(|i| y[i] + f * d[i]);
            let a = slope(s, y);
            let b = slope(s + h / 2.0, add(a, h / 2.0));
            let c = slope(s + h / 2.0, add(b, h / 2.0));
            let d = slope(s + h, add(c, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        }
        y
    };
    // theta is the angle downwards; the moment at the free end vanishes.
    let (mut low, mut high) = (0.0, q);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if shoot(middle)[1] > 0.0 { high = middle } else { low = middle }
    }
    let end = shoot(low);
    (end[2], end[3])
}

#[test]
fn a_pinched_ring_gives_way_as_its_bending_stiffness_says() {
    let (radius, height, rigidity) = (0.5, 0.05, 3.0);
    let mut errors = Vec::new();
    for around in [16, 32, 64] {
        let surface = CylinderSurface { radius, height, around, along: 1 };
        let mut mesh = surface.build().expect("sizes are positive");
        // The lids go.
        mesh.positions.truncate(2 * around);
        mesh.triangles.retain(|t| t.iter().all(|&n| (n as usize) < 2 * around));
        let stiff = PlaneLame::from_stretching(1e9, 0.0).expect("positive");
        let (stretch, bend) = (
            membrane(&mesh, MembraneLaw::StVenantKirchhoff(stiff)),
            bending(&mesh, rigidity, RestAngles::AsGiven),
        );
        let mut loads = vec![Vec3::ZERO; 2 * around];
        for node in [0, around] {
            let outward = mesh.positions[node].with_y(0.0).normalize();
            loads[node] = -outward / 2.0;
            loads[node + around / 2] = outward / 2.0;
        }
        // Held along the axis, and against turning and going away, by symmetry.
        let held = |node: usize, axis: usize| {
            let p = mesh.positions[node];
            let on_x = p.z.abs() < 1e-9 && axis == 2;
            let on_z = p.x.abs() < 1e-9 && axis == 0;
            axis == 1 || on_x || on_z
        };
        let terms: [&dyn Energy; 2] = [&stretch, &bend];
        let u = small_displacement(&terms, &mesh.positions, &loads, &held);
        let closer = u[around / 2].distance(u[0]);
        // Timoshenko, Strength of Materials II, section 12: (pi/4 - 2/pi) F R^3 / E I.
        let expected = (PI / 4.0 - 2.0 / PI) * radius.powi(3) / (rigidity * height);
        errors.push(closer / expected - 1.0);
    }
    assert!(errors[2].abs() < 0.01, "{errors:?}");
    assert!(errors[1].abs() < 0.3 * errors[0].abs() && errors[2].abs() < 0.3 * errors[1].abs());
}
