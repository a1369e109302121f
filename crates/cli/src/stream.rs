//! Standard output, standard error, and progress bars.
//!
//! `println!` and `eprintln!` panic if the reader has closed the pipe (`sim bench | head`) or the disk
//! is full, so this module is the only code that writes to these streams. It also escapes all text, which
//! may stem from files, names or arguments (`clippy.toml` of this crate forbids other ways).
#![allow(clippy::disallowed_methods, reason = "this is the one place")]

use crate::Failure;
use anyhow::Context as _;
use indicatif::ProgressBar;
use resile_scene::text::{Diagnostic, Mark};
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal as _, Write as _};

/// Writes lines of results to standard output.
///
/// # Errors
/// If the system refuses, as on a full disk. A closed pipe (`head`) is not an error, because the results are
/// in files.
pub(crate) fn print(text: impl Display) -> Result<(), Failure> {
    write_out(&escape_control_characters(&text.to_string()))
}

/// Writes JSON to standard output.
///
/// # Errors
/// As [`print()`].
pub(crate) fn print_json(json: &str) -> Result<(), Failure> {
    write_out(&escape_with(json, "\n", &|c| format!("\\u{:04x}", u32::from(c))))
}

/// Writes a text and a line end to standard output; a closed pipe is not an error.
fn write_out(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("the results could not be printed").map_err(Failure::Work)
        }
        _ => Ok(()),
    }
}

/// Writes lines of progress, a warning or an error to standard error. If standard error cannot be written, there is no
/// way to report that, so the error is ignored.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{}", escape_control_characters(&text.to_string()));
}

/// Writes a diagnostic to standard error. It is coloured if standard error is a terminal with colours and `NO_COLOR` is
/// not set (<https://no-color.org>).
pub(crate) fn diagnose(diagnostic: &Diagnostic) {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let is_dumb = variable("TERM").is_some_and(|terminal| terminal == "dumb");
    let is_coloured = has_terminal() && variable("NO_COLOR").is_none() && !is_dumb;
    let _ = writeln!(std::io::stderr().lock(), "{}", diagnostic_text(diagnostic, is_coloured));
}

/// Sets the message of a progress bar.
pub(crate) fn set_message(bar: &ProgressBar, text: impl Display) {
    bar.set_message(one_line(&text.to_string()).into_owned());
}

/// Whether standard error is a terminal.
pub(crate) fn has_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Escapes control characters (except line ends and tabs) and characters that change the direction of
/// writing.
pub(crate) fn escape_control_characters(text: &str) -> Cow<'_, str> {
    escape_with(text, "\n\t", &|c| c.escape_default().to_string())
}

/// Escapes control characters, including line ends and tabs, in a part of a line, such as a name.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    escape_with(text, "", &|c| c.escape_default().to_string())
}

/// Replaces control characters and [direction marks](is_bidi_control) by `escape`, except for the characters in
/// `allowed`.
fn escape_with<'a>(text: &'a str, allowed: &str, escape: &dyn Fn(char) -> String) -> Cow<'a, str> {
    let is_unsafe = |c: char| (c.is_control() || is_bidi_control(c)) && !allowed.contains(c);
    if !text.contains(is_unsafe) {
        return text.into();
    }
    text.chars().map(|c| if is_unsafe(c) { escape(c) } else { c.into() }).collect::<String>().into()
}

/// Whether a character changes the direction of writing or separates lines (`Bidi_Control` and the separators of lines
/// and paragraphs of Unicode).
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The control sequence that ends a colour.
const RESET: &str = "\x1b[0m";

/// The lines of a diagnostic. Each part is escaped before it is coloured with control sequences (ECMA-48, SGR).
fn diagnostic_text(diagnostic: &Diagnostic, coloured: bool) -> String {
    let mut out = String::new();
    for (index, line) in diagnostic.lines().into_iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        for (mark, text) in line {
            let text = escape_with(&text, "\t", &|c| c.escape_default().to_string());
            match colour_sequence(mark).filter(|_| coloured) {
                None => out += &text,
                Some(sequence) => out.extend([sequence, &text, RESET]),
            }
        }
    }
    out
}

/// The control sequence that begins the colour of a mark.
fn colour_sequence(mark: Mark) -> Option<&'static str> {
    match mark {
        Mark::Text => None,
        Mark::Heading => Some("\x1b[1m"),
        Mark::Error => Some("\x1b[1;31m"),
        Mark::Warning => Some("\x1b[1;33m"),
        Mark::Margin => Some("\x1b[1;34m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_scene::description::Severity;

    #[test]
    fn terminal_control_sequences_are_escaped() {
        let lines = "error: two\n\tlines, äöü 漢字 👍";
        assert_eq!(escape_control_characters(lines), lines);
        assert_eq!(
            escape_control_characters("a\x1b]0;title\x07b\x1b[2Jc\r"),
            "a\\u{1b}]0;title\\u{7}b\\u{1b}[2Jc\\r"
        );
        assert_eq!(escape_control_characters("\x1b[8mhidden"), "\\u{1b}[8mhidden");
        assert_eq!(escape_control_characters("\u{9b}2J\u{7f}"), "\\u{9b}2J\\u{7f}");
        assert_eq!(
            escape_control_characters("a\u{202e}b\u{2066}c\u{2028}"),
            "a\\u{202e}b\\u{2066}c\\u{2028}"
        );
        assert_eq!(one_line("a\nb\tc"), "a\\nb\\tc");
    }

    #[test]
    fn colours_are_applied_around_escaped_text() {
        let diagnostic = Diagnostic {
            severity: Severity::Error,
            file: "a\x1b[32m.ron".into(),
            line: 12,
            column: 3,
            width: 4,
            source: "\t\twide: \x1b[8m3".into(),
            skipped: 0,
            path: "bodies[0].wide".into(),
            message: "too\nwide".into(),
            help: "make it \u{9b}0m narrow".into(),
        };
        let plain = diagnostic_text(&diagnostic, false);
        assert!(plain.chars().all(|c| !c.is_control() || "\n\t".contains(c)), "{plain:?}");
        assert_eq!(plain.lines().count(), 4);
        let coloured = diagnostic_text(&diagnostic, true);
        let marks = [Mark::Heading, Mark::Error, Mark::Warning, Mark::Margin];
        let colours = marks.into_iter().filter_map(colour_sequence).chain([RESET]);
        assert_eq!(colours.fold(coloured.clone(), |text, colour| text.replace(colour, "")), plain);
        assert!(coloured.contains("\x1b[1;31merror:\x1b[0m"));
    }
}
