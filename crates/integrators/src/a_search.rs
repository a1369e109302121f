//! A-1 and A-search (ASEARCH, sections 4.3-4.5, algorithm 1).
//!
//! Both solve implicit Euler for positions and correct velocities alone,
//! `v = w - alpha dv` with `w` the mean velocity of the step and
//! `dv = h m^-1 (grad P(x_n) - grad P(x_n+1))` of the conservative forces. So
//! positions keep every guarantee that implicit Euler has, and the correction costs
//! inner products, not a second solve.
//!
//! Where bodies rub, corrected velocities obey Coulomb's law themselves; see
//! [`frictional`](crate::frictional).

use crate::control::{AlphaRule, Control};
use crate::correction::Correction;
use crate::error::StepError;
use crate::frictional::{self, Frictional};
use crate::one_step::{compare_with_trapezoidal, implicit_euler_stage};
use crate::step::{Integrator, Step};
use crate::target::EnergyTarget;
use resile_linalg::Vec3;
use resile_system::{Previous, State};

/// alpha is always one. Symplectic and unconditionally stable on linear
/// problems, first order, robust in collisions; its energy swings around the true one.
/// Bodies that touch take less of the correction where it would make energy.
#[derive(Debug, Clone, Copy)]
pub struct A1;

/// A-search: alpha follows an energy target.
#[derive(Debug, Clone, Default)]
pub struct ASearch {
    /// The energy to be kept.
    pub target: EnergyTarget,
    /// How alpha is chosen.
    pub rule: AlphaRule,
}

/// Solves implicit Euler and finds the correction of its velocity.
fn solve(step: &mut Step<'_>) -> Result<Correction, StepError> {
    let (old, h) = (step.state, step.h);
    let start_gradient = step.start_gradient();
    let mut links = step.no_links();
    step.system.set_time(old.time);
    step.system.prepare(&old.positions);
    step.system.link(&old.positions, &mut links);
    let stage = implicit_euler_stage(step);
    let x = step.solve(&stage, &old.positions)?;
    let rubbed = frictional::follow(step, &stage, x)?;
    let x = rubbed.positions;
    let w = (0..x.len()).map(|i| (x[i] - old.positions[i]) / h).collect();
    let mut end = State::new(stage.time, x, w);
    compare_with_trapezoidal(step, &end.velocities);
    step.system.link(&end.positions, &mut links);
    let gradient = step.balancing_gradient(&stage, h * h, &end.positions);
    let change = |i: usize| match step.system.free()[i] {
        true => h / step.system.masses()[i] * (start_gradient[i] - gradient[i]),
        false => Vec3::ZERO,
    };
    let dv = (0..gradient.len()).map(change).collect();
    let frictional = match rubbed.rubs {
        true => Some(Frictional::after(step, &end, &gradient)),
        false => {
            step.lose_on_the_way(&end.positions);
            None
        }
    };
    end.gradient = Some(gradient);
    end.previous = Some(Previous {
        positions: old.positions.clone(),
        velocities: old.velocities.clone(),
        step: h,
    });
    Ok(Correction { end, dv, links, frictional })
}

impl Integrator for A1 {
    fn name(&self) -> &'static str {
        "A-1"
    }

    fn order(&self) -> u32 {
        1
    }

    fn estimates_its_error(&self) -> bool {
        true
    }

    fn step(&self, step: &mut Step<'_>) -> Result<State, StepError> {
        let rule = AlphaRule { limits: [0.0, 1.0], control: Control::Whole };
        let target = EnergyTarget::default();
        let control = target.at_start(step);
        solve(step)?.steered(step, &target, rule, control)
    }
}

impl Integrator for ASearch {
    fn name(&self) -> &'static str {
        "A-search"
    }

    fn order(&self) -> u32 {
        1
    }

    fn estimates_its_error(&self) -> bool {
        true
    }

    fn step(&self, step: &mut Step<'_>) -> Result<State, StepError> {
        let control = self.target.at_start(step);
        solve(step)?.steered(step, &self.target, self.rule, control)
    }
}
