//! Errors and their Python exceptions.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use resile_runner::RunError;
use resile_scene::description::Severity;
use resile_scene::text::Diagnostic;
use std::fmt::Display;

/// Cause of an error. Each variant becomes an exception of `resile._errors`.
#[derive(Debug)]
pub(crate) enum Failure {
    /// All problems of a scene.
    Scene(Vec<Diagnostic>),
    /// An invalid argument: its name, its value, the error, and a remedy.
    Argument { name: String, value: String, message: String, remedy: String },
    /// An unknown name: the kind of object, the name, and the known names.
    Name { kind: &'static str, name: String, known: Vec<String> },
    /// Files of a run or a mesh.
    File { path: String, message: String, remedy: String },
    /// A step failed, or the start did not settle.
    Step { step: u64, message: String, remedy: String },
    /// The object of this kind was closed.
    Closed(&'static str),
    /// Another thread uses the object of this kind.
    Busy(&'static str),
    /// The work was interrupted, and Python has no exception for it.
    Interrupted(String),
}

impl Failure {
    /// An argument `name` with an invalid value, without a remedy.
    pub(crate) fn argument(name: &str, value: impl Display, message: impl Display) -> Self {
        Self::Argument {
            name: name.to_owned(),
            value: value.to_string(),
            message: message.to_string(),
            remedy: String::new(),
        }
    }

    /// The failure with a remedy, if it is of an argument or a file; otherwise the failure itself.
    pub(crate) fn with_remedy(self, remedy: impl Display) -> Self {
        let remedy = remedy.to_string();
        match self {
            Self::Argument { name, value, message, .. } => {
                Self::Argument { name, value, message, remedy }
            }
            Self::File { path, message, .. } => Self::File { path, message, remedy },
            other => other,
        }
    }

    /// A file that cannot be used, without a remedy.
    pub(crate) fn file(path: impl Display, message: impl Display) -> Self {
        let (path, message) = (path.to_string(), message.to_string());
        Self::File { path, message, remedy: String::new() }
    }

    /// The error of a run or a simulation that cannot begin, or continue with this step.
    pub(crate) fn of_run(step: u64, error: RunError) -> Self {
        const SMALLER_STEP_HINT: &str =
            "take a smaller time.step or a larger solver.max_halvings, and look at the last state";
        const LIMIT_HINT: &str = "raise the limit, or take a smaller time.step or weaker loads";
        match error {
            RunError::Interrupted { step } => Self::Interrupted(format!("{step} was interrupted")),
            RunError::Step { .. } | RunError::Settle(_) => Self::Step {
                step,
                message: error.to_string(),
                remedy: SMALLER_STEP_HINT.to_owned(),
            },
            RunError::Limit { .. } => {
                Self::Step { step, message: error.to_string(), remedy: LIMIT_HINT.to_owned() }
            }
            RunError::LoadStep { .. }
            | RunError::Path { .. }
            | RunError::UndefinedExpression { .. } => {
                Self::Step { step, message: error.to_string(), remedy: String::new() }
            }
            other => Self::file("", other),
        }
    }
}

/// What messages of the program mention, and what takes its place in Python.
const TRANSLATIONS: [(&str, &str); 14] = [
    (
        "`--set path=value`, such as `--set time.duration=0.5`",
        "scene.set(path, value), such as scene.set(\"time.duration\", 0.5)",
    ),
    ("; in a shell in single quotes, --set 'path=value'", ""),
    ("--set ", "scene.set: "),
    ("--resume", "resume=True"),
    ("--force", "force=True"),
    ("with -o", "with `out`"),
    ("-o chooses another folder", "`out` chooses another folder"),
    ("`--design random`", "design=\"random\""),
    ("`--design latin-hypercube`", "design=\"latin-hypercube\""),
    ("`--design zip`", "the design zip"),
    ("`--runs`", "`runs`"),
    ("`Tets`, `--tets`", "`tets`"),
    ("`sim info`", "info()"),
    ("`sim mesh --repair`", "mesh.repair()"),
];

/// Replaces the arguments and commands of the program in a message by those of Python.
pub(crate) fn translate_arguments(message: &str) -> String {
    let replace = |text: String, (from, to): &(&str, &str)| text.replace(from, to);
    TRANSLATIONS.iter().fold(message.to_owned(), replace)
}

/// A diagnostic as the arguments of `resile._errors.Problem`.
pub(crate) fn problem<'py>(
    py: Python<'py>,
    diagnostic: &Diagnostic,
) -> PyResult<Bound<'py, PyAny>> {
    let Diagnostic { severity, file, line, column, path, message, help, .. } = diagnostic;
    let severity = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let text = diagnostic.to_string();
    let location = (file.as_str(), *line, *column);
    let arguments = (severity, path, value_at_fault(diagnostic), message, help, location, text);
    py.import("resile._errors")?.getattr("Problem")?.call1(arguments)
}

/// The part of the text that contains the error.
fn value_at_fault(diagnostic: &Diagnostic) -> String {
    // The source of an override is `path=value`.
    if let ("scene.set", Some((_, value))) = (&*diagnostic.file, diagnostic.source.split_once('='))
    {
        return value.to_owned();
    }
    let start = diagnostic.column.saturating_sub(1 + diagnostic.skipped);
    diagnostic.source.chars().skip(start).take(diagnostic.width).collect()
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| exception(py, failure).unwrap_or_else(|error| error))
    }
}

/// Creates the Python exception of a failure. An error is one of Python itself, for example if the package is
/// incomplete.
fn exception(py: Python<'_>, failure: Failure) -> PyResult<PyErr> {
    let errors = py.import("resile._errors")?;
    let translated = |text: String| translate_arguments(&text);
    let error = match failure {
        Failure::Scene(diagnostics) => {
            let problems: Vec<_> = diagnostics
                .iter()
                .map(|diagnostic| problem(py, diagnostic))
                .collect::<PyResult<_>>()?;
            errors.getattr("SceneError")?.call1((problems,))
        }
        Failure::Argument { name, value, message, remedy } => errors
            .getattr("ArgumentError")?
            .call1((name, value, translated(message), translated(remedy))),
        Failure::Name { kind, name, known } => {
            errors.getattr("UnknownNameError")?.call1((kind, name, known))
        }
        Failure::File { path, message, remedy } => {
            errors.getattr("FileError")?.call1((path, translated(message), translated(remedy)))
        }
        Failure::Step { step, message, remedy } => {
            errors.getattr("StepError")?.call1((step, translated(message), remedy))
        }
        Failure::Closed(object) => errors.getattr("ClosedError")?.call1((object,)),
        Failure::Busy(object) => errors.getattr("BusyError")?.call1((object,)),
        Failure::Interrupted(message) => return Ok(PyKeyboardInterrupt::new_err(message)),
    };
    Ok(PyErr::from_value(error?))
}
