//! The plots of a comparison.

use super::curves::VariantCurves;
use super::short_number;
use super::strokes::stroke;
use resile_plot::{
    Chart, Curve, Legend, Panel, Point, RGBColor, Stroke, Unit, extremes, widen_covered,
};
use resile_record::unit_of_energy;
use resile_scene::description::Units;
use std::ops::Range;

const TARGET: Stroke = Stroke { color: RGBColor(150, 150, 150), width: 1, dash: Some((3, 4)) };
/// Curves that exceed stable ones by this factor are cut off, so that the others remain
/// visible.
const CUT_OFF_FACTOR: f64 = 4.0;
/// Maximum length of a note above a plot.
const MAX_NOTE_CHARS: usize = 125;

/// The files with their charts; `None` without data.
pub(super) fn charts(
    title: &str,
    variants: &[VariantCurves],
    units: Units,
) -> [(&'static str, Option<Chart>); 3] {
    let variants: &[VariantCurves] =
        &variants.iter().map(|curves| curves.in_units(units)).collect::<Vec<_>>();
    let page = |panels: Vec<Panel>, notes: Vec<String>| {
        let drawn = panels.iter().flat_map(|panel| &panel.curves).any(|c| c.points.len() > 1);
        let (title, legend) = (title.to_owned(), Legend::Beside);
        drawn.then_some(Chart { title, notes, legend, panels })
    };
    let page = |(panels, notes)| page(panels, notes);
    [
        ("energy.svg", page(energy(variants, units))),
        ("momentum.svg", page(momentum(variants, units))),
        ("alpha.svg", page(alpha(variants))),
    ]
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

/// Plots the energies of all variants with their targets, and notes which variants are cut off.
fn energy(variants: &[VariantCurves], units: Units) -> (Vec<Panel>, Vec<String>) {
    let mut targets: Vec<Curve> = Vec::new();
    for variant in variants.iter().filter(|variant| !variant.target.is_empty()) {
        if !targets.iter().any(|curve| curve.points == variant.target) {
            let points = variant.target.clone();
            targets.push(Curve { name: "target".to_owned(), stroke: TARGET, points });
        }
    }
    let ground = variants.first().map_or(0.0, |variant| variant.ground);
    let limit = energy_limit(variants);
    let cut_off = beyond(variants, |v| largest(&v.total, ground), limit);
    let notes = note(&cut_off, units.name("J"), "energy").into_iter().collect();
    let window = window(variants, |v| &v.total, |v| largest(&v.total, ground) > limit);
    let mut curves = curves(variants, |variant| &variant.total);
    widen_covered(&mut curves, &window);
    curves.append(&mut targets);
    (vec![Panel { window, ..Panel::new("energy", unit_of_energy(units), curves) }], notes)
}

/// Plots the magnitudes of linear and angular momentum, and notes which variants are cut off. The limit is a multiple
/// of the largest momentum of the variants with bounded energy.
fn momentum(variants: &[VariantCurves], units: Units) -> (Vec<Panel>, Vec<String>) {
    let energy_limit = energy_limit(variants);
    let momenta = units_of_momenta(units);
    let bounded = |v: &&VariantCurves| largest(&v.total, v.ground) <= energy_limit;
    let (mut panels, mut notes) = (Vec::new(), Vec::new());
    for (which, name, unit) in
        [(0, "linear momentum", momenta[0]), (1, "angular momentum", momenta[1])]
    {
        let peak = |variant: &VariantCurves| largest(&variant.momenta[which], 0.0);
        let largest_bounded = variants.iter().filter(bounded).map(peak).reduce(f64::max);
        let smallest = || variants.iter().map(peak).reduce(f64::min);
        let limit = largest_bounded.or_else(smallest).filter(|bound| bound.is_finite());
        let limit = CUT_OFF_FACTOR * limit.unwrap_or(0.0);
        let cut_off = beyond(variants, peak, limit);
        notes.extend(note(&cut_off, unit, name));
        let mut curves = curves(variants, |variant| &variant.momenta[which]);
        let window = window(variants, |v| &v.momenta[which], |v| peak(v) > limit);
        widen_covered(&mut curves, &window);
        panels.push(Panel { window, ..Panel::new(name, Unit::Compound(unit), curves) });
    }
    (panels, notes)
}

fn alpha(variants: &[VariantCurves]) -> (Vec<Panel>, Vec<String>) {
    let mut curves = curves(variants, |variant| &variant.alpha);
    curves.retain(|curve| !curve.points.is_empty());
    widen_covered(&mut curves, &(f64::NEG_INFINITY..f64::INFINITY));
    (vec![Panel { least_span: 0.1, ..Panel::new("alpha", Unit::One, curves) }], Vec::new())
}

/// Units of linear and angular momentum in some units.
fn units_of_momenta(units: Units) -> [&'static str; 2] {
    match units {
        Units::Metres => ["kg m/s", "kg m\u{b2}/s"],
        Units::Millimetres => ["t mm/s", "t mm\u{b2}/s"],
        Units::Centimetres => ["g cm/s", "g cm\u{b2}/s"],
    }
}

/// The largest deviation of a curve from a value; infinite for NaN.
fn largest(points: &[Point], from: f64) -> f64 {
    let distances = points.iter().map(|&(_, value)| (value - from).abs());
    distances.fold(0.0, |max, d| if d.is_nan() { f64::INFINITY } else { max.max(d) })
}

/// The largest distance from the ground level (J) of a stable variant: a multiple of the maximum of the initial
/// energy, the largest target, and the energy of the most stable variant.
/// The kinetic energy is considered, too, because with an initial energy of zero the total of a good method consists
/// of rounding errors.
fn energy_limit(variants: &[VariantCurves]) -> f64 {
    let highest = |v: &VariantCurves| largest(&v.total, v.ground).max(largest(&v.kinetic, 0.0));
    let known = |v: &VariantCurves| largest(&v.target, v.ground).max(v.height.abs());
    let calmest = variants.iter().map(highest).reduce(f64::min).filter(|limit| limit.is_finite());
    CUT_OFF_FACTOR * variants.iter().map(known).fold(calmest.unwrap_or(0.0), f64::max)
}

/// The plotted range: that of all variants or, if some are cut off, that of the others with a margin of half its
/// size.
fn window<'a>(
    variants: &'a [VariantCurves],
    points: impl Fn(&'a VariantCurves) -> &'a [Point],
    is_cut: impl Fn(&VariantCurves) -> bool,
) -> Range<f64> {
    let (cut, bounded): (Vec<_>, Vec<_>) = variants.iter().partition(|variant| is_cut(variant));
    let shown = match (cut.is_empty(), bounded.is_empty()) {
        (true, _) => return f64::NEG_INFINITY..f64::INFINITY,
        (false, true) => cut.iter().flat_map(|v| points(v).first()).collect::<Vec<_>>(),
        (false, false) => bounded.iter().flat_map(|v| points(v)).collect(),
    };
    let (low, high) = extremes(shown.iter().map(|&&(_, value)| value));
    let margin = 0.5 * (high - low).max(0.1 * high.abs().max(low.abs()));
    low - margin..high + margin
}

/// The variants that are cut off, with their largest deviations.
fn beyond(
    variants: &[VariantCurves],
    size: impl Fn(&VariantCurves) -> f64,
    limit: f64,
) -> Vec<(&str, f64)> {
    let sized = variants.iter().map(|variant| (variant.name.as_str(), size(variant)));
    sized.filter(|&(_, size)| size > limit).collect()
}

/// The note above a plot that names the variants that are cut off, with their maxima; `None` if there are none.
fn note(beyond: &[(&str, f64)], unit: &str, what: &str) -> Option<String> {
    let named = |&(name, size): &(&str, f64)| match size.is_finite() {
        true => format!("{name} (up to {} {unit})", short_number(size)),
        false => format!("{name} (without limit)"),
    };
    let mut text =
        format!("cut off (the {what} exceeds {CUT_OFF_FACTOR} times that of stable runs): ");
    for (index, run) in beyond.iter().enumerate() {
        let named = named(run);
        if index > 0 && text.chars().count() + named.chars().count() > MAX_NOTE_CHARS {
            text += &format!(" and {} more", beyond.len() - index);
            break;
        }
        text += if index > 0 { ", " } else { "" };
        text += &named;
    }
    (!beyond.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::choose::names;
    use super::*;
    use resile_math::Vec3;
    use resile_record::Columns;
    use resile_runner::Start;
    use std::fmt::Write as _;

    const START: Start = Start {
        energy: 2.0,
        kinetic: 0.5,
        ground: None,
        mass: 1.0,
        gravity: Vec3::ZERO,
        momentum: Vec3::X,
        angular: Vec3::ZERO,
        contacts: 0,
    };

    /// A variant whose energy and momentum are multiplied by a factor in every step.
    fn variant(name: &str, place: [usize; 2], factor: f64) -> VariantCurves {
        let mut history = "step,time,kinetic,total,target,alpha,contacts,\
            momentum_x,momentum_y,momentum_z,angular_x,angular_y,angular_z\n"
            .to_owned();
        for step in 1..=400 {
            let (time, grown) = (0.01 * f64::from(step), factor.powi(step));
            let energies = format!("{:?},{:?},,", 0.5 * grown, 2.0 * grown);
            let _ = writeln!(history, "{step},{time:?},{energies},0,{grown:?},0,0,0,0,0");
        }
        let mut curves = VariantCurves::at_start(name.to_owned(), &START);
        curves.place = place;
        curves.method = names()[place[0]].to_owned();
        curves.add(&Columns::parse(&history, "h.csv"), START.mass).expect("all columns are there");
        curves
    }

    fn chart(variants: &[VariantCurves], file: &str) -> Chart {
        let charts = charts("ball", variants, Units::Metres);
        let found = charts.into_iter().find(|(name, _)| *name == file);
        found.and_then(|(_, chart)| chart).expect("there is something to draw")
    }

    #[test]
    fn diverging_curve_is_clipped_and_noted() {
        // 10^400 overflows.
        let calm = [variant("calm", [0, 0], 1.0), variant("lossy", [1, 0], 0.99)];
        let wild = [variant("wild", [2, 0], 1.1), variant("wilder", [3, 0], 10.0)];
        let all = [calm.clone(), wild].concat();
        let energy = chart(&all, "energy.svg");
        let window = &energy.panels[0].window;
        assert!((-1.0..0.0).contains(&window.start) && (2.9..3.0).contains(&window.end));
        let expected = "cut off (the energy exceeds 4 times that of stable runs): \
            wild (up to 7.2e16 J), wilder (without limit)";
        assert_eq!(energy.notes, [expected]);
        assert!(energy.svg().expect("it can be drawn").contains(expected));
        let momentum = chart(&all, "momentum.svg");
        assert!(momentum.panels[0].window.end < 2.0, "what the calm ones need");
        assert!(momentum.notes[0].contains("the linear momentum exceeds"), "{:?}", momentum.notes);
        assert!(momentum.svg().is_ok());
        let many = [calm.to_vec(), vec![variant("wild", [2, 0], 1.1); 9]].concat();
        let note = &chart(&many, "energy.svg").notes[0];
        assert!(note.len() < 140 && note.ends_with(" and 6 more"), "{note}");
        assert_eq!(chart(&calm, "energy.svg").notes, Vec::<String>::new());
        // All variants diverge, up to the range of f64; there is still a plot.
        let lost = [variant("wilder", [0, 0], 10.0), variant("wildest", [1, 0], 1e10)];
        for file in ["energy.svg", "momentum.svg"] {
            let chart = chart(&lost, file);
            assert!(chart.notes[0].contains("wildest (without limit)"), "{:?}", chart.notes);
            assert!(chart.svg().is_ok());
        }
        let high = chart(&[variant("high", [0, 0], 5.8)], "energy.svg");
        assert!(high.svg().is_ok(), "up to 1e305");
    }

    #[test]
    fn forty_variants_have_distinct_strokes() {
        let name = |m: usize| format!("Integrator{m}(with: a long list, of: parameters)");
        let place = |k: usize| [k / 2, k % 2];
        let all: Vec<_> =
            (0..40).map(|k| variant(&name(k / 2), place(k), 1.0 - 1e-4 * k as f64)).collect();
        let chart = chart(&all, "energy.svg");
        let strokes: Vec<_> = chart.panels[0].curves.iter().map(|curve| curve.stroke).collect();
        for (k, stroke) in strokes.iter().enumerate() {
            assert!(!strokes[..k].contains(stroke), "{k}: {stroke:?}");
        }
        assert!(chart.svg().is_ok());
    }

    #[test]
    fn colour_of_a_method_is_independent_of_its_position() {
        let named = |name: &str, place: usize| VariantCurves {
            method: name.to_owned(),
            ..variant(name, [place, 0], 1.0 - 1e-4 * place as f64)
        };
        let color = |order: [&str; 3], name: &str| {
            let all: Vec<_> = (0..).zip(order).map(|(place, name)| named(name, place)).collect();
            let chart = chart(&all, "energy.svg");
            let curve = chart.panels[0].curves.iter().find(|curve| curve.name == name);
            curve.expect("it is drawn").stroke.color
        };
        let orders = [["ASearch", "Bdf2", "ImplicitEuler"], ["ImplicitEuler", "ASearch", "Bdf2"]];
        for name in orders[0] {
            assert_eq!(color(orders[0], name), color(orders[1], name), "{name}");
        }
        assert_ne!(color(orders[0], "ASearch"), color(orders[0], "ImplicitEuler"));
    }

    #[test]
    fn coincident_curves_have_different_widths() {
        let all = [0, 1, 2].map(|method| variant("same", [method, 0], 1.0));
        let chart = chart(&all, "energy.svg");
        let widths: Vec<u32> = chart.panels[0].curves.iter().map(|c| c.stroke.width).collect();
        assert!(widths[0] > widths[1] && widths[1] > widths[2], "{widths:?}");
    }

    #[test]
    fn quantities_without_values_are_not_plotted() {
        let only = [variant("A1", [0, 0], 1.0)];
        let [_, _, (name, alpha)] = charts("ball", &only, Units::Metres);
        assert_eq!((name, alpha), ("alpha.svg", None));
        let none = [VariantCurves::at_start("A1".to_owned(), &START)];
        assert!(charts("ball", &none, Units::Metres).iter().all(|(_, chart)| chart.is_none()));
    }
}
