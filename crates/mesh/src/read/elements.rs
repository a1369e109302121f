//! What the solid readers share: from elements as a file has them to tetrahedra.

use super::MeshFileError;
use super::groups::{CellFields, Groups, RawGroups};
use super::left_out::{LeftOut, list};
use super::other_solids::{Holes, OtherSolid, OtherSolids, Shape};
use super::polygons::{keep_used, used};
use crate::TetMesh;
use resile_math::Vec3;
use std::collections::BTreeMap;

/// A solid, and what the file had beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidMesh {
    /// Tetrahedra in the file's order, nodes in the file's order. Elements may be
    /// inverted: see [`TetMesh::inverted`].
    pub mesh: TetMesh,
    /// Parts that the file gives names.
    pub groups: Groups,
    /// Numbers that the file gives its tetrahedra.
    pub fields: CellFields,
    /// What was left out.
    pub report: SolidReport,
}

/// What of a file with a solid was not used.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SolidReport {
    /// Nodes that no tetrahedron uses.
    pub unused_nodes: usize,
    /// Points, lines and faces, by kind in alphabetical order.
    pub left_out: Vec<LeftOut>,
    /// Solid elements that were left out because [`OtherSolids::LeaveOut`] asked for it;
    /// nothing if there were none.
    pub holes: Option<Holes>,
}

impl SolidReport {
    /// A sentence for each thing that was left out without harm; none for a file that
    /// holds a solid and nothing else. What harms is in [`holes`](Self::holes).
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.left_out.is_empty() {
            notes.push(format!("left out what is not a tetrahedron: {}", list(&self.left_out)));
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
    /// Another solid element, which cannot be left out without leaving a hole.
    Solid(&'static str, Shape),
}

/// Collects a solid element by element.
#[derive(Debug)]
pub(super) struct Elements {
    pub(super) positions: Vec<Vec3>,
    /// How the file numbers the first node.
    pub(super) first: i64,
    tets: Vec<[i64; 4]>,
    others: BTreeMap<Kind, usize>,
    policy: OtherSolids,
    pub(super) groups: RawGroups,
    /// A number for each tetrahedron; those of other lengths are of other cells.
    pub(super) fields: CellFields,
    /// Kept for their volume, if they are to be left out.
    solids: Vec<OtherSolid>,
}

impl Elements {
    pub(super) fn new(policy: OtherSolids) -> Self {
        Self {
            positions: Vec::new(),
            first: 0,
            tets: Vec::new(),
            others: BTreeMap::new(),
            policy,
            groups: RawGroups::default(),
            fields: CellFields::new(),
            solids: Vec::new(),
        }
    }

    pub(super) fn add_tet(&mut self, corners: [i64; 4]) {
        self.tets.push(corners);
    }

    /// How many tetrahedra there are.
    pub(super) fn tets(&self) -> usize {
        self.tets.len()
    }

    /// Counts an element that is not a tetrahedron.
    pub(super) fn add_other(&mut self, kind: Kind, nodes: &[i64]) {
        self.count(kind, 1);
        if let (Kind::Solid(_, shape), OtherSolids::LeaveOut) = (kind, self.policy) {
            self.solids.push(OtherSolid::new(shape, nodes));
        }
    }

    /// Counts elements that are not tetrahedra, and of which no more is to be known.
    pub(super) fn count(&mut self, kind: Kind, count: usize) {
        if count > 0 {
            *self.others.entry(kind).or_default() += count;
        }
    }

    /// Gives the nodes of the other solids and of groups new numbers.
    pub(super) fn renumber_others(&mut self, number: impl Fn(i64) -> i64) {
        self.groups.renumber(&number);
        self.solids.iter_mut().flat_map(|s| &mut s.corners).for_each(|n| *n = number(*n));
    }

    /// Checks positions and node numbers and drops the nodes that no tetrahedron uses.
    pub(super) fn finish(self) -> Result<SolidMesh, MeshFileError> {
        let (left_out, others) = self.sort_others()?;
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(MeshFileError::NotFinite { vertex });
        }
        let mut tets = self.place_tets()?;
        let share = self.share_of_others();
        let holes = (!others.is_empty()).then_some(Holes { others, share });
        let (nodes, first) = (self.positions.len(), self.first);
        let numbers = used(nodes, tets.as_flattened());
        let number = |old: i64| *numbers.get(usize::try_from(old.checked_sub(first)?).ok()?)?;
        let groups = self.groups.finish(number);
        let positions = keep_used(self.positions, tets.as_flattened_mut());
        let report = SolidReport { unused_nodes: nodes - positions.len(), left_out, holes };
        let mut fields = self.fields;
        fields.retain(|_, values| values.len() == tets.len());
        Ok(SolidMesh { mesh: TetMesh { positions, tets }, groups, fields, report })
    }

    /// What is below a solid, and the solids that are left out.
    fn sort_others(&self) -> Result<(Vec<LeftOut>, Vec<LeftOut>), MeshFileError> {
        let (mut left_out, mut others) = (Vec::new(), Vec::new());
        for (&kind, &count) in &self.others {
            match kind {
                Kind::Tetrahedron => {}
                Kind::Below(name) => left_out.push(LeftOut { kind: name.to_owned(), count }),
                Kind::Solid(name, _) => others.push(LeftOut { kind: name.to_owned(), count }),
            }
        }
        let tets = self.tets.len();
        match (others.is_empty(), tets, self.policy) {
            (true, 0, _) => Err(MeshFileError::NotASolid { found: left_out }),
            (false, 0, _) | (false, _, OtherSolids::Refuse) => {
                Err(MeshFileError::OtherSolids { tets, others })
            }
            _ => Ok((left_out, others)),
        }
    }

    /// The place of a node in the list, by the file's number.
    fn place(&self, number: i64) -> Option<u32> {
        let place = number.checked_sub(self.first).and_then(|place| u32::try_from(place).ok())?;
        ((place as usize) < self.positions.len()).then_some(place)
    }

    fn place_tets(&self) -> Result<Vec<[u32; 4]>, MeshFileError> {
        let mut tets = Vec::with_capacity(self.tets.len());
        for (element, &corners) in self.tets.iter().enumerate() {
            let mut tet = [0; 4];
            for (corner, index) in tet.iter_mut().zip(corners) {
                let (first, last) = (self.first, self.first + self.positions.len() as i64 - 1);
                let out_of_range = MeshFileError::OutOfRange { element, index, first, last };
                *corner = self.place(index).ok_or(out_of_range)?;
            }
            tets.push(tet);
        }
        Ok(tets)
    }

    fn share_of_others(&self) -> Option<f64> {
        let position = |number| self.place(number).map(|place| self.positions[place as usize]);
        let sum = |volumes: &mut dyn Iterator<Item = Option<f64>>| volumes.sum::<Option<f64>>();
        let whole = |tet: &[i64; 4]| OtherSolid::new(Shape::Tetrahedron, tet).volume(position);
        let tets = sum(&mut self.tets.iter().map(whole))?;
        let others = sum(&mut self.solids.iter().map(|solid| solid.volume(position)))?;
        let share = others / (tets + others);
        share.is_finite().then_some(share)
    }
}
