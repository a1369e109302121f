//! Types of fields in a text: where a value stands decides how it is written.

use super::SceneText;
use super::path::{self, Segment};
use crate::schema::{Content, Type, Types, is_required};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The type that the reader expects at a path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Expected<'t> {
    /// A value.
    Value(&'t Type),
    /// Fields of a struct or of an alternative, `Shape::Box`.
    Fields(&'t str),
}

/// The types of scenes, traced once.
pub(super) fn types() -> &'static Types {
    static TYPES: OnceLock<Types> = OnceLock::new();
    TYPES.get_or_init(Types::without_required)
}

/// The fields that a struct or an alternative, `Shape::Box`, requires among those that are `absent`, in alphabetical
/// order. The types are traced once for each absent field.
pub(super) fn missing_fields(owner: &str, absent: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let fields = types().fields.get(owner).into_iter().flat_map(BTreeMap::keys).copied();
    fields.filter(|field| absent(field) && is_required(owner, field)).collect()
}

impl<'t> Expected<'t> {
    /// The struct or the alternative whose fields are expected in a value with this name of an alternative.
    pub(super) fn owner(self, alternative: Option<&str>) -> Option<&'t str> {
        match self.present() {
            Self::Fields(owner) => Some(owner),
            Self::Value(Type::Named(name)) => match Self::content(name, alternative?)? {
                Expected::Fields(owner) => Some(owner),
                Expected::Value(_) => None,
            },
            Self::Value(_) => None,
        }
    }

    /// The scene.
    pub(super) fn root() -> Self {
        Self::Fields("Scene")
    }

    /// The type that is expected of a value that is present.
    pub(super) fn present(self) -> Self {
        match self {
            Self::Value(Type::Optional(kind)) => Self::Value(kind).present(),
            Self::Value(Type::Named(name)) if !types().alternatives.contains_key(name) => {
                Self::Fields(name)
            }
            other => other,
        }
    }

    /// A field of a struct or of an alternative.
    pub(super) fn field(owner: &str, name: &str) -> Option<Expected<'static>> {
        Some(Expected::Value(&types().fields.get(owner)?.get(name)?.holds))
    }

    /// The content of an alternative of an enum; `None` for one without content.
    pub(super) fn content(owner: &str, name: &str) -> Option<Expected<'static>> {
        match types().alternatives.get(owner)?.get(name)? {
            Content::Nothing => None,
            Content::Value(kind) => Some(Expected::Value(kind)),
            Content::Fields => {
                let (owner, _) = types().fields.get_key_value(&format!("{owner}::{name}"))?;
                Some(Expected::Fields(owner))
            }
        }
    }

    /// The type that is expected one segment further, in a value whose alternative is `tag`.
    fn step(self, tag: Option<&str>, segment: &Segment) -> Option<Self> {
        match (self.present(), segment) {
            (Self::Fields(owner), Segment::Key(name)) => Self::field(owner, name),
            (Self::Value(Type::List(kind)), _) => Some(Self::Value(kind)),
            (Self::Value(Type::Tuple(kinds)), Segment::Index(index)) => {
                kinds.get(*index).map(Self::Value)
            }
            (Self::Value(Type::Names(kind)), Segment::Key(_)) => Some(Self::Value(kind)),
            (Self::Value(Type::Named(owner)), Segment::Key(name)) => {
                let named =
                    Self::content(owner, name).filter(|_| tag.is_none_or(|tag| tag == name));
                named.or_else(|| Self::content(owner, tag?)?.step(None, segment))
            }
            // The only value of an alternative counts as its first item.
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
            let around = self.tree().map(|tree| path::find(tree, &segments[..depth]));
            let around = around.filter(|around| around.depth == depth);
            expected =
                expected.step(around.and_then(|found| found.node.tag.as_deref()), segment)?;
        }
        Some(expected)
    }
}
