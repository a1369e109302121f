//! Conversion of NumPy arrays.

use crate::errors::Failure;
use numpy::{
    PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use resile_math::Vec3;

/// Creates an array (n, 3) of vectors.
pub(crate) fn vector_array<'py>(
    py: Python<'py>,
    vectors: &[Vec3],
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    row_array(py, vectors.iter().map(|vector| vector.to_array()))
}

/// Creates an array (n, N) from its rows.
pub(crate) fn row_array<'py, T: numpy::Element, const N: usize>(
    py: Python<'py>,
    rows: impl Iterator<Item = [T; N]>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let flat: Vec<T> = rows.flatten().collect();
    let count = flat.len() / N;
    PyArray1::from_vec(py, flat).reshape([count, N])
}

/// Makes an array read-only.
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

/// Converts the array-like argument `name` to a contiguous array of the element type `T`, whose name in NumPy is
/// `dtype`.
fn as_array<'py, T: numpy::Element>(
    name: &str,
    argument: &Bound<'py, PyAny>,
    dtype: &str,
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    let py = argument.py();
    let numpy = py.import("numpy")?;
    let unusable = |error: PyErr| {
        let message = format!("{name} cannot be made an array of {dtype}: {}", error.value(py));
        let type_name = argument.get_type().name().map_or_else(|_| "?".into(), |n| n.to_string());
        PyErr::from(Failure::argument(name, type_name, message))
    };
    let array = numpy.call_method1("asarray", (argument,)).map_err(unusable)?;
    if array.getattr("dtype")?.getattr("kind")?.extract::<String>()? == "c" {
        let given = array.getattr("dtype")?.to_string();
        let message = format!("{name} must be real numbers, but is of {given}");
        return Err(Failure::argument(name, given, message).with_remedy("use .real").into());
    }
    let options = PyDict::new(py);
    options.set_item("dtype", dtype)?;
    options.set_item("order", "C")?;
    let contiguous = numpy.call_method("asarray", (array,), Some(&options)).map_err(unusable)?;
    Ok(contiguous.cast::<PyArrayDyn<T>>()?.readonly())
}

/// Copies the argument `name`, an object with a buffer such as `bytes`.
pub(crate) fn to_bytes(name: &str, argument: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = argument.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    let py = argument.py();
    let view = py.import("builtins")?.call_method1("memoryview", (argument,)).map_err(|_| {
        let type_name = argument.get_type().name().map_or_else(|_| "?".into(), |n| n.to_string());
        PyTypeError::new_err(format!("{name} must be bytes, not {type_name}"))
    })?;
    Ok(view.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes().to_vec())
}

/// Error of an array argument whose shape is not the expected one.
fn shape_error(name: &str, shape: &[usize], expected: &str) -> PyErr {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    let shape = match &lengths[..] {
        [length] => format!("({length},)"),
        lengths => format!("({})", lengths.join(", ")),
    };
    Failure::argument(
        name,
        &shape,
        format!("{name} must have the shape {expected}, but has {shape}"),
    )
    .into()
}

/// Converts the argument `name`, an array (n, 3) of finite numbers, to vectors; `count` is the expected n, if it is
/// known.
pub(crate) fn to_vectors(
    name: &str,
    argument: &Bound<'_, PyAny>,
    count: Option<usize>,
) -> PyResult<Vec<Vec3>> {
    let array = as_array::<f64>(name, argument, "float64")?;
    let shape = array.shape();
    if shape.len() != 2 || shape[1] != 3 || count.is_some_and(|count| count != shape[0]) {
        let expected = count.map_or("(n, 3)".to_owned(), |count| format!("({count}, 3)"));
        return Err(shape_error(name, shape, &expected));
    }
    let numbers = array.as_slice().map_err(|error| Failure::argument(name, "", error))?;
    if let Some(index) = numbers.iter().position(|number| !number.is_finite()) {
        let element = format!("{name}[{}, {}]", index / 3, index % 3);
        let message = format!("{element} is {}, not a finite number", numbers[index]);
        return Err(Failure::argument(&element, numbers[index], message).into());
    }
    Ok(numbers.chunks_exact(3).map(Vec3::from_slice).collect())
}

/// Converts the optional argument `name`, an array (N,).
pub(crate) fn to_numbers<const N: usize>(
    name: &str,
    argument: Option<Bound<'_, PyAny>>,
) -> PyResult<Option<[f64; N]>> {
    let Some(argument) = argument else { return Ok(None) };
    let array = as_array::<f64>(name, &argument, "float64")?;
    let numbers = array.as_slice().map_err(|error| Failure::argument(name, "", error))?;
    match numbers.try_into() {
        Ok(numbers) if array.ndim() == 1 => Ok(Some(numbers)),
        _ => Err(shape_error(name, array.shape(), &format!("({N},)"))),
    }
}

/// Converts the argument `name`, an array (count,) of numbers.
pub(crate) fn to_number_list(
    name: &str,
    argument: &Bound<'_, PyAny>,
    count: usize,
) -> PyResult<Vec<f64>> {
    let array = as_array::<f64>(name, argument, "float64")?;
    if array.shape() != [count] {
        return Err(shape_error(name, array.shape(), &format!("({count},)")));
    }
    let numbers = array.as_slice().map_err(|error| Failure::argument(name, "", error))?;
    Ok(numbers.to_vec())
}

/// Converts the argument `name`, an array (3,) of finite numbers, to a vector.
pub(crate) fn to_vector(name: &str, argument: &Bound<'_, PyAny>) -> PyResult<Vec3> {
    let array = as_array::<f64>(name, argument, "float64")?;
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

/// Converts the argument `name`, an array (m,) of integers, to indices less than `vertex_count`.
pub(crate) fn to_indices(
    name: &str,
    argument: &Bound<'_, PyAny>,
    vertex_count: usize,
) -> PyResult<Vec<u32>> {
    let column = argument.py().import("numpy")?.call_method1("asarray", (argument,))?;
    let column = column.call_method1("reshape", (-1, 1))?;
    Ok(to_cells::<1>(name, &column, vertex_count)?.into_flattened())
}

/// Converts the argument `name`, an array (m, N) of integers, to cells of N vertex indices, each less than
/// `vertex_count`. Raises an exception for other types, shapes and indices.
pub(crate) fn to_cells<const N: usize>(
    name: &str,
    argument: &Bound<'_, PyAny>,
    vertex_count: usize,
) -> PyResult<Vec<[u32; N]>> {
    let py = argument.py();
    let array = py.import("numpy")?.call_method1("asarray", (argument,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    if !is_empty && kind != "i" && kind != "u" {
        let dtype = array.getattr("dtype")?.str()?.to_string();
        let message = format!("{name} must be whole numbers, but is of {dtype}");
        return Err(Failure::argument(name, dtype, message).with_remedy("use .astype(int)").into());
    }
    let array = as_array::<i64>(name, &array, "int64")?;
    let shape = array.shape();
    if !is_empty && (shape.len() != 2 || shape[1] != N) {
        return Err(shape_error(name, shape, &format!("(m, {N})")));
    }
    let numbers = array.as_slice().map_err(|error| Failure::argument(name, "", error))?;
    let is_invalid = |&index: &i64| index < 0 || index as u64 >= vertex_count as u64;
    if let Some(position) = numbers.iter().position(is_invalid) {
        let (element, index) =
            (format!("{name}[{}, {}]", position / N, position % N), numbers[position]);
        let message = format!("{element} is {index}, and there are {vertex_count} points");
        return Err(Failure::argument(&element, index, message).into());
    }
    let (rows, _) = numbers.as_chunks::<N>();
    Ok(rows.iter().map(|row| row.map(|k| k as u32)).collect())
}
