//! A finding about a scene file, as a reader of terminals expects it.

use crate::description::Severity;
use serde::Serialize;
use std::fmt;

/// What is wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Whether the scene can be run at all.
    pub severity: Severity,
    /// The file, or the `--set` argument, that is at fault.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// How many characters are at fault, at least 1.
    pub width: usize,
    /// The line itself, of a long one the piece around the column.
    pub source: String,
    /// How many characters of the line are left out before `source`.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped: usize,
    /// The field, such as `bodies[2].material`; empty for the whole file.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

/// Of a line that is shown from its beginning nothing is said in JSON.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(skipped: &usize) -> bool {
    *skipped == 0
}

/// How the parts of a diagnostic are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Not at all.
    Plain,
    /// By the colours of a terminal (ANSI escapes).
    Coloured,
}

const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[1;33m";
const BLUE: &str = "\x1b[1;34m";
const BOLD: &str = "\x1b[1m";

impl Style {
    /// A text in a colour, if there are any.
    fn paint(self, colour: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured => format!("{colour}{text}\x1b[0m"),
        }
    }
}

impl Diagnostic {
    /// Several lines: place and message, the line of the file, a caret, help.
    pub fn shown(&self, style: Style) -> String {
        let (severity, colour) = match self.severity {
            Severity::Error => ("error", RED),
            Severity::Warning => ("warning", YELLOW),
        };
        let bar = |text: &str| style.paint(BLUE, text);
        let place = format!("{}:{}:{}:", self.file, self.line, self.column);
        let mut out = format!(
            "{} {} ",
            style.paint(BOLD, &place),
            style.paint(colour, &format!("{severity}:"))
        );
        if !self.path.is_empty() {
            out += &format!("{}: ", self.path);
        }
        out += &style.paint(BOLD, &self.message);
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // Tabs stay tabs, so that the caret stands below what it points to.
        let before = self.source.chars().take(self.column - 1 - self.skipped);
        let indent: String = before.map(|c| if c == '\t' { c } else { ' ' }).collect();
        let carets = style.paint(colour, &"^".repeat(self.width));
        out += &format!("\n {} {}", bar(&format!("{number} |")), self.source);
        out += &format!("\n {margin} {} {indent}{carets}", bar("|"));
        if !self.help.is_empty() {
            out += &format!("\n {margin} {} help: {}", bar("="), self.help);
        }
        out
    }
}

/// Plain.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown(Style::Plain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_change_nothing_but_colours() {
        let diagnostic = Diagnostic {
            severity: Severity::Error,
            file: "a.ron".into(),
            line: 12,
            column: 3,
            width: 4,
            source: "\t\twide: 3".into(),
            skipped: 0,
            path: "bodies[0].wide".into(),
            message: "too wide".into(),
            help: "make it narrow".into(),
        };
        let coloured = diagnostic.shown(Style::Coloured);
        let bare = [RED, YELLOW, BLUE, BOLD, "\x1b[0m"]
            .iter()
            .fold(coloured.clone(), |text, escape| text.replace(escape, ""));
        assert_eq!(bare, diagnostic.to_string());
        assert!(coloured.contains(&format!("{RED}error:")) && !bare.contains('\x1b'));
    }
}
