//! Findings of readers, with common wording.

use super::tree::{Child, Node, NodeKind};
use crate::description::nearest;
use std::ops::Range;

/// The innermost value with brackets around a place.
pub(super) fn enclosing(node: &Node, at: usize) -> &Node {
    let inside = |child: &&Child| {
        child.node.kind != NodeKind::Scalar
            && child.node.inner.start <= at
            && at <= child.node.inner.end
    };
    node.children.iter().find(inside).map_or(node, |child| enclosing(&child.node, at))
}

/// A finding with its place and remedy.
pub(super) struct LocatedFinding {
    pub(super) span: Range<usize>,
    pub(super) message: String,
    pub(super) help: String,
}

/// The range before the first field.
pub(super) fn opening(node: &Node) -> Range<usize> {
    node.span.start..node.inner.start
}

pub(super) fn suggestion(misspelt: &str, known: &[&str], label: &str) -> String {
    let renamed = super::version::renamed(misspelt).filter(|name| known.contains(name));
    let near = renamed
        .or_else(|| nearest(misspelt, known.iter().copied()))
        .or_else(|| known_synonym(misspelt).filter(|name| known.contains(name)));
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    format!("{near}{label}: {}", list(known))
}

/// The name in this program for a name of other programs.
fn known_synonym(name: &str) -> Option<&'static str> {
    Some(match name {
        "E" | "young_modulus" | "youngs_modulus" => "young",
        "nu" | "poisson_ratio" => "poisson",
        "rho" => "density",
        "mu" | "friction_coefficient" => "friction",
        "dhat" | "contact_gap" => "d_hat",
        "barrier_stiffness" => "kappa",
        "epsv" | "eps_velocity" => "slip_speed",
        "dt" | "h" | "time_step" => "step",
        "tend" | "end" => "duration",
        "position" | "translation" => "translate",
        "rotation" => "rotate",
        "Newmark" => "Trapezoidal",
        "BackwardEuler" => "ImplicitEuler",
        _ => return None,
    })
}

pub(super) fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The first words of a value, on one line.
pub(super) fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    let short: String = line.chars().take(40).collect();
    if short.len() < text.len() { format!("{short} ...") } else { short }
}
