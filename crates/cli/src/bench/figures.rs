//! The measurements of one scene.

use resile_record::Summary;
use serde::Serialize;

/// Fractions of the time by phase; they sum to one. The denominator is the wall time or, if islands solved in parallel
/// make the sum of the phases larger, that sum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Shares {
    /// Gradients and Hessians.
    pub(crate) assembly: f64,
    /// Linear systems.
    pub(crate) linear_solve: f64,
    /// Candidates, distances, collision bounds.
    pub(crate) collision: f64,
    /// Backtracking.
    pub(crate) line_search: f64,
    /// Files: history, checkpoints, plot.
    pub(crate) output: f64,
    /// Time outside these phases.
    pub(crate) other: f64,
}

/// Measurements of the runs of a scene; each time is a median.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Figures {
    /// Name of the scene.
    pub(crate) scene: String,
    /// Steps of each run.
    pub(crate) steps: u64,
    /// Simulated time of each run (s).
    pub(crate) simulated_seconds: f64,
    /// Wall time, from the built scene to the last file (s).
    pub(crate) seconds: f64,
    /// Wall time of the fastest run (s).
    pub(crate) fastest_seconds: f64,
    /// Wall time of the slowest run (s).
    pub(crate) slowest_seconds: f64,
    /// Newton iterations of the slowest island of each step, summed over steps.
    pub(crate) newton_iterations: u64,
    /// Wall time per Newton iteration (ms); `None` without iterations.
    pub(crate) milliseconds_per_newton: Option<f64>,
    /// Iterations of the linear solver per Newton iteration of all islands; `None` without iterations.
    pub(crate) linear_per_newton: Option<f64>,
    /// Fractions of the time by phase.
    pub(crate) shares: Shares,
    /// Peak memory of the process (bytes), if the system reports it.
    pub(crate) peak_memory_bytes: Option<u64>,
}

/// The runs cannot be summarised.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum InconsistentRuns {
    /// There are no runs.
    #[error("there are no runs")]
    NoRuns,
    /// Counts differ between runs.
    #[error("its runs differ, which they must not: {what} {first} and {other}")]
    Different {
        /// The count that differs.
        what: &'static str,
        /// In the first run.
        first: u64,
        /// In another run.
        other: u64,
    },
}

impl Figures {
    /// Summarises runs of the same scene.
    ///
    /// # Errors
    /// If there are no runs, or deterministic counts differ.
    pub(crate) fn new(
        scene: impl Into<String>,
        runs: &[Summary],
    ) -> Result<Self, InconsistentRuns> {
        let first = runs.first().ok_or(InconsistentRuns::NoRuns)?;
        runs.iter().try_for_each(|run| check_consistent(first, run))?;
        let seconds: Vec<f64> = runs.iter().map(|run| run.wall_seconds).collect();
        let per_iteration = |total: f64, count: u64| (count > 0).then(|| total / count as f64);
        let counts = first.counts;
        let median_seconds = median(&seconds);
        let peak_memory: Option<Vec<f64>> =
            runs.iter().map(|run| Some(run.peak_memory_bytes? as f64)).collect();
        Ok(Self {
            scene: scene.into(),
            steps: first.steps_done,
            simulated_seconds: first.simulated_seconds,
            seconds: median_seconds,
            fastest_seconds: seconds.iter().copied().fold(f64::INFINITY, f64::min),
            slowest_seconds: seconds.iter().copied().fold(0.0, f64::max),
            newton_iterations: counts.newton_iterations,
            milliseconds_per_newton: per_iteration(1e3 * median_seconds, counts.newton_iterations),
            linear_per_newton: per_iteration(
                counts.linear_iterations as f64,
                counts.island_iterations,
            ),
            shares: shares(runs),
            peak_memory_bytes: peak_memory.map(|bytes| median(&bytes) as u64),
        })
    }
}

/// Checks that the deterministic counts of two runs are equal; the error names the first count that differs.
fn check_consistent(first: &Summary, other: &Summary) -> Result<(), InconsistentRuns> {
    let counts_of = |run: &Summary| {
        [
            ("steps", run.steps_done),
            ("Newton iterations", run.counts.newton_iterations),
            ("Newton iterations of all islands", run.counts.island_iterations),
            ("Newton iterations of some bodies alone", run.counts.part_iterations),
            ("iterations of the linear solver", run.counts.linear_iterations),
            ("projected iterations", run.counts.projected_iterations),
            ("factorisations", run.counts.direct_solves),
            ("backtracks", run.counts.backtracks),
        ]
    };
    let mut pairs = counts_of(first).into_iter().zip(counts_of(other));
    match pairs.find(|((_, first_count), (_, other_count))| first_count != other_count) {
        Some(((what, first), (_, other))) => {
            Err(InconsistentRuns::Different { what, first, other })
        }
        None => Ok(()),
    }
}

/// The median: the middle value, or the mean of the two middle values.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { 0.5 * (sorted[middle - 1] + sorted[middle]) }
}

/// Fractions of the total time of all runs; medians of the phases would not sum to one.
fn shares(runs: &[Summary]) -> Shares {
    let mut phases = resile_record::PhaseSeconds::default();
    runs.iter().for_each(|run| phases.add(&run.phase_seconds));
    let wall: f64 = runs.iter().map(|run| run.wall_seconds).sum();
    let other = phases.outside_solver(wall - phases.output);
    let total = phases.solving() + phases.output + other;
    let share = |seconds: f64| if total > 0.0 { seconds / total } else { 0.0 };
    Shares {
        assembly: share(phases.assembly),
        linear_solve: share(phases.linear_solve),
        collision: share(phases.collision),
        line_search: share(phases.line_search),
        output: share(phases.output),
        other: share(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_record::{Counts, PhaseSeconds, Status};

    fn run(wall_seconds: f64, phase: f64) -> Summary {
        Summary {
            scene: "dice".to_owned(),
            version: String::new(),
            setup: resile_record::Setup::default(),
            units: resile_math::units::Units::Metres,
            threads: 2,
            steps_done: 10,
            steps_asked: 10,
            simulated_seconds: 0.5,
            wall_seconds,
            counts: Counts {
                newton_iterations: 40,
                island_iterations: 100,
                part_iterations: 0,
                linear_iterations: 1500,
                ..Counts::default()
            },
            settled: None,
            contact_start: None,
            modes: None,
            plastic_work: None,
            energy: None,
            phase_seconds: PhaseSeconds {
                assembly: phase,
                linear_solve: 2.0 * phase,
                collision: phase,
                line_search: phase,
                output: phase,
            },
            min_distance: None,
            min_det_f: None,
            prescribed_lag: None,
            max_residual: None,
            peak_memory_bytes: Some((1e6 * wall_seconds) as u64),
            status: Status::Complete,
            reason: String::new(),
        }
    }

    #[test]
    fn median_ignores_one_slow_run() {
        let figures = |runs: &[Summary]| Figures::new("dice", runs).expect("the runs are the same");
        let three = figures(&[run(9.0, 0.5), run(4.0, 0.5), run(4.4, 0.5)]);
        assert_eq!([three.seconds, three.fastest_seconds, three.slowest_seconds], [4.4, 4.0, 9.0]);
        assert_eq!(three.milliseconds_per_newton, Some(110.0));
        assert_eq!(three.linear_per_newton, Some(15.0), "over the iterations of all islands");
        assert_eq!(three.peak_memory_bytes, Some(4_400_000));
        assert_eq!(figures(&[run(4.0, 0.5), run(5.0, 0.5)]).seconds, 4.5);
    }

    #[test]
    fn time_shares_sum_to_one_with_parallel_islands() {
        for (wall, phase, other) in [(10.0, 1.0, 0.4), (3.0, 1.0, 0.0)] {
            let Shares { assembly, linear_solve, collision, line_search, output, other: found } =
                Figures::new("dice", &[run(wall, phase)]).expect("a run").shares;
            let sum = assembly + linear_solve + collision + line_search + output + found;
            assert!((sum - 1.0).abs() < 1e-12, "{wall}: {sum}");
            assert!((found - other).abs() < 1e-12, "{wall}: {found}");
            assert!((linear_solve - 2.0 * assembly).abs() < 1e-12);
        }
    }

    #[test]
    fn differing_runs_have_no_figures() {
        let mut other = run(1.0, 0.1);
        other.counts.linear_iterations += 1;
        let refused = Figures::new("dice", &[run(1.0, 0.1), other]);
        let what = "iterations of the linear solver";
        assert_eq!(refused, Err(InconsistentRuns::Different { what, first: 1500, other: 1501 }));
        assert_eq!(Figures::new("dice", &[]), Err(InconsistentRuns::NoRuns));
    }
}
