//! Thin shells: a surface of triangles that resists stretching and bending.
//!
//! A shell of thickness t is two terms of one body: [`ShellMembrane`] for what changes
//! lengths in the surface, and [`PlateBending`] or [`ShellBending`] for what changes its angles. They are
//! separate because their stiffnesses scale differently (`E t` and `E t^3`) and because
//! cloth, rubber skins and paper are often described by two measured numbers that no
//! single thickness explains. A material and a thickness determine both, by
//! [`SheetMaterial`].
//!
//! # Why linear triangles
//! Nodes have positions and nothing else, which is what contact, integrators and
//! readers know. Shell theory wants a smooth surface, whose bending shows in the angles
//! at inner edges: exact under rigid motions and for large turns. [`PlateBending`] is the isotropic plate on any mesh.
//! It couples the angles of neighbouring edges. [`ShellBending`] has an independent hinge at each edge
//! (Grinspun et al. 2003, *Discrete shells*): cheaper, but a plate only for some meshes.
//!
//! # Masses
//! Area density times a third of the area of a node's triangles, which is
//! `resile_mesh::Surface::vertex_areas`.

mod bending;
mod error;
mod material;
mod membrane;
mod plate;

pub use bending::{RestAngles, ShellBending};
pub use error::ShellError;
pub use material::{MembraneLaw, PlaneLame, PlateStiffness, SheetMaterial};
pub use membrane::ShellMembrane;
pub use plate::PlateBending;
