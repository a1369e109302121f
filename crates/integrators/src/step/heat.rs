//! Heat of friction and damping.

use super::Step;
use crate::rigid::frame::Frame;
use crate::step::memory::{CouplingImpulse, FrictionImpulse};
use resile_math::Vec3;
use resile_system::DissipationFrame;

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
    /// The part of `from_bodies`, `from_motion` and `impulse` that is due to contact damping (viscous terms between
    /// bodies).
    pub contact_damping: HeatPart,
}

/// The part of the [heat](Heat) by some of the terms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatPart {
    /// The part of [`Heat::from_bodies`].
    pub from_bodies: Vec<f64>,
    /// The part of [`Heat::from_motion`].
    pub from_motion: Vec<f64>,
    /// The part of [`Heat::impulse`].
    pub impulse: Vec<Vec3>,
}

impl HeatPart {
    /// No heat for `bodies` bodies.
    fn none(bodies: usize) -> Self {
        let none = || vec![0.0; bodies];
        Self { from_bodies: none(), from_motion: none(), impulse: vec![Vec3::ZERO; bodies] }
    }

    /// Interpolates the heat of a body towards `other` by a `fraction`.
    fn interpolate(&mut self, body: usize, fraction: f64, other: &Self) {
        let mix = |value: &mut f64, other_value: f64| *value += fraction * (other_value - *value);
        mix(&mut self.from_bodies[body], other.from_bodies[body]);
        mix(&mut self.from_motion[body], other.from_motion[body]);
        self.impulse[body] = self.impulse[body].lerp(other.impulse[body], fraction);
    }

    /// Adds heat (J) at each body from the work of prescribed motion and momentum (N s) removed from each body.
    pub(super) fn add(&mut self, from_motion: &[f64], impulse: &[Vec3]) {
        add(&mut self.from_motion, from_motion);
        add(&mut self.impulse, impulse);
    }

    /// Makes the heat of each body zero by the part from its energy. The work of prescribed motion and the impulse do not
    /// change.
    fn clear_heat(&mut self) {
        clear_heat(&mut self.from_bodies, &self.from_motion);
    }
}

impl std::ops::AddAssign<&Self> for HeatPart {
    fn add_assign(&mut self, other: &Self) {
        add(&mut self.from_bodies, &other.from_bodies);
        add(&mut self.from_motion, &other.from_motion);
        add(&mut self.impulse, &other.impulse);
    }
}

/// Adds `terms` to `sums`, entry by entry.
fn add<T: Copy + std::ops::AddAssign>(sums: &mut [T], terms: &[T]) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += *term);
}

/// Makes the heat of each body zero: the body takes what prescribed motion supplies.
fn clear_heat(from_bodies: &mut [f64], from_motion: &[f64]) {
    // A difference from zero is never negative zero.
    from_bodies.iter_mut().zip(from_motion).for_each(|(heat, supplied)| *heat = 0.0 - *supplied);
}

impl Heat {
    /// No heat for `bodies` bodies.
    pub fn none(bodies: usize) -> Self {
        let none = || vec![0.0; bodies];
        Self {
            from_bodies: none(),
            from_motion: none(),
            damping: none(),
            impulse: vec![Vec3::ZERO; bodies],
            contact_damping: HeatPart::none(bodies),
        }
    }

    /// Total heat of some bodies (J).
    pub(crate) fn total_of(&self, bodies: &[usize]) -> f64 {
        bodies.iter().map(|&b| self.from_bodies[b] + self.from_motion[b]).sum()
    }

    /// Interpolates the heat of a body towards `other` by a `fraction`.
    pub(crate) fn interpolate(&mut self, body: usize, fraction: f64, other: &Self) {
        let mix = |value: &mut f64, other_value: f64| *value += fraction * (other_value - *value);
        mix(&mut self.from_bodies[body], other.from_bodies[body]);
        mix(&mut self.from_motion[body], other.from_motion[body]);
        mix(&mut self.damping[body], other.damping[body]);
        self.impulse[body] = self.impulse[body].lerp(other.impulse[body], fraction);
        self.contact_damping.interpolate(body, fraction, &other.contact_damping);
    }

    /// Replaces the heat of a body by that of `other`, but not the impulse.
    pub(crate) fn copy_body(&mut self, body: usize, other: &Self) {
        self.from_bodies[body] = other.from_bodies[body];
        self.from_motion[body] = other.from_motion[body];
        self.damping[body] = other.damping[body];
        let (part, other_part) = (&mut self.contact_damping, &other.contact_damping);
        part.from_bodies[body] = other_part.from_bodies[body];
        part.from_motion[body] = other_part.from_motion[body];
    }

    /// Scales the heat from the energy of a body.
    pub(crate) fn scale_from_bodies(&mut self, body: usize, factor: f64) {
        self.from_bodies[body] *= factor;
        self.damping[body] *= factor;
        self.contact_damping.from_bodies[body] *= factor;
    }

    /// Adds heat (J) from the energy of each body.
    pub fn add_from_bodies(&mut self, heat: &[f64]) {
        add(&mut self.from_bodies, heat);
    }

    /// Adds heat (J) at each body from the work of prescribed motion.
    pub fn add_from_motion(&mut self, heat: &[f64]) {
        add(&mut self.from_motion, heat);
    }

    /// Adds heat (J) of damping within each body.
    pub(crate) fn add_damping(&mut self, heat: &[f64]) {
        add(&mut self.damping, heat);
    }

    /// Adds momentum (N s) removed from each body.
    pub fn add_impulse(&mut self, impulse: &[Vec3]) {
        add(&mut self.impulse, impulse);
    }
}

impl std::ops::AddAssign<&Self> for Heat {
    fn add_assign(&mut self, other: &Self) {
        self.add_from_bodies(&other.from_bodies);
        self.add_from_motion(&other.from_motion);
        self.add_damping(&other.damping);
        self.add_impulse(&other.impulse);
        self.contact_damping += &other.contact_damping;
    }
}

impl Step<'_> {
    /// The heat of friction and damping for a `fraction` of the step, with forces in `frame` and velocities `v` (m/s):
    /// `h fraction dD/dv . v`, which is not negative for any convex D.
    pub fn heat(&self, frame: &DissipationFrame, fraction: f64, v: &[Vec3]) -> Heat {
        let duration = self.h * fraction;
        let scaled = |powers: Vec<f64>| powers.iter().map(|p| duration * p).collect();
        let force = self.dissipative_gradient(frame, v);
        Heat {
            from_bodies: scaled(self.power_of(&force, v)),
            from_motion: scaled(self.prescribed_power(frame, v)),
            damping: scaled(self.damping_power(frame.time, v, &force)),
            impulse: self.impulse_of(&force, duration),
            contact_damping: self.contact_damping(frame.time, duration, [v; 2]),
        }
    }

    /// The heat of dry friction for the whole step, with forces as at `time` (s) and velocities `v` (m/s).
    pub(crate) fn dry_friction_heat(&self, time: f64, v: &[Vec3]) -> Heat {
        let bodies = self.system.bodies().len();
        let viscous = self.contact_damping(time, self.h, [v; 2]);
        let force = self.friction_gradient(time, v);
        let drag = match self.system.is_driven() {
            true => self.system.prescribed_power(&self.dissipation, time, v, &force),
            false => vec![0.0; bodies],
        };
        let power = self.power_of(&force, v);
        let impulse = self.impulse_of(&force, self.h);
        Heat {
            from_bodies: (0..bodies).map(|b| self.h * power[b] - viscous.from_bodies[b]).collect(),
            from_motion: (0..bodies).map(|b| self.h * drag[b] - viscous.from_motion[b]).collect(),
            damping: vec![0.0; bodies],
            impulse: (0..bodies).map(|b| impulse[b] - viscous.impulse[b]).collect(),
            contact_damping: HeatPart::none(bodies),
        }
    }

    /// The heat of the impulses of contact damping and of damping within bodies, with forces in `frame` and the
    /// velocities `v` (m/s), while nodes move at `mean_velocities` (m/s): the energy that these impulses take. Forces
    /// that are proportional to the velocity are small at the end of a step in which they stop a body. With the forces at
    /// the mean velocities the heat could exceed its kinetic energy. Negative where a body gains energy.
    pub(crate) fn viscous_heat(
        &self,
        frame: &DissipationFrame,
        v: &[Vec3],
        mean_velocities: &[Vec3],
    ) -> Heat {
        let mut heat = self.damping_heat(frame, 1.0, [v, mean_velocities]);
        heat.contact_damping = self.contact_damping(frame.time, self.h, [v, mean_velocities]);
        let HeatPart { from_bodies, from_motion, impulse } = heat.contact_damping.clone();
        heat.add_from_bodies(&from_bodies);
        heat.add_from_motion(&from_motion);
        heat.add_impulse(&impulse);
        heat
    }

    /// The heat of contact damping over a `duration` (s), with forces as at `time` (s) and the first velocities (m/s), while
    /// nodes move at the second velocities.
    fn contact_damping(
        &self,
        time: f64,
        duration: f64,
        [force_velocities, v]: [&[Vec3]; 2],
    ) -> HeatPart {
        let Some(force) = self.contact_damping_gradient(time, force_velocities) else {
            return HeatPart::none(self.system.bodies().len());
        };
        let scaled = |powers: Vec<f64>| powers.iter().map(|p| duration * p).collect();
        HeatPart {
            from_bodies: scaled(self.power_of(&force, v)),
            from_motion: scaled(self.contact_damping_prescribed_power(
                time,
                force_velocities,
                &force,
            )),
            impulse: self.impulse_of(&force, duration),
        }
    }

    /// The power (W) of prescribed motions against contact damping at each body, where `force` (N) is its gradient.
    pub(super) fn contact_damping_prescribed_power(
        &self,
        time: f64,
        v: &[Vec3],
        force: &[Vec3],
    ) -> Vec<f64> {
        match self.system.is_driven() {
            true => self.system.viscous_prescribed_power(&self.dissipation, time, v, force),
            false => vec![0.0; self.system.bodies().len()],
        }
    }

    /// The heat of friction and damping with forces as at `time` (s) and the mean velocity on the path to `x` (m).
    pub fn heat_along_path(&self, time: f64, x: &[Vec3]) -> Heat {
        let co_rotation = self.rotation_of_mean_velocity(&Frame::default(), x, 1.0);
        let frame = DissipationFrame { time, co_rotation };
        self.heat(&frame, 1.0, &self.mean_velocities(x, &Frame::default()))
    }

    /// The impulse of friction and contact damping as at `time` (s) on nodes with the velocities `v` (m/s) over a
    /// `duration` (s).
    pub(crate) fn friction_impulse(&self, time: f64, duration: f64, v: &[Vec3]) -> FrictionImpulse {
        let force = self.friction_gradient(time, v);
        let from_motion = match self.system.is_driven() {
            true => self.system.prescribed_power(&self.dissipation, time, v, &force),
            false => vec![0.0; self.system.bodies().len()],
        };
        let impulse_of = |force: &[Vec3], drag_power: &[f64]| CouplingImpulse {
            nodal: force.iter().map(|force| duration * *force).collect(),
            from_motion: drag_power.iter().map(|power| duration * power).collect(),
        };
        let contact_damping = self.contact_damping_gradient(time, v);
        FrictionImpulse {
            total: impulse_of(&force, &from_motion),
            contact_damping: contact_damping.map(|force| {
                impulse_of(&force, &self.contact_damping_prescribed_power(time, v, &force))
            }),
        }
    }

    /// The impulse of dry friction, as [`friction_impulse`](Self::friction_impulse).
    pub(crate) fn dry_friction_impulse(
        &self,
        time: f64,
        duration: f64,
        v: &[Vec3],
    ) -> FrictionImpulse {
        let mut impulse = self.friction_impulse(time, duration, v);
        if let Some(viscous) = impulse.contact_damping.take() {
            let CouplingImpulse { nodal, from_motion } = &mut impulse.total;
            nodal.iter_mut().zip(&viscous.nodal).for_each(|(total, viscous)| *total -= *viscous);
            from_motion.iter_mut().zip(&viscous.from_motion).for_each(|(a, b)| *a -= *b);
        }
        impulse
    }

    /// The heat of an impulse of friction and contact damping on nodes with the mean velocities `v` (m/s); zero where
    /// the sum is negative, as after a contact with a moving body. The work of prescribed motion is then exchanged with
    /// the energy of the bodies.
    pub(crate) fn friction_heat(&self, friction: &FrictionImpulse, v: &[Vec3]) -> Heat {
        let bodies = self.system.bodies().len();
        let heat_part = |impulse: &CouplingImpulse| HeatPart {
            from_bodies: self.power_of(&impulse.nodal, v),
            from_motion: match self.system.is_driven() {
                true => impulse.from_motion.clone(),
                false => vec![0.0; bodies],
            },
            impulse: self.impulse_of(&impulse.nodal, 1.0),
        };
        let HeatPart { from_bodies, from_motion, impulse } = heat_part(&friction.total);
        let contact_damping =
            friction.contact_damping.as_ref().map_or_else(|| HeatPart::none(bodies), heat_part);
        let damping = vec![0.0; bodies];
        let mut heat = Heat { from_bodies, from_motion, damping, impulse, contact_damping };
        let all_bodies: Vec<usize> = (0..bodies).collect();
        if heat.total_of(&all_bodies) < 0.0 {
            clear_heat(&mut heat.from_bodies, &heat.from_motion);
            heat.contact_damping.clear_heat();
        }
        heat
    }

    /// The heat of damping within bodies for a `fraction` of the step, with forces in `frame` and the first velocities
    /// (m/s), while nodes move at the second velocities.
    pub(crate) fn damping_heat(
        &self,
        frame: &DissipationFrame,
        fraction: f64,
        [force_velocities, v]: [&[Vec3]; 2],
    ) -> Heat {
        let duration = self.h * fraction;
        let friction = self.friction_gradient(frame.time, force_velocities);
        let total_gradient = self.dissipative_gradient(frame, force_velocities);
        let damping: Vec<Vec3> =
            total_gradient.iter().zip(&friction).map(|(total, f)| *total - *f).collect();
        let system = &self.system;
        let from_motion =
            system.sum_by_body(|i| duration * damping[i].dot(system.held_part(i, v[i])));
        let from_bodies: Vec<f64> =
            self.power_of(&damping, v).iter().map(|power| duration * power).collect();
        let total = from_bodies.iter().zip(&from_motion).map(|(a, b)| a + b).collect();
        let contact_damping = HeatPart::none(from_bodies.len());
        let impulse = self.impulse_of(&damping, duration);
        Heat { from_bodies, from_motion, damping: total, impulse, contact_damping }
    }

    /// The mean velocities (m/s) on the path to `x` without the motion of `frame`: rotation and fall.
    pub(crate) fn mean_velocities(&self, x: &[Vec3], frame: &Frame) -> Vec<Vec3> {
        let (start, motion_offset) = (&self.state.positions, frame.motion_offsets(x.len()));
        (0..x.len()).map(|i| (x[i] - (start[i] + motion_offset[i])) / self.h).collect()
    }

    /// The power (W) of a `force` (N) on the free nodes of each body that move at `v` (m/s).
    pub(super) fn power_of(&self, force: &[Vec3], v: &[Vec3]) -> Vec<f64> {
        self.system.sum_by_body(|i| force[i].dot(self.system.free_part(i, v[i])))
    }

    /// The momentum (N s) that a `force` (N) removes from the free nodes of each body in a `time` (s).
    pub(super) fn impulse_of(&self, force: &[Vec3], time: f64) -> Vec<Vec3> {
        let body_impulse = |b: usize| {
            let node_force = |i: usize| self.system.free_part(i, force[i]);
            let total: Vec3 = self.system.nodes(b).map(node_force).sum();
            time * total
        };
        (0..self.system.bodies().len()).map(body_impulse).collect()
    }

    /// The power (W) of damping inside each body at `time` (s) while nodes move at `v` (m/s), where
    /// `dissipative_gradient` (N) is that of friction and damping together.
    pub(super) fn damping_power(
        &self,
        time: f64,
        v: &[Vec3],
        dissipative_gradient: &[Vec3],
    ) -> Vec<f64> {
        if !self.system.is_damped() {
            return vec![0.0; self.system.bodies().len()];
        }
        let friction = self.friction_gradient(time, v);
        self.system.sum_by_body(|i| (dissipative_gradient[i] - friction[i]).dot(v[i]))
    }

    /// `dD/dv` (N) of contact damping alone at `time` (s) and the velocities `v` (m/s); `None` without contact damping.
    pub(super) fn contact_damping_gradient(&self, time: f64, v: &[Vec3]) -> Option<Vec<Vec3>> {
        self.dissipation.has_viscous_couplings().then(|| {
            let mut gradient = vec![Vec3::ZERO; v.len()];
            self.dissipation.add_viscous_gradient(time, v, 1.0, &mut gradient);
            gradient
        })
    }

    /// `dD/dv` (N) of friction and contact damping alone at `time` (s) and the velocities `v` (m/s).
    pub(super) fn friction_gradient(&self, time: f64, v: &[Vec3]) -> Vec<Vec3> {
        let mut gradient = vec![Vec3::ZERO; v.len()];
        self.dissipation.add_coupling_gradient(time, v, 1.0, &mut gradient);
        gradient
    }

    /// The power (W) of prescribed motions against friction and damping at each body in `frame` while nodes move at `v`.
    pub(crate) fn prescribed_power(&self, frame: &DissipationFrame, v: &[Vec3]) -> Vec<f64> {
        match self.system.is_driven() && self.system.dissipates() {
            true => {
                let force = self.dissipative_gradient(frame, v);
                self.system.prescribed_power(&self.dissipation, frame.time, v, &force)
            }
            false => vec![0.0; self.system.bodies().len()],
        }
    }
}
