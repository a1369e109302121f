//! The work in progress, for display to a waiting user.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How far a minimisation is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reading {
    /// Newton iteration, from 1; 0 before the first.
    pub iteration: usize,
    /// Pairs of surface pieces that may come near each other.
    pub pairs: usize,
    /// Max norm of the last Newton step, in metres; 0 before the first.
    pub step: f64,
}

/// A piece of work that has begun and not ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ongoing {
    /// What it works on.
    pub name: String,
    /// For how long.
    pub lasts: Duration,
    /// How far it is.
    pub reading: Reading,
}

/// The work that goes on, by any number of threads; clones are the same list.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    /// `None` where activities are not observed.
    list: Option<Arc<Mutex<List>>>,
}

#[derive(Debug, Default)]
struct List {
    begun: u64,
    jobs: BTreeMap<u64, (String, Instant, Reading)>,
}

impl Activity {
    /// A list without any work.
    pub fn new() -> Self {
        Self { list: Some(Arc::default()) }
    }

    /// A list without a reader: writing to it costs nothing.
    pub fn unseen() -> Self {
        Self::default()
    }

    /// Lists a piece of work until the [`Job`] and all its clones are dropped. The name is only
    /// evaluated only if the list has a reader.
    pub fn begin(&self, name: impl FnOnce() -> String) -> Job {
        let Some(list) = &self.list else { return Job::default() };
        let mut open = locked(list);
        open.begun += 1;
        let number = open.begun;
        open.jobs.insert(number, (name(), Instant::now(), Reading::default()));
        Job { entry: Some(Arc::new(Entry { list: list.clone(), number })) }
    }

    /// The piece of work that has lasted longest.
    pub fn longest(&self) -> Option<Ongoing> {
        let open = locked(self.list.as_ref()?);
        let (name, began, reading) = open.jobs.values().next()?;
        Some(Ongoing { name: name.clone(), lasts: began.elapsed(), reading: *reading })
    }

    /// How many pieces of work go on.
    pub fn len(&self) -> usize {
        self.list.as_ref().map_or(0, |list| locked(list).jobs.len())
    }

    /// Whether nothing goes on.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A piece of work on the list of an [`Activity`]; clones are the same piece.
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
    /// Notes how far it is.
    pub fn note(&self, reading: Reading) {
        let Some(entry) = &self.entry else { return };
        if let Some(job) = locked(&entry.list).jobs.get_mut(&entry.number) {
            job.2 = reading;
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        locked(&self.list).jobs.remove(&self.number);
    }
}

/// A thread that panicked has left the list as it was: nothing here is written in parts.
fn locked(list: &Arc<Mutex<List>>) -> MutexGuard<'_, List> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_listed_from_its_beginning_until_its_last_clone_is_dropped() {
        let activity = Activity::new();
        let first = activity.begin(|| "first".into());
        let second = activity.begin(|| "second".into());
        let reading = Reading { iteration: 7, pairs: 3, step: 0.5 };
        second.note(reading);
        assert_eq!(activity.longest().map(|job| job.name), Some("first".into()));
        let again = first.clone();
        drop(first);
        assert_eq!(activity.len(), 2);
        drop(again);
        let left = activity.longest().expect("the second goes on");
        assert_eq!((left.name.as_str(), left.reading), ("second", reading));
        drop(second);
        assert!(activity.is_empty());
    }

    #[test]
    fn nobody_is_asked_for_a_name_that_nobody_reads() {
        let job = Activity::unseen().begin(|| unreachable!("the list has no reader"));
        job.note(Reading::default());
    }
}
