#![doc = include_str!("../README.md")]
//! # Design
//!
//! [`description`] holds a scene as plain data, with its checks. [`text`] reads and writes it and locates errors. [`schema`]
//! derives the JSON Schema. This crate builds no mesh and no world.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod description;
mod rules;
pub mod schema;
pub mod text;
