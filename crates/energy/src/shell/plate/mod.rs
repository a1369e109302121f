//! Plate bending of shells.

mod plastic;
mod slopes;
mod stiffness;
mod tangent;
mod unfolded;
mod yielding;

use super::bending::angle::Angle;
use super::bending::hinges::{self, HingeGroup, InnerEdge};
use super::material::{PlateSection, PlateStiffness, positive};
use super::membrane::mean;
use super::{RestAngles, ShellError};
use crate::gather::Gather;
use plastic::PlatePlasticity;
use rayon::prelude::*;
use resile_math::Vec3;
use resile_math::lanes::{LANES, Lane};
use resile_sparse::scratch::{Scratch, ScratchPool};
use resile_system::{Energy, FlowHeat, Hessian, Inelastic, NodalStress, Psd};
use std::array::from_fn;
use std::sync::Arc;
use stiffness::{EdgeMatrix, Stiffness};
use tangent::{AngleForm, CoupledTangent};
use unfolded::RestSurface;

/// Edges per parallel task, a multiple of eight.
const EDGES_PER_TASK: usize = 512;

static SCALAR_BUFFERS: ScratchPool<f64, 4> = ScratchPool::new();
static GRADIENT_BUFFERS: ScratchPool<[Vec3; 4]> = ScratchPool::new();

/// `P(x) = sum_T A_T/2 D [(1 - nu) |k_T|^2 + nu (tr k_T)^2]`: bending of a body of triangles as an isotropic plate,
/// with the flexural rigidity D (N m) and Poisson's ratio nu ([`PlateStiffness`]), the area `A_T` at rest and the
/// change of curvature `k_T` (1/m) from rest.
///
/// # Curvature
/// The curvature is that of Morley's element, from the slopes of the surface at the midpoints of the three edges
/// relative to the triangle,
///
/// ```text
///   k_T = 1/A_T sum_e |e| n_e n_e^T (slope across e - slope of T)
/// ```
///
/// with n across the edge, away from the triangle. In Morley's element the slopes are degrees of freedom. Here they
/// follow from the angles at edges (as in [`ShellBending`](super::ShellBending)). The mean of the normals of both
/// triangles gives half the angle (Grinspun, Gingold, Reisman & Zorin 2006, *Computing discrete shape operators on
/// general meshes*). It is exact only if a rotation by half a turn maps one triangle to the other; otherwise its
/// error is a linear function of the curvature, which is estimated from neighbouring angles and subtracted. `k_T`
/// is therefore a weighted sum of angles, with weights that depend on the rest mesh unfolded around each edge, and
/// the energy is a quadratic form of angles, `(theta - theta_0) . K (theta - theta_0)/2`. At boundary edges the
/// slopes minimise the energy (natural boundary condition: no moment).
///
/// # Convergence
/// The slopes are single-valued at edges and exact for constant curvature, so the element passes the patch test: a
/// constant moment exerts no force on inner nodes, and a constant curvature has its exact energy. The energy is not
/// below that of Morley's element, so there are no zero-energy modes. Structured, crossed and random meshes
/// converge with second order to the same plate (`tests/plate_theory.rs`). A sheet of 16 by 16 squares has the
/// frequencies of a plate to 0.7 %. In torsion, sheets of crossed squares are 2.6 times too stiff without the
/// correction of the mean, and 2.9 times with hinges.
///
/// # Large angles
/// Angles are exact under rigid motions. The weights are those of the rest shape, which assumes small strains (not
/// small rotations). A sheet rolled up without stretching has the energy of the cylinder. A triangle that has
/// collapsed to a line has no angle and exerts no force.
///
/// # Clamps
/// Two held rows of nodes clamp the sheet half-way between them.
///
/// # Meshes
/// The requirements are those of [`ShellBending`](super::ShellBending). All nodes of coupled edges are coupled: six
/// nodes per triangle if triangles form parallelograms, up to twelve otherwise. A row of the matrix has 18 to 35
/// blocks, compared with 12 for hinges.
///
/// The Hessian is exact or an upper bound: the quadratic form is positive semi-definite, and the second derivatives
/// of the angles are clamped in closed form. Evaluation is parallel in the current rayon pool, and bitwise equal
/// for any number of threads.
#[derive(Debug)]
pub struct PlateBending {
    elastic: Arc<ElasticPlate>,
    plasticity: Option<PlatePlasticity>,
}

/// The data of a plate that do not change when it yields.
#[derive(Debug)]
struct ElasticPlate {
    /// Nodes and rest angles of the edges.
    groups: Vec<HingeGroup>,
    gather: Gather<4>,
    /// Matrix (J) of the quadratic form of the deviations of angles from rest.
    matrix: EdgeMatrix,
    /// A diagonal matrix (J); the difference of `matrix` and this one is positive semi-definite.
    diagonal: Vec<f64>,
    tangent: CoupledTangent,
}

impl PlateBending {
    /// Bending of `triangles` over the rest positions `rest` (m). The stiffness factor of a triangle is the mean of
    /// the `factors` of its nodes; without `factors` it is 1. O(n log n).
    ///
    /// # Errors
    /// Positions that are not finite, nodes that do not exist, triangles without area; edges of more than two
    /// triangles, and triangles that lie on each other; a factor that is not positive and finite.
    ///
    /// # Panics
    /// If the number of factors differs from that of nodes.
    pub fn new(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        plate: PlateStiffness,
        angles: RestAngles,
        factors: Option<&[f64]>,
    ) -> Result<Self, ShellError> {
        let section = |triangle: &[u32; 3]| {
            let factor = factors.map_or(1.0, |factors| mean(factors, *triangle));
            PlateSection { stiffness: plate, factor, yielding: None }
        };
        factors
            .into_iter()
            .flatten()
            .try_for_each(|factor| positive("a factor of the stiffness", *factor, "times"))?;
        // The mesh is checked first, because sections refer to its nodes.
        let edges = hinges::inner_edges(rest, triangles)?;
        let sections: Vec<PlateSection> = triangles.iter().map(section).collect();
        Self::of_edges(rest, triangles, &sections, angles, &edges)
    }

    /// Bending of `triangles` with a section each. If they yield, the plastic curvature of each triangle is a history
    /// variable. O(n log n).
    ///
    /// # Errors
    /// As [`PlateBending::new`]; sections of which only some yield.
    ///
    /// # Panics
    /// If the number of sections differs from that of triangles.
    pub fn of_sections(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        sections: &[PlateSection],
        angles: RestAngles,
    ) -> Result<Self, ShellError> {
        let edges = hinges::inner_edges(rest, triangles)?;
        Self::of_edges(rest, triangles, sections, angles, &edges)
    }

    /// As [`PlateBending::of_sections`], with the inner edges of the mesh.
    fn of_edges(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        sections: &[PlateSection],
        angles: RestAngles,
        edges: &[InnerEdge],
    ) -> Result<Self, ShellError> {
        assert_eq!(sections.len(), triangles.len(), "one section per triangle");
        for section in sections {
            positive("a factor of the stiffness", section.factor, "times")?;
        }
        let first_elastic = sections.iter().position(|section| section.yielding.is_none());
        if let Some(triangle) = first_elastic
            && sections.iter().any(|section| section.yielding.is_some())
        {
            return Err(ShellError::PartlyYielding { triangle });
        }
        let surface = RestSurface::new(rest, triangles, edges);
        let Stiffness { matrix, diagonal, plasticity } =
            stiffness::stiffness(&surface, |triangle| sections[triangle]);
        let groups = hinges::groups(rest, edges, |edge| diagonal[edge], angles)?;
        let nodes: Vec<[u32; 4]> = edges.iter().map(|edge| edge.nodes).collect();
        let tangent = CoupledTangent::new(&matrix, &nodes);
        let elastic =
            ElasticPlate { groups, gather: Gather::unchecked(&nodes), matrix, diagonal, tangent };
        Ok(Self { elastic: elastic.into(), plasticity })
    }

    /// The deviation of the angle of each edge from rest (rad), by groups of eight.
    fn angle_deviations(&self, x: &[Vec3]) -> Scratch<'static, f64, 4> {
        let mut deviations = SCALAR_BUFFERS.take();
        deviations.resize(self.elastic.groups.len() * LANES, 0.0);
        let fill = |groups: &[HingeGroup], deviations: &mut [f64]| {
            for (group, deviations) in groups.iter().zip(deviations.chunks_exact_mut(LANES)) {
                let deviation = Angle::new(&group.vectors(x)).value() - group.rest;
                deviations.copy_from_slice(deviation.as_array());
            }
        };
        if self.elastic.groups.len() <= EDGES_PER_TASK / LANES {
            fill(&self.elastic.groups, &mut deviations);
        } else {
            let parts = deviations
                .par_chunks_mut(EDGES_PER_TASK)
                .zip(self.elastic.groups.par_chunks(EDGES_PER_TASK / LANES));
            parts.for_each(|(deviations, groups)| fill(groups, deviations));
        }
        deviations
    }

    /// The derivative of the energy with respect to the angle of each edge (J), zero in lanes that are copies, and the
    /// energy (J).
    fn moments(&self, deviations: &[f64]) -> (Scratch<'static, f64, 4>, f64) {
        let mut moments = SCALAR_BUFFERS.take();
        moments.clear();
        moments.resize(deviations.len(), 0.0);
        let energy = match &self.plasticity {
            Some(plasticity) => plasticity.moments(deviations, &mut moments),
            None => {
                self.elastic_moments(deviations, &mut moments);
                let products = deviations.iter().zip(moments.iter());
                0.5 * products.map(|(deviation, moment)| deviation * moment).sum::<f64>()
            }
        };
        // NaN stems from positions that are not finite.
        (moments, if energy.is_nan() { f64::INFINITY } else { energy })
    }

    /// Writes the product of the matrix (J) and the deviations of angles (rad) to the `moments` (J) of an elastic plate.
    fn elastic_moments(&self, deviations: &[f64], moments: &mut [f64]) {
        let edge_moment = |edge: usize| {
            self.elastic
                .matrix
                .row(edge)
                .map(|(other, value)| value * deviations[other as usize])
                .sum()
        };
        let fill = |(first, moments): (usize, &mut [f64])| {
            (first..).zip(moments).for_each(|(edge, moment)| *moment = edge_moment(edge));
        };
        let rows = self.elastic.matrix.rows();
        if rows <= EDGES_PER_TASK {
            fill((0, &mut moments[..rows]));
        } else {
            let parts = moments[..rows].par_chunks_mut(EDGES_PER_TASK).enumerate();
            parts.for_each(|(group, part)| fill((group * EDGES_PER_TASK, part)));
        }
    }

    /// Adds `scale` times the gradient of the energy for these moments (J) of edges, with nodes at `x` (m).
    fn add_gradient_of_moments(&self, x: &[Vec3], moments: &[f64], scale: f64, out: &mut [Vec3]) {
        self.elastic.gather.add_gradients_x8(scale, out, |group| {
            Angle::new(&self.elastic.groups[group].vectors(x))
                .gradient(group_values(moments, group))
        });
    }

    /// The gradients (1/m) of the angle of each edge at its four nodes, for nodes at `x` (m).
    fn gradients(&self, x: &[Vec3]) -> Scratch<'static, [Vec3; 4]> {
        let mut out = GRADIENT_BUFFERS.take();
        out.resize(self.elastic.groups.len() * LANES, [Vec3::ZERO; 4]);
        let fill = |(group, out): (&HingeGroup, &mut [[Vec3; 4]])| {
            let gradient = Angle::new(&group.vectors(x)).gradient(Lane::ONE);
            for (l, out) in out.iter_mut().enumerate() {
                let gradient_at =
                    |k: usize| Vec3::from_array(from_fn(|i| gradient[k][i].as_array()[l]));
                let [end, first, second] = from_fn(gradient_at);
                *out = [-(end + first + second), end, first, second];
            }
        };
        if self.elastic.groups.len() <= EDGES_PER_TASK / LANES {
            self.elastic.groups.iter().zip(out.chunks_exact_mut(LANES)).for_each(fill);
        } else {
            self.elastic.groups.par_iter().zip(out.par_chunks_exact_mut(LANES)).for_each(fill);
        }
        out
    }
}

impl PlateBending {
    /// Adds the Hessian for these moments (J) and this `matrix` (J) of edges, of which the part `diagonal` (J) is
    /// evaluated edge by edge.
    fn add_blocks(
        &self,
        x: &[Vec3],
        psd: Psd,
        moments: &[f64],
        matrix: &EdgeMatrix,
        diagonal: &[f64],
        out: &mut Hessian<'_>,
    ) {
        let edges = diagonal.len();
        self.elastic.gather.add_hessians_x8(out, |group, blocks| {
            let angle = Angle::new(&self.elastic.groups[group].vectors(x));
            let second = Lane::new(from_fn(|l| {
                let edge = group * LANES + l;
                if edge < edges { diagonal[edge] } else { 0.0 }
            }));
            angle.hessian(group_values(moments, group), second, psd, blocks);
        });
        let gradients = &self.gradients(x);
        self.elastic
            .tangent
            .add(AngleForm { matrix, subtracted_diagonal: diagonal, gradients }, out);
    }
}

/// The values of a group of eight edges.
#[inline(always)]
fn group_values(values: &[f64], group: usize) -> Lane {
    Lane::new(from_fn(|l| values[group * LANES + l]))
}

impl Energy for PlateBending {
    fn name(&self) -> &str {
        "bending"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn is_internal(&self) -> bool {
        true
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        let (_, energy) = self.moments(&self.angle_deviations(x));
        energy
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let (moments, _) = self.moments(&self.angle_deviations(x));
        self.add_gradient_of_moments(x, &moments, scale, out);
    }

    fn value_and_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) -> f64 {
        let (moments, energy) = self.moments(&self.angle_deviations(x));
        self.add_gradient_of_moments(x, &moments, scale, out);
        energy
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        let deviations = self.angle_deviations(x);
        let (moments, _) = self.moments(&deviations);
        let Some(plasticity) = &self.plasticity else {
            let ElasticPlate { matrix, diagonal, .. } = &*self.elastic;
            self.add_blocks(x, psd, &moments, matrix, diagonal, out);
            return;
        };
        let plastic::Tangent { values, diagonal } = plasticity.tangent(&deviations);
        let matrix = EdgeMatrix { values, ..self.elastic.matrix.clone() };
        self.add_blocks(x, psd, &moments, &matrix, &diagonal, out);
    }

    fn inelastic(&self) -> Option<&dyn Inelastic> {
        self.plasticity.is_some().then_some(self)
    }

    /// The equivalent plastic strain of the surfaces.
    fn add_stress(&self, _x: &[Vec3], out: &mut NodalStress) {
        self.plasticity.iter().for_each(|plasticity| plasticity.add_strain(out));
    }
}

impl Inelastic for PlateBending {
    fn internal_count(&self) -> usize {
        self.plasticity.as_ref().map_or(0, PlatePlasticity::count)
    }

    fn admits_internal(&self, variables: &[f64]) -> bool {
        self.plasticity
            .as_ref()
            .map_or(variables.is_empty(), |plasticity| plasticity.admits(variables))
    }

    fn with_internal(&self, variables: &[f64], _since: f64) -> Arc<dyn Energy> {
        let plasticity =
            self.plasticity.as_ref().map(|plasticity| plasticity.with_variables(variables));
        Arc::new(Self { elastic: self.elastic.clone(), plasticity })
    }

    fn flow(&self, _time: f64, x: &[Vec3], variables: &mut Vec<f64>) -> FlowHeat {
        let plasticity = self.plasticity.as_ref();
        let plastic = plasticity
            .map_or(0.0, |plasticity| plasticity.flow(&self.angle_deviations(x), variables));
        FlowHeat { plastic, ..FlowHeat::default() }
    }
}
