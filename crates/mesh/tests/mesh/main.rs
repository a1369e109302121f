//! Laws of the mesh crate, in one program so that they link once.

mod generators;
mod gmsh;
mod hostile;
mod implicit;
mod measures;
mod obj;
mod stuffing;
mod support;
