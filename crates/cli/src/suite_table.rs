//! The table of `sim suite`.

use resile_record::Status;
use std::fmt::Write as _;

/// A scene of a suite and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) scene: String,
    pub(crate) status: Status,
    /// The reason of the status; empty for a complete run.
    pub(crate) reason: String,
    /// Completed steps.
    pub(crate) steps: u64,
    /// Steps of the whole scene.
    pub(crate) total_steps: u64,
    /// Newton iterations of all steps.
    pub(crate) newton: u64,
    /// Wall time per step (s).
    pub(crate) seconds: f64,
    /// Number of intersections in the frames, `none`, or `-` if nothing was checked.
    pub(crate) crossings: String,
    /// L2 norm of the displacement.
    pub(crate) norm: f64,
    /// The L2 norm that the file records.
    pub(crate) recorded: Option<f64>,
    /// Largest relative deviation from the recorded norms.
    pub(crate) deviation: Option<f64>,
    /// Whether the scene was not run.
    pub(crate) is_refused: bool,
}

impl Row {
    /// A scene that cannot be run.
    pub(crate) fn refused(scene: &str, reason: &str) -> Self {
        Self {
            scene: scene.to_owned(),
            status: Status::Failed,
            reason: reason.lines().next().unwrap_or_default().to_owned(),
            steps: 0,
            total_steps: 0,
            newton: 0,
            seconds: 0.0,
            crossings: "-".to_owned(),
            norm: 0.0,
            recorded: None,
            deviation: None,
            is_refused: true,
        }
    }

    /// Whether a run that was started failed or has intersections.
    pub(crate) fn is_failure(&self) -> bool {
        !self.is_refused
            && (self.status == Status::Failed || !["none", "-"].contains(&&self.crossings[..]))
    }

    /// The status in words, with the reason.
    fn status(&self) -> String {
        match self.status {
            _ if self.is_refused => format!("refused: {}", self.reason),
            Status::Complete => "complete".to_owned(),
            Status::Failed => format!("failed: {}", self.reason),
            Status::Interrupted => "stopped".to_owned(),
        }
    }

    /// The line of progress on the terminal.
    pub(crate) fn line(&self) -> String {
        let deviation = self.deviation.map_or_else(String::new, |d| format!(", deviation {d:.1e}"));
        format!("{}: {}, {} steps{deviation}", self.scene, self.status(), self.steps)
    }

    /// The cells in the order of [`COLUMN_NAMES`].
    fn cells(&self) -> [String; 9] {
        let scientific =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.6e}"));
        if self.is_refused {
            let mut cells = std::array::from_fn(|_| "-".to_owned());
            (cells[0], cells[1]) = (self.scene.clone(), self.status());
            return cells;
        }
        [
            self.scene.clone(),
            self.status(),
            format!("{} of {}", self.steps, self.total_steps),
            self.newton.to_string(),
            format!("{:.3}", self.seconds),
            self.crossings.clone(),
            scientific(Some(self.norm)),
            scientific(self.recorded),
            self.deviation.map_or_else(|| "-".to_owned(), |d| format!("{d:.1e}")),
        ]
    }
}

const COLUMN_NAMES: [&str; 9] =
    ["scene", "status", "steps", "Newton", "s/step", "crossings", "L2", "recorded", "deviation"];

/// The table in Markdown.
pub(crate) fn markdown(rows: &[Row]) -> String {
    let mut out =
        format!("| {} |\n|{}\n", COLUMN_NAMES.join(" | "), "---|".repeat(COLUMN_NAMES.len()));
    for row in rows {
        let cells = row.cells().map(|cell| cell.replace('|', "\\|").replace('\n', " "));
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

/// The table as comma-separated values.
pub(crate) fn csv(rows: &[Row]) -> String {
    let quoted = |cell: String| match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    let mut out = COLUMN_NAMES.join(",") + "\n";
    for row in rows {
        let _ = writeln!(out, "{}", row.cells().map(quoted).join(","));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejected_scenes_have_no_figures_and_are_not_failures() {
        let refused = Row::refused("a.txt", "a.txt:3: script, `swim`\nmore");
        assert!(!refused.is_failure());
        assert!(
            csv(std::slice::from_ref(&refused))
                .ends_with("a.txt,\"refused: a.txt:3: script, `swim`\",-,-,-,-,-,-,-\n")
        );
        let failed = Row { is_refused: false, ..refused };
        assert!(failed.is_failure());
        assert_eq!(markdown(&[failed]).lines().count(), 3);
    }
}
