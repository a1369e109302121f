//! Graphs over two axes, each linear or logarithmic.

use super::chart::PlotError;
use super::curve::{Curve, Stroke};
use super::label::tick;
use super::page::{
    AXIS, Area, GRID, PIXEL_UNITS, draw_page, entries, error_text, split_off_legend,
    to_drawing_units,
};
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// Scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Linear.
    Linear,
    /// Logarithmic; values that are not positive are skipped.
    Logarithmic,
}

/// Marks of the points of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// Lines through the points of each curve.
    Lines,
    /// Dots.
    Dots,
    /// Dots connected by lines.
    DotsAndLines,
}

/// An axis of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Name of the quantity, with its unit.
    pub name: String,
    /// Linear or logarithmic scale.
    pub scale: Scale,
    /// First and last value.
    pub range: [f64; 2],
}

impl Axis {
    /// A linear axis.
    pub fn linear(name: impl Into<String>, range: [f64; 2]) -> Self {
        Self { name: name.into(), scale: Scale::Linear, range }
    }

    /// A logarithmic axis.
    pub fn logarithmic(name: impl Into<String>, range: [f64; 2]) -> Self {
        Self { name: name.into(), scale: Scale::Logarithmic, range }
    }

    /// Label of a tick at this value.
    fn label(&self, value: f64) -> String {
        match self.scale {
            Scale::Linear => tick(value, self.range),
            Scale::Logarithmic => power_of_ten_label(value),
        }
    }
}

/// Curves over two axes, with the legend beside them.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// Title, and name of its files.
    pub name: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Marks of points.
    pub marks: Marks,
    /// Curves; later ones are drawn above earlier ones.
    pub curves: Vec<Curve>,
}

/// Smallest radius of a dot (pixels).
const DOT_RADIUS: i32 = 3;

impl Graph {
    /// Draws the graph as SVG with selectable text.
    ///
    /// # Errors
    /// If the plotting library cannot draw it, for example because a range is empty.
    pub fn svg(&self) -> Result<String, PlotError> {
        let [x, y] = [self.x.range, self.y.range].map(|[first, last]| first..last);
        draw_page(|area| match (self.x.scale, self.y.scale) {
            (Scale::Linear, Scale::Linear) => self.draw(area, x, y),
            (Scale::Linear, Scale::Logarithmic) => self.draw(area, x, y.log_scale()),
            (Scale::Logarithmic, Scale::Linear) => self.draw(area, x.log_scale(), y),
            (Scale::Logarithmic, Scale::Logarithmic) => {
                self.draw(area, x.log_scale(), y.log_scale())
            }
        })
    }

    /// Draws title, legend, axes and curves over the given coordinates, which are linear or logarithmic.
    fn draw<X, Y>(&self, area: &Area<'_>, x: X, y: Y) -> Result<(), String>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let (head_area, body_area) = area.split_vertically(to_drawing_units(34));
        let title_style = ("sans-serif", to_drawing_units(20)).into_text_style(&head_area);
        head_area
            .draw_text(&self.name, &title_style, (to_drawing_units(78), to_drawing_units(4)))
            .map_err(error_text)?;
        let plot_area = split_off_legend(&body_area, &entries(&self.curves))?;
        let mut plane = ChartBuilder::on(&plot_area)
            .set_label_area_size(LabelAreaPosition::Left, to_drawing_units(78))
            .set_label_area_size(LabelAreaPosition::Bottom, to_drawing_units(46))
            .build_cartesian_2d(x, y)
            .map_err(error_text)?;
        plane
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .set_all_tick_mark_size(to_drawing_units(5))
            .bold_line_style(GRID.stroke_width(PIXEL_UNITS))
            .axis_style(AXIS.stroke_width(PIXEL_UNITS))
            .x_desc(&self.x.name)
            .y_desc(&self.y.name)
            .x_label_formatter(&|x| self.x.label(*x))
            .y_label_formatter(&|y| self.y.label(*y))
            .label_style(("sans-serif", to_drawing_units(14)))
            .axis_desc_style(("sans-serif", to_drawing_units(16)))
            .draw()
            .map_err(error_text)?;
        for curve in &self.curves {
            let Stroke { color, width, dash } = curve.stroke;
            let (points, style) =
                (self.clamped_points(curve), color.stroke_width(width * PIXEL_UNITS));
            if self.marks != Marks::Lines {
                // The dots of a covered curve are larger, as its line is wider.
                let radius = to_drawing_units(DOT_RADIUS.max(width as i32 + 1));
                let dots = points.iter().map(|&center| Circle::new(center, radius, color.filled()));
                plane.draw_series(dots).map_err(error_text)?;
            }
            if self.marks == Marks::Dots {
                continue;
            }
            match dash {
                None => plane.draw_series(LineSeries::new(points, style)).map(drop),
                Some((dash, gap)) => {
                    let series = DashedLineSeries::new(
                        points,
                        to_drawing_units(dash),
                        to_drawing_units(gap),
                        style,
                    );
                    plane.draw_series(series).map(drop)
                }
            }
            .map_err(error_text)?;
        }
        Ok(())
    }

    /// Points clamped to the ranges of the axes, so that a curve that leaves them is drawn along the border. Points
    /// that are not finite or not positive on a logarithmic axis are left out.
    fn clamped_points(&self, curve: &Curve) -> Vec<(f64, f64)> {
        let is_drawable = |axis: &Axis, value: f64| {
            value.is_finite() && (axis.scale == Scale::Linear || value > 0.0)
        };
        let clamp = |axis: &Axis, value: f64| value.clamp(axis.range[0], axis.range[1]);
        let points = curve.points.iter();
        points
            .filter(|&&(x, y)| is_drawable(&self.x, x) && is_drawable(&self.y, y))
            .map(|&(x, y)| (clamp(&self.x, x), clamp(&self.y, y)))
            .collect()
    }
}

/// Label of a tick of a logarithmic axis: a decimal number, or a power of ten for very large and small values.
fn power_of_ten_label(value: f64) -> String {
    if value != 0.0 && !(1e-2..1e4).contains(&value.abs()) {
        return format!("{value:.0e}");
    }
    super::label::short(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graph_labels_axes_and_curves_and_rejects_an_empty_range() {
        let points = vec![(0.01, 0.0), (0.1, 2.0), (1.0, f64::NAN), (10.0, 50.0)];
        let mut graph = Graph {
            name: "graph".to_owned(),
            x: Axis::logarithmic("abscissa", [1e-2, 10.0]),
            y: Axis::logarithmic("ordinate", [1e-2, 10.0]),
            marks: Marks::Lines,
            curves: vec![Curve::new("only curve", 0, points)],
        };
        let svg = graph.svg().expect("there is something to draw");
        for word in ["abscissa", "ordinate", "only curve"] {
            assert!(svg.contains(word), "no text {word}");
        }
        assert_eq!(graph.clamped_points(&graph.curves[0]), [(0.1, 2.0), (10.0, 10.0)]);
        let drawn = |graph: &Graph, what: &str| {
            graph.svg().expect("there is something to draw").matches(what).count()
        };
        let of = |graph: &Graph| ["<circle", "<polyline"].map(|what| drawn(graph, what));
        graph.y.scale = Scale::Linear;
        let [no_dots, lines] = of(&graph);
        assert_eq!(no_dots, 0);
        graph.marks = Marks::DotsAndLines;
        assert_eq!(of(&graph), [3, lines]);
        graph.marks = Marks::Dots;
        assert_eq!(of(&graph), [3, lines - 1]);
    }
}
