//! Observations of a state and of a step: energies of each body, and certificates.

use super::island::{Advance, joined_state, joints_between};
use super::island_graph::IslandBodies;
use super::retry::Retried;
use super::{World, kinematic};
use resile_integrators::{GroupAlpha, Integrator, Rest};
use resile_solver::SolveReport;
use resile_system::{Certificate, Coupling, Energy, Path, State, System};
use std::sync::Arc;

/// Energies of one body (J).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BodyEnergies {
    /// Kinetic energy of its free nodes.
    pub kinetic: f64,
    /// Potential energy of its own terms, and its part of that of the terms between bodies.
    pub potential: f64,
    /// Its part of the energy target, for methods that control energy.
    pub target: Option<f64>,
}

/// Observations of an island, made while its terms are assembled.
#[derive(Debug, Clone)]
pub(super) struct IslandObservation {
    bodies: Vec<BodyEnergies>,
    /// Potential (J) by name of term.
    terms: Vec<(String, f64)>,
    certificate: Certificate,
    /// First body (by its index in the island) with inverted elements that its material forbids. It is not determined
    /// by an observation without a step.
    pub(super) inverted: Option<InvertedBody>,
}

/// A body with inverted elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct InvertedBody {
    /// Index of the body.
    pub(super) body: usize,
    /// Lower bound of det F in the body.
    pub(super) min_det_f: f64,
}

impl IslandObservation {
    /// First body (index in the island) whose energy is infinite or NaN.
    pub(super) fn body_of_infinite_energy(&self) -> Option<usize> {
        self.bodies.iter().position(|body| !(body.kinetic + body.potential).is_finite())
    }
}

/// Observes the `state` of an island after a step of `integrator`.
pub(super) fn observe(
    system: &mut System,
    state: &State,
    integrator: &dyn Integrator,
) -> IslandObservation {
    let system = system.at(&state.positions);
    let potential = system.potential_by_body(state.time, &state.positions);
    let kinetic = system.kinetic_by_body(&state.velocities);
    let certificate = system.certificate(&state.positions);
    let inverted_body = |body: usize| {
        let Certificate { inverted, min_det_f, .. } =
            system.own_certificate(body, &state.positions);
        inverted.then_some(InvertedBody { body, min_det_f })
    };
    let mut bodies = 0..kinetic.len();
    let inverted = if certificate.inverted { bodies.find_map(inverted_body) } else { None };
    IslandObservation {
        bodies: body_energies(&kinetic, &potential, integrator.energy_targets(state)),
        terms: system.potential_by_term(state.time, &state.positions),
        certificate,
        inverted,
    }
}

impl World {
    /// Observes the present state without a step.
    pub fn observe(&self) -> Observed {
        let mut observed = Observed::new(self.members.len());
        for group in self.predicted_islands(0.0, &[]).groups() {
            observed.add(&group.bodies, &self.observe_island(&group));
        }
        observed.add_kinematic(&self.kinematic_bodies());
        observed
    }

    /// Observes an island without moving its bodies; the result is bitwise that of [`observe`]. The energies of bodies are
    /// evaluated in place, so that only their nodes and masses are copied.
    fn observe_island(&self, group: &IslandBodies) -> IslandObservation {
        let state = joined_state(group, &self.members);
        let copies = group
            .all_bodies()
            .iter()
            .map(|&b| kinematic::without_terms(&self.members[b].body))
            .collect();
        let system = System::new(copies);
        let mut couplings: Vec<Box<dyn Coupling>> = Vec::new();
        if let Some(collisions) = &self.collisions {
            let bodies = group.all_bodies();
            if let Some(adhesion) = collisions.adhesion(&system, &bodies) {
                couplings.push(Box::new(adhesion));
            }
            couplings.push(Box::new(collisions.contact(&system, &bodies)));
        }
        if let Some(joints) = joints_between(&system, group, &self.joints) {
            couplings.push(Box::new(joints));
        }
        for coupling in &mut couplings {
            coupling.search(&[Path::at(&state.positions)]);
        }
        let energies_by_body: Vec<Vec<Arc<dyn Energy>>> =
            group.bodies.iter().map(|&b| self.members[b].energies()).collect();
        observe_in_place(&energies_by_body, &couplings, &system, &state, &*self.integrator)
    }
}

/// Observes an island in `state`, whose simulated bodies have the energies `energies_by_body`; kinematic bodies follow.
/// `couplings` are the terms between bodies, searched at this state. `system` has the same bodies without their terms.
fn observe_in_place(
    energies_by_body: &[Vec<Arc<dyn Energy>>],
    couplings: &[Box<dyn Coupling>],
    system: &System,
    state: &State,
    integrator: &dyn Integrator,
) -> IslandObservation {
    let (time, x) = (state.time, &state.positions);
    let kinetic = system.kinetic_by_body(&state.velocities);
    let mut potential = vec![0.0; kinetic.len()];
    let mut terms: Vec<(String, f64)> = Vec::new();
    let mut certificate = Certificate::NOTHING;
    for (b, energies) in energies_by_body.iter().enumerate() {
        let x = &x[system.nodes(b)];
        let values: Vec<f64> = energies.iter().map(|energy| energy.value(time, x)).collect();
        potential[b] = values.iter().sum();
        let names = energies.iter().map(|energy| energy.name());
        names.zip(values).for_each(|(name, value)| add_term(&mut terms, name, value));
        let certificates = energies.iter().map(|energy| energy.certificate(x));
        certificate =
            certificate.merge(certificates.fold(Certificate::NOTHING, Certificate::merge));
    }
    for coupling in couplings {
        coupling.add_energy_by_body(time, x, &mut potential);
        add_term(&mut terms, coupling.name(), coupling.value(time, x));
        certificate = certificate.merge(coupling.certificate(x));
    }
    IslandObservation {
        bodies: body_energies(&kinetic, &potential, integrator.energy_targets(state)),
        terms,
        certificate,
        inverted: None,
    }
}

/// The energies of all bodies, from their kinetic and potential energies (J) and energy targets (J), if there are any.
fn body_energies(
    kinetic: &[f64],
    potential: &[f64],
    targets: Option<Vec<f64>>,
) -> Vec<BodyEnergies> {
    let energies = |b: usize| BodyEnergies {
        kinetic: kinetic[b],
        potential: potential[b],
        target: targets.as_ref().map(|targets| targets[b]),
    };
    (0..kinetic.len()).map(energies).collect()
}

/// Adds the energy (J) of a term to the sum for its name.
fn add_term(terms: &mut Vec<(String, f64)>, name: &str, value: f64) {
    match terms.iter_mut().find(|(term, _)| term == name) {
        Some((_, sum)) => *sum += value,
        None => terms.push((name.to_owned(), value)),
    }
}

/// Observations of a state of the world.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// Energies of each body.
    pub bodies: Vec<BodyEnergies>,
    /// Potential by name of term (J), in the order of first appearance.
    pub terms: Vec<(String, f64)>,
    /// Smallest distance, smallest det F and number of pairs in contact.
    pub certificate: Certificate,
}

impl Observed {
    /// Observations of a world of `bodies` bodies, none of which has been added.
    pub(super) fn new(bodies: usize) -> Self {
        Self {
            bodies: vec![BodyEnergies::default(); bodies],
            terms: Vec::new(),
            certificate: Certificate::NOTHING,
        }
    }

    /// Adds an island with these bodies.
    pub(super) fn add(&mut self, bodies: &[usize], island: &IslandObservation) {
        for (&b, energies) in bodies.iter().zip(&island.bodies) {
            self.bodies[b] = *energies;
        }
        island.terms.iter().for_each(|(name, value)| add_term(&mut self.terms, name, *value));
        self.certificate = self.certificate.merge(island.certificate);
    }

    /// Adds kinematic bodies. They have no energy, so their energy target is zero if energy is controlled.
    pub(super) fn add_kinematic(&mut self, kinematic: &[usize]) {
        if self.bodies.iter().any(|body| body.target.is_some()) {
            kinematic.iter().for_each(|&b| self.bodies[b].target = Some(0.0));
        }
    }

    /// Kinetic energy (J).
    pub fn kinetic(&self) -> f64 {
        self.bodies.iter().map(|body| body.kinetic).sum()
    }

    /// Potential energy (J).
    pub fn potential(&self) -> f64 {
        self.bodies.iter().map(|body| body.potential).sum()
    }

    /// Kinetic and potential energy (J).
    pub fn total(&self) -> f64 {
        self.bodies.iter().map(|body| body.kinetic + body.potential).sum()
    }

    /// The energy target (J), if energy is controlled.
    pub fn target(&self) -> Option<f64> {
        self.bodies.iter().map(|body| body.target).sum()
    }
}

/// Record of one step of the world.
#[derive(Debug, Clone)]
pub struct StepRecord {
    /// Observations of the state after the step.
    pub observed: Observed,
    /// Smallest substep of any island (s); the step itself if nothing was solved.
    pub smallest_step: f64,
    /// Largest distance (m) of a prescribed node from its target after the step.
    pub prescribed_lag: f64,
    /// Largest last step of a solve over the length of its substep (m/s); zero if nothing was solved.
    pub last_step_speed: f64,
    /// Heat from friction, damping and plastic flow at each body (J), including that from the work of prescribed
    /// motions.
    pub dissipated: Vec<f64>,
    /// The part of `dissipated` by plastic flow for each body (J).
    pub plastic: Vec<f64>,
    /// The part of `dissipated` by damping within each body (J).
    pub damping: Vec<f64>,
    /// The part of `dissipated` by contact damping for each body (J).
    pub contact_damping: Vec<f64>,
    /// The part of `dissipated` by impacts with a coefficient of restitution for each body (J).
    pub contact: Vec<f64>,
    /// Energy removed from each body by the rest rule (J), not included in `dissipated`.
    pub rest_loss: Vec<f64>,
    /// Reason why each body is at rest, if it is.
    pub resting: Vec<Option<Rest>>,
    /// Kinetic energy of the mean velocity of each body in the step (J), in contrast to that of the final
    /// velocities in `observed`. If the step was divided, the mean over its parts.
    pub motion: Vec<f64>,
    /// External work of prescribed motions and moving targets on each body (J).
    pub work: Vec<f64>,
    /// Groups of bodies that shared an alpha, with indices in the world.
    pub alphas: Vec<GroupAlpha>,
    /// Bodies of each island, ascending.
    pub islands: Vec<Vec<usize>>,
    /// Largest number of iterations of an island: islands are solved in parallel.
    pub iterations: usize,
    /// Work of the solver, summed over islands and substeps.
    pub solve: SolveReport,
    /// Retries: merges of islands first, then the retries of each island, in the order of `islands`.
    pub retries: Vec<Retried>,
}

impl StepRecord {
    /// Sums the results of all islands of a step of `h` (s), each with its bodies.
    pub(super) fn new<'a>(
        body_count: usize,
        h: f64,
        islands: impl Iterator<Item = (&'a Vec<usize>, Advance)>,
    ) -> Self {
        let mut record = Self::without_islands(body_count, h);
        islands.for_each(|(bodies, advance)| record.add_island(bodies, advance, h));
        record
    }

    /// The record of a step of `h` (s) of a world of `body_count` bodies in which nothing was solved.
    fn without_islands(body_count: usize, h: f64) -> Self {
        Self {
            observed: Observed::new(body_count),
            smallest_step: h,
            prescribed_lag: 0.0,
            last_step_speed: 0.0,
            dissipated: vec![0.0; body_count],
            plastic: vec![0.0; body_count],
            damping: vec![0.0; body_count],
            contact_damping: vec![0.0; body_count],
            contact: vec![0.0; body_count],
            rest_loss: vec![0.0; body_count],
            resting: vec![None; body_count],
            motion: vec![0.0; body_count],
            work: vec![0.0; body_count],
            alphas: Vec::new(),
            islands: Vec::new(),
            iterations: 0,
            solve: SolveReport::default(),
            retries: Vec::new(),
        }
    }

    /// Adds the result of an island with these bodies in a step of `h` (s).
    fn add_island(&mut self, bodies: &[usize], advance: Advance, h: f64) {
        let Advance {
            report,
            smallest_step,
            last_step_speed,
            prescribed_lag,
            retries,
            observation,
            ..
        } = advance;
        self.observed.add(bodies, &observation);
        self.smallest_step = self.smallest_step.min(smallest_step);
        self.last_step_speed = self.last_step_speed.max(last_step_speed);
        self.prescribed_lag = self.prescribed_lag.max(prescribed_lag);
        for (k, &b) in bodies.iter().enumerate() {
            self.dissipated[b] = report.dissipated[k];
            self.plastic[b] = report.plastic[k];
            self.damping[b] = report.damping[k];
            self.contact_damping[b] = report.contact_damping[k];
            self.contact[b] = report.contact[k];
            self.rest_loss[b] = report.rest_loss[k];
            self.resting[b] = report.resting[k];
            self.motion[b] = report.motion[k] / h;
            self.work[b] = report.work[k];
        }
        self.alphas.extend(report.alphas.into_iter().filter_map(|group| {
            // Copies of kinematic bodies come last; alpha does not affect them.
            let bodies: Vec<usize> =
                group.bodies.iter().filter_map(|&k| bodies.get(k).copied()).collect();
            (!bodies.is_empty()).then_some(GroupAlpha { bodies, ..group })
        }));
        self.iterations = self.iterations.max(report.solve.iterations);
        self.solve.absorb(&report.solve);
        let retried = |(retry, step)| Retried { retry, bodies: bodies.to_vec(), step };
        self.retries.extend(retries.into_iter().map(retried));
        self.islands.push(bodies.to_vec());
    }

    /// Representative alpha of the step: the one farthest from 1, among the groups that missed their target or, if
    /// there are none, among all groups. A value strictly within the limits means that every group met its target.
    /// Groups in free flight are excluded, since alpha cannot influence them.
    pub fn alpha(&self) -> Option<f64> {
        use resile_integrators::AlphaOutcome::{Clipped, Closest, Powerless};
        let missed_target = |group: &&GroupAlpha| matches!(group.outcome, Clipped | Closest);
        let has_influence = |group: &&GroupAlpha| group.outcome != Powerless;
        farthest_from_one(self.alphas.iter().filter(missed_target))
            .or_else(|| farthest_from_one(self.alphas.iter().filter(has_influence)))
    }
}

/// The first of the alphas farthest from 1; `None` without groups.
fn farthest_from_one<'a>(groups: impl Iterator<Item = &'a GroupAlpha>) -> Option<f64> {
    let alphas = groups.map(|group| group.alpha);
    alphas.reduce(|first, next| if (next - 1.0).abs() > (first - 1.0).abs() { next } else { first })
}
