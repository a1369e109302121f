//! Bending of a shell.

pub(super) mod angle;
pub(super) mod hinges;

use super::ShellError;
use super::material::positive;
use super::membrane::mean;
use crate::gather::Gather;
use angle::Angle;
use hinges::{HingeGroup, shape_factor};
use resile_math::Vec3;
use resile_math::lanes::{LANES, Lane};
use resile_system::{Energy, Hessian, Psd};

/// Largest admissible rest angle (rad): beyond it rounding determines the sign of the angle.
const FOLD_ANGLE: f64 = std::f64::consts::PI - 1e-6;

/// The rest angles of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestAngles {
    /// Angles of the rest positions.
    AsGiven,
    /// Zero, independent of the rest positions, as for paper that was rolled up.
    Flat,
}

/// `P(x) = sum_e D/2 |e|^2 / (A_1 + A_2) (theta_e - theta_e0)^2`: bending of a body of
/// triangles at its inner edges (Grinspun et al. 2003, *Discrete shells*), with theta the
/// angle between the normals of the two triangles, |e| the length of the edge and A the areas
/// of the triangles at rest, and D the flexural rigidity (N m).
///
/// # Continuum limit
/// The bending energy of a plate, `D/2 int (k_1 + k_2)^2 - 2 (1 - nu) k_1 k_2 dA`, with the
/// principal curvatures k. The factor 1/2 (a free constant in Grinspun et al.) makes it *exact for
/// a sheet rolled to a cylinder* whose triangles form strips along the axis: at an edge between
/// strips of width h the angle is `k h`, and the sum is `D/2 k^2` times the area.
///
/// For a general curvature the limit under refinement depends on the mesh (Schmidt & Fraternali 2012,
/// *Universal formulae for the limiting elastic energy of membrane networks*). At an edge between mirror
/// images of a triangle of height h, the foot of which divides the edge into parts p and q, the angle of a
/// smooth surface is `theta = h k_nn - k_tt p q / h` (n across, t along the edge). The energies per unit area
/// are (`tests/shell_bending.rs` checks all figures):
///
/// * *equilateral triangles*: `D/2 [(k_1 + k_2)^2 - 8/3 k_1 k_2]`, an isotropic plate with
///   nu = -1/3. The second term is a boundary term, so clamped plates and developable surfaces do
///   not depend on nu. A clamped square under uniform load converges to Timoshenko's
///   0.00126 q a^4/D with first order: 1.2 % too soft with 52 triangles along a side.
/// * *squares with alternating diagonals* (`resile_mesh::generate::Sheet`):
///   `D/2 [k_xx^2 + k_zz^2 + 4 k_xz^2 - (k_xx + k_zz)^2 / 6]`. The last term results from the
///   equilibrium of nodes with eight neighbours relative to those with four. A sheet bent along the
///   grid to a cylinder is a sixth too soft (a fifth if its sides are free to curl); in torsion it is
///   too stiff; clamped as above it converges to a deflection 6 % too small.
/// * *rings* (`resile_mesh::generate::Disc`): clamped at the rim, 6 % too soft.
/// * strips whose edges run straight across, and rings of such strips, converge with second order to beams of the
///   stiffness D times the width.
///
/// # Large angles
/// theta is exact in (-pi, pi). If a hinge passes a complete fold, its angle changes sign; only
/// contact prevents a sheet from passing through itself. A triangle that has collapsed to a line has
/// no angle and exerts no force.
///
/// # Meshes
/// The orientations of the two triangles of a hinge may differ (a Moebius strip is allowed). Edges with three
/// triangles are rejected: they usually result from duplicate triangles, and hinges for all pairs would be stiffer
/// than any plate.
///
/// The Hessian is exact or a positive semi-definite upper bound in closed form. Evaluation is parallel
/// in the current rayon pool, and bitwise equal for any number of threads.
#[derive(Debug)]
pub struct ShellBending {
    groups: Vec<HingeGroup>,
    gather: Gather<4>,
    /// The two triangles of each hinge.
    triangles: Vec<[u32; 2]>,
}

impl ShellBending {
    /// Bending of `triangles` over the rest positions `rest` (m) with the flexural
    /// rigidity D (N m; see [`super::SheetMaterial::flexural_rigidity`]).
    ///
    /// # Errors
    /// A rigidity that is not positive; positions that are not finite, nodes that do
    /// not exist, triangles without area; edges of more than two triangles, and triangles
    /// that are folded on to each other.
    pub fn new(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        rigidity: f64,
        angles: RestAngles,
    ) -> Result<Self, ShellError> {
        positive("the flexural rigidity", rigidity, "N m")?;
        let edges = hinges::inner_edges(rest, triangles)?;
        let stiffness = |hinge: usize| rigidity * shape_factor(rest, edges[hinge].nodes);
        let groups = hinges::groups(rest, &edges, stiffness, angles)?;
        let gather = Gather::unchecked(&edges.iter().map(|edge| edge.nodes).collect::<Vec<_>>());
        let triangles = edges.iter().map(|edge| edge.triangles).collect();
        Ok(Self { groups, gather, triangles })
    }

    /// A shell of variable stiffness: the factor of a hinge is the mean over its two triangles, that of a triangle
    /// the mean of the `factors` of its nodes.
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
        let hinge_factor =
            |[a, b, c, d]: [u32; 4]| 0.5 * (mean(factors, [a, b, c]) + mean(factors, [a, b, d]));
        for group in &mut self.groups {
            group.stiffness *= Lane::new(std::array::from_fn(|l| hinge_factor(group.nodes[l])));
        }
        Ok(self)
    }

    /// A shell of variable thickness: the factor of a hinge is the mean of the cubes of the `ratios` of its two
    /// triangles, the thickness of each over that of the sheet.
    ///
    /// # Errors
    /// A ratio that is not positive and finite.
    ///
    /// # Panics
    /// Unless there is one ratio per triangle.
    pub fn thickened(mut self, ratios: &[f64]) -> Result<Self, ShellError> {
        ratios
            .iter()
            .try_for_each(|ratio| positive("a ratio of the thickness", *ratio, "times"))?;
        let hinge_factor =
            |[a, b]: [u32; 2]| 0.5 * (ratios[a as usize].powi(3) + ratios[b as usize].powi(3));
        for (group, triangles) in self.groups.iter_mut().zip(self.triangles.chunks(LANES)) {
            let last = triangles.len() - 1;
            group.stiffness *=
                Lane::new(std::array::from_fn(|l| hinge_factor(triangles[l.min(last)])));
        }
        Ok(self)
    }

    /// Number of hinges, which is that of inner edges.
    pub fn hinge_count(&self) -> usize {
        self.groups.iter().map(|g| g.count).sum()
    }

    /// The angle (rad) of each hinge at `x` with the nodes of its edge, in ascending order of
    /// edges. Positive for a ridge, seen from where the triangles are counter-clockwise.
    pub fn angles(&self, x: &[Vec3]) -> Vec<([u32; 2], f64)> {
        let mut out = Vec::with_capacity(self.hinge_count());
        for group in &self.groups {
            let angle = Angle::new(&group.vectors(x)).value();
            let nodes = group.nodes[..group.count].iter();
            out.extend(nodes.zip(angle.as_array()).map(|(n, &angle)| ([n[0], n[1]], angle)));
        }
        out
    }
}

impl Energy for ShellBending {
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
        let sum = self.gather.sum_x8(|group_index, sum| {
            let group = &self.groups[group_index];
            let deviation = Angle::new(&group.vectors(x)).value() - group.rest;
            (group.stiffness * Lane::HALF * deviation).mul_add(deviation, sum)
        });
        // NaN stems from positions that are not finite.
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.gather.add_gradients_x8(scale, out, |group_index| {
            let group = &self.groups[group_index];
            let angle = Angle::new(&group.vectors(x));
            angle.gradient(group.stiffness * (angle.value() - group.rest))
        });
    }

    fn value_and_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) -> f64 {
        let sum = self.gather.sum_and_add_gradients_x8(scale, out, |group_index, sum| {
            let group = &self.groups[group_index];
            let angle = Angle::new(&group.vectors(x));
            let deviation = angle.value() - group.rest;
            let value = (group.stiffness * Lane::HALF * deviation).mul_add(deviation, sum);
            (value, angle.gradient(group.stiffness * deviation))
        });
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.gather.add_hessians_x8(out, |group_index, blocks| {
            let group = &self.groups[group_index];
            let angle = Angle::new(&group.vectors(x));
            let moment = group.stiffness * (angle.value() - group.rest);
            angle.hessian(moment, group.stiffness, psd, blocks);
        });
    }
}
