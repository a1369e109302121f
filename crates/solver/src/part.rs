//! Separate solves for some bodies (nonlinear elimination).
//!
//! Where many bodies touch, a few of them often limit the step of all others: a line search has one length for all
//! nodes, and bodies that slip, stick or rotate shorten it. After a step that was shortened, the bodies with by far
//! the longest steps are therefore solved separately, with all others fixed, before the next common step. This is a
//! nonlinear elimination (Lanzkron, Rose & Wilkes 1996, *An analysis of approximate nonlinear elimination*; Cai & Li
//! 2011, *Inexact Newton methods with restricted additive Schwarz based nonlinear elimination*). Its iterations cost
//! only as much as these bodies, the objective never increases, and each path has a step bound.
//!
//! Near the end of a minimisation of many bodies, a few bodies cause nearly all of the decrease of a common step, in
//! each step others. Each such step would cost as much as one for all bodies, so these bodies are solved separately
//! too (`benches/README.md`, few bodies with most of the slope).

use crate::descent::Descent;
use crate::direction::DirectionFinder;
use crate::error::SolveError;
use crate::iteration::Limit;
use crate::linearisation::Linearisation;
use crate::minimiser::Workspace;
use crate::objective::Objective;
use crate::settings::NewtonSettings;
use crate::stop::StoppingCriterion;
use resile_linalg::cg::dot;
use resile_math::{Mat3, Psd, Vec3};
use resile_sparse::{Assembly, NO_ROW};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// Step of a body, relative to the longest one, above which the body limits the common step.
const MIN_RELATIVE_STEP: f64 = 0.1;

/// Largest fraction of all nodes in bodies that are solved separately because they limit the step: an iteration over
/// more costs too large a part of one over all (`benches/README.md`, whole scenes).
const MAX_NODE_FRACTION_OF_STEP: f64 = 0.25;

/// Fraction of the slope due to a few bodies above which the step of all others has no benefit.
const MIN_SLOPE_FRACTION: f64 = 0.95;

/// Largest fraction of all nodes in bodies that are solved separately because of their slope.
const MAX_NODE_FRACTION_OF_SLOPE: f64 = 0.1;

/// Maximum number of iterations for a part: if they do not meet the tolerance, other bodies limit the convergence.
const MAX_PART_ITERATIONS: usize = 50;

/// The bodies, ascending, whose longest displacement in the `step` (m) of Newton's method is more than
/// [`MIN_RELATIVE_STEP`] of the longest of all; empty if they have too many nodes.
pub(crate) fn bodies_limiting_step(bodies: &[Range<usize>], step: &[Vec3]) -> Vec<usize> {
    let longest_step = |nodes: &Range<usize>| {
        step[nodes.clone()].iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
    };
    let steps: Vec<f64> = bodies.iter().map(longest_step).collect();
    let limit = MIN_RELATIVE_STEP * steps.iter().copied().fold(0.0, f64::max);
    let limiting: Vec<usize> = (0..bodies.len()).filter(|&b| steps[b] > limit).collect();
    let nodes: usize = limiting.iter().map(|&b| bodies[b].len()).sum();
    if nodes as f64 <= MAX_NODE_FRACTION_OF_STEP * step.len() as f64 {
        limiting
    } else {
        Vec::new()
    }
}

/// The fewest bodies, ascending, that cause [`MIN_SLOPE_FRACTION`] of the `slope` along the step of Newton's method.
/// `bodies` holds the nodes of each body. Empty if these have more than [`MAX_NODE_FRACTION_OF_SLOPE`] of all nodes, or
/// there are fewer than two bodies.
pub(crate) fn bodies_dominating_slope(
    slope: f64,
    bodies: &[Range<usize>],
    gradient: &[Vec3],
    step: &[Vec3],
) -> Vec<usize> {
    if bodies.len() < 2 {
        return Vec::new();
    }
    let body_slope = |nodes: &Range<usize>| dot(&gradient[nodes.clone()], &step[nodes.clone()]);
    let slopes: Vec<f64> = bodies.iter().map(body_slope).collect();
    let mut steepest_first: Vec<usize> = (0..bodies.len()).collect();
    steepest_first.sort_by(|&a, &b| slopes[a].total_cmp(&slopes[b]));
    let (mut remaining_slope, mut node_count) = (MIN_SLOPE_FRACTION * slope, 0);
    let mut dominating: Vec<usize> = Vec::new();
    for body in steepest_first {
        node_count += bodies[body].len();
        if node_count as f64 > MAX_NODE_FRACTION_OF_SLOPE * step.len() as f64 {
            return Vec::new();
        }
        dominating.push(body);
        remaining_slope -= slopes[body];
        if remaining_slope >= 0.0 {
            dominating.sort_unstable();
            return dominating;
        }
    }
    Vec::new()
}

impl Descent<'_> {
    /// Solves for the nodes of `separate_bodies` with all others fixed and moves to the solution. Those bodies that
    /// limit the step of this solve are in turn solved separately. The change of the gradient is then not recorded.
    ///
    /// # Errors
    /// If the interrupt was raised.
    pub(crate) fn solve_separately(
        &mut self,
        objective: &mut dyn Objective,
    ) -> Result<(), SolveError> {
        let bodies = std::mem::take(&mut self.separate_bodies);
        let Some(objective) = objective.restricted(&bodies) else { return Ok(()) };
        let nodes: Vec<Range<usize>> = bodies.iter().map(|&b| self.bodies[b].clone()).collect();
        let solved = self.solve_part(Part::new(objective, bodies, &nodes, &self.work.current.u));
        self.work.current.has_gradient = false;
        self.monitor.forget_gradient();
        solved
    }

    /// Minimises over a part and moves to the last point, whether the solve converges or not. The value does not increase
    /// by more than rounding.
    fn solve_part(&mut self, mut part: Part<'_>) -> Result<(), SolveError> {
        let mut u: Vec<Vec3> = part.nodes.iter().map(|&i| self.work.current.u[i]).collect();
        let settings = NewtonSettings { max_iterations: MAX_PART_ITERATIONS, ..self.settings };
        let mut finder = DirectionFinder::new();
        finder.set_interrupt(&self.work.interrupt);
        let interrupt = self.work.interrupt.clone();
        let mut workspace = Workspace { interrupt, ..Workspace::default() };
        workspace.trace.set_enabled(self.work.trace.is_on());
        let result = workspace.descend_to(
            &mut finder,
            settings,
            StoppingCriterion::Quadratic,
            &mut part,
            &mut u,
            self.monitor.tolerance(),
        );
        for (&i, u) in part.nodes.iter().zip(&u) {
            self.work.current.u[i] = *u;
        }
        let decrease = workspace.decrease();
        if decrease.is_finite() {
            self.work.current.value -= decrease;
        }
        self.work.report.absorb_part(&workspace.report);
        self.work.trace.absorb_part(&part.bodies, workspace.trace.take());
        match result {
            Err(interrupted @ SolveError::Interrupted { .. }) => Err(interrupted),
            _ => Ok(()),
        }
    }
}

/// The restriction of an objective to the nodes of some of its bodies ([`Objective::restricted`]).
struct Part<'a> {
    /// The objective of all bodies, restricted to these.
    full: Box<dyn Objective + 'a>,
    /// Indices of the bodies in the full objective, ascending.
    bodies: Vec<usize>,
    /// Node ranges of the bodies in the numbering of the part.
    ranges: Vec<Range<usize>>,
    /// Indices of the nodes in the full objective, ascending.
    nodes: Vec<usize>,
    free: Vec<bool>,
    guided: Vec<(usize, Mat3)>,
    /// For each node of the full objective, its index in `nodes`, or [`NO_ROW`].
    rows: Arc<[u32]>,
    /// Positions of all nodes of the full objective; those of the nodes of the part are overwritten.
    full_u: RefCell<Vec<Vec3>>,
}

impl<'a> Part<'a> {
    /// The part of `objective`, which is restricted to these `bodies`; `nodes` are their node ranges, and `u` the
    /// positions (m) of all nodes.
    fn new(
        objective: Box<dyn Objective + 'a>,
        bodies: Vec<usize>,
        nodes: &[Range<usize>],
        u: &[Vec3],
    ) -> Self {
        let mut count = 0;
        let part_range = |nodes: &Range<usize>| {
            count += nodes.len();
            count - nodes.len()..count
        };
        let ranges = nodes.iter().map(part_range).collect();
        let nodes: Vec<usize> = nodes.iter().cloned().flatten().collect();
        let mut rows = vec![NO_ROW; u.len()];
        nodes.iter().zip(0..).for_each(|(&node, row)| rows[node] = row);
        let free = nodes.iter().map(|&node| objective.free()[node]).collect();
        let guided = objective.guided().iter().filter(|(node, _)| rows[*node] != NO_ROW);
        let guided = guided.map(|&(node, projector)| (rows[node] as usize, projector)).collect();
        let (rows, full_u) = (rows.into(), RefCell::new(u.to_vec()));
        Self { full: objective, bodies, ranges, nodes, free, guided, rows, full_u }
    }

    /// Evaluates `f` with the full objective and the positions (m) of all nodes; those of the part are `u`.
    fn with_full<R>(&self, u: &[Vec3], f: impl FnOnce(&dyn Objective, &[Vec3]) -> R) -> R {
        let mut full_u = self.full_u.borrow_mut();
        self.nodes.iter().zip(u).for_each(|(&node, u)| full_u[node] = *u);
        f(&*self.full, &full_u)
    }

    /// The entries of a field on all nodes at the nodes of the part.
    fn gather(&self, full_u: &[Vec3]) -> Vec<Vec3> {
        self.nodes.iter().map(|&node| full_u[node]).collect()
    }
}

impl Objective for Part<'_> {
    fn len(&self) -> usize {
        self.nodes.len()
    }

    fn free(&self) -> &[bool] {
        &self.free
    }

    fn guided(&self) -> &[(usize, Mat3)] {
        &self.guided
    }

    /// Empty: bodies are solved separately only after all prescribed nodes have arrived.
    fn prescribed(&self) -> &[(usize, Vec3)] {
        &[]
    }

    fn retract(&self, u: &[Vec3], step: &[Vec3]) -> Option<Vec<Vec3>> {
        let mut full_step = vec![Vec3::ZERO; self.rows.len()];
        self.nodes.iter().zip(step).for_each(|(&node, p)| full_step[node] = *p);
        self.with_full(u, |objective, full_u| objective.retract(full_u, &full_step))
            .map(|end| self.gather(&end))
    }

    fn value(&self, u: &[Vec3]) -> f64 {
        self.with_full(u, |objective, full_u| objective.value(full_u))
    }

    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        let mut full_out = vec![Vec3::ZERO; self.rows.len()];
        self.with_full(u, |objective, full_u| objective.gradient(full_u, &mut full_out));
        out.copy_from_slice(&self.gather(&full_out));
    }

    fn value_and_gradient(&self, u: &[Vec3], out: &mut [Vec3]) -> f64 {
        let mut full_out = vec![Vec3::ZERO; self.rows.len()];
        let value = self
            .with_full(u, |objective, full_u| objective.value_and_gradient(full_u, &mut full_out));
        out.copy_from_slice(&self.gather(&full_out));
        value
    }

    fn linearise(&self, u: &[Vec3], previous: Option<&Linearisation>) -> Linearisation {
        self.with_full(u, |objective, full_u| objective.linearise(full_u, previous))
    }

    fn has_friction(&self) -> bool {
        self.full.has_friction()
    }

    fn hessian(&self, u: &[Vec3], linearisation: &Linearisation, psd: Psd, out: &mut Assembly) {
        out.renumbered(&self.rows, |out| {
            self.with_full(u, |objective, full_u| {
                objective.hessian(full_u, linearisation, psd, out);
            });
        });
    }

    fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64 {
        let mut end = self.full_u.borrow().clone();
        self.nodes.iter().zip(to).for_each(|(&node, u)| end[node] = *u);
        let full_u = self.full_u.get_mut();
        self.nodes.iter().zip(from).for_each(|(&node, u)| full_u[node] = *u);
        self.full.step_bound(full_u, &end)
    }

    fn limit(&mut self, from: &[Vec3], to: &[Vec3]) -> Option<Limit> {
        let mut ends = [self.full_u.get_mut().clone(), self.full_u.get_mut().clone()];
        for (full_u, part_ends) in ends.iter_mut().zip([from, to]) {
            self.nodes.iter().zip(part_ends).for_each(|(&node, u)| full_u[node] = *u);
        }
        let [from, to] = ends;
        self.full.limit(&from, &to)
    }

    fn bodies(&self) -> Vec<Range<usize>> {
        self.ranges.clone()
    }

    fn restricted(&mut self, bodies: &[usize]) -> Option<Box<dyn Objective + '_>> {
        let full_bodies: Vec<usize> = bodies.iter().map(|&b| self.bodies[b]).collect();
        let restricted = self.full.restricted(&full_bodies)?;
        Some(Box::new(Part {
            full: restricted,
            bodies: self.bodies.clone(),
            ranges: self.ranges.clone(),
            nodes: self.nodes.clone(),
            free: self.free.clone(),
            guided: self.guided.clone(),
            rows: self.rows.clone(),
            full_u: self.full_u.clone(),
        }))
    }

    fn pair_count(&self) -> usize {
        self.full.pair_count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The separate bodies among forty with one node each, where those listed have these gains and all others none.
    fn holding(gains: &[(usize, f64)]) -> Vec<usize> {
        let bodies: Vec<Range<usize>> = (0..40).map(|i| i..i + 1).collect();
        let (mut gradient, step) = (vec![Vec3::ZERO; 40], vec![Vec3::new(0.5, -1.0, 0.0); 40]);
        gains.iter().for_each(|&(body, gain)| gradient[body].y = gain);
        bodies_dominating_slope(dot(&gradient, &step), &bodies, &gradient, &step)
    }

    #[test]
    fn the_fewest_bodies_with_most_of_the_slope_are_named_if_they_are_few() {
        assert_eq!(holding(&[(7, 96.0), (3, 4.0)]), [7]);
        assert_eq!(holding(&[(30, 60.0), (7, 34.0), (3, 6.0)]), [3, 7, 30]);
        // A body along which the value increases makes the sum of the others exceed the total.
        assert_eq!(holding(&[(9, -5.0), (7, 99.0), (3, 6.0)]), [7]);
        let alike = |bodies: usize| (0..bodies).map(|body| (body, 1.0)).collect::<Vec<_>>();
        assert_eq!(holding(&alike(4)), [0, 1, 2, 3]);
        assert_eq!(holding(&alike(5)), [0; 0], "more than a tenth of all");
        assert_eq!(bodies_dominating_slope(-1.0, &[], &[], &[]), [0; 0]);
    }
}
