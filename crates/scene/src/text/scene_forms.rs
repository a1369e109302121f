//! A scene as text, and a text as a scene, in both forms.

use super::{Diagnostic, Form, SceneText, options};
use crate::description::Scene;
use ron::ser::PrettyConfig;

impl Scene {
    /// Reads a scene in RON; its numbers are not [checked](Self::check).
    ///
    /// # Errors
    /// Every mistake of syntax, name or type, with its place.
    pub fn from_ron(text: &str) -> Result<Self, Vec<Diagnostic>> {
        SceneText::in_form(Form::Ron, "scene.ron", text).read()
    }

    /// Reads a scene in JSON; its numbers are not [checked](Self::check).
    ///
    /// # Errors
    /// Every mistake of syntax, name or type, with its place.
    pub fn from_json(text: &str) -> Result<Self, Vec<Diagnostic>> {
        SceneText::in_form(Form::Json, "scene.json", text).read()
    }

    /// The scene in RON, every field written. Reading it gives an equal scene, to the bit.
    pub fn to_ron(&self) -> String {
        let lines = PrettyConfig::new().depth_limit(4).indentor("    ").new_line("\n");
        let text = options().to_string_pretty(self, lines);
        text.expect("plain data can always be written as RON") + "\n"
    }

    /// The scene in JSON, every field written. Reading it gives an equal scene, to the bit, if all
    /// its numbers are finite; others become `null`, which no reader of numbers takes.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.expect("plain data can always be written as JSON") + "\n"
    }
}

impl SceneText {
    /// The text in JSON with what it writes and nothing more; comments are lost. `None` where
    /// brackets or quotes do not match.
    pub fn to_json(&self) -> Option<String> {
        match self.form {
            Form::Ron => super::in_json::pretty(self.text()),
            Form::Json => Some(self.text().to_owned()),
        }
    }
}
