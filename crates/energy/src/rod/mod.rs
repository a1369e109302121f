//! Elastic rods: curves that resist stretching, bending and twisting.
//!
//! A rod of circular section is three terms of one body: [`rod_springs`] for the lengths of its straight
//! pieces, [`RodBending`] for the angles between them (Bergou, Wardetzky, Robinson, Audoly & Grinspun 2008,
//! *Discrete Elastic Rods*), and [`RodTwist`], if it is closed or clamped at both ends, for the twist that its
//! shape leaves to it.
//! [`RodSection`] has the stiffnesses.
//!
//! # Why there is no frame
//! Bergou et al. give every edge an angle of the material around it. With a circular section and no
//! curvature at rest the energy of bending does not know that angle, and twist spreads evenly along the
//! rod in no time (their section 5.1: a torsional wave is faster than a bending one by the length over
//! the thickness). So twist is one number a rod, and that number is a function of the shape: none where an end is
//! free to turn, and for a closed rod, or one whose ends cannot turn, what writhing has not taken up of the turns that were put in
//! (Călugăreanu's theorem). Nodes have positions and nothing else, which is what contact, integrators and
//! readers know.

mod bending;
mod error;
mod fold;
mod section;
mod turn;
mod twist;
mod writhing;

pub use bending::RodBending;
pub use error::RodError;
pub use section::{RodSection, rod_springs};
pub use twist::{Motor, OpenEnds, RodTwist};
pub use writhing::writhe;
