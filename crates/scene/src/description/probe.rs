//! Probes.

use super::problem::Checker;
use super::{Output, Region, check_body};
use serde::{Deserialize, Serialize};

/// A probe, recorded at every step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Name in the table.
    pub name: String,
    /// Its location.
    pub at: ProbePlace,
}

/// The location of a probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum ProbePlace {
    /// A material point, given by its rest position.
    Point {
        /// Name of the body.
        body: String,
        /// Position after placement, before any deformation (m).
        point: [f64; 3],
    },
    /// A vertex of the body, as frames number them.
    Node {
        /// Name of the body.
        body: String,
        /// Index from 0.
        node: u32,
    },
    /// A body or a moving obstacle as a whole.
    Body(String),
    /// The nodes of a region.
    Region {
        /// Name of the body.
        body: String,
        /// The nodes.
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

/// Checks that the names of probes are not empty and unique, and that regions are valid.
pub(super) fn check_probes(c: &mut Checker, output: &Output) {
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
            check_body::check_region(c, &format!("{path}.at.region"), region);
        }
    }
}
