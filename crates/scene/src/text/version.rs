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

/// Fields of a struct or an alternative that were renamed: the alternative or the field around it, the old name, the new one.
const FIELDS: [(&str, &str, &str); 4] = [
    ("Barrier", "off", "exclude"),
    ("Springs", "rest", "rest_length"),
    ("Painted", "least", "threshold"),
    ("surface", "touch", "contact"),
];

/// Alternatives that were renamed: the field around it, the old name, the new one.
const ALTERNATIVES: [(&str, &str, &str); 2] =
    [("flight", "Followed", "Exact"), ("damping", "EtherDrag", "Drag")];

/// Fields that version 1 requires and the current version does not: the path of the struct, its name in messages, fields.
const REQUIRED: [(&str, &str, &[&str]); 3] = [
    ("", "Scene", &["gravity", "integrator", "time"]),
    ("time", "Time", &["step"]),
    ("contact", "Barrier", &["d_hat", "kappa", "friction_rule"]),
];

/// The new name of a name of version 1, for messages about unknown names.
pub(super) fn renamed(old: &str) -> Option<&'static str> {
    let mut all = FIELDS.iter().chain(&ALTERNATIVES);
    all.find(|(_, name, _)| *name == old).map(|(_, _, new)| *new)
}

/// The name in version 1 of a field that a struct of such a text contains.
pub(super) fn former_field(node: &Node, new: &str) -> Option<&'static str> {
    let mut fields = FIELDS.iter().filter(|(.., name)| *name == new);
    fields.find_map(|(_, old, _)| node.child(old).map(|_| *old))
}

/// The text of another version from which a text was converted.
#[derive(Debug, Clone)]
pub(super) struct Original {
    text: SceneText,
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

    /// The range of the original for a range of the converted text. What was inserted is at the place of its insertion.
    pub(super) fn range(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.place(range.start, |edit| edit.old.start);
        start..self.place(range.end, |edit| edit.old.end).max(start)
    }

    fn place(&self, at: usize, inside: fn(&Replacement) -> usize) -> usize {
        let before = self.edits.iter().take_while(|edit| edit.new.start < at).last();
        match before {
            Some(edit) if at < edit.new.end => inside(edit),
            Some(edit) => edit.old.end + at - edit.new.end,
            None => at,
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

    /// Whether both texts describe the same scene: they may differ in layout, comments, form, version and the defaults that they
    /// omit. False if one of them cannot be read.
    pub fn describes_same_scene(&self, other: &Self) -> bool {
        let scene = |text: &Self| {
            let mut scene = text.read().ok()?;
            scene.set_defaults();
            scene.version = VERSION;
            Some(scene)
        };
        self.text == other.text || scene(self).is_some_and(|own| scene(other) == Some(own))
    }

    fn convert(&self) -> Option<Self> {
        let Edits { mut replacements, missing, .. } = Edits::new(self)?;
        replacements.sort_by_key(|(range, _)| range.start);
        let (mut text, mut edits, mut end) = (String::new(), Vec::new(), 0);
        for (old, by) in replacements {
            text.push_str(&self.text[end..old.start]);
            edits.push(Replacement { old: old.clone(), new: text.len()..text.len() + by.len() });
            text.push_str(&by);
            end = old.end;
        }
        text.push_str(&self.text[end..]);
        let original = Original { text: self.clone(), edits, missing };
        let converted = Self::in_form(self.form, &self.file, &text);
        Some(Self { original: Some(Box::new(original)), ..converted })
    }
}

/// The edits that convert a text.
struct Edits<'t> {
    text: &'t SceneText,
    replacements: Vec<(Range<usize>, String)>,
    changes: BTreeSet<String>,
    missing: Vec<Diagnostic>,
}

impl<'t> Edits<'t> {
    /// The edits of a text of version 1.
    fn new(text: &'t SceneText) -> Option<Self> {
        let tree = text.tree()?;
        let version = &tree.child("version")?.node;
        if text.text[version.span.clone()].parse() != Ok(1) {
            return None;
        }
        let (changes, missing) = (BTreeSet::new(), Vec::new());
        let mut edits = Self { text, replacements: Vec::new(), changes, missing };
        edits.replace(version.span.clone(), VERSION.to_string());
        edits.state_contact(tree);
        edits.rename(tree, "");
        edits.require(tree);
        Some(edits)
    }

    fn replace(&mut self, range: Range<usize>, by: impl Into<String>) {
        self.replacements.push((range, by.into()));
    }

    /// Contact is off by default in version 1 and on in version 2.
    fn state_contact(&mut self, tree: &Node) {
        let before = tree.child("integrator").and_then(|child| child.key.as_ref());
        let Some((_, key)) = before.filter(|_| tree.child("contact").is_none()) else { return };
        let line = self.text.text[..key.start].rfind('\n').map_or(0, |newline| newline + 1);
        let indent = &self.text.text[line..key.start];
        let separator =
            if indent.trim().is_empty() { format!("\n{indent}") } else { " ".to_owned() };
        let field = match self.text.form {
            Form::Ron => "contact: Off,",
            Form::Json => "\"contact\": \"Off\",",
        };
        self.replace(key.start..key.start, format!("{field}{separator}"));
        self.changes.insert("contact is on unless `contact: Off` is given".to_owned());
    }

    /// Renames fields and alternatives inside a value of the field `key`.
    fn rename(&mut self, node: &Node, key: &str) {
        for child in &node.children {
            let name = child.key.as_ref().map(|(name, _)| name.as_str());
            if let Some((name, range)) = &child.key {
                let mut fields = FIELDS.iter();
                let known = fields.find(|(owner, old, _)| {
                    old == name && (node.tag.as_deref() == Some(owner) || key == *owner)
                });
                if let Some((owner, old, new)) = known {
                    self.rename_word(range.clone(), owner, old, new);
                } else if node.is_alternative() {
                    self.rename_alternative(range.clone(), name, key);
                }
            }
            let inner = name.filter(|_| !node.is_alternative()).unwrap_or(key);
            if let Some(tag) = child.node.tag.as_ref().filter(|_| self.text.form == Form::Ron) {
                let start = child.node.span.start;
                self.rename_alternative(start..start + tag.len(), tag, inner);
            } else if child.node.kind == NodeKind::Scalar {
                let range = child.node.span.clone();
                let word = self.text.text[range.clone()].trim_matches('"').to_owned();
                self.rename_alternative(range, &word, inner);
            }
            self.rename(&child.node, inner);
        }
    }

    fn rename_alternative(&mut self, range: Range<usize>, name: &str, key: &str) {
        let mut alternatives = ALTERNATIVES.iter();
        let known = alternatives.find(|(owner, old, _)| *old == name && key == *owner);
        if let Some((owner, old, new)) = known {
            self.rename_word(range, owner, old, new);
        }
    }

    /// Replaces a name, which in JSON has quotes.
    fn rename_word(&mut self, range: Range<usize>, owner: &str, old: &str, new: &str) {
        let quote = if self.text.text[range.clone()].starts_with('"') { "\"" } else { "" };
        self.replace(range, format!("{quote}{new}{quote}"));
        self.changes.insert(format!("`{old}` of `{owner}` is `{new}`"));
    }

    /// Records an error for each required field that is missing.
    fn require(&mut self, tree: &Node) {
        for (path, owner, fields) in REQUIRED {
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
                self.missing.push(self.text.point(Severity::Error, span, path, message, help));
            }
        }
    }
}

/// The cache of [`SceneText::current`].
pub(super) type Current = OnceLock<Option<Box<SceneText>>>;
