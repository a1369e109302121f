//! Conversion of NumPy arrays.

use crate::errors::Failure;
use numpy::{
    PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use resile_math::Vec3;

/// An array (n, 3) of vectors.
pub(crate) fn vectors<'py>(py: Python<'py>, rows: &[Vec3]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows_of(py, rows.iter().map(|row| row.to_array()))
}

/// An array (n, N) of rows.
pub(crate) fn rows_of<'py, T: numpy::Element, const N: usize>(
    py: Python<'py>,
    rows: impl Iterator<Item = [T; N]>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let flat: Vec<T> = rows.flatten().collect();
    let count = flat.len() / N;
    PyArray1::from_vec(py, flat).reshape([count, N])
}

/// Creates a read-only array.
pub(crate) fn frozen<'py, T: numpy::Element, D: ndarray_dim::Dimension>(
    array: Bound<'py, numpy::PyArray<T, D>>,
) -> Bound<'py, numpy::PyArray<T, D>> {
    let writable = array.readwrite().make_nonwriteable();
    drop(writable);
    array
}

/// The trait of dimensions, which rust-numpy re-exports.
mod ndarray_dim {
    pub(crate) use numpy::ndarray::Dimension;
}

/// Converts any array-like value to an array of numbers of one type.
fn as_array<'py, T: numpy::Element>(
    name: &str,
    given: &Bound<'py, PyAny>,
    kind: &str,
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    let py = given.py();
    let options = PyDict::new(py);
    options.set_item("dtype", kind)?;
    let contiguous = py.import("numpy")?.call_method("ascontiguousarray", (given,), Some(&options));
    let array = contiguous.map_err(|error| {
        let message = format!("{name} cannot be made an array of {kind}: {}", error.value(py));
        let type_name = given.get_type().name().map_or_else(|_| "?".into(), |n| n.to_string());
        PyErr::from(Failure::argument(name, type_name, message))
    })?;
    Ok(array.cast::<PyArrayDyn<T>>()?.readonly())
}

fn shape_error(name: &str, shape: &[usize], expected: &str) -> PyErr {
    let shape = format!("{shape:?}").replace('[', "(").replace(']', ")");
    Failure::argument(
        name,
        &shape,
        format!("{name} must have the shape {expected}, but has {shape}"),
    )
    .into()
}

/// Vectors from an array (n, 3) of finite numbers; `count` is the expected n, if it is known.
pub(crate) fn to_vectors(
    name: &str,
    given: &Bound<'_, PyAny>,
    count: Option<usize>,
) -> PyResult<Vec<Vec3>> {
    let array = as_array::<f64>(name, given, "float64")?;
    let shape = array.shape();
    if shape.len() != 2 || shape[1] != 3 || count.is_some_and(|count| count != shape[0]) {
        let expected = count.map_or("(n, 3)".to_owned(), |count| format!("({count}, 3)"));
        return Err(shape_error(name, shape, &expected));
    }
    let numbers = array.as_slice().map_err(|error| Failure::argument(name, "", error))?;
    if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
        let place = format!("{name}[{}, {}]", at / 3, at % 3);
        let message = format!("{place} is {}, not a finite number", numbers[at]);
        return Err(Failure::argument(&place, numbers[at], message).into());
    }
    Ok(numbers.chunks_exact(3).map(Vec3::from_slice).collect())
}

/// One vector of three finite numbers.
pub(crate) fn to_vector(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec3> {
    let array = as_array::<f64>(name, given, "float64")?;
    if array.shape() != [3] {
        return Err(shape_error(name, array.shape(), "(3,)"));
    }
    let numbers = array.as_slice().map_err(|error| Failure::argument(name, "", error))?;
    let vector = Vec3::from_slice(numbers);
    if !vector.is_finite() {
        let message = format!("{name} is ({}, {}, {}), not finite", vector.x, vector.y, vector.z);
        return Err(Failure::argument(name, message.clone(), message).into());
    }
    Ok(vector)
}

/// Rows of N vertex numbers, each less than `vertices`.
pub(crate) fn to_cells<const N: usize>(
    name: &str,
    given: &Bound<'_, PyAny>,
    vertices: usize,
) -> PyResult<Vec<[u32; N]>> {
    let py = given.py();
    let array = py.import("numpy")?.call_method1("asarray", (given,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let empty = array.getattr("size")?.extract::<usize>()? == 0;
    if !empty && kind != "i" && kind != "u" {
        let dtype = array.getattr("dtype")?.str()?.to_string();
        let message = format!("{name} must be whole numbers, but is of {dtype}");
        return Err(Failure::argument(name, dtype, message).with_remedy("use .astype(int)").into());
    }
    let array = as_array::<i64>(name, &array, "int64")?;
    let shape = array.shape();
    if !empty && (shape.len() != 2 || shape[1] != N) {
        return Err(shape_error(name, shape, &format!("(m, {N})")));
    }
    let numbers = array.as_slice().map_err(|error| Failure::argument(name, "", error))?;
    if let Some(at) = numbers.iter().position(|&k| k < 0 || k as u64 >= vertices as u64) {
        let place = format!("{name}[{}, {}]", at / N, at % N);
        let message = format!("{place} is {}, and there are {vertices} points", numbers[at]);
        return Err(Failure::argument(&place, numbers[at], message).into());
    }
    let (rows, _) = numbers.as_chunks::<N>();
    Ok(rows.iter().map(|row| row.map(|k| k as u32)).collect())
}
