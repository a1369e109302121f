//! Values in USD syntax.

use resile_math::Vec3;
use std::fmt::{self, Display};
use std::io::{self, Write};

/// Numbers in parentheses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tuple<const N: usize>(pub(super) [f32; N]);

impl<const N: usize> Display for Tuple<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, number) in self.0.iter().enumerate() {
            write!(f, "{}{number}", if k == 0 { "(" } else { ", " })?;
        }
        write!(f, ")")
    }
}

/// A direction with four digits, which is finer than 8-bit colours can show.
pub(super) fn direction(vector: Vec3) -> Tuple<3> {
    // Adding zero makes -0 equal to 0.
    Tuple(vector.to_array().map(|x| ((x * 1e4).round() / 1e4 + 0.0) as f32))
}

/// Values in brackets.
pub(super) fn list<T: Display>(
    out: &mut dyn Write,
    items: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write!(out, "[")?;
    for (number, item) in items.into_iter().enumerate() {
        write!(out, "{}{item}", if number > 0 { ", " } else { "" })?;
    }
    write!(out, "]")
}

/// A quoted and escaped string.
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
