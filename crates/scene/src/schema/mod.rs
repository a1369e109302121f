//! The JSON Schema of scenes (draft 2020-12): for editors, and for programs that write scenes.
//!
//! Names, kinds and what is required are those of the types that read scenes; ranges of numbers are those of
//! [`check`](crate::description::Scene::check); meanings, units and defaults are those of the reference page. Names
//! that do not exist, relations between fields, and numbers too large for their unit are checked by `check` alone.

mod types;
pub(crate) mod words;

pub(crate) use types::is_required;
pub use types::{Content, TracedField, Type, Types};

use crate::description::{VERSION, quantity};
use crate::text::value_in_json;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use words::{FieldEntry, plain, reference_entries};

/// The rows of the reference page by type, `Type` or `Type::Variant`, and field.
type EntriesByField = BTreeMap<(String, String), FieldEntry>;

/// The schema of scenes in JSON.
pub fn schema() -> Value {
    let (types, entries) = (Types::of_scenes(), reference_entries());
    let mut definitions = Map::new();
    for (owner, fields) in &types.fields {
        definitions.insert(owner.clone(), struct_schema(owner, fields, &entries));
    }
    for (owner, variants) in &types.variants {
        definitions.insert((*owner).to_owned(), enum_schema(owner, variants, &entries));
    }
    if let Some(Value::Object(properties)) =
        definitions.get_mut("Scene").and_then(|s| s.get_mut("properties"))
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
        "$defs": definitions,
    })
}

/// The schema of a struct, or of the fields of a variant.
fn struct_schema(
    owner: &str,
    fields: &BTreeMap<&'static str, TracedField>,
    entries: &EntriesByField,
) -> Value {
    let property = |(name, field): (&&'static str, &TracedField)| {
        let entry = entries.get(&(owner.to_owned(), (*name).to_owned()));
        let (type_name, variant) = owner.split_once("::").unwrap_or((owner, ""));
        let schema = with_range(type_schema(&field.value_type), type_name, variant, name);
        let has_null = field.is_required || matches!(field.value_type, Type::Optional(_));
        let schema = if has_null { schema } else { or_null(schema) };
        ((*name).to_owned(), with_entry(schema, entry))
    };
    let properties: Map<_, _> = fields.iter().map(property).collect();
    let required: Vec<_> =
        fields.iter().filter(|(_, field)| field.is_required).map(|(name, _)| *name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The schema of an enum: a variant without content is its name; another one is an object with its name as the only
/// key.
fn enum_schema(
    owner: &str,
    variants: &BTreeMap<&'static str, Content>,
    entries: &EntriesByField,
) -> Value {
    let variant_schema = |(name, content): (&&'static str, &Content)| {
        let tagged = |content_schema: Value| {
            json!({
                "type": "object",
                "properties": {*name: content_schema},
                "required": [name],
                "additionalProperties": false,
            })
        };
        let schema = match content {
            Content::Unit => json!({"const": name}),
            Content::Value(kind) => tagged(with_range(type_schema(kind), owner, name, "0")),
            Content::Fields => tagged(reference(&format!("{owner}::{name}"))),
        };
        // The cells `holds` and `default` of a variant describe its content, not the variant.
        let entry = entries.get(&(owner.to_owned(), (*name).to_owned()));
        let entry = entry.map(|entry| FieldEntry { holds: "", default: "", ..entry.clone() });
        with_entry(schema, entry.as_ref())
    };
    json!({"oneOf": variants.iter().map(variant_schema).collect::<Vec<_>>()})
}

/// The schema of a value that `null` may stand for.
fn or_null(schema: Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

/// A reference to a definition of the schema.
fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

/// The schema of a value of a type.
fn type_schema(kind: &Type) -> Value {
    match kind {
        Type::Unknown => json!({}),
        Type::Number => json!({"type": "number"}),
        Type::Integer => json!({"type": "integer", "minimum": 0}),
        Type::Bool => json!({"type": "boolean"}),
        Type::Text => json!({"type": "string"}),
        Type::Optional(kind) => or_null(type_schema(kind)),
        Type::List(kind) => json!({"type": "array", "items": type_schema(kind)}),
        Type::Tuple(kinds) => json!({
            "type": "array",
            "prefixItems": kinds.iter().map(type_schema).collect::<Vec<_>>(),
            "minItems": kinds.len(),
            "maxItems": kinds.len(),
        }),
        Type::Map(kind) => json!({"type": "object", "additionalProperties": type_schema(kind)}),
        Type::Named(name) => reference(name),
        Type::Either(expected) if expected.contains("expression") => {
            json!({"oneOf": [{"type": "number"}, {"type": "string"}]})
        }
        // Time steps are numbers, or fractions or numbers in quotes.
        Type::Either(expected) if expected.contains("fraction") => {
            json!({"oneOf": [{"type": "number"}, {"type": "string", "pattern": "^ *([0-9]+ */ *[0-9]+|[0-9]*[.]?[0-9]*([eE][+-]?[0-9]+)?) *$"}]})
        }
        Type::Either(_) => {
            json!({"oneOf": [{"type": "number"}, type_schema(&Type::Tuple(vec![Type::Number; 3]))]})
        }
    }
}

/// Adds the range of a numeric field to its schema.
fn with_range(mut schema: Value, owner: &str, variant: &str, field: &str) -> Value {
    if let Some(quantity) = quantity(owner, variant, field) {
        quantity.range.restrict(&mut schema);
    }
    schema
}

/// Adds the description, unit and default of the reference page to a schema.
fn with_entry(mut schema: Value, entry: Option<&FieldEntry>) -> Value {
    let (Some(entry), Value::Object(fields)) = (entry, &mut schema) else { return schema };
    let unit = unit_in_cell(entry.holds).map_or(String::new(), |unit| format!(" ({unit})"));
    let meaning = plain(entry.meaning);
    let default = match entry.default {
        "" | "-" | "required" | "none" => String::new(),
        default => format!(" Default: {}.", plain(default)),
    };
    fields.insert("description".to_owned(), format!("{meaning}{unit}{default}").into());
    if let Some(default) = default_value(entry.default) {
        fields.insert("default".to_owned(), default);
    }
    schema
}

/// The unit in a cell such as `vector, m/s^2` or `Pa`.
fn unit_in_cell(holds: &'static str) -> Option<&'static str> {
    let last_part = holds.rsplit(", ").next()?;
    let is_unit = !last_part.contains(['`', '-']) && crate::description::is_unit(last_part);
    is_unit.then_some(last_part)
}

/// The default in a cell, if it is a value (a number, or RON in backquotes) rather than a description.
fn default_value(cell: &str) -> Option<Value> {
    let code = cell.strip_prefix('`').and_then(|code| code.strip_suffix('`'));
    let code = code.filter(|code| !code.contains('`'));
    let is_number = cell.parse::<f64>().is_ok();
    let text = code.or_else(|| is_number.then_some(cell))?;
    serde_json::from_str(&value_in_json(text)?).ok()
}
