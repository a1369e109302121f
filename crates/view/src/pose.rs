//! Least-squares affine motion of a body since the first frame.

use resile_math::{Mat3, Vec3, outer};

/// An affine map `x = A X + t` (m): the 3 x 4 matrix `[A t]`, row by row.
pub(crate) type Pose = [f32; 12];

/// Least-squares affine map from the vertices of the first frame to those of another. It is exact for rigid and
/// affine bodies; the remainder of others is small and changes slowly.
///
/// With `X` and `x` relative to their centres, `A = (sum x X^T) (sum X X^T)^-1`. For planar and collinear
/// bodies, normal directions map to zero, which affects no vertex.
pub(crate) fn fitted_pose(reference: &[[f32; 3]], positions: &[[f32; 3]]) -> Pose {
    let [reference_center, center] = [reference, positions].map(center);
    let [mut cross_moments, mut reference_moments] = [Mat3::ZERO; 2];
    for (reference_point, point) in reference.iter().zip(positions) {
        let from_reference_center = to_vec3(reference_point) - reference_center;
        cross_moments += outer(to_vec3(point) - center, from_reference_center);
        reference_moments += outer(from_reference_center, from_reference_center);
    }
    let trace =
        reference_moments.x_axis.x + reference_moments.y_axis.y + reference_moments.z_axis.z;
    let linear = match trace > 0.0 {
        // The regularisation makes the matrix of a flat body invertible.
        true => {
            let regularisation = Mat3::from_diagonal(Vec3::splat(1e-12 * trace));
            cross_moments * (reference_moments + regularisation).inverse()
        }
        false => Mat3::ZERO,
    };
    let translation = center - linear * reference_center;
    let mut pose = [0.0; 12];
    for (k, pose_row) in pose.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let row = linear.row(k);
        *pose_row = [row.x, row.y, row.z, translation[k]].map(|x| x as f32);
    }
    pose
}

/// Position (m) under a pose of the vertex with this position in the first frame, as the page computes it: in double
/// precision from single-precision numbers.
pub(crate) fn posed_point(pose: &Pose, reference: &[f32; 3]) -> Vec3 {
    let [x, y, z] = reference.map(f64::from);
    let row = |k: usize| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|column| f64::from(pose[4 * k + column]));
        a * x + b * y + c * z + d
    };
    Vec3::new(row(0), row(1), row(2))
}

/// Converts a point or vector of a frame to double precision.
pub(crate) fn to_vec3(p: &[f32; 3]) -> Vec3 {
    Vec3::from_array(p.map(f64::from))
}

/// Mean of points; zero if there are none.
fn center(points: &[[f32; 3]]) -> Vec3 {
    points.iter().map(to_vec3).sum::<Vec3>() / points.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest error of the fit for the images of points under an affine map.
    fn fit_error(points: &[[f32; 3]]) -> f64 {
        let linear = Mat3::from_cols(
            Vec3::new(0.0, 1.0, 0.2),
            Vec3::new(-1.0, 0.0, 0.0),
            Vec3::new(0.0, 0.3, 1.0),
        );
        let image = |p: &[f32; 3]| linear * to_vec3(p) + Vec3::new(5.0, -2.0, 1.0);
        let moved: Vec<_> = points.iter().map(|p| image(p).to_array().map(|x| x as f32)).collect();
        let pose = fitted_pose(points, &moved);
        points.iter().map(|p| (posed_point(&pose, p) - image(p)).length()).fold(0.0, f64::max)
    }

    #[test]
    fn rigid_motion_is_matched_also_for_planar_and_collinear_bodies() {
        let solid = [[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [1.0, 4.0, 3.0], [1.0, 2.0, 3.5]];
        for points in [&solid[..], &solid[..3], &solid[..2], &solid[..1]] {
            assert!(fit_error(points) < 3e-6, "{} points: {}", points.len(), fit_error(points));
        }
    }
}
