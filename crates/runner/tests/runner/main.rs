//! Whole runs of small scenes: what they leave behind, how they stop and go on.

mod adhesion;
mod damage;
mod expressions;
mod failures;
mod fields;
mod frames;
mod initial;
mod kinematic;
mod limits;
mod live;
mod memory;
mod particles;
mod profile;
mod resume;
mod rods;
mod settle;
mod stepper;
mod support;
mod tables;
mod threads;
mod trace;
mod units;
mod verify;
mod wireframes;
