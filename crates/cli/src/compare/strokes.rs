//! Styles of curves: each method has its own colour, and each curve its own dashes, so that curves can also be told
//! apart in grey.

use super::choose::integrator_names;
use super::curves::VariantCurves;
use resile_plot::{COLORS, Stroke};
use std::collections::BTreeSet;

/// Dash patterns (length of a dash and of a gap, px).
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

/// The stroke of a variant: the colour of its method, and dashes that count the steps of all methods. Dashes of two
/// methods are the same only after all patterns are used, and never if the methods share a colour.
pub(super) fn stroke(variant: &VariantCurves, variants: &[VariantCurves]) -> Stroke {
    let methods: Vec<MethodKey> =
        variants.iter().map(method_key).collect::<BTreeSet<_>>().into_iter().collect();
    let rank = methods.binary_search(&method_key(variant)).unwrap_or(0);
    let colors = color_indices(&methods);
    let color = colors[rank];
    let first = colors.iter().position(|&other| other == color).unwrap_or(rank);
    let earlier_colors: BTreeSet<usize> = colors[..first].iter().copied().collect();
    let repetitions = colors[..rank].iter().filter(|&&other| other == color).count();
    let steps = 1 + variants.iter().map(|v| v.method_and_step[1]).max().unwrap_or(0);
    let dash = variant.method_and_step[1] + steps * (earlier_colors.len() + repetitions);
    Stroke { color: COLORS[color], width: WIDTH, dash: DASHES[dash % DASHES.len()] }
}

/// Index of a method among all integrators, and among those of the comparison, which may have one integrator with
/// different parameters.
type MethodKey = [usize; 2];

/// The key of the method of a variant.
fn method_key(variant: &VariantCurves) -> MethodKey {
    let names = integrator_names();
    let index = names.iter().position(|name| *name == variant.method).unwrap_or(0);
    [index, variant.method_and_step[0]]
}

/// The indices of the colours of methods in the order of their keys. A method has its own colour unless an earlier one
/// has it, and then one that no method has, while there are any.
fn color_indices(methods: &[MethodKey]) -> Vec<usize> {
    let own_color = |method: MethodKey| method[0] % COLORS.len();
    let mut used = [0_usize; COLORS.len()];
    methods.iter().for_each(|method| used[own_color(*method)] = 1);
    let mut claimed = [false; COLORS.len()];
    let color = |method: &MethodKey| {
        let own = own_color(*method);
        if !std::mem::replace(&mut claimed[own], true) {
            return own;
        }
        // The color with the fewest methods; the first one after its own among equals.
        let others = (1..COLORS.len()).map(|shift| (own + shift) % COLORS.len());
        let other = others.min_by_key(|&color| used[color]).unwrap_or(own);
        used[other] += 1;
        other
    };
    methods.iter().map(color).collect()
}
