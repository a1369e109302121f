//! Diagnostics of scene files, in the form of compiler messages.

use crate::description::Severity;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// An error or warning with its position in a file and its remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The file or the `--set` argument.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Number of marked characters, at least 1.
    pub width: usize,
    /// The line, or the part of a long line around the column.
    pub source: String,
    /// Number of omitted characters before `source`.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped: usize,
    /// The field, such as `bodies[2].material`; empty for the whole file.
    pub path: String,
    /// The message.
    pub message: String,
    /// The remedy; may be empty.
    pub help: String,
}

/// Omits `skipped` in JSON if it is zero.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(skipped: &usize) -> bool {
    *skipped == 0
}

/// The kind of a part of a diagnostic, for colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Plain text.
    Text,
    /// The position and the message.
    Heading,
    /// The word `error:`, and the marked text.
    Error,
    /// The word `warning:`, and the marked text.
    Warning,
    /// The margin beside the line of the file.
    Margin,
}

impl Diagnostic {
    /// The lines of the message, each in parts: position and message, the line of the file, carets below the marked
    /// text, and the help. Control characters of the file are replaced, its markup is not escaped.
    pub fn lines(&self) -> Vec<Vec<(Mark, Cow<'_, str>)>> {
        let (severity, mark) = match self.severity {
            Severity::Error => ("error:", Mark::Error),
            Severity::Warning => ("warning:", Mark::Warning),
        };
        let text = |text: String| (Mark::Text, Cow::Owned(text));
        let margin_part = |text: String| (Mark::Margin, Cow::Owned(text));
        let position = format!("{}:{}:{}:", self.file, self.line, self.column);
        let mut heading = vec![(Mark::Heading, position.into()), text(" ".into())];
        heading.extend([(mark, severity.into()), text(" ".into())]);
        if !self.path.is_empty() {
            heading.push(text(format!("{}: ", self.path)));
        }
        heading.push((Mark::Heading, Cow::Borrowed(self.message.as_str())));
        let line_number = self.line.to_string();
        let margin = " ".repeat(line_number.len());
        // Control characters would misalign the carets.
        let visible = |c: char| if c.is_control() && c != '\t' { '\u{fffd}' } else { c };
        let source = self.source.chars().map(visible).collect::<String>();
        let prefix = self.source.chars().take(self.column - 1 - self.skipped);
        let indent: String = prefix.map(|c| if c == '\t' { c } else { ' ' }).collect();
        let carets = "^".repeat(self.width);
        let mut lines = vec![
            heading,
            vec![
                text(" ".into()),
                margin_part(format!("{line_number} |")),
                text(format!(" {source}")),
            ],
            vec![
                text(format!(" {margin} ")),
                margin_part("|".into()),
                text(format!(" {indent}")),
                (mark, carets.into()),
            ],
        ];
        if !self.help.is_empty() {
            let help = text(format!(" help: {}", self.help));
            lines.push(vec![text(format!(" {margin} ")), margin_part("=".into()), help]);
        }
        lines
    }
}

/// Writes the [lines](Self::lines) without colours.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in self.lines().into_iter().enumerate() {
            f.write_str(if index > 0 { "\n" } else { "" })?;
            line.iter().try_for_each(|(_, text)| f.write_str(text))?;
        }
        Ok(())
    }
}
