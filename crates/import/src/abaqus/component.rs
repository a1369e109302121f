//! Connected components of a deck's mesh. Each becomes a body with a separate mesh file.

use super::model::{EDGES, Element, Model};
use crate::GeneratedMesh;
use crate::face_parts::{selectable_parts, sorted};
use resile_math::Vec3;
use resile_mesh::read::{Group, Groups};
use resile_mesh::write::{write_gmsh, write_gmsh_quadratic};
use resile_mesh::{CurvedEdges, TetMesh};
use std::collections::{BTreeMap, BTreeSet};

/// Largest distance of the midside node of a straight edge from its midpoint, relative to the edge length.
const MAX_MIDSIDE_OFFSET: f64 = 1e-4;

/// A connected component.
#[derive(Debug)]
pub(super) struct Component {
    /// Deck numbers of the corner nodes, in the order of the mesh.
    corners: Vec<u64>,
    /// Mesh index of each corner node by its deck number.
    mesh_index: BTreeMap<u64, u32>,
    /// Corner nodes at the ends of the edge of each midside node.
    midside_ends: BTreeMap<u64, [u64; 2]>,
    /// Deck numbers of the elements.
    pub(super) elements: Vec<u64>,
    /// Whether the elements are of second order.
    pub(super) quadratic: bool,
    mesh: TetMesh,
    /// Faces of the surface, by mesh indices of the corners in ascending order.
    surface_faces: BTreeSet<[u32; 3]>,
    groups: Groups,
}

/// Connected components of the mesh, sorted by the lowest element number.
pub(super) fn components(model: &Model) -> Vec<Component> {
    let mut group_of_node: BTreeMap<u64, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<u64>> = Vec::new();
    for (id, element) in &model.elements {
        let adjacent = element.nodes.iter().filter_map(|node| group_of_node.get(node));
        let adjacent: BTreeSet<usize> = adjacent.copied().collect();
        let target = adjacent.first().copied().unwrap_or_else(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        for other in adjacent.into_iter().filter(|other| *other != target) {
            let absorbed = std::mem::take(&mut groups[other]);
            for element in &absorbed {
                group_of_node
                    .extend(model.elements[element].nodes.iter().map(|node| (*node, target)));
            }
            groups[target].extend(absorbed);
        }
        group_of_node.extend(element.nodes.iter().map(|node| (*node, target)));
        groups[target].push(*id);
    }
    let mut groups: Vec<Vec<u64>> = groups.into_iter().filter(|group| !group.is_empty()).collect();
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort_unstable_by_key(|group| group[0]);
    groups.into_iter().map(|group| Component::new(model, group)).collect()
}

impl Component {
    /// Builds the mesh of these elements, whose corner nodes are numbered from zero. It has no positions if a corner
    /// node is not defined, which `invalid_elements` reports.
    fn new(model: &Model, elements: Vec<u64>) -> Self {
        let element_nodes = || elements.iter().map(|id| &model.elements[id].nodes);
        let corners: BTreeSet<u64> =
            element_nodes().flat_map(|nodes| nodes[..4].to_vec()).collect();
        let corners: Vec<u64> = corners.into_iter().collect();
        let mesh_index: BTreeMap<u64, u32> =
            corners.iter().enumerate().map(|(index, node)| (*node, index as u32)).collect();
        let positions =
            corners.iter().map(|node| model.nodes.get(node).copied()).collect::<Option<_>>();
        let tets =
            element_nodes().map(|nodes| [0, 1, 2, 3].map(|k| mesh_index[&nodes[k]])).collect();
        let midside_ends = element_nodes()
            .filter(|nodes| nodes.len() == 10)
            .flat_map(|nodes| (0..6).map(|k| (nodes[4 + k], EDGES[k].map(|end| nodes[end]))));
        let mesh = TetMesh { positions: positions.unwrap_or_default(), tets };
        let surface_faces = match mesh.positions.is_empty() {
            true => BTreeSet::new(),
            false => mesh.surface().triangles.into_iter().map(sorted).collect(),
        };
        Self {
            midside_ends: midside_ends.collect(),
            quadratic: element_nodes().any(|nodes| nodes.len() == 10),
            mesh,
            surface_faces,
            corners,
            mesh_index,
            elements,
            groups: Groups::new(),
        }
    }

    /// First element of each kind of invalid elements, with a message: elements with undefined nodes, and elements of
    /// another order than the component.
    pub(super) fn invalid_elements<'m>(&self, model: &'m Model) -> Vec<(&'m Element, String)> {
        let mut incomplete = Vec::new();
        let mut of_other_order = Vec::new();
        for id in &self.elements {
            let element = &model.elements[id];
            if let Some(node) = element.nodes.iter().find(|node| !model.nodes.contains_key(node)) {
                let message = format!("element {id} is incomplete: node {node} is not defined");
                incomplete.push((element, message));
            } else if (element.nodes.len() == 10) != self.quadratic {
                let message = format!("element {id} is joined to elements of another order");
                of_other_order.push((element, message));
            }
        }
        [incomplete, of_other_order].into_iter().filter_map(first_with_count).collect()
    }

    /// Deck numbers of the elements that are turned over when the mesh is read, because their nodes are in the opposite
    /// order.
    pub(super) fn turned_elements(&self) -> Vec<u64> {
        if self.mesh.positions.is_empty() {
            return Vec::new();
        }
        let mut oriented = self.mesh.clone();
        oriented.reorient();
        let pairs = self.mesh.tets.iter().zip(&oriented.tets).zip(&self.elements);
        pairs.filter(|((tet, oriented), _)| tet != oriented).map(|(_, id)| *id).collect()
    }

    /// Whether a node of the deck is a corner or midside node of the component.
    pub(super) fn has_node(&self, node: u64) -> bool {
        self.mesh_index.contains_key(&node) || self.midside_ends.contains_key(&node)
    }

    /// Deck numbers and positions (m) of all nodes: first the corners, then the midside nodes. Midside nodes that are
    /// nearly at the midpoints of their edges are moved there, as in a scene.
    pub(super) fn points(&self, model: &Model) -> (Vec<u64>, Vec<Vec3>) {
        let node_ids: Vec<u64> =
            self.corners.iter().chain(self.midside_ends.keys()).copied().collect();
        let midside_position = |(node, ends): (&u64, &[u64; 2])| {
            let [a, b] = ends.map(|end| model.nodes[&end]);
            off_midpoint_position(model, *node, *ends).unwrap_or(0.5 * (a + b))
        };
        let corners = self.corners.iter().map(|node| model.nodes[node]);
        (node_ids, corners.chain(self.midside_ends.iter().map(midside_position)).collect())
    }

    /// Number of nodes.
    pub(super) fn node_count(&self) -> usize {
        self.corners.len() + self.midside_ends.len()
    }

    /// Adds a group of these nodes to the mesh. A group of a scene consists of corner nodes and of the midside nodes
    /// between them. Other sets of nodes are not added, and the result is `false`.
    pub(super) fn add_nodes(&mut self, name: &str, nodes: &BTreeSet<u64>) -> bool {
        let corners: BTreeSet<u64> =
            nodes.iter().filter(|node| self.mesh_index.contains_key(node)).copied().collect();
        let is_implied = |(midside, ends): (&u64, &[u64; 2])| {
            nodes.contains(midside) == ends.iter().all(|end| corners.contains(end))
        };
        if corners.is_empty() || !self.midside_ends.iter().all(is_implied) {
            return false;
        }
        let nodes = corners.iter().map(|node| self.mesh_index[node]).collect();
        self.groups.insert(name.to_owned(), Group { nodes, ..Group::default() });
        true
    }

    /// Whether these corners (by deck numbers) are those of a face of the surface.
    pub(super) fn has_surface_face(&self, face: [u64; 3]) -> bool {
        self.surface_faces.contains(&sorted(face.map(|node| self.mesh_index[&node])))
    }

    /// Whether a group of a scene selects these faces (corners by deck numbers) of the surface: no other face of it has
    /// all its corners among their nodes.
    pub(super) fn selects_alone(&self, faces: &[[u64; 3]]) -> bool {
        let faces: Vec<[u32; 3]> = faces.iter().map(|face| self.mesh_face(*face)).collect();
        let faces: BTreeSet<[u32; 3]> = faces.into_iter().map(sorted).collect();
        let nodes: BTreeSet<u32> = faces.iter().flatten().copied().collect();
        let is_outside = |face: &[u32; 3]| !face.iter().all(|node| nodes.contains(node));
        self.surface_faces.iter().all(|face| faces.contains(face) || is_outside(face))
    }

    /// Divides faces (corners by deck numbers) of the surface into few lists each of which a group selects.
    pub(super) fn selectable_parts(&self, faces: &[[u64; 3]]) -> Vec<Vec<[u64; 3]>> {
        let mesh_faces: Vec<[u32; 3]> = faces.iter().map(|face| self.mesh_face(*face)).collect();
        let parts = selectable_parts(&mesh_faces, self.surface_faces.iter().copied());
        let faces_of =
            |indices: Vec<usize>| indices.into_iter().map(|index| faces[index]).collect();
        parts.into_iter().map(faces_of).collect()
    }

    /// Mesh indices of the corners of a face.
    fn mesh_face(&self, face: [u64; 3]) -> [u32; 3] {
        face.map(|node| self.mesh_index[&node])
    }

    /// Adds a group of these faces (corners by deck numbers) to the mesh.
    pub(super) fn add_faces(&mut self, name: &str, faces: &[[u64; 3]]) {
        let faces: Vec<[u32; 3]> = faces.iter().map(|face| self.mesh_face(*face)).collect();
        let nodes: BTreeSet<u32> = faces.iter().flatten().copied().collect();
        let nodes = nodes.into_iter().collect();
        self.groups.insert(name.to_owned(), Group { nodes, faces, ..Group::default() });
    }

    /// Adds a group of the elements with these deck numbers to the mesh.
    pub(super) fn add_elements(&mut self, name: &str, ids: &BTreeSet<u64>) {
        let selected = self.elements.iter().enumerate().filter(|(_, id)| ids.contains(id));
        let elements: Vec<u32> = selected.map(|(index, _)| index as u32).collect();
        let nodes: BTreeSet<u32> =
            elements.iter().flat_map(|index| self.mesh.tets[*index as usize]).collect();
        let nodes = nodes.into_iter().collect();
        self.groups.insert(name.to_owned(), Group { nodes, elements, ..Group::default() });
    }

    /// Writes the mesh with its groups to a Gmsh file in memory, as second-order tetrahedra if edges are curved.
    /// Returns the message of the writer if it fails.
    pub(super) fn file(&self, name: String, model: &Model) -> Result<GeneratedMesh, String> {
        let curved: CurvedEdges = self
            .midside_ends
            .iter()
            .filter_map(|(node, ends)| {
                let position = off_midpoint_position(model, *node, *ends)?;
                let [a, b] = ends.map(|end| self.mesh_index[&end]);
                Some(([a.min(b), a.max(b)], position))
            })
            .collect();
        let mut contents = Vec::new();
        let written = match curved.is_empty() {
            true => write_gmsh(&self.mesh, &self.groups, &mut contents),
            false => {
                let mesh = self.mesh.quadratic_with_curved_edges(&curved);
                write_gmsh_quadratic(&mesh, &self.groups, &mut contents)
            }
        };
        written.map_err(|error| error.to_string())?;
        Ok(GeneratedMesh { name, contents })
    }
}

/// The first element of a list, with its message and the number of the other elements; `None` for an empty list.
fn first_with_count(elements: Vec<(&Element, String)>) -> Option<(&Element, String)> {
    let suffix = match elements.len() {
        0 | 1 => String::new(),
        2 => "; so is another element".to_owned(),
        count => format!("; so are {} other elements", count - 1),
    };
    let (element, message) = elements.into_iter().next()?;
    Some((element, message + &suffix))
}

/// Position (m) of a midside node if the edge is curved: if it is farther from the midpoint of its ends than
/// [`MAX_MIDSIDE_OFFSET`]. `None` for a straight edge.
fn off_midpoint_position(model: &Model, node: u64, ends: [u64; 2]) -> Option<Vec3> {
    let [a, b] = ends.map(|end| model.nodes[&end]);
    let position = model.nodes[&node];
    let offset = (position - 0.5 * (a + b)).length();
    (offset > MAX_MIDSIDE_OFFSET * (b - a).length()).then_some(position)
}
