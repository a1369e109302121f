//! Seams.

use super::Region;
use super::check_body;
use super::problem::{Checker, Names};
use super::{Body, Scene};
use serde::{Deserialize, Serialize};

/// A seam: springs that join two parts of one or two bodies and shorten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seam {
    /// The first part.
    pub a: SeamSide,
    /// The second part.
    pub b: SeamSide,
    /// Stiffness of each spring (N/m).
    pub stiffness: f64,
    /// Speed at which the springs shorten (m/s); 0 keeps their initial lengths.
    pub closing_speed: f64,
    /// Time at which they start to shorten (s).
    #[serde(default)]
    pub start: f64,
}

/// One side of a seam.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeamSide {
    /// Name of the body, or of a copy.
    pub body: String,
    /// The nodes, or the surface points of an affine body.
    pub region: Region,
}

impl Scene {
    /// Checks that seams join parts of single known bodies.
    pub(super) fn check_seams(&self, c: &mut Checker) {
        if self.seams.is_empty() {
            return;
        }
        let bodies = Names::new(self.body_names());
        for (k, seam) in self.seams.iter().enumerate() {
            let path = format!("seams[{k}]");
            for (name, side) in [("a", &seam.a), ("b", &seam.b)] {
                let path = format!("{path}.{name}");
                c.check_name(&format!("{path}.body"), "body", &side.body, &bodies);
                self.check_is_one_body(c, &format!("{path}.body"), &side.body);
                check_body::check_region(c, &format!("{path}.region"), &side.region);
            }
            if seam.a == seam.b {
                let help = "choose the other edge by another region";
                c.error(&format!("{path}.b"), "a part cannot be sewn to itself", help);
            }
        }
    }

    /// Checks that a name does not stand for all copies of a body.
    pub(super) fn check_is_one_body(&self, c: &mut Checker, path: &str, name: &str) {
        let is_repeated = |body: &Body| body.name == name && body.repeat.is_some();
        if self.bodies.iter().any(is_repeated) {
            let message = format!("\"{name}\" stands for several bodies");
            c.error(path, message, format!("name one of them, such as \"{name}[0]\""));
        }
    }
}
