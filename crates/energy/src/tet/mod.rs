//! Elasticity of tetrahedra: linear ones here, quadratic ones in [`quadratic`].

mod group_sum;
mod history;
mod inversion;
mod plastic;
mod quadratic;
mod rest;
mod tangent;
mod viscous;

pub use quadratic::QuadraticTetElasticity;
pub use rest::ElementError;

use crate::gather::Gather;
use crate::material::Materials;
use history::{Evaluated, History};
use resile_math::Vec3;
use resile_math::lanes::{LANES, Lane, Mat3x8};
use resile_system::{
    Certificate, Energy, FlowHeat, Hessian, Inelastic, Laplacian, NodalStress, Path, Psd, Strained,
};
use rest::{InverseEdges, TetGroup};
use std::ops::Range;
use std::sync::Arc;
use tangent::PAIRS;

/// A time at which history variables have not evolved yet.
const NOW: f64 = f64::NEG_INFINITY;

/// `P(x) = sum_e V_e psi_e(F_e(x))`: elastic energy of a body of linear tetrahedra, with
/// `F_e` the constant deformation gradient of element e, `V_e` its rest volume and `psi_e`
/// the strain energy density of its material.
///
/// Evaluation is parallel in the current rayon pool, and bitwise equal for any number of threads.
/// `benches/README.md` states the cost per tetrahedron.
#[derive(Debug)]
pub struct TetElasticity {
    groups: Arc<[TetGroup]>,
    gather: Arc<Gather<4>>,
    materials: Arc<Materials>,
    history: History<1>,
    /// Whether the stress of this term adds to that of another term over the same elements.
    is_overlay: bool,
}

impl TetElasticity {
    /// Creates the elasticity of the elements `tets` over the rest positions `rest` (m), with one
    /// [`Material`](crate::Material) or one for each element ([`Materials`]). Elements are positively
    /// oriented: `det [x1 - x0, x2 - x0, x3 - x0] > 0`.
    ///
    /// # Errors
    /// Positions that are not finite, nodes that do not exist, all elements that are
    /// inverted or flat, with their volumes, and a number of materials that differs from that of elements.
    pub fn new(
        rest: &[Vec3],
        tets: &[[u32; 4]],
        materials: impl Into<Materials>,
    ) -> Result<Self, ElementError> {
        let materials = rest::check_count(materials.into(), tets.len())?;
        Ok(Self::from_groups(rest::groups(rest, tets)?, Gather::unchecked(tets), materials))
    }

    /// Returns the term of these groups, with the history variables of elements that have never yielded or flowed.
    fn from_groups(groups: Vec<TetGroup>, gather: Gather<4>, materials: Materials) -> Self {
        let shapes = groups.iter().map(|group| (InverseEdges::Uniform(group.inverse), group.count));
        let history = History::new(&materials, shapes);
        let (groups, gather, materials) = (groups.into(), gather.into(), materials.into());
        Self { groups, gather, materials, history, is_overlay: false }
    }

    /// Returns the inverse rest edges and the strain energy density of a group at `time` (s).
    #[inline(always)]
    fn evaluated(&self, time: f64, group_index: usize) -> Evaluated<'_> {
        let elastic = || (&self.groups[group_index].inverse, self.materials.of_group(group_index));
        self.history.evaluated(time, [group_index, 0], elastic)
    }

    /// Returns the energy `volume * psi(F)` (J) of a homogeneously deforming body with the rest volume `volume` (m^3).
    /// F is the deformation gradient of the positively oriented tetrahedron with the rest positions `rest` (m).
    pub(crate) fn uniform(rest: &[Vec3; 4], volume: f64, materials: impl Into<Materials>) -> Self {
        let gather = Gather::unchecked(&[[0, 1, 2, 3]]);
        Self::from_groups(vec![rest::uniform(rest, volume)], gather, materials.into())
    }

    /// This term as an overlay that acts in parallel with another term over the same elements: their nodal
    /// [stresses](NodalStress) add up.
    #[must_use]
    pub fn overlaid(self) -> Self {
        Self { is_overlay: true, ..self }
    }

    /// Returns the number of elements.
    pub fn element_count(&self) -> usize {
        self.groups.iter().map(|g| g.count).sum()
    }

    /// Returns the indices of the elements without positive volume at the positions `x` (m), each with its det F.
    /// Initial states of materials that forbid inversion must have none.
    pub fn inverted(&self, x: &[Vec3]) -> Vec<(usize, f64)> {
        let mut elements = Vec::new();
        for (group_index, group) in self.groups.iter().enumerate() {
            let det = group.deformation_gradient(x).determinant();
            for (l, &det) in det.as_array()[..group.count].iter().enumerate() {
                // The comparison is also false for NaN.
                let is_positive = det > 0.0;
                if !is_positive {
                    elements.push((group_index * LANES + l, det));
                }
            }
        }
        elements
    }
}

impl Energy for TetElasticity {
    fn name(&self) -> &str {
        "elastic"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn is_internal(&self) -> bool {
        true
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        let sum = self.gather.sum_x8(|group_index, sum| {
            let (group, evaluated) = (&self.groups[group_index], self.evaluated(time, group_index));
            let (inverse, energy_density) = evaluated.parts();
            group.volume.mul_add(energy_density.value(&group.edges(x).mul(inverse)), sum)
        });
        // NaN stems from infinity times the zero weight of a copy, or from positions that are not finite.
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.gather.add_gradients_x8(scale, out, |group_index| {
            let (group, evaluated) = (&self.groups[group_index], self.evaluated(time, group_index));
            let (inverse, energy_density) = evaluated.parts();
            let stress = energy_density.stress(&group.edges(x).mul(inverse));
            stress.scale(group.volume).mul_transpose(inverse).cols
        });
    }

    fn value_and_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) -> f64 {
        let sum = self.gather.sum_and_add_gradients_x8(scale, out, |group_index, sum| {
            let (group, evaluated) = (&self.groups[group_index], self.evaluated(time, group_index));
            let (inverse, energy_density) = evaluated.parts();
            let (value, stress) = energy_density.value_and_stress(&group.edges(x).mul(inverse));
            let forces = stress.scale(group.volume).mul_transpose(inverse).cols;
            (group.volume.mul_add(value, sum), forces)
        });
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_hessian(&self, time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.gather.add_hessians_x8(out, |group_index, blocks| {
            let (group, evaluated) = (&self.groups[group_index], self.evaluated(time, group_index));
            let (inverse, energy_density) = evaluated.parts();
            let f = group.edges(x).mul(inverse);
            tangent::evaluate(energy_density, &f, inverse, group.volume, psd, blocks);
        });
    }

    /// Adds `V E g_a . g_b` (N/m) for each pair of nodes a and b of each element, with its volume V, the gradients `g`
    /// of its shape functions and the [modulus](crate::material::StrainEnergyDensity::modulus) E of its material.
    fn add_laplacian(&self, _time: f64, _x: &[Vec3], out: &mut Laplacian<'_>) {
        for (group_index, group) in self.groups.iter().enumerate() {
            let volume_times_modulus =
                group.volume * self.materials.of_group(group_index).modulus();
            let entries = tangent::laplacian(&group.inverse, volume_times_modulus);
            for (l, nodes) in group.nodes[..group.count].iter().enumerate() {
                for ((a, b), entry) in PAIRS.into_iter().zip(&entries) {
                    out.add(nodes[a] as usize, nodes[b] as usize, entry.as_array()[l]);
                }
            }
        }
    }

    /// Returns the largest fraction of the paths up to which each element keeps a tenth of its volume, if a material
    /// forbids inversion, and otherwise one.
    fn step_bound(&self, paths: &[Path<'_>]) -> f64 {
        if !self.materials.forbid_inversion() {
            return 1.0;
        }
        let bound = |path: &Path<'_>| {
            let group_bound = |range: Range<usize>| {
                inversion::step_bound(&self.groups[range], path.from, path.to)
            };
            self.gather.fold_x8(1.0, group_bound, f64::min)
        };
        paths.iter().map(bound).fold(1.0, f64::min)
    }

    fn add_stress(&self, x: &[Vec3], out: &mut NodalStress) {
        for (group_index, group) in self.groups.iter().enumerate() {
            let f = group.deformation_gradient(x);
            let stresses = element_stresses(&self.evaluated(NOW, group_index), &f, &group.edges(x));
            let plastic_point = self.history.plastic(group_index, 0);
            for (l, strained) in stresses.iter().enumerate().take(group.count) {
                let volume = group.volume.as_array()[l];
                for node in group.nodes[l].map(|node| node as usize) {
                    match self.is_overlay {
                        true => out.add_overlay(node, volume, strained),
                        false => out.add(node, volume, strained),
                    }
                    plastic_point
                        .into_iter()
                        .for_each(|point| point.add_strain(l, node, volume, out));
                }
            }
        }
    }

    fn inelastic(&self) -> Option<&dyn Inelastic> {
        self.history.is_present().then_some(self)
    }

    /// Returns a nonzero work (J) for a branch of a Prony series and for plastic flow that depends on its rate, and
    /// otherwise zero.
    fn work(&self, _from: &[Vec3], to: &[Vec3], [_, end_time]: [f64; 2]) -> f64 {
        self.history.work(
            end_time,
            |group_index, _, inverse| self.groups[group_index].edges(to).mul(inverse),
            |group_index, _| self.groups[group_index].volume,
        )
    }

    /// Certifies with the smallest det F, which is minus infinity if one is NaN.
    fn certificate(&self, x: &[Vec3]) -> Certificate {
        let min_det_f =
            self.gather.min_x8(|group_index| determinants(&self.groups[group_index], x));
        Certificate::of_elements(min_det_f, self.materials.forbid_inversion())
    }
}

impl Inelastic for TetElasticity {
    fn internal_count(&self) -> usize {
        self.history.count()
    }

    fn admits_internal(&self, variables: &[f64]) -> bool {
        self.history.admits(variables)
    }

    fn with_internal(&self, variables: &[f64], since: f64) -> Arc<dyn Energy> {
        let Self { groups, gather, materials, history, is_overlay } = self;
        let history = history.with_variables(variables, since);
        let (groups, gather, materials) = (groups.clone(), gather.clone(), materials.clone());
        Arc::new(Self { groups, gather, materials, history, is_overlay: *is_overlay })
    }

    fn flow(&self, time: f64, x: &[Vec3], variables: &mut Vec<f64>) -> FlowHeat {
        self.history.flow(
            time,
            |group_index, _, inverse| self.groups[group_index].edges(x).mul(inverse),
            |group_index, _| self.groups[group_index].volume,
            variables,
        )
    }
}

/// Returns deformation gradient, Cauchy stress and strain energy density of eight elements with the deformation
/// gradients `f` and the edges `edges` (m). `evaluated` has their inverse rest edges and strain energy density.
///
/// The [Cauchy stress](crate::material::StrainEnergyDensity::cauchy_stress) (Pa) is that at `F_e`, the elastic deformation
/// gradient: the product of the edges and the inverse rest edges, from which plastic or viscous flow has been removed.
fn element_stresses(evaluated: &Evaluated<'_>, f: &Mat3x8, edges: &Mat3x8) -> [Strained; LANES] {
    let (inverse, energy_density) = evaluated.parts();
    let f_e = edges.mul(inverse);
    let cauchy = energy_density.cauchy_stress(&f_e);
    let psi = energy_density.value(&f_e);
    std::array::from_fn(|l| Strained {
        gradient: f.lane(l),
        cauchy: cauchy.lane(l),
        energy_density: psi.as_array()[l],
    })
}

/// Returns det F of the elements of a group for nodes at `x` (m), with minus infinity in place of NaN.
#[inline]
fn determinants(group: &TetGroup, x: &[Vec3]) -> Lane {
    let f: Mat3x8 = group.deformation_gradient(x);
    let det = f.determinant();
    det.simd_eq(det).select(det, Lane::splat(f64::NEG_INFINITY))
}
