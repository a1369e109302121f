//! Scenes in JSON: a deserialiser over the syntax tree of the text, which has the place of every value.
//!
//! The types determine the representation: structs and maps are objects, tuples are arrays, and an alternative is its
//! name as a string or an object with that name as its only key.

mod access;
mod mistake;

use super::finding::{LocatedFinding, list, opening, shorten};
use super::tree::{Child, Node, NodeKind};
use crate::description::Scene;
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize as _, forward_to_deserialize_any};
use std::cell::Cell;
use std::ops::Range;

use access::{Alternative, Entries, Items};
use mistake::{Mistake, MistakeKind};

/// The key of the schema for editors, ignored by the program.
pub(super) const SCHEMA_KEY: &str = "$schema";

/// Reads the scene of a tree, or returns the first error of name or type.
pub(super) fn read(text: &str, tree: &Node) -> Result<Scene, LocatedFinding> {
    let root = Value { text, node: tree, is_root: true };
    Scene::deserialize(root).map_err(|mistake| {
        let span = mistake.span.unwrap_or_else(|| opening(tree));
        let (message, help) = mistake.kind.message_and_remedy("", "");
        LocatedFinding { span, message, help }
    })
}

/// The text of a string, its escapes resolved.
pub(super) fn string(literal: &str) -> String {
    serde_json::from_str(literal).unwrap_or_else(|_| literal.trim_matches('"').to_owned())
}

/// A value of the text.
#[derive(Clone, Copy)]
struct Value<'a> {
    text: &'a str,
    node: &'a Node,
    is_root: bool,
}

impl<'a> Value<'a> {
    fn within(self, node: &'a Node) -> Self {
        Self { node, is_root: false, ..self }
    }

    fn written(&self) -> &'a str {
        &self.text[self.node.span.clone()]
    }

    fn is_scalar(&self) -> bool {
        self.node.kind == NodeKind::Scalar
    }

    fn is_string(&self) -> bool {
        self.is_scalar() && self.written().starts_with('"')
    }

    fn is_list(&self) -> bool {
        self.node.kind == NodeKind::Sequence
    }

    fn is_object(&self) -> bool {
        matches!(self.node.kind, NodeKind::Struct | NodeKind::Map)
    }

    /// The error for a value of another kind.
    fn other(&self, expected: &str, help: impl Into<String>) -> Mistake {
        let message = format!("expected {expected}, found `{}`", shorten(self.written()));
        Mistake::at(self.node.span.clone(), message, help)
    }

    fn number<T: std::str::FromStr>(&self) -> Option<T> {
        let number = self.is_scalar()
            && self.written().starts_with(|c: char| c == '-' || c.is_ascii_digit());
        self.written().parse().ok().filter(|_| number)
    }

    fn whole<T: std::str::FromStr>(&self) -> Result<T, Mistake> {
        self.number().ok_or_else(|| self.other("a non-negative integer", ""))
    }

    fn float(&self) -> Result<f64, Mistake> {
        self.number().ok_or_else(|| {
            let quoted = if self.is_string() { string(self.written()) } else { String::new() };
            let help = match quoted {
                quoted if quoted.parse::<f64>().is_ok() => format!("write {quoted}, without quotes"),
                quoted if quoted.contains('/') => "only time steps may be fractions".to_owned(),
                quoted if quoted.starts_with(|c: char| c.is_ascii_digit()) => {
                    "numbers stand without units; docs/scene-reference.md gives the unit of each field".to_owned()
                }
                _ => String::new(),
            };
            self.other("a number", help)
        })
    }

    fn named(&self, owner: &str) -> impl FnOnce(Mistake) -> Mistake {
        let (span, owner) = (opening_of(self.node), owner.to_owned());
        let shown = shorten(self.written());
        move |mistake| mistake.within(span, &owner, &shown)
    }

    fn entries<V: Visitor<'a>>(self, owner: &str, visitor: V) -> Result<V::Value, Mistake> {
        let last = Cell::new(None);
        let (skipped, left) = (self.is_root, self.node.children.iter());
        let entries = Entries { of: self, owner, skipped, left, value: None, last: &last };
        visitor.visit_map(entries).map_err(|mistake| {
            let missing = matches!(mistake.kind, MistakeKind::Missing(_));
            match last.take().filter(|_| !missing && mistake.span.is_none()) {
                Some(span) => mistake.within(span, owner, ""),
                None => self.named(owner)(mistake),
            }
        })
    }

    fn items<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let items = Items { of: self, left: self.node.children.iter() };
        visitor.visit_seq(items).map_err(self.named(""))
    }

    /// The fields of a struct or of an alternative.
    fn fields<V: Visitor<'a>>(
        self,
        owner: &str,
        fields: &[&str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        if self.is_object() {
            return self.entries(owner, visitor);
        }
        Err(self.other("fields in braces", format!("its fields are {}", list(fields))))
    }

    fn tuple<V: Visitor<'a>>(self, length: usize, visitor: V) -> Result<V::Value, Mistake> {
        if !self.is_list() {
            let help = "several numbers stand in square brackets, such as [0, 0.3, 0]";
            return Err(self.other("values in square brackets", help));
        }
        if let Some(surplus) = self.node.children.get(length) {
            let surplus = self.within(&surplus.node);
            let help = format!("remove `{}` and what follows it", shorten(surplus.written()));
            return Err(Mistake::at(surplus.node.span.clone(), "too many values", help));
        }
        self.items(visitor)
    }
}

/// The range of a short value, or the part before its first field.
fn opening_of(node: &Node) -> Range<usize> {
    match node.kind {
        NodeKind::Struct | NodeKind::Map => opening(node),
        _ => node.span.clone(),
    }
}

macro_rules! whole_numbers {
    ($($method:ident $visit:ident),*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
            visitor.$visit(self.whole()?).map_err(self.named(""))
        })*
    };
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Mistake;

    whole_numbers!(
        deserialize_u8 visit_u8, deserialize_u16 visit_u16, deserialize_u32 visit_u32,
        deserialize_u64 visit_u64, deserialize_i8 visit_i8, deserialize_i16 visit_i16,
        deserialize_i32 visit_i32, deserialize_i64 visit_i64
    );

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let named = self.named("");
        match (self.node.kind, self.written()) {
            (NodeKind::Sequence, _) => self.items(visitor),
            (NodeKind::Struct | NodeKind::Map, _) => self.entries("", visitor),
            (_, "null") => visitor.visit_unit().map_err(named),
            (_, "true" | "false") => self.deserialize_bool(visitor),
            _ if self.is_string() => self.deserialize_string(visitor),
            _ => match self.number() {
                Some(integer) => visitor.visit_u64(integer).map_err(named),
                None => visitor.visit_f64(self.float()?).map_err(named),
            },
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_f64(self.float()?).map_err(self.named(""))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match self.written() {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(self.other("`true` or `false`", "")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        if !self.is_string() {
            let help = match self.is_scalar() {
                true => format!("write \"{}\"", self.written()),
                false => String::new(),
            };
            return Err(self.other("text in quotes", help));
        }
        visitor.visit_string(string(self.written())).map_err(self.named(""))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.deserialize_string(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match self.written() {
            "null" => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        if self.is_list() {
            return self.items(visitor);
        }
        let help = "write `[...]`, also around a single entry";
        Err(self.other("a list in square brackets", help))
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        if self.is_object() {
            return self.entries("", visitor);
        }
        Err(self.other("names and values in braces", "write `{\"name\": {...}}`"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.fields(name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        owner: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let (name, content) = match &self.node.children[..] {
            _ if self.is_string() => (self.node.span.clone(), None),
            [Child { key: Some((_, key)), node }] if self.is_object() => (key.clone(), Some(node)),
            _ => {
                let help = format!("known: {}", list(variants));
                return Err(self.other("one name, alone or with its value in braces", help));
            }
        };
        visitor
            .visit_enum(Alternative { of: self, owner, name, content })
            .map_err(self.named(owner))
    }

    forward_to_deserialize_any! {
        i128 u128 f32 char bytes byte_buf unit unit_struct tuple_struct identifier ignored_any
    }
}
