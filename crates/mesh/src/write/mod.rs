//! Writers of mesh files, to anything that implements [`std::io::Write`].
//!
//! One dialect of each format: the most compact that the programs which read it have
//! in common. Every writer writes all digits of every coordinate, so that the readers
//! of this crate give back the same mesh to the bit. A mesh is written as it is,
//! checked or not. Formats that have names for parts of a mesh take its groups.

mod gmsh;
mod group_sets;
mod medit;
mod obj;
mod ply;
mod vtu;

pub use gmsh::write_gmsh;
pub use medit::write_medit;
pub use obj::write_obj;
pub use ply::write_ply;
pub use vtu::{
    Precision, VTK_LINE, VTK_TETRAHEDRON, VTK_TRIANGLE, VTK_VERTEX, VtuCells, VtuGrid, write_vtu,
};
