//! The shells that finite elements are measured by (`MacNeal` & Harder 1985, *A proposed standard set of problems to test
//! finite element accuracy*; Belytschko, Stolarski, Liu, Carpenter & Ong 1985, *Stress projection for membrane and shear
//! locking in shell finite elements*; Sze, Liu & Lo 2004, *Popular benchmark problems for geometric nonlinear analysis of
//! shells*), whole and not by symmetry.

#![allow(clippy::print_stdout, reason = "the rows of docs/shells.md")]

use crate::shell_support::solve::{equilibrium, masses, small_displacement};
use crate::shell_support::*;
use resile_energy::{
    Force, MembraneLaw, PlateBending, RestAngles, Schedule, SheetMaterial, ShellMembrane,
};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use std::f64::consts::{PI, TAU};

/// A surface over the unit square, of cells with alternating diagonals; closed along the first direction, or not.
fn surface(cells: [usize; 2], closed: bool, at: impl Fn(f64, f64) -> Vec3) -> TriMesh {
    let [nu, nv] = cells;
    let columns = if closed { nu } else { nu + 1 };
    let mut mesh = TriMesh::default();
    for k in 0..=nv {
        let point = |i: usize| at(i as f64 / nu as f64, k as f64 / nv as f64);
        mesh.positions.extend((0..columns).map(point));
    }
    for (i, k) in (0..nv).flat_map(|k| (0..nu).map(move |i| (i, k))) {
        let node = |i: usize, k: usize| (i % columns + columns * k) as u32;
        let [a, b, c, d] = [node(i, k), node(i + 1, k), node(i + 1, k + 1), node(i, k + 1)];
        let even = (i + k).is_multiple_of(2);
        mesh.triangles.extend(if even { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
    }
    mesh
}

struct Shell {
    mesh: TriMesh,
    membrane: ShellMembrane,
    bending: PlateBending,
}

fn shell(mesh: TriMesh, young: f64, poisson: f64, thickness: f64) -> Shell {
    let sheet = SheetMaterial::new(young, poisson, thickness).expect("a material");
    Shell {
        membrane: membrane(&mesh, MembraneLaw::StVenantKirchhoff(sheet.plane())),
        bending: plate_bending(&mesh, sheet.plate(), RestAngles::AsGiven),
        mesh,
    }
}

impl Shell {
    /// The node at a point.
    fn node(&self, p: Vec3) -> usize {
        let far = |i: &usize| self.mesh.positions[*i].distance_squared(p);
        let nearest = (0..self.mesh.positions.len()).min_by(|a, b| far(a).total_cmp(&far(b)));
        nearest.expect("there are nodes")
    }

    fn statics(&self, loads: &[Vec3], held: &dyn Fn(usize, usize) -> bool) -> Vec<Vec3> {
        small_displacement(&[&self.membrane, &self.bending], &self.mesh.positions, loads, held)
    }

    /// Under forces on nodes, in steps.
    fn bend(
        &mut self,
        forces: &[(usize, Vec3)],
        steps: usize,
        held: &dyn Fn(usize, usize) -> bool,
    ) -> Vec<Vec3> {
        let mut x = self.mesh.positions.clone();
        for step in 1..=steps {
            let part = step as f64 / steps as f64;
            let scaled = forces.iter().map(|(node, f)| (*node, *f * part)).collect();
            let mut load = Force::new(x.len(), scaled, Schedule::constant(1.0)).expect("forces");
            let terms: &mut [&mut dyn resile_system::Energy] =
                &mut [&mut self.membrane, &mut self.bending, &mut load];
            equilibrium(terms, &mut x, held, 1e-7);
        }
        x
    }
}

/// A roof of 80 degrees on end walls under its weight: 0.3024 down in the middle of a free side.
fn scordelis_lo(cells: usize) -> f64 {
    let at = |u: f64, v: f64| {
        let angle = (2.0 * u - 1.0) * 40.0 * PI / 180.0;
        Vec3::new(25.0 * angle.sin(), 25.0 * angle.cos(), 50.0 * v)
    };
    let roof = shell(surface([cells, cells], false, at), 4.32e8, 0.0, 0.25);
    let positions = &roof.mesh.positions;
    let loads: Vec<Vec3> = masses(&roof.mesh, 90.0).iter().map(|m| Vec3::NEG_Y * *m).collect();
    let middle = roof.node(at(0.5, 0.5));
    let held = |node: usize, axis: usize| {
        let z = positions[node].z;
        (axis < 2 && (z - 25.0).abs() > 25.0 - 1e-9) || (axis == 2 && node == middle)
    };
    -roof.statics(&loads, &held)[roof.node(at(0.0, 0.5))].y
}

/// A hemisphere with a hole of 18 degrees, pulled at two opposite points of its rim and pushed between them by 2:
/// 0.0935 to 0.094.
fn hemisphere(cells: usize) -> f64 {
    let at = |u: f64, v: f64| {
        let (around, up) = (TAU * u, v * 72.0 * PI / 180.0);
        10.0 * Vec3::new(around.cos() * up.cos(), up.sin(), around.sin() * up.cos())
    };
    let dome = shell(surface([4 * cells, cells], true, at), 6.825e7, 0.3, 0.04);
    let points = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z].map(|d| dome.node(10.0 * d));
    let mut loads = vec![Vec3::ZERO; dome.mesh.positions.len()];
    for (k, &node) in points.iter().enumerate() {
        let out = dome.mesh.positions[node] / 10.0;
        loads[node] = if k < 2 { 2.0 * out } else { -2.0 * out };
    }
    let held = |node: usize, axis: usize| match axis {
        1 => points[..3].contains(&node),
        0 => node == points[2] || node == points[3],
        _ => node == points[0],
    };
    let u = dome.statics(&loads, &held);
    (u[points[0]].x - u[points[1]].x) / 2.0
}

/// A cylinder pinched in the middle: by 1 between end walls 1.8248e-5.
fn pinched_cylinder(cells: usize) -> f64 {
    let at = |u: f64, v: f64| {
        let angle = TAU * u;
        Vec3::new(300.0 * angle.cos(), 300.0 * angle.sin(), 600.0 * v)
    };
    let tube = shell(surface([4 * cells, 2 * cells], true, at), 3e6, 0.3, 3.0);
    let points = [0.0, 0.5].map(|u| tube.node(at(u, 0.5)));
    let mut loads = vec![Vec3::ZERO; tube.mesh.positions.len()];
    loads[points[0]] = Vec3::NEG_X;
    loads[points[1]] = Vec3::X;
    let positions = &tube.mesh.positions;
    let held = |node: usize, axis: usize| {
        let z = positions[node].z;
        (axis < 2 && (z - 300.0).abs() > 300.0 - 1e-9) || (axis == 2 && node == points[0])
    };
    let u = tube.statics(&loads, &held);
    (u[points[1]].x - u[points[0]].x) / 2.0
}

/// A strip, 10 by 1, held at one end and under a load of 4 at the other: 6.698 down.
fn cantilever(cells: usize) -> f64 {
    let width = (cells / 10).max(1);
    let row = 10.0 / cells as f64;
    // The clamp acts half-way between two rows that are held.
    let length = 10.0 + 0.5 * row;
    let at = |u: f64, v: f64| Vec3::new(length * u - 0.5 * row, 0.0, v);
    let mut strip = shell(surface([cells, width], false, at), 1.2e6, 0.0, 0.1);
    let positions = strip.mesh.positions.clone();
    let end = (0..positions.len()).filter(|&i| positions[i].x > 10.0 - 1e-9);
    let weight = |p: Vec3| if (p.z - 0.5).abs() > 0.5 - 1e-9 { 0.5 } else { 1.0 };
    let forces: Vec<(usize, Vec3)> =
        end.map(|i| (i, Vec3::NEG_Y * 4.0 * weight(positions[i]) / width as f64)).collect();
    let held = |node: usize, _: usize| positions[node].x < row;
    let x = strip.bend(&forces, 8, &held);
    -x[strip.node(at(1.0, 0.5))].y
}

/// A tube with open ends, 10.35 long.
fn open_tube(cells: usize) -> (Shell, [usize; 2], [usize; 2]) {
    let at = |u: f64, v: f64| {
        let angle = TAU * u;
        Vec3::new(4.953 * angle.cos(), 4.953 * angle.sin(), 10.35 * v)
    };
    let tube = shell(surface([4 * cells, 2 * cells], true, at), 10.5e6, 0.3125, 0.094);
    let points = [0.0, 0.5].map(|u| tube.node(at(u, 0.5)));
    let across = [0.25, 0.75].map(|u| tube.node(at(u, 0.5)));
    (tube, points, across)
}

/// What keeps a tube from moving as a whole: pulled at `points` along x, `across` them free to come nearer.
fn keeps(points: [usize; 2], across: [usize; 2]) -> impl Fn(usize, usize) -> bool {
    move |node, axis| match axis {
        0 => across.contains(&node),
        1 => points.contains(&node),
        _ => points.contains(&node) || node == across[0],
    }
}

/// Pinched by 100: 0.1139.
fn pinched_tube(cells: usize) -> f64 {
    let (tube, points, across) = open_tube(cells);
    let mut loads = vec![Vec3::ZERO; tube.mesh.positions.len()];
    (loads[points[0]], loads[points[1]]) = (Vec3::NEG_X * 100.0, Vec3::X * 100.0);
    let u = tube.statics(&loads, &keeps(points, across));
    (u[points[1]].x - u[points[0]].x) / 2.0
}

/// Pulled apart by 40,000, far beyond small displacements and through a snap: 2.768 at each side.
fn pulled_tube(cells: usize) -> f64 {
    let (mut tube, points, across) = open_tube(cells);
    let forces = [(points[0], Vec3::X * 40_000.0), (points[1], Vec3::NEG_X * 40_000.0)];
    let x = tube.bend(&forces, 20, &keeps(points, across));
    (x[points[0]].x - x[points[1]].x) / 2.0 - 4.953
}

/// Relative errors of meshes, each finer than the last. Prints the rows of `docs/shells.md`.
fn errors<const N: usize>(of: impl Fn(usize) -> f64, cells: [usize; N], expected: f64) -> [f64; N] {
    let problem = std::any::type_name_of_val(&of);
    cells.map(|cells| {
        let found = of(cells);
        let error = found / expected - 1.0;
        println!("{problem} | {expected} | {cells} | {found:.5e} | {:+.2} %", 100.0 * error);
        error
    })
}

#[test]
fn the_roof_of_scordelis_and_lo_sags() {
    let errors = errors(scordelis_lo, [16, 32, 64], 0.3006);
    assert!(errors[2].abs() < 0.01 && errors[1].abs() < 0.04, "{errors:?}");
    assert!(errors[2].abs() < 0.35 * errors[1].abs(), "second order: {errors:?}");
    assert!(errors[1].abs() < 0.35 * errors[0].abs(), "second order: {errors:?}");
}

#[test]
fn a_hemisphere_with_a_hole_opens() {
    let errors = errors(hemisphere, [8, 16, 32], 0.0935);
    assert!(errors[1].abs() < 0.01 && errors[2].abs() < 0.003, "{errors:?}");
}

/// Under the single forces a mesh is too soft by some `0.05 P h^2 / D`.
#[test]
fn a_pinched_cylinder_between_walls_gives_way() {
    let errors = errors(pinched_cylinder, [16, 32, 48, 64], 1.8248e-5);
    assert!(errors[1].abs() < 0.1 && errors[2].abs() < 0.55 * errors[1].abs(), "{errors:?}");
    assert!(errors[3].abs() < 0.03, "{errors:?}");
}

#[test]
fn a_pinched_tube_gives_way() {
    let errors = errors(pinched_tube, [16, 32], 0.1139);
    assert!(errors[0].abs() < 0.03 && errors[1].abs() < 0.01, "{errors:?}");
}

#[test]
fn a_strip_bends_far_down() {
    let errors = errors(cantilever, [8, 16, 20, 40], 6.698);
    assert!(errors[2].abs() < 0.003 && errors[3].abs() < 0.0005, "{errors:?}");
}

#[test]
fn a_tube_is_pulled_apart() {
    let errors = errors(pulled_tube, [8, 16], 2.768);
    assert!(errors.iter().all(|error| error.abs() < 0.01), "{errors:?}");
}
