//! `sim check`.

use crate::Failure;
use crate::arguments::CheckArguments;
use crate::load::load;
use crate::report::counted;
use std::process::ExitCode;

/// Validates everything that can be validated without a step.
pub(crate) fn check(arguments: &CheckArguments) -> Result<ExitCode, Failure> {
    let loaded = load(&arguments.scene)?;
    for warning in &loaded.warnings {
        eprintln!("{warning}");
    }
    let world = &loaded.built.world;
    let nodes: usize = loaded.built.meshes.iter().map(|mesh| mesh.point_count()).sum();
    let tets: usize = loaded.built.meshes.iter().map(|mesh| mesh.tets.len()).sum();
    println!(
        "{}: good; {} of {} nodes and {} tetrahedra, {:.4} kg; {} steps of {:.6} s, {}",
        arguments.scene.scene.display(),
        counted(world.body_count(), "body", "bodies"),
        nodes,
        tets,
        world.mass(),
        loaded.scene.time.steps(),
        loaded.scene.time.step.seconds(),
        world.integrator().name(),
    );
    Ok(ExitCode::SUCCESS)
}
