//! Energy-tracking blend of the implicit midpoint rule with backward and forward Euler
//! (BLEND, section 4 and algorithm 1).
//!
//! The midpoint rule is solved first. If a group of bodies gained energy, its positions and velocities are mixed with
//! those of backward Euler, solved from the midpoint solution or, if its objective is lower there, from the start; if
//! it lost energy, with those of forward Euler. The fraction is found by bisection, such that the energy is within
//! `tolerance` of its target. If there is no such fraction, the nearest one is used (`mixing.rs`), which may be zero:
//! the solution of the midpoint rule.
//!
//! # Scale of the tolerance
//! BLEND's tolerance is a fraction of H, which depends on the height of the origin if there is gravity. Here it is a
//! fraction of the exchangeable energy: the difference of the target and the lowest potential so far, which is
//! shifted by the work on the bodies, or their kinetic energy if that is larger. For BLEND's springs both are the
//! same.
//!
//! # Limitations
//! Mixed positions solve no equation, so the errors of momentum and of the directions of contact forces grow with the
//! fraction of the mixture. Surfaces do not cross: the path from the midpoint solution to the other one has a
//! step bound, and the fraction is clamped to its collision-free part. The energy may then be below its target. If it
//! would be above, the solution of backward Euler is used, unless its energy is even higher.

use crate::control::mixing::{
    BACKWARD_EULER, BlendGroup, FORWARD_EULER, MIDPOINT, Mixing, Solution,
};
use crate::control::target::EnergyTarget;
use crate::error::StepError;
use crate::methods::one_step::{Euler, Theta, ThetaEnd};
use crate::parameters::ParameterError;
use crate::step::Scope;
use crate::step::memory;
use crate::step::{Integrator, Step, StepEnd};
use resile_math::Vec3;
use resile_math::parameters::Allowed;
use resile_system::{Links, RecordFormat, State};

/// Blending. Without contact its energy stays within `tolerance` of the target, except where even backward Euler has
/// more energy (BLEND, appendix C).
#[derive(Debug, Clone)]
pub struct Blend {
    /// The energy to be kept.
    pub target: EnergyTarget,
    /// Permitted deviation, relative to the exchangeable energy; BLEND uses 0.01.
    pub tolerance: f64,
}

impl Blend {
    /// Range of `tolerance`.
    pub const TOLERANCE: Allowed = Allowed::Positive;
}

impl Default for Blend {
    fn default() -> Self {
        Self { target: EnergyTarget::default(), tolerance: 0.01 }
    }
}

impl Integrator for Blend {
    fn check(&self) -> Result<(), ParameterError> {
        self.target.check()?;
        Ok(Self::TOLERANCE.check("tolerance", self.tolerance)?)
    }

    fn name(&self) -> &'static str {
        "blending"
    }

    fn scope(&self) -> Scope {
        self.target.scope
    }

    /// Alpha is one for backward Euler and minus one for forward Euler.
    fn alpha_limits(&self) -> Option<[f64; 2]> {
        Some([-1.0, 1.0])
    }

    fn energy_targets(&self, state: &State) -> Option<Vec<f64>> {
        memory::energy_targets(state)
    }

    /// The order without blending.
    fn order(&self) -> u32 {
        2
    }

    fn records(&self) -> Vec<RecordFormat> {
        vec![memory::control_format()]
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let control = self.target.at_start(step);
        let mut links = step.empty_links();
        // Friction lags the contacts at the start, so bodies that have separated since then still exchange impulse.
        let start = step.state;
        step.at_start().link(&start.positions, &mut links);
        let midpoint = midpoint_rule(step, &mut links)?;
        let blend_groups = |links: &Links| -> Vec<BlendGroup> {
            let groups = self.target.groups(links, control.len());
            groups
                .into_iter()
                .map(|bodies| BlendGroup { bodies, partner: MIDPOINT, fraction: 0.0 })
                .collect()
        };
        let mut mixing = Mixing::new(self, midpoint.clone(), blend_groups(&links), control.clone());
        step.set_co_moving_frames(&links);
        let partners_needed = mixing.partners_needed(step);
        if partners_needed.contains(&Some(BACKWARD_EULER)) {
            mixing.solutions[BACKWARD_EULER] = Some(backward_euler(step, &midpoint, &mut links)?);
        }
        if partners_needed.contains(&Some(FORWARD_EULER)) {
            mixing.solutions[FORWARD_EULER] = Some(forward_euler(step));
        }
        mixing.groups = blend_groups(&links);
        step.set_co_moving_frames(&links);
        mixing.find_fractions(step);
        Ok(mixing.finish(step))
    }
}

/// Solves the midpoint rule, and records in `links` the bodies that exchange forces at the point where it evaluates
/// them.
fn midpoint_rule(step: &mut Step<'_>, links: &mut Links) -> Result<Solution, StepError> {
    let ThetaEnd { end, force_positions } = Theta::MIDPOINT.solve_step(step)?;
    let StepEnd { state: end, heat, .. } = end;
    step.system.link(&force_positions, links);
    Ok(Solution { x: end.positions, v: end.velocities, heat })
}

/// Solves backward Euler from the midpoint solution, or from the start if the objective is lower there.
fn backward_euler(
    step: &mut Step<'_>,
    midpoint: &Solution,
    links: &mut Links,
) -> Result<Solution, StepError> {
    let euler = Euler::new(step);
    let stage = &euler.stage;
    // No barrier acts at the end of a midpoint step, so it can be very near to a surface. From there, the first step of
    // Newton's method can be shorter than the tolerance, and the method would stop without a solution: on the medium
    // bar at h = 1/30 the energy rose to 516 times its initial value.
    let from = step.position_of_lower_value(stage, [&midpoint.x, &step.state.positions]).to_vec();
    let x = step.solve(stage, &from)?;
    step.system.link(&x, links);
    let mean = step.mean_velocities(&x, &euler.frame);
    let (heat, v) = (step.heat(&stage.lag.frame(), 1.0, &mean), euler.velocities(step, &x));
    Ok(Solution { x, v, heat })
}

/// The solution of forward Euler.
fn forward_euler(step: &mut Step<'_>) -> Solution {
    let (h, n) = (step.h, step.state.positions.len());
    let gradient = step.evaluated_start_gradient();
    let v = step.start_velocities();
    let start_dissipation = step.dissipation_frame_at_start();
    let mut a = step.acceleration(&gradient, &step.dissipative_gradient(&start_dissipation, &v));
    let heat = step.heat(&start_dissipation, 1.0, &v);
    let [start_frame, end_frame] = [0.0, 1.0].map(|fraction| step.frame(fraction));
    let mut x: Vec<Vec3> = (0..n).map(|i| step.state.positions[i] + h * v[i]).collect();
    end_frame.to_space(&mut x);
    start_frame.straighten_impulses(1.0, &step.state.positions, &mut a);
    let mut end_velocities: Vec<Vec3> = (0..n).map(|i| v[i] + h * a[i]).collect();
    end_frame.velocities_to_space(&x, &mut end_velocities);
    Solution { x, v: end_velocities, heat }
}
