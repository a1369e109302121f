//! Input decks of Abaqus and `CalculiX`, `.inp`, without parts and instances.
//!
//! Facts about the format: the manual of `CalculiX` 2.20 (Dhondt), chapters on keywords and elements.

mod body;
mod component;
mod conditions;
mod contact;
mod deck;
mod history;
mod material;
mod model;
mod pressure;
mod procedure;
mod supports;

use crate::GeneratedMesh;
use crate::draft::{Draft, DraftContact};
use crate::refusal::Findings;
use crate::ron::word;
use body::BodyWriter;
use conditions::Conditions;
use contact::{BodyNodes, Contacts};
use deck::Card;
use material::Material;
use model::Model;
use procedure::{Method, Procedure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Largest number of frames of an imported scene.
const MAX_FRAMES: f64 = 1e6;
/// Keywords for output, and others without effect on the problem.
const WITHOUT_EFFECT: [&str; 17] = [
    "CONTROLS",
    "HEADING",
    "NODE FILE",
    "NODE OUTPUT",
    "EL FILE",
    "ELEMENT OUTPUT",
    "EL PRINT",
    "CONTACT FILE",
    "CONTACT PRINT",
    "CONTACT OUTPUT",
    "OUTPUT",
    "PREPRINT",
    "SECTION PRINT",
    "PRINT",
    "END STEP",
    "NODE PRINT",
    "SECTION CONTROLS",
];
/// Keywords of supports and loads.
const CONDITIONS: [&str; 4] = ["BOUNDARY", "CLOAD", "DLOAD", "DSLOAD"];
/// Keywords of materials, sections, amplitudes, the step and its procedure, which are read in passes of their own.
const SEPARATE_KEYWORDS: [&str; 8] = [
    "MATERIAL",
    "SOLID SECTION",
    "AMPLITUDE",
    "STEP",
    "STATIC",
    "DYNAMIC",
    "FREQUENCY",
    "INITIAL CONDITIONS",
];

/// Whether a text is an input deck: its first keyword is one of those with which decks begin.
pub(crate) fn is_deck(text: &str) -> bool {
    let first_card =
        text.lines().map(str::trim).find(|line| line.starts_with('*') && !line.starts_with("**"));
    let keyword = first_card.and_then(|line| line.trim_start_matches('*').split(',').next());
    let keyword = keyword.unwrap_or_default().trim().to_uppercase();
    [
        "HEADING",
        "NODE",
        "INCLUDE",
        "PREPRINT",
        "RESTART",
        "PART",
        "PARAMETER",
        "MATERIAL",
        "AMPLITUDE",
        "ELEMENT",
    ]
    .contains(&keyword.as_str())
}

/// Amplitudes by name: times (s) and factors.
type Amplitudes = BTreeMap<String, Vec<(f64, f64)>>;

/// A converted deck.
pub(crate) struct ConvertedDeck {
    pub(crate) draft: Draft,
    pub(crate) files: Vec<GeneratedMesh>,
    /// Whether its step computes natural frequencies (`*FREQUENCY`).
    pub(crate) has_modal_analysis: bool,
}

/// The contents of a deck.
struct ParsedDeck<'a> {
    file: &'a Path,
    /// Name of the file without its extension.
    stem: String,
    cards: Vec<Card>,
    model: Model,
    conditions: Conditions,
    materials: BTreeMap<String, Material>,
    contacts: Contacts,
    procedure: Procedure,
    amplitudes: Amplitudes,
}

/// Converts a deck to a scene and its meshes.
pub(crate) fn read(file: &Path, text: &str, findings: &mut Findings) -> ConvertedDeck {
    ParsedDeck::parse(file, text, findings).convert(findings)
}

impl<'a> ParsedDeck<'a> {
    /// Parses all cards and divides elements into tetrahedra. Refuses amplitudes that are not defined.
    fn parse(file: &'a Path, text: &str, findings: &mut Findings) -> Self {
        let cards = deck::cards(file, text, findings);
        let materials = material::read(&cards, findings);
        let contacts = contact::read(&cards, findings);
        let is_incremental = contacts.is_present() || materials.values().any(Material::has_history);
        let procedure = procedure::read(file, &cards, is_incremental, findings);
        let amplitudes = read_amplitudes(&cards, findings);
        let (model, conditions) = read_model(&cards, findings);
        refuse_undefined_amplitudes(&cards, findings);
        let stem = file.file_stem().map_or_else(|| "deck".into(), |stem| stem.to_string_lossy());
        let stem = stem.into_owned();
        Self { file, stem, cards, model, conditions, materials, contacts, procedure, amplitudes }
    }

    /// Writes the scene and the meshes.
    fn convert(&self, findings: &mut Findings) -> ConvertedDeck {
        let mut writer = BodyWriter::new(self, findings);
        let bodies = writer.bodies();
        let gravity = writer.gravity();
        let BodyWriter { files, body_nodes, probes, sections, .. } = writer;
        let used_names: BTreeSet<&String> = sections.values().collect();
        let used_materials: Vec<(&String, &Material)> =
            self.materials.iter().filter(|(name, _)| used_names.contains(name)).collect();
        let min_young = used_materials
            .iter()
            .filter_map(|(_, material)| material.young())
            .fold(f64::INFINITY, f64::min);
        let contact = self.draft_contact(&body_nodes, min_young, findings);
        let procedure = self.procedure;
        if procedure.method == Method::Frequency {
            findings.note(
                "the step asks for natural frequencies: `sim modes` finds them, and `sim run` takes one step without them",
            );
        }
        let draft = Draft {
            head: head(self.file),
            materials: used_materials
                .into_iter()
                .filter_map(|(name, material)| {
                    Some((name.clone(), material.ron(procedure.nonlinear)?))
                })
                .collect(),
            bodies,
            gravity,
            obstacles: Vec::new(),
            contact,
            analysis: (procedure.method == Method::Static).then(|| word("Static")),
            integrator: procedure.integrator(),
            step: procedure.step,
            step_comment: None,
            duration: procedure.duration,
            solver: Vec::new(),
            probes,
            frame_rate: (1.0 / procedure.step).min(MAX_FRAMES / procedure.duration),
        };
        ConvertedDeck { draft, files, has_modal_analysis: procedure.method == Method::Frequency }
    }

    /// Whether the deck has no step, which is refused.
    fn has_no_step(&self) -> bool {
        !self.cards.iter().any(|card| card.keyword == "STEP")
    }

    /// Contact of the scene with the softest Young's modulus (Pa); `None` if the deck has no contact, which is noted if
    /// there are several bodies.
    fn draft_contact(
        &self,
        body_nodes: &[BodyNodes],
        min_young: f64,
        findings: &mut Findings,
    ) -> Option<DraftContact> {
        if self.contacts.is_present() {
            let duration = self.procedure.duration;
            let (model, cards) = (&self.model, &self.cards);
            return Some(
                self.contacts.draft(body_nodes, model, cards, min_young, duration, findings),
            );
        }
        if body_nodes.len() > 1 {
            findings.note(
                "the deck has no contact pairs, so bodies pass through each other; `contact: Barrier(...)` lets them touch",
            );
        }
        None
    }
}

/// Reads geometry and conditions, and divides hexahedra, prisms and pyramids into tetrahedra. Refuses unknown keywords
/// and supports of the step that replace those of the model.
fn read_model(cards: &[Card], findings: &mut Findings) -> (Model, Conditions) {
    let (mut model, mut conditions) = (Model::default(), Conditions::default());
    for (index, card) in cards.iter().enumerate() {
        let is_read = model.read(card, findings)
            || conditions.read((index, card), &model, findings)
            || material::is_of_material(&card.keyword)
            || contact::is_of_contact(&card.keyword)
            || WITHOUT_EFFECT.contains(&card.keyword.as_str())
            || SEPARATE_KEYWORDS.contains(&card.keyword.as_str())
            || (card.keyword == "RESTART" && card.parameter("READ").is_none())
            // Without data it restores the coordinates of the deck.
            || (card.keyword == "SYSTEM" && card.rows.is_empty());
        if !is_read {
            card.refuse(findings, unknown_keyword(&card.keyword));
        }
    }
    refuse_replacement(cards, findings);
    conditions.divide(&model.divide(findings));
    conditions.note_unused_nodes(&model, findings);
    (model, conditions)
}

/// Comment lines at the head of the scene.
fn head(file: &Path) -> Vec<String> {
    let name = file.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
    vec![
        format!("The input deck {name}, imported."),
        "Its numbers are kept as they are: a deck has no units, and one in mm, N, MPa and t gives results in these."
            .to_owned(),
    ]
}

/// Message for an unsupported keyword.
fn unknown_keyword(keyword: &str) -> String {
    let remedy = match keyword {
        "PART" | "ASSEMBLY" | "INSTANCE" | "END PART" | "END ASSEMBLY" | "END INSTANCE" => {
            ": write the deck without parts and instances"
        }
        "BUCKLE" => {
            ": write `*STATIC` in a step with `NLGEOM`, and `sim buckle` finds the factors of its loads"
        }
        "VISCO" => ": `*STATIC` or `*DYNAMIC` can be expressed",
        _ => "",
    };
    format!("`*{keyword}` cannot be expressed{remedy}")
}

/// Refuses supports of the step that replace those of the model (`OP=NEW`), because the conditions of both are merged.
fn refuse_replacement(cards: &[Card], findings: &mut Findings) {
    let step = cards.iter().position(|card| card.keyword == "STEP").unwrap_or(cards.len());
    let is_support = |card: &&Card| card.keyword == "BOUNDARY";
    if !cards[..step].iter().any(|card| is_support(&card)) {
        return;
    }
    let replaces = |card: &&Card| card.parameter("OP") == Some("NEW");
    for card in cards[step..].iter().filter(is_support).filter(replaces) {
        card.refuse(findings, "`OP=NEW` after supports of the model cannot be expressed");
    }
}

/// Refuses references to amplitudes that no card defines.
fn refuse_undefined_amplitudes(cards: &[Card], findings: &mut Findings) {
    let defining_cards = cards.iter().filter(|card| card.keyword == "AMPLITUDE");
    let defined: BTreeSet<&str> =
        defining_cards.filter_map(|card| card.parameter("NAME")).collect();
    for card in cards.iter().filter(|card| CONDITIONS.contains(&card.keyword.as_str())) {
        let name = card.parameter("AMPLITUDE");
        if let Some(name) = name.filter(|name| !defined.contains(name)) {
            card.refuse(findings, format!("there is no amplitude `{name}`"));
        }
    }
}

/// Reads all cards `*AMPLITUDE`. Refuses empty tables, odd counts of numbers, and times that do not ascend.
fn read_amplitudes(cards: &[Card], findings: &mut Findings) -> Amplitudes {
    let mut amplitudes = Amplitudes::new();
    for card in cards.iter().filter(|card| card.keyword == "AMPLITUDE") {
        let refusal_count = findings.refusals.len();
        card.allow_only(&["NAME", "TIME", "DEFINITION"], findings);
        // A deck has a single step, whose time is the total time.
        let accepted = [("TIME", &["STEP TIME", "TOTAL TIME"][..]), ("DEFINITION", &["TABULAR"])];
        for (name, values) in accepted {
            let other = card.parameter(name).filter(|value| !values.contains(value));
            if let Some(value) = other {
                card.refuse(
                    findings,
                    format!("`*AMPLITUDE` with `{name}={value}` cannot be expressed"),
                );
            }
        }
        if findings.refusals.len() > refusal_count {
            continue;
        }
        let numbers: Option<Vec<_>> = card.rows.iter().map(deck::Row::numbers).collect();
        let numbers = numbers.map(|rows| rows.concat()).unwrap_or_default();
        let points: Vec<(f64, f64)> =
            numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let is_ascending = points.is_sorted_by(|(time, _), (next_time, _)| time < next_time);
        if points.is_empty() || numbers.len() % 2 == 1 || !is_ascending {
            card.refuse(
                findings,
                "an amplitude is pairs of a time and a factor, with ascending times",
            );
        } else if let Some(name) = card.required("NAME", findings) {
            amplitudes.insert(name.to_owned(), points);
        }
    }
    amplitudes
}
