//! What became of all cases.

use crate::kinds::Kind;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Report {
    kinds: BTreeMap<Kind, Count>,
}

#[derive(Debug, Default)]
struct Count {
    passed: u64,
    failed: u64,
    time: Duration,
    slowest: Duration,
    /// The number of the slowest case.
    which: u64,
}

impl Report {
    /// A case of this kind and number has ended.
    pub(crate) fn add(
        &mut self,
        (kind, number): (Kind, u64),
        took: Duration,
        ended: Result<(), String>,
    ) {
        let count = self.kinds.entry(kind).or_default();
        match ended {
            Ok(()) => count.passed += 1,
            Err(_) => count.failed += 1,
        }
        count.time += took;
        if took > count.slowest {
            (count.slowest, count.which) = (took, number);
        }
    }

    pub(crate) fn failed(&self) -> u64 {
        self.kinds.values().map(|count| count.failed).sum()
    }
}

/// A line a kind, and the sum on the last one, in a form that tools read.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, Count { passed, failed, time, slowest, which }) in &self.kinds {
            let name = format!("{kind:?}").to_lowercase();
            let mean = time.as_secs_f64() / (passed + failed) as f64;
            writeln!(
                f,
                "{name:<12}{:>7} cases{failed:>5} failed   mean {mean:6.2} s   slowest {:6.2} s, case {which}",
                passed + failed,
                slowest.as_secs_f64()
            )?;
        }
        let passed: u64 = self.kinds.values().map(|count| count.passed).sum();
        write!(f, "{passed} passed, {} failed", self.failed())
    }
}
