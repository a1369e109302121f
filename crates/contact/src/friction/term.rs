//! Friction as a dissipation between the bodies of a system.

use super::bonds::{BondPositions, Bonds, TangentialAdhesion};
use super::dual::{self, Dual};
use super::relax::relax;
use super::{FrictionPotential, LaggedContacts, lagged_weight};
use crate::{AdhesionPotential, BarrierPotential, Candidates, CollisionScene};
use resile_math::Vec3;
use resile_system::{
    CouplingDissipation, CouplingDissipationPotential, DissipationPotential, Duals, Hessian, Psd,
    VelocityRelaxation,
};
use std::sync::Arc;

/// A [`FrictionPotential`] as a term of a system, with the limits of Coulomb's law or those of [tangential
/// adhesion](Self::adhesive).
#[derive(Debug, Clone)]
pub struct Friction {
    scene: Arc<CollisionScene>,
    limits: Limits,
    potential: FrictionPotential,
    /// Velocities (m/s), by node, that are added before slip is measured.
    offset: Option<Arc<[Vec3]>>,
}

/// What determines the limits of pairs.
#[derive(Debug, Clone, Copy)]
enum Limits {
    /// Coefficients of friction times the normal forces of a barrier.
    Coulomb(BarrierPotential),
    /// Bonds of adhesion.
    Adhesion(Bonds),
}

/// The friction of a step, with its lagged contacts.
#[derive(Debug, Clone)]
pub struct LaggedFriction {
    law: Friction,
    /// Contacts lagged at the start of the step and, if requested, at its end.
    ends: [LaggedContacts; 2],
    /// Velocities (m/s) at the start of the step, if limits depend on them.
    velocities: Option<Arc<[Vec3]>>,
}

impl Friction {
    /// Friction of `scene` under the normal forces of `barrier`.
    pub fn new(
        scene: CollisionScene,
        barrier: BarrierPotential,
        potential: FrictionPotential,
    ) -> Self {
        let limits = Limits::Coulomb(barrier);
        Self { scene: Arc::new(scene), limits, potential, offset: None }
    }

    /// Tangential adhesion of `scene`, whose colliders adhere to those with which they collide.
    pub fn adhesive(
        scene: CollisionScene,
        adhesion: AdhesionPotential,
        TangentialAdhesion { coefficient, slip_speed }: TangentialAdhesion,
    ) -> Self {
        let limits = Limits::Adhesion(Bonds { adhesion, coefficient });
        let potential = FrictionPotential { slip_speed };
        Self { scene: Arc::new(scene), limits, potential, offset: None }
    }

    /// The friction with the slip of `v + offset` at the velocities `v` (m/s); `offset` is by node. In a step of `h`
    /// (s) that begins at `x`, slip is then measured from the positions `x - h offset`; static analysis uses the
    /// positions at the start of a load step.
    #[must_use]
    pub fn with_offset(self, offset: Vec<Vec3>) -> Self {
        Self { offset: Some(offset.into()), ..self }
    }

    /// The friction of a step that begins with nodes at `x` (m) and with the node velocities `v` (m/s), which matter
    /// only if a pair has static friction or tangential adhesion. O(n log n).
    pub fn at(&self, x: &[Vec3], v: &[Vec3]) -> LaggedFriction {
        let mut lagged =
            LaggedFriction { law: self.clone(), ends: Default::default(), velocities: None };
        if self.is_frictionless() {
            return lagged;
        }
        lagged.velocities = self.depends_on_velocities().then(|| match &self.offset {
            Some(offset) => v.iter().zip(&**offset).map(|(v, offset)| *v + *offset).collect(),
            None => v.into(),
        });
        lagged.ends[0] = lagged.contacts(x);
        lagged
    }

    /// Whether no pair has friction.
    fn is_frictionless(&self) -> bool {
        match self.limits {
            Limits::Coulomb(_) => self.scene.pairs.is_frictionless(),
            Limits::Adhesion(Bonds { coefficient, .. }) => coefficient == 0.0,
        }
    }

    /// Whether limits depend on the velocities at the start of a step.
    fn depends_on_velocities(&self) -> bool {
        match self.limits {
            Limits::Coulomb(_) => self.scene.pairs.has_static_friction(),
            Limits::Adhesion(_) => true,
        }
    }
}

impl LaggedFriction {
    /// Number of pairs with friction.
    pub fn pair_count(&self) -> usize {
        self.ends.iter().map(LaggedContacts::len).sum()
    }

    /// The largest force (N) that friction can exert at each pair.
    pub fn limits(&self) -> impl Iterator<Item = f64> + '_ {
        self.ends.iter().flat_map(LaggedContacts::limits)
    }

    /// Lagged contacts for nodes at `x` (m), by the velocities at the start of the step.
    fn contacts(&self, x: &[Vec3]) -> LaggedContacts {
        let Friction { scene, limits, potential, offset } = &self.law;
        let motion = self.velocities.as_deref().map(|v| (v, potential.slip_speed));
        let mut lagged = match limits {
            Limits::Coulomb(barrier) => {
                let candidates = Candidates::near(scene, x, barrier.d_hat);
                match motion {
                    Some(motion) => LaggedContacts::moving(scene, &candidates, barrier, x, motion),
                    None => LaggedContacts::new(scene, &candidates, barrier, x),
                }
            }
            Limits::Adhesion(bonds) => {
                let candidates = &Candidates::near(scene, x, bonds.adhesion.range);
                let v = motion.map(|(v, slip_speed)| (scene.points.points(v), slip_speed));
                let motion = v.as_ref().map(|(v, slip_speed)| (&**v, *slip_speed));
                let x = &*scene.points.points(x);
                LaggedContacts::of_bonds(BondPositions { scene, candidates, bonds, x, motion })
            }
        };
        if let Some(offset) = offset {
            lagged.set_offsets(scene, offset);
        }
        lagged
    }

    /// The lagged contacts with a nonzero weight. When a step is solved again with the forces of its end, the contacts
    /// of the start have zero weight.
    fn acting(&self) -> impl Iterator<Item = &LaggedContacts> {
        self.ends.iter().filter(|end| end.has_weight())
    }

    /// Whether any pair has friction.
    fn is_active(&self) -> bool {
        self.ends.iter().any(|end| !end.is_empty())
    }
}

impl CouplingDissipation for Friction {
    fn name(&self) -> &'static str {
        match self.limits {
            Limits::Coulomb(_) => "friction",
            Limits::Adhesion(_) => "tangential adhesion",
        }
    }

    fn lagged(&self, x: &[Vec3], v: &[Vec3]) -> Box<dyn CouplingDissipationPotential> {
        Box::new(self.at(x, v))
    }
}

impl CouplingDissipationPotential for LaggedFriction {
    fn lagged_at_end(&self, x: &[Vec3]) -> Box<dyn CouplingDissipationPotential> {
        if self.law.is_frictionless() {
            return Box::new(self.clone());
        }
        let mut start = self.ends[0].clone();
        start.pairs.iter_mut().for_each(|pair| pair.weight = 0.0);
        let (law, velocities) = (self.law.clone(), self.velocities.clone());
        Box::new(Self { law, ends: [start, self.contacts(x)], velocities })
    }

    fn has_lagged_forces(&self) -> bool {
        self.is_active()
    }

    fn mixed(&self, start_weights: &[f64]) -> Box<dyn CouplingDissipationPotential> {
        let mut mixed = self.clone();
        let point_map = &self.law.scene.points;
        for (end_index, lagged) in mixed.ends.iter_mut().enumerate() {
            for pair in &mut lagged.pairs {
                let moving_points = pair.points.iter().filter_map(|point| point.as_moving());
                // The nodes of an embedded point belong to one body, whose free nodes have equal weights.
                let nodes = moving_points.map(|p| point_map.embedding_of_point(p).nodes[0]);
                pair.weight = lagged_weight(nodes, start_weights, end_index);
            }
        }
        Box::new(mixed)
    }

    fn restricted(&self, bodies: &[bool]) -> Box<dyn CouplingDissipationPotential> {
        let ends = self.ends.each_ref().map(|end| match end.has_weight() {
            true => end.restricted(bodies),
            false => LaggedContacts::default(),
        });
        let mut law = self.law.clone();
        if self.is_active() {
            law.scene = Arc::new(self.law.scene.restricted(bodies));
        }
        Box::new(Self { law, ends, velocities: None })
    }

    fn relax(&self, relaxation: &VelocityRelaxation<'_>, v: &mut [Vec3]) {
        if self.is_active() {
            let (ends, eps) = (self.ends.each_ref(), self.law.potential.slip_speed);
            relax(&self.law.scene, ends, eps, relaxation, v);
        }
    }

    /// Slip and `w` of each acting pair (the dual forces of primal-dual friction).
    fn duals(&self, v: &[Vec3], previous: Option<&[Vec3]>) -> Duals {
        if !self.is_active() {
            return Duals::NONE;
        }
        let (v, eps) = (&*self.law.scene.points.points(v), self.law.potential.slip_speed);
        let slips = self.acting().flat_map(|end| &end.pairs).map(|pair| pair.slip(v));
        let duals: Vec<Dual> = match previous {
            Some(previous) => dual::from_values(previous)
                .zip(slips)
                .map(|(dual, slip)| dual.next(slip, eps))
                .collect(),
            None => slips.map(|slip| Dual::first(slip, eps)).collect(),
        };
        let is_exact = duals.iter().all(|dual| dual.is_settled(eps));
        Duals { is_exact, values: duals.into_iter().flat_map(Dual::into_values).collect() }
    }

    /// The matrix needs no projection.
    fn add_hessian_at(
        &self,
        _time: f64,
        v: &[Vec3],
        duals: &[Vec3],
        _psd: Psd,
        out: &mut Hessian<'_>,
    ) {
        let duals: Vec<Dual> = dual::from_values(duals).collect();
        let mut remaining = &duals[..];
        for end in self.acting() {
            let (end_duals, others) = remaining.split_at(end.pairs.len().min(remaining.len()));
            self.law.potential.add_hessian(&self.law.scene, end, end_duals, v, out);
            remaining = others;
        }
    }

    fn has_friction(&self) -> bool {
        self.is_active()
    }

    fn add_slipping_limits(&self, v: &[Vec3], bodies: &mut [f64]) {
        if !self.is_active() {
            return;
        }
        let v = &*self.law.scene.points.points(v);
        let pairs = self.acting().flat_map(|end| &end.pairs);
        for pair in pairs.filter(|pair| pair.slip(v).length() > self.law.potential.slip_speed) {
            let [body, other] = pair.bodies.map(|body| body as usize);
            bodies[body] += pair.strength();
            if other != body {
                bodies[other] += pair.strength();
            }
        }
    }

    fn add_power_by_body(&self, _time: f64, v: &[Vec3], kinematic: &[Vec3], bodies: &mut [f64]) {
        let [v, kinematic] = [v, kinematic].map(|v| self.law.scene.points.points(v));
        for pair in self.acting().flat_map(|end| &end.pairs) {
            let force = pair.force(pair.slip(&v), self.law.potential.slip_speed);
            let power = force.dot(pair.relative(&kinematic));
            pair.bodies.iter().for_each(|&body| bodies[body as usize] += 0.5 * power);
        }
    }
}

impl DissipationPotential for LaggedFriction {
    fn value(&self, _time: f64, v: &[Vec3]) -> f64 {
        if !self.is_active() {
            return 0.0;
        }
        self.acting().map(|end| self.law.potential.value(&self.law.scene, end, v)).sum()
    }

    fn add_gradient(&self, _time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        if self.is_active() {
            let ends: Vec<&LaggedContacts> = self.acting().collect();
            self.law.potential.add_gradient(&self.law.scene, &ends, v, scale, out);
        }
    }

    /// The Hessian of a convex potential needs no projection.
    fn add_hessian(&self, time: f64, v: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.add_hessian_at(time, v, &[], psd, out);
    }
}
