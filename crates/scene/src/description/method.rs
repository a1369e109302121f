//! Conversion of integrators to the methods of `resile-integrators`.

use super::{
    Adaptive, Alpha, Control, Correction, DecayPhase, Integrator, Momentum, Quadrature, Scope,
    Target, Time, Underlying,
};
use resile_integrators as methods;
use resile_integrators::{ParameterError, RungeKutta, TableauError};

impl Integrator {
    /// The method with its parameters.
    ///
    /// # Errors
    /// If the stages of a tableau cannot be solved one after another. [`Scene::check`](super::Scene::check) checks the
    /// ranges of parameters.
    pub fn method(&self) -> Result<Box<dyn methods::Integrator>, ParameterError> {
        Ok(match self {
            Self::ForwardEuler => Box::new(RungeKutta::forward_euler()),
            Self::SymplecticEuler => Box::new(RungeKutta::symplectic_euler()),
            Self::ExplicitMidpoint => Box::new(RungeKutta::explicit_midpoint()),
            Self::AveragedMidpoint => Box::new(RungeKutta::averaged_midpoint()),
            Self::SymplecticMidpoint => Box::new(RungeKutta::symplectic_midpoint()),
            Self::ModifiedHalfStep => Box::new(RungeKutta::modified_half_step()),
            Self::Heun => Box::new(RungeKutta::heun()),
            Self::RungeKutta4 => Box::new(RungeKutta::runge_kutta_4()),
            Self::Verlet => Box::new(RungeKutta::verlet()),
            Self::ForestRuth => Box::new(RungeKutta::forest_ruth()),
            Self::RungeKutta { a, b } => Box::new(RungeKutta::butcher(a, b)?),
            Self::ImplicitEuler => Box::new(methods::ImplicitEuler),
            Self::Bdf2 => Box::new(methods::Bdf2),
            Self::Trapezoidal => Box::new(RungeKutta::trapezoidal()),
            Self::ImplicitMidpoint => Box::new(methods::Theta::MIDPOINT),
            Self::ThetaInner { theta } => Box::new(methods::Theta { theta: *theta }),
            Self::ThetaOuter { theta } => Box::new(RungeKutta::theta_outer(*theta)?),
            Self::Newmark { beta, gamma } => {
                Box::new(methods::Newmark { beta: *beta, gamma: *gamma })
            }
            Self::GeneralizedAlpha { rho_inf } => {
                Box::new(methods::GeneralizedAlpha { rho_inf: *rho_inf })
            }
            Self::Sdirk2 => Box::new(RungeKutta::sdirk2()),
            Self::TrBdf2 => Box::new(RungeKutta::tr_bdf2()),
            Self::Bathe => Box::new(RungeKutta::bathe()),
            Self::Avf { quadrature } => {
                Box::new(methods::Avf { quadrature: quadrature_rule(*quadrature) })
            }
            Self::A1 => Box::new(methods::A1),
            Self::ASearch { alpha_min, alpha_max, control, target, momentum, correction } => {
                let rule = alpha_rule(*alpha_min, *alpha_max, *control);
                let momentum = match momentum {
                    Momentum::Plain => methods::MomentumRule::Plain,
                    Momentum::Exact => methods::MomentumRule::Exact,
                };
                let (target, correction) = (energy_target(target), correction_rule(*correction));
                Box::new(methods::ASearch { target, rule, momentum, correction })
            }
            Self::Decoupled { method, alpha } => {
                Box::new(methods::Decoupled::over(&underlying(method)?, alpha_steering(alpha))?)
            }
            Self::Blend { tolerance, target } => {
                Box::new(methods::Blend { target: energy_target(target), tolerance: *tolerance })
            }
        })
    }
}

fn quadrature_rule(quadrature: Quadrature) -> methods::Quadrature {
    match quadrature {
        Quadrature::Simpson => methods::Quadrature::SIMPSON,
        Quadrature::Gauss { nodes } => methods::Quadrature::Gauss(nodes),
        Quadrature::NewtonCotes { nodes } => methods::Quadrature::NewtonCotes(nodes),
    }
}

fn underlying(method: &Underlying) -> Result<RungeKutta, TableauError> {
    Ok(match method {
        Underlying::ImplicitEuler => RungeKutta::implicit_euler(),
        Underlying::Trapezoidal => RungeKutta::trapezoidal(),
        Underlying::Sdirk2 => RungeKutta::sdirk2(),
        Underlying::RungeKutta { a, b } => RungeKutta::butcher(a, b)?,
    })
}

fn alpha_steering(alpha: &Alpha) -> methods::Steering {
    match alpha {
        Alpha::One => methods::Steering::Symplectic,
        Alpha::Search { alpha_min, alpha_max, control, target } => methods::Steering::Searched {
            target: energy_target(target),
            rule: alpha_rule(*alpha_min, *alpha_max, *control),
        },
    }
}

fn alpha_rule(alpha_min: f64, alpha_max: f64, control: Control) -> methods::AlphaRule {
    let control = match control {
        Control::Deadbeat => methods::Control::Deadbeat,
        Control::Sparse { dead_band } => methods::Control::Sparse { dead_band },
        Control::Filtered { gain, memory } => methods::Control::Filtered { gain, memory },
    };
    methods::AlphaRule { limits: [alpha_min, alpha_max], control }
}

fn correction_rule(correction: Correction) -> methods::CorrectionRule {
    match correction {
        Correction::Plain => methods::CorrectionRule::Plain,
        Correction::Resolved { c } => methods::CorrectionRule::Resolved { c },
        Correction::Split { elastic } => methods::CorrectionRule::Split { elastic },
        Correction::Along => methods::CorrectionRule::Along,
    }
}

fn energy_target(target: &Target) -> methods::EnergyTarget {
    let phase = |p: &DecayPhase| (p.start, p.tau);
    methods::EnergyTarget {
        scale: target.scale,
        decay: methods::Decay { schedule: target.decay.iter().map(phase).collect() },
        scope: match target.scope {
            Scope::Island => methods::Scope::Island,
            Scope::Scene => methods::Scope::Scene,
        },
    }
}

impl Time {
    /// Parameters of adaptive stepping, if requested.
    pub fn adaptive_stepping(&self) -> Option<methods::Adaptive> {
        let (measure, error, shortest) = match self.adaptive? {
            Adaptive::Doubling { error, shortest } => (methods::Measure::Doubling, error, shortest),
            Adaptive::Embedded { error, shortest } => (methods::Measure::Embedded, error, shortest),
        };
        let step = self.step.seconds();
        let shortest = shortest.unwrap_or(step / 1024.0);
        Some(methods::Adaptive { measure, error: error * step, shortest })
    }
}
