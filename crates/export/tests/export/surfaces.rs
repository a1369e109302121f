//! Sequences of OBJ and PLY.

use crate::support::{Files, NAMES, Run, export, usual};
use resile_export::{ExportOptions, Format, Grouping};
use std::io::BufReader;

/// The objects of an OBJ file, read by `tobj`.
fn objects(files: &Files, name: &str) -> (Vec<tobj::Model>, Vec<tobj::Material>) {
    let mut text = BufReader::new(files.of(name));
    let materials = |path: &std::path::Path| {
        let name = path.to_str().expect("a name");
        tobj::load_mtl_buf(&mut BufReader::new(files.of(name)))
    };
    let options = tobj::LoadOptions::default();
    let (models, materials) =
        tobj::load_obj_buf(&mut text, &options, materials).expect("tobj reads it");
    (models, materials.expect("there are materials"))
}

fn positions_of(model: &tobj::Model) -> Vec<[f32; 3]> {
    let positions = model.mesh.positions.as_chunks::<3>().0;
    positions.iter().map(|position| position.map(|number| number as f32)).collect()
}

#[test]
fn obj_holds_names_colours_and_exact_vertices_of_every_body() {
    let run = Run::usual();
    let files = usual(&run, Format::Obj);
    assert_eq!(files.0.len(), 1 + 9, "a frame each, and the colours");
    for frame in [0, 5, 8] {
        let (models, materials) = objects(&files, &format!("frame_{frame:06}.obj"));
        assert_eq!(materials.len(), NAMES.len());
        let named = |part: usize| {
            let word = NAMES[part].replace(' ', "_");
            models.iter().find(|model| model.name == word).unwrap_or_else(|| panic!("no {word}"))
        };
        // `tobj` leaves lines and points out.
        for part in [0, 1, 3, 4, 5] {
            let model = named(part);
            let read = positions_of(model);
            let material = &materials[model.mesh.material_id.expect("it has a colour")];
            assert_eq!(material.name, model.name);
            // The order of vertices is the reader's: triangles tell.
            let corners = model.mesh.indices.iter().map(|&k| read[k as usize]);
            let (positions, triangles) = (run.positions(part, frame), run.triangles(part));
            let expected = triangles.as_flattened().iter().map(|&k| positions[k as usize]);
            assert!(corners.eq(expected), "{} in frame {frame}", model.name);
        }
        let text = files.text(&format!("frame_{frame:06}.obj"));
        let lines = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        assert_eq!((lines("l "), lines("p "), lines("v ")), (1, 1, 24));
    }
    let (_, materials) = objects(&files, "frame_000000.obj");
    let colors: Vec<_> = materials.iter().map(|m| m.diffuse.expect("a colour")).collect();
    assert_eq!(colors[3], colors[4], "obstacles have one colour");
    assert_ne!(colors[0], colors[1], "bodies have their own");
    let blue = [0x4c, 0x78, 0xa8].map(|byte: u8| f64::from(byte) / 255.0);
    assert!((0..3).all(|k| (colors[0][k] - blue[k]).abs() < 1e-4), "{:?}", colors[0]);
}

/// Positions and velocities, the bytes of body numbers and colours, and triangles.
type Surface = (Vec<[f32; 6]>, Vec<[u8; 7]>, Vec<[u32; 3]>);

/// Vertices by name of property, and triangles, of a PLY file; read by hand from its header.
fn ply(file: &[u8]) -> Surface {
    let end = b"end_header\n";
    let start = file.windows(end.len()).position(|w| w == end).expect("a header") + end.len();
    let header = str::from_utf8(&file[..start]).expect("text");
    let count = |name: &str| -> usize {
        let line = header.lines().find(|line| line.starts_with(&format!("element {name} ")));
        line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or(0)
    };
    let float = |b: &[u8]| f32::from_le_bytes(b.try_into().expect("four"));
    let (mut numbers, mut rest) = (Vec::new(), Vec::new());
    let mut at = start;
    for _ in 0..count("vertex") {
        numbers.push([0, 1, 2, 3, 4, 5].map(|k| float(&file[at + 4 * k..][..4])));
        rest.push(file[at + 24..at + 31].try_into().expect("seven"));
        at += 31;
    }
    let mut triangles = Vec::new();
    for _ in 0..count("face") {
        assert_eq!(file[at], 3);
        let corner = |k: usize| u32::from_le_bytes(file[at + 1 + 4 * k..][..4].try_into().unwrap());
        triangles.push([corner(0), corner(1), corner(2)]);
        at += 13;
    }
    assert_eq!(file.len(), at + 8 * count("edge"));
    (numbers, rest, triangles)
}

#[test]
fn ply_holds_exact_vertices_velocities_colours_and_body_numbers() {
    let run = Run::usual();
    let files = usual(&run, Format::Ply);
    assert_eq!(files.0.len(), 9);
    let (vertices, rest, triangles) = ply(files.of("frame_000005.ply"));
    let mut first = 0;
    let mut found = triangles.iter();
    for part in 0..NAMES.len() {
        let positions = run.positions(part, 5);
        for (k, position) in positions.iter().enumerate() {
            assert_eq!(vertices[first + k][..3], position[..]);
            assert_eq!(rest[first + k][3..], (part as u32).to_le_bytes());
            let speed = if part < 4 { (first + k) as f32 } else { 0.0 };
            assert_eq!(vertices[first + k][3], speed, "the velocity along x");
        }
        for triangle in run.triangles(part) {
            let triangle = triangle.map(|corner| corner + first as u32);
            assert_eq!(found.next(), Some(&triangle));
        }
        first += positions.len();
    }
    assert_eq!((first, found.next()), (vertices.len(), None));
    assert_eq!(rest[0][..3], [0x4c, 0x78, 0xa8]);
    // The reader of meshes reads it, too; it leaves out what has no triangles.
    let read = resile_mesh::read::read_ply(files.of("frame_000005.ply")).expect("a surface").mesh;
    assert_eq!(read.triangles.len(), triangles.len());
}

#[test]
fn bodies_can_be_written_to_separate_files() {
    let run = Run::usual();
    let options = ExportOptions { grouping: Grouping::OneBody, ..ExportOptions::default() };
    for (format, more) in [(Format::Obj, 1), (Format::Ply, 0)] {
        let (files, _) = export(&run, format, &options).expect("it can be written");
        assert_eq!(files.0.len(), 4 * 9 + 2 + more, "{format:?}");
        let ending = format.word();
        for name in ["soft_one_000008", "gate_000000", "step", "floor"] {
            assert!(!files.of(&format!("{name}.{ending}")).is_empty());
        }
    }
    let (files, _) = export(&run, Format::Obj, &options).expect("it can be written");
    let (models, _) = objects(&files, "soft_one_000008.obj");
    assert_eq!(positions_of(&models[0]), run.positions(1, 8));
}
