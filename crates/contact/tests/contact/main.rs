//! Laws of the contact crate, in one program so that they link once.

mod adhesion;
mod all_pairs;
mod closest;
mod codimensional;
mod common;
mod coulomb;
mod derivatives;
mod embedded;
mod exact;
mod facets;
mod kinematic;
mod laws;
mod lists;
mod long_paths;
mod pressed;
mod recorded_queries;
mod resistance;
mod restriction;
mod rims;
mod sliding;
mod thickness;
