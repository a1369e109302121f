//! Volumes, masses, areas, topology and placement obey their laws on any mesh.

use proptest::prelude::*;
use resile_math::{Mat3, Vec3};
use resile_mesh::generate::{Ball, BoxGrid, Cylinder};
use resile_mesh::{MeshError, Placement, PlacementError, Surface, TetMesh, TriMesh};
use std::collections::{BTreeMap, BTreeSet};

fn solids() -> [TetMesh; 3] {
    [
        BoxGrid { cells: [2, 3, 1], size: Vec3::new(1.0, 0.5, 2.0) }.build().unwrap(),
        Ball { radius: 0.7, layers: 3 }.build().unwrap(),
        Cylinder { radius: 0.3, height: 1.0, rings: 2, layers: 3 }.build().unwrap(),
    ]
}

fn one_tet() -> TetMesh {
    TetMesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], tets: vec![[0, 1, 2, 3]] }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

#[test]
fn tetrahedron_measures_equal_their_closed_forms() {
    let mesh = one_tet();
    assert_eq!(mesh.volumes(), [1.0 / 6.0]);
    assert_eq!(mesh.centroid(), Some(Vec3::splat(0.25)));
    assert_eq!(mesh.lumped_masses(24.0), [1.0; 4]);
    let quality = mesh.quality().unwrap();
    // Three right angles, and three of arctan sqrt 2.
    assert!(close(quality.smallest_dihedral, 2.0_f64.sqrt().atan().to_degrees()));
    assert!(close(quality.median_dihedral, 90.0));
    assert_eq!((quality.smallest_edge, quality.largest_edge), (1.0, 2.0_f64.sqrt()));
    let surface = mesh.surface();
    assert_eq!(surface.vertices, [0, 1, 2, 3]);
    assert_eq!(surface.edges, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    assert_eq!(surface.triangles, [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]);
}

#[test]
fn dihedral_angle_of_a_thin_sliver_is_accurate() {
    let mut mesh = one_tet();
    mesh.positions[3] = Vec3::new(0.25, 0.25, 1e-9);
    let angle = mesh.quality().unwrap().smallest_dihedral;
    // Over the edges on the axes the height 1e-9 stands 0.25 inside.
    assert!((angle.to_radians() / 2.828_427_124_746_19e-9 - 1.0).abs() < 1e-9, "{angle:e}");
}

#[test]
fn boundary_equals_an_exhaustive_search() {
    for mesh in solids() {
        let mut uses: BTreeMap<BTreeSet<u32>, usize> = BTreeMap::new();
        for tet in &mesh.tets {
            for opposite in 0..4 {
                let face = (0..4).filter(|&k| k != opposite).map(|k| tet[k]).collect();
                *uses.entry(face).or_default() += 1;
            }
        }
        let outer: BTreeSet<BTreeSet<u32>> =
            uses.into_iter().filter(|(_, n)| *n == 1).map(|(face, _)| face).collect();
        let surface = mesh.surface();
        assert_eq!(outer.len(), surface.triangles.len());
        assert!(surface.triangles.iter().all(|t| outer.contains(&BTreeSet::from(*t))));
        let vertices: BTreeSet<u32> = outer.iter().flatten().copied().collect();
        assert_eq!(surface.vertices, vertices.into_iter().collect::<Vec<_>>());
        let pairs = |face: &BTreeSet<u32>| {
            let corners: Vec<u32> = face.iter().copied().collect();
            [[corners[0], corners[1]], [corners[0], corners[2]], [corners[1], corners[2]]]
        };
        let edges: BTreeSet<[u32; 2]> = outer.iter().flat_map(pairs).collect();
        assert_eq!(surface.edges, edges.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn boundary_has_the_area_and_volume_of_the_solid() {
    for mesh in solids() {
        let (surface, boundary) = (mesh.surface(), mesh.boundary());
        assert!(boundary.positions.len() < mesh.positions.len() || mesh.tets.len() < 40);
        for (t, triangle) in surface.triangles.iter().enumerate() {
            assert_eq!(boundary.corners(t), triangle.map(|v| mesh.positions[v as usize]));
        }
        assert_eq!(boundary.bounds(), mesh.bounds());
    }
}

#[test]
fn vertex_and_edge_areas_sum_to_the_surface_area() {
    for mesh in solids() {
        let (surface, area) = (mesh.surface(), mesh.boundary().area());
        let vertices: f64 = surface.vertex_areas(&mesh.positions).iter().sum();
        let edges: f64 = surface.edge_areas(&mesh.positions).iter().sum();
        assert!(close(vertices, area) && close(edges, area), "{vertices} {edges} {area}");
    }
}

#[test]
fn shared_edge_gets_a_third_of_both_triangle_areas() {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(3.0, 3.0, 0.0)];
    let mesh = TriMesh { positions, triangles: vec![[0, 1, 2], [2, 1, 3]] };
    let surface = mesh.surface();
    assert_eq!(surface.edges, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
    let [small, large] = [0.5 / 3.0, 2.5 / 3.0];
    let both = small + large;
    let close_to =
        |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(*a, *b));
    assert!(close_to(&surface.edge_areas(&mesh.positions), &[small, small, both, large, large]));
    assert!(close_to(&surface.vertex_areas(&mesh.positions), &[small, both, both, large]));
}

#[test]
fn invalid_solids_are_rejected_with_the_element_number() {
    let grid = solids()[0].clone();
    assert_eq!(TetMesh::default().check(), Err(MeshError::Empty));
    let with = |change: fn(&mut TetMesh)| {
        let mut mesh = grid.clone();
        change(&mut mesh);
        mesh.check().unwrap_err()
    };
    assert_eq!(with(|m| m.positions[5].y = f64::NAN), MeshError::NotFinite { node: 5 });
    let (node, nodes) = (99, grid.positions.len());
    let wild = with(|m| m.tets[7][2] = 99);
    assert_eq!(wild, MeshError::NodeOutOfRange { tet: 7, node, nodes });
    assert_eq!(with(|m| m.positions.push(Vec3::ZERO)), MeshError::UnusedNode { node: nodes });
    let turned = with(|m| m.tets[4].swap(0, 1));
    assert!(matches!(turned, MeshError::Inverted { tets, volume } if tets == [4] && volume < 0.0));
    let flat = with(|m| m.tets[9][0] = m.tets[9][1]);
    assert!(matches!(flat, MeshError::Inverted { tets, volume: 0.0 } if tets == [9]));
    let twice = with(|m| m.tets.push(m.tets[3]));
    assert!(matches!(twice, MeshError::Overlap { first: 3, second: 36 }), "{twice}");
}

#[test]
fn surface_without_triangles_is_empty() {
    assert_eq!(Surface::from_triangles(vec![]), Surface::default());
    assert_eq!(TetMesh::default().surface(), Surface::default());
    assert_eq!(TetMesh::default().quality(), None);
    assert_eq!(TetMesh::default().centroid(), None);
    assert_eq!(TriMesh::default().bounds(), None);
    assert_eq!(TriMesh::default().enclosed_volume(), 0.0);
}

#[test]
fn mirroring_singular_and_nan_placements_are_rejected_without_effect() {
    let refuse = |linear: Mat3, translation: Vec3| {
        let mut mesh = one_tet();
        let error = Placement { linear, translation }.apply(&mut mesh.positions).unwrap_err();
        assert_eq!(mesh, one_tet());
        error
    };
    let mirror = Mat3::from_diagonal(Vec3::new(1.0, -1.0, 2.0));
    let oriented = |determinant| PlacementError::NotOrientationPreserving { determinant };
    assert_eq!(refuse(mirror, Vec3::ZERO), oriented(-2.0));
    assert_eq!(refuse(Mat3::from_diagonal(Vec3::new(1.0, 0.0, 1.0)), Vec3::ZERO), oriented(0.0));
    assert_eq!(refuse(Mat3::IDENTITY, Vec3::new(0.0, f64::NAN, 0.0)), PlacementError::NotFinite);
    assert_eq!(refuse(Mat3::IDENTITY * f64::INFINITY, Vec3::ZERO), PlacementError::NotFinite);
    let huge = refuse(Mat3::IDENTITY * 1e200, Vec3::ZERO);
    assert!(matches!(huge, PlacementError::NotOrientationPreserving { .. }));
}

fn vector(range: std::ops::Range<f64>) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(range).prop_map(Vec3::from_array)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        rng_seed: proptest::test_runner::RngSeed::Fixed(4),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn placement_scales_volumes_and_masses_and_moves_the_centroid(
        scale in vector(0.1..10.0), axis in vector(-1.0..1.0), angle in -3.0..3.0,
        translation in vector(-10.0..10.0),
    ) {
        let axis = axis.try_normalize().unwrap_or(Vec3::X);
        let placement = Placement::new(scale, Mat3::from_axis_angle(axis, angle), translation);
        for mesh in solids() {
            let mut placed = mesh.clone();
            placement.apply(&mut placed.positions).unwrap();
            prop_assert_eq!(placed.check(), Ok(()));
            let volume = mesh.volume() * scale.element_product();
            prop_assert!((placed.volume() / volume - 1.0).abs() < 1e-11);
            let mass: f64 = placed.node_masses(1200.0).iter().sum();
            prop_assert!((mass / (1200.0 * volume) - 1.0).abs() < 1e-11);
            let expected = placement.linear * mesh.centroid().unwrap() + translation;
            prop_assert!(placed.centroid().unwrap().distance(expected) < 1e-11);
            let moved = Placement::new(Vec3::ONE, Mat3::IDENTITY, translation);
            let mut quality = mesh.clone();
            moved.apply(&mut quality.positions).unwrap();
            let (before, after) = (mesh.quality().unwrap(), quality.quality().unwrap());
            prop_assert!((before.smallest_dihedral - after.smallest_dihedral).abs() < 1e-9);
        }
    }

    /// Lumping to the corners keeps the first moment exactly: the mass times the
    /// centroid is what the nodes carry.
    #[test]
    fn lumped_masses_have_the_centroid_of_the_solid(shift in vector(-5.0..5.0)) {
        for mut mesh in solids() {
            mesh.positions.iter_mut().for_each(|p| *p = *p * (1.0 + 0.1 * p.x) + shift);
            let masses = mesh.lumped_masses(3.0);
            let moment: Vec3 = mesh.positions.iter().zip(&masses).map(|(p, m)| *p * *m).sum();
            let mass: f64 = masses.iter().sum();
            prop_assert!((moment / mass).distance(mesh.centroid().unwrap()) < 1e-12);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        rng_seed: proptest::test_runner::RngSeed::Fixed(31),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Against all elements: one of them holds a point inside, and no other holds it
    /// better; from outside the weights still give the point.
    #[test]
    fn point_location_finds_the_containing_element(
        p in prop::array::uniform3(-1.2..1.2), which in 0..3_usize,
    ) {
        let (mesh, p) = (&solids()[which], Vec3::from_array(p));
        let found = mesh.locate(&[p])[0];
        let corners = mesh.corners(found.tet as usize);
        let there: Vec3 = corners.iter().zip(found.weights).map(|(c, w)| *c * w).sum();
        prop_assert!((there - p).length() < 1e-12, "{there} {p}");
        prop_assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let share = |tet: usize| {
            let x = mesh.corners(tet);
            let mut least = f64::INFINITY;
            for k in 0..4 {
                let mut moved = x;
                moved[k] = p;
                let [a, b, c, d] = moved;
                least = least.min((b - a).cross(c - a).dot(d - a) / 6.0 / mesh.volumes()[tet]);
            }
            least
        };
        let best = (0..mesh.tets.len()).map(share).fold(f64::NEG_INFINITY, f64::max);
        let least = found.weights.into_iter().fold(f64::INFINITY, f64::min);
        prop_assert_eq!(best > 1e-9, least > 1e-9);
        if best > 0.0 {
            prop_assert!((best - least).abs() < 1e-9, "{} {}", best, least);
        }
    }
}
