//! Made-up frames, in the format of a run but written by other code.

use resile_scene::text::SceneText;
use resile_verify::{Report, Verifier, VerifyError};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) type Point = [f32; 3];

/// VTK's numbers for kinds of cells.
const LINE: u8 = 3;
const TRIANGLE: u8 = 5;
const TETRAHEDRON: u8 = 10;

/// The cells of a body, and its points in each frame.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    name: &'static str,
    cells: Vec<(u8, Vec<u32>)>,
    frames: Vec<Vec<Point>>,
    /// Of all its points, in all frames.
    velocity: Point,
    /// Of a rod.
    radius: Option<f32>,
}

impl Body {
    /// A tetrahedron, in one frame.
    pub(crate) fn tet(name: &'static str, points: [Point; 4]) -> Self {
        let cells = vec![(TETRAHEDRON, vec![0, 1, 2, 3])];
        Self { name, cells, frames: vec![points.to_vec()], velocity: [0.0; 3], radius: None }
    }

    /// A sheet of triangles, in one frame.
    pub(crate) fn sheet(name: &'static str, points: &[Point], triangles: &[[u32; 3]]) -> Self {
        let cells = triangles.iter().map(|t| (TRIANGLE, t.to_vec())).collect();
        Self { name, cells, frames: vec![points.to_vec()], velocity: [0.0; 3], radius: None }
    }

    /// An open rod through points, in one frame.
    pub(crate) fn rod(name: &'static str, points: &[Point], radius: f32) -> Self {
        let cells = (1..points.len() as u32).map(|i| (LINE, vec![i - 1, i])).collect();
        let frames = vec![points.to_vec()];
        Self { name, cells, frames, velocity: [0.0; 3], radius: Some(radius) }
    }

    /// A cube of five tetrahedra with this half edge about the origin, in one frame.
    pub(crate) fn cube(name: &'static str, half: f32) -> Self {
        let corner = |i: u8| [0, 1, 2].map(|k| if i >> k & 1 == 1 { half } else { -half });
        let tets = [[0, 1, 2, 4], [3, 1, 2, 7], [5, 1, 4, 7], [6, 2, 4, 7], [1, 2, 4, 7]];
        let cells = tets.iter().map(|tet| (TETRAHEDRON, tet.to_vec())).collect();
        let frames = vec![(0..8).map(corner).collect()];
        Self { name, cells, frames, velocity: [0.0; 3], radius: None }
    }

    /// Further triangles between its points.
    pub(crate) fn with(mut self, triangles: &[[u32; 3]]) -> Self {
        self.cells.extend(triangles.iter().map(|t| (TRIANGLE, t.to_vec())));
        self
    }

    pub(crate) fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// The body moved, in every frame.
    pub(crate) fn at(mut self, by: Point) -> Self {
        self.frames.iter_mut().flatten().for_each(|p| *p = plus(*p, by));
        self
    }

    /// A further frame, in which the body is moved from where it was in the first.
    pub(crate) fn then(mut self, by: Point) -> Self {
        self.frames.push(self.frames[0].iter().map(|p| plus(*p, by)).collect());
        self
    }

    /// A further frame, in which every point is where `map` takes it from where it was in the
    /// first.
    pub(crate) fn then_by(mut self, map: impl Fn(Point) -> Point) -> Self {
        self.frames.push(self.frames[0].iter().map(|p| map(*p)).collect());
        self
    }

    /// The body in a straight flight from the first frame to a further one, which is half a second
    /// later.
    pub(crate) fn flying(self, velocity: Point) -> Self {
        Self { velocity, ..self.then(velocity.map(|v| 0.5 * v)) }
    }
}

fn plus(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|k| a[k] + b[k])
}

/// A folder with the frames of a run, and the scene that they are of.
#[derive(Debug)]
pub(crate) struct Made {
    folder: TempDir,
    scene: String,
}

impl Made {
    /// Frames of these bodies; those that have fewer stay where they are.
    pub(crate) fn new(bodies: &[Body]) -> Self {
        let made =
            Self { folder: tempfile::tempdir().expect("a temporary folder"), scene: scene(bodies) };
        fs::create_dir_all(made.frames()).expect("the folder can be written");
        let count = bodies.iter().map(|body| body.frames.len()).max().unwrap_or(0);
        for number in 0..count {
            let grid = grid(bodies, number);
            fs::write(made.frame(number), grid).expect("the folder can be written");
        }
        made.write_index(count);
        made
    }

    pub(crate) fn frames(&self) -> PathBuf {
        self.folder.path().join("run/frames")
    }

    pub(crate) fn frame(&self, number: usize) -> PathBuf {
        self.frames().join(format!("frame_{number:06}.vtu"))
    }

    pub(crate) fn write_index(&self, frames: usize) {
        let set = |n: usize| {
            format!(
                "<DataSet timestep=\"{}\" part=\"0\" file=\"frame_{n:06}.vtu\"/>\n",
                n as f64 * 0.5
            )
        };
        let sets: String = (0..frames).map(set).collect();
        let text = format!(
            "<VTKFile type=\"Collection\">\n<Collection>\n{sets}</Collection>\n</VTKFile>\n"
        );
        fs::write(self.frames().join("frames.pvd"), text).expect("the folder can be written");
    }

    /// Writes the obstacles' surfaces as a run does.
    pub(crate) fn write_obstacles(&self, points: &[Point], triangles: &[[u32; 3]], owners: &[u32]) {
        let cells: Vec<_> = triangles.iter().map(|t| (TRIANGLE, t.to_vec())).collect();
        let file = vtu([points, &vec![[0.0; 3]; points.len()]], &cells, owners);
        fs::write(self.frames().join("obstacles.vtu"), file).expect("the folder can be written");
    }

    /// Gives it the scene of other bodies.
    pub(crate) fn describe(&mut self, bodies: &[Body]) -> &mut Self {
        self.scene = scene(bodies);
        self
    }

    /// Overrides fields of the scene.
    pub(crate) fn set(&mut self, assignment: &str) -> &mut Self {
        let mut text = SceneText::new("scene.ron", self.scene.clone());
        text.set(assignment).unwrap_or_else(|error| panic!("{error}"));
        self.scene = text.text().to_owned();
        self
    }

    pub(crate) fn open(&self) -> Result<Verifier, VerifyError> {
        let text = SceneText::new("scene.ron", self.scene.clone());
        let scene = text.load().unwrap_or_else(|errors| panic!("{}", errors[0])).scene;
        Verifier::open(&scene.rules(), &self.folder.path().join("run"))
    }

    #[track_caller]
    pub(crate) fn check(&self) -> Report {
        let verifier = self.open().unwrap_or_else(|error| panic!("{error}"));
        let mut told = Vec::new();
        let report = verifier.run(&mut |done| told.push(done));
        assert_eq!(told.last(), Some(&verifier.frames()), "progress ends at the last frame");
        report
    }

    /// Why there is nothing to check.
    #[track_caller]
    pub(crate) fn refusal(&self) -> String {
        match self.open() {
            Ok(_) => panic!("it can be checked"),
            Err(error) => error.to_string(),
        }
    }
}

/// A scene with bodies of these names; what they are does not matter to the check.
fn scene(bodies: &[Body]) -> String {
    let body = |body: &Body| {
        let shape = match body.radius {
            Some(radius) => {
                format!("Curve(points: [(0, 0, 0), (1, 0, 0)]), kind: Rod(radius: {radius})")
            }
            None => "Box(size: (1, 1, 1), cells: (1, 1, 1))".to_owned(),
        };
        format!("(name: \"{}\", shape: {shape}, material: \"rubber\", friction: 0),", body.name)
    };
    let bodies: String = bodies.iter().map(body).collect();
    format!(
        "(version: 1,
          materials: {{\"rubber\": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3))}},
          bodies: [{bodies}],
          gravity: (0, 0, 0),
          obstacles: [],
          contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean, off: []),
          integrator: ImplicitEuler,
          time: (step: \"1/100\", duration: 1))"
    )
}

fn grid(bodies: &[Body], number: usize) -> Vec<u8> {
    let (mut points, mut cells, mut owners) = (Vec::new(), Vec::new(), Vec::new());
    let mut velocities = Vec::new();
    for (owner, body) in (0..).zip(bodies) {
        let first = points.len() as u32;
        points.extend_from_slice(body.frames.get(number).unwrap_or(&body.frames[0]));
        velocities.resize(points.len(), body.velocity);
        for (kind, nodes) in &body.cells {
            cells.push((*kind, nodes.iter().map(|node| node + first).collect()));
            owners.push(owner);
        }
    }
    vtu([&points, &velocities], &cells, &owners)
}

/// A grid as `docs/verify.md` describes it.
fn vtu([points, velocities]: [&[Point]; 2], cells: &[(u8, Vec<u32>)], owners: &[u32]) -> Vec<u8> {
    let words =
        |numbers: &mut dyn Iterator<Item = u32>| numbers.flat_map(u32::to_le_bytes).collect();
    let mut end = 0;
    let mut ends = cells.iter().map(|(_, nodes)| {
        end += nodes.len() as u32;
        end
    });
    let vectors =
        |vectors: &[Point]| vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let arrays: Vec<(&str, &str, Vec<u8>)> = vec![
        ("points", "Float32", vectors(points)),
        ("velocity", "Float32", vectors(velocities)),
        ("connectivity", "UInt32", words(&mut cells.iter().flat_map(|(_, nodes)| nodes.clone()))),
        ("offsets", "UInt32", words(&mut ends)),
        ("types", "UInt8", cells.iter().map(|(kind, _)| *kind).collect()),
        ("body", "UInt32", words(&mut owners.iter().copied())),
    ];
    let mut header = format!(
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
        points.len(),
        cells.len()
    );
    let mut data = Vec::new();
    for (name, kind, bytes) in &arrays {
        let offset = data.len();
        header += &format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" format=\"appended\" offset=\"{offset}\"/>\n"
        );
        data.extend((bytes.len() as u64).to_le_bytes());
        data.extend_from_slice(bytes);
    }
    header += "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
    let mut file = header.into_bytes();
    file.extend(data);
    file.extend_from_slice(b"\n</AppendedData>\n</VTKFile>\n");
    file
}

/// What is beside the scene.
pub(crate) fn remove(path: &Path) {
    fs::remove_file(path).expect("the file is there");
}

/// Where the vectors of an array of points are in a frame of a run.
pub(crate) fn vectors(file: &[u8], name: &str) -> std::ops::Range<usize> {
    let text = String::from_utf8_lossy(file);
    let named = |line: &&str| line.contains(&format!("Name=\"{name}\""));
    let element = text.lines().find(named).expect("the array");
    let offset = element.split("offset=\"").nth(1).and_then(|rest| rest.split('"').next());
    let offset: usize = offset.expect("an offset").parse().expect("a number");
    let marker = b"encoding=\"raw\">\n_";
    let data = file.windows(marker.len()).position(|window| window == marker).expect("data");
    let start = data + marker.len() + offset;
    let (length, _) = file[start..].split_first_chunk::<8>().expect("a length");
    start + 8..start + 8 + u64::from_le_bytes(*length) as usize
}
