//! Elastic materials, gravity and attachments, one file a term.
//!
//! Two levels. The local mathematics of a material ([`material`]) is pure: a
//! deformation gradient in, energy density, stress and curvature out. Gathering
//! nodes, applying shape functions, scattering and threads are written once
//! ([`TetElasticity`]). A material is therefore one file and one variant of
//! [`Material`], without a loop over elements in it.
//!
//! # Why eight elements at a time
//! Element evaluation is arithmetic on 3x3 matrices, with too little of it in one
//! element to fill a SIMD register: lanes run over elements instead. A group of
//! eight is also the unit of storage, so that evaluation reads memory in order.
//!
//! # What is deliberately absent
//! The time step; damping (a potential of velocity, another trait); orthotropic
//! materials, whose Hessian has no eigen-system known in advance.

mod attachment;
mod gravity;
pub mod material;
mod springs;
mod tet;

pub use attachment::{Attachment, AttachmentError, Spring};
pub use gravity::Gravity;
pub use material::{Lame, Material, MaterialError};
pub use springs::{SpringElement, SpringLaw, Springs, SpringsError};
pub use tet::{ElementError, TetElasticity};
