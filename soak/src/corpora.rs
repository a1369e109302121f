//! The corpora of `fuzz`, as they are and damaged, given to the targets of cargo-fuzz without it.

use crate::damage;
use crate::random::Random;
use crate::targets::{TARGETS, Target};
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The most that one input may take.
const SLOW: Duration = Duration::from_secs(20);

/// A target with its inputs.
pub(crate) struct Corpus {
    name: &'static str,
    target: Target,
    inputs: Vec<(PathBuf, Vec<u8>)>,
}

/// The corpora of all targets.
pub(crate) fn all() -> io::Result<Vec<Corpus>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    let read = |(name, target)| {
        let entries = fs::read_dir(folder.join(name))?;
        let mut files = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        files.sort();
        let inputs = files.into_iter().map(|file| Ok((file.clone(), fs::read(&file)?)));
        Ok(Corpus { name, target, inputs: inputs.collect::<io::Result<_>>()? })
    };
    TARGETS.into_iter().map(read).collect()
}

impl Corpus {
    /// Every input as it is: how many there are, and those that failed.
    pub(crate) fn replay(&self) -> (usize, Vec<String>) {
        let tried = |(file, input): &(PathBuf, Vec<u8>)| {
            self.failure(input).map(|why| format!("{}: {why}", file.display()))
        };
        (self.inputs.len(), self.inputs.iter().filter_map(tried).collect())
    }

    /// Damaged inputs until the time is over: how many there were, and the first that failed, which is
    /// written to `keep`.
    pub(crate) fn damaged(&self, time: Duration, seed: u64, keep: &Path) -> (u64, Option<String>) {
        let (begun, mut cases) = (Instant::now(), 0);
        while begun.elapsed() < time {
            let mut random = Random::new(seed, cases);
            cases += 1;
            let (_, input) = random.pick(&self.inputs);
            let mut input = input.clone();
            (0..=random.below(4)).for_each(|_| damage::bytes(&mut input, &mut random));
            if let Some(why) = self.failure(&input) {
                let file = keep.join(format!("fuzz-{}-{seed}-{}", self.name, cases - 1));
                let kept = fs::create_dir_all(keep).and_then(|()| fs::write(&file, &input));
                let place =
                    kept.map_or_else(|error| error.to_string(), |()| file.display().to_string());
                return (cases, Some(format!("{}: {why}; input: {place}", self.name)));
            }
        }
        (cases, None)
    }

    /// The name of the target.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    fn failure(&self, input: &[u8]) -> Option<String> {
        let begun = Instant::now();
        let ended = catch_unwind(AssertUnwindSafe(|| (self.target)(input)));
        let taken = begun.elapsed();
        match ended {
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
                Some(format!("panic: {}", text.unwrap_or_default()))
            }
            Ok(()) if taken > SLOW => Some(format!("took {taken:?}")),
            Ok(()) => None,
        }
    }
}

/// Replays all corpora and damages them for so long, in equal parts; whether nothing failed.
pub(crate) fn run(time: Duration, seed: u64, keep: &Path) -> io::Result<bool> {
    let corpora = all()?;
    let mut good = true;
    for corpus in &corpora {
        let (inputs, mut failures) = corpus.replay();
        let (cases, failure) = corpus.damaged(time / corpora.len() as u32, seed, keep);
        failures.extend(failure);
        println!(
            "{:<12}{inputs:>6} inputs{cases:>9} damaged{:>6} failed",
            corpus.name(),
            failures.len()
        );
        failures.iter().for_each(|failure| println!("    {failure}"));
        good &= failures.is_empty();
    }
    Ok(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_corpus_replays_without_failure() {
        for corpus in all().expect("they are in the repository") {
            let (inputs, failures) = corpus.replay();
            assert!(inputs > 0, "{}", corpus.name());
            assert_eq!(failures, [""; 0], "{}", corpus.name());
        }
    }
}
