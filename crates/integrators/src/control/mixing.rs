//! The blend of the midpoint solution with backward or forward Euler that meets the energy target.

use crate::control::blend::Blend;
use crate::control::target::distribute;
use crate::step::memory::EnergyControl;
use crate::step::{AlphaOutcome, GroupAlpha};
use crate::step::{Heat, Step, StepEnd};
use resile_math::Vec3;
use resile_system::{Path, State};

/// Maximum number of bisections of a fraction, the number of bits of its mantissa.
const BISECTIONS: usize = f64::MANTISSA_DIGITS as usize;

/// Number of samples of the path, if the solution at its end does not correct the energy.
const PROBES: usize = 8;

/// Number of times that the spacing of samples around the best one is halved. With [`PROBES`], the resolution is 1/512
/// of the path.
const REFINEMENTS: usize = 6;

/// Relative rounding error of energies.
const ENERGY_ROUNDING: f64 = 1e-13;

/// Index of the solution of the midpoint rule in [`Mixing::solutions`].
pub(crate) const MIDPOINT: usize = 0;
/// Index of the solution of backward Euler.
pub(crate) const BACKWARD_EULER: usize = 1;
/// Index of the solution of forward Euler.
pub(crate) const FORWARD_EULER: usize = 2;

/// A solution that takes part in the blend.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// Positions (m) at the end of the step.
    pub(crate) x: Vec<Vec3>,
    /// Velocities (m/s) at the end of the step.
    pub(crate) v: Vec<Vec3>,
    /// Heat of friction and damping.
    pub(crate) heat: Heat,
}

/// Bodies with the same blending fraction.
#[derive(Debug, Clone)]
pub(crate) struct BlendGroup {
    pub(crate) bodies: Vec<usize>,
    /// Index in [`Mixing::solutions`] of the solution that is blended with that of the midpoint rule.
    pub(crate) partner: usize,
    /// Fraction of that solution in the blend.
    pub(crate) fraction: f64,
}

impl BlendGroup {
    /// The alpha of the group for its final deviation, in the sign convention of BLEND: positive for backward Euler,
    /// negative for forward Euler.
    fn alpha(&self, deviation: &Deviation) -> GroupAlpha {
        let is_forward = self.partner == FORWARD_EULER;
        GroupAlpha {
            bodies: self.bodies.clone(),
            alpha: if is_forward { -self.fraction } else { self.fraction },
            outcome: match deviation.partner_needed() {
                None => AlphaOutcome::Met,
                Some(_) => AlphaOutcome::Closest,
            },
            energy: deviation.energy,
            target: deviation.target,
        }
    }
}

/// Energies (J) of a group for a given blend.
struct Deviation {
    energy: f64,
    target: f64,
    /// The permitted distance of the energy from the target.
    tolerance: f64,
}

impl Deviation {
    /// The energy minus the target (J).
    fn excess(&self) -> f64 {
        self.energy - self.target
    }

    /// Distance of the energy from the target (J); infinite if the energy is NaN.
    fn distance(&self) -> f64 {
        let distance = self.excess().abs();
        if distance.is_nan() { f64::INFINITY } else { distance }
    }

    /// Index of the solution that corrects the deviation; `None` if the energy is within the tolerance.
    fn partner_needed(&self) -> Option<usize> {
        match self.excess() {
            e if e > self.tolerance || e.is_nan() => Some(BACKWARD_EULER),
            e if e < -self.tolerance => Some(FORWARD_EULER),
            _ => None,
        }
    }
}

/// State of the search for the blending fraction of one group.
#[derive(Debug, Clone, Copy)]
struct FractionSearch {
    /// Index of the solution that corrects the deviation of the midpoint rule.
    partner: usize,
    /// A fraction at which the deviation has the same sign as for the midpoint rule, and one at which it has the opposite
    /// sign. If `has_crossed` is false, the latter is the largest permitted fraction.
    bracket: [f64; 2],
    /// Whether a fraction with a deviation of the opposite sign is known.
    has_crossed: bool,
    /// Whether the nearest fraction meets the target within the tolerance.
    meets_target: bool,
    /// The fraction with the energy nearest to the target so far.
    nearest_fraction: f64,
    /// The distance (J) of that energy from the target.
    nearest_distance: f64,
}

impl FractionSearch {
    /// Updates the bracket and the nearest fraction by the deviation at a `fraction`. While no crossing is known, only
    /// fractions below the largest one become the lower end of the bracket.
    fn record(&mut self, fraction: f64, deviation: &Deviation) {
        let distance = deviation.distance();
        match deviation.partner_needed() {
            None => self.meets_target = true,
            Some(partner_needed) if partner_needed == self.partner => {
                if self.has_crossed || fraction < self.bracket[1] {
                    self.bracket[0] = fraction;
                }
            }
            Some(_) => (self.bracket[1], self.has_crossed) = (fraction, true),
        }
        if self.meets_target || distance < self.nearest_distance {
            (self.nearest_fraction, self.nearest_distance) = (fraction, distance);
        }
    }

    /// Whether the target is neither met nor bracketed.
    fn is_unfinished(&self) -> bool {
        !self.meets_target && !self.has_crossed
    }
}

/// The search for the blending fractions of all groups.
pub(crate) struct Mixing<'b> {
    blend: &'b Blend,
    /// Solutions of the midpoint rule, backward Euler and forward Euler; `None` where not needed.
    pub(crate) solutions: [Option<Solution>; 3],
    pub(crate) groups: Vec<BlendGroup>,
    control: Vec<EnergyControl>,
}

/// The energies of a blend and the targets at the end of the step, in the frames in which energies are measured.
struct EnergyBalance {
    /// Total energy of each body (J).
    energies: Vec<f64>,
    /// Kinetic energy of each body (J).
    kinetic: Vec<f64>,
    /// The targets of each body at the end.
    control: Vec<EnergyControl>,
    /// Work on each body in the step (J).
    work: Vec<f64>,
}

impl<'b> Mixing<'b> {
    /// A search before its first evaluation.
    pub(crate) fn new(
        blend: &'b Blend,
        midpoint: Solution,
        groups: Vec<BlendGroup>,
        control: Vec<EnergyControl>,
    ) -> Self {
        Self { blend, solutions: [Some(midpoint), None, None], groups, control }
    }

    /// The index of the solution that each group needs; `None` if the midpoint rule meets its target.
    pub(crate) fn partners_needed(&self, step: &mut Step<'_>) -> Vec<Option<usize>> {
        self.deviations(step).iter().map(Deviation::partner_needed).collect()
    }

    /// Determines the blending fraction of each group such that its energy meets the target and the path to the blend
    /// is free of collisions.
    pub(crate) fn find_fractions(&mut self, step: &mut Step<'_>) {
        let max_fraction = self.collision_free_fraction(step);
        self.search(step, max_fraction);
        let reduction = self.limit_by_collisions(step);
        if max_fraction < 1.0 || reduction < 1.0 {
            self.prefer_backward_euler(step);
        }
    }

    /// The solution of index `k`, which must have been computed.
    fn solution(&self, k: usize) -> &Solution {
        self.solutions[k].as_ref().expect("a blended solution was computed")
    }

    /// The positions and velocities of the blend with the fractions of all groups.
    fn blended(&self, step: &Step<'_>) -> Solution {
        let mut blended = self.solution(MIDPOINT).clone();
        for group in self.groups.iter().filter(|g| g.fraction > 0.0) {
            let (partner, fraction) = (self.solution(group.partner), group.fraction);
            for &b in &group.bodies {
                blended.heat.interpolate(b, fraction, &partner.heat);
                for i in step.system.nodes(b) {
                    blended.x[i] = blended.x[i].lerp(partner.x[i], fraction);
                    blended.v[i] = blended.v[i].lerp(partner.v[i], fraction);
                }
            }
        }
        blended
    }

    /// The energies of a blend, in the frames in which energies are measured.
    fn energy_balance(&self, step: &mut Step<'_>, blended: &Solution) -> EnergyBalance {
        let work = step.work(&blended.x);
        let mut control = self.control.clone();
        step.co_moving.to_moving_frames(&step.system, &step.state.velocities, &mut control);
        let dissipated = step.co_moving.heat_in_moving_frames(&blended.heat).from_bodies;
        let flight_energy = step.co_moving.flight_energy(&step.system, &blended.v);
        self.blend.target.advance(step, [&work, &dissipated, &flight_energy], &mut control);
        let kinetic = step.kinetic(&blended.v);
        let potential = step.system.potential_by_body(step.end_time(), &blended.x);
        EnergyControl::include_potential(&potential, &mut control);
        let energies = potential.iter().zip(&kinetic).map(|(p, k)| p + k).collect();
        EnergyBalance { energies, kinetic, control, work }
    }

    /// The energies of all groups for the present fractions, with their targets and tolerances.
    fn deviations(&self, step: &mut Step<'_>) -> Vec<Deviation> {
        let blended = self.blended(step);
        if self.groups.len() > 1 {
            // The searched paths have one fraction for all groups. Groups with different fractions lie on none of them.
            step.system.along(&[Path::at(&blended.x)]);
        }
        let EnergyBalance { energies, control, .. } = self.energy_balance(step, &blended);
        let kinetic = step.kinetic(&step.state.velocities);
        let deviation = |group: &BlendGroup| {
            let sum =
                |value: &dyn Fn(usize) -> f64| group.bodies.iter().map(|&b| value(b)).sum::<f64>();
            let (energy, target) = (sum(&|b| energies[b]), sum(&|b| control[b].target));
            let exchangeable_energy =
                (target - sum(&|b| control[b].lowest)).max(sum(&|b| kinetic[b]));
            let rounding = ENERGY_ROUNDING * (energy.abs() + target.abs());
            Deviation {
                energy,
                target,
                tolerance: self.blend.tolerance * exchangeable_energy + rounding,
            }
        };
        self.groups.iter().map(deviation).collect()
    }

    /// The largest fraction up to which the paths of all groups are free of collisions. Afterwards the system can be
    /// evaluated at blends in which all groups have the same fraction of one solution.
    fn collision_free_fraction(&self, step: &mut Step<'_>) -> f64 {
        let from = &self.solution(MIDPOINT).x;
        let paths: Vec<Path<'_>> = self.solutions[1..]
            .iter()
            .flatten()
            .map(|solution| Path { from, to: &solution.x })
            .collect();
        if paths.is_empty() {
            return step.system.along(&[Path::at(from)]).fraction();
        }
        step.system.along(&paths).fraction()
    }

    /// Searches for the fractions of all groups at once, up to `max_fraction`. A group whose energy crosses the target
    /// at the largest fraction or at a probe is bisected; otherwise its fraction with the energy nearest to the target
    /// is used.
    fn search(&mut self, step: &mut Step<'_>, max_fraction: f64) {
        let mut searches = self.begin_searches(step, max_fraction);
        self.evaluate_fractions(step, &mut searches, |s| s.is_unfinished().then_some(max_fraction));
        for k in 1..PROBES {
            let fraction = max_fraction * k as f64 / PROBES as f64;
            self.evaluate_fractions(step, &mut searches, |s| s.is_unfinished().then_some(fraction));
        }
        let mut spacing = max_fraction / PROBES as f64;
        for _ in 0..REFINEMENTS {
            spacing *= 0.5;
            for offset in [-spacing, spacing] {
                self.evaluate_fractions(step, &mut searches, |s| {
                    s.is_unfinished()
                        .then(|| (s.nearest_fraction + offset).clamp(0.0, max_fraction))
                });
            }
        }
        for _ in 0..BISECTIONS {
            self.evaluate_fractions(step, &mut searches, |s| {
                (s.has_crossed && !s.meets_target).then_some(0.5 * (s.bracket[0] + s.bracket[1]))
            });
        }
    }

    /// The initial state of the search of each group; `None` if its midpoint solution meets the target or the solution
    /// that it needs was not computed.
    fn begin_searches(
        &mut self,
        step: &mut Step<'_>,
        max_fraction: f64,
    ) -> Vec<Option<FractionSearch>> {
        let deviations = self.deviations(step);
        let new_search = |deviation: &Deviation| {
            let partner = deviation
                .partner_needed()
                .filter(|partner_needed| self.solutions[*partner_needed].is_some())?;
            Some(FractionSearch {
                partner,
                bracket: [0.0, max_fraction],
                has_crossed: false,
                meets_target: false,
                nearest_fraction: 0.0,
                nearest_distance: deviation.distance(),
            })
        };
        let searches: Vec<Option<FractionSearch>> = deviations.iter().map(new_search).collect();
        for (group, search) in self.groups.iter_mut().zip(&searches) {
            group.partner = search.map_or(MIDPOINT, |search| search.partner);
        }
        searches
    }

    /// Evaluates the fractions that `propose` returns for the searches, and sets each group to its best fraction so
    /// far.
    fn evaluate_fractions(
        &mut self,
        step: &mut Step<'_>,
        searches: &mut [Option<FractionSearch>],
        propose: impl Fn(&FractionSearch) -> Option<f64>,
    ) {
        let fractions: Vec<Option<f64>> =
            searches.iter().map(|s| s.as_ref().and_then(&propose)).collect();
        if fractions.iter().all(Option::is_none) {
            return;
        }
        for (group, fraction) in self.groups.iter_mut().zip(&fractions) {
            group.fraction = fraction.unwrap_or(group.fraction);
        }
        let deviations = self.deviations(step);
        for (k, fraction) in fractions.iter().enumerate() {
            if let (Some(fraction), Some(search)) = (fraction, &mut searches[k]) {
                search.record(*fraction, &deviations[k]);
                self.groups[k].fraction = search.nearest_fraction;
            }
        }
    }

    /// Reduces all fractions until the path to the blend is free of collisions and returns the factor. Groups with
    /// different fractions may collide although no searched path contains a collision.
    fn limit_by_collisions(&mut self, step: &mut Step<'_>) -> f64 {
        let blended = self.blended(step);
        let bound = step
            .system
            .along(&[Path { from: &self.solution(MIDPOINT).x, to: &blended.x }])
            .fraction();
        if bound < 1.0 {
            self.groups.iter_mut().for_each(|group| group.fraction *= bound);
        }
        bound
    }

    /// Uses backward Euler for all groups if a blend that collisions limited exceeds the energy target by more than
    /// backward Euler does. Newton's method has reached backward Euler without a collision, although not on a straight
    /// path.
    fn prefer_backward_euler(&mut self, step: &mut Step<'_>) {
        let deviations = self.deviations(step);
        let exceeds_target = |(group, deviation): (&BlendGroup, &Deviation)| {
            group.partner == BACKWARD_EULER && deviation.partner_needed() == Some(BACKWARD_EULER)
        };
        if !self.groups.iter().zip(&deviations).any(exceeds_target) {
            return;
        }
        let excess = |groups: &[Deviation]| groups.iter().map(|d| d.excess().max(0.0)).sum::<f64>();
        let limited_groups = self.groups.clone();
        for group in &mut self.groups {
            (group.partner, group.fraction) = (BACKWARD_EULER, 1.0);
        }
        step.system.along(&[Path::at(&self.solution(BACKWARD_EULER).x)]);
        if excess(&self.deviations(step)) > excess(&deviations) {
            self.groups = limited_groups;
            let blended = self.blended(step);
            step.system.along(&[Path::at(&blended.x)]);
        }
    }

    /// The end of the step with the blended state and its heat.
    pub(crate) fn finish(self, step: &mut Step<'_>) -> StepEnd {
        let deviations = self.deviations(step);
        let blended = self.blended(step);
        let EnergyBalance { energies, kinetic, mut control, work } =
            self.energy_balance(step, &blended);
        let translation_energy = step.co_moving.translation_energy(&step.system, &blended.v);
        let groups = self.groups.iter().zip(&deviations);
        let mut alphas: Vec<GroupAlpha> =
            groups.map(|(group, deviation)| group.alpha(deviation)).collect();
        for group in &alphas {
            distribute(group, group.energy, &energies, &kinetic, &mut control);
        }
        for group in &mut alphas {
            let frame_energy: f64 = group.bodies.iter().map(|&b| translation_energy[b]).sum();
            group.energy += frame_energy;
            group.target += frame_energy;
        }
        // Heat from prescribed motions is not blended, but evaluated on the path to the blend.
        let path_heat = step.heat_along_path(step.time_at(0.5), &blended.x);
        let mut heat = Heat { from_motion: path_heat.from_motion, ..blended.heat };
        heat.contact_damping.from_motion = path_heat.contact_damping.from_motion;
        let mut state = State::new(step.end_time(), blended.x, blended.v);
        step.co_moving.to_ground_frame(&step.system, &state.velocities, &mut control);
        EnergyControl::remember(&control, &mut state.memory);
        let work = step.work_in_ground_frame(&work, &[], &state, &heat);
        StepEnd { work: Some(work), alphas, ..StepEnd::new(state, heat) }
    }
}
