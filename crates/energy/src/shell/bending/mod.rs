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
use resile_math::lanes::Lane;
use resile_system::{Energy, Hessian, Psd};

/// A rest angle (rad) beyond this is a fold on to itself: just short of pi, where the
/// angle's sign is left to rounding.
const FOLDED: f64 = std::f64::consts::PI - 1e-6;

/// The shape in which a shell is free of bending moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestAngles {
    /// That of the rest positions.
    AsGiven,
    /// A plane, whatever the rest positions: paper that was rolled up.
    Flat,
}

/// `P(x) = sum_e D/2 |e|^2 / (A_1 + A_2) (theta_e - theta_e0)^2`: bending of a body of
/// triangles at its inner edges (Grinspun et al. 2003, *Discrete shells*), with theta the
/// angle between the two triangles' normals, |e| the length of the edge and A the areas
/// of the triangles at rest, and D the flexural rigidity (N m).
///
/// # What it approximates
/// A plate's energy of bending, `D/2 int (k_1 + k_2)^2 - 2 (1 - nu) k_1 k_2 dA`, with the
/// principal curvatures k. The factor 1/2 (Grinspun et al. leave it to the material) makes
/// it *exact for a sheet rolled to a cylinder* whose triangles form strips along the axis:
/// at an edge between strips of width h the angle is `k h`, and the sum is `D/2 k^2` times
/// the area.
///
/// For a general curvature it depends on the mesh, and refining does not mend that
/// (Schmidt & Fraternali 2012, *Universal formulae for the limiting elastic energy of
/// membrane networks*). An edge between mirror images of a triangle of height h, whose tip stands over the point
/// that divides the edge in parts p and q, sees of a smooth surface
/// `theta = h k_nn - k_tt p q / h` (n across, t along the edge). Summed up per unit area
/// (`tests/shell_bending.rs` holds all figures):
///
/// * *equilateral triangles*: `D/2 [(k_1 + k_2)^2 - 8/3 k_1 k_2]`, isotropic, the plate of
///   nu = -1/3. The second term is one of the boundary: a clamped plate, or a developable
///   surface, is that of *any* nu. A clamped square under uniform load converges to
///   Timoshenko's 0.00126 q a^4/D with the first order: 1.2 % too soft with 52 triangles
///   along a side.
/// * *squares with alternating diagonals* (`resile_mesh::generate::Sheet`):
///   `D/2 [k_xx^2 + k_zz^2 + 4 k_xz^2 - (k_xx + k_zz)^2 / 6]`. The last term is there only
///   in equilibrium, where nodes of eight neighbours sink a little against those of four.
///   Bent along the grid to a cylinder such a sheet is a sixth too soft (a fifth if its
///   sides are free to curl), twisted it is too stiff; clamped as above it converges to a
///   deflection 6 % too small.
/// * *rings* (`resile_mesh::generate::Disc`): clamped at the rim, 6 % too soft.
/// * strips whose edges run straight across, and rings of such strips, are beams of the
///   stiffness D a width, with the second order.
///
/// # Large angles
/// theta lies in (-pi, pi) and is exact there: no energy is lost or forbidden for sharp
/// folds. A hinge forced through a complete fold comes out on the other side with the
/// opposite sign; contact is what keeps a sheet from passing through itself. A
/// triangle crushed to a line has no angle and gives no force.
///
/// # Meshes
/// A hinge joins two triangles, whichever way round they are numbered (a Moebius strip is
/// as good as a cylinder). An edge of three is refused: hinges for all pairs would give the
/// joint a stiffness that no plate has, and silently accept what is mostly a defect, a
/// triangle that is there twice.
///
/// The Hessian is exact or a closed-form majorant of it. Evaluation is shared by the
/// threads of the rayon pool it is called in, with the same bits for any number of them.
#[derive(Debug)]
pub struct ShellBending {
    groups: Vec<HingeGroup>,
    gather: Gather<4>,
}

impl ShellBending {
    /// Bending of `triangles` over the rest positions `rest` (m) with the flexural
    /// rigidity D (N m; see [`super::SheetMaterial::flexural_rigidity`]).
    ///
    /// # Errors
    /// A rigidity that is not positive; positions that are not finite, nodes that do
    /// not exist, triangles without area; edges of more than two triangles, and triangles
    /// that lie on each other.
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
        let gather = Gather::of(&edges.iter().map(|edge| edge.nodes).collect::<Vec<_>>());
        Ok(Self { groups, gather })
    }

    /// A shell that is stiffer or softer from place to place: each hinge by the mean of its two triangles, each of which has the
    /// mean of the `factors` of its nodes.
    ///
    /// # Errors
    /// A factor that is not positive and finite.
    ///
    /// # Panics
    /// If there is not a factor for each node.
    pub fn scaled(mut self, factors: &[f64]) -> Result<Self, ShellError> {
        factors
            .iter()
            .try_for_each(|factor| positive("a factor of the stiffness", *factor, "times"))?;
        let of_hinge =
            |[a, b, c, d]: [u32; 4]| 0.5 * (mean(factors, [a, b, c]) + mean(factors, [a, b, d]));
        for group in &mut self.groups {
            group.stiffness *= Lane::new(std::array::from_fn(|l| of_hinge(group.nodes[l])));
        }
        Ok(self)
    }

    /// Number of hinges: inner edges.
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

    fn value(&self, x: &[Vec3]) -> f64 {
        let sum = self.gather.sum_x8(|number, sum| {
            let group = &self.groups[number];
            let turned = Angle::new(&group.vectors(x)).value() - group.rest;
            (group.stiffness * Lane::HALF * turned).mul_add(turned, sum)
        });
        // Positions that are not finite.
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.gather.add_gradients_x8(scale, out, |number| {
            let group = &self.groups[number];
            let angle = Angle::new(&group.vectors(x));
            angle.gradient(group.stiffness * (angle.value() - group.rest))
        });
    }

    fn value_and_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) -> f64 {
        let sum = self.gather.sum_and_add_gradients_x8(scale, out, |number, sum| {
            let group = &self.groups[number];
            let angle = Angle::new(&group.vectors(x));
            let turned = angle.value() - group.rest;
            let value = (group.stiffness * Lane::HALF * turned).mul_add(turned, sum);
            (value, angle.gradient(group.stiffness * turned))
        });
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.gather.add_hessians_x8(out, |number, blocks| {
            let group = &self.groups[number];
            let angle = Angle::new(&group.vectors(x));
            let first = group.stiffness * (angle.value() - group.rest);
            angle.hessian(first, group.stiffness, psd, blocks);
        });
    }
}
