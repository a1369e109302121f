//! Tangential adhesion: bonds that resist slip like friction, with a limit that does not depend on the pressure.

use super::STICKING_LIMIT;
use super::lagged::{LaggedPair, NormalContact};
use crate::geometry::distance::Closest;
use crate::geometry::point::Point;
use crate::potential::gap_potential::GapPotential;
use crate::potential::vertex_plane::PlaneBarrier;
use crate::search::candidates::{Candidate, Candidates, ColliderPair, PlaneCandidate};
use crate::{AdhesionPotential, CollisionScene};
use resile_math::Vec3;

/// Resistance of adhering surfaces to slip (Fang, Li, Jiang and Kaufman 2023, *Augmented incremental potential contact
/// for sticky interactions*).
///
/// A pair with a gap below the range of an [`AdhesionPotential`] holds up to `coefficient strength area` (N) in its
/// tangent plane, at any gap. Its dissipation is that of [friction](crate::FrictionPotential) with this limit. A pair
/// that slips at more than two slip speeds at the start of a step has none: its bond is broken until it is slower.
/// In that work the force falls to zero between one and two slip speeds, so that the dissipation is not convex; here a
/// step is convex, and the bond breaks at its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TangentialAdhesion {
    /// Largest tangential traction relative to the strength of the adhesion, not negative.
    pub coefficient: f64,
    /// Slip speed below which bonds hold (m/s), positive.
    pub slip_speed: f64,
}

/// Normal adhesion with the coefficient of its bonds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bonds {
    pub(super) adhesion: AdhesionPotential,
    pub(super) coefficient: f64,
}

impl Bonds {
    /// Limit (N) of a pair with this stiffness (J) of adhesion.
    fn limit(&self, stiffness: f64) -> f64 {
        self.coefficient * stiffness / self.adhesion.range
    }
}

/// Input of lagging bonds.
#[derive(Clone, Copy)]
pub(super) struct BondPositions<'a> {
    pub(super) scene: &'a CollisionScene,
    pub(super) candidates: &'a Candidates,
    pub(super) bonds: &'a Bonds,
    /// Positions of points (m).
    pub(super) x: &'a [Vec3],
    /// Velocities (m/s) of points and slip speed (m/s), which decide whether a bond holds; with `None` all do.
    pub(super) motion: Option<(&'a [Vec3], f64)>,
}

impl BondPositions<'_> {
    /// Bond of a pair of primitives; `None` beyond the range, and if it is broken.
    pub(super) fn pair(&self, c: &Candidate) -> Option<LaggedPair> {
        let x = c.positions(self.x, &self.scene.obstacles.points);
        let Closest { weights, difference, .. } = Closest::new(c.kind, &x);
        let distance = difference.length();
        let law = GapPotential::from(self.bonds.adhesion).pair(self.candidates, c);
        let is_near = distance - law.min_separation < law.d_hat;
        let force = if is_near { self.bonds.limit(law.stiffness) } else { 0.0 };
        let (points, normal) = (c.points, difference / distance);
        self.bond(c.pair, NormalContact { points, weights, normal, force })
    }

    /// Bond of a vertex and a plane; `None` beyond the range, and if it is broken.
    pub(super) fn plane_pair(&self, c: &PlaneCandidate) -> Option<LaggedPair> {
        let potential = GapPotential::from(self.bonds.adhesion);
        let on_candidates = potential.on_candidates(self.scene, self.candidates);
        let PlaneBarrier { stiffness, barrier, normal } = on_candidates.plane_barrier(c, self.x);
        let is_near = barrier.value != 0.0;
        let force = if is_near { self.bonds.limit(stiffness) } else { 0.0 };
        let mut points = [Point::fixed(0); 4];
        points[0] = Point::moving(c.point as usize);
        let weights = [1.0, -1.0, 0.0, 0.0];
        self.bond(c.pair, NormalContact { points, weights, normal, force })
    }

    /// The pair of a contact, whose force is its limit (N), between the colliders of the pair with this index.
    fn bond(&self, pair: u32, contact: NormalContact) -> Option<LaggedPair> {
        let ColliderPair { body, other, .. } = self.candidates.collider_pairs[pair as usize];
        let bodies = [body, other.unwrap_or(body)].map(|body| body as u32);
        let lagged = LaggedPair::new(contact, 1.0, bodies).if_limit_is_positive()?;
        let holds =
            |(v, slip_speed): (&[Vec3], f64)| lagged.slip(v).length() < STICKING_LIMIT * slip_speed;
        self.motion.is_none_or(holds).then_some(lagged)
    }
}
