//! Every generated shape is a valid mesh of the size and form it claims.

use proptest::prelude::*;
use resile_linalg::Vec3;
use resile_mesh::generate::{
    Ball, BoxGrid, BoxSurface, Cylinder, CylinderSurface, Disc, GenerateError, Icosphere,
    MOST_ELEMENTS, Sheet, Torus,
};
use resile_mesh::{SurfaceDefects, TetMesh, TriMesh};
use std::f64::consts::PI;

fn counts(mesh: &TetMesh) -> (usize, usize, usize) {
    (mesh.positions.len(), mesh.tets.len(), mesh.surface().triangles.len())
}

/// A valid solid whose boundary encloses exactly its volume.
fn assert_solid(mesh: &TetMesh) {
    assert_eq!(mesh.check(), Ok(()));
    let boundary = mesh.boundary();
    assert_eq!(boundary.defects(), SurfaceDefects::default());
    let (inside, outside) = (mesh.volume(), boundary.enclosed_volume());
    assert!((inside - outside).abs() <= 1e-12 * inside, "{inside} != {outside}");
    // Euler's polyhedron formula for a ball and its surface.
    let surface = mesh.surface();
    let euler = surface.vertices.len() + surface.triangles.len() - surface.edges.len();
    assert_eq!(euler, 2);
}

fn assert_closed(mesh: &TriMesh, euler: usize) {
    assert_eq!(mesh.defects(), SurfaceDefects::default());
    assert!(mesh.enclosed_volume() > 0.0, "faces inward");
    let s = mesh.surface();
    assert_eq!(s.vertices.len(), mesh.positions.len(), "a vertex is unused");
    assert_eq!(s.vertices.len() + s.triangles.len(), s.edges.len() + euler);
}

#[test]
fn box_grids_have_the_counts_of_the_paper() {
    let grid = |cells| BoxGrid { cells, size: Vec3::ONE }.build().unwrap();
    assert_eq!(counts(&grid([10, 10, 10])), (1331, 6000, 1200));
    assert_eq!(counts(&grid([20, 20, 10])), (4851, 24000, 3200));
    assert_eq!(counts(&grid([8, 8, 8])), (729, 3072, 768));
}

#[test]
fn a_box_grid_is_mirrored_to_the_bit_at_its_centre() {
    let mesh = BoxGrid { cells: [3, 4, 5], size: Vec3::new(0.1, 0.7, 1.3) }.build().unwrap();
    for (p, q) in mesh.positions.iter().zip(mesh.positions.iter().rev()) {
        assert_eq!(*p, -*q);
    }
}

#[test]
fn every_element_of_a_cubic_grid_has_angles_of_45_60_and_90_degrees() {
    let mesh = BoxGrid { cells: [2; 3], size: Vec3::splat(2.0) }.build().unwrap();
    let quality = mesh.quality().unwrap();
    assert!((quality.smallest_dihedral - 45.0).abs() < 1e-12);
    assert!((quality.smallest_edge - 1.0).abs() < 1e-15);
    assert!((quality.largest_edge - 3.0_f64.sqrt()).abs() < 1e-15);
    assert!((quality.smallest_volume - 1.0 / 6.0).abs() < 1e-15);
}

#[test]
fn a_ball_of_seven_layers_is_about_the_one_of_the_paper() {
    let mesh = Ball { radius: 0.05, layers: 7 }.build().unwrap();
    assert_eq!(counts(&mesh), (1415, 6860, 980));
}

#[test]
fn balls_are_well_shaped_at_every_resolution() {
    for layers in 1..=16 {
        let mesh = Ball { radius: 1.0, layers }.build().unwrap();
        assert_solid(&mesh);
        let quality = mesh.quality().unwrap();
        // Measured: 39.8 at 7 layers, 37.6 at 16.
        assert!(quality.smallest_dihedral > 37.0, "{layers}: {quality:?}");
    }
}

#[test]
fn the_volume_of_a_ball_converges_quadratically() {
    let missing = |layers| {
        let mesh = Ball { radius: 2.0, layers }.build().unwrap();
        1.0 - mesh.volume() / (4.0 / 3.0 * PI * 8.0)
    };
    let ratio = missing(8) / missing(16);
    assert!((3.9..4.1).contains(&ratio), "{ratio}");
}

#[test]
fn the_outer_nodes_of_a_ball_lie_on_the_sphere() {
    let mesh = Ball { radius: 0.3, layers: 5 }.build().unwrap();
    for &v in &mesh.surface().vertices {
        let distance = mesh.positions[v as usize].length();
        assert!((distance - 0.3).abs() < 1e-15, "{distance}");
    }
}

#[test]
fn the_volume_of_a_cylinder_converges_quadratically() {
    let missing = |rings| {
        let mesh = Cylinder { radius: 0.5, height: 3.0, rings, layers: 4 }.build().unwrap();
        1.0 - mesh.volume() / (PI * 0.25 * 3.0)
    };
    let ratio = missing(6) / missing(12);
    assert!((3.9..4.1).contains(&ratio), "{ratio}");
}

#[test]
fn an_icosphere_of_three_subdivisions_has_642_vertices() {
    let mesh = Icosphere { radius: 0.1, subdivisions: 3 }.build().unwrap();
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (642, 1280));
    assert!(mesh.positions.iter().all(|p| (p.length() - 0.1).abs() < 1e-16));
    let share = mesh.enclosed_volume() / (4.0 / 3.0 * PI * 1e-3);
    assert!((0.98..1.0).contains(&share), "{share}");
}

#[test]
fn flat_shapes_face_up_and_have_their_area() {
    let sheet = Sheet { cells: [7, 4], size: [2.0, 3.0] }.build().unwrap();
    assert!((sheet.area() - 6.0).abs() < 1e-14);
    let disc = Disc { radius: 2.0, rings: 40 }.build().unwrap();
    let polygon = 0.5 * 240.0 * 4.0 * (2.0 * PI / 240.0).sin();
    assert!((disc.area() - polygon).abs() < 1e-12 * polygon);
    for mesh in [&sheet, &disc] {
        for t in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(t);
            assert!((b - a).cross(c - a).y > 0.0, "triangle {t} faces down");
        }
        let defects = mesh.defects();
        let open = defects.open_edges;
        assert_eq!(defects, SurfaceDefects { open_edges: open, ..SurfaceDefects::default() });
        let s = mesh.surface();
        assert_eq!(s.vertices.len(), mesh.positions.len());
        assert_eq!(s.vertices.len() + s.triangles.len(), s.edges.len() + 1);
    }
    assert_eq!((sheet.positions.len(), sheet.triangles.len()), (40, 56));
    assert_eq!((sheet.defects().open_edges, disc.defects().open_edges), (22, 240));
    assert_eq!((disc.positions.len(), disc.triangles.len()), (4921, 9600));
}

#[test]
fn the_torus_of_pappus() {
    let torus = Torus { ring_radius: 1.0, tube_radius: 0.4, around_ring: 200, around_tube: 100 };
    let mesh = torus.build().unwrap();
    assert_closed(&mesh, 0);
    assert!((mesh.enclosed_volume() / (2.0 * PI * PI * 0.16) - 1.0).abs() < 2e-3);
    assert!((mesh.area() / (4.0 * PI * PI * 0.4) - 1.0).abs() < 1e-3);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn box_grids_are_solids_of_the_volume_asked_for(
        cells in prop::array::uniform3(1_usize..6), size in prop::array::uniform3(1e-3..1e3),
    ) {
        let size = Vec3::from_array(size);
        let mesh = BoxGrid { cells, size }.build().unwrap();
        assert_solid(&mesh);
        prop_assert!((mesh.volume() / size.element_product() - 1.0).abs() < 1e-12);
        let bounds = mesh.bounds().unwrap();
        prop_assert_eq!((bounds.size(), bounds.center()), (size, Vec3::ZERO));
        assert_closed(&BoxSurface { cells, size }.build().unwrap(), 2);
    }

    #[test]
    fn cylinders_are_solids(
        radius in 1e-3..1e3, height in 1e-3..1e3, rings in 1_usize..6, layers in 1_usize..6,
    ) {
        let mesh = Cylinder { radius, height, rings, layers }.build().unwrap();
        assert_solid(&mesh);
        let n = rings;
        prop_assert_eq!(mesh.positions.len(), (1 + 3 * n * (n + 1)) * (layers + 1));
        prop_assert_eq!(mesh.tets.len(), 18 * n * n * layers);
        let polygon = 3.0 * n as f64 * radius * radius * (PI / (3.0 * n as f64)).sin();
        prop_assert!((mesh.volume() / (polygon * height) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn swept_surfaces_are_closed(
        around in 3_usize..12, along in 1_usize..6, radius in 1e-3..1e3, thin in 0.01..0.99,
    ) {
        let cylinder = CylinderSurface { radius, height: 2.0, around, along };
        let mesh = cylinder.build().unwrap();
        assert_closed(&mesh, 2);
        prop_assert_eq!(mesh.positions.len(), around * (along + 1) + 2);
        let polygon = 0.5 * around as f64 * radius * radius * (2.0 * PI / around as f64).sin();
        prop_assert!((mesh.enclosed_volume() / (2.0 * polygon) - 1.0).abs() < 1e-12);
        let torus = Torus {
            ring_radius: radius, tube_radius: radius * thin, around_ring: around,
            around_tube: along + 2,
        };
        assert_closed(&torus.build().unwrap(), 0);
    }

    #[test]
    fn lengths_that_are_not_lengths_are_refused(
        length in prop_oneof![Just(0.0), Just(-1.0), Just(f64::NAN), Just(f64::INFINITY)],
    ) {
        let refused = |result: Result<(), GenerateError>| {
            assert!(matches!(result, Err(GenerateError::Size { .. })), "{result:?}");
        };
        refused(BoxGrid { cells: [1; 3], size: Vec3::new(1.0, length, 1.0) }.build().map(drop));
        refused(BoxSurface { cells: [1; 3], size: Vec3::splat(length) }.build().map(drop));
        refused(Ball { radius: length, layers: 2 }.build().map(drop));
        refused(Cylinder { radius: length, height: 1.0, rings: 2, layers: 2 }.build().map(drop));
        refused(Cylinder { radius: 1.0, height: length, rings: 2, layers: 2 }.build().map(drop));
        refused(Disc { radius: length, rings: 2 }.build().map(drop));
        refused(Icosphere { radius: length, subdivisions: 2 }.build().map(drop));
        refused(Sheet { cells: [1, 1], size: [1.0, length] }.build().map(drop));
        let tube = |radius, height| CylinderSurface { radius, height, around: 3, along: 1 }.build();
        refused(tube(length, 1.0).map(drop));
        refused(tube(1.0, length).map(drop));
        let torus = |ring_radius, tube_radius| {
            Torus { ring_radius, tube_radius, around_ring: 3, around_tube: 3 }.build()
        };
        refused(torus(length, 1.0).map(drop));
        refused(torus(1.0, length).map(drop));
    }
}

#[test]
fn counts_below_and_above_reason_are_refused_before_anything_is_allocated() {
    let cases = |n: usize| {
        [
            BoxGrid { cells: [1, n, 2], size: Vec3::ONE }.build().map(drop),
            BoxSurface { cells: [n, 1, 1], size: Vec3::ONE }.build().map(drop),
            Ball { radius: 1.0, layers: n }.build().map(drop),
            Cylinder { radius: 1.0, height: 1.0, rings: n, layers: 1 }.build().map(drop),
            Cylinder { radius: 1.0, height: 1.0, rings: 1, layers: n }.build().map(drop),
            Disc { radius: 1.0, rings: n }.build().map(drop),
            Sheet { cells: [n, 1], size: [1.0, 1.0] }.build().map(drop),
            CylinderSurface { radius: 1.0, height: 1.0, around: n, along: 1 }.build().map(drop),
            CylinderSurface { radius: 1.0, height: 1.0, around: 3, along: n }.build().map(drop),
            Torus { ring_radius: 1.0, tube_radius: 0.1, around_ring: n, around_tube: 3 }
                .build()
                .map(drop),
        ]
    };
    for result in cases(0) {
        assert!(matches!(result, Err(GenerateError::Count { value: 0, .. })), "{result:?}");
    }
    for result in [MOST_ELEMENTS, usize::MAX].into_iter().flat_map(cases) {
        assert!(matches!(result, Err(GenerateError::TooMany { .. })), "{result:?}");
    }
    let sphere = Icosphere { radius: 1.0, subdivisions: usize::MAX }.build();
    assert!(matches!(sphere, Err(GenerateError::TooMany { .. })));
    let fat = Torus { ring_radius: 1.0, tube_radius: 1.0, around_ring: 9, around_tube: 9 }.build();
    assert_eq!(fat, Err(GenerateError::TubeTooThick { tube: 1.0, ring: 1.0 }));
}
