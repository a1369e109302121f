//! Viscoplasticity: overstress at constant rates, relaxation, heat, derivatives, limits.

use crate::common::*;
use proptest::prelude::*;
use resile_energy::{
    ElastoPlastic, KinematicHardening, Material, RateDependence, TetElasticity, VonMises,
    VonMisesError,
};
use resile_math::{Mat3, Vec3};
use resile_system::check::energy_derivatives_at;

/// Pa.
const YIELD: f64 = 0.005;
/// Reference rate (1/s).
const REFERENCE: f64 = 0.3;
/// m^3.
const VOLUME: f64 = 2.0;

fn flow(hardening: f64, exponent: f64) -> VonMises {
    let rate = RateDependence::new(REFERENCE, exponent).expect("a law in range");
    VonMises::new(YIELD, hardening).expect("parameters in range").with_rate(rate)
}

/// A box of linear and of quadratic elements, with its rest positions.
fn bodies_of(flow: VonMises) -> Vec<(Evolving, Vec<Vec3>)> {
    linear_and_quadratic(Material::ElastoPlastic(ElastoPlastic { lame: lame(), flow }))
}

/// Long after yielding the stress is `sigma_y (1 + (rate / D)^(1/n))` in steps of any length, and the heat of each is the work of
/// that stress.
#[test]
fn perfect_plasticity_at_a_constant_rate_has_its_overstress() {
    for (exponent, rate) in [(1.0, 0.02), (1.0, 1.5), (3.0, 0.02), (5.0, 40.0)] {
        let expected = YIELD * (1.0 + f64::powf(rate / REFERENCE, 1.0 / exponent));
        for (mut term, rest) in bodies_of(flow(0.0, exponent)) {
            let (mut time, mut last) = (0.0, rest.clone());
            for k in 0..40 {
                let h = if k % 3 == 0 { 0.004 } else { 0.009 } / rate;
                let before = time;
                time += h;
                let x = pulled(&rest, rate * time);
                let external = term.work(&last, &x, [before, time]);
                let heat = term.flow(time, &x);
                assert!((external + heat.overstress).abs() < 1e-15, "{external}, {heat:?}");
                assert!(heat.plastic >= 0.0 && heat.overstress >= 0.0, "{heat:?}");
                last = x;
                if k > 30 {
                    let found = tension(&[&*term], &last);
                    assert!((found / expected - 1.0).abs() < 1e-9, "{found} Pa for {expected} Pa");
                    let work = VOLUME * expected * rate * h;
                    let found = heat.plastic + heat.overstress;
                    assert!((found / work - 1.0).abs() < 1e-8, "{found} J for {work} J");
                }
            }
        }
    }
}

/// At constant strain the overstress of a linear law decays as `exp(-t / tau)`, `tau = sigma_y / (3 mu D)`: by
/// `1 / (1 + h / tau)` in each step, as in backward Euler.
#[test]
fn overstress_relaxes_at_constant_strain() {
    let time_constant = YIELD / (3.0 * lame().mu() * REFERENCE);
    let strain = 3.0 * YIELD / (3.0 * lame().mu());
    for (mut term, rest) in bodies_of(flow(0.0, 1.0)) {
        let x = pulled(&rest, strain);
        assert_eq!(term.flow(0.0, &x).plastic, 0.0);
        let (mut time, mut expected) = (0.0, 2.0 * YIELD);
        for part in [0.1, 0.02, 3.0, 0.5] {
            time += part * time_constant;
            term.flow(time, &x);
            expected /= 1.0 + part;
            let found = tension(&[&*term], &x) - YIELD;
            assert!((found - expected).abs() < 1e-12 * YIELD, "{found} Pa for {expected} Pa");
        }
    }
    let after = |steps: i32| {
        let (mut term, rest) = bodies_of(flow(0.0, 1.0)).remove(0);
        let x = pulled(&rest, strain);
        (1..=steps).for_each(|k| {
            term.flow(time_constant * f64::from(k) / f64::from(steps), &x);
        });
        (tension(&[&*term], &x) - YIELD) / (2.0 * YIELD) - f64::exp(-1.0)
    };
    let order = (after(100) / after(200)).log2();
    assert!((order - 1.0).abs() < 0.02, "order {order}");
}

/// With the back stress `C alpha` the rate of flow at a constant rate of strain is `3 mu / (3 mu + C)` of it.
#[test]
fn kinematic_hardening_moves_the_overstress() {
    let (scale, back, exponent, rate) = (1e-6, 0.4, 3.0, 0.7);
    let law = RateDependence::new(REFERENCE, exponent).expect("a law in range");
    let flow = VonMises::new(scale * YIELD, 0.0).expect("in range").with_rate(law);
    let law = KinematicHardening::new(ElastoPlastic { lame: lame(), flow }, back).expect("a law");
    let (rest, tets) = grid(2, 1, 1);
    let of = |material| Evolving::new(TetElasticity::new(&rest, &tets, material).expect("a mesh"));
    let overlay = TetElasticity::new(&rest, &tets, law.slider).expect("a mesh").overlaid();
    let (spring, mut slider) = (of(law.spring), Evolving::new(overlay));
    let (stiff, h) = (3.0 * lame().mu(), 0.01 * scale / rate);
    let mut x = rest.clone();
    for k in 1..=200 {
        x = pulled(&rest, rate * h * f64::from(k));
        slider.flow(h * f64::from(k), &x);
    }
    let flowing = rate * stiff / (stiff + back);
    let overstress = scale * YIELD * (1.0 + f64::powf(flowing / REFERENCE, 1.0 / exponent));
    let strain = rate * h * 200.0;
    let expected = (overstress + back * strain) / (1.0 + back / stiff);
    let found = tension(&[&*spring, &*slider], &x);
    assert!((found / expected - 1.0).abs() < 2e-5, "{found} Pa for {expected} Pa");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The potential falls by what the flow releases, forces stay, heat is not negative, volume is kept, and without
    /// time nothing flows.
    #[test]
    fn flow_at_a_rate_releases_energy_and_leaves_force(
        f in gradients(), h in 1e-3f64..3.0, size in 0.0f64..0.05, exponent in 1.0f64..8.0,
    ) {
        for (mut term, rest) in bodies_of(flow(0.2, exponent)) {
            let mut time = 0.0;
            for f in [f, Mat3::IDENTITY, f * f.transpose() * 0.5] {
                let x = deformed(&rest, f, size);
                time += h;
                let value = term.value(time, &x);
                prop_assume!(value.is_finite());
                let force = gradient_at(time, &*term, &x);
                let heat = term.flow(time, &x);
                let after = term.value(time, &x);
                prop_assert!((value - after - heat.released()).abs() < 1e-11 * (1.0 + value));
                prop_assert!(heat.plastic >= 0.0 && heat.overstress >= 0.0, "{heat:?}");
                let large = 1.0 + force.iter().map(|f| f.length()).fold(0.0, f64::max);
                let moved = force.iter().zip(gradient_at(time, &*term, &x));
                let off = moved.map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
                prop_assert!(off < 1e-10 * large, "{off}");
                prop_assert_eq!(term.flow(time, &x).plastic, 0.0);
            }
        }
    }
}

/// In elements that flow, after some have flowed before.
#[test]
fn derivatives_of_viscoplasticity_agree_with_differences() {
    for exponent in [1.0, 2.5, 6.0] {
        for (mut term, rest) in bodies_of(flow(0.2, exponent)) {
            let turn = Mat3::from_rotation_x(0.7) * Mat3::from_rotation_z(-1.1);
            let f = turn * Mat3::from_diagonal(Vec3::new(1.1, 0.95, 1.02));
            term.flow(0.1, &deformed(&rest, f, 0.02));
            let beyond = deformed(&rest, f * Mat3::from_diagonal(Vec3::new(1.6, 0.8, 1.1)), 0.02);
            for h in [1e-3, 0.05, 1.0] {
                let errors = energy_derivatives_at(0.1 + h, &*term, &beyond, 1e-5);
                let errors = errors.expect("it is strained");
                assert!(errors.gradient < 1e-6 && errors.hessian < 1e-5, "{exponent}: {errors:?}");
            }
        }
    }
}

/// Infinitely slow flow, as in statics, and flow at a rate far below the reference.
#[test]
fn slow_flow_is_that_of_the_yield_stress() {
    let plain = VonMises::new(YIELD, 0.2).expect("parameters in range");
    for ((mut slow, rest), (mut other, _)) in
        bodies_of(flow(0.2, 1.0)).into_iter().zip(bodies_of(plain))
    {
        let x = deformed(&rest, Mat3::from_diagonal(Vec3::new(1.3, 0.9, 1.0)), 0.02);
        let expected = other.flow(0.0, &x).plastic;
        slow.set_variables(&[], f64::NEG_INFINITY);
        let found = slow.flow(0.0, &x);
        assert!((found.plastic / expected - 1.0).abs() < 1e-12 && found.overstress == 0.0);
        slow.set_variables(&[], 0.0);
        let found = slow.flow(1e9, &x);
        assert!((found.plastic / expected - 1.0).abs() < 1e-7 && found.overstress > 0.0);
    }
}

#[test]
fn invalid_rates_are_rejected() {
    let error = VonMisesError::ReferenceRate { reference: 0.0 };
    assert_eq!(RateDependence::new(0.0, 1.0), Err(error));
    let error = VonMisesError::RateExponent { exponent: 0.5 };
    assert_eq!(RateDependence::new(1.0, 0.5), Err(error));
    assert!(RateDependence::new(f64::NAN, 1.0).is_err());
    assert!(RateDependence::new(1.0, f64::INFINITY).is_err());
}
