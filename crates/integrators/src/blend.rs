//! Energy-tracking blend of the implicit midpoint rule with backward and forward Euler
//! (BLEND, section 4 and algorithm 1).
//!
//! The midpoint rule first. Where a group of bodies gained energy, its positions and
//! velocities are mixed with those of backward Euler, solved from the midpoint answer or, if
//! its objective is lower there, from the start;
//! where it lost, with those of forward Euler. The share is found by bisection, such that
//! the energy is within `tolerance` of its target.
//!
//! # What is not guaranteed
//! Mixed positions solve no equation, so momentum and the direction of the contact forces
//! are only as good as the mix is small. That nothing crosses is kept: the way from the
//! midpoint answer to the other one is bounded like any other, and the mix clamped to its
//! free part; then the energy may miss its target from below. Where it would miss it from
//! above, backward Euler is taken whole.

use crate::control::{AlphaOutcome, GroupAlpha};
use crate::error::StepError;
use crate::one_step::{Theta, implicit_euler_stage};
use crate::step::{Integrator, Step};
use crate::target::{EnergyTarget, share_out};
use resile_linalg::Vec3;
use resile_system::{EnergyControl, Links, State, Way};

/// Blending. Without contact its energy stays within `tolerance` of the target, but where
/// even backward Euler has more (BLEND, appendix C).
#[derive(Debug, Clone)]
pub struct Blend {
    /// The energy to be kept.
    pub target: EnergyTarget,
    /// Allowed deviation over the target, both above the ground energy; BLEND has 0.01.
    pub tolerance: f64,
}

impl Default for Blend {
    fn default() -> Self {
        Self { target: EnergyTarget::default(), tolerance: 0.01 }
    }
}

/// Halvings of a share after which it is taken as it is: rounding ends them at 53.
const BISECTIONS: usize = 53;

/// One end of a mix.
#[derive(Debug, Clone)]
struct End {
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    /// Lost to friction and damping on the way there, by body (J).
    dissipated: Vec<f64>,
}

/// Bodies that are mixed alike.
#[derive(Debug, Clone)]
struct Group {
    bodies: Vec<usize>,
    /// What they are mixed with: an index into the ends, of which 0 is the midpoint rule's.
    partner: usize,
    /// How much of it.
    share: f64,
}

/// Energies of groups at a mix (J).
struct Deviation {
    energy: f64,
    target: f64,
    allowed: f64,
}

impl Deviation {
    fn error(&self) -> f64 {
        self.energy - self.target
    }

    /// The end that would mend it: 1, backward Euler, or 2, forward Euler.
    fn cure(&self) -> Option<usize> {
        match self.error() {
            e if e > self.allowed || e.is_nan() => Some(1),
            e if e < -self.allowed => Some(2),
            _ => None,
        }
    }
}

/// A mix on its way to its energies.
struct Mixing<'b> {
    blend: &'b Blend,
    /// Of the midpoint rule, of backward and of forward Euler, as far as they are needed.
    ends: [Option<End>; 3],
    groups: Vec<Group>,
    control: Vec<EnergyControl>,
}

impl Integrator for Blend {
    fn name(&self) -> &'static str {
        "blending"
    }

    fn step(&self, step: &mut Step<'_>) -> Result<State, StepError> {
        let control = self.target.at_start(step);
        let mut links = step.no_links();
        let midpoint = midpoint(step, &mut links)?;
        let grouped = |links: &Links| -> Vec<Group> {
            let groups = self.target.groups(links, control.len());
            groups.into_iter().map(|bodies| Group { bodies, partner: 0, share: 0.0 }).collect()
        };
        let groups = grouped(&links);
        let ends = [Some(midpoint.clone()), None, None];
        let mut mixing = Mixing { blend: self, ends, groups, control: control.clone() };
        let cures: Vec<_> = mixing.deviations(step).iter().map(Deviation::cure).collect();
        if cures.contains(&Some(1)) {
            mixing.ends[1] = Some(backward_euler(step, &midpoint, &mut links)?);
        }
        if cures.contains(&Some(2)) {
            mixing.ends[2] = Some(forward_euler(step, &mut links));
        }
        mixing.groups = grouped(&links);
        let free = mixing.free_share(step);
        mixing.bisect(step, free);
        mixing.keep_apart(step);
        if mixing.is_still_too_high(step) {
            mixing.take_backward_euler(step);
        }
        Ok(mixing.finish(step))
    }
}

fn midpoint(step: &mut Step<'_>, links: &mut Links) -> Result<End, StepError> {
    let before = step.report().dissipated.clone();
    let end = Theta::MIDPOINT.step(step)?;
    let half: Vec<Vec3> =
        end.positions.iter().zip(&step.state.positions).map(|(x, old)| 0.5 * (*x + *old)).collect();
    step.system.link(&half, links);
    let dissipated = step.take_dissipated_since(&before);
    Ok(End { x: end.positions, v: end.velocities, dissipated })
}

fn backward_euler(
    step: &mut Step<'_>,
    midpoint: &End,
    links: &mut Links,
) -> Result<End, StepError> {
    let stage = implicit_euler_stage(step);
    // An end that no barrier has felt can lie so near to a surface that Newton's first step
    // is shorter than its tolerance, and passes for an answer: on the medium bar at h = 1/30
    // the energy rose to 516 times its start that way.
    let from = step.lower(&stage, [&midpoint.x, &step.state.positions]).to_vec();
    let x = step.solve(&stage, &from)?;
    step.system.link(&x, links);
    let v: Vec<Vec3> = (0..x.len()).map(|i| stage.lag.velocity(i, x[i])).collect();
    let dissipated = step.power(&v).iter().map(|power| step.h * power).collect();
    Ok(End { x, v, dissipated })
}

fn forward_euler(step: &mut Step<'_>, links: &mut Links) -> End {
    let (h, n) = (step.h, step.state.positions.len());
    let gradient = step.evaluated_start_gradient();
    step.system.link(&step.state.positions, links);
    let v = step.start_velocities();
    let a = step.acceleration(&gradient, &step.dissipative_gradient(&v));
    let dissipated = step.power(&v).iter().map(|power| h * power).collect();
    let x = (0..n).map(|i| step.state.positions[i] + h * v[i]).collect();
    let end = step.end_time();
    step.system.set_time(end);
    End { x, v: (0..n).map(|i| v[i] + h * a[i]).collect(), dissipated }
}

impl Mixing<'_> {
    fn end(&self, k: usize) -> &End {
        self.ends[k].as_ref().expect("an end that is mixed was computed")
    }

    /// The mix as the groups' shares say.
    fn mix(&self, step: &Step<'_>) -> End {
        let mut mixed = self.end(0).clone();
        for group in self.groups.iter().filter(|g| g.share > 0.0) {
            let (other, s) = (self.end(group.partner), group.share);
            for &b in &group.bodies {
                mixed.dissipated[b] += s * (other.dissipated[b] - mixed.dissipated[b]);
                for i in step.system.nodes(b) {
                    mixed.x[i] = mixed.x[i].lerp(other.x[i], s);
                    mixed.v[i] = mixed.v[i].lerp(other.v[i], s);
                }
            }
        }
        mixed
    }

    /// Energies and targets of the mix by body, targets moved through the step.
    fn account(
        &self,
        step: &mut Step<'_>,
        mixed: &End,
    ) -> (Vec<f64>, Vec<f64>, Vec<EnergyControl>) {
        step.account_work(&mixed.x);
        let mut control = self.control.clone();
        self.blend.target.advance(step, &mixed.dissipated, &mut control);
        let kinetic = step.system.kinetic_by_body(&mixed.v);
        let potential = step.system.potential_by_body(&mixed.x);
        let energies = potential.iter().zip(&kinetic).map(|(p, k)| p + k).collect();
        (energies, kinetic, control)
    }

    fn deviations(&self, step: &mut Step<'_>) -> Vec<Deviation> {
        let mixed = self.mix(step);
        let (energies, _, control) = self.account(step, &mixed);
        let of = |group: &Group| {
            let sum = |of: &dyn Fn(usize) -> f64| group.bodies.iter().map(|&b| of(b)).sum::<f64>();
            let target = sum(&|b| control[b].target);
            let height = |b: usize| control[b].target - step.system.bodies()[b].ground_energy;
            let allowed = self.blend.tolerance * sum(&|b| height(b).abs());
            Deviation { energy: sum(&|b| energies[b]), target, allowed }
        };
        self.groups.iter().map(of).collect()
    }

    /// How far every mix may go at once without a crossing. Afterwards the system can be
    /// evaluated at all of them.
    fn free_share(&self, step: &mut Step<'_>) -> f64 {
        let from = &self.end(0).x;
        let ways: Vec<Way<'_>> =
            self.ends[1..].iter().flatten().map(|end| Way { from, to: &end.x }).collect();
        match ways.is_empty() {
            true => step.system.step_bound(&[Way::at(from)]),
            false => step.system.step_bound(&ways),
        }
    }

    /// Finds the shares, those of all groups side by side.
    fn bisect(&mut self, step: &mut Step<'_>, free: f64) {
        let start = self.deviations(step);
        let mut bounds = vec![[0.0, free]; self.groups.len()];
        for (group, deviation) in self.groups.iter_mut().zip(&start) {
            if let Some(partner) = deviation.cure().filter(|cure| self.ends[*cure].is_some()) {
                (group.partner, group.share) = (partner, free);
            }
        }
        let mut open: Vec<bool> = self.groups.iter().map(|group| group.partner != 0).collect();
        // Where even the whole partner does not mend it, the whole partner it is.
        for (k, full) in self.deviations(step).iter().enumerate() {
            open[k] &= full.cure().is_some_and(|cure| Some(cure) != start[k].cure());
        }
        for _ in 0..BISECTIONS {
            if !open.contains(&true) {
                return;
            }
            for k in (0..open.len()).filter(|&k| open[k]) {
                self.groups[k].share = 0.5 * (bounds[k][0] + bounds[k][1]);
            }
            let now = self.deviations(step);
            for k in (0..open.len()).filter(|&k| open[k]).collect::<Vec<_>>() {
                match now[k].cure() {
                    None => open[k] = false,
                    same if same == start[k].cure() => bounds[k][0] = self.groups[k].share,
                    _ => bounds[k][1] = self.groups[k].share,
                }
            }
        }
    }

    /// Groups that go different ways may meet where each alone would not: the way of the
    /// mix itself is bounded too.
    fn keep_apart(&mut self, step: &mut Step<'_>) {
        let mixed = self.mix(step);
        let free = step.system.step_bound(&[Way { from: &self.end(0).x, to: &mixed.x }]);
        if free < 1.0 {
            self.groups.iter_mut().for_each(|group| group.share *= free);
        }
    }

    /// Whether a mix that a surface cut short has more energy than it should.
    fn is_still_too_high(&self, step: &mut Step<'_>) -> bool {
        let deviations = self.deviations(step);
        let cut = |g: &Group| g.partner == 1 && g.share < 1.0;
        self.groups.iter().zip(&deviations).any(|(g, d)| cut(g) && d.cure() == Some(1))
    }

    /// Takes backward Euler for everything: it was reached on Newton's way, if not on a
    /// straight one.
    fn take_backward_euler(&mut self, step: &mut Step<'_>) {
        for group in &mut self.groups {
            (group.partner, group.share) = (1, 1.0);
        }
        step.system.prepare(&self.end(1).x);
    }

    fn finish(self, step: &mut Step<'_>) -> State {
        let mixed = self.mix(step);
        let (energies, kinetic, mut control) = self.account(step, &mixed);
        let deviations = self.deviations(step);
        let outcome = |d: &Deviation| match d.cure() {
            None => AlphaOutcome::Met,
            Some(_) => AlphaOutcome::Closest,
        };
        let alphas: Vec<GroupAlpha> = (self.groups.iter().zip(&deviations))
            .map(|(group, d)| GroupAlpha {
                bodies: group.bodies.clone(),
                // BLEND's sign: one is backward Euler, minus one forward Euler.
                alpha: if group.partner == 2 { -group.share } else { group.share },
                outcome: outcome(d),
                energy: d.energy,
                target: d.target,
            })
            .collect();
        for group in &alphas {
            share_out(group, group.energy, &energies, &kinetic, &mut control);
        }
        step.set_alphas(alphas);
        step.add_dissipated(&mixed.dissipated);
        step.drag_on_the_way(&mixed.x);
        State { control: Some(control), ..State::new(step.end_time(), mixed.x, mixed.v) }
    }
}
