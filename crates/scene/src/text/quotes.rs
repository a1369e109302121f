//! Quotes that a shell has removed from a value of `--set`, or that were never written.
//!
//! Texts and expressions need quotes in a scene. Where the types expect one of them, nothing else can be meant, so the
//! quotes may be absent: `bodies.a.material=rubber`, `wind=("5*sin(t)", 0, 0)` as a shell passes it on without quotes.

use super::typed::{Expected, types};
use crate::schema::Type;

/// Adds quotes around all texts, expressions and fractions of a value that lack them.
pub(super) fn add_quotes(value: &str, expected: Expected<'_>) -> String {
    let value = value.trim();
    if value.starts_with(['"', '{']) || value.starts_with("r\"") || value.starts_with("r#") {
        return value.to_owned();
    }
    match expected.present() {
        Expected::Value(Type::Optional(_) | Type::Text | Type::Either(_))
            if matches!(value, "None" | "null") || value.starts_with("Some(") =>
        {
            value.to_owned()
        }
        Expected::Value(Type::Text) => format!("{value:?}"),
        Expected::Value(Type::Either(kinds)) if kinds.contains("fraction") => {
            let is_integer = |part: &str| part.trim().parse::<u64>().is_ok();
            match value.split_once('/') {
                Some((numerator, denominator))
                    if is_integer(numerator) && is_integer(denominator) =>
                {
                    format!("{value:?}")
                }
                _ => value.to_owned(),
            }
        }
        Expected::Value(Type::Either(kinds)) if takes_text(kinds) => match value.parse::<f64>() {
            Ok(_) => value.to_owned(),
            Err(_) => format!("{value:?}"),
        },
        Expected::Value(Type::List(kind)) => {
            map_items(value, "[", ']', |_, item| add_quotes(item, Expected::Value(kind)))
        }
        Expected::Value(Type::Tuple(kinds)) => map_items(value, "(", ')', |index, item| {
            kinds.get(index).map_or(item.to_owned(), |kind| add_quotes(item, Expected::Value(kind)))
        }),
        Expected::Value(Type::Named(owner)) => quote_variant(value, owner),
        Expected::Fields(owner) => quote_fields(value, "", owner),
        Expected::Value(_) => value.to_owned(),
    }
}

/// Whether a value may be text, by the words of [`Type::Either`].
pub(super) fn takes_text(kinds: &str) -> bool {
    kinds.contains("in quotes")
}

/// Adds quotes in the content of a variant of the enum `owner`.
fn quote_variant(value: &str, owner: &str) -> String {
    let name = value.split('(').next().unwrap_or_default();
    let is_known = types().variants.get(owner).is_some_and(|known| known.contains_key(name.trim()));
    match Expected::content(owner, name.trim()).filter(|_| is_known) {
        Some(Expected::Fields(owner)) => quote_fields(value, name, owner),
        Some(content) => {
            map_items(value, &format!("{name}("), ')', |_, item| add_quotes(item, content))
        }
        None => value.to_owned(),
    }
}

/// Adds quotes in the fields of a struct, or of the variant `name`; `owner` is the struct or `Enum::Variant`.
fn quote_fields(value: &str, name: &str, owner: &str) -> String {
    map_items(value, &format!("{name}("), ')', |_, item| {
        let Some((key, content)) = item.split_once(':') else { return item.to_owned() };
        match Expected::field(owner, key.trim()) {
            Some(expected) => format!("{}: {}", key.trim(), add_quotes(content, expected)),
            None => item.to_owned(),
        }
    })
}

/// Applies `change` to the index and text of each item between brackets. A value without these brackets is returned
/// unchanged, and so is one whose items differ in white space only.
fn map_items(
    value: &str,
    open: &str,
    close: char,
    change: impl Fn(usize, &str) -> String,
) -> String {
    let inner = value.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    let Some(items) = inner.and_then(split_items) else { return value.to_owned() };
    let changed: Vec<_> =
        items.iter().enumerate().map(|(index, item)| change(index, item)).collect();
    let visible = |text: &str| text.replace(char::is_whitespace, "");
    if changed.iter().zip(&items).all(|(new, old)| visible(new) == visible(old)) {
        return value.to_owned();
    }
    format!("{open}{}{close}", changed.join(", "))
}

/// The items of a list, separated by commas outside of brackets and quotes; `None` if brackets do not match.
fn split_items(text: &str) -> Option<Vec<&str>> {
    let (mut depth, mut in_quotes, mut is_escaped, mut start) = (0_i32, false, false, 0);
    let mut items = Vec::new();
    for (offset, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if in_quotes => is_escaped = true,
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(text[start..offset].trim());
                start = offset + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    let last = text[start..].trim();
    items.extend((!last.is_empty()).then_some(last));
    (depth == 0 && !in_quotes).then_some(items)
}
