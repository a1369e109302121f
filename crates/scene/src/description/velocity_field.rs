//! Initial velocities as functions of position.

use super::{Axis, Formula};
use resile_math::Vec3;
use resile_math::elementary;
use serde::{Deserialize, Serialize};

/// An initial velocity as a function of the position of a node after placement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum VelocityField {
    /// Zero on one side of a plane, proportional to the distance on the other.
    Ramp {
        /// A point of the plane (m).
        point: [f64; 3],
        /// Its normal, towards the moving side, of any length.
        normal: [f64; 3],
        /// Velocity per distance from the plane (1/s).
        velocity: [f64; 3],
    },
    /// A mode of a round membrane, `amplitude J_m(j_mn r/R) cos(m phi)` across it; zero
    /// outside the radius. The phase is zero in the direction of x, or of y if the membrane
    /// lies across x.
    DrumMode {
        /// Nodal diameters m.
        diameters: u32,
        /// Nodal circles n, the edge included; at least 1.
        circles: u32,
        /// Largest velocity (m/s).
        amplitude: f64,
        /// Centre of the membrane (m).
        center: [f64; 3],
        /// Normal of the membrane.
        axis: Axis,
        /// Radius of the membrane (m).
        radius: f64,
    },
    /// A function of the position at rest (m/s).
    Expression([Formula; 3]),
}

impl VelocityField {
    /// The velocities (m/s) of nodes at `points` (m). They are zero for an expression, which is evaluated elsewhere, at
    /// the positions at rest.
    pub fn at(&self, points: &[Vec3]) -> Vec<Vec3> {
        match *self {
            Self::Expression(_) => vec![Vec3::ZERO; points.len()],
            Self::Ramp { point: origin, normal, velocity } => {
                let normal = Vec3::from_array(normal).normalize_or_zero();
                let depth = |p: &Vec3| (*p - Vec3::from_array(origin)).dot(normal).max(0.0);
                points.iter().map(|p| depth(p) * Vec3::from_array(velocity)).collect()
            }
            Self::DrumMode { diameters, circles, amplitude, center, axis, radius } => {
                let m = diameters as i32;
                let (zero, peak) = (bessel_zero(m, circles), bessel_peak(m));
                let normal = axis.vector();
                let zero_direction = if axis == Axis::X { Vec3::Y } else { Vec3::X };
                let quarter_direction = normal.cross(zero_direction);
                let velocity = |p: &Vec3| {
                    let arm = *p - Vec3::from_array(center);
                    let in_plane = arm - arm.dot(normal) * normal;
                    let angle = elementary::atan2(
                        in_plane.dot(quarter_direction),
                        in_plane.dot(zero_direction),
                    );
                    let relative_radius = in_plane.length() / radius;
                    if relative_radius > 1.0 {
                        return Vec3::ZERO;
                    }
                    let mode = libm::jn(m, zero * relative_radius) / peak;
                    amplitude * mode * elementary::cos(f64::from(diameters) * angle) * normal
                };
                points.iter().map(velocity).collect()
            }
        }
    }
}

/// Step of the search for sign changes, far below the distance of two zeros of a Bessel function, which is above 2.
const SEARCH_STEP: f64 = 0.01;

/// The n-th positive zero of `J_m`, by bisection.
fn bessel_zero(m: i32, n: u32) -> f64 {
    let (mut count, mut x) = (0, SEARCH_STEP);
    loop {
        let (mut low, mut high) = (x, x + SEARCH_STEP);
        let sign = libm::jn(m, low).is_sign_negative();
        if libm::jn(m, high).is_sign_negative() != sign {
            count += 1;
            if count == n {
                while high - low > f64::EPSILON * high {
                    let middle = 0.5 * (low + high);
                    match libm::jn(m, middle).is_sign_negative() == sign {
                        true => low = middle,
                        false => high = middle,
                    }
                }
                return 0.5 * (low + high);
            }
        }
        x += SEARCH_STEP;
    }
}

/// The largest value of `J_m` on the positive axis: its first peak.
fn bessel_peak(m: i32) -> f64 {
    let values = (0..).map(|k| libm::jn(m, SEARCH_STEP * f64::from(k)));
    let mut maximum = f64::NEG_INFINITY;
    for value in values {
        if value < maximum {
            break;
        }
        maximum = value;
    }
    maximum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bessel_zeros_equal_tabulated_values() {
        // Abramowitz and Stegun, table 9.5.
        for (m, n, zero) in
            [(0, 1, 2.404_825_557_7), (2, 1, 5.135_622_301_8), (1, 2, 7.015_586_669_8)]
        {
            assert!((bessel_zero(m, n) - zero).abs() < 1e-9);
        }
    }

    #[test]
    fn drum_mode_vanishes_at_the_edge_and_alternates_in_sign_by_quadrant() {
        let field = VelocityField::DrumMode {
            diameters: 2,
            circles: 1,
            amplitude: 3.0,
            center: [1.0, 0.0, 0.0],
            axis: Axis::Y,
            radius: 0.5,
        };
        let at = |x: f64, z: f64| field.at(&[Vec3::new(1.0 + x, 0.0, z)])[0].y;
        assert!(at(0.5, 0.0).abs() < 1e-9 && at(0.0, 0.7) == 0.0);
        assert!(at(0.3, 0.0) > 0.0 && at(0.0, 0.3) < 0.0 && at(0.2, 0.2).abs() < 1e-12);
        let most = (0..500).map(|k| at(1e-3 * f64::from(k), 0.0)).fold(0.0, f64::max);
        assert!((most - 3.0).abs() < 1e-3, "{most}");
    }
}
