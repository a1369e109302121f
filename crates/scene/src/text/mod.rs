//! The text of a scene file: reading, overriding fields, locating errors.
//!
//! Scenes are in RON or JSON. The reader stops at the first error of syntax, name or type, and is repeated for the
//! next ones. Values are checked afterwards, all at once. Both kinds of findings become a [`Diagnostic`] with file,
//! line and column; a finding inside a value of `--set` names that argument instead of the file.

mod absent;
mod addition;
mod convert;
mod diagnostic;
mod finding;
mod form;
mod get;
mod in_json;
mod in_ron;
mod json;
mod json_syntax;
mod long;
mod mistakes;
mod null;
mod omitted;
mod path;
mod quotes;
mod ron_error;
mod scene_forms;
mod set;
mod tree;
mod typed;
mod value;
mod version;

pub use diagnostic::{Diagnostic, Mark};
pub use form::Form;
pub(crate) use in_json::value_in_json;
pub use value::FieldValue;

use crate::description::{Problem, Scene, Severity, Units, VERSION};
use ron::extensions::Extensions;
use std::ops::Range;
use std::sync::OnceLock;
use tree::Node;

/// The text of a scene file with its overrides.
#[derive(Debug, Clone)]
pub struct SceneText {
    file: String,
    text: String,
    form: Form,
    edits: Vec<Edit>,
    /// The syntax tree, computed on demand; `None` inside for invalid syntax.
    tree: OnceLock<Option<Node>>,
    /// The text in the current version, computed on demand.
    current: version::Current,
    /// The text of another version from which this one was converted.
    original: Option<Box<version::Original>>,
}

/// A part of the text that an override wrote.
#[derive(Debug, Clone)]
struct Edit {
    /// Its range in the text with all overrides.
    span: Range<usize>,
    /// The `--set` argument that wrote it.
    argument: String,
}

/// A valid scene.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The scene, free of errors.
    pub scene: Scene,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

impl SceneText {
    /// The text of a file in RON or [JSON](Form::of); `file` is the name in messages.
    pub fn new(file: impl Into<String>, text: impl Into<String>) -> Self {
        let (file, text) = (file.into(), text.into());
        // Skip a byte order mark.
        let text = text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned);
        Self::in_form(Form::of(&file, &text), &file, &text)
    }

    /// A text without overrides in a given format.
    fn in_form(form: Form, file: &str, text: &str) -> Self {
        let (file, text) = (file.to_owned(), text.to_owned());
        let (tree, current) = (OnceLock::new(), OnceLock::new());
        Self { file, text, form, edits: Vec::new(), tree, current, original: None }
    }

    /// The name of the text in messages.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The format of the scene.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The units of the text, whether it is a correct scene or not; SI if it names none.
    pub fn units(&self) -> Units {
        self.form.units(&self.text)
    }

    /// The text with all overrides.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reads and checks the scene.
    ///
    /// # Errors
    /// All errors of syntax, name or type; without such errors all other errors, followed by all warnings.
    pub fn load(&self) -> Result<Loaded, Vec<Diagnostic>> {
        let scene = self.read()?;
        let problems = scene.check();
        let has_errors = problems.iter().any(|problem| problem.severity == Severity::Error);
        let diagnostics = problems.iter().map(|problem| self.diagnose(problem)).collect();
        if has_errors { Err(diagnostics) } else { Ok(Loaded { scene, warnings: diagnostics }) }
    }

    /// Reads the scene without checking values.
    ///
    /// # Errors
    /// All errors of name or type; syntax errors hide later ones.
    pub fn read(&self) -> Result<Scene, Vec<Diagnostic>> {
        self.check_words().map_err(|diagnostic| vec![*diagnostic])?;
        self.check_version().map_err(|diagnostic| vec![*diagnostic])?;
        self.current().read_current()
    }

    /// Reads a text of the current version. The defaults of that version are filled in unless the text was converted
    /// from version 1, which has other defaults.
    fn read_current(&self) -> Result<Scene, Vec<Diagnostic>> {
        let missing_fields = self.original.as_ref().map_or(&[][..], |original| original.missing());
        let read = self.form.read(&self.text).map_err(|finding| mistakes::find_all(self, finding));
        match read {
            Ok(mut scene) if missing_fields.is_empty() => {
                if self.original.is_none() {
                    scene.set_defaults();
                }
                Ok(scene)
            }
            read => Err([missing_fields, &read.err().unwrap_or_default()].concat()),
        }
    }

    /// The syntax tree of the text; `None` for invalid syntax.
    fn tree(&self) -> Option<&Node> {
        self.tree.get_or_init(|| self.form.tree(&self.text)).as_ref()
    }

    /// Refuses a word that exceeds [`long::MAX_WORD_BYTES`].
    fn check_words(&self) -> Result<(), Box<Diagnostic>> {
        let Some(span) = self.tree().and_then(long::overlong_word) else { return Ok(()) };
        let message = format!("a word of {} bytes", span.len());
        let help = format!("names, texts and numbers have at most {}", long::MAX_WORD_BYTES);
        Err(Box::new(self.diagnostic(Severity::Error, span, "", message, help)))
    }

    /// Checks the version first, so that a file of another version is refused for its version and not for unknown
    /// fields.
    fn check_version(&self) -> Result<(), Box<Diagnostic>> {
        let Some((span, message)) = self.version_mismatch() else { return Ok(()) };
        let expected_start = match self.form {
            Form::Ron => format!("(version: {VERSION},"),
            Form::Json => format!("{{\"version\": {VERSION},"),
        };
        let help = format!(
            "this program reads scenes that begin with `{expected_start}`, and scenes of version 1"
        );
        Err(Box::new(self.diagnostic(Severity::Error, span, "version", message, help)))
    }

    /// The range and the message of a version that is missing or cannot be read; `None` for other texts.
    fn version_mismatch(&self) -> Option<(Range<usize>, String)> {
        let tree = self.tree()?;
        // Keys of JSON are unordered, and the schema usually comes first.
        let version_field = match self.form {
            Form::Ron => tree.children.first(),
            Form::Json => tree.child("version"),
        };
        let version_field = version_field.and_then(|child| Some((child.key.as_ref()?, child)));
        Some(match version_field {
            Some(((key, _), child)) if key == "version" => {
                let version = &self.text[child.node.span.clone()];
                let digits = match self.form {
                    Form::Ron => version,
                    Form::Json => version.strip_suffix(".0").unwrap_or(version),
                };
                if digits.parse().is_ok_and(|version: u32| (1..=VERSION).contains(&version)) {
                    return None;
                }
                let message = format!("version {version} of the format is not known");
                (child.node.span.clone(), message)
            }
            Some(((key, span), _)) => {
                (span.clone(), format!("the first field must be `version`, but is `{key}`"))
            }
            None => {
                let message = match tree.children.is_empty() {
                    true => "the scene has no fields",
                    false => "the field `version` is missing",
                };
                (tree.span.start..tree.span.start + 1, message.to_owned())
            }
        })
    }

    /// Locates a problem: at its field or, if the field is absent, at the innermost existing value around it.
    pub fn diagnose(&self, problem: &Problem) -> Diagnostic {
        let current = self.current();
        if !std::ptr::eq(current, self) {
            return current.diagnose(problem);
        }
        let segments = path::parse(&problem.path).unwrap_or_default();
        let span = self.tree().map_or(0..0, |tree| {
            let resolved = path::resolve(tree, &segments);
            match resolved.key {
                Some(key) if resolved.node.kind != tree::NodeKind::Scalar => key,
                _ if resolved.node.kind == tree::NodeKind::Scalar => resolved.node.span.clone(),
                _ => resolved.span.start..resolved.node.inner.start,
            }
        });
        let in_form = |text: &String| match self.form {
            Form::Ron => text.clone(),
            Form::Json => in_json::message_in_json(text),
        };
        let [message, help] = [&problem.message, &problem.help].map(in_form);
        self.diagnostic(problem.severity, span, &problem.path, message, help)
    }

    /// A diagnostic for a range of the text. If an override wrote that range, the diagnostic refers to its argument.
    fn diagnostic(
        &self,
        severity: Severity,
        span: Range<usize>,
        path: &str,
        message: String,
        help: String,
    ) -> Diagnostic {
        if let Some(original) = &self.original {
            let span = original.range(&span);
            return original.text().diagnostic(severity, span, path, message, help);
        }
        // Later overrides may be inside earlier ones.
        let edit = self.edits.iter().rev().find(|edit| edit.span.contains(&span.start));
        if let Some(edit) = edit {
            let marked = &self.text[span.start..span.end.clamp(span.start, edit.span.end)];
            return set::argument_finding(&edit.argument, marked, severity, path, message, help);
        }
        let line_start = self.text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end =
            self.text[span.start..].find('\n').map_or(self.text.len(), |n| span.start + n);
        let marked = &self.text[span.start..span.end.clamp(span.start, line_end)];
        // The column from 0.
        let column = self.text[line_start..span.start].chars().count();
        let (source, skipped) = long::excerpt(self.text[line_start..line_end].trim_end(), column);
        let max_width = (source.chars().count() + skipped).saturating_sub(column);
        Diagnostic {
            severity,
            file: self.file.clone(),
            line: 1 + self.text[..line_start].matches('\n').count(),
            column: 1 + column,
            width: marked.chars().count().min(max_width).max(1),
            source,
            skipped,
            path: path.to_owned(),
            message,
            help,
        }
    }
}

/// The options with which scenes in RON are read and written: optional values are written without `Some`.
pub fn options() -> ron::Options {
    ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME)
}
