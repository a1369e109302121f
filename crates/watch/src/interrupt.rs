//! A shared flag that requests work to stop.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Cause for which work should stop, in ascending priority. [`Interrupt::cause`] reports the highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The time limit is exceeded.
    Time,
    /// The memory limit is exceeded.
    Memory,
    /// The caller or the user requested to stop.
    Asked,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "it took too long",
            Self::Memory => "it took too much memory",
            Self::Asked => "it was asked to stop",
        })
    }
}

/// A flag that requests work to stop, with the cause; clones share the flag. Polling it is one atomic
/// load, and one more for each [parent](Self::child).
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    /// Zero, or one plus the discriminant of the cause.
    state: Arc<AtomicU8>,
    parent: Option<Arc<Self>>,
}

impl Interrupt {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag of its own for a part of the work: it is also raised while this one is raised, but not the other way
    /// round.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { state: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }

    /// Requests the work to stop for this cause, unless a cause of higher priority is set.
    pub fn raise(&self, cause: Cause) {
        self.state.fetch_max(code(cause), Ordering::SeqCst);
    }

    /// Clears the flag if it has this cause.
    pub fn lower(&self, cause: Cause) {
        let _ = self.state.compare_exchange(code(cause), 0, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// The cause, if the flag is raised.
    pub fn cause(&self) -> Option<Cause> {
        let state = self.state.load(Ordering::SeqCst);
        let causes = [Cause::Time, Cause::Memory, Cause::Asked];
        let own = causes.into_iter().find(|&cause| code(cause) == state);
        own.max(self.parent.as_ref().and_then(|parent| parent.cause()))
    }

    /// Whether the flag is raised.
    pub fn is_raised(&self) -> bool {
        self.state.load(Ordering::Relaxed) != 0
            || self.parent.as_ref().is_some_and(|parent| parent.is_raised())
    }
}

/// Value of [`Interrupt::state`] for a cause.
fn code(cause: Cause) -> u8 {
    match cause {
        Cause::Time => 1,
        Cause::Memory => 2,
        Cause::Asked => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn child_follows_its_parent_and_keeps_its_own_causes() {
        let parent = Interrupt::new();
        let [first, second] = [(); 2].map(|()| parent.child());
        first.raise(Cause::Memory);
        assert_eq!([&parent, &first, &second].map(Interrupt::is_raised), [false, true, false]);
        parent.raise(Cause::Asked);
        assert_eq!([&first, &second].map(Interrupt::cause), [Some(Cause::Asked); 2]);
        first.lower(Cause::Memory);
        parent.lower(Cause::Asked);
        assert_eq!([&parent, &first, &second].map(Interrupt::cause), [None; 3]);
    }

    #[test]
    fn clones_share_one_flag_and_a_request_outranks_limits() {
        let [flag, other] = {
            let flag = Interrupt::new();
            [flag.clone(), flag]
        };
        assert_eq!((flag.is_raised(), flag.cause()), (false, None));
        other.raise(Cause::Time);
        assert_eq!((flag.is_raised(), flag.cause()), (true, Some(Cause::Time)));
        other.raise(Cause::Asked);
        other.raise(Cause::Memory);
        flag.lower(Cause::Memory);
        assert_eq!(flag.cause(), Some(Cause::Asked));
        flag.lower(Cause::Asked);
        assert_eq!(other.cause(), None);
    }
}
