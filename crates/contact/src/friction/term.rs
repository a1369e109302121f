//! Friction as a dissipation between the bodies of a system.

use super::relax::relax;
use super::{FrictionPotential, LaggedContacts, lagged_weight};
use crate::{BarrierPotential, Candidates, CollisionScene};
use resile_math::Vec3;
use resile_system::{Dissipation, Hessian, Psd, Rounds};

/// A [`FrictionPotential`] with its lagged contacts, as a term of a system.
#[derive(Debug)]
pub struct Friction {
    scene: CollisionScene,
    barrier: BarrierPotential,
    potential: FrictionPotential,
    /// Contacts lagged at the start of the step and, if requested, at its end.
    ends: [LaggedContacts; 2],
    /// Velocities (m/s) at the start of the step, if any pair has static friction.
    velocities: Vec<Vec3>,
    /// Velocities (m/s), by node, that are added before slip is measured.
    offset: Option<Vec<Vec3>>,
}

impl Friction {
    /// Friction of `scene` under the normal forces of `barrier`; it has no pairs until it is frozen.
    pub fn new(
        scene: CollisionScene,
        barrier: BarrierPotential,
        potential: FrictionPotential,
    ) -> Self {
        let (ends, velocities, offset) = (Default::default(), Vec::new(), None);
        Self { scene, barrier, potential, ends, velocities, offset }
    }

    /// The friction with the slip of `v + offset` at the velocities `v` (m/s); `offset` is by node. In a step of `h`
    /// (s) that begins at `x`, slip is then measured from the positions `x - h offset`; static analysis uses the
    /// positions at the start of a load step.
    #[must_use]
    pub fn with_offset(self, offset: Vec<Vec3>) -> Self {
        Self { offset: Some(offset), ..self }
    }

    /// Number of pairs with friction.
    pub fn pair_count(&self) -> usize {
        self.ends.iter().map(LaggedContacts::len).sum()
    }

    /// The largest force (N) that friction can exert at each pair.
    pub fn limits(&self) -> impl Iterator<Item = f64> + '_ {
        self.ends.iter().flat_map(LaggedContacts::limits)
    }

    /// Lagged contacts at `x`.
    fn lagged(&self, x: &[Vec3]) -> LaggedContacts {
        let candidates = Candidates::near(&self.scene, x, self.barrier.d_hat);
        let mut lagged = if self.velocities.len() == x.len() {
            let motion = (&self.velocities[..], self.potential.slip_speed);
            LaggedContacts::moving(&self.scene, &candidates, &self.barrier, x, motion)
        } else {
            LaggedContacts::new(&self.scene, &candidates, &self.barrier, x)
        };
        if let Some(offset) = &self.offset {
            lagged.set_offsets(&self.scene, offset);
        }
        lagged
    }

    fn is_active(&self) -> bool {
        self.ends.iter().any(|end| !end.is_empty())
    }
}

impl Dissipation for Friction {
    fn name(&self) -> &'static str {
        "friction"
    }

    fn note_velocities(&mut self, v: &[Vec3]) {
        if self.scene.pairs.has_static_friction() {
            self.velocities.clear();
            self.velocities.extend_from_slice(v);
            let offset = self.offset.iter().flatten();
            self.velocities.iter_mut().zip(offset).for_each(|(v, offset)| *v += *offset);
        }
    }

    fn freeze(&mut self, x: &[Vec3]) {
        if self.scene.pairs.is_frictionless() {
            return; // nothing was ever frozen
        }
        self.ends = [self.lagged(x), LaggedContacts::default()];
    }

    fn freeze_end(&mut self, x: &[Vec3]) -> bool {
        if self.scene.pairs.is_frictionless() {
            return false;
        }
        self.ends[1] = self.lagged(x);
        self.is_active()
    }

    fn set_start_weights(&mut self, start: &[f64]) {
        let map = &self.scene.points;
        for (end, lagged) in self.ends.iter_mut().enumerate() {
            for pair in &mut lagged.pairs {
                let moving = pair.points.iter().filter_map(|point| point.as_moving());
                let nodes = moving.map(|point| map.of_point(point).nodes[0]);
                pair.weight = lagged_weight(nodes, start, end);
            }
        }
    }

    fn restricted(&self, bodies: &[bool]) -> Option<Box<dyn Dissipation>> {
        let ends = self.ends.each_ref().map(|end| end.among(bodies));
        let (scene, velocities) = (self.scene.restricted(bodies), Vec::new());
        let offset = None; // pairs have theirs
        self.is_active().then(|| Box::new(Self { scene, ends, velocities, offset, ..*self }) as _)
    }

    fn relax(&self, h: f64, (mobility, guess): (&[f64], &[Vec3]), v: &mut [Vec3], rounds: Rounds) {
        if self.is_active() {
            let (ends, eps) = (self.ends.each_ref(), self.potential.slip_speed);
            relax(&self.scene, ends, eps, h, (mobility, guess), v, rounds);
        }
    }

    fn note_iterate(&mut self, v: &[Vec3], anew: bool) -> bool {
        if !self.is_active() {
            return true;
        }
        let v = &*self.scene.points.points(v);
        let mut exact = true;
        for pair in self.ends.iter_mut().flat_map(|end| &mut end.pairs) {
            exact &= pair.note_iterate(v, anew, self.potential.slip_speed);
        }
        exact
    }

    fn value(&self, _time: f64, v: &[Vec3]) -> f64 {
        if !self.is_active() {
            return 0.0;
        }
        self.ends.iter().map(|end| self.potential.value(&self.scene, end, v)).sum()
    }

    fn add_gradient(&self, _time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        if self.is_active() {
            let ends = self.ends.each_ref();
            self.potential.add_gradient(&self.scene, &ends, v, scale, out);
        }
    }

    fn add_power_by_body(&self, _time: f64, v: &[Vec3], kinematic: &[Vec3], bodies: &mut [f64]) {
        let [v, kinematic] = [v, kinematic].map(|v| self.scene.points.points(v));
        for pair in self.ends.iter().flat_map(|end| &end.pairs) {
            let force = pair.force(pair.slip(&v), self.potential.slip_speed);
            let power = force.dot(pair.relative(&kinematic));
            pair.bodies.iter().for_each(|&body| bodies[body as usize] += 0.5 * power);
        }
    }

    fn add_hessian(&self, _time: f64, v: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        if !self.is_active() {
            return;
        }
        for end in &self.ends {
            self.potential.add_hessian(&self.scene, end, v, out);
        }
    }
}
