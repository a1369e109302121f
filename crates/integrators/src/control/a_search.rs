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
use crate::step::friction_fixed_point::FrictionFixedPoint;
use crate::step::memory::{self, Previous};
use crate::step::{Heat, Integrator, Step, StepEnd};
use resile_math::Vec3;
use resile_system::{RecordFormat, State};

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

/// Solves implicit Euler and determines the correction of its velocities at alpha = 1.
///
/// # Errors
/// If a solve fails.
fn solve_uncorrected(
    step: &mut Step<'_>,
    momentum: MomentumRule,
    correction: CorrectionRule,
) -> Result<Correction, StepError> {
    let (start, h) = (step.state, step.h);
    let start_gradient = step.start_gradient();
    let evaluated_gradient = match momentum {
        MomentumRule::Plain => None,
        MomentumRule::Exact => Some(step.evaluated_start_gradient()),
    };
    let mut links = step.empty_links();
    // Bodies are linked if they exchange forces at the start or at the end of the step.
    step.at_start().link(&start.positions, &mut links);
    let euler = Euler::new(step);
    let x = step.solve(&euler.stage, &start.positions)?;
    let FrictionFixedPoint { positions: x, has_friction, stage, groups } =
        step.iterate_friction(&euler.stage, euler.lag_at_end(), x)?;
    let w = euler.velocities(step, &x);
    let mut end = State::new(stage.time, x, w);
    let mean = step.mean_velocities(&end.positions, &euler.frame);
    step.system.link(&end.positions, &mut links);
    for pair in groups.iter().flat_map(|group| group.windows(2)) {
        links.join(pair[0], pair[1]);
    }
    let gradient = step.balancing_gradient(&stage, h * h, &end.positions);
    let VelocityChanges { mut dv, impulse } =
        VelocityChanges::new(step, &euler, [&start_gradient, &gradient], &end.positions);
    let loads = VaryingLoads::new(step, &euler.frame);
    if let Some(loads) = &loads {
        loads.separate(&mut end.velocities, &mut dv);
    }
    // Friction on bodies without an elastic inertia needs the correction of each node: if it is spread over the body,
    // friction in an impact of a few steps is two to five times too strong.
    let mut inertias = Vec::new();
    if has_friction {
        inertias = correction.elastic_inertias(step, &end.positions);
        inertias.iter_mut().for_each(|inertia| inertia.filter(&mut dv));
    } else {
        correction.filter(step, &end.positions, &end.velocities, &mut dv);
    }
    let work_correction = loads.map_or_else(Vec::new, |loads| {
        loads.work_correction(step, &end.positions, [&end.velocities, &dv])
    });
    let spins = match evaluated_gradient {
        None => Spins::default(),
        Some(gradient) => Spins::new(step, &links, &gradient, &end.positions),
    };
    let (frictional_spins, frictionless_spins) =
        if has_friction { (spins, Spins::default()) } else { (Spins::default(), spins) };
    let frictional = has_friction
        .then(|| Frictional::new(step, &euler, &end, &gradient, inertias, frictional_spins));
    let heat = if has_friction {
        Heat::none(step.system.bodies().len())
    } else {
        heat_without_friction(step, &stage, &mean, &dv)
    };
    memory::remember_gradient(gradient, &mut end.memory);
    Previous::remember(start, h, &mut end.memory);
    let end = StepEnd::new(end, heat).with_error(trapezoidal_error(step, &mean));
    Ok(Correction {
        end,
        dv,
        impulse,
        work_correction,
        links,
        spins: frictionless_spins,
        frictional,
    })
}

/// The heat of damping and follower loads in a step without friction, at the mean velocities `w` (m/s) with the correction
/// `dv` (m/s): the work of their impulse along the mean of the velocities at the start and, with alpha = 1/2, at the end. The
/// displacement by `w` differs from that of this mean by `h^2 a / 2` with the acceleration `a`, and the targets would
/// accumulate the difference ([`VaryingLoads`]). Heat of damping is not negative if the body turns back in the step.
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
    // The velocities at the start and at the end are those of different rotations, so that damping which rotates with its
    // body would not be free of their rotation.
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
    /// Difference of the impulses of a step with the forces at its start and at its end.
    dv: Vec<Vec3>,
    /// The impulse of the conservative forces at the end, per mass: `h m^-1 grad P`.
    impulse: Vec<Vec3>,
}

impl VelocityChanges {
    /// The changes in a step to `x`, from the `gradients` (N) at both ends in the straightened motion
    /// (`rigid/free_flight.rs`); `dv` has no net momentum.
    fn new(step: &Step<'_>, euler: &Euler, gradients: [&[Vec3]; 2], x: &[Vec3]) -> Self {
        let (h, n, [start_gradient, end_gradient]) = (step.h, x.len(), gradients);
        let (masses, system) = (step.system.masses(), &step.system);
        let velocity_change = |i: usize, g: Vec3| system.free_part(i, h / masses[i] * g);
        let mut dv: Vec<Vec3> =
            (0..n).map(|i| velocity_change(i, start_gradient[i] - end_gradient[i])).collect();
        let straightened = |frame: &Frame, x: &[Vec3], gradient: &[Vec3]| {
            let mut impulses: Vec<Vec3> =
                (0..n).map(|i| -velocity_change(i, gradient[i])).collect();
            frame.straighten_impulses(h, x, &mut impulses);
            impulses
        };
        let start_impulses = straightened(&step.frame(0.0), &step.state.positions, start_gradient);
        let end_impulses = straightened(&euler.frame, x, end_gradient);
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
    fn lets_bounce(&self) -> bool {
        true
    }

    fn turns_in_contact(&self) -> f64 {
        MAX_ANGLE_IN_CONTACT
    }

    fn turns_on_supports(&self) -> f64 {
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
    fn lets_bounce(&self) -> bool {
        true
    }

    fn turns_in_contact(&self) -> f64 {
        MAX_ANGLE_IN_CONTACT
    }

    fn turns_on_supports(&self) -> f64 {
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
