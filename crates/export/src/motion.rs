//! Classification of a part's motion: fixed, rigid, affine, or deforming.

use crate::excerpt::Track;
use resile_math::{Mat3, Vec3, outer, polar};

/// Tolerance of fitted positions, relative to the largest coordinate: the rounding to single precision.
const ROUNDING: f64 = 1e-6;
/// Smallest determinant (volume ratio) of an affine map; maps that nearly flatten or mirror a body are not written.
const MIN_DETERMINANT: f64 = 1e-3;

/// Motion of a part over all samples.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Motion {
    /// All samples are equal.
    Fixed,
    /// One map per sample, relative to the first sample.
    Maps(Vec<Map>),
    /// No such map reproduces the positions within the tolerance.
    Deforming,
}

/// An affine map `x = linear (X - pivot) + center` from positions X in the first sample to positions x in this sample.
/// The pivot is the mean of X over the vertices, and the centre is the mean of x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Map {
    pub(crate) linear: Mat3,
    pub(crate) center: Vec3,
}

impl Motion {
    /// Classifies by rigid maps. The tolerance is `relative_tolerance` times the extent of the part, plus rounding.
    pub(crate) fn rigid(track: &Track, relative_tolerance: f64) -> Self {
        let tolerance = relative_tolerance * extent(&track.positions[0]);
        Self::fitted(track, |cross, _| Some(polar::fitted_rotation(&cross)), tolerance)
    }

    /// Classifies by rigid or affine maps, with the tolerance of rounding.
    pub(crate) fn affine(track: &Track) -> Self {
        let rigid = Self::rigid(track, 0.0);
        if rigid != Self::Deforming {
            return rigid;
        }
        Self::fitted(track, affine_map, 0.0)
    }

    /// Classifies by the linear maps that `fit` computes from the second moments `sum x X^T` and `sum X X^T` about the
    /// centres. `tolerance` bounds the distance between mapped and sampled positions, in addition to rounding.
    fn fitted(track: &Track, fit: impl Fn(Mat3, Mat3) -> Option<Mat3>, tolerance: f64) -> Self {
        let first = &track.positions[0];
        if track.positions.iter().all(|sample| sample == first) {
            return Self::Fixed;
        }
        let (pivot, first_moments) = (center(first), second_moments(first, first));
        let mut maps = Vec::with_capacity(track.positions.len());
        for sample in &track.positions {
            let center = center(sample);
            let max_coordinate = max_coordinate(sample).max(max_coordinate(first));
            let cross_moments = second_moments(sample, first);
            let Some(linear) = fit(cross_moments, first_moments) else { return Self::Deforming };
            let distance = |(x, first_x): (&[f32; 3], &[f32; 3])| {
                (linear * (to_vec3(first_x) - pivot) + center - to_vec3(x)).length()
            };
            let max_distance = sample.iter().zip(first).map(distance).fold(0.0, f64::max);
            // The comparison is false for NaN, so such a part counts as deforming.
            if max_distance <= tolerance + ROUNDING * max_coordinate {
                maps.push(Map { linear, center });
            } else {
                return Self::Deforming;
            }
        }
        Self::Maps(maps)
    }
}

/// Mean of points; zero if there are none.
pub(crate) fn center(points: &[[f32; 3]]) -> Vec3 {
    points.iter().map(to_vec3).sum::<Vec3>() / points.len().max(1) as f64
}

/// Linear part of the least-squares affine map, from `sum x X^T` and `sum X X^T` about the centres. `None` for nearly
/// planar bodies, whose moments are singular, and for maps that nearly flatten or mirror the body.
fn affine_map(cross_moments: Mat3, first_moments: Mat3) -> Option<Mat3> {
    let trace = first_moments.x_axis.x + first_moments.y_axis.y + first_moments.z_axis.z;
    let is_invertible = first_moments.determinant() > 1e-9 * trace.powi(3);
    let linear = is_invertible.then(|| cross_moments * first_moments.inverse())?;
    (linear.determinant() > MIN_DETERMINANT).then_some(linear)
}

/// Second moments `sum (x - c) (X - C)^T` of points x and their first positions X about the centres c and C.
fn second_moments(points: &[[f32; 3]], first: &[[f32; 3]]) -> Mat3 {
    let (center_now, center_first) = (center(points), center(first));
    points.iter().zip(first).fold(Mat3::ZERO, |sum, (x, first_x)| {
        sum + outer(to_vec3(x) - center_now, to_vec3(first_x) - center_first)
    })
}

/// Longest side of the bounding box of points.
fn extent(points: &[[f32; 3]]) -> f64 {
    let side_length = |k: usize| {
        let min = points.iter().map(|p| f64::from(p[k])).fold(f64::INFINITY, f64::min);
        points.iter().map(|p| f64::from(p[k])).fold(f64::NEG_INFINITY, f64::max) - min
    };
    (0..3).map(side_length).fold(0.0, f64::max)
}

/// Largest absolute value of a coordinate.
fn max_coordinate(points: &[[f32; 3]]) -> f64 {
    points.as_flattened().iter().fold(0.0, |max, x| f64::from(x.abs()).max(max))
}

/// Converts a point or vector of a frame to double precision.
pub(crate) fn to_vec3(p: &[f32; 3]) -> Vec3 {
    Vec3::from_array(p.map(f64::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [[f32; 3]; 5] =
        [[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [1.0, 4.0, 3.0], [1.0, 2.0, 3.5], [0.5, 1.0, 4.0]];

    /// A track whose last sample is the image of the points under a map.
    fn track(points: &[[f32; 3]], linear: Mat3) -> Track {
        let image = |p: &[f32; 3]| linear * to_vec3(p) + Vec3::new(5.0, -2.0, 1.0);
        let moved = points.iter().map(|p| image(p).to_array().map(|x| x as f32)).collect();
        Track { positions: vec![points.to_vec(), moved], velocities: Vec::new() }
    }

    #[test]
    fn rigid_motion_is_recognised_also_for_planar_and_collinear_bodies() {
        for angle in [1e-4, 0.7, 2.0, 3.1, std::f64::consts::PI - 1e-7] {
            for axis in [Vec3::X, Vec3::Z, Vec3::new(0.6, -0.8, 0.0)] {
                let turn = Mat3::from_axis_angle(axis, angle);
                for count in 2..=5 {
                    let Motion::Maps(maps) = Motion::rigid(&track(&POINTS[..count], turn), 0.0)
                    else {
                        panic!("{count} points turned by {angle} about {axis} move as one");
                    };
                    assert_eq!(maps[0].center, center(&POINTS[..count]));
                    let off = maps[1].linear - turn;
                    let off = off.to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                    assert!(count < 3 || off < 1e-5, "{count} points: {off}");
                }
            }
        }
        let mirror = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0));
        assert_eq!(Motion::rigid(&track(&POINTS, mirror), 1e-3), Motion::Deforming);
    }

    #[test]
    fn stretched_bodies_are_classified_affine_and_bent_bodies_deformable() {
        let shear = Mat3::from_cols(Vec3::X, Vec3::new(0.01, 1.1, 0.0), Vec3::Z);
        let stretched = track(&POINTS, shear);
        assert_eq!(Motion::rigid(&stretched, 1e-3), Motion::Deforming);
        assert!(matches!(Motion::rigid(&stretched, 0.5), Motion::Maps(_)));
        let Motion::Maps(maps) = Motion::affine(&stretched) else { panic!("it is affine") };
        assert!((maps[1].linear - shear).to_cols_array().iter().all(|x| x.abs() < 1e-5));
        let mut bent = stretched;
        bent.positions[1][2][0] += 1e-3;
        assert_eq!(Motion::affine(&bent), Motion::Deforming);
        let still = Track { positions: vec![POINTS.to_vec(); 3], velocities: Vec::new() };
        assert_eq!(Motion::affine(&still), Motion::Fixed);
    }
}
