//! Defects of every kind are found and counted, and mended where that is safe.

use crate::support::shared_data;
use resile_math::Vec3;
use resile_mesh::generate::{BoxSurface, Icosphere, Sheet};
use resile_mesh::inspect::SurfaceInspection;
use resile_mesh::read::{read_obj, read_off, read_ply};
use resile_mesh::repair::{MAX_HOLE_EDGES, RepairReport, Repaired, repair};
use resile_mesh::{Deviation, SurfaceDefects, SurfaceError, TriMesh};

fn cube() -> TriMesh {
    BoxSurface { size: Vec3::new(1.0, 2.0, 3.0), cells: [3, 4, 5] }.build().unwrap()
}

fn ball() -> TriMesh {
    Icosphere { radius: 1.0, subdivisions: 3 }.build().unwrap()
}

fn joined(mut first: TriMesh, second: &TriMesh) -> TriMesh {
    let count = first.positions.len() as u32;
    first.positions.extend(&second.positions);
    first.triangles.extend(second.triangles.iter().map(|t| t.map(|v| v + count)));
    first
}

fn turned(mut mesh: TriMesh) -> TriMesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    mesh
}

/// Each triangle with corners of its own.
fn soup(mesh: &TriMesh) -> TriMesh {
    let positions: Vec<Vec3> = (0..mesh.triangles.len()).flat_map(|t| mesh.corners(t)).collect();
    let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
    TriMesh { triangles: triangles.collect(), positions }
}

/// Mends, and verifies that what came out is closed and faces outward.
#[track_caller]
fn mended(mesh: &TriMesh) -> Repaired {
    let repaired = repair(mesh).unwrap();
    assert_eq!(repaired.report.defects, SurfaceDefects::default(), "{:?}", repaired.report);
    assert_eq!(repaired.remaining_defects(), [""; 0]);
    let inspected = SurfaceInspection::new(&repaired.mesh).unwrap();
    assert_eq!(inspected.other_parts, 0);
    assert!(repaired.mesh.enclosed_volume() > 0.0);
    assert_eq!(repair(&repaired.mesh).unwrap().mesh, repaired.mesh, "nothing is left to do");
    repaired
}

#[test]
fn valid_surface_is_unchanged() {
    for mesh in [cube(), ball(), joined(cube(), &turned(scaled(&cube(), 0.5)))] {
        let repaired = repair(&mesh).unwrap();
        let origins = (0..mesh.triangles.len() as u32).map(Some).collect();
        assert_eq!(repaired, Repaired { mesh, origins, report: RepairReport::default() });
        assert!(repaired.report.notes().is_empty());
    }
}

fn scaled(mesh: &TriMesh, by: f64) -> TriMesh {
    let positions = mesh.positions.iter().map(|p| *p * by).collect();
    TriMesh { positions, triangles: mesh.triangles.clone() }
}

#[test]
fn single_precision_triangle_soup_is_welded() {
    let whole = ball();
    let mut mesh = soup(&whole);
    for (k, p) in mesh.positions.iter_mut().enumerate() {
        // As if each corner had been rounded on its own.
        *p += Vec3::splat((k % 3) as f64 * 6e-8);
    }
    let inspected = SurfaceInspection::new(&mesh).unwrap();
    assert_eq!(inspected.defects.open_edges, 3 * whole.triangles.len());
    assert_eq!(inspected.parts(), whole.triangles.len());
    let repaired = mended(&mesh);
    assert_eq!(repaired.mesh.positions.len(), whole.positions.len());
    assert_eq!(repaired.report.welded, mesh.positions.len() - whole.positions.len());
    assert!((repaired.mesh.enclosed_volume() / whole.enclosed_volume() - 1.0).abs() < 1e-6);
}

#[test]
fn duplicated_vertices_are_counted_and_welded() {
    let mesh = soup(&cube());
    let inspected = SurfaceInspection::new(&mesh).unwrap();
    assert_eq!(inspected.duplicate_vertices, mesh.positions.len() - cube().positions.len());
    let report = mended(&mesh).report;
    assert_eq!(
        report.notes(),
        [format!("vertices welded to others at the same place: {}", inspected.duplicate_vertices)]
    );
}

#[test]
fn flipped_triangles_and_components_are_reoriented() {
    let mut mesh = cube();
    for t in [0, 7, 8, 31] {
        mesh.triangles[t].swap(1, 2);
    }
    assert_eq!(SurfaceInspection::new(&mesh).unwrap().other_parts, 1);
    assert_eq!(mended(&mesh).report.turned, 4);
    let away = |mesh: TriMesh| {
        let positions = mesh.positions.iter().map(|p| *p + Vec3::splat(5.0)).collect();
        TriMesh { positions, ..mesh }
    };
    let two = joined(cube(), &away(turned(ball())));
    let inspected = SurfaceInspection::new(&two).unwrap();
    assert_eq!([inspected.outward_parts, inspected.inward_parts], [1, 1]);
    let repaired = mended(&two);
    assert_eq!(repaired.report.turned, ball().triangles.len());
    let volume = cube().enclosed_volume() + ball().enclosed_volume();
    assert!((repaired.mesh.enclosed_volume() / volume - 1.0).abs() < 1e-12);
}

#[test]
fn duplicate_triangles_and_internal_walls_are_removed() {
    let mut mesh = cube();
    mesh.triangles.extend_from_within(3..6);
    assert_eq!(mended(&mesh).report.repeated, 3);
    let double_sided = joined(cube(), &turned(cube()));
    let repaired = mended(&double_sided);
    assert_eq!(repaired.mesh.triangles.len(), cube().triangles.len());
    // Two boxes that have a face in common, each of them closed.
    let shift = |by: f64| {
        let mut mesh = cube();
        mesh.positions.iter_mut().for_each(|p| p.x += by);
        mesh
    };
    let repaired = mended(&joined(shift(0.0), &shift(1.0)));
    assert_eq!(repaired.report.repeated, 2 * 2 * 4 * 5);
    assert!((repaired.mesh.enclosed_volume() - 12.0).abs() < 1e-12);
}

#[test]
fn small_holes_are_filled_and_large_ones_kept() {
    let mut mesh = cube();
    mesh.triangles.drain(10..12);
    let inspected = SurfaceInspection::new(&mesh).unwrap();
    assert_eq!((inspected.boundary_loops, inspected.volume), (1, None));
    let repaired = mended(&mesh);
    assert_eq!([repaired.report.holes, repaired.report.holes_left], [1, 0]);
    assert!((repaired.mesh.enclosed_volume() - 6.0).abs() < 1e-9, "the hole was in a plane");
    // Without its top, 2 (3 + 5) edges around.
    let mut open = cube();
    open.triangles.retain(|t| t.iter().any(|&v| cube().positions[v as usize].y < 0.99));
    assert_eq!(SurfaceInspection::new(&open).unwrap().defects.open_edges, 16);
    let repaired = mended(&open);
    assert_eq!(repaired.report.added, 14);
    assert!((repaired.mesh.enclosed_volume() - 6.0).abs() < 1e-9);
    let fine = BoxSurface { size: Vec3::ONE, cells: [12; 3] }.build().unwrap();
    let mut open = fine.clone();
    open.triangles.retain(|t| t.iter().any(|&v| fine.positions[v as usize].y < 0.49));
    let repaired = repair(&open).unwrap();
    let report = repaired.report;
    assert_eq!([report.holes, report.holes_left], [0, 1]);
    assert!(report.defects.open_edges > MAX_HOLE_EDGES);
    let left = repaired.remaining_defects();
    let said = "holes too large or too tangled to be closed safely: 1, the first at (";
    assert!(left.len() == 1 && left[0].starts_with(said), "{left:?}");
    assert!(left[0].contains(", 0.5, "), "at the rim, y = 0.5: {left:?}");
}

#[test]
fn open_triangle_soup_is_not_reoriented() {
    // Two triangles that see each other's back: as a solid, their volume would be negative.
    let raised = [Vec3::Z, Vec3::X + Vec3::Z, Vec3::Y + Vec3::Z];
    let positions = [[Vec3::ZERO, Vec3::X, Vec3::Y], raised].concat();
    let soup = TriMesh { positions, triangles: vec![[0, 1, 2], [3, 5, 4]] };
    assert!(soup.enclosed_volume() < 0.0);
    let repaired = repair(&soup).unwrap();
    assert_eq!((repaired.mesh, repaired.report.turned), (soup, 0));
}

#[test]
fn holes_sharing_a_vertex_are_two_boundary_loops() {
    let mut mesh = ball();
    let first = mesh.triangles[0];
    let meets = |t: &[u32; 3]| t.iter().filter(|v| first.contains(v)).count() == 1;
    let other = mesh.triangles.iter().position(meets).unwrap();
    mesh.triangles.remove(other);
    mesh.triangles.remove(0);
    let report = mended(&mesh).report;
    assert_eq!([report.holes, report.added], [2, 2]);
}

#[test]
fn open_sheet_is_not_closed_by_hole_filling() {
    let one = TriMesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], triangles: vec![[0, 1, 2]] };
    let repaired = repair(&one).unwrap();
    assert_eq!(repaired.mesh, one);
    assert_eq!(repaired.report.holes_left, 1);
    let sheet = Sheet { size: [2.0, 1.0], cells: [4, 3] }.build().unwrap();
    let repaired = repair(&sheet).unwrap();
    assert_eq!((repaired.mesh, repaired.report.holes_left), (sheet, 1));
}

#[test]
fn degenerate_triangles_are_flipped_without_opening_the_surface() {
    // A face of a cube is split along an edge by a vertex in the middle of it, with a
    // triangle without area on the other side, as decimation leaves them.
    let mut mesh = cube();
    let [a, b, c] = mesh.triangles[0];
    let middle = mesh.positions.len() as u32;
    mesh.positions.push(0.5 * (mesh.positions[a as usize] + mesh.positions[b as usize]));
    mesh.triangles[0] = [a, middle, c];
    mesh.triangles.push([middle, b, c]);
    mesh.triangles.push([a, b, middle]);
    assert_eq!(mesh.defects().flat_triangles, 1);
    assert!(matches!(mesh.check(), Err(SurfaceError::Flat { .. })));
    let repaired = mended(&mesh);
    assert_eq!([repaired.report.exchanged, repaired.report.flat], [1, 0]);
    assert!((repaired.mesh.enclosed_volume() - 6.0).abs() < 1e-12);
}

#[test]
fn invalid_surfaces_are_rejected() {
    let of = |positions: Vec<Vec3>, triangles| repair(&TriMesh { positions, triangles });
    assert_eq!(of(vec![], vec![]).unwrap_err(), SurfaceError::Empty);
    let one_place = of(vec![Vec3::ONE; 3], vec![[0, 1, 2]]).unwrap_err();
    assert_eq!(one_place, SurfaceError::Empty, "nothing is left of it");
    assert!(matches!(of(vec![Vec3::ZERO], vec![[0, 1, 2]]), Err(SurfaceError::OutOfRange { .. })));
}

/// What became of the broken surfaces of others: open, non-manifold, misoriented edges
/// before, and after.
#[test]
fn shared_surfaces_are_repaired_to_the_tabled_defect_counts() {
    let table: [(&str, [usize; 3], [usize; 3]); 8] = [
        ("bad/degenerated.obj", [0, 6, 12], [12, 6, 8]),
        ("bad/two-boxes-bad-self-union.ply", [80, 0, 0], [0; 3]),
        ("bad/cube_with_fold.ply", [0; 3], [0; 3]),
        ("bad/joined_tetrahedra.obj", [0, 3, 6], [0; 3]),
        ("bad/chair_model.obj", [0, 9545, 19090], [10, 51, 78]),
        ("bad/elephant-with-holes.off", [1353, 0, 0], [0; 3]),
        ("bad/blobby-shuffled.off", [0, 0, 3069], [0; 3]),
        ("bad/spider.obj", [72, 0, 10], [50, 0, 0]),
    ];
    let mut wrong = Vec::new();
    for (file, before, after) in table {
        let Some(bytes) = shared_data(file) else { continue };
        let mesh = match file.rsplit_once('.') {
            Some((_, "obj")) => read_obj(&bytes[..]).unwrap().mesh,
            Some((_, "ply")) => read_ply(&bytes[..]).unwrap().mesh,
            _ => read_off(&bytes[..]).unwrap().mesh,
        };
        let of = |d: SurfaceDefects| [d.open_edges, d.non_manifold_edges, d.misoriented_edges];
        assert_eq!(of(mesh.defects()), before, "{file}");
        let Repaired { report, .. } = repair(&mesh).unwrap();
        assert_eq!(report.defects.flat_triangles + report.defects.duplicate_triangles, 0);
        if of(report.defects) != after {
            wrong.push(format!("(\"{file}\", {before:?}, {:?}), {report:?}", of(report.defects)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn deviation_of_concentric_balls_is_the_radius_difference() {
    let (small, large) = (ball(), scaled(&ball(), 1.25));
    let there = Deviation::one_sided(&small, &large).unwrap();
    let back = Deviation::one_sided(&large, &small).unwrap();
    // Planes of corresponding triangles are 0.25 times their distance from the middle
    // apart, which is all but 1 for triangles of an 80th of a ball's area.
    assert!((there.largest - 0.25).abs() < 3e-3, "{there:?}");
    assert!((there.location.length() - 1.0).abs() < 0.02 && back.location.length() > 1.2);
    assert!(back.largest <= 0.25 + 1e-12 && back.largest > 0.245, "{back:?}");
    assert!(there.root_mean_square < there.largest && there.root_mean_square > 0.24);
    let both = Deviation::two_sided(&small, &large).unwrap();
    assert_eq!(both.largest, there.largest.max(back.largest));
    assert_eq!(both.samples, there.samples + back.samples);
    // One-sided: a part is nowhere away from the whole.
    let mut half = ball();
    half.triangles.truncate(half.triangles.len() / 2);
    assert!(Deviation::one_sided(&half, &ball()).unwrap().largest < 1e-12);
    assert!(Deviation::one_sided(&ball(), &half).unwrap().largest > 0.5);
}
