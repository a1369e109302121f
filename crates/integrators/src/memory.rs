//! What methods remember, and how it stands in [`Memory`].

use resile_math::Vec3;
use resile_system::{Memory, Quantity, Record, State};

/// The point of the trajectory one step before.
const PREVIOUS: &str = "trajectory.previous";
/// The force by which the last step balanced.
const GRADIENT: &str = "balance.gradient";
/// Energy control of each body.
const CONTROL: &str = "energy.control";

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

/// The energy target of each body (J), of methods that control energy.
pub(crate) fn energy_targets(state: &State) -> Option<Vec<f64>> {
    let control = EnergyControl::recall(&state.memory)?;
    Some(control.into_iter().map(|own| own.target).collect())
}
