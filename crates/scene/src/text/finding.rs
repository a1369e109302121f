//! The findings of both readers, and the wording that they share.

use super::tree::{Child, Node, NodeKind};
use crate::description::nearest;
use std::ops::Range;

/// The innermost value whose brackets enclose an offset.
pub(super) fn enclosing(node: &Node, offset: usize) -> &Node {
    let contains_offset = |child: &&Child| {
        child.node.kind != NodeKind::Scalar
            && child.node.inner.start <= offset
            && offset <= child.node.inner.end
    };
    node.children.iter().find(contains_offset).map_or(node, |child| enclosing(&child.node, offset))
}

/// A finding with its range in the text and its remedy.
pub(super) struct LocatedFinding {
    pub(super) span: Range<usize>,
    pub(super) message: String,
    pub(super) help: String,
}

/// The range of a value up to its opening bracket: its name and the bracket.
pub(super) fn opening(node: &Node) -> Range<usize> {
    node.span.start..node.inner.start
}

/// The remedy for an unknown name: the known name that is probably meant, if any, and all known names after `label`.
pub(super) fn suggestion(misspelt: &str, known: &[&str], label: &str) -> String {
    let renamed_to = super::version::renamed(misspelt).filter(|name| known.contains(name));
    let similar = renamed_to
        .or_else(|| nearest(misspelt, known.iter().copied()))
        .or_else(|| known_synonym(misspelt).filter(|name| known.contains(name)));
    let similar = similar.map_or(String::new(), |name| format!("did you mean `{name}`? "));
    format!("{similar}{label}: {}", quoted_list(known))
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

/// Names in backquotes, separated by commas.
pub(super) fn quoted_list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The first line of a value, or its first 40 characters, with dots for the remainder.
pub(super) fn shorten(text: &str) -> String {
    let first_line = text.lines().next().unwrap_or("");
    let shown: String = first_line.chars().take(40).collect();
    if shown.len() < text.len() { format!("{shown} ...") } else { shown }
}
