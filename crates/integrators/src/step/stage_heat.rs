//! Dissipation of friction and damping over the stages of a step.
//!
//! At each stage they act with `dD/dv(v_i)` for a time `b_i` and dissipate `b_i dD/dv(v_i) . v_i`, which is not negative for
//! any convex D. If friction has stopped a body at a stage, the slip there is slow and underestimates the loss: the
//! impulse `J = sum_i b_i dD/dv(v_i)` removes
//!
//! ```text
//! J . (v_n + v_n+1) / 2
//! ```
//!
//! of the kinetic energy. The heat of friction of each body is the larger of the two amounts. Damping inside bodies is
//! smooth, and its heat is that of the stages.

use super::{Heat, Step};
use resile_math::Vec3;

/// The heat of a step, summed up over its stages.
#[derive(Debug)]
pub(crate) struct StageHeat {
    /// Heat of damping within bodies and heat from prescribed motion.
    heat: Heat,
    /// Heat of friction from the free nodes of each body (J).
    by_friction: Vec<f64>,
    /// J (N s).
    impulse: Vec<Vec3>,
}

impl StageHeat {
    /// Zero heat.
    pub(crate) fn nothing(step: &Step<'_>) -> Self {
        let (bodies, nodes) = (step.system.bodies().len(), step.system.node_count());
        let impulse = if step.system.dissipates() { vec![Vec3::ZERO; nodes] } else { Vec::new() };
        Self { heat: Heat::none(bodies), by_friction: vec![0.0; bodies], impulse }
    }

    /// Adds friction and damping of a stage, with forces as at `time` (s) for a `duration` (s) at the velocities `v`
    /// (m/s).
    pub(crate) fn add_stage(&mut self, step: &Step<'_>, time: f64, duration: f64, v: &[Vec3]) {
        if self.impulse.is_empty() {
            return;
        }
        let scaled = |powers: Vec<f64>| powers.iter().map(|p| duration * p).collect::<Vec<_>>();
        let friction = step.friction_gradient(time, v);
        let all = step.dissipative_gradient(time, v);
        let damping: Vec<Vec3> = all.iter().zip(&friction).map(|(all, f)| *all - *f).collect();
        self.heat.add_impulse(&step.impulse_of(&all, duration));
        self.heat.add_from_bodies(&scaled(step.power_of(&damping, v)));
        self.heat.add_damping(&scaled(step.damping_power(time, v, &all)));
        self.heat.add_from_motion(&scaled(step.dragging_power(time, v)));
        let heat = scaled(step.power_of(&friction, v));
        self.by_friction.iter_mut().zip(heat).for_each(|(sum, heat)| *sum += heat);
        self.impulse.iter_mut().zip(&friction).for_each(|(sum, force)| *sum += duration * *force);
    }

    /// The heat of the step that ends with the velocities `v` (m/s).
    pub(crate) fn until(mut self, step: &Step<'_>, v: &[Vec3]) -> Heat {
        if self.impulse.is_empty() {
            return self.heat;
        }
        let before = &step.state.velocities;
        let mean: Vec<Vec3> = before.iter().zip(v).map(|(a, b)| 0.5 * (*a + *b)).collect();
        let of_impulse = step.power_of(&self.impulse, &mean);
        let larger: Vec<f64> =
            self.by_friction.iter().zip(of_impulse).map(|(a, b)| a.max(b)).collect();
        self.heat.add_from_bodies(&larger);
        self.heat
    }
}
