//! Thin shells: a surface of triangles that resists stretching and bending.
//!
//! A shell of thickness t has two terms: [`ShellMembrane`] for stretching, and [`PlateBending`] or
//! [`ShellBending`] for bending. They are separate because their stiffnesses scale differently (`E t` and
//! `E t^3`), and because measured values of cloth, rubber and paper often do not correspond to one
//! thickness. [`SheetMaterial`] computes both from a material and a thickness.
//!
//! # Why linear triangles
//! Positions of nodes remain the only degrees of freedom, so contact, integrators and readers need no
//! special case. Bending is measured by the angles at inner edges, which are exact under rigid motions and
//! large rotations. [`PlateBending`] converges to the isotropic plate on any mesh; it couples the angles of
//! neighbouring edges. [`ShellBending`] has independent hinges (Grinspun et al. 2003, *Discrete shells*): it
//! is cheaper, but converges to a plate on some meshes only.
//!
//! # Masses
//! The mass of a node is the area density times a third of the area of its triangles
//! (`resile_mesh::Surface::vertex_areas`).

mod bending;
mod error;
mod laminate;
mod material;
mod membrane;
mod plate;

pub use bending::{RestAngles, ShellBending};
pub use error::ShellError;
pub use laminate::Laminate;
pub use material::{
    MembraneLaw, MomentYield, PlaneLame, PlateSection, PlateStiffness, SheetMaterial,
};
pub use membrane::ShellMembrane;
pub use plate::PlateBending;
