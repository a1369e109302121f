//! Small meshes written straight from the descriptions of the formats, independently of
//! the readers, and what the readers make of them.

use proptest::prelude::*;
use proptest::sample::Index;
use resile_linalg::Vec3;
use resile_mesh::generate::Ball;
use resile_mesh::read::{
    MeshFileError, SurfaceMesh, read_medit, read_off, read_ply, read_stl, read_tetgen, read_vtk,
    read_vtu,
};
use resile_mesh::{TetMesh, TriMesh};
use std::fmt::Write;

/// A mesh of either kind.
#[derive(Debug, Clone, PartialEq)]
enum Mesh {
    Surface(TriMesh),
    Solid(TetMesh),
}

type Reading = fn(&[u8]) -> Result<Mesh, MeshFileError>;

/// A good file, and how it is read.
struct Sample {
    name: String,
    bytes: Vec<u8>,
    read: Reading,
}

fn tri_mesh(read: Result<SurfaceMesh, MeshFileError>) -> Result<Mesh, MeshFileError> {
    read.map(|r| Mesh::Surface(r.mesh))
}

const OFF: Reading = |b| tri_mesh(read_off(b));
const PLY: Reading = |b| tri_mesh(read_ply(b));
const STL: Reading = |b| tri_mesh(read_stl(b));
const VTK: Reading = |b| read_vtk(b).map(|r| Mesh::Solid(r.mesh));
const VTU: Reading = |b| read_vtu(b).map(|r| Mesh::Solid(r.mesh));
const MEDIT: Reading = |b| read_medit(b).map(|r| Mesh::Solid(r.mesh));
/// Both files in one, for the sake of one signature.
const TETGEN: Reading = |b| {
    let cut = b.iter().position(|&byte| byte == b'@').unwrap_or(b.len());
    let ele = b.get(cut + 1..).unwrap_or_default();
    read_tetgen(&b[..cut], ele).map(|r| Mesh::Solid(r.mesh))
};

/// Coordinates that are not short in decimal, and are exact in single precision, which
/// is all that STL has.
fn ball() -> TetMesh {
    let mut mesh = Ball { radius: 0.7, layers: 1 }.build().unwrap();
    for p in &mut mesh.positions {
        *p = Vec3::from_array(p.to_array().map(|c| f64::from((c + 0.1) as f32)));
    }
    mesh
}

fn sphere() -> TriMesh {
    ball().boundary()
}

fn words<T: ToString>(numbers: impl IntoIterator<Item = T>) -> String {
    numbers.into_iter().map(|n| n.to_string() + " ").collect()
}

fn line(point: &Vec3) -> String {
    words(point.to_array()) + "\n"
}

fn off(mesh: &TriMesh) -> String {
    let mut text = format!("OFF # a remark\n{} {} 0\n", mesh.positions.len(), mesh.triangles.len());
    text.extend(mesh.positions.iter().map(line));
    text.extend(mesh.triangles.iter().map(|&t| format!("3 {}0.5 0.5 0.5\n", words(t))));
    text
}

fn ascii_stl(mesh: &TriMesh) -> String {
    let mut text = "solid of some name\n".to_owned();
    for t in 0..mesh.triangles.len() {
        text.push_str("facet normal 0 0 1\nouter loop\n");
        mesh.corners(t).iter().for_each(|p| write!(text, "vertex {}", line(p)).unwrap());
        text.push_str("endloop\nendfacet\n");
    }
    text + "endsolid of some name\n"
}

fn binary_stl(mesh: &TriMesh) -> Vec<u8> {
    let mut bytes = b"solid, as some programs begin even binary files".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for t in 0..mesh.triangles.len() {
        bytes.extend([0; 12]);
        let coordinates = mesh.corners(t).into_iter().flat_map(|p| p.to_array());
        bytes.extend(coordinates.flat_map(|c| (c as f32).to_le_bytes()));
        bytes.extend([7, 7]);
    }
    bytes
}

/// Numbers of either byte order.
fn real(big: bool, x: f64) -> [u8; 8] {
    if big { x.to_be_bytes() } else { x.to_le_bytes() }
}

fn int(big: bool, i: u32) -> [u8; 4] {
    if big { i.to_be_bytes() } else { i.to_le_bytes() }
}

fn ply_header(mesh: &TriMesh, format: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment none\nelement vertex {}\nproperty double x\n\
         property double y\nproperty uchar red\nproperty double z\nelement face {}\n\
         property list uchar float weights\nproperty list uchar uint vertex_indices\nend_header\n",
        mesh.positions.len(),
        mesh.triangles.len()
    )
}

fn ascii_ply(mesh: &TriMesh) -> String {
    let mut text = ply_header(mesh, "ascii");
    text.extend(mesh.positions.iter().map(|p| format!("{} {} 255 {}\n", p.x, p.y, p.z)));
    text.extend(mesh.triangles.iter().map(|&t| format!("2 0.5 nan 3 {}\n", words(t))));
    text
}

fn binary_ply(mesh: &TriMesh, big: bool) -> Vec<u8> {
    let format = if big { "binary_big_endian" } else { "binary_little_endian" };
    let mut bytes = ply_header(mesh, format).into_bytes();
    for p in &mesh.positions {
        bytes.extend([real(big, p.x), real(big, p.y)].concat());
        bytes.push(255);
        bytes.extend(real(big, p.z));
    }
    for &t in &mesh.triangles {
        bytes.extend([1, 10, 10, 10, 10, 3]);
        bytes.extend(t.map(|v| int(big, v)).concat());
    }
    bytes
}

fn medit(mesh: &TetMesh) -> String {
    let mut text = "MeshVersionFormatted 2\nDimension\n3\n# remark\nVertices\n".to_owned();
    writeln!(text, "{}", mesh.positions.len()).unwrap();
    text.extend(mesh.positions.iter().map(|p| format!("{}7\n", words(p.to_array()))));
    text.push_str("RequiredVertices 2\n1\n2\nTriangles 1\n1 2 3 0\nTetrahedra\n");
    writeln!(text, "{}", mesh.tets.len()).unwrap();
    text.extend(mesh.tets.iter().map(|t| format!("{}1\n", words(t.map(|n| n + 1)))));
    text + "End\n"
}

fn tetgen(mesh: &TetMesh, first: u32) -> String {
    let mut text = format!("# remark\n{} 3 1 0\n", mesh.positions.len());
    for (number, p) in (first..).zip(&mesh.positions) {
        writeln!(text, "{number} {}0.5 # node", words(p.to_array())).unwrap();
    }
    writeln!(text, "@{} 4 0", mesh.tets.len()).unwrap();
    for (number, t) in (first..).zip(&mesh.tets) {
        writeln!(text, "{number} {}", words(t.map(|n| n + first))).unwrap();
    }
    text
}

/// A field, the points, and a triangle before the tetrahedra.
fn vtk(mesh: &TetMesh, binary: bool) -> Vec<u8> {
    let (points, cells) = (mesh.positions.len(), mesh.tets.len() + 1);
    let kind = if binary { "BINARY" } else { "ASCII" };
    let mut bytes = format!("# vtk DataFile Version 3.0\ntitle\n{kind}\n").into_bytes();
    bytes.extend(b"DATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\ntime 1 1 double\n");
    let reals = |xs: &[f64]| match binary {
        true => xs.iter().flat_map(|&x| real(true, x)).collect(),
        false => words(xs).into_bytes(),
    };
    let ints = |is: &[u32]| match binary {
        true => is.iter().flat_map(|&i| int(true, i)).collect(),
        false => words(is).into_bytes(),
    };
    bytes.extend(reals(&[0.25]));
    bytes.extend(format!("\nPOINTS {points} double\n").bytes());
    mesh.positions.iter().for_each(|p| bytes.extend(reals(&p.to_array())));
    bytes.extend(b"\nMETADATA\nINFORMATION 0\n\n");
    bytes.extend(format!("CELLS {cells} {}\n", 4 + 5 * mesh.tets.len()).bytes());
    bytes.extend(ints(&[3, 0, 1, 2]));
    mesh.tets.iter().for_each(|&[a, b, c, d]| bytes.extend(ints(&[4, a, b, c, d])));
    bytes.extend(format!("\nCELL_TYPES {cells}\n").bytes());
    bytes.extend(ints(&[5]));
    mesh.tets.iter().for_each(|_| bytes.extend(ints(&[10])));
    bytes.extend(b"\nPOINT_DATA 1\nanything");
    bytes
}

/// The arrangement of version 5.
fn vtk_5(mesh: &TetMesh) -> Vec<u8> {
    let (points, tets) = (mesh.positions.len(), mesh.tets.len());
    let mut bytes = b"# vtk DataFile Version 5.1\ntitle\nBINARY\n".to_vec();
    bytes.extend(format!("DATASET UNSTRUCTURED_GRID\nPOINTS {points} double\n").bytes());
    let reals = mesh.positions.iter().flat_map(|p| p.to_array());
    bytes.extend(reals.flat_map(f64::to_be_bytes));
    bytes.extend(format!("\nCELLS {} {}\nOFFSETS vtktypeint64\n", tets + 1, 4 * tets).bytes());
    bytes.extend((0..=tets as i64).flat_map(|k| (4 * k).to_be_bytes()));
    bytes.extend(b"\nCONNECTIVITY vtktypeint64\n");
    bytes.extend(mesh.tets.iter().flatten().flat_map(|&n| i64::from(n).to_be_bytes()));
    bytes.extend(format!("\nCELL_TYPES {tets}\n").bytes());
    bytes.extend((0..tets).flat_map(|_| 10_i32.to_be_bytes()));
    bytes
}

const VTU_FORMATS: [&str; 4] = ["ascii", "binary", "padded", "appended"];

/// `padded` is base64 whose header is encoded by itself, as VTK does.
fn vtu(mesh: &TetMesh, format: &str) -> Vec<u8> {
    use base64::Engine;
    let encode = |bytes: &[u8]| base64::prelude::BASE64_STANDARD.encode(bytes);
    let mut appended = Vec::new();
    let mut array = |name: &str, kind: &str, text: String, raw: Vec<u8>| {
        let header = (raw.len() as u32).to_le_bytes();
        let said = if format == "padded" { "binary" } else { format };
        let open = format!("<DataArray type='{kind}' Name='{name}' format='{said}'");
        let content = match format {
            "ascii" => format!(">\n{text}"),
            "binary" => format!(">\n{}", encode(&[&header[..], &raw[..]].concat())),
            "padded" => format!(">\n{}{}", encode(&header), encode(&raw)),
            _ => format!(" offset='{}'>", appended.len()),
        };
        appended.extend([&header[..], &raw[..]].concat());
        // VTK notes ranges inside of arrays, and a remark may stand anywhere.
        format!(
            "{open}{content}<!-- a remark -->\n<InformationKey name='L2_NORM_RANGE' length='2'>\n\
             <Value index='0'>0.5</Value>\n</InformationKey>\n</DataArray>\n"
        )
    };
    let reals: Vec<f64> = mesh.positions.iter().flat_map(|p| p.to_array()).collect();
    let nodes: Vec<u32> = mesh.tets.iter().flatten().copied().collect();
    let ends: Vec<i64> = (1..=mesh.tets.len() as i64).map(|k| 4 * k).collect();
    let types = vec![10_u8; mesh.tets.len()];
    let arrays = [
        array("p", "Float64", words(&reals), reals.iter().flat_map(|x| x.to_le_bytes()).collect()),
        array(
            "connectivity",
            "UInt32",
            words(&nodes),
            nodes.iter().flat_map(|n| n.to_le_bytes()).collect(),
        ),
        array(
            "offsets",
            "Int64",
            words(&ends),
            ends.iter().flat_map(|n| n.to_le_bytes()).collect(),
        ),
        array("types", "UInt8", words(&types), types.clone()),
    ];
    let [points, connectivity, offsets, types] = arrays;
    let mut bytes = format!(
        "<?xml version='1.0'?>\n<VTKFile type='UnstructuredGrid' version='0.1' \
         byte_order='LittleEndian'>\n<UnstructuredGrid><!-- remark -->\n\
         <Piece NumberOfPoints='{}' NumberOfCells='{}'>\n<PointData>\n\
         <DataArray type='Float32' Name='offsets' format='ascii'>7</DataArray>\n</PointData>\n\
         <Points>{points}</Points>\n<Cells>{connectivity}{offsets}{types}</Cells>\n</Piece>\n\
         </UnstructuredGrid>\n",
        mesh.positions.len(),
        mesh.tets.len()
    )
    .into_bytes();
    if format == "appended" {
        bytes.extend(b"<AppendedData encoding='raw'>\n_");
        bytes.extend(appended);
        bytes.extend(b"\n</AppendedData>\n");
    }
    bytes.extend(b"</VTKFile>\n");
    bytes
}

fn samples() -> Vec<Sample> {
    let (solid, surface) = (ball(), sphere());
    let mut samples = Vec::new();
    let mut add = |name: &str, bytes: Vec<u8>, read| {
        samples.push(Sample { name: name.to_owned(), bytes, read });
    };
    add("off", off(&surface).into(), OFF);
    add("ascii stl", ascii_stl(&surface).into(), STL);
    add("binary stl", binary_stl(&surface), STL);
    add("ascii ply", ascii_ply(&surface).into(), PLY);
    add("little ply", binary_ply(&surface, false), PLY);
    add("big ply", binary_ply(&surface, true), PLY);
    add("medit", medit(&solid).into(), MEDIT);
    add("tetgen from 0", tetgen(&solid, 0).into(), TETGEN);
    add("tetgen from 1", tetgen(&solid, 1).into(), TETGEN);
    add("ascii vtk", vtk(&solid, false), VTK);
    add("binary vtk", vtk(&solid, true), VTK);
    add("vtk 5", vtk_5(&solid), VTK);
    VTU_FORMATS.iter().for_each(|format| add(&format!("vtu {format}"), vtu(&solid, format), VTU));
    samples
}

/// Vertices in the order in which triangles first use them, as STL delivers them.
fn in_order_of_use(mesh: &TriMesh) -> Vec<[Vec3; 3]> {
    (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect()
}

#[test]
fn every_format_delivers_the_mesh_to_the_bit() {
    for sample in samples() {
        let found = (sample.read)(&sample.bytes).unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        match found {
            Mesh::Solid(mesh) => assert_eq!(mesh, ball(), "{}", sample.name),
            Mesh::Surface(mesh) => {
                let expected = sphere();
                assert_eq!(in_order_of_use(&mesh), in_order_of_use(&expected), "{}", sample.name);
                assert_eq!(mesh.positions.len(), expected.positions.len(), "{}", sample.name);
                assert_eq!(mesh.defects(), expected.defects());
            }
        }
    }
}

#[test]
fn what_is_left_out_or_changed_is_said() {
    let left = read_medit(medit(&ball()).as_bytes()).unwrap().report.notes();
    assert_eq!(left, ["left out what is not a tetrahedron: 1 of kind triangle"]);
    let left = read_vtk(&vtk(&ball(), true)[..]).unwrap().report.notes();
    assert_eq!(left, ["left out what is not a tetrahedron: 1 of kind triangle"]);
    // A square, a triangle with two corners in one, and a vertex to spare.
    let off = "OFF\n5 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n9 9 9\n4 0 1 2 3\n3 0 1 1\n";
    let read = read_off(off.as_bytes()).unwrap();
    assert_eq!(read.mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(
        read.report.notes(),
        [
            "split 1 polygons into triangles",
            "left out 1 triangles with two corners in one",
            "dropped 1 vertices that no face uses"
        ]
    );
}

#[test]
fn what_cannot_be_used_is_refused_with_the_reason() {
    let text = |mesh: String| mesh.into_bytes();
    let medit_of = |sections: &str| {
        let points = "0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n";
        text(format!("MeshVersionFormatted 1\nDimension 3\nVertices 4\n{points}{sections}\nEnd\n"))
    };
    let solid = ball();
    let replaced = |bytes: Vec<u8>, from: &str, to: &str| {
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1).into_bytes()
    };
    let vtu_text = || vtu(&solid, "ascii");
    let cases: Vec<(Reading, Vec<u8>, &str)> = vec![
        (MEDIT, medit_of("Hexahedra 1\n1 2 3 4 1 2 3 4 0"), "1 of kind hexahedron beside 0"),
        (MEDIT, medit_of("Triangles 1\n1 2 3 0"), "no tetrahedra (found: 1 of kind triangle)"),
        (MEDIT, medit_of("TetrahedraP2 1\n1 2 3 4 1 2 3 4 1 2 0"), "second-order tetrahedron"),
        (MEDIT, medit_of("Tetrahedra 1\n1 2 3 5 0"), "refers to vertex 5, but they go from 1 to 4"),
        (MEDIT, b"MeshVersionFormatted 1\nDimension 2\n".to_vec(), "a mesh in 2 dimensions"),
        (MEDIT, medit_of("Tetrahedra 99999999\n1 2 3 4 0"), "99999999 elements are announced"),
        (TETGEN, text(tetgen(&solid, 0).replace(" 4 0\n", " 10 0\n")), "second-order tetrahedron"),
        (TETGEN, text(tetgen(&solid, 1).replace("\n2 ", "\n3 ")), "a node number one above"),
        (VTK, replaced(vtk(&solid, false), "UNSTRUCTURED_GRID", "POLYDATA"), "`POLYDATA`"),
        (VTU, replaced(vtu_text(), "version='0.1'", "compressor='x'"), "a compressed file"),
        (VTU, replaced(vtu_text(), "'UnstructuredGrid'", "'PolyData'"), "type `PolyData`"),
        (VTU, replaced(vtu_text(), "Points='", "Points='1"), "coordinates are announced"),
        (VTU, b"<VTKFile type='UnstructuredGrid'></VTKFile>".to_vec(), "no `Piece`"),
        (PLY, replaced(ascii_ply(&sphere()).into(), "vertex ", "vertex 9999999999"), "announced"),
        (OFF, b"OFF BINARY\n".to_vec(), "binary OFF is not read"),
        (OFF, b"OFF\n1 0 0\nnan 0 0\n".to_vec(), "coordinate that is not a finite number"),
        (STL, binary_stl(&sphere())[..200].to_vec(), "expected solid, found"),
    ];
    for (read, bytes, expected) in cases {
        let error = read(&bytes).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

/// What holds for anything that is not refused.
fn assert_sound(mesh: &Mesh, bytes: usize) {
    let positions = match mesh {
        Mesh::Surface(mesh) => {
            let _ = (mesh.defects(), mesh.surface(), mesh.enclosed_volume());
            &mesh.positions
        }
        Mesh::Solid(mesh) => {
            let _ = (mesh.check(), mesh.quality(), mesh.boundary());
            &mesh.positions
        }
    };
    assert!(positions.iter().all(|p| p.is_finite()));
    assert!(positions.len() <= bytes && positions.capacity() <= 2 * bytes);
}

fn assert_harmless(read: Reading, bytes: &[u8]) {
    if let Ok(mesh) = read(bytes) {
        assert_sound(&mesh, bytes.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        rng_seed: proptest::test_runner::RngSeed::Fixed(5),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn cut_files_never_panic(cut in any::<Index>(), tail in prop::collection::vec(any::<u8>(), 0..60)) {
        for mut sample in samples() {
            sample.bytes.truncate(cut.index(sample.bytes.len()));
            assert_harmless(sample.read, &sample.bytes);
            sample.bytes.extend(&tail);
            assert_harmless(sample.read, &sample.bytes);
        }
    }

    #[test]
    fn damaged_files_never_panic(
        hits in prop::collection::vec((any::<Index>(), any::<u8>()), 1..6),
        header in any::<bool>(),
    ) {
        for mut sample in samples() {
            // Half of the time where the format is, rather than its numbers.
            let end = if header { sample.bytes.len().min(300) } else { sample.bytes.len() };
            for (place, value) in &hits {
                sample.bytes[place.index(end)] = *value;
            }
            assert_harmless(sample.read, &sample.bytes);
        }
    }

    #[test]
    fn extreme_numbers_never_panic(
        place in any::<Index>(), width in prop::sample::select(vec![1, 4, 8]),
        fill in prop::sample::select(vec![0_u8, 1, 0x7f, 0x80, 0xff, b'9', b'-']),
    ) {
        for mut sample in samples() {
            let start = place.index(sample.bytes.len() - width);
            sample.bytes[start..start + width].fill(fill);
            assert_harmless(sample.read, &sample.bytes);
        }
    }

    #[test]
    fn pieces_cut_out_or_doubled_never_panic(a in any::<Index>(), b in any::<Index>()) {
        for sample in samples() {
            let bytes = &sample.bytes;
            let mut ends = [a, b].map(|end| end.index(bytes.len() + 1));
            ends.sort_unstable();
            assert_harmless(sample.read, &[&bytes[..ends[0]], &bytes[ends[1]..]].concat());
            assert_harmless(sample.read, &[&bytes[..ends[1]], &bytes[ends[0]..]].concat());
        }
    }
}
