//! What methods remember, and how it stands in [`Memory`].

use crate::stamp::STAMP;
use resile_math::Vec3;
use resile_system::{Memory, Quantity, Record, State};

/// The point of the trajectory one step before.
const PREVIOUS: &str = "trajectory.previous";
/// The force by which the last step balanced.
const GRADIENT: &str = "balance.gradient";
/// What friction did in the last step.
const FRICTION: &str = "friction.impulse";
/// Energy control of each body.
const CONTROL: &str = "energy.control";
/// The acceleration (m/s^2) at the end of the last step.
pub(crate) const ACCELERATION: &str = "generalized-alpha.acceleration";

/// The last but one point of a trajectory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Previous<'m> {
    /// Positions one step before (m).
    pub(crate) positions: &'m [Vec3],
    /// Velocities one step before (m/s).
    pub(crate) velocities: &'m [Vec3],
    /// The step (s) that led from them to the present.
    pub(crate) step: f64,
}

impl<'m> Previous<'m> {
    pub(crate) fn recall(memory: &'m Memory) -> Option<Self> {
        let [x, v] = &memory.get(PREVIOUS)?.fields[..] else { return None };
        let Quantity::Position { ago: step } = x.quantity else { return None };
        Some(Self { positions: &x.values, velocities: &v.values, step })
    }

    /// Remembers `state` in the memory of the one `h` seconds (s) later.
    pub(crate) fn remember(state: &State, h: f64, memory: &mut Memory) {
        let record = Record::default()
            .with(Quantity::Position { ago: h }, state.positions.clone())
            .with(Quantity::Velocity { ago: h }, state.velocities.clone());
        memory.insert(PREVIOUS, record);
    }
}

/// `grad P` (N) by which the last step balanced.
pub(crate) fn gradient(memory: &Memory) -> Option<&[Vec3]> {
    Some(&memory.get(GRADIENT)?.fields.first()?.values)
}

/// Remembers `gradient` (N), by which a step balanced.
pub(crate) fn remember_gradient(gradient: Vec<Vec3>, memory: &mut Memory) {
    memory.insert(GRADIENT, Record::default().with(Quantity::Action, gradient));
}

/// What friction did in a step, of which a multistep method carries a part into the next one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FrictionImpulse {
    /// The momentum (N s) that it took from each node.
    pub(crate) of_nodes: Vec<Vec3>,
    /// At each body, the heat (J) that it made of the work of prescribed motion.
    pub(crate) from_motion: Vec<f64>,
}

impl FrictionImpulse {
    pub(crate) fn recall(memory: &Memory) -> Option<Self> {
        let record = memory.get(FRICTION)?;
        let from_motion: Option<Vec<f64>> =
            record.rows.iter().map(|row| row.first().copied()).collect();
        Some(Self { of_nodes: record.fields.first()?.values.clone(), from_motion: from_motion? })
    }

    pub(crate) fn remember(self, memory: &mut Memory) {
        let rows = self.from_motion.iter().map(|heat| vec![*heat]).collect();
        let record = Record { rows, ..Record::default() };
        memory.insert(FRICTION, record.with(Quantity::Action, self.of_nodes));
    }
}

/// What energy control knows of one body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyControl {
    /// The body's share of the energy target (J).
    pub target: f64,
    /// Energy minus target (J) after the last step and after the one before.
    pub deviations: [f64; 2],
    /// The body's share of the running mean of the energy (J), for control that
    /// steers the mean.
    pub mean: f64,
    /// For how many steps on end the body, which touches another surface, has not moved as
    /// its velocities say: they stand for vibrations that the step does not resolve.
    pub unresolved: u32,
    /// Whether it has rubbed on another surface so far.
    pub rubbed: bool,
    /// The lowest potential energy (J) that the body has had at the end of a step, moved along
    /// with the work done on it since, for control that asks what energy can change hands.
    pub lowest: f64,
}

impl EnergyControl {
    /// The control of each body that the last step has left; `None` if it controlled no energy.
    pub fn recall(memory: &Memory) -> Option<Vec<Self>> {
        memory.get(CONTROL)?.rows.iter().map(|row| Self::of_row(row)).collect()
    }

    /// Leaves the control of each body to the next step.
    pub fn remember(control: &[Self], memory: &mut Memory) {
        let rows = control.iter().map(|own| own.row().to_vec()).collect();
        memory.insert(CONTROL, Record::of_bodies(rows));
    }

    fn row(&self) -> [f64; 7] {
        let [last, before] = self.deviations;
        let (unresolved, rubbed) = (f64::from(self.unresolved), f64::from(u8::from(self.rubbed)));
        [self.target, last, before, self.mean, unresolved, rubbed, self.lowest]
    }

    fn of_row(row: &[f64]) -> Option<Self> {
        let &[target, last, before, mean, unresolved, rubbed, lowest] = row else { return None };
        Some(Self {
            target,
            deviations: [last, before],
            mean,
            unresolved: unresolved as u32,
            rubbed: rubbed != 0.0,
            lowest,
        })
    }
}

/// No number of a memory is larger, so that the energies that are made of it are finite: a state
/// with larger ones has none itself.
const LARGEST: f64 = 1e120;

/// Why a memory is none that a method of this crate leaves behind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("what it remembers as `{key}` {reason}")]
pub struct MemoryError {
    /// The record at fault.
    pub key: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// Looks at what a body of so many nodes remembers, before a method reads it: each record must be
/// of a kind that methods of this crate leave behind, in shape and bounds. No step behind it was
/// longer than `longest` (s).
///
/// # Errors
/// The first record that is none of theirs.
pub fn check_memory(memory: &Memory, nodes: usize, longest: f64) -> Result<(), MemoryError> {
    memory.records().try_for_each(|(key, record)| {
        check_record(key, record, nodes, longest)
            .map_err(|reason| MemoryError { key: key.to_owned(), reason })
    })
}

fn check_record(
    key: &str,
    record: &Record,
    nodes: usize,
    longest: f64,
) -> Result<(), &'static str> {
    let quantities: Vec<Quantity> = record.fields.iter().map(|field| field.quantity).collect();
    match (key, &quantities[..], &record.rows[..]) {
        (PREVIOUS, [Quantity::Position { ago: x }, Quantity::Velocity { ago: v }], []) => {
            let taken = |ago: f64| ago > 0.0 && ago <= longest * (1.0 + 1e-9);
            if x != v || !taken(*x) {
                return Err("is of no earlier time");
            }
        }
        (GRADIENT | ACCELERATION, [Quantity::Action], []) => {}
        (FRICTION, [Quantity::Action], [row]) => check_heat(row)?,
        (CONTROL, [], [row]) => check_control(row)?,
        (STAMP, [], [row]) => check_stamp(row)?,
        (PREVIOUS | GRADIENT | ACCELERATION | FRICTION | CONTROL | STAMP, _, _) => {
            return Err("has another shape");
        }
        _ => return Err("is known to no method"),
    }
    if record.fields.iter().any(|field| field.values.len() != nodes) {
        return Err("has another number of nodes");
    }
    let bounded = |vector: &Vec3| vector.to_array().iter().all(|number| number.abs() <= LARGEST);
    if !record.fields.iter().flat_map(|field| &field.values).all(bounded) {
        return Err("has numbers that are none or too large");
    }
    Ok(())
}

/// Both halves of a checksum are whole numbers of 32 bits.
fn check_stamp(row: &[f64]) -> Result<(), &'static str> {
    let half = |number: &f64| number.fract() == 0.0 && (0.0..4_294_967_296.0).contains(number);
    if row.len() == 2 && row.iter().all(half) { Ok(()) } else { Err("is no checksum") }
}

fn check_heat(row: &[f64]) -> Result<(), &'static str> {
    match row {
        [heat] if heat.abs() <= LARGEST => Ok(()),
        [_] => Err("has numbers that are none or too large"),
        _ => Err("has another shape"),
    }
}

fn check_control(row: &[f64]) -> Result<(), &'static str> {
    let Some(control) = EnergyControl::of_row(row) else { return Err("has another shape") };
    if !row.iter().all(|number| number.abs() <= LARGEST) {
        return Err("has energies that are none or too large");
    }
    // Counts that are no counts do not read back as they were.
    if control.row() != *row { Err("has counts that are none") } else { Ok(()) }
}

/// The energy target of each body (J), of methods that control energy.
pub(crate) fn energy_targets(state: &State) -> Option<Vec<f64>> {
    let control = EnergyControl::recall(&state.memory)?;
    Some(control.into_iter().map(|own| own.target).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A memory of one node with this velocity (m/s) and this energy target (J).
    fn memory(velocity: Vec3, target: f64) -> Memory {
        let mut memory = Memory::default();
        let state = State::new(0.0, vec![Vec3::ONE], vec![velocity]);
        Previous::remember(&state, 0.01, &mut memory);
        let control = EnergyControl {
            target,
            deviations: [0.0; 2],
            mean: 1.0,
            unresolved: 3,
            rubbed: true,
            lowest: -1.0,
        };
        EnergyControl::remember(&[control], &mut memory);
        memory
    }

    #[test]
    fn numbers_of_which_no_energy_can_be_made_are_refused() {
        let check = |velocity, target| check_memory(&memory(velocity, target), 1, 0.01);
        assert_eq!(check(Vec3::new(1.0, -2.0, 1e100), 5.0), Ok(()));
        for number in [f64::NAN, f64::INFINITY, -1e308, 1e121] {
            let of_velocity = check(Vec3::new(0.0, number, 0.0), 5.0).expect_err("no velocity");
            assert_eq!(of_velocity.key, PREVIOUS, "{number}");
            assert_eq!(check(Vec3::ONE, number).expect_err("no energy").key, CONTROL, "{number}");
        }
    }
}
