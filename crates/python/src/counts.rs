//! Conversion of whole numbers, with the name of the argument in errors.

use crate::errors::Failure;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

/// Converts the argument `name` to a whole number. For numbers out of range pyo3 would raise `OverflowError` without the
/// name.
fn to_count<T: TryFrom<u64>>(name: &str, argument: &Bound<'_, PyAny>) -> PyResult<T> {
    let number = match argument.extract::<u64>() {
        Ok(number) => T::try_from(number).ok(),
        Err(error) if error.is_instance_of::<PyOverflowError>(argument.py()) => None,
        Err(error) => return Err(error),
    };
    match number {
        Some(number) => Ok(number),
        None => {
            let text = argument.str()?.to_string();
            let limit = if argument.lt(0)? { "must not be negative" } else { "is too large" };
            Err(Failure::argument(name, &text, format!("{name} {limit}: {text}")).into())
        }
    }
}

/// The argument `n`.
pub(crate) fn n(argument: &Bound<'_, PyAny>) -> PyResult<u64> {
    to_count("n", argument)
}

/// The argument `point`.
pub(crate) fn point(argument: &Bound<'_, PyAny>) -> PyResult<usize> {
    to_count("point", argument)
}

/// The argument `steps`, which may be `None`.
pub(crate) fn steps(argument: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    optional("steps", argument)
}

/// The argument `threads`, which may be `None`.
pub(crate) fn threads(argument: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    optional("threads", argument)
}

/// The argument `tets`, which may be `None`.
pub(crate) fn tets(argument: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    optional("tets", argument)
}

/// The argument `grade`, which may be `None`.
pub(crate) fn grade(argument: &Bound<'_, PyAny>) -> PyResult<Option<u8>> {
    optional("grade", argument)
}

/// The argument `size` of a picture: width and height (pixels), in any sequence.
pub(crate) fn size(argument: &Bound<'_, PyAny>) -> PyResult<(usize, usize)> {
    let sides = argument.try_iter()?.map(|side| to_count("size", &side?));
    let sides: Vec<usize> = sides.collect::<PyResult<_>>()?;
    match sides[..] {
        [width, height] => Ok((width, height)),
        _ => {
            let message = format!("size has a width and a height, not {} numbers", sides.len());
            Err(Failure::argument("size", argument.to_string(), message).into())
        }
    }
}

/// The argument `name`, which may be `None`.
fn optional<T: TryFrom<u64>>(name: &str, argument: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
    if argument.is_none() { Ok(None) } else { to_count(name, argument).map(Some) }
}
