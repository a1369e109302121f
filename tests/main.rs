//! Laws of the whole: what scenes do from their text to their motion, the check of their frames,
//! and the invariants of `ARCHITECTURE.md`; in one program so that they link once.

mod architecture;
mod bench;
mod pages;
mod physics;
mod scenes;
mod trajectories;
mod verify;
