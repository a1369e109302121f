//! Exports are read back by independent readers.

mod caches;
mod choice;
mod gltf;
mod looks;
mod readers;
mod support;
mod surfaces;
mod tables;
