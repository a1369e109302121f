//! Division of faces into parts that regions of nodes select.

use std::collections::{BTreeMap, BTreeSet};

/// Faces that the nodes of a part select.
#[derive(Debug, Default)]
struct FacePart {
    /// Indices of the faces.
    indices: Vec<usize>,
    /// The faces by sorted nodes.
    selected: BTreeSet<[u32; 3]>,
    nodes: BTreeSet<u32>,
}

impl FacePart {
    /// Whether no other face is selected if this one is added.
    fn accepts(&self, added: [u32; 3], faces_at_node: &BTreeMap<u32, Vec<[u32; 3]>>) -> bool {
        let has_node = |node: &u32| added.contains(node) || self.nodes.contains(node);
        let adjacent = added.iter().filter_map(|node| faces_at_node.get(node)).flatten();
        let mut others = adjacent.filter(|face| **face != added && !self.selected.contains(*face));
        !others.any(|face| face.iter().all(has_node))
    }
}

/// Divides faces of a `surface` into few parts, as lists of their indices. A region that selects all nodes of a part
/// selects no face of the surface beside those of the part. A face joins the first part with which this is so.
pub(crate) fn selectable_parts(
    faces: &[[u32; 3]],
    surface: impl IntoIterator<Item = [u32; 3]>,
) -> Vec<Vec<usize>> {
    let mut faces_at_node: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
    for face in surface.into_iter().map(sorted) {
        face.iter().for_each(|node| faces_at_node.entry(*node).or_default().push(face));
    }
    let mut parts: Vec<FacePart> = Vec::new();
    for (index, face) in faces.iter().enumerate() {
        let added = sorted(*face);
        let part = match parts.iter_mut().find(|part| part.accepts(added, &faces_at_node)) {
            Some(part) => part,
            None => {
                parts.push(FacePart::default());
                let last = parts.len() - 1;
                &mut parts[last]
            }
        };
        part.nodes.extend(added);
        part.selected.insert(added);
        part.indices.push(index);
    }
    parts.into_iter().map(|part| part.indices).collect()
}

/// The corners of a face in ascending order.
pub(crate) fn sorted(mut face: [u32; 3]) -> [u32; 3] {
    face.sort_unstable();
    face
}
