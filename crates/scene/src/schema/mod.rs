//! The JSON Schema of scenes (draft 2020-12): for editors, and for programs that write scenes.
//!
//! Names, kinds and what is required are those of the types that read scenes; ranges of numbers are those of
//! [`check`](crate::description::Scene::check); meanings, units and defaults are those of the reference page. Names that
//! do not exist, relations between fields, and numbers too large for their unit are the matter of `check` alone.

mod types;
pub(crate) mod words;

pub(crate) use types::is_required;
pub use types::{Content, TracedField, Type, Types};

use crate::description::{VERSION, quantity};
use crate::text::value_in_json;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use words::{Words, plain, words};

type AllWords = BTreeMap<(String, String), Words>;

/// The schema of scenes in JSON.
pub fn schema() -> Value {
    let (types, words) = (Types::of_scenes(), words());
    let mut all = Map::new();
    for (owner, fields) in &types.fields {
        all.insert(owner.clone(), object(owner, fields, &words));
    }
    for (owner, alternatives) in &types.alternatives {
        all.insert((*owner).to_owned(), choice(owner, alternatives, &words));
    }
    if let Some(Value::Object(properties)) =
        all.get_mut("Scene").and_then(|s| s.get_mut("properties"))
    {
        let description = "Where the schema of this file is, for editors.";
        let key = json!({"type": "string", "description": description});
        properties.insert("$schema".to_owned(), key);
        if let Some(Value::Object(version)) = properties.get_mut("version") {
            version.insert("const".to_owned(), VERSION.into());
        }
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scene",
        "description": "A scene of resile, as `sim run` takes it.",
        "$ref": "#/$defs/Scene",
        "$defs": all,
    })
}

/// A struct, or the fields of an alternative.
fn object(owner: &str, fields: &BTreeMap<&'static str, TracedField>, words: &AllWords) -> Value {
    let described = |(name, field): (&&'static str, &TracedField)| {
        let entry = words.get(&(owner.to_owned(), (*name).to_owned()));
        let (type_name, variant) = owner.split_once("::").unwrap_or((owner, ""));
        let schema = in_range(value(&field.holds), type_name, variant, name);
        ((*name).to_owned(), with_words(schema, entry))
    };
    let properties: Map<_, _> = fields.iter().map(described).collect();
    let required: Vec<_> =
        fields.iter().filter(|(_, field)| field.is_required).map(|(name, _)| *name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// An enum.
fn choice(owner: &str, alternatives: &BTreeMap<&'static str, Content>, words: &AllWords) -> Value {
    let one = |(name, content): (&&'static str, &Content)| {
        let variant_schema = |holds: Value| {
            json!({
                "type": "object",
                "properties": {*name: holds},
                "required": [name],
                "additionalProperties": false,
            })
        };
        let one = match content {
            Content::Nothing => json!({"const": name}),
            Content::Value(kind) => variant_schema(in_range(value(kind), owner, name, "0")),
            Content::Fields => variant_schema(reference(&format!("{owner}::{name}"))),
        };
        let entry = words.get(&(owner.to_owned(), (*name).to_owned()));
        with_words(
            one,
            entry.map(|entry| Words { holds: "", default: "", ..entry.clone() }).as_ref(),
        )
    };
    json!({"oneOf": alternatives.iter().map(one).collect::<Vec<_>>()})
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

/// A value of a kind.
fn value(kind: &Type) -> Value {
    match kind {
        Type::Nothing => json!({}),
        Type::Number => json!({"type": "number"}),
        Type::Whole => json!({"type": "integer", "minimum": 0}),
        Type::Truth => json!({"type": "boolean"}),
        Type::Text => json!({"type": "string"}),
        Type::Optional(kind) => json!({"anyOf": [value(kind), {"type": "null"}]}),
        Type::List(kind) => json!({"type": "array", "items": value(kind)}),
        Type::Tuple(kinds) => json!({
            "type": "array",
            "prefixItems": kinds.iter().map(value).collect::<Vec<_>>(),
            "minItems": kinds.len(),
            "maxItems": kinds.len(),
        }),
        Type::Names(kind) => json!({"type": "object", "additionalProperties": value(kind)}),
        Type::Named(name) => reference(name),
        Type::Either(words) if words.contains("expression") => {
            json!({"oneOf": [{"type": "number"}, {"type": "string"}]})
        }
        // The two numbers that may be written in two ways.
        Type::Either(words) if words.contains("fraction") => {
            json!({"oneOf": [{"type": "number"}, {"type": "string", "pattern": "^ *[0-9]+ */ *[0-9]+ *$"}]})
        }
        Type::Either(_) => {
            json!({"oneOf": [{"type": "number"}, value(&Type::Tuple(vec![Type::Number; 3]))]})
        }
    }
}

/// Adds the range of numbers.
fn in_range(mut schema: Value, owner: &str, variant: &str, field: &str) -> Value {
    if let Some(quantity) = quantity(owner, variant, field) {
        quantity.range.restrict(&mut schema);
    }
    schema
}

/// Adds description, unit and default.
fn with_words(mut schema: Value, entry: Option<&Words>) -> Value {
    let (Some(entry), Value::Object(fields)) = (entry, &mut schema) else { return schema };
    let unit = unit(entry.holds).map_or(String::new(), |unit| format!(" ({unit})"));
    let meaning = plain(entry.meaning);
    let default = match entry.default {
        "" | "-" | "required" | "none" => String::new(),
        default => format!(" Default: {}.", plain(default)),
    };
    fields.insert("description".to_owned(), format!("{meaning}{unit}{default}").into());
    if let Some(default) = default_of(entry.default) {
        fields.insert("default".to_owned(), default);
    }
    schema
}

/// The unit that a cell `vector, m/s^2` or `Pa` names.
fn unit(holds: &'static str) -> Option<&'static str> {
    let last = holds.rsplit(", ").next()?;
    let is_unit = !last.contains(['`', '-']) && crate::description::is_unit(last);
    is_unit.then_some(last)
}

/// A default that is a value rather than text.
fn default_of(cell: &str) -> Option<Value> {
    let code = cell.strip_prefix('`').and_then(|code| code.strip_suffix('`'));
    let code = code.filter(|code| !code.contains('`'));
    let is_number = cell.parse::<f64>().is_ok();
    let text = code.or_else(|| is_number.then_some(cell))?;
    serde_json::from_str(&value_in_json(text)?).ok()
}
