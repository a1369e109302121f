//! Damages good files and gives them to the readers. The same number gives the same cases.

mod damage;
mod random;
mod reason;
pub(crate) mod seeds;
pub(crate) mod sound;

use crate::good_files::read::read;
use damage::damage;
use random::Random;
use reason::reason;
use resile_mesh::read::OtherSolidPolicy;
use sound::sound;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// When to stop: at the first of both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    pub(crate) cases: u64,
    pub(crate) time: Duration,
}

/// What became of the cases.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) cases: u64,
    /// Those that gave a mesh.
    pub(crate) read: u64,
    /// Those that were refused, by the reason.
    pub(crate) refused: BTreeMap<String, u64>,
    pub(crate) slowest: Duration,
    /// Bytes that made a reader panic, or keep more than it was given, and what it said.
    pub(crate) failures: Vec<(Vec<u8>, String)>,
}

/// The most that one case may take: a thousand times the usual.
pub(crate) const SLOW: Duration = Duration::from_secs(5);
/// Files of a folder longer than this are left alone: cases would be few.
pub(crate) const LONGEST_SEED: usize = 400_000;

/// Damages the seeds of a reader, and more of them, until the budget is used up.
pub(crate) fn run(ending: &'static str, more: Vec<Vec<u8>>, number: u64, budget: Budget) -> Report {
    let files = seeds::seeds(ending);
    for file in &files {
        let read = read(ending, &file.bytes, OtherSolidPolicy::LeaveOut);
        assert!(read.is_ok(), "{ending}, {}: {:?}", file.name, read.err());
    }
    let mut seeds: Vec<Vec<u8>> = files.into_iter().map(|file| file.bytes).collect();
    seeds.extend(more.into_iter().filter(|seed| seed.len() <= LONGEST_SEED));
    let (start, mut report) = (Instant::now(), Report::default());
    let goes_on = |cases| cases < budget.cases && start.elapsed() < budget.time;
    while goes_on(report.cases) && report.failures.len() < 20 {
        let bytes = case(&seeds, number, report.cases);
        let (mut ended, mut taken) = tried(ending, &bytes);
        // A machine at work on other things stalls, but not on the same case again.
        for _ in 0..3 {
            if taken > SLOW {
                (ended, taken) = tried(ending, &bytes);
            }
        }
        report.add(bytes, ended, taken);
    }
    report
}

/// A seed with a few changes.
fn case(seeds: &[Vec<u8>], number: u64, case: u64) -> Vec<u8> {
    let mut random = Random(number.wrapping_add(case.wrapping_mul(0x1234_5678_9abc_def1)));
    let mut bytes = seeds[random.below(seeds.len())].clone();
    let other = random.below(seeds.len());
    // Few changes more often than many: what is refused at its first byte tries little.
    let changes = 1 + random.below(6);
    (0..=random.below(changes)).for_each(|_| damage(&mut bytes, &seeds[other], &mut random));
    bytes
}

/// What became of one case.
enum Ended {
    /// A mesh, and what is wrong with it.
    Read(Result<(), String>),
    Refused(String),
    Panicked(String),
}

fn tried(ending: &str, bytes: &[u8]) -> (Ended, Duration) {
    let start = Instant::now();
    let read = || match read(ending, bytes, OtherSolidPolicy::LeaveOut) {
        Ok(mesh) => Ended::Read(sound(&mesh, bytes.len())),
        Err(message) => Ended::Refused(message),
    };
    let ended = catch_unwind(AssertUnwindSafe(read));
    (ended.unwrap_or_else(|panic| Ended::Panicked(message(&*panic))), start.elapsed())
}

impl Report {
    fn add(&mut self, bytes: Vec<u8>, ended: Ended, taken: Duration) {
        self.cases += 1;
        self.slowest = self.slowest.max(taken);
        let wrong = match ended {
            Ended::Panicked(said) | Ended::Read(Err(said)) => said,
            _ if taken > SLOW => format!("took {taken:?}"),
            Ended::Read(Ok(())) => {
                self.read += 1;
                return;
            }
            Ended::Refused(message) => {
                *self.refused.entry(reason(&message)).or_default() += 1;
                return;
            }
        };
        self.failures.push((bytes, wrong));
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    format!("panic: {}", text.unwrap_or_default())
}
