//! The types of a scene, traced from their deserialisers.
//!
//! A tracing deserialiser records the requests of serde's derived code: names of fields and variants, kinds of
//! values. It is repeated until every variant of every enum has been visited.

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
    /// A type that has not been traced.
    #[default]
    Unknown,
    /// A number.
    Number,
    /// A non-negative integer.
    Integer,
    /// `true` or `false`.
    Bool,
    /// Text.
    Text,
    /// A value that may be absent.
    Optional(Box<Self>),
    /// Any number of values.
    List(Box<Self>),
    /// A fixed number of values.
    Tuple(Vec<Self>),
    /// A map from names to values.
    Map(Box<Self>),
    /// A struct or an enum.
    Named(&'static str),
    /// A value of several types, with the words in which its visitor describes them.
    Either(String),
}

/// A field of a struct or of a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedField {
    /// The type of its value.
    pub value_type: Type,
    /// Whether it is required.
    pub is_required: bool,
}

/// The content of a variant of an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// No content.
    Unit,
    /// One value.
    Value(Type),
    /// The fields of `Enum::Variant`.
    Fields,
}

/// The types of a scene.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Types {
    /// Fields by the names of structs, or of variants, `Shape::Box`.
    pub fields: BTreeMap<String, BTreeMap<&'static str, TracedField>>,
    /// Variants by the names of enums.
    pub variants: BTreeMap<&'static str, BTreeMap<&'static str, Content>>,
}

impl Types {
    /// The types of a scene, by tracing.
    pub fn of_scenes() -> Self {
        let mut types = Self::without_required();
        for (owner, fields) in &mut types.fields {
            for (&name, field) in fields {
                field.is_required = is_required(owner, name);
            }
        }
        types
    }

    /// The types with no field marked as required. One tracing suffices; [`of_scenes`](Self::of_scenes) needs one more
    /// for each field.
    pub(crate) fn without_required() -> Self {
        trace(None).map(|(types, _)| types).unwrap_or_default()
    }

    /// Scenes that together have every variant and every field, with distinct numbers. They are not valid: names refer
    /// to nothing, and numbers may be out of range.
    pub fn samples() -> Vec<Scene> {
        trace(None).map(|(_, scenes)| scenes).unwrap_or_default()
    }
}

/// Whether a field of a struct or of a variant is required.
pub(crate) fn is_required(owner: &str, field: &'static str) -> bool {
    trace(Some((owner.to_owned(), field))).is_err()
}

/// Deserialises traced scenes until every variant of every enum has been visited, or until a scene lacks the field
/// `omitted` (struct or variant, field). Fails if that field is required.
fn trace(omitted: Option<(String, &'static str)>) -> Result<(Types, Vec<Scene>), Error> {
    let shared = RefCell::new(Trace { omitted, ..Trace::default() });
    let mut scenes = Vec::new();
    loop {
        let kind = RefCell::default();
        scenes.push(Scene::deserialize(Tracer { trace: &shared, kind: &kind })?);
        let state = shared.borrow();
        let is_complete = state.visits.values().all(|(variants, visited)| visited >= variants);
        if state.was_omitted || is_complete {
            return Ok((state.types.clone(), scenes));
        }
    }
}

/// The state that all tracers of a tracing share.
#[derive(Default)]
struct Trace {
    types: Types,
    /// The number of variants of each enum, and how often the enum has been visited.
    visits: BTreeMap<&'static str, (usize, usize)>,
    /// The struct or variant, and its field, to be left out.
    omitted: Option<(String, &'static str)>,
    was_omitted: bool,
    /// How many numbers the scenes contain so far.
    number_count: u32,
}

/// Records the type of one value.
#[derive(Clone, Copy)]
struct Tracer<'t> {
    trace: &'t RefCell<Trace>,
    kind: &'t RefCell<Type>,
}

impl Tracer<'_> {
    /// Deserialises a value inside this one, and returns it with its type.
    fn trace_inner<'de, T: DeserializeSeed<'de>>(
        &self,
        seed: T,
    ) -> Result<(T::Value, Type), Error> {
        let kind = RefCell::default();
        let value = seed.deserialize(Tracer { trace: self.trace, kind: &kind })?;
        Ok((value, kind.into_inner()))
    }

    /// Returns another multiple of 1/8 at each call, so that all numbers of the samples differ.
    fn next_number(&self) -> f64 {
        let mut trace = self.trace.borrow_mut();
        trace.number_count += 1;
        f64::from(trace.number_count) / 8.0
    }

    /// Reports the type of the value to the caller.
    fn record(&self, kind: Type) {
        *self.kind.borrow_mut() = kind;
    }

    /// Access to the fields of a struct or of a variant, without the omitted one.
    fn fields<'t>(&'t self, owner: &'t str, fields: &'static [&'static str]) -> FieldTracer<'t> {
        let mut trace = self.trace.borrow_mut();
        trace.types.fields.entry(owner.to_owned()).or_default();
        let omitted = trace.omitted.as_ref().filter(|(name, _)| name == owner);
        let omitted = omitted.map(|(_, field)| *field);
        trace.was_omitted |= omitted.is_some();
        let remaining = fields.iter().copied().filter(|field| Some(*field) != omitted).collect();
        FieldTracer { tracer: self, owner, remaining, next: None }
    }
}

/// Methods that record the type of a scalar and return a fixed value.
macro_rules! scalar_methods {
    ($($method:ident: $kind:ident => $visit:ident($value:expr)),* $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.record(Type::$kind);
            visitor.$visit($value)
        })*
    };
}

impl<'de> Deserializer<'de> for Tracer<'_> {
    type Error = Error;

    scalar_methods! {
        deserialize_bool: Bool => visit_bool(true),
        deserialize_u8: Integer => visit_u8(1),
        deserialize_u32: Integer => visit_u32(1),
        deserialize_u64: Integer => visit_u64(1),
        deserialize_str: Text => visit_str("text"),
        deserialize_string: Text => visit_str("text"),
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.record(Type::Number);
        visitor.visit_f64(self.next_number())
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.record(Type::Either((&visitor as &dyn Expected).to_string()));
        visitor.visit_f64(self.next_number())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let value = visitor.visit_some(self)?;
        let kind = self.kind.take();
        self.record(Type::Optional(Box::new(kind)));
        Ok(value)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut items = ItemTracer { tracer: self, remaining: 1, kinds: Vec::new() };
        let value = visitor.visit_seq(&mut items)?;
        self.record(Type::List(Box::new(items.kinds.pop().unwrap_or_default())));
        Ok(value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut items = ItemTracer { tracer: self, remaining: length, kinds: Vec::new() };
        let value = visitor.visit_seq(&mut items)?;
        self.record(Type::Tuple(items.kinds));
        Ok(value)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut entry = EntryTracer { tracer: self, is_pending: true, kind: Type::Unknown };
        let value = visitor.visit_map(&mut entry)?;
        self.record(Type::Map(Box::new(entry.kind)));
        Ok(value)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let value = visitor.visit_map(self.fields(name, fields))?;
        self.record(Type::Named(name));
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
            let (_, visited) = trace.visits.entry(owner).or_insert((variants.len(), 0));
            *visited += 1;
            variants[(*visited - 1) % variants.len()]
        };
        let value = visitor.visit_enum(VariantTracer { tracer: self, owner, variant })?;
        self.record(Type::Named(owner));
        Ok(value)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u16 f32 char bytes byte_buf unit unit_struct
        newtype_struct tuple_struct identifier ignored_any
    }
}

/// Access to the items of a list or a tuple, whose types it collects.
struct ItemTracer<'t> {
    tracer: Tracer<'t>,
    remaining: usize,
    kinds: Vec<Type>,
}

impl<'de> SeqAccess<'de> for &mut ItemTracer<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if self.remaining == 0 {
            return Ok(None);
        }
        self.remaining -= 1;
        let (item, kind) = self.tracer.trace_inner(seed)?;
        self.kinds.push(kind);
        Ok(Some(item))
    }
}

/// Access to a map with one entry, whose type it keeps.
struct EntryTracer<'t> {
    tracer: Tracer<'t>,
    /// Whether the entry has not been read yet.
    is_pending: bool,
    kind: Type,
}

impl<'de> MapAccess<'de> for &mut EntryTracer<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let key =
            std::mem::take(&mut self.is_pending).then(|| StrDeserializer::<Error>::new("name"));
        key.map(|key| seed.deserialize(key)).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (value, kind) = self.tracer.trace_inner(seed)?;
        self.kind = kind;
        Ok(value)
    }
}

/// Access to the fields of a struct or of a variant `owner`, whose types it records.
struct FieldTracer<'t> {
    tracer: &'t Tracer<'t>,
    owner: &'t str,
    remaining: std::collections::VecDeque<&'static str>,
    /// The field whose name has been read, but not its value.
    next: Option<&'static str>,
}

impl<'de> MapAccess<'de> for FieldTracer<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        self.next = self.remaining.pop_front();
        self.next.map(|name| seed.deserialize(StrDeserializer::<Error>::new(name))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let name =
            self.next.ok_or_else(|| <Error as de::Error>::custom("a value without a name"))?;
        let (value, value_type) = self.tracer.trace_inner(seed)?;
        let field = TracedField { value_type, is_required: false };
        let mut trace = self.tracer.trace.borrow_mut();
        trace.types.fields.entry(self.owner.to_owned()).or_default().insert(name, field);
        Ok(value)
    }
}

/// Access to a variant of the enum `owner`, whose content it records.
struct VariantTracer<'t> {
    tracer: Tracer<'t>,
    owner: &'static str,
    variant: &'static str,
}

impl VariantTracer<'_> {
    fn record(&self, content: Content) {
        let mut trace = self.tracer.trace.borrow_mut();
        let variants = trace.types.variants.entry(self.owner).or_default();
        variants.insert(self.variant, content);
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
        self.record(Content::Unit);
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        let value = seed.deserialize(self.tracer)?;
        self.record(Content::Value(self.tracer.kind.take()));
        Ok(value)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        let value = self.tracer.deserialize_tuple(length, visitor)?;
        self.record(Content::Value(self.tracer.kind.take()));
        Ok(value)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let owner = format!("{}::{}", self.owner, self.variant);
        let value = visitor.visit_map(self.tracer.fields(&owner, fields))?;
        self.record(Content::Fields);
        Ok(value)
    }
}
