//! The kinetic energy of the mean velocities of a step, in contrast to that of the velocities at its end.
//!
//! The mean velocity of a step is `w = (x_n+1 - x_n) / h`. A velocity that alternates from step to step has kinetic
//! energy but causes no displacement: it is part of `v_n+1` and not of `w`. Over many steps, the excess of the energy
//! of `v` over that of `w` causes no displacement, except for vibrations that a step barely resolves: for a mode with
//! the angular frequency `f` the mean velocity has the fraction `(sin(f h / 2) / (f h / 2))^2` of the energy, which is
//! 0.91 at six steps per period.
//!
//! A body that rotates by an angle `a` in a step follows an arc, of which `w` is the chord. The energy of the
//! rotational part of `w`, determined by its angular momentum about the midpoint positions, is therefore that of the
//! arc. For a rigid rotation `w` is `2 tan(a/2)/h` times the cross product of the axis and the arm at the midpoint.

use crate::rigid::inertia::{RigidField, Shape};
use resile_math::Vec3;
use resile_math::elementary::atan2;
use resile_system::System;

/// Tangent t of half the angle below which the first term `t^2 / 3` of the series of the squared ratio of arc and chord
/// less one is used. The next term is `-7/45 t^4`: 2e-17 of the energy, below rounding, while the formula has a
/// rounding error of 2e-16.
const MAX_SERIES_TANGENT: f64 = 1e-4;

/// The kinetic energy (J) of the mean velocity of the free nodes of each body between two positions (m) that are `h`
/// seconds apart; rotations are measured along their arcs.
pub(crate) fn mean_motion_energy(system: &System, [from, to]: [&[Vec3]; 2], h: f64) -> Vec<f64> {
    let body_energy = |b| {
        let nodes = || system.nodes(b).filter(|&i| system.free()[i]);
        let masses: Vec<f64> = nodes().map(|i| system.masses()[i]).collect();
        let midpoints: Vec<Vec3> = nodes().map(|i| 0.5 * (from[i] + to[i])).collect();
        let velocity = |i: usize| system.free_part(i, (to[i] - from[i]) / h);
        arc_kinetic_energy(&masses, &midpoints, &nodes().map(velocity).collect::<Vec<_>>(), h)
    };
    (0..system.bodies().len()).map(body_energy).collect()
}

/// Kinetic energy (J) of a body whose nodes move along arcs about the `midpoints` of their chords (m), with the mean
/// velocities (m/s) along these over `h` (s).
fn arc_kinetic_energy(masses: &[f64], midpoints: &[Vec3], velocities: &[Vec3], h: f64) -> f64 {
    let node_energies = masses.iter().zip(velocities).map(|(m, v)| 0.5 * m * v.length_squared());
    let chord_energy: f64 = node_energies.sum();
    if chord_energy == 0.0 {
        return chord_energy;
    }
    let RigidField { momentum, spin, .. } =
        Shape::regularised(masses, midpoints).motion(velocities);
    let tangent = 0.5 * h * spin.length();
    let arc_energy = chord_energy + 0.5 * spin.dot(momentum) * arc_energy_excess(tangent);
    // The determinant of the inertia overflows long before the energy does.
    if arc_energy.is_finite() { arc_energy } else { chord_energy }
}

/// The squared ratio of arc and chord minus one, for the tangent of half the angle: the relative excess of the energy
/// of a rotation along the arc.
fn arc_energy_excess(tangent: f64) -> f64 {
    let squared_tangent = tangent * tangent;
    if tangent < MAX_SERIES_TANGENT {
        return squared_tangent / 3.0;
    }
    let half_angle = atan2(tangent, 1.0);
    half_angle * half_angle * (1.0 + squared_tangent) / squared_tangent - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::elementary::rotation;
    use resile_system::{Body, Held, Motion, Prescribed};

    #[test]
    fn huge_motions_have_finite_energy() {
        let place = |x: f64| Vec3::new(x * 1e80, -x * 2e80, x);
        let velocity = |x: f64| Vec3::new(1e80, x * 1e80, 0.0);
        let all = [0.0, 1.0, -2.0];
        let kinetic = arc_kinetic_energy(&[0.5; 3], &all.map(place), &all.map(velocity), 1.0);
        assert!(kinetic.is_finite() && kinetic > 1e159, "{kinetic}");
    }

    fn points() -> Vec<Vec3> {
        let point = |k: usize| {
            let t = k as f64;
            Vec3::new((1.3 * t).sin(), (0.7 * t).cos(), 0.2 * t)
        };
        (0..6).map(point).collect()
    }

    fn system(masses: Vec<f64>) -> System {
        System::new(vec![Body::new("body", masses)])
    }

    #[test]
    fn series_and_formula_agree_where_they_meet() {
        let [below, above] =
            [1.0 - 1e-9, 1.0 + 1e-9].map(|by| arc_energy_excess(by * MAX_SERIES_TANGENT));
        assert!((below - above).abs() < 1e-15, "{below}, {above}");
        assert!((below - 1e-8 / 3.0).abs() < 1e-16, "{below}");
    }

    /// A rigid motion has in any step the energy that it has in a short one.
    #[test]
    fn rigid_motion_energy_is_measured_along_the_arc() {
        let masses: Vec<f64> = (1..7).map(f64::from).collect();
        let system = system(masses.clone());
        let x = points();
        let whole: f64 = masses.iter().sum();
        let centre: Vec3 = masses.iter().zip(&x).map(|(m, x)| *m * *x).sum::<Vec3>() / whole;
        let axis = Vec3::new(0.6, 0.0, 0.8);
        let energy = |angle: f64, h: f64| {
            let turn = rotation(axis, angle);
            let drift = h * Vec3::new(0.3, -0.2, 0.5);
            let to: Vec<Vec3> = x.iter().map(|x| centre + drift + turn * (*x - centre)).collect();
            mean_motion_energy(&system, [&x, &to], h)[0]
        };
        // The same motion, followed for one second and for a hundred-thousandth of it.
        let exact = energy(2e-5, 1e-5);
        for h in [1.0, 0.5, 0.1] {
            let found = energy(2.0 * h, h);
            assert!((found / exact - 1.0).abs() < 1e-5, "{h} s: {found} J, not {exact}");
        }
    }

    #[test]
    fn alternating_motion_has_no_mean_energy_and_held_nodes_none() {
        let x = points();
        assert_eq!(mean_motion_energy(&system(vec![1.0; 6]), [&x, &x], 0.1), [0.0]);
        let mut body = Body::new("held", vec![2.0; 6]);
        let motion = Motion::Steady {
            start: 0.0,
            end: 1.0,
            velocity: Vec3::X,
            angular_velocity: Vec3::ZERO,
            pivot: Vec3::ZERO,
        };
        body.prescribed =
            vec![Prescribed { node: 0, start: x[0], motion, until: None, held: Held::All }];
        let to: Vec<Vec3> = x.iter().map(|x| *x + 0.1 * Vec3::X).collect();
        let found = mean_motion_energy(&System::new(vec![body]), [&x, &to], 0.1)[0];
        assert!((found - 5.0).abs() < 1e-12, "{found} J of five free nodes of 2 kg at 1 m/s");
    }

    /// A rod has no moment about its axis, and a single node has none about any axis.
    #[test]
    fn slender_bodies_have_finite_energy() {
        let rod: Vec<Vec3> = (0..3).map(|k| Vec3::X * f64::from(k)).collect();
        let turned: Vec<Vec3> = [-1.0, 0.0, 1.0].map(|arm| Vec3::X + arm * Vec3::Y).to_vec();
        let quarter = std::f64::consts::FRAC_PI_2;
        let found = mean_motion_energy(&system(vec![1.0; 3]), [&rod, &turned], 1.0)[0];
        assert!((found / (quarter * quarter) - 1.0).abs() < 1e-9, "{found} J");
        assert_eq!(mean_motion_energy(&system(vec![2.0]), [&[Vec3::ZERO], &[Vec3::X]], 1.0), [1.0]);
    }
}
