//! Nodes and elements of either version, with the file's numbers.

use super::element::Element;
use super::physical::Physical;
use crate::read::elements::{Elements, Kind};
use crate::read::{MeshFileError, OtherSolidPolicy};
use resile_math::Vec3;

/// Nodes and elements with the numbers of the file, in any order and with any gaps.
#[derive(Debug)]
pub(super) struct RawMesh {
    pub(super) nodes: Vec<(u64, Vec3)>,
    /// Number of each tetrahedron.
    tet_numbers: Vec<u64>,
    /// Physical group of each tetrahedron, where elements have one.
    tet_tags: Vec<i64>,
    /// Physical group of each face, where elements have one.
    face_tags: Vec<i64>,
    elements: Elements,
    pub(super) physical: Physical,
}

impl RawMesh {
    /// No nodes and elements; `policy` is the treatment of solid elements other than tetrahedra.
    pub(super) fn new(policy: OtherSolidPolicy) -> Self {
        Self {
            nodes: Vec::new(),
            tet_numbers: Vec::new(),
            tet_tags: Vec::new(),
            face_tags: Vec::new(),
            elements: Elements::new(policy),
            physical: Physical::default(),
        }
    }

    /// Adds an element with its number, its physical group `tag` in version 2 (0 in version 4), and the names `groups`
    /// of all its groups.
    pub(super) fn add(
        &mut self,
        element: &Element,
        number: u64,
        tag: i64,
        nodes: &[u64],
        groups: &[String],
    ) {
        match element.kind {
            Kind::Tetrahedron | Kind::SecondOrder(_) => {
                self.tet_numbers.push(number);
                self.tet_tags.push(tag);
            }
            Kind::Face(..) => self.face_tags.push(tag),
            Kind::Skipped(_) | Kind::Solid(..) => {}
        }
        // Reinterprets node numbers as `i64` with the same bits; `into_elements` converts them back.
        let mut numbers = [0; Element::MAX_NODES];
        numbers.iter_mut().zip(nodes).for_each(|(to, &from)| *to = from as i64);
        self.elements.add(element.kind, &numbers[..nodes.len()], groups.iter().map(String::as_str));
    }

    /// Replaces node numbers by node indices in the file's order, and merges repeated elements.
    ///
    /// # Errors
    /// If a node is defined twice or has a position that is not finite, or a tetrahedron refers to an unknown node.
    pub(super) fn into_elements(mut self) -> Result<Elements, MeshFileError> {
        let numbers = self.number_nodes()?;
        let index = |tag: i64| {
            let position = numbers.binary_search_by_key(&(tag as u64), |&(tag, _)| tag).ok()?;
            let (_, index) = numbers[position];
            Some(i64::from(index))
        };
        self.elements.renumber(index).map_err(|(tet, tag)| MeshFileError::UnknownNode {
            element: self.tet_numbers[tet],
            tag: tag as u64,
        })?;
        self.merge_repeated();
        self.elements.positions = self.nodes.into_iter().map(|(_, position)| position).collect();
        Ok(self.elements)
    }

    /// Merges elements that version 2 repeats for each of their physical groups.
    fn merge_repeated(&mut self) {
        let faces = self.elements.faces();
        let tets = first_occurrences_of_repeated(
            self.elements.tets().iter().map(|tet| &tet[..]),
            &self.tet_tags,
        );
        let faces = first_occurrences_of_repeated(
            (0..faces.len()).map(|face| faces.corners(face)),
            &self.face_tags,
        );
        if tets.is_some() || faces.is_some() {
            let identity = |count: usize| (0..count as u32).collect();
            let tets = tets.unwrap_or_else(|| identity(self.tet_tags.len()));
            let faces = faces.unwrap_or_else(|| identity(self.face_tags.len()));
            self.elements.merge(&tets, &faces);
        }
    }

    /// Node numbers of the file in ascending order, each with its node index.
    fn number_nodes(&self) -> Result<Vec<(u64, u32)>, MeshFileError> {
        if let Some(&(tag, _)) = self.nodes.iter().find(|(_, p)| !p.is_finite()) {
            return Err(MeshFileError::NodeNotFinite { tag });
        }
        let with_index = self.nodes.iter().zip(0..);
        let mut numbers: Vec<(u64, u32)> =
            with_index.map(|(&(tag, _), index)| (tag, index)).collect();
        numbers.sort_unstable();
        let tags = numbers.iter().map(|&(tag, _)| tag);
        match tags.clone().zip(tags.skip(1)).find(|(tag, next)| tag == next) {
            Some((tag, _)) => Err(MeshFileError::RepeatedNode { tag }),
            None => Ok(numbers),
        }
    }
}

/// For each element, the index of the first element with the same corners if no earlier one of these has its tag, and
/// otherwise its own index. `None` if no element is repeated with another tag. A repetition with the same tag is an
/// error of the file and stays.
fn first_occurrences_of_repeated<'c>(
    corners: impl Iterator<Item = &'c [i64]>,
    tags: &[i64],
) -> Option<Vec<u32>> {
    if tags.windows(2).all(|pair| pair[0] == pair[1]) {
        return None;
    }
    let key_of_element = |(element, corners): (u32, &[i64])| {
        // Faces have at most four corners; missing ones are -1.
        let mut key = [-1; 4];
        key.iter_mut().zip(corners).for_each(|(to, &from)| *to = from);
        key.sort_unstable();
        (key, element)
    };
    let mut keys: Vec<([i64; 4], u32)> = (0..).zip(corners).map(key_of_element).collect();
    keys.sort_unstable();
    let mut first_occurrences: Vec<u32> = (0..keys.len() as u32).collect();
    let mut has_repetition = false;
    for equal_elements in keys.chunk_by(|(corners, _), (other_corners, _)| corners == other_corners)
    {
        let [(_, first), repetitions @ ..] = equal_elements else { continue };
        let tag = |element: u32| tags[element as usize];
        let mut earlier_tags = vec![tag(*first)];
        for &(_, element) in repetitions {
            if !earlier_tags.contains(&tag(element)) {
                earlier_tags.push(tag(element));
                first_occurrences[element as usize] = *first;
                has_repetition = true;
            }
        }
    }
    has_repetition.then_some(first_occurrences)
}
