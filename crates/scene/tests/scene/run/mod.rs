//! Whole runs of small scenes: what they leave behind, how they stop and go on.

mod failures;
mod frames;
mod particles;
mod profile;
mod resume;
mod scripted;
mod settle;
mod support;
mod threads;
mod verify;
