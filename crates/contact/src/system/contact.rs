//! The barrier as an energy between the bodies of a system.

use crate::search::first_impact::first_impact;
use crate::search::pair_lists::PairLists;
use crate::search::walk::search_with;
use crate::system::impacts::impacts;
use crate::{BarrierPotential, Candidates, CollisionScene};
use resile_math::Vec3;
use resile_system::{Certificate, Coupling, Energy, Hessian, Impact, Links, Path, Psd};

/// A [`BarrierPotential`] that keeps a scene's candidates, as a term of a system.
///
/// Its candidates are those near the last paths it was asked a step bound for (of bodies that were out of
/// [focus](Coupling::focus) then, near those of the last one before), and none before: evaluation
/// before the first one panics. A system's [`along`](resile_system::System::along) asks in time. Programs that need contact alone use the potential, whose evaluation takes candidates.
#[derive(Debug)]
pub struct Contact {
    scene: CollisionScene,
    potential: BarrierPotential,
    candidates: Option<Candidates>,
    /// Pairs that this step's step bounds have found.
    lists: PairLists,
    /// Those of what was in focus before, innermost last.
    outer: Vec<Option<Candidates>>,
}

impl Contact {
    /// The contact energy of `scene`, without any candidates yet.
    pub fn new(scene: CollisionScene, potential: BarrierPotential) -> Self {
        Self { scene, potential, candidates: None, lists: PairLists::default(), outer: Vec::new() }
    }

    /// Number of pairs that step bounds found near the last paths.
    pub fn candidate_count(&self) -> usize {
        self.candidates.as_ref().map_or(0, Candidates::len)
    }
}

impl Contact {
    fn on_candidates(&self) -> crate::potential::barrier_potential::OnCandidates<'_> {
        self.potential.on(&self.scene, self.candidates())
    }

    fn candidates(&self) -> &Candidates {
        self.candidates.as_ref().expect("a step bound comes before the first evaluation")
    }
}

impl Energy for Contact {
    fn name(&self) -> &'static str {
        "contact"
    }

    fn value(&self, x: &[Vec3]) -> f64 {
        self.potential.value(&self.scene, self.candidates(), x)
    }

    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.on_candidates().value_and_gradient(x, scale, out);
    }

    fn value_and_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) -> f64 {
        self.on_candidates().value_and_gradient(x, scale, out)
    }

    fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.on_candidates().add_hessian(x, psd, out);
    }

    fn step_bound(&mut self, paths: &[Path<'_>]) -> f64 {
        let mut collision_free: f64 = 1.0;
        for (k, path) in paths.iter().enumerate() {
            let [from, to] = [path.from, path.to].map(|x| self.scene.points.points(x));
            let lists = Some(&mut self.lists);
            let found = search_with(&self.scene, [&from, &to], self.potential.d_hat, lists);
            collision_free = collision_free.min(found.collision_free);
            match &mut self.candidates {
                Some(candidates) if k > 0 => candidates.join(found.candidates),
                candidates => *candidates = Some(found.candidates),
            }
        }
        collision_free
    }

    fn certificate(&self, x: &[Vec3]) -> Certificate {
        self.on_candidates().certificate(x)
    }
}

impl Coupling for Contact {
    fn add_energy_by_body(&self, x: &[Vec3], bodies: &mut [f64]) {
        let candidates = self.candidates();
        self.on_candidates().visit_energies(x, |pair, e| candidates.share(pair, e, bodies));
    }

    fn add_energy_rates_by_body(&self, x: &[Vec3], v: &[Vec3], bodies: &mut [f64]) {
        let candidates = self.candidates();
        self.on_candidates().visit_rates(x, v, |pair, rate| candidates.share(pair, rate, bodies));
    }

    fn link(&self, x: &[Vec3], links: &mut Links) {
        let candidates = self.candidates();
        self.on_candidates().visit_places(x, |pair, place| {
            let pair = candidates.collider_pairs[pair as usize];
            match pair.other {
                None => links.touch_obstacle(pair.body, place),
                Some(other) => {
                    links.touch(pair.body, place);
                    links.touch(other, place);
                    links.join(pair.body, other);
                }
            }
        });
        if let Some(v) = links.velocities() {
            for pushed in self.on_candidates().obstacle_forces(x, v) {
                links.push(pushed.body, pushed.force, pushed.velocity);
            }
        }
    }

    fn restitutes(&self) -> bool {
        self.scene.pairs.has_restitution()
    }

    fn impacts(&self, x: &[Vec3]) -> Vec<Impact> {
        match self.restitutes() {
            true => impacts(&self.scene, self.candidates(), &self.potential, x),
            false => Vec::new(),
        }
    }

    fn focus(&mut self, bodies: &[bool]) {
        self.scene.focus(bodies);
        self.outer.push(self.candidates.take());
    }

    fn unfocus(&mut self) {
        let (found, outer) = (self.candidates.take(), self.outer.pop().flatten());
        let bodies = self.scene.unfocus();
        self.candidates = match (bodies, found, outer) {
            (Some(bodies), Some(found), Some(mut outer)) => {
                outer.replace(bodies.bodies(), found);
                Some(outer)
            }
            _ => None,
        };
    }

    fn pair_count(&self) -> usize {
        self.candidate_count()
    }

    fn first_impact(&self, paths: &[Path<'_>]) -> Option<[usize; 2]> {
        let candidates = self.candidates.as_ref()?;
        let of_path = |path: &Path<'_>| {
            let [from, to] = [path.from, path.to].map(|x| self.scene.points.points(x));
            first_impact(&self.scene, candidates, [&from, &to])
        };
        let impacts = paths.iter().filter_map(of_path);
        let first = impacts.reduce(|first, other| if other.0 < first.0 { other } else { first });
        let pair = candidates.collider_pairs[first?.1 as usize];
        let numbers = self.scene.shape_numbers();
        Some(pair.shapes.map(|shape| numbers[shape]))
    }

    fn begin_step(&mut self) {
        self.lists.clear();
    }
}
