//! Kicks: changes of the velocities at fixed positions, in which friction and damping are implicit.

use crate::error::StepError;
use crate::stage::{Lag, Stage};
use crate::step::{Step, memory};
use resile_math::Vec3;
use resile_system::DissipationFrame;

/// Whether a stage at `time` (s) is the start of the first step, and there is dry friction. The velocities of a start do
/// not determine the static friction that holds a body: a body at rest has none. They are then replaced by those
/// [after a kick](kicked).
pub(crate) fn starts_with_friction(step: &Step<'_>, time: f64) -> bool {
    time == step.state.time
        && memory::gradient(&step.state.memory).is_none()
        && step.dissipation.has_friction()
}

/// The forces of potentials that act in a kick.
pub(crate) struct ForcesAt<'a> {
    /// The positions (m) at which they act.
    pub(crate) x: &'a [Vec3],
    /// Their negative, `grad P(x)` (N).
    pub(crate) gradient: &'a [Vec3],
    /// The frame in which friction and damping are evaluated.
    pub(crate) frame: &'a DissipationFrame,
}

/// The velocities `w = v - k m^-1 (grad P(x) + dD/dv(w))` (m/s) after a kick of `k` seconds from the velocities `v`
/// (m/s). At `w` friction and damping balance the forces if these act on `v` for this time.
///
/// The unknown of the stage is `x + k w`, with the target `x + k v - k^2 m^-1 grad P`. Prescribed nodes, which have
/// their positions at the time of the frame, keep their velocity.
///
/// # Errors
/// If the solve fails.
pub(crate) fn kicked(
    step: &mut Step<'_>,
    &ForcesAt { x, gradient, frame }: &ForcesAt<'_>,
    v: &[Vec3],
    k: f64,
) -> Result<Vec<Vec3>, StepError> {
    let (masses, system) = (step.system.masses(), &step.system);
    let shift = |i: usize| system.compose(i, -x[i] / k, v[i] - x[i] / k);
    let target = |i: usize| x[i] + k * v[i] - k * k / masses[i] * gradient[i];
    let DissipationFrame { time, co_rotation } = frame.clone();
    let stage = Stage {
        time,
        predictor: (0..x.len()).map(target).collect(),
        terms: Vec::new(),
        lag: Lag {
            time,
            force_weight: k * k,
            rate: 1.0 / k,
            shift: (0..x.len()).map(shift).collect(),
            co_rotation,
        },
    };
    let u = step.solve(&stage, x)?;
    Ok((0..u.len()).map(|i| stage.lag.velocity(i, u[i])).collect())
}
