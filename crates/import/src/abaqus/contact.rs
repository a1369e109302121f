//! Contact pairs, general contact, surface interactions and friction.

use super::deck::Card;
use super::model::Model;
use crate::draft::DraftContact;
use crate::refusal::Findings;
use resile_math::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Activation distance of the barrier, relative to the longest side of the bounding box of the smallest body.
const RELATIVE_D_HAT: f64 = 1e-4;
/// Slip (relative to the activation distance) over the whole step at which friction is fully mobilised.
const RELATIVE_SLIP: f64 = 0.1;
/// Keywords that describe contact.
const KEYWORDS: [&str; 7] = [
    "CONTACT PAIR",
    "CONTACT",
    "CONTACT INCLUSIONS",
    "CONTACT PROPERTY ASSIGNMENT",
    "SURFACE INTERACTION",
    "SURFACE BEHAVIOR",
    "FRICTION",
];

/// Two surfaces in contact; `surfaces` is `None` for contact between all surfaces.
#[derive(Debug, Clone, PartialEq)]
struct SurfacePair {
    surfaces: Option<[String; 2]>,
    /// Name of the interaction.
    interaction: Option<String>,
    /// Index of the card, for messages.
    card: usize,
}

/// Contact in a deck.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Contacts {
    pairs: Vec<SurfacePair>,
    /// Coefficients of friction by interaction.
    friction: BTreeMap<String, f64>,
}

/// A body and its nodes.
#[derive(Debug, Clone)]
pub(super) struct BodyNodes {
    pub(super) name: String,
    pub(super) nodes: BTreeSet<u64>,
}

/// Whether a keyword describes contact.
pub(super) fn is_of_contact(keyword: &str) -> bool {
    KEYWORDS.contains(&keyword)
}

/// Reads contact from all cards. Without `*FRICTION` an interaction is frictionless.
pub(super) fn read(cards: &[Card], findings: &mut Findings) -> Contacts {
    let mut contacts = Contacts::default();
    let mut interaction: Option<String> = None;
    for (index, card) in cards.iter().enumerate() {
        match card.keyword.as_str() {
            "CONTACT PAIR" => contacts.read_pairs(index, card, findings),
            "CONTACT" => {
                card.allow_only(&[], findings);
                let pair = SurfacePair { surfaces: None, interaction: None, card: index };
                contacts.pairs.push(pair);
            }
            "CONTACT INCLUSIONS" => card.allow_only(&["ALL EXTERIOR"], findings),
            "CONTACT PROPERTY ASSIGNMENT" => contacts.assign(card, findings),
            "SURFACE INTERACTION" => {
                card.allow_only(&["NAME"], findings);
                interaction = card.required("NAME", findings).map(str::to_owned);
                contacts.friction.extend(interaction.iter().map(|name| (name.clone(), 0.0)));
            }
            "SURFACE BEHAVIOR" => read_behaviour(card, findings),
            "FRICTION" => match &interaction {
                Some(name) => {
                    let coefficient = read_friction(card, findings).unwrap_or_default();
                    contacts.friction.insert(name.clone(), coefficient);
                }
                None => card.refuse(findings, "there is no `*SURFACE INTERACTION` above it"),
            },
            _ => {}
        }
    }
    contacts
}

/// Reads `*SURFACE BEHAVIOR`: the law of pressure over overclosure, which a scene replaces by a barrier.
fn read_behaviour(card: &Card, findings: &mut Findings) {
    card.allow_only(&["PRESSURE-OVERCLOSURE"], findings);
    match card.parameter("PRESSURE-OVERCLOSURE") {
        None | Some("HARD") => {}
        Some(law @ ("LINEAR" | "EXPONENTIAL" | "TABULAR")) => findings.note(format!(
            "the {law} pressure over overclosure is a barrier, under which surfaces keep a small gap"
        )),
        Some(other) => {
            card.refuse(findings, format!("`PRESSURE-OVERCLOSURE={other}` cannot be expressed"));
        }
    }
}

/// Reads the coefficient of `*FRICTION`. Refuses coefficients that depend on slip, pressure or temperature.
fn read_friction(card: &Card, findings: &mut Findings) -> Option<f64> {
    card.allow_only(&[], findings);
    let values = match &card.rows[..] {
        [row] => row.numbers(),
        _ => None,
    };
    match values.as_deref() {
        Some([friction, slope @ ..]) if *friction >= 0.0 && slope.len() <= 1 => {
            if !slope.is_empty() {
                findings.note("the stick slope of friction is replaced by `slip_speed`");
            }
            Some(*friction)
        }
        _ => {
            card.refuse(findings, "needs one line with a coefficient of friction");
            None
        }
    }
}

impl Contacts {
    /// Whether the deck has contact.
    pub(super) fn is_present(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Reads `*CONTACT PAIR`: two surfaces per row. A row with one surface stands for contact with itself.
    fn read_pairs(&mut self, index: usize, card: &Card, findings: &mut Findings) {
        card.allow_only(&["INTERACTION", "TYPE", "SMALL SLIDING"], findings);
        if card.parameter("TYPE").is_some_and(|kind| kind == "MASSLESS") {
            card.refuse(findings, "`TYPE=MASSLESS` cannot be expressed");
        }
        if card.parameter("SMALL SLIDING").is_some() {
            findings.note("sliding is finite, also with `SMALL SLIDING`");
        }
        let interaction = card.required("INTERACTION", findings).map(str::to_owned);
        for row in &card.rows {
            let first = row.text(0).to_owned();
            let second = match row.text(1) {
                "" => first.clone(),
                name => name.to_owned(),
            };
            let surfaces = Some([first, second]);
            self.pairs.push(SurfacePair {
                surfaces,
                interaction: interaction.clone(),
                card: index,
            });
        }
    }

    /// Reads `*CONTACT PROPERTY ASSIGNMENT`: the interaction of general contact. Refuses assignments to surfaces.
    fn assign(&mut self, card: &Card, findings: &mut Findings) {
        card.allow_only(&[], findings);
        let (Some(pair), [row]) =
            (self.pairs.iter_mut().find(|pair| pair.surfaces.is_none()), &card.rows[..])
        else {
            return card.refuse(findings, "needs `*CONTACT` above it and one line");
        };
        if row.text(0).is_empty() && row.text(1).is_empty() {
            pair.interaction = Some(row.text(2).to_owned());
        } else {
            card.refuse_row(row, findings, "only `, , INTERACTION` can be expressed");
        }
    }

    /// Contact of the scene, for the softest Young's modulus (Pa) and the duration of the step (s). Pairs of bodies
    /// (and bodies with themselves) that are in no contact pair of the deck are excluded. Refuses unknown interactions
    /// and surfaces.
    pub(super) fn draft(
        &self,
        body_nodes: &[BodyNodes],
        model: &Model,
        cards: &[Card],
        min_young: f64,
        duration: f64,
        findings: &mut Findings,
    ) -> DraftContact {
        let friction_of_pair = self.friction_of_body_pairs(body_nodes, model, cards, findings);
        if self.pairs.iter().any(|pair| pair.surfaces.is_some()) {
            findings.note(
                "contact pairs act between the whole surfaces of their bodies, not only between the named faces",
            );
        }
        let d_hat = RELATIVE_D_HAT * smallest_extent(body_nodes, model);
        let name = |index: usize| body_nodes[index].name.clone();
        let all_pairs =
            (0..body_nodes.len()).flat_map(|a| (a..body_nodes.len()).map(move |b| [a, b]));
        let is_excluded = |pair: &[usize; 2]| !friction_of_pair.contains_key(pair);
        DraftContact {
            d_hat,
            d_hat_comment: Some(
                "A ten-thousandth of the longest side of the smallest body.".to_owned(),
            ),
            kappa: min_young,
            kappa_comment: "The softest Young's modulus.".to_owned(),
            slip_speed: RELATIVE_SLIP * d_hat / duration,
            friction_rule: "Max",
            adhesion: None,
            improved_max: true,
            excluded: all_pairs.filter(is_excluded).map(|[a, b]| (name(a), name(b))).collect(),
            pairs: friction_of_pair
                .iter()
                .filter(|(_, friction)| **friction > 0.0)
                .map(|([a, b], friction)| (name(*a), name(*b), *friction))
                .collect(),
        }
    }

    /// Coefficient of friction of each pair of bodies in contact, by ascending body indices. A later pair of the deck
    /// replaces an earlier one.
    fn friction_of_body_pairs(
        &self,
        body_nodes: &[BodyNodes],
        model: &Model,
        cards: &[Card],
        findings: &mut Findings,
    ) -> BTreeMap<[usize; 2], f64> {
        let mut friction_of_pair = BTreeMap::new();
        for pair in &self.pairs {
            let card = &cards[pair.card];
            let friction = match &pair.interaction {
                None => 0.0,
                Some(name) => self.friction.get(name).copied().unwrap_or_else(|| {
                    card.refuse(findings, format!("there is no interaction `{name}`"));
                    0.0
                }),
            };
            let [first_bodies, second_bodies] = match &pair.surfaces {
                None => [(0..body_nodes.len()).collect(), (0..body_nodes.len()).collect()],
                Some(names) => names
                    .each_ref()
                    .map(|name| bodies_with_surface(name, body_nodes, model, card, findings)),
            };
            for a in first_bodies {
                for b in &second_bodies {
                    friction_of_pair.insert([a.min(*b), a.max(*b)], friction);
                }
            }
        }
        friction_of_pair
    }
}

/// Indices of the bodies that contain nodes of the surface `name`. Refuses a surface that does not exist.
fn bodies_with_surface(
    name: &str,
    body_nodes: &[BodyNodes],
    model: &Model,
    card: &Card,
    findings: &mut Findings,
) -> Vec<usize> {
    let nodes: BTreeSet<u64> = match (model.surfaces.get(name), model.node_surfaces.get(name)) {
        (Some(faces), _) => faces
            .iter()
            .filter_map(|(element, face)| model.face_corners(*element, *face))
            .flatten()
            .collect(),
        (None, Some(nodes)) => nodes.clone(),
        (None, None) => {
            card.refuse(findings, format!("there is no surface `{name}`"));
            return Vec::new();
        }
    };
    let has_surface = |body: &BodyNodes| !body.nodes.is_disjoint(&nodes);
    (0..body_nodes.len()).filter(|index| has_surface(&body_nodes[*index])).collect()
}

/// Smallest longest side (m) of the bounding boxes of all bodies.
fn smallest_extent(body_nodes: &[BodyNodes], model: &Model) -> f64 {
    let longest_side = |body: &BodyNodes| {
        let points = || body.nodes.iter().filter_map(|node| model.nodes.get(node));
        let min = points().fold(Vec3::splat(f64::INFINITY), |min, point| min.min(*point));
        let max = points().fold(Vec3::splat(f64::NEG_INFINITY), |max, point| max.max(*point));
        (max - min).max_element()
    };
    body_nodes.iter().map(longest_side).fold(f64::INFINITY, f64::min)
}
