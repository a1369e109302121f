//! Elements of arrays, entries of objects and alternatives, as serde reads them.

use super::super::finding::list;
use super::super::tree::{Child, Node};
use super::mistake::Mistake;
use super::{SCHEMA_KEY, Value, string};
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};
use std::cell::Cell;
use std::ops::Range;

pub(super) struct Items<'de> {
    pub(super) of: Value<'de>,
    pub(super) left: std::slice::Iter<'de, Child>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Mistake;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mistake> {
        self.left.next().map(|child| seed.deserialize(self.of.within(&child.node))).transpose()
    }
}

pub(super) struct Entries<'a, 'de> {
    pub(super) of: Value<'de>,
    pub(super) owner: &'a str,
    /// Whether the key of the schema is allowed.
    pub(super) skipped: bool,
    pub(super) left: std::slice::Iter<'de, Child>,
    pub(super) value: Option<&'de Node>,
    /// The name of the entry being read.
    pub(super) last: &'a Cell<Option<Range<usize>>>,
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Mistake;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mistake> {
        let skipped = self.skipped;
        let next = self
            .left
            .by_ref()
            .find(|child| !skipped || child.key.as_ref().is_none_or(|(key, _)| key != SCHEMA_KEY));
        let Some(Child { key: Some((_, span)), node }) = next else { return Ok(None) };
        self.value = Some(node);
        self.last.set(Some(span.clone()));
        let name = string(&self.of.text[span.clone()]);
        if !self.owner.is_empty() {
            let before = &self.of.node.children;
            let keys = before.iter().filter_map(|child| child.key.as_ref());
            let earlier = keys.take_while(|(_, key)| key.start < span.start);
            if earlier.into_iter().any(|(_, key)| string(&self.of.text[key.clone()]) == name) {
                let message = format!("the field `{name}` is given twice");
                return Err(Mistake::at(span.clone(), message, "remove one of them"));
            }
        }
        let key: StrDeserializer<'_, Mistake> = name.as_str().into_deserializer();
        let read = seed.deserialize(key);
        read.map(Some).map_err(|mistake| mistake.within(span.clone(), self.owner, ""))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Mistake> {
        let node = self.value.take().ok_or_else(|| de::Error::custom("a value without a name"))?;
        seed.deserialize(self.of.within(node))
    }
}

/// An alternative selected by name.
pub(super) struct Alternative<'de> {
    pub(super) of: Value<'de>,
    pub(super) owner: &'static str,
    pub(super) name: Range<usize>,
    pub(super) content: Option<&'de Node>,
}

impl<'de> EnumAccess<'de> for Alternative<'de> {
    type Error = Mistake;
    type Variant = VariantContent<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, VariantContent<'de>), Mistake> {
        let name = string(&self.of.text[self.name.clone()]);
        let key: StrDeserializer<'_, Mistake> = name.as_str().into_deserializer();
        let variant = seed
            .deserialize(key)
            .map_err(|mistake| mistake.within(self.name.clone(), self.owner, ""))?;
        let content = self.content.map(|node| self.of.within(node));
        Ok((variant, VariantContent { name, span: self.name, content }))
    }
}

pub(super) struct VariantContent<'de> {
    pub(super) name: String,
    span: Range<usize>,
    pub(super) content: Option<Value<'de>>,
}

impl<'de> VariantContent<'de> {
    fn content(&self, help: impl FnOnce(&str) -> String) -> Result<Value<'de>, Mistake> {
        self.content.ok_or_else(|| {
            let message = format!("`{}` needs a value or fields in braces", self.name);
            Mistake::at(self.span.clone(), message, help(&self.name))
        })
    }
}

impl<'de> VariantAccess<'de> for VariantContent<'de> {
    type Error = Mistake;

    fn unit_variant(self) -> Result<(), Mistake> {
        let Some(content) = self.content.filter(|content| content.written() != "null") else {
            return Ok(());
        };
        let help = format!("write `\"{}\"` alone, without braces", self.name);
        let message = format!("`{}` takes no fields", self.name);
        Err(Mistake::at(content.node.span.clone(), message, help))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Mistake> {
        seed.deserialize(self.content(|name| format!("write `{{\"{name}\": ...}}`"))?)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.content(|name| format!("write `{{\"{name}\": [...]}}`"))?.tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let content = self.content(|name| {
            format!("write `{{\"{name}\": {{...}}}}`; its fields are {}", list(fields))
        })?;
        content.fields(&self.name, fields, visitor)
    }
}
