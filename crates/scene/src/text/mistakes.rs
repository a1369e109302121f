//! All structural errors of a text at once.
//!
//! A reader stops at the first error. The faulty value is therefore replaced by spaces in a copy of the text, and the copy
//! is read again, until it is valid or nothing can be removed. Errors caused by removed values are not
//! reported.

use super::finding::{LocatedFinding, list};
use super::tree::{Child, Node, NodeKind};
use super::{Diagnostic, Form, SceneText, path, typed};
use crate::description::Severity;
use std::ops::Range;

/// Maximum number of reported errors; each costs one reading of the text.
const MAX_REPORTED: usize = 20;

/// All errors of an invalid text, in the order of reading.
pub(super) fn all(text: &SceneText, first: LocatedFinding) -> Vec<Diagnostic> {
    let mut rest = text.text().to_owned();
    let (mut mistakes, mut missing, mut next) = (Vec::new(), Vec::new(), Some(first));
    while let Some(LocatedFinding { span, message, help }) =
        next.take().filter(|_| mistakes.len() < MAX_REPORTED)
    {
        let tree = text.form.tree(&rest);
        let at = span.start;
        let own = tree.as_ref().and_then(|tree| of_itself(tree, at));
        if own.is_none_or(|node| !missing.contains(&node.span.start)) {
            // Positions are unchanged, but list indices differ from those of the original text.
            let path = text.tree().map_or(String::new(), |tree| path::innermost_path(tree, at));
            let (message, help) =
                missing_fields_message(text, at, &path).unwrap_or((message, help));
            mistakes.push(text.point(Severity::Error, span, &path, message, help));
        }
        let Some((range, within)) = tree.and_then(|tree| innermost_removable(&tree, &rest, at))
        else {
            break;
        };
        blank_out(&mut rest, &range);
        missing.push(within);
        next = text.form.read_blanked(&rest).err();
    }
    mistakes
}

/// The message and the remedy for the struct at a place if it lacks several required fields, of which a reader reports the
/// first one.
fn missing_fields_message(text: &SceneText, at: usize, path: &str) -> Option<(String, String)> {
    let (node, alternative) = struct_at(text.tree()?, at)?;
    let owner = text.expected(&path::parse(path)?)?.owner(alternative)?;
    let missing = typed::missing_fields(owner, |field| node.child(field).is_none());
    if missing.len() < 2 {
        return None;
    }
    let name = owner.rsplit("::").next().unwrap_or(owner);
    let message = format!("the fields {} are missing in `{name}`", list(&missing));
    let quote = if text.form == Form::Json { "\"" } else { "" };
    let fields: Vec<String> =
        missing.iter().map(|field| format!("{quote}{field}{quote}: ...")).collect();
    let help = format!("add `{}`; docs/scene-reference.md says what they mean", fields.join(", "));
    Some((message, help))
}

/// The innermost struct whose text begins at an offset, with its variant if it is the content of an enum.
fn struct_at(root: &Node, at: usize) -> Option<(&Node, Option<&str>)> {
    let (mut node, mut alternative) = (root, root.tag.as_deref());
    while let Some(child) = child_at(node, at) {
        let key = child.key.as_ref().map(|(key, _)| key.as_str());
        let key = key.filter(|_| node.is_alternative());
        alternative = child.node.tag.as_deref().or(key);
        node = &child.node;
    }
    let is_found = node.kind == NodeKind::Struct && node.span.start == at;
    is_found.then_some((node, alternative))
}

/// The innermost removable value around a place with its name, and the start of its parent: a field, an entry or an
/// item of a list, but not a part of a tuple, whose length is fixed.
fn innermost_removable(root: &Node, text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let (mut node, mut innermost) = (root, None);
    while let Some(child) = child_at(node, at) {
        let tuple = node.kind == NodeKind::Sequence && text[..node.inner.start].ends_with('(');
        if !tuple {
            innermost = Some((beginning(child)..child.node.span.end, node.span.start));
        }
        node = &child.node;
    }
    innermost
}

/// The value to which a finding applies as a whole; `None` if it applies to a word.
fn of_itself(root: &Node, at: usize) -> Option<&Node> {
    let mut node = root;
    while let Some(child) = child_at(node, at) {
        node = &child.node;
    }
    (node.kind != NodeKind::Scalar).then_some(node)
}

/// The child of a value around a place.
fn child_at(node: &Node, at: usize) -> Option<&Child> {
    node.children.iter().find(|child| (beginning(child)..child.node.span.end).contains(&at))
}

/// The start of a child, including its name.
fn beginning(child: &Child) -> usize {
    child.key.as_ref().map_or(child.node.span.start, |(_, key)| key.start)
}

/// Replaces a value and the following comma by spaces, so that all other positions are unchanged.
fn blank_out(text: &mut String, range: &Range<usize>) {
    let behind = Node::next_token(text, range.end);
    let comma = behind.filter(|token| &text[token.clone()] == ",");
    for range in [Some(range.clone()), comma].into_iter().flatten() {
        let spaces = text[range.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' });
        let spaces: String = spaces.collect();
        text.replace_range(range, &spaces);
    }
}
