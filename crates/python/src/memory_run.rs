//! Runs that are held in memory.

use crate::errors::Failure;
use crate::playback::{Playback, table_of};
use crate::run::{existing, open_folder};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use resile_files::{Folder, Kind, MemoryFolder};
use resile_record::{Existing, OutputError, copy_run};
use std::io;
use std::path::{Path, PathBuf};

/// The files of a run, held in memory.
#[pyclass(frozen, module = "resile._resile")]
#[derive(Debug)]
pub(crate) struct MemoryRun {
    memory: MemoryFolder,
}

impl MemoryRun {
    /// A run whose files are in `memory`.
    pub(crate) fn new(memory: MemoryFolder) -> Self {
        Self { memory }
    }
}

#[pymethods]
impl MemoryRun {
    /// Total length of the files (bytes).
    #[getter]
    fn nbytes(&self) -> u64 {
        self.memory.bytes()
    }

    /// `summary.json`; `None` if there is none.
    fn summary(&self) -> Option<String> {
        self.memory.folder().read_text("summary.json", u64::MAX).ok()
    }

    /// Whether there is a file of this name.
    fn has_file(&self, name: &str) -> bool {
        matches!(self.memory.folder().kind(name), Ok(Some(Kind::File { .. })))
    }

    /// The columns of a table such as `history`: float64 with NaN for empty cells, or texts.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let path = MemoryFolder::path().join(format!("{name}.csv"));
        self.memory.mounted(|| table_of(py, &path, Path::new(&format!("{name}.csv"))))
    }

    /// The frames.
    fn playback(&self, py: Python<'_>) -> PyResult<Playback> {
        py.detach(|| Playback::in_memory(self.memory.clone())).map_err(PyErr::from)
    }

    /// Writes the files to a folder, synced to disk.
    #[pyo3(signature = (folder, *, force = false))]
    fn save(&self, py: Python<'_>, folder: PathBuf, force: bool) -> PyResult<()> {
        let existing = existing(false, force)?;
        let result = py.detach(|| copy_run(&self.memory.folder(), &folder, existing));
        result.map_err(|error| copy_failure(&folder, &error))
    }

    /// Reads the files of the run in a folder.
    #[staticmethod]
    fn read(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let source = open_folder(&folder)?;
        let memory = MemoryFolder::new();
        let copy = || copy_run(&source, MemoryFolder::path(), Existing::Refuse);
        let result = py.detach(|| memory.mounted(copy));
        result.map_err(|error| Failure::file(folder.display(), error))?;
        Ok(Self { memory })
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let mut files = Vec::new();
        let result = read_files(&slf.get().memory.folder(), "", &mut |path, contents| {
            files.push((path, PyBytes::new(py, &contents)));
        });
        result.map_err(|error| Failure::file("", error))?;
        Ok((slf.get_type().getattr("_restored")?, (files,).into_pyobject(py)?))
    }

    /// Restores a run from the content of a pickle: paths and contents of its files.
    #[staticmethod]
    fn _restored(files: Vec<(String, Vec<u8>)>) -> PyResult<Self> {
        let memory = MemoryFolder::new();
        for (path, contents) in files {
            let result = write_file(&memory.folder(), &path, &contents);
            result.map_err(|error| Failure::file(path, error))?;
        }
        Ok(Self { memory })
    }
}

/// Calls `visit` with the path and the contents of each file of a folder and its subfolders. `prefix` is the path of
/// the folder with a final `/`, empty for the folder of the run.
fn read_files(
    folder: &Folder,
    prefix: &str,
    visit: &mut impl FnMut(String, Vec<u8>),
) -> io::Result<()> {
    for name in folder.names()? {
        let path = format!("{prefix}{}", name.to_string_lossy());
        match folder.kind(&name)? {
            Some(Kind::File { .. }) => visit(path, folder.read(&name, u64::MAX)?),
            Some(Kind::Folder) => read_files(&folder.folder(&name)?, &format!("{path}/"), visit)?,
            _ => {}
        }
    }
    Ok(())
}

/// Writes a file to a path relative to `folder`, whose names are separated by `/`; creates its subfolders.
fn write_file(folder: &Folder, path: &str, contents: &[u8]) -> io::Result<()> {
    match path.split_once('/') {
        Some((first, rest)) => write_file(&folder.create_folder(first)?, rest, contents),
        None => folder.write_new(path, contents),
    }
}

/// Copies a run from one folder to another.
#[pyfunction(name = "copy_run")]
#[pyo3(signature = (run, folder, *, force = false))]
pub(crate) fn copy_of_run(
    py: Python<'_>,
    run: PathBuf,
    folder: PathBuf,
    force: bool,
) -> PyResult<()> {
    let existing = existing(false, force)?;
    let source = open_folder(&run)?;
    let result = py.detach(|| copy_run(&source, &folder, existing));
    result.map_err(|error| copy_failure(&folder, &error))
}

/// Exception of a run that cannot be written to `folder`.
fn copy_failure(folder: &Path, error: &OutputError) -> PyErr {
    let failure = match error {
        OutputError::Exists { .. } => {
            Failure::file(folder.display(), format!("{} already holds a run", folder.display()))
                .with_remedy("force=True replaces it; or choose another folder")
        }
        other => Failure::file(folder.display(), other),
    };
    failure.into()
}
