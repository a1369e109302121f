//! Cauchy stress and deformation gradient of membranes for output.
//!
//! A membrane describes its middle surface only. The thickness stretch `lambda_3` is that of
//! [`MembraneDensity::thickness_stretch`](super::density::MembraneDensity::thickness_stretch), in plane stress. With
//! the frame `t_1, t_2, n_0` of the rest triangle and the normal n
//!
//! ```text
//! F = f_1 t_1^T + f_2 t_2^T + lambda_3 n n_0^T
//! sigma = (f S f^T) / (t J lambda_3)
//! ```
//!
//! f the 3x2 deformation gradient, S the second Piola stress of the membrane (N/m), t the
//! thickness at rest. This is the mean over the thickness, without the stresses of bending.

use super::density::Metric;
use super::{ShellMembrane, TriangleGroup};
use resile_math::lanes::Lane;
use resile_math::{Mat3, Vec3};
use resile_system::{NodalStress, Strained};

/// The axes of a rest triangle: the direction of its first edge, the direction normal to it in the plane, and the
/// normal.
fn frame(rest: &[Vec3], triangle: [u32; 3]) -> Mat3 {
    let [a, b, c] = triangle.map(|node| rest[node as usize]);
    let tangent = (b - a).normalize();
    let normal = tangent.cross(c - a).normalize();
    Mat3::from_cols(tangent, normal.cross(tangent), normal)
}

impl ShellMembrane {
    /// Adds the stress of the triangles of a group to their nodes, which are at `x` (m). `frames` are the rest frames of
    /// these triangles, `thickness` (m) is that of the sheet at rest.
    pub(super) fn add_group_stress(
        &self,
        group: &TriangleGroup,
        frames: &[Mat3],
        thickness: f64,
        x: &[Vec3],
        out: &mut NodalStress,
    ) {
        let columns = group.deformation_gradient(x);
        let metric = Metric::new(&columns);
        let thickness_stretch = self.density.thickness_stretch(&metric);
        let (stress, energy) = (self.density.stress(&metric), self.density.value(&metric));
        for l in 0..group.count {
            let lane = |value: Lane| value.as_array()[l];
            let state = TriangleState {
                columns: [0, 1].map(|k| Vec3::from_array(columns[k].map(lane))),
                frame: frames[l],
                stress: stress.map(lane),
                energy: lane(energy),
                thickness,
                thickness_stretch: lane(thickness_stretch),
            };
            let unscaled = state.strained();
            let strained = Strained {
                cauchy: unscaled.cauchy * lane(group.factor),
                energy_density: unscaled.energy_density * lane(group.factor),
                ..unscaled
            };
            let volume = lane(group.area) / lane(group.factor) * thickness;
            let current_thickness = thickness * lane(group.thickness) * lane(thickness_stretch);
            for node in group.nodes[l].map(|node| node as usize) {
                out.add(node, volume, &strained);
                out.add_thickness(node, volume, current_thickness);
            }
        }
    }
}

/// A deformed triangle of unit stiffness factor.
struct TriangleState {
    /// Columns of the 3x2 deformation gradient in the rest frame.
    columns: [Vec3; 2],
    /// Axes of the rest triangle; see [`frame`].
    frame: Mat3,
    /// Second Piola stress S (N/m), entries (1, 1), (1, 2), (2, 2).
    stress: [f64; 3],
    /// psi (J/m^2).
    energy: f64,
    /// Thickness at rest (m).
    thickness: f64,
    thickness_stretch: f64,
}

impl TriangleState {
    /// Deformation gradient, Cauchy stress (Pa) and energy density (J/m^3).
    fn strained(&self) -> Strained {
        let Self { columns: [f1, f2], stress: [s11, s12, s22], thickness, .. } = *self;
        let normal = f1.cross(f2);
        let area_ratio = normal.length();
        let third_column = normal * (self.thickness_stretch / area_ratio);
        let gradient = Mat3::from_cols(f1, f2, third_column) * self.frame.transpose();
        let [a, b] = [f1 * s11 + f2 * s12, f1 * s12 + f2 * s22];
        let resultant =
            Mat3::from_cols(a, b, Vec3::ZERO) * Mat3::from_cols(f1, f2, Vec3::ZERO).transpose();
        Strained {
            gradient,
            cauchy: resultant * (1.0 / (thickness * area_ratio * self.thickness_stretch)),
            energy_density: self.energy / thickness,
        }
    }
}

/// The frames of all triangles.
pub(super) fn frames(rest: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Mat3> {
    triangles.iter().map(|&triangle| frame(rest, triangle)).collect()
}
