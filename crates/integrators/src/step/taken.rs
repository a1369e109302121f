//! What friction and damping take of the energy of bodies.
//!
//! At each stage they act with `dD/dv(v_i)` for a time `b_i`, and take `b_i dD/dv(v_i) . v_i`, which
//! no convex D makes negative. A stage where friction has stopped a body is slow, and shows nothing of what the
//! body lost on the way there: its impulse `J = sum_i b_i dD/dv(v_i)` takes
//!
//! ```text
//! J . (v_n + v_n+1) / 2
//! ```
//!
//! of the kinetic energy. Of the two each body is booked the larger one. What damps a body inside is smooth, and takes what
//! stages show.

use super::{Heat, Step};
use resile_math::Vec3;

/// The heat of a step, summed up over its stages.
#[derive(Debug)]
pub(crate) struct Taken {
    /// Of damping inside bodies, and of prescribed motion.
    heat: Heat,
    /// Of friction, from the free nodes of each body (J).
    by_friction: Vec<f64>,
    /// J (N s).
    impulse: Vec<Vec3>,
}

impl Taken {
    /// Nothing yet.
    pub(crate) fn nothing(step: &Step<'_>) -> Self {
        let (bodies, nodes) = (step.system.bodies().len(), step.system.node_count());
        let impulse = if step.system.dissipates() { vec![Vec3::ZERO; nodes] } else { Vec::new() };
        Self { heat: Heat::none(bodies), by_friction: vec![0.0; bodies], impulse }
    }

    /// Friction and damping act for `time` (s) at the velocities `v` (m/s).
    pub(crate) fn act(&mut self, step: &Step<'_>, time: f64, v: &[Vec3]) {
        if self.impulse.is_empty() {
            return;
        }
        let scaled = |powers: Vec<f64>| powers.iter().map(|p| time * p).collect::<Vec<_>>();
        let friction = step.friction_gradient(v);
        let all = step.dissipative_gradient(v);
        let damping: Vec<Vec3> = all.iter().zip(&friction).map(|(all, f)| *all - *f).collect();
        self.heat.add_impulse(&step.impulse_of(&all, time));
        self.heat.add_from_bodies(&scaled(step.power_of(&damping, v)));
        self.heat.add_damping(&scaled(step.damping_power(v, &all)));
        self.heat.add_from_motion(&scaled(step.dragging_power(v)));
        let taken = scaled(step.power_of(&friction, v));
        self.by_friction.iter_mut().zip(taken).for_each(|(sum, taken)| *sum += taken);
        self.impulse.iter_mut().zip(&friction).for_each(|(sum, force)| *sum += time * *force);
    }

    /// All of it where the step ends with the velocities `v` (m/s).
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
