//! Barrier of vertices and planes, with area weights at [rims](crate::geometry::rims).

use crate::geometry::distance::{BLOCK_PAIRS, Blocks};
use crate::geometry::rims::RimCorner;
use crate::potential::barrier::Derivatives;
use crate::potential::barrier_potential::PotentialOfCandidates;
use crate::potential::gap_potential::GapPotential;
use crate::search::candidates::PlaneCandidate;
use resile_math::{Mat3, Vec3, outer, small};
use resile_system::Psd;
use std::array;

/// Barrier of a vertex and a plane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlaneBarrier {
    /// Factor (J) of the dimensionless barrier, for the area with rim weights.
    pub(crate) stiffness: f64,
    /// Dimensionless barrier with its derivatives with respect to the gap.
    pub(crate) barrier: Derivatives,
    /// Normal of the plane.
    pub(crate) normal: Vec3,
}

impl PlaneBarrier {
    /// Energy (J).
    pub(crate) fn value(&self) -> f64 {
        self.stiffness * self.barrier.value
    }

    /// Derivative of the energy (N) with respect to the gap at constant area.
    pub(crate) fn first(&self) -> f64 {
        self.stiffness * self.barrier.first
    }

    /// Second derivative of the energy (N/m) with respect to the gap at constant area.
    pub(crate) fn second(&self) -> f64 {
        self.stiffness * self.barrier.second
    }
}

/// Hessian of a vertex-plane pair.
pub(crate) struct PlaneHessian {
    /// Second derivative (N/m) with respect to the height of the vertex, without `corners`.
    pub(crate) vertex_stiffness: f64,
    /// Corners whose weights change.
    pub(crate) corners: Vec<RimTerm>,
    /// Normal of the plane.
    pub(crate) normal: Vec3,
}

/// A corner at a vertex, with its points in the scene.
struct PlacedCorner<'a> {
    corner: &'a RimCorner,
    /// Points, the vertex first.
    points: [usize; 3],
    /// Heights of the points over the plane (m).
    heights: [f64; 3],
}

/// Derivatives of the energy of a corner with respect to the heights of its points.
pub(crate) struct RimTerm {
    /// The vertex first.
    pub(crate) points: [usize; 3],
    /// First derivatives that result from the change of the weight of the corner (N).
    pub(crate) first: [f64; 3],
    /// Second derivatives (N/m).
    second: [[f64; 3]; 3],
    /// Second derivative with respect to the height of the vertex at constant weight (N/m).
    constant_weight_stiffness: f64,
}

impl RimTerm {
    /// Blocks of its points along the `normal` of the plane, in the order of [`BLOCK_PAIRS`].
    pub(crate) fn blocks(&self, normal: Vec3) -> Blocks {
        let along = outer(normal, normal);
        BLOCK_PAIRS.map(|(k, l)| if l < 3 { along * self.second[k][l] } else { Mat3::ZERO })
    }
}

impl PotentialOfCandidates<'_> {
    /// Barrier of a vertex-plane pair for points at `x` (m).
    pub(crate) fn plane_barrier(&self, c: &PlaneCandidate, x: &[Vec3]) -> PlaneBarrier {
        let GapPotential { law, range, .. } = self.potential;
        let planes = &self.scene.obstacles.planes;
        let barrier = law.at(self.candidates.gap(c, planes, x), range);
        let mut area = c.area;
        if barrier.value != 0.0 {
            for PlacedCorner { corner, heights, .. } in self.rim_corners(c, x) {
                area -= corner.area * (1.0 - corner.weight(heights));
            }
        }
        let stiffness = self.potential.stiffness(area);
        PlaneBarrier { stiffness, barrier, normal: planes[c.plane as usize].normal }
    }

    /// Corners at the vertex of a vertex-plane pair for points at `x` (m).
    fn rim_corners<'b>(
        &'b self,
        c: &PlaneCandidate,
        x: &'b [Vec3],
    ) -> impl Iterator<Item = PlacedCorner<'b>> {
        let [collider, _] = self.candidates.collider_pairs[c.pair as usize].shapes;
        let first = self.scene.points.first(collider);
        let plane = self.scene.obstacles.planes[c.plane as usize];
        let corners = self.scene.colliders()[collider].mesh.rims.corners_in(c.rim);
        corners.iter().map(move |corner| {
            let points = corner.points.map(|point| first + point as usize);
            let heights = points.map(|point| plane.height(x[point]));
            PlacedCorner { corner, points, heights }
        })
    }

    /// Terms of the corners whose weights change at `x` (m), for the `barrier` of their vertex.
    pub(crate) fn rim_terms<'b>(
        &'b self,
        c: &PlaneCandidate,
        x: &'b [Vec3],
        barrier: Derivatives,
    ) -> impl Iterator<Item = RimTerm> {
        let is_active = barrier.value != 0.0 && barrier.value.is_finite();
        let corners = self.rim_corners(c, x).filter(move |_| is_active);
        corners.filter_map(move |corner| self.rim_term(&corner, barrier))
    }

    /// Derivatives of the energy `stiffness w(heights) b(height of the vertex)` of a corner, by the product rule; `None`
    /// if its weight `w` is stationary.
    fn rim_term(&self, placed: &PlacedCorner<'_>, barrier: Derivatives) -> Option<RimTerm> {
        let PlacedCorner { corner, points, heights } = *placed;
        let weight = corner.changing_weight(heights)?;
        let stiffness = self.potential.stiffness(corner.area);
        let constant_weight_stiffness = stiffness * weight.value * barrier.second;
        let barrier_gradient = [barrier.first, 0.0, 0.0];
        let second_derivative = |i: usize, j: usize| {
            let of_weight = weight.second[i][j] * barrier.value;
            let mixed =
                weight.first[i] * barrier_gradient[j] + weight.first[j] * barrier_gradient[i];
            stiffness * (of_weight + mixed)
                + if i + j == 0 { constant_weight_stiffness } else { 0.0 }
        };
        Some(RimTerm {
            points,
            first: weight.first.map(|w| stiffness * w * barrier.value),
            second: array::from_fn(|i| array::from_fn(|j| second_derivative(i, j))),
            constant_weight_stiffness,
        })
    }

    /// Hessian of a vertex-plane pair for points at `x` (m), exact or projected corner by corner; `None` if the pair is
    /// inactive.
    pub(crate) fn plane_hessian(
        &self,
        c: &PlaneCandidate,
        x: &[Vec3],
        psd: Psd,
    ) -> Option<PlaneHessian> {
        let plane_barrier = self.plane_barrier(c, x);
        let PlaneBarrier { barrier, normal, .. } = plane_barrier;
        if barrier.second == 0.0 {
            return None;
        }
        let mut vertex_stiffness = plane_barrier.second();
        let mut corners: Vec<RimTerm> = self.rim_terms(c, x, barrier).collect();
        for corner in &mut corners {
            // The rest of the area keeps its weight.
            vertex_stiffness -= corner.constant_weight_stiffness;
            if psd == Psd::Clamp {
                small::project_psd(&mut corner.second);
            }
        }
        if psd == Psd::Clamp && self.potential.law.is_attraction() {
            vertex_stiffness = vertex_stiffness.max(0.0);
        }
        Some(PlaneHessian { vertex_stiffness, corners, normal })
    }
}
