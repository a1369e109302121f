//! Quotes that a shell has removed from a value of `--set`, or that were never written.
//!
//! Texts and expressions need quotes in a scene. Where the types expect one of them, nothing else can be meant, so the
//! quotes may be absent: `bodies.a.material=rubber`, `wind=("5*sin(t)", 0, 0)` as a shell passes it on without quotes.

use super::typed::{Expected, types};
use crate::schema::Type;

/// The value with quotes around all texts and expressions that lack them.
pub(super) fn complete(value: &str, expected: Expected<'_>) -> String {
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
        Expected::Value(Type::Either(words)) if words.contains("fraction") => {
            let is_whole = |part: &str| part.trim().parse::<u64>().is_ok();
            match value.split_once('/') {
                Some((above, below)) if is_whole(above) && is_whole(below) => format!("{value:?}"),
                _ => value.to_owned(),
            }
        }
        Expected::Value(Type::Either(words)) if takes_text(words) => match value.parse::<f64>() {
            Ok(_) => value.to_owned(),
            Err(_) => format!("{value:?}"),
        },
        Expected::Value(Type::List(kind)) => {
            bracketed(value, "[", ']', |_, item| complete(item, Expected::Value(kind)))
        }
        Expected::Value(Type::Tuple(kinds)) => bracketed(value, "(", ')', |index, item| {
            kinds.get(index).map_or(item.to_owned(), |kind| complete(item, Expected::Value(kind)))
        }),
        Expected::Value(Type::Named(owner)) => alternative(value, owner),
        Expected::Fields(owner) => fields(value, "", owner),
        Expected::Value(_) => value.to_owned(),
    }
}

/// Whether one of the kinds of a value is text.
pub(super) fn takes_text(words: &str) -> bool {
    words.contains("in quotes")
}

fn alternative(value: &str, owner: &str) -> String {
    let name = value.split('(').next().unwrap_or_default();
    let is_known =
        types().alternatives.get(owner).is_some_and(|known| known.contains_key(name.trim()));
    match Expected::content(owner, name.trim()).filter(|_| is_known) {
        Some(Expected::Fields(owner)) => fields(value, name, owner),
        Some(content) => {
            bracketed(value, &format!("{name}("), ')', |_, item| complete(item, content))
        }
        None => value.to_owned(),
    }
}

fn fields(value: &str, name: &str, owner: &str) -> String {
    bracketed(value, &format!("{name}("), ')', |_, item| {
        let Some((key, content)) = item.split_once(':') else { return item.to_owned() };
        match Expected::field(owner, key.trim()) {
            Some(expected) => format!("{}: {}", key.trim(), complete(content, expected)),
            None => item.to_owned(),
        }
    })
}

/// Changes the items between brackets; a value without these brackets, or with items that need no change, stays.
fn bracketed(
    value: &str,
    open: &str,
    close: char,
    change: impl Fn(usize, &str) -> String,
) -> String {
    let inner = value.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    let Some(items) = inner.and_then(items) else { return value.to_owned() };
    let changed: Vec<_> =
        items.iter().enumerate().map(|(index, item)| change(index, item)).collect();
    if changed.iter().zip(&items).all(|(new, old)| {
        new.chars().filter(|c| !c.is_whitespace()).eq(old.chars().filter(|c| !c.is_whitespace()))
    }) {
        return value.to_owned();
    }
    format!("{open}{}{close}", changed.join(", "))
}

/// The items of a list, separated by commas outside of brackets and quotes; `None` if brackets do not match.
fn items(text: &str) -> Option<Vec<&str>> {
    let (mut depth, mut quoted, mut escaped, mut start) = (0_i32, false, false, 0);
    let mut items = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    let last = text[start..].trim();
    items.extend((!last.is_empty()).then_some(last));
    (depth == 0 && !quoted).then_some(items)
}
