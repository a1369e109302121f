//! Output of a run as arrays.

use crate::arrays::{frozen, row_array};
use crate::errors::Failure;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use resile_files::MemoryFolder;
use resile_record::{Cells, PlaybackError, PlayedBody, PlayedFrame};
use std::path::{Path, PathBuf};

/// The frames of a run.
#[pyclass(frozen, module = "resile._resile")]
#[derive(Debug)]
pub(crate) struct Playback {
    run: resile_record::Playback,
    folder: PathBuf,
    /// The files of the run, if it is held in memory.
    memory: Option<MemoryFolder>,
}

impl Playback {
    /// Opens a run in memory.
    pub(crate) fn in_memory(memory: MemoryFolder) -> Result<Self, Failure> {
        let folder = MemoryFolder::path().to_owned();
        let opened = memory.mounted(|| resile_record::Playback::open(&folder));
        // The path in memory is internal, so the error has no path.
        let run = opened.map_err(|error| Failure::file("", readable(&error)))?;
        Ok(Self { run, folder, memory: Some(memory) })
    }

    /// Reads the frame with the index `number`.
    fn read_frame(&self, number: usize) -> Result<PlayedFrame, PlaybackError> {
        let read = || self.run.frame(number);
        self.memory.as_ref().map_or_else(read, |memory| memory.mounted(read))
    }
}

#[pymethods]
impl Playback {
    /// Opens the folder of a run.
    #[new]
    fn new(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| resile_record::Playback::open(&folder));
        let run = opened.map_err(|error| Failure::file(folder.display(), error))?;
        Ok(Self { run, folder, memory: None })
    }

    /// Times (s) of the frames.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        frozen(PyArray1::from_slice(py, self.run.times()))
    }

    /// Bodies of the frames: name, role, first and last vertex, triangles (m, 3), edges (m, 2) and radius of each.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.run.bodies().iter().map(|body| body_entry(py, body)).collect()
    }

    /// Fixed obstacles, with positions (n, 3) in metres.
    #[getter]
    fn still<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let entries = self.run.still().iter().map(|obstacle| {
            let entry = body_entry(py, &obstacle.body)?;
            let positions = row_array(py, obstacle.positions.iter().copied())?;
            entry.set_item("positions", frozen(positions))?;
            Ok(entry)
        });
        entries.collect()
    }

    /// The frame with the index `number`: positions (n, 3) of all vertices (m) and fields by name, (n,) or (n,
    /// components).
    fn frame<'py>(
        &self,
        py: Python<'py>,
        number: usize,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        if number >= self.run.times().len() {
            let message =
                format!("there is no frame {number}; there are {}", self.run.times().len());
            return Err(Failure::argument("number", number, message).into());
        }
        let read = py.detach(|| self.read_frame(number));
        let frame = read.map_err(|error| Failure::file(self.folder.display(), error))?;
        let fields = PyDict::new(py);
        for field in frame.fields {
            let values = PyArray1::from_vec(py, field.values);
            if field.components == 1 {
                fields.set_item(field.name, frozen(values))?;
            } else {
                let rows = values.reshape([frame.positions.len(), field.components])?;
                fields.set_item(field.name, frozen(rows))?;
            }
        }
        let positions = frozen(row_array(py, frame.positions.into_iter())?);
        Ok((positions.into_any(), fields))
    }
}

/// A body as a dictionary, with triangles and edges by its own vertices.
fn body_entry<'py>(py: Python<'py>, body: &PlayedBody) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    let first_vertex = body.vertices.start as u32;
    entry.set_item("name", &body.name)?;
    entry.set_item("role", body.role.word())?;
    entry.set_item("vertices", (body.vertices.start, body.vertices.end))?;
    let triangles =
        body.triangles.iter().map(|triangle| triangle.map(|v| (v - first_vertex) as i32));
    entry.set_item("triangles", frozen(row_array(py, triangles)?))?;
    let edges = body.edges.iter().map(|edge| edge.map(|v| (v - first_vertex) as i32));
    entry.set_item("edges", frozen(row_array(py, edges)?))?;
    entry.set_item("radius", body.radius)?;
    Ok(entry)
}

/// The columns of a table such as `history.csv`: float64 with NaN for empty cells, or texts.
#[pyfunction]
pub(crate) fn read_table<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyDict>> {
    table_of(py, &path, &path)
}

/// Reads the columns of the table at `path`, which messages call `name`, as [`read_table`] does.
pub(crate) fn table_of<'py>(
    py: Python<'py>,
    path: &Path,
    name: &Path,
) -> PyResult<Bound<'py, PyDict>> {
    let read = py.detach(|| Cells::read_table(path));
    let columns = read.map_err(|error| Failure::file(name.display(), readable(&error)))?;
    let table = PyDict::new(py);
    for (name, cells) in columns {
        let column = match cells {
            Cells::Numbers(values) => {
                let values = values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect();
                frozen(PyArray1::from_vec(py, values)).into_any()
            }
            Cells::Texts(texts) => text_array(py, texts)?,
        };
        table.set_item(name, column)?;
    }
    Ok(table)
}

/// A read-only array of texts, of the type `str_` of NumPy.
fn text_array(py: Python<'_>, texts: Vec<String>) -> PyResult<Bound<'_, PyAny>> {
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("array", (texts, numpy.getattr("str_")?))?;
    array.call_method1("setflags", (false,))?;
    Ok(array)
}

/// The text of an error, without the path of files in memory, which no file system has.
fn readable(error: &impl ToString) -> String {
    let path = MemoryFolder::path().display().to_string();
    error.to_string().replace(&format!("{path}/"), "").replace(&path, "the run in memory")
}
