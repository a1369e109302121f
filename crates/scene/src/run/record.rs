//! Writing a row a step and a frame now and then.

use super::totals::Totals;
use super::{Profile, RunError, RunFolder};
use crate::assemble::BodyMesh;
use crate::description::{FrameFormat, Scene, Table};
use resile_contact::CollisionMesh;
use resile_energy::AffineBody;
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_record::{
    BodiesWriter, BodyCells, BodyRow, Frame, FrameWriter, HistoryRow, HistoryWriter, Ply, PoseRow,
    PosesWriter, ProfileRow, ProfileWriter, Topology, Vtu,
};
use resile_world::{StepRecord, World};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The open files of a run.
#[derive(Debug)]
pub(super) struct Recorder {
    history: HistoryWriter,
    /// Names of the energy terms, in the order of the columns.
    terms: Vec<String>,
    bodies: Option<BodiesWriter>,
    poses: Option<PosesWriter>,
    profile: Option<ProfileWriter>,
    /// How the points that are drawn follow from the nodes.
    surfaces: Vec<Arc<CollisionMesh>>,
    /// The affine bodies, by the world's number.
    affine: Vec<(usize, AffineBody)>,
    /// One for each format.
    frames: Vec<FrameWriter>,
}

impl Recorder {
    /// Begins the files, or goes on after the step that `totals` stand at.
    pub(super) fn open(
        scene: &Scene,
        folder: &RunFolder,
        world: &mut World,
        (meshes, obstacles): (&[BodyMesh], &[(u32, TriMesh)]),
        totals: &Totals,
        profile: Profile,
    ) -> Result<Self, RunError> {
        let terms = world.term_names();
        let names: Vec<&str> = terms.iter().map(String::as_str).collect();
        let history = match totals.steps {
            0 => HistoryWriter::create(&folder.history(), &names)?,
            step => HistoryWriter::resume(&folder.history(), &names, step)?,
        };
        let formats: BTreeSet<FrameFormat> = scene.output.formats.iter().copied().collect();
        let topology = topology(meshes);
        let open = |format| open_frames(folder, frame_format(format, &topology), obstacles, totals);
        let frames = formats.into_iter().map(open).collect::<Result<_, _>>()?;
        // A resumed run may ask for a table that was not asked for before.
        let begun = totals.steps > 0 && folder.bodies().exists();
        let bodies = match (scene.output.tables.contains(&Table::Bodies), begun) {
            (false, _) => None,
            (true, false) => Some(BodiesWriter::create(&folder.bodies())?),
            (true, true) => Some(BodiesWriter::resume(&folder.bodies(), totals.steps)?),
        };
        let begun = totals.steps > 0 && folder.poses().exists();
        let poses = match (scene.output.tables.contains(&Table::Poses), begun) {
            (false, _) => None,
            (true, false) => Some(PosesWriter::create(&folder.poses())?),
            (true, true) => Some(PosesWriter::resume(&folder.poses(), totals.steps)?),
        };
        let profile = open_profile(folder, totals, profile)?;
        let surfaces = meshes.iter().map(|mesh| mesh.surface.clone()).collect();
        let affine =
            meshes.iter().enumerate().filter_map(|(b, mesh)| Some((b, mesh.affine?))).collect();
        Ok(Self { history, terms, bodies, poses, profile, surfaces, affine, frames })
    }

    /// How many frames there are.
    pub(super) fn frames(&self) -> u64 {
        self.frames.iter().map(FrameWriter::frames).max().unwrap_or(0)
    }

    pub(super) fn flush(&mut self) -> Result<(), RunError> {
        self.bodies.as_mut().map_or(Ok(()), BodiesWriter::flush)?;
        self.poses.as_mut().map_or(Ok(()), PosesWriter::flush)?;
        self.profile.as_mut().map_or(Ok(()), ProfileWriter::flush)?;
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
            newton: record.iterations as u64,
            linear: record.solve.linear_iterations as u64,
            backtracks: record.solve.backtracks as u64,
            contacts: observed.proof.contacts as u64,
            min_distance: finite(observed.proof.min_distance),
            min_det_f: finite(observed.proof.min_det_f),
            residual: Some(record.solve.residual),
            seconds,
        };
        self.history.write(&row)?;
        self.pose_rows(world, totals.steps, time)?;
        self.bodies.as_mut().map_or(Ok(()), |table| body_rows(table, world, totals, record, time))
    }

    /// Writes the row of a step that says where its time went, if that is asked for.
    pub(super) fn profile(&mut self, row: &ProfileRow) -> Result<(), RunError> {
        Ok(self.profile.as_mut().map_or(Ok(()), |profile| profile.write(row))?)
    }

    /// Whether there is a profile.
    pub(super) fn has_profile(&self) -> bool {
        self.profile.is_some()
    }

    fn pose_rows(&mut self, world: &World, step: u64, time: f64) -> Result<(), RunError> {
        let Some(table) = &mut self.poses else { return Ok(()) };
        for (b, affine) in &self.affine {
            let nodes = &world.state(*b).positions;
            let (rotation, center) = affine.pose(&std::array::from_fn(|k| nodes[k]));
            table.write(&PoseRow { step, time, body: world.name(*b), center, rotation })?;
        }
        Ok(())
    }

    /// Writes a frame of the world as it is.
    pub(super) fn frame(&mut self, world: &World, time: f64) -> Result<(), RunError> {
        if self.frames.is_empty() {
            return Ok(());
        }
        let (mut points, mut velocities) = (Vec::new(), Vec::new());
        for (b, surface) in self.surfaces.iter().enumerate() {
            let state = world.state(b);
            points.extend_from_slice(&surface.points(&state.positions));
            // Points are fixed mixtures of nodes, and so are their velocities.
            velocities.extend_from_slice(&surface.points(&state.velocities));
        }
        let frame = Frame { time, points: &points, velocities: &velocities };
        Ok(self.frames.iter_mut().try_for_each(|format| format.write(&frame))?)
    }
}

/// A profile that a resumed run finds is gone on with, asked for or not: so it has no gaps.
fn open_profile(
    folder: &RunFolder,
    totals: &Totals,
    wanted: Profile,
) -> Result<Option<ProfileWriter>, RunError> {
    let path = folder.profile();
    let profile = match (totals.steps, path.exists(), wanted) {
        (_, false, Profile::InTotal) => return Ok(None),
        (0, _, _) | (_, false, Profile::EachStep) => ProfileWriter::create(&path)?,
        (step, true, _) => ProfileWriter::resume(&path, step)?,
    };
    Ok(Some(profile))
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

/// How the frames of a described format are written.
fn frame_format(format: FrameFormat, topology: &Topology) -> Box<dyn resile_record::FrameFormat> {
    match format {
        FrameFormat::Vtu => Box::new(Vtu::new(topology)),
        FrameFormat::Ply => Box::new(Ply::new(topology)),
    }
}

fn topology(meshes: &[BodyMesh]) -> Topology {
    let mut topology = Topology::default();
    for mesh in meshes {
        let cells = BodyCells {
            // The points that are drawn are those of an embedded surface, if there is one.
            tets: if mesh.surface.embedding().is_some() { &[] } else { &mesh.tets },
            triangles: &mesh.triangles,
            lines: &mesh.lines,
            points: &mesh.points,
        };
        topology.add_body(mesh.point_count(), cells);
    }
    topology
}

fn open_frames(
    folder: &RunFolder,
    format: Box<dyn resile_record::FrameFormat>,
    obstacles: &[(u32, TriMesh)],
    totals: &Totals,
) -> Result<FrameWriter, RunError> {
    let mut frames = match totals.steps {
        0 => FrameWriter::create(&folder.frames(), format),
        _ => FrameWriter::resume(&folder.frames(), format, totals.frames)?,
    };
    if !obstacles.is_empty() {
        let obstacles: Vec<_> = obstacles.iter().map(|(number, mesh)| (*number, mesh)).collect();
        frames.write_obstacles(&obstacles)?;
    }
    Ok(frames)
}
