//! Classification of a part's motion: fixed, rigid, affine, or deforming.

use crate::excerpt::Track;
use resile_math::{Mat3, Vec3, outer, polar};

/// Tolerance of a map, relative to the largest coordinate: rounding to single precision.
const ROUNDING: f64 = 1e-6;
/// Smallest determinant of an affine map for a body with a volume.
const MIN_DETERMINANT: f64 = 1e-3;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Motion {
    /// Fixed.
    Stands,
    /// One map per sample, relative to the first sample.
    Maps(Vec<Map>),
    /// Deforming: vertices move individually.
    Deforms,
}

/// An affine map `x = linear (X - pivot) + center`. The pivot is the mean of the vertices in the first sample,
/// and the centre is that in this sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Map {
    pub(crate) linear: Mat3,
    pub(crate) center: Vec3,
}

impl Motion {
    /// Classifies by rigid maps, with a tolerance of `part` times the body's size plus rounding.
    pub(crate) fn rigid(track: &Track, part: f64) -> Self {
        let size = extent(&track.positions[0]);
        Self::fitted(track, |moved, _| Some(polar::fitted_rotation(&moved)), part * size)
    }

    /// Classifies by rigid or affine maps, with the tolerance of rounding.
    pub(crate) fn affine(track: &Track) -> Self {
        let rigid = Self::rigid(track, 0.0);
        if rigid != Self::Deforms {
            return rigid;
        }
        Self::fitted(track, affine_map, 0.0)
    }

    /// Classifies by the maps that `fit` computes from `sum x X^T` and `sum X X^T` about the centres.
    fn fitted(track: &Track, fit: impl Fn(Mat3, Mat3) -> Option<Mat3>, tolerance: f64) -> Self {
        let first = &track.positions[0];
        if track.positions.iter().all(|sample| sample == first) {
            return Self::Stands;
        }
        let (pivot, spread) = (center(first), moments(first, first));
        let mut maps = Vec::with_capacity(track.positions.len());
        for sample in &track.positions {
            let (center, far) = (center(sample), largest(sample).max(largest(first)));
            let Some(linear) = fit(moments(sample, first), spread) else { return Self::Deforms };
            let miss = |(x, from): (&[f32; 3], &[f32; 3])| {
                (linear * (double(from) - pivot) + center - double(x)).length()
            };
            let worst = sample.iter().zip(first).map(miss).fold(0.0, f64::max);
            // A comparison with NaN is false.
            if worst <= tolerance + ROUNDING * far {
                maps.push(Map { linear, center });
            } else {
                return Self::Deforms;
            }
        }
        Self::Maps(maps)
    }
}

/// Mean of points.
pub(crate) fn center(points: &[[f32; 3]]) -> Vec3 {
    points.iter().map(double).sum::<Vec3>() / points.len().max(1) as f64
}

/// Least-squares affine map; `None` for planar bodies.
fn affine_map(moved: Mat3, spread: Mat3) -> Option<Mat3> {
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    let solid = spread.determinant() > 1e-9 * trace.powi(3);
    let linear = solid.then(|| moved * spread.inverse())?;
    (linear.determinant() > MIN_DETERMINANT).then_some(linear)
}

fn moments(points: &[[f32; 3]], first: &[[f32; 3]]) -> Mat3 {
    let (to, from) = (center(points), center(first));
    let pairs = points.iter().zip(first);
    pairs.fold(Mat3::ZERO, |sum, (x, y)| sum + outer(double(x) - to, double(y) - from))
}

/// Longest side of the bounding box of points.
fn extent(points: &[[f32; 3]]) -> f64 {
    let side = |k: usize| {
        let min = points.iter().map(|p| f64::from(p[k])).fold(f64::INFINITY, f64::min);
        points.iter().map(|p| f64::from(p[k])).fold(f64::NEG_INFINITY, f64::max) - min
    };
    (0..3).map(side).fold(0.0, f64::max)
}

fn largest(points: &[[f32; 3]]) -> f64 {
    points.as_flattened().iter().fold(0.0, |max, x| f64::from(x.abs()).max(max))
}

pub(crate) fn double(p: &[f32; 3]) -> Vec3 {
    Vec3::from_array(p.map(f64::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [[f32; 3]; 5] =
        [[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [1.0, 4.0, 3.0], [1.0, 2.0, 3.5], [0.5, 1.0, 4.0]];

    /// A track whose last sample is the image of the points under a map.
    fn track(points: &[[f32; 3]], linear: Mat3) -> Track {
        let image = |p: &[f32; 3]| linear * double(p) + Vec3::new(5.0, -2.0, 1.0);
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
        assert_eq!(Motion::rigid(&track(&POINTS, mirror), 1e-3), Motion::Deforms);
    }

    #[test]
    fn stretched_bodies_are_classified_affine_and_bent_bodies_deformable() {
        let shear = Mat3::from_cols(Vec3::X, Vec3::new(0.01, 1.1, 0.0), Vec3::Z);
        let stretched = track(&POINTS, shear);
        assert_eq!(Motion::rigid(&stretched, 1e-3), Motion::Deforms);
        assert!(matches!(Motion::rigid(&stretched, 0.5), Motion::Maps(_)));
        let Motion::Maps(maps) = Motion::affine(&stretched) else { panic!("it is affine") };
        assert!((maps[1].linear - shear).to_cols_array().iter().all(|x| x.abs() < 1e-5));
        let mut bent = stretched;
        bent.positions[1][2][0] += 1e-3;
        assert_eq!(Motion::affine(&bent), Motion::Deforms);
        let still = Track { positions: vec![POINTS.to_vec(); 3], velocities: Vec::new() };
        assert_eq!(Motion::affine(&still), Motion::Stands);
    }
}
