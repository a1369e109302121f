//! Paths to fields, such as `bodies[2].shape.size[0]`.

use super::tree::{Child, Node, NodeKind};
use std::fmt;
use std::ops::Range;

/// One part of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Segment {
    /// A field, a key of a map, or the `name` of an item of a list.
    Key(String),
    /// An index in a list, from 0.
    Index(usize),
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) if is_plain(key) => f.write_str(key),
            Self::Key(key) => write!(f, "\"{key}\""),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && !key.contains(['.', '[', ']', '"', '='])
}

/// A path as text.
pub(super) fn display(segments: &[Segment]) -> String {
    let mut text = String::new();
    for segment in segments {
        if !text.is_empty() && matches!(segment, Segment::Key(_)) {
            text.push('.');
        }
        text += &segment.to_string();
    }
    text
}

/// The segments of a path; keys with dots or brackets are quoted.
pub(super) fn parse(path: &str) -> Option<Vec<Segment>> {
    let mut segments = Vec::new();
    let mut rest = path.trim();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('[') {
            let (index, after) = after.split_once(']')?;
            segments.push(Segment::Index(index.trim().parse().ok()?));
            rest = after;
            continue;
        }
        if !segments.is_empty() {
            rest = rest.strip_prefix('.')?;
        }
        let (key, after) = if let Some(quoted) = rest.strip_prefix('"') {
            quoted.split_once('"')?
        } else {
            rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()))
        };
        if key.is_empty() {
            return None;
        }
        segments.push(Segment::Key(key.to_owned()));
        rest = after;
    }
    (!segments.is_empty()).then_some(segments)
}

/// The existing part of a path.
#[derive(Debug)]
pub(super) struct ResolvedPath<'a> {
    /// The last existing value.
    pub(super) node: &'a Node,
    /// The range of that value, including the name of its alternative.
    pub(super) span: Range<usize>,
    /// The name before that value.
    pub(super) key: Option<Range<usize>>,
    /// Number of segments found.
    pub(super) depth: usize,
}

/// Follows a path as far as it exists. Names of variants are optional: `integrator.ASearch.decay` equals
/// `integrator.decay`. After the name of a variant with one value, the path goes on in that value, as in JSON:
/// `viscosity.Prony[0]` is the first branch, and so is `viscosity[0][0]`.
pub(super) fn find<'a>(root: &'a Node, path: &[Segment]) -> ResolvedPath<'a> {
    let inside = follow(root, path, true);
    if inside.depth == path.len() {
        return inside;
    }
    let around = follow(root, path, false);
    if around.depth > inside.depth { around } else { inside }
}

/// Follows a path; the name of a variant with one value leads to the value if `enters`.
fn follow<'a>(root: &'a Node, path: &[Segment], enters: bool) -> ResolvedPath<'a> {
    let mut found =
        ResolvedPath { node: root.unwrapped(), span: root.span.clone(), key: None, depth: 0 };
    for segment in path {
        if let Some(child) = step(found.node, segment) {
            found.key = child.key.as_ref().map(|(_, span)| span.clone());
            found.node = child.node.unwrapped();
            let is_chosen = child.node.alternative_content().is_some();
            found.span = if is_chosen { &child.node } else { found.node }.span.clone();
        } else if !names_variant(found.node, segment) {
            break;
        } else if let Some(content) = found.node.only_value().filter(|_| enters) {
            found.node = content.unwrapped();
            found.span = content.span.clone();
        }
        found.depth += 1;
    }
    found
}

fn names_variant(node: &Node, segment: &Segment) -> bool {
    matches!(segment, Segment::Key(key) if node.tag.as_ref() == Some(key))
        && node.kind != NodeKind::Scalar
}

/// The child to which a segment of a path leads.
fn step<'a>(node: &'a Node, segment: &Segment) -> Option<&'a Child> {
    match segment {
        Segment::Index(index) if node.kind == NodeKind::Sequence => node.children.get(*index),
        Segment::Index(_) => None,
        Segment::Key(key) if node.kind == NodeKind::Sequence => {
            // Items of a list by their names, with quotes as in the text.
            node.children.iter().find(|child| child.node.unwrapped().name.as_ref() == Some(key))
        }
        Segment::Key(key) => node.child(key),
    }
}

/// The path of the innermost value around a place in the text.
pub(super) fn innermost_path(root: &Node, offset: usize) -> String {
    let mut segments = Vec::new();
    let mut node = root;
    'inward: loop {
        for (index, child) in node.children.iter().enumerate() {
            let start = child.key.as_ref().map_or(child.node.span.start, |(_, key)| key.start);
            if (start..child.node.span.end).contains(&offset) {
                segments.extend(match &child.key {
                    Some(_) if node.is_alternative() => None,
                    Some((key, _)) => Some(Segment::Key(key.clone())),
                    None => Some(Segment::Index(index)),
                });
                node = &child.node;
                continue 'inward;
            }
        }
        return display(&segments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"(
        materials: {"my.rubber": (young: 1)},
        bodies: [(name: "a", size: (4, 5)), (name: "die", hold: [Box(min: 7)])],
        integrator: ASearch(decay: Some([3])),
        viscosity: Prony([(time: 8)]),
    )"#;

    fn at(path: &str) -> Option<&'static str> {
        let tree = Node::parse(TEXT).expect("the text is well formed");
        let segments = parse(path)?;
        let found = find(&tree, &segments);
        (found.depth == segments.len()).then(|| &TEXT[found.node.span.clone()])
    }

    #[test]
    fn paths_lead_through_structs_lists_maps_variants_and_names() {
        assert_eq!(at("materials.\"my.rubber\".young"), Some("1"));
        assert_eq!(at("bodies[0].size[1]"), Some("5"));
        assert_eq!(at("bodies.die.name"), Some("\"die\""));
        assert_eq!(at("bodies[1].hold[0].min"), Some("7"));
        assert_eq!(at("bodies[1].hold[0].Box.min"), Some("7"));
        assert_eq!(at("integrator.ASearch.decay[0]"), Some("3"));
        assert_eq!(at("integrator.decay[0]"), Some("3"));
        for path in
            ["viscosity.Prony[0].time", "viscosity.Prony[0][0].time", "viscosity[0][0].time"]
        {
            assert_eq!(at(path), Some("8"), "{path}");
        }
        assert_eq!(at("viscosity.Prony"), Some("[(time: 8)]"));
        assert_eq!(at("viscosity"), Some("Prony([(time: 8)])"));
        for missing in
            ["", "bodies[2]", "bodies[0].mass", "bodies.b", "integrator.A1.decay", "a..b"]
        {
            assert_eq!(at(missing), None, "{missing}");
        }
    }

    #[test]
    fn text_position_has_the_path_of_its_field() {
        let tree = Node::parse(TEXT).expect("the text is well formed");
        for path in ["materials.\"my.rubber\".young", "bodies[0].size[1]", "bodies[1].hold[0].min"]
        {
            let segments = parse(path).expect("the path is well formed");
            let start = find(&tree, &segments).node.span.start;
            assert_eq!(innermost_path(&tree, start), path);
        }
    }
}
