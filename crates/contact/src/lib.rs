#![doc = include_str!("../README.md")]
//! # Design
//!
//! Incremental potential contact (Li et al. 2020): a barrier energy keeps all primitives apart,
//! continuous collision detection bounds each step so that no pair ever touches, and friction is
//! a dissipation with lagged normal forces.
//!
//! # Layers
//! Each folder depends only on itself and on the folders above it in this table, which a test enforces.
//!
//! | folder | holds |
//! |---|---|
//! | `geometry` | [`CollisionMesh`], [`CollisionScene`], embeddings, obstacles, bounding volume hierarchies ([`bvh`]), [`distance`], exact predicates |
//! | `ccd` | time of impact of a pair of four points ([`ccd`]) |
//! | `search` | [`Candidates`] by broad and narrow phase, [`time_of_impact`], intersections |
//! | `potential` | [`barrier`] functions and [`BarrierPotential`], a function of candidates; [`AdhesionPotential`]; [`stencil`] for one pair |
//! | `friction` | [`FrictionPotential`] with lagged normal forces or [`TangentialAdhesion`], and the dissipations [`Friction`], [`ContactDamping`] and [`RollingFriction`] |
//! | `system` | [`Contact`], which stores the candidates of a simulation, and forces and impacts |
//!
//! # What is deliberately absent
//! Moving obstacles as a separate kind (they are colliders with prescribed nodes), adaptive stiffness (`kappa` is a
//! pressure set by the scene), and elastic thickness: sheets keep their minimum separation under any load.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod ccd;
mod chunks;
mod friction;
mod geometry;
mod potential;
mod search;
mod system;

pub use friction::{
    ContactDamping, Friction, FrictionPotential, LaggedContactDamping, LaggedContacts,
    LaggedFriction, LaggedRollingFriction, RollingFriction, STICKING_LIMIT, TangentialAdhesion,
};
pub use geometry::along::CurvePlace;
pub use geometry::collision_mesh::CollisionMesh;
pub use geometry::collision_scene::{Collider, CollisionScene, Role};
pub use geometry::embedding::Embedding;
pub use geometry::friction_rule::FrictionRule;
pub use geometry::mesh_error::{CollisionMeshError, ThicknessError};
pub use geometry::obstacle::{ObstacleError, ObstacleMesh, Obstacles, Plane};
pub use geometry::pair_table::{CollisionFilter, PairTable, Side};
pub use geometry::primitive::Primitive;
pub use geometry::{bvh, distance, mollifier, predicates};
pub use potential::adhesion_potential::AdhesionPotential;
pub use potential::barrier::{self, Barrier};
pub use potential::barrier_potential::BarrierPotential;
pub use potential::gap_law::GapLaw;
pub use potential::hessian_blocks::HessianBlocks;
pub use potential::stencil;
pub use resile_math::{Mat3, Vec3};
pub use resile_system::Psd;
pub use search::candidates::{Candidate, Candidates};
pub use search::external_pairs::{NoSuchPrimitive, PrimitivePairs};
pub use search::intersection::{Intersection, intersections};
pub use search::narrow_phase::time_of_impact;
pub use search::neighbours;
pub use search::path_search::Search;
pub use system::contact::{Contact, ContactOf};
pub use system::forces::{ContactForces, PairForces};
