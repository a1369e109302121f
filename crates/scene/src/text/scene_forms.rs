//! Conversion between scenes and texts in both formats.

use super::convert::Conversion;
use super::{Diagnostic, Form, SceneText, options};
use crate::description::{Scene, Units};
use ron::ser::PrettyConfig;
use std::borrow::Cow;

impl Scene {
    /// Reads a scene in RON; its numbers are not [checked](Self::check).
    ///
    /// # Errors
    /// Every mistake of syntax, name or type, with its position.
    pub fn from_ron(text: &str) -> Result<Self, Vec<Diagnostic>> {
        SceneText::in_form(Form::Ron, "scene.ron", text).read()
    }

    /// Reads a scene in JSON; its numbers are not [checked](Self::check).
    ///
    /// # Errors
    /// Every mistake of syntax, name or type, with its position.
    pub fn from_json(text: &str) -> Result<Self, Vec<Diagnostic>> {
        SceneText::in_form(Form::Json, "scene.json", text).read()
    }

    /// The scene in RON and in its units, with all fields. Reading it gives a bitwise equal scene.
    ///
    /// Numbers with more than fifteen digits may have no equal in other units; scenes with such numbers are written in
    /// metres.
    pub fn to_ron(&self) -> String {
        let layout = PrettyConfig::new().depth_limit(4).indentor("    ").new_line("\n");
        let text = options().to_string_pretty(&*self.in_its_units(), layout);
        text.expect("plain data can always be written as RON") + "\n"
    }

    /// The integrator in RON, on one line.
    pub fn integrator_in_ron(&self) -> String {
        ron::to_string(&self.integrator).expect("plain data can always be written as RON")
    }

    /// The scene in JSON, otherwise as [`to_ron`](Self::to_ron). Numbers that are not finite become `null`, which
    /// cannot be read back.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(&*self.in_its_units());
        text.expect("plain data can always be written as JSON") + "\n"
    }

    /// The scene with its numbers converted from SI to its units; in metres if the conversion could not be undone
    /// exactly.
    fn in_its_units(&self) -> Cow<'_, Self> {
        let convert = |scene: &Self, conversion: Conversion| {
            let text = options().to_string(scene).expect("plain data can always be written as RON");
            let mut scene: Self = options().from_str(&conversion.convert_text(Form::Ron, &text))?;
            conversion.convert_springs(&mut scene);
            Ok::<_, ron::error::SpannedError>(scene)
        };
        if self.units == Units::Metres {
            return Cow::Borrowed(self);
        }
        let converted = convert(self, Conversion::ToText(self.units)).ok();
        let is_exact = |converted: &Self| {
            convert(converted, Conversion::FromText(self.units)).as_ref() == Ok(self)
        };
        match converted.filter(is_exact) {
            Some(converted) => Cow::Owned(converted),
            None => Cow::Owned(Self { units: Units::Metres, ..self.clone() }),
        }
    }
}

impl SceneText {
    /// Converts the text to JSON with the same fields; comments are lost. `None` if brackets or quotes do not match.
    pub fn to_json(&self) -> Option<String> {
        match self.form {
            Form::Ron => super::in_json::pretty_json(self.text()),
            Form::Json => Some(self.text().to_owned()),
        }
    }
}
