//! Values in USD syntax.

use resile_math::Vec3;
use std::fmt::{self, Display};
use std::io::{self, Write};

/// Displays numbers in parentheses, as USD writes vectors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tuple<const N: usize>(pub(super) [f32; N]);

impl<const N: usize> Display for Tuple<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(components) = self;
        for (k, component) in components.iter().enumerate() {
            write!(f, "{}{component}", if k == 0 { "(" } else { ", " })?;
        }
        write!(f, ")")
    }
}

/// Rounds the components of a unit vector to four decimals. Differences in shading are then below those of 8-bit
/// colours.
pub(super) fn direction(vector: Vec3) -> Tuple<3> {
    // Adding zero makes -0 equal to 0.
    Tuple(vector.to_array().map(|x| ((x * 1e4).round() / 1e4 + 0.0) as f32))
}

/// Writes values in brackets, as USD writes arrays.
pub(super) fn write_values<T: Display>(
    out: &mut dyn Write,
    values: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write!(out, "[")?;
    for (k, value) in values.into_iter().enumerate() {
        write!(out, "{}{value}", if k > 0 { ", " } else { "" })?;
    }
    write!(out, "]")
}

/// Quotes a text, escapes quotes and backslashes, and replaces control characters by spaces.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
