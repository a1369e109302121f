//! Converts scenes from JSON to RON: the same fields, and no others, so that defaults remain defaults.

use super::json::{SCHEMA_KEY, string};
use super::tree::{Child, Node, NodeKind};
use super::typed::Expected;
use super::value::{FieldValue, value_in_ron};
use super::{Form, SceneText};

/// Maximum length of a value on one line, with its indentation.
const MAX_LINE_CHARS: usize = 100;

const INDENT: &str = "    ";

impl SceneText {
    /// Converts the text to RON with the same fields, of the current version for a text in JSON. A text in RON is
    /// unchanged. `None` if brackets or quotes do not match.
    pub fn to_ron(&self) -> Option<String> {
        if self.form == Form::Ron {
            return Some(self.text.clone());
        }
        let current = self.current();
        let mut scene = value_at(&current.text, current.tree()?);
        if let FieldValue::Fields(fields) = &mut scene {
            fields.retain(|(name, _)| name != SCHEMA_KEY);
            // RON scenes begin with their version; the order of the others is kept.
            fields.sort_by_key(|(name, _)| name != "version");
        }
        let line = value_in_ron(&scene, Some(Expected::root()));
        let mut out = String::new();
        write_indented(&mut out, &line, &Node::parse(&line)?, 0);
        out.push('\n');
        Some(out)
    }
}

/// The value of a node of a text in JSON.
fn value_at(text: &str, node: &Node) -> FieldValue {
    let written = &text[node.span.clone()];
    let key = |child: &Child| child.key.as_ref().map(|(_, key)| string(&text[key.clone()]));
    match node.kind {
        NodeKind::Scalar => match written {
            "null" => FieldValue::Nothing,
            "true" | "false" => FieldValue::Truth(written == "true"),
            _ if written.starts_with('"') => FieldValue::Text(string(written)),
            _ => FieldValue::Number(written.to_owned()),
        },
        NodeKind::Sequence => FieldValue::Items {
            values: node.children.iter().map(|child| value_at(text, &child.node)).collect(),
            is_tuple: false,
        },
        NodeKind::Struct | NodeKind::Map => FieldValue::Fields(
            node.children
                .iter()
                .map(|child| (key(child).unwrap_or_default(), value_at(text, &child.node)))
                .collect(),
        ),
    }
}

/// Writes a value of a text in RON. The fields of the scene, and what does not fit on one line, get a line each.
fn write_indented(out: &mut String, text: &str, node: &Node, depth: usize) {
    let written = &text[node.span.clone()];
    let fits = depth > 0 && written.chars().count() + INDENT.len() * depth <= MAX_LINE_CHARS;
    if fits || node.children.is_empty() {
        out.push_str(written);
        return;
    }
    out.push_str(&text[node.span.start..node.inner.start]);
    // The only value of a variant begins on the line of its name.
    if let ([only], true) = (&node.children[..], node.tag.is_some())
        && only.key.is_none()
    {
        write_indented(out, text, &only.node, depth);
    } else {
        for child in &node.children {
            break_line(out, depth + 1);
            out.push_str(&text[child.range().start..child.node.span.start]);
            write_indented(out, text, &child.node, depth + 1);
            out.push(',');
        }
        break_line(out, depth);
    }
    out.push_str(&text[node.inner.end..node.span.end]);
}

/// Begins a line that is indented by `depth` levels.
fn break_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.push_str(&INDENT.repeat(depth));
}
