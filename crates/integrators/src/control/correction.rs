//! Velocities corrected by a known change, `v = w - alpha dv`, with alpha = 1 or such that the energy meets its target.

use crate::control::alpha_rule::{Aim, AlphaRule, EnergyCurve, Group};
use crate::control::frictional::Frictional;
use crate::control::rest;
use crate::control::spin::Spins;
use crate::control::target::{EnergyTarget, distribute};
use crate::error::StepError;
use crate::methods::energy_limit::limit_energy;
use crate::step::memory::EnergyControl;
use crate::step::{AlphaOutcome, GroupAlpha, Rest};
use crate::step::{Heat, Step, StepEnd};
use resile_math::Vec3;
use resile_system::{Links, State};

/// A solved step before the correction of its velocity.
pub(crate) struct Correction {
    /// The end of the step, with the mean velocities `w`; without heat of friction and damping if there is friction.
    pub(crate) end: StepEnd,
    /// Velocity subtracted from `w` at alpha = 1 (m/s).
    pub(crate) dv: Vec<Vec3>,
    /// `h m^-1 grad P` at the end (m/s), which determines the oscillation of the energy; zero if unknown.
    pub(crate) impulse: Vec<Vec3>,
    /// Work (J) on each body that is not along the displacements (`varying_loads.rs`); empty if there is none.
    pub(crate) work_correction: Vec<f64>,
    /// Pairs of bodies that exchanged force.
    pub(crate) links: Links,
    /// Angular momenta to conserve in steps without friction.
    pub(crate) spins: Spins,
    /// The solve for velocities that obey Coulomb's law, in steps with friction.
    pub(crate) frictional: Option<Frictional>,
}

/// Quantities of an update of the energy targets.
struct TargetUpdate {
    /// External work (J) on each body in the step.
    work: Vec<f64>,
    /// The decay factor of the targets.
    decay: f64,
}

/// Energies (J) of all bodies at the end of a step with corrected velocities, in the frames in which energies are
/// measured.
struct EndEnergies {
    kinetic: Vec<f64>,
    /// Potential plus kinetic energy.
    total: Vec<f64>,
    /// The part of the kinetic energy in the frame of the ground that is due to the motion of the co-moving frame.
    translation: Vec<f64>,
    /// Heat of the corrected velocities from the energy of each body.
    losses: Vec<f64>,
    /// The decay factor of the targets.
    decay: f64,
}

impl EndEnergies {
    /// The energies for the `potential` (J) of each body and velocities `v` (m/s) of all nodes.
    fn new(step: &Step<'_>, potential: &[f64], v: &[Vec3], losses: Vec<f64>, decay: f64) -> Self {
        let kinetic = step.kinetic(v);
        let total = potential.iter().zip(&kinetic).map(|(p, k)| p + k).collect();
        let translation = step.co_moving.translation_energy(&step.system, v);
        Self { kinetic, total, translation, losses, decay }
    }

    /// The alpha of a group with its energy and target, which are distributed over the bodies in `control`.
    fn distribute_target(
        &self,
        group: &Group,
        choice: &AlphaChoice,
        control: &mut [EnergyControl],
    ) -> GroupAlpha {
        let sum = |quantity: &dyn Fn(usize) -> f64| {
            group.bodies.iter().map(|&b| quantity(b)).sum::<f64>()
        };
        let group_loss = sum(&|b| self.losses[b]);
        let alpha = GroupAlpha {
            alpha: choice.alpha,
            outcome: choice.outcome,
            energy: sum(&|b| self.total[b]),
            target: sum(&|b| control[b].target),
            bodies: group.bodies.clone(),
        };
        let mean = choice.mean - self.decay * group_loss;
        distribute(&alpha, mean, &self.total, &self.kinetic, control);
        alpha
    }

    /// Transforms the energy and the target of a group to the frame of the ground.
    fn in_ground_frame(&self, alpha: GroupAlpha) -> GroupAlpha {
        let translation: f64 = alpha.bodies.iter().map(|&b| self.translation[b]).sum();
        let [energy, target] = [alpha.energy, alpha.target].map(|energy| energy + translation);
        GroupAlpha { energy, target, ..alpha }
    }
}

/// Marks the groups with a body that is `impacted`, by body; empty if no pair has a coefficient of restitution.
fn mark_bouncing(impacted: &[bool], groups: &mut [Group]) {
    for group in groups.iter_mut().filter(|_| !impacted.is_empty()) {
        group.bounces |= group.bodies.iter().any(|&b| impacted[b]);
    }
}

/// Velocities with an alpha for each group.
pub(crate) struct Corrected {
    /// The corrected velocities (m/s).
    pub(crate) velocities: Vec<Vec3>,
    /// Heat of friction and damping.
    pub(crate) heat: Heat,
    /// One entry per group.
    pub(crate) alphas: Vec<AlphaChoice>,
}

/// The alpha of a group and the outcome of its search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AlphaChoice {
    /// The fraction of the correction.
    pub(crate) alpha: f64,
    /// The outcome of the search.
    pub(crate) outcome: AlphaOutcome,
    /// Mean energy after the step (J), without the losses of this step.
    pub(crate) mean: f64,
}

impl Correction {
    /// The end of the step with alpha = 1 for all groups.
    pub(crate) fn with_alpha_one(self) -> StepEnd {
        let mut end = self.end;
        end.state.velocities.iter_mut().zip(&self.dv).for_each(|(v, dv)| *v -= *dv);
        end
    }

    /// The end of the step with the alpha of each group that meets its energy target. `control` is the control of each
    /// body at the start.
    ///
    /// # Errors
    /// If friction at the end velocities cannot be solved for.
    pub(crate) fn with_searched_alphas(
        self,
        step: &mut Step<'_>,
        target: &EnergyTarget,
        rule: AlphaRule,
        mut control: Vec<EnergyControl>,
    ) -> Result<StepEnd, StepError> {
        let TargetUpdate { work, decay } = self.transform_targets(step, target, &mut control);
        let potential = step.system.potential_by_body(step.end_time(), &self.end.state.positions);
        EnergyControl::include_potential(&potential, &mut control);
        let rest_criteria = self.rest_criteria(step, &work, &mut control);
        let mut groups = self.groups(step, target, &control, &potential, &rest_criteria);
        let (corrected, impacted) =
            self.correct_around_impacts(step, rule, &mut groups, &potential, decay)?;
        let mut end = self.end;
        end.impacted = Some(impacted);
        end.state.velocities = corrected.velocities;
        end.heat += &step.co_moving.heat_in_ground_frame(&corrected.heat);
        for (body, loss) in control.iter_mut().zip(&corrected.heat.from_bodies) {
            body.target -= decay * loss;
            body.mean -= decay * loss;
        }
        for body in step.flight.supported_bodies() {
            let max_kinetic = control[body].target - potential[body];
            limit_energy(step, body, max_kinetic, &mut end.state.velocities);
        }
        let losses = corrected.heat.from_bodies;
        let energies = EndEnergies::new(step, &potential, &end.state.velocities, losses, decay);
        for (group, choice) in groups.iter().zip(&corrected.alphas) {
            let alpha = energies.distribute_target(group, choice, &mut control);
            if group.rests {
                let (x, bodies) = (&end.state.positions, &group.bodies);
                let rest_losses =
                    rest::reset_targets(step, x, bodies, &energies.total, &mut control);
                end.rest_loss.iter_mut().zip(rest_losses).for_each(|(sum, loss)| *sum += loss);
                bodies.iter().for_each(|&b| end.resting[b] = rest_criteria[b]);
            }
            end.alphas.push(energies.in_ground_frame(alpha));
        }
        step.co_moving.to_ground_frame(&step.system, &end.state.velocities, &mut control);
        EnergyControl::remember(&control, &mut end.state.memory);
        let work = step.work_in_ground_frame(&work, &self.work_correction, &end.state, &end.heat);
        Ok(StepEnd { work: Some(work), ..end })
    }

    /// The [criterion](rest::rest_criteria) by which each body rests, for external `work` (J) on the bodies. Records
    /// contact with friction and unresolved steps in `control`.
    fn rest_criteria(
        &self,
        step: &Step<'_>,
        work: &[f64],
        control: &mut [EnergyControl],
    ) -> Vec<Option<Rest>> {
        let State { positions, velocities, .. } = &self.end.state;
        let (motion_energies, correction_energies) =
            (step.kinetic(velocities), step.system.kinetic_by_body(&self.dv));
        if self.frictional.is_some() {
            rest::record_friction_contact(&self.links, control);
        }
        let links = &self.links;
        rest::rest_criteria(
            step,
            positions,
            work,
            &motion_energies,
            &correction_energies,
            links,
            control,
        )
    }

    /// The groups of bodies with one alpha each, with the sums of the `potential` (J) and the `control` of their bodies.
    fn groups(
        &self,
        step: &Step<'_>,
        target: &EnergyTarget,
        control: &[EnergyControl],
        potential: &[f64],
        rest_criteria: &[Option<Rest>],
    ) -> Vec<Group> {
        let oscillations = self.energy_oscillation(step);
        let group = |bodies: Vec<usize>| {
            let is_touching = bodies.iter().any(|&b| self.links.touches(b));
            let oscillation =
                if is_touching { 0.0 } else { bodies.iter().map(|&b| oscillations[b]).sum() };
            Group {
                rests: bodies.iter().all(|&b| rest_criteria[b].is_some()),
                oscillation,
                ..Group::new(bodies, control, potential, &self.links)
            }
        };
        target.groups(&self.links, control.len()).into_iter().map(group).collect()
    }

    /// Sets the co-moving frames of the bodies that exchanged forces, transforms `control` to these frames, and
    /// advances its targets to the end of the step.
    fn transform_targets(
        &self,
        step: &mut Step<'_>,
        target: &EnergyTarget,
        control: &mut [EnergyControl],
    ) -> TargetUpdate {
        let State { positions, velocities, .. } = &self.end.state;
        step.set_co_moving_frames(&self.links);
        step.co_moving.to_moving_frames(&step.system, &step.state.velocities, control);
        let mut work = step.work(positions);
        for corrections in [&self.work_correction, &step.support_lag_work(positions)] {
            work.iter_mut().zip(corrections).for_each(|(work, correction)| *work += correction);
        }
        let damping_heat = step.co_moving.heat_in_moving_frames(&self.end.heat).from_bodies;
        let flight_energy = step.co_moving.flight_energy(&step.system, velocities);
        let decay = target.advance(step, [&work, &damping_heat, &flight_energy], control);
        TargetUpdate { work, decay }
    }

    /// `S = h/2 g . (v - h/2 m^-1 g)` (J) of each body, the oscillation of its energy at alpha = 1
    /// ([`Control::Filtered`]).
    ///
    /// [`Control::Filtered`]: crate::Control::Filtered
    fn energy_oscillation(&self, step: &Step<'_>) -> Vec<f64> {
        let system = &step.system;
        let masses = system.masses();
        let w = step.co_moving.relative(system, &self.end.state.velocities);
        let node_oscillation = |i: usize| {
            let (v, impulse) = (w[i] - self.dv[i], system.free_part(i, self.impulse[i]));
            0.5 * masses[i] * impulse.dot(v - 0.5 * impulse)
        };
        system.sum_by_body(node_oscillation)
    }

    /// [Corrects](Self::correct) the velocities of all groups but those with an impacted body, which it marks. Returns whether
    /// each body is impacted, too. The correction can throw off what an impact has stored in the barrier: bodies that
    /// separate by it are impacted, and the others are corrected again.
    ///
    /// # Errors
    /// If friction at the end velocities cannot be solved for.
    fn correct_around_impacts(
        &self,
        step: &mut Step<'_>,
        rule: AlphaRule,
        groups: &mut [Group],
        potential: &[f64],
        decay: f64,
    ) -> Result<(Corrected, Vec<bool>), StepError> {
        let State { positions: x, velocities: w, .. } = &self.end.state;
        let impacted = step.impacted(x, w);
        mark_bouncing(&impacted, groups);
        let corrected = self.correct(step, rule, groups, potential, decay)?;
        let impacted_with_correction = step.impacted(x, &corrected.velocities);
        if impacted_with_correction == impacted {
            return Ok((corrected, impacted));
        }
        mark_bouncing(&impacted_with_correction, groups);
        let corrected = self.correct(step, rule, groups, potential, decay)?;
        Ok((corrected, impacted_with_correction))
    }

    /// Corrects the velocities of all `groups` by `rule`. `potential` is the potential energy (J) of each body, and `decay` the
    /// decay factor of the targets.
    ///
    /// # Errors
    /// If friction at the end velocities cannot be solved for.
    fn correct(
        &self,
        step: &mut Step<'_>,
        rule: AlphaRule,
        groups: &[Group],
        potential: &[f64],
        decay: f64,
    ) -> Result<Corrected, StepError> {
        match &self.frictional {
            None => Ok(self.correct_without_friction(step, rule, groups, potential)),
            Some(frictional) => frictional.search(step, &self.dv, rule, groups, decay),
        }
    }

    /// Corrects the velocities of a step without friction, in which the energy of a group is a quadratic function of
    /// alpha. `potential` is the potential energy (J) of each body. Angular momenta are conserved where the energy permits.
    fn correct_without_friction(
        &self,
        step: &Step<'_>,
        rule: AlphaRule,
        groups: &[Group],
        potential: &[f64],
    ) -> Corrected {
        let plain_curves = EnergyCurves::new(step, potential, &self.end.state.velocities, &self.dv);
        let spin_curves = (!self.spins.is_empty()).then(|| {
            let (mut w, mut dv) = (self.end.state.velocities.clone(), self.dv.clone());
            self.spins.correct(&mut w, &mut dv);
            EnergyCurves::new(step, potential, &w, &dv)
        });
        let mut velocities = self.end.state.velocities.clone();
        let mut alphas = Vec::new();
        for group in groups {
            let (mut curves, mut result) = (&plain_curves, plain_curves.search(rule, group));
            if let Some(spin_curves) = &spin_curves {
                let spin_result = spin_curves.search(rule, group);
                // Energy has priority: angular momenta are not conserved if that needs more energy than is available.
                if spin_result.excess <= result.excess.max(0.0) {
                    (curves, result) = (spin_curves, spin_result);
                }
            }
            for node in group.bodies.iter().flat_map(|&b| step.system.nodes(b)) {
                velocities[node] = curves.w[node] - result.choice.alpha * curves.dv[node];
            }
            alphas.push(result.choice);
        }
        Corrected { velocities, heat: Heat::none(potential.len()), alphas }
    }
}

/// `H(alpha)` of each body, for velocities `w - alpha dv`.
struct EnergyCurves {
    /// Velocities (m/s) at alpha = 0.
    w: Vec<Vec3>,
    /// Velocities (m/s) at alpha = 0 minus those at alpha = 1.
    dv: Vec<Vec3>,
    /// The curve of each body.
    body_curves: Vec<EnergyCurve>,
}

/// The result of a search for the alpha of a group.
struct CurveSearch {
    choice: AlphaChoice,
    /// Excess (J) of the energy over its goal; zero within rounding, below the goal and without a goal.
    excess: f64,
}

/// The relative rounding of an energy.
const ENERGY_ROUNDING: f64 = 1e-12;

impl EnergyCurves {
    /// The curves for the `potential` (J) of each body, in the frames in which energies are measured.
    fn new(step: &Step<'_>, potential: &[f64], w: &[Vec3], dv: &[Vec3]) -> Self {
        let system = &step.system;
        let relative = step.co_moving.relative(system, w);
        let kinetic = system.kinetic_by_body(&relative);
        let ground_kinetic = system.kinetic_by_body(w);
        let quadratic = system.kinetic_by_body(dv);
        let linear = system.sum_by_body(|i| system.masses()[i] * relative[i].dot(dv[i]));
        let body_curve = |b: usize| EnergyCurve {
            constant: potential[b] + kinetic[b],
            linear: linear[b],
            quadratic: quadratic[b],
            kinetic: kinetic[b].max(ground_kinetic[b]),
        };
        let body_curves = (0..potential.len()).map(body_curve).collect();
        Self { w: w.to_vec(), dv: dv.to_vec(), body_curves }
    }

    /// Searches for the alpha of a group under `rule`.
    fn search(&self, rule: AlphaRule, group: &Group) -> CurveSearch {
        let curve = EnergyCurve::sum(group.bodies.iter().map(|&b| &self.body_curves[b]));
        let aim = rule.aim(group, curve.energy_at(1.0));
        let (alpha, outcome) = match (group.is_uncorrected(), aim) {
            (true, _) => (0.0, group.uncorrected_outcome()),
            (false, Aim { goal: None, .. }) => (1.0, AlphaOutcome::Free),
            (false, Aim { goal: Some(goal), outcome_if_met, .. }) => {
                let (alpha, outcome) = curve.search(goal, rule.limits);
                (alpha, if outcome == AlphaOutcome::Met { outcome_if_met } else { outcome })
            }
        };
        let energy = curve.energy_at(alpha);
        let excess = aim.goal.map_or(0.0, |goal| {
            let difference = energy - goal;
            if difference > ENERGY_ROUNDING * energy.abs() { difference } else { 0.0 }
        });
        let choice = AlphaChoice { alpha, outcome, mean: rule.mean_after(&aim, energy) };
        CurveSearch { choice, excess }
    }
}
