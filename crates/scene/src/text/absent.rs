//! Paths of `--set` through values that the text does not have and that a single field cannot create.

use super::SceneText;
use super::addition::DEFAULT_VARIANTS;
use super::path::{self, Segment};
use super::typed::{Expected, missing_fields, types};
use crate::schema::Type;
use std::collections::BTreeMap;

/// An absent value with alternatives or with names of its own, to which the next segment of a path belongs.
#[derive(Debug)]
pub(super) struct AbsentAlternative<'s> {
    /// The segments of the path.
    segments: &'s [Segment],
    /// Number of segments up to the absent value.
    depth: usize,
    /// The enum of the value; `None` for a map.
    owner: Option<&'static str>,
}

impl SceneText {
    /// The first absent value of a path that cannot be created from one of its fields; the first `present` segments exist.
    pub(super) fn absent_alternative<'s>(
        &self,
        segments: &'s [Segment],
        present: usize,
    ) -> Option<AbsentAlternative<'s>> {
        for depth in present + 1..segments.len() {
            let is_default = |(field, _): &(&str, &str)| matches!(&segments[0], Segment::Key(key) if depth == 1 && key == field);
            if DEFAULT_VARIANTS.iter().any(is_default) {
                continue;
            }
            match self.expected(&segments[..depth])?.present() {
                Expected::Fields(_) => {}
                Expected::Value(Type::Named(owner)) => {
                    return Some(AbsentAlternative { segments, depth, owner: Some(owner) });
                }
                Expected::Value(Type::Map(_)) => {
                    return Some(AbsentAlternative { segments, depth, owner: None });
                }
                Expected::Value(_) => return None,
            }
        }
        None
    }
}

impl AbsentAlternative<'_> {
    /// The name after the absent value, if it is one of its alternatives.
    fn variant(&self) -> Option<(&str, Option<Expected<'static>>)> {
        let Segment::Key(name) = &self.segments[self.depth] else { return None };
        let (name, _) = types().variants.get(self.owner?)?.get_key_value(name.as_str())?;
        Some((name, Expected::content(self.owner?, name)))
    }

    /// The absent value as a whole, if `value` is all of it: the path ends with one of its alternatives or names.
    ///
    /// # Errors
    /// The message and the help if the path ends at a field further inside.
    pub(super) fn whole(&self, value: &str) -> Result<String, [String; 2]> {
        let name = &self.segments[self.depth];
        let ends_here = self.depth + 1 == self.segments.len();
        match (self.owner, name) {
            (None, Segment::Key(key)) if ends_here => Ok(format!("{{{key:?}: {value}}}")),
            (Some(_), _) if ends_here && self.variant().is_some() => Ok(value.to_owned()),
            (None, _) => {
                let path = path::display(&self.segments[..=self.depth]);
                Err([
                    format!("`{path}` is not in the scene"),
                    format!("give it whole: `{path}=(...)`"),
                ])
            }
            (Some(owner), _) => Err(self.refusal(owner, value)),
        }
    }

    /// The message and the help for `value` in a field of an absent value of the enum `owner`.
    fn refusal(&self, owner: &str, value: &str) -> [String; 2] {
        let path = path::display(&self.segments[..self.depth]);
        let message = format!("`{path}` is not in the scene");
        let help = match (self.variant(), &self.segments[self.depth + 1..]) {
            (Some((variant, Some(Expected::Fields(owner)))), [Segment::Key(field), inner @ ..]) => {
                let value = if inner.is_empty() { value } else { "(...)" };
                let others = missing_fields(owner, |other| other != field);
                let others: Vec<String> = others.iter().map(|f| format!(", {f}: ...")).collect();
                format!("give it whole: `{path}={variant}({field}: {value}{})`", others.concat())
            }
            (Some((variant, _)), _) => format!("give it whole: `{path}={variant}(...)`"),
            (None, _) => {
                let variants = types().variants.get(owner).into_iter().flat_map(BTreeMap::keys);
                let variants: Vec<String> = variants.map(|name| format!("`{name}`")).collect();
                format!("give it whole, as one of {}", variants.join(", "))
            }
        };
        [message, help]
    }
}
