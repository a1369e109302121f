//! Corrected velocities that obey Coulomb's law.
//!
//! The correction replaces the force at the end of a step by a combination of those at both ends: potentials change the
//! velocity by
//!
//! ```text
//! -h m^-1 (alpha grad P(x_n) + (1 - alpha) grad P(x_n+1))
//! ```
//!
//! Friction must be consistent with that, in two respects. Static friction balances the force on a node, so a change of
//! the elastic force alone must not move it. The limit of friction is proportional to the normal force that changes the
//! velocity, so that over an impact or a slide the impulse of friction is mu times that of the normal force for any
//! alpha. The velocity is therefore solved for a second time, without potentials:
//!
//! ```text
//! v(alpha) = argmin 1/2 |v - u(alpha)|_m^2 + h (alpha D_n(v) + (1 - alpha) D_n+1(v)),
//! u(alpha) = v_n - h m^-1 (alpha grad P(x_n) + (1 - alpha) grad P(x_n+1))
//! ```
//!
//! with friction lagged at either end (Li et al. 2020, *Incremental Potential Contact*, section 5) and damping of the
//! start. At rest, where both ends are equal, this is the velocity of implicit Euler for any alpha. Positions are
//! solved with friction lagged at their own end, as a fixed point (section 5.3 there).
//!
//! Friction dissipates the heat `L`, and alpha is such that `P + |v(alpha)|_m^2 / 2 + L(alpha) = E`. In a step that
//! resolves the slip, the estimates
//!
//! ```text
//! L1 = h dD/dv(s) . s,  s = (w_n + w) / 2      L2 = h dD/dv(s) . s,  s = (v_n + v(alpha)) / 2
//! ```
//!
//! agree: the slip by the displacements of two steps, and by velocities. (With `w` alone the heat of a sliding body is
//! less than its loss of kinetic energy, and the search returns the difference as a hop.) In an impact of a few steps
//! parts of a surface slip and stick within a step; then L1 is too large and L2 mostly too small. `L = sqrt(L1 L2)` of
//! each group of bodies is used, which is not negative for any convex D. Viscous forces (damping within bodies and of
//! contacts) dissipate the work of their impulse at the mean velocities `s` of `L2`. The force at one of these velocities times the
//! other one, as in the balance of momentum, can be negative: in an eccentric collision two balls gained 3 % of their
//! energy by it.
//!
//! Bodies with an [elastic inertia](crate::step::elastic_inertia) have its matrix in place of the masses `m`, and `u`
//! is filtered by it. The velocities of their contact points are resolved, so that the impulse `j` of friction
//! dissipates `L = max(-j . v, -j . (v_n + v) / 2)`, as under other one-step methods. (The impulse of a contact follows
//! its displacements by a step, so `L1` is nearly zero where such a body sticks.)
//!
//! A step takes about ten of these solves, with a matrix that is diagonal except for nodes in contact. The initial
//! guess is a solve of friction pair by pair ([relaxation](resile_system::CouplingDissipationPotential::relax)):
//! without it, Newton's method with a common step length takes a hundred iterations if light nodes slip, stick and
//! reverse together.

use crate::control::alpha_rule::{Aim, AlphaRule, Group, MAX_OSCILLATION};
use crate::control::correction::{AlphaChoice, Corrected};
use crate::control::rest::slow_motion_energy;
use crate::control::root::RootNearestOne;
use crate::control::spin::Spins;
use crate::error::StepError;
use crate::methods::one_step::Euler;
use crate::step::AlphaOutcome;
use crate::step::elastic_inertia::ElasticInertia;
use crate::step::memory::Previous;
use crate::step::{Heat, Step};
use resile_math::Vec3;
use resile_system::State;

/// Ratio of the kinetic energies of the correction and of the motion below which the motion is steady.
const MAX_STEADY_CORRECTION: f64 = 0.1;

/// Energy that a step may lose in steady motion, relative to the kinetic energy at the speed that the own forces of a body
/// cause in one step from rest. At an acceleration `a` a step of implicit Euler loses `m (a h)^2 / 2`, and friction up to a
/// coefficient of one makes the acceleration of a sliding body at most sqrt(2) times that by its own forces.
const MAX_SLOW_LOSS: f64 = 2.0;

/// A step of implicit Euler with friction, before the correction.
pub(crate) struct Frictional {
    /// `u(0)` (m/s).
    without_friction: Vec<Vec3>,
    /// The mean velocities of the step (m/s).
    w: Vec<Vec3>,
    /// The mean (m/s) of the mean velocities of the previous step and of this one, at which the dissipation of friction
    /// is evaluated. For nodes in static friction `v_n` would not do: it contains only the correction.
    slip_velocities: Vec<Vec3>,
    /// Potential of each body (J).
    potential: Vec<f64>,
    /// Energy (J) that each body may lose in a step of steady motion at any speed, by [`MAX_SLOW_LOSS`].
    slow_losses: Vec<f64>,
    /// The elastic inertias of bodies, in the order of bodies, so that friction does not excite unresolved modes.
    inertias: Vec<ElasticInertia>,
    /// Angular momenta, which friction must conserve although its points of application are a gap apart.
    spins: Spins,
}

/// The groups for which alphas are searched.
#[derive(Clone, Copy)]
struct SearchedGroups<'a> {
    groups: &'a [Group],
    /// The correction (m/s) of all nodes at alpha = 1.
    dv: &'a [Vec3],
    /// The decay factor of the targets.
    decay: f64,
}

/// The result for a choice of the alpha of each group.
#[derive(Clone)]
struct FrictionalTrial {
    /// The velocities (m/s) with friction.
    velocities: Vec<Vec3>,
    /// The heat of friction and damping.
    heat: Heat,
    /// `P + K + decay L` of each group (J), in the frames in which energies are measured.
    energies: Vec<f64>,
}

impl FrictionalTrial {
    /// Copies the result of group `k` from another trial. A repeated solve would change its energy within the
    /// tolerance.
    fn copy_group(&mut self, step: &Step<'_>, k: usize, group: &Group, other: &Self) {
        self.energies[k] = other.energies[k];
        for &b in &group.bodies {
            self.heat.copy_body(b, &other.heat);
            let nodes = step.system.nodes(b);
            self.velocities[nodes.clone()].copy_from_slice(&other.velocities[nodes]);
        }
    }
}

impl Frictional {
    /// The data of a step after implicit Euler was solved. `end` is its end with the mean velocities, where the system must
    /// be prepared, and `gradient` (N) that of the potentials there.
    pub(crate) fn new(
        step: &Step<'_>,
        euler: &Euler,
        end: &State,
        gradient: &[Vec3],
        mut inertias: Vec<ElasticInertia>,
        spins: Spins,
    ) -> Self {
        let state = step.state;
        let euler_velocities = euler.velocities_from_gradient(step, &end.positions, gradient);
        let previous_means = match Previous::recall(&state.memory) {
            Some(previous) => {
                let mut positions = previous.positions.to_vec();
                step.flight.frame(-previous.step).straighten(&mut positions);
                let pairs = state.positions.iter().zip(positions);
                pairs.map(|(x, previous_x)| (*x - previous_x) / previous.step).collect()
            }
            None => state.velocities.clone(),
        };
        let nodes = 0..gradient.len();
        let node_velocity =
            |i: usize| step.system.compose(i, euler_velocities[i], end.velocities[i]);
        let mut without_friction: Vec<Vec3> = nodes.clone().map(node_velocity).collect();
        for inertia in &mut inertias {
            inertia.filter_change(&end.velocities, &mut without_friction);
        }
        Self {
            without_friction,
            inertias,
            slip_velocities: nodes.map(|i| 0.5 * (previous_means[i] + end.velocities[i])).collect(),
            w: end.velocities.clone(),
            potential: step.system.potential_by_body(end.time, &end.positions),
            slow_losses: slow_losses(step, &end.positions),
            spins,
        }
    }

    /// Searches for the alpha of each group. `dv` (m/s) is the correction at alpha = 1, and `decay` the decay factor of the
    /// targets. Afterwards friction is mixed by these alphas.
    ///
    /// # Errors
    /// If the solve of friction fails.
    pub(crate) fn search(
        &self,
        step: &mut Step<'_>,
        dv: &[Vec3],
        rule: AlphaRule,
        groups: &[Group],
        decay: f64,
    ) -> Result<Corrected, StepError> {
        let searched = SearchedGroups { groups, dv, decay };
        let mut alphas: Vec<f64> =
            groups.iter().map(|group| if group.is_uncorrected() { 0.0 } else { 1.0 }).collect();
        let first_trial = if groups.iter().all(Group::is_uncorrected) {
            self.uncorrected_trial(step, searched)
        } else {
            self.solve_trial(step, searched, &alphas, self.initial_guess(step))?
        };
        let aims: Vec<Aim> = groups
            .iter()
            .zip(&first_trial.energies)
            .map(|(group, energy)| rule.aim(group, *energy))
            .collect();
        let limits = self.alpha_limits(step, searched, rule, &first_trial);
        let new_search = |k: usize| match (groups[k].is_uncorrected(), aims[k].goal) {
            (false, Some(goal)) => Some(RootNearestOne::new(goal, limits[k])),
            _ => None,
        };
        let mut searches: Vec<_> = (0..groups.len()).map(new_search).collect();
        let mut best =
            self.search_roots(step, searched, &mut searches, &mut alphas, first_trial)?;
        self.fall_back(step, searched, &searches, &mut alphas, &mut best);
        Self::mix_friction(step, groups, &alphas);
        let choice = |k: usize| {
            let outcome = alpha_outcome(&groups[k], searches[k].as_ref(), &aims[k]);
            let mean = rule.mean_after(&aims[k], best.energies[k]);
            AlphaChoice { alpha: alphas[k], outcome, mean }
        };
        let choices = (0..groups.len()).map(choice).collect();
        for (group, energy) in groups.iter().zip(&best.energies) {
            limit_heat(group, *energy, decay, &mut best.heat);
        }
        Ok(Corrected { velocities: best.velocities, heat: best.heat, alphas: choices })
    }

    /// Runs the searches of all groups to their ends, with one solve for all groups in each round. `trial` is the result
    /// for the `alphas`, which become those with the best known energies. Returns the results of these.
    ///
    /// # Errors
    /// If the solve of friction fails.
    fn search_roots(
        &self,
        step: &mut Step<'_>,
        searched: SearchedGroups<'_>,
        searches: &mut [Option<RootNearestOne>],
        alphas: &mut [f64],
        mut trial: FrictionalTrial,
    ) -> Result<FrictionalTrial, StepError> {
        let mut best = trial.clone();
        loop {
            let mut is_unfinished = false;
            for (k, search) in searches.iter_mut().enumerate() {
                let Some(search) = search else { continue };
                if search.add_value(alphas[k], trial.energies[k]) {
                    best.copy_group(step, k, &searched.groups[k], &trial);
                }
                alphas[k] = search.next();
                is_unfinished |= !search.is_known(alphas[k]);
            }
            if !is_unfinished {
                return Ok(best);
            }
            trial = self.solve_trial(step, searched, alphas, &trial.velocities)?;
        }
    }

    /// The initial guess of the first solve: sliding friction everywhere. With damping within bodies, the friction of
    /// the solve for positions.
    fn initial_guess(&self, step: &Step<'_>) -> &[Vec3] {
        if step.system.is_damped() { &self.w } else { &self.without_friction }
    }

    /// The limits of alpha of each group; `trial` is the result of alpha = 1. The upper limit is one in steady motion
    /// if the step loses little energy. A rolling or sliding body loses a little energy in contact; an alpha above
    /// one turns that into hops, and at each landing friction dissipates more than the energy of the hop. At the turn of a
    /// block on a slope the loss of a step is a large part of the kinetic energy, and small by [`MAX_SLOW_LOSS`].
    fn alpha_limits(
        &self,
        step: &Step<'_>,
        SearchedGroups { groups, dv, .. }: SearchedGroups<'_>,
        rule: AlphaRule,
        trial: &FrictionalTrial,
    ) -> Vec<[f64; 2]> {
        let (correction_energies, kinetic) =
            (step.system.kinetic_by_body(dv), step.kinetic(&self.w));
        let group_limits = |(group, energy): (&Group, &f64)| {
            let sum = |values: &[f64]| group.bodies.iter().map(|&b| values[b]).sum::<f64>();
            let group_kinetic = sum(&kinetic);
            // A debt of earlier steps is not lost in this one.
            let missing = group.target - energy + group.deviations[0].min(0.0);
            let slow_loss = sum(&self.slow_losses);
            let is_steady = sum(&correction_energies)
                < (MAX_STEADY_CORRECTION * group_kinetic).max(slow_loss)
                && missing < (MAX_OSCILLATION * group_kinetic).max(slow_loss);
            let [min, max] = rule.limits;
            [min, if is_steady { max.min(min.max(1.0)) } else { max }]
        };
        groups.iter().zip(&trial.energies).map(group_limits).collect()
    }

    /// Resets groups whose energy exceeds the goal for all alphas to the velocities of implicit Euler, if these have
    /// less energy. Their friction is that of the solve for positions.
    fn fall_back(
        &self,
        step: &mut Step<'_>,
        searched: SearchedGroups<'_>,
        searches: &[Option<RootNearestOne>],
        alphas: &mut [f64],
        best: &mut FrictionalTrial,
    ) {
        let exceeds_goal = |k: &usize| searches[*k].as_ref().is_some_and(RootNearestOne::is_above);
        let missed: Vec<usize> = (0..searches.len()).filter(exceeds_goal).collect();
        if missed.is_empty() {
            return;
        }
        let uncorrected = self.uncorrected_trial(step, searched);
        for k in missed {
            if uncorrected.energies[k] < best.energies[k] {
                best.copy_group(step, k, &searched.groups[k], &uncorrected);
                alphas[k] = 0.0;
            }
        }
    }

    /// The velocities of implicit Euler, which obey Coulomb's law with the normal forces at the end.
    fn uncorrected_trial(
        &self,
        step: &mut Step<'_>,
        searched: SearchedGroups<'_>,
    ) -> FrictionalTrial {
        step.dissipation = step.dissipation.mixed(&vec![0.0; self.w.len()]);
        self.evaluate_trial(step, searched, &self.w, self.w.clone())
    }

    /// Solves for the velocities under friction with the weight `alphas[k]` of the start of the step in the group `k`. This
    /// weight changes the velocities without friction by `-alpha dv`. The solver starts at `guess` (m/s).
    ///
    /// # Errors
    /// If the solve fails.
    fn solve_trial(
        &self,
        step: &mut Step<'_>,
        searched: SearchedGroups<'_>,
        alphas: &[f64],
        guess: &[Vec3],
    ) -> Result<FrictionalTrial, StepError> {
        let start_weights = Self::mix_friction(step, searched.groups, alphas);
        let undamped_velocity =
            |i: usize| self.without_friction[i] - start_weights[i] * searched.dv[i];
        let undamped: Vec<Vec3> = (0..searched.dv.len()).map(undamped_velocity).collect();
        let with_friction = step.solve_friction(&undamped, guess, &self.inertias)?;
        let mut velocities = with_friction.clone();
        self.spins.correct_combined(&start_weights, &mut velocities);
        Ok(self.evaluate_trial(step, searched, &with_friction, velocities))
    }

    /// Weights friction and damping at the two ends by alpha, like the potentials. Returns the weight of the start at
    /// each node.
    fn mix_friction(step: &mut Step<'_>, groups: &[Group], alphas: &[f64]) -> Vec<f64> {
        let mut start_weights = vec![0.0; step.system.masses().len()];
        for (group, &alpha) in groups.iter().zip(alphas) {
            for node in group.bodies.iter().flat_map(|&b| step.system.nodes(b)) {
                start_weights[node] = if step.system.free()[node] { alpha } else { 0.0 };
            }
        }
        step.dissipation = step.dissipation.mixed(&start_weights);
        start_weights
    }

    /// The trial with these `velocities` (m/s), and with the heat of friction at the velocities `with_friction` (m/s),
    /// which are those before angular momenta are corrected.
    fn evaluate_trial(
        &self,
        step: &Step<'_>,
        SearchedGroups { groups, decay, .. }: SearchedGroups<'_>,
        with_friction: &[Vec3],
        velocities: Vec<Vec3>,
    ) -> FrictionalTrial {
        let heat = step.co_moving.heat_in_moving_frames(&self.heat(step, groups, with_friction));
        let kinetic = step.kinetic(&velocities);
        let losses = &heat.from_bodies;
        let body_energy = |&b: &usize| self.potential[b] + kinetic[b] + decay * losses[b];
        let energies = groups.iter().map(|g| g.bodies.iter().map(body_energy).sum()).collect();
        FrictionalTrial { velocities, heat, energies }
    }

    /// Whether body `b` has an elastic inertia.
    fn has_inertia(&self, step: &Step<'_>, b: usize) -> bool {
        let first_node = step.system.nodes(b).start;
        self.inertias.binary_search_by_key(&first_node, |inertia| inertia.nodes.start).is_ok()
    }

    /// Two estimates (J) of the heat of the impulse of friction: at the velocities `v` (m/s) of the end, and at the
    /// `mean_velocities` (m/s) of both ends.
    fn impulse_heat(step: &Step<'_>, v: &[Vec3], mean_velocities: &[Vec3]) -> [Heat; 2] {
        let (time, h) = (step.end_time(), step.h);
        let impulse = step.dry_friction_impulse(time, h, v);
        [step.dry_friction_heat(time, v), step.friction_heat(&impulse, mean_velocities)]
    }

    /// The heat of friction and damping for the velocities `with_friction` (m/s) at the end. The heat of dry friction is
    /// the larger estimate by the impulse for groups of bodies that all have elastic inertias, otherwise the geometric mean
    /// `sqrt(L1 L2)`. Viscous heat of a group that would be negative is zero.
    fn heat(&self, step: &Step<'_>, groups: &[Group], with_friction: &[Vec3]) -> Heat {
        let (start_velocities, time) = (&step.state.velocities, step.end_time());
        let mean_velocities: Vec<Vec3> = with_friction
            .iter()
            .zip(start_velocities)
            .map(|(v, start)| 0.5 * (*v + *start))
            .collect();
        let [mut heat, velocity_heat] =
            [&self.slip_velocities, &mean_velocities].map(|v| step.dry_friction_heat(time, v));
        let impulse_heat = (!self.inertias.is_empty())
            .then(|| Self::impulse_heat(step, with_friction, &mean_velocities));
        for group in groups {
            if let Some([at_end, at_mean]) = &impulse_heat
                && group.bodies.iter().all(|&b| self.has_inertia(step, b))
            {
                let [end_total, mean_total] =
                    [at_end, at_mean].map(|heat| heat.total_of(&group.bodies));
                let larger = if mean_total > end_total { at_mean } else { at_end };
                group.bodies.iter().for_each(|&b| heat.interpolate(b, 1.0, larger));
                continue;
            }
            let root_of_total = |heat: &Heat| heat.total_of(&group.bodies).max(0.0).sqrt();
            let [root, velocity_root] = [root_of_total(&heat), root_of_total(&velocity_heat)];
            // Interpolated by this fraction, the total is the geometric mean of both.
            let fraction = if root > 0.0 { root / (root + velocity_root) } else { 0.0 };
            group.bodies.iter().for_each(|&b| heat.interpolate(b, fraction, &velocity_heat));
        }
        let mut viscous_heat =
            step.viscous_heat(&step.dissipation_frame_at_end(), with_friction, &mean_velocities);
        for group in groups {
            if viscous_heat.total_of(&group.bodies) < 0.0 {
                group.bodies.iter().for_each(|&b| viscous_heat.scale_from_bodies(b, 0.0));
            }
        }
        heat += &viscous_heat;
        heat
    }
}

/// The energy (J) that each body may lose in a step of steady motion to `x` (m) at any speed, by [`MAX_SLOW_LOSS`].
fn slow_losses(step: &Step<'_>, x: &[Vec3]) -> Vec<f64> {
    let masses = step.system.sum_by_body(|i| step.system.masses()[i]);
    let bodies = masses.iter().enumerate();
    bodies.map(|(b, mass)| MAX_SLOW_LOSS * slow_motion_energy(step, b, *mass, x)).collect()
}

/// The outcome of the search for the alpha of a group; `None` is the search of a group without a goal.
fn alpha_outcome(group: &Group, search: Option<&RootNearestOne>, aim: &Aim) -> AlphaOutcome {
    match search {
        None if group.is_uncorrected() => group.uncorrected_outcome(),
        None => AlphaOutcome::Free,
        Some(search) => match search.outcome() {
            AlphaOutcome::Met => aim.outcome_if_met,
            outcome => outcome,
        },
    }
}

/// Limits the heat of a group with the energy `P + K + decay L` (J) to the difference of its target and its energy:
/// heat cannot exceed the energy that is missing. Heat from the work of prescribed motions remains.
fn limit_heat(group: &Group, energy: f64, decay: f64, heat: &mut Heat) {
    let sum = |values: &[f64]| group.bodies.iter().map(|&b| values[b]).sum::<f64>();
    let (loss, from_motion) = (sum(&heat.from_bodies), sum(&heat.from_motion));
    let excess = energy - group.target;
    if excess > 0.0 && decay * loss > 0.0 {
        let fraction = (1.0 - excess / (decay * loss)).max(-from_motion / loss).clamp(0.0, 1.0);
        for &b in &group.bodies {
            heat.scale_from_bodies(b, fraction);
        }
    }
}
