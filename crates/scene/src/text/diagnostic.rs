//! A finding about a scene file, as a reader of terminals expects it.

use crate::description::Severity;
use serde::Serialize;
use std::borrow::Cow;
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

/// What a piece of a diagnostic is, for programs that colour it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Text like any other.
    Text,
    /// The place and the message.
    Heading,
    /// The word `error:`, and what is at fault.
    Error,
    /// The word `warning:`, and what is at fault.
    Warning,
    /// What stands beside the line of the file.
    Margin,
}

impl Diagnostic {
    /// Several lines, each in pieces: place and message, the line of the file, a caret, help. Text of the file
    /// stands in them as it is.
    pub fn lines(&self) -> Vec<Vec<(Mark, Cow<'_, str>)>> {
        let (severity, mark) = match self.severity {
            Severity::Error => ("error:", Mark::Error),
            Severity::Warning => ("warning:", Mark::Warning),
        };
        let text = |text: String| (Mark::Text, Cow::Owned(text));
        let bar = |text: String| (Mark::Margin, Cow::Owned(text));
        let place = format!("{}:{}:{}:", self.file, self.line, self.column);
        let mut heading = vec![(Mark::Heading, place.into()), text(" ".into())];
        heading.extend([(mark, severity.into()), text(" ".into())]);
        if !self.path.is_empty() {
            heading.push(text(format!("{}: ", self.path)));
        }
        heading.push((Mark::Heading, Cow::Borrowed(self.message.as_str())));
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // One character of the file is one on the screen, so that the caret stands below what it points to.
        let one = |c: char| if c.is_control() && c != '\t' { '\u{fffd}' } else { c };
        let source = self.source.chars().map(one).collect::<String>();
        let before = self.source.chars().take(self.column - 1 - self.skipped);
        let indent: String = before.map(|c| if c == '\t' { c } else { ' ' }).collect();
        let carets = "^".repeat(self.width);
        let mut lines = vec![
            heading,
            vec![text(" ".into()), bar(format!("{number} |")), text(format!(" {source}"))],
            vec![
                text(format!(" {margin} ")),
                bar("|".into()),
                text(format!(" {indent}")),
                (mark, carets.into()),
            ],
        ];
        if !self.help.is_empty() {
            let help = text(format!(" help: {}", self.help));
            lines.push(vec![text(format!(" {margin} ")), bar("=".into()), help]);
        }
        lines
    }
}

/// Without marks.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, line) in self.lines().into_iter().enumerate() {
            f.write_str(if number > 0 { "\n" } else { "" })?;
            line.iter().try_for_each(|(_, text)| f.write_str(text))?;
        }
        Ok(())
    }
}
