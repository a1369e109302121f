//! Barrier of vertices and planes, with area weights at [rims](crate::geometry::rims).

use crate::geometry::distance::{BLOCK_PAIRS, Blocks};
use crate::geometry::rims::RimCorner;
use crate::potential::barrier::Derivatives;
use crate::potential::barrier_potential::PotentialOfCandidates;
use crate::search::candidates::PlaneCandidate;
use resile_math::{Mat3, Vec3, outer, small};
use resile_system::Psd;
use std::array;

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
    /// Stiffness (J), barrier and plane normal of a vertex-plane pair.
    pub(crate) fn plane_barrier(&self, c: &PlaneCandidate, x: &[Vec3]) -> (f64, Derivatives, Vec3) {
        let planes = &self.scene.obstacles.planes;
        let b = self.potential.barrier.at(self.candidates.gap(c, planes, x), self.potential.d_hat);
        let mut area = c.area;
        if b.value != 0.0 {
            for (corner, _, heights) in self.rim_corners(c, x) {
                area -= corner.area * (1.0 - corner.weight(heights));
            }
        }
        (self.potential.stiffness(area), b, planes[c.plane as usize].normal)
    }

    /// Corners at the vertex with their points, the vertex first, and the heights of these (m).
    fn rim_corners<'b>(
        &'b self,
        c: &PlaneCandidate,
        x: &'b [Vec3],
    ) -> impl Iterator<Item = (&'b RimCorner, [usize; 3], [f64; 3])> {
        let [collider, _] = self.candidates.collider_pairs[c.pair as usize].shapes;
        let first = self.scene.points.first(collider);
        let plane = self.scene.obstacles.planes[c.plane as usize];
        let corners = self.scene.colliders()[collider].mesh.rims.corners_in(c.rim);
        corners.iter().map(move |corner| {
            let points = corner.points.map(|point| first + point as usize);
            (corner, points, points.map(|point| plane.height(x[point])))
        })
    }

    /// Corners whose weights change at `x`, with the barrier `b` of the vertex.
    pub(crate) fn rim_terms<'b>(
        &'b self,
        c: &PlaneCandidate,
        x: &'b [Vec3],
        b: Derivatives,
    ) -> impl Iterator<Item = RimTerm> {
        let is_active = b.value > 0.0 && b.value.is_finite();
        self.rim_corners(c, x).filter(move |_| is_active).filter_map(
            move |(corner, points, heights)| {
                let weight = corner.changing_weight(heights)?;
                let stiffness = self.potential.stiffness(corner.area);
                let constant_weight_stiffness = stiffness * weight.value * b.second;
                let at_vertex = |i: usize| if i == 0 { b.first } else { 0.0 };
                let mixed = |i: usize, j: usize| {
                    let by_weight = weight.second[i][j] * b.value;
                    let by_weight_and_height =
                        weight.first[i] * at_vertex(j) + weight.first[j] * at_vertex(i);
                    stiffness * (by_weight + by_weight_and_height)
                        + if i + j == 0 { constant_weight_stiffness } else { 0.0 }
                };
                Some(RimTerm {
                    points,
                    first: weight.first.map(|w| stiffness * w * b.value),
                    second: array::from_fn(|i| array::from_fn(|j| mixed(i, j))),
                    constant_weight_stiffness,
                })
            },
        )
    }

    /// Hessian of a vertex-plane pair in three parts: the second derivative with respect to the height of the vertex
    /// (N/m) without the corners whose weights change, these corners, and the normal of the plane. `None` if the pair
    /// is inactive.
    pub(crate) fn plane_hessian(
        &self,
        c: &PlaneCandidate,
        x: &[Vec3],
        psd: Psd,
    ) -> Option<(f64, Vec<RimTerm>, Vec3)> {
        let (stiffness, b, normal) = self.plane_barrier(c, x);
        if b.second == 0.0 {
            return None;
        }
        let mut vertex_stiffness = stiffness * b.second;
        let mut corners: Vec<RimTerm> = self.rim_terms(c, x, b).collect();
        for corner in &mut corners {
            vertex_stiffness -= corner.constant_weight_stiffness;
            if psd == Psd::Clamp {
                small::project_psd(&mut corner.second);
            }
        }
        Some((vertex_stiffness, corners, normal))
    }
}
