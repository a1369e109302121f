//! Scenes in JSON: a deserialiser over the syntax tree of the text, which has the position of every value.
//!
//! The types determine the representation: structs and maps are objects, tuples are arrays, and a variant is its
//! name as a string or an object with that name as its only key.

mod access;
mod mistake;

use super::finding::{LocatedFinding, opening, quoted_list, shorten};
use super::tree::{Child, Node, NodeKind};
use crate::description::Scene;
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize as _, forward_to_deserialize_any};
use std::cell::Cell;
use std::ops::Range;

use access::{Entries, Items, SelectedVariant};
use mistake::{Mistake, MistakeKind};

/// The key of the schema for editors, ignored by the program.
pub(super) const SCHEMA_KEY: &str = "$schema";

/// The largest integer up to which floating-point numbers have all integers.
pub(super) const MAX_EXACT_INTEGER: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

/// Reads the scene of a tree, or returns the first error of name or type.
pub(super) fn read(text: &str, tree: &Node) -> Result<Scene, LocatedFinding> {
    let root = Value { text, node: tree, is_root: true };
    Scene::deserialize(root).map_err(|mistake| {
        let span = mistake.span.unwrap_or_else(|| opening(tree));
        let (message, help) = mistake.kind.message_and_remedy("", "");
        LocatedFinding { span, message, help }
    })
}

/// The content of a string literal, with its escapes resolved.
pub(super) fn string(literal: &str) -> String {
    serde_json::from_str(literal).unwrap_or_else(|_| literal.trim_matches('"').to_owned())
}

/// A value of the text, as a deserialiser.
#[derive(Clone, Copy)]
struct Value<'a> {
    text: &'a str,
    node: &'a Node,
    /// Whether this is the scene, which may have the key [`SCHEMA_KEY`].
    is_root: bool,
}

impl<'a> Value<'a> {
    /// The value of a descendant of this node.
    fn at(self, node: &'a Node) -> Self {
        Self { node, is_root: false, ..self }
    }

    /// The value as it is written in the text.
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

    /// The mistake that this value is none of the expected values.
    fn mismatch(&self, expected: &str, help: impl Into<String>) -> Mistake {
        let message = format!("expected {expected}, found `{}`", shorten(self.written()));
        Mistake::located(self.node.span.clone(), message, help)
    }

    /// Parses the number, whose first character may be a sign `-` but not `+` or a point.
    fn number<T: std::str::FromStr>(&self) -> Option<T> {
        let is_number = self.is_scalar()
            && self.written().starts_with(|c: char| c == '-' || c.is_ascii_digit());
        self.written().parse().ok().filter(|_| is_number)
    }

    /// Parses a non-negative integer, which may be written as `4.0` or `4e0`: JSON has one type of numbers.
    fn integer<T: std::str::FromStr>(&self) -> Result<T, Mistake> {
        let digits = || {
            let value: f64 = self.number()?;
            (value.fract() == 0.0 && value.abs() <= MAX_EXACT_INTEGER).then(|| value.to_string())
        };
        let integer = self.number().or_else(|| digits()?.parse().ok());
        integer.ok_or_else(|| self.mismatch("a non-negative integer", ""))
    }

    /// Parses a floating-point number. The mistake explains quotes, fractions and units.
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
            self.mismatch("a number", help)
        })
    }

    /// A function that [locates](Mistake::locate) a mistake at this value of a type `owner`.
    fn locating(&self, owner: &str) -> impl FnOnce(Mistake) -> Mistake {
        let (span, owner) = (marked_span(self.node), owner.to_owned());
        let shown = shorten(self.written());
        move |mistake| mistake.locate(span, &owner, &shown)
    }

    /// Visits the entries of an object. A mistake in a value without a position is located at the key of the value.
    fn visit_entries<V: Visitor<'a>>(self, owner: &str, visitor: V) -> Result<V::Value, Mistake> {
        let last_key = Cell::new(None);
        let entries = Entries {
            object: self,
            owner,
            skips_schema: self.is_root,
            remaining: self.node.children.iter(),
            value_node: None,
            last_key: &last_key,
        };
        visitor.visit_map(entries).map_err(|mistake| {
            let is_missing = matches!(mistake.kind, MistakeKind::MissingField(_));
            match last_key.take().filter(|_| !is_missing && mistake.span.is_none()) {
                Some(span) => mistake.locate(span, owner, ""),
                None => self.locating(owner)(mistake),
            }
        })
    }

    /// Visits the items of an array.
    fn visit_items<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let items = Items { array: self, remaining: self.node.children.iter() };
        visitor.visit_seq(items).map_err(self.locating(""))
    }

    /// Visits the fields of a struct or of a variant `owner`.
    fn visit_fields<V: Visitor<'a>>(
        self,
        owner: &str,
        fields: &[&str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        if self.is_object() {
            return self.visit_entries(owner, visitor);
        }
        Err(self.mismatch("fields in braces", format!("its fields are {}", quoted_list(fields))))
    }

    /// Visits an array of at most `length` items; the visitor refuses fewer.
    fn visit_tuple<V: Visitor<'a>>(self, length: usize, visitor: V) -> Result<V::Value, Mistake> {
        if !self.is_list() {
            let help = "several numbers stand in square brackets, such as [0, 0.3, 0]";
            return Err(self.mismatch("values in square brackets", help));
        }
        if let Some(surplus) = self.node.children.get(length) {
            let surplus = self.at(&surplus.node);
            let help = format!("remove `{}` and what follows it", shorten(surplus.written()));
            return Err(Mistake::located(surplus.node.span.clone(), "too many values", help));
        }
        self.visit_items(visitor)
    }
}

/// The range of a value that messages mark: its opening bracket if it is an object, or else the whole value.
fn marked_span(node: &Node) -> Range<usize> {
    match node.kind {
        NodeKind::Struct | NodeKind::Map => opening(node),
        _ => node.span.clone(),
    }
}

macro_rules! integer_methods {
    ($($method:ident $visit:ident),*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
            visitor.$visit(self.integer()?).map_err(self.locating(""))
        })*
    };
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Mistake;

    integer_methods!(
        deserialize_u8 visit_u8, deserialize_u16 visit_u16, deserialize_u32 visit_u32,
        deserialize_u64 visit_u64, deserialize_i8 visit_i8, deserialize_i16 visit_i16,
        deserialize_i32 visit_i32, deserialize_i64 visit_i64
    );

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let locate = self.locating("");
        match (self.node.kind, self.written()) {
            (NodeKind::Sequence, _) => self.visit_items(visitor),
            (NodeKind::Struct | NodeKind::Map, _) => self.visit_entries("", visitor),
            (_, "null") => visitor.visit_unit().map_err(locate),
            (_, "true" | "false") => self.deserialize_bool(visitor),
            _ if self.is_string() => self.deserialize_string(visitor),
            _ => match self.number() {
                Some(integer) => visitor.visit_u64(integer).map_err(locate),
                None => visitor.visit_f64(self.float()?).map_err(locate),
            },
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_f64(self.float()?).map_err(self.locating(""))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match self.written() {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(self.mismatch("`true` or `false`", "")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        if !self.is_string() {
            let help = match self.is_scalar() {
                true => format!("write \"{}\"", self.written()),
                false => String::new(),
            };
            return Err(self.mismatch("text in quotes", help));
        }
        visitor.visit_string(string(self.written())).map_err(self.locating(""))
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
            return self.visit_items(visitor);
        }
        let help = "write `[...]`, also around a single entry";
        Err(self.mismatch("a list in square brackets", help))
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.visit_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        if self.is_object() {
            return self.visit_entries("", visitor);
        }
        Err(self.mismatch("names and values in braces", "write `{\"name\": {...}}`"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.visit_fields(name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        owner: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let (name_span, content) = match &self.node.children[..] {
            _ if self.is_string() => (self.node.span.clone(), None),
            [Child { key: Some((_, key)), node }] if self.is_object() => (key.clone(), Some(node)),
            _ => {
                let help = format!("known: {}", quoted_list(variants));
                return Err(self.mismatch("one name, alone or with its value in braces", help));
            }
        };
        visitor
            .visit_enum(SelectedVariant { selector: self, owner, name_span, content })
            .map_err(self.locating(owner))
    }

    forward_to_deserialize_any! {
        i128 u128 f32 char bytes byte_buf unit unit_struct tuple_struct identifier ignored_any
    }
}
