//! The first steps of every scene of the project, as snapshots.
//!
//! What is written is rounded to six digits and taken before contact makes the
//! motion chaotic, so it is the same on every machine; numbers that are nothing but rounding
//! are written as 0. Newton's tolerance is tightened, so that the state is that of
//! the equations and not of the iteration at which the solver stopped.

use resile_assembly::build;
use resile_math::Vec3;
use resile_scene::text::SceneText;
use resile_world::{Observed, World};
use std::fmt::Write as _;

/// `value` to the sixth digit of `scale`; what is less is rounding and is written as 0.
fn digits(value: f64, scale: f64) -> String {
    let unit = 10f64.powf(scale.log10().floor() - 5.0);
    match (value / unit).round() {
        0.0 => "0".to_owned(),
        units => format!("{:.5e}", units * unit),
    }
}

/// The components to the sixth digit of `scale`.
fn vector(v: Vec3, scale: f64) -> String {
    v.to_array().map(|c| digits(c, scale)).join(" ")
}

/// Steps to a little after the first impact, or as many as keep the test short.
fn horizon(name: &str) -> u64 {
    match name {
        "dice" => 28,
        "twisted-bar" => 6,
        "chain-net" | "splash" => 2,
        "membrane" | "suspended" | "stairs" | "trampoline" => 3,
        "first" => 22,
        "dent" | "chain-5" => 6,
        "mat-on-knives" => 2,
        ball if ball.starts_with("bouncing-ball") => 57,
        _ => 10,
    }
}

fn state(out: &mut String, world: &World) {
    let (momentum, com) = (world.momenta().linear, world.common_center_of_mass());
    let nodes = (0..world.body_count()).map(|b| world.state(b).positions.len()).sum::<usize>();
    writeln!(out, "bodies {}, nodes {nodes}", world.body_count()).expect("text");
    writeln!(out, "centre of mass {}", vector(com, com.length())).expect("text");
    writeln!(out, "momentum {}", vector(momentum, momentum.length())).expect("text");
    for b in [0, world.body_count() - 1] {
        let (x, v) = (&world.state(b).positions, &world.state(b).velocities);
        for node in [0, x.len() / 3, x.len() - 1] {
            let (x, v) = (x[node], v[node]);
            let position = vector(x, x.length());
            writeln!(
                out,
                "{} node {node}: {position}; {}",
                world.name(b),
                vector(v, v.length().max(0.1))
            )
            .expect("text");
        }
        if world.body_count() == 1 {
            break;
        }
    }
}

fn energies(out: &mut String, observed: &Observed) {
    let scale = observed.total().abs();
    let mut line =
        |name: &str, value| writeln!(out, "{name} {} J", digits(value, scale)).expect("text");
    line("kinetic", observed.kinetic());
    observed.terms.iter().for_each(|(name, value)| line(name, *value));
    line("total", observed.total());
    observed.target().into_iter().for_each(|target| line("target", target));
}

#[test]
#[allow(clippy::print_stderr, reason = "a skipped scene must be said")]
fn first_steps_of_every_scene_equal_the_snapshots() {
    // Of the published scenes in `bench/` those that are small.
    let scenes = "{*,animated/*,avf/*,blend/*,plastic/*,rods/*,ties/*,bench/chain-5,bench/domino,bench/mat-on-knives}.ron";
    insta::glob!("../scenes", scenes, |path| {
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a plain name");
        if name == "bunny-stairs" {
            eprintln!("SKIPPED: {name} needs a mesh that is not in the repository");
            return;
        }
        let mut text = SceneText::new(name, std::fs::read_to_string(path).expect("it is there"));
        text.set("solver.tolerance=1e-6").expect("every scene has a solver");
        let scene = text.load().unwrap_or_else(|errors| panic!("{}", errors[0])).scene;
        let folder = path.parent().expect("it is in a folder");
        let mut world = build(&scene, folder).unwrap_or_else(|e| panic!("{e:?}")).world;
        let (mut newton, mut backtracks, mut contacts, mut dissipated) = (0, 0, 0, 0.0);
        let mut last = None;
        for step in 1..=horizon(name) {
            let end = scene.time.step.time_after(step);
            let record = world.step(scene.time.step.seconds(), end).expect("the step succeeds");
            newton += record.solve.iterations;
            backtracks += record.solve.backtracks;
            contacts += record.observed.certificate.contacts;
            dissipated += record.dissipated.iter().chain(&record.rest_loss).sum::<f64>();
            last = Some(record.observed);
        }
        let observed = last.expect("there were steps");
        let mut out = String::new();
        writeln!(out, "{} steps", horizon(name)).expect("text");
        state(&mut out, &world);
        energies(&mut out, &observed);
        writeln!(out, "dissipated {} J", digits(dissipated, observed.total().abs())).expect("text");
        writeln!(out, "newton {newton}, backtracks {backtracks}, contacts {contacts}")
            .expect("text");
        insta::assert_snapshot!(out);
    });
}
