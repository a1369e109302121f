#![doc = include_str!("../README.md")]
//! # Design
//!
//! Intersection-free contact: distances, barrier, continuous collision detection, friction.
//!
//! Incremental potential contact (Li et al. 2020): a barrier energy keeps every
//! vertex-face and edge-edge pair apart, continuous collision detection bounds each
//! step so that no pair ever touches, and friction is a dissipation with normal
//! forces lagged by a step.
//!
//! # Layers
//! `distance`, `barrier`, `mollifier`, `ccd` and `stencil` are pure mathematics of
//! four points. `surface`, `embedding`, `obstacle`, `bvh` are geometry. [`Contact`] and
//! [`Friction`] gather, scatter and share out work; they implement the traits of
//! `resile_system`. Both are made from an [`Arrangement`], which is cheap: the run
//! loop makes new ones for each island at each step.
//!
//! # What is deliberately absent
//! Moving obstacles of their own kind (they are bodies with prescribed nodes), adaptive
//! stiffness (kappa is a pressure that the scene states), an elastic thickness: sheets keep
//! their offset whatever presses them.

mod arrangement;
pub mod barrier;
mod broad_phase;
pub mod bvh;
mod candidates;
pub mod ccd;
mod chunks;
mod cluster;
pub mod distance;
mod embedding;
mod friction;
mod intersection;
pub mod mollifier;
pub mod neighbours;
mod obstacle;
mod pair_table;
mod potential;
pub mod predicates;
mod search;
pub mod stencil;
mod surface;

pub use arrangement::{Arrangement, ContactSettings, Placed, Role};
pub use bvh::Aabb;
pub use embedding::Embedding;
pub use friction::Friction;
pub use intersection::{Intersection, Primitive, intersections};
pub use obstacle::{ObstacleError, ObstacleMesh, Obstacles, Plane};
pub use pair_table::{Meeting, PairTable};
pub use potential::Contact;
pub use surface::{Surface, SurfaceError, ThicknessError};
