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
    /// Finished work, in the unit of `total`.
    done: usize,
    /// Total work, in a unit that the format chooses (samples or vertex samples).
    total: usize,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(callback: &'a mut dyn FnMut(f64) -> ControlFlow<()>) -> Self {
        Self { callback, done: 0, total: 0 }
    }

    /// Sets the total work.
    pub(crate) fn set_total(&mut self, total: usize) {
        self.total = total;
    }

    /// Adds finished work and reports the finished fraction to the caller. Returns an error if the caller cancels.
    pub(crate) fn advance(&mut self, work: usize) -> Result<(), ExportError> {
        self.done += work;
        match (self.callback)((self.done as f64 / self.total.max(1) as f64).min(1.0)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ExportError::Stopped),
        }
    }
}

/// Writer of the files of an export, which also reports progress.
pub(crate) struct Output<'a> {
    destination: &'a mut dyn Destination,
    progress: Progress<'a>,
    /// Number of files begun.
    pub(crate) files: usize,
}

impl<'a> Output<'a> {
    pub(crate) fn new(destination: &'a mut dyn Destination, progress: Progress<'a>) -> Self {
        Self { destination, progress, files: 0 }
    }

    /// Writes a file with the bytes that `write` produces.
    pub(crate) fn write_file(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), ExportError> {
        self.stream_file(name, |_, out| Ok(write(out)?))
    }

    /// Writes a file while `write` reads the run and reports its progress.
    pub(crate) fn stream_file(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Progress<'a>, &mut dyn Write) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        self.files += 1;
        let (destination, progress) = (&mut *self.destination, &mut self.progress);
        let result = destination.create(name).map_err(ExportError::from).and_then(|file| {
            let mut file = BufWriter::with_capacity(1 << 16, file);
            write(progress, &mut file)?;
            Ok(file.flush()?)
        });
        result.map_err(|error| error.with_file_name(name))
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
