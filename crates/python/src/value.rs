//! Conversion of Python values to text of a scene.

use crate::errors::Failure;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use resile_scene::text::{FieldValue, SceneText};

/// Maximum nesting depth of values.
const MAX_DEPTH: usize = 64;

/// The override `path=value` of a field, as after `--set`. A string at the top level is inserted verbatim (`"Bdf2"`,
/// `"1/240"`, `"(0, 1, 0)"`), with quotes where the scene has text; all other values are written as the type of the
/// field requires.
pub(crate) fn to_override(
    text: &SceneText,
    path: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let value_text = match value.cast::<PyString>() {
        Ok(verbatim) => verbatim.to_string(),
        Err(_) => text.format_value(path, &convert(path, value, 0)?),
    };
    Ok(format!("{path}={value_text}"))
}

/// Converts a value of the field at `path`; `depth` is the nesting depth of the value. Raises an exception for types
/// without a counterpart in a scene.
fn convert(path: &str, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<FieldValue> {
    if depth > MAX_DEPTH {
        return Err(Failure::argument(path, "", "the value is nested too deeply").into());
    }
    if value.is_none() {
        Ok(FieldValue::Nothing)
    } else if let Ok(truth) = value.cast::<PyBool>() {
        Ok(FieldValue::Truth(truth.is_true()))
    } else if let Ok(text) = value.cast::<PyString>() {
        Ok(FieldValue::Text(text.to_string()))
    } else if value.is_instance_of::<PyInt>() {
        Ok(FieldValue::Number(value.str()?.to_string()))
    } else if value.is_instance_of::<PyFloat>() {
        Ok(FieldValue::Number(number_text(value.extract()?)))
    } else if let Ok(items) = value.cast::<PyList>() {
        convert_items(path, items.iter(), false, depth)
    } else if let Ok(items) = value.cast::<PyTuple>() {
        convert_items(path, items.iter(), true, depth)
    } else if let Ok(fields) = value.cast::<PyDict>() {
        convert_fields(path, fields, depth)
    } else if value.hasattr("tolist")? {
        let list = value.call_method0("tolist")?;
        match list.cast::<PyList>() {
            Ok(items) => convert_items(path, items.iter(), true, depth),
            // Numbers that Python does not have, such as `longdouble`, are not converted by NumPy.
            Err(_) if list.get_type().is(value.get_type()) => float_value(&list),
            Err(_) => convert(path, &list, depth + 1),
        }
    } else if value.hasattr("numerator")? && value.hasattr("denominator")? {
        let [numerator, denominator] =
            ["numerator", "denominator"].map(|name| value.getattr(name)?.str());
        Ok(FieldValue::Text(format!("{}/{}", numerator?, denominator?)))
    } else if value.hasattr("__float__")? {
        float_value(value)
    } else {
        let type_name = value.get_type().name()?.to_string();
        let message = format!("a {type_name} cannot be a value of a scene");
        let help = "use a number, a string, a tuple, a list, an array or a dict";
        Err(Failure::argument(path, type_name, message).with_remedy(help).into())
    }
}

/// The value of an object with `__float__`.
fn float_value(value: &Bound<'_, PyAny>) -> PyResult<FieldValue> {
    Ok(FieldValue::Number(number_text(value.call_method0("__float__")?.extract()?)))
}

/// Text of a number in a scene, in the shortest form that parses to the same bits.
fn number_text(number: f64) -> String {
    match number {
        number if number.is_nan() => "NaN".to_owned(),
        number if number.is_infinite() => format!("{}inf", if number < 0.0 { "-" } else { "" }),
        number => format!("{number:?}"),
    }
}

/// Converts the items of a list, a tuple or an array.
fn convert_items<'py>(
    path: &str,
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    is_tuple: bool,
    depth: usize,
) -> PyResult<FieldValue> {
    let values = items.map(|item| convert(path, &item, depth + 1)).collect::<PyResult<_>>()?;
    Ok(FieldValue::Items { values, is_tuple })
}

/// Converts the entries of a dictionary, whose keys must be strings.
fn convert_fields(path: &str, fields: &Bound<'_, PyDict>, depth: usize) -> PyResult<FieldValue> {
    let field = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let Ok(name) = key.cast::<PyString>() else {
            let message = format!("the key {} is no string", key.repr()?);
            return Err(Failure::argument(path, key.repr()?, message).into());
        };
        Ok((name.to_string(), convert(path, &value, depth + 1)?))
    };
    Ok(FieldValue::Fields(fields.iter().map(field).collect::<PyResult<_>>()?))
}
