//! The version with the commit that the program is built from, if it is built where that is known.
#![allow(clippy::print_stdout, reason = "cargo listens to what a build script prints")]

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    // Not that of a repository in which an unpacked package happens to lie.
    let is_of_this = git(&["ls-files", "--error-unmatch", "Cargo.toml"]).is_some();
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).filter(|_| is_of_this);
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|_| is_of_this) {
        println!("cargo::rerun-if-changed={log}");
    }
    println!("cargo::rustc-env=RESILE_COMMIT={}", commit.as_deref().unwrap_or_default());
    let commit = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=RESILE_VERSION={version}{commit}");
}

/// What git says, if there is one and it has an answer.
fn git(arguments: &[&str]) -> Option<String> {
    let said = Command::new("git").args(arguments).output().ok()?;
    said.status.success().then(|| String::from_utf8_lossy(&said.stdout).trim().to_owned())
}
