//! A small run in a folder of its own, made without simulating anything.
#![allow(dead_code, reason = "each test file uses its own part")]

use resile_math::units::Units;
use resile_math::{Mat3, Vec3};
use resile_mesh::generate::{BoxGrid, Icosphere};
use resile_mesh::{TetMesh, TriMesh};
use resile_record::{
    BodyCells, Counts, FieldValues, Frame, FrameField, FramePlane, FrameWriter, HistoryRow,
    HistoryWriter, PhaseSeconds, Playback, Role, RunFolder, Status, Still, Summary, Topology, Vtu,
};
use resile_view::{PageMode, PageStatistics, write_page};
use std::ops::ControlFlow;
use std::path::Path;
use tempfile::TempDir;

/// How many frames there are, sixty a second.
pub(crate) const FRAMES: usize = 70;

/// What the parts of the run are called: the scene, and all bodies in their order.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub(crate) scene: String,
    pub(crate) bodies: [String; 5],
    /// The radius of what is between the beads (m), if it is no spring but a rod.
    pub(crate) rod: Option<f64>,
}

impl Default for Names {
    fn default() -> Self {
        let bodies = ["cube", "beads", "sheet", "post", "floor"].map(String::from);
        Self { scene: "falling".to_owned(), bodies, rod: None }
    }
}

/// The time of a frame (s).
pub(crate) fn time(frame: usize) -> f64 {
    frame as f64 / 60.0
}

/// Whether the frames of the run have forces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forces {
    Absent,
    Present,
}

/// A cube that turns, falls and wobbles; four beads on springs, of which one is alone; a sheet
/// that rolls up; a ball that stands still, and a floor.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) folder: TempDir,
    cube: TetMesh,
    scene: String,
    writer: FrameWriter,
    history: HistoryWriter,
    forces: Forces,
    /// How many frames and how many steps are written.
    written: [usize; 2],
}

const BEADS: [Vec3; 4] = [
    Vec3::new(-0.3, 0.4, 0.0),
    Vec3::new(-0.3, 0.3, 0.1),
    Vec3::new(-0.4, 0.3, 0.0),
    Vec3::new(-0.2, 0.5, 0.0),
];

impl Run {
    pub(crate) fn new(names: &Names) -> Self {
        Self::begun(names, FRAMES, Forces::Absent)
    }

    /// With the forces that [`force`] says.
    pub(crate) fn with_forces() -> Self {
        Self::begun(&Names::default(), FRAMES, Forces::Present)
    }

    /// A run that has written so many of its frames and goes on.
    pub(crate) fn begun(names: &Names, frames: usize, forces: Forces) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let grid = BoxGrid { cells: [3, 3, 3], size: Vec3::splat(0.2) };
        let cube = grid.build().expect("sizes are positive");
        let writer = frame_writer(folder.path(), &cube, names);
        let terms = ["elastic", "gravity", "contact"];
        let path = RunFolder::at(folder.path()).history();
        let history = HistoryWriter::create(&path, &terms, Units::Metres);
        let history = history.expect("the folder can be written");
        let scene = names.scene.clone();
        let mut run = Self { folder, cube, scene, writer, history, forces, written: [0; 2] };
        run.goes_on(frames);
        run
    }

    /// Writes more, until there are so many frames.
    pub(crate) fn goes_on(&mut self, frames: usize) {
        let steps = 2 * frames - 2;
        for step in self.written[1] + 1..=steps {
            self.history.write(&row(step as u64)).expect("the folder can be written");
        }
        self.history.flush().expect("the folder can be written");
        for frame in self.written[0]..frames {
            let (time, step) = (time(frame), 1e-6);
            let [before, points, after] = [time - step, time, time + step].map(|t| self.points(t));
            let velocity = |(a, b): (&Vec3, &Vec3)| (*b - *a) / (2.0 * step);
            let velocities: Vec<Vec3> = before.iter().zip(&after).map(velocity).collect();
            let forces = (0..points.len()).map(|vertex| force(vertex, frame)).collect();
            let values = FieldValues::Vectors(forces);
            let forces = [FrameField { name: "contact_force", unit: "N", values }];
            let fields = if self.forces == Forces::Present { &forces[..] } else { &[] };
            let frame = Frame { time, points: &points, velocities: &velocities, fields };
            self.writer.write(&frame).expect("the folder can be written");
        }
        self.written = [frames, steps];
    }

    /// Says that there will be no more.
    pub(crate) fn ends(&self) {
        let steps = self.written[1] as u64;
        let summary = Summary {
            scene: self.scene.clone(),
            version: String::new(),
            setup: resile_record::Setup::default(),
            units: Units::Metres,
            threads: 1,
            steps_done: steps,
            steps_asked: steps,
            simulated_seconds: 1.0,
            wall_seconds: 1.0,
            counts: Counts::default(),
            phase_seconds: PhaseSeconds::default(),
            settled: None,
            contact_start: None,
            modes: None,
            plastic_work: None,
            energy: None,
            min_distance: None,
            min_det_f: None,
            prescribed_lag: None,
            max_residual: None,
            peak_memory_bytes: None,
            status: Status::Complete,
            reason: String::new(),
        };
        let path = RunFolder::at(self.folder.path()).summary();
        summary.write(&path).expect("the folder can be written");
    }

    /// Where all points are.
    pub(crate) fn points(&self, time: f64) -> Vec<Vec3> {
        let turn = Mat3::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 5.0 * time);
        let fall = Vec3::new(0.1 * time, 0.6 - 0.4 * time * time, 0.0);
        let wobble = |p: Vec3| p + 0.01 * (9.0 * time + 20.0 * p.x).sin() * p;
        let cube = self.cube.positions.iter().map(|&p| turn * wobble(p) + fall);
        let beads = (1..).zip(BEADS).map(|(n, p)| p + Vec3::Y * 0.1 * (f64::from(n) * time).sin());
        let sheet = sheet().positions.into_iter().map(|p| {
            let bend = 3.0 * time;
            Vec3::new(p.x, 0.05 + 0.05 * (bend * p.z).sin(), 0.3 + p.z * (bend * p.z).cos())
        });
        cube.chain(beads).chain(sheet).collect()
    }

    /// The folder of the run.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The page of the run.
    pub(crate) fn page(&self) -> (String, PageStatistics) {
        self.page_of(PageMode::Whole)
    }

    pub(crate) fn page_of(&self, showing: PageMode) -> (String, PageStatistics) {
        let run = Playback::open(self.folder.path()).expect("it was written");
        let mut page = Vec::new();
        let written =
            write_page(
                &run,
                &self.scene,
                showing,
                &mut page,
                &mut |_, _| ControlFlow::Continue(()),
            );
        let written = written.expect("it can be read");
        (String::from_utf8(page).expect("a page is text"), written)
    }
}

/// The force at a vertex in a frame (N): of every seventh, from the second frame on.
fn force(vertex: usize, frame: usize) -> Vec3 {
    if frame == 0 || !vertex.is_multiple_of(7) {
        return Vec3::ZERO;
    }
    let (vertex, frame) = (vertex as f64, frame as f64);
    (1.0 + frame) * Vec3::new((0.3 * vertex).sin(), 1.0, 0.1 * (frame + vertex).cos())
}

/// What writes the frames; what stands still is written.
fn frame_writer(folder: &Path, cube: &TetMesh, names: &Names) -> FrameWriter {
    let frames = RunFolder::at(folder).frames();
    std::fs::create_dir_all(&frames).expect("the folder can be written");
    let [cube_name, beads, sheet_name, post, floor] = &names.bodies;
    let mut topology = Topology::default();
    topology.gravity = Vec3::NEG_Y;
    let cells = BodyCells { name: cube_name, tets: &cube.tets, ..BodyCells::default() };
    topology.add_body(cube.positions.len(), cells);
    let lines = &[[0, 1], [1, 2]];
    let radius = names.rod;
    let points = &[0, 3];
    let cells = BodyCells { name: beads, lines, points, radius, ..BodyCells::default() };
    topology.add_body(BEADS.len(), cells);
    let sheet = sheet();
    let triangles = &sheet.triangles;
    let cells = BodyCells { name: sheet_name, triangles, ..BodyCells::default() };
    topology.add_body(sheet.positions.len(), cells);
    let mut writer = FrameWriter::create(&frames, Box::new(Vtu::new(&topology)));
    let mut ball = Icosphere { radius: 0.1, subdivisions: 2 }.build().expect("it is round");
    ball.positions.iter_mut().for_each(|p| *p += Vec3::new(0.4, 0.1, 0.0));
    let part = |body, name, role, mesh| Still { body, name, role, mesh };
    let stands = [part(3, post.as_str(), Role::Obstacle, &ball)];
    writer.write_obstacles(&stands).expect("the folder can be written");
    let plane = FramePlane { body: 4, name: floor.clone(), point: Vec3::ZERO, normal: Vec3::Y };
    let piece = plane.piece(resile_math::Aabb { min: -Vec3::ONE, max: Vec3::ONE });
    let planes = [part(4, floor.as_str(), Role::Plane, &piece)];
    writer.write_planes(&planes).expect("the folder can be written");
    writer
}

fn sheet() -> TriMesh {
    let corner = |i: usize, k: usize| Vec3::new(0.05 * i as f64, 0.05, 0.05 * k as f64);
    let positions = (0..25).map(|n| corner(n % 5, n / 5)).collect();
    let square = |n: usize| {
        let first = (n % 4 + 5 * (n / 4)) as u32;
        [[first, first + 5, first + 6], [first, first + 6, first + 1]]
    };
    TriMesh { positions, triangles: (0..16).flat_map(square).collect() }
}

/// A step of half a frame.
pub(crate) fn row(step: u64) -> HistoryRow<'static> {
    let time = step as f64 / 120.0;
    HistoryRow {
        step,
        time,
        h: Some(1.0 / 120.0),
        kinetic: time,
        potential: 1.0 - time,
        terms: &[0.25, 0.5, 1e-7],
        total: 1.0,
        target: Some(1.0 + 0.1 * time),
        alpha: (step > 3).then_some(1.0 + time),
        motion: Some(0.9 * time),
        dissipated: 0.0,
        rest_loss: 0.0,
        external_work: 0.0,
        momentum: [0.0; 3],
        angular: [0.0; 3],
        com: [0.0; 3],
        newton: 3,
        linear: 40,
        backtracks: 0,
        contacts: 2,
        min_distance: (step > 20).then_some(1e-3 / step as f64),
        min_det_f: Some(0.9),
        residual: Some(1e-5),
        prescribed_lag: Some(0.0),
        seconds: 0.1,
    }
}
