//! Cross-section and material of a rod.

use super::RodError;
use super::error::positive;
use crate::SpringElement;
use resile_mesh::Polylines;
use std::f64::consts::PI;

/// A rod of an isotropic material with a circular section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RodSection {
    young: f64,
    poisson: f64,
    radius: f64,
}

impl RodSection {
    /// A section with Young's modulus `young` (Pa), Poisson's ratio and a radius (m).
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(young: f64, poisson: f64, radius: f64) -> Result<Self, RodError> {
        positive("Young's modulus", young, "Pa")?;
        positive("the radius", radius, "m")?;
        match poisson > -1.0 && poisson <= 0.5 {
            true => Ok(Self { young, poisson, radius }),
            false => Err(RodError::Poisson { poisson }),
        }
    }

    /// Radius (m).
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Area `A = pi r^2` (m^2).
    pub fn area(&self) -> f64 {
        PI * self.radius * self.radius
    }

    /// `E A` (N), force per strain.
    pub fn stretching(&self) -> f64 {
        self.young * self.area()
    }

    /// `B = E I`, `I = pi r^4 / 4` (N m^2), moment per curvature.
    pub fn bending(&self) -> f64 {
        0.25 * self.young * self.area() * self.radius * self.radius
    }

    /// `C = G J`, `G = E / (2 (1 + nu))`, `J = pi r^4 / 2` (N m^2), moment per twist.
    pub fn twisting(&self) -> f64 {
        self.bending() / (1.0 + self.poisson)
    }
}

/// The stretching springs of rods at rest: `E A l / 2 (|e|/l - 1)^2` for each segment, which is Hooke's
/// law with the stiffness `E A / l`.
///
/// # Errors
/// If the curves are invalid, or the stiffness `stretching` (N) is not positive.
pub fn rod_springs(rods: &Polylines, stretching: f64) -> Result<Vec<SpringElement>, RodError> {
    rods.check()?;
    positive("the stiffness in stretching", stretching, "N")?;
    let spring = |edge: [u32; 2]| {
        let nodes = edge.map(|node| node as usize);
        let length = rods.positions[nodes[0]].distance(rods.positions[nodes[1]]);
        SpringElement { nodes, rest: length, stiffness: stretching / length }
    };
    Ok(rods.edges().map(spring).collect())
}
