//! Optional tables: a row for each step and body, pair or probe.

use super::probes;
use super::trace::collider_names;
use super::{RunError, RunFolder};
use resile_assembly::{BodyMesh, Built, PlacedProbe};
use resile_contact::PairForces;
use resile_energy::AffineBody;
use resile_integrators::Rest;
use resile_math::Vec3;
use resile_record::{
    BodiesWriter, BodyRow, ContactRow, ContactsWriter, FileExtents, MomentumRow, MomentumWriter,
    OutputError, PoseRow, PosesWriter, ProbesWriter, TableExtent, TableWriter,
};
use resile_scene::description::{Scene, Table, Units};
use resile_world::{BodyEnergies, BodyForces, Momenta, StepRecord, World, WorldForces};
use std::path::Path;

/// The open tables and the data for their rows.
#[derive(Debug)]
pub(super) struct Tables {
    bodies: Option<BodiesWriter>,
    poses: Option<PosesWriter>,
    contacts: Option<ContactsWriter>,
    momentum: Option<MomentumWriter>,
    probes: Option<ProbesWriter>,
    /// Names of all colliders: bodies, then obstacles.
    colliders: Vec<String>,
    /// The affine bodies with their indices in the world.
    affine: Vec<(usize, AffineBody)>,
    /// The probes of the scene.
    placed_probes: Vec<PlacedProbe>,
    /// The length of a step (s).
    h: f64,
}

/// The number of a step, and the time after it (s); step 0 is the start.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepTime {
    pub(super) step: u64,
    pub(super) time: f64,
}

impl Tables {
    /// Begins the requested tables, or continues them after `step`, at which they had these extents.
    pub(super) fn open(
        scene: &Scene,
        folder: &RunFolder,
        built: &Built,
        (step, extents): (u64, &FileExtents),
    ) -> Result<Self, OutputError> {
        let step_and_units = (step, scene.units);
        let is_requested = |table| scene.output.tables.contains(&table);
        let bodies = is_requested(Table::Bodies)
            .then(|| resume_table(&folder.bodies(), step_and_units, extents));
        let poses = is_requested(Table::Poses)
            .then(|| resume_table(&folder.poses(), step_and_units, extents));
        let contacts = is_requested(Table::Contacts)
            .then(|| resume_table(&folder.contacts(), step_and_units, extents));
        let momentum = is_requested(Table::Momentum)
            .then(|| resume_table(&folder.momentum(), step_and_units, extents));
        let probes = (!built.probes.is_empty())
            .then(|| resume_table(&folder.probes(), step_and_units, extents));
        let world = &built.world;
        let affine = |(b, mesh): (usize, &BodyMesh)| Some((b, mesh.affine?));
        Ok(Self {
            h: scene.time.step.seconds(),
            bodies: bodies.transpose()?,
            poses: poses.transpose()?,
            contacts: contacts.transpose()?,
            momentum: momentum.transpose()?,
            probes: probes.transpose()?,
            colliders: collider_names(scene, world),
            affine: built.meshes.iter().enumerate().filter_map(affine).collect(),
            placed_probes: built.probes.clone(),
        })
    }

    /// The extents of open tables by file name.
    pub(super) fn extents(&self) -> impl Iterator<Item = (&'static str, TableExtent)> + use<> {
        let extents = [
            ("bodies.csv", self.bodies.as_ref().map(BodiesWriter::extent)),
            ("poses.csv", self.poses.as_ref().map(PosesWriter::extent)),
            ("contacts.csv", self.contacts.as_ref().map(ContactsWriter::extent)),
            ("momentum.csv", self.momentum.as_ref().map(MomentumWriter::extent)),
            ("probes.csv", self.probes.as_ref().map(ProbesWriter::extent)),
        ];
        extents.into_iter().filter_map(|(name, extent)| Some((name, extent?)))
    }

    /// Syncs all rows to disk.
    pub(super) fn flush(&mut self) -> Result<(), OutputError> {
        self.bodies.as_mut().map_or(Ok(()), BodiesWriter::flush)?;
        self.poses.as_mut().map_or(Ok(()), PosesWriter::flush)?;
        self.contacts.as_mut().map_or(Ok(()), ContactsWriter::flush)?;
        self.momentum.as_mut().map_or(Ok(()), MomentumWriter::flush)?;
        self.probes.as_mut().map_or(Ok(()), ProbesWriter::flush)
    }

    /// Writes the rows of the initial state.
    pub(super) fn write_start(&mut self, world: &mut World, time: f64) -> Result<(), RunError> {
        let step_time = StepTime { step: 0, time };
        if self.bodies.is_some() {
            let observed = world.observe();
            self.write_body_rows(world, step_time, &observed.bodies, None)?;
        }
        self.write_state_rows(world, step_time)
    }

    /// Writes the rows of a step.
    pub(super) fn write_step(
        &mut self,
        world: &mut World,
        step_time: StepTime,
        record: &StepRecord,
    ) -> Result<(), RunError> {
        self.write_body_rows(world, step_time, &record.observed.bodies, Some(record))?;
        self.write_state_rows(world, step_time)
    }

    /// Writes the rows that follow from the state alone.
    fn write_state_rows(&mut self, world: &mut World, step_time: StepTime) -> Result<(), RunError> {
        self.write_pose_rows(world, step_time)?;
        let forces = match self.contacts.is_some() || self.momentum.is_some() {
            true => world.contact_forces(self.h),
            false => None,
        };
        self.write_momentum_rows(world, step_time, forces.as_ref())?;
        self.write_contact_rows(step_time, forces)?;
        let Some(table) = &mut self.probes else { return Ok(()) };
        let rows = probes::rows(&self.placed_probes, world, step_time.step, step_time.time);
        Ok(rows.iter().try_for_each(|row| table.write(row))?)
    }

    /// Writes the poses of affine bodies.
    fn write_pose_rows(&mut self, world: &World, step_time: StepTime) -> Result<(), RunError> {
        let Some(table) = &mut self.poses else { return Ok(()) };
        let StepTime { step, time } = step_time;
        for (b, affine) in &self.affine {
            let nodes = &world.state(*b).positions;
            let (rotation, center) = affine.pose(&std::array::from_fn(|k| nodes[k]));
            table.write(&PoseRow { step, time, body: world.name(*b), center, rotation })?;
        }
        Ok(())
    }

    /// Writes the momenta of all bodies and the contact forces on them.
    fn write_momentum_rows(
        &mut self,
        world: &World,
        step_time: StepTime,
        forces: Option<&WorldForces>,
    ) -> Result<(), RunError> {
        let Some(table) = &mut self.momentum else { return Ok(()) };
        let StepTime { step, time } = step_time;
        let total_force = |BodyForces { normal, friction }: &BodyForces| {
            normal.iter().sum::<Vec3>() + friction.iter().sum::<Vec3>()
        };
        for b in 0..world.body_count() {
            let Momenta { linear, angular } = world.momenta_of(b);
            let contact = forces.map_or(Vec3::ZERO, |forces| total_force(&forces.bodies[b]));
            let body = world.name(b);
            table.write(&MomentumRow { step, time, body, linear, angular, contact })?;
        }
        Ok(())
    }

    /// Writes the pairs of colliders in contact.
    fn write_contact_rows(
        &mut self,
        step_time: StepTime,
        forces: Option<WorldForces>,
    ) -> Result<(), RunError> {
        let Some(table) = &mut self.contacts else { return Ok(()) };
        let StepTime { step, time } = step_time;
        for pair in forces.into_iter().flat_map(|forces| forces.pairs) {
            let names = pair.colliders.map(|collider| self.colliders[collider].as_str());
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

    /// Writes a row for each body. `record` is `None` for the initial state, which has no islands and no alpha.
    fn write_body_rows(
        &mut self,
        world: &World,
        step_time: StepTime,
        energies: &[BodyEnergies],
        record: Option<&StepRecord>,
    ) -> Result<(), RunError> {
        let Some(table) = &mut self.bodies else { return Ok(()) };
        let (islands, alphas) = islands_and_alphas(record, energies.len());
        for (b, energies) in energies.iter().enumerate() {
            table.write(&BodyRow {
                step: step_time.step,
                time: step_time.time,
                body: world.name(b),
                island: world.name(islands[b]),
                kinetic: energies.kinetic,
                potential: energies.potential,
                target: energies.target,
                alpha: alphas[b],
                motion: record.map(|record| record.motion[b]),
                dissipated: record.map_or(0.0, |record| record.dissipated[b]),
                rest_loss: record.map_or(0.0, |record| record.rest_loss[b]),
                rest: record.and_then(|record| record.resting[b]).map_or("", Rest::name),
                external_work: record.map_or(0.0, |record| record.work[b]),
                com: world.center_of_mass(b).to_array(),
            })?;
        }
        Ok(())
    }
}

/// For each of `body_count` bodies, the first body of its island (the body itself if it has no island), and the alpha
/// of its group of interacting bodies.
fn islands_and_alphas(
    record: Option<&StepRecord>,
    body_count: usize,
) -> (Vec<usize>, Vec<Option<f64>>) {
    let (mut islands, mut alphas): (Vec<usize>, _) =
        ((0..body_count).collect(), vec![None; body_count]);
    let Some(record) = record else { return (islands, alphas) };
    for island in &record.islands {
        island.iter().for_each(|&b| islands[b] = island[0]);
    }
    for group in &record.alphas {
        group.bodies.iter().for_each(|&b| alphas[b] = Some(group.alpha));
    }
    (islands, alphas)
}

/// The extent of a table at the checkpoint, if it existed.
pub(super) fn extent_of_table(extents: &FileExtents, table: &Path) -> Option<TableExtent> {
    extents.tables.get(table.file_name()?.to_str()?).copied()
}

/// Begins a table in some units, or continues it after a step, at which it had the extent in `extents`. A resumed run
/// may add tables. At step 0 the table is begun again, because its initial row is written again.
pub(super) fn resume_table<T: resile_record::Table>(
    path: &Path,
    (step, units): (u64, Units),
    extents: &FileExtents,
) -> Result<TableWriter<T>, OutputError> {
    match (step, extent_of_table(extents, path)) {
        (0, _) => TableWriter::create(path, units),
        (_, None) if !path.exists() => TableWriter::create(path, units),
        (step, extent) => TableWriter::resume(path, units, step, extent),
    }
}
