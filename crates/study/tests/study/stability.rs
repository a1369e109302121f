//! Step matrices against theory.

use resile_study::stability::{self, StabilityEntry};

/// Trace and determinant are sums of numbers as large as the stiffness, and the
/// explicit methods' grow with powers of it.
fn rounding(entry: &StabilityEntry) -> f64 {
    1e-10 * (1.0 + entry.hbar)
}

#[test]
fn determinants_and_traces_equal_theory() {
    let entries = stability::measure(2).expect("linear problems can be stepped");
    let mut compared = 0;
    for entry in &entries {
        let (Some(seen), Some(expected)) = (entry.det_trace, entry.theory) else { continue };
        for k in 0..2 {
            let off = (seen[k] - expected[k]).abs();
            assert!(off < rounding(entry), "{entry:?}: off by {off:e}");
        }
        compared += 1;
    }
    assert_eq!(compared, 10 * 19, "ten methods over nine decades");
}

#[test]
fn appendix_c_is_reproduced() {
    for figure in stability::appendix_c().expect("linear problems can be stepped") {
        // As many digits as the notes have.
        let allowed = match figure.quantity.as_str() {
            what if what.starts_with("unstable") => 6e-6,
            what if what.starts_with("hbar") => 1e-8,
            "trace at hbar = 1e10" => 1e-8,
            "smallest trace" => 1e-10,
            _ => 5.1e-10,
        };
        let off = (figure.computed - figure.theory).abs();
        assert!(off < allowed, "{figure:?}: off by {off:e}");
    }
}

#[test]
fn stable_methods_are_stable() {
    let entries = stability::measure(2).expect("linear problems can be stepped");
    let unconditional = [
        "implicit Euler",
        "inner theta 0.7",
        "outer theta 0.7",
        "Newmark 0.4, 0.7",
        "Newmark 0.3, 0.5",
        "A-1",
        "implicit midpoint",
        "trapezoidal",
        "generalized-alpha 0.5",
        "BDF2",
        "SDIRK2",
        "TR-BDF2",
        "Bathe",
        "AVF, Simpson",
        "AVF, Gauss 3",
    ];
    for name in unconditional {
        let of_method: Vec<_> = entries.iter().filter(|e| e.method == name).collect();
        assert_eq!(of_method.len(), 19, "{name}");
        for e in of_method {
            assert!(e.spectral_radius < 1.0 + 1e-6, "{e:?}");
        }
    }
    let grows = |name: &str, hbar: f64| {
        entries.iter().any(|e| e.method == name && e.hbar > hbar && e.spectral_radius > 1.0 + 1e-6)
    };
    for name in ["forward Euler", "symplectic Euler", "Verlet", "decoupled SDIRK2"] {
        assert!(grows(name, 0.0), "{name}");
    }
}

/// The roots `z = 1 / w` of `3/2 - 2 w + w^2 / 2 = i sqrt(hbar)`: `w = 2 -+ sqrt(1 + 2 i sqrt(hbar))`.
#[test]
fn spectral_radius_of_bdf2_equals_its_largest_root() {
    let entries = stability::measure(2).expect("linear problems can be stepped");
    let of_bdf2: Vec<_> = entries.iter().filter(|entry| entry.method == "BDF2").collect();
    assert_eq!(of_bdf2.len(), 19);
    for entry in of_bdf2 {
        let modulus = (1.0 + 4.0 * entry.hbar).sqrt();
        let (a, b) = ((0.5 * (modulus + 1.0)).sqrt(), (0.5 * (modulus - 1.0)).sqrt());
        let radius = 1.0 / (2.0 - a).hypot(b);
        assert!((entry.spectral_radius - radius).abs() < 1e-9, "{entry:?}, not {radius}");
    }
}
