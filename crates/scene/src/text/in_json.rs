//! Converts values from RON to JSON without knowledge of their types, which the opposite conversion needs.

use super::tree::{Child, Node, NodeKind};
use std::fmt::Write as _;

/// Converts a value in RON or JSON to JSON on one line; `None` if brackets or quotes do not match.
pub(crate) fn value_in_json(text: &str) -> Option<String> {
    let mut out = String::new();
    write_value(&mut out, text, &Node::parse(text)?, None);
    Some(out)
}

/// Converts a text of RON to JSON, with one line per field down to a depth; comments are lost.
pub(super) fn pretty_json(text: &str) -> Option<String> {
    let mut out = String::new();
    write_value(&mut out, text, &Node::parse(text)?, Some(0));
    out.push('\n');
    Some(out)
}

/// Converts the code in backquotes of a message to JSON.
pub(super) fn message_in_json(message: &str) -> String {
    let mut out = String::new();
    for (index, part) in message.split('`').enumerate() {
        let is_code = index % 2 == 1;
        out.push_str(if index > 0 { "`" } else { "" });
        out.push_str(&code_in_json(part).filter(|_| is_code).unwrap_or_else(|| part.to_owned()));
    }
    out
}

/// Converts a value with brackets, or fields without brackets (`field: value, ..`), from RON to JSON; `None` for other
/// text.
fn code_in_json(code: &str) -> Option<String> {
    let fields = format!("({code})");
    if let Some(tree) = Node::parse(&fields).filter(has_field_names) {
        let mut out = String::new();
        write_value(&mut out, &fields, &tree, None);
        return Some(out[1..out.len() - 1].to_owned());
    }
    Node::parse(code).filter(|tree| tree.kind != NodeKind::Scalar)?;
    value_in_json(code)
}

fn has_field_names(tree: &Node) -> bool {
    tree.children.first().is_some_and(|child| child.key.is_some())
}

/// Writes a value. With a `depth`, a value that does not fit on one line is spread over several.
fn write_value(out: &mut String, text: &str, node: &Node, depth: Option<usize>) {
    let node = node.unwrapped();
    if node.kind == NodeKind::Scalar {
        out.push_str(&scalar_in_json(&text[node.span.clone()]));
        return;
    }
    if let Some(tag) = &node.tag {
        let _ = write!(out, "{{{}: ", quoted(tag));
    }
    match (&node.children[..], node.kind) {
        ([only], NodeKind::Sequence) if node.tag.is_some() => {
            write_value(out, text, &only.node, depth);
        }
        (children, NodeKind::Sequence) => write_children(out, text, ["[", "]"], children, depth),
        (children, _) => write_children(out, text, ["{", "}"], children, depth),
    }
    out.push_str(if node.tag.is_some() { "}" } else { "" });
}

/// Writes values or fields between brackets. With a `depth`, they get a line each at the root, and where they do not
/// fit on one line.
fn write_children(
    out: &mut String,
    text: &str,
    [open, close]: [&str; 2],
    children: &[Child],
    depth: Option<usize>,
) {
    let first_and_last = children.first().zip(children.last());
    let length =
        first_and_last.map_or(0, |(first, last)| last.node.span.end - first.node.span.start);
    let depth_if_split =
        depth.filter(|depth| *depth == 0 || length + INDENT.len() * depth > MAX_LINE_CHARS);
    out.push_str(open);
    for (index, Child { key, node }) in children.iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        match depth_if_split {
            Some(depth) => break_line(out, depth + 1),
            None => out.push_str(if index > 0 { " " } else { "" }),
        }
        if let Some((_, key)) = key {
            let _ = write!(out, "{}: ", quoted(&text[key.clone()]));
        }
        write_value(out, text, node, depth_if_split.map(|depth| depth + 1));
    }
    if let Some(depth) = depth_if_split {
        break_line(out, depth);
    }
    out.push_str(close);
}

/// Maximum length of a value on one line, with its indentation.
const MAX_LINE_CHARS: usize = 90;

const INDENT: &str = "  ";

/// Begins a line that is indented by `depth` levels.
fn break_line(out: &mut String, depth: usize) {
    let _ = write!(out, "\n{}", INDENT.repeat(depth));
}

/// Converts a word, a number or a text to JSON.
fn scalar_in_json(written: &str) -> String {
    let is_number = written.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    match written {
        "None" | "null" => "null".to_owned(),
        "true" | "false" => written.to_owned(),
        _ if is_number => number_in_json(written),
        _ => quoted(written),
    }
}

/// The number as it is written if that is valid JSON, or else an equal one. What is not finite or no number becomes a
/// string, which readers of numbers refuse.
fn number_in_json(written: &str) -> String {
    if serde_json::from_str::<serde_json::Number>(written).is_ok() {
        return written.to_owned();
    }
    match (ron::from_str::<u64>(written), ron::from_str::<f64>(written)) {
        (Ok(integer), _) => integer.to_string(),
        (_, Ok(number)) if number.is_finite() => format!("{number:?}"),
        _ => quoted(written),
    }
}

/// A word or a text in the quotes of JSON.
fn quoted(written: &str) -> String {
    let is_text = written.ends_with(['"', '\'', '#']);
    let text = is_text.then(|| ron::from_str::<String>(written).ok()).flatten();
    serde_json::Value::from(text.as_deref().unwrap_or(written)).to_string()
}
