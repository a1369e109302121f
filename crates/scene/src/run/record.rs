//! Writing a row a step and a frame now and then.

use super::frames::Frames;
use super::totals::Totals;
use super::{Profile, RunError, RunFolder};
use crate::assemble::BodyMesh;
use crate::description::{Scene, Table};
use resile_contact::PairForces;
use resile_energy::AffineBody;
use resile_math::Vec3;
use resile_mesh::{Bounds, TriMesh};
use resile_record::{
    BodiesWriter, BodyRow, ContactRow, ContactsWriter, HistoryRow, HistoryWriter, OutputError,
    PoseRow, PosesWriter, ProfileRow, ProfileWriter, TableExtent, TableWriter, Written,
};
use resile_world::{StepRecord, World};
use std::path::{Path, PathBuf};

/// The open files of a run.
#[derive(Debug)]
pub(super) struct Recorder {
    history: HistoryWriter,
    /// Names of the energy terms, in the order of the columns.
    terms: Vec<String>,
    bodies: Option<BodiesWriter>,
    poses: Option<PosesWriter>,
    contacts: Option<ContactsWriter>,
    /// Names of all colliders: bodies, then obstacles.
    colliders: Vec<String>,
    profile: Option<ProfileWriter>,
    /// The affine bodies, by the world's number.
    affine: Vec<(usize, AffineBody)>,
    frames: Frames,
    /// What there is of tables and frames that are not asked for any more.
    idle: Written,
}

impl Recorder {
    /// Begins the files, or goes on after the step that `totals` stand at with those that are
    /// `known` to be there. Nothing is changed before all of them have been looked at.
    pub(super) fn open(
        scene: &Scene,
        folder: &RunFolder,
        world: &mut World,
        (meshes, obstacles): (&[BodyMesh], &[(u32, TriMesh)]),
        (totals, known): (&Totals, Written),
        profile: Profile,
    ) -> Result<Self, RunError> {
        let terms = world.term_names();
        let names: Vec<&str> = terms.iter().map(String::as_str).collect();
        let history = match totals.steps {
            0 => HistoryWriter::create(&folder.history(), &names)?,
            step => {
                let known = extent(&known, &folder.history()).unwrap_or(TableExtent::NOTHING);
                HistoryWriter::resume(&folder.history(), &names, step, known)?
            }
        };
        let step = totals.steps;
        let wanted = |table| scene.output.tables.contains(&table);
        let bodies = wanted(Table::Bodies).then(|| take_up(&folder.bodies(), step, &known));
        let poses = wanted(Table::Poses).then(|| take_up(&folder.poses(), step, &known));
        let contacts = wanted(Table::Contacts).then(|| take_up(&folder.contacts(), step, &known));
        let (bodies, poses, contacts) =
            (bodies.transpose()?, poses.transpose()?, contacts.transpose()?);
        let bodies_of_world = (0..world.body_count()).map(|b| world.name(b).to_owned());
        let obstacles_of_scene = scene.obstacles.iter().map(|obstacle| obstacle.name().to_owned());
        let colliders = bodies_of_world.chain(obstacles_of_scene).collect();
        let profile = open_profile(folder, step, &known, profile)?;
        let frames = Frames::open(scene, folder, (meshes, obstacles), (totals, &known))?;
        let affine =
            meshes.iter().enumerate().filter_map(|(b, mesh)| Some((b, mesh.affine?))).collect();
        Ok(Self {
            history,
            terms,
            bodies,
            poses,
            contacts,
            colliders,
            profile,
            affine,
            frames,
            idle: known,
        })
    }

    /// The box (m) of what the frames show.
    pub(super) fn moved(&self) -> Option<Bounds> {
        self.frames.moved()
    }

    /// Writes lists of frames again that are not as the run wrote them; their files.
    pub(super) fn mend(&self) -> Result<Vec<PathBuf>, RunError> {
        self.frames.mend()
    }

    /// How far all files go.
    pub(super) fn written(&self) -> Written {
        let mut written = self.idle.clone();
        let tables = [
            ("history.csv", Some(self.history.extent())),
            ("bodies.csv", self.bodies.as_ref().map(BodiesWriter::extent)),
            ("poses.csv", self.poses.as_ref().map(PosesWriter::extent)),
            ("contacts.csv", self.contacts.as_ref().map(ContactsWriter::extent)),
            ("profile.csv", self.profile.as_ref().map(ProfileWriter::extent)),
        ];
        let tables =
            tables.into_iter().filter_map(|(name, extent)| Some((name.to_owned(), extent?)));
        written.tables.extend(tables);
        written.frames.extend(self.frames.written());
        written
    }

    pub(super) fn flush(&mut self) -> Result<(), RunError> {
        self.frames.flush()?;
        self.bodies.as_mut().map_or(Ok(()), BodiesWriter::flush)?;
        self.poses.as_mut().map_or(Ok(()), PosesWriter::flush)?;
        self.contacts.as_mut().map_or(Ok(()), ContactsWriter::flush)?;
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
            contacts: observed.certificate.contacts as u64,
            min_distance: finite(observed.certificate.min_distance),
            min_det_f: finite(observed.certificate.min_det_f),
            residual: Some(record.solve.residual),
            seconds,
        };
        self.history.write(&row)?;
        self.pose_rows(world, totals.steps, time)?;
        self.contact_rows(world, totals.steps, time)?;
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

    fn contact_rows(&mut self, world: &World, step: u64, time: f64) -> Result<(), RunError> {
        let Some(table) = &mut self.contacts else { return Ok(()) };
        for pair in world.contact_forces().into_iter().flat_map(|forces| forces.pairs) {
            let names = pair.colliders.map(|number| self.colliders[number].as_str());
            let PairForces { normal, friction, smallest_gap, contacts, .. } = pair;
            table.write(&ContactRow {
                step,
                time,
                names,
                normal,
                friction,
                smallest_gap,
                contacts,
            })?;
        }
        Ok(())
    }

    /// Writes a frame of the world as it is.
    pub(super) fn frame(&mut self, world: &mut World, time: f64) -> Result<(), RunError> {
        self.frames.write(world, time)
    }
}

/// How far a table went at the checkpoint, if it was there.
fn extent(known: &Written, table: &Path) -> Option<TableExtent> {
    known.tables.get(table.file_name()?.to_str()?).copied()
}

/// Begins a table, or goes on with it after a step. A resumed run may ask for one that was not
/// asked for before.
fn take_up<T: resile_record::Table>(
    path: &Path,
    step: u64,
    known: &Written,
) -> Result<TableWriter<T>, OutputError> {
    match extent(known, path) {
        None if step == 0 || !path.exists() => TableWriter::create(path),
        known => TableWriter::resume(path, step, known),
    }
}

/// A profile that a resumed run finds is gone on with, asked for or not: so it has no gaps.
fn open_profile(
    folder: &RunFolder,
    step: u64,
    known: &Written,
    wanted: Profile,
) -> Result<Option<ProfileWriter>, OutputError> {
    let path = folder.profile();
    match (path.exists(), wanted) {
        (false, Profile::InTotal) => Ok(None),
        (false, Profile::EachStep) => ProfileWriter::create(&path).map(Some),
        (true, _) => take_up(&path, step, known).map(Some),
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
