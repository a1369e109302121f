//! Elements of arrays, entries of objects and variants, as serde reads them.

use super::super::finding::quoted_list;
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

/// The items of an array that are still to be read.
pub(super) struct Items<'de> {
    pub(super) array: Value<'de>,
    pub(super) remaining: std::slice::Iter<'de, Child>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Mistake;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mistake> {
        self.remaining.next().map(|child| seed.deserialize(self.array.at(&child.node))).transpose()
    }
}

/// The entries of an object that are still to be read.
pub(super) struct Entries<'a, 'de> {
    pub(super) object: Value<'de>,
    /// The struct or variant whose fields the entries are; empty for a map.
    pub(super) owner: &'a str,
    /// Whether the key [`SCHEMA_KEY`] is ignored.
    pub(super) skips_schema: bool,
    pub(super) remaining: std::slice::Iter<'de, Child>,
    /// The value of the entry whose key has been read.
    pub(super) value_node: Option<&'de Node>,
    /// The range of the key of that entry, for the caller to locate mistakes.
    pub(super) last_key: &'a Cell<Option<Range<usize>>>,
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Mistake;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mistake> {
        let skips_schema = self.skips_schema;
        let next = self.remaining.by_ref().find(|child| {
            !skips_schema || child.key.as_ref().is_none_or(|(key, _)| key != SCHEMA_KEY)
        });
        let Some(Child { key: Some((_, span)), node }) = next else { return Ok(None) };
        self.value_node = Some(node);
        self.last_key.set(Some(span.clone()));
        let name = string(&self.object.text[span.clone()]);
        if !self.owner.is_empty() {
            let keys = self.object.node.children.iter().filter_map(|child| child.key.as_ref());
            let mut earlier_keys = keys.take_while(|(_, key)| key.start < span.start);
            if earlier_keys.any(|(_, key)| string(&self.object.text[key.clone()]) == name) {
                let message = format!("the field `{name}` is given twice");
                return Err(Mistake::located(span.clone(), message, "remove one of them"));
            }
        }
        let key: StrDeserializer<'_, Mistake> = name.as_str().into_deserializer();
        let read = seed.deserialize(key);
        read.map(Some).map_err(|mistake| mistake.locate(span.clone(), self.owner, ""))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Mistake> {
        let node =
            self.value_node.take().ok_or_else(|| de::Error::custom("a value without a name"))?;
        seed.deserialize(self.object.at(node))
    }
}

/// A variant selected by name.
pub(super) struct SelectedVariant<'de> {
    /// The string or the object that selects the variant.
    pub(super) selector: Value<'de>,
    /// The enum.
    pub(super) owner: &'static str,
    /// The range of the name of the variant.
    pub(super) name_span: Range<usize>,
    pub(super) content: Option<&'de Node>,
}

impl<'de> EnumAccess<'de> for SelectedVariant<'de> {
    type Error = Mistake;
    type Variant = VariantContent<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, VariantContent<'de>), Mistake> {
        let name = string(&self.selector.text[self.name_span.clone()]);
        let key: StrDeserializer<'_, Mistake> = name.as_str().into_deserializer();
        let variant = seed
            .deserialize(key)
            .map_err(|mistake| mistake.locate(self.name_span.clone(), self.owner, ""))?;
        let content = self.content.map(|node| self.selector.at(node));
        Ok((variant, VariantContent { name, name_span: self.name_span, content }))
    }
}

/// A variant whose name has been read, with its content.
pub(super) struct VariantContent<'de> {
    name: String,
    name_span: Range<usize>,
    content: Option<Value<'de>>,
}

impl<'de> VariantContent<'de> {
    /// The content, or a mistake with the help for the name of the variant if there is none.
    fn required_content(&self, help: impl FnOnce(&str) -> String) -> Result<Value<'de>, Mistake> {
        self.content.ok_or_else(|| {
            let message = format!("`{}` needs a value or fields in braces", self.name);
            Mistake::located(self.name_span.clone(), message, help(&self.name))
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
        Err(Mistake::located(content.node.span.clone(), message, help))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Mistake> {
        seed.deserialize(self.required_content(|name| format!("write `{{\"{name}\": ...}}`"))?)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.required_content(|name| format!("write `{{\"{name}\": [...]}}`"))?
            .visit_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let content = self.required_content(|name| {
            format!("write `{{\"{name}\": {{...}}}}`; its fields are {}", quoted_list(fields))
        })?;
        content.visit_fields(&self.name, fields, visitor)
    }
}
