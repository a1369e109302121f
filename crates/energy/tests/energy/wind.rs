//! Wind on sheets and rods: derivatives, and the forces on plates and cylinders.

use crate::common::noise;
use proptest::prelude::*;
use resile_energy::{Air, Wind};
use resile_math::{Mat3, Psd, Vec3};
use resile_sparse::BlockSink;
use resile_system::check::dissipation_derivatives;
use resile_system::{Dissipation, DissipationPotential, Hessian, Laplacian};
use std::sync::Arc;

/// A square of side 2 m in the plane of x and z, in two triangles.
const SQUARE: [Vec3; 4] =
    [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0), Vec3::new(2.0, 0.0, 2.0), Vec3::new(0.0, 0.0, 2.0)];
const TRIANGLES: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

fn wind(velocity: Vec3, x: &[Vec3]) -> Arc<dyn DissipationPotential> {
    let air = Air { velocity, density: 1.2, drag: 1.5, friction: 0.1 };
    Wind::new(TRIANGLES.to_vec(), &SQUARE, air).lagged(x)
}

/// The force (N) on a sheet that moves at `v`.
fn force(wind: &dyn DissipationPotential, v: Vec3) -> Vec3 {
    let mut gradient = [Vec3::ZERO; 4];
    wind.add_gradient(0.0, &[v; 4], 1.0, &mut gradient);
    -gradient.iter().sum::<Vec3>()
}

proptest! {
    #[test]
    fn force_and_hessian_are_the_derivatives_of_the_potential(seed in 0usize..1000) {
        let vector = |i: usize| Vec3::from_array([0, 1, 2].map(|c| noise(100 * seed + 3 * i + c)));
        let x: Vec<Vec3> = (0..4).map(|i| SQUARE[i] + 0.3 * vector(i)).collect();
        let v: Vec<Vec3> = (4..8).map(vector).collect();
        let errors = dissipation_derivatives(&*wind(vector(9), &x), &v, 1e-3).expect("it is moving");
        prop_assert!(errors.gradient < 1e-6 && errors.hessian < 1e-5, "{errors:?}");
    }
}

/// A bent rod of three pieces.
const ROD: [Vec3; 4] =
    [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0), Vec3::new(3.0, 1.0, 0.0), Vec3::new(3.0, 1.0, 2.0)];

fn wind_on_rod(velocity: Vec3, x: &[Vec3]) -> Arc<dyn DissipationPotential> {
    let air = Air { velocity, density: 1.2, drag: 1.5, friction: 0.1 };
    Wind::around_rods(vec![[0, 1], [1, 2], [2, 3]], &ROD, 0.02, air).lagged(x)
}

proptest! {
    #[test]
    fn those_of_a_rod_are_the_derivatives_of_its_potential(seed in 0usize..1000) {
        let vector = |i: usize| Vec3::from_array([0, 1, 2].map(|c| noise(100 * seed + 3 * i + c)));
        let x: Vec<Vec3> = (0..4).map(|i| ROD[i] + 0.3 * vector(i)).collect();
        let v: Vec<Vec3> = (4..8).map(vector).collect();
        let wind = wind_on_rod(vector(9), &x);
        let errors = dissipation_derivatives(&*wind, &v, 1e-3).expect("it is moving");
        prop_assert!(errors.gradient < 1e-6 && errors.hessian < 1e-5, "{errors:?}");
        let d: Vec<Vec3> = (10..14).map(vector).collect();
        let (mut form, mut bound) = (Form(&d, 0.0), Form(&d, 0.0));
        let at_rest = wind_on_rod(vector(9), &ROD);
        at_rest.add_hessian(0.0, &v, Psd::Clamp, &mut Hessian::new(&mut form, 0, 1.0));
        at_rest.add_laplacian(0.0, &v, &mut Laplacian::new(&mut bound, 0, 1.0));
        prop_assert!(0.0 < form.1 && form.1 <= bound.1, "{} of {}", form.1, bound.1);
    }
}

/// A cylinder of 2 m and 2 cm: across the stream its drag, along it the friction of half its surface, and at an
/// angle the drag of the part across alone (the cross-flow principle).
#[test]
fn a_cylinder_bears_the_stream_across_it_and_friction_along_it() {
    let air = Air { velocity: Vec3::ZERO, density: 1.2, drag: 1.5, friction: 0.1 };
    let wind = Wind::around_rods(vec![[0, 1]], &ROD[..2], 0.02, air).lagged(&ROD[..2]);
    let force = |v: Vec3| {
        let mut gradient = [Vec3::ZERO; 2];
        wind.add_gradient(0.0, &[v; 2], 1.0, &mut gradient);
        assert_eq!(gradient[0], gradient[1]);
        -gradient.iter().sum::<Vec3>()
    };
    let across = 0.5 * 1.2 * 1.5 * (2.0 * 0.02) * 9.0;
    let along = 0.5 * 1.2 * 0.1 * (0.5 * std::f64::consts::PI * 0.02 * 2.0) * 16.0;
    assert!((force(Vec3::Z * -3.0) - Vec3::Z * across).length() < 1e-14);
    assert!((force(Vec3::X * 4.0) + Vec3::X * along).length() < 1e-14);
    let both = force(Vec3::new(4.0, 0.0, -3.0));
    assert!((both - Vec3::new(-along, 0.0, across)).length() < 1e-14, "{both}");
}

#[test]
fn a_plate_across_the_wind_bears_its_pressure_and_one_along_it_its_friction() {
    let still = wind(Vec3::ZERO, &SQUARE);
    let across = force(&*still, Vec3::new(0.0, -3.0, 0.0));
    assert!((across - Vec3::Y * (0.5 * 1.2 * 4.0 * 1.5 * 9.0)).length() < 1e-12, "{across}");
    let along = force(&*still, Vec3::new(3.0, 0.0, 0.0));
    assert!((along + Vec3::X * (0.5 * 1.2 * 4.0 * 0.1 * 9.0)).length() < 1e-12, "{along}");
}

#[test]
fn drag_depends_only_on_the_velocity_relative_to_the_air() {
    let (air, sheet) = (Vec3::new(1.0, 2.0, -0.5), Vec3::new(0.3, -1.0, 4.0));
    let [still, blown] = [Vec3::ZERO, air].map(|velocity| wind(velocity, &SQUARE));
    let apart = force(&*still, sheet) - force(&*blown, sheet + air);
    assert!(apart.length() < 1e-12 * force(&*still, sheet).length());
    assert_eq!(force(&*blown, air), Vec3::ZERO);
}

/// A plate at the angle a to the stream: lift is `cot a` times drag where there is no friction.
#[test]
fn a_plate_at_an_angle_is_lifted() {
    let air = Air { velocity: Vec3::ZERO, density: 1.2, drag: 1.5, friction: 0.0 };
    let wind = Wind::new(TRIANGLES.to_vec(), &SQUARE, air).lagged(&SQUARE);
    // Three in the plane of the plate, one through it: sin a = 1 / sqrt(10).
    let v = Vec3::new(3.0, -1.0, 0.0);
    let force = force(&*wind, v);
    let drag = -force.dot(v.normalize());
    let lift = (force + drag * v.normalize()).length();
    assert!((lift / drag - 3.0).abs() < 1e-12, "{lift} for {drag}");
}

/// `d . H d` of blocks pushed, once for each pair of nodes.
struct Form<'a>(&'a [Vec3], f64);

impl BlockSink for Form<'_> {
    fn add(&mut self, i: usize, j: usize, block: Mat3) {
        let pair = if i == j { 1.0 } else { 2.0 };
        self.1 += pair * self.0[i].dot(block * self.0[j]);
    }
}

impl BlockSink<f64> for Form<'_> {
    fn add(&mut self, i: usize, j: usize, weight: f64) {
        BlockSink::<Mat3>::add(self, i, j, Mat3::from_diagonal(Vec3::splat(weight)));
    }
}

proptest! {
    #[test]
    fn one_matrix_bounds_the_hessians_of_all_streams_that_are_hardly_faster(seed in 0usize..1000) {
        let vector = |i: usize| Vec3::from_array([0, 1, 2].map(|c| noise(100 * seed + 3 * i + c)));
        let [v, d]: [Vec<Vec3>; 2] = [0, 4].map(|from| (from..from + 4).map(vector).collect());
        let wind = wind(vector(9), &SQUARE);
        let bound = |v: &[Vec3]| {
            let mut form = Form(&d, 0.0);
            wind.add_laplacian(0.0, v, &mut Laplacian::new(&mut form, 0, 1.0));
            form.1
        };
        let mut form = Form(&d, 0.0);
        wind.add_hessian(0.0, &v, Psd::Clamp, &mut Hessian::new(&mut form, 0, 1.0));
        prop_assert!(0.0 < form.1 && form.1 <= bound(&v), "{} of {}", form.1, bound(&v));
        let nearby: Vec<Vec3> = v.iter().map(|v| *v + Vec3::splat(1e-3)).collect();
        let ratio = bound(&nearby) / bound(&v);
        prop_assert!([0.5, 1.0, 2.0].contains(&ratio), "{ratio}");
    }
}
