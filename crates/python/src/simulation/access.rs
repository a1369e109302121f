//! Exclusive access to the stepper of a simulation.

use super::Simulation;
use super::state::settled_stepper;
use crate::arrays::to_vectors;
use crate::attended::{TaskOutcome, run_observed};
use crate::errors::Failure;
use crate::pool;
use crate::scene::Source;
use pyo3::prelude::*;
use resile_math::Vec3;
use resile_runner::Stepper;
use resile_watch::{Cause, Interrupt};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// The kind of the object in messages.
pub(super) const OBJECT_NAME: &str = "simulation";

/// The locked stepper; `None` after the simulation was closed.
type StepperGuard<'a> = MutexGuard<'a, Option<Stepper>>;

impl Simulation {
    /// Locks the simulation for this thread. Never waits, because the thread that holds the lock may wait for the
    /// interpreter.
    pub(super) fn lock(&self) -> Result<StepperGuard<'_>, Failure> {
        match self.stepper.try_lock() {
            Ok(guard) if guard.is_none() => Err(Failure::Closed(OBJECT_NAME)),
            Ok(guard) => Ok(guard),
            Err(TryLockError::WouldBlock) => Err(Failure::Busy(OBJECT_NAME)),
            // A panic in a step may have left the stepper without bodies.
            Err(TryLockError::Poisoned(_)) => Err(Failure::Closed(OBJECT_NAME)),
        }
    }

    /// The value of `read` at the stepper.
    pub(super) fn read<T>(&self, read: impl FnOnce(&Stepper) -> T) -> Result<T, Failure> {
        let guard = self.lock()?;
        guard.as_ref().map(read).ok_or(Failure::Closed(OBJECT_NAME))
    }

    /// Executes work on the simulation in its pool, with the interpreter released.
    pub(super) fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Stepper) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let pool = pool::get(py, self.threads)?;
        let mut guard = self.lock()?;
        let stepper = guard.as_mut().ok_or(Failure::Closed(OBJECT_NAME))?;
        let interrupt = stepper.interrupt().clone();
        let outcome = run_observed(py, pool, &interrupt, || work(stepper), |_| Ok(()));
        interrupt.lower(Cause::Asked);
        let TaskOutcome { result, exception } = outcome?;
        match exception {
            Some(exception) => Err(exception),
            None => Ok(result?),
        }
    }

    /// Index of the body with this name.
    pub(super) fn body_index(&self, name: &str) -> Result<usize, Failure> {
        let index = self.names.iter().position(|known| known == name);
        index.ok_or_else(|| Failure::Name {
            kind: "body",
            name: name.to_owned(),
            known: self.names.clone(),
        })
    }

    /// Converts the argument `name`, an array with a vector for each node of the body with this index.
    pub(super) fn node_vectors(
        &self,
        body: usize,
        name: &str,
        argument: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<Vec3>> {
        let node_count = self.read(|stepper| stepper.world().state(body).positions.len())?;
        to_vectors(name, argument, Some(node_count))
    }

    /// A simulation at the start of a scene, by default with the number of threads of this process.
    pub(super) fn from_source(
        source: Source,
        requested_threads: Option<usize>,
        py: Python<'_>,
    ) -> PyResult<Self> {
        let threads = pool::threads(py, requested_threads)?;
        let pool = pool::get(py, threads)?;
        let interrupt = Interrupt::new();
        let work = || settled_stepper(&source, &interrupt);
        let TaskOutcome { result, exception } =
            run_observed(py, pool, &interrupt, work, |_| Ok(()))?;
        if let Some(exception) = exception {
            return Err(exception);
        }
        let stepper = result?;
        let world = stepper.world();
        let names = (0..world.body_count()).map(|body| world.name(body).to_owned()).collect();
        let collider_names = stepper.collider_names();
        Ok(Self {
            source,
            requested_threads,
            threads,
            names,
            collider_names,
            stepper: Mutex::new(Some(stepper)),
            drag: Mutex::new(None),
        })
    }
}
