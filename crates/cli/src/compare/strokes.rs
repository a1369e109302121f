//! Styles of curves: the colour encodes the method, the dashes the step.

use super::choose::integrator_names;
use super::curves::VariantCurves;
use resile_plot::{COLORS, Stroke};
use std::collections::BTreeSet;

/// Dash patterns (length of a dash and of a gap, px), which distinguish steps, and methods that share a colour.
const DASHES: [Option<(i32, i32)>; 10] = [
    None,
    Some((8, 4)),
    Some((3, 3)),
    Some((14, 4)),
    Some((5, 8)),
    Some((1, 3)),
    Some((20, 6)),
    Some((2, 7)),
    Some((11, 11)),
    Some((6, 2)),
];
/// Width of a curve (px).
const WIDTH: u32 = 2;

/// The stroke of a variant: the colour of its method; the dashes count its step and the earlier methods of the same
/// colour.
pub(super) fn stroke(variant: &VariantCurves, variants: &[VariantCurves]) -> Stroke {
    let [method, step] = variant.method_and_step;
    let steps = 1 + variants.iter().map(|v| v.method_and_step[1]).max().unwrap_or(0);
    let color = color_index(&variant.method);
    let same_color = variants.iter().filter(|other| color_index(&other.method) == color);
    let earlier_methods: BTreeSet<usize> =
        same_color.map(|v| v.method_and_step[0]).filter(|&m| m < method).collect();
    let dash = DASHES[(step + steps * earlier_methods.len()) % DASHES.len()];
    Stroke { color: COLORS[color], width: WIDTH, dash }
}

/// The index of the colour of a method, which is the same in every comparison; some methods share a colour.
fn color_index(method: &str) -> usize {
    integrator_names().iter().position(|name| *name == method).unwrap_or(0) % COLORS.len()
}
