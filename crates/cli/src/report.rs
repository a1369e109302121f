//! Messages after a run.

use crate::stream::{diagnose, note, one_line};
use resile_record::{Status, Summary};
use resile_runner::Progress;
use resile_scene::description::Severity;
use resile_scene::text::Diagnostic;
use std::fmt::Write as _;
use std::path::Path;

/// The diagnostics of a scene with a closing line.
#[derive(Debug)]
pub(crate) struct DiagnosticReport {
    /// The first line; may be empty.
    preface: String,
    diagnostics: Vec<Diagnostic>,
    /// The last line: the number of errors and the consequence.
    closing_line: String,
}

impl DiagnosticReport {
    /// A report whose consequence is that nothing was run or written.
    pub(crate) fn refusal(diagnostics: &[Diagnostic]) -> Self {
        Self::with_consequence(diagnostics, "nothing was run and nothing was written")
    }

    /// A report that closes with the number of errors and the consequence.
    pub(crate) fn with_consequence(diagnostics: &[Diagnostic], consequence: &str) -> Self {
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        let closing_line = format!("{}; {consequence}", counted(errors, "error", "errors"));
        Self { preface: String::new(), diagnostics: diagnostics.to_vec(), closing_line }
    }

    /// The report with a message before its diagnostics.
    pub(crate) fn with_preface(self, preface: String) -> Self {
        Self { preface, ..self }
    }

    /// The message of the first error; empty if there is none.
    pub(crate) fn first_message(&self) -> String {
        let first = self.diagnostics.iter().find(|d| d.severity == Severity::Error);
        first.map_or_else(String::new, |diagnostic| diagnostic.message.clone())
    }

    /// Prints the report to standard error.
    pub(crate) fn print(&self) {
        if !self.preface.is_empty() {
            note(&self.preface);
        }
        self.diagnostics.iter().for_each(diagnose);
        note(&self.closing_line);
    }
}

/// An error with its causes, except for causes whose text the preceding text already contains.
pub(crate) fn error_chain(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| {
        match (text.is_empty(), text.contains(&cause)) {
            (true, _) => cause,
            (false, true) => text,
            (false, false) => format!("{text}: {cause}"),
        }
    })
}

/// A count with its noun in singular or plural.
pub(crate) fn counted(count: usize, singular: &str, plural: &str) -> String {
    format!("{count} {}", if count == 1 { singular } else { plural })
}

/// A number with six significant digits, without trailing zeros.
pub(crate) fn digits(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e7).contains(&magnitude) {
        let text = format!("{value:.5e}");
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'));
    }
    let exponent = if magnitude == 0.0 { 0 } else { magnitude.log10().floor() as i32 };
    let decimals = usize::try_from(5 - exponent).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A time (s) with this number of decimals, or with its leading digits if it is too small for them.
pub(crate) fn short_time(seconds: f64, decimals: usize) -> String {
    let text = format!("{seconds:.decimals$}");
    let is_lost = seconds != 0.0 && text.bytes().all(|byte| matches!(byte, b'0' | b'.' | b'-'));
    if is_lost { digits(seconds) } else { text }
}

/// Rows of a report, each with a name and a value.
#[derive(Default)]
struct Rows(String);

impl Rows {
    fn add(&mut self, name: &str, value: String) {
        let (name, value) = (one_line(name), one_line(&value));
        let _ = writeln!(self.0, "  {name:<18}{value}");
    }
}

/// The report of a run: outcome, cost, quality, files.
pub(crate) fn run_report(
    summary: &Summary,
    last_progress: Option<&Progress>,
    folder: &Path,
) -> String {
    let mut rows = Rows::default();
    let status = match summary.status {
        Status::Complete => "complete",
        Status::Interrupted => "interrupted",
        Status::Failed => "FAILED",
    };
    rows.add(&summary.scene, status.to_owned());
    add_start_rows(&mut rows, summary);
    add_work_rows(&mut rows, summary);
    add_quality_rows(&mut rows, summary, last_progress);
    add_file_rows(&mut rows, folder);
    rows.0.truncate(rows.0.trim_end().len());
    rows.0
}

/// Adds the rows on the equilibrium or the balance of contact at the start.
fn add_start_rows(rows: &mut Rows, summary: &Summary) {
    let units = summary.units;
    if let Some(settled) = &summary.settled {
        let text = format!(
            "in {}, to {:.1e}; largest displacement {:.2e}",
            counted(settled.steps as usize, "step", "steps"),
            units.show(settled.residual_speed, "m/s"),
            units.show(settled.moved, "m")
        );
        rows.add("settled", text);
    }
    if let Some(start) = &summary.contact_start {
        let text = format!(
            "equilibrated in {}: bodies nearer than d_hat moved by up to {:.2e}",
            counted(start.steps as usize, "step", "steps"),
            units.show(start.moved, "m")
        );
        rows.add("contact at start", text);
    }
}

/// Adds the rows on steps, time and iterations.
fn add_work_rows(rows: &mut Rows, summary: &Summary) {
    rows.add("steps", format!("{} of {}", summary.steps_done, summary.steps_asked));
    let threads = counted(summary.threads, "thread", "threads");
    let Summary { simulated_seconds, wall_seconds, counts, .. } = summary;
    let simulated = short_time(*simulated_seconds, 3);
    let time = format!("{simulated} s simulated in {wall_seconds:.1} s on {threads}");
    rows.add("time", time);
    let (newton, linear) = (counts.newton_iterations, counts.linear_iterations);
    rows.add("iterations", format!("{newton} Newton, {linear} linear"));
    if let unmet @ 1.. = counts.unconverged_solves {
        let solves = counted(unmet as usize, "solve", "solves");
        let text = format!("not met by {solves}, which reached the iteration limit of the scene");
        rows.add("tolerance", text);
    }
}

/// Adds the rows on the energy, the smallest distance and the smallest det F.
fn add_quality_rows(rows: &mut Rows, summary: &Summary, last_progress: Option<&Progress>) {
    let units = summary.units;
    if let Some(progress) = last_progress {
        let energy = format!("{:.6e}", units.show(progress.energy, "J"));
        let expected = progress.expected_energy.map(|joules| units.show(joules, "J"));
        let of_expected = expected.map(|joules| format!(" of {joules:.6e}")).unwrap_or_default();
        rows.add("energy", energy + &of_expected);
    }
    let distance = summary.min_distance.map(|distance| units.show(distance, "m"));
    let distance =
        distance.map_or("no pair within d_hat".to_owned(), |distance| format!("{distance:.4e}"));
    rows.add("smallest distance", distance);
    if let Some(min_det_f) = summary.min_det_f {
        rows.add("smallest det F", format!("{min_det_f:.4e}"));
    }
}

/// A path as one word of a shell command: in quotes if a shell would divide or interpret it.
pub(crate) fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Adds the rows on the files in the `folder` of the run.
fn add_file_rows(rows: &mut Rows, folder: &Path) {
    let frames = folder.join("frames").join("frames.pvd");
    rows.add("results", folder.display().to_string());
    if frames.exists() {
        rows.add("view", format!("sim view {}", shell_word(folder)));
        rows.add("open in ParaView", frames.display().to_string());
    }
    let plot = folder.join("energy.svg");
    if plot.exists() {
        rows.add("energy plot", plot.display().to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_causes_are_printed_once() {
        let cause = || std::io::Error::from(std::io::ErrorKind::AlreadyExists);
        let path = Path::new("out").to_owned();
        let within = resile_record::OutputError::Io { action: "create", path, source: cause() };
        let of_both = format!("nothing could be written: cannot create out: {}", cause());
        let error = anyhow::Error::from(within).context("nothing could be written");
        assert_eq!(error_chain(&error), of_both);
        assert_eq!(
            error_chain(&anyhow::Error::from(cause()).context("why")),
            format!("why: {}", cause())
        );
    }

    #[test]
    fn small_times_are_not_shown_as_zero() {
        let shown = [0.0, 0.25, 1e-7, 4e-4, 6e-4].map(|seconds| short_time(seconds, 3));
        assert_eq!(shown, ["0.000", "0.250", "1e-7", "0.0004", "0.001"]);
    }

    #[test]
    fn paths_in_commands_are_one_word() {
        let word = |path: &str| shell_word(Path::new(path));
        assert_eq!(word("out/dice-sweep"), "out/dice-sweep");
        assert_eq!(word("my $(touch pwned)"), "'my $(touch pwned)'");
        assert_eq!(word("it's"), r"'it'\''s'");
        assert_eq!(word("-o"), "'-o'");
    }

    #[test]
    fn numbers_have_at_most_six_digits_and_no_trailing_zeros() {
        let said =
            [0.0, 1.0, -100.0, 1234567.0, 0.943_103_7, 0.004_3, 1e-5, 1e7, 9.999_999_9].map(digits);
        let expected = ["0", "1", "-100", "1234567", "0.943104", "0.0043", "1e-5", "1e7", "10"];
        assert_eq!(said, expected);
    }
}
