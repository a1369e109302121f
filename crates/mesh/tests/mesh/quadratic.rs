//! Quadratic meshes are the solids of their linear ones.

use resile_math::Vec3;
use resile_mesh::generate::{Ball, BoxGrid, Cylinder};
use resile_mesh::read::{Group, Groups, OtherSolidPolicy, SolidMesh, read_gmsh, read_vtu};
use resile_mesh::write::{write_gmsh_quadratic, write_vtu_quadratic};
use resile_mesh::{QuadraticMesh, TetMesh};
use std::f64::consts::PI;

fn solids() -> Vec<(TetMesh, QuadraticMesh)> {
    let mut solids: Vec<TetMesh> = [[1, 1, 1], [2, 2, 2], [1, 2, 8], [3, 3, 3]]
        .map(|cells| BoxGrid { cells, size: Vec3::new(1.0, 0.7, 1.3) }.build().unwrap())
        .to_vec();
    solids.extend([1, 3].map(|layers| Ball { radius: 0.7, layers }.build().unwrap()));
    solids
        .into_iter()
        .map(|mesh| {
            let quadratic = mesh.quadratic();
            (mesh, quadratic)
        })
        .collect()
}

#[test]
fn quadratic_mesh_has_one_midpoint_node_per_edge() {
    for (linear, mesh) in solids() {
        let mut edges = std::collections::BTreeSet::new();
        for (tet, element) in linear.tets.iter().zip(&mesh.elements) {
            assert_eq!(tet[..], element[..4]);
            let mut middles = element[4..].iter();
            for i in 0..4 {
                for j in i + 1..4 {
                    let [a, b] = [tet[i], tet[j]].map(|node| linear.positions[node as usize]);
                    let middle = mesh.positions[*middles.next().unwrap() as usize];
                    assert_eq!(middle, 0.5 * (a + b));
                    edges.insert([tet[i].min(tet[j]), tet[i].max(tet[j])]);
                }
            }
        }
        assert_eq!(mesh.positions.len(), linear.positions.len() + edges.len());
    }
}

#[test]
fn refinement_splits_each_element_into_eight_of_equal_volume() {
    for (linear, mesh) in solids() {
        let pieces = mesh.refined();
        assert_eq!(pieces.check(), Ok(()));
        assert_eq!(pieces.tets.len(), 8 * linear.tets.len());
        assert!((pieces.volume() / linear.volume() - 1.0).abs() < 1e-12);
        for (volumes, whole) in pieces.volumes().chunks(8).zip(linear.volumes()) {
            assert!(volumes.iter().all(|v| (v / whole - 0.125).abs() < 1e-12), "{volumes:?}");
        }
        let (fine, coarse) = (pieces.boundary(), linear.boundary());
        assert_eq!(fine.triangles.len(), 4 * coarse.triangles.len());
        assert!((fine.area() / coarse.area() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn quadratic_node_masses_have_the_exact_moments_for_one_cell_and_more() {
    for (linear, mesh) in solids() {
        let masses = mesh.node_masses(1200.0);
        let moments = linear.moments().unwrap();
        let mass: f64 = masses.iter().sum();
        assert!((mass / (1200.0 * moments.volume) - 1.0).abs() < 1e-12);
        let first: Vec3 = mesh.positions.iter().zip(&masses).map(|(p, m)| *p * *m).sum();
        assert!((first / mass).distance(moments.center) < 1e-12);
        let error = moments.inertia_error(&mesh.positions, &masses);
        assert!(error < 1e-11, "{error:e}");
        assert!(masses.iter().all(|m| *m > 0.0));
    }
}

/// Balls of radius 0.7 and cylinders of radius 0.7 and height 0.9 of a resolution.
fn curved(resolution: usize) -> [QuadraticMesh; 2] {
    let ball = Ball { radius: 0.7, layers: resolution };
    let cylinder = Cylinder { radius: 0.7, height: 0.9, rings: resolution, layers: 1 };
    let (of_ball, of_cylinder) = (ball.build().unwrap(), cylinder.build().unwrap());
    [
        of_ball.quadratic_with_curved_edges(&ball.curved_edges(&of_ball)),
        of_cylinder.quadratic_with_curved_edges(&cylinder.curved_edges(&of_cylinder)),
    ]
}

/// Volume, and second moment along x, of the solids that [`curved`] approximates.
fn exact() -> [[f64; 2]; 2] {
    let r = 0.7_f64;
    let (ball, cylinder) = (PI * 4.0 / 3.0 * r.powi(3), PI * r * r * 0.9);
    [[ball, ball * r * r / 5.0], [cylinder, cylinder * r * r / 4.0]]
}

#[test]
fn volume_and_second_moments_of_curved_solids_converge_with_order_four() {
    let errors = |resolution: usize| -> Vec<f64> {
        let meshes = curved(resolution);
        let both = meshes.iter().zip(exact());
        both.flat_map(|(mesh, [volume, second])| {
            let moments = mesh.moments().unwrap();
            [moments.volume / volume - 1.0, moments.second.x_axis.x / second - 1.0]
        })
        .collect()
    };
    let (coarse, fine) = (errors(3), errors(6));
    for (coarse, fine) in coarse.iter().zip(&fine) {
        let order = (coarse / fine).log2();
        assert!((order - 4.0).abs() < 0.25 && fine.abs() < 1e-4, "{coarse} {fine}: {order}");
    }
    // With straight edges the order is two.
    let straight = |layers: usize| {
        let volume = Ball { radius: 0.7, layers }.build().unwrap().volume();
        volume / exact()[0][0] - 1.0
    };
    let (coarse, fine) = (straight(3), straight(6));
    assert!(((coarse / fine).log2() - 2.0).abs() < 0.25 && fine.abs() > 1e-2, "{coarse} {fine}");
}

#[test]
fn node_masses_of_curved_solids_have_their_exact_moments() {
    for mesh in curved(1).into_iter().chain(curved(3)) {
        let masses = mesh.node_masses(1200.0);
        let moments = mesh.moments().unwrap();
        let mass: f64 = masses.iter().sum();
        assert!((mass / (1200.0 * moments.volume) - 1.0).abs() < 1e-12);
        let first: Vec3 = mesh.positions.iter().zip(&masses).map(|(p, m)| *p * *m).sum();
        assert!((first / mass).distance(moments.center) < 1e-12);
        let error = moments.inertia_error(&mesh.positions, &masses);
        assert!(error < 1e-11, "{error:e}");
        assert!(masses.iter().all(|m| *m > 0.0));
    }
}

#[test]
fn moments_of_straight_quadratic_elements_are_those_of_linear_ones() {
    for (linear, mesh) in solids() {
        let (ours, theirs) = (mesh.moments().unwrap(), linear.moments().unwrap());
        assert!((ours.volume / theirs.volume - 1.0).abs() < 1e-13);
        assert!(ours.center.distance(theirs.center) < 1e-13);
        assert!(ours.second.abs_diff_eq(theirs.second, 1e-13));
        assert_eq!(mesh.curved_count(), 0);
    }
}

/// The readers return every node to the bit, and the groups.
#[test]
fn curved_solids_are_written_as_second_order_tetrahedra_and_read_back() {
    let ball = Ball { radius: 0.7, layers: 2 };
    let linear = ball.build().unwrap();
    let curved = ball.curved_edges(&linear);
    let mesh = linear.quadratic_with_curved_edges(&curved);
    let outside = linear.surface();
    let group = Group { nodes: outside.vertices, faces: outside.triangles, ..Group::default() };
    let inner = Group { nodes: linear.tets[3].to_vec(), elements: vec![3], ..Group::default() };
    let mut sorted = inner;
    sorted.nodes.sort_unstable();
    let groups = Groups::from([("outside".to_owned(), group), ("one".to_owned(), sorted)]);
    let (mut gmsh, mut vtu) = (Vec::new(), Vec::new());
    write_gmsh_quadratic(&mesh, &groups, &mut gmsh).unwrap();
    write_vtu_quadratic(&mesh, &groups, &mut vtu).unwrap();
    let read: [SolidMesh; 2] = [
        read_gmsh(&gmsh[..], OtherSolidPolicy::Refuse).unwrap(),
        read_vtu(&vtu[..], OtherSolidPolicy::Refuse).unwrap(),
    ];
    for read in read {
        assert_eq!(read.curved, curved);
        assert_eq!(read.mesh.quadratic_with_curved_edges(&read.curved), mesh);
        for (name, group) in &groups {
            assert_eq!(read.groups[name].elements, group.elements, "{name}");
            let corners: Vec<u32> = read.groups[name]
                .nodes
                .iter()
                .copied()
                .filter(|&n| (n as usize) < linear.positions.len())
                .collect();
            assert_eq!(corners, group.nodes, "{name}");
        }
    }
}
