//! What `cargo fuzz` runs.

#[path = "../../crates/mesh/examples/fuzz_readers/engine/mod.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, reason = "more than targets use")]
mod engine;
#[path = "../../crates/mesh/tests/mesh/good_files/mod.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, reason = "more than targets use")]
mod good_files;
pub mod targets;
