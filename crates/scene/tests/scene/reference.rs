//! The reference page says what the code knows: no field missing, none invented.
//!
//! The code is asked, not a list kept beside it: a deserialiser that reads no
//! input but notes the names that serde's derived code asks for. Every struct
//! and enum is walked until each alternative was taken once, so that a new field
//! makes this test fail until the page has it.

use resile_scene::description::Scene;
use resile_scene::text::SceneText;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Structs with their fields, enums with their variants, and variants that have
/// fields with those.
type Known = BTreeMap<String, BTreeSet<String>>;

#[derive(Default)]
struct Trace {
    known: Known,
    enums: BTreeMap<&'static str, (&'static [&'static str], usize)>,
    /// A field to leave out, to see whether it must be there.
    omitted: Option<(String, String)>,
}

#[derive(Clone)]
struct Tracer<'t> {
    trace: &'t RefCell<Trace>,
}

impl Tracer<'_> {
    fn struct_fields(&self, name: &str, fields: &'static [&'static str]) -> Vec<&'static str> {
        let mut trace = self.trace.borrow_mut();
        let entry = trace.known.entry(name.to_owned()).or_default();
        entry.extend(fields.iter().map(|field| (*field).to_owned()));
        let omitted = |field: &str| {
            trace.omitted.as_ref().is_some_and(|(owner, out)| owner == name && out == field)
        };
        fields.iter().copied().filter(|field| !omitted(field)).collect()
    }
}

macro_rules! numbers {
    ($($method:ident => $visit:ident($value:expr)),* $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit($value)
        })*
    };
}

impl<'de> Deserializer<'de> for Tracer<'_> {
    type Error = Error;

    numbers! {
        deserialize_any => visit_f64(1.0), deserialize_bool => visit_bool(true), deserialize_f64 => visit_f64(1.0),
        deserialize_u32 => visit_u32(1), deserialize_u8 => visit_u8(1), deserialize_str => visit_str("text"),
        deserialize_string => visit_str("text"),
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Repeat { tracer: self, left: 1 })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, n: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Repeat { tracer: self, left: n })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Fields { tracer: self, fields: vec!["key"].into_iter() })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let fields = self.struct_fields(name, fields).into_iter();
        visitor.visit_map(Fields { tracer: self, fields })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let variant = {
            let mut trace = self.trace.borrow_mut();
            let entry = trace.known.entry(name.to_owned()).or_default();
            entry.extend(variants.iter().map(|variant| (*variant).to_owned()));
            let (_, next) = trace.enums.entry(name).or_insert((variants, 0));
            *next += 1;
            variants[(*next - 1) % variants.len()]
        };
        visitor.visit_enum(Variant { tracer: self, owner: name, variant })
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 u16 u64 f32 char bytes byte_buf unit unit_struct
        newtype_struct tuple_struct identifier ignored_any
    }
}

struct Repeat<'t> {
    tracer: Tracer<'t>,
    left: usize,
}

impl<'de> SeqAccess<'de> for Repeat<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let more = self.left > 0;
        self.left = self.left.saturating_sub(1);
        more.then(|| seed.deserialize(self.tracer.clone())).transpose()
    }
}

struct Fields<'t> {
    tracer: Tracer<'t>,
    fields: std::vec::IntoIter<&'static str>,
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let name = self.fields.next();
        name.map(|name| seed.deserialize(StrDeserializer::<Error>::new(name))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(self.tracer.clone())
    }
}

struct Variant<'t> {
    tracer: Tracer<'t>,
    owner: &'static str,
    variant: &'static str,
}

impl Variant<'_> {
    /// `Shape::Box`: names of variants are unique only within their enum.
    fn name(&self) -> String {
        format!("{}::{}", self.owner, self.variant)
    }
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let value = seed.deserialize(StrDeserializer::<Error>::new(self.variant))?;
        Ok((value, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.tracer)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        Err(de::Error::custom("no variant is a tuple"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let fields = self.tracer.struct_fields(&self.name(), fields).into_iter();
        visitor.visit_map(Fields { tracer: self.tracer, fields })
    }
}

/// Walks the types until every alternative of every enum was taken; returns what
/// was met, or the first error.
fn walk(omitted: Option<(String, String)>) -> Result<Known, Error> {
    let trace = RefCell::new(Trace { omitted, ..Trace::default() });
    loop {
        Scene::deserialize(Tracer { trace: &trace })?;
        let trace = trace.borrow();
        if trace.enums.values().all(|(variants, taken)| *taken >= variants.len()) {
            return Ok(trace.known.clone());
        }
    }
}

const PAGE: &str = include_str!("../../../../docs/scene-reference.md");

/// A row of the page: heading, field, what its column "default" says.
fn rows() -> Vec<(String, String, String)> {
    let mut rows = Vec::new();
    let mut heading = String::new();
    for line in PAGE.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            heading = title.trim_matches('`').to_owned();
        } else if let Some(cells) = line.strip_prefix("| `") {
            let cells: Vec<_> = cells.split(" | ").collect();
            let field = cells[0].trim_end_matches('`').to_owned();
            rows.push((heading.clone(), field, cells[2].to_owned()));
        }
    }
    rows
}

#[test]
fn the_page_has_every_field_under_its_struct_and_no_other() {
    let known = walk(None).expect("every type can be walked");
    assert!(known.len() > 40, "{} structs and variants", known.len());
    let mut documented = Known::new();
    for line in PAGE.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            let before = documented.insert(title.trim_matches('`').to_owned(), BTreeSet::new());
            assert_eq!(before, None, "{title} is there twice");
        }
    }
    for (heading, field, _) in rows() {
        documented.entry(heading).or_default().insert(field);
    }
    for (name, fields) in &known {
        assert_eq!(documented.get(name), Some(fields), "the page's section on {name}");
    }
    for name in documented.keys() {
        assert!(known.contains_key(name), "the page describes {name}, which the code has not");
    }
}

#[test]
fn the_page_calls_required_what_the_reader_requires() {
    let fields = rows().into_iter().filter(|(_, field, _)| field.starts_with(char::is_lowercase));
    for (owner, field, default) in fields {
        let required = walk(Some((owner.clone(), field.clone()))).is_err();
        assert_eq!(default == "required", required, "{owner}.{field}: {default}");
    }
}

#[test]
fn every_example_of_the_page_is_a_scene_or_part_of_one() {
    let mut scenes = 0;
    let blocks: Vec<_> = PAGE.split("```ron\n").skip(1).collect();
    for block in &blocks {
        let example = block.split("```").next().expect("the block ends");
        // Parts are fields of a body, or of the scene, by their first line.
        let text = match example.lines().next() {
            Some("// in a body") => scene(example, ""),
            Some("// in the scene") => scene("", example),
            _ => {
                scenes += 1;
                example.to_owned()
            }
        };
        if let Err(errors) = SceneText::new("example", text).load() {
            panic!("{example}\n{}", errors[0]);
        }
    }
    assert!(scenes >= 1 && blocks.len() >= 10, "{scenes} scenes in {} blocks", blocks.len());
}

/// A scene around fields of a body, or around fields of its own, which replace
/// those that it would have.
fn scene(body: &str, fields: &str) -> String {
    let in_body = |name: &str, field: &str| {
        if has(body, name) { String::new() } else { format!("{name}: {field},\n") }
    };
    let mut text = String::from("(version: 1,\n");
    let mut all = vec![
        in_body("name", "\"part\""),
        in_body("shape", "Box(size: (0.1, 0.1, 0.1), cells: (4, 4, 4))"),
        body.to_owned(),
    ];
    if !body.contains("Particles(") && !body.contains("Line(") {
        all.extend([in_body("material", "\"rubber\""), in_body("friction", "0.3")]);
    }
    let bodies = format!("[({})]", all.join("\n"));
    for (name, field) in [
        ("materials", "{\"rubber\": (density: 1000, model: StVK(young: 1e5, poisson: 0.3))}"),
        ("bodies", &bodies),
        ("gravity", "(0, -9.81, 0)"),
        ("contact", "Off"),
        ("integrator", "ImplicitEuler"),
        ("time", "(step: 0.01, duration: 1)"),
    ] {
        if !has(fields, name) {
            text += &format!("{name}: {field},\n");
        }
    }
    text + fields + ")"
}

fn has(fields: &str, name: &str) -> bool {
    fields.lines().any(|line| line.starts_with(&format!("{name}:")))
}
