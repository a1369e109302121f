//! Quadratic meshes are the solids of their linear ones.

use resile_math::Vec3;
use resile_mesh::generate::{Ball, BoxGrid};
use resile_mesh::{QuadraticMesh, TetMesh};

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
