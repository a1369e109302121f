//! Curves: circles and helices.

use super::{GenerateError, check_count, check_elements, check_size};
use crate::{Polylines, StrandEnds};
use resile_math::Vec3;
use resile_math::elementary;
use std::f64::consts::TAU;

/// A circle about y, its vertices on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circle {
    /// In metres.
    pub radius: f64,
    /// Straight pieces around it.
    pub segments: usize,
}

impl Circle {
    /// As many vertices as pieces, the first on x, right-handed about y.
    ///
    /// # Errors
    /// A radius that is no length, or fewer than three pieces.
    pub fn build(&self) -> Result<Polylines, GenerateError> {
        check_size("radius", self.radius)?;
        check_count("segments", self.segments, 3)?;
        check_elements(&[self.segments])?;
        let at = |i: usize| about_y(self.radius, TAU * i as f64 / self.segments as f64, 0.0);
        Ok(Polylines::one((0..self.segments).map(at).collect(), StrandEnds::Joined))
    }
}

/// A right-handed helix about y that starts at the height 0; a negative pitch makes it left-handed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Helix {
    /// From the axis (m).
    pub radius: f64,
    /// Along the axis in one turn (m).
    pub pitch: f64,
    /// How many.
    pub turns: f64,
    /// Straight pieces in all.
    pub segments: usize,
}

impl Helix {
    /// One vertex more than pieces, the first on x.
    ///
    /// # Errors
    /// A radius that is no length, a pitch or turns that are none, or no pieces.
    pub fn build(&self) -> Result<Polylines, GenerateError> {
        check_size("radius", self.radius)?;
        check_size("turns", self.turns)?;
        check_size("pitch", self.pitch.abs())?;
        check_count("segments", self.segments, 1)?;
        check_elements(&[self.segments])?;
        let at = |i: usize| {
            let turns = self.turns * i as f64 / self.segments as f64;
            about_y(self.radius, TAU * turns * self.pitch.signum(), self.pitch.abs() * turns)
        };
        Ok(Polylines::one((0..=self.segments).map(at).collect(), StrandEnds::Free))
    }
}

/// The point at an angle about y, from x towards -z.
fn about_y(radius: f64, angle: f64, height: f64) -> Vec3 {
    Vec3::new(radius * elementary::cos(angle), height, -radius * elementary::sin(angle))
}
