//! `--set` with paths that lead somewhere or nowhere, and values of every kind.

use super::scenes::checked_and_run;
use crate::damage;
use crate::place::Place;
use crate::random::Random;

const PATHS: [&str; 34] = [
    "gravity",
    "gravity[1]",
    "time.step",
    "time.duration",
    "time.adaptive",
    "time",
    "contact",
    "contact.d_hat",
    "contact.kappa",
    "contact.friction_rule",
    "contact.barrier",
    "contact.exclude",
    "integrator",
    "integrator.target",
    "integrator.target.decay",
    "solver.tolerance",
    "solver.max_iterations",
    "solver.max_halvings",
    "solver.linear",
    "solver.projection",
    "output.formats",
    "output.tables",
    "output.frame_rate",
    "output.checkpoint_steps",
    "settle",
    "name",
    "version",
    "bodies[0].velocity",
    "bodies[0].angular_velocity[2]",
    "bodies[0].friction",
    "bodies[0].shape",
    "bodies[0].kind",
    "bodies[0].placement.translate",
    "bodies[0].repeat",
];

const VALUES: [&str; 30] = [
    "(0, 0, 0)",
    "(1e9, 0, 0)",
    "(NaN, 0, 0)",
    "(0, 0)",
    "[]",
    "[Vtu]",
    "[Vtu, Ply, Vtu]",
    "[Bodies]",
    "{}",
    "()",
    "Off",
    "None",
    "Some(1)",
    "Bdf2",
    "ImplicitEuler",
    "Verlet",
    "A1",
    "ASearch()",
    "GeneralizedAlpha(rho_inf: 2)",
    "TrBdf2",
    "Doubling(error: 1e-3)",
    "Embedded(error: 0)",
    "Affine",
    "Shell(thickness: 1e-3)",
    "true",
    "\"1/0\"",
    "1/120",
    "Row(count: 3, step: (0.3, 0, 0))",
    "\"",
    "Box(size: (1, 1, 1), cells: (1, 1, 1))",
];

pub(super) fn run(place: &Place<'_>, random: &mut Random) -> Result<(), String> {
    place.a_scene(random);
    let mut options = Vec::new();
    for _ in 0..=random.below(3) {
        let mut argument = format!("{}={}", random.pick(&PATHS), value(random));
        if random.once_in(5) {
            // No argument of a command has a zero byte.
            argument = damage::text(&argument, VALUES[0], random).replace('\0', "");
        }
        options.extend(["--set".to_owned(), argument]);
    }
    checked_and_run(place, &options)
}

fn value(random: &mut Random) -> String {
    match random.once_in(2) {
        true => damage::number(random),
        false => (*random.pick(&VALUES)).to_owned(),
    }
}
