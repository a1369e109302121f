//! Numbers in range for terms and damping.

use super::check_body;
use super::problem::Checker;
use super::{Body, Damping, Repeller, SpringLaw, Term, TimeFunction};
use std::collections::BTreeSet;

pub(super) fn terms(c: &mut Checker, path: &str, body: &Body) {
    for (k, term) in body.terms.iter().enumerate() {
        let path = format!("{path}.terms[{k}]");
        self::term(c, &path, term);
        nodes(c, &path, term, body);
    }
    for (k, damping) in body.damping.iter().enumerate() {
        self::damping(c, &format!("{path}.damping[{k}]"), damping, body);
    }
}

fn term(c: &mut Checker, path: &str, term: &Term) {
    let at = |field: &str| format!("{path}.{field}");
    match term {
        Term::Polynomial { coefficients, .. } => {
            for (i, &value) in coefficients.iter().enumerate() {
                let what = format!("coefficient of the power {i}");
                c.finite(&format!("{path}.coefficients[{i}]"), &what, value);
            }
            if coefficients.is_empty() {
                let help = "from the constant on: `[0, 0, 50]` is 50 x^2";
                c.error(&at("coefficients"), "the polynomial has no coefficients", help);
            }
        }
        Term::Cosine { amplitude, .. } => c.finite(&at("amplitude"), "amplitude (J)", *amplitude),
        Term::PenaltyWall { at: wall, stiffness, .. } => {
            c.finite(&at("at"), "place of the wall (m)", *wall);
            c.positive(&at("stiffness"), "stiffness (N/m)", *stiffness);
        }
        Term::BarrierWall { at: wall, kappa, d_hat, .. } => {
            c.finite(&at("at"), "place of the wall (m)", *wall);
            c.positive(&at("kappa"), "kappa (J)", *kappa);
            c.positive(&at("d_hat"), "d_hat (m)", *d_hat);
        }
        Term::Central { center, strength, .. } => {
            c.finite_vector(&at("center"), "centre (m)", *center);
            c.finite(&at("strength"), "strength (m^3/s^2)", *strength);
        }
        Term::Springs { stiffness, rest, law, .. } => {
            let unit = match law {
                SpringLaw::Hooke => "stiffness (N/m)",
                SpringLaw::StVK => "stiffness (N/m^3)",
            };
            c.positive(&at("stiffness"), unit, *stiffness);
            if let Some(rest) = rest {
                c.not_negative(&at("rest"), "length at rest (m)", *rest);
            }
        }
        Term::Intervals { modulus, .. } => c.positive(&at("modulus"), "modulus (N)", *modulus),
        Term::Force { force, region, start, end, factor, spread: _ } => {
            c.finite_vector(&at("force"), "force (N)", *force);
            check_body::region(c, &at("region"), region);
            check_body::window(c, path, *start, *end);
            self::factor(c, &at("factor"), factor.as_ref());
        }
        Term::Traction { traction, region, start, end, factor } => {
            c.finite_vector(&at("traction"), "traction (Pa)", *traction);
            check_body::region(c, &at("region"), region);
            check_body::window(c, path, *start, *end);
            self::factor(c, &at("factor"), factor.as_ref());
        }
        Term::SurfacePressure { pressure, region, start, end, factor, follows: _ } => {
            c.finite(&at("pressure"), "pressure (Pa)", *pressure);
            check_body::region(c, &at("region"), region);
            check_body::window(c, path, *start, *end);
            self::factor(c, &at("factor"), factor.as_ref());
        }
        Term::Pressure { pressure, start, end, factor } => {
            c.finite(&at("pressure"), "pressure (Pa)", *pressure);
            check_body::window(c, path, *start, *end);
            self::factor(c, &at("factor"), factor.as_ref());
        }
        Term::Repulsion { from, stiffness, .. } => {
            c.positive(&at("stiffness"), "stiffness (N/m)", *stiffness);
            let path = at("from");
            match *from {
                Repeller::Plane { point, normal } => {
                    c.finite_vector(&format!("{path}.point"), "point of the plane (m)", point);
                    c.direction(&format!("{path}.normal"), "normal of the plane", normal);
                }
                Repeller::Sphere { center, radius } | Repeller::Hollow { center, radius } => {
                    c.finite_vector(&format!("{path}.center"), "centre (m)", center);
                    c.positive(&format!("{path}.radius"), "radius (m)", radius);
                }
            }
        }
    }
}

fn factor(c: &mut Checker, path: &str, factor: Option<&TimeFunction>) {
    match factor {
        None => {}
        Some(TimeFunction::Ramp { start, end }) => check_body::window(c, path, *start, Some(*end)),
        Some(TimeFunction::Table { points }) => {
            let path = format!("{path}.points");
            if points.is_empty() {
                let help = "give times and factors: `points: [(0, 0), (1, 2)]`";
                c.error(&path, "there are no points", help);
            }
            let mut last = f64::NEG_INFINITY;
            for (k, &[time, value]) in points.iter().enumerate() {
                let expected = format!("later than the one before, {last} s");
                c.number(&format!("{path}[{k}][0]"), "time (s)", time, &expected, |t| t > last);
                c.finite(&format!("{path}[{k}][1]"), "factor", value);
                last = time;
            }
        }
        Some(TimeFunction::Sine { frequency, amplitude, phase, offset }) => {
            c.finite(&format!("{path}.frequency"), "frequency (Hz)", *frequency);
            c.finite(&format!("{path}.amplitude"), "amplitude", *amplitude);
            c.finite(&format!("{path}.phase"), "phase (degrees)", *phase);
            c.finite(&format!("{path}.offset"), "mean", *offset);
        }
    }
}

/// That the nodes a term names exist and make sense; those of meshes are not
/// known before they are built.
fn nodes(c: &mut Checker, path: &str, term: &Term, body: &Body) {
    let count = body.shape.particle_count();
    match (term.named_nodes(), count) {
        (Some((field, nodes)), _) if nodes.is_empty() => {
            let help = format!("name some, or leave `{field}` out");
            c.error(
                &format!("{path}.{field}"),
                "the list is empty: the term would do nothing",
                help,
            );
        }
        (None, Some(1)) if matches!(term, Term::Springs { .. } | Term::Intervals { .. }) => {
            let message = "one particle alone has no neighbour to be tied to";
            c.error(path, message, "add a particle, or use `attach`");
        }
        (None, None) if matches!(term, Term::Springs { .. } | Term::Intervals { .. }) => {
            let field = if matches!(term, Term::Springs { .. }) { "pairs" } else { "nodes" };
            let message = "the nodes of a mesh have no order that could be a chain";
            c.error(path, message, format!("add `{field}: [...]`"));
        }
        _ => {}
    }
    if let Some((field, message)) = count.and_then(|count| term.missing_node(count)) {
        c.error(&format!("{path}.{field}"), message, "nodes are counted from 0");
    }
    match term {
        Term::Springs { pairs: Some(pairs), .. } => {
            if let Some((k, [node, _])) = pairs.iter().enumerate().find(|(_, [a, b])| a == b) {
                let message = format!("the spring begins and ends at node {node}");
                c.error(&format!("{path}.pairs[{k}]"), message, "a spring ties two nodes");
            }
        }
        _ => {
            let nodes = term.named_nodes().map_or_else(Vec::new, |(_, nodes)| nodes);
            let mut seen = BTreeSet::new();
            if let Some(node) = nodes.into_iter().find(|&node| !seen.insert(node)) {
                let message = format!("node {node} is there twice");
                c.error(&format!("{path}.nodes"), message, "name each node once");
            }
        }
    }
}

pub(super) fn damping_numbers(c: &mut Checker, path: &str, damping: &Damping) {
    let at = |field: &str| format!("{path}.{field}");
    match *damping {
        Damping::Mass { rate } | Damping::RigidPreserving { rate } => {
            c.not_negative(&at("rate"), "rate (1/s)", rate);
        }
        Damping::EtherDrag { coefficient } => {
            c.not_negative(&at("coefficient"), "coefficient (kg/s)", coefficient);
        }
        Damping::Stiffness { time } => c.not_negative(&at("time"), "time (s)", time),
    }
}

fn damping(c: &mut Checker, path: &str, damping: &Damping, body: &Body) {
    damping_numbers(c, path, damping);
    let elastic = body.shape.particle_count().is_none() || body.terms.iter().any(Term::is_elastic);
    if matches!(damping, Damping::Stiffness { .. }) && !elastic {
        let message =
            format!("`Stiffness` damps through elastic terms, and \"{}\" has none", body.name);
        let help = "give it `Springs`, `Intervals` or a `Polynomial`, or damp by `Mass(rate: ...)`";
        c.error(path, message, help);
    }
}
