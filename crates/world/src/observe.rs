//! Observations of a state and of a step: energies of each body, and certificates.

use super::island::Advance;
use super::retry::Retried;
use resile_integrators::{GroupAlpha, Integrator, Rest};
use resile_solver::SolveReport;
use resile_system::{Certificate, State, System};

/// Energies of one body (J).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BodyEnergies {
    /// Of its free nodes.
    pub kinetic: f64,
    /// Of its own terms, and its share of those between bodies.
    pub potential: f64,
    /// Its share of the energy target, for methods that control energy.
    pub target: Option<f64>,
}

/// Observations of an island, made while its terms are in place.
#[derive(Debug, Clone)]
pub(super) struct IslandObservation {
    bodies: Vec<BodyEnergies>,
    terms: Vec<(String, f64)>,
    certificate: Certificate,
    /// The first body, as the island numbers them, with an inverted element that its material
    /// forbids, and the smallest determinant in it.
    pub(super) inverted: Option<(usize, f64)>,
}

impl IslandObservation {
    /// The first body, as the island numbers them, of which an energy is infinite or not a number.
    pub(super) fn without_energy(&self) -> Option<usize> {
        self.bodies.iter().position(|body| !(body.kinetic + body.potential).is_finite())
    }
}

/// What can be told of an island whose state this is.
pub(super) fn observe(
    system: &mut System,
    state: &State,
    integrator: &dyn Integrator,
) -> IslandObservation {
    let targets = integrator.energy_targets(state);
    let system = system.at(state.time, &state.positions);
    let potential = system.potential_by_body(&state.positions);
    let kinetic = system.kinetic_by_body(&state.velocities);
    let target = |b: usize| targets.as_ref().map(|targets| targets[b]);
    let certificate = system.certificate(&state.positions);
    let inverted = certificate.inverted.then(|| {
        let own = |b: usize| system.own_certificate(b, &state.positions);
        let mut all = (0..kinetic.len()).map(|b| (b, own(b)));
        all.find(|(_, own)| own.inverted).map(|(b, own)| (b, own.min_det_f))
    });
    let of_body =
        |b| BodyEnergies { kinetic: kinetic[b], potential: potential[b], target: target(b) };
    IslandObservation {
        bodies: (0..kinetic.len()).map(of_body).collect(),
        terms: system.potential_by_term(&state.positions),
        certificate,
        inverted: inverted.flatten(),
    }
}

/// Observations of a state of the world.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// Energies of each body.
    pub bodies: Vec<BodyEnergies>,
    /// Potential by name of term (J), in the order of first appearance.
    pub terms: Vec<(String, f64)>,
    /// Smallest distance, smallest det F, number of pairs in contact.
    pub certificate: Certificate,
}

impl Observed {
    pub(super) fn new(bodies: usize) -> Self {
        Self {
            bodies: vec![BodyEnergies::default(); bodies],
            terms: Vec::new(),
            certificate: Certificate::NOTHING,
        }
    }

    pub(super) fn add(&mut self, bodies: &[usize], island: &IslandObservation) {
        for (&b, energies) in bodies.iter().zip(&island.bodies) {
            self.bodies[b] = *energies;
        }
        for (name, value) in &island.terms {
            match self.terms.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += value,
                None => self.terms.push((name.clone(), *value)),
            }
        }
        self.certificate = self.certificate.and(island.certificate);
    }

    /// Takes in kinematic bodies: they have no energy, so that is what energy control wants
    /// of them where it is at work.
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

/// One step of the world.
#[derive(Debug, Clone)]
pub struct StepRecord {
    /// The state after it.
    pub observed: Observed,
    /// The smallest substep that any island took (s); the step itself if nothing was solved.
    pub smallest_step: f64,
    /// Heat that friction, damping and plastic flow made at each body (J), of the work of prescribed motions too.
    pub dissipated: Vec<f64>,
    /// Of that the work of plastic flow in each body (J).
    pub plastic: Vec<f64>,
    /// Of that the heat of damping inside each body (J).
    pub damping: Vec<f64>,
    /// Of that the heat of impacts with a coefficient of restitution (J).
    pub contact: Vec<f64>,
    /// Energy that the rule of rest took of each body (J), which is no part of `dissipated`.
    pub rest_loss: Vec<f64>,
    /// Why each body rests, if it does.
    pub resting: Vec<Option<Rest>>,
    /// Kinetic energy of the mean velocity of each body in the step (J), beside that of the velocities at its
    /// end in `observed`; where the step was divided, the mean over its parts.
    pub motion: Vec<f64>,
    /// Work done on each body by what is kinematic (J).
    pub work: Vec<f64>,
    /// Each group of bodies that shared an alpha, with the world's numbers.
    pub alphas: Vec<GroupAlpha>,
    /// Bodies of each island, ascending.
    pub islands: Vec<Vec<usize>>,
    /// Iterations of the island that needed most: islands are solved
    /// side by side.
    pub iterations: usize,
    /// The solver's work summed over islands; its residual is the largest, as a
    /// velocity (m/s).
    pub solve: SolveReport,
    /// What was taken again: merges of islands first, then what each island did, in the order of `islands`.
    pub retries: Vec<Retried>,
}

impl StepRecord {
    pub(super) fn new<'a>(
        body_count: usize,
        h: f64,
        islands: impl Iterator<Item = (&'a Vec<usize>, Advance)>,
    ) -> Self {
        let mut record = Self {
            observed: Observed::new(body_count),
            smallest_step: h,
            dissipated: vec![0.0; body_count],
            plastic: vec![0.0; body_count],
            damping: vec![0.0; body_count],
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
        };
        for (bodies, advance) in islands {
            record.observed.add(bodies, &advance.observation);
            record.smallest_step = record.smallest_step.min(advance.smallest_step);
            for (k, &b) in bodies.iter().enumerate() {
                record.dissipated[b] = advance.report.dissipated[k];
                record.plastic[b] = advance.report.plastic[k];
                record.damping[b] = advance.report.damping[k];
                record.contact[b] = advance.report.contact[k];
                record.rest_loss[b] = advance.report.rest_loss[k];
                record.resting[b] = advance.report.resting[k];
                record.motion[b] = advance.report.motion[k] / h;
                record.work[b] = advance.report.work[k];
            }
            record.alphas.extend(advance.report.alphas.into_iter().filter_map(|group| {
                // Behind the bodies come copies of kinematic ones, which no alpha moves.
                let bodies: Vec<usize> =
                    group.bodies.iter().filter_map(|&k| bodies.get(k).copied()).collect();
                (!bodies.is_empty()).then_some(GroupAlpha { bodies, ..group })
            }));
            record.iterations = record.iterations.max(advance.report.solve.iterations);
            record.solve.absorb(&advance.report.solve);
            let retries = advance.retries.into_iter();
            let own = |(retry, step)| Retried { retry, bodies: bodies.clone(), step };
            record.retries.extend(retries.map(own));
            record.islands.push(bodies.clone());
        }
        record
    }

    /// The alpha that stands for the step: of the groups that missed their target
    /// the one whose alpha is farthest from one, else of all groups. So a value
    /// strictly within the limits says that every group met its target, but for those
    /// in free flight, which no alpha can lead.
    pub fn alpha(&self) -> Option<f64> {
        use resile_integrators::AlphaOutcome::{Clipped, Closest, Powerless};
        let farthest = |groups: &mut dyn Iterator<Item = &GroupAlpha>| {
            groups
                .map(|group| group.alpha)
                .reduce(|a, b| if (b - 1.0).abs() > (a - 1.0).abs() { b } else { a })
        };
        let missed = |group: &&GroupAlpha| matches!(group.outcome, Clipped | Closest);
        farthest(&mut self.alphas.iter().filter(missed))
            .or_else(|| farthest(&mut self.alphas.iter().filter(|g| g.outcome != Powerless)))
    }
}
