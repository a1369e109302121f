//! One alpha for bodies that never touch moves energy between them.
//!
//! Bar A bounces off its wall; bar B vibrates freely, far away. The paper's
//! single alpha pays what A lost in its impact out to B.

use crate::problems::{Bar, tight_solver};
use resile_integrators::{ASearch, EnergyTarget, Scope, advance};
use resile_system::{Body, State, System};

const SOUND_SPEED: f64 = 10.0;

fn bars() -> Vec<(Body, State)> {
    let a = Bar { sound_speed: SOUND_SPEED, wall: true }.body();
    let b = Bar { sound_speed: SOUND_SPEED, wall: false }.body();
    vec![(a, Bar::incoming()), (b, Bar::vibrating(0.02 * SOUND_SPEED))]
}

fn together(bodies: Vec<(Body, State)>) -> (System, State) {
    let (mut x, mut v) = (Vec::new(), Vec::new());
    let mut of_system = Vec::new();
    for (body, state) in bodies {
        x.extend(state.positions);
        v.extend(state.velocities);
        of_system.push(body);
    }
    (System::new(of_system), State::new(0.0, x, v))
}

fn energies(system: &mut System, state: &State) -> Vec<f64> {
    let potential = system.at(&state.positions).potential_by_body(0.0, &state.positions);
    let kinetic = system.kinetic_by_body(&state.velocities);
    potential.iter().zip(kinetic).map(|(p, k)| p + k).collect()
}

/// Largest energy of each body over 5 s at h = 1/30, over its own start.
fn peaks(scope: Scope) -> Vec<f64> {
    let target = EnergyTarget { scope, ..EnergyTarget::default() };
    let method = ASearch { target, ..ASearch::default() };
    let (mut system, mut state) = together(bars());
    let start = energies(&mut system, &state);
    let mut peaks = vec![1.0f64; start.len()];
    let mut solver = tight_solver();
    for _ in 0..150 {
        advance(&method, &mut system, &mut solver, &mut state, 1.0 / 30.0).unwrap();
        for (b, energy) in energies(&mut system, &state).iter().enumerate() {
            peaks[b] = peaks[b].max(energy / start[b]);
        }
    }
    peaks
}

#[test]
fn no_body_exceeds_its_target_with_an_alpha_per_body() {
    for peak in peaks(Scope::Island) {
        assert!(peak <= 1.0 + 1e-9, "{peak}");
    }
}

#[test]
fn common_alpha_transfers_energy_to_uninvolved_bodies() {
    let peaks = peaks(Scope::Scene);
    assert!(peaks[1] > 5.0, "the free bar's energy peaked at {} of its start", peaks[1]);
}

#[test]
fn each_bar_has_the_energy_of_a_single_bar() {
    let method = ASearch::default();
    let end = |bodies: Vec<(Body, State)>| {
        let (mut system, mut state) = together(bodies);
        let mut solver = tight_solver();
        for _ in 0..150 {
            advance(&method, &mut system, &mut solver, &mut state, 1.0 / 30.0).unwrap();
        }
        energies(&mut system, &state)
    };
    let both = end(bars());
    for (b, energy) in both.iter().enumerate() {
        let alone = end(vec![bars().swap_remove(b)])[0];
        assert!((energy - alone).abs() < 1e-6 * alone, "bar {b}: {energy}, alone {alone}");
    }
}

/// Energies of both bars after 5 s over their own starts. Bar A begins half a metre from
/// its wall, bar B vibrates with `share` of the speed of sound.
fn after_five_seconds(scope: Scope, sound_speed: f64, resolution: usize, share: f64) -> [f64; 2] {
    let mut incoming = Bar::incoming();
    incoming.positions.iter_mut().for_each(|x| x.x += 0.4);
    let (mut system, mut state) = together(vec![
        (Bar { sound_speed, wall: true }.body(), incoming),
        (Bar { sound_speed, wall: false }.body(), Bar::vibrating(share * sound_speed)),
    ]);
    let start = energies(&mut system, &state);
    let target = EnergyTarget { scope, ..EnergyTarget::default() };
    let method = ASearch { target, ..ASearch::default() };
    let mut solver = tight_solver();
    for _ in 0..5 * resolution {
        advance(&method, &mut system, &mut solver, &mut state, 1.0 / resolution as f64).unwrap();
    }
    let end = energies(&mut system, &state);
    [end[0] / start[0], end[1] / start[1]]
}

#[test]
fn energies_of_uninvolved_bodies_equal_the_documentation() {
    // Speed of sound, steps a second, amplitude; A and B with one alpha, then with two.
    let rows = [
        (10.0, 30, 0.02, [0.80, 6.69], [0.88, 0.40]),
        (10.0, 30, 0.2, [2.16, 0.42], [0.88, 0.41]),
        (10.0, 300, 0.2, [1.69, 0.66], [1.00, 1.00]),
        (100.0, 30, 0.02, [2.29, 0.35], [1.00, 1.00]),
        (100.0, 300, 0.02, [2.32, 0.34], [1.00, 1.00]),
        (100.0, 300, 0.2, [94.0, 0.54], [1.00, 1.00]),
    ];
    for (sound_speed, resolution, share, one, two) in rows {
        for (scope, expected) in [(Scope::Scene, one), (Scope::Island, two)] {
            let seen = after_five_seconds(scope, sound_speed, resolution, share);
            for (seen, expected) in seen.into_iter().zip(expected) {
                // The last digit that is written down.
                let digit = if expected > 10.0 { 0.1 } else { 0.01 };
                assert!(
                    (seen - expected).abs() <= 0.51 * digit,
                    "c = {sound_speed}, 1/{resolution}, {share} c, {scope:?}: {seen}, not {expected}"
                );
            }
        }
    }
}
