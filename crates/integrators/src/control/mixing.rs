//! The blend of the midpoint solution with backward or forward Euler that meets the energy target.

use crate::control::blend::Blend;
use crate::control::target::distribute;
use crate::step::memory::EnergyControl;
use crate::step::{AlphaOutcome, GroupAlpha};
use crate::step::{Heat, Step, StepEnd};
use resile_math::Vec3;
use resile_system::{Path, State};

/// Maximum number of bisections of a fraction, the number of bits of a double.
const BISECTIONS: usize = 53;

/// Number of samples of the path, if the solution at its end does not correct the energy.
const PROBES: usize = 8;

/// Number of times that the spacing of samples around the best one is halved. With [`PROBES`], the resolution is 1/512
/// of the path.
const REFINEMENTS: usize = 6;

/// Relative rounding error of energies.
const ENERGY_ROUNDING: f64 = 1e-13;

/// A solution that takes part in the blend.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub(crate) x: Vec<Vec3>,
    pub(crate) v: Vec<Vec3>,
    /// Heat of friction and damping.
    pub(crate) heat: Heat,
}

/// Bodies with the same blending fraction.
#[derive(Debug, Clone)]
pub(crate) struct MixedBodies {
    pub(crate) bodies: Vec<usize>,
    /// Index in `ends` of the solution that is blended with the midpoint rule, which has index 0.
    pub(crate) partner: usize,
    /// Fraction of the other solution.
    pub(crate) fraction: f64,
}

/// Energies (J) of a group for a given blend.
struct Deviation {
    energy: f64,
    target: f64,
    allowed: f64,
}

impl Deviation {
    fn error(&self) -> f64 {
        self.energy - self.target
    }

    /// Distance from the target; infinite if the energy is NaN.
    fn distance(&self) -> f64 {
        let distance = self.error().abs();
        if distance.is_nan() { f64::INFINITY } else { distance }
    }

    /// Index of the solution that corrects the deviation: 1 for backward Euler, 2 for forward Euler.
    fn partner_needed(&self) -> Option<usize> {
        match self.error() {
            e if e > self.allowed || e.is_nan() => Some(1),
            e if e < -self.allowed => Some(2),
            _ => None,
        }
    }
}

/// State of the search for the blending fraction of one group.
#[derive(Debug, Clone, Copy)]
struct Search {
    /// The solution that corrects the deviation of the midpoint rule.
    partner: usize,
    /// A fraction on the midpoint rule's side of the target, and a fraction on the other side. If `crosses` is false,
    /// the latter is the largest permitted fraction.
    bracket: [f64; 2],
    crosses: bool,
    /// Whether the nearest fraction meets the target within the tolerance.
    is_met: bool,
    /// The fraction nearest to the target, and its distance (J).
    nearest: [f64; 2],
}

impl Search {
    /// Updates the bracket and the nearest fraction by an evaluation.
    fn note(&mut self, fraction: f64, deviation: &Deviation) {
        let distance = deviation.distance();
        match deviation.partner_needed() {
            None => self.is_met = true,
            Some(partner_needed) if partner_needed == self.partner => {
                if self.crosses || fraction < self.bracket[1] {
                    self.bracket[0] = fraction;
                }
            }
            Some(_) => (self.bracket[1], self.crosses) = (fraction, true),
        }
        if self.is_met || distance < self.nearest[1] {
            self.nearest = [fraction, distance];
        }
    }

    fn is_unfinished(&self) -> bool {
        !self.is_met && !self.crosses
    }
}

/// The search for the blending fractions of all groups.
pub(crate) struct Mixing<'b> {
    blend: &'b Blend,
    /// Solutions of the midpoint rule, backward Euler and forward Euler; `None` where not needed.
    pub(crate) ends: [Option<End>; 3],
    pub(crate) groups: Vec<MixedBodies>,
    control: Vec<EnergyControl>,
}

/// A blend, its energies by body (J), and the targets at the end of the step.
struct EnergyBalance {
    energies: Vec<f64>,
    kinetic: Vec<f64>,
    control: Vec<EnergyControl>,
    /// Work in the step, by body (J).
    work: Vec<f64>,
}

impl<'b> Mixing<'b> {
    /// A search before its first evaluation.
    pub(crate) fn new(
        blend: &'b Blend,
        midpoint: End,
        groups: Vec<MixedBodies>,
        control: Vec<EnergyControl>,
    ) -> Self {
        Self { blend, ends: [Some(midpoint), None, None], groups, control }
    }

    /// The index of the solution that each group needs; `None` if the midpoint rule meets its target.
    pub(crate) fn partners_needed(&self, step: &mut Step<'_>) -> Vec<Option<usize>> {
        self.deviations(step).iter().map(Deviation::partner_needed).collect()
    }

    /// Determines the blending fraction of each group such that its energy meets the target and the path to the blend
    /// is free of collisions.
    pub(crate) fn find_fractions(&mut self, step: &mut Step<'_>) {
        let free = self.free_fraction(step);
        self.search(step, free);
        let separated = self.keep_apart(step);
        if free < 1.0 || separated < 1.0 {
            self.prefer_backward_euler(step);
        }
    }

    fn end(&self, k: usize) -> &End {
        self.ends[k].as_ref().expect("an end that is mixed was computed")
    }

    /// The positions and velocities of the blend with the fractions of all groups.
    fn mix(&self, step: &Step<'_>) -> End {
        let mut mixed = self.end(0).clone();
        for group in self.groups.iter().filter(|g| g.fraction > 0.0) {
            let (other, s) = (self.end(group.partner), group.fraction);
            for &b in &group.bodies {
                mixed.heat.interpolate(b, s, &other.heat);
                for i in step.system.nodes(b) {
                    mixed.x[i] = mixed.x[i].lerp(other.x[i], s);
                    mixed.v[i] = mixed.v[i].lerp(other.v[i], s);
                }
            }
        }
        mixed
    }

    /// The energies of a blend, in the frames in which energies are measured.
    fn energy_balance(&self, step: &mut Step<'_>, mixed: &End) -> EnergyBalance {
        let work = step.work(&mixed.x);
        let mut control = self.control.clone();
        step.co_moving.to_moving_frames(&step.system, &step.state.velocities, &mut control);
        let dissipated = step.co_moving.heat_in_moving_frames(&mixed.heat).from_bodies;
        let flight_energy = step.co_moving.flight_energy(&step.system, &mixed.v);
        self.blend.target.advance(step, [&work, &dissipated, &flight_energy], &mut control);
        let kinetic = step.kinetic(&mixed.v);
        let potential = step.system.potential_by_body(step.end_time(), &mixed.x);
        for (b, own) in control.iter_mut().enumerate() {
            own.lowest = (own.lowest + work[b]).min(potential[b]);
        }
        let energies = potential.iter().zip(&kinetic).map(|(p, k)| p + k).collect();
        EnergyBalance { energies, kinetic, control, work }
    }

    /// The energies of all groups for the present fractions, with their targets and tolerances.
    fn deviations(&self, step: &mut Step<'_>) -> Vec<Deviation> {
        let mixed = self.mix(step);
        if self.groups.len() > 1 {
            // The searched paths have one fraction for all groups. Groups with different fractions lie on none of them.
            step.system.along(&[Path::at(&mixed.x)]);
        }
        let EnergyBalance { energies, control, .. } = self.energy_balance(step, &mixed);
        let kinetic = step.kinetic(&step.state.velocities);
        let deviation = |group: &MixedBodies| {
            let sum =
                |value: &dyn Fn(usize) -> f64| group.bodies.iter().map(|&b| value(b)).sum::<f64>();
            let (energy, target) = (sum(&|b| energies[b]), sum(&|b| control[b].target));
            let height = (target - sum(&|b| control[b].lowest)).max(sum(&|b| kinetic[b]));
            let rounding = ENERGY_ROUNDING * (energy.abs() + target.abs());
            Deviation { energy, target, allowed: self.blend.tolerance * height + rounding }
        };
        self.groups.iter().map(deviation).collect()
    }

    /// The largest fraction up to which the paths of all groups are free of collisions. Afterwards the system can be
    /// evaluated at blends in which all groups have the same fraction of one solution.
    fn free_fraction(&self, step: &mut Step<'_>) -> f64 {
        let from = &self.end(0).x;
        let paths: Vec<Path<'_>> =
            self.ends[1..].iter().flatten().map(|end| Path { from, to: &end.x }).collect();
        let paths = if paths.is_empty() { vec![Path::at(from)] } else { paths };
        step.system.along(&paths).fraction()
    }

    /// Searches the fractions up to `free` for all groups simultaneously. If the largest fraction or a probe lies
    /// beyond the target, bisects; otherwise takes the fraction nearest to the target.
    fn search(&mut self, step: &mut Step<'_>, free: f64) {
        let mut searches = self.searches(step, free);
        self.attempt(step, &mut searches, |s| s.is_unfinished().then_some(free));
        for k in 1..PROBES {
            let fraction = free * k as f64 / PROBES as f64;
            self.attempt(step, &mut searches, |s| s.is_unfinished().then_some(fraction));
        }
        let mut spacing = free / PROBES as f64;
        for _ in 0..REFINEMENTS {
            spacing *= 0.5;
            for by in [-spacing, spacing] {
                self.attempt(step, &mut searches, |s| {
                    s.is_unfinished().then(|| (s.nearest[0] + by).clamp(0.0, free))
                });
            }
        }
        for _ in 0..BISECTIONS {
            self.attempt(step, &mut searches, |s| {
                (s.crosses && !s.is_met).then_some(0.5 * (s.bracket[0] + s.bracket[1]))
            });
        }
    }

    /// The initial state of the search for each group that needs another solution.
    fn searches(&mut self, step: &mut Step<'_>, free: f64) -> Vec<Option<Search>> {
        let deviations = self.deviations(step);
        let new_search = |deviation: &Deviation| {
            let partner = deviation
                .partner_needed()
                .filter(|partner_needed| self.ends[*partner_needed].is_some())?;
            let nearest = [0.0, deviation.distance()];
            Some(Search { partner, bracket: [0.0, free], crosses: false, is_met: false, nearest })
        };
        let searches: Vec<Option<Search>> = deviations.iter().map(new_search).collect();
        for (group, search) in self.groups.iter_mut().zip(&searches) {
            group.partner = search.map_or(0, |search| search.partner);
        }
        searches
    }

    /// Evaluates the proposed fractions `next` and sets each group to its best fraction so far.
    fn attempt(
        &mut self,
        step: &mut Step<'_>,
        searches: &mut [Option<Search>],
        next: impl Fn(&Search) -> Option<f64>,
    ) {
        let fractions: Vec<Option<f64>> =
            searches.iter().map(|s| s.as_ref().and_then(&next)).collect();
        if fractions.iter().all(Option::is_none) {
            return;
        }
        for (group, fraction) in self.groups.iter_mut().zip(&fractions) {
            group.fraction = fraction.unwrap_or(group.fraction);
        }
        let now = self.deviations(step);
        for (k, fraction) in fractions.iter().enumerate() {
            if let (Some(fraction), Some(search)) = (fraction, &mut searches[k]) {
                search.note(*fraction, &now[k]);
                self.groups[k].fraction = search.nearest[0];
            }
        }
    }

    /// Reduces all fractions until the path to the blend is free of collisions and returns the factor. Groups with
    /// different fractions may collide although no searched path contains a collision.
    fn keep_apart(&mut self, step: &mut Step<'_>) -> f64 {
        let mixed = self.mix(step);
        let free = step.system.along(&[Path { from: &self.end(0).x, to: &mixed.x }]).fraction();
        if free < 1.0 {
            self.groups.iter_mut().for_each(|group| group.fraction *= free);
        }
        free
    }

    /// Uses backward Euler for all groups if a collision limited the blend and backward Euler exceeds the energy target
    /// by less. Backward Euler was reached on the path of Newton's method, even if not on a straight one.
    fn prefer_backward_euler(&mut self, step: &mut Step<'_>) {
        let deviations = self.deviations(step);
        let too_high =
            |(g, d): (&MixedBodies, &Deviation)| g.partner == 1 && d.partner_needed() == Some(1);
        if !self.groups.iter().zip(&deviations).any(too_high) {
            return;
        }
        let excess = |groups: &[Deviation]| groups.iter().map(|d| d.error().max(0.0)).sum::<f64>();
        let cut = self.groups.clone();
        for group in &mut self.groups {
            (group.partner, group.fraction) = (1, 1.0);
        }
        step.system.along(&[Path::at(&self.end(1).x)]);
        if excess(&self.deviations(step)) > excess(&deviations) {
            self.groups = cut;
            let mixed = self.mix(step);
            step.system.along(&[Path::at(&mixed.x)]);
        }
    }

    /// The end of the step with the blended state and its heat.
    pub(crate) fn finish(self, step: &mut Step<'_>) -> StepEnd {
        let deviations = self.deviations(step);
        let mixed = self.mix(step);
        let EnergyBalance { energies, kinetic, mut control, work } =
            self.energy_balance(step, &mixed);
        let translation_energy = step.co_moving.translation_energy(&step.system, &mixed.v);
        let outcome = |d: &Deviation| match d.partner_needed() {
            None => AlphaOutcome::Met,
            Some(_) => AlphaOutcome::Closest,
        };
        let mut alphas: Vec<GroupAlpha> = (self.groups.iter().zip(&deviations))
            .map(|(group, d)| GroupAlpha {
                bodies: group.bodies.clone(),
                // The sign convention of BLEND: positive for backward Euler, negative for forward Euler.
                alpha: if group.partner == 2 { -group.fraction } else { group.fraction },
                outcome: outcome(d),
                energy: d.energy,
                target: d.target,
            })
            .collect();
        for group in &alphas {
            distribute(group, group.energy, &energies, &kinetic, &mut control);
        }
        for group in &mut alphas {
            let on_the_ground: f64 = group.bodies.iter().map(|&b| translation_energy[b]).sum();
            group.energy += on_the_ground;
            group.target += on_the_ground;
        }
        let along_path = step.heat_along_path(step.time_at(0.5), &mixed.x);
        let mut heat = Heat { from_motion: along_path.from_motion, ..mixed.heat };
        heat.contact_damping.from_motion = along_path.contact_damping.from_motion;
        let mut state = State::new(step.end_time(), mixed.x, mixed.v);
        step.co_moving.to_ground_frame(&step.system, &state.velocities, &mut control);
        EnergyControl::remember(&control, &mut state.memory);
        let work = step.work_in_ground_frame(&work, &state, &heat);
        StepEnd { work: Some(work), alphas, ..StepEnd::new(state, heat) }
    }
}
