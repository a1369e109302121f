//! Supports, prescribed displacements and loads, from cards before and inside the step.

use super::deck::{Card, Row};
use super::model::{Division, Model, face_index};
use crate::refusal::Findings;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Prescribed displacement (m) of nodes along some axes, with the name of its amplitude.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Support {
    pub(super) nodes: BTreeSet<u64>,
    /// Whether x, y and z are prescribed.
    pub(super) axes: [bool; 3],
    /// Displacement along each of these axes.
    pub(super) value: f64,
    pub(super) amplitude: Option<String>,
    pub(super) place: Place,
}

/// File and line of a condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    file: Arc<Path>,
    line: usize,
}

impl Place {
    /// Reports a refusal at this place.
    pub(super) fn refuse(&self, findings: &mut Findings, what: impl Into<String>) {
        findings.refuse(&self.file, self.line, what);
    }
}

impl Support {
    /// Whether two supports prescribe the same displacement.
    fn agrees(&self, other: &Self) -> bool {
        self.value == other.value && (self.value == 0.0 || self.amplitude == other.amplitude)
    }
}

/// A force on each node of a set (N).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NodalForce {
    pub(super) nodes: BTreeSet<u64>,
    /// Index of the direction, from 0.
    pub(super) axis: usize,
    pub(super) value: f64,
    /// Name of the amplitude.
    pub(super) amplitude: Option<String>,
    pub(super) place: Place,
}

/// Pressure on element faces (Pa), positive inwards.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FacePressure {
    /// Name of the group of faces.
    pub(super) name: String,
    /// Element and index (from 0) of each face.
    pub(super) faces: BTreeSet<(u64, usize)>,
    pub(super) value: f64,
    pub(super) amplitude: Option<String>,
    /// Index of the card, for messages.
    pub(super) card: usize,
}

/// Gravity of elements.
#[derive(Debug)]
pub(super) struct Gravity {
    /// Acceleration (m/s^2).
    pub(super) acceleration: [f64; 3],
    pub(super) elements: BTreeSet<u64>,
    pub(super) place: Place,
}

/// All conditions of a deck.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    /// Supports in the order of the deck; the last one for a node and axis applies.
    supports: Vec<Support>,
    pub(super) forces: Vec<NodalForce>,
    pub(super) pressures: Vec<FacePressure>,
    pub(super) gravity: Option<Gravity>,
}

impl Conditions {
    /// Reads a card with its index in the deck. Returns `false` if the card is not a condition.
    pub(super) fn read(
        &mut self,
        (card_index, card): (usize, &Card),
        model: &Model,
        findings: &mut Findings,
    ) -> bool {
        match card.keyword.as_str() {
            "BOUNDARY" => self.read_boundary(card, model, findings),
            "CLOAD" => self.read_forces(card, model, findings),
            "DLOAD" => self.read_distributed(card_index, card, model, findings),
            "DSLOAD" => self.read_surface_loads(card_index, card, model, findings),
            _ => return false,
        }
        true
    }

    /// Supports without the nodes and axes for which a later one prescribes another displacement. Zero displacements of
    /// the same nodes are merged to one support.
    pub(super) fn supports(&self) -> Vec<Support> {
        let mut effective: Vec<Support> = Vec::new();
        for (index, support) in self.supports.iter().enumerate() {
            // Nodes by the axes for which this support still applies.
            let mut remaining: BTreeMap<[bool; 3], BTreeSet<u64>> = BTreeMap::new();
            for node in &support.nodes {
                let later = self.supports[index + 1..].iter();
                let conflicting =
                    later.filter(|later| later.nodes.contains(node) && !later.agrees(support));
                let mut axes = support.axes;
                conflicting
                    .for_each(|conflicting| (0..3).for_each(|k| axes[k] &= !conflicting.axes[k]));
                remaining.entry(axes).or_default().insert(*node);
            }
            for (axes, nodes) in remaining.into_iter().filter(|(axes, _)| axes.contains(&true)) {
                let is_mergeable = |existing: &&mut Support| {
                    existing.value == 0.0 && support.value == 0.0 && existing.nodes == nodes
                };
                match effective.iter_mut().find(is_mergeable) {
                    Some(existing) => (0..3).for_each(|k| existing.axes[k] |= axes[k]),
                    None => effective.push(Support { nodes, axes, ..support.clone() }),
                }
            }
        }
        effective
    }

    /// Reads `*BOUNDARY`: nodes, degrees of freedom and a displacement (m). Refuses unknown nodes and degrees of freedom
    /// above 6, and notes rotations.
    fn read_boundary(&mut self, card: &Card, model: &Model, findings: &mut Findings) {
        card.allow_only(&["OP", "AMPLITUDE", "FIXED"], findings);
        let amplitude = card.parameter("AMPLITUDE").map(str::to_owned);
        let mut rotations_noted = false;
        for row in &card.rows {
            let Some(nodes) = model.nodes_of(row.text(0)) else {
                refuse_unknown_nodes(card, row, findings);
                continue;
            };
            let Some(DegreesOfFreedom { axes, has_rotations }) = DegreesOfFreedom::of(row) else {
                let message = "nodes of solids have the degrees of freedom 1, 2 and 3 only";
                card.refuse_row(row, findings, message);
                continue;
            };
            if has_rotations && !rotations_noted {
                findings.note(format!(
                    "{}: the degrees of freedom 4 to 6 have no effect, because nodes of solids do not rotate",
                    card.location()
                ));
                rotations_noted = true;
            }
            let value = if row.text(3).is_empty() { Some(0.0) } else { row.number(3) };
            let Some(value) = value else {
                card.refuse_row(row, findings, format!("`{}` is not a displacement", row.text(3)));
                continue;
            };
            if axes.contains(&true) {
                let (amplitude, place) = (amplitude.clone(), place(card, row));
                self.supports.push(Support { nodes, axes, value, amplitude, place });
            }
        }
    }

    /// Reads `*CLOAD`: nodes, a direction and a force on each node (N). Refuses unknown nodes and directions.
    fn read_forces(&mut self, card: &Card, model: &Model, findings: &mut Findings) {
        card.allow_only(&["OP", "AMPLITUDE"], findings);
        for row in &card.rows {
            let Some(nodes) = model.nodes_of(row.text(0)) else {
                refuse_unknown_nodes(card, row, findings);
                continue;
            };
            match (row.text(1).parse::<usize>(), row.number(2)) {
                (Ok(1..=3), None) => {
                    card.refuse_row(row, findings, value_message("force", row.text(2)));
                }
                (Ok(axis @ 1..=3), Some(value)) => self.forces.push(NodalForce {
                    nodes,
                    axis: axis - 1,
                    value,
                    amplitude: card.parameter("AMPLITUDE").map(str::to_owned),
                    place: place(card, row),
                }),
                _ => card.refuse_row(
                    row,
                    findings,
                    "a force has a direction of 1, 2 or 3 and a value",
                ),
            }
        }
    }

    /// Reads `*DLOAD`: pressures `P1` to `P6` and gravity `GRAV`. Refuses other load types and unknown elements or
    /// sets.
    fn read_distributed(
        &mut self,
        card_index: usize,
        card: &Card,
        model: &Model,
        findings: &mut Findings,
    ) {
        card.allow_only(&["OP", "AMPLITUDE"], findings);
        for row in &card.rows {
            let Some(elements) = model.elements_of(row.text(0)) else {
                let message = format!("there is no element or set `{}`", row.text(0));
                card.refuse_row(row, findings, message);
                continue;
            };
            if row.text(1) == "GRAV" {
                self.set_gravity(card, row, elements, findings);
                continue;
            }
            let Some(face) = face_index(row.text(1), 'P') else {
                let message = format!(
                    "the distributed load `{}` cannot be expressed, only P1 to P6 and GRAV",
                    row.text(1)
                );
                card.refuse_row(row, findings, message);
                continue;
            };
            let Some(value) = row.number(2) else {
                card.refuse_row(row, findings, value_message("pressure", row.text(2)));
                continue;
            };
            let faces = elements.into_iter().map(|element| (element, face)).collect();
            let name = format!("{}-{}", row.text(0), row.text(1));
            self.add_pressure((card_index, card), name, faces, value);
        }
    }

    /// Notes forces on nodes of no element, on which they do not act.
    pub(super) fn note_unused_nodes(&self, model: &Model, findings: &mut Findings) {
        let used: BTreeSet<u64> =
            model.elements.values().flat_map(|element| element.nodes.iter().copied()).collect();
        for force in self.forces.iter().filter(|force| force.value != 0.0) {
            let unused: Vec<u64> = force.nodes.difference(&used).copied().collect();
            let Some(first) = unused.first() else { continue };
            let name = force.place.file.file_name().unwrap_or_default().to_string_lossy();
            findings.note(format!(
                "{name}:{}: forces on {} of {} nodes have no effect, because these are nodes of no element; the first is \
                 node {first}",
                force.place.line,
                unused.len(),
                force.nodes.len()
            ));
        }
    }

    /// Replaces divided elements and their faces by tetrahedra in pressures and gravity.
    pub(super) fn divide(&mut self, division: &Division) {
        for pressure in &mut self.pressures {
            let faces = pressure.faces.iter().flat_map(|face| division.faces_of(*face));
            pressure.faces = faces.collect();
        }
        if let Some(gravity) = &mut self.gravity {
            division.replace_elements(&mut gravity.elements);
        }
    }

    /// Adds a pressure (Pa) on faces, given as elements and face indices, with the amplitude of the card.
    fn add_pressure(
        &mut self,
        (card_index, card): (usize, &Card),
        name: String,
        faces: BTreeSet<(u64, usize)>,
        value: f64,
    ) {
        let amplitude = card.parameter("AMPLITUDE").map(str::to_owned);
        self.pressures.push(FacePressure { name, faces, value, amplitude, card: card_index });
    }

    /// Reads a row of `GRAV`, which acts on `elements`: magnitude (m/s^2) and direction. Refuses missing numbers, a
    /// zero direction, amplitudes, and a second gravity of another value.
    fn set_gravity(
        &mut self,
        card: &Card,
        row: &Row,
        elements: BTreeSet<u64>,
        findings: &mut Findings,
    ) {
        let [Some(magnitude), Some(x), Some(y), Some(z)] = [2, 3, 4, 5].map(|k| row.number(k))
        else {
            return card.refuse_row(row, findings, "`GRAV` has a size and a direction");
        };
        if card.parameter("AMPLITUDE").is_some() {
            return card.refuse(findings, "gravity with an amplitude cannot be expressed");
        }
        let length = (x * x + y * y + z * z).sqrt();
        if length == 0.0 {
            return card.refuse_row(row, findings, "the direction of `GRAV` is zero");
        }
        let gravity = [x, y, z].map(|component| magnitude * component / length);
        match &mut self.gravity {
            Some(existing) if existing.acceleration == gravity => {
                existing.elements.extend(elements);
            }
            Some(_) => {
                card.refuse_row(row, findings, "two different gravities cannot be expressed");
            }
            unset => {
                let place = place(card, row);
                *unset = Some(Gravity { acceleration: gravity, elements, place });
            }
        }
    }

    /// Reads `*DSLOAD`: pressures (Pa) on named surfaces. Refuses unknown surfaces and other loads.
    fn read_surface_loads(
        &mut self,
        card_index: usize,
        card: &Card,
        model: &Model,
        findings: &mut Findings,
    ) {
        card.allow_only(&["OP", "AMPLITUDE"], findings);
        for row in &card.rows {
            match (model.surfaces.get(row.text(0)), row.text(1), row.number(2)) {
                (Some(faces), "P", Some(value)) => {
                    let faces = faces.iter().copied().collect();
                    self.add_pressure((card_index, card), row.text(0).to_owned(), faces, value);
                }
                (None, ..) => {
                    let message = format!("there is no surface `{}` above", row.text(0));
                    card.refuse_row(row, findings, message);
                }
                (_, "P", None) => {
                    card.refuse_row(row, findings, value_message("pressure", row.text(2)));
                }
                (_, load, _) => {
                    let message = format!(
                        "the surface load `{load}` cannot be expressed, only pressure, `P`"
                    );
                    card.refuse_row(row, findings, message);
                }
            }
        }
    }
}

/// The place of a row.
fn place(card: &Card, row: &Row) -> Place {
    Place { file: card.file.clone(), line: row.line }
}

/// Refuses a row whose node or node set does not exist.
fn refuse_unknown_nodes(card: &Card, row: &Row, findings: &mut Findings) {
    card.refuse_row(row, findings, format!("there is no node or set `{}`", row.text(0)));
}

/// Message for a load without a value or with one that is no finite number.
fn value_message(load: &str, value: &str) -> String {
    match value {
        "" => format!("the {load} has no value"),
        _ => format!("the value `{value}` of the {load} is not a finite number"),
    }
}

/// The degrees of freedom of a row of `*BOUNDARY`.
struct DegreesOfFreedom {
    /// Whether x, y and z are prescribed.
    axes: [bool; 3],
    /// Whether rotations are prescribed by number.
    has_rotations: bool,
}

impl DegreesOfFreedom {
    /// Parses a row; `None` if it has other degrees of freedom than displacements and rotations.
    fn of(row: &Row) -> Option<Self> {
        let without_rotations = |axes| Some(Self { axes, has_rotations: false });
        match row.text(1) {
            "ENCASTRE" | "PINNED" => return without_rotations([true; 3]),
            "XSYMM" => return without_rotations([true, false, false]),
            "YSYMM" => return without_rotations([false, true, false]),
            "ZSYMM" => return without_rotations([false, false, true]),
            _ => {}
        }
        let first: usize = row.text(1).parse().ok()?;
        let last = if row.text(2).is_empty() { first } else { row.text(2).parse().ok()? };
        (1 <= first && first <= last && last <= 6).then(|| Self {
            axes: [1, 2, 3].map(|number| (first..=last).contains(&number)),
            has_rotations: last > 3,
        })
    }
}
