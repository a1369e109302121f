//! Writing a row a step and a frame now and then.

use super::totals::Totals;
use super::{RunError, RunFolder};
use crate::build::BodyMesh;
use crate::description::{FrameFormat, Scene, Table};
use crate::output::{BodiesWriter, BodyRow, FrameWriter, HistoryRow, HistoryWriter, Topology};
use crate::world::{StepRecord, World};
use resile_linalg::Vec3;
use resile_mesh::TriMesh;

/// The open files of a run.
#[derive(Debug)]
pub(super) struct Recorder {
    history: HistoryWriter,
    /// Names of the energy terms, in the order of the columns.
    terms: Vec<String>,
    bodies: Option<BodiesWriter>,
    frames: Option<FrameWriter>,
}

impl Recorder {
    /// Begins the files, or goes on after the step that `totals` stand at.
    pub(super) fn open(
        scene: &Scene,
        folder: &RunFolder,
        world: &mut World,
        meshes: &[BodyMesh],
        obstacles: &[(String, TriMesh)],
        totals: &Totals,
    ) -> Result<Self, RunError> {
        let terms = world.term_names();
        let names: Vec<&str> = terms.iter().map(String::as_str).collect();
        let history = match totals.steps {
            0 => HistoryWriter::create(&folder.history(), &names)?,
            step => HistoryWriter::resume(&folder.history(), &names, step)?,
        };
        let frames = match scene.output.formats.contains(&FrameFormat::Vtu) {
            true => Some(open_frames(folder, meshes, obstacles, totals)?),
            false => None,
        };
        // A resumed run may ask for a table that was not asked for before.
        let begun = totals.steps > 0 && folder.bodies().exists();
        let bodies = match (scene.output.tables.contains(&Table::Bodies), begun) {
            (false, _) => None,
            (true, false) => Some(BodiesWriter::create(&folder.bodies())?),
            (true, true) => Some(BodiesWriter::resume(&folder.bodies(), totals.steps)?),
        };
        Ok(Self { history, terms, bodies, frames })
    }

    /// How many frames there are.
    pub(super) fn frames(&self) -> u64 {
        self.frames.as_ref().map_or(0, FrameWriter::frames)
    }

    pub(super) fn flush(&mut self) -> Result<(), RunError> {
        self.bodies.as_mut().map_or(Ok(()), BodiesWriter::flush)?;
        Ok(self.history.flush()?)
    }

    /// Writes the row of a step that ended at `time` and took `seconds` of wall time.
    pub(super) fn step(
        &mut self,
        world: &World,
        totals: &Totals,
        record: &StepRecord,
        time: f64,
        seconds: f64,
    ) -> Result<(), RunError> {
        let observed = &record.observed;
        let term = |name: &String| {
            observed.terms.iter().find(|(known, _)| known == name).map_or(0.0, |(_, value)| *value)
        };
        let terms: Vec<f64> = self.terms.iter().map(term).collect();
        let [momentum, angular, com] = world.momenta().map(|vector: Vec3| vector.to_array());
        let finite = |value: f64| value.is_finite().then_some(value);
        let row = HistoryRow {
            step: totals.steps,
            time,
            h: record.smallest_step,
            kinetic: observed.kinetic(),
            potential: observed.potential(),
            terms: &terms,
            total: observed.total(),
            target: observed.target(),
            alpha: record.alpha(),
            dissipated: record.dissipated.iter().sum(),
            external_work: record.work.iter().sum(),
            momentum,
            angular,
            com,
            newton: record.newton as u64,
            linear: record.solve.linear_iterations as u64,
            backtracks: record.solve.backtracks as u64,
            contacts: observed.proof.contacts as u64,
            min_distance: finite(observed.proof.min_distance),
            min_det_f: finite(observed.proof.min_det_f),
            residual: Some(record.solve.residual),
            seconds,
        };
        self.history.write(&row)?;
        self.bodies.as_mut().map_or(Ok(()), |table| body_rows(table, world, totals, record, time))
    }

    /// Writes a frame of the world as it is.
    pub(super) fn frame(&mut self, world: &World, time: f64) -> Result<(), RunError> {
        let Some(frames) = &mut self.frames else { return Ok(()) };
        let states = || (0..world.body_count()).map(|b| world.state(b));
        let points: Vec<Vec3> = states().flat_map(|s| s.positions.iter().copied()).collect();
        let velocities: Vec<Vec3> = states().flat_map(|s| s.velocities.iter().copied()).collect();
        Ok(frames.write(time, &points, &velocities)?)
    }
}

fn body_rows(
    table: &mut BodiesWriter,
    world: &World,
    totals: &Totals,
    record: &StepRecord,
    time: f64,
) -> Result<(), RunError> {
    for (b, energies) in record.observed.bodies.iter().enumerate() {
        let island = record.islands.iter().find(|island| island.contains(&b));
        let group = record.alphas.iter().find(|group| group.bodies.contains(&b));
        table.write(&BodyRow {
            step: totals.steps,
            time,
            body: world.name(b),
            island: world.name(island.map_or(b, |island| island[0])),
            kinetic: energies.kinetic,
            potential: energies.potential,
            target: energies.target,
            alpha: group.map(|group| group.alpha),
            dissipated: record.dissipated[b],
            external_work: record.work[b],
            com: world.center_of_mass(b).to_array(),
        })?;
    }
    Ok(())
}

fn open_frames(
    folder: &RunFolder,
    meshes: &[BodyMesh],
    obstacles: &[(String, TriMesh)],
    totals: &Totals,
) -> Result<FrameWriter, RunError> {
    let mut topology = Topology::default();
    for mesh in meshes {
        topology.add_body(mesh.nodes, &mesh.tets, &mesh.lines, &mesh.points);
    }
    let mut frames = match totals.steps {
        0 => FrameWriter::create(&folder.frames(), topology),
        _ => FrameWriter::resume(&folder.frames(), topology, totals.frames)?,
    };
    if !obstacles.is_empty() {
        let (points, triangles) = joined(obstacles);
        frames.write_obstacles(&points, &triangles)?;
    }
    Ok(frames)
}

/// All surfaces as one.
fn joined(obstacles: &[(String, TriMesh)]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for (_, mesh) in obstacles {
        let first = points.len() as u32;
        points.extend_from_slice(&mesh.positions);
        triangles.extend(mesh.triangles.iter().map(|t| t.map(|node| node + first)));
    }
    (points, triangles)
}
