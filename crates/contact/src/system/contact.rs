//! The barrier as an energy between the bodies of a system.

use crate::potential::barrier_potential::PotentialOfCandidates;
use crate::potential::gap_potential::GapPotential;
use crate::search::first_impact::{ImpactOnPath, first_impact};
use crate::search::pair_lists::PairLists;
use crate::search::walk::search_with;
use crate::system::impacts::impacts;
use crate::{AdhesionPotential, BarrierPotential, Candidates, CollisionScene};
use resile_math::Vec3;
use resile_system::{
    Certificate, Coupling, CouplingPart, Energy, Hessian, Impact, ImpulseResponse, Links, Path,
    Psd, SearchHint,
};
use resile_watch::Interrupt;

/// The contact or the adhesion of all bodies of a scene.
pub type Contact = ContactOf<'static>;

/// A [`BarrierPotential`] or an [`AdhesionPotential`] with the candidates of a scene, as a term of a system. Adhesion counts
/// no contacts and has no impacts of its own; its searches bound paths as those of contact do.
///
/// Its candidates come from the last [search](Coupling::search); for bodies outside the
/// [restriction](Coupling::restricted) of that search, from the last search before the restriction. Evaluation before
/// the first search panics. A system's [`along`](resile_system::System::along) searches first. A
/// restriction to some bodies borrows the candidates of all bodies for `'w`. Programs that need contact alone use the
/// potential, whose methods take candidates.
#[derive(Debug)]
pub struct ContactOf<'w> {
    scene: CollisionScene,
    potential: PairPotential,
    candidates: Option<Candidates>,
    /// The candidates of all bodies during a separate solve for some of them.
    unrestricted: Option<&'w mut Option<Candidates>>,
}

/// A potential of pairs of primitives.
#[derive(Debug, Clone, Copy)]
enum PairPotential {
    Contact(BarrierPotential),
    Adhesion(AdhesionPotential),
}

impl PairPotential {
    /// The law of the gap with its parameters.
    fn of_gap(self) -> GapPotential {
        match self {
            Self::Contact(potential) => potential.into(),
            Self::Adhesion(potential) => potential.into(),
        }
    }
}

impl Contact {
    /// The contact energy of `scene`, initially without candidates.
    pub fn new(scene: CollisionScene, potential: BarrierPotential) -> Self {
        Self::with_potential(scene, PairPotential::Contact(potential))
    }

    /// The adhesion of `scene`, initially without candidates. Colliders adhere to those with which they collide.
    pub fn adhesive(scene: CollisionScene, potential: AdhesionPotential) -> Self {
        Self::with_potential(scene, PairPotential::Adhesion(potential))
    }

    /// Ends searches when `interrupt` is raised.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: &Interrupt) -> Self {
        self.scene = self.scene.clone().with_interrupt(interrupt.clone());
        self
    }

    fn with_potential(scene: CollisionScene, potential: PairPotential) -> Self {
        Self { scene, potential, candidates: None, unrestricted: None }
    }
}

impl ContactOf<'_> {
    /// Number of candidate pairs of the last step bound.
    pub fn candidate_count(&self) -> usize {
        self.candidates.as_ref().map_or(0, Candidates::len)
    }

    /// The potential with the scene and the current candidates.
    fn on_candidates(&self) -> PotentialOfCandidates<'_> {
        self.potential.of_gap().on_candidates(&self.scene, self.candidates())
    }

    /// The candidates of the last search; panics before the first one.
    fn candidates(&self) -> &Candidates {
        self.candidates.as_ref().expect("a search comes before the first evaluation")
    }
}

/// Replaces the candidates of the restricted bodies, among those of all bodies, by the candidates of the restriction.
impl Drop for ContactOf<'_> {
    fn drop(&mut self) {
        let Some(unrestricted) = &mut self.unrestricted else { return };
        let focus = self.scene.current_focus();
        if let (Some(focus), Some(part), Some(candidates)) =
            (focus, self.candidates.take(), unrestricted.as_mut())
        {
            candidates.replace(focus.bodies(), part);
        }
    }
}

impl Energy for ContactOf<'_> {
    fn name(&self) -> &'static str {
        match self.potential {
            PairPotential::Contact(_) => "contact",
            PairPotential::Adhesion(_) => "adhesion",
        }
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        self.on_candidates().value(x)
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.on_candidates().value_and_gradient(x, scale, out);
    }

    fn value_and_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) -> f64 {
        self.on_candidates().value_and_gradient(x, scale, out)
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.on_candidates().add_hessian(x, psd, out);
    }

    fn certificate(&self, x: &[Vec3]) -> Certificate {
        match self.potential {
            PairPotential::Contact(_) => self.on_candidates().certificate(x),
            PairPotential::Adhesion(_) => Certificate::NOTHING,
        }
    }
}

impl Coupling for ContactOf<'_> {
    fn search_with(&mut self, paths: &[Path<'_>], hint: &mut SearchHint) -> f64 {
        let lists: &mut PairLists = hint.get_or_default();
        let mut collision_free: f64 = 1.0;
        for (k, path) in paths.iter().enumerate() {
            let [from, to] = [path.from, path.to].map(|x| self.scene.points.points(x));
            let range = self.potential.of_gap().range;
            let search = search_with(&self.scene, [&from, &to], range, Some(&mut *lists));
            collision_free = collision_free.min(search.collision_free);
            match &mut self.candidates {
                Some(candidates) if k > 0 => candidates.join(search.candidates),
                candidates => *candidates = Some(search.candidates),
            }
        }
        collision_free
    }

    fn add_energy_by_body(&self, _time: f64, x: &[Vec3], bodies: &mut [f64]) {
        let candidates = self.candidates();
        self.on_candidates().visit_energies(x, |pair, e| candidates.share_energy(pair, e, bodies));
    }

    fn add_energy_rates_by_body(&self, _time: f64, x: &[Vec3], v: &[Vec3], bodies: &mut [f64]) {
        let candidates = self.candidates();
        self.on_candidates()
            .visit_rates(x, v, |pair, rate| candidates.share_energy(pair, rate, bodies));
    }

    fn link(&self, x: &[Vec3], links: &mut Links) {
        let candidates = self.candidates();
        self.on_candidates().visit_contact_points(x, |pair, point| {
            let pair = candidates.collider_pairs[pair as usize];
            match pair.other {
                None => links.touch_obstacle(pair.body, point),
                Some(other) => {
                    links.touch(pair.body, point);
                    links.touch(other, point);
                    links.join(pair.body, other);
                }
            }
        });
        if let Some(v) = links.velocities() {
            for pushed in self.on_candidates().obstacle_forces(x, v) {
                links.add_obstacle_force(pushed.body, pushed.force, pushed.velocity);
            }
        }
    }

    fn has_restitution_pairs(&self) -> bool {
        matches!(self.potential, PairPotential::Contact(_)) && self.scene.pairs.has_restitution()
    }

    fn impacts(&self, x: &[Vec3], responses: &[ImpulseResponse]) -> Vec<Impact> {
        match self.potential {
            PairPotential::Contact(barrier) if self.has_restitution_pairs() => {
                impacts(&self.scene, self.candidates(), &barrier, x, responses)
            }
            _ => Vec::new(),
        }
    }

    fn restricted(&mut self, bodies: &[bool]) -> CouplingPart<'_> {
        let (scene, potential) = (self.scene.restricted(bodies), self.potential);
        let unrestricted = Some(&mut self.candidates);
        CouplingPart::Own(Box::new(ContactOf { scene, potential, candidates: None, unrestricted }))
    }

    fn pair_count(&self) -> usize {
        self.candidate_count()
    }

    fn first_impact(&self, paths: &[Path<'_>]) -> Option<[usize; 2]> {
        let candidates = self.candidates.as_ref()?;
        let impact_on_path = |path: &Path<'_>| {
            let [from, to] = [path.from, path.to].map(|x| self.scene.points.points(x));
            first_impact(&self.scene, candidates, [&from, &to])
        };
        let impacts = paths.iter().filter_map(impact_on_path);
        let first = impacts.reduce(ImpactOnPath::earlier)?;
        let pair = candidates.collider_pairs[first.pair as usize];
        let collider_indices = self.scene.shape_numbers();
        Some(pair.shapes.map(|shape| collider_indices[shape]))
    }
}
