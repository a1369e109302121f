//! Connected components of a deck's mesh. Each becomes a body with a separate mesh file.

use super::model::{EDGES, Element, Model};
use crate::GeneratedMesh;
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
    place: BTreeMap<u64, u32>,
    /// Ends of the edge of each midside node.
    middles: BTreeMap<u64, [u64; 2]>,
    pub(super) elements: Vec<u64>,
    pub(super) quadratic: bool,
    mesh: TetMesh,
    groups: Groups,
}

/// Connected components of the mesh, in the order of their first elements.
pub(super) fn components(model: &Model) -> Vec<Component> {
    let mut of_node: BTreeMap<u64, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<u64>> = Vec::new();
    for (id, element) in &model.elements {
        let labels = element.nodes.iter().filter_map(|node| of_node.get(node));
        let adjacent: BTreeSet<usize> = labels.copied().collect();
        let target = adjacent.first().copied().unwrap_or_else(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        for other in adjacent.into_iter().filter(|other| *other != target) {
            let moved = std::mem::take(&mut groups[other]);
            for element in &moved {
                of_node.extend(model.elements[element].nodes.iter().map(|node| (*node, target)));
            }
            groups[target].extend(moved);
        }
        of_node.extend(element.nodes.iter().map(|node| (*node, target)));
        groups[target].push(*id);
    }
    let mut groups: Vec<Vec<u64>> = groups.into_iter().filter(|group| !group.is_empty()).collect();
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort_unstable_by_key(|group| group[0]);
    groups.into_iter().map(|group| Component::new(model, group)).collect()
}

impl Component {
    /// The mesh of these elements, with nodes numbered from zero.
    fn new(model: &Model, elements: Vec<u64>) -> Self {
        let all = || elements.iter().map(|id| &model.elements[id].nodes);
        let corners: BTreeSet<u64> = all().flat_map(|nodes| nodes[..4].to_vec()).collect();
        let corners: Vec<u64> = corners.into_iter().collect();
        let index: BTreeMap<u64, u32> =
            corners.iter().enumerate().map(|(index, node)| (*node, index as u32)).collect();
        let positions =
            corners.iter().map(|node| model.nodes.get(node).copied()).collect::<Option<_>>();
        let tets = all().map(|nodes| [0, 1, 2, 3].map(|k| index[&nodes[k]])).collect();
        let middles = all()
            .filter(|nodes| nodes.len() == 10)
            .flat_map(|nodes| (0..6).map(|k| (nodes[4 + k], EDGES[k].map(|end| nodes[end]))));
        Self {
            middles: middles.collect(),
            quadratic: all().any(|nodes| nodes.len() == 10),
            mesh: TetMesh { positions: positions.unwrap_or_default(), tets },
            corners,
            place: index,
            elements,
            groups: Groups::new(),
        }
    }

    /// One message for each kind of invalid element, with the first element of that kind.
    pub(super) fn invalid_elements<'m>(&self, model: &'m Model) -> Vec<(&'m Element, String)> {
        let mut missing = Vec::new();
        let mut other_order = Vec::new();
        for id in &self.elements {
            let element = &model.elements[id];
            if let Some(node) = element.nodes.iter().find(|node| !model.nodes.contains_key(node)) {
                missing.push((element, *id, *node));
            } else if (element.nodes.len() == 10) != self.quadratic {
                other_order.push((element, *id, 0));
            }
        }
        let message = |elements: &[(&'m Element, u64, u64)],
                       of_first: &dyn Fn(u64, u64) -> String| {
            let (element, id, node) = *elements.first()?;
            let more = match elements.len() - 1 {
                0 => String::new(),
                1 => "; so is another element".to_owned(),
                more => format!("; so are {more} other elements"),
            };
            Some((element, of_first(id, node) + &more))
        };
        let missing = message(&missing, &|id, node| {
            format!("element {id} is incomplete: node {node} is not defined")
        });
        let other_order = message(&other_order, &|id, _| {
            format!("element {id} is joined to elements of another order")
        });
        [missing, other_order].into_iter().flatten().collect()
    }

    pub(super) fn has(&self, node: u64) -> bool {
        self.place.contains_key(&node) || self.middles.contains_key(&node)
    }

    /// The positions of all nodes as in a scene, with their numbers in the deck: corners first. Mid-edge nodes that are
    /// nearly at the midpoints of their edges are moved there.
    pub(super) fn points(&self, model: &Model) -> (Vec<u64>, Vec<Vec3>) {
        let node_ids: Vec<u64> = self.corners.iter().chain(self.middles.keys()).copied().collect();
        let middle = |(node, ends): (&u64, &[u64; 2])| {
            let [a, b] = ends.map(|end| model.nodes[&end]);
            curved_middle(model, *node, *ends).unwrap_or(0.5 * (a + b))
        };
        let corners = self.corners.iter().map(|node| model.nodes[node]);
        (node_ids, corners.chain(self.middles.iter().map(middle)).collect())
    }

    /// Number of nodes.
    pub(super) fn count(&self) -> usize {
        self.corners.len() + self.middles.len()
    }

    /// Adds a node group to the mesh. A scene adds the midside nodes of edges with both ends in a group, so the
    /// corners must determine the group. Otherwise the group is not added, and the result is `false`.
    pub(super) fn add_nodes(&mut self, name: &str, nodes: &BTreeSet<u64>) -> bool {
        let corners: BTreeSet<u64> =
            nodes.iter().filter(|node| self.place.contains_key(node)).copied().collect();
        let agrees = |(middle, ends): (&u64, &[u64; 2])| {
            nodes.contains(middle) == ends.iter().all(|end| corners.contains(end))
        };
        if corners.is_empty() || !self.middles.iter().all(agrees) {
            return false;
        }
        let nodes = corners.iter().map(|node| self.place[node]).collect();
        self.groups.insert(name.to_owned(), Group { nodes, ..Group::default() });
        true
    }

    /// Adds a face group. Returns `false` if other faces of the surface have all their corners among its nodes.
    pub(super) fn add_faces(&mut self, name: &str, faces: &[[u64; 3]]) -> bool {
        let faces: Vec<[u32; 3]> =
            faces.iter().map(|face| face.map(|node| self.place[&node])).collect();
        let sorted = |mut face: [u32; 3]| {
            face.sort_unstable();
            face
        };
        let boundary: BTreeSet<[u32; 3]> = faces.iter().map(|face| sorted(*face)).collect();
        let nodes: BTreeSet<u32> = faces.iter().flatten().copied().collect();
        let surface = self.mesh.surface().triangles;
        let belongs = |face: &[u32; 3]| {
            boundary.contains(&sorted(*face)) || !face.iter().all(|node| nodes.contains(node))
        };
        let outside: BTreeSet<[u32; 3]> = surface.iter().map(|face| sorted(*face)).collect();
        if !surface.iter().all(belongs) || !boundary.is_subset(&outside) {
            return false;
        }
        let nodes = nodes.into_iter().collect();
        self.groups.insert(name.to_owned(), Group { nodes, faces, ..Group::default() });
        true
    }

    /// Adds an element group.
    pub(super) fn add_elements(&mut self, name: &str, set: &BTreeSet<u64>) {
        let places = self.elements.iter().enumerate().filter(|(_, id)| set.contains(id));
        let elements: Vec<u32> = places.map(|(place, _)| place as u32).collect();
        let nodes: BTreeSet<u32> =
            elements.iter().flat_map(|place| self.mesh.tets[*place as usize]).collect();
        let nodes = nodes.into_iter().collect();
        self.groups.insert(name.to_owned(), Group { nodes, elements, ..Group::default() });
    }

    /// Writes the mesh with its groups to a file in memory, as second-order tetrahedra if edges are curved.
    pub(super) fn file(&self, name: String, model: &Model) -> Result<GeneratedMesh, String> {
        let curved: CurvedEdges = self
            .middles
            .iter()
            .filter_map(|(node, ends)| {
                let place = curved_middle(model, *node, *ends)?;
                let [a, b] = ends.map(|end| self.place[&end]);
                Some(([a.min(b), a.max(b)], place))
            })
            .collect();
        let mut contents = Vec::new();
        let written = match curved.is_empty() {
            true => write_gmsh(&self.mesh, &self.groups, &mut contents),
            false => {
                let mesh = self.mesh.quadratic_with(&curved);
                write_gmsh_quadratic(&mesh, &self.groups, &mut contents)
            }
        };
        written.map_err(|error| error.to_string())?;
        Ok(GeneratedMesh { name, contents })
    }
}

/// The position of a mid-edge node that is off the midpoint of its edge.
fn curved_middle(model: &Model, node: u64, ends: [u64; 2]) -> Option<Vec3> {
    let [a, b] = ends.map(|end| model.nodes[&end]);
    let place = model.nodes[&node];
    let off = (place - 0.5 * (a + b)).length();
    (off > MAX_MIDSIDE_OFFSET * (b - a).length()).then_some(place)
}
