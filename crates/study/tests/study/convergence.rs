//! Every method has its order, on problems with and without damping.

use resile_study::convergence::{self, SMALL_PROBLEMS};

#[test]
fn every_method_has_its_order_of_accuracy() {
    let entries = convergence::measure(&SMALL_PROBLEMS, &|_| {}).expect("all steps can be taken");
    assert_eq!(entries.len(), SMALL_PROBLEMS.len() * resile_integrators::registry::all().len());
    for e in &entries {
        assert!(e.is_of_its_order() && (e.observed - e.expected).abs() < 0.1, "{e:?}");
    }
}
