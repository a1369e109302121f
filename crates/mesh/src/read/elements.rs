//! Shared part of element readers: from the elements of a file to a solid, or to a surface if the file has
//! faces only.

use super::MeshFileError;
use super::faces::{Corners, Faces};
use super::groups::{CellFields, Groups, RawGroups, VertexFields, fields_of_mesh};
use super::kept_elements::KeptElements;
use super::left_out::{LeftOut, list};
use super::other_solids::{
    Divided, DroppedMidsideNodes, Holes, OtherSolid, OtherSolidPolicy, Shape,
};
use super::polygons::{Seams, SurfaceMesh, indices_of_used, keep_used};
use super::second_order::{MiddleOrder, MidsideNodes, ResolvedMidsideNodes, SecondOrder};
use super::split;
use crate::{CurvedEdges, TetMesh};
use resile_math::Vec3;
use std::collections::BTreeMap;

/// Mesh of an element file.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyMesh {
    /// A file with tetrahedra.
    Solid(SolidMesh),
    /// A file with faces but no solid elements.
    Surface(SurfaceMesh),
}

/// A solid with groups, fields and a report.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidMesh {
    /// Tetrahedra and nodes in the file's order; tetrahedra of divided elements follow. Two corners are exchanged where
    /// the file lists them in the opposite orientation. Elements may still be inverted if the mesh is tangled: see
    /// [`TetMesh::inverted`].
    pub mesh: TetMesh,
    /// Mesh node of each node of the file; `None` unless it is a corner of a tetrahedron.
    pub vertices: Vec<Option<u32>>,
    /// Midside nodes of second-order tetrahedra, as node indices of the file, each with the two mesh nodes of
    /// its edge.
    pub middles: Vec<(u32, [u32; 2])>,
    /// Positions of the midside nodes that are off the midpoint of their edge by more than single-precision rounding.
    pub curved: CurvedEdges,
    /// Named groups of the file.
    pub groups: Groups,
    /// Cell data of the tetrahedra.
    pub fields: CellFields,
    /// Point data of the nodes.
    pub vertex_fields: VertexFields,
    /// Skipped and changed content.
    pub report: SolidReport,
}

/// Content of a file with a solid that was skipped or changed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SolidReport {
    /// Nodes that no tetrahedron uses.
    pub unused_nodes: usize,
    /// Skipped points, lines and faces, by kind in alphabetical order.
    pub left_out: Vec<LeftOut>,
    /// Elements that were divided into tetrahedra at the request of [`OtherSolidPolicy::Divide`]; `None` if there were
    /// none.
    pub divided: Option<Divided>,
    /// Solid elements that were skipped at the request of [`OtherSolidPolicy::LeaveOut`]; `None` if there were none.
    pub holes: Option<Holes>,
    /// Tetrahedra whose corners the file lists in the opposite orientation.
    pub reoriented: usize,
    /// Report on the midside nodes, if there are second-order tetrahedra.
    pub second_order: Option<SecondOrder>,
    /// A sentence on each defect of the data of cells and points, for which arrays were left out.
    pub data_notes: Vec<String>,
}

impl SolidReport {
    /// One sentence per kind of harmlessly skipped or changed content; empty for a file with only a solid.
    /// Missing volume is in [`holes`](Self::holes).
    pub fn notes(&self) -> Vec<String> {
        let left_out = (!self.left_out.is_empty()).then(|| {
            format!(
                "left out elements other than tetrahedra (their groups are kept): {}",
                list(&self.left_out)
            )
        });
        left_out.into_iter().chain(self.warnings()).collect()
    }

    /// The [`notes`](Self::notes) on content that may not be as intended. Mesh generators write boundary faces and
    /// edges beside tetrahedra, whose groups are kept.
    pub fn warnings(&self) -> Vec<String> {
        let mut notes = Vec::new();
        notes.extend(self.divided.as_ref().map(ToString::to_string));
        if self.unused_nodes > 0 {
            notes.push(format!("dropped {} nodes that no tetrahedron uses", self.unused_nodes));
        }
        if self.reoriented > 0 {
            notes.push(format!(
                "reoriented {} tetrahedra whose corners are listed in the opposite order",
                self.reoriented
            ));
        }
        notes.extend(self.second_order.map(|second_order| second_order.to_string()));
        notes.extend(self.data_notes.iter().cloned());
        notes
    }
}

/// Treatment of an element by a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Tetrahedron,
    /// Four corners and six midside nodes.
    SecondOrder(MiddleOrder),
    /// A face. Beside tetrahedra it is skipped and counted, because mesh generators write boundary faces too;
    /// without solid elements, faces form a surface.
    Face(&'static str, Corners),
    /// A point or a line: skipped and counted.
    Skipped(&'static str),
    /// Another solid element, which leaves a hole if it is skipped.
    Solid(&'static str, Shape),
}

/// Collects elements one by one.
#[derive(Debug)]
pub(super) struct Elements {
    pub(super) positions: Vec<Vec3>,
    /// Number of the first node in the file.
    pub(super) first: i64,
    tets: Vec<[i64; 4]>,
    middles: MidsideNodes,
    faces: Faces,
    others: BTreeMap<Kind, usize>,
    policy: OtherSolidPolicy,
    groups: RawGroups,
    /// One value per tetrahedron. Arrays of other lengths belong to other cells and are dropped.
    pub(super) fields: CellFields,
    /// One value per element that is divided.
    fields_of_solids: CellFields,
    /// One value per node.
    pub(super) vertex_fields: VertexFields,
    /// Other solid elements, to be divided or kept for their volume.
    solids: Vec<OtherSolid>,
    /// Sentences on data that were left out.
    pub(super) data_notes: Vec<String>,
}

impl Elements {
    /// No elements; `policy` is the treatment of solid elements other than tetrahedra.
    pub(super) fn new(policy: OtherSolidPolicy) -> Self {
        Self {
            positions: Vec::new(),
            first: 0,
            tets: Vec::new(),
            middles: MidsideNodes::default(),
            faces: Faces::default(),
            others: BTreeMap::new(),
            policy,
            groups: RawGroups::default(),
            fields: CellFields::new(),
            fields_of_solids: CellFields::new(),
            vertex_fields: VertexFields::new(),
            solids: Vec::new(),
            data_notes: Vec::new(),
        }
    }

    /// Corners of all tetrahedra, with the node numbers of the file.
    pub(super) fn tets(&self) -> &[[i64; 4]] {
        &self.tets
    }

    pub(super) fn faces(&self) -> &Faces {
        &self.faces
    }

    /// Adds an element with the node numbers of the file to the mesh and to these groups. A tetrahedron has four nodes,
    /// and a second-order one ten.
    pub(super) fn add<'n>(
        &mut self,
        kind: Kind,
        nodes: &[i64],
        groups: impl IntoIterator<Item = &'n str>,
    ) {
        let (tets, faces) = (self.tets.len(), self.faces.len());
        for name in groups {
            match kind {
                Kind::Tetrahedron | Kind::SecondOrder(_) => {
                    self.groups.add_element(name, tets, nodes);
                }
                Kind::Face(..) => self.groups.add_face(name, faces, nodes),
                Kind::Solid(_, shape) if self.divides(shape) => {
                    self.groups.add_solid(name, self.solids.len(), nodes);
                }
                Kind::Skipped(_) | Kind::Solid(..) => self.groups.add_nodes(name, nodes),
            }
        }
        match (kind, nodes) {
            (Kind::Tetrahedron, &[a, b, c, d]) => self.tets.push([a, b, c, d]),
            (Kind::SecondOrder(order), &[a, b, c, d, ref middles @ ..]) => {
                self.middles.add(tets, order, middles);
                self.tets.push([a, b, c, d]);
            }
            (Kind::Face(name, corners), _) => self.faces.add(name, corners, nodes),
            _ => self.add_other(kind, nodes),
        }
    }

    /// Counts an element that is neither a tetrahedron nor a face.
    fn add_other(&mut self, kind: Kind, nodes: &[i64]) {
        self.count(kind, 1);
        if let Kind::Solid(_, shape) = kind
            && (self.divides(shape) || self.policy == OtherSolidPolicy::LeaveOut)
        {
            self.solids.push(OtherSolid::new(shape, nodes));
        }
    }

    /// Whether elements of this shape become tetrahedra.
    fn divides(&self, shape: Shape) -> bool {
        self.policy == OtherSolidPolicy::Divide && split::divides(shape)
    }

    /// Adds the value of an element to a field; values of elements that are no part of the solid are dropped.
    pub(super) fn add_value(&mut self, name: &str, kind: Kind, value: f64) {
        let fields = match kind {
            Kind::Tetrahedron | Kind::SecondOrder(_) => &mut self.fields,
            Kind::Solid(_, shape) if self.divides(shape) => &mut self.fields_of_solids,
            _ => return,
        };
        if !fields.contains_key(name) {
            fields.insert(name.to_owned(), Vec::new());
        }
        if let Some(field) = fields.get_mut(name) {
            field.push(value);
        }
    }

    /// Counts elements that are neither tetrahedra nor faces, without their nodes.
    pub(super) fn count(&mut self, kind: Kind, count: usize) {
        if count > 0 {
            *self.others.entry(kind).or_default() += count;
        }
    }

    /// Adds nodes to a group.
    pub(super) fn add_nodes_to_group(&mut self, name: &str, nodes: &[i64]) {
        self.groups.add_nodes(name, nodes);
    }

    /// Renumbers all nodes. Other nodes than those of tetrahedra get the number -1 if they have no new one.
    ///
    /// # Errors
    /// The index of a tetrahedron and the old number of its node, if that has no new number.
    pub(super) fn renumber(
        &mut self,
        number: impl Fn(i64) -> Option<i64>,
    ) -> Result<(), (usize, i64)> {
        for (tet, corners) in self.tets.iter_mut().enumerate() {
            for corner in corners {
                *corner = number(*corner).ok_or((tet, *corner))?;
            }
        }
        self.middles.renumber(&number)?;
        let number_or_none = |old: i64| number(old).unwrap_or(-1);
        self.faces.renumber(number_or_none);
        self.groups.renumber(number_or_none);
        self.solids.iter_mut().for_each(|solid| solid.renumber(&number));
        Ok(())
    }

    /// Merges repeated elements into their first occurrences, which join the groups of all. `tets` and `faces` have the
    /// index of the first occurrence of each element.
    pub(super) fn merge(&mut self, tets: &[u32], faces: &[u32]) {
        let [tets, faces] = [tets, faces].map(KeptElements::new);
        let kept_indices =
            |kept: &KeptElements, count: usize| (0..count).filter(|&k| kept.keeps(k)).collect();
        let kept_tets: Vec<usize> = kept_indices(&tets, self.tets.len());
        self.tets = kept_tets.iter().map(|&tet| self.tets[tet]).collect();
        self.middles.keep(|tet| tets.keeps(tet).then(|| tets.new_index(tet as u32) as usize));
        self.faces.keep(|face| faces.keeps(face));
        self.groups.renumber_elements(|tet| tets.new_index(tet), |face| faces.new_index(face));
    }

    /// Builds the solid, or the surface if the file has faces and no solid elements.
    ///
    /// # Errors
    /// As [`finish`](Self::finish), or if the faces are no valid surface.
    pub(super) fn finish_any(self, seams: Seams) -> Result<AnyMesh, MeshFileError> {
        let has_solids = self.others.keys().any(|kind| matches!(kind, Kind::Solid(..)));
        if self.tets.is_empty() && !has_solids && self.faces.len() > 0 {
            let Self { positions, first, faces, groups, vertex_fields, data_notes, .. } = self;
            let mut surface =
                faces.into_surface(positions, vertex_fields, first, &groups, seams)?;
            surface.report.data_notes = data_notes;
            return Ok(AnyMesh::Surface(surface));
        }
        self.finish().map(AnyMesh::Solid)
    }

    /// Builds the solid: divides other solid elements if the policy says so, reorients tetrahedra that are listed in
    /// the opposite order, and drops the nodes that no tetrahedron uses.
    ///
    /// # Errors
    /// If there are no tetrahedra, the policy refuses other solid elements, a position is not finite, or a node does
    /// not exist.
    pub(super) fn finish(mut self) -> Result<SolidMesh, MeshFileError> {
        let divided = self.divide_solids()?;
        let (left_out, others) = self.sort_others()?;
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(MeshFileError::NotFinite { vertex });
        }
        let tets = self.resolve_tets()?;
        let share = self.volume_fraction_of_others();
        let holes = (!others.is_empty()).then_some(Holes { others, share });
        let middles = self.resolve_middles(&tets)?;
        let second_order = middles.report(&self.positions);
        let (node_count, first) = (self.positions.len(), self.first);
        let vertices = indices_of_used(node_count, tets.as_flattened());
        let mesh_index =
            |number: i64| *vertices.get(usize::try_from(number.checked_sub(first)?).ok()?)?;
        let triangles_of_face = |face: u32| {
            let triangles = split::triangles(self.faces.corners(face as usize)).into_iter();
            let mesh_corners = |corners: [i64; 3]| {
                let [a, b, c] = corners.map(mesh_index);
                Some([a?, b?, c?])
            };
            triangles.filter_map(mesh_corners).collect()
        };
        let groups = self.groups.finish(mesh_index, triangles_of_face);
        let curved = middles.curved(&self.positions, &vertices);
        let middles = middles.into_mesh_edges(&vertices);
        let mut mesh = TetMesh { positions: Vec::new(), tets };
        mesh.positions = keep_used(self.positions, mesh.tets.as_flattened_mut());
        let reoriented = mesh.reorient();
        let unused_nodes = node_count - mesh.positions.len() - middles.len();
        let data_notes = self.data_notes;
        let report = SolidReport {
            unused_nodes,
            left_out,
            divided,
            holes,
            reoriented,
            second_order,
            data_notes,
        };
        let mut fields = self.fields;
        fields.retain(|_, values| values.len() == mesh.tets.len());
        let vertex_fields = fields_of_mesh(self.vertex_fields, &vertices, mesh.positions.len());
        Ok(SolidMesh { mesh, vertices, middles, curved, groups, fields, vertex_fields, report })
    }

    /// Divides hexahedra, prisms and pyramids, and appends their tetrahedra to the others, with groups and fields.
    /// `None` if the policy is another one or there are no such elements; an error if one lacks a corner.
    fn divide_solids(&mut self) -> Result<Option<Divided>, MeshFileError> {
        if self.policy != OtherSolidPolicy::Divide || self.solids.is_empty() {
            return Ok(None);
        }
        for (element, solid) in self.solids.iter().enumerate() {
            if let Some(node) = solid.missing(|node| self.node_index(node).is_some()) {
                return Err(MeshFileError::MissingCorner { element, node });
            }
        }
        let position_of = |node| self.node_index(node).map(|index| self.positions[index as usize]);
        let division = split::divide(&self.solids, position_of);
        let middles = DroppedMidsideNodes::measure(&self.solids, position_of);
        let first_new_tet = self.tets.len();
        self.groups.divide(|solid| division.tets_of(solid, first_new_tet));
        for (name, values) in std::mem::take(&mut self.fields_of_solids) {
            let field = self.fields.entry(name).or_default();
            if values.len() == self.solids.len() && field.len() == first_new_tet {
                field.extend(division.solids().map(|solid| values[solid]));
            }
        }
        let (reversed, folded, tets) = (division.reversed, division.folded, division.tets.len());
        self.tets.extend(division.tets);
        let mut others = Vec::new();
        self.others.retain(|kind, count| match kind {
            Kind::Solid(name, shape) if split::divides(*shape) => {
                others.push(LeftOut { kind: (*name).to_owned(), count: *count });
                false
            }
            _ => true,
        });
        others.sort_by(|a, b| a.kind.cmp(&b.kind));
        Ok(Some(Divided { others, tets, reversed, folded, middles }))
    }

    /// Counts of the skipped elements of lower dimension, and of the other solid elements, each by kind. An error if
    /// the policy refuses the latter, or if there are no tetrahedra.
    fn sort_others(&self) -> Result<(Vec<LeftOut>, Vec<LeftOut>), MeshFileError> {
        let mut left_out = self.faces.counts_by_kind();
        let mut others = Vec::new();
        for (&kind, &count) in &self.others {
            match kind {
                Kind::Skipped(name) => left_out.push(LeftOut { kind: name.to_owned(), count }),
                Kind::Solid(name, _) => others.push(LeftOut { kind: name.to_owned(), count }),
                Kind::Tetrahedron | Kind::SecondOrder(_) | Kind::Face(..) => {}
            }
        }
        left_out.sort_by(|a, b| a.kind.cmp(&b.kind));
        let tets = self.tets.len();
        match (others.is_empty(), tets, self.policy) {
            (true, 0, _) => Err(MeshFileError::NotASolid { found: left_out }),
            (false, 0, _) | (false, _, OtherSolidPolicy::Refuse | OtherSolidPolicy::Divide) => {
                Err(MeshFileError::OtherSolids { tets, others })
            }
            _ => Ok((left_out, others)),
        }
    }

    /// Index of a node in `positions`, by its number in the file; `None` if it does not exist.
    fn node_index(&self, number: i64) -> Option<u32> {
        let index = number.checked_sub(self.first).and_then(|index| u32::try_from(index).ok())?;
        ((index as usize) < self.positions.len()).then_some(index)
    }

    /// Node indices of all tetrahedra; an error if a node does not exist.
    fn resolve_tets(&self) -> Result<Vec<[u32; 4]>, MeshFileError> {
        let mut tets = Vec::with_capacity(self.tets.len());
        for (element, &corners) in self.tets.iter().enumerate() {
            let mut tet = [0; 4];
            for (corner, index) in tet.iter_mut().zip(corners) {
                let (first, last) = (self.first, self.first + self.positions.len() as i64 - 1);
                let out_of_range = MeshFileError::OutOfRange { element, index, first, last };
                *corner = self.node_index(index).ok_or(out_of_range)?;
            }
            tets.push(tet);
        }
        Ok(tets)
    }

    /// Node indices of all midside nodes; an error if a node does not exist.
    fn resolve_middles(&self, tets: &[[u32; 4]]) -> Result<ResolvedMidsideNodes, MeshFileError> {
        let index_of = |number| self.node_index(number);
        self.middles.resolve(tets, index_of, self.first, self.positions.len())
    }

    /// Fraction of the volume of all solid elements that is not in tetrahedra; `None` if a volume is unknown.
    fn volume_fraction_of_others(&self) -> Option<f64> {
        let position_of =
            |number| self.node_index(number).map(|index| self.positions[index as usize]);
        let sum = |volumes: &mut dyn Iterator<Item = Option<f64>>| volumes.sum::<Option<f64>>();
        let volume = |tet: &[i64; 4]| OtherSolid::new(Shape::Tetrahedron, tet).volume(position_of);
        let tets = sum(&mut self.tets.iter().map(volume))?;
        let others = sum(&mut self.solids.iter().map(|solid| solid.volume(position_of)))?;
        let fraction = others / (tets + others);
        fraction.is_finite().then_some(fraction)
    }
}
