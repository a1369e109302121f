//! Dissipation of friction and damping over the stages of a step.
//!
//! At each stage they act with `dD/dv(v_i)` for a time `b_i` and dissipate `b_i dD/dv(v_i) . v_i`, which is not
//! negative for any convex D. If friction has stopped a body at a stage, the slip there is slow and underestimates the
//! loss: the impulse `J = sum_i b_i dD/dv(v_i)` removes
//!
//! ```text
//! J . (v_n + v_n+1) / 2
//! ```
//!
//! of the kinetic energy. The heat of friction and contact damping of each body is the larger of the two amounts.
//! Damping inside bodies is smooth, and its heat is that of the stages.

use super::{Heat, Step};
use resile_math::Vec3;
use resile_system::DissipationFrame;

/// The heat of a step, summed up over its stages.
#[derive(Debug)]
pub(crate) struct StageHeat {
    /// Heat of damping within bodies and heat from prescribed motion.
    heat: Heat,
    /// Friction and contact damping.
    couplings: CouplingHeat,
    /// Contact damping, if there is any.
    contact_damping: Option<CouplingHeat>,
}

/// Heat of terms between bodies.
#[derive(Debug)]
struct CouplingHeat {
    /// Heat from the free nodes of each body at the stages (J).
    stage_heat: Vec<f64>,
    /// The impulse `J` on each node (N s).
    impulse: Vec<Vec3>,
}

impl CouplingHeat {
    /// Zero heat.
    fn zero(step: &Step<'_>) -> Self {
        let bodies = step.system.bodies().len();
        let nodes = if step.system.dissipates() { step.system.node_count() } else { 0 };
        Self { stage_heat: vec![0.0; bodies], impulse: vec![Vec3::ZERO; nodes] }
    }

    /// Adds a `force` (N) on nodes with the velocities `v` (m/s) over a `duration` (s).
    fn add_stage(&mut self, step: &Step<'_>, duration: f64, v: &[Vec3], force: &[Vec3]) {
        let powers = self.stage_heat.iter_mut().zip(step.power_of(force, v));
        powers.for_each(|(sum, power)| *sum += duration * power);
        self.impulse.iter_mut().zip(force).for_each(|(sum, force)| *sum += duration * *force);
    }
}

impl StageHeat {
    /// Zero heat.
    pub(crate) fn zero(step: &Step<'_>) -> Self {
        Self {
            heat: Heat::none(step.system.bodies().len()),
            couplings: CouplingHeat::zero(step),
            contact_damping: None,
        }
    }

    /// Adds friction and damping of a stage, with forces in `frame` for a `duration` (s) at the velocities `v` (m/s).
    pub(crate) fn add_stage(
        &mut self,
        step: &Step<'_>,
        frame: &DissipationFrame,
        duration: f64,
        v: &[Vec3],
    ) {
        if !step.system.dissipates() {
            return;
        }
        let scaled = |powers: Vec<f64>| powers.iter().map(|p| duration * p).collect::<Vec<_>>();
        let time = frame.time;
        let friction = step.friction_gradient(time, v);
        let total_gradient = step.dissipative_gradient(frame, v);
        let damping: Vec<Vec3> =
            total_gradient.iter().zip(&friction).map(|(total, f)| *total - *f).collect();
        self.heat.add_impulse(&step.impulse_of(&total_gradient, duration));
        self.heat.add_from_bodies(&scaled(step.power_of(&damping, v)));
        self.heat.add_damping(&scaled(step.damping_power(time, v, &total_gradient)));
        self.heat.add_from_motion(&scaled(step.prescribed_power(frame, v)));
        self.couplings.add_stage(step, duration, v, &friction);
        if let Some(force) = step.contact_damping_gradient(time, v) {
            let drag = scaled(step.contact_damping_prescribed_power(time, v, &force));
            self.heat.contact_damping.add(&drag, &step.impulse_of(&force, duration));
            let part = self.contact_damping.get_or_insert_with(|| CouplingHeat::zero(step));
            part.add_stage(step, duration, v, &force);
        }
    }

    /// The heat of the step that ends with the velocities `v` (m/s).
    pub(crate) fn finish(mut self, step: &Step<'_>, v: &[Vec3]) -> Heat {
        if !step.system.dissipates() {
            return self.heat;
        }
        let start_velocities = &step.state.velocities;
        let mean: Vec<Vec3> =
            start_velocities.iter().zip(v).map(|(a, b)| 0.5 * (*a + *b)).collect();
        let total_impulse_heat = step.power_of(&self.couplings.impulse, &mean);
        let uses_impulse: Vec<bool> =
            self.couplings.stage_heat.iter().zip(&total_impulse_heat).map(|(a, b)| a < b).collect();
        // The choice of each body applies to friction and contact damping alike.
        let choose = |part: CouplingHeat| -> Vec<f64> {
            let impulse_heat = step.power_of(&part.impulse, &mean);
            let amounts = part.stage_heat.into_iter().zip(impulse_heat).zip(&uses_impulse);
            let chosen = |((stages, impulse), uses_impulse): ((f64, f64), &bool)| match uses_impulse
            {
                true => impulse,
                false => stages,
            };
            amounts.map(chosen).collect()
        };
        if let Some(part) = self.contact_damping {
            self.heat.contact_damping.from_bodies = choose(part);
        }
        self.heat.add_from_bodies(&choose(self.couplings));
        self.heat
    }
}
