#![doc = include_str!("../README.md")]
//! # Design
//!
//! Topology, rest geometry, generators, readers, writers and mesh quality; no physics.
//!
//! Four kinds of mesh exist, and all are plain data with public fields: [`TetMesh`] for solids, [`TriMesh`]
//! for surfaces, [`Polylines`] for curves and [`Wireframe`] for segments and points. There is no half-edge
//! structure, because no inner loop of a simulation walks around a vertex: contact needs lists of
//! vertices, edges and triangles ([`Surface`]), elasticity needs lists of tetrahedra. Adjacency is
//! found by sorting, which makes every order a function of the input alone.
//!
//! Readers take any [`std::io::Read`] and do not trust it: a count in a header allocates no memory before the bytes
//! that it announces have been read. Readers only repair the orientation of tetrahedra whose corners are listed in
//! the opposite order. Tangled elements stay inverted, and [`TetMesh::inverted`] lists them. [`inspect`] reports
//! counts, measures and defects of a mesh, and [`repair`] fixes the defects of a surface that can be fixed safely.
//!
//! Distances to surfaces and winding numbers come from one [`TriangleTree`]. Solids are
//! made from surfaces by `resile-mesher`.
//!
//! Deliberately absent: files (the caller opens them), units other than metres,
//! materials, and anything that depends on a time.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod creases;
mod deviation;
mod face_list;
pub mod generate;
pub mod inspect;
mod locate;
mod masses;
mod moments;
mod orient;
mod overlap;
mod parts;
mod placement;
mod polylines;
mod quadratic;
mod quality;
pub mod read;
pub mod repair;
mod surface;
mod tet_mesh;
mod tet_orientation;
mod tet_overlap;
mod tri_mesh;
mod triangle_tree;
mod wireframe;
pub mod write;

pub use creases::Creases;
pub use deviation::Deviation;
pub use face_list::FaceList;
pub use locate::Location;
pub use moments::Moments;
pub use overlap::{SurfaceOverlap, TriangleSample};
pub use parts::Parts;
pub use placement::{Placement, PlacementError};
pub use polylines::{PolylineError, Polylines, Strand, StrandEnds};
pub use quadratic::{CurvedEdges, QuadraticMesh, is_straight};
pub use quality::{Quality, smallest_dihedral};
pub use surface::{Surface, SurfaceDefects};
pub use tet_mesh::{MeshError, TetMesh};
pub use tri_mesh::{SurfaceError, TriMesh};
pub use triangle_tree::{ClosestPoint, TriangleTree};
pub use wireframe::{Wireframe, WireframeError};
