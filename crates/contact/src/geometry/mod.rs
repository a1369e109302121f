//! Collision meshes, scenes, bounding volume hierarchies and distances.

pub(crate) mod along;
pub mod bvh;
pub(crate) mod clearance;
pub(crate) mod collision_mesh;
pub(crate) mod collision_scene;
pub mod distance;
pub(crate) mod embedding;
pub(crate) mod error_free;
pub(crate) mod facets;
pub(crate) mod focus;
pub(crate) mod friction_rule;
pub(crate) mod mesh_error;
mod min_eigenvalue;
pub mod mollifier;
pub(crate) mod obstacle;
pub(crate) mod packed;
mod pair_exceptions;
pub(crate) mod pair_table;
pub(crate) mod point;
pub mod predicates;
pub(crate) mod primitive;
pub(crate) mod rest;
pub(crate) mod rims;
pub(crate) mod shape;

/// Factor by which distances and displacements are enlarged before comparisons, far above their rounding errors: a
/// search may list superfluous pairs but misses none.
pub(crate) const ROUNDING_FACTOR: f64 = 1.0 + 1e-9;
