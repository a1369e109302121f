//! What the solid readers share: from elements as a file has them to tetrahedra.

use super::MeshFileError;
use super::gmsh::LeftOut;
use super::polygons::keep_used;
use crate::TetMesh;
use resile_linalg::Vec3;
use std::collections::BTreeMap;

/// A solid, and what the file had beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidMesh {
    /// Tetrahedra in the file's order, nodes in the file's order. Elements may be
    /// inverted: see [`TetMesh::inverted`].
    pub mesh: TetMesh,
    /// What was left out.
    pub report: SolidReport,
}

/// What of a file with a solid was not used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SolidReport {
    /// Nodes that no tetrahedron uses.
    pub unused_nodes: usize,
    /// Points, lines and faces, by kind in alphabetical order.
    pub left_out: Vec<LeftOut>,
}

impl SolidReport {
    /// A sentence for each thing that was left out; none for a file that holds a solid
    /// and nothing else.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.left_out.is_empty() {
            let kinds = super::gmsh::list(&self.left_out);
            notes.push(format!("left out what is not a tetrahedron: {kinds}"));
        }
        if self.unused_nodes > 0 {
            notes.push(format!("dropped {} nodes that no tetrahedron uses", self.unused_nodes));
        }
        notes
    }
}

/// What an element is to a reader of tetrahedra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Used.
    Tetrahedron,
    /// A point, a line or a face, which mesh generators write along with the inside:
    /// left out and counted.
    Below(&'static str),
    /// Another solid element: refused, since leaving it out would leave a hole.
    Solid(&'static str),
}

/// Collects a solid element by element.
#[derive(Debug, Default)]
pub(super) struct Elements {
    pub(super) positions: Vec<Vec3>,
    /// How the file numbers the first node.
    pub(super) first: i64,
    tets: Vec<[i64; 4]>,
    others: BTreeMap<Kind, usize>,
}

impl Elements {
    pub(super) fn numbered_from(first: i64, positions: Vec<Vec3>) -> Self {
        Self { positions, first, ..Self::default() }
    }

    pub(super) fn add_tet(&mut self, corners: [i64; 4]) {
        self.tets.push(corners);
    }

    /// Counts elements that are not tetrahedra.
    pub(super) fn count(&mut self, kind: Kind, count: usize) {
        if count > 0 {
            *self.others.entry(kind).or_default() += count;
        }
    }

    /// Checks positions and node numbers and drops the nodes that no tetrahedron uses.
    pub(super) fn finish(self) -> Result<SolidMesh, MeshFileError> {
        let left_out = self.refuse_other_solids()?;
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(MeshFileError::NotFinite { vertex });
        }
        let nodes = self.positions.len();
        let mut tets = Vec::with_capacity(self.tets.len());
        for (element, &corners) in self.tets.iter().enumerate() {
            let mut tet = [0; 4];
            for (corner, index) in tet.iter_mut().zip(corners) {
                let place = index.checked_sub(self.first).and_then(|p| u32::try_from(p).ok());
                match place {
                    Some(place) if (place as usize) < nodes => *corner = place,
                    _ => {
                        let (first, last) = (self.first, self.first + nodes as i64 - 1);
                        return Err(MeshFileError::OutOfRange { element, index, first, last });
                    }
                }
            }
            tets.push(tet);
        }
        let positions = keep_used(self.positions, tets.as_flattened_mut());
        let report = SolidReport { unused_nodes: nodes - positions.len(), left_out };
        Ok(SolidMesh { mesh: TetMesh { positions, tets }, report })
    }

    fn refuse_other_solids(&self) -> Result<Vec<LeftOut>, MeshFileError> {
        let (mut left_out, mut others) = (Vec::new(), Vec::new());
        for (&kind, &count) in &self.others {
            match kind {
                Kind::Tetrahedron => {}
                Kind::Below(name) => left_out.push(LeftOut { kind: name.to_owned(), count }),
                Kind::Solid(name) => others.push(LeftOut { kind: name.to_owned(), count }),
            }
        }
        let tets = self.tets.len();
        match (others.is_empty(), tets) {
            (false, _) => Err(MeshFileError::OtherSolids { tets, others }),
            (true, 0) => Err(MeshFileError::NotASolid { found: left_out }),
            (true, _) => Ok(left_out),
        }
    }
}
