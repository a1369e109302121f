//! Checks of the rules for single pairs of contact.

use super::check::{check_contact_damping, check_static_friction};
use super::problem::{Checker, Names};
use super::{Adhesion, Analysis, Contact, Obstacle, PairFriction, Scene};
use std::collections::{BTreeMap, BTreeSet};

/// The coefficients of a pair, by the names of their fields.
fn coefficients(pair: &PairFriction) -> [(&'static str, Option<f64>); 5] {
    [
        ("friction", pair.friction),
        ("static_friction", pair.static_friction),
        ("restitution", pair.restitution),
        ("contact_damping", pair.contact_damping),
        ("rolling_friction", pair.rolling_friction),
    ]
}

/// Two names in alphabetical order.
fn unordered<'a>(a: &'a str, b: &'a str) -> [&'a str; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

/// The name of a body without the number of its copy.
pub(super) fn body_name(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

impl Scene {
    /// Checks the traction of `adhesion`, and that bonds have velocities.
    fn check_adhesion(&self, c: &mut Checker, adhesion: &Adhesion) {
        let Adhesion { peak, range, tangential, .. } = adhesion;
        if peak >= range {
            let [peak, range] = [*peak, *range].map(|gap| c.units.show(gap, "m"));
            let message = format!(
                "gap of the largest traction (m) must be smaller than `range` ({range}), but is {peak}"
            );
            let help = "the traction falls from there to zero at `range`";
            c.error("contact.adhesion.peak", message, help);
        }
        if tangential.is_some() && self.analysis == Analysis::Static {
            let message = "bonds depend on velocities, of which a static analysis has none";
            let help = "remove it, or use `analysis: Dynamic`";
            c.error("contact.adhesion.tangential", message, help);
        }
    }

    /// Checks adhesion, that pairs name bodies or obstacles that can touch, that each entry of `pairs` has a coefficient, and that
    /// no entry contradicts another.
    pub(super) fn check_contact(&self, c: &mut Checker) {
        let Contact::Barrier { pairs, exclude, adhesion, .. } = &self.contact else { return };
        if let Some(adhesion) = adhesion {
            self.check_adhesion(c, adhesion);
        }
        if pairs.is_empty() && exclude.is_empty() {
            return;
        }
        let names = Names::new(self.pair_names());
        let surfaceless = self.surfaceless_bodies();
        let obstacles: BTreeSet<&str> = self.obstacles.iter().map(Obstacle::name).collect();
        let check_side = |c: &mut Checker, path: String, name: &str| {
            c.check_name(&path, "body or obstacle", name, &names);
            surfaceless.refuse(c, &path, name);
        };
        for (i, pair) in pairs.iter().enumerate() {
            let path = format!("contact.pairs[{i}]");
            check_side(c, format!("{path}.a"), &pair.a);
            check_side(c, format!("{path}.b"), &pair.b);
            check_can_touch(c, &path, [&pair.a, &pair.b], &obstacles);
            self.check_coefficients(c, &path, pair);
        }
        for (i, (a, b)) in exclude.iter().enumerate() {
            let path = format!("contact.exclude[{i}]");
            check_side(c, format!("{path}[0]"), a);
            check_side(c, format!("{path}[1]"), b);
            check_can_touch(c, &path, [a, b], &obstacles);
        }
        check_contradictions(c, pairs, exclude);
    }

    /// Checks the coefficients of a pair.
    fn check_coefficients(&self, c: &mut Checker, path: &str, pair: &PairFriction) {
        check_static_friction(c, path, pair.friction, pair.static_friction);
        check_contact_damping(c, path, pair.restitution, pair.contact_damping);
        if pair.rolling_friction.is_some() {
            for (side, name) in [("a", &pair.a), ("b", &pair.b)] {
                self.check_rigid(c, &format!("{path}.{side}"), name);
            }
        }
        if coefficients(pair).iter().all(|(_, value)| value.is_none()) {
            let message = format!("{} and {} are given no coefficient", pair.a, pair.b);
            c.error(path, message, "add `friction` or `restitution`, or remove the pair");
        }
    }

    /// The names that pairs may use: those of bodies, of their copies, and of obstacles.
    fn pair_names(&self) -> Vec<String> {
        let mut names = self.body_names();
        names.extend(self.obstacles.iter().map(|o| o.name().to_owned()));
        names
    }
}

/// Refuses a pair of two obstacles.
fn check_can_touch(c: &mut Checker, path: &str, names: [&str; 2], obstacles: &BTreeSet<&str>) {
    let [a, b] = names;
    if !names.iter().all(|name| obstacles.contains(name)) {
        return;
    }
    let message = match a == b {
        true => format!("\"{a}\" is an obstacle: it does not touch itself"),
        false => format!("\"{a}\" and \"{b}\" are obstacles: they never collide"),
    };
    c.error(path, message, "name a body on one side, or remove the pair");
}

/// Checks that no coefficient of a pair has two values, and that no pair with coefficients is excluded. The pair of a
/// single copy may differ from that of all copies.
fn check_contradictions(c: &mut Checker, pairs: &[PairFriction], exclude: &[(String, String)]) {
    let excluded: BTreeSet<_> = exclude.iter().map(|(a, b)| unordered(a, b)).collect();
    let mut first_values = BTreeMap::new();
    for (i, pair) in pairs.iter().enumerate() {
        let path = format!("contact.pairs[{i}]");
        let names = unordered(&pair.a, &pair.b);
        for (field, value) in coefficients(pair) {
            let Some(value) = value else { continue };
            let (first, first_value) = *first_values.entry((names, field)).or_insert((i, value));
            if first_value != value {
                let message = format!(
                    "`{field}` of \"{}\" and \"{}\" is {value} here and {first_value} in contact.pairs[{first}]",
                    pair.a, pair.b
                );
                c.error(&format!("{path}.{field}"), message, "remove one of the two");
            }
        }
        let is_excluded = |[a, b]: [&str; 2]| {
            let sides =
                [[a, b], [body_name(a), b], [a, body_name(b)], [body_name(a), body_name(b)]];
            sides.iter().any(|[a, b]| excluded.contains(&unordered(a, b)))
        };
        if is_excluded(names) {
            let message = format!("\"{}\" and \"{}\" are also in `exclude`", pair.a, pair.b);
            c.error(&path, message, "remove the pair from `pairs`, or from `exclude`");
        }
    }
}
