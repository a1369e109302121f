//! Laws of the mesh crate, in one program so that they link once.

mod damaged_data;
mod formats;
mod fuzz;
mod generators;
mod generators_at_random;
mod gmsh;
mod good_files;
mod groups;
mod hostile;
mod inspect;
mod masses;
mod measures;
mod obj;
mod others;
mod point_caches;
mod programs;
mod quadratic;
mod repair;
mod support;
mod text_layouts;
mod vertex_fields;
mod writers;
