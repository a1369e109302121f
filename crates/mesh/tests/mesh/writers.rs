//! What is written is read back to the bit.

use proptest::prelude::*;
use resile_math::Vec3;
use resile_mesh::generate::Ball;
use resile_mesh::read::{
    Group, Groups, OtherSolidPolicy, read_gmsh, read_medit, read_obj, read_ply, read_vtu,
};
use resile_mesh::write::{
    Precision, VTK_TRIANGLE, VtuCells, VtuGrid, write_gmsh, write_medit, write_obj, write_ply,
    write_vtu,
};
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
    fn written_solids_read_back_bit_for_bit(mesh in solid()) {
        let (mut gmsh, mut vtu) = (Vec::new(), Vec::new());
        write_gmsh(&mesh, &Groups::new(), &mut gmsh).unwrap();
        write_vtu(&mesh, &Groups::new(), &mut vtu).unwrap();
        let gmsh = read_gmsh(&gmsh[..], OtherSolidPolicy::Refuse).unwrap();
        prop_assert!(gmsh.report.notes().is_empty());
        let vtu = read_vtu(&vtu[..], OtherSolidPolicy::Refuse).unwrap();
        prop_assert!(vtu.report.notes().is_empty());
        let mut medit = Vec::new();
        write_medit(&mesh, &Groups::new(), &mut medit).unwrap();
        let medit = read_medit(&medit[..], OtherSolidPolicy::Refuse).unwrap();
        prop_assert!(medit.report.notes().is_empty());
        for read in [gmsh.mesh, vtu.mesh, medit.mesh] {
            prop_assert_eq!(bits(&read.positions), bits(&mesh.positions));
            prop_assert_eq!(&read.tets, &mesh.tets);
        }
    }

    #[test]
    fn written_surfaces_read_back_bit_for_bit(mesh in solid()) {
        let mesh = mesh.boundary();
        let (mut obj, mut ply) = (Vec::new(), Vec::new());
        write_obj(&mesh, &Groups::new(), &mut obj).unwrap();
        write_ply(&mesh, &mut ply).unwrap();
        let ply = read_ply(&ply[..]).unwrap().mesh;
        prop_assert_eq!(bits(&ply.positions), bits(&mesh.positions));
        prop_assert_eq!(&ply.triangles, &mesh.triangles);
        let obj = read_obj(&obj[..]).unwrap().mesh;
        prop_assert_eq!(bits(&corners(&obj)), bits(&corners(&mesh)));
        prop_assert_eq!(obj.defects(), mesh.defects());
    }
}

/// Groups that overlap: of tetrahedra, of faces, of both, and of nodes alone. `parts` gives for each tetrahedron, face and
/// node its groups as bits.
fn groups(mesh: &TetMesh, parts: &[u8]) -> Groups {
    let bit = |at: usize, group: usize| parts[at % parts.len()] >> group & 1 == 1;
    let surface = mesh.surface().triangles;
    let names = ["core", "a b", "x<&\"y", "ref=7"];
    let of = |(place, name): (usize, &str)| {
        let elements: Vec<u32> =
            (0..mesh.tets.len()).filter(|&e| bit(e, place)).map(|e| e as u32).collect();
        let faces = || surface.iter().enumerate().filter(|(f, _)| bit(3 * f + 1, 4 + place));
        let faces: Vec<[u32; 3]> = faces().map(|(_, face)| *face).collect();
        let mut nodes: Vec<u32> = elements.iter().flat_map(|&e| mesh.tets[e as usize]).collect();
        nodes.extend(faces.iter().flatten());
        nodes.extend((0..mesh.positions.len() as u32).step_by(5 + place));
        nodes.sort_unstable();
        nodes.dedup();
        (name.to_owned(), Group { nodes, elements, faces })
    };
    names.into_iter().enumerate().map(of).collect()
}

/// Groups with the corners of faces in one order.
fn in_order(groups: &Groups) -> Groups {
    let sorted = |group: &Group| {
        let mut faces = group.faces.clone();
        faces.iter_mut().for_each(|face| face.sort_unstable());
        faces.sort_unstable();
        Group { faces, ..group.clone() }
    };
    groups.iter().map(|(name, group)| (name.clone(), sorted(group))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn written_groups_read_back(mesh in solid(), parts in prop::collection::vec(any::<u8>(), 1..400)) {
        let groups = groups(&mesh, &parts);
        let (mut gmsh, mut vtu) = (Vec::new(), Vec::new());
        write_gmsh(&mesh, &groups, &mut gmsh).unwrap();
        write_vtu(&mesh, &groups, &mut vtu).unwrap();
        let gmsh = read_gmsh(&gmsh[..], OtherSolidPolicy::Refuse).unwrap();
        let vtu = read_vtu(&vtu[..], OtherSolidPolicy::Refuse).unwrap();
        prop_assert_eq!(&gmsh.mesh.tets, &mesh.tets);
        prop_assert_eq!(&vtu.mesh.tets, &mesh.tets);
        prop_assert_eq!(in_order(&vtu.groups), in_order(&groups));
        let named = |name: &String| name.replace('"', "'");
        let groups: Groups = groups.iter().map(|(name, group)| (named(name), group.clone())).collect();
        prop_assert_eq!(in_order(&gmsh.groups), in_order(&groups));
    }

    /// In MEDIT files each set of groups has a number, so that a group is a union of them.
    #[test]
    fn medit_groups_read_back_as_numbers(
        mesh in solid(), parts in prop::collection::vec(0_u8..3, 1..400),
    ) {
        let groups = groups(&mesh, &parts);
        let mut file = Vec::new();
        write_medit(&mesh, &groups, &mut file).unwrap();
        let read = read_medit(&file[..], OtherSolidPolicy::Refuse).unwrap();
        let text = String::from_utf8(file).unwrap();
        for (name, group) in groups {
            let numbers = text.lines().filter_map(|line| line.strip_prefix("# reference "));
            let own = numbers.filter_map(|line| line.split_once(": ")).filter(|(_, names)| {
                names.split(", ").any(|one| one == name)
            });
            let mut elements: Vec<u32> = own
                .filter_map(|(number, _)| read.groups.get(&format!("ref={number}")))
                .flat_map(|group| group.elements.clone())
                .collect();
            elements.sort_unstable();
            prop_assert_eq!(elements, group.elements, "{}", name);
        }
    }

    #[test]
    fn obj_face_groups_read_back(
        mesh in solid(), parts in prop::collection::vec(any::<u8>(), 1..400),
    ) {
        let mesh = mesh.boundary();
        let of = |place: usize| {
            let own = |f: &u32| parts[*f as usize % parts.len()] >> place & 1 == 1;
            let elements: Vec<u32> = (0..mesh.triangles.len() as u32).filter(own).collect();
            Group { nodes: Vec::new(), elements, faces: Vec::new() }
        };
        let groups: Groups = [("left", of(0)), ("far right", of(1))]
            .map(|(name, group)| (name.to_owned(), group))
            .into();
        let mut file = Vec::new();
        write_obj(&mesh, &groups, &mut file).unwrap();
        let read = read_obj(&file[..]).unwrap().groups;
        for (name, group) in groups {
            let elements = read.get(&name.replace(' ', "_")).map_or(&[][..], |g| &g.elements);
            prop_assert_eq!(elements, &group.elements);
        }
    }
}

/// The sign of zero, the largest and the smallest numbers.
#[test]
fn extreme_coordinates_read_back_bit_for_bit() {
    let positions = vec![
        Vec3::new(-0.0, 5e-324, f64::MAX),
        Vec3::new(f64::MIN, 1.0 / 3.0, 1e-5),
        Vec3::new(1e16, -1e-7, 0.0),
        Vec3::ZERO,
    ];
    let mesh = TetMesh { positions, tets: vec![[3, 1, 2, 0]] };
    let mut bytes = Vec::new();
    write_vtu(&mesh, &Groups::new(), &mut bytes).unwrap();
    assert_eq!(
        bits(&read_vtu(&bytes[..], OtherSolidPolicy::Refuse).unwrap().mesh.positions),
        bits(&mesh.positions)
    );
    let mut bytes = Vec::new();
    write_gmsh(&mesh, &Groups::new(), &mut bytes).unwrap();
    assert_eq!(
        bits(&read_gmsh(&bytes[..], OtherSolidPolicy::Refuse).unwrap().mesh.positions),
        bits(&mesh.positions)
    );
}

#[test]
fn write_error_is_reported() {
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
        write_gmsh(&mesh, &Groups::new(), Full),
        write_vtu(&mesh, &Groups::new(), Full),
        write_obj(&surface, &Groups::new(), Full),
        write_ply(&surface, Full),
    ];
    for result in results {
        assert_eq!(result.unwrap_err().to_string(), "the disk is full");
    }
}

/// Reads the arrays of a file in the order of their bytes as meshio 5.3.5 does: it looks for the first element whose
/// offset has these digits, and overwrites that by the offset in base64. The names, in the order found.
fn arrays_by_overwritten_offsets(file: &[u8]) -> Vec<String> {
    let marker = b"encoding=\"raw\">\n_";
    let end = file.windows(marker.len()).position(|w| w == marker).unwrap();
    let (header, mut data) = (str::from_utf8(&file[..end]).unwrap(), &file[end + marker.len()..]);
    let attribute = |element: &str, name: &str| {
        let rest = element.split_once(&format!(" {name}=\"")).unwrap().1;
        rest.split_once('"').unwrap().0.to_owned()
    };
    let elements = header.split('<').filter(|element| element.starts_with("DataArray"));
    let mut elements: Vec<(String, String)> =
        elements.map(|e| (attribute(e, "Name"), attribute(e, "offset"))).collect();
    let (mut at, mut encoded, mut names) = (0, 0, Vec::new());
    while names.len() < elements.len() {
        let offset = at.to_string();
        let (name, found) = elements.iter_mut().find(|(_, known)| *known == offset).unwrap();
        *found = encoded.to_string();
        names.push(name.clone());
        let length = 8 + u64::from_le_bytes(data[..8].try_into().unwrap()) as usize;
        data = &data[length..];
        at += length;
        encoded += 4 * length.div_ceil(3);
    }
    names
}

#[test]
fn vtu_offsets_address_every_array() {
    let mut cells = VtuCells::default();
    cells.add([0, 1, 2], VTK_TRIANGLE);
    for length in 0..64 {
        let mut grid = VtuGrid::new(&[Vec3::ZERO, Vec3::X, Vec3::Y], &cells, Precision::Single);
        let text = "x".repeat(length);
        grid.field_reals("TimeValue", 1, &[0.5]);
        grid.field_texts("name", [text.as_str()]);
        grid.field_texts("role", [&text[length / 2..]]);
        grid.cell_data("body", &[7]);
        let mut file = Vec::new();
        grid.write(&mut file).unwrap();
        let mut names = arrays_by_overwritten_offsets(&file);
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 8, "of length {length}: {names:?}");
    }
}
