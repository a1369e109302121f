//! Stretching of a shell.

mod collapse;
mod density;
pub(super) mod rest;
mod stress;
mod tangent;
mod thickness;

use super::material::positive;
use super::{MembraneLaw, ShellError};
use crate::gather::Gather;
use density::{MembraneDensity, Metric};
use resile_math::lanes::{LANES, Lane, Vec3x8, scale, scale_add};
use resile_math::{Mat3, Vec3};
use resile_system::{Certificate, Energy, Hessian, NodalStress, Path, Psd};
use rest::TriangleGroup;
use std::ops::Range;

/// `P(x) = sum_e A_e psi(F_e(x))`: energy of the stretching of a body of triangles, with
/// `F_e` the constant 3x2 deformation gradient of triangle e against its own flat rest
/// shape, `A_e` its rest area and psi a [`MembraneLaw`] (thickness is in its constants).
///
/// A triangle under compression is unstable against rotation out of its plane, so membranes
/// wrinkle. The exact Hessian contains this instability; [`Psd::Clamp`] clamps the six
/// eigenvalues in closed form (Smith, de Goes, Kim 2019; Panetta 2019, *Analytic
/// eigensystems for isotropic membrane energies*; Poya et al. 2023).
///
/// Evaluation is parallel in the current rayon pool, and bitwise equal for any number of threads.
#[derive(Debug)]
pub struct ShellMembrane {
    groups: Vec<TriangleGroup>,
    gather: Gather<3>,
    density: MembraneDensity,
    /// The axes of the rest triangles.
    frames: Vec<Mat3>,
    /// Rest thickness (m).
    thickness: Option<f64>,
}

impl ShellMembrane {
    /// The membrane of `triangles` over the rest positions `rest` (m). The rest surface
    /// may be curved or closed, and edges may have any number of triangles.
    ///
    /// # Errors
    /// Positions that are not finite, nodes that do not exist, triangles without area, a law that
    /// [`MembraneLaw::check`] refuses.
    pub fn new(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        law: MembraneLaw,
    ) -> Result<Self, ShellError> {
        law.check()?;
        let groups = rest::groups(rest, triangles)?;
        Ok(Self {
            groups,
            gather: Gather::unchecked(triangles),
            density: MembraneDensity::new(law),
            frames: stress::frames(rest, triangles),
            thickness: None,
        })
    }

    /// Sets the rest thickness (m), which is needed for the output of stress: the law contains only the product
    /// of modulus and thickness. Motion does not depend on it.
    ///
    /// # Errors
    /// Unless it is positive and finite.
    pub fn with_thickness(self, thickness: f64) -> Result<Self, ShellError> {
        positive("the thickness", thickness, "m")?;
        Ok(Self { thickness: Some(thickness), ..self })
    }

    /// A membrane of variable stiffness: the factor of a triangle is the mean of the `factors` of its nodes.
    ///
    /// # Errors
    /// A factor that is not positive and finite.
    ///
    /// # Panics
    /// Unless there is one factor per node.
    pub fn scaled(mut self, factors: &[f64]) -> Result<Self, ShellError> {
        factors
            .iter()
            .try_for_each(|factor| positive("a factor of the stiffness", *factor, "times"))?;
        for group in &mut self.groups {
            group.factor = Lane::new(std::array::from_fn(|l| mean(factors, group.nodes[l])));
            group.area *= group.factor;
        }
        Ok(self)
    }

    /// A membrane of variable thickness: `ratios` of each triangle's thickness to that of the sheet, to which the
    /// stiffness is proportional.
    ///
    /// # Errors
    /// A ratio that is not positive and finite.
    ///
    /// # Panics
    /// Unless there is one ratio per triangle.
    pub fn thickened(mut self, ratios: &[f64]) -> Result<Self, ShellError> {
        assert_eq!(ratios.len(), self.triangle_count(), "one ratio per triangle");
        ratios
            .iter()
            .try_for_each(|ratio| positive("a ratio of the thickness", *ratio, "times"))?;
        for (group, ratios) in self.groups.iter_mut().zip(ratios.chunks(LANES)) {
            let last = ratios.len() - 1;
            group.thickness = Lane::new(std::array::from_fn(|l| ratios[l.min(last)]));
            group.area *= group.thickness;
        }
        Ok(self)
    }

    /// Number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.groups.iter().map(|g| g.count).sum()
    }
}

/// The mean of the values of some nodes.
pub(super) fn mean<const N: usize>(nodal_values: &[f64], nodes: [u32; N]) -> f64 {
    nodes.iter().map(|&node| nodal_values[node as usize]).sum::<f64>() / N as f64
}

/// Gradients (N) of the energies of eight triangles at their nodes 1 and 2.
type Forces = [Vec3x8; 2];

impl Energy for ShellMembrane {
    fn name(&self) -> &str {
        "membrane"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn is_internal(&self) -> bool {
        true
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        let sum = self.gather.sum_x8(|group_index, sum| {
            let group = &self.groups[group_index];
            let metric = Metric::new(&group.deformation_gradient(x));
            group.area.mul_add(self.density.value(&metric), sum)
        });
        // NaN stems from infinity times the zero weight of a copy, or positions that are not finite.
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.gather.add_gradients_x8(scale, out, |group_index| {
            let group = &self.groups[group_index];
            let f = group.deformation_gradient(x);
            self.forces(group, &f, &Metric::new(&f))
        });
    }

    fn value_and_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) -> f64 {
        let sum = self.gather.sum_and_add_gradients_x8(scale, out, |group_index, sum| {
            let group = &self.groups[group_index];
            let f = group.deformation_gradient(x);
            let metric = Metric::new(&f);
            let value = group.area.mul_add(self.density.value(&metric), sum);
            (value, self.forces(group, &f, &metric))
        });
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.gather.add_hessians_x8(out, |group_index, blocks| {
            tangent::evaluate(&self.density, &self.groups[group_index], x, psd, blocks);
        });
    }

    /// If the law forbids collapse: the fraction up to which each triangle keeps a tenth of its area.
    fn step_bound(&self, paths: &[Path<'_>]) -> f64 {
        if !self.density.forbids_collapse() {
            return 1.0;
        }
        let bound = |path: &Path<'_>| {
            let group_bound =
                |range: Range<usize>| collapse::step_bound(&self.groups[range], path.from, path.to);
            self.gather.fold_x8(1.0, group_bound, f64::min)
        };
        paths.iter().map(bound).fold(1.0, f64::min)
    }

    /// The mean over the thickness, if the thickness is given.
    fn add_stress(&self, x: &[Vec3], out: &mut NodalStress) {
        let Some(thickness) = self.thickness else { return };
        for (group, frames) in self.groups.iter().zip(self.frames.chunks(LANES)) {
            self.add_group_stress(group, frames, thickness, x, out);
        }
    }

    /// The smallest ratio of areas J; a triangle with NaN has minus infinity.
    fn certificate(&self, x: &[Vec3]) -> Certificate {
        let min_det_f = self.gather.min_x8(|group_index| {
            let j = Metric::new(&self.groups[group_index].deformation_gradient(x)).j2.sqrt();
            j.simd_eq(j).select(j, Lane::splat(f64::NEG_INFINITY))
        });
        Certificate::of_elements(min_det_f, self.density.forbids_collapse())
    }
}

impl ShellMembrane {
    /// `A P g_a` with P = F S, for the nodes a = 1, 2.
    #[inline(always)]
    fn forces(&self, group: &TriangleGroup, f: &[Vec3x8; 2], metric: &Metric) -> Forces {
        let [s11, s12, s22] = self.density.stress(metric).map(|s| group.area * s);
        let [r, q, w] = group.inverse;
        let p1 = scale_add(s11, &f[0], &scale(s12, &f[1]));
        let p2 = scale_add(s12, &f[0], &scale(s22, &f[1]));
        [scale_add(r, &p1, &scale(q, &p2)), scale(w, &p2)]
    }
}
