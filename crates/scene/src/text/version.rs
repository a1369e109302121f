//! Versions of the format: texts of version 1 are converted to the current version.
//!
//! The conversion edits the text, so comments and layout are kept. A finding in the converted text is located in the
//! original one.

use super::tree::{Node, NodeKind};
use super::{Diagnostic, Form, SceneText};
use crate::description::{Severity, VERSION};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

/// Renamed fields: the variant or the field that contains the field, the old name, and the new name.
const RENAMED_FIELDS: [(&str, &str, &str); 4] = [
    ("Barrier", "off", "exclude"),
    ("Springs", "rest", "rest_length"),
    ("Painted", "least", "threshold"),
    ("surface", "touch", "contact"),
];

/// Renamed variants: the field whose value the variant is, the old name, and the new name.
const RENAMED_VARIANTS: [(&str, &str, &str); 2] =
    [("flight", "Followed", "Exact"), ("damping", "EtherDrag", "Drag")];

/// Fields that version 1 requires and the current version does not: the path of the struct, its name in messages,
/// fields.
const REQUIRED_FIELDS: [(&str, &str, &[&str]); 3] = [
    ("", "Scene", &["gravity", "integrator", "time"]),
    ("time", "Time", &["step"]),
    ("contact", "Barrier", &["d_hat", "kappa", "friction_rule"]),
];

/// The new name of a name of version 1, for messages about unknown names.
pub(super) fn renamed(old: &str) -> Option<&'static str> {
    let mut renamings = RENAMED_FIELDS.iter().chain(&RENAMED_VARIANTS);
    renamings.find(|(_, name, _)| *name == old).map(|(_, _, new)| *new)
}

/// The name in version 1 of the field that is now called `new`, if the struct `node` contains a field of that old name.
pub(super) fn former_field(node: &Node, new: &str) -> Option<&'static str> {
    let mut fields = RENAMED_FIELDS.iter().filter(|(.., name)| *name == new);
    fields.find_map(|(_, old, _)| node.child(old).map(|_| *old))
}

/// The text of another version from which a text was converted.
#[derive(Debug, Clone)]
pub(super) struct Original {
    text: SceneText,
    /// In the order of the text.
    edits: Vec<Replacement>,
    missing: Vec<Diagnostic>,
}

/// A replaced range of the original, and its range in the converted text.
#[derive(Debug, Clone)]
struct Replacement {
    old: Range<usize>,
    new: Range<usize>,
}

impl Original {
    /// Errors of fields that the version of the original requires.
    pub(super) fn missing(&self) -> &[Diagnostic] {
        &self.missing
    }

    pub(super) fn text(&self) -> &SceneText {
        &self.text
    }

    /// The range of the original for a range of the converted text. An offset inside a replacement becomes the start or
    /// the end of the replaced range.
    pub(super) fn range(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.original_offset(range.start, |edit| edit.old.start);
        start..self.original_offset(range.end, |edit| edit.old.end).max(start)
    }

    /// The offset in the original of an offset in the converted text. For an offset inside a replacement it is
    /// `offset_inside(replacement)`.
    fn original_offset(&self, offset: usize, offset_inside: fn(&Replacement) -> usize) -> usize {
        match self.edits.iter().take_while(|edit| edit.new.start < offset).last() {
            Some(edit) if offset < edit.new.end => offset_inside(edit),
            Some(edit) => edit.old.end + offset - edit.new.end,
            None => offset,
        }
    }
}

impl SceneText {
    /// The text in the current version of the format. The layout and comments are those of this text.
    pub fn current(&self) -> &Self {
        self.current.get_or_init(|| self.convert().map(Box::new)).as_deref().unwrap_or(self)
    }

    /// Describes the differences between the version of this text and the current version. `None` for a text of the
    /// current version and for one without a known version.
    pub fn changes(&self) -> Option<Vec<String>> {
        let edits = Edits::new(self)?;
        Some(edits.changes.into_iter().collect())
    }

    /// Whether both texts describe the same scene: they may differ in layout, comments, form, version and the defaults
    /// that they omit. False if one of them cannot be read.
    pub fn describes_same_scene(&self, other: &Self) -> bool {
        let complete_scene = |text: &Self| {
            let mut scene = text.read().ok()?;
            scene.set_defaults();
            scene.version = VERSION;
            Some(scene)
        };
        self.text == other.text
            || complete_scene(self).is_some_and(|scene| complete_scene(other) == Some(scene))
    }

    /// The text converted from version 1; `None` for a text of another version.
    fn convert(&self) -> Option<Self> {
        let Edits { mut replacements, missing, .. } = Edits::new(self)?;
        replacements.sort_by_key(|(range, _)| range.start);
        let (mut text, mut edits, mut end) = (String::new(), Vec::new(), 0);
        for (old, new_text) in replacements {
            text.push_str(&self.text[end..old.start]);
            let new = text.len()..text.len() + new_text.len();
            edits.push(Replacement { old: old.clone(), new });
            text.push_str(&new_text);
            end = old.end;
        }
        text.push_str(&self.text[end..]);
        let original = Original { text: self.clone(), edits, missing };
        let converted = Self::in_form(self.form, &self.file, &text);
        Some(Self { original: Some(Box::new(original)), ..converted })
    }
}

/// The edits that convert a text from version 1.
struct Edits<'t> {
    text: &'t SceneText,
    replacements: Vec<(Range<usize>, String)>,
    /// Sentences that describe the changes.
    changes: BTreeSet<String>,
    /// Errors of absent fields that version 1 requires.
    missing: Vec<Diagnostic>,
}

impl<'t> Edits<'t> {
    /// The edits that convert `text` from version 1 to the current one; `None` for a text of another version.
    fn new(text: &'t SceneText) -> Option<Self> {
        let tree = text.tree()?;
        let version = &tree.child("version")?.node;
        if text.text[version.span.clone()].parse() != Ok(1) {
            return None;
        }
        let (changes, missing) = (BTreeSet::new(), Vec::new());
        let mut edits = Self { text, replacements: Vec::new(), changes, missing };
        edits.replace(version.span.clone(), VERSION.to_string());
        edits.insert_contact_off(tree);
        edits.rename(tree, "");
        edits.add_missing_field_errors(tree);
        Some(edits)
    }

    /// Adds the replacement of a range of the text by `new_text`.
    fn replace(&mut self, range: Range<usize>, new_text: impl Into<String>) {
        self.replacements.push((range, new_text.into()));
    }

    /// Inserts the field `contact: Off` before the field `integrator` if the scene `tree` has no field
    /// `contact`. Contact is off by default in version 1 and on in version 2.
    fn insert_contact_off(&mut self, tree: &Node) {
        let integrator_key = tree.child("integrator").and_then(|child| child.key.as_ref());
        let Some((_, key)) = integrator_key.filter(|_| tree.child("contact").is_none()) else {
            return;
        };
        let line_start = self.text.text[..key.start].rfind('\n').map_or(0, |newline| newline + 1);
        let before_key = &self.text.text[line_start..key.start];
        let separator = match before_key.trim().is_empty() {
            // The text before the key is the indentation of its line.
            true => format!("\n{before_key}"),
            false => " ".to_owned(),
        };
        let field = match self.text.form {
            Form::Ron => "contact: Off,",
            Form::Json => "\"contact\": \"Off\",",
        };
        self.replace(key.start..key.start, format!("{field}{separator}"));
        self.changes.insert("contact is on unless `contact: Off` is given".to_owned());
    }

    /// Renames fields and variants inside `node`, a value of the field `key`.
    fn rename(&mut self, node: &Node, key: &str) {
        for child in &node.children {
            let name = child.key.as_ref().map(|(name, _)| name.as_str());
            if let Some((name, range)) = &child.key {
                let mut renamings = RENAMED_FIELDS.iter();
                let renaming = renamings.find(|(owner, old, _)| {
                    old == name && (node.tag.as_deref() == Some(owner) || key == *owner)
                });
                if let Some((owner, old, new)) = renaming {
                    self.rename_word(range.clone(), owner, old, new);
                } else if node.selects_variant() {
                    self.rename_variant(range.clone(), name, key);
                }
            }
            let inner_key = name.filter(|_| !node.selects_variant()).unwrap_or(key);
            if let Some(tag) = child.node.tag.as_ref().filter(|_| self.text.form == Form::Ron) {
                let start = child.node.span.start;
                self.rename_variant(start..start + tag.len(), tag, inner_key);
            } else if child.node.kind == NodeKind::Scalar {
                let range = child.node.span.clone();
                let word = self.text.text[range.clone()].trim_matches('"').to_owned();
                self.rename_variant(range, &word, inner_key);
            }
            self.rename(&child.node, inner_key);
        }
    }

    /// Renames the variant `name` at `range`, in the field `key`, if it has a new name.
    fn rename_variant(&mut self, range: Range<usize>, name: &str, key: &str) {
        let mut renamings = RENAMED_VARIANTS.iter();
        let renaming = renamings.find(|(owner, old, _)| *old == name && key == *owner);
        if let Some((owner, old, new)) = renaming {
            self.rename_word(range, owner, old, new);
        }
    }

    /// Replaces the name `old` at `range`, which in JSON has quotes, by `new`. `owner` is the variant or field that
    /// contains the name.
    fn rename_word(&mut self, range: Range<usize>, owner: &str, old: &str, new: &str) {
        let quote = if self.text.text[range.clone()].starts_with('"') { "\"" } else { "" };
        self.replace(range, format!("{quote}{new}{quote}"));
        self.changes.insert(format!("`{old}` of `{owner}` is `{new}`"));
    }

    /// Adds an error for each field of [`REQUIRED_FIELDS`] that is missing in the scene `tree`.
    fn add_missing_field_errors(&mut self, tree: &Node) {
        for (path, owner, fields) in REQUIRED_FIELDS {
            let node = match path {
                "" => Some(tree),
                _ => tree.child(path).map(|child| child.node.unwrapped()),
            };
            let Some(node) = node.filter(|node| node.kind == NodeKind::Struct) else { continue };
            for field in fields.iter().filter(|field| node.child(field).is_none()) {
                let span = node.span.start..node.inner.start;
                let message = format!("the field `{field}` is missing in `{owner}`");
                let help = format!(
                    "add `{field}: ...`, which version 1 requires, or begin with `version: {VERSION}` for its default"
                );
                self.missing.push(self.text.diagnostic(Severity::Error, span, path, message, help));
            }
        }
    }
}

/// The cache of [`SceneText::current`].
pub(super) type Current = OnceLock<Option<Box<SceneText>>>;
