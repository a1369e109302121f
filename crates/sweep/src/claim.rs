//! Exclusive claim of a run by one process.

use crate::folder::{FolderError, SweepFolder};
use crate::outcome::State;
use resile_record::{Existing, OutputError, RunLock};
use std::time::Duration;

/// Interval at which a run that another process writes is tried again.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The action that the claim of a run permits.
#[derive(Debug)]
pub enum Claim {
    /// No action: the run is complete, or it has failed and is not to be repeated.
    Done(State),
    /// Start or continue the run in this folder, which no other process can claim meanwhile.
    Run {
        /// The locked folder of the run.
        lock: RunLock,
        /// Treatment of existing files in the folder.
        existing: Existing,
    },
    /// No action: another process writes the run, and `stop` ended the wait.
    Stopped,
}

/// A run cannot be claimed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// The folder of the sweep or of the run cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The run's files cannot be used.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl SweepFolder {
    /// Waits until no other process writes a run, and returns the action to be taken. A failed run is claimed
    /// only with `retry`.
    ///
    /// After a sweep is killed, the process of a run may write until the end of its step; a resumed sweep waits for it.
    ///
    /// # Errors
    /// If files cannot be read or created.
    pub fn claim(
        &self,
        run: usize,
        retry: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<Claim, ClaimError> {
        let lock = loop {
            match self.lock_run(run) {
                Ok(lock) => break lock,
                Err(FolderError::Run(OutputError::Busy { .. })) if stop() => {
                    return Ok(Claim::Stopped);
                }
                Err(FolderError::Run(OutputError::Busy { .. })) => {
                    std::thread::sleep(POLL_INTERVAL);
                }
                Err(other) => return Err(other.into()),
            }
        };
        let existing = match lock.check(Existing::Resume) {
            Ok(()) => Existing::Resume,
            // The run was killed before its first checkpoint, so it begins anew.
            Err(OutputError::NothingToResume { .. }) => Existing::Replace,
            Err(other) => return Err(other.into()),
        };
        let outcome = if retry { self.checked_outcome(run) } else { self.outcome(run) };
        let (state, existing) = match outcome {
            Ok(outcome) => (outcome.state, existing),
            // A run with damaged files begins anew.
            Err(FolderError::DamagedRun { .. }) => (State::Failed, Existing::Replace),
            Err(other) => return Err(other.into()),
        };
        if state.is_final() && !(retry && state == State::Failed) {
            return Ok(Claim::Done(state));
        }
        self.remove_failure(run)?;
        Ok(Claim::Run { lock, existing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Design, StoredPlan};
    use resile_record::RunFolder;

    fn folder(outer: &std::path::Path) -> SweepFolder {
        let plan = StoredPlan {
            format: StoredPlan::FORMAT,
            name: "die".into(),
            scene: "die".into(),
            set: Vec::new(),
            vary: vec!["a=1,2".into()],
            design: Design::Grid,
            steps: None,
            results: Vec::new(),
        };
        SweepFolder::create(outer, &plan, "").expect("there is room")
    }

    #[test]
    fn run_is_claimed_by_its_state() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let folder = folder(outer.path());
        let claim = |retry| folder.claim(0, retry, &|| false).expect("it can be claimed");
        assert!(matches!(claim(false), Claim::Run { existing: Existing::Resume, .. }));
        let path = folder.run_path(0);
        std::fs::write(path.join("history.csv"), "step,time,h,kinetic,potential\n").expect("room");
        assert!(matches!(claim(false), Claim::Run { existing: Existing::Replace, .. }));
        std::fs::write(path.join("checkpoint"), "").expect("there is room");
        assert!(matches!(claim(false), Claim::Run { existing: Existing::Resume, .. }));
        folder.write_failure(0, "no").expect("there is room");
        assert!(matches!(claim(false), Claim::Done(State::Failed)));
        assert!(matches!(claim(true), Claim::Run { .. }));
        assert_eq!(folder.outcome(0).expect("it can be read").state, State::Interrupted);
    }

    /// Between its claim and its start no other process can take a run.
    #[test]
    fn claimed_run_cannot_be_claimed_again() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let folder = folder(outer.path());
        let claimed = folder.claim(0, false, &|| false).expect("it is free");
        assert!(matches!(folder.claim(0, false, &|| true), Ok(Claim::Stopped)));
        let Claim::Run { lock, existing } = claimed else { panic!("it has not begun") };
        let begun = lock.open(existing).expect("it is locked by us");
        assert!(matches!(folder.claim(0, false, &|| true), Ok(Claim::Stopped)));
        drop(begun);
        assert!(matches!(folder.claim(0, false, &|| true), Ok(Claim::Run { .. })));
    }

    #[test]
    fn run_written_by_another_process_is_awaited() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let folder = folder(outer.path());
        let path = folder.create_run(1).expect("there is room");
        let writer = RunFolder::open(path, Existing::Resume).expect("it is free");
        assert!(matches!(folder.claim(1, false, &|| true), Ok(Claim::Stopped)));
        let held = std::cell::RefCell::new(Some(writer));
        let let_go = || {
            held.borrow_mut().take();
            false
        };
        assert!(matches!(folder.claim(1, false, &let_go), Ok(Claim::Run { .. })));
    }
}
