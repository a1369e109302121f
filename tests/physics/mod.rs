//! What bodies must do, from the text of a scene to its motion.
//!
//! Everything here goes the whole way: a scene is read, built and stepped as a
//! run would do it, and what comes out is held against mechanics. The bodies are small,
//! so that the tests take seconds; the full scenes obey the same laws.

mod accounts;
mod affine;
mod animated;
mod arcs;
mod balloon;
mod balls;
mod barriers;
mod buckling;
mod capstan;
mod conservation;
mod contact_damping;
mod contact_forces;
mod curved;
mod curved_rods;
mod damping;
mod expressions;
mod fibre;
mod flight;
mod friction;
mod galilean;
mod given;
mod guard;
mod hand;
mod improved_max;
mod integrators;
mod interruption;
mod lift;
mod liquids;
mod loads;
mod modes;
mod momentum;
mod motion;
mod moving_targets;
mod painted;
mod parts;
mod paths;
mod plasticity;
mod plates;
mod polyhedra;
mod releases;
mod rest;
mod restitution;
mod restitution_of_boxes;
mod rims;
mod rods;
mod rolling;
mod rotating_cube;
mod settle;
mod shell_plasticity;
mod shell_sections;
mod solids;
mod starts;
mod static_friction;
mod static_slip;
mod supports;
mod target;
mod ties;
mod tops;
mod torques;
mod turntables;
mod viscosity;
mod wind;

use resile_assembly::{build, settle};
use resile_math::Vec3;
use resile_scene::description::StepSize;
use resile_scene::text::SceneText;
use resile_world::{Observed, StepFailure, StepRecord, World};
use std::path::Path;

/// The text of a scene of the project with some of its fields replaced.
fn file(name: &str, overrides: &[&str]) -> SceneText {
    let path = format!("{}/../scenes/{name}.ron", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut text = SceneText::new(name, text);
    for argument in overrides {
        text.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    text
}

/// A scene that is run step by step.
struct Simulation {
    world: World,
    step: StepSize,
    steps: u64,
}

impl Simulation {
    fn of_text(text: &SceneText) -> Self {
        let scene = text.load().unwrap_or_else(|errors| panic!("{}", errors[0])).scene;
        let built = build(&scene, Path::new(".")).unwrap_or_else(|errors| panic!("{errors:?}"));
        Self { world: built.world, step: scene.time.step, steps: 0 }
    }

    fn new(text: &str) -> Self {
        Self::of_text(&SceneText::new("test.ron", text))
    }

    /// A scene of the project with some of its fields replaced.
    fn of_file(name: &str, overrides: &[&str]) -> Self {
        Self::of_text(&file(name, overrides))
    }

    /// The same where a run of it begins.
    fn begun(text: &str) -> Self {
        Self::begun_text(&SceneText::new("test.ron", text))
    }

    fn begun_text(text: &SceneText) -> Self {
        let scene = text.load().unwrap_or_else(|errors| panic!("{}", errors[0])).scene;
        let mut simulation = Self::of_text(text);
        settle(&scene, &mut simulation.world).unwrap_or_else(|failure| panic!("{failure}"));
        simulation
    }

    fn advance(&mut self) -> StepRecord {
        self.try_advance().unwrap_or_else(|failure| panic!("{failure}"))
    }

    fn try_advance(&mut self) -> Result<StepRecord, StepFailure> {
        self.steps += 1;
        let end = self.step.time_after(self.steps);
        self.world.step(self.step.seconds(), end)
    }

    fn observe(&mut self) -> Observed {
        self.world.observe()
    }

    /// Centre of mass (m).
    fn com(&self) -> Vec3 {
        self.world.common_center_of_mass()
    }

    /// Mean velocity (m/s).
    fn velocity(&self) -> Vec3 {
        self.world.momenta().linear / self.world.mass()
    }
}
