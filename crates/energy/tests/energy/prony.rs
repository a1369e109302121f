//! Branches of Prony series: relaxation and constant rates by closed forms, heat, derivatives, history variables.

use crate::common::*;
use proptest::prelude::*;
use resile_energy::{Material, Maxwell, MaxwellError};
use resile_math::{Mat3, Vec3};
use resile_system::check::energy_derivatives_at;

/// Pa.
const SHEAR: f64 = 0.7;
/// s.
const TIME: f64 = 0.4;
/// m^3.
const VOLUME: f64 = 2.0;

/// A box of linear and of quadratic elements of one branch, with its rest positions.
fn bodies() -> Vec<(Evolving, Vec<Vec3>)> {
    linear_and_quadratic(Material::Maxwell(Maxwell::new(SHEAR, TIME).expect("parameters in range")))
}

fn far(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// In steps of any lengths, at a strain of any size.
#[test]
fn stress_at_constant_strain_decays_exponentially() {
    for (mut term, rest) in bodies() {
        let strain = 0.8;
        let x = pulled(&rest, strain);
        term.flow(0.0, &x);
        let mut time = 0.0;
        for h in [0.0, 1e-6, 0.3, 0.01, 2.0, 0.1] {
            time += h;
            term.flow(time, &x);
            let expected = 3.0 * SHEAR * strain * f64::exp(-time / TIME);
            let found = tension(&[&*term], &x);
            assert!((found - expected).abs() < 1e-13, "{found} Pa for {expected} Pa at {time} s");
        }
    }
}

/// `3 mu rate tau (1 - exp(-t / tau))`, in one step as in many, also in steps far longer than the relaxation time; and the heat
/// is the work less the energy of the spring.
#[test]
fn constant_rates_of_strain_have_their_closed_forms() {
    let rate = 0.01;
    for steps in [vec![1.0], vec![0.01; 100], vec![0.1, 0.6, 0.3], vec![40.0]] {
        for (mut term, rest) in bodies() {
            let (mut time, mut heat, mut last) = (0.0, 0.0, rest.clone());
            for h in &steps {
                let before = time;
                time += h;
                let x = pulled(&rest, rate * time);
                let external = term.work(&last, &x, [before, time]);
                let flowed = term.flow(time, &x);
                assert!((external + flowed.relaxed).abs() < 1e-15);
                assert!(flowed.viscous >= 0.0 && flowed.viscous + flowed.relaxed >= 0.0);
                heat += flowed.viscous + flowed.relaxed;
                last = x;
            }
            let decay = f64::exp(-time / TIME);
            let viscous = 3.0 * SHEAR * rate * TIME;
            let expected = viscous * (1.0 - decay);
            let found = tension(&[&*term], &last);
            assert!((found - expected).abs() < 1e-12 * viscous, "{found} Pa for {expected} Pa");
            // The work is the integral of the stress by the strain.
            let work = VOLUME * viscous * rate * (time - TIME * (1.0 - decay));
            let stored = term.value(time, &last);
            let strain = expected / (3.0 * SHEAR);
            assert!((stored - VOLUME * 1.5 * SHEAR * strain * strain).abs() < 1e-12 * work);
            assert!((work - stored - heat).abs() < 1e-11 * work, "{heat} J of {work} J");
        }
    }
}

#[test]
fn relaxation_is_frame_indifferent() {
    let turn = |k: usize| Mat3::from_rotation_x(0.9 * k as f64) * Mat3::from_rotation_z(1.7);
    for ((mut one, rest), (mut other, _)) in bodies().into_iter().zip(bodies()) {
        for k in 1..6 {
            let shear = Mat3::from_cols(Vec3::X, Vec3::new(0.1 * k as f64, 1.0, 0.0), Vec3::Z);
            let x = deformed(&rest, shear, 0.02);
            let turned: Vec<Vec3> = x.iter().map(|x| turn(k) * *x + Vec3::ONE).collect();
            let time = 0.1 * k as f64;
            let (here, there) = (one.flow(time, &x), other.flow(time, &turned));
            assert!((here.viscous - there.viscous).abs() < 1e-13, "{here:?}, {there:?}");
            assert!((here.relaxed - there.relaxed).abs() < 1e-13, "{here:?}, {there:?}");
        }
        let pairs = one.variables().iter().zip(other.variables());
        pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a}, {b}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The potential falls by what the flow releases, forces stay, heat is not negative, volume is kept, and without
    /// time nothing flows.
    #[test]
    fn flow_releases_energy_and_leaves_force(f in gradients(), h in 1e-3f64..3.0, size in 0.0f64..0.05) {
        for (mut term, rest) in bodies() {
            let mut time = 0.0;
            for f in [f, Mat3::IDENTITY, f * f.transpose() * 0.5] {
                let x = deformed(&rest, f, size);
                time += h;
                let value = term.value(time, &x);
                prop_assume!(value.is_finite());
                let force = gradient_at(time, &*term, &x);
                let heat = term.flow(time, &x);
                let after = term.value(time, &x);
                prop_assert!((value - after - heat.released()).abs() < 1e-12 * (1.0 + value));
                prop_assert!(heat.viscous >= 0.0 && heat.viscous + heat.relaxed >= 0.0, "{heat:?}");
                let large = 1.0 + force.iter().map(|f| f.length()).fold(0.0, f64::max);
                prop_assert!(far(&force, &gradient_at(time, &*term, &x)) < 1e-11 * large);
                let again = term.flow(time, &x);
                prop_assert!(again.viscous.abs() < 1e-12 && again.relaxed.abs() < 1e-12);
                for point in term.variables().chunks_exact(15) {
                    let viscous = Mat3::from_cols_slice(&point[..9]);
                    let volume = viscous.determinant();
                    prop_assert!((volume - 1.0).abs() < determinant_tolerance(viscous), "{volume}");
                }
            }
        }
    }

    /// At the time of the history variables and later.
    #[test]
    fn derivatives_agree_with_differences_at_any_time(f in gradients(), h in 0.0f64..1.0) {
        for (mut term, rest) in bodies() {
            let x = deformed(&rest, f, 0.02);
            prop_assume!(term.value(0.1, &x).is_finite());
            term.flow(0.1, &x);
            let beyond = deformed(&rest, f * Mat3::from_diagonal(Vec3::new(1.3, 0.9, 1.1)), 0.02);
            prop_assume!(term.value(0.1, &beyond).is_finite());
            let errors = energy_derivatives_at(0.1 + h, &*term, &beyond, 1e-5).expect("it is strained");
            prop_assert!(errors.gradient < 1e-6 && errors.hessian < 1e-5, "{errors:?}");
        }
    }
}

/// Without time that passes a branch is the deviator of Hencky's law.
#[test]
fn instantaneous_response_is_that_of_the_spring() {
    for (term, rest) in bodies() {
        let x = pulled(&rest, 0.5);
        let expected = VOLUME * SHEAR * 1.5 * 0.25;
        assert!((term.value(0.0, &x) - expected).abs() < 1e-12);
    }
}

/// A history that ended infinitely long ago.
#[test]
fn nothing_is_left_after_infinite_time() {
    for (mut term, rest) in bodies() {
        let x = pulled(&rest, 0.5);
        term.flow(0.2, &x);
        let kept = term.variables().to_vec();
        term.set_variables(&kept, f64::NEG_INFINITY);
        let y = deformed(&x, Mat3::from_rotation_y(0.3) * 1.2, 0.02);
        assert_eq!(term.value(0.2, &y), 0.0);
        let heat = term.flow(0.2, &y);
        assert!(heat.viscous == 0.0 && heat.relaxed > 0.0, "{heat:?}");
        assert!(term.value(0.2, &y) < 1e-25, "{} J", term.value(0.2, &y));
    }
}

#[test]
fn variables_are_all_that_relaxation_leaves() {
    for ((mut one, rest), (mut other, _)) in bodies().into_iter().zip(bodies()) {
        let [x, y] =
            [0.03, 0.06].map(|size| deformed(&rest, Mat3::from_rotation_y(0.3) * 1.1, size));
        one.flow(0.3, &x);
        // As a checkpoint does, also on the side of the run that goes on.
        let kept = one.variables().to_vec();
        one.set_variables(&kept, 0.3);
        other.set_variables(&kept, 0.3);
        assert!(other.inelastic().admits_internal(&kept));
        assert_eq!(one.value(0.7, &y).to_bits(), other.value(0.7, &y).to_bits());
        assert_eq!(gradient_at(0.7, &*one, &y), gradient_at(0.7, &*other, &y));
        assert_eq!(one.flow(0.7, &y), other.flow(0.7, &y));
        assert_eq!(one.variables(), other.variables());
        let mut wrong = kept.clone();
        wrong[0] += 0.1;
        assert!(
            !other.inelastic().admits_internal(&wrong)
                && !other.inelastic().admits_internal(&kept[1..])
        );
        one.set_variables(&[], 0.0);
        assert_eq!(one.value(0.0, &rest), bodies().remove(0).0.value(0.0, &rest));
    }
}

#[test]
fn invalid_branches_are_rejected() {
    assert_eq!(Maxwell::new(0.0, 1.0), Err(MaxwellError::Shear { shear: 0.0 }));
    assert_eq!(Maxwell::new(1.0, -1.0), Err(MaxwellError::Time { time: -1.0 }));
    assert!(Maxwell::new(f64::NAN, 1.0).is_err() && Maxwell::new(1.0, f64::INFINITY).is_err());
}
