//! `summary.json`: key figures of a run.

use super::atomic::MAX_NOTE_BYTES;
use super::{Counts, OutputError, PhaseSeconds, io, write_atomically};
use resile_math::units::Units;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All steps were taken.
    Complete,
    /// Stopped externally; can be resumed.
    Interrupted,
    /// Ended by an error.
    Failed,
}

/// Certificate of the static equilibrium at the start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// Steps of settling.
    pub steps: u64,
    /// Newton iterations of these steps.
    pub newton_iterations: u64,
    /// Speed (m/s) of the fastest node, below the slip speed of static friction.
    pub residual_speed: f64,
    /// Largest change of a node's velocity between the last two steps (m/s).
    pub residual_change: f64,
    /// Smallest distance between surfaces (m).
    pub smallest_distance: Option<f64>,
    /// Largest displacement (m) of a node from its position in the scene.
    pub moved: f64,
}

/// The state of a body about which natural modes were computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModesState {
    /// Name of the body.
    pub body: String,
    /// Number of computed modes in which the state is unstable.
    pub unstable_modes: usize,
    /// Largest net force on a node (N), zero in equilibrium; `None` if bodies touch with friction.
    pub residual_force: Option<f64>,
    /// Largest sum of the magnitudes of the forces on a node (N).
    pub largest_force: Option<f64>,
}

impl ModesState {
    /// The residual relative to the largest force: about zero in equilibrium, 1 if loads are not balanced.
    pub fn relative_residual(&self) -> Option<f64> {
        let (residual, largest) = (self.residual_force?, self.largest_force?);
        Some(if residual == 0.0 { 0.0 } else { residual / largest })
    }
}

/// Setup of the run, so that a summary alone gives a row of a table of many runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// Commit that the program was built from, if known.
    pub commit: Option<String>,
    /// Arguments of `--set`, in order.
    pub set: Vec<String>,
    /// Integrator with its parameters, as in a scene.
    pub integrator: String,
    /// Time step (s).
    pub step: f64,
}

/// Energy balance of a run (J); `None` for values that are not finite. The energy error of the integrator is
/// `end - start - work + heat`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyAccount {
    /// Kinetic and potential energy at the start.
    pub start: Option<f64>,
    /// Kinetic and potential energy after the last step.
    pub end: Option<f64>,
    /// Kinetic energy after the last step.
    pub kinetic: Option<f64>,
    /// Potentials after the last step, by kind of term.
    pub potential: BTreeMap<String, Option<f64>>,
    /// Work of prescribed motion.
    pub work: Option<f64>,
    /// Heat.
    pub heat: Heat,
    /// The largest error of the integrator after any step, `total - start - work + heat + rest loss`; zero if it only
    /// lost energy.
    #[serde(default)]
    pub gained: Option<f64>,
    /// The largest kinetic energy after any step.
    #[serde(default)]
    pub largest_kinetic: Option<f64>,
    /// Energy above the target of the integrator at all of the last tenth of the steps; zero if the target was reached or
    /// the energy does not decrease there, as in flight; missing without a target.
    #[serde(default)]
    pub above_target: Option<f64>,
    /// Energy below which differences are not determined: the accuracy of the solver and of the energies that are summed.
    #[serde(default)]
    pub resolution: Option<f64>,
}

impl EnergyAccount {
    /// The energy that the integrator [added](Self::gained), relative to the energy that was exchanged: the largest
    /// kinetic energy, the work and the heat. `None` if it is not above the [resolution](Self::resolution), or a number is
    /// missing.
    pub fn relative_gain(&self) -> Option<f64> {
        let exchanged = self.largest_kinetic? + self.work?.abs() + self.heat.total()?.abs();
        self.gained.filter(|gained| self.is_resolved(*gained)).map(|gained| gained / exchanged)
    }

    /// The energy [above the target](Self::above_target), relative to the largest kinetic energy. `None` if it is not above
    /// the [resolution](Self::resolution), or a number is missing.
    pub fn relative_excess(&self) -> Option<f64> {
        let excess = self.above_target.filter(|excess| self.is_resolved(*excess))?;
        Some(excess / self.largest_kinetic?)
    }

    /// Whether an energy (J) is above the resolution.
    fn is_resolved(&self, energy: f64) -> bool {
        energy > self.resolution.unwrap_or(0.0)
    }
}

/// Heat of a run (J) by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    /// Friction.
    pub friction: Option<f64>,
    /// Damping of bodies.
    pub damping: Option<f64>,
    /// Plastic flow.
    pub plastic_flow: Option<f64>,
    /// Contact damping.
    #[serde(default)]
    pub contact_damping: Option<f64>,
    /// Impacts with a coefficient of restitution.
    pub contact: Option<f64>,
}

impl Heat {
    /// The heat (J) of all causes; `None` if one is missing.
    pub fn total(&self) -> Option<f64> {
        let Self { friction, damping, plastic_flow, contact_damping, contact } = *self;
        [friction, damping, plastic_flow, contact_damping.or(Some(0.0)), contact].into_iter().sum()
    }
}

/// Prescribed nodes that were blocked and stayed away from their targets, within `solver.dirichlet_tolerance`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PrescribedLag {
    /// Number of steps at whose end a prescribed node was not at its target.
    pub steps: u64,
    /// Largest distance of a prescribed node from its target at the end of a step (m).
    pub largest: f64,
}

impl PrescribedLag {
    /// The figures after a step with this `lag` (m); `None` if no node has lagged so far.
    pub fn after_step(earlier: Option<Self>, lag: f64) -> Option<Self> {
        if lag == 0.0 {
            return earlier;
        }
        let Self { steps, largest } = earlier.unwrap_or(Self { steps: 0, largest: 0.0 });
        Some(Self { steps: steps + 1, largest: largest.max(lag) })
    }
}

/// Key figures of a run; field names are the keys of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of the scene.
    pub scene: String,
    /// Version of the program.
    pub version: String,
    /// Setup of the run.
    #[serde(flatten)]
    pub setup: Setup,
    /// Units of the numbers in the file. Here they are in SI.
    #[serde(default, skip_serializing_if = "Units::is_si")]
    pub units: Units,
    /// Threads used.
    pub threads: usize,
    /// Steps taken.
    pub steps_done: u64,
    /// Requested number of steps.
    pub steps_asked: u64,
    /// Time reached (s).
    pub simulated_seconds: f64,
    /// Wall-clock time, including that of the runs it resumed (s).
    pub wall_seconds: f64,
    /// Counters of the solver.
    #[serde(flatten)]
    pub counts: Counts,
    /// Wall time by phase; the solver's phases are summed over islands.
    pub phase_seconds: PhaseSeconds,
    /// Outcome of settling before the first step, if the scene requests it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// Outcome of balancing contact before the first step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact_start: Option<Settled>,
    /// The states about which natural modes were computed, by body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modes: Option<Vec<ModesState>>,
    /// Work of plastic flow (J), if any material yielded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plastic_work: Option<f64>,
    /// Energy balance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyAccount>,
    /// Smallest distance between surfaces in the whole run (m).
    pub min_distance: Option<f64>,
    /// Smallest determinant of a deformation gradient in the whole run.
    pub min_det_f: Option<f64>,
    /// Blocked prescribed nodes that stayed away from their targets, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prescribed_lag: Option<PrescribedLag>,
    /// Largest residual of a step (m/s); `None` if no step was taken.
    pub max_residual: Option<f64>,
    /// Peak memory use (bytes), if the system reports it.
    pub peak_memory_bytes: Option<u64>,
    /// Outcome of the run.
    pub status: Status,
    /// Reason of the status; empty for a complete run.
    pub reason: String,
}

impl Summary {
    /// Writes the file atomically.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        let units = self.units;
        let converted = self.converted(|value, unit| units.number(value, unit));
        let mut text = serde_json::to_string_pretty(&converted).expect("plain data is always JSON");
        text.push('\n');
        write_atomically(path, text.as_bytes())
    }

    /// Reads the file back.
    ///
    /// # Errors
    /// If it cannot be read, or was not written by [`Summary::write`].
    pub fn read(path: &Path) -> Result<Self, OutputError> {
        let text = resile_files::read_text(path, MAX_NOTE_BYTES).map_err(io("read", path))?;
        let stored: Self = serde_json::from_str(&text)
            .map_err(|error| io("understand", path)(std::io::Error::other(error)))?;
        let units = stored.units;
        Ok(stored.converted(|value, unit| units.in_si(value, unit)))
    }

    /// A copy with every number that has a dimension converted by `convert`, whose second argument is its SI unit.
    fn converted(&self, convert: impl Fn(f64, &str) -> f64) -> Self {
        let convert_option =
            |value: Option<f64>, unit: &str| value.map(|value| convert(value, unit));
        let convert_settled = |from: &Settled| Settled {
            steps: from.steps,
            newton_iterations: from.newton_iterations,
            residual_speed: convert(from.residual_speed, "m/s"),
            residual_change: convert(from.residual_change, "m/s"),
            smallest_distance: convert_option(from.smallest_distance, "m"),
            moved: convert(from.moved, "m"),
        };
        let convert_state = |from: &ModesState| ModesState {
            residual_force: convert_option(from.residual_force, "N"),
            largest_force: convert_option(from.largest_force, "N"),
            ..from.clone()
        };
        let convert_energies = |from: &BTreeMap<String, Option<f64>>| {
            from.iter().map(|(name, value)| (name.clone(), convert_option(*value, "J"))).collect()
        };
        let convert_energy = |from: &EnergyAccount| EnergyAccount {
            start: convert_option(from.start, "J"),
            end: convert_option(from.end, "J"),
            kinetic: convert_option(from.kinetic, "J"),
            potential: convert_energies(&from.potential),
            work: convert_option(from.work, "J"),
            heat: Heat {
                friction: convert_option(from.heat.friction, "J"),
                damping: convert_option(from.heat.damping, "J"),
                plastic_flow: convert_option(from.heat.plastic_flow, "J"),
                contact_damping: convert_option(from.heat.contact_damping, "J"),
                contact: convert_option(from.heat.contact, "J"),
            },
            gained: convert_option(from.gained, "J"),
            largest_kinetic: convert_option(from.largest_kinetic, "J"),
            above_target: convert_option(from.above_target, "J"),
            resolution: convert_option(from.resolution, "J"),
        };
        Self {
            settled: self.settled.as_ref().map(convert_settled),
            contact_start: self.contact_start.as_ref().map(convert_settled),
            modes: self.modes.as_ref().map(|states| states.iter().map(convert_state).collect()),
            plastic_work: convert_option(self.plastic_work, "J"),
            energy: self.energy.as_ref().map(convert_energy),
            min_distance: convert_option(self.min_distance, "m"),
            prescribed_lag: self
                .prescribed_lag
                .map(|lag| PrescribedLag { largest: convert(lag.largest, "m"), ..lag }),
            max_residual: convert_option(self.max_residual, "m/s"),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_below_the_resolution_are_none() {
        let account = |gained, resolution| EnergyAccount {
            gained: Some(gained),
            above_target: Some(gained),
            largest_kinetic: Some(1e-22),
            work: Some(0.0),
            heat: Heat {
                friction: Some(0.0),
                damping: Some(0.0),
                plastic_flow: Some(0.0),
                contact_damping: None,
                contact: Some(0.0),
            },
            resolution,
            ..EnergyAccount::default()
        };
        // A cube at rest of 0.5 J.
        let at_rest = account(4e-12, Some(5e-10));
        assert_eq!((at_rest.relative_gain(), at_rest.relative_excess()), (None, None));
        for resolution in [Some(1e-12), None] {
            let moving = account(4e-12, resolution);
            assert_eq!(moving.relative_gain(), Some(4e-12 / 1e-22));
            assert_eq!(moving.relative_excess(), Some(4e-12 / 1e-22));
        }
    }

    #[test]
    fn the_file_has_the_keys_that_tools_rely_on() {
        let summary = Summary {
            scene: "dice".to_owned(),
            version: "0.1.0".to_owned(),
            setup: Setup {
                commit: Some("0123456789ab".to_owned()),
                set: vec!["bodies.die.friction=0.4".to_owned()],
                integrator: "Bdf2".to_owned(),
                step: 0.01,
            },
            units: Units::Metres,
            threads: 2,
            steps_done: 720,
            steps_asked: 720,
            simulated_seconds: 6.0,
            wall_seconds: 100.5,
            counts: Counts {
                newton_iterations: 4000,
                island_iterations: 5000,
                part_iterations: 600,
                linear_iterations: 90_000,
                projected_iterations: 70,
                direct_solves: 8,
                unconverged_solves: 0,
                backtracks: 300,
                most_islands: 8,
                largest_island: 3,
            },
            phase_seconds: PhaseSeconds::default(),
            settled: None,
            contact_start: None,
            modes: None,
            plastic_work: None,
            energy: Some(EnergyAccount {
                start: Some(2.0),
                end: None,
                kinetic: Some(0.5),
                potential: BTreeMap::from([("gravity".to_owned(), Some(0.25))]),
                work: Some(0.0),
                heat: Heat {
                    friction: Some(1.0),
                    damping: Some(0.25),
                    plastic_flow: Some(0.0),
                    contact_damping: Some(0.125),
                    contact: Some(0.0),
                },
                gained: Some(0.0),
                largest_kinetic: Some(1.5),
                above_target: Some(0.0),
                resolution: Some(1e-9),
            }),
            min_distance: Some(1e-5),
            min_det_f: None,
            prescribed_lag: Some(PrescribedLag { steps: 3, largest: 2e-4 }),
            max_residual: Some(0.0099),
            peak_memory_bytes: None,
            status: Status::Complete,
            reason: String::new(),
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("summary.json");
        summary.write(&path).expect("the folder can be written");
        assert_eq!(Summary::read(&path).expect("it was written"), summary);
        let text = std::fs::read_to_string(&path).expect("it was written");
        insta::assert_snapshot!(text);
    }
}
