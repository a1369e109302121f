//! Every mistake of structure at once.
//!
//! A reader stops at the first one. So the value at fault is taken out of a copy of the text,
//! spaces in its place, and the copy is read again, until it can be read or nothing is left to take
//! out. What a value lacks because it was taken out is not told.

use super::finding::Finding;
use super::tree::{Child, Node, NodeKind};
use super::{Diagnostic, SceneText, path};
use crate::description::Severity;
use std::ops::Range;

/// The most that are told: each costs a reading of the text.
const MOST: usize = 20;

/// All mistakes of a text that cannot be read, in the order in which the reader finds them.
pub(super) fn all(text: &SceneText, first: Finding) -> Vec<Diagnostic> {
    let mut rest = text.text().to_owned();
    let (mut found, mut lacking, mut next) = (Vec::new(), Vec::new(), Some(first));
    while let Some(Finding { span, message, help }) = next.take().filter(|_| found.len() < MOST) {
        let tree = text.form.tree(&rest);
        let at = span.start;
        let own = tree.as_ref().and_then(|tree| of_itself(tree, at));
        if own.is_none_or(|node| !lacking.contains(&node.span.start)) {
            // Nothing has moved, but items of lists have other numbers than in the whole text.
            let path = text.tree().map_or(String::new(), |tree| path::around(tree, at));
            found.push(text.point(Severity::Error, span, &path, message, help));
        }
        let Some((range, within)) = tree.and_then(|tree| at_fault(&tree, &rest, at)) else { break };
        take_out(&mut rest, &range);
        lacking.push(within);
        next = text.form.read_again(&rest).err();
    }
    found
}

/// The innermost value around a place that can be taken out, with its name, and where the one
/// that then lacks it begins: a field, an entry or an item of a list, but no part of a tuple, of which the
/// length would be wrong.
fn at_fault(root: &Node, text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let (mut node, mut found) = (root, None);
    while let Some(child) = inward(node, at) {
        let tuple = node.kind == NodeKind::Sequence && text[..node.inner.start].ends_with('(');
        if !tuple {
            found = Some((beginning(child)..child.node.span.end, node.span.start));
        }
        node = &child.node;
    }
    found
}

/// The value that a finding at a place is about as a whole: none if it is about a word.
fn of_itself(root: &Node, at: usize) -> Option<&Node> {
    let mut node = root;
    while let Some(child) = inward(node, at) {
        node = &child.node;
    }
    (node.kind != NodeKind::Scalar).then_some(node)
}

/// The part of a value around a place.
fn inward(node: &Node, at: usize) -> Option<&Child> {
    node.children.iter().find(|child| (beginning(child)..child.node.span.end).contains(&at))
}

/// Where a part begins, with its name.
fn beginning(child: &Child) -> usize {
    child.key.as_ref().map_or(child.node.span.start, |(_, key)| key.start)
}

/// Puts spaces where a value was, and where the comma behind it was: all else stays in its place.
fn take_out(text: &mut String, range: &Range<usize>) {
    let behind = Node::next_token(text, range.end);
    let comma = behind.filter(|token| &text[token.clone()] == ",");
    for range in [Some(range.clone()), comma].into_iter().flatten() {
        let spaces = text[range.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' });
        let spaces: String = spaces.collect();
        text.replace_range(range, &spaces);
    }
}
