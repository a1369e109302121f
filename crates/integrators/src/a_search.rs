//! A-1 and A-search (ASEARCH, sections 4.3-4.5, algorithm 1).
//!
//! Both solve implicit Euler for positions and correct velocities alone,
//! `v = w - alpha dv` with `w` the mean velocity of the step and
//! `dv = h m^-1 (grad P(x_n) - grad P(x_n+1))` of the conservative forces. So
//! positions keep every guarantee that implicit Euler has, and the correction costs
//! inner products, not a second solve.
//!
//! Where the paper leaves it open we decided: the target is absolute and carried
//! from step to step (reset to the last energy, the search ratchets down like implicit
//! Euler); a step's own friction loss is taken off before the decay; work done by
//! scripted nodes and moving targets is added, so that the search does not fight
//! the animator.

use crate::accounting::{self, Path};
use crate::control::{
    AlphaOutcome, Control, Decay, EnergyCurve, GroupAlpha, Scope, share_target,
    sparse_rule_searches,
};
use crate::one_step::implicit_euler_stage;
use crate::stage::Stage;
use crate::step::{Integrator, StageSolver, StepError, StepReport, solve_stage};
use resile_linalg::Vec3;

use resile_system::{EnergyControl, Links, State, System};

/// alpha is always one. Symplectic and unconditionally stable on linear
/// problems, first order, robust in collisions; its energy swings around the true one.
#[derive(Debug, Clone, Copy)]
pub struct A1;

/// A-search: alpha follows an energy target.
#[derive(Debug, Clone)]
pub struct ASearch {
    /// Limits of alpha; the paper's are 0 (implicit Euler) and 1.1.
    pub limits: [f64; 2],
    /// The first target over the energy at the start, both above the ground energy.
    pub target_scale: f64,
    /// How the target decays.
    pub decay: Decay,
    /// When alpha is searched for.
    pub control: Control,
    /// Over which bodies.
    pub scope: Scope,
}

impl Default for ASearch {
    /// The paper's limits and rule, no decay, one alpha an island.
    fn default() -> Self {
        Self {
            limits: [0.0, 1.1],
            target_scale: 1.0,
            decay: Decay::default(),
            control: Control::Deadbeat,
            scope: Scope::Island,
        }
    }
}

/// An implicit Euler step solved, but its velocity not yet corrected.
struct Solved {
    x: Vec<Vec3>,
    /// `(x_n+1 - x_n) / h`.
    w: Vec<Vec3>,
    /// `h m^-1 (grad P(x_n) - grad P(x_n+1))` on free nodes.
    dv: Vec<Vec3>,
    /// `grad P` at the end, which the next step starts from.
    gradient: Vec<Vec3>,
    time: f64,
    links: Links,
    report: StepReport,
}

fn solve(
    system: &mut System,
    solver: &mut StageSolver,
    state: &State,
    h: f64,
) -> Result<Solved, StepError> {
    system.set_time(state.time);
    system.prepare(&state.positions);
    let start_gradient = match &state.gradient {
        Some(gradient) => gradient.clone(),
        None => accounting::potential_gradient(system, &state.positions),
    };
    let mut links = Links::new(system.bodies().len());
    system.link(&state.positions, &mut links);
    system.freeze(&state.positions);
    let stage = implicit_euler_stage(state, h);
    let (x, solve) = solve_stage(system, solver, &stage, &state.positions, h)?;
    system.link(&x, &mut links);
    let end_gradient = balancing_gradient(system, &stage, &x, h);
    let path = Path { from: &state.positions, to: &x, times: [state.time, stage.time] };
    let report = StepReport {
        solve,
        dissipated: accounting::dissipated(system, &stage, path),
        work: accounting::work(system, path, Some([&start_gradient, &end_gradient])),
        alphas: Vec::new(),
    };
    let w = (0..x.len()).map(|i| (x[i] - state.positions[i]) / h).collect();
    let change = |i: usize| match system.free()[i] {
        true => h / system.masses()[i] * (start_gradient[i] - end_gradient[i]),
        false => Vec3::ZERO,
    };
    let dv = (0..x.len()).map(change).collect();
    Ok(Solved { x, w, dv, gradient: end_gradient, time: stage.time, links, report })
}

/// The `grad P` (N) that balances the step as it was solved,
/// `m (y - x) / h^2 - dD/dv`; at nodes that are not solved for, `grad P(x)` itself.
///
/// Of an exact solve both are the same. But Newton stops by the length of its step,
/// and where a barrier is stiff a length below the tolerance is a large force. With
/// `grad P(x)` the velocity correction handed that force on: at a tolerance of 0.01 m/s the
/// stiff ball of `scenes/` rebounded to 6 cm. The force that the motion has shown has
/// no such error, and what one step adds of it the next one takes away: the ball
/// rebounds to 98 cm, with 0.01 m/s as with 0.001.
fn balancing_gradient(system: &System, stage: &Stage, x: &[Vec3], h: f64) -> Vec<Vec3> {
    let mut gradient = match system.is_driven() {
        true => accounting::potential_gradient(system, x),
        false => vec![Vec3::ZERO; x.len()],
    };
    let mut dissipative = vec![Vec3::ZERO; x.len()];
    if system.dissipates() {
        let velocity: Vec<Vec3> = (0..x.len()).map(|i| stage.lag.velocity(i, x[i])).collect();
        system.add_dissipation_gradient(&velocity, 1.0, &mut dissipative);
    }
    for i in (0..x.len()).filter(|&i| system.free()[i]) {
        gradient[i] = system.masses()[i] / (h * h) * (stage.predictor[i] - x[i]) - dissipative[i];
    }
    gradient
}

impl Solved {
    /// Subtracts each group's share of the correction from its bodies' velocities.
    fn correct(self, system: &System, alphas: Vec<GroupAlpha>) -> (State, StepReport) {
        let mut v = self.w;
        for group in &alphas {
            for node in group.bodies.iter().flat_map(|&b| system.nodes(b)) {
                v[node] -= group.alpha * self.dv[node];
            }
        }
        let state = State { gradient: Some(self.gradient), ..State::new(self.time, self.x, v) };
        (state, StepReport { alphas, ..self.report })
    }
}

impl Integrator for A1 {
    fn name(&self) -> &'static str {
        "A-1"
    }

    fn step(
        &self,
        system: &mut System,
        solver: &mut StageSolver,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, StepError> {
        let solved = solve(system, solver, state, h)?;
        let v = solved.w.iter().zip(&solved.dv).map(|(w, dv)| *w - *dv).collect();
        let gradient = Some(solved.gradient);
        *state = State { gradient, ..State::new(solved.time, solved.x, v) };
        Ok(solved.report)
    }
}

impl ASearch {
    fn first_control(&self, system: &System, state: &State) -> Vec<EnergyControl> {
        let potential = system.potential_by_body(&state.positions);
        let kinetic = system.kinetic_by_body(&state.velocities);
        let of_body = |b: usize| {
            let ground = system.bodies()[b].ground_energy;
            let energy = potential[b] + kinetic[b];
            let target = if self.target_scale == 1.0 {
                energy
            } else {
                ground + self.target_scale * (energy - ground)
            };
            EnergyControl { target, deviations: [energy - target; 2] }
        };
        (0..system.bodies().len()).map(of_body).collect()
    }

    /// Moves each body's target through one step: work in, dissipation out, decay.
    fn advance_targets(
        &self,
        system: &System,
        report: &StepReport,
        times: [f64; 2],
        control: &mut [EnergyControl],
    ) {
        let factor = self.decay.factor(times[0], times[1] - times[0]);
        for (b, own) in control.iter_mut().enumerate() {
            own.target += report.work[b] - report.dissipated[b];
            if factor != 1.0 {
                let ground = system.bodies()[b].ground_energy;
                own.target = ground + factor * (own.target - ground);
            }
        }
    }

    fn groups(&self, links: &Links, bodies: usize) -> Vec<Vec<usize>> {
        match self.scope {
            Scope::Island => links.groups(),
            Scope::Scene => vec![(0..bodies).collect()],
        }
    }

    fn choose(
        &self,
        bodies: Vec<usize>,
        curves: &[EnergyCurve],
        control: &[EnergyControl],
    ) -> GroupAlpha {
        let sum = |of: &dyn Fn(usize) -> f64| bodies.iter().map(|&b| of(b)).sum::<f64>();
        let curve = EnergyCurve {
            constant: sum(&|b| curves[b].constant),
            linear: sum(&|b| curves[b].linear),
            quadratic: sum(&|b| curves[b].quadratic),
            kinetic: sum(&|b| curves[b].kinetic),
        };
        let target = sum(&|b| control[b].target);
        let searches = match self.control {
            Control::Deadbeat => true,
            Control::Sparse { dead_band } => {
                let before = |k: usize| sum(&|b| control[b].deviations[k]);
                let deviations = [curve.at(1.0) - target, before(0), before(1)];
                sparse_rule_searches(deviations, dead_band * target.abs())
            }
        };
        let (alpha, outcome) = match searches {
            true => curve.search(target, self.limits),
            false => (1.0, AlphaOutcome::Free),
        };
        GroupAlpha { bodies, alpha, outcome, energy: curve.at(alpha), target }
    }
}

/// `H(alpha)` of each body.
fn energy_curves(system: &System, solved: &Solved, potential: &[f64]) -> Vec<EnergyCurve> {
    let kinetic = system.kinetic_by_body(&solved.w);
    let quadratic = system.kinetic_by_body(&solved.dv);
    let linear = system.sum_by_body(|i| system.masses()[i] * solved.w[i].dot(solved.dv[i]));
    (0..potential.len())
        .map(|b| EnergyCurve {
            constant: potential[b] + kinetic[b],
            linear: linear[b],
            quadratic: quadratic[b],
            kinetic: kinetic[b],
        })
        .collect()
}

impl Integrator for ASearch {
    fn name(&self) -> &'static str {
        "A-search"
    }

    fn step(
        &self,
        system: &mut System,
        solver: &mut StageSolver,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, StepError> {
        system.set_time(state.time);
        let mut control = match &state.control {
            Some(control) => control.clone(),
            None => {
                system.prepare(&state.positions);
                self.first_control(system, state)
            }
        };
        let solved = solve(system, solver, state, h)?;
        self.advance_targets(system, &solved.report, [state.time, solved.time], &mut control);
        let potential = system.potential_by_body(&solved.x);
        let curves = energy_curves(system, &solved, &potential);
        let groups = self.groups(&solved.links, control.len());
        let alphas: Vec<GroupAlpha> =
            groups.into_iter().map(|bodies| self.choose(bodies, &curves, &control)).collect();
        let (corrected, report) = solved.correct(system, alphas);

        let kinetic = system.kinetic_by_body(&corrected.velocities);
        let energies: Vec<f64> = potential.iter().zip(&kinetic).map(|(p, k)| p + k).collect();
        for group in &report.alphas {
            share_target(group, &energies, &kinetic, &mut control);
        }
        *state = State { control: Some(control), ..corrected };
        Ok(report)
    }
}
