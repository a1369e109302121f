//! What a block weighs says how near it comes, under every barrier.

use resile_contact::Barrier;
use resile_study::barrier::{gap_under, measure, table};

#[test]
fn a_block_rests_where_its_pressure_says() {
    let entries = measure(&|_| {}).unwrap();
    for barrier in Barrier::ALL {
        let pressures = entries.iter().filter(|e| e.barrier == barrier).map(|e| e.pressure);
        assert!(pressures.fold(0.0, f64::max) >= 1.0, "{barrier:?}");
    }
    assert_eq!(table(&entries).missed(), 0, "{entries:?}");
}

#[test]
fn the_cubic_barrier_carries_no_more_than_twice_kappa() {
    assert!(gap_under(Barrier::Cubic, 1.99).is_some());
    assert_eq!(gap_under(Barrier::Cubic, 2.01), None);
    assert!(gap_under(Barrier::ClampedLog, 1e6).is_some());
}
