//! Sets of groups per element.

use crate::read::Groups;
use std::collections::{BTreeMap, BTreeSet};

/// Groups of a mesh by element. Formats store one number per element, which stands for its set of groups.
#[derive(Debug)]
pub(super) struct GroupSets<'a> {
    /// Names of the groups, in alphabetical order.
    pub(super) names: Vec<&'a str>,
    /// Distinct sets of groups, each as ascending indices into `names`. The first is empty.
    pub(super) sets: Vec<Vec<usize>>,
    /// Index of the set of each element of the mesh.
    pub(super) elements: Vec<usize>,
    /// Faces beside the elements, each with the index of its set.
    pub(super) faces: Vec<([u32; 3], usize)>,
    /// Nodes of groups beyond those of their elements and faces, each with the index of its set.
    pub(super) nodes: Vec<(u32, usize)>,
}

impl<'a> GroupSets<'a> {
    /// Collects the sets of groups of a mesh with these elements, of the faces of `groups`, and of those of their nodes
    /// that are not in elements or faces of the group.
    pub(super) fn new<const N: usize>(elements: &[[u32; N]], groups: &'a Groups) -> Self {
        let mut groups_of_elements = vec![Vec::new(); elements.len()];
        // By sorted corners: the corners in the order of the first face, and its groups.
        let mut groups_of_faces: BTreeMap<[u32; 3], ([u32; 3], Vec<usize>)> = BTreeMap::new();
        let mut groups_of_nodes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (index, group) in groups.values().enumerate() {
            for &element in &group.elements {
                groups_of_elements[element as usize].push(index);
            }
            for &face in &group.faces {
                let mut corners = face;
                corners.sort_unstable();
                let (_, face_groups) = groups_of_faces.entry(corners).or_insert((face, Vec::new()));
                face_groups.push(index);
            }
            let element_nodes = group.elements.iter().flat_map(|&e| elements[e as usize]);
            let covered: BTreeSet<u32> =
                element_nodes.chain(group.faces.iter().flatten().copied()).collect();
            for &node in group.nodes.iter().filter(|node| !covered.contains(node)) {
                groups_of_nodes.entry(node).or_default().push(index);
            }
        }
        let mut indices = SetIndices::default();
        Self {
            names: groups.keys().map(String::as_str).collect(),
            elements: groups_of_elements.into_iter().map(|set| indices.index_of(set)).collect(),
            faces: groups_of_faces
                .into_values()
                .map(|(face, set)| (face, indices.index_of(set)))
                .collect(),
            nodes: groups_of_nodes
                .into_iter()
                .map(|(node, set)| (node, indices.index_of(set)))
                .collect(),
            sets: indices.sets,
        }
    }

    /// Names of the groups in a set.
    pub(super) fn names_of(&self, set: usize) -> impl Iterator<Item = &'a str> + '_ {
        self.sets[set].iter().map(|&group| self.names[group])
    }
}

/// Indices of sets, in the order of first occurrence.
#[derive(Debug)]
struct SetIndices {
    sets: Vec<Vec<usize>>,
    index: BTreeMap<Vec<usize>, usize>,
}

impl Default for SetIndices {
    fn default() -> Self {
        Self { sets: vec![Vec::new()], index: BTreeMap::from([(Vec::new(), 0)]) }
    }
}

impl SetIndices {
    /// The index of a set of groups, which is added on first use.
    fn index_of(&mut self, mut set: Vec<usize>) -> usize {
        set.dedup();
        if let Some(&index) = self.index.get(&set) {
            return index;
        }
        self.sets.push(set.clone());
        self.index.insert(set, self.sets.len() - 1);
        self.sets.len() - 1
    }
}
