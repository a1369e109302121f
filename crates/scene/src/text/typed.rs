//! The types that the reader expects at the paths of a text, which determine how values are written.

use super::SceneText;
use super::path::{self, Segment};
use crate::schema::{Content, Type, Types, is_required};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The type that the reader expects at a path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Expected<'t> {
    /// A value of a type.
    Value(&'t Type),
    /// Fields of a struct or of a variant, `Shape::Box`.
    Fields(&'t str),
}

/// The types of scenes, traced on first use. No field is marked as required.
pub(super) fn types() -> &'static Types {
    static TYPES: OnceLock<Types> = OnceLock::new();
    TYPES.get_or_init(Types::without_required)
}

/// The fields that a struct or a variant, `Shape::Box`, requires among those that are `absent`, in alphabetical
/// order. The types are traced once for each absent field.
pub(super) fn missing_fields(owner: &str, absent: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let fields = types().fields.get(owner).into_iter().flat_map(BTreeMap::keys).copied();
    fields.filter(|field| absent(field) && is_required(owner, field)).collect()
}

impl<'t> Expected<'t> {
    /// The struct, or `Enum::Variant`, whose fields a value has; `variant` is the name of its variant, if it has one.
    pub(super) fn owner(self, variant: Option<&str>) -> Option<&'t str> {
        match self.present() {
            Self::Fields(owner) => Some(owner),
            Self::Value(Type::Named(name)) => match Self::content(name, variant?)? {
                Expected::Fields(owner) => Some(owner),
                Expected::Value(_) => None,
            },
            Self::Value(_) => None,
        }
    }

    /// The type of a scene.
    pub(super) fn root() -> Self {
        Self::Fields("Scene")
    }

    /// The type without the options around it; the fields of a struct instead of its name.
    pub(super) fn present(self) -> Self {
        match self {
            Self::Value(Type::Optional(kind)) => Self::Value(kind).present(),
            Self::Value(Type::Named(name)) if !types().variants.contains_key(name) => {
                Self::Fields(name)
            }
            other => other,
        }
    }

    /// The type of a field of a struct or of a variant.
    pub(super) fn field(owner: &str, name: &str) -> Option<Expected<'static>> {
        Some(Expected::Value(&types().fields.get(owner)?.get(name)?.value_type))
    }

    /// The content of a variant of an enum; `None` for one without content.
    pub(super) fn content(owner: &str, name: &str) -> Option<Expected<'static>> {
        match types().variants.get(owner)?.get(name)? {
            Content::Unit => None,
            Content::Value(kind) => Some(Expected::Value(kind)),
            Content::Fields => {
                let (owner, _) = types().fields.get_key_value(&format!("{owner}::{name}"))?;
                Some(Expected::Fields(owner))
            }
        }
    }

    /// The type of the value to which a segment of a path leads from a value of this type, whose variant is `tag`.
    fn step(self, tag: Option<&str>, segment: &Segment) -> Option<Self> {
        match (self.present(), segment) {
            (Self::Fields(owner), Segment::Key(name)) => Self::field(owner, name),
            (Self::Value(Type::List(kind)), _) => Some(Self::Value(kind)),
            (Self::Value(Type::Tuple(kinds)), Segment::Index(index)) => {
                kinds.get(*index).map(Self::Value)
            }
            (Self::Value(Type::Map(kind)), Segment::Key(_)) => Some(Self::Value(kind)),
            (Self::Value(Type::Named(owner)), Segment::Key(name)) => {
                let content =
                    Self::content(owner, name).filter(|_| tag.is_none_or(|tag| tag == name));
                content.or_else(|| Self::content(owner, tag?)?.step(None, segment))
            }
            // The only value of a variant counts as its first item.
            (Self::Value(Type::Named(owner)), Segment::Index(0)) => Self::content(owner, tag?),
            _ => None,
        }
    }
}

impl SceneText {
    /// The type that the reader expects at a path; `None` where the types have no such field.
    pub(super) fn expected(&self, segments: &[Segment]) -> Option<Expected<'static>> {
        let mut expected = Expected::root();
        for (depth, segment) in segments.iter().enumerate() {
            let parent = self.tree().map(|tree| path::resolve(tree, &segments[..depth]));
            let parent = parent.filter(|parent| parent.depth == depth);
            expected =
                expected.step(parent.and_then(|found| found.node.tag.as_deref()), segment)?;
        }
        Some(expected)
    }
}
