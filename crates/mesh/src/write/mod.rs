//! Writers of mesh files, to anything that implements [`std::io::Write`].
//!
//! Each format has one dialect: the most compact one that all its common readers accept. Writers keep all
//! digits of every coordinate, so that the readers of this crate return the same mesh to the bit. A mesh is
//! written as it is, valid or not. Formats with named parts store its groups.

mod gmsh;
mod group_sets;
mod medit;
mod obj;
mod ply;
mod vtu;

pub use gmsh::{write_gmsh, write_gmsh_quadratic};
pub use medit::write_medit;
pub use obj::write_obj;
pub use ply::write_ply;
pub use vtu::{
    Precision, VTK_LINE, VTK_TETRAHEDRON, VTK_TRIANGLE, VTK_VERTEX, VtuCells, VtuGrid, write_vtu,
    write_vtu_quadratic,
};
