//! Thin shells: a surface of triangles that resists stretching and bending.
//!
//! A shell of thickness t is two terms of one body: [`ShellMembrane`] for what changes
//! lengths in the surface, [`ShellBending`] for what changes its angles. They are
//! separate because their stiffnesses scale differently (`E t` and `E t^3`) and because
//! cloth, rubber skins and paper are often described by two measured numbers that no
//! single thickness explains. A material and a thickness determine both, by
//! [`SheetMaterial`].
//!
//! # Why linear triangles and hinges
//! Nodes have positions and nothing else, which is what contact, integrators and
//! readers know. Shell theory wants a smooth surface, which hinges replace by an angle
//! at each inner edge (Grinspun et al. 2003, *Discrete shells*): exact under rigid motions and
//! for large turns, twelve unknowns a hinge. What it costs is that the bending
//! stiffness is that of the plate only for some meshes; [`ShellBending`] says which.
//!
//! # Masses
//! Area density times a third of the area of a node's triangles, which is
//! `resile_mesh::Surface::vertex_areas`.

mod bending;
mod error;
mod material;
mod membrane;

pub use bending::{RestAngles, ShellBending};
pub use error::ShellError;
pub use material::{MembraneLaw, PlaneLame, SheetMaterial};
pub use membrane::ShellMembrane;
