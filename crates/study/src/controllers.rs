//! Control rules for alpha: the paper's rule and gentler ones.
//!
//! The energy of a symplectic step oscillates about its mean by `h/2 grad P . v`. The paper's rule
//! removes the peaks immediately but cannot refill the troughs, so poorly resolved vibrations lose
//! energy; the filtered rule controls the mean. The study measures the [`Bar`] for 5 s, in free
//! vibration and thrown against the wall: the mean energy of the last second over the target, its
//! standard deviation, and the amplitude of oscillation at the step frequency,
//! `rms(H_n+1 - 2 H_n + H_n-1) / 4`.

use crate::drive::{NEWTON_TOLERANCE, Run, StudyError};
use crate::problems::{Bar, Problem};
use crate::table::{Deviation, Table};
use rayon::prelude::*;
use resile_integrators::{A1, ASearch, AlphaRule, Control, Integrator};

/// Simulated seconds.
const DURATION: usize = 5;

/// The motion of a bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motion {
    /// Free vibration in its first mode; the initial speed of the ends is this fraction of the speed of sound.
    Free(f64),
    /// Collision with the wall at 1 m/s from this distance (m).
    Collision(f64),
}

/// A bar and its time step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ControllerCase {
    /// Its motion.
    pub motion: Motion,
    /// Speed of sound (m/s).
    pub sound_speed: f64,
    /// Steps a second.
    pub resolution: usize,
}

impl ControllerCase {
    /// The bar in its initial state.
    fn problem(self) -> Problem {
        let bar = Bar { sound_speed: self.sound_speed };
        match self.motion {
            Motion::Free(fraction) => bar.vibrating(fraction * self.sound_speed),
            Motion::Collision(gap) => bar.incoming(gap),
        }
    }

    /// The name in tables.
    fn name(self) -> String {
        match self.motion {
            Motion::Free(fraction) => format!("free, {fraction} c"),
            Motion::Collision(gap) => format!("collision, gap {gap} m"),
        }
    }
}

/// A named control rule.
pub struct Rule {
    /// Its name in tables.
    pub name: &'static str,
    method: Box<dyn Integrator>,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A rule from its name and its method.
fn rule(name: &'static str, method: impl Integrator + 'static) -> Rule {
    Rule { name, method: Box::new(method) }
}

/// A-search with the limits of the paper replaced.
fn limited_search(limits: [f64; 2]) -> ASearch {
    ASearch { rule: AlphaRule { limits, ..AlphaRule::default() }, ..ASearch::of_paper() }
}

/// The paper's A-search with another control rule.
fn controlled_search(control: Control) -> ASearch {
    ASearch { rule: AlphaRule { control, ..AlphaRule::default() }, ..ASearch::of_paper() }
}

/// The rules that are compared: A-1, A-search, sparse, filtered.
pub fn rules() -> Vec<Rule> {
    vec![
        rule("A-1", A1),
        rule("A-search", ASearch::of_paper()),
        rule("sparse", controlled_search(Control::Sparse { dead_band: 1e-9 })),
        rule("filtered", controlled_search(Control::FILTERED)),
    ]
}

/// The rules of ASEARCH's ablation (its section on high-frequency noise, figure 19).
pub fn ablation_rules() -> Vec<Rule> {
    let mut all_rules = rules();
    all_rules.push(rule("alpha_min 0.9", limited_search([0.9, 1.1])));
    all_rules.push(rule("alpha_max 2", limited_search([0.0, 2.0])));
    all_rules
}

/// Row of the table "A gentler controller" of `docs/methods.md`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceRow {
    /// Whether the bar vibrates freely; otherwise it collides.
    pub is_free: bool,
    /// Speed of sound (m/s).
    pub sound_speed: f64,
    /// Steps per second.
    pub resolution: usize,
    /// Mean energy over the target, in the last row the velocity (m/s), for A-1, A-search, sparse, filtered.
    pub values: [f64; 4],
}

/// A row of [`REFERENCE_VALUES`].
const fn reference(
    is_free: bool,
    sound_speed: f64,
    resolution: usize,
    values: [f64; 4],
) -> ReferenceRow {
    ReferenceRow { is_free, sound_speed, resolution, values }
}

/// The table "A gentler controller" of `docs/methods.md`. In free vibrations the filtered rule controls the mean
/// itself: the subtracted term has zero mean in linear modes, see [`Control::Filtered`].
pub const REFERENCE_VALUES: [ReferenceRow; 8] = [
    reference(true, 1.0, 30, [0.997, 0.957, 0.957, 1.000]),
    reference(true, 10.0, 30, [0.850, 0.720, 1.038, 1.000]),
    reference(true, 10.0, 300, [0.998, 0.961, 1.007, 1.000]),
    reference(true, 100.0, 300, [0.851, 1.000, 1.035, 1.000]),
    reference(false, 1.0, 30, [0.960, 0.988, 0.997, 1.002]),
    reference(false, 10.0, 30, [0.850, 0.934, 0.976, 1.004]),
    reference(false, 10.0, 300, [0.990, 1.000, 1.000, 1.000]),
    reference(false, 100.0, 30, [0.977, 1.000, 1.000, 1.005]),
];

/// Results of a rule in a case.
#[derive(Debug, Clone, PartialEq)]
pub struct ControllerEntry {
    /// The case.
    pub case: ControllerCase,
    /// The rule.
    pub rule: &'static str,
    /// Mean energy of the last second over the target.
    pub mean: f64,
    /// Standard deviation of the energy in the last second, over the target.
    pub swing: f64,
    /// Amplitude at the step frequency over the target.
    pub noise: f64,
    /// Largest energy of the run over the target.
    pub peak: f64,
    /// Velocity of the centre of mass at the end (m/s).
    pub velocity: f64,
    /// The reference value of `docs/methods.md`: the mean, or in the last row the velocity.
    pub reference: Option<f64>,
}

impl ControllerEntry {
    /// The measured value that corresponds to `reference`.
    pub fn compared_value(&self) -> f64 {
        match (self.case.motion, self.case.sound_speed) {
            (Motion::Collision(_), 100.0) => self.velocity,
            _ => self.mean,
        }
    }
}

/// The value of [`REFERENCE_VALUES`] for a case and a rule, if there is one.
fn reference_value(case: ControllerCase, rule: &str) -> Option<f64> {
    let column = ["A-1", "A-search", "sparse", "filtered"].iter().position(|r| *r == rule)?;
    let is_free = matches!(case.motion, Motion::Free(_));
    let is_of_case = |row: &&ReferenceRow| {
        (row.is_free, row.sound_speed, row.resolution)
            == (is_free, case.sound_speed, case.resolution)
    };
    Some(REFERENCE_VALUES.iter().find(is_of_case)?.values[column])
}

/// Runs a case with a rule, and measures the energies of the last second relative to the target, which is the initial
/// energy.
fn run_case(case: ControllerCase, rule: &Rule) -> Result<ControllerEntry, StudyError> {
    let mut run = Run::new(case.problem(), NEWTON_TOLERANCE);
    let (target, h) = (run.energy(), 1.0 / case.resolution as f64);
    let mut energies = Vec::with_capacity(DURATION * case.resolution);
    for _ in 0..DURATION * case.resolution {
        let description = || format!("{} on {case:?}", rule.name);
        run.step(&*rule.method, h)
            .map_err(|cause| StudyError::Run { what: description(), cause })?;
        energies.push(run.energy() / target);
    }
    let last_second = &energies[energies.len() - case.resolution..];
    let mean_of =
        |values: &mut dyn Iterator<Item = f64>, count: usize| values.sum::<f64>() / count as f64;
    let mean = mean_of(&mut last_second.iter().copied(), last_second.len());
    let variance =
        mean_of(&mut last_second.iter().map(|e| (e - mean) * (e - mean)), last_second.len());
    // An oscillation at the step frequency, a (-1)^n, has the second differences 4 a.
    let mut second_differences = last_second.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).powi(2));
    let noise = mean_of(&mut second_differences, last_second.len() - 2).sqrt() / 4.0;
    Ok(ControllerEntry {
        case,
        rule: rule.name,
        mean,
        swing: variance.sqrt(),
        noise,
        peak: energies.iter().copied().fold(1.0, f64::max),
        velocity: Bar::mean_velocity(&run.state.velocities),
        reference: reference_value(case, rule.name),
    })
}

/// Runs every case with every rule, case by case.
fn measure(cases: &[ControllerCase], rules: &[Rule]) -> Result<Vec<ControllerEntry>, StudyError> {
    let pairs: Vec<(ControllerCase, &Rule)> =
        cases.iter().flat_map(|case| rules.iter().map(move |rule| (*case, rule))).collect();
    pairs.into_par_iter().with_max_len(1).map(|(case, rule)| run_case(case, rule)).collect()
}

/// Runs the cases of [`REFERENCE_VALUES`] with all rules: free vibrations with these initial speeds (fractions of the
/// speed of sound), and collisions from these distances (m).
///
/// # Errors
/// If a step fails.
pub fn compare(amplitudes: &[f64], gaps: &[f64]) -> Result<Vec<ControllerEntry>, StudyError> {
    let mut cases = Vec::new();
    for ReferenceRow { is_free, sound_speed, resolution, .. } in REFERENCE_VALUES {
        let motions: Vec<Motion> = match is_free {
            true => amplitudes.iter().map(|fraction| Motion::Free(*fraction)).collect(),
            false => gaps.iter().map(|gap| Motion::Collision(*gap)).collect(),
        };
        cases.extend(motions.iter().map(|&motion| ControllerCase {
            motion,
            sound_speed,
            resolution,
        }));
    }
    measure(&cases, &rules())
}

/// Runs the collision of the medium bar with all rules of the ablation, at these resolutions (steps per second).
///
/// # Errors
/// If a step fails.
pub fn ablation(resolutions: &[usize]) -> Result<Vec<ControllerEntry>, StudyError> {
    let case = |&resolution| ControllerCase {
        motion: Motion::Collision(0.1),
        sound_speed: 10.0,
        resolution,
    };
    let cases: Vec<ControllerCase> = resolutions.iter().map(case).collect();
    measure(&cases, &ablation_rules())
}

/// The table `name` with one row per case and rule.
pub fn table(name: &str, entries: &[ControllerEntry]) -> Table {
    let velocity =
        |e: &ControllerEntry| matches!(e.case.motion, Motion::Collision(_)).then_some(e.velocity);
    Table::with_rows(name, entries)
        .column("case", |e| e.case.name())
        .number("c (m/s)", 3, |e| e.case.sound_speed)
        .column("steps/s", |e| e.case.resolution)
        .column("rule", |e| e.rule)
        .number("mean energy/target", 4, |e| e.mean)
        .number("reference", 4, |e| e.reference)
        .column("within 0.01", |e| Some((e.compared_value() - e.reference?).abs() <= 0.01))
        .number("swing", 2, |e| e.swing)
        .number("noise", 2, |e| e.noise)
        .number("peak energy/target", 4, |e| e.peak)
        .number("velocity (m/s)", 4, velocity)
        .compare("from reference (%)", Deviation::Percent, "mean energy/target", "reference")
        .table()
}
