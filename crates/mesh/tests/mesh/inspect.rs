//! What an inspection says of meshes whose figures are known.

use resile_math::Vec3;
use resile_mesh::generate::{BoxGrid, BoxSurface, Icosphere};
use resile_mesh::inspect::{SolidInspection, SurfaceInspection};
use resile_mesh::{MeshError, SurfaceDefects, TetMesh, TriMesh};

const SIZE: Vec3 = Vec3::new(1.0, 2.0, 3.0);

#[test]
fn inspection_of_a_box_has_the_exact_figures() {
    let mesh = BoxSurface { size: SIZE, cells: [1, 2, 3] }.build().unwrap();
    let inspection = SurfaceInspection::new(&mesh).unwrap();
    // Two triangles for each of the 22 squares; Euler's formula gives the edges.
    assert_eq!([inspection.vertices, inspection.edges, inspection.triangles], [24, 66, 44]);
    assert!((inspection.bounds.size() - SIZE).length() < 1e-14);
    assert!((inspection.area - 22.0).abs() < 1e-12);
    assert!((inspection.volume.unwrap() - 6.0).abs() < 1e-12);
    assert_eq!(inspection.defects, SurfaceDefects::default());
    assert_eq!(
        [inspection.outward_parts, inspection.inward_parts, inspection.other_parts],
        [1, 0, 0]
    );
    assert_eq!(
        [inspection.boundary_loops, inspection.duplicate_vertices, inspection.unused_vertices],
        [0; 3]
    );
    assert!((inspection.edge_lengths.smallest - 1.0).abs() < 1e-12);
    assert!((inspection.edge_lengths.largest - 2.0_f64.sqrt()).abs() < 1e-12);
    // Half of a square has 45 degrees.
    assert_eq!(inspection.smallest_angles.counts.iter().sum::<usize>(), 44);
    assert_eq!(inspection.smallest_angles.counts[8] + inspection.smallest_angles.counts[9], 44);
}

#[test]
fn defects_are_counted_by_kind() {
    let mut mesh = Icosphere { radius: 1.0, subdivisions: 2 }.build().unwrap();
    mesh.positions.extend([mesh.positions[4], Vec3::ZERO]);
    mesh.triangles.remove(100);
    mesh.triangles.swap_remove(0);
    let inspection = SurfaceInspection::new(&mesh).unwrap();
    assert_eq!([inspection.duplicate_vertices, inspection.unused_vertices], [1, 2]);
    assert_eq!(
        [inspection.boundary_loops, inspection.defects.open_edges, inspection.other_parts],
        [2, 6, 1]
    );
    assert_eq!(inspection.volume, None);
}

#[test]
fn inspection_of_a_solid_covers_volume_and_boundary() {
    let mesh = BoxGrid { size: SIZE, cells: [1, 2, 3] }.build().unwrap();
    let inspection = SolidInspection::new(&mesh).unwrap();
    assert_eq!([inspection.nodes, inspection.tets, inspection.parts], [24, 36, 1]);
    assert!((inspection.volume - 6.0).abs() < 1e-12);
    assert_eq!(inspection.boundary.triangles, 44);
    assert!((inspection.boundary.volume.unwrap() - 6.0).abs() < 1e-12);
    assert_eq!(inspection.angles.counts.iter().sum::<usize>(), 36);
    assert_eq!(inspection.smallest_angles.smallest, inspection.quality.smallest_dihedral);
    assert_eq!(inspection.edge_lengths.largest, inspection.quality.largest_edge);
    assert!((inspection.edge_lengths.largest - 3.0_f64.sqrt()).abs() < 1e-12);
    assert_eq!(inspection.unfit, None);
}

#[test]
fn inspection_reports_inverted_elements_and_rejects_bad_indices() {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE];
    let mesh = TetMesh { positions: positions.clone(), tets: vec![[0, 1, 2, 3], [1, 2, 4, 3]] };
    let inspection = SolidInspection::new(&mesh).unwrap();
    assert!(matches!(inspection.unfit, Some(MeshError::Inverted { .. })), "{:?}", inspection.unfit);
    assert_eq!(inspection.quality.inverted, [1]);
    let mesh = TetMesh { positions, tets: vec![[0, 1, 2, 5]] };
    assert!(matches!(SolidInspection::new(&mesh), Err(MeshError::NodeOutOfRange { .. })));
    assert_eq!(SolidInspection::new(&TetMesh::default()), Err(MeshError::Empty));
}

/// Two bars of a cross, 4 x 1 x 1 and 1 x 4 x 1.25, have a cube of volume 1 in common.
#[test]
fn overlapping_parts_are_reported_with_the_volume_of_their_union() {
    let bar = |size: Vec3| BoxSurface { size, cells: [1; 3] }.build().unwrap();
    let (along, across) = (bar(Vec3::new(4.0, 1.0, 1.0)), bar(Vec3::new(1.0, 4.0, 1.25)));
    let joined = |shift: Vec3| {
        let mut mesh = along.clone();
        let first = mesh.positions.len() as u32;
        let center = |mesh: &TriMesh| mesh.bounds().unwrap().center();
        let offset = center(&along) - center(&across) + shift;
        mesh.positions.extend(across.positions.iter().map(|p| *p + offset));
        mesh.triangles.extend(across.triangles.iter().map(|t| t.map(|vertex| vertex + first)));
        SurfaceInspection::new(&mesh).unwrap()
    };
    let crossing = joined(Vec3::ZERO);
    assert_eq!((crossing.parts(), crossing.volume), (2, Some(9.0)));
    let overlap = crossing.overlap.expect("the bars cross each other");
    // The four long faces of each bar, of two triangles each, as far as the other bar covers them.
    assert!((4..=16).contains(&overlap.triangles), "{overlap:?}");
    assert!((overlap.union_volume / 8.0 - 1.0).abs() < 0.01, "{overlap:?}");
    assert_eq!(joined(Vec3::Z * 2.0).overlap, None);
    // Two of the long faces in one plane.
    let flush = joined(Vec3::Z * 0.125).overlap.expect("the bars cross each other");
    assert!((flush.union_volume / 8.0 - 1.0).abs() < 0.01, "{flush:?}");
    // Bars that touch have a wall between them.
    assert_eq!(joined(Vec3::Z * 1.125).overlap, None);
    // A ball in a ball, and a cavity, which is no overlap.
    let ball = |radius: f64| Icosphere { radius, subdivisions: 3 }.build().unwrap();
    let (outer, mut inner) = (ball(1.0), ball(0.5));
    for (expected_triangles, volume) in [
        (inner.triangles.len(), outer.enclosed_volume()),
        (0, outer.enclosed_volume() - inner.enclosed_volume()),
    ] {
        let mut nested = outer.clone();
        nested.positions.extend(&inner.positions);
        let first = outer.positions.len() as u32;
        nested.triangles.extend(inner.triangles.iter().map(|t| t.map(|vertex| vertex + first)));
        let inspection = SurfaceInspection::new(&nested).unwrap();
        let found = inspection.overlap.map_or(0, |overlap| overlap.triangles);
        assert_eq!(found, expected_triangles);
        let union = inspection.overlap.map(|overlap| overlap.union_volume);
        let union = union.or(inspection.volume).unwrap();
        assert!((union / volume - 1.0).abs() < 1e-3, "{union} of {volume}");
        inner.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
}
