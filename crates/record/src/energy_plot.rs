//! `energy.svg`: energies over time, and alpha below them; the potential energy of equilibria.

use crate::{Columns, OutputError, write_atomically};
use resile_math::units::Units;
use resile_plot::{Chart, Curve, Legend, Panel, RGBColor, Stroke, TIME_AXIS, Unit};
use std::path::Path;

/// The value of a curve at a point.
type Value = fn(&EnergyPoint) -> Option<f64>;

/// Name, stroke and value of each curve of energy, in a palette for colour-blind readers (Okabe and Ito).
const CURVES: [(&str, Stroke, Value); 4] = [
    ("kinetic", Stroke::solid(RGBColor(0, 114, 178), 1), |p| Some(p.kinetic)),
    (POTENTIAL, Stroke::solid(RGBColor(0, 158, 115), 1), |p| Some(p.potential)),
    ("total", Stroke::solid(RGBColor(30, 30, 30), 3), |p| Some(p.total)),
    ("target", Stroke { color: RGBColor(213, 94, 0), width: 2, dash: Some((9, 6)) }, |p| p.target),
];
/// Name of the only curve of equilibria.
const POTENTIAL: &str = "potential";
/// Label of the axis of the times whose loads are in equilibrium.
const LOAD_TIME_AXIS: &str = "load time (s)";
/// Height of the panel of energies in percent, if there is a panel of alpha.
const ENERGY_PERCENT: u32 = 72;
/// Smallest range of the axis of alpha.
const MIN_ALPHA_SPAN: f64 = 0.1;
/// Stroke of alpha.
const ALPHA: Stroke = Stroke::solid(RGBColor(140, 60, 130), 1);

/// The unit of an axis of energy. Only joules take prefixes: `mJ` and `erg` do not.
pub fn unit_of_energy(units: Units) -> Unit {
    match units {
        Units::Metres => Unit::Prefixed("J"),
        other => Unit::Compound(other.name("J")),
    }
}

/// Energies at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyPoint {
    /// Time (s), or that of the loads on an equilibrium path.
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
    /// Title above the plot.
    pub title: String,
    /// Points in the order of steps.
    pub points: Vec<EnergyPoint>,
    /// Smallest and largest permitted alpha.
    pub alpha_limits: Option<[f64; 2]>,
    /// Units of the axis of energy; the points are in SI.
    pub units: Units,
    /// Whether the points are equilibria, of which only the potential energy is drawn.
    pub of_equilibria: bool,
    /// Label of the horizontal axis.
    pub abscissa: &'static str,
}

impl EnergyPlot {
    /// The plot of a whole history, which includes the rows of resumed runs.
    ///
    /// # Errors
    /// If the history cannot be read, or lacks a column.
    pub fn of_history(
        history: &Path,
        title: impl Into<String>,
        alpha_limits: Option<[f64; 2]>,
    ) -> Result<Self, OutputError> {
        let columns = Columns::read(history)?;
        let rows = columns.select(["time", "kinetic", "potential", "total", "target", "alpha"])?;
        let points = rows.filter_map(|[time, kinetic, potential, total, target, alpha]| {
            let (kinetic, potential) = (kinetic?, potential?);
            Some(EnergyPoint { time: time?, kinetic, potential, total: total?, target, alpha })
        });
        Ok(Self {
            title: title.into(),
            points: points.collect(),
            alpha_limits,
            units: Units::default(),
            of_equilibria: false,
            abscissa: TIME_AXIS,
        })
    }

    /// This plot with its axis of energy in other units.
    #[must_use]
    pub fn in_units(self, units: Units) -> Self {
        Self { units, ..self }
    }

    /// This plot of equilibria under loads of the times of its points.
    #[must_use]
    pub fn of_equilibria(self) -> Self {
        Self { of_equilibria: true, ..self }
    }

    /// This plot along an equilibrium path, over the times whose loads are in equilibrium. `load_times` holds the time
    /// of a point and that of its loads (s); the start has the loads of its own time.
    #[must_use]
    pub fn along_path(mut self, load_times: &[[f64; 2]]) -> Self {
        for point in &mut self.points {
            if let Some([_, load_time]) = load_times.iter().find(|[time, _]| *time == point.time) {
                point.time = *load_time;
            }
        }
        Self { of_equilibria: true, abscissa: LOAD_TIME_AXIS, ..self }
    }

    /// Prepends the initial state with its kinetic and total energy (J) at `time` (s). The energy target, if
    /// any, begins at the total energy.
    #[must_use]
    pub fn starting_with(mut self, time: f64, [kinetic, total]: [f64; 2]) -> Self {
        let target = self.points.last().and_then(|p| p.target).map(|_| total);
        let potential = total - kinetic;
        let start = EnergyPoint { time, kinetic, potential, total, target, alpha: None };
        // The history may have a row for the start, but without a target; it is replaced.
        self.points.retain(|point| point.time > time);
        self.points.insert(0, start);
        self
    }

    /// Writes the plot.
    ///
    /// # Errors
    /// If there is nothing to draw, or the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        write_atomically(path, self.svg()?.as_bytes())
    }

    /// The plot as SVG with selectable text.
    ///
    /// # Errors
    /// If there is nothing to draw.
    pub fn svg(&self) -> Result<String, OutputError> {
        Ok(self.chart().svg()?)
    }

    /// The chart of the points with a finite total energy: a panel of energies and, if there are alphas, a panel of
    /// alpha below it.
    fn chart(&self) -> Chart {
        let points: Vec<_> = self.points.iter().filter(|p| p.total.is_finite()).collect();
        let curve_of = |name: &str, stroke, value: Value| Curve {
            name: name.to_owned(),
            stroke,
            points: points.iter().filter_map(|p| Some((p.time, value(p)?))).collect(),
        };
        let shown = CURVES.iter().filter(|(name, ..)| !self.of_equilibria || *name == POTENTIAL);
        let energies = shown.map(|&(name, stroke, value)| {
            let mut curve = curve_of(name, stroke, value);
            for (_, energy) in &mut curve.points {
                *energy = self.units.number(*energy, "J");
            }
            curve
        });
        let unit = unit_of_energy(self.units);
        let mut panels = vec![Panel::new("energy", unit, energies.collect())];
        let alpha = curve_of("", ALPHA, |p| p.alpha);
        if !alpha.points.is_empty() && !self.of_equilibria {
            panels[0].share = ENERGY_PERCENT;
            panels.push(Panel {
                share: 100 - ENERGY_PERCENT,
                levels: self.alpha_limits.into_iter().flatten().collect(),
                least_span: MIN_ALPHA_SPAN,
                ..Panel::new("alpha", Unit::One, vec![alpha])
            });
        }
        let (title, abscissa) = (self.title.clone(), self.abscissa);
        Chart { title, notes: Vec::new(), legend: Legend::Above, abscissa, panels }
    }
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
            units: Units::Metres,
            of_equilibria: false,
            abscissa: TIME_AXIS,
        }
    }

    #[test]
    fn energy_plot_has_curves_legend_axes_and_units() {
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
        let svg = other.in_units(Units::Millimetres).svg().expect("there is something to draw");
        assert!(svg.lines().any(|line| line.trim() == "energy (1e-3 mJ)"), "the axis is in mJ");
    }

    #[test]
    fn curves_except_alpha_begin_at_the_start() {
        let steps = plot(1200);
        let whole = steps.clone().starting_with(0.0, [4.0, 5.0]);
        let first = whole.chart().panels[0].curves.iter().map(|c| c.points[0]).collect::<Vec<_>>();
        assert_eq!(first, [(0.0, 4.0), (0.0, 1.0), (0.0, 5.0), (0.0, 5.0)]);
        assert_eq!(whole.chart().panels[1].curves, steps.chart().panels[1].curves);
        let mut free = steps;
        free.points.iter_mut().for_each(|p| p.target = None);
        assert_eq!(free.starting_with(0.0, [4.0, 5.0]).points[0].target, None);
    }

    #[test]
    fn path_shows_the_potential_energy_over_the_load_time() {
        let whole = plot(3).starting_with(0.0, [0.0, 5.0]);
        let times: Vec<f64> = whole.points.iter().map(|point| point.time).collect();
        // The load falls after the second step.
        let load_times = [[times[1], 2.0], [times[2], 1.5], [times[3], 1.0]];
        let chart = whole.along_path(&load_times).chart();
        assert_eq!((chart.abscissa, chart.panels.len()), ("load time (s)", 1));
        let [potential] = &chart.panels[0].curves[..] else { panic!("one curve") };
        assert_eq!(potential.name, "potential");
        let abscissas: Vec<f64> = potential.points.iter().map(|point| point.0).collect();
        assert_eq!(abscissas, [0.0, 2.0, 1.5, 1.0]);
    }

    #[test]
    fn empty_history_is_rejected_and_a_single_row_is_drawn() {
        assert!(matches!(plot(0).svg(), Err(OutputError::Plot(_))));
        assert!(plot(1).svg().is_ok());
    }
}
