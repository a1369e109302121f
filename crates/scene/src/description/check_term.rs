//! Checks that terms and damping are compatible with their bodies.

use super::check_body;
use super::formula::{self, Variables};
use super::problem::Checker;
use super::range::Range;
use super::{Body, Damping, Formula, Term, TimeFunction};
use std::collections::BTreeSet;

/// Checks the terms and the damping of a body.
pub(super) fn check_terms(c: &mut Checker, path: &str, body: &Body) {
    for (k, term) in body.terms.iter().enumerate() {
        let path = format!("{path}.terms[{k}]");
        check_term(c, &path, term);
        check_nodes(c, &path, term, body);
    }
    for (k, damping) in body.damping.iter().enumerate() {
        check_damping(c, &format!("{path}.damping[{k}]"), damping, body);
    }
}

/// Checks the region, the times and the formulas of a term.
fn check_term(c: &mut Checker, path: &str, term: &Term) {
    check_formulas(c, path, term);
    let (region, start, end, factor) = match term {
        Term::Polynomial { coefficients, .. } if coefficients.is_empty() => {
            let help = "from the constant on: `[0, 0, 50]` is 50 x^2";
            let path = format!("{path}.coefficients");
            return c.error(&path, "the polynomial has no coefficients", help);
        }
        Term::Force { region, start, end, factor, .. }
        | Term::Traction { region, start, end, factor, .. }
        | Term::SurfacePressure { region, start, end, factor, .. }
        | Term::Hydrostatic { region, start, end, factor, .. }
        | Term::Torque { region, start, end, factor, .. } => (Some(region), *start, *end, factor),
        Term::Pressure { start, end, factor, .. } | Term::BodyForce { start, end, factor, .. } => {
            (None, *start, *end, factor)
        }
        Term::Gas { region, factor, .. } => {
            check_gas_amount(c, &format!("{path}.factor"), factor.as_ref());
            (Some(region), 0.0, None, factor)
        }
        _ => return,
    };
    if let Some(region) = region {
        check_body::check_region(c, &format!("{path}.region"), region);
    }
    check_body::check_time_window(c, path, start, end);
    check_time_function(c, &format!("{path}.factor"), factor.as_ref());
}

/// Checks the expressions of a term.
fn check_formulas(c: &mut Checker, path: &str, term: &Term) {
    let variables = Variables::PositionAndTime;
    match term {
        Term::BodyForce { force, .. } => {
            Formula::check_all(force, c, &format!("{path}.force"), variables);
        }
        Term::Traction { traction, .. } => {
            Formula::check_all(traction, c, &format!("{path}.traction"), variables);
        }
        Term::SurfacePressure { pressure, follows, .. } => {
            let path = format!("{path}.pressure");
            pressure.check(c, &path, variables);
            if *follows && pressure.number().is_none() {
                let help = "add `follows: false`, or write a number here and the dependence on time as \
                            `factor: Expression(\"...\")`";
                c.error(&path, "a pressure by an expression does not follow the surface", help);
            }
        }
        _ => {}
    }
}

/// Checks that the amount of gas is positive from t = 0 on.
fn check_gas_amount(c: &mut Checker, path: &str, factor: Option<&TimeFunction>) {
    let min = match factor {
        // Expressions are checked when they are evaluated.
        None | Some(TimeFunction::Expression(_)) => return,
        Some(TimeFunction::Ramp { start, end }) => {
            smallest_after_start(&[[*start, 0.0], [*end, 1.0]])
        }
        Some(TimeFunction::Table { points }) => smallest_after_start(points),
        Some(TimeFunction::Sine { amplitude, offset, .. }) => offset - amplitude.abs(),
    };
    if min <= 0.0 {
        let message = format!("the amount of gas falls to {min}, but must be positive");
        c.error(
            path,
            message,
            "it is relative to that at the start: `Table(points: [(0, 1), (1, 2)])` doubles it",
        );
    }
}

/// The smallest factor (second number) for t >= 0 of a piecewise linear function through these points.
fn smallest_after_start(points: &[[f64; 2]]) -> f64 {
    let after = points.partition_point(|[time, _]| *time <= 0.0);
    let at_start = match (after.checked_sub(1).map(|k| points[k]), points.get(after).copied()) {
        (Some([t, a]), Some([u, b])) => a + (b - a) * (0.0 - t) / (u - t),
        (Some([_, factor]), None) | (None, Some([_, factor])) => factor,
        (None, None) => f64::INFINITY,
    };
    points[after..].iter().map(|[_, factor]| *factor).fold(at_start, f64::min)
}

/// Checks a factor over time.
fn check_time_function(c: &mut Checker, path: &str, factor: Option<&TimeFunction>) {
    match factor {
        Some(TimeFunction::Ramp { start, end }) => {
            check_body::check_time_window(c, path, *start, Some(*end));
        }
        Some(TimeFunction::Table { points }) => {
            let path = format!("{path}.points");
            if points.is_empty() {
                let help = "give times and factors: `points: [(0, 0), (1, 2)]`";
                c.error(&path, "there are no points", help);
            }
            for (k, [time, factor]) in points.iter().enumerate() {
                c.check_labelled(&format!("{path}[{k}][0]"), "time (s)", *time, Range::Finite);
                c.check_labelled(&format!("{path}[{k}][1]"), "factor", *factor, Range::Finite);
            }
            let times = points.iter().map(|[time, _]| *time);
            check_body::check_increasing(c, times, |k| format!("{path}[{k}][0]"), "time (s)");
        }
        Some(TimeFunction::Expression(text)) => {
            formula::check_expression(c, &format!("{path}[0]"), text, Variables::Time);
        }
        None | Some(TimeFunction::Sine { .. }) => {}
    }
}

/// Checks that the nodes named by a term exist and are named once, and that terms between neighbours have some. For meshes the number of nodes is not known here.
fn check_nodes(c: &mut Checker, path: &str, term: &Term, body: &Body) {
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
    check_repeated_nodes(c, path, term);
}

/// Checks that no spring of a term ties a node to itself, and that other terms name each node once.
fn check_repeated_nodes(c: &mut Checker, path: &str, term: &Term) {
    match term {
        Term::Springs { pairs: Some(pairs), .. } => {
            if let Some((k, [node, _])) = pairs.iter().enumerate().find(|(_, [a, b])| a == b) {
                let message = format!("the spring begins and ends at node {node}");
                c.error(&format!("{path}.pairs[{k}]"), message, "a spring ties two nodes");
            }
        }
        _ => {
            let nodes = term.named_nodes().map_or_else(Vec::new, |(_, nodes)| nodes);
            let mut nodes_so_far = BTreeSet::new();
            if let Some(node) = nodes.into_iter().find(|&node| !nodes_so_far.insert(node)) {
                let message = format!("node {node} is there twice");
                c.error(&format!("{path}.nodes"), message, "name each node once");
            }
        }
    }
}

/// Checks that stiffness damping has an elastic term to act through.
fn check_damping(c: &mut Checker, path: &str, damping: &Damping, body: &Body) {
    let is_elastic =
        body.shape.particle_count().is_none() || body.terms.iter().any(Term::is_elastic);
    if matches!(damping, Damping::Stiffness { .. }) && !is_elastic {
        let message =
            format!("`Stiffness` damps through elastic terms, and \"{}\" has none", body.name);
        let help = "give it `Springs`, `Intervals` or a `Polynomial`, or damp by `Mass(rate: ...)`";
        c.error(path, message, help);
    }
}

#[cfg(test)]
mod tests {
    use super::smallest_after_start;

    #[test]
    fn factors_before_the_start_do_not_count() {
        let cases: [(&[[f64; 2]], f64); 6] = [
            (&[[-1.0, 0.0], [0.25, 1.0]], 0.8),
            (&[[0.0, 0.0], [1.0, 1.0]], 0.0),
            (&[[-2.0, 0.0], [-1.0, 1.0]], 1.0),
            (&[[-2.0, 0.0], [-1.0, 1.0], [1.0, 3.0], [2.0, 0.5]], 0.5),
            (&[[1.0, 2.0], [2.0, 3.0]], 2.0),
            (&[], f64::INFINITY),
        ];
        for (points, smallest) in cases {
            assert_eq!(smallest_after_start(points), smallest, "{points:?}");
        }
    }
}
