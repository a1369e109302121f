//! A short run of the damage that `examples/fuzz_readers` does for hours.

#[path = "../../examples/fuzz_readers/engine.rs"]
mod engine;

use engine::{Budget, TARGETS, run};
use std::time::Duration;

#[test]
fn damaged_files_of_every_format_are_read_or_refused() {
    let budget = Budget { cases: 4000, time: Duration::MAX };
    for target in &TARGETS {
        let report = run(target, Vec::new(), 7, budget);
        let said: Vec<&String> = report.failures.iter().map(|(_, said)| said).collect();
        assert!(said.is_empty(), "{}: {said:?}", target.ending);
        assert_eq!(report.cases, 4000);
        // Cases that are all refused at their first byte would test nothing.
        assert!(report.read > 100, "{}: {} of 4000 are read", target.ending, report.read);
    }
}
