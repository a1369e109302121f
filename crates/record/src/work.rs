//! What was done, counted and timed: by a step, or by a run.

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
    /// Backtracking.
    pub line_search: f64,
    /// Files.
    pub output: f64,
}

impl PhaseSeconds {
    /// The phases of the solver, which islands that are solved side by side go through at
    /// the same time: their sum may exceed the wall time.
    pub fn solving(&self) -> f64 {
        self.assembly + self.linear_solve + self.collision + self.line_search
    }

    /// What of `seconds` of wall time no phase of the solver accounts for: looking for
    /// islands, observing the state, attempts that failed. Zero where islands were solved
    /// side by side and their phases add up to more.
    pub fn rest_of(&self, seconds: f64) -> f64 {
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

/// What the solver did; the names are keys of `summary.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Newton iterations of the island that needed most in its step, summed over steps:
    /// islands are solved side by side.
    pub newton_iterations: u64,
    /// Newton iterations of all islands. All counts below are sums over islands as well,
    /// so this is what to divide them by.
    pub island_iterations: u64,
    /// Newton iterations of all islands over some of their bodies alone, those that would hold up the others.
    pub part_iterations: u64,
    /// Iterations of the linear solver.
    pub linear_iterations: u64,
    /// Newton iterations of all islands, and over some of their bodies, that used a projected Hessian.
    pub projected_iterations: u64,
    /// Linear systems solved by factorisation.
    pub direct_solves: u64,
    /// Solves that ended after the number of iterations that the scene gives them, without
    /// having met the tolerance.
    #[serde(default)]
    pub unconverged_solves: u64,
    /// Halvings in line searches.
    pub backtracks: u64,
    /// The most islands that a step had.
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
