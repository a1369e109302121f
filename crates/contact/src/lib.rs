#![doc = include_str!("../README.md")]
//! # Design
//!
//! Incremental potential contact (Li et al. 2020): a barrier energy keeps all primitives apart,
//! continuous collision detection bounds each step so that no pair ever touches, and friction is
//! a dissipation with lagged normal forces.
//!
//! # Layers
//! [`distance`], [`barrier`], [`mollifier`], [`ccd`] and [`stencil`] are pure mathematics of
//! four points. [`CollisionMesh`], [`CollisionScene`] and [`bvh`] are geometry. [`Candidates`]
//! come from the broad phase; [`time_of_impact`], [`BarrierPotential`] and [`FrictionPotential`]
//! are functions of candidates. [`Contact`] and [`Friction`] keep candidates and lags for a
//! simulation and implement the traits of `resile_system`.
//!
//! # What is deliberately absent
//! Moving obstacles of their own kind (they are colliders with prescribed nodes), adaptive
//! stiffness (kappa is a pressure that the scene states), an elastic thickness: sheets keep
//! their minimum separation whatever presses them.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod along;
pub mod barrier;
mod broad_phase;
pub mod bvh;
mod candidates;
pub mod ccd;
mod chunks;
mod clearance;
mod cluster;
mod collision_mesh;
mod collision_scene;
mod contact;
pub mod distance;
mod embedding;
mod error_free;
mod first_impact;
mod focus;
mod forces;
mod friction;
mod hessian_blocks;
mod impacts;
mod intersection;
mod mesh_error;
pub mod mollifier;
mod narrow_phase;
pub mod neighbours;
mod node_blocks;
mod obstacle;
mod own_pairs;
mod packed;
mod pair_lists;
mod pair_table;
mod parting;
mod point;
mod potential;
pub mod predicates;
mod rest;
mod search;
mod searched;
mod shape;
mod sides;
pub mod stencil;

pub use along::CurvePlace;
pub use barrier::Barrier;
pub use candidates::{Candidate, Candidates};
pub use collision_mesh::CollisionMesh;
pub use collision_scene::{Collider, CollisionScene, Role};
pub use contact::Contact;
pub use embedding::Embedding;
pub use forces::{ContactForces, PairForces};
pub use friction::{Friction, FrictionPotential, LaggedContacts, STICKS};
pub use hessian_blocks::HessianBlocks;
pub use intersection::{Intersection, Primitive, intersections};
pub use mesh_error::{CollisionMeshError, ThicknessError};
pub use narrow_phase::time_of_impact;
pub use obstacle::{ObstacleError, ObstacleMesh, Obstacles, Plane};
pub use own_pairs::{NoSuchPrimitive, PrimitivePairs};
pub use pair_table::{CollisionFilter, FrictionRule, PairTable, Side};
pub use potential::BarrierPotential;
pub use resile_math::{Mat3, Vec3};
pub use resile_system::Psd;
pub use search::Search;
