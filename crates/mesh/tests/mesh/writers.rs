//! What is written is read back to the bit.

use proptest::prelude::*;
use resile_math::Vec3;
use resile_mesh::generate::Ball;
use resile_mesh::read::{OtherSolids, read_gmsh, read_medit, read_obj, read_ply, read_vtu};
use resile_mesh::write::{write_gmsh, write_medit, write_obj, write_ply, write_vtu};
use resile_mesh::{TetMesh, TriMesh};
use std::io::{self, Write};

/// Coordinates of any size with all of their digits in use.
fn solid() -> impl Strategy<Value = TetMesh> {
    let spread = prop::collection::vec(0.99..1.01, 3 * 55);
    (spread, -30..30_i32, -1.0..1.0).prop_map(|(spread, exponent, shift)| {
        let mut mesh = Ball { radius: 0.7, layers: 2 }.build().unwrap();
        for (p, factors) in mesh.positions.iter_mut().zip(spread.as_chunks::<3>().0) {
            *p = (*p * Vec3::from_array(*factors) + Vec3::splat(shift)) * 10_f64.powi(exponent);
        }
        mesh
    })
}

fn bits(points: &[Vec3]) -> Vec<[u64; 3]> {
    points.iter().map(|p| p.to_array().map(f64::to_bits)).collect()
}

/// The corners of all triangles: OBJ files come back with vertices in order of use.
fn corners(mesh: &TriMesh) -> Vec<Vec3> {
    (0..mesh.triangles.len()).flat_map(|t| mesh.corners(t)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        rng_seed: proptest::test_runner::RngSeed::Fixed(6),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn solids_come_back_to_the_bit(mesh in solid()) {
        let (mut gmsh, mut vtu) = (Vec::new(), Vec::new());
        write_gmsh(&mesh, &mut gmsh).unwrap();
        write_vtu(&mesh, &mut vtu).unwrap();
        let gmsh = read_gmsh(&gmsh[..], OtherSolids::Refuse).unwrap();
        prop_assert!(gmsh.report.notes().is_empty());
        let vtu = read_vtu(&vtu[..], OtherSolids::Refuse).unwrap();
        prop_assert!(vtu.report.notes().is_empty());
        let mut medit = Vec::new();
        write_medit(&mesh, &mut medit).unwrap();
        let medit = read_medit(&medit[..], OtherSolids::Refuse).unwrap();
        prop_assert!(medit.report.notes().is_empty());
        for read in [gmsh.mesh, vtu.mesh, medit.mesh] {
            prop_assert_eq!(bits(&read.positions), bits(&mesh.positions));
            prop_assert_eq!(&read.tets, &mesh.tets);
        }
    }

    #[test]
    fn surfaces_come_back_to_the_bit(mesh in solid()) {
        let mesh = mesh.boundary();
        let (mut obj, mut ply) = (Vec::new(), Vec::new());
        write_obj(&mesh, &mut obj).unwrap();
        write_ply(&mesh, &mut ply).unwrap();
        let ply = read_ply(&ply[..]).unwrap().mesh;
        prop_assert_eq!(bits(&ply.positions), bits(&mesh.positions));
        prop_assert_eq!(&ply.triangles, &mesh.triangles);
        let obj = read_obj(&obj[..]).unwrap().mesh;
        prop_assert_eq!(bits(&corners(&obj)), bits(&corners(&mesh)));
        prop_assert_eq!(obj.defects(), mesh.defects());
    }
}

/// The sign of zero, the largest and the smallest numbers.
#[test]
fn extreme_coordinates_come_back_to_the_bit() {
    let positions = vec![
        Vec3::new(-0.0, 5e-324, f64::MAX),
        Vec3::new(f64::MIN, 1.0 / 3.0, 1e-5),
        Vec3::new(1e16, -1e-7, 0.0),
        Vec3::ZERO,
    ];
    let mesh = TetMesh { positions, tets: vec![[3, 1, 2, 0]] };
    let mut bytes = Vec::new();
    write_vtu(&mesh, &mut bytes).unwrap();
    assert_eq!(
        bits(&read_vtu(&bytes[..], OtherSolids::Refuse).unwrap().mesh.positions),
        bits(&mesh.positions)
    );
    let mut bytes = Vec::new();
    write_gmsh(&mesh, &mut bytes).unwrap();
    assert_eq!(
        bits(&read_gmsh(&bytes[..], OtherSolids::Refuse).unwrap().mesh.positions),
        bits(&mesh.positions)
    );
}

#[test]
fn a_writer_that_fails_is_reported() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is full"))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mesh = Ball { radius: 1.0, layers: 1 }.build().unwrap();
    let surface = mesh.boundary();
    let results = [
        write_gmsh(&mesh, Full),
        write_vtu(&mesh, Full),
        write_obj(&surface, Full),
        write_ply(&surface, Full),
    ];
    for result in results {
        assert_eq!(result.unwrap_err().to_string(), "the disk is full");
    }
}
