//! The springs of a cloth: on a grid, on a mesh without one, and on what is no cloth.

use crate::common::*;
use resile_energy::{
    ClothError, ClothStiffness, SpringElement, SpringLaw, Springs, TriangleError, cloth_springs,
};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_mesh::generate::{Disc, Sheet};
use std::collections::{BTreeMap, BTreeSet};

/// Kinds can be told apart by their stiffness.
const STIFFNESS: ClothStiffness = ClothStiffness { structural: 1.0, shear: 10.0, bending: 1000.0 };

fn springs(mesh: &TriMesh) -> Vec<SpringElement> {
    cloth_springs(&mesh.positions, &mesh.triangles, STIFFNESS).expect("a cloth")
}

fn of_kind(springs: &[SpringElement], low: f64, high: f64) -> Vec<&SpringElement> {
    springs.iter().filter(|s| s.stiffness >= low && s.stiffness < high).collect()
}

fn total(springs: &[&SpringElement]) -> f64 {
    springs.iter().map(|s| s.stiffness).sum()
}

#[test]
fn a_grid_has_threads_two_diagonals_a_square_and_bending_over_a_node() {
    let (nx, nz) = (6, 4);
    let (dx, dz) = (0.1, 0.15);
    let sheet = Sheet { cells: [nx, nz], size: [nx as f64 * dx, nz as f64 * dz] };
    let mesh = sheet.build().expect("a sheet");
    let springs = springs(&mesh);
    let apart = |s: &SpringElement| {
        let [a, b] = s.nodes.map(|node| mesh.positions[node]);
        (((a - b).x.abs() / dx).round() as usize, ((a - b).z.abs() / dz).round() as usize)
    };
    let structural = of_kind(&springs, 1.0, 10.0);
    assert_eq!(structural.len(), nx * (nz + 1) + nz * (nx + 1));
    assert!(structural.iter().all(|s| [(1, 0), (0, 1)].contains(&apart(s)) && s.stiffness == 1.0));
    let shear = of_kind(&springs, 10.0, 1000.0);
    assert_eq!(shear.len(), 2 * nx * nz);
    assert!(shear.iter().all(|s| apart(s) == (1, 1) && s.stiffness == 10.0));
    let bending = of_kind(&springs, 1000.0, f64::INFINITY);
    assert!(bending.iter().all(|s| [(2, 0), (0, 2)].contains(&apart(s))));
    assert_eq!(total(&bending), 1000.0 * ((nx - 1) * nz + nx * (nz - 1)) as f64);
    // One row of nodes has them over every other node, the next over the others.
    let middles: BTreeSet<(usize, usize)> = bending
        .iter()
        .map(|s| {
            let [a, b] = s.nodes.map(|node| (node % (nx + 1), node / (nx + 1)));
            ((a.0 + b.0) / 2, (a.1 + b.1) / 2)
        })
        .collect();
    assert!(middles.iter().all(|(i, k)| (i + k) % 2 == 1), "{middles:?}");
    let inner = (0..=nx).flat_map(|i| (0..=nz).map(move |k| (i, k)));
    let inner = inner.filter(|(i, k)| (i + k) % 2 == 1);
    assert_eq!(middles.len(), inner.count(), "all of them");
    // The springs are in order and at rest.
    let made = Springs::new(mesh.positions.len(), springs, SpringLaw::Hooke).expect("in order");
    assert!(gradient(&made, &mesh.positions).iter().all(|f| *f == Vec3::ZERO));
}

/// The definition, triangle by triangle: the side of each that is longer than both others.
fn longest_sides(mesh: &TriMesh) -> Vec<BTreeSet<usize>> {
    let of = |t: &[u32; 3]| {
        let t = t.map(|node| node as usize);
        let length = |k: usize| mesh.positions[t[k]].distance(mesh.positions[t[(k + 1) % 3]]);
        let k = (0..3).max_by(|&a, &b| length(a).total_cmp(&length(b))).expect("three sides");
        BTreeSet::from([t[k], t[(k + 1) % 3]])
    };
    mesh.triangles.iter().map(of).collect()
}

#[test]
fn on_a_shaken_disc_diagonals_are_the_longest_sides_of_both_their_triangles() {
    let mut mesh = Disc { radius: 1.0, rings: 6 }.build().expect("a disc");
    for (i, x) in mesh.positions.iter_mut().enumerate() {
        *x += Vec3::new(noise(2 * i), 0.0, noise(2 * i + 1)) * 0.05;
    }
    let mut longest_in: BTreeMap<BTreeSet<usize>, usize> = BTreeMap::new();
    longest_sides(&mesh).into_iter().for_each(|side| *longest_in.entry(side).or_default() += 1);
    let diagonals: BTreeSet<_> =
        longest_in.into_iter().filter(|(_, in_two)| *in_two == 2).map(|(side, _)| side).collect();
    let surface = mesh.surface();
    let edges: BTreeSet<BTreeSet<usize>> =
        surface.edges.iter().map(|e| e.iter().map(|&node| node as usize).collect()).collect();
    let boundary = 6 * 6;

    let springs = springs(&mesh);
    let nodes = |s: &&SpringElement| BTreeSet::from(s.nodes);
    let structural: BTreeSet<_> = of_kind(&springs, 1.0, 10.0).iter().map(nodes).collect();
    let shear: BTreeSet<_> = of_kind(&springs, 10.0, 1000.0).iter().map(nodes).collect();
    let bending = of_kind(&springs, 1000.0, f64::INFINITY);
    assert!(diagonals.len() > 10 && structural.len() > 100, "the case is not an empty one");
    assert_eq!(structural, edges.difference(&diagonals).cloned().collect());
    assert!(shear.is_superset(&diagonals));
    assert_eq!(shear.len(), 2 * diagonals.len());
    assert!(shear.difference(&diagonals).all(|other| !edges.contains(other)));
    let across = edges.len() - boundary - diagonals.len();
    assert_eq!(total(&bending), 1000.0 * across as f64);
}

#[test]
fn a_regular_disc_has_diagonals_nowhere_by_rounding() {
    // The six triangles around the middle are equilateral, up to rounding.
    let mesh = Disc { radius: 0.3, rings: 1 }.build().expect("a disc");
    let springs = springs(&mesh);
    assert_eq!(of_kind(&springs, 1.0, 10.0).len(), 12);
    assert_eq!(of_kind(&springs, 10.0, 1000.0).len(), 0);
    assert_eq!(total(&of_kind(&springs, 1000.0, 1e9)), 6000.0);
}

#[test]
fn a_kind_without_stiffness_is_left_out() {
    let mesh = Sheet { cells: [3, 3], size: [1.0, 1.0] }.build().expect("a sheet");
    let only = ClothStiffness { structural: 0.0, shear: 2.0, bending: 0.0 };
    let springs = cloth_springs(&mesh.positions, &mesh.triangles, only).expect("a cloth");
    assert_eq!(springs.len(), 18);
    assert!(springs.iter().all(|s| s.stiffness == 2.0));
}

#[test]
fn meshes_that_are_no_cloth_are_refused() {
    let x = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, -Vec3::Z];
    let make = |triangles: &[[u32; 3]]| cloth_springs(&x, triangles, STIFFNESS);
    let book = make(&[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
    assert_eq!(book, Err(ClothError::Branching { edge: [0, 1], triangles: 3 }));
    let lost = make(&[[0, 1, 2], [1, 5, 0]]);
    assert_eq!(lost, Err(TriangleError::NoSuchNode { triangle: 1, node: 5, nodes: 5 }.into()));
    let thin = TriangleError::Degenerate { triangle: 0, node: 3 };
    assert_eq!(make(&[[0, 3, 3]]), Err(thin.into()));
    for stiffness in [-1.0, f64::INFINITY] {
        let odd = ClothStiffness { shear: stiffness, ..STIFFNESS };
        let refused = cloth_springs(&x, &[[0, 1, 2]], odd);
        assert_eq!(refused, Err(ClothError::Stiffness { kind: "shear", stiffness }));
    }
}
