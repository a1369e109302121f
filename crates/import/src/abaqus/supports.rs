//! Supports and nodal forces of a body.

use super::body::{BodyBuilder, BodyWriter};
use super::conditions::Support;
use super::procedure::Method;
use crate::draft::{Hold, Key, Motion, Region};
use crate::ron::{Field, Ron, word};
use std::collections::{BTreeMap, BTreeSet};

impl BodyWriter<'_> {
    /// Converts the supports of nodes of the body to holds. Refuses node sets that no region selects.
    pub(super) fn holds(&mut self, builder: &mut BodyBuilder) -> Vec<Hold> {
        let mut holds = Vec::new();
        for support in self.deck.conditions.supports() {
            let nodes = builder.own_nodes(&support.nodes);
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
                support.place.refuse(self.findings, message);
                continue;
            };
            let displacement =
                support.axes.map(|is_prescribed| if is_prescribed { support.value } else { 0.0 });
            let motion = self.motion(displacement, &support);
            let mut hold = Hold::new(region, motion);
            hold.axes = support.axes;
            holds.push(hold);
        }
        holds
    }

    /// Motion with a displacement (m) that grows linearly over the step, or is multiplied by an amplitude. Refuses
    /// displacements that jump at the start: those without an amplitude except in statics, and amplitudes that are not
    /// zero at time 0.
    fn motion(&mut self, displacement: [f64; 3], support: &Support) -> Motion {
        if displacement == [0.0; 3] {
            return Motion::Fixed;
        }
        let amplitude = support.amplitude.as_ref();
        let points = amplitude.and_then(|name| self.deck.amplitudes.get(name));
        let Some(points) = points else {
            if amplitude.is_none() && self.deck.procedure.method != Method::Static {
                let message = "a displacement that jumps at the start cannot be expressed; give it an amplitude";
                support.place.refuse(self.findings, message);
            }
            return Motion::moving(
                displacement.map(|component| component / self.deck.procedure.duration),
            );
        };
        let key = |(time, factor): &(f64, f64)| Key {
            time: *time,
            translate: displacement.map(|component| component * factor),
            turn: None,
        };
        if points.first().is_some_and(|(time, factor)| *time <= 0.0 && *factor != 0.0) {
            let message = "an amplitude of a displacement must be zero at time 0";
            support.place.refuse(self.findings, message);
        }
        Motion::Keys { keys: points.iter().map(key).collect(), pivot: None }
    }

    /// Field `factor` of a load: the table of its amplitude, a linear ramp in static load steps, or `None` for a
    /// constant load.
    pub(super) fn factor(&self, amplitude: Option<&String>) -> Option<Field> {
        let factor = match amplitude.and_then(|name| self.deck.amplitudes.get(name)) {
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
            None if self.deck.procedure.is_in_load_steps() => {
                Ron::Struct("Ramp", vec![Field::new("end", self.deck.procedure.duration)])
            }
            None => return None,
        };
        Some(Field::new("factor", factor))
    }

    /// Converts the nodal forces on the body to terms `Force`, one for the nodes with the same forces, or one for each
    /// node if no region selects them.
    pub(super) fn forces(&mut self, builder: &mut BodyBuilder) -> Vec<Ron> {
        let mut force_by_nodes: BTreeMap<(BTreeSet<u64>, Option<&String>), [f64; 3]> =
            BTreeMap::new();
        for force in &self.deck.conditions.forces {
            let nodes = builder.own_nodes(&force.nodes);
            if !nodes.is_empty() {
                force_by_nodes.entry((nodes, force.amplitude.as_ref())).or_default()[force.axis] +=
                    force.value;
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

    /// A region for each node, with its number of nodes, 1. Refuses nodes that no region selects alone.
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
                    self.findings.refuse(self.deck.file, None, message);
                }
            }
        }
        regions
    }
}
