//! The work in progress, for display to a waiting user.

use crate::Stopwatch;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Progress of a minimisation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SolveProgress {
    /// Newton iteration, from 1; 0 before the first.
    pub iteration: usize,
    /// Number of candidate pairs of surface primitives.
    pub pairs: usize,
    /// Max norm of the last Newton step, in metres; 0 before the first.
    pub step: f64,
}

/// A job in progress.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningJob {
    /// Name of the job.
    pub name: String,
    /// Time since its start.
    pub elapsed: Duration,
    /// Latest progress.
    pub progress: SolveProgress,
}

/// The list of jobs in progress on any number of threads; clones share the list.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    /// `None` if the list has no reader.
    list: Option<Arc<Mutex<List>>>,
}

#[derive(Debug, Default)]
struct List {
    begun: u64,
    jobs: BTreeMap<u64, (String, Stopwatch, SolveProgress)>,
}

impl Activity {
    /// An empty list.
    pub fn new() -> Self {
        Self { list: Some(Arc::default()) }
    }

    /// A list without a reader: writing to it costs nothing.
    pub fn unobserved() -> Self {
        Self::default()
    }

    /// Lists a job until the returned [`Job`] and all its clones are dropped. `name` is evaluated only if
    /// the list has a reader.
    pub fn begin(&self, name: impl FnOnce() -> String) -> Job {
        let Some(list) = &self.list else { return Job::default() };
        let mut open = lock_list(list);
        open.begun += 1;
        let number = open.begun;
        open.jobs.insert(number, (name(), Stopwatch::start(), SolveProgress::default()));
        Job { entry: Some(Arc::new(Entry { list: list.clone(), number })) }
    }

    /// The job that has run longest.
    pub fn longest(&self) -> Option<RunningJob> {
        let open = lock_list(self.list.as_ref()?);
        let (name, began, progress) = open.jobs.values().next()?;
        Some(RunningJob { name: name.clone(), elapsed: began.elapsed(), progress: *progress })
    }

    /// Number of jobs in progress.
    pub fn len(&self) -> usize {
        self.list.as_ref().map_or(0, |list| lock_list(list).jobs.len())
    }

    /// Whether no job is in progress.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A job on the list of an [`Activity`]; clones are the same job.
#[derive(Debug, Clone, Default)]
pub struct Job {
    entry: Option<Arc<Entry>>,
}

#[derive(Debug)]
struct Entry {
    list: Arc<Mutex<List>>,
    number: u64,
}

impl Job {
    /// Updates the job's progress.
    pub fn note(&self, progress: SolveProgress) {
        let Some(entry) = &self.entry else { return };
        if let Some(job) = lock_list(&entry.list).jobs.get_mut(&entry.number) {
            job.2 = progress;
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        lock_list(&self.list).jobs.remove(&self.number);
    }
}

/// Ignores poisoning: every write to the list is a single operation, so a panic leaves it valid.
fn lock_list(list: &Arc<Mutex<List>>) -> MutexGuard<'_, List> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_is_listed_until_its_last_clone_is_dropped() {
        let activity = Activity::new();
        let first = activity.begin(|| "first".into());
        let second = activity.begin(|| "second".into());
        let progress = SolveProgress { iteration: 7, pairs: 3, step: 0.5 };
        second.note(progress);
        assert_eq!(activity.longest().map(|job| job.name), Some("first".into()));
        let again = first.clone();
        drop(first);
        assert_eq!(activity.len(), 2);
        drop(again);
        let left = activity.longest().expect("the second goes on");
        assert_eq!((left.name.as_str(), left.progress), ("second", progress));
        drop(second);
        assert!(activity.is_empty());
    }

    #[test]
    fn unobserved_activity_does_not_evaluate_names() {
        let job = Activity::unobserved().begin(|| unreachable!("the list has no reader"));
        job.note(SolveProgress::default());
    }
}
