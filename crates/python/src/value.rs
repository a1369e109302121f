//! Conversion of Python values to text of a scene.

use crate::errors::Failure;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::fmt::Write as _;

/// Maximum nesting depth of values.
const MAX_DEPTH: usize = 64;

/// A value as RON: numbers, booleans, text in quotes; a list in brackets; tuples and arrays of numbers in
/// parentheses; a dictionary as a struct. A string at the top level is inserted verbatim, as after `--set`: `"Bdf2"`,
/// `"1/240"`, `"(0, 1, 0)"`.
pub(crate) fn to_ron(path: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_string());
    }
    let mut out = String::new();
    write_value(path, value, 0, &mut out)?;
    Ok(out)
}

fn write_value(
    path: &str,
    value: &Bound<'_, PyAny>,
    depth: usize,
    out: &mut String,
) -> PyResult<()> {
    if depth > MAX_DEPTH {
        return Err(Failure::argument(path, "", "the value is nested too deeply").into());
    }
    if value.is_none() {
        out.push_str("None");
    } else if let Ok(truth) = value.cast::<PyBool>() {
        out.push_str(if truth.is_true() { "true" } else { "false" });
    } else if let Ok(text) = value.cast::<PyString>() {
        let _ = write!(out, "{:?}", text.to_string());
    } else if value.is_instance_of::<PyInt>() {
        out.push_str(&value.str()?.to_string());
    } else if value.is_instance_of::<PyFloat>() {
        write_float(value.extract()?, out);
    } else if let Ok(items) = value.cast::<PyList>() {
        write_items(path, items.iter(), ['[', ']'], depth, out)?;
    } else if let Ok(items) = value.cast::<PyTuple>() {
        write_items(path, items.iter(), ['(', ')'], depth, out)?;
    } else if let Ok(fields) = value.cast::<PyDict>() {
        write_fields(path, fields, depth, out)?;
    } else if value.hasattr("tolist")? {
        let list = value.call_method0("tolist")?;
        match list.cast::<PyList>() {
            Ok(items) => write_items(path, items.iter(), ['(', ')'], depth, out)?,
            Err(_) => write_value(path, &list, depth + 1, out)?,
        }
    } else if value.hasattr("numerator")? && value.hasattr("denominator")? {
        let _ = write!(
            out,
            "\"{}/{}\"",
            value.getattr("numerator")?.str()?,
            value.getattr("denominator")?.str()?
        );
    } else if value.hasattr("__float__")? {
        write_float(value.call_method0("__float__")?.extract()?, out);
    } else {
        let kind = value.get_type().name()?.to_string();
        let message = format!("a {kind} cannot be a value of a scene");
        let help = "use a number, a string, a tuple, a list, an array or a dict";
        return Err(Failure::argument(path, kind, message).with_remedy(help).into());
    }
    Ok(())
}

fn write_float(number: f64, out: &mut String) {
    let _ = match number {
        number if number.is_nan() => write!(out, "NaN"),
        number if number.is_infinite() => write!(out, "{}inf", if number < 0.0 { "-" } else { "" }),
        number => write!(out, "{number:?}"),
    };
}

fn write_items<'py>(
    path: &str,
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    [open, close]: [char; 2],
    depth: usize,
    out: &mut String,
) -> PyResult<()> {
    out.push(open);
    for (k, item) in items.enumerate() {
        out.push_str(if k > 0 { ", " } else { "" });
        write_value(path, &item, depth + 1, out)?;
    }
    out.push(close);
    Ok(())
}

fn write_fields(
    path: &str,
    fields: &Bound<'_, PyDict>,
    depth: usize,
    out: &mut String,
) -> PyResult<()> {
    out.push('(');
    for (k, (key, value)) in fields.iter().enumerate() {
        let Ok(key) = key.cast::<PyString>() else {
            let message = format!("the key {} is no string", key.repr()?);
            return Err(Failure::argument(path, key.repr()?, message).into());
        };
        let _ = write!(out, "{}{key}: ", if k > 0 { ", " } else { "" });
        write_value(path, &value, depth + 1, out)?;
    }
    out.push(')');
    Ok(())
}
