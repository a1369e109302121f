//! Converts values from RON to JSON. The opposite conversion needs the types.

use super::tree::{Child, Node, NodeKind};
use std::fmt::Write as _;

/// A value of RON or of JSON as JSON on one line; `None` if it is neither.
pub(crate) fn value(text: &str) -> Option<String> {
    let mut out = String::new();
    write(&mut out, text, &Node::parse(text)?, None);
    Some(out)
}

/// Converts a text of RON to JSON, with one line per field down to a depth; comments are lost.
pub(super) fn pretty(text: &str) -> Option<String> {
    let mut out = String::new();
    write(&mut out, text, &Node::parse(text)?, Some(0));
    out.push('\n');
    Some(out)
}

/// Converts the code in backquotes of a message to JSON.
pub(super) fn in_message(message: &str) -> String {
    let mut out = String::new();
    for (number, piece) in message.split('`').enumerate() {
        let is_code = number % 2 == 1;
        out.push_str(if number > 0 { "`" } else { "" });
        out.push_str(&code(piece).filter(|_| is_code).unwrap_or_else(|| piece.to_owned()));
    }
    out
}

/// A value with brackets, or fields, of RON as JSON.
fn code(piece: &str) -> Option<String> {
    let fields = format!("({piece})");
    if let Some(tree) = Node::parse(&fields).filter(has_names) {
        let mut out = String::new();
        write(&mut out, &fields, &tree, None);
        return Some(out[1..out.len() - 1].to_owned());
    }
    Node::parse(piece).filter(|tree| tree.kind != NodeKind::Scalar)?;
    value(piece)
}

fn has_names(tree: &Node) -> bool {
    tree.children.first().is_some_and(|child| child.key.is_some())
}

/// Writes a value. With a `depth`, a value that does not fit on one line is spread over several.
fn write(out: &mut String, text: &str, node: &Node, depth: Option<usize>) {
    let node = node.unwrapped();
    if node.kind == NodeKind::Scalar {
        out.push_str(&scalar(&text[node.span.clone()]));
        return;
    }
    if let Some(tag) = &node.tag {
        let _ = write!(out, "{{{}: ", quote(tag));
    }
    match (&node.children[..], node.kind) {
        ([only], NodeKind::Sequence) if node.tag.is_some() => write(out, text, &only.node, depth),
        (children, NodeKind::Sequence) => write_between(out, text, ["[", "]"], children, depth),
        (children, _) => write_between(out, text, ["{", "}"], children, depth),
    }
    out.push_str(if node.tag.is_some() { "}" } else { "" });
}

fn write_between(
    out: &mut String,
    text: &str,
    [open, close]: [&str; 2],
    children: &[Child],
    depth: Option<usize>,
) {
    let ends = children.first().zip(children.last());
    let length = ends.map_or(0, |(first, last)| last.node.span.end - first.node.span.start);
    let lines = depth.filter(|depth| *depth == 0 || length + INDENT.len() * depth > MAX_LINE_CHARS);
    out.push_str(open);
    for (number, Child { key, node }) in children.iter().enumerate() {
        out.push_str(if number > 0 { "," } else { "" });
        match lines {
            Some(depth) => indent(out, depth + 1),
            None => out.push_str(if number > 0 { " " } else { "" }),
        }
        if let Some((_, key)) = key {
            let _ = write!(out, "{}: ", quote(&text[key.clone()]));
        }
        write(out, text, node, lines.map(|depth| depth + 1));
    }
    if let Some(depth) = lines {
        indent(out, depth);
    }
    out.push_str(close);
}

/// Maximum length of a value on one line.
const MAX_LINE_CHARS: usize = 90;

const INDENT: &str = "  ";

fn indent(out: &mut String, depth: usize) {
    let _ = write!(out, "\n{}", INDENT.repeat(depth));
}

/// A word, number or text.
fn scalar(written: &str) -> String {
    let is_number = written.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    match written {
        "None" | "null" => "null".to_owned(),
        "true" | "false" => written.to_owned(),
        _ if is_number => number(written),
        _ => quote(written),
    }
}

/// A number as written if it is valid JSON, else an equal one.
fn number(written: &str) -> String {
    if serde_json::from_str::<serde_json::Number>(written).is_ok() {
        return written.to_owned();
    }
    match (ron::from_str::<u64>(written), ron::from_str::<f64>(written)) {
        (Ok(integer), _) => integer.to_string(),
        (_, Ok(number)) if number.is_finite() => format!("{number:?}"),
        // Readers of numbers refuse strings.
        _ => quote(written),
    }
}

/// A word or a text in the quotes of JSON.
fn quote(written: &str) -> String {
    let is_text = written.ends_with(['"', '\'', '#']);
    let text = is_text.then(|| ron::from_str::<String>(written).ok()).flatten();
    serde_json::Value::from(text.as_deref().unwrap_or(written)).to_string()
}
