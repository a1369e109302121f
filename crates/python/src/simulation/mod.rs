//! Stepping of a scene from Python.

mod access;
mod drag;
mod results;
mod state;

use crate::arrays::{row_array, to_bytes, to_vector, vector_array};
use crate::counts;
use crate::errors::Failure;
use crate::scene::{Scene, Source};
use access::OBJECT_NAME;
use drag::{Drag, drag_point};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use resile_runner::Stepper;
use results::{contact_entries, energy_entries};
use state::{load_state, set_state};
use std::sync::Mutex;

/// A scene that advances one step per call, in memory. Its steps are bitwise equal to those of a run of the scene.
#[pyclass(frozen, subclass, module = "resile")]
#[derive(Debug)]
pub(crate) struct Simulation {
    source: Source,
    /// Requested number of threads; `None` for the default of the process.
    requested_threads: Option<usize>,
    threads: usize,
    /// Names of the bodies.
    names: Vec<String>,
    /// Names of bodies and obstacles, by their collider indices in contact forces.
    collider_names: Vec<String>,
    /// `None` after the simulation was closed.
    stepper: Mutex<Option<Stepper>>,
    /// The drag of a point by `pull`.
    drag: Mutex<Option<Drag>>,
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, *, threads = None))]
    fn new(
        py: Python<'_>,
        scene: &Scene,
        #[pyo3(from_py_with = counts::threads)] threads: Option<usize>,
    ) -> PyResult<Self> {
        Self::from_source(scene.source(), threads, py)
    }

    /// Takes `n` steps.
    #[pyo3(signature = (n = 1))]
    fn step(&self, py: Python<'_>, #[pyo3(from_py_with = counts::n)] n: u64) -> PyResult<()> {
        self.work(py, |stepper| {
            for _ in 0..n {
                let step = stepper.steps() + 1;
                stepper.advance().map_err(|error| Failure::of_run(step, error))?;
            }
            Ok(())
        })
    }

    /// Names of the bodies, copies and moving obstacles included.
    #[getter]
    fn bodies(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Number of steps taken.
    #[getter]
    fn steps(&self) -> PyResult<u64> {
        Ok(self.read(Stepper::steps)?)
    }

    /// Number of steps up to the duration of the scene.
    #[getter]
    fn steps_asked(&self) -> PyResult<u64> {
        Ok(self.read(Stepper::steps_asked)?)
    }

    /// Simulated time (s).
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.read(Stepper::time)?)
    }

    /// Length of a step (s).
    #[getter]
    fn h(&self) -> PyResult<f64> {
        Ok(self.read(|stepper| stepper.scene().time.step.seconds())?)
    }

    /// Positions (m) of the nodes of a body: (n, 3) float64, a copy.
    fn positions<'py>(&self, py: Python<'py>, body: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let body = self.body_index(body)?;
        let rows = self.read(|stepper| stepper.world().state(body).positions.clone())?;
        vector_array(py, &rows)
    }

    /// Velocities (m/s) of the nodes of a body: (n, 3) float64, a copy.
    fn velocities<'py>(&self, py: Python<'py>, body: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let body = self.body_index(body)?;
        let rows = self.read(|stepper| stepper.world().state(body).velocities.clone())?;
        vector_array(py, &rows)
    }

    /// Masses (kg) of the nodes of a body: (n,) float64.
    fn masses<'py>(&self, py: Python<'py>, body: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let body = self.body_index(body)?;
        let masses = self.read(|stepper| stepper.world().masses(body).to_vec())?;
        Ok(PyArray1::from_vec(py, masses))
    }

    /// Positions (m) of the points of a body's surface: (p, 3) float64. Those of an affine body follow from its four
    /// nodes.
    fn points<'py>(&self, py: Python<'py>, body: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let body = self.body_index(body)?;
        let rows = self.read(|stepper| {
            let nodes = &stepper.world().state(body).positions;
            stepper.meshes()[body].surface.points(nodes).into_owned()
        })?;
        vector_array(py, &rows)
    }

    /// Triangles of a body's surface: (m, 3) int32 indices of points.
    fn triangles<'py>(&self, py: Python<'py>, body: &str) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let body = self.body_index(body)?;
        let rows = self.read(|stepper| stepper.meshes()[body].surface.triangles().to_vec())?;
        row_array(py, rows.into_iter().map(|row| row.map(|k| k as i32)))
    }

    /// Tetrahedra of a solid: (m, 4) int32 indices of points; empty for other bodies.
    fn tetrahedra<'py>(&self, py: Python<'py>, body: &str) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let body = self.body_index(body)?;
        let rows = self.read(|stepper| stepper.meshes()[body].tets.clone())?;
        row_array(py, rows.into_iter().map(|row| row.map(|k| k as i32)))
    }

    /// Energies (J): `kinetic`, `potential`, `total`, `target` (if the energy is controlled) and each term by its name
    /// in `terms`; since the start, `dissipated` (by cause in `heat`), `work` and `rest_loss`; `min_distance` (m) and
    /// `min_det_f` of the state.
    fn energies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (observation, flows, heat) = self.work(py, |stepper| {
            Ok((stepper.world_mut().observe(), stepper.flows(), stepper.heat()))
        })?;
        energy_entries(py, &observation, &flows, &heat)
    }

    /// Contact forces over a step that begins now, by pairs of colliders and on the points of each body, as a
    /// `resile.Contacts`.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let forces = self.work(py, |stepper| {
            let h = stepper.scene().time.step.seconds();
            Ok(stepper.world_mut().contact_forces(h))
        })?;
        let entries = contact_entries(py, forces, self)?;
        py.import("resile._results")?.getattr("Contacts")?.call((), Some(&entries))
    }

    /// Sets positions (n, 3) in metres and velocities (n, 3) in m/s of the nodes of a body; those that are not given do
    /// not change. The history that the integrator stores for the body is cleared. Raises an exception and changes
    /// nothing if bodies would intersect or an element would be inverted.
    #[pyo3(signature = (body, positions = None, velocities = None))]
    fn set_state(
        &self,
        py: Python<'_>,
        body: &str,
        positions: Option<Bound<'_, PyAny>>,
        velocities: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let index = self.body_index(body)?;
        let to_node_vectors = |name, argument: Option<Bound<'_, PyAny>>| {
            argument.map(|argument| self.node_vectors(index, name, &argument)).transpose()
        };
        let positions = to_node_vectors("positions", positions)?;
        let velocities = to_node_vectors("velocities", velocities)?;
        self.work(py, |stepper| set_state(stepper, (index, body), positions, velocities))
    }

    /// Drags a point of a body's surface, given by its index, by a damped spring until `let_go` is called. The free end
    /// of the spring moves straight to `place` (3,) in metres during the next step. The stiffness corresponds to an
    /// angular frequency of 20 rad/s for the mass of the body. The work of the spring is in `energies()["work"]`. The
    /// spring is not part of a saved state.
    fn pull(
        &self,
        py: Python<'_>,
        body: &str,
        #[pyo3(from_py_with = counts::point)] point: usize,
        place: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let target = to_vector("place", place)?;
        let goal = Drag { body: self.body_index(body)?, point, target };
        let mut drag = self.drag.try_lock().map_err(|_| Failure::Busy(OBJECT_NAME))?;
        let same_drag = drag.filter(|drag| (drag.body, drag.point) == (goal.body, point));
        self.work(py, |stepper| drag_point(stepper, body, goal, same_drag))?;
        *drag = Some(goal);
        Ok(())
    }

    /// Releases the dragged point.
    fn let_go(&self, py: Python<'_>) -> PyResult<()> {
        let mut drag = self.drag.try_lock().map_err(|_| Failure::Busy(OBJECT_NAME))?;
        *drag = None;
        self.work(py, |stepper| {
            let h = stepper.scene().time.step.seconds();
            let result = stepper.world_mut().pull(None, h);
            result.map_err(|error| Failure::argument("body", "", error))
        })
    }

    /// Moves the prescribed nodes of a body straight to positions (n, 3) in metres during the next step. They rest
    /// there until new targets are set. Rows of other nodes are ignored. This replaces the motion in the scene and is
    /// not part of a saved state.
    fn set_targets(
        &self,
        py: Python<'_>,
        body: &str,
        positions: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let index = self.body_index(body)?;
        let targets = self.node_vectors(index, "positions", positions)?;
        self.work(py, |stepper| {
            stepper.set_targets(index, &targets).map_err(|error| {
                Failure::argument("body", body, error).with_remedy(
                    "give its nodes a `hold`, or the obstacle a `motion`, in the scene",
                )
            })
        })
    }

    /// Applies constant forces (n, 3) in newtons to the nodes of a body until other forces are set. Their work is in
    /// `energies()["dissipated"]`, with the opposite sign. They are not part of a saved state.
    fn set_forces(&self, py: Python<'_>, body: &str, forces: &Bound<'_, PyAny>) -> PyResult<()> {
        let index = self.body_index(body)?;
        let forces = self.node_vectors(index, "forces", forces)?;
        self.work(py, |stepper| {
            stepper.world_mut().set_forces(index, &forces).map_err(|error| {
                Failure::argument("body", body, error).with_remedy("move it with set_targets()")
            })
        })
    }

    /// The state, including the history that the integrator stores. Loading it restores all bits.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.read(Stepper::save)?))
    }

    /// Restores a state that `save` returned for the same scene. Forces that were set are removed, and a dragged point
    /// is released. Prescribed nodes that were moved by targets rest at their positions until new targets are set.
    fn load(&self, py: Python<'_>, state: &Bound<'_, PyAny>) -> PyResult<()> {
        let state = to_bytes("state", state)?;
        let mut drag = self.drag.try_lock().map_err(|_| Failure::Busy(OBJECT_NAME))?;
        self.work(py, |stepper| load_state(stepper, &self.source, &state))?;
        *drag = None;
        Ok(())
    }

    /// Frees the memory. Afterwards all methods but `close` raise `ClosedError`.
    fn close(&self) -> PyResult<()> {
        match self.lock() {
            Ok(mut guard) => *guard = None,
            Err(Failure::Closed(_)) => {}
            Err(other) => return Err(other.into()),
        }
        Ok(())
    }

    /// Whether the simulation was closed.
    #[getter]
    fn closed(&self) -> bool {
        matches!(self.lock(), Err(Failure::Closed(_)))
    }

    /// Another simulation in the same state.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let state = self.save(py)?;
        let copy = Self::from_source(self.source.clone(), self.requested_threads, py)?;
        copy.load(py, &state)?;
        Ok(copy)
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, simulation) = (slf.py(), slf.get());
        let state = simulation.save(py)?;
        let scene = Scene::new(simulation.source.clone());
        let arguments = (scene, simulation.requested_threads, state).into_pyobject(py)?;
        Ok((slf.get_type().getattr("_restored")?, arguments))
    }

    /// Restores a simulation from the content of a pickle.
    #[staticmethod]
    fn _restored(
        py: Python<'_>,
        scene: &Scene,
        threads: Option<usize>,
        state: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let simulation = Self::from_source(scene.source(), threads, py)?;
        simulation.load(py, state)?;
        Ok(simulation)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __exit__(
        &self,
        _type: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.close()
    }

    fn __repr__(&self) -> String {
        let name = self.source.name();
        match self.read(|stepper| (stepper.steps(), stepper.time())) {
            Ok((steps, time)) => {
                format!("<resile.Simulation {name:?}, step {steps}, t = {time} s>")
            }
            Err(Failure::Busy(_)) => format!("<resile.Simulation {name:?}, at work>"),
            Err(_) => format!("<resile.Simulation {name:?}, closed>"),
        }
    }
}
