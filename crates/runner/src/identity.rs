//! Identification of a run in its checkpoints.

use resile_assembly::{BodyMesh, Built};
use resile_record::BodyRecord;

/// The data by which a checkpoint identifies its scene and its bodies.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    /// The fingerprint of the scene, which excludes a start from another run.
    pub(super) described: u64,
    /// The bodies of the scene.
    pub(super) bodies: Vec<BodyRecord>,
}

impl Identity {
    /// The identity of a built scene.
    pub(super) fn new(built: &Built) -> Self {
        let record = |(body, mesh): (usize, &BodyMesh)| {
            let nodes = built.world.state(body).positions.len();
            BodyRecord {
                name: mesh.name.clone(),
                cells: mesh.fingerprint(nodes).value(),
                rest_lengths: mesh.rest_lengths,
            }
        };
        let bodies = built.meshes.iter().enumerate().map(record).collect();
        Self { described: built.described.value(), bodies }
    }
}
