//! What is measured step by step.

use super::problem::Checker;
use super::{Output, Region, check_body};
use serde::{Deserialize, Serialize};

/// A place of which every step is recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// What the table calls it.
    pub name: String,
    /// Where it is.
    pub at: ProbePlace,
}

/// What a probe follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum ProbePlace {
    /// A point of the material, given by where it is at rest.
    Point {
        /// Name of the body.
        body: String,
        /// Where it is once the shape is placed, before any deformation (m).
        point: [f64; 3],
    },
    /// A vertex of the body, as frames number them.
    Node {
        /// Name of the body.
        body: String,
        /// Which, from 0.
        node: u32,
    },
    /// A body, or an obstacle that moves, as a whole.
    Body(String),
    /// The nodes of a region.
    Region {
        /// Name of the body.
        body: String,
        /// Which nodes.
        region: Region,
    },
}

impl ProbePlace {
    /// Name of the body.
    pub fn body(&self) -> &str {
        match self {
            Self::Point { body, .. }
            | Self::Node { body, .. }
            | Self::Body(body)
            | Self::Region { body, .. } => body,
        }
    }
}

/// Names that are there once, and regions that can be.
pub(super) fn probes(c: &mut Checker, output: &Output) {
    for (k, Probe { name, at }) in output.probes.iter().enumerate() {
        let path = format!("output.probes[{k}]");
        if name.is_empty() {
            c.error(&format!("{path}.name"), "the name is empty", "give the probe a name");
        }
        if output.probes[..k].iter().any(|other| other.name == *name) {
            let message = format!("two probes are called \"{name}\"");
            c.error(&format!("{path}.name"), message, "give each a name of its own");
        }
        if let ProbePlace::Region { region, .. } = at {
            check_body::region(c, &format!("{path}.at.region"), region);
        }
    }
}
