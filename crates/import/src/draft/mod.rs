//! A scene under construction, and its conversion to text.

mod body;
mod contact;
mod hold;
mod obstacle;

pub(crate) use body::DraftBody;
pub(crate) use contact::{DraftAdhesion, DraftBonds, DraftContact};
pub(crate) use hold::{Hold, Key, Motion, Region};
pub(crate) use obstacle::{DraftObstacle, DraftShape};

use crate::ron::{Field, Ron, format_number, word, wrapped};
use std::fmt::Write as _;

/// Relative precision to which contact parameters and tolerances are written.
pub(crate) const RELATIVE_PRECISION: f64 = 1e-6;
/// Number of characters of a comment line, without the slashes.
const COMMENT_WIDTH: usize = 97;

/// A complete scene.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draft {
    /// Introductory paragraphs at the top of the file.
    pub(crate) head: Vec<String>,
    /// Names of materials, with the materials in scene syntax.
    pub(crate) materials: Vec<(String, Ron)>,
    pub(crate) bodies: Vec<DraftBody>,
    /// Acceleration (m/s^2) of gravity.
    pub(crate) gravity: [f64; 3],
    pub(crate) obstacles: Vec<DraftObstacle>,
    pub(crate) contact: Option<DraftContact>,
    /// Kind of analysis; `None` for a simulation in time.
    pub(crate) analysis: Option<Ron>,
    pub(crate) integrator: Ron,
    /// Length of a time step (s).
    pub(crate) step: f64,
    pub(crate) step_comment: Option<String>,
    /// Simulated time (s).
    pub(crate) duration: f64,
    pub(crate) solver: Vec<Field>,
    /// Frames per second of the output.
    pub(crate) frame_rate: f64,
    pub(crate) probes: Vec<Ron>,
}

impl Draft {
    /// Text of the scene file. Its comments at the top are the introductory paragraphs and `notes`.
    pub(crate) fn text(&self, notes: &[String]) -> String {
        let notes = notes.iter().map(|note| format!("Substituted: {note}."));
        let mut text = String::new();
        for paragraph in self.head.iter().cloned().chain(notes) {
            for line in wrapped(&paragraph, COMMENT_WIDTH) {
                let _ = writeln!(text, "// {line}");
            }
        }
        let fields = [self.problem(), self.method()].concat();
        text + &Ron::Struct("", fields).in_lines(0) + "\n"
    }

    /// The fields of the version, materials, bodies, obstacles and contact.
    fn problem(&self) -> Vec<Field> {
        let has_contact = self.contact.is_some();
        let bodies = self.bodies.iter().map(|body| body.ron(has_contact)).collect();
        let mut fields = vec![
            Field::new("version", word("2")),
            Field::new("materials", Ron::Map(self.materials.clone())),
            Field::new("bodies", Ron::List(bodies)),
            Field::new("gravity", self.gravity),
        ];
        if !self.obstacles.is_empty() {
            let obstacles = self.obstacles.iter().map(DraftObstacle::ron).collect();
            fields.push(Field::new("obstacles", Ron::List(obstacles)));
        }
        let contact = self.contact.as_ref().map_or_else(|| word("Off"), DraftContact::ron);
        fields.push(Field::new("contact", contact));
        fields
    }

    /// The fields of the analysis, integrator, time, solver and output.
    fn method(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        fields.extend(self.analysis.clone().map(|analysis| Field::new("analysis", analysis)));
        if self.analysis.is_none() {
            fields.push(Field::new("flight", word("Plain")).with_comment(
                "Bodies fall by the integrator, as in the source, and not on the exact parabola.",
            ));
        }
        fields.push(Field::new("integrator", self.integrator.clone()));
        let mut step = Field::new("step", self.step);
        step.comment.clone_from(&self.step_comment);
        let time = Ron::Struct("", vec![step, Field::new("duration", self.duration)]);
        fields.push(Field::new("time", time));
        if !self.solver.is_empty() {
            fields.push(Field::new("solver", Ron::Struct("", self.solver.clone())));
        }
        let frame_rate = Field::new("frame_rate", Ron::Raw(format_number(self.frame_rate)));
        let mut output = vec![frame_rate];
        if !self.probes.is_empty() {
            output.push(Field::new("probes", Ron::List(self.probes.clone())));
        }
        fields.push(Field::new("output", Ron::Struct("", output)));
        fields
    }
}
