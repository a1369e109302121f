//! The trace of the solver: one row per iteration.

use super::{Run, RunError};
use resile_integrators::{TracedSolve, Unknowns};
use resile_record::{Existing, TracePlot, TraceRow, TraceWriter};
use resile_scene::description::Scene;
use resile_solver::{Curvature, Cut, Iteration, Limit};
use resile_world::{TracedIsland, World};
use std::path::Path;

/// Maximum number of listed names.
const MAX_LISTED: usize = 4;

/// An open trace, and the names in its rows.
#[derive(Debug)]
pub(super) struct SolverTrace {
    writer: TraceWriter,
    /// Names of all colliders: bodies, then obstacles.
    colliders: Vec<String>,
}

impl Run {
    /// Starts the trace: each later iteration of the solver writes a row to a file at any path, and the end of the run
    /// a chart beside it. A resumed run continues an existing trace. The motion does not change, not even in the last
    /// bit.
    ///
    /// # Errors
    /// If there is a file that must not be replaced, or the file cannot be written.
    pub fn trace(&mut self, path: &Path) -> Result<(), RunError> {
        let writer =
            TraceWriter::open(path, self.options.existing, self.totals.steps, self.scene.units)?;
        let colliders = collider_names(&self.scene, &self.world);
        self.trace = Some(SolverTrace { writer, colliders });
        self.world.trace(true);
        Ok(())
    }

    /// Checks whether a trace may be written, before a run begins.
    ///
    /// # Errors
    /// If there is a file that must not be replaced.
    pub fn check_trace(path: &Path, existing: Existing) -> Result<(), RunError> {
        Ok(TraceWriter::check(path, existing)?)
    }

    /// Writes the rows of all solves since the last call, which belong to this step.
    pub(super) fn write_trace(&mut self, step: u64) -> Result<(), RunError> {
        let Some(trace) = &mut self.trace else { return Ok(()) };
        let islands = self.world.take_trace();
        let mut solve_number = 0;
        for island in &islands {
            for solve in &island.solves {
                solve_number += 1;
                trace.write_solve(step, solve_number, island, solve)?;
            }
        }
        Ok(())
    }

    /// Syncs all rows to disk.
    pub(super) fn flush_trace(&mut self) -> Result<(), RunError> {
        Ok(self.trace.as_mut().map_or(Ok(()), |trace| trace.writer.flush())?)
    }

    /// Draws the chart of the trace.
    pub(super) fn draw_trace(&mut self) -> Result<(), RunError> {
        self.flush_trace()?;
        let Some(SolverTrace { writer, .. }) = &self.trace else { return Ok(()) };
        let name = self.scene.name.as_ref().unwrap_or(&self.options.name);
        if let Some(plot) = TracePlot::of_trace(writer.path(), name)? {
            plot.write(&writer.chart())?;
        }
        Ok(())
    }
}

impl SolverTrace {
    /// Writes a row for each iteration of the `solve_number`-th solve in a step.
    fn write_solve(
        &mut self,
        step: u64,
        solve_number: usize,
        island: &TracedIsland,
        solve: &TracedSolve,
    ) -> Result<(), RunError> {
        let Self { writer, colliders } = self;
        let name =
            |body: usize| island.world_index(body).map_or("", |body_index| &*colliders[body_index]);
        let count = solve.iterations.len();
        for (k, iteration) in (1..).zip(&solve.iterations) {
            let limit = iteration.limit.as_ref().map(|limit| limit_text(limit, colliders, name));
            writer.write(&TraceRow {
                step,
                solve: solve_number,
                ending: if k == count { solve.ending.name() } else { "" },
                kept: island.kept,
                bodies: island.bodies.len(),
                island: &colliders[island.bodies[0]],
                part: &join_names(iteration.part.iter().map(|&body| name(body))),
                limit: limit.as_deref().unwrap_or(""),
                ..iteration_row(solve, iteration)
            })?;
        }
        Ok(())
    }
}

/// The row of an iteration in SI units, without its step, the number and ending of its solve, and names of bodies.
fn iteration_row(solve: &TracedSolve, iteration: &Iteration) -> TraceRow<'static> {
    let (energy_unit, force_unit) = (solve.energy_unit(), solve.force_unit());
    let Iteration { outcome, curvature, .. } = iteration;
    TraceRow {
        step: 0,
        time: solve.time,
        h: solve.step,
        solve: 0,
        unknowns: match solve.unknowns {
            Unknowns::Positions => "positions",
            Unknowns::Velocities => "velocities",
        },
        iteration: iteration.number,
        energy: energy_unit * iteration.value,
        predicted: energy_unit * outcome.predicted,
        actual: energy_unit * outcome.actual,
        gradient: force_unit * iteration.gradient,
        gradient_after: iteration.gradient_left.map(|gradient| force_unit * gradient),
        newton_step: solve.velocity_unit() * iteration.step,
        bound: outcome.bound,
        fraction: outcome.fraction,
        cut: cut_reason(outcome.cut, iteration.limit.as_ref()),
        matrix: curvature.map_or("", Curvature::name),
        reused: is_reused(iteration),
        factorisations: iteration.factorisations,
        linear: iteration.linear,
        backtracks: iteration.backtracks,
        ending: "",
        kept: false,
        bodies: 0,
        island: "",
        part: "",
        limit: "",
    }
}

/// Describes the cause of a step bound.
fn limit_text<'a>(limit: &Limit, colliders: &[String], name: impl Fn(usize) -> &'a str) -> String {
    match limit {
        Limit::Impact { colliders: [a, b] } => format!("{} and {}", colliders[*a], colliders[*b]),
        Limit::Term { body, term } => format!("{term} of {}", name(*body)),
    }
}

/// Names of all colliders: bodies, then obstacles.
pub(super) fn collider_names(scene: &Scene, world: &World) -> Vec<String> {
    let bodies = (0..world.body_count()).map(|b| world.name(b).to_owned());
    bodies.chain(scene.obstacles.iter().map(|obstacle| obstacle.name().to_owned())).collect()
}

/// The name of the reason why a Newton step was shortened.
fn cut_reason(cut: Cut, limit: Option<&Limit>) -> &'static str {
    match (cut, limit) {
        (Cut::Bound, Some(Limit::Impact { .. })) => "impact",
        (Cut::Bound, Some(Limit::Term { .. })) => "element",
        (cut, _) => cut.name(),
    }
}

/// Whether an iteration reused a factorisation or preconditioner.
fn is_reused(iteration: &Iteration) -> bool {
    match iteration.curvature {
        Some(Curvature::Kept) => true,
        Some(Curvature::Constant) => iteration.factorisations == 0,
        _ => false,
    }
}

/// The first names, and the number of further ones.
fn join_names<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    let first: Vec<&str> = names.clone().take(MAX_LISTED).collect();
    match names.count().saturating_sub(MAX_LISTED) {
        0 => first.join("; "),
        more => format!("{}; and {more} more", first.join("; ")),
    }
}
