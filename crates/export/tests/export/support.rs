//! Runs that were made up, and exports that stay in memory.

use resile_export::{
    Destination, ExportError, ExportOptions, Exported, Format, export as export_run,
};
use resile_math::{Mat3, Vec3};
use resile_mesh::TriMesh;
use resile_record::{
    BodyCells, Frame, FrameWriter, OriginalFile, Playback, Role, RunFolder, Still, Topology, Vtu,
    keep_originals,
};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;
use tempfile::TempDir;

/// Names of all that the run shows, in the order of the export.
pub(crate) const NAMES: [&str; 6] = ["stiff", "soft one", "net", "gate", "step", "floor"];
const CORNERS: [Vec3; 5] = [
    Vec3::ZERO,
    Vec3::new(0.2, 0.0, 0.0),
    Vec3::new(0.0, 0.2, 0.0),
    Vec3::new(0.0, 0.0, 0.2),
    Vec3::new(0.2, 0.2, 0.2),
];

/// A run of a tetrahedron that turns and flies, of a square that stretches, of particles with a
/// spring, of a square obstacle that moves, of one that stands, and of a floor.
#[derive(Debug)]
pub(crate) struct Run {
    /// Kept as long as it is read.
    _place: TempDir,
    playback: Playback,
}

/// A body of a run that was made up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TestBody<'a> {
    pub(crate) cells: BodyCells<'a>,
    pub(crate) points: &'a [Vec3],
    /// The file in OBJ format that it is drawn as.
    pub(crate) file: Option<&'a str>,
}

impl Run {
    pub(crate) fn new(times: &[f64]) -> Self {
        let place = tempfile::tempdir().expect("a temporary folder");
        let frames = place.path().join("frames");
        std::fs::create_dir_all(&frames).expect("the folder can be written");
        let mut writer = FrameWriter::create(&frames, Box::new(Vtu::new(&topology())));
        let wall = square(0.5);
        let still = |body, name, role, mesh| Still { body, name, role, mesh };
        let written = writer.write_obstacles(&[still(4, "step", Role::Obstacle, &wall)]);
        written.expect("the folder can be written");
        let floor = square(3.0);
        let written = writer.write_planes(&[still(5, "floor", Role::Plane, &floor)]);
        written.expect("the folder can be written");
        for &time in times {
            let (points, velocities) = (points(time), velocities(time));
            let frame = Frame { time, points: &points, velocities: &velocities, fields: &[] };
            writer.write(&frame).expect("the folder can be written");
        }
        let playback = Playback::open(place.path()).unwrap_or_else(|error| panic!("{error}"));
        Self { _place: place, playback }
    }

    /// With frames at 0, 1/16, ... 1/2 s.
    pub(crate) fn usual() -> Self {
        Self::new(&(0..=8).map(|n| f64::from(n) / 16.0).collect::<Vec<_>>())
    }

    /// Of other bodies, some of which are drawn as files; every vertex moves evenly by what `velocity` says, with
    /// frames at 0, 1/8 and 1/4 s.
    pub(crate) fn of(bodies: &[TestBody<'_>], velocity: fn(Vec3) -> Vec3) -> Self {
        let place = tempfile::tempdir().expect("a temporary folder");
        let frames = place.path().join("frames");
        std::fs::create_dir_all(&frames).expect("the folder can be written");
        let (mut topology, mut originals) = (Topology::default(), Vec::new());
        for body in bodies {
            topology.add_body(body.points.len(), body.cells);
            if let Some(text) = body.file {
                let path = place.path().join(format!("{}-source.obj", body.cells.name));
                std::fs::write(&path, text).expect("the folder can be written");
                let (source, bodies) = (path.clone(), vec![body.cells.name.to_owned()]);
                originals.push(OriginalFile { path, source, bodies });
            }
        }
        keep_originals(&RunFolder::at(place.path()), &originals).expect("it can be written");
        let mut writer = FrameWriter::create(&frames, Box::new(Vtu::new(&topology)));
        let points: Vec<Vec3> = bodies.iter().flat_map(|body| body.points.to_vec()).collect();
        let velocities: Vec<Vec3> = points.iter().map(|&point| velocity(point)).collect();
        for time in [0.0, 0.125, 0.25] {
            let points: Vec<Vec3> =
                points.iter().zip(&velocities).map(|(&x, &v)| x + time * v).collect();
            let frame = Frame { time, points: &points, velocities: &velocities, fields: &[] };
            writer.write(&frame).expect("the folder can be written");
        }
        let playback = Playback::open(place.path()).unwrap_or_else(|error| panic!("{error}"));
        Self { _place: place, playback }
    }

    pub(crate) fn playback(&self) -> &Playback {
        &self.playback
    }

    /// Where the vertices of a part are at a frame, as the frame has them.
    pub(crate) fn positions(&self, part: usize, frame: usize) -> Vec<[f32; 3]> {
        match self.playback.bodies().get(part) {
            Some(body) => {
                let frame = self.playback.frame(frame).expect("a frame");
                frame.positions[body.vertices.clone()].to_vec()
            }
            None => self.playback.still()[part - self.playback.bodies().len()].positions.clone(),
        }
    }

    /// How many triangles a part has.
    pub(crate) fn triangles(&self, part: usize) -> Vec<[u32; 3]> {
        match self.playback.bodies().get(part) {
            Some(body) => {
                let first = body.vertices.start as u32;
                body.triangles.iter().map(|t| t.map(|corner| corner - first)).collect()
            }
            None => {
                self.playback.still()[part - self.playback.bodies().len()].body.triangles.clone()
            }
        }
    }
}

fn topology() -> Topology {
    let mut topology = Topology::default();
    topology.gravity = Vec3::new(0.0, -9.81, 0.0);
    let tets = &[[0, 1, 2, 3], [1, 4, 2, 3]];
    topology.add_body(5, BodyCells { name: "stiff", tets, ..BodyCells::default() });
    let triangles = &[[0, 1, 2], [0, 2, 3]];
    topology.add_body(4, BodyCells { name: "soft one", triangles, ..BodyCells::default() });
    let (lines, points) = (&[[0, 1]], &[2]);
    topology.add_body(3, BodyCells { name: "net", lines, points, ..BodyCells::default() });
    let gate = BodyCells { name: "gate", role: Role::Obstacle, triangles, ..BodyCells::default() };
    topology.add_body(4, gate);
    topology
}

fn square(half: f64) -> TriMesh {
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
    TriMesh {
        positions: corners.map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec(),
        triangles: vec![[0, 2, 1], [0, 3, 2]],
    }
}

fn points(time: f64) -> Vec<Vec3> {
    let turn = Mat3::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 3.0 * time);
    let fall = Vec3::new(time, 1.0 - 4.9 * time * time, 0.0);
    let square = square(0.3).positions;
    let mut points: Vec<Vec3> = CORNERS.iter().map(|&corner| turn * corner + fall).collect();
    // It bends, which no affine map does.
    points.extend(square.iter().map(|p| *p + Vec3::Y * (0.5 + time * p.x * p.z)));
    points.extend([0.1, 0.4, 0.7].map(|x| Vec3::new(x, 0.3 + time * x * x, 0.6)));
    points.extend(square.iter().map(|p| *p + Vec3::new(0.0, time, 2.0)));
    points
}

fn velocities(time: f64) -> Vec<Vec3> {
    (0..16).map(|n| Vec3::new(f64::from(n), time, -1.0)).collect()
}

/// Files that stay in memory.
#[derive(Debug, Default)]
pub(crate) struct Files(pub(crate) BTreeMap<String, Vec<u8>>);

impl Destination for Files {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        assert!(!self.0.contains_key(name), "{name} is written once");
        Ok(Box::new(self.0.entry(name.to_owned()).or_default()))
    }
}

impl Files {
    pub(crate) fn of(&self, name: &str) -> &[u8] {
        let known = || self.0.keys().cloned().collect::<Vec<_>>().join(", ");
        self.0.get(name).unwrap_or_else(|| panic!("no file {name} in {}", known()))
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        str::from_utf8(self.of(name)).expect("it is text")
    }
}

/// Exports to memory; progress must grow to the whole.
pub(crate) fn export(
    run: &Run,
    format: Format,
    options: &ExportOptions,
) -> Result<(Files, Exported), ExportError> {
    let (mut files, mut last) = (Files::default(), 0.0);
    let mut message = |part: f64| {
        assert!(part > last && part <= 1.0, "{part} after {last}");
        last = part;
        ControlFlow::Continue(())
    };
    let done = export_run(run.playback(), format, options, &mut files, &mut message)?;
    assert_eq!(last, 1.0, "all is done at the end");
    assert_eq!(files.0.len(), done.files);
    Ok((files, done))
}

/// With options as they are usually.
pub(crate) fn usual(run: &Run, format: Format) -> Files {
    export(run, format, &ExportOptions::default()).unwrap_or_else(|error| panic!("{error}")).0
}
