//! Average vector fields (AVF; Quispel et al., *A new class of energy-preserving numerical
//! integration methods*, J. Phys. A 41, 2008).
//!
//! ```text
//! x_n+1 = x_n + h/2 (v_n + v_n+1)
//! v_n+1 = v_n - h m^-1 int_0^1 grad P(x_n + s (x_n+1 - x_n), t_n + s h) ds
//! ```
//!
//! `P + K` is kept exactly if the quadrature is exact along the path: Simpson's rule
//! for quartic potentials (Saint Venant-Kirchhoff). As a minimisation (AVF, section 3 and appendix C) each
//! node `s_i` of weight `c_i` is one term `h^2/2 c_i/s_i P(x_n + s_i (x - x_n), t_n + s_i h)`, whose
//! derivative is `h^2/2 c_i grad P`. The force of a node at zero is known and is part of the predictor.

use crate::error::StepError;
use crate::methods::one_step::inertial_target;
use crate::parameters::ParameterError;
use crate::quadrature::Quadrature;
use crate::rigid::frame::Frame;
use crate::stage::{Lag, PotentialTerm, Stage};
use crate::step::{Integrator, Step, StepEnd};

/// Average vector field integration: second order, keeps the energy of polynomial
/// potentials; angular momentum only where the quadrature is the midpoint rule.
#[derive(Debug, Clone, Copy)]
pub struct Avf {
    /// Quadrature of the force along the step.
    pub quadrature: Quadrature,
}

impl Integrator for Avf {
    fn check(&self) -> Result<(), ParameterError> {
        Ok(self.quadrature.check()?)
    }

    fn name(&self) -> &'static str {
        "AVF"
    }

    fn order(&self) -> u32 {
        2
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let (start, h) = (step.state, step.h);
        let mut predictor = inertial_target(start, h);
        let mut terms = Vec::new();
        for (node, quadrature_weight) in self.quadrature.nodes() {
            if node > 0.0 {
                let base = start.positions.clone();
                let (time, weight) = (step.time_at(node), h * h / 2.0 * quadrature_weight / node);
                terms.push(PotentialTerm { time, weight, fraction: node, base });
                continue;
            }
            // The force at the start is known.
            let gradient = step.evaluated_start_gradient();
            for i in 0..predictor.len() {
                predictor[i] -=
                    h * h / 2.0 * quadrature_weight / step.system.masses()[i] * gradient[i];
            }
        }
        let middle = step.time_at(0.5);
        let middle_target = inertial_target(start, 0.5 * h);
        let co_rotation = step.rotation_of_mean_velocity(&Frame::default(), &middle_target, 0.5);
        let lag =
            Lag::mean_velocity(middle, h * h / 2.0, &start.positions, h).rotating(co_rotation);
        let stage = Stage { time: step.end_time(), predictor, terms, lag };
        let end_velocity = |i: usize, x| 2.0 / h * (x - start.positions[i]) - start.velocities[i];
        let end = step.solve_only(&stage, end_velocity)?;
        let heat = step.heat_along_path(middle, &end.positions);
        Ok(StepEnd::new(end, heat))
    }
}
