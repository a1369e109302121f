//! Contact only: meshes, candidates, time of impact and barrier as functions of positions.

use crate::arrays::{rows_of, to_cells, to_vectors, vectors};
use crate::errors::Failure;
use crate::pool;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use resile_contact::distance::{Closest, PairKind};
use resile_contact::{
    Barrier, BarrierPotential, Candidate, Candidates, CollisionScene, FrictionPotential,
    HessianBlocks, LaggedContacts, PairTable, Psd, Search, intersections,
};
use resile_math::Vec3;
use std::sync::Arc;

/// Rows and columns of blocks (b, 2), and their numbers (b, 9).
type Blocks<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>);

/// The barrier with this name.
fn barrier_named(name: &str) -> Result<Barrier, Failure> {
    let names = ["ClampedLog", "ClampedLogSquared", "Cubic"];
    let index = names.iter().position(|barrier| *barrier == name);
    index.map(|k| Barrier::ALL[k]).ok_or_else(|| Failure::Name {
        kind: "barrier",
        name: name.to_owned(),
        known: names.map(str::to_owned).to_vec(),
    })
}

fn positive(name: &str, value: f64) -> Result<f64, Failure> {
    match value > 0.0 && value.is_finite() {
        true => Ok(value),
        false => {
            Err(Failure::argument(name, value, format!("{name} must be positive, but is {value}")))
        }
    }
}

/// A surface with self-contact: triangles, edges and points over vertices at rest (m). Disconnected parts are
/// separate bodies that can touch each other. `friction` is the coefficient between all parts.
#[pyclass(frozen, module = "resile.contact")]
#[derive(Debug)]
pub(crate) struct CollisionMesh {
    scene: Arc<CollisionScene>,
    vertices: usize,
}

impl CollisionMesh {
    fn positions(&self, name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<Vec3>> {
        to_vectors(name, given, Some(self.vertices))
    }

    /// Rejects objects that belong to another mesh.
    fn owns(&self, name: &str, of: &Arc<CollisionScene>) -> Result<(), Failure> {
        match Arc::ptr_eq(&self.scene, of) {
            true => Ok(()),
            false => Err(Failure::argument(name, "", format!("{name} are of another mesh"))
                .with_remedy("search for them with this mesh")),
        }
    }

    fn found(&self, candidates: Candidates) -> CandidateList {
        CandidateList { candidates, scene: self.scene.clone(), vertices: self.vertices }
    }
}

#[pymethods]
impl CollisionMesh {
    #[new]
    #[pyo3(signature = (rest, triangles, edges = None, points = None, width = 0.0, friction = 0.0))]
    fn new(
        rest: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        edges: Option<Bound<'_, PyAny>>,
        points: Option<Vec<u32>>,
        width: f64,
        friction: f64,
    ) -> PyResult<Self> {
        let rest = to_vectors("rest", rest, None)?;
        let triangles = to_cells::<3>("triangles", triangles, rest.len())?;
        let edges = edges.map(|edges| to_cells::<2>("edges", &edges, rest.len())).transpose()?;
        let (edges, points) = (edges.unwrap_or_default(), points.unwrap_or_default());
        let mesh = resile_contact::CollisionMesh::with_codimensional(
            &rest, &triangles, &edges, &points, width,
        );
        let mesh = mesh.map_err(|error| Failure::argument("triangles", "", error))?;
        if !(friction >= 0.0 && friction.is_finite()) {
            let message = format!("friction must be zero or more, but is {friction}");
            return Err(Failure::argument("friction", friction, message).into());
        }
        let mut scene = CollisionScene::of_meshes([mesh]);
        let mut pairs = PairTable::new(1);
        pairs.set_friction(0, 0, friction);
        scene.pairs = Arc::new(pairs);
        Ok(Self { scene: Arc::new(scene), vertices: rest.len() })
    }

    /// Edges: (m, 2) int32 numbers of vertices.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        rows_of(py, self.scene.edges().map(|edge| edge.map(|k| k as i32)))
    }

    /// All pairs of primitives closer than `d_hat` (m) at positions `x` (n, 3), and possibly others.
    fn near(&self, py: Python<'_>, x: &Bound<'_, PyAny>, d_hat: f64) -> PyResult<CandidateList> {
        let (x, d_hat) = (self.positions("x", x)?, positive("d_hat", d_hat)?);
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let candidates = py.detach(|| pool.install(|| Candidates::near(&self.scene, &x, d_hat)));
        Ok(self.found(candidates))
    }

    /// The pairs along the straight path between positions (n, 3), and the certified collision-free fraction (0 to 1)
    /// of the path.
    fn search(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        d_hat: f64,
    ) -> PyResult<(CandidateList, f64)> {
        let (start, end) = (self.positions("start", start)?, self.positions("end", end)?);
        let (d_hat, pool) = (positive("d_hat", d_hat)?, pool::get(py, pool::threads(py, None)?)?);
        let search = || Candidates::search(&self.scene, &start, &end, d_hat);
        let Search { candidates, collision_free } = py.detach(|| pool.install(search));
        Ok((self.found(candidates), collision_free))
    }

    /// The certified collision-free fraction (0 to 1) of the straight path between positions (n, 3). At this fraction
    /// at least a tenth of every gap remains.
    fn time_of_impact(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
    ) -> PyResult<f64> {
        // Gaps below rounding level: only the fraction is needed.
        Ok(self.search(py, start, end, f64::MIN_POSITIVE)?.1)
    }

    /// Whether surfaces cross at positions `x` (n, 3).
    fn intersects(&self, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<bool> {
        let x = self.positions("x", x)?;
        let pool = pool::get(py, 1)?;
        Ok(py.detach(|| pool.install(|| !intersections(&self.scene, &x, 1).is_empty())))
    }
}

/// Pairs of primitives that may be near each other.
#[pyclass(frozen, module = "resile.contact", name = "Candidates")]
#[derive(Debug)]
pub(crate) struct CandidateList {
    candidates: Candidates,
    /// The scene of the candidates.
    scene: Arc<CollisionScene>,
    vertices: usize,
}

/// The vertices of a pair.
fn points(candidate: &Candidate) -> [i32; 4] {
    let mut all = candidate.points().map(|point| point.map_or(-1, |k| k as i32));
    std::array::from_fn(|_| all.next().unwrap_or(-1))
}

#[pymethods]
impl CandidateList {
    fn __len__(&self) -> usize {
        self.candidates.len()
    }

    /// The pairs by kind: `vertex_face` (m, 4), `edge_edge` (m, 4), `vertex_edge` (m, 3), `vertex_vertex` (m, 2) int32
    /// numbers of vertices.
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let pairs_of_kind =
            |kind: PairKind| self.candidates.iter().filter(move |c| c.kind() == kind).map(points);
        let result = PyDict::new(py);
        result.set_item("vertex_face", rows_of(py, pairs_of_kind(PairKind::VertexFace))?)?;
        result.set_item("edge_edge", rows_of(py, pairs_of_kind(PairKind::EdgeEdge))?)?;
        result.set_item(
            "vertex_edge",
            rows_of(py, pairs_of_kind(PairKind::VertexEdge).map(|[a, b, c, _]| [a, b, c]))?,
        )?;
        result.set_item(
            "vertex_vertex",
            rows_of(py, pairs_of_kind(PairKind::VertexVertex).map(|[a, b, ..]| [a, b]))?,
        )?;
        Ok(result)
    }

    /// The distance (m) of each pair at positions `x` (n, 3): (pairs,) float64, in the order of the kinds in `pairs`.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let x = to_vectors("x", x, Some(self.vertices))?;
        let kinds = [
            PairKind::VertexFace,
            PairKind::EdgeEdge,
            PairKind::VertexEdge,
            PairKind::VertexVertex,
        ];
        let of_kind = |kind: PairKind| self.candidates.iter().filter(move |c| c.kind() == kind);
        let distance = |candidate: &Candidate| {
            // Missing points of a pair with fewer than four are -1.
            let corners =
                points(candidate).map(|k| x.get(k as usize).copied().unwrap_or(Vec3::ZERO));
            Closest::new(candidate.kind(), &corners).distance()
        };
        let all = kinds.into_iter().flat_map(of_kind).map(distance).collect();
        Ok(PyArray1::from_vec(py, all))
    }
}

/// The barrier potential of all pairs closer than `d_hat` (m): `sum of kappa d_hat area m b(d/d_hat)` in joules.
#[pyclass(frozen, module = "resile.contact", name = "BarrierPotential")]
#[derive(Debug)]
pub(crate) struct Potential {
    potential: BarrierPotential,
}

#[pymethods]
impl Potential {
    #[new]
    #[pyo3(signature = (d_hat, kappa, barrier = "ClampedLog"))]
    fn new(d_hat: f64, kappa: f64, barrier: &str) -> PyResult<Self> {
        let (d_hat, kappa) = (positive("d_hat", d_hat)?, positive("kappa", kappa)?);
        Ok(Self { potential: BarrierPotential { barrier: barrier_named(barrier)?, d_hat, kappa } })
    }

    /// The energy (J) at positions `x` (n, 3); infinite if a pair has no gap.
    fn value(
        &self,
        py: Python<'_>,
        mesh: &CollisionMesh,
        candidates: &CandidateList,
        x: &Bound<'_, PyAny>,
    ) -> PyResult<f64> {
        mesh.owns("candidates", &candidates.scene)?;
        let x = mesh.positions("x", x)?;
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let value = || self.potential.value(&mesh.scene, &candidates.candidates, &x);
        Ok(py.detach(|| pool.install(value)))
    }

    /// Gradient (N): (n, 3) float64.
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        mesh: &CollisionMesh,
        candidates: &CandidateList,
        x: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        mesh.owns("candidates", &candidates.scene)?;
        let x = mesh.positions("x", x)?;
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let gradient = || self.potential.gradient(&mesh.scene, &candidates.candidates, &x);
        vectors(py, &py.detach(|| pool.install(gradient)))
    }

    /// The blocks of the Hessian (N/m): rows (b,), columns (b,) and blocks (b, 9) in row-major order. An off-diagonal
    /// block also represents its transpose.
    fn hessian_blocks<'py>(
        &self,
        py: Python<'py>,
        mesh: &CollisionMesh,
        candidates: &CandidateList,
        x: &Bound<'_, PyAny>,
        projected: bool,
    ) -> PyResult<Blocks<'py>> {
        mesh.owns("candidates", &candidates.scene)?;
        let x = mesh.positions("x", x)?;
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let psd = if projected { Psd::Clamp } else { Psd::Exact };
        let hessian = || self.potential.hessian(&mesh.scene, &candidates.candidates, &x, psd);
        let blocks = py.detach(|| pool.install(hessian));
        blocks_of(py, &blocks)
    }
}

/// The blocks of a matrix.
fn blocks_of<'py>(py: Python<'py>, blocks: &HessianBlocks) -> PyResult<Blocks<'py>> {
    let places = rows_of(py, blocks.iter().map(|(i, j, _)| [i as i64, j as i64]))?;
    // Matrices are stored by columns.
    let values = rows_of(py, blocks.iter().map(|(_, _, block)| block.transpose().to_cols_array()))?;
    Ok((places, values))
}

/// Active contacts at positions `x` (n, 3), with their normal forces and tangent planes, which are constant while
/// velocities vary.
#[pyclass(frozen, module = "resile.contact", name = "LaggedContacts")]
#[derive(Debug)]
pub(crate) struct Lagged {
    lagged: LaggedContacts,
    scene: Arc<CollisionScene>,
}

#[pymethods]
impl Lagged {
    /// Normal forces are those of `barrier` at `x`; the coefficient of friction is that of the mesh.
    #[new]
    fn new(
        py: Python<'_>,
        mesh: &CollisionMesh,
        candidates: &CandidateList,
        barrier: &Potential,
        x: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        mesh.owns("candidates", &candidates.scene)?;
        let x = mesh.positions("x", x)?;
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let (scene, found, barrier) = (&*mesh.scene, &candidates.candidates, &barrier.potential);
        let lag = || LaggedContacts::new(scene, found, barrier, &x);
        Ok(Self { lagged: py.detach(|| pool.install(lag)), scene: mesh.scene.clone() })
    }

    fn __len__(&self) -> usize {
        self.lagged.len()
    }

    /// The largest force of friction (N) of each contact, the coefficient times the normal force: (contacts,) float64.
    fn limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.lagged.limits().collect())
    }
}

/// Smoothed Coulomb friction of lagged contacts: `D(v) = sum of mu lambda f0(|slip|)` in watts (Li et al. 2020). Below
/// `slip_speed` (m/s) friction is static.
#[pyclass(frozen, module = "resile.contact", name = "FrictionPotential")]
#[derive(Debug)]
pub(crate) struct Friction {
    potential: FrictionPotential,
}

#[pymethods]
impl Friction {
    #[new]
    fn new(slip_speed: f64) -> PyResult<Self> {
        let slip_speed = positive("slip_speed", slip_speed)?;
        Ok(Self { potential: FrictionPotential { slip_speed } })
    }

    /// The potential (W) at velocities `v` (n, 3) in m/s.
    fn value(
        &self,
        py: Python<'_>,
        mesh: &CollisionMesh,
        lagged: &Lagged,
        v: &Bound<'_, PyAny>,
    ) -> PyResult<f64> {
        mesh.owns("contacts", &lagged.scene)?;
        let v = mesh.positions("v", v)?;
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let value = || self.potential.value(&mesh.scene, &lagged.lagged, &v);
        Ok(py.detach(|| pool.install(value)))
    }

    /// Gradient (N): (n, 3) float64. The friction force is its negative.
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        mesh: &CollisionMesh,
        lagged: &Lagged,
        v: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        mesh.owns("contacts", &lagged.scene)?;
        let v = mesh.positions("v", v)?;
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let gradient = || self.potential.gradient(&mesh.scene, &lagged.lagged, &v);
        vectors(py, &py.detach(|| pool.install(gradient)))
    }

    /// The blocks of the Hessian (kg/s), which is positive semidefinite, in the form of those of a barrier.
    fn hessian_blocks<'py>(
        &self,
        py: Python<'py>,
        mesh: &CollisionMesh,
        lagged: &Lagged,
        v: &Bound<'_, PyAny>,
    ) -> PyResult<Blocks<'py>> {
        mesh.owns("contacts", &lagged.scene)?;
        let v = mesh.positions("v", v)?;
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let hessian = || self.potential.hessian(&mesh.scene, &lagged.lagged, &v);
        blocks_of(py, &py.detach(|| pool.install(hessian)))
    }
}

/// A barrier function `b` at the gap `d` (m): its value (no unit) and its first two derivatives with respect to the
/// gap (1/m, 1/m^2).
#[pyfunction]
#[pyo3(signature = (d, d_hat, barrier = "ClampedLog"))]
pub(crate) fn barrier(d: f64, d_hat: f64, barrier: &str) -> PyResult<(f64, f64, f64)> {
    if d.is_nan() {
        return Err(Failure::argument("d", d, "d is not a number").into());
    }
    let b = barrier_named(barrier)?.at(d, positive("d_hat", d_hat)?);
    Ok((b.value, b.first, b.second))
}
