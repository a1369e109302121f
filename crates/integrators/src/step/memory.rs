//! The memory of methods, and its records in [`Memory`].

use crate::step::Integrator;
use crate::step::stamp::CHECKSUM;
use resile_math::Vec3;
use resile_system::{
    FieldFormat, Memory, MemoryError, NumberFormat, Quantity, Record, RecordFormat, State,
};

/// Key of the previous point of the trajectory.
const PREVIOUS_KEY: &str = "trajectory.previous";
/// Key of the gradient that balanced the last step.
const GRADIENT_KEY: &str = "balance.gradient";
/// Key of the impulse of friction and contact damping in the last step.
const FRICTION_KEY: &str = "friction.impulse";
/// Key of the part of this impulse that is due to contact damping.
const CONTACT_DAMPING_KEY: &str = "contact-damping.impulse";
/// Key of the elastic slip after a load step.
const SLIP_KEY: &str = "friction.slip";
/// Key of the velocities that impacts still owe.
const WITHHELD_KEY: &str = "restitution.withheld";
/// Key of the energy control of each body.
const CONTROL_KEY: &str = "energy.control";

/// The previous point of a trajectory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Previous<'m> {
    /// Positions one step before (m).
    pub(crate) positions: &'m [Vec3],
    /// Velocities one step before (m/s).
    pub(crate) velocities: &'m [Vec3],
    /// The step (s) from the previous point to the present one.
    pub(crate) step: f64,
}

impl<'m> Previous<'m> {
    /// The previous point in the memory of a state; `None` without one.
    pub(crate) fn recall(memory: &'m Memory) -> Option<Self> {
        let [x, v] = &memory.get(PREVIOUS_KEY)?.fields[..] else { return None };
        let Quantity::Position { ago: step } = x.quantity else { return None };
        Some(Self { positions: &x.values, velocities: &v.values, step })
    }

    /// Stores `state` in the memory of the state `h` (s) later.
    pub(crate) fn remember(state: &State, h: f64, memory: &mut Memory) {
        let record = Record::default()
            .with(Quantity::Position { ago: h }, state.positions.clone())
            .with(Quantity::Velocity { ago: h }, state.velocities.clone());
        memory.insert(PREVIOUS_KEY, record);
    }
}

/// The gradient `grad P` (N) that balanced the last step.
pub(crate) fn gradient(memory: &Memory) -> Option<&[Vec3]> {
    Some(&memory.get(GRADIENT_KEY)?.fields.first()?.values)
}

/// Stores the `gradient` (N) that balanced a step.
pub(crate) fn remember_gradient(gradient: Vec<Vec3>, memory: &mut Memory) {
    memory.insert(GRADIENT_KEY, Record::default().with(Quantity::Action, gradient));
}

/// Impulse of friction and contact damping in a step, a part of which a multistep method carries over to the next one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FrictionImpulse {
    /// The impulse of friction and contact damping together.
    pub(crate) total: CouplingImpulse,
    /// The part of contact damping, if there is any.
    pub(crate) contact_damping: Option<CouplingImpulse>,
}

impl FrictionImpulse {
    /// The impulse of the last step in the memory of a state; `None` without one.
    pub(crate) fn recall(memory: &Memory) -> Option<Self> {
        let total = CouplingImpulse::recall(memory, FRICTION_KEY)?;
        let contact_damping = CouplingImpulse::recall(memory, CONTACT_DAMPING_KEY);
        Some(Self { total, contact_damping })
    }

    /// Stores the impulse in the memory of the state at the end of its step.
    pub(crate) fn remember(self, memory: &mut Memory) {
        self.total.remember(memory, FRICTION_KEY);
        if let Some(part) = self.contact_damping {
            part.remember(memory, CONTACT_DAMPING_KEY);
        }
    }

    /// Adds a `fraction` of the impulse of the last step.
    pub(crate) fn add(&mut self, fraction: f64, last: &Self) {
        self.total.add(fraction, &last.total);
        if let (Some(sum), Some(last)) = (&mut self.contact_damping, &last.contact_damping) {
            sum.add(fraction, last);
        }
    }
}

/// Impulse of terms between bodies in a step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CouplingImpulse {
    /// The momentum (N s) that the terms removed from each node.
    pub(crate) nodal: Vec<Vec3>,
    /// The heat (J) at each body from the work of prescribed motion.
    pub(crate) from_motion: Vec<f64>,
}

impl CouplingImpulse {
    /// The impulse stored under `key`; `None` without one.
    fn recall(memory: &Memory, key: &str) -> Option<Self> {
        let record = memory.get(key)?;
        let from_motion: Option<Vec<f64>> =
            record.rows.iter().map(|row| row.first().copied()).collect();
        Some(Self { nodal: record.fields.first()?.values.clone(), from_motion: from_motion? })
    }

    /// Stores the impulse under `key`.
    fn remember(self, memory: &mut Memory, key: &str) {
        let rows = self.from_motion.iter().map(|heat| vec![*heat]).collect();
        let record = Record { rows, ..Record::default() };
        memory.insert(key, record.with(Quantity::Action, self.nodal));
    }

    /// Adds a `fraction` of the impulse of the last step.
    fn add(&mut self, fraction: f64, last: &Self) {
        let nodes = self.nodal.iter_mut().zip(&last.nodal);
        nodes.for_each(|(sum, last)| *sum += fraction * *last);
        let bodies = self.from_motion.iter_mut().zip(&last.from_motion);
        bodies.for_each(|(sum, last)| *sum += fraction * last);
    }
}

/// The velocities (m/s) by which nodes are too slow after impacts, because a part of the energy of the rebound is still
/// stored in the barrier and in deformation; `None` if nothing is withheld.
pub(crate) fn withheld_velocities(memory: &Memory) -> Option<&[Vec3]> {
    Some(&memory.get(WITHHELD_KEY)?.fields.first()?.values)
}

/// Stores the velocities (m/s) that impacts withhold, unless all are zero.
pub(crate) fn remember_withheld_velocities(velocities: Vec<Vec3>, memory: &mut Memory) {
    if velocities.iter().any(|velocity| *velocity != Vec3::ZERO) {
        memory.insert(WITHHELD_KEY, Record::default().with(Quantity::Action, velocities));
    }
}

/// Elastic slip of friction at the end of a load step of static analysis, where the next one begins. No integrator
/// reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct ElasticSlip {
    /// Displacements (m) of the nodes.
    pub displacements: Vec<Vec3>,
    /// The slip length (m).
    pub slip_length: f64,
}

impl ElasticSlip {
    /// The elastic slip of a state of bodies, if the last step was a load step with friction.
    pub fn recall(memory: &Memory) -> Option<Self> {
        let record = memory.get(SLIP_KEY)?;
        let slip_length = *record.rows.first()?.first()?;
        Some(Self { displacements: record.fields.first()?.values.clone(), slip_length })
    }

    /// Stores the slip in the memory of a body.
    pub fn remember(self, memory: &mut Memory) {
        let rows = vec![vec![self.slip_length]];
        let record = Record { rows, ..Record::default() };
        memory.insert(SLIP_KEY, record.with(Quantity::Action, self.displacements));
    }

    /// Removes the slip from the memory of a body.
    pub fn forget(memory: &mut Memory) {
        memory.remove(SLIP_KEY);
    }
}

/// State of the energy control of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyControl {
    /// The part of the energy target that belongs to this body (J).
    pub target: f64,
    /// Energy minus target (J) after the last step and after the one before.
    pub deviations: [f64; 2],
    /// The part of the running mean of the energy that belongs to this body (J); used by rules that control the mean.
    pub mean: f64,
    /// Number of consecutive steps in contact in which the velocities were unresolved vibrations.
    pub unresolved: u32,
    /// Whether the body has been in contact during a step with friction.
    pub had_friction: bool,
    /// The lowest potential energy (J) of the body at the end of a step, plus the work on it since, for control by the
    /// energy that can be exchanged.
    pub lowest: f64,
}

impl EnergyControl {
    /// The control of each body after the last step; `None` if the method does not control energy.
    pub fn recall(memory: &Memory) -> Option<Vec<Self>> {
        memory.get(CONTROL_KEY)?.rows.iter().map(|row| Self::from_row(row)).collect()
    }

    /// Lowers the lowest potential energy of each body to its `potential` (J) at the end of a step, if that is lower.
    pub(crate) fn include_potential(potential: &[f64], control: &mut [Self]) {
        for (body, potential) in control.iter_mut().zip(potential) {
            body.lowest = body.lowest.min(*potential);
        }
    }

    /// Stores the control of each body for the next step.
    pub fn remember(control: &[Self], memory: &mut Memory) {
        let rows = control.iter().map(|body| body.to_row().to_vec()).collect();
        memory.insert(CONTROL_KEY, Record::of_bodies(rows));
    }

    /// The numbers of the record of a body, in the order of [`control_format`].
    fn to_row(self) -> [f64; 7] {
        let [last, before_last] = self.deviations;
        let (unresolved, had_friction) =
            (f64::from(self.unresolved), f64::from(u8::from(self.had_friction)));
        [self.target, last, before_last, self.mean, unresolved, had_friction, self.lowest]
    }

    /// The control of a body from the numbers of its record; `None` if their count is wrong.
    fn from_row(row: &[f64]) -> Option<Self> {
        let &[target, last, before_last, mean, unresolved, had_friction, lowest] = row else {
            return None;
        };
        Some(Self {
            target,
            deviations: [last, before_last],
            mean,
            unresolved: unresolved as u32,
            had_friction: had_friction != 0.0,
            lowest,
        })
    }
}

/// The records that [`advance_to`](crate::advance_to) stores for every method: checksums, the force of a step that
/// was repeated with implicit Euler, the elastic slip of load steps, and the velocities that impacts withhold.
fn formats_of_every_method() -> [RecordFormat; 4] {
    let checksum_halves = [NumberFormat::Count; 2];
    let slip =
        RecordFormat::new(SLIP_KEY).with_field(FieldFormat::Action).with_row(&[NumberFormat::Real]);
    let withheld = RecordFormat::new(WITHHELD_KEY).with_field(FieldFormat::Action);
    [RecordFormat::new(CHECKSUM).with_row(&checksum_halves), gradient_format(), slip, withheld]
}

/// The format of the record of [`Previous`].
pub(crate) fn previous_format() -> RecordFormat {
    RecordFormat::new(PREVIOUS_KEY)
        .with_field(FieldFormat::Position { steps: 1 })
        .with_field(FieldFormat::Velocity { steps: 1 })
}

/// The format of the record of the gradient that balanced the last step.
pub(crate) fn gradient_format() -> RecordFormat {
    RecordFormat::new(GRADIENT_KEY).with_field(FieldFormat::Action)
}

/// The formats of the two records of [`FrictionImpulse`].
pub(crate) fn friction_formats() -> [RecordFormat; 2] {
    let format = |key| {
        RecordFormat::new(key).with_field(FieldFormat::Action).with_row(&[NumberFormat::Real])
    };
    [format(FRICTION_KEY), format(CONTACT_DAMPING_KEY)]
}

/// The format of the record of [`EnergyControl`]: one row for each body.
pub(crate) fn control_format() -> RecordFormat {
    let [real, count, flag] = [NumberFormat::Real, NumberFormat::Count, NumberFormat::Flag];
    RecordFormat::new(CONTROL_KEY).with_row(&[real, real, real, real, count, flag, real])
}

/// Checks the memory of a body with `nodes` nodes before `method` reads it: each record must have a format that the
/// method [declares](Integrator::records). No earlier step may be longer than `longest` (s). O(nodes).
///
/// # Errors
/// The first record that does not belong to the method.
pub fn check_memory(
    method: &dyn Integrator,
    memory: &Memory,
    nodes: usize,
    longest: f64,
) -> Result<(), MemoryError> {
    let mut formats = method.records();
    formats.extend(formats_of_every_method());
    memory.check(&formats, nodes, longest)
}

/// The energy target of each body (J), of methods that control energy.
pub(crate) fn energy_targets(state: &State) -> Option<Vec<f64>> {
    let control = EnergyControl::recall(&state.memory)?;
    Some(control.into_iter().map(|body| body.target).collect())
}
