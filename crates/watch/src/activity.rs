//! The work in progress, for display to a waiting user.

use crate::Stopwatch;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Progress of a Newton solve.
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
    /// Wall-clock time since its start.
    pub elapsed: Duration,
    /// Latest progress.
    pub progress: SolveProgress,
}

/// The list of jobs in progress on any number of threads; clones share the list.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    /// `None` if the list has no reader.
    list: Option<Arc<Mutex<JobList>>>,
}

#[derive(Debug, Default)]
struct JobList {
    /// Identifier of the job that began last; identifiers count from 1.
    last_id: u64,
    /// Jobs in progress by their identifiers, so the first has run longest.
    jobs: BTreeMap<u64, JobState>,
}

#[derive(Debug)]
struct JobState {
    name: String,
    stopwatch: Stopwatch,
    progress: SolveProgress,
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
        let mut locked = lock_list(list);
        locked.last_id += 1;
        let id = locked.last_id;
        let (stopwatch, progress) = (Stopwatch::start(), SolveProgress::default());
        locked.jobs.insert(id, JobState { name: name(), stopwatch, progress });
        Job { entry: Some(Arc::new(ListEntry { list: list.clone(), id })) }
    }

    /// The job that has run longest; `None` if no job is in progress.
    pub fn longest(&self) -> Option<RunningJob> {
        let locked = lock_list(self.list.as_ref()?);
        let JobState { name, stopwatch, progress } = locked.jobs.values().next()?;
        Some(RunningJob { name: name.clone(), elapsed: stopwatch.elapsed(), progress: *progress })
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
    /// `None` if the list has no reader.
    entry: Option<Arc<ListEntry>>,
}

/// A job on a list; dropping it removes the job.
#[derive(Debug)]
struct ListEntry {
    list: Arc<Mutex<JobList>>,
    id: u64,
}

impl Job {
    /// Updates the job's progress.
    pub fn note(&self, progress: SolveProgress) {
        let Some(entry) = &self.entry else { return };
        if let Some(job) = lock_list(&entry.list).jobs.get_mut(&entry.id) {
            job.progress = progress;
        }
    }
}

impl Drop for ListEntry {
    fn drop(&mut self) {
        lock_list(&self.list).jobs.remove(&self.id);
    }
}

/// Locks a list and ignores poisoning: every write to the list is a single operation, so a panic leaves it valid.
fn lock_list(list: &Arc<Mutex<JobList>>) -> MutexGuard<'_, JobList> {
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
