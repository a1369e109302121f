//! Counters and times of a step or a run.

use serde::{Deserialize, Serialize};

/// Wall time by phase (s).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct PhaseSeconds {
    /// Gradients and Hessians.
    pub assembly: f64,
    /// Linear systems.
    pub linear_solve: f64,
    /// Candidates, distances, collision bounds.
    pub collision: f64,
    /// Line search.
    pub line_search: f64,
    /// File output.
    pub output: f64,
}

impl PhaseSeconds {
    /// Total time of the solver's phases. Islands are solved in parallel, so it may exceed the wall-clock
    /// time.
    pub fn solving(&self) -> f64 {
        self.assembly + self.linear_solve + self.collision + self.line_search
    }

    /// The part of a wall-clock time (s) outside of the solver's phases: island detection, observation of the state,
    /// failed attempts. Zero if the phases of parallel islands add up to more than that time.
    pub fn outside_solver(&self, seconds: f64) -> f64 {
        (seconds - self.solving()).max(0.0)
    }

    /// Adds the times of another step.
    pub fn add(&mut self, other: &Self) {
        self.assembly += other.assembly;
        self.linear_solve += other.linear_solve;
        self.collision += other.collision;
        self.line_search += other.line_search;
        self.output += other.output;
    }
}

/// Counters of the solver; field names are keys of `summary.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Newton iterations of the slowest island of each step, summed over steps: islands are solved in
    /// parallel.
    pub newton_iterations: u64,
    /// Newton iterations of all islands: the divisor for the counts below, which are sums over islands as
    /// well.
    pub island_iterations: u64,
    /// Newton iterations of all islands over a subset of their bodies (nonlinear elimination).
    pub part_iterations: u64,
    /// Iterations of the linear solver.
    pub linear_iterations: u64,
    /// Newton iterations, including those over subsets of bodies, with a projected Hessian.
    pub projected_iterations: u64,
    /// Linear systems solved by factorisation.
    pub direct_solves: u64,
    /// Linear solves that reached the iteration limit of the scene before the tolerance.
    #[serde(default)]
    pub unconverged_solves: u64,
    /// Halvings in line searches.
    pub backtracks: u64,
    /// Largest number of islands in a step.
    pub most_islands: u64,
    /// Bodies of the largest island of any step.
    pub largest_island: u64,
}

impl Counts {
    /// Adds another step.
    pub fn add(&mut self, step: &Self) {
        self.newton_iterations += step.newton_iterations;
        self.island_iterations += step.island_iterations;
        self.part_iterations += step.part_iterations;
        self.linear_iterations += step.linear_iterations;
        self.projected_iterations += step.projected_iterations;
        self.direct_solves += step.direct_solves;
        self.unconverged_solves += step.unconverged_solves;
        self.backtracks += step.backtracks;
        self.most_islands = self.most_islands.max(step.most_islands);
        self.largest_island = self.largest_island.max(step.largest_island);
    }
}
