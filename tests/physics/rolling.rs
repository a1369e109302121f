//! Rolling friction: how balls slow down, rest on slopes, and what deforms.

use super::Simulation;
use resile_math::Vec3;
use resile_scene::text::SceneText;

const RADIUS: f64 = 0.1;
const GRAVITY: f64 = 9.81;

fn text(tangent: f64, rho: f64, velocity: f64, integrator: &str, kind: &str) -> String {
    let cos = 1.0 / tangent.hypot(1.0);
    let (x, y, spin) = (GRAVITY * cos * tangent, -GRAVITY * cos, -velocity / RADIUS);
    format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
            bodies: [(name: "ball", shape: Sphere(radius: {RADIUS}, subdivisions: 4), kind: {kind}, material: "m",
                friction: 0.8, rolling_friction: {rho:?}, placement: (translate: (0, 0.1008, 0)),
                velocity: ({velocity:?}, 0, 0), angular_velocity: (0, 0, {spin:?}))],
            gravity: ({x:?}, {y:?}, 0),
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.8)],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: {integrator},
            time: (step: "1/480", duration: 1),
        )"#
    )
}

fn ball(tangent: f64, rho: f64, velocity: f64, integrator: &str) -> Simulation {
    Simulation::begun(&text(tangent, rho, velocity, integrator, "Affine"))
}

/// `a = 5 rho g / (7 R)`, on top of what the facets of the ball cost; and the heat is the energy lost.
#[test]
fn rolling_friction_decelerates_a_ball_by_its_coefficient() {
    let rho = 4e-3;
    for integrator in ["ImplicitEuler", "TrBdf2", "ASearch()"] {
        let slowed = |rho: f64| {
            let mut ball = ball(0.0, rho, 0.5, integrator);
            let start = ball.velocity().x;
            let energy = ball.observe().kinetic();
            let mut heat = 0.0;
            (0..240).for_each(|_| heat += ball.advance().dissipated[0]);
            let lost = energy - ball.observe().kinetic();
            (start - ball.velocity().x, heat, lost)
        };
        let (with, heat, lost) = slowed(rho);
        let (without, ..) = slowed(0.0);
        let expected = 5.0 / 7.0 * rho * GRAVITY / RADIUS * 0.5;
        let ratio = (with - without) / expected;
        assert!((ratio - 1.0).abs() < 0.05, "{integrator}: {with} {without} {expected}");
        assert!((heat / lost - 1.0).abs() < 0.1, "{integrator}: {heat} J of {lost} J");
    }
}

/// A ball rests on a slope with a tangent below `rho / R`, and rolls down a steeper one at `5 (g sin - rho g cos / R) / 7`.
#[test]
fn rolling_friction_holds_a_ball_on_gentle_slopes() {
    let rho = 0.01;
    for integrator in ["ImplicitEuler", "TrBdf2"] {
        let rolled = |tangent: f64| {
            let mut ball = ball(tangent, rho, 0.0, integrator);
            (0..240).for_each(|_| drop(ball.advance()));
            ball.velocity().x
        };
        let resting = rolled(0.07);
        assert!(resting.abs() < 1e-3, "{integrator}: {resting} m/s");
        let cos = 1.0 / 0.2_f64.hypot(1.0);
        let expected = 5.0 / 7.0 * GRAVITY * cos * (0.2 - rho / RADIUS) * 0.5;
        let rolling = rolled(0.2);
        assert!((rolling / expected - 1.0).abs() < 0.1, "{integrator}: {rolling} {expected}");
    }
}

/// Two balls that touch and rotate like gears roll on each other: both slow down by the same torque, momentum is kept.
#[test]
fn rolling_friction_torques_between_balls_cancel() {
    let ball = |name: &str, x: f64, spin: f64, push: f64| {
        format!(
            r#"(name: "{name}", shape: Ball(radius: {RADIUS}, layers: 4), kind: Affine, material: "m", friction: 0,
                placement: (translate: ({x:?}, 0, 0)), velocity: ({push:?}, 0, 0), angular_velocity: (0, 0, {spin:?}))"#
        )
    };
    let bodies = [ball("left", -0.1004, 5.0, 0.01), ball("right", 0.1004, -5.0, -0.01)].join(", ");
    let mut balls = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
            bodies: [{bodies}],
            gravity: (0, 0, 0),
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min, start: AsPlaced,
                pairs: [(a: "left", b: "right", rolling_friction: 0.01)]),
            integrator: ImplicitEuler,
            time: (step: "1/960", duration: 1),
        )"#
    ));
    let start = balls.world.momenta();
    let spin = |balls: &Simulation, body: usize| {
        let state = balls.world.state(body);
        let centre = state.positions.iter().copied().sum::<Vec3>() * 0.25;
        state
            .positions
            .iter()
            .zip(&state.velocities)
            .map(|(x, v)| (*x - centre).cross(*v).z)
            .sum::<f64>()
    };
    let before = [0, 1].map(|body| spin(&balls, body));
    (0..60).for_each(|_| drop(balls.advance()));
    let after = [0, 1].map(|body| spin(&balls, body));
    assert!(after[0] > 0.0 && after[0] < 0.999 * before[0], "{before:?} {after:?}");
    assert!(((before[0] - after[0]) + (before[1] - after[1])).abs() < 1e-6 * before[0]);
    let end = balls.world.momenta();
    assert!(
        (end.angular - start.angular).length() < 1e-6 * before[0].abs(),
        "angular momentum is kept"
    );
}

/// A body that deforms has no angular velocity.
#[test]
fn rolling_friction_of_deformable_bodies_is_rejected() {
    let soft = text(0.0, 1e-3, 0.0, "ImplicitEuler", "Shell(thickness: 1e-3)");
    let errors = SceneText::new("test.ron", soft).load().expect_err("it deforms");
    assert!(errors[0].to_string().contains("no angular velocity"), "{}", errors[0]);
}
