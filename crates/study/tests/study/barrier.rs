//! What a block weighs says how near it comes, under every barrier.

use resile_contact::Barrier;
use resile_study::barrier::{gap_under, measure, table};

#[test]
fn block_rests_at_the_gap_of_its_pressure() {
    let entries = measure(&|_| {}).unwrap();
    for barrier in Barrier::ALL {
        let pressures = entries.iter().filter(|e| e.barrier == barrier).map(|e| e.pressure);
        assert!(pressures.fold(0.0, f64::max) >= 1.0, "{barrier:?}");
    }
    assert_eq!(table(&entries).failed_verdicts(), 0, "{entries:?}");
}

#[test]
fn cubic_barrier_carries_at_most_twice_kappa() {
    assert!(gap_under(Barrier::Cubic, 1.99).is_some());
    assert_eq!(gap_under(Barrier::Cubic, 2.01), None);
    assert!(gap_under(Barrier::ClampedLog, 1e6).is_some());
}
