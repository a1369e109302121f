//! Checks of relations between parameters of the integrator.

use super::problem::Checker;
use super::{Adaptive, EnergyTarget, Scene, Scheme, Steering, Underlying};
use resile_integrators::{Tableau, TableauError};

/// Checks the tableau, the limits of alpha and the energy target of an integrator.
pub(super) fn check_integrator(c: &mut Checker, integrator: &Scheme) {
    match integrator {
        Scheme::RungeKutta { a, b } => check_tableau(c, "integrator", &Tableau::butcher(a, b)),
        Scheme::ASearch { alpha_min, alpha_max, .. } => {
            check_alpha_limits(c, "integrator", *alpha_min, *alpha_max);
        }
        Scheme::Decoupled { method, alpha: steering } => {
            check_underlying(c, method);
            if let Steering::Search { alpha_min, alpha_max, .. } = steering {
                check_alpha_limits(c, "integrator.alpha", *alpha_min, *alpha_max);
            }
        }
        _ => {}
    }
    if let Some((path, target)) = integrator.target() {
        check_energy_target(c, &format!("integrator.{path}"), target);
    }
}

/// Reports the error of a Runge-Kutta tableau, if any.
fn check_tableau<T>(c: &mut Checker, path: &str, result: &Result<T, TableauError>) {
    if let Err(problem) = result {
        let help = "rows of `a` up to the diagonal, weights `b` that sum up to 1: \
                    Heun's method is `RungeKutta(a: [[0], [1, 0]], b: [0.5, 0.5])`";
        c.error(path, problem.to_string(), help);
    }
}

/// Checks that the Runge-Kutta method below a decoupled integrator has an adjoint.
fn check_underlying(c: &mut Checker, method: &Underlying) {
    if let Underlying::RungeKutta { a, b } = method {
        let adjoint = Tableau::butcher(a, b).and_then(|tableau| tableau.adjoint());
        check_tableau(c, "integrator.method", &adjoint);
    }
}

/// Checks that the limits of alpha are in order.
fn check_alpha_limits(c: &mut Checker, path: &str, alpha_min: f64, alpha_max: f64) {
    let expected = format!("at least alpha_min = {alpha_min}");
    let path = format!("{path}.alpha_max");
    c.check_relation(&path, "alpha_max", alpha_max, &expected, alpha_max >= alpha_min);
}

/// Checks the order of the decay phases, and that a target that changes has a ground energy.
fn check_energy_target(c: &mut Checker, path: &str, target: &EnergyTarget) {
    for (i, phase) in target.decay.iter().enumerate() {
        let path = format!("{path}.decay[{i}]");
        if i > 0 && phase.start <= target.decay[i - 1].start {
            let previous = target.decay[i - 1].start;
            let message =
                format!("phase {i} starts at {} s, phase {} at {previous} s", phase.start, i - 1);
            c.error(&format!("{path}.start"), message, "phases go in the order of time");
        }
    }
    if target.ground.is_none() && (!target.decay.is_empty() || target.scale != 1.0) {
        let message = "the energy target decays or is scaled, but towards which energy is not said";
        let help = "add `ground: RestHeight(0.05)` (height at which centres of mass come to rest, m) or `ground: Joules(0)`";
        c.error(path, message, help);
    }
}

/// Whether any pair that may touch has friction.
fn has_friction(scene: &Scene) -> bool {
    let super::Contact::Barrier { friction_rule, pairs, .. } = &scene.contact else { return false };
    let larger_coefficient = |friction: Option<f64>, static_friction: Option<f64>| {
        friction.unwrap_or(0.0).max(static_friction.unwrap_or(0.0))
    };
    let bodies =
        scene.bodies.iter().map(|body| larger_coefficient(body.friction, body.static_friction));
    let obstacles = scene.obstacles.iter();
    let obstacles = obstacles
        .map(|obstacle| larger_coefficient(obstacle.friction(), obstacle.static_friction()));
    let coefficients: Vec<f64> = bodies.clone().chain(obstacles).collect();
    let has_friction_by_rule =
        |mu| coefficients.iter().any(|other| friction_rule.is_positive(mu, *other));
    let is_positive =
        |pair: &super::PairFriction| larger_coefficient(pair.friction, pair.static_friction) > 0.0;
    pairs.iter().any(is_positive) || bodies.into_iter().any(has_friction_by_rule)
}

/// Checks that the integrator supports friction.
pub(super) fn check_friction_support(c: &mut Checker, scene: &Scene) {
    if scene.integrator == Scheme::ForestRuth && has_friction(scene) {
        let message =
            "Forest-Ruth takes a part of each step backwards in time, where friction would push";
        let help = "use `Verlet`, or set all coefficients of friction to 0";
        c.error("integrator", message, help);
    }
}

/// Checks that the integrator estimates its error if adaptive steps need that, and the range of the shortest step.
pub(super) fn check_adaptive(c: &mut Checker, scene: &Scene) {
    let shortest = match scene.time.adaptive {
        None => return,
        Some(Adaptive::Doubling { shortest, .. }) => shortest,
        Some(Adaptive::Embedded { shortest, .. }) => {
            let method = scene.integrator.method();
            if method.is_ok_and(|method| !method.estimates_its_error()) {
                let message = "this integrator does not estimate the error of its steps";
                let help = "use `Doubling(error: 0.005)`, or an integrator that does: `ASearch()`, \
                            `A1`, `ImplicitEuler`, `Bdf2`, `Sdirk2` or `TrBdf2`";
                c.error("time.adaptive", message, help);
            }
            shortest
        }
    };
    if let Some(shortest) = shortest {
        let step = scene.time.step.seconds();
        let expected = format!("from a millionth of time.step to time.step = {step} s");
        let is_in_range = shortest >= 1e-6 * step && shortest <= step;
        c.check_relation(
            "time.adaptive.shortest",
            "shortest step (s)",
            shortest,
            &expected,
            is_in_range,
        );
    }
}
