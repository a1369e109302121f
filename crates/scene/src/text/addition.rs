//! Text of a field that an override adds.

use super::Form;
use super::path::{self, ResolvedPath, Segment};
use super::tree::NodeKind;
use std::ops::Range;

/// The offset and the text of the insertion that adds an absent field.
///
/// # Errors
/// The message and the help, if the existing part of the path is no value with fields.
pub(super) fn addition(
    form: Form,
    resolved: &ResolvedPath<'_>,
    segments: &[Segment],
    value: &str,
) -> Result<(Range<usize>, String), (String, String)> {
    let missing = &segments[resolved.depth..];
    let keys: Option<Vec<&str>> = missing
        .iter()
        .map(|segment| if let Segment::Key(key) = segment { Some(key.as_str()) } else { None })
        .collect();
    let node = resolved.node;
    let field = match (node.kind, keys.as_deref()) {
        (NodeKind::Struct, Some([key, inner_keys @ ..])) => {
            let default_variant =
                DEFAULT_VARIANTS.iter().find(|(field, _)| resolved.depth == 0 && field == key);
            nested_field(form, key, inner_keys, default_variant.map(|(_, name)| *name), value)
        }
        (NodeKind::Map, Some([key])) => format!("{key:?}: {value}"),
        _ => return Err(refuse_addition(resolved, segments)),
    };
    Ok(match node.children.last() {
        Some(last) => (last.node.span.end..last.node.span.end, format!(", {field}")),
        None => (node.inner.start..node.inner.start, field),
    })
}

/// Enums of a scene with the variant that a field of an absent value belongs to.
pub(super) const DEFAULT_VARIANTS: [(&str, &str); 2] =
    [("contact", "Barrier"), ("integrator", "ASearch")];

/// The text of the field `key`, whose value contains `value` below the nested fields `inner_keys`. The value of `key`
/// is a struct, or the variant `variant` with fields.
fn nested_field(
    form: Form,
    key: &str,
    inner_keys: &[&str],
    variant: Option<&str>,
    value: &str,
) -> String {
    let inner_keys = match inner_keys {
        [first, others @ ..] if Some(*first) == variant => others,
        _ => inner_keys,
    };
    let value = match inner_keys {
        [] => value.to_owned(),
        [first, others @ ..] => {
            let fields = nested_field(form, first, others, None, value);
            match (form, variant) {
                (Form::Ron, name) => format!("{}({fields})", name.unwrap_or_default()),
                (Form::Json, None) => format!("{{{fields}}}"),
                (Form::Json, Some(name)) => format!("{{\"{name}\": {{{fields}}}}}"),
            }
        }
    };
    match form {
        Form::Ron => format!("{key}: {value}"),
        Form::Json => format!("\"{key}\": {value}"),
    }
}

/// The message and the help for a path whose part after `resolved` cannot be added.
fn refuse_addition(resolved: &ResolvedPath<'_>, segments: &[Segment]) -> (String, String) {
    let (existing, missing) = segments.split_at(resolved.depth);
    let owner = match path::display(existing) {
        owner if owner.is_empty() => "the scene".to_owned(),
        owner => format!("`{owner}`"),
    };
    let first_missing = &missing[0];
    let children = &resolved.node.children;
    let help = match resolved.node.kind {
        NodeKind::Scalar => "only a value with fields can take one; replace it whole".to_owned(),
        NodeKind::Sequence => {
            let names: Vec<_> = children.iter().filter_map(|c| c.node.name.clone()).collect();
            let names = if names.is_empty() {
                String::new()
            } else {
                format!(", named {}", names.join(", "))
            };
            let path = path::display(existing);
            let count = children.len();
            format!("select one by number, `{path}[0]`, or by name; the scene has {count}{names}")
        }
        NodeKind::Map | NodeKind::Struct => {
            let keys = children.iter().filter_map(|child| Some(child.key.as_ref()?.0.as_str()));
            format!("there are: {}", keys.collect::<Vec<_>>().join(", "))
        }
    };
    let message = match resolved.node.kind {
        NodeKind::Scalar => format!("{owner} has no fields, so no `{first_missing}`"),
        _ => format!("{owner} has no `{first_missing}`"),
    };
    (message, help)
}
