//! The two formats of scene files.

use super::convert::Conversion;
use super::finding::LocatedFinding;
use super::mistakes::blank_out;
use super::tree::Node;
use super::{json, json_syntax, null, options, ron_error};
use crate::description::{Scene, Units};

/// The format of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// RON, with comments: `Name(field: value)`.
    Ron,
    /// JSON: `{"Name": {"field": value}}`.
    Json,
}

impl Form {
    /// The format of a file: JSON for the extension `.json` or a text that begins with a brace.
    pub fn of(file: &str, text: &str) -> Self {
        let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
        if extension.eq_ignore_ascii_case("json") || text.trim_start().starts_with('{') {
            Self::Json
        } else {
            Self::Ron
        }
    }

    /// The tree of a text, if it has one.
    pub(super) fn tree(self, text: &str) -> Option<Node> {
        match self {
            Self::Ron => Node::parse(text),
            Self::Json => Node::parse_json(text),
        }
    }

    /// Reads a scene, converted to SI units, or returns its first error of syntax, name or type.
    pub(super) fn read(self, text: &str) -> Result<Scene, LocatedFinding> {
        let scene = self.read_unconverted(text)?;
        if scene.units == Units::Metres {
            return Ok(scene);
        }
        let conversion = Conversion::FromText(scene.units);
        let mut scene = self.read_unconverted(&conversion.convert_text(self, text))?;
        conversion.convert_springs(&mut scene);
        Ok(scene)
    }

    /// Reads a scene without converting its numbers to SI units.
    fn read_unconverted(self, text: &str) -> Result<Scene, LocatedFinding> {
        match self {
            Self::Ron => {
                let without_null = without_null_fields(text);
                options()
                    .from_str(without_null.as_deref().unwrap_or(text))
                    .map_err(|error| ron_error::explain(text, self.tree(text).as_ref(), &error))
            }
            Self::Json => match json_syntax::find_error(text) {
                Some(finding) => Err(finding),
                None => self.read_blanked(text),
            },
        }
    }

    /// Reads a text in which some values are replaced by spaces, without converting its numbers. Its syntax, which may
    /// be invalid because of the spaces, is not checked in JSON.
    pub(super) fn read_blanked(self, text: &str) -> Result<Scene, LocatedFinding> {
        match (self, self.tree(text)) {
            (Self::Json, Some(mut tree)) => {
                let null_fields = null::null_fields(text, &tree);
                null::remove(&mut tree, &null_fields);
                json::read(text, &tree)
            }
            (Self::Json, None) => Err(LocatedFinding {
                span: 0..text.len().min(1),
                message: "brackets are nested too deep".to_owned(),
                help: String::new(),
            }),
            (Self::Ron, _) => self.read_unconverted(text),
        }
    }

    /// The units that a text names. Without valid units these are SI units; the reader reports invalid ones.
    pub(super) fn units(self, text: &str) -> Units {
        let named_units = |tree: &Node| {
            let units = tree.unwrapped().child("units")?.node.unwrapped();
            let name = text[units.span.clone()].trim_matches('"');
            Units::ALL.into_iter().find(|candidate| format!("{candidate:?}") == name)
        };
        // Most texts have no units and need no tree.
        let tree = if text.contains("units") { self.tree(text) } else { None };
        tree.as_ref().and_then(named_units).unwrap_or_default()
    }
}

/// A text in RON with spaces in place of [fields without a value](null::null_fields); `None` if it has no such field.
fn without_null_fields(text: &str) -> Option<String> {
    // The tree is needed for this word alone.
    let tree = if text.contains("None") { Node::parse(text)? } else { return None };
    let fields = null::null_fields(text, &tree);
    let mut blanked = (!fields.is_empty()).then(|| text.to_owned())?;
    fields.iter().for_each(|field| blank_out(&mut blanked, field));
    Some(blanked)
}
