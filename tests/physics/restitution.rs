//! Coefficients of restitution: what meets at a speed parts at a fraction of it, whatever the method, and the rest is heat.

use super::Simulation;
use resile_math::Vec3;

const METHODS: [&str; 7] =
    ["ImplicitEuler", "Bdf2", "TrBdf2", "Bathe", "Sdirk2", "A1", "ASearch()"];

/// A ball of this kind that falls from `height` onto a plane.
fn ball(kind: &str, e: &str, height: f64, integrator: &str, steps_a_second: u32) -> Simulation {
    let shape = match kind {
        "Affine" => "Sphere(radius: 0.05, subdivisions: 2)",
        _ => "Ball(radius: 0.05, layers: 3)",
    };
    Simulation::begun(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
            bodies: [(name: "ball", shape: {shape}, kind: {kind}, material: "m",
                placement: (translate: (0, {:?}, 0)), friction: 0, {e})],
            gravity: (0, -9.81, 0),
            obstacles: [Plane(name: "plane", point: (0, 0, 0), normal: (0, 1, 0), friction: 0)],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: {integrator},
            time: (step: "1/{steps_a_second}", duration: 1),
        )"#,
        0.05 + height,
    ))
}

/// The speeds at which a ball that falls from `height` leaves the plane, over that at which it meets it, and its heat over the
/// energy that it has lost.
fn rebounds(mut ball: Simulation, height: f64, steps: u32) -> (Vec<f64>, f64) {
    let (start, mut heat) = (ball.observe().total(), 0.0);
    let mut fastest = (2.0 * 9.81 * height).sqrt();
    let (mut ratios, mut before) = (Vec::new(), ball.velocity().y);
    for _ in 0..steps {
        let record = ball.advance();
        assert!(record.dissipated[0] >= 0.0, "{} J", record.dissipated[0]);
        heat += record.dissipated[0];
        let now = ball.velocity().y;
        let height = ball.com().y;
        if before <= 0.0 && now > 0.0 {
            // As high as it rises from here.
            let speed = (now * now + 2.0 * 9.81 * (height - 0.051).max(0.0)).sqrt();
            ratios.push(speed / fastest);
            fastest = speed;
        }
        before = now;
    }
    (ratios, heat / (start - ball.observe().total()))
}

#[test]
fn ball_rebounds_at_its_restitution_under_every_method() {
    for (kind, steps_a_second) in [("Affine", 120), ("Affine", 240), ("Solid", 120)] {
        for integrator in METHODS {
            for (e, height) in [(0.3, 0.5), (0.3, 0.517), (0.7, 0.5)] {
                let field = format!("restitution: {e:?}");
                let ball = ball(kind, &field, height, integrator, steps_a_second);
                let (ratios, heat) = rebounds(ball, height, 45 * steps_a_second / 120);
                let what =
                    format!("{kind}, {integrator}, {e} from {height} m at 1/{steps_a_second} s");
                let first = ratios.first().unwrap_or_else(|| panic!("{what}: no rebound"));
                assert!((first / e - 1.0).abs() < 0.03, "{what}: {ratios:?}");
                assert!((heat - 1.0).abs() < 0.02, "{what}: heat {heat} of the loss");
            }
        }
    }
}

/// The rebound of an affine ball does not depend on the step, also where the ball takes several steps through the range of
/// the barrier, nor on the stage of a method that meets the plane.
#[test]
fn rebound_is_independent_of_the_step() {
    for (integrator, steps_a_second) in [
        ("ImplicitEuler", 1000),
        ("ASearch()", 1000),
        ("TrBdf2", 1000),
        ("ImplicitEuler", 5000),
        ("TrBdf2", 60),
        ("Bathe", 60),
    ] {
        let ball = ball("Affine", "restitution: 0.8", 0.5, integrator, steps_a_second);
        let (ratios, _) = rebounds(ball, 0.5, steps_a_second * 2 / 5);
        let what = format!("{integrator} at 1/{steps_a_second} s: {ratios:?}");
        assert!((ratios[0] / 0.8 - 1.0).abs() < 0.03, "{what}");
    }
}

/// A ball of 2562 vertices on a plane with friction and restitution `e`, with the shape turned within it.
fn spinning(velocity: Vec3, spin: f64, friction: f64, e: f64, integrator: &str) -> Simulation {
    Simulation::begun(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
            bodies: [(name: "ball", shape: Sphere(radius: 0.1, subdivisions: 4), kind: Affine, material: "m",
                placement: (rotate: [(axis: (0.3, 0.5, 0.8), degrees: 33)], translate: (0, {:?}, 0)),
                velocity: ({:?}, {:?}, 0), angular_velocity: (0, 0, {spin:?}), friction: {friction:?}, restitution: {e:?})],
            gravity: (0, {:?}, 0),
            obstacles: [Plane(name: "plane", point: (0, 0, 0), normal: (0, 1, 0), friction: {friction:?})],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: {integrator},
            time: (step: "1/240", duration: 1),
        )"#,
        if velocity.y == 0.0 { 0.1008 } else { 0.2 },
        velocity.x,
        velocity.y,
        if velocity.y == 0.0 { -9.81 } else { 0.0 },
    ))
}

/// Angular velocity (rad/s) about z.
fn spin(ball: &Simulation) -> f64 {
    let (momenta, centre) = (ball.world.momenta(), ball.world.common_center_of_mass());
    (momenta.angular - centre.cross(momenta.linear)).z / (0.4 * ball.world.mass() * 0.01)
}

/// The barrier acts on points up to 14 mm beside the lowest one, of which half approach faster and half slower while the
/// ball spins. Without friction a rebound does not change the spin; with friction the change is `5/2 mu (1 + e) u / R`.
#[test]
fn impact_changes_the_spin_of_a_ball_by_friction_only() {
    for integrator in ["ImplicitEuler", "TrBdf2", "ASearch()"] {
        let mut ball = spinning(Vec3::NEG_Y * 2.0, 20.0, 0.0, 0.7, integrator);
        (0..40).for_each(|_| drop(ball.advance()));
        let (rise, frictionless) = (ball.velocity().y, spin(&ball));
        assert!((rise / 1.4 - 1.0).abs() < 0.02, "{integrator}: {rise} m/s");
        assert!((frictionless / 20.0 - 1.0).abs() < 0.02, "{integrator}: {frictionless} rad/s");
        let mut ball = spinning(Vec3::new(3.0, -2.0, 0.0), 0.0, 0.1, 0.7, integrator);
        (0..40).for_each(|_| drop(ball.advance()));
        let (speed, oblique) = (ball.velocity().x, spin(&ball));
        assert!((speed / (3.0 - 0.1 * 3.4) - 1.0).abs() < 0.01, "{integrator}: {speed} m/s");
        assert!((oblique / -8.5 - 1.0).abs() < 0.03, "{integrator}: {oblique} rad/s");
    }
}

/// A ball that rolls, and a box that slides, move with restitution as without.
#[test]
fn restitution_does_not_brake_rolling_and_sliding() {
    for integrator in ["ImplicitEuler", "ASearch()"] {
        let mut ball = spinning(Vec3::X, -10.0, 0.3, 0.5, integrator);
        (0..240).for_each(|_| drop(ball.advance()));
        assert!(ball.velocity().x > 0.97, "{integrator}: {} m/s", ball.velocity().x);
        let slid = |e: &str| {
            let mut slider = Simulation::begun(&format!(
                r#"(
                    version: 1,
                    materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
                    bodies: [(name: "box", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), kind: Affine, material: "m",
                        placement: (translate: (0, 0.0509, 0)), velocity: (1.5, 0, 0), friction: 0.4, {e})],
                    gravity: (0, -9.81, 0),
                    obstacles: [Plane(name: "plane", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.4)],
                    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
                    integrator: {integrator},
                    time: (step: "1/240", duration: 1),
                )"#
            ));
            (0..120).for_each(|_| drop(slider.advance()));
            slider.com().x
        };
        let (with, without) = (slid("restitution: 0.5"), slid(""));
        assert!((with / without - 1.0).abs() < 0.05, "{integrator}: {with} m, {without} m");
    }
}

/// Two balls of 1 and 8 units of mass meet in space: momentum is kept, and they part as Newton's law says.
#[test]
fn impact_of_unequal_masses_follows_newton_and_conserves_momentum() {
    for integrator in ["ImplicitEuler", "TrBdf2", "ASearch()"] {
        let mut balls = Simulation::begun(&format!(
            r#"(
                version: 1,
                materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
                bodies: [
                    (name: "small", shape: Sphere(radius: 0.05, subdivisions: 2), kind: Affine, material: "m",
                        placement: (translate: (-0.1, 0, 0)), velocity: (2, 0, 0), friction: 0, restitution: 0.5),
                    (name: "large", shape: Sphere(radius: 0.1, subdivisions: 2), kind: Affine, material: "m",
                        placement: (translate: (0.1, 0, 0)), friction: 0, restitution: 0.9),
                ],
                gravity: (0, 0, 0),
                contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
                integrator: {integrator},
                time: (step: "1/120", duration: 1),
            )"#
        ));
        let momentum = balls.world.momenta().linear;
        (0..30).for_each(|_| drop(balls.advance()));
        let v = |body| {
            let state = balls.world.state(body);
            state.velocities.iter().sum::<Vec3>().x / state.velocities.len() as f64
        };
        let apart = v(1) - v(0);
        assert!((apart / 1.0 - 1.0).abs() < 0.03, "{integrator}: {apart} m/s");
        let change = (balls.world.momenta().linear - momentum).length() / momentum.length();
        assert!(change < 1e-6, "{integrator}: {change} of the momentum");
    }
}

/// A plate that rises at 1 m/s throws a ball that lies on it no faster than itself, and its work is what the ball gains and
/// what becomes heat.
#[test]
fn moving_obstacle_does_the_work_of_the_rebound() {
    for integrator in ["ImplicitEuler", "ASearch()"] {
        let mut ball = Simulation::begun(&format!(
            r#"(
                version: 1,
                materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
                bodies: [(name: "ball", shape: Sphere(radius: 0.05, subdivisions: 2), kind: Affine, material: "m",
                    placement: (translate: (0, 0.2, 0)), friction: 0, restitution: 0.5)],
                gravity: (0, 0, 0),
                obstacles: [Shape(name: "plate", shape: Box(size: (1, 0.1, 1), cells: (1, 1, 1)), friction: 0,
                    motion: Move(velocity: (0, 1, 0), end: 10))],
                contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
                integrator: {integrator},
                time: (step: "1/120", duration: 1),
            )"#
        ));
        let (mut heat, mut work) = (0.0, 0.0);
        for _ in 0..30 {
            let record = ball.advance();
            heat += record.dissipated.iter().sum::<f64>();
            work += record.work.iter().sum::<f64>();
        }
        let velocity = ball.world.state(0).velocities.iter().sum::<Vec3>().y / 4.0;
        assert!((velocity / 1.5 - 1.0).abs() < 0.03, "{integrator}: {velocity} m/s");
        let mass = 0.5 * velocity * velocity;
        let kinetic = ball.observe().kinetic();
        let [heat, work] = [heat, work].map(|joules| joules * mass / kinetic);
        // By 1 kg: 1.5 m/s by a plate of 1 m/s, and the loss of 1 m/s that part at 0.5.
        assert!((work / 1.5 - 1.0).abs() < 0.04, "{integrator}: work {work} J/kg");
        assert!((heat / 0.375 - 1.0).abs() < 0.06, "{integrator}: heat {heat} J/kg");
    }
}

/// A ball that is thrown at a plane loses the coefficient of friction times its whole normal impulse along it, as long as it
/// slides.
#[test]
fn friction_acts_on_the_impulses_of_approach_and_rebound() {
    for integrator in ["ImplicitEuler", "TrBdf2", "ASearch()"] {
        let mut ball = Simulation::begun(&format!(
            r#"(
                version: 1,
                materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
                bodies: [(name: "ball", shape: Sphere(radius: 0.05, subdivisions: 3), kind: Affine, material: "m",
                    placement: (translate: (0, 0.1, 0)), velocity: (3, -2, 0), friction: 0.2, restitution: 0.5)],
                gravity: (0, 0, 0),
                obstacles: [Plane(name: "plane", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.2)],
                contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
                integrator: {integrator},
                time: (step: "1/120", duration: 1),
            )"#
        ));
        (0..12).for_each(|_| drop(ball.advance()));
        let v = ball.velocity();
        // It touches beside its centre, as a ball of facets does, and the slip turns it.
        assert!((v.y - 1.0).abs() < 0.08, "{integrator}: {v}");
        let ratio = (3.0 - v.x) / (2.0 + v.y);
        assert!((ratio - 0.2).abs() < 0.01, "{integrator}: {ratio} of the normal impulse");
    }
}

/// The balls of `scenes/contact/restitution.ron` rise to `e^2` times the height from which they fell.
#[test]
fn balls_of_the_scene_rise_to_the_square_of_their_restitution() {
    let mut balls = Simulation::of_file("contact/restitution", &[]);
    let height = |balls: &Simulation, body: usize| {
        let positions = &balls.world.state(body).positions;
        positions.iter().sum::<Vec3>().y / positions.len() as f64 - 0.05
    };
    let mut highest = [0.0f64; 4];
    for step in 0..80 {
        drop(balls.advance());
        for (body, highest) in highest.iter_mut().enumerate().filter(|_| step > 38) {
            *highest = highest.max(height(&balls, body));
        }
    }
    for (e, highest) in [0.0, 0.3, 0.6, 0.9].into_iter().zip(highest) {
        let truth = 0.5 * e * e;
        // The barrier throws what does not rebound by 1 % of the height of the fall at most.
        let tolerance = if e == 0.0 { 0.005 } else { 0.06 * truth + 1e-3 };
        assert!((highest - truth).abs() < tolerance, "{e}: {highest} m");
    }
}

/// A ball that rollers hold off sideways motion at every node bounces as without them.
#[test]
fn guided_ball_bounces_like_a_free_one() {
    for integrator in ["ImplicitEuler", "ASearch()"] {
        let held = r#"restitution: 0.5, hold: [(region: All, motion: Fixed, axes: "x")]"#;
        let (ratios, heat) = rebounds(ball("Solid", held, 0.5, integrator, 120), 0.5, 45);
        assert!((ratios[0] / 0.5 - 1.0).abs() < 0.03, "{integrator}: {ratios:?}");
        // Implicit Euler damps vibrations after the impact, too, which is not heat.
        assert!((0.95..1.001).contains(&heat), "{integrator}: heat {heat} of the loss");
    }
}

/// Smooth stiff boxes with a coefficient of one that tumble onto a smooth plane: their corners meet it at many levers, and
/// no impact gives energy.
#[test]
fn tumbling_box_gains_no_energy() {
    for kind in ["Affine", "Solid"] {
        for integrator in ["ImplicitEuler", "TrBdf2", "ASearch()"] {
            for (degrees, steps_a_second) in [(40, 480), (65, 240), (110, 120)] {
                let mut tumbling = Simulation::begun(&format!(
                    r#"(
                        version: 1,
                        materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
                        bodies: [(name: "box", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), kind: {kind}, material: "m",
                            placement: (rotate: [(axis: (1, 2, 3), degrees: {degrees})], translate: (0, 0.25, 0)),
                            velocity: (1, 0, 0), angular_velocity: (3, 1, 4), friction: 0, restitution: 1)],
                        gravity: (0, -9.81, 0),
                        obstacles: [Plane(name: "plane", point: (0, 0, 0), normal: (0, 1, 0), friction: 0)],
                        contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
                        integrator: {integrator},
                        time: (step: "1/{steps_a_second}", duration: 1),
                    )"#
                ));
                let start = tumbling.observe().total();
                for step in 0..steps_a_second {
                    drop(tumbling.advance());
                    let energy = tumbling.observe().total() / start;
                    assert!(
                        energy < 1.002,
                        "{kind} {integrator} {degrees}: {energy} in step {step}"
                    );
                }
            }
        }
    }
}

/// A ball without gravity meets a plane at 2 m/s: how many steps its contact lasts without restitution depends on its
/// stiffness, from one to sixteen, but its rebound does not.
#[test]
fn rebound_is_independent_of_the_stiffness() {
    for integrator in ["ImplicitEuler", "ASearch()"] {
        let rebounds = ["1e5", "1e6", "1e7", "1e9"].map(|young| {
            let mut ball = Simulation::begun(&format!(
                r#"(
                    version: 1,
                    materials: {{ "m": (density: 1000, model: NeoHookean(young: {young}, poisson: 0.3)) }},
                    bodies: [(name: "ball", shape: Ball(radius: 0.1, layers: 3), material: "m",
                        placement: (translate: (0, 0.15, 0)), velocity: (0, -2, 0), friction: 0, restitution: 0.7)],
                    gravity: (0, 0, 0),
                    obstacles: [Plane(name: "plane", point: (0, 0, 0), normal: (0, 1, 0), friction: 0)],
                    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
                    integrator: {integrator},
                    time: (step: "1/240", duration: 1),
                )"#
            ));
            (0..48).for_each(|_| drop(ball.advance()));
            ball.velocity().y
        });
        for rebound in rebounds {
            assert!((rebound / 1.4 - 1.0).abs() < 0.02, "{integrator}: {rebounds:?} m/s");
        }
    }
}

/// Four steel balls in a row with a coefficient of one, of which the first one meets the next at 1 m/s after 20 mm.
fn train(gap: f64, steps_a_second: u32) -> Simulation {
    let ball = |name: &str, x: f64, field: &str| {
        format!(
            r#"(name: "{name}", shape: Sphere(radius: 0.02, subdivisions: 2), kind: Affine, material: "steel",
                placement: (translate: ({x:?}, 0, 0)), {field} friction: 0, restitution: 1),"#
        )
    };
    let pitch = 0.04 + gap;
    Simulation::begun(&format!(
        r#"(
            version: 2, units: Metres,
            materials: {{ "steel": (density: 7800, model: NeoHookean(young: 2e11, poisson: 0.3)) }},
            bodies: [{}{}{}{}],
            gravity: (0, 0, 0),
            contact: Barrier(),
            integrator: ASearch(),
            time: (step: "1/{steps_a_second}", duration: 1),
        )"#,
        ball("first", -0.0605, "velocity: (1, 0, 0),"),
        ball("second", 0.0, ""),
        ball("third", pitch, ""),
        ball("last", 2.0 * pitch, ""),
    ))
}

/// Impacts pass through a row of balls one after another, in one step or in several, and lose no energy to what the barrier
/// stores.
#[test]
fn impact_passes_through_a_train_with_gaps() {
    let settings = [
        (0.006, 240, 0.998),
        (0.006, 960, 0.998),
        (0.0025, 960, 0.998),
        (0.0025, 4000, 0.998),
        // The next balls are hit while the barrier still has a part of the energy of the impact before.
        (0.0005, 4000, 0.99),
    ];
    for (gap, steps_a_second, min_momentum) in settings {
        let mut train = train(gap, steps_a_second);
        let total = train.world.momenta().linear.x;
        for _ in 0..steps_a_second / 10 {
            let record = train.advance();
            assert!(record.dissipated.iter().all(|heat| *heat >= 0.0), "{:?} J", record.dissipated);
        }
        let momenta = [0, 1, 2, 3].map(|body| train.world.momenta_of(body).linear.x / total);
        assert!(momenta[3] > min_momentum, "{gap} m, 1/{steps_a_second} s: {momenta:?}");
    }
}

/// The velocities that an impact withholds are part of the state.
#[test]
fn rebound_in_several_steps_resumes_bitwise() {
    let states = |train: &Simulation| [0, 1, 2, 3].map(|body| train.world.state(body).clone());
    let (mut uninterrupted, mut resumptions) = (train(0.0025, 4000), 0);
    for _ in 0..200 {
        let start = states(&uninterrupted);
        let steps = uninterrupted.steps;
        drop(uninterrupted.advance());
        if start.iter().all(|state| state.memory.get("restitution.withheld").is_none()) {
            continue;
        }
        let mut resumed = Simulation { steps, ..train(0.0025, 4000) };
        start
            .into_iter()
            .enumerate()
            .for_each(|(body, state)| resumed.world.set_state(body, state));
        drop(resumed.advance());
        assert_eq!(states(&resumed), states(&uninterrupted), "after step {steps}");
        resumptions += 1;
    }
    assert!(resumptions > 0, "nothing is withheld");
}
