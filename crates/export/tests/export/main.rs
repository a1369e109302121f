//! Exports are read back by readers that know nothing of who wrote them.

mod caches;
mod choice;
mod gltf;
mod readers;
mod support;
mod surfaces;
mod tables;
