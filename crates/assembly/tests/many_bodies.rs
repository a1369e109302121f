//! What many bodies take: memory that grows with their number, and never with that of their pairs.

use rayon::ThreadPoolBuilder;
use resile_assembly::{Checked, check};
use resile_scene::text::SceneText;
use resile_watch::Tally;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::fmt::Write as _;
use std::path::Path;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Affine cubes that fall beside each other in a square, each written out with a friction of its own, of which every
/// tenth ignores the next one; and as many copies of a cube.
fn scene_of(cubes: usize) -> SceneText {
    let (mut bodies, mut off) = (String::new(), String::new());
    let side = (cubes as f64).sqrt().ceil() as usize;
    for k in 0..cubes {
        let (x, z, mu) = (2 * (k % side), 2 * (k / side), 0.1 + k as f64 / cubes as f64);
        writeln!(
            bodies,
            r#"(name: "cube {k}", shape: Box(size: (1, 1, 1), cells: (1, 1, 1)), kind: Affine, material: "m",
                friction: {mu}, placement: (translate: ({x}, 2, {z}))),"#
        )
        .expect("a string takes all");
        if k % 10 == 0 && k + 1 < cubes {
            write!(off, r#"("cube {k}", "cube {}"),"#, k + 1).expect("a string takes all");
        }
    }
    let text = format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
            bodies: [
                {bodies}
                (name: "copy", shape: Box(size: (1, 1, 1), cells: (1, 1, 1)), kind: Affine, material: "m",
                 placement: (translate: (0, 5, 0)),
                 repeat: Row(count: {cubes}, step: (2, 0, 0), vary: [Friction(Linear(from: 0.1, to: 0.9))])),
            ],
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5)],
            contact: Barrier(d_hat: 1e-2, kappa: 1e6, friction_rule: Min, off: [{off}]),
            gravity: (0, -9.81, 0),
            integrator: ImplicitEuler,
            time: (step: 0.01, duration: 1),
            output: (frame_rate: 50),
        )"#
    );
    SceneText::new("many.ron", text)
}

/// Bytes a body that are asked for, however soon they are given back, in checking such a scene, in taking a step of it
/// and in telling what touches.
fn bytes_a_body(cubes: usize) -> [f64; 3] {
    let text = scene_of(cubes);
    let scene = text.read().expect("it is a scene");
    let asked =
        |region: &Region<'_, System>| region.change().bytes_allocated as f64 / (2 * cubes) as f64;
    let checking = Region::new(ALLOCATOR);
    let Checked { built, warnings, .. } = check(&scene, Path::new("."), &Tally::default());
    let check = asked(&checking);
    let mut world = built.expect("it can be built").world;
    assert!(warnings.is_empty(), "{warnings:?}");
    let stepping = Region::new(ALLOCATOR);
    world.step(0.01, 0.01).expect("they fall");
    let step = asked(&stepping);
    let telling = Region::new(ALLOCATOR);
    world.contact_forces(0.01).expect("contact is on");
    [check, step, asked(&telling)]
}

/// With four times as many bodies one takes as much as before. What grew with pairs would take four times as much.
#[test]
fn memory_per_body_is_independent_of_their_number() {
    // A second thread would allocate for itself whenever it begins to take part.
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be had");
    let [few, many] = pool.install(|| [250, 1000].map(bytes_a_body));
    for (what, (few, many)) in ["check", "step", "tell"].iter().zip(few.iter().zip(&many)) {
        assert!(*many < 1.2 * few, "to {what} takes {few} and {many} bytes a body");
    }
}
