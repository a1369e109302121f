//! What nothing touches falls as it should, whatever the method.

use crate::problems::tight_solver;
use resile_energy::{Gravity, SpringElement, SpringLaw, Springs};
use resile_integrators::{ImplicitEuler, advance, registry};
use resile_math::Vec3;
use resile_system::{Body, State, System};

const G: Vec3 = Vec3::new(0.5, -9.81, 2.0);
const MASSES: [f64; 3] = [1.0, 2.0, 0.5];

/// Three masses on springs that vibrate and turn, in a `field` (m/s^2).
fn tossed(field: Vec3, falls: bool) -> (System, State) {
    let elements = [[0, 1], [1, 2], [0, 2]];
    let springs = elements.map(|nodes| SpringElement { nodes, rest: 0.9, stiffness: 40.0 });
    let springs = Springs::new(3, springs.into(), SpringLaw::Hooke).expect("springs");
    let body = Body::new("toy", MASSES.to_vec()).with(springs);
    let body = body.with(Gravity::new(MASSES.to_vec(), field));
    let x = vec![Vec3::ZERO, Vec3::X, Vec3::new(0.3, 0.8, 0.1)];
    let v = vec![Vec3::new(3.0, 4.0, 0.0), Vec3::new(3.0, 4.5, 0.2), Vec3::new(2.5, 4.0, -0.1)];
    (System::new(vec![Body { falls, ..body }]), State::new(0.0, x, v))
}

/// A uniform field cannot be told from a frame that is accelerated: in it everything moves as without it, but for
/// the parabola.
#[test]
fn flight_equals_gravity_free_motion_plus_the_parabola() {
    for method in registry::all() {
        let (steps, h) = (60, 1.0 / 120.0);
        let [(mut system, mut state), (mut weightless, mut other)] =
            [G, Vec3::ZERO].map(|field| tossed(field, true));
        let mut solver = tight_solver();
        for _ in 0..steps {
            advance(&*method.integrator, &mut system, &mut solver, &mut state, h).expect("a step");
            advance(&*method.integrator, &mut weightless, &mut solver, &mut other, h)
                .expect("a step");
        }
        let t = state.time;
        for i in 0..3 {
            let off = state.positions[i] - other.positions[i] - 0.5 * t * t * G;
            assert!(off.length() < 1e-7, "{}: node {i} is {off} m off", method.name);
            let off = state.velocities[i] - other.velocities[i] - t * G;
            assert!(off.length() < 1e-6, "{}: node {i} is {off} m/s too fast", method.name);
        }
    }
}

/// Bodies that are not said to fall are moved by the method as it is named.
#[test]
fn flight_without_rotation_equals_the_plain_method() {
    let fallen = |falls: bool| {
        let (mut system, mut state) = tossed(G, falls);
        let (mut solver, h) = (tight_solver(), 1.0 / 120.0);
        for _ in 0..120 {
            advance(&ImplicitEuler, &mut system, &mut solver, &mut state, h).expect("a step");
        }
        let mass: f64 = MASSES.iter().sum();
        state.positions.iter().zip(MASSES).map(|(x, m)| m * *x).sum::<Vec3>() / mass
    };
    let lag = fallen(false) - fallen(true);
    let expected = 0.5 / 120.0 * G;
    assert!((lag - expected).length() < 1e-8, "{lag} m, not {expected}");
}
