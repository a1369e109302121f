//! Laws of worlds that are built from scenes, in one program so that they link once.

mod defaults;
#[path = "../../../scene/tests/scene/files.rs"]
mod files;
mod implausible;
mod meshes;
mod parts;
mod study;
mod twin;
mod units;
mod without_effect;
mod wrong_kinds;
mod wrong_particles;
mod wrong_rods;
mod wrong_scenes;
