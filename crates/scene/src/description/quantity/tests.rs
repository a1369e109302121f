//! The table has every numeric field, and a scene and the crates below accept the same numbers.

use super::rows::rows;
use super::{HELP, Measure, QUANTITIES, Quantity, quantity};
use crate::description::number_walk::{Visited, walk};
use crate::description::{Scene, Units, VERSION};
use crate::schema::{Content, Type, Types, words};
use std::collections::{BTreeMap, BTreeSet};

fn holds_numbers(kind: &Type) -> bool {
    match kind {
        Type::Number | Type::Integer | Type::Either(_) => true,
        Type::Optional(kind) | Type::List(kind) | Type::Map(kind) => holds_numbers(kind),
        Type::Tuple(kinds) => kinds.iter().any(holds_numbers),
        // A number for each copy.
        Type::Named(name) => *name == "Series",
        _ => false,
    }
}

#[test]
fn every_numeric_field_has_one_row_and_every_row_a_field() {
    let types = Types::of_scenes();
    let mut fields = BTreeSet::new();
    for (owner, of) in &types.fields {
        let numeric = of.iter().filter(|(_, field)| holds_numbers(&field.value_type));
        fields.extend(numeric.map(|(field, _)| format!("{owner}.{field}")));
    }
    for (owner, variants) in &types.variants {
        for (name, content) in variants {
            if matches!(content, Content::Value(kind) if holds_numbers(kind)) {
                fields.insert(format!("{owner}::{name}.0"));
            }
        }
    }
    let rows: BTreeSet<_> = rows().map(|(owner, field, ..)| format!("{owner}.{field}")).collect();
    let missing: Vec<_> = fields.difference(&rows).collect();
    let unknown: Vec<_> = rows.difference(&fields).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:?}, unknown {unknown:?}");
}

/// Conversions rest on the units of the rows. The page was written apart from them.
#[test]
fn units_of_fields_equal_those_of_the_reference_page() {
    let words = words::reference_entries();
    let mut units = 0;
    for (owner, field, label, _) in rows() {
        let measure = Measure::from_label(label);
        assert!(measure.is_some(), "{owner}.{field}: {label}");
        // A value of a variant is in the row of the variant.
        let (heading, name) = match (field, owner.split_once("::")) {
            ("0", Some((owner, variant))) => (owner, variant),
            _ => (owner, field),
        };
        let entry = &words[&(heading.to_owned(), name.to_owned())];
        let holds = entry.holds.split(", or ").next().unwrap_or_default();
        let last = || holds.rsplit(", ").next().unwrap_or_default();
        let of_page = holds.strip_prefix("pair of numbers: ").unwrap_or_else(last);
        let Some(of_page) = Measure::from_label(&format!("({of_page})")) else {
            let special = !matches!(measure, Some(Measure::One(one)) if one != Default::default());
            assert!(special, "{owner}.{field}: {label}, on the page {:?}", entry.holds);
            continue;
        };
        units += 1;
        assert_eq!(
            measure,
            Some(of_page),
            "{owner}.{field}: {label}, on the page {:?}",
            entry.holds
        );
    }
    assert!(units > 150, "{units} units were compared");
}

/// The numbers of a scene in the order of its fields, with their quantities.
fn numbers(scene: &Scene) -> Vec<(&'static Quantity, String, usize, f64)> {
    let mut numbers = Vec::new();
    walk(scene, &mut |quantity, path, found| {
        if let Visited::Number { index, value } = *found {
            numbers.push((quantity, path.to_string(), index.unwrap_or(0), value));
        }
    });
    numbers
}

#[test]
fn every_numeric_field_is_read_in_the_units_of_its_scene() {
    let mut left: BTreeMap<*const Quantity, &str> = BTreeMap::new();
    let all = QUANTITIES.values().flat_map(BTreeMap::values).flat_map(BTreeMap::values);
    // A varied number has the quantity of the surrounding field.
    let all = all.filter(|quantity| quantity.measure != Measure::Varied);
    left.extend(all.map(|quantity| (std::ptr::from_ref(quantity), quantity.label)));
    let samples = Types::samples();
    for (scene, units) in samples.iter().flat_map(|scene| Units::ALL.map(|units| (scene, units))) {
        let scene = Scene { version: VERSION, units, ..scene.clone() };
        let text = scene.to_ron();
        let name = format!("units: {units:?},");
        assert!(units == Units::Metres || text.contains(&name), "written in other units");
        // The same digits in metres.
        let digits = Scene::from_ron(&text.replace(&name, "")).expect("it is a scene");
        for read in [Scene::from_ron(&text), Scene::from_json(&scene.to_json())] {
            let read = read.expect("it is a scene");
            assert_eq!(read, scene, "{units:?}");
        }
        for (written, read) in numbers(&digits).into_iter().zip(numbers(&scene)) {
            let ((quantity, path, index, written), (.., value)) = (written, read);
            left.remove(&std::ptr::from_ref(quantity));
            if let Some(dimension) = quantity.measure.at(index) {
                let expected = units.to_si(written, dimension);
                assert_eq!(value.to_bits(), expected.to_bits(), "{path}, {units:?}: {written}");
            }
        }
    }
    assert!(left.is_empty(), "never met: {left:?}");
}

#[test]
fn every_remedy_belongs_to_a_field() {
    for (owner, variant, field, help) in HELP {
        assert_eq!(quantity(owner, variant, field).map(|q| q.help), Some(help));
    }
}
