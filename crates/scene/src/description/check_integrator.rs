//! Whether the integrator makes sense.

use super::problem::Checker;
use super::{
    Adaptive, Alpha, Control, Correction, Ground, Integrator, Quadrature, Scene, Target, Underlying,
};
use resile_integrators::{Quadrature as Rule, Tableau, TableauError};

pub(super) fn integrator(c: &mut Checker, integrator: &Integrator) {
    match integrator {
        Integrator::RungeKutta { a, b } => tableau(c, "integrator", &Tableau::butcher(a, b)),
        Integrator::ThetaInner { theta } => {
            let expected = "above 0, at most 1";
            c.number("integrator.theta", "theta", *theta, expected, |t| t > 0.0 && t <= 1.0);
        }
        Integrator::ThetaOuter { theta } => {
            c.number("integrator.theta", "theta", *theta, "from 0 to 1", |t| {
                (0.0..=1.0).contains(&t)
            });
        }
        Integrator::Newmark { beta, gamma } => {
            let expected = "above 0 (central differences are `Verlet`), at most 1";
            c.number("integrator.beta", "beta", *beta, expected, |b| b > 0.0 && b <= 1.0);
            c.number("integrator.gamma", "gamma", *gamma, "above 0, at most 1", |g| {
                g > 0.0 && g <= 1.0
            });
        }
        Integrator::GeneralizedAlpha { rho_inf } => {
            c.number("integrator.rho_inf", "rho_inf", *rho_inf, "from 0 to 1", |r| {
                (0.0..=1.0).contains(&r)
            });
        }
        Integrator::Avf { quadrature } => nodes(c, *quadrature),
        Integrator::ASearch { alpha_min, alpha_max, control, correction, .. } => {
            alpha(c, "integrator", *alpha_min, *alpha_max, control);
            self::correction(c, *correction);
        }
        Integrator::Decoupled { method, alpha: chosen } => {
            underlying(c, method);
            if let Alpha::Search { alpha_min, alpha_max, control, .. } = chosen {
                alpha(c, "integrator.alpha", *alpha_min, *alpha_max, control);
            }
        }
        Integrator::Blend { tolerance, .. } => {
            c.positive("integrator.tolerance", "tolerance", *tolerance);
        }
        _ => {}
    }
    if let Some((path, target)) = integrator.target() {
        self::target(c, path, target);
    }
}

fn correction(c: &mut Checker, correction: Correction) {
    match correction {
        Correction::Resolved { c: factor } => {
            c.not_negative("integrator.correction.c", "factor c of the stiffness", factor);
        }
        Correction::Split { elastic } => {
            c.not_negative("integrator.correction.elastic", "fraction of the rest", elastic);
        }
        Correction::Plain | Correction::Along => {}
    }
}

fn tableau<T>(c: &mut Checker, path: &str, made: &Result<T, TableauError>) {
    if let Err(problem) = made {
        let help = "rows of `a` up to the diagonal, weights `b` that sum up to 1: \
                    Heun's method is `RungeKutta(a: [[0], [1, 0]], b: [0.5, 0.5])`";
        c.error(path, problem.to_string(), help);
    }
}

fn underlying(c: &mut Checker, method: &Underlying) {
    if let Underlying::RungeKutta { a, b } = method {
        let made = Tableau::butcher(a, b).and_then(|tableau| tableau.adjoint());
        tableau(c, "integrator.method", &made);
    }
}

fn nodes(c: &mut Checker, quadrature: Quadrature) {
    let (rule, name, help) = match quadrature {
        Quadrature::Simpson => return,
        Quadrature::Gauss { nodes } => {
            (Rule::Gauss(nodes), format!("Gauss rule of {nodes}"), "1 to 5 nodes")
        }
        Quadrature::NewtonCotes { nodes } => {
            (Rule::NewtonCotes(nodes), format!("Newton-Cotes rule of {nodes}"), "2 to 5 nodes")
        }
    };
    if !rule.exists() {
        c.error("integrator.quadrature", format!("there is no {name} nodes here"), help);
    }
}

fn alpha(c: &mut Checker, path: &str, alpha_min: f64, alpha_max: f64, control: &Control) {
    c.not_negative(&format!("{path}.alpha_min"), "alpha_min", alpha_min);
    let expected = format!("above alpha_min = {alpha_min}");
    let above = |v: f64| v > alpha_min;
    c.number(&format!("{path}.alpha_max"), "alpha_max", alpha_max, &expected, above);
    let path = format!("{path}.control");
    match *control {
        Control::Deadbeat => {}
        Control::Sparse { dead_band } => {
            c.not_negative(&format!("{path}.dead_band"), "dead band", dead_band);
        }
        Control::Filtered { gain, memory } => {
            for (field, value) in [("gain", gain), ("memory", memory)] {
                let is_share = |v: f64| v > 0.0 && v <= 1.0;
                c.number(&format!("{path}.{field}"), field, value, "above 0, at most 1", is_share);
            }
        }
    }
}

fn target(c: &mut Checker, path: &str, target: &Target) {
    c.not_negative(&format!("{path}.scale"), "scale of the target", target.scale);
    for (i, phase) in target.decay.iter().enumerate() {
        let path = format!("{path}.decay[{i}]");
        c.not_negative(&format!("{path}.start"), "start of the phase (s)", phase.start);
        if let Some(tau) = phase.tau {
            c.positive(&format!("{path}.tau"), "time constant (s)", tau);
        }
        if i > 0 && phase.start <= target.decay[i - 1].start {
            let before = target.decay[i - 1].start;
            let message =
                format!("phase {i} starts at {} s, phase {} at {before} s", phase.start, i - 1);
            c.error(&format!("{path}.start"), message, "phases go in the order of time");
        }
    }
    let ground = format!("{path}.ground");
    match target.ground {
        Some(Ground::Joules(joules)) => c.finite(&ground, "energy (J)", joules),
        Some(Ground::RestHeight(height)) => c.finite(&ground, "height (m)", height),
        None if !target.decay.is_empty() || target.scale != 1.0 => c.error(
            path,
            "the energy target decays or is scaled, but towards which energy is not said",
            "add `ground: RestHeight(0.05)` (height at which centres of mass come to rest, m) or `ground: Joules(0)`",
        ),
        None => {}
    }
}

/// Whether any coefficient of friction is positive between a body and what it may touch.
fn rubs(scene: &Scene) -> bool {
    let super::Contact::Barrier { friction_rule, pairs, .. } = &scene.contact else { return false };
    let larger = |mu: Option<f64>, other: Option<f64>| mu.unwrap_or(0.0).max(other.unwrap_or(0.0));
    let bodies = scene.bodies.iter().map(|body| larger(body.friction, body.static_friction));
    let obstacles = scene.obstacles.iter();
    let obstacles = obstacles.map(|body| larger(body.friction(), body.static_friction()));
    let all: Vec<f64> = bodies.clone().chain(obstacles).collect();
    let by_rule = |mu| all.iter().any(|other| friction_rule.combine(mu, *other) > 0.0);
    let given = |pair: &super::PairFriction| larger(pair.friction, pair.static_friction) > 0.0;
    pairs.iter().any(given) || bodies.into_iter().any(by_rule)
}

/// Methods and contacts that cannot go together.
pub(super) fn contact(c: &mut Checker, scene: &Scene) {
    if scene.integrator == Integrator::ForestRuth && rubs(scene) {
        let message =
            "Forest-Ruth takes a part of each step backwards in time, where friction would push";
        let help = "use `Verlet`, or set all coefficients of friction to 0";
        c.error("integrator", message, help);
    }
}

pub(super) fn adaptive(c: &mut Checker, scene: &Scene) {
    let (error, shortest) = match scene.time.adaptive {
        None => return,
        Some(Adaptive::Doubling { error, shortest }) => (error, shortest),
        Some(Adaptive::Embedded { error, shortest }) => {
            let method = crate::assemble::integrator::method(&scene.integrator);
            if method.is_ok_and(|method| !method.estimates_its_error()) {
                let message = "this integrator does not estimate the error of its steps";
                let help = "use `Doubling(error: 0.005)`, or an integrator that does: `ASearch()`, \
                            `A1`, `ImplicitEuler`, `Bdf2`, `Sdirk2` or `TrBdf2`";
                c.error("time.adaptive", message, help);
            }
            (error, shortest)
        }
    };
    c.positive("time.adaptive.error", "error (m/s)", error);
    if let Some(shortest) = shortest {
        let step = scene.time.step.seconds();
        let expected = format!("from a millionth of time.step to time.step = {step} s");
        let fits = |s: f64| s >= 1e-6 * step && s <= step;
        c.number("time.adaptive.shortest", "shortest step (s)", shortest, &expected, fits);
    }
}
