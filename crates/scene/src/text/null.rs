//! Fields whose value is `null` or `None` although their type has no such value: they have their default, as if they
//! were omitted.

use super::tree::{Node, NodeKind};
use super::typed::Expected;
use crate::schema::Type;
use std::ops::Range;

/// The ranges of such fields of a scene, with their names, in the order of the text.
pub(super) fn null_fields(text: &str, scene: &Node) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Most texts have none and need no types.
    if text.contains("null") || text.contains("None") {
        collect(&mut found, text, scene, Expected::root());
    }
    found
}

/// Removes the fields with these ranges.
pub(super) fn remove(node: &mut Node, ranges: &[Range<usize>]) {
    node.children.retain(|child| !ranges.contains(&child.range()));
    for child in &mut node.children {
        remove(&mut child.node, ranges);
    }
}

/// Whether a value is `null` or `None`.
fn is_null(text: &str, node: &Node) -> bool {
    node.kind == NodeKind::Scalar && matches!(&text[node.span.clone()], "null" | "None")
}

/// Adds the ranges within a value of the type `expected`.
fn collect(found: &mut Vec<Range<usize>>, text: &str, node: &Node, expected: Expected<'_>) {
    let expected = expected.present();
    let node = unwrapped_option(node);
    if let Expected::Fields(owner) = expected {
        return collect_fields(found, text, node.unwrapped(), owner);
    }
    let Expected::Value(kind) = expected else { return };
    for (index, child) in node.children.iter().enumerate() {
        match kind {
            Type::List(kind) | Type::Map(kind) => {
                collect(found, text, &child.node, Expected::Value(kind));
            }
            Type::Tuple(kinds) => {
                if let Some(kind) = kinds.get(index) {
                    collect(found, text, &child.node, Expected::Value(kind));
                }
            }
            _ => {}
        }
    }
    let Type::Named(owner) = kind else { return };
    // In JSON the name of a variant is the only key of an object.
    let key = node.children.first().and_then(|child| child.key.as_ref());
    let key = key.map(|(key, _)| key.as_str()).filter(|_| node.selects_variant());
    let content = match (key, &node.tag, &node.children[..]) {
        (Some(key), _, [only]) => Expected::content(owner, key).map(|kind| (kind, &only.node)),
        (_, Some(tag), children) => match (Expected::content(owner, tag), children) {
            (Some(fields @ Expected::Fields(_)), _) => Some((fields, node)),
            (Some(kind), [only]) => Some((kind, &only.node)),
            _ => None,
        },
        _ => None,
    };
    if let Some((kind, content)) = content {
        collect(found, text, content, kind);
    }
}

/// Adds the ranges within the fields of a struct or of a variant `owner`.
fn collect_fields(found: &mut Vec<Range<usize>>, text: &str, node: &Node, owner: &str) {
    for child in &node.children {
        let Some((key, _)) = &child.key else { continue };
        match Expected::field(owner, key) {
            Some(Expected::Value(Type::Optional(_))) if is_null(text, &child.node) => {}
            Some(_) if is_null(text, &child.node) => found.push(child.range()),
            Some(kind) => collect(found, text, &child.node, kind),
            None => {}
        }
    }
}

/// The value inside `Some(...)` of RON; otherwise the value itself.
fn unwrapped_option(node: &Node) -> &Node {
    match (node.tag.as_deref(), &node.children[..]) {
        (Some("Some"), [only]) if only.key.is_none() => unwrapped_option(&only.node),
        _ => node,
    }
}
