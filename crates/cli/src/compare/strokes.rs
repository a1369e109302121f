//! Styles of curves: the colour encodes the method, the dashes the step.

use super::choose::names;
use super::curves::VariantCurves;
use resile_plot::{COLORS, Stroke};
use std::collections::BTreeSet;

/// Dashes of steps, and of methods with the same colour.
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

/// The style of a variant.
pub(super) fn stroke(variant: &VariantCurves, variants: &[VariantCurves]) -> Stroke {
    let [method, step] = variant.place;
    let steps = 1 + variants.iter().map(|v| v.place[1]).max().unwrap_or(0);
    let color = color(&variant.method);
    let same = variants.iter().filter(|other| self::color(&other.method) == color);
    let before: BTreeSet<usize> = same.map(|v| v.place[0]).filter(|&m| m < method).collect();
    let dash = DASHES[(step + steps * before.len()) % DASHES.len()];
    Stroke { color: COLORS[color], width: WIDTH, dash }
}

/// The colour of a method, the same in every comparison; some methods share a colour.
fn color(method: &str) -> usize {
    names().iter().position(|name| *name == method).unwrap_or(0) % COLORS.len()
}
