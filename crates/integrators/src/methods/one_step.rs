//! Implicit Euler and the inner theta method, with the midpoint rule in its middle
//! (Hairer, Norsett, Wanner, *Solving Ordinary Differential Equations*; position
//! form as in ASEARCH, section 3.1).

use crate::error::StepError;
use crate::methods::energy_limit;
use crate::parameters::ParameterError;
use crate::rigid::frame::Frame;
use crate::stage::{Lag, PotentialTerm, Stage};
use crate::step::friction_fixed_point::FrictionFixedPoint;
use crate::step::{Integrator, StageHeat, Step, StepEnd};
use resile_math::Vec3;
use resile_math::parameters::Allowed;
use resile_system::{Path, State};
use std::sync::Arc;

/// Largest rotation (rad) per step for which the free rotation of a body in contact is separated, under implicit Euler
/// and the methods that correct its velocities.
pub(crate) const MAX_ANGLE_IN_CONTACT: f64 = 0.25;

/// Largest rotation (rad) per step for which the rotation of a body about its joints is separated, under the same
/// methods.
pub(crate) const MAX_ANGLE_ON_SUPPORTS: f64 = 1.1;

/// First order; damps all motion that the step does not resolve.
#[derive(Debug, Clone, Copy)]
pub struct ImplicitEuler;

/// The inner theta method: forces at `x_n + theta (x_n+1 - x_n)` and `t_n + theta h`.
///
/// ```text
/// x_n+1 = x_n + h ((1 - theta) v_n + theta v_n+1)
/// v_n+1 = v_n - h m^-1 grad P(x_n + theta (x_n+1 - x_n), t_n + theta h)
/// ```
///
/// At theta = 1/2 it is the implicit midpoint rule: second order, symplectic, conserves angular momentum. Larger values
/// damp; theta = 1 is implicit Euler.
///
/// Strains of rotating bodies are evaluated in their co-rotating frame (`free_flight.rs`).
#[derive(Debug, Clone, Copy)]
pub struct Theta {
    /// Point at which forces are evaluated, in (0, 1]; values below one half are unstable for large steps.
    pub theta: f64,
}

impl Theta {
    /// The implicit midpoint rule.
    pub const MIDPOINT: Self = Self { theta: 0.5 };
}

/// The positions `x_n + h v_n` (m).
pub(crate) fn inertial_target(state: &State, h: f64) -> Vec<Vec3> {
    state.positions.iter().zip(&state.velocities).map(|(x, v)| *x + h * *v).collect()
}

/// A step of implicit Euler. Methods that correct its velocities use it as well.
pub(crate) struct Euler {
    /// The stage over the positions at the end of the step.
    pub(crate) stage: Stage,
    /// The frame at the end of the step.
    pub(crate) frame: Frame,
}

impl Euler {
    /// The stage and the frame for `step`; nothing is solved.
    pub(crate) fn new(step: &Step<'_>) -> Self {
        let (state, h) = (step.state, step.h);
        let frame = step.frame(1.0);
        let mut predictor = inertial_target(state, h);
        frame.to_space(&mut predictor);
        frame.subtract_acceleration(h * h, &mut predictor);
        let time = step.end_time();
        let lag = Lag::mean_velocity(time, h * h, &state.positions, h);
        let lag = lag.straightened(&frame.motion_offsets(predictor.len()));
        let lag = lag.rotating(step.rotation_of_mean_velocity(&frame, &predictor, 1.0));
        Self { stage: Stage::at_end(time, predictor, h * h, lag), frame }
    }

    /// The velocities (m/s) at the end of the step, from the positions `x` there.
    pub(crate) fn velocities(&self, step: &Step<'_>, x: &[Vec3]) -> Vec<Vec3> {
        let h = step.h;
        // Velocities of bodies in flight follow from the impulses, those of other nodes from the displacements.
        let mut v = step.mean_velocities(x, &Frame::default());
        let mut impulse: Vec<Vec3> =
            x.iter().zip(&self.stage.predictor).map(|(x, y)| (*x - *y) / h).collect();
        self.frame.straighten_impulses(h, x, &mut impulse);
        self.frame.moving_nodes().for_each(|i| v[i] = step.state.velocities[i] + impulse[i]);
        self.frame.velocities_to_space(x, &mut v);
        v
    }

    /// The velocities `v_n - h m^-1 grad P` (m/s) with the `gradient` (N) at the end `x`; prescribed nodes keep `v_n`.
    pub(crate) fn velocities_from_gradient(
        &self,
        step: &Step<'_>,
        x: &[Vec3],
        gradient: &[Vec3],
    ) -> Vec<Vec3> {
        let (h, system, masses) = (step.h, &step.system, step.system.masses());
        let impulse = |i: usize| system.free_part(i, -(h / masses[i] * gradient[i]));
        let mut v: Vec<Vec3> = (0..x.len()).map(impulse).collect();
        self.frame.straighten_impulses(h, x, &mut v);
        v.iter_mut().zip(&step.state.velocities).for_each(|(v, start)| *v += *start);
        self.frame.velocities_to_space(x, &mut v);
        v
    }

    /// The velocities at which friction that is lagged at the end acts: those of the end of the step.
    pub(crate) fn lag_at_end(&self) -> Lag {
        let mut lag = self.stage.lag.clone();
        let rotation_changes = self.frame.rotation_velocity_changes(lag.shift.len());
        lag.shift.iter_mut().zip(&rotation_changes).for_each(|(shift, change)| *shift += *change);
        if let Some(co_rotation) = lag.co_rotation.as_mut().map(Arc::make_mut) {
            for (change, rotation_change) in
                co_rotation.velocity_changes.iter_mut().zip(&rotation_changes)
            {
                *change -= *rotation_change;
            }
        }
        lag
    }

    /// Solves the stage of `step` and iterates friction to its fixed point. The result belongs to the stage returned with
    /// it.
    ///
    /// Bodies in free motion that are in contact at a solution lose it there: the next round of friction solves the stage
    /// without it. In a pile that happens in nearly every step, and a repetition would double its cost.
    ///
    /// # Errors
    /// If a solve fails.
    pub(crate) fn solve(step: &mut Step<'_>) -> Result<(Self, FrictionFixedPoint), StepError> {
        let mut euler = Self::new(step);
        let (stage, lag) = (euler.stage.clone(), euler.lag_at_end());
        let start = &step.state.positions;
        let solved = step.iterate_friction(stage, lag, start, |step, x| {
            step.restrict_free_motions(x).then(|| {
                euler = Self::new(step);
                (euler.stage.clone(), euler.lag_at_end())
            })
        })?;
        Ok((euler, solved))
    }

    /// [`solve`](Self::solve) without rounds of friction.
    fn solve_with_friction_of_start(step: &mut Step<'_>) -> Result<(Self, Vec<Vec3>), StepError> {
        let mut euler = Self::new(step);
        let mut x = step.solve(&euler.stage, &step.state.positions)?;
        while step.restrict_free_motions(&x) {
            euler = Self::new(step);
            x = step.solve(&euler.stage, &x)?;
        }
        Ok((euler, x))
    }

    /// Takes a step of implicit Euler. Also returns its stage.
    ///
    /// # Errors
    /// If a solve fails.
    pub(crate) fn take_step(step: &mut Step<'_>) -> Result<(Self, StepEnd), StepError> {
        let (euler, x) = match step.friction_rounds() {
            0 => Self::solve_with_friction_of_start(step)?,
            _ => {
                let (euler, solved) = Self::solve(step)?;
                (euler, solved.positions)
            }
        };
        let end = euler.complete_step(step, x);
        Ok((euler, end))
    }

    /// Completes the step from the solution `x` (m) of its stage.
    fn complete_step(&self, step: &mut Step<'_>, x: Vec<Vec3>) -> StepEnd {
        let mean = step.mean_velocities(&x, &self.frame);
        let v = self.velocities(step, &x);
        let mut stage_heat = StageHeat::zero(step);
        stage_heat.add_stage(step, &self.stage.lag.frame(), step.h, &mean);
        let heat = stage_heat.finish(step, &v);
        let end = StepEnd::new(State::new(self.stage.time, x, v), heat);
        let mut end = end.with_lagging_velocities();
        energy_limit::limit_to_start_energy(step, &mut end);
        end.with_error(trapezoidal_error(step, &mean))
    }
}

/// An estimate (m) of the largest error of a step of implicit Euler with the mean velocities `w` (m/s): the difference
/// `h (w - v_n) / 2` between its position `x_n + h w` and the second-order position `x_n + h (v_n + w) / 2` of the
/// trapezoidal rule.
pub(crate) fn trapezoidal_error(step: &Step<'_>, w: &[Vec3]) -> f64 {
    let (h, v) = (step.h, &step.state.velocities);
    step.largest_error(|i| 0.5 * h * (w[i] - v[i]))
}

impl Integrator for ImplicitEuler {
    fn max_rotation_in_contact(&self) -> f64 {
        MAX_ANGLE_IN_CONTACT
    }

    fn max_rotation_on_supports(&self) -> f64 {
        MAX_ANGLE_ON_SUPPORTS
    }

    fn name(&self) -> &'static str {
        "implicit Euler"
    }

    fn order(&self) -> u32 {
        1
    }

    fn estimates_its_error(&self) -> bool {
        true
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        Ok(Euler::take_step(step)?.1)
    }
}

impl Theta {
    /// Range of `theta`; 0 would be an explicit method.
    pub const THETA: Allowed = Allowed::Fraction;
}

impl Integrator for Theta {
    fn check(&self) -> Result<(), ParameterError> {
        Ok(Self::THETA.check("theta", self.theta)?)
    }

    fn name(&self) -> &'static str {
        if self.theta == 0.5 { "implicit midpoint" } else { "inner theta" }
    }

    fn order(&self) -> u32 {
        if self.theta == 0.5 { 2 } else { 1 }
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let theta_stage = self.stage(step);
        let x = step.solve_with_friction(&theta_stage.stage, &step.state.positions)?;
        Ok(self.complete_step(step, theta_stage, x)?.end)
    }
}

/// The stage of a step of the theta method.
struct ThetaStage {
    stage: Stage,
    /// The frame at the point where forces are evaluated.
    force_frame: Frame,
    /// The frame at the end of the step.
    end_frame: Frame,
    /// The velocities (m/s) at the start with strain rates that rotate with the bodies.
    start_velocities: Vec<Vec3>,
}

/// The result of a step of the theta method.
pub(crate) struct ThetaEnd {
    pub(crate) end: StepEnd,
    /// The positions (m) at which forces were evaluated.
    pub(crate) force_positions: Vec<Vec3>,
}

impl Theta {
    /// The stage for `step`; nothing is solved.
    fn stage(&self, step: &Step<'_>) -> ThetaStage {
        let (start, h, theta) = (step.state, step.h, self.theta);
        let [force_frame, end_frame] = [theta, 1.0].map(|fraction| step.frame(fraction));
        let n = start.positions.len();
        let motion_offsets = end_frame.motion_offsets(n);
        let strain_changes = force_frame.strain_rate_changes(&start.velocities);
        let start_velocities: Vec<Vec3> =
            (0..n).map(|i| start.velocities[i] + strain_changes[i]).collect();
        let target = |i: usize| start.positions[i] + h * start_velocities[i] + motion_offsets[i];
        let mut predictor: Vec<Vec3> = (0..n).map(target).collect();
        force_frame.subtract_acceleration(h * h * theta, &mut predictor);
        let mut base = start.positions.clone();
        if theta != 1.0 {
            // Free fall translates all nodes equally, so only contact forces would depend on it.
            let [force_offsets, end_offsets] =
                [&force_frame, &end_frame].map(|frame| frame.rotation_offsets(n));
            let offset = |i: usize| (force_offsets[i] - theta * end_offsets[i]) / (1.0 - theta);
            base.iter_mut().enumerate().for_each(|(i, x)| *x += offset(i));
        }
        let force_time = step.time_at(theta);
        let lag = Lag::mean_velocity(force_time, h * h * theta, &start.positions, h);
        let force_target: Vec<Vec3> =
            (0..n).map(|i| theta * predictor[i] + (1.0 - theta) * base[i]).collect();
        let co_rotation = step.rotation_of_mean_velocity(&end_frame, &force_target, theta);
        let stage = Stage {
            time: step.end_time(),
            predictor,
            terms: vec![PotentialTerm { time: force_time, weight: h * h, fraction: theta, base }],
            lag: lag.straightened(&motion_offsets).rotating(co_rotation),
        };
        ThetaStage { stage, force_frame, end_frame, start_velocities }
    }

    /// Solves the stage with the normal forces of friction at the start, and completes the step.
    ///
    /// # Errors
    /// If the solve fails, or if a rotating body collides on the way from the solution to the end.
    pub(crate) fn solve_step(&self, step: &mut Step<'_>) -> Result<ThetaEnd, StepError> {
        let theta_stage = self.stage(step);
        let x = step.solve(&theta_stage.stage, &step.state.positions)?;
        self.complete_step(step, theta_stage, x)
    }

    /// Completes the step from the solution `x` (m) of its stage.
    ///
    /// # Errors
    /// If a rotating body collides on the way from the solution to the end.
    fn complete_step(
        &self,
        step: &mut Step<'_>,
        ThetaStage { stage, force_frame, end_frame, start_velocities }: ThetaStage,
        x: Vec<Vec3>,
    ) -> Result<ThetaEnd, StepError> {
        let (start, h, theta) = (step.state, step.h, self.theta);
        let mean = step.mean_velocities(&x, &end_frame);
        let velocity = |i: usize| start_velocities[i] + (mean[i] - start_velocities[i]) / theta;
        let mut v: Vec<Vec3> = (0..x.len()).map(velocity).collect();
        // Velocities of bodies in flight follow from the impulses, whose torques are exact at the points where forces
        // are evaluated.
        let base = &stage.terms[0].base;
        let force_position =
            |i: usize| if theta == 1.0 { x[i] } else { theta * x[i] + (1.0 - theta) * base[i] };
        let force_positions: Vec<Vec3> = (0..x.len()).map(force_position).collect();
        let mut velocity_changes: Vec<Vec3> =
            x.iter().zip(&stage.predictor).map(|(x, y)| (*x - *y) / (h * theta)).collect();
        force_frame.straighten_impulses(h, &force_positions, &mut velocity_changes);
        force_frame.moving_nodes().for_each(|i| v[i] = start.velocities[i] + velocity_changes[i]);
        let heat = step.heat(&stage.lag.frame(), 1.0, &mean);
        // The displacements of the stage have the orientation of the point where forces are evaluated.
        let mut end = x.clone();
        end_frame.rotate_strains(&force_frame, &mut end);
        if end != x {
            step.move_straight(&x, &mut end, stage.time)?;
            // Blending evaluates all points of the step.
            let paths =
                [&*start.positions, &force_positions, &end].map(|from| Path { from, to: &x });
            step.system.along(&paths);
        }
        end_frame.velocities_to_space(&end, &mut v);
        let end = StepEnd::new(State::new(stage.time, end, v), heat);
        Ok(ThetaEnd { end, force_positions })
    }
}
