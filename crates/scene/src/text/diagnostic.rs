//! A finding about a scene file, as a reader of terminals expects it.

use crate::description::Severity;
use std::fmt;

/// What is wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// The line itself.
    pub source: String,
    /// The field, such as `bodies[2].material`; empty for the whole file.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

/// Several lines: place and message, the line of the file, a caret, help.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{}:{}:{}: {severity}: ", self.file, self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "{}", self.message)?;
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // Tabs stay tabs, so that the caret stands below what it points to.
        let indent: String = self
            .source
            .chars()
            .take(self.column - 1)
            .map(|c| if c == '\t' { c } else { ' ' })
            .collect();
        write!(f, "\n {number} | {}", self.source)?;
        write!(f, "\n {margin} | {indent}{}", "^".repeat(self.width))?;
        if !self.help.is_empty() {
            write!(f, "\n {margin} = help: {}", self.help)?;
        }
        Ok(())
    }
}
