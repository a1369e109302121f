//! The two streams that people and programs read.
//!
//! `println!` and `eprintln!` panic where nobody reads any more (`sim bench | head`) or the disk
//! is full; nothing else in this program writes to them.

use crate::Failure;
use anyhow::Context as _;
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{ErrorKind, Write as _};

/// Writes a line of results to standard output.
///
/// # Errors
/// If the system refuses, as on a full disk. A reader who has seen enough, such as `head`, is no
/// failure: the work is done and in its files.
pub(crate) fn print(text: impl Display) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{}", harmless(&text.to_string())).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("the results could not be printed").map_err(Failure::Work)
        }
        _ => Ok(()),
    }
}

/// Writes a line of progress, a warning or an error to standard error. Nobody can be told if that
/// fails, so it is no failure.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{}", harmless(&text.to_string()));
}

/// The text with its control characters escaped, but for ends of lines, tabs and colours: what a
/// scene, a mesh or a file name says must not command the terminal.
fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(|c: char| c.is_control() && c != '\n') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = colour(rest).unwrap_or(c.len_utf8());
        let (piece, behind) = rest.split_at(length);
        match c {
            '\x1b' if length > 1 => out.push_str(piece),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
        rest = behind;
    }
    out.into()
}

/// The length of the escape sequence for a colour (ECMA-48, SGR) that the text begins with.
fn colour(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\x1b[")?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    numbers[end..].starts_with('m').then_some("\x1b[".len() + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_pass_and_commands_to_the_terminal_do_not() {
        let colours = "\x1b[1;31merror:\x1b[0m two\n\tlines";
        assert_eq!(harmless(colours), colours);
        assert_eq!(
            harmless("a\x1b]0;title\x07b\x1b[2Jc\r"),
            "a\\u{1b}]0;title\\u{7}b\\u{1b}[2Jc\\r"
        );
        assert_eq!(harmless("\x1b[31"), "\\u{1b}[31");
        assert_eq!(harmless("\u{9b}2J"), "\\u{9b}2J");
    }
}
