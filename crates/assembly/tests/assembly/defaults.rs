//! Defaults of scenes equal those of the crates that use them.

use resile_scene::description::LinearSolver;
use resile_scene::text::SceneText;
use resile_solver::Iterative;

#[test]
fn default_tolerance_of_iterative_solves_is_that_of_the_solver() {
    let text = r#"(
        version: 1,
        bodies: [(name: "beads", shape: Line(from: (0, 0, 0), to: (1, 0, 0), nodes: 2, mass: 1))],
        gravity: (0, 0, 0),
        integrator: ImplicitEuler,
        time: (step: 0.01, duration: 1),
        solver: (linear: Iterative()),
    )"#;
    let scene = SceneText::new("scene.ron", text).read().expect("it is a scene");
    let tolerance = Iterative::default().tolerance;
    assert_eq!(scene.solver.linear, LinearSolver::Iterative { tolerance });
}
