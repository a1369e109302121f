//! Friction under the normal forces of the end of a step.
//!
//! Friction is lagged: its normal forces are constant during a solve. The normal forces at the start of the step are
//! wrong for new and opening contacts and during impacts. The stage is therefore solved again with the normal forces
//! at its own solution, or at the point where it evaluates forces,
//!
//! ```text
//! x_k+1 = argmin_u 1/2 |u - y|_m^2 + w P(u) + c D(v(u); lambda(x_k), T(x_k)),
//! ```
//!
//! a fixed point (Li et al. 2020, *Incremental Potential Contact*, section 5.3), until the friction on each body
//! changes by at most a hundredth. If a body slides steadily, so that the first solution is the last one, and the forces
//! there do not balance well enough for the normal force that limits its friction, the stage is solved once more from there.

use crate::error::StepError;
use crate::stage::{Lag, Stage};
use crate::step::Step;
use crate::step::objective::{StageObjective, evaluation_point};
use resile_math::Vec3;
use resile_system::Links;
use std::borrow::Cow;

/// The relative change of the friction on a body from one round to the next at which the fixed point is reached. A
/// criterion in units of velocity permits an error of `tolerance / h` in acceleration, which at short steps is a large
/// fraction of gravity. With 1 % the dice take 2 % fewer Newton iterations in their first second than with that
/// criterion, and `cloth-on-ball` 12 % fewer in 0.3 s; 10 % differs little.
const FIXED_POINT_TOLERANCE: f64 = 0.01;

/// Largest sum of the forces that may remain on a sliding body, relative to the limits of friction of its slipping pairs.
/// Friction is then in error by at most the coefficient of friction times this fraction. A solve ends by the length of its
/// last step, a velocity. On a stiff barrier a position of this accuracy leaves a normal force that is wrong by percents,
/// and always too large, because the force of a barrier is convex and Newton's method approaches from nearer positions.
const SLIDING_RESIDUAL: f64 = 0.01;

/// A solution that is consistent with the friction at its end.
pub(crate) struct FrictionFixedPoint {
    pub(crate) positions: Vec<Vec3>,
    /// Whether friction acts at either end of the step.
    pub(crate) has_friction: bool,
    /// The stage of this solution. Its friction is lagged at the end, or at the end of the round before if there is no contact
    /// at this one, and acts at the velocities of the end.
    pub(crate) stage: Stage,
    /// The groups of bodies that exchange the friction of the last solve; none if it is that of the start. If bodies lost
    /// contact in this solve, they exchange no other force.
    pub(crate) groups: Vec<Vec<usize>>,
}

/// The positions at which the forces of a `stage` with one potential term act for the unknown `x`.
fn force_positions<'x>(stage: &Stage, x: &'x [Vec3]) -> Cow<'x, [Vec3]> {
    evaluation_point(&stage.terms[0], x)
}

impl Step<'_> {
    /// Solves `stage` from `start` repeatedly with friction lagged at its own solution, until friction on no body changes
    /// by more than [`FIXED_POINT_TOLERANCE`] or the maximum number of rounds is reached. Friction lagged at the end acts
    /// at the velocities of `lag`.
    ///
    /// `replaced` is called with each solution, at which the system is prepared. If it returns a stage and the velocities of
    /// friction lagged at the end, these replace the former ones, and the stage is solved from that solution.
    ///
    /// # Errors
    /// If a solve fails.
    pub(crate) fn iterate_friction(
        &mut self,
        mut stage: Stage,
        mut lag: Lag,
        start: &[Vec3],
        mut replaced: impl FnMut(&mut Self, &[Vec3]) -> Option<(Stage, Lag)>,
    ) -> Result<FrictionFixedPoint, StepError> {
        let mut groups = Vec::new();
        let mut is_lagged_at_end = false;
        let mut x = self.solve(&stage, start)?;
        for round in 0.. {
            let replacement = replaced(self, &x);
            let is_solved = replacement.is_none();
            (stage, lag) = replacement.unwrap_or((stage, lag));
            let previous_force = self.lagged_force(&stage, &x);
            // A later round begins near its solution, and ends much nearer.
            let is_balanced = round > 0 || self.balances_sliding_bodies(&stage, &x);
            let lagged_here = self.dissipation.lagged_at_end(&force_positions(&stage, &x));
            if lagged_here.has_lagged_forces() {
                self.dissipation = lagged_here;
                is_lagged_at_end = true;
            } else if is_solved {
                // Without contact at the end, the solution is that of the forces of the round before.
                let has_friction = self.dissipation.has_lagged_forces();
                return Ok(FrictionFixedPoint { positions: x, has_friction, stage, groups });
            }
            if is_lagged_at_end {
                stage.lag.clone_from(&lag);
            }
            let force = self.lagged_force(&stage, &x);
            let is_last = round >= self.friction_rounds();
            if is_solved && (is_last || self.has_converged([&previous_force, &force])) {
                if !is_balanced {
                    x = self.solve(&stage, &x)?;
                }
                break;
            }
            let mut links = Links::new(self.system.bodies().len());
            self.system.link(&x, &mut links);
            groups = links.groups();
            x = self.solve(&stage, &x)?;
        }
        Ok(FrictionFixedPoint { positions: x, has_friction: true, stage, groups })
    }

    /// Solves a `stage` whose forces act at one point, from `start`, and repeats the solve with the normal forces of
    /// friction at that point of its solution, at most for the set number of rounds.
    ///
    /// # Errors
    /// If a solve fails.
    pub fn solve_with_friction(
        &mut self,
        stage: &Stage,
        start: &[Vec3],
    ) -> Result<Vec<Vec3>, StepError> {
        if self.friction_rounds() == 0 {
            return self.solve(stage, start);
        }
        let lag = stage.lag.clone();
        Ok(self.iterate_friction(stage.clone(), lag, start, |_, _| None)?.positions)
    }

    /// `dD/dv` (N) at the solution `x` of a stage.
    fn lagged_force(&self, stage: &Stage, x: &[Vec3]) -> Vec<Vec3> {
        let v: Vec<Vec3> = (0..x.len()).map(|i| stage.lag.velocity(i, x[i])).collect();
        self.dissipative_gradient(&stage.lag.frame(), &v)
    }

    /// Whether the forces that remain on sliding bodies at the solution `x` (m) of a `stage`, where the system must be
    /// prepared, are within [`SLIDING_RESIDUAL`].
    fn balances_sliding_bodies(&mut self, stage: &Stage, x: &[Vec3]) -> bool {
        StageObjective::new(self.system.reborrow(), &self.dissipation, stage)
            .balances_sliding_bodies(x, SLIDING_RESIDUAL)
    }

    /// Whether the friction on each body changes by at most [`FIXED_POINT_TOLERANCE`] relative to its magnitude.
    /// The arguments are the forces on all nodes of two consecutive rounds.
    fn has_converged(&self, [previous, current]: [&[Vec3]; 2]) -> bool {
        let system = &self.system;
        let magnitude = |i: usize, force: Vec3| system.free_part(i, force).length();
        let changes = system.sum_by_body(|i| magnitude(i, current[i] - previous[i]));
        let forces =
            system.sum_by_body(|i| magnitude(i, current[i]).max(magnitude(i, previous[i])));
        changes.iter().zip(forces).all(|(change, force)| *change <= FIXED_POINT_TOLERANCE * force)
    }
}
