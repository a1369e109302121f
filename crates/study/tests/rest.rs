//! The bench of bodies that rest, rub and turn: each scene is held to its truth.

use resile_study::rest::{self, Bench, Entry, Kind, METHODS, SLIP_SPEED};

fn run(name: &str, kind: Kind, method: &str) -> Entry {
    let bench = Bench::named(name).expect("the scene is there");
    let entry = rest::entry(bench, kind, method, 120).expect("the scene can be had");
    assert_eq!(entry.track.stopped, None, "{name} under {method}");
    entry
}

#[test]
fn a_block_stays_on_the_slope_that_friction_can_hold() {
    for kind in [Kind::Solid, Kind::Affine] {
        let entry = run("slope", kind, "ASearch()");
        assert!(entry.track.unrest() < SLIP_SPEED, "{kind:?} {} m/s", entry.track.unrest());
        assert!(entry.gains_nothing(), "{kind:?} {}", entry.gain());
    }
}
