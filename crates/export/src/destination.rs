//! Destination of the written files, and progress of an export.

use crate::ExportError;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;

/// Destination of files: a folder, an archive, memory.
pub trait Destination {
    /// Begins a file with this name; one file is written at a time.
    ///
    /// # Errors
    /// If the system refuses.
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>>;
}

/// Progress of an export, with the caller's callback.
pub(crate) struct Progress<'a> {
    callback: &'a mut dyn FnMut(f64) -> ControlFlow<()>,
    /// Finished and total work, in the same unit.
    done: usize,
    total: usize,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(callback: &'a mut dyn FnMut(f64) -> ControlFlow<()>) -> Self {
        Self { callback, done: 0, total: 0 }
    }

    /// Sets the total work.
    pub(crate) fn expect(&mut self, total: usize) {
        self.total = total;
    }

    /// Adds finished work and reports progress; an error if the caller cancels.
    pub(crate) fn advance(&mut self, work: usize) -> Result<(), ExportError> {
        self.done += work;
        match (self.callback)((self.done as f64 / self.total.max(1) as f64).min(1.0)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ExportError::Stopped),
        }
    }
}

/// The files being written, with progress.
pub(crate) struct Output<'a> {
    destination: &'a mut dyn Destination,
    progress: Progress<'a>,
    /// Number of files so far.
    pub(crate) files: usize,
}

impl<'a> Output<'a> {
    pub(crate) fn new(destination: &'a mut dyn Destination, progress: Progress<'a>) -> Self {
        Self { destination, progress, files: 0 }
    }

    /// Writes a complete file.
    pub(crate) fn file(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), ExportError> {
        self.stream(name, |_, out| Ok(write(out)?))
    }

    /// Writes a file incrementally while the run is read.
    pub(crate) fn stream(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Progress<'a>, &mut dyn Write) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        self.files += 1;
        let (destination, progress) = (&mut *self.destination, &mut self.progress);
        let written = destination.create(name).map_err(ExportError::from).and_then(|file| {
            let mut file = BufWriter::with_capacity(1 << 16, file);
            write(progress, &mut file)?;
            Ok(file.flush()?)
        });
        written.map_err(|error| error.in_file(name))
    }
}

impl<'a> AsMut<Progress<'a>> for Output<'a> {
    fn as_mut(&mut self) -> &mut Progress<'a> {
        &mut self.progress
    }
}

impl<'a> AsMut<Self> for Progress<'a> {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}
