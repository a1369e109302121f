//! All structural errors of a text at once.
//!
//! A reader stops at the first error. The faulty value is therefore replaced by spaces in a copy of the text, and the
//! copy is read again, until it is valid or nothing can be removed. Errors caused by removed values are not reported.

use super::finding::{LocatedFinding, quoted_list};
use super::tree::{Node, NodeKind};
use super::{Diagnostic, Form, SceneText, path, typed};
use crate::description::Severity;
use std::ops::Range;

/// Maximum number of reported errors; each costs one reading of the text.
const MAX_REPORTED: usize = 20;

/// All errors of an invalid text, whose first error is known, in the order of reading.
pub(super) fn find_all(text: &SceneText, first_finding: LocatedFinding) -> Vec<Diagnostic> {
    let mut remaining_text = text.text().to_owned();
    let (mut mistakes, mut next) = (Vec::new(), Some(first_finding));
    // Offsets of the values from which a part has been removed.
    let mut parent_offsets = Vec::new();
    while let Some(LocatedFinding { span, message, help }) =
        next.take().filter(|_| mistakes.len() < MAX_REPORTED)
    {
        let tree = text.form.tree(&remaining_text);
        let offset = span.start;
        // An error of such a value, which may lack its removed part, is not reported.
        let faulty_value = tree.as_ref().and_then(|tree| innermost_brackets(tree, offset));
        if faulty_value.is_none_or(|node| !parent_offsets.contains(&node.span.start)) {
            // Positions are unchanged, but list indices differ from those of the original text.
            let path = text.tree().map_or(String::new(), |tree| path::innermost_path(tree, offset));
            let (message, help) =
                missing_fields_message(text, offset, &path).unwrap_or((message, help));
            mistakes.push(text.diagnostic(Severity::Error, span, &path, message, help));
        }
        let removable = tree.and_then(|tree| innermost_removable(&tree, &remaining_text, offset));
        let Some((range, parent_offset)) = removable else { break };
        blank_out(&mut remaining_text, &range);
        parent_offsets.push(parent_offset);
        next = text.form.read_blanked(&remaining_text).err();
    }
    mistakes
}

/// The message and the remedy for the struct that begins at an offset if it lacks several required fields. The reader
/// reports only the first of them.
fn missing_fields_message(text: &SceneText, offset: usize, path: &str) -> Option<(String, String)> {
    let (node, variant) = struct_at(text.tree()?, offset)?;
    // The scene itself has the empty path.
    let segments = if path.is_empty() { Vec::new() } else { path::parse(path)? };
    let owner = text.expected(&segments)?.owner(variant)?;
    let missing = typed::missing_fields(owner, |field| node.child(field).is_none());
    if missing.len() < 2 {
        return None;
    }
    let name = owner.rsplit("::").next().unwrap_or(owner);
    let message = format!("the fields {} are missing in `{name}`", quoted_list(&missing));
    let quote = if text.form == Form::Json { "\"" } else { "" };
    let fields: Vec<String> =
        missing.iter().map(|field| format!("{quote}{field}{quote}: ...")).collect();
    let help = format!("add `{}`; docs/scene-reference.md says what they mean", fields.join(", "));
    Some((message, help))
}

/// The innermost struct whose text begins at an offset, with its variant if it is the content of an enum.
fn struct_at(root: &Node, offset: usize) -> Option<(&Node, Option<&str>)> {
    let (mut node, mut variant) = (root, root.tag.as_deref());
    while let Some(child) = node.child_at(offset) {
        let key = child.key.as_ref().map(|(key, _)| key.as_str());
        let key = key.filter(|_| node.selects_variant());
        variant = child.node.tag.as_deref().or(key);
        node = &child.node;
    }
    let is_found = node.kind == NodeKind::Struct && node.span.start == offset;
    is_found.then_some((node, variant))
}

/// The range of the innermost removable value around an offset, with its name, and the offset of its parent. Fields,
/// entries of maps and items of lists are removable; items of tuples are not, because the length of a tuple is fixed.
fn innermost_removable(root: &Node, text: &str, offset: usize) -> Option<(Range<usize>, usize)> {
    let (mut node, mut innermost) = (root, None);
    while let Some(child) = node.child_at(offset) {
        let is_tuple = node.kind == NodeKind::Sequence && text[..node.inner.start].ends_with('(');
        if !is_tuple {
            innermost = Some((child.range(), node.span.start));
        }
        node = &child.node;
    }
    innermost
}

/// The innermost value around an offset, if it has brackets. An error there is one of the whole value, such as a
/// missing field; `None` for an error in a word.
fn innermost_brackets(root: &Node, offset: usize) -> Option<&Node> {
    let mut node = root;
    while let Some(child) = node.child_at(offset) {
        node = &child.node;
    }
    (node.kind != NodeKind::Scalar).then_some(node)
}

/// Replaces a value and the following comma by spaces, which leaves the offsets of all other text unchanged.
pub(super) fn blank_out(text: &mut String, range: &Range<usize>) {
    let next_token = Node::next_token(text, range.end);
    let comma = next_token.filter(|token| &text[token.clone()] == ",");
    for range in [Some(range.clone()), comma].into_iter().flatten() {
        let spaces = text[range.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' });
        let spaces: String = spaces.collect();
        text.replace_range(range, &spaces);
    }
}
