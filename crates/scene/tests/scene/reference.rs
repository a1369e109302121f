//! The reference page says what the code knows: no field missing, none invented.
//!
//! [`Types`] asks the code that reads scenes, so that a new field makes this test fail until the page has it.

use resile_scene::schema::Types;
use resile_scene::text::SceneText;
use std::collections::{BTreeMap, BTreeSet};

/// Structs with their fields, enums with their variants, and variants that have
/// fields with those.
type Known = BTreeMap<String, BTreeSet<String>>;

fn known(types: &Types) -> Known {
    let names =
        |fields: Vec<&&'static str>| fields.into_iter().map(|name| (*name).to_owned()).collect();
    let structs =
        types.fields.iter().map(|(owner, fields)| (owner.clone(), names(fields.keys().collect())));
    let enums = types.variants.iter();
    let enums = enums.map(|(owner, all)| ((*owner).to_owned(), names(all.keys().collect())));
    structs.chain(enums).collect()
}

const PAGE: &str = include_str!("../../../../docs/scene-reference.md");

/// A row of the page: heading, field, what its column "default" says.
fn rows() -> Vec<(String, String, String)> {
    let mut rows = Vec::new();
    let mut heading = String::new();
    for line in PAGE.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            heading = title.trim_matches('`').to_owned();
        } else if let Some(cells) = line.strip_prefix("| `") {
            let cells: Vec<_> = cells.split(" | ").collect();
            let field = cells[0].trim_end_matches('`').to_owned();
            rows.push((heading.clone(), field, cells[2].to_owned()));
        }
    }
    rows
}

#[test]
fn reference_page_lists_exactly_the_fields_of_each_struct() {
    let known = known(&Types::of_scenes());
    assert!(known.len() > 40, "{} structs and variants", known.len());
    let mut documented = Known::new();
    for line in PAGE.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            let before = documented.insert(title.trim_matches('`').to_owned(), BTreeSet::new());
            assert_eq!(before, None, "{title} is there twice");
        }
    }
    for (heading, field, _) in rows() {
        documented.entry(heading).or_default().insert(field);
    }
    for (name, fields) in &known {
        assert_eq!(documented.get(name), Some(fields), "the page's section on {name}");
    }
    for name in documented.keys() {
        assert!(known.contains_key(name), "the page describes {name}, which the code has not");
    }
}

#[test]
fn reference_page_marks_required_fields() {
    let types = Types::of_scenes();
    let fields = rows().into_iter().filter(|(_, field, _)| field.starts_with(char::is_lowercase));
    for (owner, field, default) in fields {
        let required = types.fields[&owner][field.as_str()].is_required;
        assert_eq!(default == "required", required, "{owner}.{field}: {default}");
    }
}

#[test]
fn every_example_of_the_reference_page_parses() {
    let mut scenes = 0;
    let blocks: Vec<_> = PAGE.split("```ron\n").skip(1).collect();
    for block in &blocks {
        let example = block.split("```").next().expect("the block ends");
        // Parts are fields of a body, or of the scene, by their first line.
        let text = match example.lines().next() {
            Some("// in a body") => scene(example, ""),
            Some("// in the scene") => scene("", example),
            _ => {
                scenes += 1;
                example.to_owned()
            }
        };
        if let Err(errors) = SceneText::new("example", text).load() {
            panic!("{example}\n{}", errors[0]);
        }
    }
    assert!(scenes >= 1 && blocks.len() >= 10, "{scenes} scenes in {} blocks", blocks.len());
}

/// A scene around fields of a body, or around fields of its own, which replace
/// those that it would have.
fn scene(body: &str, fields: &str) -> String {
    let in_body = |name: &str, field: &str| {
        if has(body, name) { String::new() } else { format!("{name}: {field},\n") }
    };
    let mut text = String::from("(version: 2,\n");
    let mut all = vec![
        in_body("name", "\"part\""),
        in_body("shape", "Box(size: (0.1, 0.1, 0.1), cells: (4, 4, 4))"),
        body.to_owned(),
    ];
    if !body.contains("Particles(") && !body.contains("Line(") {
        all.extend([in_body("material", "\"rubber\""), in_body("friction", "0.3")]);
    }
    let bodies = format!("[({})]", all.join("\n"));
    for (name, field) in [
        ("materials", "{\"rubber\": (density: 1000, model: StVK(young: 1e5, poisson: 0.3))}"),
        ("bodies", &bodies),
        ("gravity", "(0, -9.81, 0)"),
        ("contact", "Off"),
        ("integrator", "ImplicitEuler"),
        ("time", "(step: 0.01, duration: 1)"),
    ] {
        if !has(fields, name) {
            text += &format!("{name}: {field},\n");
        }
    }
    text + fields + ")"
}

fn has(fields: &str, name: &str) -> bool {
    fields.lines().any(|line| line.starts_with(&format!("{name}:")))
}
