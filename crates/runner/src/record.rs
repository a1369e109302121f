//! Recording of rows and frames.

use super::frames::Frames;
use super::tables::{StepTime, Tables, extent_of_table, resume_table};
use super::totals::Totals;
use super::{Profile, RunError, RunFolder};
use resile_assembly::Built;
use resile_math::Aabb;
use resile_record::{
    FileExtents, HistoryRow, HistoryWriter, OutputError, ProfileRow, ProfileWriter, TableExtent,
};
use resile_scene::description::{Scene, Units};
use resile_world::{Momenta, Observed, StepRecord, World};
use std::path::PathBuf;

/// The open files of a run.
#[derive(Debug)]
pub(super) struct Recorder {
    history: HistoryWriter,
    /// Names of the energy terms, in the order of the columns.
    term_names: Vec<String>,
    tables: Tables,
    profile: Option<ProfileWriter>,
    frames: Frames,
    /// Extents of tables and frames of the checkpoint, including those that this leg does not request.
    earlier_extents: FileExtents,
}

impl Recorder {
    /// Creates the files at step 0, or resumes them after the step of `totals` at the extents of its checkpoint.
    /// Writers truncate their files only before they write the next row, so all files are checked before any is
    /// changed.
    pub(super) fn open(
        scene: &Scene,
        folder: &RunFolder,
        built: &mut Built,
        (totals, extents): (&Totals, FileExtents),
        profile: Profile,
    ) -> Result<Self, RunError> {
        let term_names = built.world.term_names();
        let names: Vec<&str> = term_names.iter().map(String::as_str).collect();
        let history = match totals.steps {
            0 => HistoryWriter::create(&folder.history(), &names, scene.units)?,
            step => {
                let extent =
                    extent_of_table(&extents, &folder.history()).unwrap_or(TableExtent::EMPTY);
                HistoryWriter::resume(&folder.history(), &names, scene.units, step, extent)?
            }
        };
        let step = totals.steps;
        let tables = Tables::open(scene, folder, built, (step, &extents))?;
        let profile = open_profile(folder, step, &extents, profile)?;
        let frames =
            Frames::open(scene, folder, (&built.meshes, &built.obstacles), (totals, &extents))?;
        Ok(Self { history, term_names, tables, profile, frames, earlier_extents: extents })
    }

    /// Bounding box (m) of the frames.
    pub(super) fn bounding_box(&self) -> Option<Aabb> {
        self.frames.bounding_box()
    }

    /// Rewrites damaged lists of frames and returns their files.
    pub(super) fn repair_lists(&self) -> Result<Vec<PathBuf>, RunError> {
        self.frames.repair_lists()
    }

    /// The extents of all files.
    pub(super) fn extents(&self) -> FileExtents {
        let mut extents = self.earlier_extents.clone();
        let tables = [
            ("history.csv", Some(self.history.extent())),
            ("profile.csv", self.profile.as_ref().map(ProfileWriter::extent)),
        ];
        let tables =
            tables.into_iter().filter_map(|(name, extent)| Some((name.to_owned(), extent?)));
        extents.tables.extend(tables);
        let optional_tables = self.tables.extents();
        extents.tables.extend(optional_tables.map(|(name, extent)| (name.to_owned(), extent)));
        extents.frames.extend(self.frames.extents());
        extents
    }

    /// Syncs all files to disk.
    pub(super) fn flush(&mut self) -> Result<(), RunError> {
        self.frames.flush()?;
        self.tables.flush()?;
        self.profile.as_mut().map_or(Ok(()), ProfileWriter::flush)?;
        Ok(self.history.flush()?)
    }

    /// Writes the rows of a step that ended at `time` (s) and took `seconds` of wall time. `totals` include the step.
    pub(super) fn write_step(
        &mut self,
        world: &mut World,
        totals: &Totals,
        record: &StepRecord,
        time: f64,
        seconds: f64,
    ) -> Result<(), RunError> {
        let observed = &record.observed;
        let terms = self.term_energies(observed);
        let row = HistoryRow {
            step: totals.steps,
            h: Some(record.smallest_step),
            alpha: record.alpha(),
            motion: Some(record.motion.iter().sum()),
            dissipated: record.dissipated.iter().sum(),
            rest_loss: record.rest_loss.iter().sum(),
            external_work: record.work.iter().sum(),
            newton: record.iterations as u64,
            linear: record.solve.linear_iterations as u64,
            backtracks: record.solve.backtracks as u64,
            prescribed_lag: Some(record.prescribed_lag),
            residual: Some(record.last_step_speed),
            seconds,
            ..row_of_state(world, observed, &terms, time)
        };
        self.history.write(&row)?;
        self.tables.write_step(world, StepTime { step: totals.steps, time }, record)
    }

    /// Writes the row of computing times of a step, if requested.
    pub(super) fn write_profile_row(&mut self, row: &ProfileRow) -> Result<(), RunError> {
        Ok(self.profile.as_mut().map_or(Ok(()), |profile| profile.write(row))?)
    }

    /// Whether there is a profile.
    pub(super) fn has_profile(&self) -> bool {
        self.profile.is_some()
    }

    /// Writes the rows of the initial state at `time` (s).
    pub(super) fn write_start(&mut self, world: &mut World, time: f64) -> Result<(), RunError> {
        let observed = world.observe();
        let terms = self.term_energies(&observed);
        self.history.write(&row_of_state(world, &observed, &terms, time))?;
        self.tables.write_start(world, time)
    }

    /// The energies (J) of the terms, in the order of their columns; zero for a term that the state lacks.
    fn term_energies(&self, observed: &Observed) -> Vec<f64> {
        let energy = |name: &String| {
            observed
                .terms
                .iter()
                .find(|(term_name, _)| term_name == name)
                .map_or(0.0, |(_, value)| *value)
        };
        self.term_names.iter().map(energy).collect()
    }

    /// Writes a frame of the present state.
    pub(super) fn write_frame(&mut self, world: &mut World, time: f64) -> Result<(), RunError> {
        self.frames.write(world, time)
    }
}

/// The row of a state without the quantities of a step.
fn row_of_state<'t>(
    world: &World,
    observed: &Observed,
    terms: &'t [f64],
    time: f64,
) -> HistoryRow<'t> {
    let Momenta { linear, angular } = world.momenta();
    let finite = |value: f64| value.is_finite().then_some(value);
    HistoryRow {
        step: 0,
        time,
        h: None,
        kinetic: observed.kinetic(),
        potential: observed.potential(),
        terms,
        total: observed.total(),
        target: observed.target(),
        alpha: None,
        motion: None,
        dissipated: 0.0,
        rest_loss: 0.0,
        external_work: 0.0,
        momentum: linear.to_array(),
        angular: angular.to_array(),
        com: world.common_center_of_mass().to_array(),
        newton: 0,
        linear: 0,
        backtracks: 0,
        contacts: observed.certificate.contacts as u64,
        min_distance: finite(observed.certificate.min_distance),
        min_det_f: finite(observed.certificate.min_det_f),
        residual: None,
        prescribed_lag: None,
        seconds: 0.0,
    }
}

/// Opens the profile, if it is requested. A resumed run always continues an existing profile, so that the profile has
/// no gaps.
fn open_profile(
    folder: &RunFolder,
    step: u64,
    extents: &FileExtents,
    profile: Profile,
) -> Result<Option<ProfileWriter>, OutputError> {
    let path = folder.profile();
    match (path.exists(), profile) {
        (false, Profile::InTotal) => Ok(None),
        (false, Profile::EachStep) => ProfileWriter::create(&path, Units::default()).map(Some),
        (true, _) => resume_table(&path, (step, Units::default()), extents).map(Some),
    }
}
