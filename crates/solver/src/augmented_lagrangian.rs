//! Prescribed nodes that cannot reach their targets along a straight step: augmented Lagrangian.
//!
//! The linear response of the free nodes to the remaining displacement of the prescribed ones may lead into obstacles.
//! Each step towards the targets is then shorter than the last one, because no component of it moves the body around
//! the obstacle. In the augmented Lagrangian the prescribed nodes are unknowns, too: descent minimises
//!
//! ```text
//!   f(u) + sum_i ( kappa/2 |w_i|^2 - lambda_i . w_i ),    w_i = P_i (u_i - target_i),
//! ```
//!
//! where `P_i` projects onto the constrained directions. After each minimisation `lambda_i` becomes `lambda_i - kappa w_i`, and
//! `kappa` grows (Hestenes 1969, *Multiplier and gradient methods*; Powell 1969; for moving Dirichlet nodes in contact Li
//! et al. 2020, *Incremental Potential Contact*), until the straight path to the targets, with all other nodes fixed,
//! is free of collisions. If `w` no longer decreases, nodes may stay where they are, as far as the objective permits.
//!
//! Only nodes of bodies that have free nodes are unknowns. A body without any, such as a plate with a prescribed motion,
//! would deform without energy and evade what it has to push; it moves along its straight path or not at all.

use crate::descent::Descent;
use crate::direction::DirectionFinder;
use crate::error::SolveError;
use crate::iterate::Evaluation;
use crate::iteration::Limit;
use crate::linearisation::Linearisation;
use crate::minimiser::Workspace;
use crate::objective::Objective;
use crate::prescribed::{Prescription, Target};
use crate::settings::NewtonSettings;
use crate::stop::StoppingCriterion;
use resile_math::{Mat3, Psd, Vec3};
use resile_sparse::{Assembly, BlockSink as _};
use resile_watch::Stopwatch;

/// Maximum number of minimisations, each with a larger `kappa`.
const MAX_ROUNDS: usize = 8;

/// Maximum number of iterations of a minimisation, whose solution is only a start for the next one.
const MAX_ROUND_ITERATIONS: usize = 50;

/// Growth of `kappa` from one minimisation to the next.
const GROWTH: f64 = 10.0;

/// Ratio of the remaining distances after and before a minimisation above which it makes no progress: with ten times
/// the stiffness, an elastic resistance leaves about a tenth.
const STALL_RATIO: f64 = 0.9;

impl Descent<'_> {
    /// Moves from the positions `start` (m) to a point where all prescribed nodes are at their targets, or as near to them
    /// as the objective [permits](Objective::permitted_lag).
    ///
    /// # Errors
    /// [`SolveError::PrescribedBlocked`] if the targets cannot be reached; [`SolveError::Interrupted`].
    pub(crate) fn reach_targets(
        &mut self,
        objective: &mut dyn Objective,
        start: Vec<Vec3>,
    ) -> Result<(), SolveError> {
        self.work.current.u = start;
        self.monitor.forget_gradient();
        if self.place_prescribed(objective, |_| true) {
            return Ok(());
        }
        let is_deformable = nodes_of_deformable_bodies(objective);
        if !self.place_prescribed(objective, |node| !is_deformable[node]) {
            return Err(self.blocked_error());
        }
        let mut kappa = median_stiffness(objective, &self.work.current.u);
        let mut targets = self.prescription.relaxed(&self.work.current.u);
        let mut last_remaining = f64::INFINITY;
        for _ in 0..MAX_ROUNDS {
            self.minimise_augmented(objective, &targets, kappa)?;
            if self.place_prescribed(objective, |_| true) {
                return Ok(());
            }
            let remaining = self.prescription.remaining(&self.work.current.u);
            if remaining > STALL_RATIO * last_remaining {
                break;
            }
            last_remaining = remaining;
            let u = &self.work.current.u;
            targets.iter_mut().for_each(|relaxed| relaxed.update_multiplier(u, kappa));
            kappa *= GROWTH;
        }
        if self.stays_behind(objective) { Ok(()) } else { Err(self.blocked_error()) }
    }

    /// Leaves prescribed nodes where they are if the objective [permits](Objective::permitted_lag) their distances from
    /// their targets. Returns whether it does.
    fn stays_behind(&mut self, objective: &mut dyn Objective) -> bool {
        let u = &self.work.current.u;
        if self.prescription.lag(u) > objective.permitted_lag() {
            return false;
        }
        self.prescription.accept_lag(u);
        // Evaluates the point, as all nodes are now at their targets.
        self.place_prescribed(objective, |_| true)
    }

    /// Moves the prescribed nodes for which `moves` is true to their targets, with all other nodes fixed, if the path is
    /// free of collisions and the value at its end is finite. Returns whether they were moved.
    fn place_prescribed(
        &mut self,
        objective: &mut dyn Objective,
        moves: impl Fn(usize) -> bool,
    ) -> bool {
        self.work.end.clone_from(&self.work.current.u);
        self.prescription.move_some_to_targets(&mut self.work.end, moves);
        let is_free = self.bound_path(objective) == 1.0;
        let start = Stopwatch::start();
        self.work.trial.u.clone_from(&self.work.end);
        self.work.trial.has_gradient = false;
        if is_free {
            self.work.trial.evaluate(objective, Evaluation::ValueAndGradient);
        }
        self.work.report.phases.line_search += start.elapsed();
        let arrives = is_free && self.work.trial.value.is_finite();
        if arrives {
            self.work.swap();
        }
        arrives
    }

    /// Minimises the augmented Lagrangian from the current point and moves to the last point of the descent, whether it
    /// converges or not.
    ///
    /// # Errors
    /// If the interrupt was raised.
    fn minimise_augmented(
        &mut self,
        objective: &mut dyn Objective,
        targets: &[RelaxedTarget],
        kappa: f64,
    ) -> Result<(), SolveError> {
        let mut augmented = AugmentedLagrangian::new(objective, targets, kappa);
        let max_iterations = self.settings.max_iterations.min(MAX_ROUND_ITERATIONS);
        let settings = NewtonSettings { max_iterations, ..self.settings };
        let mut finder = DirectionFinder::new();
        finder.set_interrupt(&self.work.interrupt);
        let interrupt = self.work.interrupt.clone();
        let mut workspace = Workspace { interrupt, ..Workspace::default() };
        workspace.trace.set_enabled(self.work.trace.is_on());
        let result = workspace.descend_to(
            &mut finder,
            settings,
            StoppingCriterion::Quadratic,
            &mut augmented,
            &mut self.work.current.u,
            self.monitor.tolerance(),
        );
        self.work.current.has_gradient = false;
        self.work.report.absorb_part(&workspace.report);
        self.work.trace.absorb_part(&[], workspace.trace.take());
        match result {
            Err(interrupted @ SolveError::Interrupted { .. }) => Err(interrupted),
            _ => Ok(()),
        }
    }
}

/// Whether each node belongs to a body that has free nodes; all nodes do if the bodies are unknown.
fn nodes_of_deformable_bodies(objective: &dyn Objective) -> Vec<bool> {
    let bodies = objective.bodies();
    let mut is_deformable = vec![bodies.is_empty(); objective.len()];
    for nodes in bodies {
        let has_free = objective.free()[nodes.clone()].contains(&true);
        is_deformable[nodes].fill(has_free);
    }
    is_deformable
}

/// Median over the free nodes of the mean diagonal entry of the projected second derivative, of those that are positive;
/// one if there are none.
fn median_stiffness(objective: &dyn Objective, u: &[Vec3]) -> f64 {
    let mut assembly = Assembly::new(u.len());
    objective.hessian(u, &Linearisation::EXACT, Psd::Clamp, &mut assembly);
    let matrix = assembly.finish();
    let mean_entry = |i: usize| {
        let block = matrix.diagonal(i);
        (block.x_axis.x + block.y_axis.y + block.z_axis.z) / 3.0
    };
    let free = objective.free();
    let mut stiffnesses: Vec<f64> = (0..u.len()).filter(|&i| free[i]).map(mean_entry).collect();
    stiffnesses.retain(|stiffness| *stiffness > 0.0);
    stiffnesses.sort_by(f64::total_cmp);
    stiffnesses.get(stiffnesses.len() / 2).copied().unwrap_or(1.0)
}

/// A prescribed node as an unknown, with its Lagrange multiplier.
#[derive(Debug, Clone, Copy)]
struct RelaxedTarget {
    target: Target,
    /// `lambda`.
    multiplier: Vec3,
}

impl RelaxedTarget {
    /// Sets `lambda` to `lambda - kappa w`.
    fn update_multiplier(&mut self, u: &[Vec3], kappa: f64) {
        // The displacement to the target is -w.
        self.multiplier += kappa * self.target.displacement(u);
    }
}

impl Prescription {
    /// The nodes that have not reached their targets, with multipliers of zero.
    fn relaxed(&self, u: &[Vec3]) -> Vec<RelaxedTarget> {
        let remaining = self.targets().iter().filter(|target| !target.has_arrived(u));
        remaining.map(|&target| RelaxedTarget { target, multiplier: Vec3::ZERO }).collect()
    }
}

/// The augmented Lagrangian of an objective, in which prescribed nodes are free.
struct AugmentedLagrangian<'a> {
    objective: &'a mut dyn Objective,
    targets: &'a [RelaxedTarget],
    kappa: f64,
    free: Vec<bool>,
    guided: Vec<(usize, Mat3)>,
}

impl<'a> AugmentedLagrangian<'a> {
    fn new(objective: &'a mut dyn Objective, targets: &'a [RelaxedTarget], kappa: f64) -> Self {
        let mut free = objective.free().to_vec();
        targets.iter().for_each(|relaxed| free[relaxed.target.node] = true);
        let mut guided = objective.guided().to_vec();
        guided.retain(|(node, _)| targets.iter().all(|relaxed| relaxed.target.node != *node));
        Self { objective, targets, kappa, free, guided }
    }

    /// `sum_i ( kappa/2 |w_i|^2 - lambda_i . w_i )`.
    fn constraint_value(&self, u: &[Vec3]) -> f64 {
        let term = |relaxed: &RelaxedTarget| {
            let w = -relaxed.target.displacement(u);
            0.5 * self.kappa * w.length_squared() - relaxed.multiplier.dot(w)
        };
        self.targets.iter().map(term).sum()
    }

    /// Adds the gradient of [`constraint_value`](Self::constraint_value).
    fn add_constraint_gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        for RelaxedTarget { target, multiplier } in self.targets {
            out[target.node] -= self.kappa * target.displacement(u) + *multiplier;
        }
    }
}

impl Objective for AugmentedLagrangian<'_> {
    fn len(&self) -> usize {
        self.objective.len()
    }

    fn free(&self) -> &[bool] {
        &self.free
    }

    fn guided(&self) -> &[(usize, Mat3)] {
        &self.guided
    }

    /// Empty: prescribed nodes that are not unknowns are at their targets.
    fn prescribed(&self) -> &[(usize, Vec3)] {
        &[]
    }

    fn value(&self, u: &[Vec3]) -> f64 {
        self.objective.value(u) + self.constraint_value(u)
    }

    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        self.objective.gradient(u, out);
        self.add_constraint_gradient(u, out);
    }

    fn value_and_gradient(&self, u: &[Vec3], out: &mut [Vec3]) -> f64 {
        let value = self.objective.value_and_gradient(u, out);
        self.add_constraint_gradient(u, out);
        value + self.constraint_value(u)
    }

    fn linearise(&self, u: &[Vec3], previous: Option<&Linearisation>) -> Linearisation {
        self.objective.linearise(u, previous)
    }

    fn has_friction(&self) -> bool {
        self.objective.has_friction()
    }

    fn hessian(&self, u: &[Vec3], linearisation: &Linearisation, psd: Psd, out: &mut Assembly) {
        self.objective.hessian(u, linearisation, psd, out);
        for RelaxedTarget { target, .. } in self.targets {
            out.add(
                target.node,
                target.node,
                self.kappa * target.constrained.unwrap_or(Mat3::IDENTITY),
            );
        }
        out.finish();
    }

    fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64 {
        self.objective.step_bound(from, to)
    }

    fn limit(&mut self, from: &[Vec3], to: &[Vec3]) -> Option<Limit> {
        self.objective.limit(from, to)
    }

    fn pair_count(&self) -> usize {
        self.objective.pair_count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::outer;

    /// Two nodes that repel each other with `P = 2 / |u_1 - u_0|`; the first one is free.
    struct Repulsion;

    impl Objective for Repulsion {
        fn len(&self) -> usize {
            2
        }
        fn free(&self) -> &[bool] {
            &[true, false]
        }
        fn prescribed(&self) -> &[(usize, Vec3)] {
            &[]
        }
        fn value(&self, u: &[Vec3]) -> f64 {
            2.0 / u[1].distance(u[0])
        }
        fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
            let d = u[1] - u[0];
            let force = -2.0 / d.length().powi(3) * d;
            out.copy_from_slice(&[-force, force]);
        }
        fn hessian(&self, u: &[Vec3], _: &Linearisation, _: Psd, out: &mut Assembly) {
            let (d, r) = (u[1] - u[0], u[1].distance(u[0]));
            let block = 2.0 * (3.0 / r.powi(5) * outer(d, d) - Mat3::IDENTITY * r.powi(-3));
            out.begin();
            out.add(0, 0, block);
            out.add(0, 1, -block);
            out.add(1, 1, block);
            out.finish();
        }
        fn step_bound(&mut self, _: &[Vec3], _: &[Vec3]) -> f64 {
            1.0
        }
    }

    const START: [Vec3; 2] = [Vec3::new(0.1, -0.2, 0.3), Vec3::new(1.2, 0.4, -0.3)];
    const TARGET: Vec3 = Vec3::new(0.7, 0.9, 0.2);

    /// The second node, held in all directions or on a guide along z.
    fn relaxed(guided: &[(usize, Mat3)]) -> Vec<RelaxedTarget> {
        let mut targets = Prescription::new(&[(1, TARGET)], guided, &START).relaxed(&START);
        targets.iter_mut().for_each(|relaxed| relaxed.multiplier = Vec3::new(0.3, -0.2, 0.0));
        targets
    }

    /// Directions and a step for central differences.
    fn along(k: usize, step: f64) -> [Vec3; 2] {
        let mut u = START;
        u[k / 3][k % 3] += step;
        u
    }

    #[test]
    fn derivatives_of_the_augmented_lagrangian_match_finite_differences() {
        let step = 1e-5;
        for guided in [&[][..], &[(1, Mat3::from_diagonal(Vec3::Z))]] {
            let targets = relaxed(guided);
            let mut repulsion = Repulsion;
            let augmented = AugmentedLagrangian::new(&mut repulsion, &targets, 7.0);
            let gradient_at = |u: &[Vec3]| {
                let mut gradient = [Vec3::ZERO; 2];
                augmented.gradient(u, &mut gradient);
                gradient
            };
            let gradient = gradient_at(&START);
            let mut assembly = Assembly::new(2);
            // The second pass goes through the pattern of the first.
            (0..2).for_each(|_| {
                augmented.hessian(&START, &Linearisation::EXACT, Psd::Exact, &mut assembly);
            });
            for k in 0..6 {
                let [after, before] = [step, -step].map(|step| along(k, step));
                let slope = (augmented.value(&after) - augmented.value(&before)) / (2.0 * step);
                assert!((slope - gradient[k / 3][k % 3]).abs() < 1e-8, "{k}: {slope}");
                let mut unit = [Vec3::ZERO; 2];
                unit[k / 3][k % 3] = 1.0;
                let mut column = [Vec3::ZERO; 2];
                assembly.matrix().multiply(&unit, &mut column);
                let [after, before] = [gradient_at(&after), gradient_at(&before)];
                for i in 0..2 {
                    let change = (after[i] - before[i]) / (2.0 * step);
                    assert!((change - column[i]).length() < 1e-7, "{k}: {change} {}", column[i]);
                }
            }
        }
    }

    /// The force of the constraint on a held node becomes the multiplier, so that the distance to the target vanishes although
    /// `kappa` stays finite.
    #[test]
    fn multiplier_becomes_the_force_that_holds_the_node() {
        let mut relaxed = relaxed(&[]).remove(0);
        relaxed.multiplier = Vec3::ZERO;
        let (force, kappa) = (Vec3::new(1.0, -2.0, 0.5), 4.0);
        let mut u = START;
        for _ in 0..2 {
            // The minimiser of kappa/2 |w|^2 - lambda . w - force . w.
            u[1] = TARGET + (relaxed.multiplier + force) / kappa;
            relaxed.update_multiplier(&u, kappa);
        }
        assert!((relaxed.multiplier + force).length() < 1e-12, "{}", relaxed.multiplier);
        assert!(u[1].distance(TARGET) < 1e-12);
    }
}
