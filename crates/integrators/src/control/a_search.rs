//! A-1 and A-search (ASEARCH, sections 4.3-4.5, algorithm 1).
//!
//! Both solve implicit Euler for positions and correct only velocities, `v = w - alpha dv`, with the mean velocity `w`
//! of the step and `dv = h m^-1 (grad P(x_n) - grad P(x_n+1))` of the conservative forces. Positions keep the
//! guarantees of implicit Euler, and the correction costs inner products without a second solve.
//!
//! With friction, corrected velocities obey Coulomb's law; see [`frictional`](crate::control::frictional).

use crate::control::alpha_rule::{AlphaRule, Control};
use crate::control::correction::Correction;
use crate::control::filter::CorrectionRule;
use crate::control::frictional::Frictional;
use crate::control::spin::{MomentumRule, Spins};
use crate::control::target::EnergyTarget;
use crate::control::varying_loads::VaryingLoads;
use crate::error::StepError;
use crate::methods::multistep::GROWTH_OVER_HALVES;
use crate::methods::one_step::{
    Euler, MAX_ANGLE_IN_CONTACT, MAX_ANGLE_ON_SUPPORTS, trapezoidal_error,
};
use crate::parameters::ParameterError;
use crate::rigid::frame::Frame;
use crate::stage::Stage;
use crate::step::Scope;
use crate::step::elastic_inertia::ElasticInertia;
use crate::step::friction_fixed_point::FrictionFixedPoint;
use crate::step::memory::{self, Previous};
use crate::step::{Heat, Integrator, Step, StepEnd};
use resile_math::Vec3;
use resile_system::{Links, RecordFormat, State};

/// alpha is always one. Symplectic and unconditionally stable for linear problems, first order, robust in
/// collisions; its energy oscillates about the exact one. Bodies in contact get a smaller alpha if the full correction
/// would increase the energy.
#[derive(Debug, Clone, Copy)]
pub struct A1;

/// A-search: alpha follows an energy target.
#[derive(Debug, Clone, Default)]
pub struct ASearch {
    /// The energy to be kept.
    pub target: EnergyTarget,
    /// Choice of alpha.
    pub rule: AlphaRule,
    /// Whether angular momenta are conserved as well.
    pub momentum: MomentumRule,
    /// The part of the change of forces that corrects velocities.
    pub correction: CorrectionRule,
}

impl ASearch {
    /// The paper's rule: velocities are corrected by the whole change of forces.
    pub fn of_paper() -> Self {
        Self { correction: CorrectionRule::Plain, ..Self::default() }
    }
}

/// The solution of implicit Euler with friction at the end of the step.
struct EulerSolution {
    euler: Euler,
    /// The stage that was solved last.
    stage: Stage,
    /// The end of the step, without memory.
    end: State,
    /// The mean velocities (m/s) without the motion of the frame.
    mean_velocities: Vec<Vec3>,
    has_friction: bool,
    /// Pairs of bodies that exchanged force at the start, at the end or by friction.
    links: Links,
}

impl EulerSolution {
    /// Solves the stage, and iterates friction to its fixed point.
    ///
    /// # Errors
    /// If a solve fails.
    fn solve(step: &mut Step<'_>) -> Result<Self, StepError> {
        let start = step.state;
        let mut links = step.empty_links();
        step.at_start().link(&start.positions, &mut links);
        let (euler, solved) = Euler::solve(step)?;
        let FrictionFixedPoint { positions: x, has_friction, stage, groups } = solved;
        let w = euler.velocities(step, &x);
        let end = State::new(stage.time, x, w);
        let mean_velocities = step.mean_velocities(&end.positions, &euler.frame);
        step.system.link(&end.positions, &mut links);
        for pair in groups.iter().flat_map(|group| group.windows(2)) {
            links.join(pair[0], pair[1]);
        }
        Ok(Self { euler, stage, end, mean_velocities, has_friction, links })
    }
}

/// Solves implicit Euler and determines the correction of its velocities at alpha = 1.
///
/// # Errors
/// If a solve fails.
fn solve_uncorrected(
    step: &mut Step<'_>,
    momentum_rule: MomentumRule,
    correction_rule: CorrectionRule,
) -> Result<Correction, StepError> {
    let (start, h) = (step.state, step.h);
    let start_gradient = step.start_gradient();
    let evaluated_start_gradient = match momentum_rule {
        MomentumRule::Plain => None,
        MomentumRule::Exact => Some(step.evaluated_start_gradient()),
    };
    let EulerSolution { euler, stage, mut end, mean_velocities, has_friction, links } =
        EulerSolution::solve(step)?;
    let end_gradient = step.balancing_gradient(&stage, h * h, &end.positions);
    let gradients = [&start_gradient[..], &end_gradient];
    let VelocityChanges { mut dv, impulse } =
        VelocityChanges::new(step, &euler, gradients, &end.positions);
    let loads = VaryingLoads::new(step, &euler.frame);
    if let Some(loads) = &loads {
        loads.separate(&mut end.velocities, &mut dv);
    }
    let inertias = filter_correction(step, correction_rule, has_friction, &end, &mut dv);
    let work_correction = loads.map_or_else(Vec::new, |loads| {
        loads.work_correction(step, &end.positions, [&end.velocities, &dv])
    });
    let spins = evaluated_start_gradient.map_or_else(Spins::default, |gradient| {
        Spins::new(step, &links, &gradient, &end.positions)
    });
    let (frictional, spins, heat) = if has_friction {
        let frictional = Frictional::new(step, &euler, &end, &end_gradient, inertias, spins);
        (Some(frictional), Spins::default(), Heat::none(step.system.bodies().len()))
    } else {
        (None, spins, heat_without_friction(step, &stage, &mean_velocities, &dv))
    };
    memory::remember_gradient(end_gradient, &mut end.memory);
    Previous::remember(start, h, &mut end.memory);
    let end = StepEnd::new(end, heat).with_error(trapezoidal_error(step, &mean_velocities));
    Ok(Correction { end, dv, impulse, work_correction, links, spins, frictional })
}

/// Filters the correction `dv` (m/s) of a step to `end`, where the system must be prepared, by `rule`. In a step with
/// friction only bodies with an elastic inertia are filtered, by these inertias, which are returned: if the correction of
/// other bodies were spread over their nodes, friction in an impact of a few steps would be two to five times too strong.
fn filter_correction(
    step: &mut Step<'_>,
    rule: CorrectionRule,
    has_friction: bool,
    end: &State,
    dv: &mut [Vec3],
) -> Vec<ElasticInertia> {
    if !has_friction {
        rule.filter(step, &end.positions, &end.velocities, dv);
        return Vec::new();
    }
    let mut inertias = rule.elastic_inertias(step, &end.positions);
    inertias.iter_mut().for_each(|inertia| inertia.filter(dv));
    inertias
}

/// The heat of damping and follower loads in a step without friction, with the mean velocities `w` (m/s) and their
/// correction `dv` (m/s). It is the work of their impulse along the mean of the velocities at the start and, with
/// alpha = 1/2, at the end: the displacement by `w` differs from that of this mean by `h^2 a / 2` with the acceleration
/// `a`, and the targets would accumulate the difference ([`VaryingLoads`]). A negative work, as of a body that reverses
/// its motion in the step, becomes zero if that along the displacement is not negative. Damping that rotates with its
/// body has the heat along the displacement.
fn heat_without_friction(step: &Step<'_>, stage: &Stage, w: &[Vec3], dv: &[Vec3]) -> Heat {
    let frame = stage.lag.frame();
    let along_displacement = step.heat(&frame, 1.0, w);
    if !step.system.is_damped() {
        return along_displacement;
    }
    let mut heat = along_displacement.clone();
    let start = &step.state.velocities;
    let mean_velocity = |i: usize| 0.5 * (start[i] + w[i] - 0.5 * dv[i]);
    let mean_velocities: Vec<Vec3> = (0..w.len()).map(mean_velocity).collect();
    let impulse_heat = step.viscous_heat(&frame, w, &mean_velocities);
    // The velocities at both ends contain different rotations, so that their mean contains a part of the rotation, which
    // damping that rotates with its body must not resist.
    let rotates = |b: &usize| step.dissipation.rotates_with_body(*b);
    for b in (0..step.system.bodies().len()).filter(|b| !rotates(b)) {
        heat.copy_body(b, &impulse_heat);
        if along_displacement.from_bodies[b] >= 0.0 && heat.from_bodies[b] < 0.0 {
            heat.scale_from_bodies(b, 0.0);
        }
    }
    heat
}

/// Changes of velocities (m/s) by conservative forces in a step.
struct VelocityChanges {
    /// Velocity change by the forces at the end of the step minus that by the forces at its start.
    dv: Vec<Vec3>,
    /// The impulse of the conservative forces at the end, per mass: `h m^-1 grad P`.
    impulse: Vec<Vec3>,
}

impl VelocityChanges {
    /// The changes in a step to `x` (m), from the `gradients` (N) of the potential at the start and at the end. Changes of
    /// bodies in free flight are those of the straightened motion (`rigid/free_flight.rs`); those of bodies on supports
    /// are zero.
    fn new(step: &Step<'_>, euler: &Euler, gradients: [&[Vec3]; 2], x: &[Vec3]) -> Self {
        let (h, n, [start_gradient, end_gradient]) = (step.h, x.len(), gradients);
        let (masses, system) = (step.system.masses(), &step.system);
        let velocity_change = |i: usize, g: Vec3| system.free_part(i, h / masses[i] * g);
        let mut dv: Vec<Vec3> =
            (0..n).map(|i| velocity_change(i, start_gradient[i] - end_gradient[i])).collect();
        let straightened_impulses = |frame: &Frame, x: &[Vec3], gradient: &[Vec3]| {
            let mut impulses: Vec<Vec3> =
                (0..n).map(|i| -velocity_change(i, gradient[i])).collect();
            frame.straighten_impulses(h, x, &mut impulses);
            impulses
        };
        let start_positions = &step.state.positions;
        let start_impulses =
            straightened_impulses(&step.frame(0.0), start_positions, start_gradient);
        let end_impulses = straightened_impulses(&euler.frame, x, end_gradient);
        let mut impulse_at_end: Vec<Vec3> =
            (0..n).map(|i| velocity_change(i, end_gradient[i])).collect();
        for i in euler.frame.moving_nodes() {
            dv[i] = end_impulses[i] - start_impulses[i];
            impulse_at_end[i] = -end_impulses[i];
        }
        euler.frame.velocity_changes_to_space(x, &mut dv);
        euler.frame.velocity_changes_to_space(x, &mut impulse_at_end);
        euler
            .frame
            .supported_nodes()
            .for_each(|i| (dv[i], impulse_at_end[i]) = (Vec3::ZERO, Vec3::ZERO));
        Self { dv, impulse: impulse_at_end }
    }
}

/// The records of both methods.
fn records() -> Vec<RecordFormat> {
    vec![memory::previous_format(), memory::control_format()]
}

impl Integrator for A1 {
    fn handles_restitution(&self) -> bool {
        true
    }

    fn deforms_in_flight(&self) -> bool {
        false
    }

    fn max_rotation_in_contact(&self) -> f64 {
        MAX_ANGLE_IN_CONTACT
    }

    fn max_rotation_on_supports(&self) -> f64 {
        MAX_ANGLE_ON_SUPPORTS
    }

    fn name(&self) -> &'static str {
        "A-1"
    }

    fn order(&self) -> u32 {
        1
    }

    fn estimates_its_error(&self) -> bool {
        true
    }

    fn energy_targets(&self, state: &State) -> Option<Vec<f64>> {
        memory::energy_targets(state)
    }

    fn largest_growth(&self) -> f64 {
        GROWTH_OVER_HALVES
    }

    fn records(&self) -> Vec<RecordFormat> {
        records()
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let rule = AlphaRule { limits: [0.0, 1.0], control: Control::Whole };
        let target = EnergyTarget::default();
        let control = target.at_start(step);
        solve_uncorrected(step, MomentumRule::Plain, CorrectionRule::Plain)?
            .with_searched_alphas(step, &target, rule, control)
    }
}

impl Integrator for ASearch {
    fn handles_restitution(&self) -> bool {
        true
    }

    fn deforms_in_flight(&self) -> bool {
        false
    }

    fn max_rotation_in_contact(&self) -> f64 {
        MAX_ANGLE_IN_CONTACT
    }

    fn max_rotation_on_supports(&self) -> f64 {
        MAX_ANGLE_ON_SUPPORTS
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.target.check()?;
        self.correction.check()?;
        self.rule.check()
    }

    fn name(&self) -> &'static str {
        "A-search"
    }

    fn scope(&self) -> Scope {
        self.target.scope
    }

    fn alpha_limits(&self) -> Option<[f64; 2]> {
        Some(self.rule.limits)
    }

    fn order(&self) -> u32 {
        1
    }

    fn estimates_its_error(&self) -> bool {
        true
    }

    fn energy_targets(&self, state: &State) -> Option<Vec<f64>> {
        memory::energy_targets(state)
    }

    fn largest_growth(&self) -> f64 {
        GROWTH_OVER_HALVES
    }

    fn records(&self) -> Vec<RecordFormat> {
        records()
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let control = self.target.at_start(step);
        solve_uncorrected(step, self.momentum, self.correction)?.with_searched_alphas(
            step,
            &self.target,
            self.rule,
            control,
        )
    }
}
