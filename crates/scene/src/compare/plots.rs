//! The plots of a comparison.

use super::curves::VariantCurves;
use super::short_number;
use crate::output::plot::{Chart, Curve, Legend, Panel, Point, Stroke, Unit};
use plotters::style::RGBColor;

/// Of integrators. Told apart by the colour-blind too (Okabe and Ito, the yellow left
/// out, which cannot be seen on white).
const COLORS: [RGBColor; 7] = [
    RGBColor(30, 30, 30),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];
/// Of steps, and of integrators of the same colour.
const DASHES: [Option<(i32, i32)>; 6] =
    [None, Some((8, 4)), Some((3, 3)), Some((14, 4)), Some((5, 8)), Some((1, 3))];
const TARGET: Stroke = Stroke { color: RGBColor(150, 150, 150), width: 1, dash: Some((3, 4)) };
/// A curve that goes this many times as far as calm ones is cut off, so that those
/// can be seen.
const BEYOND: f64 = 4.0;
/// Curves cut off that are named.
const MOST_NAMED: usize = 3;

/// The files with their charts; `None` where there is nothing to draw.
pub(super) fn charts(
    title: &str,
    variants: &[VariantCurves],
) -> [(&'static str, Option<Chart>); 3] {
    let page = |panels: Vec<Panel>, notes: Vec<String>| {
        let drawn = panels.iter().flat_map(|panel| &panel.curves).any(|c| c.points.len() > 1);
        let (title, legend) = (title.to_owned(), Legend::Beside);
        drawn.then_some(Chart { title, notes, legend, panels })
    };
    let page = |(panels, notes)| page(panels, notes);
    [
        ("energy.svg", page(energy(variants))),
        ("momentum.svg", page(momentum(variants))),
        ("alpha.svg", page(alpha(variants))),
    ]
}

/// How a variant is drawn: the integrator is the colour, the step the dashes.
fn stroke(variant: &VariantCurves, variants: &[VariantCurves]) -> Stroke {
    let [method, step] = variant.place;
    let steps = 1 + variants.iter().map(|v| v.place[1]).max().unwrap_or(0);
    let dash = DASHES[(step + steps * (method / COLORS.len())) % DASHES.len()];
    Stroke { color: COLORS[method % COLORS.len()], width: 2, dash }
}

fn curves<'a>(
    variants: &'a [VariantCurves],
    points: impl Fn(&'a VariantCurves) -> &'a [Point],
) -> Vec<Curve> {
    let curve = |variant: &'a VariantCurves| Curve {
        name: variant.name.clone(),
        stroke: stroke(variant, variants),
        points: points(variant).to_vec(),
    };
    variants.iter().map(curve).collect()
}

fn energy(variants: &[VariantCurves]) -> (Vec<Panel>, Vec<String>) {
    let mut targets: Vec<Curve> = Vec::new();
    for variant in variants.iter().filter(|variant| !variant.target.is_empty()) {
        if !targets.iter().any(|curve| curve.points == variant.target) {
            let points = variant.target.clone();
            targets.push(Curve { name: "target".to_owned(), stroke: TARGET, points });
        }
    }
    let ground = variants.first().map_or(0.0, |variant| variant.ground);
    let limit = energy_limit(variants);
    let beyond = beyond(variants, |v| largest(&v.total, ground), limit);
    let notes = note(&beyond, "J", "energy").into_iter().collect();
    let mut curves = curves(variants, |variant| &variant.total);
    curves.append(&mut targets);
    let window = ground - limit..ground + limit;
    (vec![Panel { window, ..Panel::new("energy", Unit::Prefixed("J"), curves) }], notes)
}

fn momentum(variants: &[VariantCurves]) -> (Vec<Panel>, Vec<String>) {
    let energy_limit = energy_limit(variants);
    let calm = |v: &&VariantCurves| largest(&v.total, v.ground) <= energy_limit;
    let (mut panels, mut notes) = (Vec::new(), Vec::new());
    for (which, name, unit) in
        [(0, "linear momentum", "kg m/s"), (1, "angular momentum", "kg m\u{b2}/s")]
    {
        let size = |variant: &VariantCurves| largest(&variant.momenta[which], 0.0);
        let of_calm = variants.iter().filter(calm).map(size).reduce(f64::max);
        let calmest = || variants.iter().map(size).reduce(f64::min).unwrap_or(0.0);
        let limit = BEYOND * of_calm.unwrap_or_else(calmest);
        let beyond = beyond(variants, size, limit);
        notes.extend(note(&beyond, unit, name));
        let curves = curves(variants, |variant| &variant.momenta[which]);
        let window = -limit..limit.max(f64::MIN_POSITIVE);
        panels.push(Panel { window, ..Panel::new(name, Unit::Compound(unit), curves) });
    }
    (panels, notes)
}

fn alpha(variants: &[VariantCurves]) -> (Vec<Panel>, Vec<String>) {
    let mut curves = curves(variants, |variant| &variant.alpha);
    curves.retain(|curve| !curve.points.is_empty());
    (vec![Panel { least_span: 0.1, ..Panel::new("alpha", Unit::One, curves) }], Vec::new())
}

/// The largest distance from a value; infinite if a point is not a number.
fn largest(points: &[Point], from: f64) -> f64 {
    let distances = points.iter().map(|&(_, value)| (value - from).abs());
    distances.fold(0.0, |most, d| if d.is_nan() { f64::INFINITY } else { most.max(d) })
}

/// The distance from the ground (J) up to which energies are drawn: some times the energy at
/// the start, the largest target, or what the calmest variant has, whichever is most.
/// What a variant has is seen in its kinetic energy too: where the start is at
/// zero, the total of a good method is rounding errors.
fn energy_limit(variants: &[VariantCurves]) -> f64 {
    let of = |v: &VariantCurves| largest(&v.total, v.ground).max(largest(&v.kinetic, 0.0));
    let calmest = variants.iter().map(of).reduce(f64::min).unwrap_or(0.0);
    let known = |v: &VariantCurves| largest(&v.target, v.ground).max(v.height.abs());
    BEYOND * variants.iter().map(known).fold(calmest, f64::max)
}

/// The variants that are cut off, and how far they go.
fn beyond(
    variants: &[VariantCurves],
    size: impl Fn(&VariantCurves) -> f64,
    limit: f64,
) -> Vec<(&str, f64)> {
    let sized = variants.iter().map(|variant| (variant.name.as_str(), size(variant)));
    sized.filter(|&(_, size)| size > limit).collect()
}

fn note(beyond: &[(&str, f64)], unit: &str, what: &str) -> Option<String> {
    let named = |&(name, size): &(&str, f64)| match size.is_finite() {
        true => format!("{name} (up to {} {unit})", short_number(size)),
        false => format!("{name} (without limit)"),
    };
    let shown: Vec<_> = beyond.iter().take(MOST_NAMED).map(named).collect();
    let more = match beyond.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let listed = shown.join(", ");
    let said = format!("{what} beyond {BEYOND} times that of calm runs is cut off: {listed}{more}");
    (!beyond.is_empty()).then_some(said)
}
