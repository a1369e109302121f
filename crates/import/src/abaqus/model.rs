//! Nodes, elements, sets and surfaces of a deck.
//!
//! Hexahedra, prisms and pyramids are divided into tetrahedra once all of them are known.

use super::deck::{Card, Row};
use crate::refusal::Findings;
use resile_math::Vec3;
use resile_mesh::read::{divided_element, divided_face};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Corners of the four faces of a tetrahedron, S1 to S4 and P1 to P4.
pub(super) const FACES: [[usize; 3]; 4] = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
/// Ends of the edges of the midside nodes 5 to 10 of a quadratic tetrahedron.
pub(super) const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

/// Largest number of ids from one row of `GENERATE`.
const MAX_GENERATED: u64 = 10_000_000;

/// Parameter of sets and surfaces that Abaqus/CAE writes for picked geometry. It only hides them in CAE.
const INTERNAL: &str = "INTERNAL";
/// Parameter of sets that keeps the order of their members, which does not matter here.
const UNSORTED: &str = "UNSORTED";

/// A solid element with the deck numbers of its nodes and its line in the deck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) nodes: Vec<u64>,
    pub(super) file: Arc<Path>,
    pub(super) line: usize,
}

/// The geometry of a deck.
#[derive(Debug, Default)]
pub(super) struct Model {
    /// Positions (m) of nodes by id.
    pub(super) nodes: BTreeMap<u64, Vec3>,
    /// Elements by id.
    pub(super) elements: BTreeMap<u64, Element>,
    /// Hexahedra, prisms and pyramids, until they are divided into tetrahedra.
    undivided: BTreeMap<u64, Element>,
    pub(super) node_sets: BTreeMap<String, BTreeSet<u64>>,
    pub(super) element_sets: BTreeMap<String, BTreeSet<u64>>,
    /// Elements and face indices (from 0) by surface name.
    pub(super) surfaces: BTreeMap<String, Vec<(u64, usize)>>,
    /// Nodes by surface name.
    pub(super) node_surfaces: BTreeMap<String, BTreeSet<u64>>,
}

impl Model {
    /// Reads a card. Returns `false` if it does not define geometry.
    pub(super) fn read(&mut self, card: &Card, findings: &mut Findings) -> bool {
        match card.keyword.as_str() {
            "NODE" => self.read_nodes(card, findings),
            "ELEMENT" => self.read_elements(card, findings),
            "NSET" => self.read_node_set(card, findings),
            "ELSET" => self.read_element_set(card, findings),
            "SURFACE" => self.read_surface(card, findings),
            _ => return false,
        }
        true
    }

    /// Reads `*NODE`: ids and coordinates (m); missing coordinates are zero. Refuses a second node with the same id at
    /// another position.
    fn read_nodes(&mut self, card: &Card, findings: &mut Findings) {
        card.allow_only(&["NSET"], findings);
        for row in &card.rows {
            let coordinates: Option<Vec<f64>> = (1..4)
                .map(|k| if row.text(k).is_empty() { Some(0.0) } else { row.number(k) })
                .collect();
            match (identifier(row.text(0)), coordinates) {
                (Some(id), Some(coordinates)) => {
                    let position = Vec3::from_slice(&coordinates);
                    let previous = self.nodes.insert(id, position);
                    if previous.is_some_and(|previous| previous != position) {
                        let message = format!("node {id} is defined above, at another position");
                        card.refuse_row(row, findings, message);
                    }
                    if let Some(set) = card.parameter("NSET") {
                        self.node_sets.entry(set.to_owned()).or_default().insert(id);
                    }
                }
                _ => card.refuse_row(row, findings, "a node is a number and three coordinates"),
            }
        }
    }

    /// Reads `*ELEMENT`: solid elements, whose node numbers may extend over several lines, and their set `ELSET`.
    /// Refuses shells, beams and other types, elements with a wrong number of nodes, and ids that occur twice.
    fn read_elements(&mut self, card: &Card, findings: &mut Findings) {
        card.allow_only(&["TYPE", "ELSET"], findings);
        let Some(node_count) = node_count_of_type(card, findings) else { return };
        // The number of an element and the numbers of its nodes, which may continue on the next row.
        let mut pending: Vec<u64> = Vec::new();
        let mut first_line = card.line;
        for row in &card.rows {
            first_line = if pending.is_empty() { row.line } else { first_line };
            let numbers = row.fields.iter().filter(|field| !field.is_empty());
            match numbers.map(|field| identifier(field)).collect::<Option<Vec<_>>>() {
                Some(numbers) => pending.extend(numbers),
                None => card.refuse_row(row, findings, "an element is a list of numbers"),
            }
            if pending.len() == node_count + 1 {
                let (id, nodes) = (pending[0], pending.split_off(1));
                pending.clear();
                if let Some(earlier) = self.elements.get(&id).or(self.undivided.get(&id)) {
                    let message = format!("element {id} is defined in line {}", earlier.line);
                    findings.refuse(&card.file, first_line, message);
                    continue;
                }
                self.add_element(id, Element { nodes, file: card.file.clone(), line: first_line });
                let set = card.parameter("ELSET").unwrap_or_default();
                self.element_sets.entry(set.to_owned()).or_default().insert(id);
            } else if pending.len() > node_count {
                card.refuse_row(
                    row,
                    findings,
                    format!("an element of this type has {node_count} nodes"),
                );
                pending.clear();
            }
        }
        if !pending.is_empty() {
            card.refuse(findings, format!("the last element has fewer than {node_count} nodes"));
        }
    }

    /// Adds a tetrahedron, or an element that will be divided into tetrahedra.
    fn add_element(&mut self, id: u64, element: Element) {
        match element.nodes.len() {
            4 | 10 => self.elements.insert(id, element),
            _ => self.undivided.insert(id, element),
        };
    }

    /// Reads `*NSET`, and adds its nodes to an earlier set of the same name.
    fn read_node_set(&mut self, card: &Card, findings: &mut Findings) {
        card.allow_only(&["NSET", "GENERATE", "ELSET", INTERNAL, UNSORTED], findings);
        let Some(name) = card.required("NSET", findings) else { return };
        let mut members = members(card, &self.node_sets, findings);
        if let Some(elements) = card.parameter("ELSET") {
            match self.element_sets.get(elements) {
                Some(elements) => members.extend(self.nodes_of_elements(elements)),
                None => {
                    card.refuse(findings, format!("there is no element set `{elements}` above"));
                }
            }
        }
        self.node_sets.entry(name.to_owned()).or_default().extend(members);
    }

    /// Reads `*ELSET`, and adds its elements to an earlier set of the same name.
    fn read_element_set(&mut self, card: &Card, findings: &mut Findings) {
        card.allow_only(&["ELSET", "GENERATE", INTERNAL, UNSORTED], findings);
        let Some(name) = card.required("ELSET", findings) else { return };
        let members = members(card, &self.element_sets, findings);
        self.element_sets.entry(name.to_owned()).or_default().extend(members);
    }

    /// Reads `*SURFACE` of element faces or of nodes.
    fn read_surface(&mut self, card: &Card, findings: &mut Findings) {
        card.allow_only(&["NAME", "TYPE", INTERNAL], findings);
        let Some(name) = card.required("NAME", findings) else { return };
        match card.parameter("TYPE") {
            None | Some("ELEMENT") => {}
            Some("NODE") => return self.read_node_surface(name, card, findings),
            Some(_) => {
                return card.refuse(findings, "only surfaces of faces or nodes can be expressed");
            }
        }
        let mut faces = Vec::new();
        for row in &card.rows {
            match (self.elements_of(row.text(0)), face_index(row.text(1), 'S')) {
                (Some(elements), Some(face)) => faces.extend(elements.iter().map(|e| (*e, face))),
                _ => {
                    card.refuse_row(row, findings, "a face is an element or a set, and S1 to S6");
                }
            }
        }
        self.surfaces.entry(name.to_owned()).or_default().extend(faces);
    }

    /// Reads the nodes and node sets of `*SURFACE, TYPE=NODE`.
    fn read_node_surface(&mut self, name: &str, card: &Card, findings: &mut Findings) {
        let mut surface_nodes = BTreeSet::new();
        for row in &card.rows {
            match self.nodes_of(row.text(0)) {
                Some(nodes) => surface_nodes.extend(nodes),
                None => card.refuse_row(row, findings, "there is no such node or node set above"),
            }
        }
        self.node_surfaces.entry(name.to_owned()).or_default().extend(surface_nodes);
    }

    /// The elements of the set with this name, or the element with this number; `None` if neither exists.
    pub(super) fn elements_of(&self, id_or_set: &str) -> Option<BTreeSet<u64>> {
        match self.element_sets.get(id_or_set) {
            Some(set) => Some(set.clone()),
            None => identifier(id_or_set)
                .filter(|id| self.elements.contains_key(id) || self.undivided.contains_key(id))
                .map(|id| BTreeSet::from([id])),
        }
    }

    /// The nodes of elements.
    fn nodes_of_elements(&self, elements: &BTreeSet<u64>) -> BTreeSet<u64> {
        let element = |id: &u64| self.elements.get(id).or_else(|| self.undivided.get(id));
        let nodes = elements.iter().filter_map(element).flat_map(|element| &element.nodes);
        nodes.copied().collect()
    }

    /// Divides hexahedra, prisms and pyramids into tetrahedra with new numbers, which replace them in element sets and
    /// surfaces. Notes their counts.
    pub(super) fn divide(&mut self, findings: &mut Findings) -> Division {
        let undivided = std::mem::take(&mut self.undivided);
        let last_id =
            undivided.keys().chain(self.elements.keys()).max().copied().unwrap_or_default();
        let mut division = Division { next_id: last_id + 1, ..Division::default() };
        for (id, element) in &undivided {
            self.divide_element(*id, element, &mut division);
        }
        if !undivided.is_empty() {
            findings.note(format!(
                "{} hexahedra, prisms and pyramids are divided into {} linear tetrahedra, which are stiffer in bending",
                undivided.len(),
                division.next_id - last_id - 1
            ));
        }
        self.element_sets.values_mut().for_each(|set| division.replace_elements(set));
        for faces in self.surfaces.values_mut() {
            *faces = faces.iter().flat_map(|face| division.faces_of(*face)).collect();
        }
        division
    }

    /// Adds the tetrahedra of an element, and records which of them replace the element and its faces.
    fn divide_element(&mut self, id: u64, element: &Element, division: &mut Division) {
        let corners: Vec<i64> = element.nodes.iter().map(|node| *node as i64).collect();
        let position = |node: i64| self.nodes.get(&(node as u64)).copied();
        let mut tets = Vec::new();
        for tet in divided_element(&corners, position) {
            let nodes = tet.map(|node| node as u64).to_vec();
            tets.push(division.next_id);
            self.elements.insert(division.next_id, Element { nodes, ..element.clone() });
            division.next_id += 1;
        }
        for (face, corners) in faces_of(element.nodes.len()).iter().enumerate() {
            let corners: Vec<i64> = corners.iter().map(|k| element.nodes[*k] as i64).collect();
            let triangles = divided_face(&corners);
            let tetrahedron_face = |triangle| self.tetrahedron_face(&tets, triangle);
            let faces = triangles.into_iter().filter_map(tetrahedron_face).collect();
            division.faces.insert((id, face), faces);
        }
        division.tets_of_element.insert(id, tets);
    }

    /// The tetrahedron among `tets` that has a triangle as a face, with the index (from 0) of that face.
    fn tetrahedron_face(&self, tets: &[u64], triangle: [i64; 3]) -> Option<(u64, usize)> {
        let has_triangle = |nodes: &[u64], face: &[usize; 3]| {
            face.iter().all(|k| triangle.contains(&(nodes[*k] as i64)))
        };
        tets.iter().find_map(|tet| {
            let nodes = &self.elements.get(tet)?.nodes;
            Some((*tet, FACES.iter().position(|face| has_triangle(nodes, face))?))
        })
    }

    /// The nodes of the set with this name, or the node with this number; `None` if neither exists.
    pub(super) fn nodes_of(&self, id_or_set: &str) -> Option<BTreeSet<u64>> {
        match self.node_sets.get(id_or_set) {
            Some(set) => Some(set.clone()),
            None => identifier(id_or_set)
                .filter(|id| self.nodes.contains_key(id))
                .map(|id| BTreeSet::from([id])),
        }
    }

    /// Deck numbers of the corners of a face of a tetrahedron; `face` counts from 0. `None` if there is no such face.
    pub(super) fn face_corners(&self, element: u64, face: usize) -> Option<[u64; 3]> {
        let nodes = &self.elements.get(&element)?.nodes;
        Some(FACES.get(face)?.map(|k| nodes[k]))
    }
}

/// The tetrahedra of divided elements.
#[derive(Debug, Default)]
pub(super) struct Division {
    /// Ids of the tetrahedra of each divided element.
    tets_of_element: BTreeMap<u64, Vec<u64>>,
    /// For each face of a divided element, the faces of tetrahedra that make it up.
    faces: BTreeMap<(u64, usize), Vec<(u64, usize)>>,
    /// Number of the next new tetrahedron.
    next_id: u64,
}

impl Division {
    /// Replaces the divided elements of a set by their tetrahedra.
    pub(super) fn replace_elements(&self, set: &mut BTreeSet<u64>) {
        let replacement =
            |id: &u64| self.tets_of_element.get(id).cloned().unwrap_or_else(|| vec![*id]);
        *set = set.iter().flat_map(replacement).collect();
    }

    /// Faces of tetrahedra that make up the face of an element; the face itself if the element is not divided.
    pub(super) fn faces_of(&self, face: (u64, usize)) -> Vec<(u64, usize)> {
        let (element, _) = face;
        match self.tets_of_element.contains_key(&element) {
            true => self.faces.get(&face).cloned().unwrap_or_default(),
            false => vec![face],
        }
    }
}

/// Corners of the faces S1, S2, ... of a hexahedron, prism or pyramid with this number of nodes.
fn faces_of(node_count: usize) -> &'static [&'static [usize]] {
    match node_count {
        8 => &[
            &[0, 1, 2, 3],
            &[4, 7, 6, 5],
            &[0, 4, 5, 1],
            &[1, 5, 6, 2],
            &[2, 6, 7, 3],
            &[3, 7, 4, 0],
        ],
        6 => &[&[0, 1, 2], &[3, 5, 4], &[0, 3, 4, 1], &[1, 4, 5, 2], &[2, 5, 3, 0]],
        5 => &[&[0, 1, 2, 3], &[0, 4, 1], &[1, 4, 2], &[2, 4, 3], &[3, 4, 0]],
        _ => &[],
    }
}

/// Index (from 0) of a face with a label such as `S3` or `P3`, which begins with `letter`; `None` for other texts.
pub(super) fn face_index(label: &str, letter: char) -> Option<usize> {
    let number: usize = label.strip_prefix(letter)?.parse().ok()?;
    (1..=6).contains(&number).then(|| number - 1)
}

/// Parses a positive id.
fn identifier(text: &str) -> Option<u64> {
    text.parse().ok().filter(|id| *id > 0)
}

/// Ids in the rows of a set card: generated ranges, or listed ids and members of other `sets`. Refuses invalid ranges
/// and unknown sets.
fn members(
    card: &Card,
    sets: &BTreeMap<String, BTreeSet<u64>>,
    findings: &mut Findings,
) -> BTreeSet<u64> {
    let generates = card.parameter("GENERATE").is_some();
    let mut members = BTreeSet::new();
    for row in &card.rows {
        if generates {
            match generated_ids(row) {
                Some(ids) => members.extend(ids),
                None => card.refuse_row(row, findings, "needs a first, a last and a step"),
            }
            continue;
        }
        for field in row.fields.iter().filter(|field| !field.is_empty()) {
            match (identifier(field), sets.get(field)) {
                (_, Some(set)) => members.extend(set),
                (Some(id), None) => drop(members.insert(id)),
                (None, None) => {
                    card.refuse_row(row, findings, format!("there is no set `{field}` above"));
                }
            }
        }
    }
    members
}

/// Ids from a first to a last with an increment (1 by default), in a row of `GENERATE`. `None` for invalid numbers and
/// for more ids than [`MAX_GENERATED`].
fn generated_ids(row: &Row) -> Option<impl Iterator<Item = u64>> {
    let (first, last) = (identifier(row.text(0))?, identifier(row.text(1))?);
    let increment = if row.text(2).is_empty() { 1 } else { identifier(row.text(2))? };
    let is_bounded = last.saturating_sub(first) / increment < MAX_GENERATED;
    is_bounded.then_some((first..=last).step_by(usize::try_from(increment).ok()?))
}

/// Number of nodes of the elements of the type of a card `*ELEMENT`. Refuses types that cannot be expressed.
fn node_count_of_type(card: &Card, findings: &mut Findings) -> Option<usize> {
    match card.required("TYPE", findings)? {
        "C3D4" => Some(4),
        "C3D10" | "C3D10T" => Some(10),
        "C3D8" | "C3D8R" | "C3D8I" => Some(8),
        "C3D6" => Some(6),
        "C3D5" => Some(5),
        other => {
            let message = format!(
                "elements `{other}` cannot be expressed, only C3D4, C3D10, C3D5, C3D6 and C3D8"
            );
            card.refuse(findings, message);
            None
        }
    }
}
