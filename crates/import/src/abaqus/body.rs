//! Bodies of a scene from the components of a deck: materials, supports and loads.

use super::Amplitudes;
use super::component::{Component, components};
use super::conditions::{Conditions, FacePressure};
use super::contact::BodyNodes;
use super::deck::Card;
use super::material::Material;
use super::model::Model;
use super::procedure::{Method, Procedure};
use crate::GeneratedMesh;
use crate::choose;
use crate::draft::{DraftBody, Hold, Key, Motion, Region};
use crate::naming::Names;
use crate::refusal::Findings;
use crate::ron::{Field, Ron, quoted, word};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Writes the bodies of a deck.
pub(super) struct BodyWriter<'a> {
    pub(super) file: &'a Path,
    /// Name of the file without its extension.
    pub(super) stem: &'a str,
    pub(super) cards: &'a [Card],
    pub(super) model: &'a Model,
    pub(super) conditions: &'a Conditions,
    pub(super) materials: &'a BTreeMap<String, Material>,
    pub(super) procedure: Procedure,
    pub(super) amplitudes: &'a Amplitudes,
    pub(super) findings: &'a mut Findings,
    /// Material name of each element.
    pub(super) sections: BTreeMap<u64, String>,
    /// Meshes of the bodies.
    pub(super) files: Vec<GeneratedMesh>,
    /// Names and nodes of the bodies.
    pub(super) body_nodes: Vec<BodyNodes>,
    /// Probes, in scene syntax.
    pub(super) probes: Vec<Ron>,
    pub(super) probe_names: Names,
}

/// A component that is being converted to a body, with the mesh groups added so far.
struct BodyBuilder {
    part: Component,
    /// Names of the groups.
    names: Names,
    /// Name of each group by its nodes.
    groups: BTreeMap<BTreeSet<u64>, String>,
}

impl BodyWriter<'_> {
    /// One body per component of the mesh. Refuses decks without solid elements, and invalid elements.
    pub(super) fn bodies(&mut self) -> Vec<DraftBody> {
        self.read_sections();
        let components = components(self.model);
        if components.is_empty() {
            self.findings.refuse(
                self.file,
                None,
                "there are no elements C3D4, C3D10, C3D5, C3D6 or C3D8",
            );
        }
        let has_several = components.len() > 1;
        let mut bodies = Vec::new();
        for (n, part) in components.into_iter().enumerate() {
            let invalid_elements = part.invalid_elements(self.model);
            for (element, what) in &invalid_elements {
                self.findings.refuse(&element.file, element.line, what);
            }
            if invalid_elements.is_empty() {
                let name = match has_several {
                    true => format!("{}-{}", self.stem, n + 1),
                    false => self.stem.to_owned(),
                };
                bodies.extend(self.body(name, part));
            }
        }
        bodies
    }

    /// Assigns materials to elements by the cards `*SOLID SECTION`. Refuses unknown sets and materials, materials
    /// without a law, hyperelastic laws without `NLGEOM`, and dynamic steps of materials without a density.
    fn read_sections(&mut self) {
        for card in self.cards.iter().filter(|card| card.keyword == "SOLID SECTION") {
            card.allow_only(&["ELSET", "MATERIAL"], self.findings);
            let (Some(set), Some(material)) =
                (card.required("ELSET", self.findings), card.required("MATERIAL", self.findings))
            else {
                continue;
            };
            match (self.model.element_sets.get(set), self.materials.get(material)) {
                (None, _) => card.refuse(self.findings, format!("there is no element set `{set}`")),
                (_, None) => {
                    card.refuse(self.findings, format!("there is no material `{material}`"));
                }
                (Some(set), Some(definition)) => {
                    if definition.ron(self.procedure.nonlinear).is_none() {
                        card.refuse(self.findings, format!("material `{material}` has no law"));
                    }
                    if definition.is_hyperelastic() && !self.procedure.nonlinear {
                        let message =
                            "a hyperelastic law is linearised without `NLGEOM`; add it to the step";
                        card.refuse(self.findings, message);
                    }
                    self.check_history(card, material, definition);
                    if !definition.has_density() && self.procedure.method != Method::Static {
                        card.refuse(self.findings, format!("material `{material}` has no density"));
                    }
                    self.sections.extend(set.iter().map(|id| (*id, material.to_owned())));
                }
            }
        }
    }

    /// Refuses plasticity and viscosity that cannot be combined with the rest of the material or with the procedure.
    fn check_history(&mut self, card: &Card, name: &str, material: &Material) {
        if let Some(conflict) = material.conflict() {
            card.refuse(self.findings, format!("material `{name}` {conflict}"));
        }
        let is_static = self.procedure.method == Method::Static;
        if material.is_viscous() && is_static && !self.procedure.long_term {
            let message = format!(
                "material `{name}` relaxes, and statics of a scene take its relaxed response; write \
                 `*STATIC, LONG TERM`, or `*DYNAMIC`"
            );
            card.refuse(self.findings, message);
        }
        if material.depends_on_rate() && is_static {
            self.findings.note(
                "statics of a scene take infinitely slow flow, without the overstress of `*RATE DEPENDENT`",
            );
        }
        if material.has_history() && !material.is_hyperelastic() {
            self.findings.note(
                "the elasticity of materials that yield or relax is Hencky's law, in logarithmic strains of any size; it \
                 agrees with the deck for small strains",
            );
        }
    }

    /// Converts a connected part of the mesh to a body with its materials, holds and loads.
    fn body(&mut self, name: String, part: Component) -> Option<DraftBody> {
        let mut builder = BodyBuilder { part, names: Names::default(), groups: BTreeMap::new() };
        let (material, group_materials) = self.materials_of(&mut builder)?;
        let mut body = DraftBody {
            file: format!("{name}.msh"),
            quadratic: builder.part.quadratic,
            material,
            group_materials,
            velocity: self.velocity_of(&builder.part),
            holds: self.holds(&mut builder),
            terms: self.forces(&mut builder),
            ..DraftBody::default()
        };
        for pressure in &self.conditions.pressures {
            body.terms.extend(self.pressure(&mut builder, pressure));
        }
        self.add_probes(&name, &mut builder);
        match builder.part.file(body.file.clone(), self.model) {
            Ok(file) => self.files.push(file),
            Err(error) => self.findings.refuse(self.file, None, error),
        }
        let (node_ids, _) = builder.part.points(self.model);
        self.body_nodes
            .push(BodyNodes { name: name.clone(), nodes: node_ids.into_iter().collect() });
        body.name = name;
        Some(body)
    }

    /// Material of most elements, and groups of elements with other materials.
    fn materials_of(
        &mut self,
        builder: &mut BodyBuilder,
    ) -> Option<(String, Vec<(String, String)>)> {
        let mut by_material: BTreeMap<&String, BTreeSet<u64>> = BTreeMap::new();
        for id in &builder.part.elements {
            let Some(material) = self.sections.get(id) else {
                let element = &self.model.elements[id];
                let message = format!("element {id} is in no `*SOLID SECTION`");
                self.findings.refuse(&element.file, element.line, message);
                return None;
            };
            by_material.entry(material).or_default().insert(*id);
        }
        let (main_material, _) = by_material.iter().max_by_key(|(_, elements)| elements.len())?;
        let main_material = main_material.to_string();
        let mut group_materials = Vec::new();
        for (material, elements) in by_material.iter().filter(|(name, _)| ***name != main_material)
        {
            let group = builder.names.unique(material);
            builder.part.add_elements(&group, elements);
            group_materials.push((group, (*material).clone()));
        }
        Some((main_material, group_materials))
    }

    /// Initial velocity (m/s), which must be the same for all nodes of a body.
    fn velocity_of(&mut self, part: &Component) -> [f64; 3] {
        let mut velocity = [0.0; 3];
        for card in self.cards.iter().filter(|card| card.keyword == "INITIAL CONDITIONS") {
            if card.parameter("TYPE") != Some("VELOCITY") {
                card.refuse(self.findings, "only initial velocities can be expressed");
                continue;
            }
            for row in &card.rows {
                let nodes = self.model.nodes_of(row.text(0)).unwrap_or_default();
                let (node_ids, _) = part.points(self.model);
                let matching_nodes = node_ids.iter().filter(|node| nodes.contains(node)).count();
                match (row.text(1).parse::<usize>(), row.number(2)) {
                    (Ok(1..=3), Some(_)) if matching_nodes == 0 => {}
                    (Ok(axis @ 1..=3), Some(value)) if matching_nodes == part.node_count() => {
                        velocity[axis - 1] = value;
                    }
                    (Ok(1..=3), Some(_)) => {
                        let message =
                            "initial velocities of some nodes of a body cannot be expressed";
                        card.refuse_row(row, self.findings, message);
                    }
                    _ => card.refuse_row(
                        row,
                        self.findings,
                        "needs a direction of 1 to 3 and a value",
                    ),
                }
            }
        }
        velocity
    }

    /// Converts the supports of nodes of the body to holds. Refuses node sets that no region selects.
    fn holds(&mut self, builder: &mut BodyBuilder) -> Vec<Hold> {
        let mut holds = Vec::new();
        for support in self.conditions.supports() {
            let part_nodes =
                support.nodes.iter().filter(|node| builder.part.has_node(**node)).copied();
            let nodes: BTreeSet<u64> = part_nodes.collect();
            if nodes.is_empty() {
                continue;
            }
            let Some(region) = self.region(builder, &nodes) else {
                let message = format!(
                    "the supports of {} nodes from {} on cannot be expressed: they are not all nodes of edges between them, \
                     and no plane or box has them alone",
                    nodes.len(),
                    nodes.first().copied().unwrap_or_default()
                );
                self.findings.refuse(self.file, None, message);
                continue;
            };
            let values = support.axes.map(|held| if held { support.value } else { 0.0 });
            let motion = self.motion(values, support.amplitude.as_ref());
            let mut hold = Hold::new(region, motion);
            hold.axes = support.axes;
            holds.push(hold);
        }
        holds
    }

    /// A motion that ends at the displacement `values` (m), or follows `values` times an amplitude.
    fn motion(&mut self, values: [f64; 3], amplitude: Option<&String>) -> Motion {
        if values == [0.0; 3] {
            return Motion::Fixed;
        }
        let points = amplitude.and_then(|name| self.amplitudes.get(name));
        let Some(points) = points else {
            if self.procedure.method != Method::Static {
                let message = "a displacement that jumps at the start cannot be expressed; give it an amplitude";
                self.findings.refuse(self.file, None, message);
            }
            return Motion::moving(values.map(|value| value / self.procedure.duration));
        };
        let key = |(time, factor): &(f64, f64)| Key {
            time: *time,
            translate: values.map(|value| value * factor),
            turn: None,
        };
        if points.first().is_some_and(|(time, factor)| *time <= 0.0 && *factor != 0.0) {
            let message = "an amplitude of a displacement must be zero at time 0";
            self.findings.refuse(self.file, None, message);
        }
        Motion::Keys { keys: points.iter().map(key).collect(), pivot: None }
    }

    /// Factor of a load over time by the name of its amplitude; `None` for a constant load.
    fn factor(&self, amplitude: Option<&String>) -> Option<Field> {
        let factor = match amplitude.and_then(|name| self.amplitudes.get(name)) {
            Some(points) => {
                let pair = |(time, factor): &(f64, f64)| {
                    Ron::Raw(format!(
                        "({}, {})",
                        Ron::from(*time).printed(0),
                        Ron::from(*factor).printed(0)
                    ))
                };
                let points = Ron::List(points.iter().map(pair).collect());
                Ron::Struct("Table", vec![Field::new("points", points)])
            }
            // Loads of a static step grow linearly over the step.
            None if self.procedure.is_in_load_steps() => {
                Ron::Struct("Ramp", vec![Field::new("end", self.procedure.duration)])
            }
            None => return None,
        };
        Some(Field::new("factor", factor))
    }

    /// Converts the nodal forces on the body to terms `Force`, one for the nodes with the same forces, or one for each
    /// node if no region selects them.
    fn forces(&mut self, builder: &mut BodyBuilder) -> Vec<Ron> {
        let mut force_by_nodes: BTreeMap<(BTreeSet<u64>, Option<&String>), [f64; 3]> =
            BTreeMap::new();
        for force in &self.conditions.forces {
            let part_nodes =
                force.nodes.iter().filter(|node| builder.part.has_node(**node)).copied();
            let part_nodes: BTreeSet<u64> = part_nodes.collect();
            if !part_nodes.is_empty() {
                force_by_nodes.entry((part_nodes, force.amplitude.as_ref())).or_default()
                    [force.axis] += force.value;
            }
        }
        let mut terms = Vec::new();
        for ((nodes, amplitude), force) in force_by_nodes {
            let counted_regions = match self.region(builder, &nodes) {
                Some(region) => vec![(region, nodes.len())],
                None => self.single_node_regions(builder, &nodes),
            };
            for (region, count) in counted_regions {
                let mut fields = vec![Field::new("force", force.map(|value| value * count as f64))];
                fields.push(Field::new("region", region.ron()));
                if count > 1 {
                    fields.push(Field::new("spread", word("Equal")));
                }
                fields.extend(self.factor(amplitude));
                terms.push(Ron::Struct("Force", fields));
            }
        }
        terms
    }

    /// A separate region for each node, with its number of nodes.
    fn single_node_regions(
        &mut self,
        builder: &mut BodyBuilder,
        nodes: &BTreeSet<u64>,
    ) -> Vec<(Region, usize)> {
        let mut regions = Vec::new();
        for node in nodes {
            match self.region(builder, &BTreeSet::from([*node])) {
                Some(region) => regions.push((region, 1)),
                None => {
                    let message = format!("no region of a scene has node {node} alone");
                    self.findings.refuse(self.file, None, message);
                }
            }
        }
        regions
    }

    /// Region that contains exactly these nodes: a mesh group, a plane or a box.
    fn region(&self, builder: &mut BodyBuilder, nodes: &BTreeSet<u64>) -> Option<Region> {
        let in_part = |set: &BTreeSet<u64>| -> BTreeSet<u64> {
            set.iter().filter(|node| builder.part.has_node(**node)).copied().collect()
        };
        if let Some(existing) = builder.groups.get(nodes) {
            return Some(Region::Group(existing.clone()));
        }
        let named = self.model.node_sets.iter().find(|(_, set)| in_part(set) == *nodes);
        let group_name = match (named, nodes.first()) {
            (Some((name, _)), _) => name.clone(),
            (None, Some(node)) => format!("nodes from {node}"),
            (None, None) => return None,
        };
        let name = builder.names.unique(&group_name);
        if builder.part.add_nodes(&name, nodes) {
            builder.groups.insert(nodes.clone(), name.clone());
            return Some(Region::Group(name));
        }
        let (ids, points) = builder.part.points(self.model);
        let selected: Vec<bool> = ids.iter().map(|id| nodes.contains(id)).collect();
        let indices: Vec<u32> = (0..ids.len() as u32).collect();
        choose::region(&points, &indices, &selected)
            .filter(|region| !matches!(region, Region::Nodes(_)))
    }

    /// Converts a pressure on element faces to the term `SurfacePressure` on a new group; `None` if no face belongs
    /// to the body. Refuses face numbers that the element does not have, and faces that no group can select.
    fn pressure(&mut self, builder: &mut BodyBuilder, pressure: &FacePressure) -> Option<Ron> {
        let part_faces = pressure
            .faces
            .iter()
            .filter(|(element, _)| builder.part.elements.binary_search(element).is_ok());
        let mut faces: Vec<[u64; 3]> = Vec::new();
        for (element, face) in part_faces {
            match self.model.face_corners(*element, *face) {
                Some(corners) => faces.push(corners),
                None => {
                    let message = format!("element {element} has no face {}", face + 1);
                    self.cards[pressure.card].refuse(self.findings, message);
                }
            }
        }
        if faces.is_empty() {
            return None;
        }
        let name = builder.names.unique(&pressure.name);
        if !builder.part.add_faces(&name, &faces) {
            let message = format!(
                "the faces of `{}` cannot be selected: they are inside the body, or other faces have all their corners \
                 among theirs",
                pressure.name
            );
            self.cards[pressure.card].refuse(self.findings, message);
            return None;
        }
        let mut fields = vec![
            Field::new("pressure", pressure.value),
            Field::new("region", Region::Group(name).ron()),
        ];
        if !self.procedure.nonlinear {
            fields.push(Field::new("follows", word("false")));
        }
        fields.extend(self.factor(pressure.amplitude.as_ref()));
        Some(Ron::Struct("SurfacePressure", fields))
    }

    /// Gravity (m/s^2), which must act on all elements.
    pub(super) fn gravity(&mut self) -> [f64; 3] {
        let Some((gravity, elements)) = &self.conditions.gravity else { return [0.0; 3] };
        if elements.len() != self.model.elements.len() {
            self.findings.refuse(
                self.file,
                None,
                "gravity on some elements alone cannot be expressed",
            );
        }
        for name in self.sections.values().collect::<BTreeSet<_>>() {
            if self.materials.get(name).is_some_and(|material| !material.has_density()) {
                let message = format!("material `{name}` has no density, which gravity needs");
                self.findings.refuse(self.file, None, message);
            }
        }
        *gravity
    }

    /// Adds probes for the node sets that the deck prints.
    fn add_probes(&mut self, body: &str, builder: &mut BodyBuilder) {
        for card in self.cards.iter().filter(|card| card.keyword == "NODE PRINT") {
            let Some(set) = card.parameter("NSET") else { continue };
            let nodes = self.model.node_sets.get(set).cloned().unwrap_or_default();
            let part_nodes =
                nodes.into_iter().filter(|node| builder.part.has_node(*node)).collect();
            let Some(region) = self.region(builder, &part_nodes) else { continue };
            let location = Ron::Struct(
                "Region",
                vec![Field::new("body", quoted(body)), Field::new("region", region.ron())],
            );
            let name = self.probe_names.unique(set);
            self.probes.push(Ron::Struct(
                "",
                vec![Field::new("name", quoted(&name)), Field::new("at", location)],
            ));
        }
    }
}
