//! Laws of the gap with their parameters.

use crate::CollisionScene;
use crate::geometry::distance::PairKind;
use crate::potential::barrier_potential::{BarrierPotential, PotentialOfCandidates};
use crate::potential::gap_law::GapLaw;
use crate::potential::stencil::Pair;
use crate::search::candidates::{Candidate, Candidates};

/// Range of the barrier of edges in flat regions of affine bodies and obstacles, and of vertices in flat regions of
/// obstacles, relative to `d_hat`.
///
/// In these regions the vertices of the other surface carry the pressure. Crossings of edges would add a force that
/// changes with the position of both meshes relative to each other. The edges of a ridge are nearer than the vertices
/// around them by no more than its height, so their barrier acts below that height, and below this range at least.
pub(crate) const MIN_RANGE: f64 = 0.25;

/// A law of the gap of pairs of primitives, with its range and its unit of pressure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GapPotential {
    pub(crate) law: GapLaw,
    /// Gap at and beyond which the energy is zero (m).
    pub(crate) range: f64,
    /// Unit of pressure (Pa): `kappa` of a barrier, the strength of adhesion.
    pub(crate) pressure: f64,
}

impl From<BarrierPotential> for GapPotential {
    fn from(BarrierPotential { barrier, d_hat, kappa }: BarrierPotential) -> Self {
        Self { law: barrier.into(), range: d_hat, pressure: kappa }
    }
}

impl GapPotential {
    /// The potential of these candidates.
    pub(crate) fn on_candidates<'a>(
        self,
        scene: &'a CollisionScene,
        candidates: &'a Candidates,
    ) -> PotentialOfCandidates<'a> {
        PotentialOfCandidates { potential: self, scene, candidates }
    }

    /// Factor (J) of the dimensionless law with its full range and the area weight `area` (m^2).
    pub(super) fn stiffness(&self, area: f64) -> f64 {
        self.pressure * self.range * area
    }

    /// The law of a pair of `candidates`. At low ridges the range of a barrier is shorter, and there is no adhesion. Two
    /// edges do not adhere: in a flat contact vertices have all of the area.
    pub(crate) fn pair(&self, candidates: &Candidates, c: &Candidate) -> Pair {
        let ridge = f64::from(c.ridge);
        let (range, area) = match self.law {
            GapLaw::Barrier(_) => (self.range.min(ridge.max(MIN_RANGE * self.range)), c.area),
            GapLaw::Adhesion { .. } if c.kind == PairKind::EdgeEdge || ridge < self.range => {
                (self.range, 0.0)
            }
            GapLaw::Adhesion { .. } => (self.range, c.area),
        };
        Pair {
            kind: c.kind,
            law: self.law,
            stiffness: self.pressure * range * area,
            d_hat: range,
            min_separation: candidates.min_separation(c),
            mollifier: c.mollifier,
        }
    }
}
