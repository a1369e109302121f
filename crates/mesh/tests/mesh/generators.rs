//! Every generated shape is a valid mesh of the size and form it claims.

use resile_math::Vec3;
use resile_mesh::generate::{
    Ball, BoxGrid, BoxSurface, Cylinder, CylinderSurface, Disc, Extrusion, Gear, GenerateError,
    Icosphere, Link, MAX_CORNERS, MAX_ELEMENTS, Sheet, Stairs, Torus,
};
use resile_mesh::{SurfaceDefects, TetMesh, TriMesh};
use std::f64::consts::PI;

fn counts(mesh: &TetMesh) -> (usize, usize, usize) {
    (mesh.positions.len(), mesh.tets.len(), mesh.surface().triangles.len())
}

/// A valid solid whose boundary encloses exactly its volume.
pub(super) fn assert_solid(mesh: &TetMesh) {
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

pub(super) fn assert_closed(mesh: &TriMesh, euler: usize) {
    assert_eq!(mesh.defects(), SurfaceDefects::default());
    assert!(mesh.enclosed_volume() > 0.0, "faces inward");
    let s = mesh.surface();
    assert_eq!(s.vertices.len(), mesh.positions.len(), "a vertex is unused");
    assert_eq!(s.vertices.len() + s.triangles.len(), s.edges.len() + euler);
}

#[test]
fn box_grids_have_the_published_counts() {
    let grid = |cells| BoxGrid { cells, size: Vec3::ONE }.build().unwrap();
    assert_eq!(counts(&grid([10, 10, 10])), (1331, 6000, 1200));
    assert_eq!(counts(&grid([20, 20, 10])), (4851, 24000, 3200));
    assert_eq!(counts(&grid([8, 8, 8])), (729, 3072, 768));
}

#[test]
fn box_grid_is_point_symmetric_to_the_bit() {
    let mesh = BoxGrid { cells: [3, 4, 5], size: Vec3::new(0.1, 0.7, 1.3) }.build().unwrap();
    for (p, q) in mesh.positions.iter().zip(mesh.positions.iter().rev()) {
        assert_eq!(*p, -*q);
    }
}

#[test]
fn cubic_grid_elements_have_dihedral_angles_45_60_and_90() {
    let mesh = BoxGrid { cells: [2; 3], size: Vec3::splat(2.0) }.build().unwrap();
    let quality = mesh.quality().unwrap();
    assert!((quality.smallest_dihedral - 45.0).abs() < 1e-12);
    assert!((quality.smallest_edge - 1.0).abs() < 1e-15);
    assert!((quality.largest_edge - 3.0_f64.sqrt()).abs() < 1e-15);
    assert!((quality.smallest_volume - 1.0 / 6.0).abs() < 1e-15);
}

#[test]
fn ball_of_seven_layers_has_about_the_published_counts() {
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
fn ball_volume_converges_quadratically() {
    let missing = |layers| {
        let mesh = Ball { radius: 2.0, layers }.build().unwrap();
        1.0 - mesh.volume() / (4.0 / 3.0 * PI * 8.0)
    };
    let ratio = missing(8) / missing(16);
    assert!((3.9..4.1).contains(&ratio), "{ratio}");
}

#[test]
fn outer_ball_nodes_lie_on_the_sphere() {
    let mesh = Ball { radius: 0.3, layers: 5 }.build().unwrap();
    for &v in &mesh.surface().vertices {
        let distance = mesh.positions[v as usize].length();
        assert!((distance - 0.3).abs() < 1e-15, "{distance}");
    }
}

#[test]
fn cylinder_volume_converges_quadratically() {
    let missing = |rings| {
        let mesh = Cylinder { radius: 0.5, height: 3.0, rings, layers: 4 }.build().unwrap();
        1.0 - mesh.volume() / (PI * 0.25 * 3.0)
    };
    let ratio = missing(6) / missing(12);
    assert!((3.9..4.1).contains(&ratio), "{ratio}");
}

#[test]
fn icosphere_with_three_subdivisions_has_642_vertices() {
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
fn torus_volume_and_area_follow_pappus() {
    let torus = Torus { ring_radius: 1.0, tube_radius: 0.4, around_ring: 200, around_tube: 100 };
    let mesh = torus.build().unwrap();
    assert_closed(&mesh, 0);
    assert!((mesh.enclosed_volume() / (2.0 * PI * PI * 0.16) - 1.0).abs() < 2e-3);
    assert!((mesh.area() / (4.0 * PI * PI * 0.4) - 1.0).abs() < 1e-3);
}

/// The area of a tube's cross section goes all the way around (Pappus).
#[test]
fn chain_link_volume_is_a_torus_plus_two_rods() {
    let link = Link {
        straight: 0.3,
        end_radius: 0.2,
        tube_radius: 0.05,
        along_side: 40,
        along_end: 100,
        around_tube: 80,
    };
    let mesh = link.build().unwrap();
    assert_closed(&mesh, 0);
    let exact = PI * 0.05 * 0.05 * (2.0 * 0.3 + 2.0 * PI * 0.2);
    assert!((mesh.enclosed_volume() / exact - 1.0).abs() < 2e-3);
    let size = mesh.bounds().unwrap().size();
    assert!((size - Vec3::new(0.8, 0.1, 0.5)).abs().max_element() < 1e-12, "{size}");
    assert!(mesh.bounds().unwrap().center().length() < 1e-12);
}

#[test]
fn gear_has_genus_one_and_the_volume_of_its_profile() {
    let gear =
        Gear { teeth: 12, root_radius: 0.08, tip_radius: 0.1, bore_radius: 0.03, thickness: 0.02 };
    let mesh = gear.build().unwrap();
    assert_closed(&mesh, 0);
    // Around the wheel: up, along the tip, down, along the root.
    let sine = (2.0 * PI / 48.0).sin();
    let tooth = 0.5 * sine * (2.0 * 0.08 * 0.1 + 0.1 * 0.1 + 0.08 * 0.08);
    let exact = 0.02 * (12.0 * tooth - 24.0 * sine * 0.03 * 0.03);
    assert!((mesh.enclosed_volume() / exact - 1.0).abs() < 1e-12);
}

#[test]
fn stairs_volume_is_the_sum_of_steps() {
    let stairs = Stairs { steps: 7, rise: 0.17, run: 0.29, width: 1.1 };
    let mesh = stairs.build().unwrap();
    assert_closed(&mesh, 2);
    let exact = 1.1 * 0.17 * 0.29 * 28.0;
    assert!((mesh.enclosed_volume() / exact - 1.0).abs() < 1e-12);
    let bounds = mesh.bounds().unwrap();
    assert!(bounds.center().length() < 1e-12);
    // A step can be stood on: the point above the middle of the first is outside.
    let first = Vec3::new(-3.0 * 0.29, -2.5 * 0.17, 0.0);
    assert!(winding(&mesh, first + 0.01 * Vec3::Y).abs() < 1e-9);
    assert!((winding(&mesh, first - 0.01 * Vec3::Y) - 1.0).abs() < 1e-9);
}

/// How often a closed surface goes around a point: the sum of the triangles' solid
/// angles (van Oosterom and Strackee 1983) over that of a sphere.
fn winding(mesh: &TriMesh, p: Vec3) -> f64 {
    let angle = |t| {
        let [a, b, c] = mesh.corners(t).map(|x| x - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).atan2(below)
    };
    (0..mesh.triangles.len()).map(angle).sum::<f64>() / (4.0 * PI)
}

#[test]
fn collinear_profile_corners_are_kept_for_closed_caps() {
    let side = |a: [f64; 2], b: [f64; 2]| {
        (0..5).map(move |k| {
            let t = f64::from(k) / 5.0;
            [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]
        })
    };
    let ring = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    let corners = (0..6).flat_map(|k| side(ring[k], ring[(k + 1) % 6])).collect();
    let mesh = Extrusion { corners, depth: 0.5, along: 3 }.build().unwrap();
    assert_closed(&mesh, 2);
    assert!((mesh.enclosed_volume() - 0.5 * 4.0).abs() < 1e-12);
}

#[test]
fn self_intersecting_polygons_are_rejected() {
    let refused = |corners: &[[f64; 2]]| {
        Extrusion { corners: corners.to_vec(), depth: 1.0, along: 1 }.build().unwrap_err()
    };
    let bow_tie = refused(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(bow_tie, GenerateError::EdgesMeet { first: 0, second: 2 });
    let doubled = refused(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(doubled, GenerateError::EdgesMeet { first: 0, second: 1 });
    let spike = refused(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
    assert_eq!(spike, GenerateError::EdgesMeet { first: 0, second: 1 });
    let pinched =
        refused(&[[0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0]]);
    assert!(matches!(pinched, GenerateError::EdgesMeet { .. }), "{pinched}");
    let line = refused(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]);
    assert!(matches!(line, GenerateError::EdgesMeet { .. }), "{line}");
    let few = refused(&[[0.0, 0.0], [1.0, 0.0]]);
    assert_eq!(few, GenerateError::Count { parameter: "corners", value: 2, least: 3 });
    let nan = refused(&[[0.0, 0.0], [1.0, f64::NAN], [0.0, 1.0]]);
    assert_eq!(nan, GenerateError::NotFinite { corner: 1 });
    let many: Vec<[f64; 2]> = (0..=MAX_CORNERS)
        .map(|k| (2.0 * PI * k as f64 / (MAX_CORNERS + 1) as f64).sin_cos().into())
        .collect();
    assert_eq!(refused(&many), GenerateError::TooManyCorners { corners: MAX_CORNERS + 1 });
    assert!(Extrusion { corners: many[..200].to_vec(), depth: 1.0, along: 1 }.build().is_ok());
}

/// The membrane of the A-search paper has about 16k nodes and 31k triangles.
#[test]
fn disc_of_72_rings_has_about_the_published_counts() {
    let mesh = Disc { radius: 1.0, rings: 72 }.build().unwrap();
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (15_769, 31_104));
    let angle = |[a, b, c]: [Vec3; 3]| (b - a).angle_between(c - a).to_degrees();
    let angles = (0..mesh.triangles.len()).flat_map(|t| {
        let [a, b, c] = mesh.corners(t);
        [angle([a, b, c]), angle([b, c, a]), angle([c, a, b])]
    });
    let (smallest, largest) = angles.fold((180.0_f64, 0.0_f64), |(l, m), a| (l.min(a), m.max(a)));
    assert!(smallest > 40.0 && largest < 95.0, "{smallest} {largest}");
}

#[test]
fn invalid_counts_are_rejected_before_allocation() {
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
    let link = |along_side, along_end, around_tube| {
        Link {
            straight: 1.0,
            end_radius: 1.0,
            tube_radius: 0.1,
            along_side,
            along_end,
            around_tube,
        }
        .build()
    };
    for most in [MAX_ELEMENTS, usize::MAX] {
        for result in [link(most, 2, 3), link(1, most, 3), link(1, 2, most)] {
            assert!(matches!(result, Err(GenerateError::TooMany { .. })), "{result:?}");
        }
        let stairs = Stairs { steps: most, rise: 1.0, run: 1.0, width: 1.0 }.build();
        assert!(matches!(stairs, Err(GenerateError::TooManyCorners { .. })), "{stairs:?}");
        let gear = Gear {
            teeth: most,
            root_radius: 0.5,
            tip_radius: 1.0,
            bore_radius: 0.1,
            thickness: 1.0,
        };
        assert!(matches!(gear.build(), Err(GenerateError::TooMany { .. })));
        let swapped = Gear { teeth: 5, tip_radius: 0.4, ..gear }.build();
        assert!(matches!(swapped, Err(GenerateError::Order { .. })), "{swapped:?}");
    }
    for result in cases(0) {
        assert!(matches!(result, Err(GenerateError::Count { value: 0, .. })), "{result:?}");
    }
    for result in [MAX_ELEMENTS, usize::MAX].into_iter().flat_map(cases) {
        assert!(matches!(result, Err(GenerateError::TooMany { .. })), "{result:?}");
    }
    let sphere = Icosphere { radius: 1.0, subdivisions: usize::MAX }.build();
    assert!(matches!(sphere, Err(GenerateError::TooMany { .. })));
    let fat = Torus { ring_radius: 1.0, tube_radius: 1.0, around_ring: 9, around_tube: 9 }.build();
    assert_eq!(fat, Err(GenerateError::TubeTooThick { tube: 1.0, ring: 1.0 }));
}
