//! The (2,1) mode of a drum: its frequency, how fast methods damp it, and which methods keep it.

use resile_integrators::registry::a_search;
use resile_integrators::{ASearch, Bdf2, Control, ImplicitEuler, Integrator, Theta};
use resile_study::drum::{self, Drum, DrumEntry};

fn run(drum: Drum, method: &dyn Integrator, resolution: usize, steps: usize) -> DrumEntry {
    drum::run_method(drum, ("method", method), resolution, steps).expect("all steps can be taken")
}

/// Size of the root with which BDF2 follows `x' = i a / h x`,
/// `(3/2 - i a) z^2 - 2 z + 1/2 = 0`.
fn bdf2_root(a: f64) -> f64 {
    // z = (2 + sqrt(1 + 2 i a)) / (3 - 2 i a)
    let size = (1.0 + 4.0 * a * a).sqrt();
    let (real, imaginary) = ((0.5 * (size + 1.0)).sqrt(), (0.5 * (size - 1.0)).sqrt());
    (((2.0 + real).powi(2) + imaginary * imaginary) / (9.0 + 4.0 * a * a)).sqrt()
}

#[test]
fn drum_vibrates_at_the_bessel_frequency_with_the_theoretical_damping() {
    // Five periods, of a hundred steps each: the midpoint rule is late by (omega h)^2 / 12,
    // 0.04 %; the rest is the mesh's.
    let drum = Drum { rings: 12, speed: 0.01 };
    let entry = run(drum, &Theta::MIDPOINT, 2000, 500);
    let observed = entry.observed_frequency().expect("it swings");
    let expected = Drum::frequency();
    assert!((observed / expected - 1.0).abs() < 0.01, "{observed} instead of {expected} rad/s");
    // In the linear theory the envelope is a constant, v / omega.
    for s in &entry.samples {
        assert!((s.envelope * expected / drum.speed - 1.0).abs() < 0.01, "{s:?}");
    }
    let a = observed / 120.0;
    let euler_root = 1.0 / (1.0 + a * a).sqrt();
    for (method, root) in [(&Bdf2 as &dyn Integrator, bdf2_root(a)), (&ImplicitEuler, euler_root)] {
        let samples = run(drum, method, 120, 30).samples;
        let decrement = (samples[30].envelope / samples[5].envelope).ln() / 25.0;
        assert!((decrement / root.ln() - 1.0).abs() < 0.03, "{decrement} {}", root.ln());
    }
}

#[test]
fn a_search_preserves_a_mode_that_bdf2_and_implicit_euler_damp() {
    let drum = Drum { rings: 8, speed: 1.0 };
    let of = |method: &dyn Integrator| run(drum, method, 120, 120);
    // The paper's rule cuts the swing of the energy at its target; the filtered rule
    // leaves it swinging about the target.
    let cases = [
        ("A-search", of(&ASearch::default()), 0.65..1.001),
        ("filtered", of(&a_search(Control::FILTERED)), 0.95..1.05),
    ];
    for (name, kept, energy) in cases {
        assert!(kept.amplitude_ratio() > 0.8, "{name} {}", kept.amplitude_ratio());
        assert!(energy.contains(&kept.energy_ratio()), "{name} {}", kept.energy_ratio());
    }
    for (name, method) in [("BDF2", &Bdf2 as &dyn Integrator), ("Euler", &ImplicitEuler)] {
        let lost = of(method);
        assert!(lost.amplitude_ratio() < 0.01, "{name} {}", lost.amplitude_ratio());
        assert!(lost.energy_ratio() < 1e-4, "{name} {}", lost.energy_ratio());
    }
}
