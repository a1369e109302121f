//! Orders of elements by manufactured solutions.

use resile_study::manufactured::{measure, table};

/// Orders on coarse meshes are those of the degree.
#[test]
fn elements_converge_by_their_order() {
    let entries = measure(true, &|_| ()).expect("there are equilibria");
    assert_eq!(entries.len(), 8);
    for e in entries.iter().filter(|e| e.orders.is_some()) {
        assert_eq!(e.is_of_its_order(), Some(true), "{e:?}");
    }
}

/// The whole study, which `docs/study-results.md` shows.
#[test]
fn the_whole_study_has_no_verdict_that_is_no() {
    let entries = measure(false, &|_| ()).expect("there are equilibria");
    assert_eq!(table(&entries).failed_verdicts(), 0, "{}", table(&entries).text());
}
