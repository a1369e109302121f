//! The types of a scene, traced from their deserialisers.
//!
//! A tracing deserialiser records the requests of serde's derived code: names of fields and alternatives, kinds of
//! values. It is repeated until every alternative of every enum has been visited.

use crate::description::Scene;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Type {
    /// Unknown.
    #[default]
    Nothing,
    /// A number.
    Number,
    /// A non-negative integer.
    Whole,
    /// `true` or `false`.
    Truth,
    /// Text.
    Text,
    /// A value that may be absent.
    Optional(Box<Self>),
    /// Any number of values.
    List(Box<Self>),
    /// A fixed number of values.
    Tuple(Vec<Self>),
    /// A map from names to values.
    Names(Box<Self>),
    /// A struct or an enum.
    Named(&'static str),
    /// A value of several kinds, in words.
    Either(String),
}

/// A field of a struct or of an alternative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedField {
    /// Its type.
    pub holds: Type,
    /// Whether it is required.
    pub is_required: bool,
}

/// The content of an alternative of an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Nothing,
    /// One value.
    Value(Type),
    /// The fields of `Enum::Alternative`.
    Fields,
}

/// The types of a scene.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Types {
    /// Fields by the names of structs, or of alternatives, `Shape::Box`.
    pub fields: BTreeMap<String, BTreeMap<&'static str, TracedField>>,
    /// Alternatives by the names of enums.
    pub alternatives: BTreeMap<&'static str, BTreeMap<&'static str, Content>>,
}

impl Types {
    /// The types of a scene, by tracing.
    pub fn of_scenes() -> Self {
        let (mut types, _) = walk(None).unwrap_or_default();
        let all = types.fields.iter();
        let all =
            all.flat_map(|(owner, fields)| fields.keys().map(|field| (owner.clone(), *field)));
        for (owner, field) in all.collect::<Vec<_>>() {
            let is_required = is_required(&owner, field);
            let fields = types.fields.entry(owner).or_default();
            fields.entry(field).and_modify(|field| field.is_required = is_required);
        }
        types
    }

    /// The schema with no field required, computed in a fraction of the time.
    pub(crate) fn without_required() -> Self {
        walk(None).map(|(types, _)| types).unwrap_or_default()
    }

    /// Scenes that together have every alternative and every field, with distinct numbers. They are not valid: names refer
    /// to nothing, and numbers may be out of range.
    pub fn samples() -> Vec<Scene> {
        walk(None).map(|(_, scenes)| scenes).unwrap_or_default()
    }
}

/// Whether a field of a struct or of an alternative is required.
pub(crate) fn is_required(owner: &str, field: &'static str) -> bool {
    walk(Some((owner.to_owned(), field))).is_err()
}

/// Visits every alternative of every enum; fails if an omitted field is required.
fn walk(omitted: Option<(String, &'static str)>) -> Result<(Types, Vec<Scene>), Error> {
    let trace = RefCell::new(Trace { omitted, ..Trace::default() });
    let mut scenes = Vec::new();
    loop {
        let kind = RefCell::default();
        scenes.push(Scene::deserialize(Tracer { trace: &trace, kind: &kind })?);
        let trace = trace.borrow();
        let is_whole = trace.turns.values().all(|(variants, visited)| visited >= variants);
        if trace.was_omitted || is_whole {
            return Ok((trace.types.clone(), scenes));
        }
    }
}

#[derive(Default)]
struct Trace {
    types: Types,
    /// Number of alternatives of each enum, and of visited ones.
    turns: BTreeMap<&'static str, (usize, usize)>,
    omitted: Option<(String, &'static str)>,
    was_omitted: bool,
    numbers: u32,
}

/// Records the type of one value.
#[derive(Clone, Copy)]
struct Tracer<'t> {
    trace: &'t RefCell<Trace>,
    kind: &'t RefCell<Type>,
}

impl Tracer<'_> {
    /// A new number for each call.
    fn number(&self) -> f64 {
        let mut trace = self.trace.borrow_mut();
        trace.numbers += 1;
        f64::from(trace.numbers) / 8.0
    }

    fn note(&self, kind: Type) {
        *self.kind.borrow_mut() = kind;
    }

    /// The fields to be read of a struct.
    fn fields<'t>(&'t self, owner: &'t str, fields: &'static [&'static str]) -> Fields<'t> {
        let mut trace = self.trace.borrow_mut();
        trace.types.fields.entry(owner.to_owned()).or_default();
        let omitted = trace.omitted.as_ref().filter(|(name, _)| name == owner);
        let omitted = omitted.map(|(_, field)| *field);
        trace.was_omitted |= omitted.is_some();
        let remaining = fields.iter().copied().filter(|field| Some(*field) != omitted);
        Fields { tracer: self, owner, left: remaining.collect(), next: None }
    }
}

/// One value of a kind.
macro_rules! values {
    ($($method:ident: $kind:ident => $visit:ident($value:expr)),* $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.note(Type::$kind);
            visitor.$visit($value)
        })*
    };
}

impl<'de> Deserializer<'de> for Tracer<'_> {
    type Error = Error;

    values! {
        deserialize_bool: Truth => visit_bool(true),
        deserialize_u8: Whole => visit_u8(1),
        deserialize_u32: Whole => visit_u32(1),
        deserialize_u64: Whole => visit_u64(1),
        deserialize_str: Text => visit_str("text"),
        deserialize_string: Text => visit_str("text"),
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(Type::Number);
        visitor.visit_f64(self.number())
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.note(Type::Either((&visitor as &dyn Expected).to_string()));
        visitor.visit_f64(self.number())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let value = visitor.visit_some(self)?;
        let kind = self.kind.take();
        self.note(Type::Optional(Box::new(kind)));
        Ok(value)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut items = ItemTracer { tracer: self, left: 1, kinds: Vec::new() };
        let value = visitor.visit_seq(&mut items)?;
        self.note(Type::List(Box::new(items.kinds.pop().unwrap_or_default())));
        Ok(value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, n: usize, visitor: V) -> Result<V::Value, Error> {
        let mut items = ItemTracer { tracer: self, left: n, kinds: Vec::new() };
        let value = visitor.visit_seq(&mut items)?;
        self.note(Type::Tuple(items.kinds));
        Ok(value)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut entry = Entry { tracer: self, left: true, kind: Type::Nothing };
        let value = visitor.visit_map(&mut entry)?;
        self.note(Type::Names(Box::new(entry.kind)));
        Ok(value)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let value = visitor.visit_map(self.fields(name, fields))?;
        self.note(Type::Named(name));
        Ok(value)
    }

    /// Reads the next variant of the enum in turn, so that repeated traversals read all of them.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        owner: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let variant = {
            let mut trace = self.trace.borrow_mut();
            let (_, visited) = trace.turns.entry(owner).or_insert((variants.len(), 0));
            *visited += 1;
            variants[(*visited - 1) % variants.len()]
        };
        let value = visitor.visit_enum(VariantTracer { tracer: self, owner, variant })?;
        self.note(Type::Named(owner));
        Ok(value)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u16 f32 char bytes byte_buf unit unit_struct
        newtype_struct tuple_struct identifier ignored_any
    }
}

struct ItemTracer<'t> {
    tracer: Tracer<'t>,
    left: usize,
    kinds: Vec<Type>,
}

impl<'de> SeqAccess<'de> for &mut ItemTracer<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let kind = RefCell::default();
        let item = seed.deserialize(Tracer { trace: self.tracer.trace, kind: &kind })?;
        self.kinds.push(kind.into_inner());
        Ok(Some(item))
    }
}

struct Entry<'t> {
    tracer: Tracer<'t>,
    left: bool,
    kind: Type,
}

impl<'de> MapAccess<'de> for &mut Entry<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let key = std::mem::take(&mut self.left).then(|| StrDeserializer::<Error>::new("name"));
        key.map(|key| seed.deserialize(key)).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let kind = RefCell::default();
        let value = seed.deserialize(Tracer { trace: self.tracer.trace, kind: &kind })?;
        self.kind = kind.into_inner();
        Ok(value)
    }
}

struct Fields<'t> {
    tracer: &'t Tracer<'t>,
    owner: &'t str,
    left: std::collections::VecDeque<&'static str>,
    next: Option<&'static str>,
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        self.next = self.left.pop_front();
        self.next.map(|name| seed.deserialize(StrDeserializer::<Error>::new(name))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let name =
            self.next.ok_or_else(|| <Error as de::Error>::custom("a value without a name"))?;
        let kind = RefCell::default();
        let value = seed.deserialize(Tracer { trace: self.tracer.trace, kind: &kind })?;
        let field = TracedField { holds: kind.into_inner(), is_required: false };
        let mut trace = self.tracer.trace.borrow_mut();
        trace.types.fields.entry(self.owner.to_owned()).or_default().insert(name, field);
        Ok(value)
    }
}

struct VariantTracer<'t> {
    tracer: Tracer<'t>,
    owner: &'static str,
    variant: &'static str,
}

impl VariantTracer<'_> {
    fn note(&self, content: Content) {
        let mut trace = self.tracer.trace.borrow_mut();
        let alternatives = trace.types.alternatives.entry(self.owner).or_default();
        alternatives.insert(self.variant, content);
    }
}

impl<'de> EnumAccess<'de> for VariantTracer<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let value = seed.deserialize(StrDeserializer::<Error>::new(self.variant))?;
        Ok((value, self))
    }
}

impl<'de> VariantAccess<'de> for VariantTracer<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        self.note(Content::Nothing);
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        let value = seed.deserialize(self.tracer)?;
        self.note(Content::Value(self.tracer.kind.take()));
        Ok(value)
    }

    fn tuple_variant<V: Visitor<'de>>(self, n: usize, visitor: V) -> Result<V::Value, Error> {
        let value = self.tracer.deserialize_tuple(n, visitor)?;
        self.note(Content::Value(self.tracer.kind.take()));
        Ok(value)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let owner = format!("{}::{}", self.owner, self.variant);
        let value = visitor.visit_map(self.tracer.fields(&owner, fields))?;
        self.note(Content::Fields);
        Ok(value)
    }
}
