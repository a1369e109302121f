//! A short run of the damage that `examples/fuzz_readers` does for hours.

#[path = "../../examples/fuzz_readers/engine/mod.rs"]
mod engine;

use crate::good_files::read::EXTENSIONS;
use engine::{Budget, run};
use std::time::Duration;

#[test]
fn damaged_files_of_every_format_are_read_or_refused() {
    let budget = Budget { cases: 4000, time: Duration::MAX };
    for ending in EXTENSIONS {
        let report = run(ending, Vec::new(), 7, budget);
        let said: Vec<&String> = report.failures.iter().map(|(_, said)| said).collect();
        assert!(said.is_empty(), "{ending}: {said:?}");
        assert_eq!(report.cases, 4000);
        // Cases that are all refused at their first byte would test nothing.
        assert!(report.read > 100, "{ending}: {} of 4000 are read", report.read);
    }
}
