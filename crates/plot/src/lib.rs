#![doc = include_str!("../README.md")]
//! # Design
//!
//! Charts as SVG and PDF: curves over time, in stacked panels.
//!
//! A [`Chart`] is plain data; [`Chart::svg`] draws it. A [`Graph`] is one panel over any two axes, which may be
//! logarithmic, in the same style. Nothing here touches files. Curves of many points are thinned to the visible
//! ones, axes have round numbers and units with prefixes, and text stays selectable.

mod chart;
mod covered;
mod curve;
mod font;
mod graph;
mod label;
mod page;
mod pdf;

pub use chart::{Chart, Legend, Panel, PlotError, TIME_AXIS};
pub use covered::widen_covered;
pub use curve::{COLORS, Curve, Point, Stroke, extremes};
pub use graph::{Axis, Graph, Marks, Scale};
pub use label::Unit;
pub use pdf::{Pdf, pdf_of};
pub use plotters::style::RGBColor;
