//! Contact only: meshes, candidates, time of impact and barrier as functions of positions.

use crate::arrays::{row_array, to_cells, to_indices, to_vectors, vector_array};
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

/// Row and column indices of blocks (b, 2), and their entries (b, 9) in row-major order.
type BlockArrays<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>);

/// The barrier with this name.
fn barrier_named(name: &str) -> Result<Barrier, Failure> {
    let known = ["ClampedLog", "ClampedLogSquared", "Cubic"];
    let index = known.iter().position(|known_name| *known_name == name);
    index.map(|k| Barrier::ALL[k]).ok_or_else(|| Failure::Name {
        kind: "barrier",
        name: name.to_owned(),
        known: known.map(str::to_owned).to_vec(),
    })
}

/// The value of the argument `name`, unless it is not positive and finite.
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
    vertex_count: usize,
}

impl CollisionMesh {
    /// Converts the argument `name`, an array with a vector for each vertex.
    fn vertex_vectors(&self, name: &str, argument: &Bound<'_, PyAny>) -> PyResult<Vec<Vec3>> {
        to_vectors(name, argument, Some(self.vertex_count))
    }

    /// Rejects objects `name` of the collision scene of another mesh.
    fn check_owner(&self, name: &str, scene: &Arc<CollisionScene>) -> Result<(), Failure> {
        match Arc::ptr_eq(&self.scene, scene) {
            true => Ok(()),
            false => Err(Failure::argument(name, "", format!("{name} are of another mesh"))
                .with_remedy("search for them with this mesh")),
        }
    }

    fn candidate_list(&self, candidates: Candidates) -> CandidateList {
        CandidateList { candidates, scene: self.scene.clone(), vertex_count: self.vertex_count }
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
        points: Option<Bound<'_, PyAny>>,
        width: f64,
        friction: f64,
    ) -> PyResult<Self> {
        let rest = to_vectors("rest", rest, None)?;
        let triangles = to_cells::<3>("triangles", triangles, rest.len())?;
        let edges = edges.map(|edges| to_cells::<2>("edges", &edges, rest.len())).transpose()?;
        let points = points.map(|points| to_indices("points", &points, rest.len())).transpose()?;
        let (edges, points) = (edges.unwrap_or_default(), points.unwrap_or_default());
        if !(width >= 0.0 && width.is_finite()) {
            let message = format!("width must be zero or more, but is {width}");
            return Err(Failure::argument("width", width, message).into());
        }
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
        Ok(Self { scene: Arc::new(scene), vertex_count: rest.len() })
    }

    /// Edges: (m, 2) int32 indices of vertices.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        row_array(py, self.scene.edges().map(|edge| edge.map(|k| k as i32)))
    }

    /// All pairs of primitives closer than `d_hat` (m) at positions `x` (n, 3) in metres, and possibly others.
    fn near(&self, py: Python<'_>, x: &Bound<'_, PyAny>, d_hat: f64) -> PyResult<CandidateList> {
        let (x, d_hat) = (self.vertex_vectors("x", x)?, positive("d_hat", d_hat)?);
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let candidates = py.detach(|| pool.install(|| Candidates::near(&self.scene, &x, d_hat)));
        Ok(self.candidate_list(candidates))
    }

    /// The candidate pairs on the straight path between positions (n, 3) in metres, and the certified collision-free
    /// fraction (0 to 1) of the path. On this part of the path all pairs closer than `d_hat` (m) are candidates, and
    /// possibly others.
    fn search(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        d_hat: f64,
    ) -> PyResult<(CandidateList, f64)> {
        let (start, end) = (self.vertex_vectors("start", start)?, self.vertex_vectors("end", end)?);
        let (d_hat, pool) = (positive("d_hat", d_hat)?, pool::get(py, pool::threads(py, None)?)?);
        let search = || Candidates::search(&self.scene, &start, &end, d_hat);
        let Search { candidates, collision_free } = py.detach(|| pool.install(search));
        Ok((self.candidate_list(candidates), collision_free))
    }

    /// The certified collision-free fraction (0 to 1) of the straight path between positions (n, 3). At this fraction
    /// at least a tenth of every gap remains.
    fn time_of_impact(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
    ) -> PyResult<f64> {
        // Only the fraction is needed, and with the smallest positive `d_hat` there are few candidates.
        let (_, collision_free) = self.search(py, start, end, f64::MIN_POSITIVE)?;
        Ok(collision_free)
    }

    /// Whether surfaces intersect at positions `x` (n, 3) in metres.
    fn intersects(&self, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<bool> {
        let x = self.vertex_vectors("x", x)?;
        let pool = pool::get(py, 1)?;
        Ok(py.detach(|| pool.install(|| !intersections(&self.scene, &x, 1).is_empty())))
    }
}

/// Pairs of primitives that may be near each other.
#[pyclass(frozen, module = "resile.contact", name = "Candidates")]
#[derive(Debug)]
pub(crate) struct CandidateList {
    candidates: Candidates,
    /// The scene of the mesh in which they were found.
    scene: Arc<CollisionScene>,
    vertex_count: usize,
}

/// Vertex indices of a pair, filled up with -1 for pairs of fewer than four vertices.
fn pair_vertices(candidate: &Candidate) -> [i32; 4] {
    let mut vertices = candidate.points().map(|point| point.map_or(-1, |k| k as i32));
    std::array::from_fn(|_| vertices.next().unwrap_or(-1))
}

#[pymethods]
impl CandidateList {
    fn __len__(&self) -> usize {
        self.candidates.len()
    }

    /// The pairs by kind: `vertex_face` (m, 4), `edge_edge` (m, 4), `vertex_edge` (m, 3), `vertex_vertex` (m, 2) int32
    /// indices of vertices.
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let of_kind = |kind: PairKind| self.candidates.iter().filter(move |c| c.kind() == kind);
        let vertices_of_kind = |kind: PairKind| of_kind(kind).map(pair_vertices);
        let vertex_edge = vertices_of_kind(PairKind::VertexEdge).map(|[a, b, c, _]| [a, b, c]);
        let vertex_vertex = vertices_of_kind(PairKind::VertexVertex).map(|[a, b, ..]| [a, b]);
        let pairs = PyDict::new(py);
        pairs.set_item("vertex_face", row_array(py, vertices_of_kind(PairKind::VertexFace))?)?;
        pairs.set_item("edge_edge", row_array(py, vertices_of_kind(PairKind::EdgeEdge))?)?;
        pairs.set_item("vertex_edge", row_array(py, vertex_edge)?)?;
        pairs.set_item("vertex_vertex", row_array(py, vertex_vertex)?)?;
        Ok(pairs)
    }

    /// The distance (m) of each pair at positions `x` (n, 3): (pairs,) float64, in the order of the kinds in `pairs`.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let x = to_vectors("x", x, Some(self.vertex_count))?;
        let kinds = [
            PairKind::VertexFace,
            PairKind::EdgeEdge,
            PairKind::VertexEdge,
            PairKind::VertexVertex,
        ];
        let of_kind = |kind: PairKind| self.candidates.iter().filter(move |c| c.kind() == kind);
        let distance = |candidate: &Candidate| {
            // The distance does not depend on the points that stand for missing vertices.
            let points =
                pair_vertices(candidate).map(|k| x.get(k as usize).copied().unwrap_or(Vec3::ZERO));
            Closest::new(candidate.kind(), &points).distance()
        };
        let distances = kinds.into_iter().flat_map(of_kind).map(distance).collect();
        Ok(PyArray1::from_vec(py, distances))
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
        mesh.check_owner("candidates", &candidates.scene)?;
        let x = mesh.vertex_vectors("x", x)?;
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
        mesh.check_owner("candidates", &candidates.scene)?;
        let x = mesh.vertex_vectors("x", x)?;
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let gradient = || self.potential.gradient(&mesh.scene, &candidates.candidates, &x);
        vector_array(py, &py.detach(|| pool.install(gradient)))
    }

    /// The blocks of the Hessian (N/m): row and column indices (b, 2), and entries (b, 9) in row-major order. An
    /// off-diagonal block also represents its transpose.
    fn hessian_blocks<'py>(
        &self,
        py: Python<'py>,
        mesh: &CollisionMesh,
        candidates: &CandidateList,
        x: &Bound<'_, PyAny>,
        projected: bool,
    ) -> PyResult<BlockArrays<'py>> {
        mesh.check_owner("candidates", &candidates.scene)?;
        let x = mesh.vertex_vectors("x", x)?;
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let psd = if projected { Psd::Clamp } else { Psd::Exact };
        let hessian = || self.potential.hessian(&mesh.scene, &candidates.candidates, &x, psd);
        let blocks = py.detach(|| pool.install(hessian));
        block_arrays(py, &blocks)
    }
}

/// Arrays of the blocks of a matrix.
fn block_arrays<'py>(py: Python<'py>, blocks: &HessianBlocks) -> PyResult<BlockArrays<'py>> {
    let indices = row_array(py, blocks.iter().map(|(i, j, _)| [i as i64, j as i64]))?;
    // The columns of the transpose are the rows of the block.
    let row_major = blocks.iter().map(|(_, _, block)| block.transpose().to_cols_array());
    Ok((indices, row_array(py, row_major)?))
}

/// Active contacts at positions `x` (n, 3) in metres, with their normal forces and tangent planes, which are constant
/// while velocities vary.
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
        mesh.check_owner("candidates", &candidates.scene)?;
        let x = mesh.vertex_vectors("x", x)?;
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
        mesh.check_owner("contacts", &lagged.scene)?;
        let v = mesh.vertex_vectors("v", v)?;
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
        mesh.check_owner("contacts", &lagged.scene)?;
        let v = mesh.vertex_vectors("v", v)?;
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let gradient = || self.potential.gradient(&mesh.scene, &lagged.lagged, &v);
        vector_array(py, &py.detach(|| pool.install(gradient)))
    }

    /// The blocks of the Hessian (kg/s), which is positive semidefinite, in the form of those of a barrier.
    fn hessian_blocks<'py>(
        &self,
        py: Python<'py>,
        mesh: &CollisionMesh,
        lagged: &Lagged,
        v: &Bound<'_, PyAny>,
    ) -> PyResult<BlockArrays<'py>> {
        mesh.check_owner("contacts", &lagged.scene)?;
        let v = mesh.vertex_vectors("v", v)?;
        let pool = pool::get(py, pool::threads(py, None)?)?;
        let hessian = || self.potential.hessian(&mesh.scene, &lagged.lagged, &v);
        block_arrays(py, &py.detach(|| pool.install(hessian)))
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
