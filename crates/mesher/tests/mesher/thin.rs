//! Solids with thin walls.

use resile_contact::{CollisionMesh, CollisionScene, intersections};
use resile_math::Vec3;
use resile_mesh::generate::{BoxGrid, Icosphere};
use resile_mesh::{SurfaceDefects, TriMesh};
use resile_mesher::creases::Creases;
use resile_mesher::signed_distance::{FilledSurface, SolidError, fill_surface};
use resile_mesher::stuffing::{Pieces, Resolution, Stuffing};

/// A ball of radius 1 with a cavity.
fn hollow(wall: f64) -> TriMesh {
    let ball = |radius| Icosphere { radius, subdivisions: 3 }.build().unwrap();
    let (mut hollow, cavity) = (ball(1.0), ball(1.0 - wall));
    let first = hollow.positions.len() as u32;
    hollow.positions.extend(&cavity.positions);
    let turned = cavity.triangles.iter().map(|&[a, b, c]| [a + first, c + first, b + first]);
    hollow.triangles.extend(turned);
    hollow
}

fn fill(surface: &TriMesh, resolution: Resolution) -> Result<FilledSurface, SolidError> {
    let stuffing = Stuffing { resolution, grade: 0, pieces: Pieces::Largest };
    fill_surface(surface, &stuffing, Creases::Keep(40.0))
}

fn assert_sound(filled: &FilledSurface) {
    let mesh = &filled.solid.mesh;
    assert_eq!(mesh.check(), Ok(()));
    let boundary = mesh.boundary();
    assert_eq!(boundary.defects(), SurfaceDefects::default());
    let colliding = CollisionMesh::new(&boundary.positions, &boundary.triangles).unwrap();
    let found = intersections(&CollisionScene::of_meshes([colliding]), &boundary.positions, 10);
    assert!(found.is_empty(), "{found:?}");
}

/// A lattice of 5,000 tetrahedra has cells larger than the wall, and keeps 3 % of it.
#[test]
fn thin_hollow_ball_keeps_its_volume_with_five_thousand_tetrahedra() {
    let (surface, tets) = (hollow(0.1), 5000);
    let filled = fill(&surface, Resolution::Tets(tets)).unwrap();
    assert_sound(&filled);
    let mesh = &filled.solid.mesh;
    let kept = mesh.volume() / surface.enclosed_volume();
    let angle = mesh.quality().unwrap().smallest_dihedral;
    let told = format!("{kept}, {} tetrahedra, {angle} degrees", mesh.tets.len());
    assert!((0.97..1.01).contains(&kept), "{told}");
    assert!(mesh.tets.len().abs_diff(tets) * 50 <= tets, "{told}");
    assert!(angle > 7.9, "{told}");
    assert_eq!(filled.lost, None);
}

#[test]
fn thin_plate_keeps_its_faces_and_edges() {
    let size = Vec3::new(1.0, 0.8, 0.03);
    let plate = BoxGrid { cells: [1; 3], size }.build().unwrap().boundary();
    let filled = fill(&plate, Resolution::Tets(1000)).unwrap();
    assert_sound(&filled);
    let kept = filled.solid.mesh.volume() / plate.enclosed_volume();
    assert!((kept - 1.0).abs() < 0.02, "{kept}, {} tetrahedra", filled.solid.mesh.tets.len());
}

#[test]
fn lost_thin_walls_are_reported_with_a_sufficient_size() {
    let surface = hollow(0.1);
    let lost = fill(&surface, Resolution::Size(0.14)).unwrap().lost.expect("most is lost");
    assert!(lost.fraction > 0.3, "{lost}");
    assert!(lost.walls.is_some_and(|walls| (walls - 0.1).abs() < 0.01), "{lost}");
    // What is said to be needed is enough, and is not far more than that.
    assert!((0.03..0.1).contains(&lost.needed_size), "{lost}");
    assert_eq!(fill(&surface, Resolution::Size(lost.needed_size)).unwrap().lost, None);
}

#[test]
fn thin_walls_requiring_too_large_a_lattice_are_rejected_early() {
    let error = fill(&hollow(0.004), Resolution::Tets(5000)).expect_err("too thin");
    let SolidError::TooThin(walls) = error else { panic!("{error}") };
    assert!((0.003..0.005).contains(&walls.thickness) && walls.size < walls.thickness, "{walls}");
    assert!(walls.points > 4e6 && walls.seconds > 1.0, "{walls}");
}

#[test]
fn thin_wall_handling_does_not_change_solids_without_thin_walls() {
    let ball = Icosphere { radius: 1.0, subdivisions: 3 }.build().unwrap();
    let filled = fill(&ball, Resolution::Tets(5000)).unwrap();
    assert_eq!(filled.lost, None);
    assert_eq!(filled, fill(&ball, Resolution::Size(filled.solid.report.size)).unwrap());
}
