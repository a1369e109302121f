//! Curves: circles and helices.

use super::{GenerateError, check_count, check_elements, check_size};
use crate::{Polylines, StrandEnds};
use resile_math::Vec3;
use resile_math::elementary;
use std::f64::consts::TAU;

/// A regular polygon inscribed in a circle about the y axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circle {
    /// Radius in metres.
    pub radius: f64,
    /// Number of segments.
    pub segments: usize,
}

impl Circle {
    /// Builds the closed curve, with as many vertices as segments. The first vertex is on the x axis; the order
    /// is right-handed about y.
    ///
    /// # Errors
    /// If the radius is not a positive finite number, or there are fewer than three segments.
    pub fn build(&self) -> Result<Polylines, GenerateError> {
        check_size("radius", self.radius)?;
        check_count("segments", self.segments, 3)?;
        check_elements(&[self.segments])?;
        let vertex =
            |i: usize| point_about_y(self.radius, TAU * i as f64 / self.segments as f64, 0.0);
        Ok(Polylines::from_points((0..self.segments).map(vertex).collect(), StrandEnds::Joined))
    }
}

/// A right-handed helix about the y axis that starts at height 0; a negative pitch makes it left-handed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Helix {
    /// Distance from the axis (m).
    pub radius: f64,
    /// Rise per turn along the axis (m).
    pub pitch: f64,
    /// Number of turns.
    pub turns: f64,
    /// Total number of segments.
    pub segments: usize,
}

impl Helix {
    /// Builds the open curve, with one vertex more than segments. The first vertex is on the x axis.
    ///
    /// # Errors
    /// If the radius or the number of turns is not positive and finite, the pitch is zero or not finite, or
    /// there are no segments.
    pub fn build(&self) -> Result<Polylines, GenerateError> {
        check_size("radius", self.radius)?;
        check_size("turns", self.turns)?;
        check_size("pitch", self.pitch.abs())?;
        check_count("segments", self.segments, 1)?;
        check_elements(&[self.segments])?;
        let vertex = |i: usize| {
            let turns = self.turns * i as f64 / self.segments as f64;
            point_about_y(self.radius, TAU * turns * self.pitch.signum(), self.pitch.abs() * turns)
        };
        Ok(Polylines::from_points((0..=self.segments).map(vertex).collect(), StrandEnds::Free))
    }
}

/// Point at `angle` about the y axis, measured from x towards -z.
fn point_about_y(radius: f64, angle: f64, height: f64) -> Vec3 {
    Vec3::new(radius * elementary::cos(angle), height, -radius * elementary::sin(angle))
}
