//! Meshes as arrays: reading, writing, inspection, repair and filling.

use crate::arrays::{row_array, to_cells, to_indices, to_number_list, to_vectors, vector_array};
use crate::attended::{TaskOutcome, run_observed};
use crate::counts;
use crate::errors::Failure;
use crate::pool;
use numpy::PyArray1;
use pyo3::prelude::*;
use resile_assembly::info::MeshInfo;
use resile_assembly::mesh_file::{
    self, Group, Groups, Mesh, MeshFile, MeshFileError, OtherSolidPolicy, Resolution,
};
use resile_assembly::remesh::{ConvertedMesh, Existing, Remesh};
use resile_math::Vec3;
use resile_mesh::{Polylines, TetMesh, TriMesh};
use resile_watch::{Interrupt, Tally, TaskContext};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A mesh as its kind, points (n, 3) and cells (m, 2 to 4).
type Arrays<'py> = (&'static str, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Creates the arrays of a mesh.
fn to_arrays<'py>(py: Python<'py>, mesh: &Mesh) -> PyResult<Arrays<'py>> {
    let signed = |vertex: u32| vertex as i32;
    Ok(match mesh {
        Mesh::Solid(TetMesh { positions, tets }) => {
            let cells = row_array(py, tets.iter().map(|tet| tet.map(signed)))?;
            ("solid", vector_array(py, positions)?.into_any(), cells.into_any())
        }
        Mesh::Surface(TriMesh { positions, triangles }) => {
            let cells = row_array(py, triangles.iter().map(|triangle| triangle.map(signed)))?;
            ("surface", vector_array(py, positions)?.into_any(), cells.into_any())
        }
        Mesh::Curves(curves) => {
            let cells = row_array(py, curves.edges().map(|edge| edge.map(signed)))?;
            ("curves", vector_array(py, &curves.positions)?.into_any(), cells.into_any())
        }
    })
}

/// Converts arrays, of the types that `kind` requires, to a mesh.
fn from_arrays(kind: &str, points: &Bound<'_, PyAny>, cells: &Bound<'_, PyAny>) -> PyResult<Mesh> {
    let positions = to_vectors("points", points, None)?;
    let point_count = positions.len();
    Ok(match kind {
        "solid" => {
            Mesh::Solid(TetMesh { positions, tets: to_cells::<4>("cells", cells, point_count)? })
        }
        "surface" => Mesh::Surface(TriMesh {
            positions,
            triangles: to_cells::<3>("triangles", cells, point_count)?,
        }),
        _ => {
            let edges = to_cells::<2>("edges", cells, point_count)?;
            let curves = Polylines::from_segments(&positions, &edges);
            Mesh::Curves(curves.map_err(|error| Failure::argument("edges", "", error))?)
        }
    })
}

/// The arrays of a mesh: points (n, 3) and cells with this number of corners (m, `corners`). Raises an exception for
/// other types, shapes, numbers and indices.
#[pyfunction]
pub(crate) fn mesh_arrays<'py>(
    corners: usize,
    points: &Bound<'py, PyAny>,
    cells: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    fn cell_array<'py, const N: usize>(
        cells: &Bound<'py, PyAny>,
        point_count: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = to_cells::<N>("cells", cells, point_count)?;
        Ok(row_array(cells.py(), rows.into_iter().map(|row| row.map(|k| k as i32)))?.into_any())
    }
    let points_at = to_vectors("points", points, None)?;
    let cells = match corners {
        4 => cell_array::<4>(cells, points_at.len()),
        3 => cell_array::<3>(cells, points_at.len()),
        _ => cell_array::<2>(cells, points_at.len()),
    };
    Ok((vector_array(points.py(), &points_at)?.into_any(), cells?))
}

/// Error of reading or writing a mesh, with its remedy.
fn mesh_failure(error: &MeshFileError) -> Failure {
    Failure::file("", error).with_remedy(error.help())
}

/// Name, nodes, elements and faces of a group.
type GroupArrays<'py> = (String, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// What a mesh has beside points and cells, in Python: groups, data of cells, data of points, and curved edges with
/// their midpoints.
#[derive(FromPyObject, IntoPyObject)]
pub(crate) struct Attributes<'py>(
    Vec<GroupArrays<'py>>,
    Vec<(String, Bound<'py, PyAny>)>,
    Vec<(String, Bound<'py, PyAny>)>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
);

/// Creates the arrays of what a file has beside points and cells.
fn to_attributes<'py>(py: Python<'py>, file: &MeshFile) -> PyResult<Attributes<'py>> {
    let indices = |indices: &[u32]| {
        PyArray1::from_iter(py, indices.iter().map(|&index| index as i32)).into_any()
    };
    let groups = file.groups.iter().map(|(name, group)| {
        let faces = row_array(py, group.faces.iter().map(|face| face.map(|k| k as i32)))?;
        Ok((name.clone(), indices(&group.nodes), indices(&group.elements), faces.into_any()))
    });
    let data = |fields: &BTreeMap<String, Vec<f64>>| {
        let data = fields
            .iter()
            .map(|(name, values)| (name.clone(), PyArray1::from_slice(py, values).into_any()));
        data.collect()
    };
    let edges = row_array(py, file.curved.keys().map(|edge| edge.map(|k| k as i32)))?;
    let midpoints: Vec<Vec3> = file.curved.values().copied().collect();
    Ok(Attributes(
        groups.collect::<PyResult<_>>()?,
        data(&file.fields),
        data(&file.vertex_fields),
        edges.into_any(),
        vector_array(py, &midpoints)?.into_any(),
    ))
}

/// Converts arrays, of the types that `kind` requires, to a mesh with its attributes.
fn to_file(
    kind: &str,
    points: &Bound<'_, PyAny>,
    cells: &Bound<'_, PyAny>,
    attributes: &Attributes<'_>,
) -> PyResult<MeshFile> {
    let point_count = points.len()?;
    let cell_count = cells.len()?;
    let Attributes(groups, cell_data, point_data, edges, midpoints) = attributes;
    let groups = groups.iter().map(|(name, nodes, elements, faces)| {
        let of = |part: &str| format!("groups[{name:?}].{part}");
        let group = Group {
            nodes: sorted(to_indices(&of("nodes"), nodes, point_count)?),
            elements: sorted(to_indices(&of("elements"), elements, cell_count)?),
            faces: to_cells::<3>(&of("faces"), faces, point_count)?,
        };
        Ok((name.clone(), group))
    });
    let groups = groups.collect::<PyResult<Groups>>()?;
    let data = |of: &str, data: &[(String, Bound<'_, PyAny>)], count: usize| {
        let fields = data.iter().map(|(name, values)| {
            let values = to_number_list(&format!("{of}[{name:?}]"), values, count)?;
            Ok((name.clone(), values))
        });
        fields.collect::<PyResult<BTreeMap<_, _>>>()
    };
    let edges = to_cells::<2>("curved_edges", edges, point_count)?;
    let midpoints = to_vectors("midpoints", midpoints, Some(edges.len()))?;
    let curved = edges.into_iter().map(|[a, b]| [a.min(b), a.max(b)]).zip(midpoints).collect();
    Ok(MeshFile {
        mesh: from_arrays(kind, points, cells)?,
        vertices: Vec::new(),
        middles: Vec::new(),
        curved,
        notes: Vec::new(),
        warnings: Vec::new(),
        second_order: None,
        holes: None,
        groups,
        fields: data("cell_data", cell_data, cell_count)?,
        vertex_fields: data("point_data", point_data, point_count)?,
        unused_vertices: 0,
        collapsed_triangles: 0,
        reoriented: 0,
    })
}

/// The indices in ascending order, each once.
fn sorted(mut indices: Vec<u32>) -> Vec<u32> {
    indices.sort_unstable();
    indices.dedup();
    indices
}

/// Reads a mesh in the format of its extension: its kind, points and cells, its attributes, and what was omitted or
/// changed.
#[pyfunction]
pub(crate) fn read_mesh<'py>(
    py: Python<'py>,
    path: PathBuf,
) -> PyResult<(Arrays<'py>, Attributes<'py>, Vec<String>)> {
    let result = py.detach(|| mesh_file::read(&path, OtherSolidPolicy::Divide));
    let file = result.map_err(|error| mesh_failure(&error))?;
    Ok((to_arrays(py, &file.mesh)?, to_attributes(py, &file)?, file.notes))
}

/// Writes a mesh in the format of the extension of `path`. Returns what the format does not hold.
#[pyfunction]
pub(crate) fn write_mesh(
    py: Python<'_>,
    path: PathBuf,
    kind: &str,
    points: &Bound<'_, PyAny>,
    cells: &Bound<'_, PyAny>,
    attributes: Attributes<'_>,
) -> PyResult<Vec<String>> {
    let file = to_file(kind, points, cells, &attributes)?;
    let MeshFile { mesh, groups, curved, .. } = &file;
    let result = py.detach(|| mesh_file::write_curved((mesh, curved), groups, &path));
    result.map_err(|error| mesh_failure(&error))?;
    let data: Vec<String> = file.fields.keys().chain(file.vertex_fields.keys()).cloned().collect();
    let lost_data =
        (!data.is_empty()).then(|| format!("data are not written: {}", data.join(", ")));
    let lost = [
        mesh_file::straightened_note(mesh, curved, &path),
        mesh_file::lost_groups_note(mesh, groups, &path),
        lost_data,
    ];
    Ok(lost.into_iter().flatten().collect())
}

/// Inspection of a mesh, as JSON.
#[pyfunction]
pub(crate) fn mesh_info(
    py: Python<'_>,
    kind: &str,
    points: &Bound<'_, PyAny>,
    cells: &Bound<'_, PyAny>,
    attributes: Attributes<'_>,
) -> PyResult<String> {
    let file = to_file(kind, points, cells, &attributes)?;
    let pool = pool::get(py, 1)?;
    let info = py.detach(|| pool.install(|| MeshInfo::of(&file.mesh)));
    let mut info = info.map_err(|error| Failure::argument("mesh", kind, error))?;
    info.add_from_file(&file);
    Ok(info.to_json())
}

/// Reads a mesh file and writes another one: fills a surface, repairs it, or converts it. Returns the notes.
#[pyfunction]
#[pyo3(signature = (input, output, *, size = None, tets = None, grade = None, creases = None, repair = false,
    threads = None))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn remesh(
    py: Python<'_>,
    input: PathBuf,
    output: PathBuf,
    size: Option<f64>,
    #[pyo3(from_py_with = counts::tets)] tets: Option<usize>,
    #[pyo3(from_py_with = counts::grade)] grade: Option<u8>,
    creases: Option<f64>,
    repair: bool,
    #[pyo3(from_py_with = counts::threads)] threads: Option<usize>,
) -> PyResult<Vec<String>> {
    let resolution = match (size, tets) {
        (Some(_), Some(_)) => {
            let message = "the resolution is given twice";
            return Err(Failure::argument("tets", "", message)
                .with_remedy("give `size` or `tets`")
                .into());
        }
        (Some(size), None) => Some(Resolution::Size(size)),
        (None, tets) => tets.map(Resolution::Tets),
    };
    let prefix = format!("{}: ", input.display());
    let others = OtherSolidPolicy::Divide;
    let existing = Existing::Replace;
    let remesh = Remesh { input, output, resolution, grade, creases, repair, others, existing };
    let interrupt = Interrupt::new();
    let context = TaskContext { interrupt: interrupt.clone(), tally: Tally::new() };
    let work = || remesh.make(&context).and_then(ConvertedMesh::write);
    let pool = pool::get(py, pool::threads(py, threads)?)?;
    let TaskOutcome { result, exception } = run_observed(py, pool, &interrupt, work, |_| Ok(()))?;
    if let Some(exception) = exception {
        return Err(exception);
    }
    let converted = result.map_err(|error| {
        // The user knows no path: the mesh was written to a temporary file.
        let message = error.to_string().replacen(&prefix, "", 1);
        Failure::argument("mesh", "", message).with_remedy(error.help())
    })?;
    let repair_notes =
        converted.mended.into_iter().flat_map(|repair| repair.done.into_iter().chain(repair.left));
    Ok(repair_notes.chain(converted.notes).chain(converted.warnings).collect())
}
