//! Charts as SVG: curves over two axes, each linear or logarithmic.

use crate::drive::StudyError;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// Width and height (pixels).
const SIZE: (u32, u32) = (960, 560);
// Told apart by the colour-blind too (Okabe and Ito), then darker.
const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(30, 30, 30),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(120, 90, 40),
];

/// How a coordinate is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal ratios are equally long; what is not positive is left out.
    Logarithmic,
}

/// One direction of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub name: String,
    /// How.
    pub scale: Scale,
    /// From where to where.
    pub range: [f64; 2],
}

/// A curve with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Shown in the legend.
    pub name: String,
    /// In the order in which they are joined.
    pub points: Vec<(f64, f64)>,
}

/// Curves over two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What files with it are called, and what stands above.
    pub name: String,
    /// Across.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// At most eight can be told apart.
    pub curves: Vec<Curve>,
}

impl Chart {
    /// The chart as SVG.
    ///
    /// # Errors
    /// If the plotting library cannot draw it: an empty range, for one.
    pub fn svg(&self) -> Result<String, StudyError> {
        let (x, y) = (self.x.range[0]..self.x.range[1], self.y.range[0]..self.y.range[1]);
        match (self.x.scale, self.y.scale) {
            (Scale::Linear, Scale::Linear) => self.draw(x, y),
            (Scale::Linear, Scale::Logarithmic) => self.draw(x, y.log_scale()),
            (Scale::Logarithmic, Scale::Linear) => self.draw(x.log_scale(), y),
            (Scale::Logarithmic, Scale::Logarithmic) => self.draw(x.log_scale(), y.log_scale()),
        }
        .map_err(|reason| StudyError::Chart { name: self.name.clone(), reason })
    }

    fn draw<X, Y>(&self, x: X, y: Y) -> Result<String, String>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            root.fill(&WHITE).map_err(|e| text(&e))?;
            let mut chart = ChartBuilder::on(&root)
                .caption(&self.name, ("sans-serif", 20))
                .margin(12)
                .margin_right(24)
                .set_label_area_size(LabelAreaPosition::Left, 76)
                .set_label_area_size(LabelAreaPosition::Bottom, 46)
                .build_cartesian_2d(x, y)
                .map_err(|e| text(&e))?;
            chart
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .x_desc(&self.x.name)
                .y_desc(&self.y.name)
                .label_style(("sans-serif", 14))
                .x_label_formatter(&|x| short(*x))
                .y_label_formatter(&|y| short(*y))
                .draw()
                .map_err(|e| text(&e))?;
            for (curve, color) in self.curves.iter().zip(COLORS.iter().cycle()) {
                let line = LineSeries::new(self.shown(curve), color.stroke_width(2));
                chart
                    .draw_series(line)
                    .map_err(|e| text(&e))?
                    .label(&curve.name)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color));
            }
            chart
                .configure_series_labels()
                .background_style(WHITE.mix(0.85))
                .border_style(BLACK.mix(0.3))
                .position(SeriesLabelPosition::UpperLeft)
                .label_font(("sans-serif", 14))
                .draw()
                .map_err(|e| text(&e))?;
            root.present().map_err(|e| text(&e))?;
        }
        Ok(svg)
    }

    /// Points inside the ranges; a curve that leaves them is drawn along the border.
    fn shown(&self, curve: &Curve) -> Vec<(f64, f64)> {
        let fits = |axis: &Axis, value: f64| {
            value.is_finite() && (axis.scale == Scale::Linear || value > 0.0)
        };
        let clamp = |axis: &Axis, value: f64| value.clamp(axis.range[0], axis.range[1]);
        let points = curve.points.iter().filter(|p| fits(&self.x, p.0) && fits(&self.y, p.1));
        points.map(|p| (clamp(&self.x, p.0), clamp(&self.y, p.1))).collect()
    }
}

/// A label without the zeros of binary fractions.
fn short(value: f64) -> String {
    if value != 0.0 && !(1e-2..1e4).contains(&value.abs()) {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_names_its_axes_and_curves_and_an_empty_range_is_an_error() {
        let axis = |name: &str, scale| Axis { name: name.to_owned(), scale, range: [1e-2, 10.0] };
        let points = vec![(0.01, 0.0), (0.1, 2.0), (1.0, f64::NAN), (10.0, 50.0)];
        let mut chart = Chart {
            name: "chart".to_owned(),
            x: axis("abscissa", Scale::Logarithmic),
            y: axis("ordinate", Scale::Logarithmic),
            curves: vec![Curve { name: "only curve".to_owned(), points }],
        };
        let svg = chart.svg().expect("there is something to draw");
        for word in ["abscissa", "ordinate", "only curve"] {
            assert!(svg.contains(word), "no text {word}");
        }
        assert_eq!(chart.shown(&chart.curves[0]), [(0.1, 2.0), (10.0, 10.0)]);
        chart.y.scale = Scale::Linear;
        assert!(chart.svg().is_ok());
    }
}
