//! The objective of a stage in a system, which minimisers solve.

use crate::rigid::guess;
use crate::stage::{PotentialTerm, Stage};
use resile_math::{Mat3, Vec3};
use resile_solver::{Limit, Linearisation, Objective};
use resile_sparse::{Assembly, BlockSink};
use resile_system::{LaggedDissipation, Path, PathLimit, PreparedOn, Psd, System, SystemOf};
use std::borrow::Cow;
use std::ops::{Deref, DerefMut, Range};

/// The objective of one stage over the positions of all nodes.
#[derive(Debug)]
pub(crate) struct StageObjective<'a, 't, S = &'a mut System, D = &'a LaggedDissipation> {
    system: PreparedOn<'t, S>,
    dissipation: D,
    stage: &'a Stage,
    prescribed: Vec<(usize, Vec3)>,
    /// See [`Objective::permitted_lag`].
    permitted_lag: f64,
}

impl<'a, 't, S, D> StageObjective<'a, 't, S, D>
where
    S: DerefMut<Target = SystemOf<'t>>,
    D: Deref<Target = LaggedDissipation>,
{
    /// The objective of a stage for a prepared system and its dissipation.
    pub(crate) fn new(system: PreparedOn<'t, S>, dissipation: D, stage: &'a Stage) -> Self {
        let prescribed = system.prescribed(stage.time).collect();
        Self { system, dissipation, stage, prescribed, permitted_lag: 0.0 }
    }

    /// The objective with this [permitted lag](Objective::permitted_lag) (m).
    pub(crate) fn with_permitted_lag(self, permitted_lag: f64) -> Self {
        Self { permitted_lag, ..self }
    }

    /// The nodal velocities (m/s) at which the stage evaluates its dissipation.
    fn dissipation_velocities(&self, u: &[Vec3]) -> Vec<Vec3> {
        u.iter().enumerate().map(|(i, u)| self.stage.lag.velocity(i, *u)).collect()
    }

    /// The value of the objective at the positions `u` (m); `potential` returns the potential (J) of a term there.
    fn value_with(&self, u: &[Vec3], potential: impl FnMut(&PotentialTerm) -> f64) -> f64 {
        let (masses, free) = (self.system.masses(), self.system.free());
        let y = &self.stage.predictor;
        let mut value = 0.0;
        for &b in self.system.acting() {
            for i in self.system.nodes(b).filter(|&i| free[i]) {
                value += 0.5 * masses[i] * (u[i] - y[i]).length_squared();
            }
        }
        let potentials = self.stage.terms.iter().map(potential);
        for (term, potential) in self.stage.terms.iter().zip(potentials) {
            value += term.weight * potential;
        }
        if !self.dissipation.is_empty() {
            let lag = &self.stage.lag;
            // d/du [c D(v(u))] = c * rate * dD/dv has to be force_weight * dD/dv.
            value += lag.force_weight / lag.rate
                * self.dissipation.value(&lag.frame(), &self.dissipation_velocities(u));
        }
        value
    }

    /// Whether the sum of the forces that remain on each body at `u` is at most the fraction `max_residual` of the limits of
    /// friction of its slipping pairs, if it has any.
    pub(crate) fn balances_sliding_bodies(&self, u: &[Vec3], max_residual: f64) -> bool {
        let lag = &self.stage.lag;
        let limits = self.dissipation.slipping_limits(&self.dissipation_velocities(u));
        if limits.iter().all(|limit| *limit == 0.0) {
            return true;
        }
        let mut gradient = vec![Vec3::ZERO; u.len()];
        self.gradient(u, &mut gradient);
        self.system.acting().iter().filter(|&&body| limits[body] > 0.0).all(|&body| {
            let nodes = self.system.nodes(body);
            let residual: Vec3 = nodes.map(|i| self.system.free_part(i, gradient[i])).sum();
            residual.length() <= max_residual * lag.force_weight * limits[body]
        })
    }

    /// Writes the gradient of the inertial term to `out`. It is zero at prescribed nodes, whose inertia is not part of
    /// the value.
    fn write_inertial_gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        let (masses, free) = (self.system.masses(), self.system.free());
        for i in 0..u.len() {
            let offset = u[i] - self.stage.predictor[i];
            out[i] = if free[i] { masses[i] * offset } else { Vec3::ZERO };
        }
    }

    /// Adds the Hessians of the terms between bodies, potentials and dissipations, to `out`.
    fn add_coupling_hessians(
        &self,
        u: &[Vec3],
        linearisation: &Linearisation,
        psd: Psd,
        out: &mut Assembly,
    ) {
        for term in &self.stage.terms {
            let (x, scale) = (evaluation_point(term, u), hessian_scale(term));
            self.system.add_coupling_hessians(term.time, &x, scale, psd, out);
        }
        if !self.dissipation.is_empty() {
            let (lag, v) = (&self.stage.lag, self.dissipation_velocities(u));
            let scale = lag.force_weight * lag.rate;
            let duals = &linearisation.duals;
            self.dissipation.add_coupling_hessians(lag.time, &v, duals, scale, psd, out);
        }
    }

    /// Adds the gradient of the dissipation to `out`.
    fn add_dissipative_gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        if !self.dissipation.is_empty() {
            let lag = &self.stage.lag;
            self.dissipation.add_gradient(
                &lag.frame(),
                &self.dissipation_velocities(u),
                lag.force_weight,
                out,
            );
        }
    }
}

/// The linearisation of `dissipation` at the velocities `v` (m/s) of an iterate, from that of the previous one.
pub(crate) fn linearised(
    dissipation: &LaggedDissipation,
    v: &[Vec3],
    previous: Option<&Linearisation>,
) -> Linearisation {
    let duals = dissipation.duals(v, previous.map(|previous| &previous.duals[..]));
    Linearisation {
        is_exact: duals.iter().all(|duals| duals.is_exact),
        duals: duals.into_iter().map(|duals| duals.values).collect(),
    }
}

/// The positions at which a potential term is evaluated for the unknown `u`.
pub(crate) fn evaluation_point<'u>(term: &PotentialTerm, u: &'u [Vec3]) -> Cow<'u, [Vec3]> {
    if term.fraction == 1.0 {
        return Cow::Borrowed(u);
    }
    let a = term.fraction;
    Cow::Owned(u.iter().zip(&term.base).map(|(u, b)| a * *u + (1.0 - a) * *b).collect())
}

/// Factor of the Hessian of a term in that of the objective (s^2).
fn hessian_scale(term: &PotentialTerm) -> f64 {
    term.weight * term.fraction * term.fraction
}

impl<'t, S, D> Objective for StageObjective<'_, 't, S, D>
where
    S: DerefMut<Target = SystemOf<'t>>,
    D: Deref<Target = LaggedDissipation>,
{
    fn len(&self) -> usize {
        self.system.node_count()
    }

    fn free(&self) -> &[bool] {
        self.system.free()
    }

    fn guided(&self) -> &[(usize, Mat3)] {
        self.system.guided()
    }

    fn prescribed(&self) -> &[(usize, Vec3)] {
        &self.prescribed
    }

    fn permitted_lag(&self) -> f64 {
        self.permitted_lag
    }

    fn guess(&self, u: &[Vec3], gradient: &[Vec3]) -> Option<Vec<Vec3>> {
        // A stage without potential terms moves no body: its unknowns stand for velocities under friction.
        let has_potentials = !self.stage.terms.is_empty();
        has_potentials.then(|| guess::rigid_guess(&self.system, &self.prescribed, u, gradient))
    }

    fn retract(&self, u: &[Vec3], step: &[Vec3]) -> Option<Vec<Vec3>> {
        if self.stage.terms.is_empty() {
            return None;
        }
        guess::with_finite_rotations(&self.system, u, step)
    }

    fn value(&self, u: &[Vec3]) -> f64 {
        self.value_with(u, |term| self.system.potential(term.time, &evaluation_point(term, u)))
    }

    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        self.write_inertial_gradient(u, out);
        for term in &self.stage.terms {
            let scale = term.weight * term.fraction;
            self.system.add_gradient(term.time, &evaluation_point(term, u), scale, out);
        }
        self.add_dissipative_gradient(u, out);
    }

    fn value_and_gradient(&self, u: &[Vec3], out: &mut [Vec3]) -> f64 {
        self.write_inertial_gradient(u, out);
        let value = self.value_with(u, |term| {
            let scale = term.weight * term.fraction;
            self.system.potential_and_gradient(term.time, &evaluation_point(term, u), scale, out)
        });
        self.add_dissipative_gradient(u, out);
        value
    }

    fn linearise(&self, u: &[Vec3], previous: Option<&Linearisation>) -> Linearisation {
        if self.dissipation.is_empty() {
            return Linearisation::EXACT;
        }
        linearised(&self.dissipation, &self.dissipation_velocities(u), previous)
    }

    fn has_friction(&self) -> bool {
        self.dissipation.has_friction()
    }

    fn hessian(&self, u: &[Vec3], linearisation: &Linearisation, psd: Psd, out: &mut Assembly) {
        out.begin();
        for &body in self.system.acting() {
            for i in self.system.nodes(body) {
                out.add(i, i, Mat3::from_diagonal(Vec3::splat(self.system.masses()[i])));
            }
        }
        for term in &self.stage.terms {
            let (x, scale) = (evaluation_point(term, u), hessian_scale(term));
            self.system.add_body_hessians(term.time, &x, scale, psd, out);
        }
        out.end_static();
        if !self.dissipation.is_empty() {
            let (lag, v) = (&self.stage.lag, self.dissipation_velocities(u));
            let scale = lag.force_weight * lag.rate;
            self.dissipation.add_body_hessians(&lag.frame(), &v, scale, psd, out);
        }
        // Damping within bodies is as smooth as their elasticity; contact is not.
        out.mark_smooth();
        self.add_coupling_hessians(u, linearisation, psd, out);
        out.finish();
    }

    /// The constant matrix of local/global steps: masses, terms of bodies, and damping within bodies.
    fn laplacian(&self, u: &[Vec3], out: &mut Assembly<f64>) {
        out.begin();
        self.system.masses().iter().enumerate().for_each(|(i, mass)| out.add(i, i, *mass));
        for term in &self.stage.terms {
            let (x, scale) = (evaluation_point(term, u), hessian_scale(term));
            self.system.add_laplacians(term.time, &x, scale, out);
        }
        out.end_static();
        if !self.dissipation.is_empty() {
            let (lag, v) = (&self.stage.lag, self.dissipation_velocities(u));
            let scale = lag.force_weight * lag.rate;
            self.dissipation.add_body_laplacians(lag.time, &v, scale, out);
        }
        out.finish();
    }

    fn coupling_hessian(&self, u: &[Vec3], linearisation: &Linearisation, out: &mut Assembly) {
        out.begin();
        out.end_static();
        self.add_coupling_hessians(u, linearisation, Psd::Clamp, out);
        out.finish();
    }

    fn bodies(&self) -> Vec<Range<usize>> {
        let bodies = 0..self.system.bodies().len();
        match self.stage.terms.is_empty() {
            false => bodies.map(|b| self.system.nodes(b)).collect(),
            true => Vec::new(),
        }
    }

    fn restricted(&mut self, bodies: &[usize]) -> Option<Box<dyn Objective + '_>> {
        let (prescribed, stage, permitted_lag) =
            (self.prescribed.clone(), self.stage, self.permitted_lag);
        let dissipation = Box::new(self.dissipation.restricted(bodies));
        let system = self.system.restricted(bodies);
        Some(Box::new(StageObjective { system, dissipation, stage, prescribed, permitted_lag }))
    }

    fn pair_count(&self) -> usize {
        self.system.pair_count()
    }

    /// The largest fraction of a step for which the paths of the unknown and of all evaluation points are admissible.
    fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64 {
        let Self { system, stage, .. } = self;
        with_paths(stage, from, to, |paths| system.search(paths)).unwrap_or(1.0)
    }

    fn limit(&mut self, from: &[Vec3], to: &[Vec3]) -> Option<Limit> {
        let Self { system, stage, .. } = self;
        Some(match with_paths(stage, from, to, |paths| system.limit(paths))?? {
            PathLimit::Impact { colliders } => Limit::Impact { colliders },
            PathLimit::Term { body, term } => Limit::Term { body, term },
        })
    }
}

/// Applies `f` to the paths of the unknown and of all evaluation points. `None` for a stage without potential terms, in
/// which no position changes.
fn with_paths<R>(
    stage: &Stage,
    from: &[Vec3],
    to: &[Vec3],
    f: impl FnOnce(&[Path<'_>]) -> R,
) -> Option<R> {
    let terms = &stage.terms;
    match &terms[..] {
        [] => return None,
        [term] if term.fraction == 1.0 => return Some(f(&[Path { from, to }])),
        _ => {}
    }
    let ends: Vec<_> = terms
        .iter()
        .map(|term| [evaluation_point(term, from), evaluation_point(term, to)])
        .collect();
    let mut paths: Vec<Path<'_>> = ends.iter().map(|[from, to]| Path { from, to }).collect();
    if terms.iter().all(|term| term.fraction != 1.0) {
        paths.push(Path { from, to });
    }
    Some(f(&paths))
}

#[cfg(test)]
mod tests;
