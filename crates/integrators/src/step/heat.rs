//! Heat of friction and damping.

use super::Step;
use crate::rigid::frame::Frame;
use crate::step::memory::FrictionImpulse;
use resile_math::Vec3;

/// Heat (J) of friction and damping in a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heat {
    /// Heat from the energy of each body.
    pub from_bodies: Vec<f64>,
    /// Heat at each body from the work of prescribed motion, which does not enter the energy of a body.
    pub from_motion: Vec<f64>,
    /// The part of both that is due to damping within bodies.
    pub damping: Vec<f64>,
    /// The momentum (N s) that friction and damping remove from the free nodes of each body.
    pub impulse: Vec<Vec3>,
}

impl Heat {
    /// No heat for `bodies` bodies.
    pub fn none(bodies: usize) -> Self {
        let none = || vec![0.0; bodies];
        let impulse = vec![Vec3::ZERO; bodies];
        Self { from_bodies: none(), from_motion: none(), damping: none(), impulse }
    }

    /// Total heat of some bodies (J).
    pub(crate) fn of(&self, bodies: &[usize]) -> f64 {
        bodies.iter().map(|&b| self.from_bodies[b] + self.from_motion[b]).sum()
    }

    /// Interpolates the heat of a body towards `other` by a `fraction`.
    pub(crate) fn mix(&mut self, body: usize, fraction: f64, other: &Self) {
        let mix = |own: &mut f64, other: f64| *own += fraction * (other - *own);
        mix(&mut self.from_bodies[body], other.from_bodies[body]);
        mix(&mut self.from_motion[body], other.from_motion[body]);
        mix(&mut self.damping[body], other.damping[body]);
        self.impulse[body] = self.impulse[body].lerp(other.impulse[body], fraction);
    }

    /// Adds heat (J) from the energy of each body.
    pub fn add_from_bodies(&mut self, heat: &[f64]) {
        self.from_bodies.iter_mut().zip(heat).for_each(|(sum, heat)| *sum += heat);
    }

    /// Adds heat (J) at each body from the work of prescribed motion.
    pub fn add_from_motion(&mut self, heat: &[f64]) {
        self.from_motion.iter_mut().zip(heat).for_each(|(sum, heat)| *sum += heat);
    }

    /// Adds heat (J) of damping within each body.
    pub(crate) fn add_damping(&mut self, heat: &[f64]) {
        self.damping.iter_mut().zip(heat).for_each(|(sum, heat)| *sum += heat);
    }

    /// Adds momentum (N s) removed from each body.
    pub fn add_impulse(&mut self, impulse: &[Vec3]) {
        self.impulse.iter_mut().zip(impulse).for_each(|(sum, impulse)| *sum += *impulse);
    }
}

impl std::ops::AddAssign<&Self> for Heat {
    fn add_assign(&mut self, other: &Self) {
        self.add_from_bodies(&other.from_bodies);
        self.add_from_motion(&other.from_motion);
        self.add_damping(&other.damping);
        self.add_impulse(&other.impulse);
    }
}

impl Step<'_> {
    /// The heat of friction and damping for a `fraction` of the step, with forces as at `time` (s) and velocities `v`
    /// (m/s): `h fraction dD/dv . v`, which is not negative for any convex D.
    pub fn heat(&self, time: f64, fraction: f64, v: &[Vec3]) -> Heat {
        let duration = self.h * fraction;
        let scaled = |powers: Vec<f64>| powers.iter().map(|p| duration * p).collect();
        let force = self.dissipative_gradient(time, v);
        Heat {
            from_bodies: scaled(self.power_of(&force, v)),
            from_motion: scaled(self.dragging_power(time, v)),
            damping: scaled(self.damping_power(time, v, &force)),
            impulse: self.impulse_of(&force, duration),
        }
    }

    /// The heat of friction and damping with forces as at `time` (s) and the mean velocity on the path to `x` (m).
    pub fn heat_along_path(&self, time: f64, x: &[Vec3]) -> Heat {
        self.heat(time, 1.0, &self.mean_velocities(x, &Frame::default()))
    }

    /// The impulse of friction at `time` (s) on nodes with the velocities `v` (m/s) over a `duration` (s).
    pub(crate) fn friction_at(&self, time: f64, duration: f64, v: &[Vec3]) -> FrictionImpulse {
        let force = self.friction_gradient(time, v);
        let from_motion = match self.system.is_driven() {
            true => self.system.dragging_power(&self.dissipation, time, v, &force),
            false => vec![0.0; self.system.bodies().len()],
        };
        FrictionImpulse {
            of_nodes: force.iter().map(|force| duration * *force).collect(),
            from_motion: from_motion.iter().map(|power| duration * power).collect(),
        }
    }

    /// The heat of an impulse of friction on nodes with the mean velocities `v` (m/s); zero where the sum is negative, as after
    /// a contact with a moving body.
    pub(crate) fn heat_of(&self, friction: &FrictionImpulse, v: &[Vec3]) -> Heat {
        let mut heat = Heat {
            from_bodies: self.power_of(&friction.of_nodes, v),
            from_motion: friction.from_motion.clone(),
            damping: vec![0.0; self.system.bodies().len()],
            impulse: self.impulse_of(&friction.of_nodes, 1.0),
        };
        if !self.system.is_driven() {
            heat.from_motion.fill(0.0);
        }
        let all: Vec<usize> = (0..heat.from_bodies.len()).collect();
        if heat.of(&all) < 0.0 {
            heat.from_bodies.fill(0.0);
            heat.from_motion.fill(0.0);
        }
        heat
    }

    /// The heat of damping within bodies for a `fraction` of the step, with forces as at `time` (s) and velocities `v`
    /// (m/s).
    pub(crate) fn damping_heat(&self, time: f64, fraction: f64, v: &[Vec3]) -> Heat {
        let duration = self.h * fraction;
        let friction = self.friction_gradient(time, v);
        let all = self.dissipative_gradient(time, v);
        let damping: Vec<Vec3> = all.iter().zip(&friction).map(|(all, f)| *all - *f).collect();
        let system = &self.system;
        let drawn = system.sum_by_body(|i| duration * damping[i].dot(system.held_part(i, v[i])));
        let from_bodies: Vec<f64> =
            self.power_of(&damping, v).iter().map(|power| duration * power).collect();
        let all = from_bodies.iter().zip(&drawn).map(|(own, drawn)| own + drawn).collect();
        Heat {
            from_bodies,
            from_motion: drawn,
            damping: all,
            impulse: self.impulse_of(&damping, duration),
        }
    }

    /// The mean velocities (m/s) on the path to `x` in `frame`, without the rotation.
    pub(crate) fn mean_velocities(&self, x: &[Vec3], frame: &Frame) -> Vec<Vec3> {
        let (old, motion_offset) = (&self.state.positions, frame.motion_offset(x.len()));
        (0..x.len()).map(|i| (x[i] - (old[i] + motion_offset[i])) / self.h).collect()
    }

    /// The power (W) of a `force` (N) on the free nodes of each body that move at `v` (m/s).
    pub(super) fn power_of(&self, force: &[Vec3], v: &[Vec3]) -> Vec<f64> {
        self.system.sum_by_body(|i| force[i].dot(self.system.free_part(i, v[i])))
    }

    /// The momentum (N s) that a `force` (N) removes from the free nodes of each body in a `time` (s).
    pub(super) fn impulse_of(&self, force: &[Vec3], time: f64) -> Vec<Vec3> {
        let of = |b: usize| {
            let of_node = |i: usize| self.system.free_part(i, force[i]);
            let all: Vec3 = self.system.nodes(b).map(of_node).sum();
            time * all
        };
        (0..self.system.bodies().len()).map(of).collect()
    }

    /// The power (W) of damping inside each body at `time` (s) while nodes move at `v` (m/s), where `all` (N) is the
    /// gradient of friction and damping together.
    pub(super) fn damping_power(&self, time: f64, v: &[Vec3], all: &[Vec3]) -> Vec<f64> {
        if !self.system.is_damped() {
            return vec![0.0; self.system.bodies().len()];
        }
        let friction = self.friction_gradient(time, v);
        self.system.sum_by_body(|i| (all[i] - friction[i]).dot(v[i]))
    }

    /// `dD/dv` (N) of friction alone at `time` (s) and the velocities `v` (m/s).
    pub(super) fn friction_gradient(&self, time: f64, v: &[Vec3]) -> Vec<Vec3> {
        let mut gradient = vec![Vec3::ZERO; v.len()];
        self.dissipation.add_coupling_gradient(time, v, 1.0, &mut gradient);
        gradient
    }

    /// The power (W) of prescribed motions against friction and damping at each body at `time` (s) while nodes move at `v`.
    pub(crate) fn dragging_power(&self, time: f64, v: &[Vec3]) -> Vec<f64> {
        match self.system.is_driven() && self.system.dissipates() {
            true => {
                let force = self.dissipative_gradient(time, v);
                self.system.dragging_power(&self.dissipation, time, v, &force)
            }
            false => vec![0.0; self.system.bodies().len()],
        }
    }
}
