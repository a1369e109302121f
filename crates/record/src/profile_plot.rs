//! `profile.svg`: the seconds spent so far, by phase, and Newton iterations below them.
//!
//! The curves are cumulative, because single steps are noisy: slopes show the cost of a phase over time.

use crate::{Columns, OutputError, write_atomically};
use resile_plot::{Chart, Curve, Legend, Panel, RGBColor, Stroke, TIME_AXIS, Unit};
use std::path::Path;

/// Column, name and colour of each phase, in a palette for colour-blind readers (Okabe and Ito).
const PHASES: [(&str, &str, RGBColor); 6] = [
    ("assembly", "assembly", RGBColor(0, 114, 178)),
    ("linear_solve", "linear solve", RGBColor(213, 94, 0)),
    ("collision", "collision", RGBColor(0, 158, 115)),
    ("line_search", "line search", RGBColor(204, 121, 167)),
    ("other", "other", RGBColor(30, 30, 30)),
    ("output", "output", RGBColor(230, 159, 0)),
];
/// Stroke of the Newton iterations.
const NEWTON: Stroke = Stroke::solid(RGBColor(140, 60, 130), 1);

/// A plot of the time spent by phase.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfilePlot {
    chart: Chart,
}

impl ProfilePlot {
    /// The plot of a whole profile, which includes the rows of resumed runs.
    ///
    /// # Errors
    /// If the profile cannot be read, or lacks a column.
    pub fn of_profile(profile: &Path, title: impl Into<String>) -> Result<Self, OutputError> {
        let columns = Columns::read(profile)?;
        let mut curves = Vec::new();
        for (column, name, color) in PHASES {
            let mut total = 0.0;
            let points = columns.select(["time", column])?.filter_map(|[time, seconds]| {
                total += seconds?;
                Some((time?, total))
            });
            let points = points.collect();
            curves.push(Curve { name: name.to_owned(), stroke: Stroke::solid(color, 2), points });
        }
        let rows = columns.select(["time", "newton"])?;
        let points = rows.filter_map(|[time, newton]| Some((time?, newton?))).collect();
        let newton = Curve { name: String::new(), stroke: NEWTON, points };
        let panels = vec![
            Panel { share: 70, ..Panel::new("spent so far", Unit::Prefixed("s"), curves) },
            Panel { share: 30, ..Panel::new("Newton iterations", Unit::One, vec![newton]) },
        ];
        let (title, notes, legend) = (title.into(), Vec::new(), Legend::Beside);
        Ok(Self { chart: Chart { title, notes, legend, abscissa: TIME_AXIS, panels } })
    }

    /// Writes the plot.
    ///
    /// # Errors
    /// If there is nothing to draw, or the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        write_atomically(path, self.chart.svg()?.as_bytes())
    }
}
