//! Bodies of a scene from the components of a deck: materials, supports and loads.

use super::ParsedDeck;
use super::component::{Component, components};
use super::contact::BodyNodes;
use super::deck::Card;
use super::material::Material;
use super::procedure::Method;
use crate::GeneratedMesh;
use crate::choose;
use crate::draft::{DraftBody, Region};
use crate::naming::Names;
use crate::refusal::Findings;
use crate::ron::{Field, Ron, quoted};
use std::collections::{BTreeMap, BTreeSet};

/// Writes the bodies of a deck.
pub(super) struct BodyWriter<'a> {
    pub(super) deck: &'a ParsedDeck<'a>,
    pub(super) findings: &'a mut Findings,
    /// Material name of each element.
    pub(super) sections: BTreeMap<u64, String>,
    /// Meshes of the bodies.
    pub(super) files: Vec<GeneratedMesh>,
    /// Names and nodes of the bodies.
    pub(super) body_nodes: Vec<BodyNodes>,
    /// Probes, in scene syntax.
    pub(super) probes: Vec<Ron>,
    probe_names: Names,
}

/// A component that is being converted to a body, with the mesh groups added so far.
pub(super) struct BodyBuilder {
    pub(super) component: Component,
    /// Names of the groups.
    pub(super) names: Names,
    /// Name of each node group by its nodes.
    groups: BTreeMap<BTreeSet<u64>, String>,
}

impl BodyBuilder {
    /// The nodes of a set that belong to the component.
    pub(super) fn own_nodes(&self, nodes: &BTreeSet<u64>) -> BTreeSet<u64> {
        nodes.iter().filter(|node| self.component.has_node(**node)).copied().collect()
    }
}

impl<'a> BodyWriter<'a> {
    /// Prepares the conversion of a deck, without bodies so far.
    pub(super) fn new(deck: &'a ParsedDeck<'a>, findings: &'a mut Findings) -> Self {
        Self {
            deck,
            findings,
            sections: BTreeMap::new(),
            files: Vec::new(),
            body_nodes: Vec::new(),
            probes: Vec::new(),
            probe_names: Names::default(),
        }
    }

    /// Converts each component of the mesh to a body. Refuses decks without solid elements, and components with invalid
    /// elements.
    pub(super) fn bodies(&mut self) -> Vec<DraftBody> {
        self.read_sections();
        let components = components(&self.deck.model);
        self.note_turned(&components);
        if components.is_empty() {
            self.findings.refuse(
                self.deck.file,
                None,
                "there are no elements C3D4, C3D10, C3D5, C3D6 or C3D8",
            );
        }
        let has_several = components.len() > 1;
        let mut bodies = Vec::new();
        for (index, component) in components.into_iter().enumerate() {
            let invalid_elements = component.invalid_elements(&self.deck.model);
            for (element, message) in &invalid_elements {
                self.findings.refuse(&element.file, element.line, message);
            }
            if invalid_elements.is_empty() {
                let name = match has_several {
                    true => format!("{}-{}", self.deck.stem, index + 1),
                    false => self.deck.stem.clone(),
                };
                bodies.extend(self.body(name, component));
            }
        }
        bodies
    }

    /// Notes elements whose nodes are in the opposite order, which are turned over when their mesh is read.
    fn note_turned(&mut self, components: &[Component]) {
        let mut turned: Vec<u64> = components.iter().flat_map(Component::turned_elements).collect();
        turned.sort_unstable();
        let Some(first) = turned.first() else { return };
        let element = &self.deck.model.elements[first];
        let name = element.file.file_name().unwrap_or_default().to_string_lossy();
        self.findings.note(format!(
            "{name}:{}: {} of {} elements have their nodes in the opposite order (negative volume) and are turned over; the \
             first is here",
            element.line,
            turned.len(),
            self.deck.model.elements.len()
        ));
    }

    /// Assigns materials to elements by the cards `*SOLID SECTION`. Refuses unknown sets and materials, materials
    /// without a law, hyperelastic laws without `NLGEOM`, and materials without a density in dynamic and modal steps.
    fn read_sections(&mut self) {
        for card in self.deck.cards.iter().filter(|card| card.keyword == "SOLID SECTION") {
            card.allow_only(&["ELSET", "MATERIAL", "CONTROLS"], self.findings);
            if card.parameter("CONTROLS").is_some() {
                self.findings.note(format!(
                    "{}: `CONTROLS` has no effect: the elements of scenes need no control of hourglass modes",
                    card.location()
                ));
            }
            let (Some(set), Some(material)) =
                (card.required("ELSET", self.findings), card.required("MATERIAL", self.findings))
            else {
                continue;
            };
            match (self.deck.model.element_sets.get(set), self.deck.materials.get(material)) {
                (None, _) => card.refuse(self.findings, format!("there is no element set `{set}`")),
                (_, None) => {
                    card.refuse(self.findings, format!("there is no material `{material}`"));
                }
                (Some(set), Some(definition)) => {
                    if definition.lacks_law() {
                        card.refuse(self.findings, format!("material `{material}` has no law"));
                    }
                    if definition.is_hyperelastic() && !self.deck.procedure.nonlinear {
                        let message =
                            "a hyperelastic law is linearised without `NLGEOM`; add it to the step";
                        card.refuse(self.findings, message);
                    }
                    self.check_history(card, material, definition);
                    if !definition.has_density() && self.deck.procedure.method != Method::Static {
                        card.refuse(self.findings, format!("material `{material}` has no density"));
                    }
                    self.sections.extend(set.iter().map(|id| (*id, material.to_owned())));
                }
            }
        }
    }

    /// Refuses plasticity and viscosity that cannot be combined with the rest of the material or with the procedure.
    /// Notes where plastic or viscous materials of a scene differ from those of the deck.
    fn check_history(&mut self, card: &Card, name: &str, material: &Material) {
        if let Some(conflict) = material.conflict() {
            card.refuse(self.findings, format!("material `{name}` {conflict}"));
        }
        let is_static = self.deck.procedure.method == Method::Static;
        if material.is_viscous() && is_static && !self.deck.procedure.long_term {
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

    /// Converts a component to a body with its materials, holds and loads, and adds its mesh file, nodes and probes.
    /// Refuses elements without a section, for which the result is `None`.
    fn body(&mut self, name: String, component: Component) -> Option<DraftBody> {
        let mut builder =
            BodyBuilder { component, names: Names::default(), groups: BTreeMap::new() };
        let (material, group_materials) = self.materials_of(&mut builder)?;
        let mut body = DraftBody {
            file: format!("{name}.msh"),
            quadratic: builder.component.quadratic,
            material,
            group_materials,
            velocity: self.initial_velocity(&builder.component),
            holds: self.holds(&mut builder),
            terms: self.forces(&mut builder),
            ..DraftBody::default()
        };
        body.terms.extend(self.pressures(&mut builder));
        self.add_probes(&name, &mut builder);
        match builder.component.file(body.file.clone(), &self.deck.model) {
            Ok(file) => self.files.push(file),
            Err(error) => self.findings.refuse(self.deck.file, None, error),
        }
        let (node_ids, _) = builder.component.points(&self.deck.model);
        self.body_nodes
            .push(BodyNodes { name: name.clone(), nodes: node_ids.into_iter().collect() });
        body.name = name;
        Some(body)
    }

    /// Name of the material of most elements, and the name and material of a new mesh group for each other material.
    /// Refuses elements without a section.
    fn materials_of(
        &mut self,
        builder: &mut BodyBuilder,
    ) -> Option<(String, Vec<(String, String)>)> {
        let mut by_material: BTreeMap<&String, BTreeSet<u64>> = BTreeMap::new();
        for id in &builder.component.elements {
            let Some(material) = self.sections.get(id) else {
                if self.deck.materials.is_empty() && self.deck.has_no_step() {
                    return None;
                }
                let element = &self.deck.model.elements[id];
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
            builder.component.add_elements(&group, elements);
            group_materials.push((group, (*material).clone()));
        }
        Some((main_material, group_materials))
    }

    /// Initial velocity (m/s) of a component. Refuses velocities of some of its nodes only, and other initial
    /// conditions.
    fn initial_velocity(&mut self, component: &Component) -> [f64; 3] {
        let mut velocity = [0.0; 3];
        for card in self.deck.cards.iter().filter(|card| card.keyword == "INITIAL CONDITIONS") {
            if card.parameter("TYPE") != Some("VELOCITY") {
                card.refuse(self.findings, "only initial velocities can be expressed");
                continue;
            }
            for row in &card.rows {
                let nodes = self.deck.model.nodes_of(row.text(0)).unwrap_or_default();
                let matching_nodes = nodes.iter().filter(|node| component.has_node(**node)).count();
                match (row.text(1).parse::<usize>(), row.number(2)) {
                    (Ok(1..=3), Some(_)) if matching_nodes == 0 => {}
                    (Ok(direction @ 1..=3), Some(value))
                        if matching_nodes == component.node_count() =>
                    {
                        velocity[direction - 1] = value;
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

    /// Region of the component with exactly these nodes: a mesh group, which is added if it is new, or else a plane or
    /// a box. `None` if there is no such region.
    pub(super) fn region(
        &self,
        builder: &mut BodyBuilder,
        nodes: &BTreeSet<u64>,
    ) -> Option<Region> {
        if let Some(existing) = builder.groups.get(nodes) {
            return Some(Region::Group(existing.clone()));
        }
        let named =
            self.deck.model.node_sets.iter().find(|(_, set)| builder.own_nodes(set) == *nodes);
        let group_name = match (named, nodes.first()) {
            (Some((name, _)), _) => name.clone(),
            (None, Some(node)) => format!("nodes from {node}"),
            (None, None) => return None,
        };
        let name = builder.names.unique(&group_name);
        if builder.component.add_nodes(&name, nodes) {
            builder.groups.insert(nodes.clone(), name.clone());
            return Some(Region::Group(name));
        }
        let (ids, points) = builder.component.points(&self.deck.model);
        let selected: Vec<bool> = ids.iter().map(|id| nodes.contains(id)).collect();
        let indices: Vec<u32> = (0..ids.len() as u32).collect();
        choose::region(&points, &indices, &selected)
            .filter(|region| !matches!(region, Region::Nodes(_)))
    }

    /// Gravity (m/s^2). Refuses gravity on some elements alone, and materials without a density under gravity.
    pub(super) fn gravity(&mut self) -> [f64; 3] {
        let Some(gravity) = &self.deck.conditions.gravity else { return [0.0; 3] };
        if gravity.elements.len() != self.deck.model.elements.len() {
            let message = "gravity on some elements alone cannot be expressed";
            gravity.place.refuse(self.findings, message);
        }
        for name in self.sections.values().collect::<BTreeSet<_>>() {
            if self.deck.materials.get(name).is_some_and(|material| !material.has_density()) {
                let message = format!("material `{name}` has no density, which gravity needs");
                gravity.place.refuse(self.findings, message);
            }
        }
        gravity.acceleration
    }

    /// Adds probes for the node sets that the deck prints (`*NODE PRINT`), if a region selects them.
    fn add_probes(&mut self, body: &str, builder: &mut BodyBuilder) {
        for card in self.deck.cards.iter().filter(|card| card.keyword == "NODE PRINT") {
            let Some(set) = card.parameter("NSET") else { continue };
            let nodes = self.deck.model.node_sets.get(set).cloned().unwrap_or_default();
            let nodes = builder.own_nodes(&nodes);
            let Some(region) = self.region(builder, &nodes) else { continue };
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
