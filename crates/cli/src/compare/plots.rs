//! The plots of a comparison.

use super::curves::VariantCurves;
use super::short_number;
use super::strokes::stroke;
use resile_plot::{
    Chart, Curve, Legend, Panel, Point, RGBColor, Stroke, TIME_AXIS, Unit, extremes, widen_covered,
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
    let chart = |(panels, notes): (Vec<Panel>, Vec<String>)| {
        let has_lines = panels.iter().flat_map(|panel| &panel.curves).any(|c| c.points.len() > 1);
        let (title, legend) = (title.to_owned(), Legend::Beside);
        has_lines.then_some(Chart { title, notes, legend, abscissa: TIME_AXIS, panels })
    };
    [
        ("energy.svg", chart(energy_panels(variants, units))),
        ("momentum.svg", chart(momentum_panels(variants, units))),
        ("alpha.svg", chart(alpha_panels(variants))),
    ]
}

/// One curve per variant with the stroke of the variant.
fn variant_curves<'a>(
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
fn energy_panels(variants: &[VariantCurves], units: Units) -> (Vec<Panel>, Vec<String>) {
    let mut targets: Vec<Curve> = Vec::new();
    for variant in variants.iter().filter(|variant| !variant.target.is_empty()) {
        if !targets.iter().any(|curve| curve.points == variant.target) {
            let points = variant.target.clone();
            targets.push(Curve { name: "target".to_owned(), stroke: TARGET, points });
        }
    }
    let ground = variants.first().map_or(0.0, |variant| variant.ground);
    let limit = energy_limit(variants);
    let cut_off = variants_above(limit, variants, |v| largest_deviation(&v.total, ground));
    let notes = cut_off_note(&cut_off, units.name("J"), "energy").into_iter().collect();
    let window =
        plotted_range(variants, |v| &v.total, |v| largest_deviation(&v.total, ground) > limit);
    let mut curves = variant_curves(variants, |variant| &variant.total);
    widen_covered(&mut curves, &window);
    curves.append(&mut targets);
    (vec![Panel { window, ..Panel::new("energy", unit_of_energy(units), curves) }], notes)
}

/// Plots the magnitudes of linear and angular momentum, and notes which variants are cut off. The limit is a multiple
/// of the largest momentum of the variants with bounded energy.
fn momentum_panels(variants: &[VariantCurves], units: Units) -> (Vec<Panel>, Vec<String>) {
    let max_energy = energy_limit(variants);
    let momenta = units_of_momenta(units);
    let is_bounded = |v: &&VariantCurves| largest_deviation(&v.total, v.ground) <= max_energy;
    let (mut panels, mut notes) = (Vec::new(), Vec::new());
    for (index, name, unit) in
        [(0, "linear momentum", momenta[0]), (1, "angular momentum", momenta[1])]
    {
        let peak = |variant: &VariantCurves| largest_deviation(&variant.momenta[index], 0.0);
        let largest_bounded = variants.iter().filter(is_bounded).map(peak).reduce(f64::max);
        let smallest = || variants.iter().map(peak).reduce(f64::min);
        let reference = largest_bounded.or_else(smallest).filter(|peak| peak.is_finite());
        let limit = CUT_OFF_FACTOR * reference.unwrap_or(0.0);
        let cut_off = variants_above(limit, variants, peak);
        notes.extend(cut_off_note(&cut_off, unit, name));
        let mut curves = variant_curves(variants, |variant| &variant.momenta[index]);
        let window = plotted_range(variants, |v| &v.momenta[index], |v| peak(v) > limit);
        widen_covered(&mut curves, &window);
        panels.push(Panel { window, ..Panel::new(name, Unit::Compound(unit), curves) });
    }
    (panels, notes)
}

/// Plots alpha over time of the variants that have one.
fn alpha_panels(variants: &[VariantCurves]) -> (Vec<Panel>, Vec<String>) {
    let mut curves = variant_curves(variants, |variant| &variant.alpha);
    curves.retain(|curve| !curve.points.is_empty());
    widen_covered(&mut curves, &(f64::NEG_INFINITY..f64::INFINITY));
    (vec![Panel { least_span: 0.1, ..Panel::new("alpha", Unit::One, curves) }], Vec::new())
}

/// The units of linear and angular momentum as text.
fn units_of_momenta(units: Units) -> [&'static str; 2] {
    match units {
        Units::Metres => ["kg m/s", "kg m\u{b2}/s"],
        Units::Millimetres => ["t mm/s", "t mm\u{b2}/s"],
        Units::Centimetres => ["g cm/s", "g cm\u{b2}/s"],
    }
}

/// The largest deviation of a curve from a reference value; infinite if a value is NaN.
fn largest_deviation(points: &[Point], reference: f64) -> f64 {
    let distances = points.iter().map(|&(_, value)| (value - reference).abs());
    distances.fold(
        0.0,
        |max, distance| if distance.is_nan() { f64::INFINITY } else { max.max(distance) },
    )
}

/// The energy above the ground level (J) beyond which a variant is cut off: a multiple of the maximum of the initial
/// energy, the largest energy target, and the peak of the most stable variant. The peak includes the kinetic energy:
/// with an initial energy of zero, the total energy of an accurate method consists of rounding errors.
fn energy_limit(variants: &[VariantCurves]) -> f64 {
    let peak = |v: &VariantCurves| {
        largest_deviation(&v.total, v.ground).max(largest_deviation(&v.kinetic, 0.0))
    };
    let expected =
        |v: &VariantCurves| largest_deviation(&v.target, v.ground).max(v.initial_energy.abs());
    let smallest_peak =
        variants.iter().map(peak).reduce(f64::min).filter(|limit| limit.is_finite());
    CUT_OFF_FACTOR * variants.iter().map(expected).fold(smallest_peak.unwrap_or(0.0), f64::max)
}

/// The plotted range of values: unbounded if no variant is cut off, and otherwise the range of the other variants with
/// a margin of half its length. If all variants are cut off, the range is that of their initial values.
fn plotted_range<'a>(
    variants: &'a [VariantCurves],
    points: impl Fn(&'a VariantCurves) -> &'a [Point],
    is_cut_off: impl Fn(&VariantCurves) -> bool,
) -> Range<f64> {
    let (cut_off, bounded): (Vec<_>, Vec<_>) =
        variants.iter().partition(|variant| is_cut_off(variant));
    let decisive_points = match (cut_off.is_empty(), bounded.is_empty()) {
        (true, _) => return f64::NEG_INFINITY..f64::INFINITY,
        (false, true) => cut_off.iter().flat_map(|v| points(v).first()).collect::<Vec<_>>(),
        (false, false) => bounded.iter().flat_map(|v| points(v)).collect(),
    };
    let (low, high) = extremes(decisive_points.iter().map(|&&(_, value)| value));
    let margin = 0.5 * (high - low).max(0.1 * high.abs().max(low.abs()));
    low - margin..high + margin
}

/// The names of the variants whose deviation exceeds a limit, with their deviations.
fn variants_above(
    limit: f64,
    variants: &[VariantCurves],
    deviation_of: impl Fn(&VariantCurves) -> f64,
) -> Vec<(&str, f64)> {
    let deviations = variants.iter().map(|variant| (variant.name.as_str(), deviation_of(variant)));
    deviations.filter(|&(_, deviation)| deviation > limit).collect()
}

/// The note above a plot that names the variants that are cut off, with their maxima; `None` if there are none.
fn cut_off_note(cut_off: &[(&str, f64)], unit: &str, quantity: &str) -> Option<String> {
    let name_with_maximum = |&(name, maximum): &(&str, f64)| match maximum.is_finite() {
        true => format!("{name} (up to {} {unit})", short_number(maximum)),
        false => format!("{name} (without limit)"),
    };
    let mut text =
        format!("cut off (the {quantity} exceeds {CUT_OFF_FACTOR} times that of stable runs): ");
    for (index, variant) in cut_off.iter().enumerate() {
        let name = name_with_maximum(variant);
        if index > 0 && text.chars().count() + name.chars().count() > MAX_NOTE_CHARS {
            text += &format!(" and {} more", cut_off.len() - index);
            break;
        }
        text += if index > 0 { ", " } else { "" };
        text += &name;
    }
    (!cut_off.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::choose::integrator_names;
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
    fn variant(name: &str, method_and_step: [usize; 2], factor: f64) -> VariantCurves {
        let mut history = "step,time,kinetic,total,target,alpha,contacts,\
            momentum_x,momentum_y,momentum_z,angular_x,angular_y,angular_z\n"
            .to_owned();
        for step in 1..=400 {
            let (time, grown) = (0.01 * f64::from(step), factor.powi(step));
            let energies = format!("{:?},{:?},,", 0.5 * grown, 2.0 * grown);
            let _ = writeln!(history, "{step},{time:?},{energies},0,{grown:?},0,0,0,0,0");
        }
        let mut curves = VariantCurves::at_start(name.to_owned(), &START);
        curves.method_and_step = method_and_step;
        curves.method = integrator_names()[method_and_step[0]].to_owned();
        curves
            .add_history(&Columns::parse(&history, "h.csv"), START.mass)
            .expect("all columns are there");
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

    /// There are more integrators than colours. Dashes distinguish curves that are printed in grey.
    #[test]
    fn up_to_ten_methods_have_distinct_colours_and_dashes() {
        let names = integrator_names();
        for first in 0..names.len() {
            let chosen = (0..10).map(|k| names[(first + 3 * k) % names.len()]);
            let all: Vec<_> = (0..)
                .zip(chosen)
                .map(|(place, name): (usize, &str)| VariantCurves {
                    method: name.to_owned(),
                    ..variant(name, [place, 0], 1.0 - 1e-4 * place as f64)
                })
                .collect();
            let chart = chart(&all, "energy.svg");
            let strokes: Vec<_> = chart.panels[0].curves.iter().map(|curve| curve.stroke).collect();
            for (k, stroke) in strokes.iter().enumerate() {
                let differs =
                    |other: &Stroke| other.color != stroke.color && other.dash != stroke.dash;
                assert!(strokes[..k].iter().all(differs), "{k}: {strokes:?}");
            }
        }
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
