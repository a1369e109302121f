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
mod procedure;

use crate::GeneratedMesh;
use crate::draft::Draft;
use crate::naming::Names;
use crate::refusal::Findings;
use crate::ron::word;
use body::BodyWriter;
use conditions::Conditions;
use deck::Card;
use model::Model;
use procedure::{Method, Procedure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Keywords for output, and others without effect on the problem.
const WITHOUT_EFFECT: [&str; 15] = [
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
];
/// Keywords that are read separately.
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
    /// Whether its step asks for natural frequencies.
    pub(crate) has_modal_analysis: bool,
}

/// Converts a deck to a scene and its meshes.
pub(crate) fn read(file: &Path, text: &str, findings: &mut Findings) -> ConvertedDeck {
    let cards = deck::cards(file, text, findings);
    let (mut model, mut conditions) = (Model::default(), Conditions::default());
    let materials = material::read(&cards, findings);
    let contacts = contact::read(&cards, findings);
    let is_incremental =
        contacts.is_present() || materials.values().any(material::Material::has_history);
    let procedure = procedure::read(file, &cards, is_incremental, findings);
    let amplitudes = read_amplitudes(&cards, findings);
    for (index, card) in cards.iter().enumerate() {
        let is_read = model.read(card, findings)
            || conditions.read((index, card), &model, findings)
            || material::is_of_material(&card.keyword)
            || contact::is_of_contact(&card.keyword)
            || WITHOUT_EFFECT.contains(&card.keyword.as_str())
            || SEPARATE_KEYWORDS.contains(&card.keyword.as_str())
            || (card.keyword == "RESTART" && card.parameter("READ").is_none());
        if !is_read {
            card.refuse(findings, unknown_keyword(&card.keyword));
        }
    }
    refuse_replacement(&cards, findings);
    conditions.divide(&model.divide(findings));
    for name in conditions.amplitudes().filter(|name| !amplitudes.contains_key(*name)) {
        findings.refuse(file, None, format!("there is no amplitude `{name}`"));
    }
    let stem = file.file_stem().map_or_else(|| "deck".into(), |stem| stem.to_string_lossy());
    let mut writer = BodyWriter {
        file,
        stem: &stem,
        cards: &cards,
        model: &model,
        conditions: &conditions,
        materials: &materials,
        procedure,
        amplitudes: &amplitudes,
        findings,
        sections: BTreeMap::new(),
        files: Vec::new(),
        body_nodes: Vec::new(),
        probes: Vec::new(),
        probe_names: Names::default(),
    };
    let bodies = writer.bodies();
    let gravity = writer.gravity();
    let used: BTreeSet<String> = writer.sections.values().cloned().collect();
    let (files, probes) = (std::mem::take(&mut writer.files), std::mem::take(&mut writer.probes));
    let used_materials = || materials.iter().filter(|(name, _)| used.contains(*name));
    let min_young =
        used_materials().filter_map(|(_, material)| material.young()).fold(f64::INFINITY, f64::min);
    let body_nodes = std::mem::take(&mut writer.body_nodes);
    if !contacts.is_present() && body_nodes.len() > 1 {
        findings.note(
            "the deck has no contact pairs, so bodies pass through each other; `contact: Barrier(...)` lets them touch",
        );
    }
    let contact = contacts.is_present().then(|| {
        contacts.draft(&body_nodes, &model, &cards, [min_young, procedure.duration], findings)
    });
    let draft = Draft {
        head: head(file, procedure),
        materials: used_materials()
            .filter_map(|(name, material)| Some((name.clone(), material.ron(procedure.nonlinear)?)))
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
        frame_rate: (1.0 / procedure.step).min(1e6 / procedure.duration),
    };
    ConvertedDeck { draft, files, has_modal_analysis: procedure.method == Method::Frequency }
}

/// Comment lines at the head of the scene.
fn head(file: &Path, procedure: Procedure) -> Vec<String> {
    let name = file.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
    let mut head = vec![
        format!("The input deck {name}, imported."),
        "Its numbers are kept as they are: a deck has no units, and one in mm, N, MPa and t gives results in these."
            .to_owned(),
    ];
    if procedure.method == Method::Frequency {
        head.push("Its step asks for natural frequencies: `sim modes` finds them.".to_owned());
    }
    head
}

/// Message for an unsupported keyword.
fn unknown_keyword(keyword: &str) -> String {
    let remedy = match keyword {
        "PART" | "ASSEMBLY" | "INSTANCE" | "END PART" | "END ASSEMBLY" | "END INSTANCE" => {
            ": write the deck without parts and instances"
        }
        _ => "",
    };
    format!("`*{keyword}` cannot be expressed{remedy}")
}

/// Refuses supports that replace those of the model, because the two cannot be distinguished.
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

/// Reads all cards `*AMPLITUDE`. Refuses times that do not ascend.
fn read_amplitudes(cards: &[Card], findings: &mut Findings) -> Amplitudes {
    let mut amplitudes = Amplitudes::new();
    for card in cards.iter().filter(|card| card.keyword == "AMPLITUDE") {
        card.allow_only(&["NAME"], findings);
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
