//! Elastic rods: curves that resist stretching, bending and twisting.
//!
//! A rod of circular section has three terms: [`rod_springs`] for the lengths of its segments, [`RodBending`] for
//! the angles between them (Bergou, Wardetzky, Robinson, Audoly & Grinspun 2008, *Discrete Elastic Rods*), and
//! [`RodTwist`] for the twist of rods that are closed or clamped at both ends. [`RodSection`] computes the
//! stiffnesses. [`CurvedRods`] implements bending and twist of open rods with rest curvature ([`RodRest`]).
//!
//! # Material frames
//! Bergou et al. give every edge an angle of its material frame. For a circular section without rest curvature the
//! bending energy does not depend on that angle, and twist is uniform along the rod (their section 5.1: torsional
//! waves are faster than bending waves by the length over the thickness). Twist is therefore one number per rod and
//! a function of the shape: zero if an end is free to rotate; for closed and clamped rods it is the prescribed
//! number of turns minus the writhe (Călugăreanu's theorem). Positions of nodes remain the only degrees of freedom,
//! so contact, integrators and readers need no special case. Rods with rest curvature have angles, but these are in
//! equilibrium at every position and hence functions of the shape, too.

mod bending;
mod curved;
mod error;
mod fold;
mod frames;
mod rest_shape;
mod section;
mod turn;
mod twist;
mod winding;
mod writhing;

pub use bending::RodBending;
pub use curved::CurvedRods;
pub use error::RodError;
pub use rest_shape::RodRest;
pub use section::{RodSection, rod_springs};
pub use twist::{Motor, OpenEnds, RodTwist};
pub use writhing::writhe;
