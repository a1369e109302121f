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

/// Whether a key needs no quotes in a path.
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
    let mut remaining = path.trim();
    while !remaining.is_empty() {
        if let Some(after) = remaining.strip_prefix('[') {
            let (index, after) = after.split_once(']')?;
            segments.push(Segment::Index(index.trim().parse().ok()?));
            remaining = after;
            continue;
        }
        if !segments.is_empty() {
            remaining = remaining.strip_prefix('.')?;
        }
        let (key, after) = if let Some(quoted) = remaining.strip_prefix('"') {
            quoted.split_once('"')?
        } else {
            remaining.split_at(remaining.find(['.', '[']).unwrap_or(remaining.len()))
        };
        if key.is_empty() {
            return None;
        }
        segments.push(Segment::Key(key.to_owned()));
        remaining = after;
    }
    (!segments.is_empty()).then_some(segments)
}

/// The existing part of a path.
#[derive(Debug)]
pub(super) struct ResolvedPath<'a> {
    /// The value of the last segment that exists.
    pub(super) node: &'a Node,
    /// The range of that value, including the name of its variant.
    pub(super) span: Range<usize>,
    /// The name before that value.
    pub(super) key: Option<Range<usize>>,
    /// Number of segments found.
    pub(super) depth: usize,
}

/// Resolves a path as far as it exists. Names of variants are optional: `integrator.ASearch.decay` equals
/// `integrator.decay`. After the name of a variant with one value, the path goes on in that value, as in JSON:
/// `viscosity.Prony[0]` is the first branch, and so is `viscosity[0][0]`.
pub(super) fn resolve<'a>(root: &'a Node, path: &[Segment]) -> ResolvedPath<'a> {
    let entering = follow(root, path, true);
    if entering.depth == path.len() {
        return entering;
    }
    let staying = follow(root, path, false);
    if staying.depth > entering.depth { staying } else { entering }
}

/// Follows a path as far as it exists. The name of a variant with a single value leads to that value if `enters_value`;
/// otherwise it leads to the variant, whose value is the item 0.
fn follow<'a>(root: &'a Node, path: &[Segment], enters_value: bool) -> ResolvedPath<'a> {
    let mut resolved =
        ResolvedPath { node: root.unwrapped(), span: root.span.clone(), key: None, depth: 0 };
    for segment in path {
        if let Some(child) = child_of_segment(resolved.node, segment) {
            resolved.key = child.key.as_ref().map(|(_, span)| span.clone());
            resolved.node = child.node.unwrapped();
            let selects_variant = child.node.variant_content().is_some();
            resolved.span = if selects_variant { &child.node } else { resolved.node }.span.clone();
        } else if !names_variant(resolved.node, segment) {
            break;
        } else if let Some(content) = resolved.node.only_value().filter(|_| enters_value) {
            resolved.node = content.unwrapped();
            resolved.span = content.span.clone();
        }
        resolved.depth += 1;
    }
    resolved
}

/// Whether a segment is the name of the variant of a value.
fn names_variant(node: &Node, segment: &Segment) -> bool {
    matches!(segment, Segment::Key(key) if node.tag.as_ref() == Some(key))
        && node.kind != NodeKind::Scalar
}

/// The child to which a segment of a path leads.
fn child_of_segment<'a>(node: &'a Node, segment: &Segment) -> Option<&'a Child> {
    match segment {
        Segment::Index(index) if node.kind == NodeKind::Sequence => node.children.get(*index),
        Segment::Index(_) => None,
        Segment::Key(key) if node.kind == NodeKind::Sequence => {
            // A key selects the item of a list by the field `name` of the item.
            node.children.iter().find(|child| child.node.unwrapped().name.as_ref() == Some(key))
        }
        Segment::Key(key) => node.child(key),
    }
}

/// Whether a value written at `outer` replaces the one at `inner`: both lead to the same field, or that of `inner` is in
/// that of `outer`, in any spelling.
pub(super) fn covers(root: &Node, outer: &[Segment], inner: &[Segment]) -> bool {
    let [outer_end, inner_end] = [outer, inner].map(|path| resolve(root, path));
    let [outer_rest, inner_rest] = [&outer[outer_end.depth..], &inner[inner_end.depth..]];
    match outer_rest {
        [] => {
            outer_end.span.start <= inner_end.span.start && inner_end.span.end <= outer_end.span.end
        }
        _ => outer_end.span == inner_end.span && inner_rest.starts_with(outer_rest),
    }
}

/// The path of the innermost value around an offset in the text.
pub(super) fn innermost_path(root: &Node, offset: usize) -> String {
    let mut segments = Vec::new();
    let mut node = root;
    while let Some(index) = node.children.iter().position(|child| child.range().contains(&offset)) {
        let child = &node.children[index];
        match &child.key {
            // The name of a variant is optional in a path.
            Some(_) if node.selects_variant() => {}
            Some((key, _)) => segments.push(Segment::Key(key.clone())),
            None => segments.push(Segment::Index(index)),
        }
        node = &child.node;
    }
    display(&segments)
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
        let found = resolve(&tree, &segments);
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
    fn a_path_covers_those_within_its_value_in_any_spelling() {
        let tree = Node::parse(TEXT).expect("the text is well formed");
        let covers = |outer: &str, inner: &str| {
            let [outer, inner] = [outer, inner].map(|path| parse(path).expect("it is a path"));
            covers(&tree, &outer, &inner)
        };
        for (outer, inner) in [
            ("bodies[0].size", "bodies.a.size"),
            ("bodies.a.friction", "bodies[0].friction"),
            ("bodies.a", "bodies[0].friction"),
            ("bodies[1]", "bodies.die.hold[0].min"),
            ("integrator.ASearch.decay", "integrator.decay[0]"),
            ("time", "time.step"),
        ] {
            assert!(covers(outer, inner), "{outer} {inner}");
        }
        for (outer, inner) in [
            ("bodies[0].size", "bodies[1].size"),
            ("bodies.a.size[0]", "bodies[0].size[1]"),
            ("bodies.a.friction", "bodies.die.friction"),
            ("bodies.a.friction", "bodies.a.mass"),
            ("bodies.a.friction", "bodies.a"),
        ] {
            assert!(!covers(outer, inner), "{outer} {inner}");
        }
    }

    #[test]
    fn text_position_has_the_path_of_its_field() {
        let tree = Node::parse(TEXT).expect("the text is well formed");
        for path in ["materials.\"my.rubber\".young", "bodies[0].size[1]", "bodies[1].hold[0].min"]
        {
            let segments = parse(path).expect("the path is well formed");
            let start = resolve(&tree, &segments).node.span.start;
            assert_eq!(innermost_path(&tree, start), path);
        }
    }
}
