//! Von Mises' flow: what elements owe to its theory, step by step.

use crate::common::*;
use proptest::prelude::*;
use resile_energy::{
    ElastoPlastic, Material, QuadraticTetElasticity, TetElasticity, VonMises, VonMisesError,
};
use resile_math::{Mat3, Vec3};
use resile_mesh::TetMesh;
use resile_system::NodalStress;
use resile_system::check::energy_derivatives;

/// Pa.
const YIELD: f64 = 0.03;

fn plastic(hardening: f64) -> Material {
    let flow = VonMises::new(YIELD, hardening).expect("parameters in range");
    Material::ElastoPlastic(ElastoPlastic { lame: lame(), flow })
}

/// The same box of linear and of quadratic elements, with its rest positions.
fn bodies(material: Material) -> Vec<(Evolving, Vec<Vec3>)> {
    let (positions, tets) = grid(2, 1, 1);
    let quadratic = TetMesh { positions: positions.clone(), tets: tets.clone() }.quadratic();
    let linear = TetElasticity::new(&positions, &tets, material).expect("it is a mesh");
    let other = QuadraticTetElasticity::new(&quadratic.positions, &quadratic.elements, material);
    vec![
        (Evolving::new(linear), positions),
        (Evolving::new(other.expect("it is a mesh")), quadratic.positions),
    ]
}

/// `F_p^-1` of each point, and its plastic strain.
fn points(term: &Evolving) -> Vec<(Mat3, f64)> {
    let of = |own: &[f64]| (Mat3::from_cols_slice(&own[..9]), own[9]);
    term.variables().chunks_exact(10).map(of).collect()
}

fn far(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Extends a bar to the logarithmic strains `to` in so many steps from `from`, at constant volume, and says
/// by how much its axial Kirchhoff stress (Pa) exceeds the lateral one.
fn pull(term: &mut Evolving, rest: &[Vec3], [from, to]: [f64; 2], steps: usize) -> f64 {
    let mut x = rest.to_vec();
    for k in 1..=steps {
        let strain = from + (to - from) * k as f64 / steps as f64;
        let side = (-0.5 * strain).exp();
        x = deformed(rest, Mat3::from_diagonal(Vec3::new(strain.exp(), side, side)), 0.0);
        term.flow(0.0, &x);
    }
    let mut stress = NodalStress::new(x.len());
    term.add_stress(&x, &mut stress);
    let cauchy = stress.cauchy(0).expect("elements are around it");
    cauchy.x_axis.x - cauchy.y_axis.y
}

/// A tension test at constant volume: along `3 mu` to the yield stress, then with the slope
/// `3 mu H / (3 mu + H)`, back along `3 mu`, and again where it left the curve; in as many steps as one likes.
#[test]
fn the_curve_of_a_tension_test_is_that_of_theory() {
    let three_mu = 3.0 * lame().mu();
    for (hardening, steps) in [(0.0, 1), (0.0, 13), (0.4, 1), (0.4, 7), (2.0, 50)] {
        let yields = YIELD / three_mu;
        let slope = three_mu * hardening / (three_mu + hardening);
        let curve = |strain: f64| YIELD + slope * (strain - yields);
        for (mut term, rest) in bodies(plastic(hardening)) {
            let mut at = |way: [f64; 2]| pull(&mut term, &rest, way, steps);
            let near = |found: f64, expected: f64| {
                assert!(
                    (found - expected).abs() < 1e-12,
                    "H = {hardening}: {found} for {expected}"
                );
            };
            near(at([0.0, 0.9 * yields]), 0.9 * YIELD);
            near(at([0.9 * yields, 20.0 * yields]), curve(20.0 * yields));
            let top = curve(20.0 * yields);
            near(at([20.0 * yields, 19.0 * yields]), top - YIELD);
            near(at([19.0 * yields, 20.0 * yields]), top);
            near(at([20.0 * yields, 30.0 * yields]), curve(30.0 * yields));
            let strain = points(&term)[3].1;
            let expected = 30.0 * yields - curve(30.0 * yields) / three_mu;
            assert!((strain - expected).abs() < 1e-13, "plastic strain {strain} for {expected}");
            let mut stress = NodalStress::new(rest.len());
            term.add_stress(&rest, &mut stress);
            let told = stress.plastic_strain(1).expect("elements are around it");
            assert!((told - expected).abs() < 1e-13, "{told} for {expected}");
        }
    }
}

/// Sheared as far as one likes: the stress is that of pure shear at the limit, `sigma_y / sqrt 3`, and does not
/// oscillate.
#[test]
fn shear_without_end_meets_the_yield_stress_of_shear() {
    for (mut term, rest) in bodies(plastic(0.0)) {
        let mut last = 0.0;
        for k in 1..=400 {
            let shear = Mat3::from_cols(Vec3::X, Vec3::new(0.02 * f64::from(k), 1.0, 0.0), Vec3::Z);
            let x = deformed(&rest, shear, 0.0);
            term.flow(0.0, &x);
            let mut stress = NodalStress::new(x.len());
            term.add_stress(&x, &mut stress);
            let von_mises = stress.von_mises(0).expect("elements are around it");
            let shear = stress.cauchy(0).expect("elements are around it").y_axis.x;
            if k > 1 {
                assert!((von_mises - YIELD).abs() < 1e-12, "{von_mises} Pa at step {k}");
                let limit = YIELD / 3f64.sqrt();
                assert!((shear / limit - 1.0).abs() < 1e-2, "{shear} Pa for {limit}");
            }
            if k > 10 {
                assert!((shear / last - 1.0).abs() < 1e-4, "{shear} Pa after {last} at step {k}");
            }
            last = shear;
        }
        let expected = 8.0 / 3f64.sqrt();
        let strain = points(&term)[0].1;
        assert!((strain / expected - 1.0).abs() < 1e-2, "plastic strain {strain} for {expected}");
    }
}

/// With all the turning one likes on the way.
#[test]
fn plastic_flow_is_frame_indifferent() {
    let turn = |k: usize| Mat3::from_rotation_x(0.9 * k as f64) * Mat3::from_rotation_z(1.7);
    for ((mut one, rest), (mut other, _)) in
        bodies(plastic(0.1)).into_iter().zip(bodies(plastic(0.1)))
    {
        for k in 1..6 {
            let shear = Mat3::from_cols(Vec3::X, Vec3::new(0.1 * k as f64, 1.0, 0.0), Vec3::Z);
            let x = deformed(&rest, shear, 0.02);
            let turned: Vec<Vec3> = x.iter().map(|x| turn(k) * *x + Vec3::ONE).collect();
            let (here, there) = (one.flow(0.0, &x).plastic, other.flow(0.0, &turned).plastic);
            assert!(here > 0.0 && (here - there).abs() < 1e-13, "{here} J, {there} J");
        }
        for (a, b) in points(&one).iter().zip(points(&other)) {
            assert!(a.0.abs_diff_eq(b.0, 1e-12) && (a.1 - b.1).abs() < 1e-13);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The potential falls by what the flow takes, never rises; force stays; a second flow takes nothing; volume
    /// is kept.
    #[test]
    fn flow_takes_energy_and_leaves_force(f in gradients(), hardening in 0.0f64..3.0, size in 0.0f64..0.05) {
        for (mut term, rest) in bodies(plastic(hardening)) {
            let mut taken = 0.0;
            for (k, f) in [f, Mat3::IDENTITY, f * f.transpose() * 0.5].into_iter().enumerate() {
                let x = deformed(&rest, f, size);
                prop_assume!(term.value(0.0, &x).is_finite());
                let (value, force) = (term.value(0.0, &x), gradient(&*term, &x));
                let heat = term.flow(0.0, &x).plastic;
                let (after, same) = (term.value(0.0, &x), gradient(&*term, &x));
                prop_assert!(heat >= 0.0);
                prop_assert!((value - after - heat).abs() < 1e-12 * (1.0 + value), "{value} - {after} is not {heat}");
                let large = 1.0 + force.iter().map(|f| f.length()).fold(0.0, f64::max);
                prop_assert!(far(&force, &same) < 1e-11 * large, "step {k}: force off by {}", far(&force, &same));
                prop_assert!(term.flow(0.0, &x).plastic < 1e-12);
                taken += heat;
                for (unflowed, strain) in points(&term) {
                    prop_assert!((unflowed.determinant() - 1.0).abs() < determinant_tolerance(unflowed));
                    prop_assert!(strain >= 0.0);
                }
            }
            prop_assert!(taken >= 0.0);
        }
    }

    /// After flow and during it.
    #[test]
    fn derivatives_agree_with_differences_whatever_has_flowed(f in gradients(), hardening in 0.0f64..3.0) {
        for (mut term, rest) in bodies(plastic(hardening)) {
            let x = deformed(&rest, f, 0.02);
            prop_assume!(term.value(0.0, &x).is_finite());
            term.flow(0.0, &x);
            // Far from the surface of yield, where the second derivative jumps.
            let beyond = deformed(&rest, f * Mat3::from_diagonal(Vec3::new(1.3, 0.9, 1.1)), 0.02);
            prop_assume!(term.value(0.0, &beyond).is_finite());
            let errors = energy_derivatives(&*term, &beyond, 1e-5).expect("it is strained");
            prop_assert!(errors.gradient < 1e-6 && errors.hessian < 1e-5, "{errors:?}");
        }
    }
}

/// Thousands of small slips this way and that: rounding does not add up to a volume.
#[test]
fn volume_is_kept_however_often_it_flows() {
    for (mut term, rest) in bodies(plastic(0.0)) {
        let mut heat = 0.0;
        for k in 0..2000 {
            let angle = 0.1 * f64::from(k);
            let (a, b) = (0.1 * angle.cos(), 0.1 * (1.7 * angle).sin());
            let f = Mat3::from_cols(Vec3::new(1.0, b, 0.0), Vec3::new(a, 1.0, b), Vec3::Z);
            heat += term.flow(0.0, &deformed(&rest, f, 0.0)).plastic;
        }
        assert!(heat > 1.0, "{heat} J");
        for (unflowed, strain) in points(&term) {
            let volume = unflowed.determinant();
            assert!(strain > 10.0 && (volume - 1.0).abs() < 1e-15 * 8.0, "{volume} after {strain}");
        }
    }
}

#[test]
fn unreached_yield_stress_gives_elastic_bits() {
    let flow = VonMises::new(1e12, 0.5).expect("parameters in range");
    let strong = Material::ElastoPlastic(ElastoPlastic { lame: lame(), flow });
    for ((mut one, rest), (other, _)) in
        bodies(strong).into_iter().zip(bodies(Material::Hencky(lame())))
    {
        let x = deformed(&rest, Mat3::from_rotation_y(0.3) * 1.2, 0.1);
        assert_eq!(one.flow(0.0, &x).plastic, 0.0);
        assert_eq!(one.value(0.0, &x).to_bits(), other.value(0.0, &x).to_bits());
        assert_eq!(gradient(&*one, &x), gradient(&*other, &x));
        assert!((*other).inelastic().is_none());
    }
}

#[test]
fn variables_are_all_that_flow_leaves() {
    for ((mut one, rest), (mut other, _)) in
        bodies(plastic(0.2)).into_iter().zip(bodies(plastic(0.2)))
    {
        let virgin = one.value(0.0, &rest);
        let [x, y] = [0.03, 0.06].map(|size| deformed(&rest, Mat3::from_rotation_y(0.3), size));
        assert!(one.flow(0.0, &x).plastic > 0.0);
        other.set_variables(one.variables(), 0.0);
        assert_eq!(one.value(0.0, &y).to_bits(), other.value(0.0, &y).to_bits());
        assert_eq!(gradient(&*one, &y), gradient(&*other, &y));
        assert_eq!(one.flow(0.0, &y).plastic.to_bits(), other.flow(0.0, &y).plastic.to_bits());
        assert_eq!(one.variables(), other.variables());
        assert!(one.value(0.0, &rest) > virgin, "what has flowed is strained where it was at rest");
        one.set_variables(&[], 0.0);
        assert_eq!(one.value(0.0, &rest), virgin);
    }
}

#[test]
fn invalid_plastic_parameters_are_rejected() {
    let refused = |yield_stress, hardening| VonMises::new(yield_stress, hardening).err();
    assert_eq!(refused(0.0, 0.0), Some(VonMisesError::YieldStress { yield_stress: 0.0 }));
    assert_eq!(refused(1.0, -1.0), Some(VonMisesError::Hardening { hardening: -1.0 }));
    assert!(refused(f64::NAN, 0.0).is_some() && refused(1.0, f64::INFINITY).is_some());
}
