//! Dead loads that vary within a step.
//!
//! An energy target determines the speed of a body, not its momentum, and where a body is slow a small deviation of its
//! energy permits a large change of its momentum. A correction that contained the change `F_n+1 - F_n` of a load would
//! therefore change momenta. The impulse of dead loads is `h (F_n + F_n+1) / 2` for every alpha instead: half of the
//! change of their impulse is subtracted from the mean velocity `w`, and none from the correction `dv`.
//!
//! The displacement `h w` of implicit Euler differs from `h (v_n + v_n+1) / 2`, that of the mean of both velocities, by
//! `h^2 a / 2` with the acceleration `a`. The work of the loads on this difference does not change the velocities. In the
//! target it would accumulate, `m h^2 a^2 / 2` in each step. [`VaryingLoads::work_correction`] is the
//! work along the mean of both velocities less that along the displacement.

use crate::rigid::frame::Frame;
use crate::step::Step;
use resile_math::Vec3;

/// Dead loads that vary within a step.
#[derive(Debug)]
pub(crate) struct VaryingLoads {
    /// Their mean force on each node (N).
    mean: Vec<Vec3>,
    /// Change of the velocity of each node by half of the change of their impulse (m/s).
    half_change: Vec<Vec3>,
}

impl VaryingLoads {
    /// The loads of the bodies of `step`; `None` if none varies. The impulses on nodes of `frame` that rotate about supports
    /// are not corrected.
    pub(crate) fn new(step: &Step<'_>, frame: &Frame) -> Option<Self> {
        let (state, system) = (step.state, &step.system);
        let times = [state.time, step.end_time()];
        let [start, end] = system.varying_dead_loads(&state.positions, times)?;
        let half_change =
            |i: usize| system.free_part(i, 0.5 * step.h / system.masses()[i] * (end[i] - start[i]));
        let mut half_change: Vec<Vec3> = (0..start.len()).map(half_change).collect();
        frame.supported_nodes().for_each(|i| half_change[i] = Vec3::ZERO);
        let mean = start.iter().zip(&end).map(|(start, end)| 0.5 * (*start + *end)).collect();
        Some(Self { mean, half_change })
    }

    /// Moves half of the change of the impulse from the correction `dv` to the mean velocities `w` (both m/s).
    pub(crate) fn separate(&self, w: &mut [Vec3], dv: &mut [Vec3]) {
        for ((w, dv), half_change) in w.iter_mut().zip(dv).zip(&self.half_change) {
            *w -= *half_change;
            *dv -= 2.0 * *half_change;
        }
    }

    /// Work (J) of the loads on each body along the mean of its velocities at the start and, with alpha = 1/2, at the end,
    /// less that along its displacement. `x`, `w` and `dv` are positions, mean velocities and correction at the end.
    pub(crate) fn work_correction(
        &self,
        step: &Step<'_>,
        x: &[Vec3],
        [w, dv]: [&[Vec3]; 2],
    ) -> Vec<f64> {
        let (start, system) = (step.state, &step.system);
        step.system.sum_by_body(|i| {
            let mean_velocity = 0.5 * (start.velocities[i] + w[i] - 0.5 * dv[i]);
            let deviation = step.h * mean_velocity - (x[i] - start.positions[i]);
            self.mean[i].dot(system.free_part(i, deviation))
        })
    }
}
