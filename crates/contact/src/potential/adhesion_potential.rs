//! Adhesion of surfaces: an attraction between near primitives.

use crate::potential::barrier_potential::PotentialOfCandidates;
use crate::potential::gap_law::GapLaw;
use crate::potential::gap_potential::GapPotential;
use crate::search::candidates::Candidates;
use crate::{CollisionScene, HessianBlocks};
use resile_math::Vec3;
use resile_system::Psd;

/// Attraction between vertices and surfaces with a gap below `range` (Fang, Li, Jiang and Kaufman 2023, *Augmented
/// incremental potential contact for sticky interactions*).
///
/// `P(x) = sum over pairs of strength range area b(s)`, in joules, with `s = d / range` and the areas of the
/// [barrier](crate::BarrierPotential), over all pairs but those of two edges. In a flat contact the areas of its vertices
/// sum to that of the contact, between bodies half of it on either side; edges, which the barrier needs, would add to
/// it. Where the barrier of vertices of obstacles has a shorter range, they have no adhesion. The traction is
/// `strength b'(s)`: it rises from zero in contact to `strength` at the gap `peak` and falls to zero at `range`,
/// linearly in both parts, so that the work of separation is `strength range / 2` per area. The energy is a function
/// of positions: it neither dissipates nor depends on the history, and separated surfaces stick again.
///
/// Forces are continuous; the second derivative jumps at `peak` and at `range`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdhesionPotential {
    /// Largest traction (Pa), positive.
    pub strength: f64,
    /// Gap of the largest traction (m), between zero and `range`.
    pub peak: f64,
    /// Gap at and beyond which there is no attraction (m).
    pub range: f64,
}

impl AdhesionPotential {
    /// Energy (J), at most zero; `+inf` if a gap is not positive.
    pub fn value(&self, scene: &CollisionScene, candidates: &Candidates, x: &[Vec3]) -> f64 {
        self.on_candidates(scene, candidates).value(x)
    }

    /// Gradient (N) by node, as `x`.
    pub fn gradient(
        &self,
        scene: &CollisionScene,
        candidates: &Candidates,
        x: &[Vec3],
    ) -> Vec<Vec3> {
        self.on_candidates(scene, candidates).gradient(x)
    }

    /// Hessian (N/m), exact or projected pair by pair, with node indices as in `x`.
    pub fn hessian(
        &self,
        scene: &CollisionScene,
        candidates: &Candidates,
        x: &[Vec3],
        psd: Psd,
    ) -> HessianBlocks {
        self.on_candidates(scene, candidates).hessian(x, psd)
    }

    /// The potential of these candidates.
    fn on_candidates<'a>(
        &self,
        scene: &'a CollisionScene,
        candidates: &'a Candidates,
    ) -> PotentialOfCandidates<'a> {
        GapPotential::from(*self).on_candidates(scene, candidates)
    }
}

impl From<AdhesionPotential> for GapPotential {
    fn from(AdhesionPotential { strength, peak, range }: AdhesionPotential) -> Self {
        Self { law: GapLaw::Adhesion { peak: peak / range }, range, pressure: strength }
    }
}
