//! What the sections of either version deliver, still with the file's numbers.

use super::element::Element;
use super::physical::Physical;
use crate::read::elements::{Elements, Kind, SolidMesh};
use crate::read::{MeshFileError, OtherSolids};
use resile_math::Vec3;

/// Nodes and elements as a file numbers them: in any order, with any gaps.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) nodes: Vec<(u64, Vec3)>,
    /// Element number, four node numbers.
    tets: Vec<(u64, [u64; 4])>,
    elements: Elements,
    pub(super) physical: Physical,
}

impl Raw {
    pub(super) fn new(others: OtherSolids) -> Self {
        let elements = Elements::new(others);
        Self { nodes: Vec::new(), tets: Vec::new(), elements, physical: Physical::default() }
    }

    /// Keeps a tetrahedron, or counts one element of another kind; it belongs to these groups.
    pub(super) fn add(&mut self, element: &Element, number: u64, nodes: &[u64], groups: &[String]) {
        for name in groups {
            // As the same 64 bits; `into_mesh` reads them back.
            let tags = nodes.iter().map(|&tag| tag as i64).collect::<Vec<_>>();
            match element.kind {
                Kind::Tetrahedron => self.elements.groups.add_element(name, self.tets.len(), &tags),
                _ => self.elements.groups.add_nodes(name, &tags),
            }
        }
        match (element.kind, nodes) {
            (Kind::Tetrahedron, &[a, b, c, d]) => self.tets.push((number, [a, b, c, d])),
            (kind, _) => {
                let mut corners = [-1; 8];
                corners.iter_mut().zip(nodes).for_each(|(to, &from)| *to = from as i64);
                self.elements.add_other(kind, &corners[..nodes.len().min(8)]);
            }
        }
    }

    /// Gives nodes their places in the file instead of their numbers.
    pub(super) fn into_mesh(mut self) -> Result<SolidMesh, MeshFileError> {
        let numbers = self.number_nodes()?;
        let place = |tag: u64| {
            let place = numbers.binary_search_by_key(&tag, |&(tag, _)| tag).ok()?;
            Some(i64::from(numbers[place].1))
        };
        for &(element, tags) in &self.tets {
            let mut corners = [0; 4];
            for (corner, tag) in corners.iter_mut().zip(tags) {
                *corner = place(tag).ok_or(MeshFileError::UnknownNode { element, tag })?;
            }
            self.elements.add_tet(corners);
        }
        self.elements.renumber_others(|tag| place(tag as u64).unwrap_or(-1));
        self.elements.positions = self.nodes.into_iter().map(|(_, position)| position).collect();
        self.elements.finish()
    }

    /// The node numbers of the file in ascending order, each with its place.
    fn number_nodes(&self) -> Result<Vec<(u64, u32)>, MeshFileError> {
        if let Some(&(tag, _)) = self.nodes.iter().find(|(_, p)| !p.is_finite()) {
            return Err(MeshFileError::NodeNotFinite { tag });
        }
        let places = self.nodes.iter().zip(0..);
        let mut numbers: Vec<(u64, u32)> = places.map(|(&(tag, _), place)| (tag, place)).collect();
        numbers.sort_unstable();
        match numbers.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(MeshFileError::RepeatedNode { tag: pair[0].0 }),
            None => Ok(numbers),
        }
    }
}
