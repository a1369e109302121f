//! `energy.svg`: energies over time, and alpha below them.

use super::{OutputError, atomic, io};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// Width and height as shown.
const SIZE: (u32, u32) = (960, 600);
/// The plotting library rounds to whole units: it draws this much larger, so that
/// a unit is a fraction of a pixel.
const FINE: u32 = 4;
/// Points of a curve that are drawn; more cannot be told apart on [`SIZE`].
const MOST_POINTS: usize = 1600;
// Told apart by the colour-blind too (Okabe and Ito).
const CURVES: [Curve; 4] = [
    Curve { name: "kinetic", color: RGBColor(0, 114, 178), width: 1, value: |p| Some(p.kinetic) },
    Curve {
        name: "potential",
        color: RGBColor(0, 158, 115),
        width: 1,
        value: |p| Some(p.potential),
    },
    Curve { name: "total", color: RGBColor(30, 30, 30), width: 3, value: |p| Some(p.total) },
    Curve { name: TARGET, color: RGBColor(213, 94, 0), width: 2, value: |p| p.target },
];
/// The dashed one.
const TARGET: &str = "target";
const ALPHA: RGBColor = RGBColor(140, 60, 130);
const GRID: RGBColor = RGBColor(228, 228, 228);
const AXIS: RGBColor = RGBColor(60, 60, 60);
const LIMIT: RGBColor = RGBColor(120, 120, 120);

struct Curve {
    name: &'static str,
    color: RGBColor,
    width: u32,
    value: fn(&EnergyPoint) -> Option<f64>,
}

type Panel<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Energies at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyPoint {
    /// Time (s).
    pub time: f64,
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// Potential energy (J).
    pub potential: f64,
    /// Their sum (J).
    pub total: f64,
    /// Energy target (J).
    pub target: Option<f64>,
    /// Alpha of the step.
    pub alpha: Option<f64>,
}

/// A plot of energies over time.
#[derive(Debug, Clone, PartialEq)]
pub struct EnergyPlot {
    /// Above the plot.
    pub title: String,
    /// In the order of time.
    pub points: Vec<EnergyPoint>,
    /// Smallest and largest alpha allowed.
    pub alpha_limits: Option<[f64; 2]>,
}

impl EnergyPlot {
    /// The plot of a whole history, that of resumed runs included.
    ///
    /// # Errors
    /// If the history cannot be read, or lacks a column.
    pub fn of_history(
        history: &Path,
        title: impl Into<String>,
        alpha_limits: Option<[f64; 2]>,
    ) -> Result<Self, OutputError> {
        let text = fs::read_to_string(history).map_err(io("read", history))?;
        let missing = |column: &str| OutputError::Plot {
            reason: format!("{} has no column `{column}`", history.display()),
        };
        let header: Vec<_> = text.lines().next().unwrap_or("").split(',').collect();
        let column = |name: &str| {
            header.iter().position(|column| *column == name).ok_or_else(|| missing(name))
        };
        let names = ["time", "kinetic", "potential", "total", "target", "alpha"];
        let mut columns = [0; 6];
        for (place, name) in columns.iter_mut().zip(names) {
            *place = column(name)?;
        }
        let points = text.lines().skip(1).filter_map(|line| {
            let cells: Vec<_> = line.split(',').collect();
            let [time, kinetic, potential, total, target, alpha] =
                columns.map(|column| cells.get(column).and_then(|cell| cell.parse().ok()));
            let (kinetic, potential) = (kinetic?, potential?);
            Some(EnergyPoint { time: time?, kinetic, potential, total: total?, target, alpha })
        });
        Ok(Self { title: title.into(), points: points.collect(), alpha_limits })
    }

    /// Writes the plot.
    ///
    /// # Errors
    /// If there is nothing to draw, or the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        atomic::write(path, self.svg()?.as_bytes())
    }

    /// The plot as SVG, its text as text.
    ///
    /// # Errors
    /// If there is nothing to draw.
    pub fn svg(&self) -> Result<String, OutputError> {
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|reason| OutputError::Plot { reason })?;
        let size = |factor| format!("width=\"{}\" height=\"{}\"", SIZE.0 * factor, SIZE.1 * factor);
        Ok(svg.replacen(&size(FINE), &size(1), 1))
    }

    fn draw(&self, svg: &mut String) -> Result<(), String> {
        let finite = |p: &&EnergyPoint| p.total.is_finite();
        let points: Vec<EnergyPoint> = self.points.iter().filter(finite).copied().collect();
        let (Some(first), Some(last)) = (points.first(), points.last()) else {
            return Err("the history has no rows".to_owned());
        };
        let times = first.time..last.time.max(first.time + 1e-9);
        let area = SVGBackend::with_string(svg, (SIZE.0 * FINE, SIZE.1 * FINE)).into_drawing_area();
        area.fill(&WHITE).map_err(text)?;
        let area = area.margin(fine(8), fine(10), fine(12), fine(24));
        let (head, area) = area.split_vertically(fine(34));
        self.head(&head, &points)?;
        if points.iter().any(|p| p.alpha.is_some()) {
            let (upper, lower) = area.split_vertically((72).percent_height());
            self.energies(&upper, &points, times.clone(), "")?;
            self.alpha(&lower, &points, times)?;
        } else {
            self.energies(&area, &points, times, "time (s)")?;
        }
        area.present().map_err(text)
    }

    /// Title and legend, above the plot: inside it they would cover curves.
    fn head(&self, panel: &Panel<'_>, points: &[EnergyPoint]) -> Result<(), String> {
        let font = |size| ("sans-serif", fine(size)).into_text_style(panel);
        panel.draw_text(&self.title, &font(20), (fine(78), fine(4))).map_err(text)?;
        let shown: Vec<_> = CURVES
            .iter()
            .filter(|curve| points.iter().any(|p| (curve.value)(p).is_some()))
            .collect();
        let right = panel.dim_in_pixel().0 as i32;
        for (place, curve) in shown.iter().rev().enumerate() {
            let x = right - fine(108) * (place as i32 + 1);
            let style = curve.color.stroke_width(curve.width * FINE);
            let dash = |from, to| {
                PathElement::new([(x + fine(from), fine(15)), (x + fine(to), fine(15))], style)
            };
            let dashes = if curve.name == TARGET { vec![(0, 10), (15, 25)] } else { vec![(0, 25)] };
            for (from, to) in dashes {
                panel.draw(&dash(from, to)).map_err(text)?;
            }
            panel.draw_text(curve.name, &font(15), (x + fine(32), fine(7))).map_err(text)?;
        }
        Ok(())
    }

    fn energies(
        &self,
        panel: &Panel<'_>,
        points: &[EnergyPoint],
        times: Range<f64>,
        below: &str,
    ) -> Result<(), String> {
        let values = points.iter().flat_map(|p| {
            [Some(p.kinetic), Some(p.potential), Some(p.total), p.target].into_iter().flatten()
        });
        let (low, high) = extremes(values);
        let (unit, scale) = prefix(low.abs().max(high.abs()));
        let margin = 0.05 * (high - low).max(1e-12 * high.abs()).max(f64::MIN_POSITIVE);
        let range = (low - margin) * scale..(high + 1.6 * margin) * scale;
        let mut chart = ChartBuilder::on(panel)
            .set_label_area_size(LabelAreaPosition::Left, fine(78))
            .set_label_area_size(
                LabelAreaPosition::Bottom,
                fine(if below.is_empty() { 24 } else { 46 }),
            )
            .build_cartesian_2d(times, range)
            .map_err(text)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .set_all_tick_mark_size(fine(5))
            .bold_line_style(GRID.stroke_width(FINE))
            .axis_style(AXIS.stroke_width(FINE))
            .x_desc(below)
            .y_desc(format!("energy ({unit})"))
            .x_labels(8)
            .y_labels(7)
            .y_label_formatter(&|y| short(*y))
            .x_label_formatter(&|x| short(*x))
            .label_style(("sans-serif", fine(14)))
            .axis_desc_style(("sans-serif", fine(16)))
            .draw()
            .map_err(text)?;
        for Curve { name, color, width, value } in CURVES {
            let curve: Vec<_> =
                points.iter().filter_map(|p| Some((p.time, scale * value(p)?))).collect();
            if curve.is_empty() {
                continue;
            }
            let style = color.stroke_width(width * FINE);
            let drawn = thinned(&curve);
            if name == TARGET {
                let dashes = DashedLineSeries::new(drawn, fine(9), fine(6), style);
                chart.draw_series(dashes).map_err(text)?;
            } else {
                chart.draw_series(LineSeries::new(drawn, style)).map_err(text)?;
            }
        }
        Ok(())
    }

    fn alpha(
        &self,
        panel: &Panel<'_>,
        points: &[EnergyPoint],
        times: Range<f64>,
    ) -> Result<(), String> {
        let alphas: Vec<_> = points.iter().filter_map(|p| Some((p.time, p.alpha?))).collect();
        let limits = self.alpha_limits.into_iter().flatten();
        let (low, high) = extremes(alphas.iter().map(|&(_, alpha)| alpha).chain(limits));
        let margin = 0.12 * (high - low).max(0.1);
        let mut chart = ChartBuilder::on(panel)
            .margin_top(fine(10))
            .set_label_area_size(LabelAreaPosition::Left, fine(78))
            .set_label_area_size(LabelAreaPosition::Bottom, fine(46))
            .build_cartesian_2d(times.clone(), low - margin..high + margin)
            .map_err(text)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .set_all_tick_mark_size(fine(5))
            .bold_line_style(GRID.stroke_width(FINE))
            .axis_style(AXIS.stroke_width(FINE))
            .x_desc("time (s)")
            .y_desc("alpha")
            .x_labels(8)
            .y_labels(4)
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .label_style(("sans-serif", fine(14)))
            .axis_desc_style(("sans-serif", fine(16)))
            .draw()
            .map_err(text)?;
        for limit in self.alpha_limits.into_iter().flatten() {
            let line = [(times.start, limit), (times.end, limit)];
            chart
                .draw_series(DashedLineSeries::new(
                    line,
                    fine(4),
                    fine(4),
                    LIMIT.stroke_width(FINE),
                ))
                .map_err(text)?;
        }
        chart
            .draw_series(LineSeries::new(thinned(&alphas), ALPHA.stroke_width(FINE)))
            .map_err(text)?;
        Ok(())
    }
}

/// Pixels as shown, in units of the drawing.
fn fine(pixels: i32) -> i32 {
    pixels * FINE as i32
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

/// A unit in which the largest number is between 1 and 1000, and its factor.
fn prefix(largest: f64) -> (&'static str, f64) {
    match largest {
        v if v >= 1e6 => ("MJ", 1e-6),
        v if v >= 1e3 => ("kJ", 1e-3),
        v if v >= 1.0 || v == 0.0 => ("J", 1.0),
        v if v >= 1e-3 => ("mJ", 1e3),
        _ => ("uJ", 1e6),
    }
}

/// A label without the zeros and rounding errors of binary fractions.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Fewer points with the same look: of every run of neighbours the lowest and the
/// highest, so that no peak is lost.
fn thinned(curve: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if curve.len() <= MOST_POINTS {
        return curve.to_vec();
    }
    let run = curve.len().div_ceil(MOST_POINTS / 2);
    let pairs = curve.chunks(run).flat_map(|run| {
        let by = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let low = *run.iter().min_by(by).expect("runs are not empty");
        let high = *run.iter().max_by(by).expect("runs are not empty");
        if low.0 <= high.0 { [low, high] } else { [high, low] }
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bouncing ball that loses a little energy in every bounce.
    fn plot(steps: u32) -> EnergyPlot {
        let point = |i: u32| {
            let time = f64::from(i) * 10.0 / f64::from(steps);
            let phase = (time / 0.9).fract();
            let total = 5.0 * (-time / 15.0).exp();
            let kinetic = total * (2.0 * phase - 1.0).powi(2);
            EnergyPoint {
                time,
                kinetic,
                potential: total - kinetic,
                total: total - 0.05 * (9.0 * time).sin().powi(8),
                target: Some(total),
                alpha: Some((1.0 + 0.3 * (9.0 * time).sin()).min(1.1)),
            }
        };
        EnergyPlot {
            title: "bouncing-ball-soft".to_owned(),
            points: (1..=steps).map(point).collect(),
            alpha_limits: Some([0.0, 1.1]),
        }
    }

    #[test]
    fn the_plot_has_curves_legend_axes_and_units_as_text() {
        let svg = plot(1200).svg().expect("there is something to draw");
        let has = |word: &str| svg.lines().any(|line| line.trim() == word);
        for word in ["kinetic", "potential", "total", "target", "energy (J)", "time (s)", "alpha"] {
            assert!(has(word), "no text {word}");
        }
        let mut other = plot(1200);
        for p in &mut other.points {
            (p.alpha, p.target) = (None, None);
            (p.kinetic, p.potential, p.total) =
                (1e-4 * p.kinetic, 1e-4 * p.potential, 1e-4 * p.total);
        }
        let svg = other.svg().expect("there is something to draw");
        let has = |word: &str| svg.lines().any(|line| line.trim() == word);
        assert!(has("energy (uJ)") && has("time (s)") && !has("target") && !has("alpha"));
    }

    #[test]
    fn a_long_run_is_thinned_and_keeps_its_peaks() {
        let mut curve: Vec<_> = (0..100_000).map(|i| (f64::from(i), 0.0)).collect();
        (curve[31_415].1, curve[92_653].1) = (7.0, -3.0);
        let drawn = thinned(&curve);
        assert!(drawn.len() <= MOST_POINTS + 2, "{}", drawn.len());
        assert!(drawn.contains(&curve[31_415]) && drawn.contains(&curve[92_653]));
        assert!(drawn.is_sorted_by(|a, b| a.0 <= b.0));
    }

    #[test]
    fn an_empty_history_is_an_error_and_a_single_row_is_drawn() {
        assert!(matches!(plot(0).svg(), Err(OutputError::Plot { .. })));
        assert!(plot(1).svg().is_ok());
    }
}
