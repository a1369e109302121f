//! Damages good files and gives them to the readers. The same number gives the same cases.

use resile_mesh::generate::Ball;
use resile_mesh::inspect::{SolidInspection, SurfaceInspection};
use resile_mesh::read::{
    SolidMesh, SurfaceMesh, read_gmsh, read_medit, read_obj, read_off, read_ply, read_stl,
    read_tetgen, read_vtk, read_vtu,
};
use resile_mesh::write::{write_gmsh, write_medit, write_obj, write_ply, write_vtu};
use resile_mesh::{TetMesh, TriMesh};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// A mesh that a reader made of some bytes, or nothing.
type Read = Option<Mesh>;

enum Mesh {
    Surface(TriMesh),
    Solid(TetMesh),
}

/// A reader and what it is given.
pub(crate) struct Target {
    /// The ending of its files; of `TetGen` the first of two.
    pub(crate) ending: &'static str,
    read: fn(&[u8]) -> Read,
    seeds: fn() -> Vec<Vec<u8>>,
}

/// Between the two files of `TetGen`, which are damaged as one.
pub(crate) const BETWEEN_FILES: u8 = b'@';

fn surface<E>(read: Result<SurfaceMesh, E>) -> Read {
    read.ok().map(|read| Mesh::Surface(read.mesh))
}

fn solid<E>(read: Result<SolidMesh, E>) -> Read {
    read.ok().map(|read| Mesh::Solid(read.mesh))
}

/// All readers.
pub(crate) const TARGETS: [Target; 9] = [
    Target {
        ending: "obj",
        read: |b| read_obj(b).ok().map(|read| Mesh::Surface(read.mesh)),
        seeds: || {
            let quads = "# quads\no cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n\
                         f 1/1/1 2/1/1 3/1/1 4/1/1\nf -1 -2 -3\ng part\nusemtl x\ns off\nl 1 2\n";
            vec![written(|out| write_obj(&ball().boundary(), out)), quads.into()]
        },
    },
    Target { ending: "stl", read: |b| surface(read_stl(b)), seeds: stl_seeds },
    Target {
        ending: "ply",
        read: |b| surface(read_ply(b)),
        seeds: || {
            let (mesh, mut text) = (ball().boundary(), String::from("ply\nformat ascii 1.0\n"));
            let (vertices, faces) = (mesh.positions.len(), mesh.triangles.len());
            let _ = writeln!(text, "comment by hand\nelement vertex {vertices}\nproperty float x");
            let _ = writeln!(text, "property float y\nproperty float z\nproperty uchar red");
            let _ = writeln!(text, "element face {faces}\nproperty list uchar int vertex_indices");
            text += "end_header\n";
            mesh.positions.iter().for_each(|p| text += &format!("{} {} {} 7\n", p.x, p.y, p.z));
            mesh.triangles.iter().for_each(|[a, b, c]| text += &format!("3 {a} {b} {c}\n"));
            // The other order of bytes, by hand.
            let little = written(|out| write_ply(&mesh, out));
            let data = little.windows(11).position(|w| w == b"end_header\n").unwrap_or(0) + 11;
            let head = String::from_utf8_lossy(&little[..data]).replace("little", "big");
            let mut big = head.into_bytes();
            for c in mesh.positions.iter().flat_map(|p| p.to_array()) {
                big.extend(c.to_be_bytes());
            }
            for triangle in &mesh.triangles {
                big.push(3);
                triangle.iter().for_each(|vertex| big.extend(vertex.to_be_bytes()));
            }
            vec![little, big, text.into()]
        },
    },
    Target {
        ending: "off",
        read: |b| surface(read_off(b)),
        seeds: || {
            let mesh = ball().boundary();
            let mut text =
                format!("OFF\n# by hand\n{} {} 0\n", mesh.positions.len(), mesh.triangles.len());
            mesh.positions.iter().for_each(|p| text += &format!("{} {} {}\n", p.x, p.y, p.z));
            mesh.triangles.iter().for_each(|[a, b, c]| text += &format!("3 {a} {b} {c} 1 0 0\n"));
            vec![text.into()]
        },
    },
    Target {
        ending: "msh",
        read: |b| read_gmsh(b).ok().map(|read| Mesh::Solid(read.mesh)),
        seeds: || {
            let mut text = String::from("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n");
            text += &nodes(&ball(), 1, "");
            let _ = write!(text, "$EndNodes\n$Elements\n{}\n", ball().tets.len());
            for (number, [a, b, c, d]) in (1..).zip(ball().tets.iter().map(|t| t.map(|n| n + 1))) {
                let _ = writeln!(text, "{number} 4 2 0 1 {a} {b} {c} {d}");
            }
            let four = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n\
                        0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n\
                        $EndElements\n";
            vec![
                written(|out| write_gmsh(&ball(), out)),
                (text + "$EndElements\n").into(),
                four.into(),
            ]
        },
    },
    Target {
        ending: "vtk",
        read: |b| solid(read_vtk(b)),
        seeds: || {
            let head = "# vtk DataFile Version 2.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\n";
            let points = "POINTS 4 double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
            let old = format!("{head}{points}CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n");
            let new = format!(
                "{}{points}CELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\n\
                 CELL_TYPES 1\n10\nPOINT_DATA 4\nSCALARS a float 1\nLOOKUP_TABLE default\n1 2 3 4\n",
                head.replace("2.0", "5.1")
            );
            let mut binary: Vec<u8> = head.replace("ASCII", "BINARY").into();
            binary.extend(b"POINTS 4 float\n");
            let corners = [0_f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.];
            corners.iter().for_each(|c| binary.extend(c.to_be_bytes()));
            binary.extend(b"\nCELLS 1 5\n");
            [4_i32, 0, 1, 2, 3].iter().for_each(|i| binary.extend(i.to_be_bytes()));
            binary.extend(b"\nCELL_TYPES 1\n");
            binary.extend(10_i32.to_be_bytes());
            vec![old.into(), new.into(), binary]
        },
    },
    Target {
        ending: "vtu",
        read: |b| solid(read_vtu(b)),
        seeds: || {
            let text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" \
                byte_order=\"LittleEndian\">\n<UnstructuredGrid><Piece NumberOfPoints=\"4\" \
                NumberOfCells=\"1\">\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" \
                format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points>\n<Cells>\
                <DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>\
                <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray>\
                <DataArray type=\"UInt8\" Name=\"types\" format=\"binary\">AQAAAAo=</DataArray>\
                </Cells></Piece></UnstructuredGrid></VTKFile>\n";
            vec![written(|out| write_vtu(&ball(), out)), text.into()]
        },
    },
    Target {
        ending: "mesh",
        read: |b| solid(read_medit(b)),
        seeds: || {
            let text = "MeshVersionFormatted 1\n\nDimension\n3\n# by hand\nVertices 4\n0 0 0 1\n1 0 0 1\n\
                0 1 0 1\n0 0 1 1\nEdges\n1\n1 2 0\nTriangles 1\n1 2 3 0\nTetrahedra 1\n1 2 3 4 7\nEnd\n";
            vec![written(|out| write_medit(&ball(), out)), text.into()]
        },
    },
    Target {
        ending: "node",
        read: |b| {
            let cut = b.iter().position(|&byte| byte == BETWEEN_FILES).unwrap_or(b.len());
            solid(read_tetgen(&b[..cut], b.get(cut + 1..).unwrap_or_default()))
        },
        seeds: || {
            let from = |first: u32| {
                let mut text = nodes(&ball(), first, "3 0 0").replacen('\n', "\n# by hand\n", 1);
                text.push(char::from(BETWEEN_FILES));
                let _ = writeln!(text, "{} 4 0", ball().tets.len());
                for (number, tet) in (first..).zip(&ball().tets) {
                    let [a, b, c, d] = tet.map(|node| node + first);
                    let _ = writeln!(text, "{number} {a} {b} {c} {d}");
                }
                text.into_bytes()
            };
            vec![from(0), from(1)]
        },
    },
];

fn ball() -> TetMesh {
    Ball { radius: 0.7, layers: 1 }.build().expect("a ball of one layer")
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out).expect("memory takes everything");
    out
}

/// Nodes counted from `first`, below their number and what else the header has.
fn nodes(mesh: &TetMesh, first: u32, header: &str) -> String {
    let mut text = format!("{} {header}\n", mesh.positions.len());
    for (number, p) in (first..).zip(&mesh.positions) {
        let _ = writeln!(text, "{number} {} {} {}", p.x, p.y, p.z);
    }
    text
}

fn stl_seeds() -> Vec<Vec<u8>> {
    let mesh = ball().boundary();
    let mut text = String::from("solid ball\n");
    let mut binary = vec![b' '; 80];
    binary.extend((mesh.triangles.len() as u32).to_le_bytes());
    for t in 0..mesh.triangles.len() {
        text += "facet normal 0 0 0\nouter loop\n";
        binary.extend([0; 12]);
        for p in mesh.corners(t) {
            let _ = writeln!(text, "vertex {} {} {}", p.x, p.y, p.z);
            p.to_array().iter().for_each(|&c| binary.extend((c as f32).to_le_bytes()));
        }
        text += "endloop\nendfacet\n";
        binary.extend([0; 2]);
    }
    vec![(text + "endsolid ball\n").into(), binary]
}

/// What does not make a file wrong at once, but strange.
const TOKENS: [&str; 22] = [
    "0",
    "-1",
    "1",
    "4",
    "255",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "9223372036854775807",
    "99999999999999999999",
    "1e308",
    "1e999",
    "-1e-320",
    "nan",
    "inf",
    "",
    "\n",
    "0x10",
    "\u{fffd}",
];
const NUMBERS: [u64; 10] =
    [0, 1, 3, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX];

/// Splitmix64 (Steele, Lea, Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, or 0.
    fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    /// A short piece of something so long.
    fn piece(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        let most = if self.below(4) == 0 { length - start } else { 40.min(length - start) };
        start..start + self.below(most + 1)
    }
}

/// One change.
fn damage(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let length = bytes.len();
    match random.below(9) {
        0 if length > 0 => bytes[random.below(length)] ^= 1 << random.below(8),
        1 if length > 0 => bytes[random.below(length)] = random.next() as u8,
        2 => bytes.truncate(random.below(length + 1)),
        3 => drop(bytes.drain(random.piece(length))),
        4 => {
            let piece = bytes[random.piece(length)].to_vec();
            let at = random.below(length + 1);
            bytes.splice(at..at, piece);
        }
        5 => {
            let piece = other[random.piece(other.len())].to_vec();
            let place = random.piece(length);
            bytes.splice(place, piece);
        }
        6 if length >= 8 => {
            let number = NUMBERS[random.below(NUMBERS.len())];
            let number = if random.below(2) == 0 { number } else { number.swap_bytes() };
            let wide = if random.below(2) == 0 { 4 } else { 8 };
            let at = random.below(length - wide + 1);
            bytes[at..at + wide].copy_from_slice(&number.to_le_bytes()[..wide]);
        }
        _ => {
            // A whole word, so that texts stay texts.
            let at = random.below(length);
            let space = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'"';
            let from = bytes[..at].iter().rposition(space).map_or(0, |k| k + 1);
            let to = bytes[at..].iter().position(space).map_or(length, |k| at + k);
            let token = TOKENS[random.below(TOKENS.len())];
            bytes.splice(from..to, token.bytes());
        }
    }
}

/// When to stop: at the first of both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    pub(crate) cases: u64,
    pub(crate) time: Duration,
}

/// What became of the cases.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) cases: u64,
    /// Those that gave a mesh.
    pub(crate) read: u64,
    pub(crate) slowest: Duration,
    /// Bytes that made a reader panic, or keep more than it was given, and what it said.
    pub(crate) failures: Vec<(Vec<u8>, String)>,
}

/// The most that one case may take: a thousand times the usual.
pub(crate) const SLOW: Duration = Duration::from_secs(5);
/// Files of a folder longer than this are left alone: cases would be few.
pub(crate) const LONGEST_SEED: usize = 400_000;

/// Damages the seeds until the budget is used up.
pub(crate) fn run(target: &Target, more: Vec<Vec<u8>>, number: u64, budget: Budget) -> Report {
    let mut seeds = (target.seeds)();
    for seed in &seeds {
        assert!((target.read)(seed).is_some(), "{}: a seed is no good file", target.ending);
    }
    seeds.extend(more.into_iter().filter(|seed| seed.len() <= LONGEST_SEED));
    let (begun, mut report) = (Instant::now(), Report::default());
    let goes_on = |cases| cases < budget.cases && begun.elapsed() < budget.time;
    while goes_on(report.cases) && report.failures.len() < 20 {
        let mut random =
            Random(number.wrapping_add(report.cases.wrapping_mul(0x1234_5678_9abc_def1)));
        let mut bytes = seeds[random.below(seeds.len())].clone();
        let other = random.below(seeds.len());
        // Few changes more often than many: what is refused at its first byte tries little.
        let changes = 1 + random.below(6);
        (0..=random.below(changes)).for_each(|_| damage(&mut bytes, &seeds[other], &mut random));
        let (mut ended, mut taken) = tried(target, &bytes);
        // A machine at work on other things stalls, but not on the same case again.
        for _ in 0..3 {
            if taken > SLOW {
                (ended, taken) = tried(target, &bytes);
            }
        }
        report.cases += 1;
        report.slowest = report.slowest.max(taken);
        let wrong = match ended {
            Ok(Some(Err(wrong))) => Some(wrong),
            Ok(_) if taken > SLOW => Some(format!("took {taken:?}")),
            Ok(read) => {
                report.read += u64::from(read.is_some());
                None
            }
            Err(panic) => Some(message(&*panic)),
        };
        report.failures.extend(wrong.map(|wrong| (bytes, wrong)));
    }
    report
}

/// What becomes of one case, and how long it takes.
type Ended = std::thread::Result<Option<Result<(), String>>>;

fn tried(target: &Target, bytes: &[u8]) -> (Ended, Duration) {
    let begun = Instant::now();
    let read = || (target.read)(bytes).map(|mesh| sound(&mesh, bytes.len()));
    let ended = catch_unwind(AssertUnwindSafe(read));
    (ended, begun.elapsed())
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    format!("panic: {}", text.unwrap_or_default())
}

/// What holds for every mesh that a reader gives: numbers in range, no more of anything
/// than there were bytes, and nothing that looks at it may panic.
fn sound(mesh: &Mesh, bytes: usize) -> Result<(), String> {
    let (positions, cells, in_range) = match mesh {
        Mesh::Surface(mesh) => {
            let nodes = mesh.triangles.as_flattened().iter();
            let in_range = nodes.into_iter().all(|&n| (n as usize) < mesh.positions.len());
            (&mesh.positions, mesh.triangles.len(), in_range)
        }
        Mesh::Solid(mesh) => {
            let nodes = mesh.tets.as_flattened().iter();
            let in_range = nodes.into_iter().all(|&n| (n as usize) < mesh.positions.len());
            (&mesh.positions, mesh.tets.len(), in_range)
        }
    };
    if !in_range || !positions.iter().all(|p| p.is_finite()) {
        return Err("numbers out of range".to_owned());
    }
    if positions.len() > bytes || cells > bytes {
        return Err(format!("{} points, {cells} cells of {bytes} bytes", positions.len()));
    }
    match mesh {
        Mesh::Surface(mesh) => drop((mesh.check(), SurfaceInspection::of(mesh))),
        Mesh::Solid(mesh) => drop((mesh.check(), SolidInspection::of(mesh), mesh.boundary())),
    }
    Ok(())
}
