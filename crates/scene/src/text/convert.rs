//! Conversion between the units of a text and SI units, as a layer between serde's reader and the types.
//!
//! The layer tracks the field being read, by the names of serde's derived code, and shifts the decimal point of its
//! numbers according to the [`Quantity`] of the field. Defaults bypass it, so they are in SI units in every system of
//! units.

use crate::description::{Kind, Measure, Quantity, Scene, SpringLaw, Term, Units, quantity_within};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use std::fmt;

/// Direction of the conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conversion {
    /// Numbers are written in these units and read in SI.
    FromText(Units),
    /// Numbers are in SI and are to be written in these units.
    ToText(Units),
}

impl Conversion {
    fn convert(self, value: f64, measure: Measure, place: usize) -> f64 {
        match (self, measure.at(place)) {
            (_, None) => value,
            (Self::FromText(units), Some(dimension)) => units.to_si(value, dimension),
            (Self::ToText(units), Some(dimension)) => units.of_si(value, dimension),
        }
    }

    /// Converts stiffnesses of springs, whose unit depends on their law.
    fn springs(self, scene: &mut Scene) {
        let convert = |law: SpringLaw, stiffness: &mut f64| {
            let measure = match law {
                SpringLaw::Hooke => Measure::from_label("(N/m)"),
                SpringLaw::StVK => Measure::from_label("(N/m^3)"),
            };
            *stiffness = self.convert(*stiffness, measure.unwrap_or_default(), 0);
        };
        for body in &mut scene.bodies {
            if let Kind::Springs { structural, shear, bending, law, .. } = &mut body.kind {
                for stiffness in [structural, shear, bending] {
                    convert(*law, stiffness);
                }
            }
            for term in &mut body.terms {
                if let Term::Springs { stiffness, law, .. } = term {
                    convert(*law, stiffness);
                }
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for Conversion {
    type Value = Scene;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Scene, D::Error> {
        if matches!(self, Self::FromText(units) | Self::ToText(units) if units == Units::Metres) {
            return Scene::deserialize(deserializer);
        }
        let at = TypePosition {
            conversion: self,
            owner: [""; 2],
            names: &[],
            quantity: None,
            number: 0,
        };
        let mut scene = Scene::deserialize(AtPosition { inner: deserializer, at })?;
        self.springs(&mut scene);
        Ok(scene)
    }
}

/// The present position in the types.
#[derive(Debug, Clone, Copy)]
struct TypePosition {
    conversion: Conversion,
    /// The struct, or the enum and its alternative; empty outside of them.
    owner: [&'static str; 2],
    /// The names of its fields or alternatives.
    names: &'static [&'static str],
    /// The quantity of the field being read.
    quantity: Option<&'static Quantity>,
    /// The index in the innermost list.
    number: usize,
}

impl TypePosition {
    fn inside(self, owner: [&'static str; 2], names: &'static [&'static str]) -> Self {
        Self { owner, names, ..self }
    }

    /// The value of a field.
    fn field(self, name: &str) -> Self {
        let quantity = quantity_within(self.quantity, self.owner, name);
        Self { quantity, owner: [""; 2], names: &[], number: 0, ..self }
    }

    fn converted(self, value: f64) -> f64 {
        let convert =
            |quantity: &Quantity| self.conversion.convert(value, quantity.measure, self.number);
        self.quantity.map_or(value, convert)
    }

    /// Whether integers of the field are converted.
    fn is_measured(self) -> bool {
        self.converted(1.0) != 1.0
    }
}

/// A reader, a visitor or a seed at a place.
struct AtPosition<T> {
    inner: T,
    at: TypePosition,
}

impl<'de, T: DeserializeSeed<'de>> DeserializeSeed<'de> for AtPosition<T> {
    type Value = T::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T::Value, D::Error> {
        self.inner.deserialize(AtPosition { inner: deserializer, at: self.at })
    }
}

macro_rules! values {
    ($($method:ident),* $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(AtPosition { inner: visitor, at: self.at })
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for AtPosition<D> {
    type Error = D::Error;

    values! {
        deserialize_any, deserialize_bool, deserialize_i8, deserialize_i16, deserialize_i32, deserialize_i64,
        deserialize_u8, deserialize_u16, deserialize_u32, deserialize_u64, deserialize_f32, deserialize_f64,
        deserialize_char, deserialize_str, deserialize_string, deserialize_bytes, deserialize_byte_buf,
        deserialize_option, deserialize_unit, deserialize_seq, deserialize_map, deserialize_identifier,
        deserialize_ignored_any,
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_unit_struct(name, AtPosition { inner: visitor, at: self.at })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_newtype_struct(name, AtPosition { inner: visitor, at: self.at })
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_tuple(length, AtPosition { inner: visitor, at: self.at })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_tuple_struct(
            name,
            length,
            AtPosition { inner: visitor, at: self.at },
        )
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let at = self.at.inside([name, ""], fields);
        self.inner.deserialize_struct(name, fields, AtPosition { inner: visitor, at })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let at = self.at.inside([name, ""], variants);
        self.inner.deserialize_enum(name, variants, AtPosition { inner: visitor, at })
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! visits {
    ($($method:ident($type:ty)),* $(,)?) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<T::Value, E> {
            self.inner.$method(value)
        })*
    };
}

macro_rules! whole_numbers {
    ($($method:ident($type:ty)),* $(,)?) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<T::Value, E> {
            match self.at.is_measured() {
                true => self.inner.visit_f64(self.at.converted(value as f64)),
                false => self.inner.$method(value),
            }
        })*
    };
}

impl<'de, T: Visitor<'de>> Visitor<'de> for AtPosition<T> {
    type Value = T::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visits! {
        visit_bool(bool), visit_char(char), visit_str(&str), visit_borrowed_str(&'de str), visit_string(String),
        visit_bytes(&[u8]), visit_borrowed_bytes(&'de [u8]), visit_byte_buf(Vec<u8>),
    }

    whole_numbers! {
        visit_i8(i8), visit_i16(i16), visit_i32(i32), visit_i64(i64), visit_u8(u8), visit_u16(u16), visit_u32(u32),
        visit_u64(u64),
    }

    fn visit_f32<E: Error>(self, value: f32) -> Result<T::Value, E> {
        self.visit_f64(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<T::Value, E> {
        self.inner.visit_f64(self.at.converted(value))
    }

    fn visit_none<E: Error>(self) -> Result<T::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<T::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<T::Value, D::Error> {
        self.inner.visit_some(AtPosition { inner: deserializer, at: self.at })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<T::Value, D::Error> {
        self.inner.visit_newtype_struct(AtPosition { inner: deserializer, at: self.at })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<T::Value, A::Error> {
        self.inner.visit_seq(CountedItems { inner: items, at: self.at, next: 0 })
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<T::Value, A::Error> {
        self.inner.visit_map(NamedEntries { inner: entries, at: self.at, name: "" })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<T::Value, A::Error> {
        self.inner.visit_enum(AtPosition { inner: access, at: self.at })
    }
}

/// The elements of a list, counted.
struct CountedItems<A> {
    inner: A,
    at: TypePosition,
    next: usize,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for CountedItems<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let at = TypePosition { number: self.next, ..self.at };
        self.next += 1;
        self.inner.next_element_seed(AtPosition { inner: seed, at })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// The entries of a map or the fields of a struct.
struct NamedEntries<A> {
    inner: A,
    at: TypePosition,
    /// The field whose value comes next.
    name: &'static str,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for NamedEntries<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        if self.at.names.is_empty() {
            return self.inner.next_key_seed(seed);
        }
        let (names, name) = (self.at.names, &mut self.name);
        self.inner.next_key_seed(NameReader { inner: seed, names, heard: name })
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        let at = if self.at.names.is_empty() { self.at } else { self.at.field(self.name) };
        self.inner.next_value_seed(AtPosition { inner: seed, at })
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for AtPosition<A> {
    type Error = A::Error;
    type Variant = AtPosition<A::Variant>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self::Variant), A::Error> {
        let (mut name, names) = ("", self.at.names);
        let (value, inner) =
            self.inner.variant_seed(NameReader { inner: seed, names, heard: &mut name })?;
        let at = self.at.inside([self.at.owner[0], name], &[]);
        Ok((value, AtPosition { inner, at }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for AtPosition<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, A::Error> {
        self.inner.newtype_variant_seed(AtPosition { inner: seed, at: self.at.field("0") })
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.inner.tuple_variant(length, AtPosition { inner: visitor, at: self.at })
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let at = self.at.inside(self.at.owner, fields);
        self.inner.struct_variant(fields, AtPosition { inner: visitor, at })
    }
}

/// Reads the name of a field or alternative and resolves it to a known one.
struct NameReader<'n, T> {
    inner: T,
    names: &'static [&'static str],
    heard: &'n mut &'static str,
}

impl<'de, T: DeserializeSeed<'de>> DeserializeSeed<'de> for NameReader<'_, T> {
    type Value = T::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T::Value, D::Error> {
        let Self { inner, names, heard } = self;
        inner.deserialize(NameReader { inner: deserializer, names, heard })
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for NameReader<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let Self { inner, names, heard } = self;
        inner.deserialize_identifier(NameReader { inner: visitor, names, heard })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, T: Visitor<'de>> Visitor<'de> for NameReader<'_, T> {
    type Value = T::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T::Value, E> {
        *self.heard = self.names.iter().find(|known| **known == name).copied().unwrap_or_default();
        self.inner.visit_str(name)
    }
}
