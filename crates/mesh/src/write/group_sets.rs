//! Which groups each element is in.

use crate::read::Groups;
use std::collections::{BTreeMap, BTreeSet};

/// The groups of a mesh, by element: formats store for each element a number, which stands for all of its groups.
#[derive(Debug)]
pub(super) struct GroupSets<'a> {
    /// Names of the groups, in alphabetical order.
    pub(super) names: Vec<&'a str>,
    /// The different sets of groups, each ascending by their place in `names`. The first is empty.
    pub(super) sets: Vec<Vec<usize>>,
    /// The set of each element of the mesh.
    pub(super) elements: Vec<usize>,
    /// Faces beside the elements, each with its set.
    pub(super) faces: Vec<([u32; 3], usize)>,
    /// Nodes that a group has beside those of its elements and faces, each with its set.
    pub(super) nodes: Vec<(u32, usize)>,
}

impl<'a> GroupSets<'a> {
    /// Of a mesh with these elements; faces of `groups` that are not elements are listed.
    pub(super) fn of<const N: usize>(elements: &[[u32; N]], groups: &'a Groups) -> Self {
        let mut of_elements = vec![Vec::new(); elements.len()];
        let mut of_faces: BTreeMap<[u32; 3], ([u32; 3], Vec<usize>)> = BTreeMap::new();
        let mut of_nodes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, group) in groups.values().enumerate() {
            for &element in &group.elements {
                of_elements[element as usize].push(place);
            }
            for &face in &group.faces {
                let mut corners = face;
                corners.sort_unstable();
                of_faces.entry(corners).or_insert((face, Vec::new())).1.push(place);
            }
            let of_members = group.elements.iter().flat_map(|&e| elements[e as usize]);
            let covered: BTreeSet<u32> =
                of_members.chain(group.faces.iter().flatten().copied()).collect();
            for &node in group.nodes.iter().filter(|node| !covered.contains(node)) {
                of_nodes.entry(node).or_default().push(place);
            }
        }
        let mut numbers = SetNumbers::default();
        Self {
            names: groups.keys().map(String::as_str).collect(),
            elements: of_elements.into_iter().map(|set| numbers.of(set)).collect(),
            faces: of_faces.into_values().map(|(face, set)| (face, numbers.of(set))).collect(),
            nodes: of_nodes.into_iter().map(|(node, set)| (node, numbers.of(set))).collect(),
            sets: numbers.sets,
        }
    }

    /// The names of a set of groups.
    pub(super) fn names_of(&self, set: usize) -> impl Iterator<Item = &'a str> + '_ {
        self.sets[set].iter().map(|&place| self.names[place])
    }
}

/// Numbers of sets, in the order in which they are met.
#[derive(Debug)]
struct SetNumbers {
    sets: Vec<Vec<usize>>,
    number: BTreeMap<Vec<usize>, usize>,
}

impl Default for SetNumbers {
    fn default() -> Self {
        Self { sets: vec![Vec::new()], number: BTreeMap::from([(Vec::new(), 0)]) }
    }
}

impl SetNumbers {
    fn of(&mut self, mut set: Vec<usize>) -> usize {
        set.dedup();
        if let Some(&number) = self.number.get(&set) {
            return number;
        }
        self.sets.push(set.clone());
        self.number.insert(set, self.sets.len() - 1);
        self.sets.len() - 1
    }
}
