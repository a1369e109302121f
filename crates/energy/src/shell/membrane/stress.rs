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
    /// Adds the stress of the triangles of a group, with these frames, to their nodes.
    pub(super) fn add_group_stress(
        &self,
        (group, frames): (&TriangleGroup, &[Mat3]),
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
            let [f1, f2] = [0, 1].map(|k| Vec3::from_array(columns[k].map(lane)));
            let strained = triangle_stress(
                [f1, f2],
                frames[l],
                stress.map(lane),
                (thickness, lane(thickness_stretch)),
                lane(energy),
            );
            let strained = Strained {
                cauchy: strained.cauchy * lane(group.factor),
                energy_density: strained.energy_density * lane(group.factor),
                ..strained
            };
            for node in group.nodes[l].map(|node| node as usize) {
                let volume = lane(group.area) / lane(group.factor) * thickness;
                out.add(node, volume, &strained);
                out.add_thickness(
                    node,
                    volume,
                    thickness * lane(group.thickness) * lane(thickness_stretch),
                );
            }
        }
    }
}

/// Deformation gradient, Cauchy stress (Pa) and energy density (J/m^3) of a triangle, from the columns `f` of its 3x2
/// deformation gradient, its rest frame, S (N/m), the rest thickness (m) with its stretch, and psi (J/m^2).
fn triangle_stress(
    f: [Vec3; 2],
    frame: Mat3,
    [s11, s12, s22]: [f64; 3],
    (thickness, stretch): (f64, f64),
    energy: f64,
) -> Strained {
    let normal = f[0].cross(f[1]);
    let area_ratio = normal.length();
    let third_column = normal * (stretch / area_ratio);
    let gradient = Mat3::from_cols(f[0], f[1], third_column) * frame.transpose();
    let [a, b] = [f[0] * s11 + f[1] * s12, f[0] * s12 + f[1] * s22];
    let resultant =
        Mat3::from_cols(a, b, Vec3::ZERO) * Mat3::from_cols(f[0], f[1], Vec3::ZERO).transpose();
    Strained {
        gradient,
        cauchy: resultant * (1.0 / (thickness * area_ratio * stretch)),
        energy_density: energy / thickness,
    }
}

/// The frames of all triangles.
pub(super) fn frames(rest: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Mat3> {
    triangles.iter().map(|&triangle| frame(rest, triangle)).collect()
}
