//! EXPLICIT's benchmark of nine explicit integrators on a deformable line.
//!
//! The score of a method (the paper's Table 1) is its largest stable step over the computing time of a
//! step. A step is stable if the energy of a swaying [`helix`] after 5 s is at most twice the initial
//! one; the largest is found by bisection to one percent.
//!
//! Differences from the paper: our copy lacks its formulas, parameters and damping, and its "time"
//! includes collisions and position corrections. Explicit Euler has no stable step without damping, so
//! the paper used damping. Its largest step, a third of symplectic Euler's, corresponds to mass damping
//! of two thirds of the highest frequency, which `damped` uses. This fit uses one number of the paper;
//! the other eight are independent. Times are those of undamped steps, because with damping our
//! leapfrogs solve a small system, unlike presumably those of the paper.

use crate::drive::{NEWTON_TOLERANCE, Run, Watch};
use crate::problems::helix;
use crate::table::{Cell, Deviation, Table};
use rayon::prelude::*;
use resile_integrators::RungeKutta;
use std::time::Instant;

/// Points of the line.
const POINTS: usize = 40;

/// Results of a method in the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaperResult {
    /// Largest stable step (s).
    pub step: f64,
    /// Time (ms).
    pub time: f64,
    /// Score.
    pub score: f64,
}

/// The methods with the paper's names and results.
pub fn methods() -> Vec<(RungeKutta, &'static str, PaperResult)> {
    let named_methods: Vec<(RungeKutta, &'static str, [f64; 3])> = vec![
        (RungeKutta::forward_euler(), "Explicit Euler", [0.0098, 8.0, 1.225]),
        (RungeKutta::symplectic_euler(), "Symplectic Euler", [0.0294, 8.0, 3.675]),
        (RungeKutta::averaged_midpoint(), "Midpoint", [0.0153, 8.0, 1.9125]),
        (RungeKutta::explicit_midpoint(), "Half-Step", [0.0168, 10.0, 1.68]),
        (RungeKutta::verlet(), "Verlet", [0.023, 10.0, 2.3]),
        (RungeKutta::forest_ruth(), "Forest-Ruth", [0.021, 12.0, 1.75]),
        (RungeKutta::symplectic_midpoint(), "Symplectic Midpoint", [0.028, 8.0, 3.5]),
        (RungeKutta::runge_kutta_4(), "Runge-Kutta 4", [0.027, 14.0, 1.928]),
        (RungeKutta::modified_half_step(), "Modified Half-Step", [0.0216, 10.0, 2.16]),
    ];
    named_methods
        .into_iter()
        .map(|(method, name, [step, time, score])| {
            (method, name, PaperResult { step, time, score })
        })
        .collect()
}

/// Results of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplicitEntry {
    /// The paper's name.
    pub method: &'static str,
    /// Largest stable step (s) without damping, if it exceeds a twentieth of symplectic Euler's.
    pub undamped_step: Option<f64>,
    /// Largest stable step (s) with damping.
    pub damped_step: Option<f64>,
    /// Median computing time (s) of an undamped step.
    pub seconds: f64,
    /// The paper's results.
    pub paper: PaperResult,
}

impl ExplicitEntry {
    /// Largest stable step with damping over the computing time of a step.
    pub fn score(&self) -> f64 {
        self.damped_step.unwrap_or(0.0) / self.seconds
    }
}

/// The helix in its initial state, with mass damping (1/s).
fn new_run(damping: f64) -> Run {
    let problem = helix(POINTS);
    Run::new(if damping > 0.0 { problem.damped(damping) } else { problem }, NEWTON_TOLERANCE)
}

/// Whether the energy is at most twice the initial energy after `duration` seconds and at every fiftieth step of `h`
/// before.
fn is_stable(method: &RungeKutta, damping: f64, h: f64, duration: f64) -> bool {
    let mut run = new_run(damping);
    let limit = 2.0 * run.energy();
    let steps = (duration / h).ceil() as usize;
    for step in 1..=steps {
        if run.step(method, h).is_err() {
            return false;
        }
        if (step % 50 == 0 || step == steps) && !is_bounded(run.energy(), limit) {
            return false;
        }
    }
    true
}

/// Whether an energy is at most `limit`; false if it is NaN.
fn is_bounded(energy: f64, limit: f64) -> bool {
    energy <= limit
}

/// The largest stable step (s) in `range`, to one percent, by bisection of its logarithm; `None` if the lower end is
/// unstable.
fn largest_step(method: &RungeKutta, damping: f64, range: [f64; 2], duration: f64) -> Option<f64> {
    let [mut stable, mut upper] = range;
    if !is_stable(method, damping, stable, duration) {
        return None;
    }
    while upper / stable > 1.01 {
        let middle = (stable * upper).sqrt();
        if is_stable(method, damping, middle, duration) {
            stable = middle;
        } else {
            upper = middle;
        }
    }
    Some(stable)
}

/// Computing time (s) of a step of each method: medians of short batches. Batches of the methods alternate,
/// so that other load of the machine affects all methods equally.
fn seconds_per_step(methods: &[RungeKutta], h: f64) -> Vec<f64> {
    const BATCH: u32 = 20;
    const REPETITIONS: usize = 101;
    let mut runs: Vec<Run> = methods.iter().map(|_| new_run(0.0)).collect();
    let mut times = vec![Vec::with_capacity(REPETITIONS); methods.len()];
    for _ in 0..REPETITIONS {
        for ((method, run), times) in methods.iter().zip(&mut runs).zip(&mut times) {
            let start = Instant::now();
            let _ = run.steps(method, h, BATCH as usize);
            times.push(start.elapsed().as_secs_f64() / f64::from(BATCH));
        }
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    times.into_iter().map(median).collect()
}

/// Measures all methods over `duration` simulated seconds. Also returns the mass damping (1/s) of the damped runs.
pub fn measure(duration: f64, watch: Watch<'_>) -> (f64, Vec<ExplicitEntry>) {
    let reference_step = largest_step(&RungeKutta::symplectic_euler(), 0.0, [1e-5, 1e-1], duration);
    let reference_step = reference_step.expect("symplectic Euler has a stable step above 10 us");
    // Symplectic Euler is stable up to h = 2 / omega.
    let damping = 2.0 / 3.0 * 2.0 / reference_step;
    let range = [0.05 * reference_step, 4.0 * reference_step];
    watch("range of steps");
    let largest_steps: Vec<[Option<f64>; 2]> = methods()
        .into_par_iter()
        .with_max_len(1)
        .map(|(method, name, _)| {
            let undamped_and_damped =
                [0.0, damping].map(|rate| largest_step(&method, rate, range, duration));
            watch(name);
            undamped_and_damped
        })
        .collect();
    let integrators: Vec<RungeKutta> = methods().into_iter().map(|(method, ..)| method).collect();
    let seconds = seconds_per_step(&integrators, 1e-3 * reference_step);
    let mut entries = Vec::new();
    for (((_, method, paper), [undamped_step, damped_step]), seconds) in
        methods().into_iter().zip(largest_steps).zip(seconds)
    {
        entries.push(ExplicitEntry { method, undamped_step, damped_step, seconds, paper });
    }
    (damping, entries)
}

/// Table of the methods with ranks by score (one is best), beside the paper's results. Steps are compared relative to
/// symplectic Euler's.
pub fn table(entries: &[ExplicitEntry]) -> Table {
    let reference = entries.iter().find(|e| e.method == "Symplectic Euler");
    let reference_step = reference.and_then(|e| e.damped_step);
    let paper_reference_step = reference.map(|e| e.paper.step);
    let rank = |value: f64, score_of: &dyn Fn(&ExplicitEntry) -> f64| {
        1 + entries.iter().filter(|e| score_of(e) > value).count()
    };
    let milliseconds = |step: Option<f64>| match step {
        None => Cell::text("none"),
        Some(step) => Cell::Number(1e3 * step, 3),
    };
    let ratio = "step/symplectic Euler's";
    Table::with_rows("explicit", entries)
        .column("method", |e| e.method)
        .column("largest step, undamped (ms)", |e| milliseconds(e.undamped_step))
        .column("largest step, damped (ms)", |e| milliseconds(e.damped_step))
        .number(ratio, 2, |e| Some(e.damped_step? / reference_step?))
        .number("paper's ratio", 2, |e| Some(e.paper.step / paper_reference_step?))
        .number("time (us)", 3, |e| 1e6 * e.seconds)
        .number("score, damped", 3, ExplicitEntry::score)
        .column("rank", |e| rank(e.score(), &ExplicitEntry::score))
        .column("paper's rank", |e| rank(e.paper.score, &|e| e.paper.score))
        .compare("from paper's (%)", Deviation::Percent, ratio, "paper's ratio")
        .compare("rank difference", Deviation::Difference, "rank", "paper's rank")
        .table()
}
