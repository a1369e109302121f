//! What methods keep: the controllers' means, AVF's energy, BLEND's bounds, modes.

use resile_study::avf::{self, SIMPSON};
use resile_study::drive::{Run, TIGHT};
use resile_study::problems::Bar;
use resile_study::{blend, controllers, spectrum};

#[test]
fn the_gentler_controllers_table_is_reproduced() {
    for entry in controllers::compare(&[0.02], &[0.5]).expect("all steps can be taken") {
        let known = entry.known.expect("all rows are known");
        assert!((entry.compared() - known).abs() <= 0.01, "{entry:?}");
    }
}

#[test]
fn avf_keeps_the_energy_of_quartics() {
    for case in [avf::QUARTIC, avf::PARTICLE] {
        let entry = avf::entry(&case, ("AVF", &SIMPSON), TIGHT, 20_000);
        assert_eq!(entry.steps, 20_000, "{entry:?}");
        assert!(entry.drift < 1e-11, "{entry:?}");
        assert!(entry.first.expect("the first step is known") < 1e-11, "{entry:?}");
    }
    let entry = avf::entry(&avf::SMALL_SOLID, ("AVF", &SIMPSON), TIGHT, 100);
    assert!(entry.steps == 100 && entry.drift < 1e-9, "{entry:?}");
}

#[test]
fn blends_spring_is_as_in_the_paper() {
    for e in blend::spring(2000) {
        let [least, most] = e.energy;
        match e.method {
            "implicit midpoint" => {
                assert_eq!(e.doubled, Some(2), "{e:?}");
                assert!((most / 1.07e5 - 1.0).abs() < 0.01, "{e:?}");
                // Of 7.5 kg m^2/s, where positions times momenta are up to 2e6.
                assert!(e.momentum < 1e-11, "{e:?}");
            }
            "blending" => assert!(least > 0.989 && most < 1.011, "{e:?}"),
            "A-1" => {
                assert!((most - 2129.0).abs() < 1.0 && e.length < 1.52, "{e:?}");
            }
            "A-search" => assert!(most <= 1.0 + 1e-9, "{e:?}"),
            _ => assert!(most <= 1.0, "{e:?}"),
        }
        assert_eq!(e.steps, 2000, "{e:?}");
    }
}

#[test]
fn a_body_in_disorder_comes_to_rest_with_blending_and_not_with_the_midpoint_rule() {
    let entries = blend::rest(3, 1.0, blend::Damping::AfterTheStep, 150, &|_| {});
    let of = |name: &str| entries.iter().find(|e| e.method == name).expect("it was measured");
    let (blended, midpoint) = (of("blending"), of("implicit midpoint"));
    assert!(blended.peak < 1.011 && blended.end < 0.05, "{blended:?}");
    assert!(midpoint.end > 1.0 || midpoint.stopped.is_some(), "{midpoint:?}");
}

#[test]
fn modes_are_those_of_the_bar() {
    // In one mode alone the energy of the linearised bar is all there.
    let bar = Bar { sound_speed: 10.0 };
    let mut run = Run::new(bar.vibrating(1e-4), TIGHT);
    let total = run.energy();
    for _ in 0..5 {
        let energies = spectrum::modal_energies(&run.state, 10.0);
        assert!((energies[1] / total - 1.0).abs() < 1e-3, "{energies:?} of {total}");
        assert!(energies.iter().skip(2).all(|e| *e < 1e-3 * total), "{energies:?}");
        run.steps(&resile_integrators::RungeKutta::verlet(), 1e-4, 30).expect("small steps");
    }
    // A quarter of a period later all of it is potential energy.
    let quarter = std::f64::consts::FRAC_PI_2 / spectrum::frequency(1, 10.0);
    let mut run = Run::new(bar.vibrating(1e-4), TIGHT);
    run.steps(&resile_integrators::RungeKutta::verlet(), quarter / 200.0, 200)
        .expect("small steps");
    let kinetic: f64 = run.system.kinetic_by_body(&run.state.velocities).iter().sum();
    assert!(kinetic < 1e-3 * total, "{kinetic} of {total}");
}
