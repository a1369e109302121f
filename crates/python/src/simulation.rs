//! Stepping of a scene from Python.

use crate::arrays::{row_array, to_vector, to_vectors, vector_array};
use crate::attended::{TaskOutcome, run_observed};
use crate::counts;
use crate::errors::Failure;
use crate::pool;
use crate::scene::{Scene, Source};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use resile_energy::Anchor;
use resile_math::Vec3;
use resile_record::CheckpointError;
use resile_runner::Stepper;
use resile_system::State;
use resile_watch::{Cause, Interrupt};
use resile_world::Hand;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// A scene that advances one step per call, in memory. Its steps are bitwise equal to those of a run of the scene.
#[pyclass(frozen, subclass, module = "resile")]
#[derive(Debug)]
pub(crate) struct Simulation {
    source: Source,
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

/// A dragged point of a body and the target of the drag spring.
#[derive(Debug, Clone, Copy)]
struct Drag {
    /// Index of the body.
    body: usize,
    /// Index of the point of its surface.
    point: usize,
    /// Position of the target (m).
    target: Vec3,
}

/// The kind of the object in messages.
const OBJECT_NAME: &str = "simulation";

/// The locked stepper; `None` after the simulation was closed.
type StepperGuard<'a> = MutexGuard<'a, Option<Stepper>>;

impl Simulation {
    /// Locks the simulation for this thread. Never waits, because the thread that holds the lock may wait for the
    /// interpreter.
    fn lock(&self) -> Result<StepperGuard<'_>, Failure> {
        match self.stepper.try_lock() {
            Ok(guard) if guard.is_none() => Err(Failure::Closed(OBJECT_NAME)),
            Ok(guard) => Ok(guard),
            Err(TryLockError::WouldBlock) => Err(Failure::Busy(OBJECT_NAME)),
            // A panic in a step may have left the stepper without bodies.
            Err(TryLockError::Poisoned(_)) => Err(Failure::Closed(OBJECT_NAME)),
        }
    }

    /// The value of `read` at the stepper.
    fn read<T>(&self, read: impl FnOnce(&Stepper) -> T) -> Result<T, Failure> {
        let guard = self.lock()?;
        guard.as_ref().map(read).ok_or(Failure::Closed(OBJECT_NAME))
    }

    /// Executes work on the simulation in its pool, with the interpreter released.
    fn work<T: Send>(
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
    fn body_index(&self, name: &str) -> Result<usize, Failure> {
        let index = self.names.iter().position(|known| known == name);
        index.ok_or_else(|| Failure::Name {
            kind: "body",
            name: name.to_owned(),
            known: self.names.clone(),
        })
    }

    /// Converts the argument `name`, an array with a vector for each node of the body with this index.
    fn node_vectors(
        &self,
        body: usize,
        name: &str,
        argument: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<Vec3>> {
        let node_count = self.read(|stepper| stepper.world().state(body).positions.len())?;
        to_vectors(name, argument, Some(node_count))
    }

    /// A simulation at the start of a scene.
    fn from_source(source: Source, threads: usize, py: Python<'_>) -> PyResult<Self> {
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
            threads,
            names,
            collider_names,
            stepper: Mutex::new(Some(stepper)),
            drag: Mutex::new(None),
        })
    }
}

/// Builds a scene and settles its start.
fn settled_stepper(source: &Source, interrupt: &Interrupt) -> Result<Stepper, Failure> {
    let loaded = source.build()?;
    let mut stepper = Stepper::new(loaded.scene, loaded.built, interrupt.clone());
    while stepper.settle().map_err(|error| Failure::of_run(0, error))? {}
    Ok(stepper)
}

/// The failure of `load` with `length` bytes. The remedies of the error itself are those for the checkpoint of a run in
/// a folder.
fn load_failure(length: usize, error: &CheckpointError) -> Failure {
    let message = match error {
        CheckpointError::NotACheckpoint { .. } => "save() did not return this state".to_owned(),
        CheckpointError::Version { found, .. } => {
            format!("the state has version {found} of the format, which this version cannot read")
        }
        CheckpointError::OtherScene { .. } => {
            "the state is of another scene, or of this one with other physics or another time step"
                .to_owned()
        }
        CheckpointError::Contents { errors, .. } => {
            format!("the state does not fit this scene: {}", errors.join("; "))
        }
        _ => "the state is damaged".to_owned(),
    };
    Failure::argument("state", format!("{length} bytes"), message)
        .with_remedy("give what save() of a simulation of the same scene returned")
}

/// Whether the scene releases held nodes at some time. Nodes cannot be held again, so that going back in time then
/// requires a new world.
fn releases_nodes(stepper: &Stepper) -> bool {
    stepper.scene().bodies.iter().flat_map(|body| &body.hold).any(|hold| hold.until.is_some())
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
        let threads = pool::threads(py, threads)?;
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
        let entries = PyDict::new(py);
        entries.set_item("kinetic", observation.kinetic())?;
        entries.set_item("potential", observation.potential())?;
        entries.set_item("total", observation.total())?;
        entries.set_item("target", observation.target())?;
        let terms = PyDict::new(py);
        observation.terms.iter().try_for_each(|(name, value)| terms.set_item(name, value))?;
        entries.set_item("terms", terms)?;
        entries.set_item("start", flows.start)?;
        entries.set_item("dissipated", flows.dissipated)?;
        let heat_by_cause = PyDict::new(py);
        heat_by_cause.set_item("friction", heat.friction)?;
        heat_by_cause.set_item("damping", heat.damping)?;
        heat_by_cause.set_item("plastic_flow", heat.plastic_flow)?;
        heat_by_cause.set_item("contact_damping", heat.contact_damping)?;
        heat_by_cause.set_item("contact", heat.contact)?;
        entries.set_item("heat", heat_by_cause)?;
        entries.set_item("work", flows.work)?;
        entries.set_item("rest_loss", flows.rest_loss)?;
        entries.set_item("min_distance", observation.certificate.min_distance)?;
        entries.set_item("min_det_f", observation.certificate.min_det_f)?;
        Ok(entries)
    }

    /// Contact forces over a step that begins now, by pairs of colliders and on the points of each body, as a
    /// `resile.Contacts`.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let forces = self.work(py, |stepper| {
            let h = stepper.scene().time.step.seconds();
            Ok(stepper.world_mut().contact_forces(h))
        })?;
        let (pairs, bodies) =
            forces.map_or_else(Default::default, |forces| (forces.pairs, forces.bodies));
        let entries = PyDict::new(py);
        let name = |collider: usize| self.collider_names[collider].as_str();
        let names: Vec<[&str; 2]> = pairs.iter().map(|pair| pair.colliders.map(name)).collect();
        entries.set_item("names", names)?;
        let collider_indices = pairs.iter().map(|pair| pair.colliders.map(|k| k as i64));
        entries.set_item("pairs", row_array(py, collider_indices)?)?;
        let gaps = pairs.iter().map(|pair| pair.smallest_gap).collect();
        entries.set_item("gaps", PyArray1::from_vec(py, gaps))?;
        let counts = pairs.iter().map(|pair| pair.contacts as i64).collect();
        entries.set_item("counts", PyArray1::from_vec(py, counts))?;
        let normal: Vec<Vec3> = pairs.iter().map(|pair| pair.normal).collect();
        let friction: Vec<Vec3> = pairs.iter().map(|pair| pair.friction).collect();
        entries.set_item("normal", vector_array(py, &normal)?)?;
        entries.set_item("friction", vector_array(py, &friction)?)?;
        let by_body = PyDict::new(py);
        for (name, forces) in self.names.iter().zip(&bodies) {
            let normal = vector_array(py, &forces.normal)?;
            let friction = vector_array(py, &forces.friction)?;
            by_body.set_item(name, (normal, friction))?;
        }
        entries.set_item("bodies", by_body)?;
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
        self.work(py, |stepper| {
            let world = stepper.world_mut();
            let previous = world.state(index).clone();
            let State {
                time, positions: old_positions, velocities: old_velocities, internal, ..
            } = previous.clone();
            let positions = positions.unwrap_or(old_positions);
            let velocities = velocities.unwrap_or(old_velocities);
            let state = State::new(time, positions, velocities).with_internal(internal);
            world.set_state(index, state);
            let violation = match world.intersections(1).is_empty() {
                false => Some("bodies would intersect"),
                true if world.observe().certificate.inverted => {
                    Some("an element would be inverted")
                }
                true => None,
            };
            if let Some(violation) = violation {
                world.set_state(index, previous);
                return Err(Failure::argument("positions", body, violation)
                    .with_remedy("nothing was changed; move the body elsewhere"));
            }
            Ok(())
        })
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
        let (index, target) = (self.body_index(body)?, to_vector("place", place)?);
        let mut drag = self.drag.try_lock().map_err(|_| Failure::Busy(OBJECT_NAME))?;
        let same_drag = drag.filter(|drag| (drag.body, drag.point) == (index, point));
        self.work(py, |stepper| {
            let surface = &stepper.meshes()[index].surface;
            if point >= surface.point_count() {
                let message =
                    format!("\"{body}\" has no point {point}; it has {}", surface.point_count());
                return Err(Failure::argument("point", point, message));
            }
            let anchor = match surface.embedding() {
                None => Anchor::from(point),
                Some(points) => Anchor::new(points[point].terms().collect()),
            };
            // The free end of the spring starts at the previous target, or at the point if the drag begins.
            let position = anchor.at(&stepper.world().state(index).positions);
            let start = same_drag.map_or(position, |drag| drag.target);
            let hand = Hand { body: index, point: anchor, path: [start, target] };
            let h = stepper.scene().time.step.seconds();
            let result = stepper.world_mut().pull(Some(hand), h);
            result.map_err(|error| Failure::argument("body", body, error))
        })?;
        *drag = Some(Drag { body: index, point, target });
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

    /// Restores a state that `save` returned for the same scene. Forces that were set are removed. Prescribed nodes
    /// that were moved by targets rest at their positions until new targets are set.
    fn load(&self, py: Python<'_>, state: Vec<u8>) -> PyResult<()> {
        let source = &self.source;
        self.work(py, |stepper| {
            if releases_nodes(stepper) {
                *stepper = settled_stepper(source, &stepper.interrupt().clone())?;
            }
            stepper.load(&state).map_err(|error| load_failure(state.len(), &error))
        })
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
        let state = self.read(Stepper::save)?;
        let copy = Self::from_source(self.source.clone(), self.threads, py)?;
        copy.load(py, state)?;
        Ok(copy)
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
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
