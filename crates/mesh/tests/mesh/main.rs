//! Laws of the mesh crate, in one program so that they link once.

mod creases;
mod formats;
mod fuzz;
mod generators;
mod gmsh;
mod good_files;
mod hostile;
mod implicit;
mod inspect;
mod masses;
mod measures;
mod obj;
mod others;
mod quadratic;
mod repair;
mod signed_distance;
mod stuffing;
mod support;
mod writers;
