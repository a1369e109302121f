//! Every generated shape is a valid mesh, whatever its numbers.

use super::generators::{assert_closed, assert_solid};
use proptest::prelude::*;
use resile_math::Vec3;
use resile_mesh::generate::{
    Ball, BoxGrid, BoxSurface, Cylinder, CylinderSurface, Disc, Extrusion, Gear, GenerateError,
    Icosphere, Link, Sheet, Stairs, Torus,
};
use std::f64::consts::PI;

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

    /// Stars: simple for any radii, since the angle always advances.
    #[test]
    fn extrusions_of_random_stars_are_closed_and_have_their_volume(
        radii in prop::collection::vec(0.1..1.0, 3..40), turned in any::<bool>(),
        along in 1_usize..4,
    ) {
        let step = 2.0 * PI / radii.len() as f64;
        let mut corners: Vec<[f64; 2]> = radii
            .iter()
            .enumerate()
            .map(|(k, r)| [r * (step * k as f64).cos(), r * (step * k as f64).sin()])
            .collect();
        let area = (0..radii.len())
            .map(|k| 0.5 * radii[k] * radii[(k + 1) % radii.len()] * step.sin())
            .sum::<f64>();
        if turned {
            corners.reverse();
        }
        let count = corners.len();
        let mesh = Extrusion { corners, depth: 0.7, along }.build().unwrap();
        assert_closed(&mesh, 2);
        prop_assert_eq!(mesh.triangles.len(), 2 * count * (along + 1) - 4);
        prop_assert!((mesh.enclosed_volume() / (0.7 * area) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn links_are_closed(
        along_side in 1_usize..4, along_end in 2_usize..6, around_tube in 3_usize..8,
        thin in 0.05..0.95,
    ) {
        let link = Link {
            straight: 1.0, end_radius: 0.5, tube_radius: 0.5 * thin, along_side, along_end,
            around_tube,
        };
        let mesh = link.build().unwrap();
        assert_closed(&mesh, 0);
        prop_assert_eq!(mesh.positions.len(), 2 * (along_side + along_end) * around_tube);
    }

    #[test]
    fn invalid_lengths_are_rejected(
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
        let link = |straight, end_radius, tube_radius| {
            Link { straight, end_radius, tube_radius, along_side: 1, along_end: 2, around_tube: 3 }
                .build()
        };
        refused(link(length, 1.0, 0.1).map(drop));
        refused(link(1.0, length, 0.1).map(drop));
        refused(link(1.0, 1.0, length).map(drop));
        let stairs = |rise, run, width| Stairs { steps: 2, rise, run, width }.build();
        refused(stairs(length, 1.0, 1.0).map(drop));
        refused(stairs(1.0, length, 1.0).map(drop));
        refused(stairs(1.0, 1.0, length).map(drop));
        let gear = |root_radius, tip_radius, bore_radius, thickness| {
            Gear { teeth: 3, root_radius, tip_radius, bore_radius, thickness }.build()
        };
        refused(gear(length, 1.0, 0.1, 1.0).map(drop));
        refused(gear(0.5, length, 0.1, 1.0).map(drop));
        refused(gear(0.5, 1.0, length, 1.0).map(drop));
        refused(gear(0.5, 1.0, 0.1, length).map(drop));
        let corners = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        refused(Extrusion { corners, depth: length, along: 1 }.build().map(drop));
    }
}
