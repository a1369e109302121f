#![doc = include_str!("../README.md")]
//! # Design
//!
//! [`build`] converts the description of a scene to meshes, terms and states; [`check`] also reports valid but probably
//! unintended input. [`mesh_file`] and [`remesh`] read, fill and repair meshes, [`info`] describes meshes and scenes, and
//! [`estimate`] predicts the memory and time of a run.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod assemble;
mod clock;
pub mod estimate;
pub mod info;
pub mod mesh_file;
pub mod remesh;

pub use clock::Clock;

pub use assemble::{
    BodyMesh, Built, Checked, Crossing, Evaluated, PlacedProbe, ProbeSite, Side, Skin,
    UndefinedExpression, build, check, motion_of, settle, settling,
};
