//! What every integrator owes to contact and to the ledger.

use super::Simulation;
use super::conservation::{collision, collision_at, falling};
use resile_math::Vec3;

/// Methods whose forces are taken at solved positions, or on the way there.
const IMPLICIT: [&str; 16] = [
    "ImplicitEuler",
    "Bdf2",
    "Trapezoidal",
    "ImplicitMidpoint",
    "ThetaInner(theta: 0.7)",
    "ThetaOuter(theta: 0.7)",
    "Newmark(beta: 0.4, gamma: 0.6)",
    "GeneralizedAlpha(rho_inf: 0.5)",
    "Sdirk2",
    "TrBdf2",
    "Bathe",
    "Avf()",
    "Avf(quadrature: Gauss(nodes: 3))",
    "A1",
    "ASearch()",
    "Blend()",
];

/// Methods that know nothing of what they would cross.
const EXPLICIT: [&str; 9] = [
    "ForwardEuler",
    "SymplecticEuler",
    "ExplicitMidpoint",
    "AveragedMidpoint",
    "SymplecticMidpoint",
    "ModifiedHalfStep",
    "Heun",
    "RungeKutta4",
    "Verlet",
];

/// Steps and looks at everything a contact must keep. Returns the steps in contact, and
/// whether the run came to its end.
fn watch(name: &str, mut cubes: Simulation, steps: usize) -> (usize, bool) {
    let start = cubes.world.momenta().linear;
    let scale = 2.0 * cubes.world.mass();
    let mut touched = 0;
    for step in 0..steps {
        let Ok(record) = cubes.try_advance() else { return (touched, false) };
        let certificate = record.observed.certificate;
        assert!(
            certificate.min_distance > 0.0,
            "{name}, step {step}: {}",
            certificate.min_distance
        );
        assert!(
            certificate.min_det_f > 0.0,
            "{name}, step {step}: det F = {}",
            certificate.min_det_f
        );
        touched += usize::from(certificate.contacts > 0);
        let off = (cubes.world.momenta().linear - start).length() / scale;
        assert!(off < 1e-8, "{name}, step {step}: momentum is off by {off:e}");
    }
    let crossing = cubes.world.intersections(1);
    assert!(crossing.is_empty(), "{name}: {crossing:?}");
    (touched, true)
}

#[test]
fn implicit_methods_finish_without_crossing() {
    for name in IMPLICIT {
        let (touched, finished) = watch(name, collision(name, r#"step: "1/120""#), 30);
        assert!(finished && touched > 1, "{name}: {touched} steps in contact, {finished}");
    }
}

/// Friction of the contacts at the start acts for the whole step, in which these bodies part. Where each took its own
/// fraction of backward Euler, 7e-5 of the momentum was lost.
#[test]
fn blending_conserves_momentum_of_separating_bodies() {
    let (touched, finished) =
        watch("Blend()", collision_at(1.9, "Blend()", r#"step: "1/120""#), 30);
    assert!(finished && touched > 1, "{touched} steps in contact, {finished}");
}

#[test]
fn explicit_methods_resolve_contact_at_small_steps() {
    for name in EXPLICIT {
        let (touched, finished) = watch(name, collision(name, r#"step: "1/38400""#), 1100);
        // Both gain energy at any step on whatever vibrates undamped, as a barrier does.
        let unstable = ["ForwardEuler", "AveragedMidpoint"].contains(&name);
        assert!(touched > 5 && (finished || unstable), "{name}: {touched}, {finished}");
    }
}

#[test]
fn unstable_method_in_stiff_contact_crosses_nothing() {
    // Over SDIRK2 the decoupled method is unstable for hbar between 19.5 and 280.
    let (touched, _) = watch("", collision("Decoupled(method: Sdirk2)", r#"step: "1/120""#), 30);
    assert!(touched > 0);
}

#[test]
fn explicit_methods_at_large_steps_fail_before_they_cross() {
    for name in EXPLICIT {
        // Elasticity alone is far from stable here.
        let (_, finished) = watch(name, collision(name, r#"step: "1/60""#), 200);
        assert!(!finished, "{name} came to the end");
    }
}

#[test]
fn energy_target_is_the_initial_energy_plus_work_minus_heat() {
    for name in [
        "ASearch()",
        "ASearch(control: Sparse())",
        "ASearch(control: Filtered())",
        "Decoupled(method: Sdirk2, alpha: Search())",
        "Blend()",
    ] {
        let mut cubes = collision(name, r#"step: "1/120""#);
        let first = cubes.observe().total();
        let (mut ledger, mut heat) = (first, 0.0);
        for step in 0..30 {
            let record = cubes.advance();
            let dissipated: f64 = record.dissipated.iter().chain(&record.rest_loss).sum();
            // The heat of one body may be energy of another one; their sum is zero within the rounding of both.
            let magnitude: f64 = record.dissipated.iter().map(|heat| heat.abs()).sum();
            let is_loss = dissipated >= -4.0 * f64::EPSILON * magnitude;
            assert!(is_loss, "{name}, step {step}: friction gave {dissipated} J");
            heat += dissipated;
            ledger += record.work.iter().sum::<f64>() - dissipated;
            let target = cubes.observe().target().expect("the method has a target");
            assert!((target - ledger).abs() < 1e-12 * first, "{name}, step {step}");
        }
        assert!(heat > 1e-3 * first, "{name}: friction took {heat} of {first} J");
    }
}

/// A box that falls on a floor at this height (m), with friction.
fn tumbling(height: f64) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3)) }},
            bodies: [(
                name: "box", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "rubber",
                placement: (
                    rotate: [(axis: (0, 0, 1), degrees: 35), (axis: (1, 0, 0), degrees: 20)],
                    translate: (0, {}, 0),
                ),
                velocity: (0.5, -1, 0.1), angular_velocity: (0, 2, -3), friction: 0.4,
            )],
            gravity: (0, -9.81, 0),
            obstacles: [Plane(name: "floor", point: (0, {height}, 0), normal: (0, 1, 0), friction: 0.4)],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: Blend(),
            time: (step: "1/120", duration: 0.5),
            solver: (tolerance: 1e-9),
        )"#,
        height + 0.12
    ))
}

#[test]
fn blending_is_independent_of_the_zero_of_height() {
    let [mut low, mut high] = [tumbling(0.0), tumbling(10.0)];
    // Through the impact, which is at the sixth step.
    for step in 0..24 {
        low.advance();
        high.advance();
        let pairs = low.world.state(0).positions.iter().zip(&high.world.state(0).positions);
        let apart = pairs.map(|(a, b)| (*a + 10.0 * Vec3::Y - *b).length()).fold(0.0, f64::max);
        // A position at 10 m is rounded to 1.8e-15 m, and impacts make more of it.
        assert!(apart < 1e-9, "step {step}: {apart:e} m");
    }
}

#[test]
fn adaptive_steps_shorten_in_contact_and_end_on_time() {
    for (integrator, adaptive) in
        [("Bdf2", "Doubling(error: 0.005)"), ("ASearch()", "Embedded(error: 0.005)")]
    {
        let time = format!(r#"step: "1/60", adaptive: {adaptive}"#);
        let mut cubes = collision(integrator, &time);
        let (mut shortest, mut longest) = (f64::INFINITY, 0.0f64);
        for step in 1..=5 {
            let record = cubes.advance();
            let h = record.smallest_step;
            (shortest, longest) = (shortest.min(h), longest.max(h));
            let end = f64::from(step) / 60.0;
            assert_eq!(cubes.world.state(0).time, end, "{adaptive}");
            assert!(record.observed.certificate.min_distance > 0.0, "{adaptive}");
        }
        assert!(shortest < 0.3 * longest, "{adaptive}: {shortest} to {longest}");
    }
}

/// A box that falls on a floor, turned, and slides; with this integrator and these steps.
fn dropped(integrator: &str, time: &str) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3)) }},
            bodies: [(
                name: "box", shape: Box(size: (0.1, 0.1, 0.1), cells: (3, 3, 3)), material: "rubber",
                placement: (
                    rotate: [(axis: (0, 0, 1), degrees: 35), (axis: (1, 0, 0), degrees: 20)],
                    translate: (0, 0.3, 0),
                ),
                velocity: (0.5, 0, 0.1), friction: 0.3,
            )],
            gravity: (0, -9.81, 0),
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.3)],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: {integrator},
            time: ({time}, duration: 0.35),
            solver: (tolerance: 1e-4),
        )"#
    ))
}

/// Where the nodes are after 0.35 s, and Newton's iterations to there.
fn after_the_impact(integrator: &str, time: &str) -> (Vec<Vec3>, usize) {
    let mut cube = dropped(integrator, time);
    let steps = (0.35 / cube.step.seconds()).round() as usize;
    let iterations = (0..steps).map(|_| cube.advance().solve.iterations).sum();
    (cube.world.state(0).positions.clone(), iterations)
}

#[test]
fn adaptive_steps_recover_after_an_impact() {
    let (truth, _) = after_the_impact("ASearch()", r#"step: "1/24000""#);
    let off =
        |x: &[Vec3]| x.iter().zip(&truth).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    let fixed = [1920, 7680, 15360].map(|rate| {
        let (x, iterations) = after_the_impact("ASearch()", &format!(r#"step: "1/{rate}""#));
        (off(&x), iterations)
    });
    for measure in ["Doubling", "Embedded"] {
        let time = format!(r#"step: "1/60", adaptive: {measure}(error: 0.002)"#);
        let (x, iterations) = after_the_impact("ASearch()", &time);
        let error = off(&x);
        let as_good = fixed.iter().find(|(fixed, _)| *fixed <= error).unwrap_or(&fixed[2]).1;
        assert!(iterations < 10 * as_good, "{measure}: {iterations}, {error} m; fixed: {fixed:?}");
        // What the estimate of A-search sees is its position, not the friction of its velocity.
        let least = if measure == "Doubling" { 0.5 } else { 1.0 };
        assert!(error < least * fixed[0].0, "{measure}: {error} m; fixed: {fixed:?}");
    }
}

/// A box in flight under a gravity that is switched at times that are no ends of steps.
#[test]
fn adaptive_steps_end_at_switches() {
    let at = |time: &str| {
        let mut cube = Simulation::new(&format!(
            r#"(
                version: 1,
                materials: {{ "rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3)) }},
                bodies: [(
                    name: "box", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)),
                    material: "rubber",
                )],
                gravity: (0, -1, 0),
                gravity_changes: [
                    (start: 0.1037, gravity: (0, -50, 0)),
                    (start: 0.2, gravity: (0, -1, 0)),
                ],
                contact: Off,
                integrator: ImplicitEuler,
                time: ({time}, duration: 0.5),
                solver: (tolerance: 1e-9),
            )"#
        ));
        (0..30).for_each(|_| drop(cube.advance()));
        cube.velocity().y
    };
    // The impulse is exact if each step feels one gravity alone, but for a 1024th of a step
    // before the end of an interval.
    let exact = -50.0 * (0.2 - 0.1037) - (0.5 - (0.2 - 0.1037));
    let adaptive = at(r#"step: "1/60", adaptive: Embedded(error: 0.005)"#);
    assert!((adaptive - exact).abs() < 50.0 / 60.0 / 1000.0, "{adaptive}, not {exact} m/s");
    let fixed = at(r#"step: "1/60""#);
    assert!((fixed - exact).abs() > 0.1, "{fixed} m/s");
}

#[test]
fn tighter_tolerance_reduces_the_error() {
    let end = |time: &str| {
        let mut cube = falling("Sdirk2", time);
        (0..6).for_each(|_| drop(cube.advance()));
        cube.world.state(0).positions.clone()
    };
    let exact = end(r#"step: "1/60", adaptive: Doubling(error: 1e-7)"#);
    let error = |time: &str| {
        let at = end(time);
        let off = at.iter().zip(&exact).map(|(a, b)| (*a - *b).length());
        off.fold(0.0, f64::max)
    };
    let loose = error(r#"step: "1/60", adaptive: Doubling(error: 1e-3)"#);
    let tight = error(r#"step: "1/60", adaptive: Doubling(error: 1e-5)"#);
    assert!(tight < 0.5 * loose, "{loose:e} at 1e-3 m/s, {tight:e} at 1e-5 m/s");
}

/// A box on a plate that moves at 0.5 m/s from under it, with friction 0.5.
fn conveyor(integrator: &str) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "rubber": (density: 1000, model: NeoHookean(young: 5e5, poisson: 0.3)) }},
            bodies: [
                (
                    name: "plate", shape: Box(size: (1, 0.05, 0.3), cells: (10, 1, 3)),
                    material: "rubber", friction: 0.5,
                    hold: [(region: All, motion: Move(velocity: (0.5, 0, 0)))],
                ),
                (
                    name: "box", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
                    material: "rubber", friction: 0.5,
                    placement: (translate: (-0.1, 0.07595, 0.02)),
                ),
            ],
            gravity: (0, -9.8, 0),
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: {integrator},
            time: (step: "1/240", duration: 1),
            solver: (tolerance: 1e-6),
        )"#
    ))
}

#[test]
fn dragging_by_friction_does_work() {
    for integrator in ["ImplicitEuler", "Sdirk2", "Bdf2", "ASearch()"] {
        let mut belt = conveyor(integrator);
        let mut net = 0.0;
        // Long enough for its rocking to end, in which its speed swings by some percent.
        for _ in 0..240 {
            let record = belt.advance();
            net += record.work.iter().sum::<f64>()
                - record.dissipated.iter().chain(&record.rest_loss).sum::<f64>();
        }
        // 1 kg carried along at 0.5 m/s has 0.125 J; what its rocking lost came from the plate too. A-search
        // estimates the heat of friction from the velocities on both sides of its correction, to 1 %.
        let least = if integrator == "ASearch()" { 0.99 * 0.125 } else { 0.125 };
        assert!(net > least, "{integrator}: the plate gave {net} J");
        if integrator == "ImplicitEuler" {
            let nodes = &belt.world.state(1).velocities;
            let speed = nodes.iter().map(|v| v.x).sum::<f64>() / nodes.len() as f64;
            assert!((speed - 0.5).abs() < 1e-3, "{speed} m/s");
        }
    }
}

/// The texts by which the methods of the registry are asked for that no list above has.
const OTHERS: [&str; 3] = [
    "ForestRuth",
    "RungeKutta(a: [[], [0.5]], b: [0, 1])",
    "Decoupled(method: Sdirk2, alpha: One)",
];

/// The names that the reader of scenes knows.
fn names() -> &'static [&'static str] {
    let read = ron::from_str::<resile_scene::description::Scheme>("Nameless");
    match read.expect_err("no method is called that").code {
        ron::Error::NoSuchEnumVariant { expected, .. } => expected,
        other => panic!("{other}"),
    }
}

#[test]
fn every_scene_method_is_registered_and_tested() {
    let registry = resile_integrators::registry::all();
    let known: Vec<&str> = registry.iter().map(|method| method.integrator.name()).collect();
    for name in names() {
        let mut texts = EXPLICIT.iter().chain(&IMPLICIT).chain(&OTHERS);
        let of_name = |text: &&&str| text.split('(').next() == Some(name);
        let text = texts.find(of_name).unwrap_or_else(|| panic!("{name} is tested nowhere"));
        let scene = format!(
            r#"(version: 1, materials: {{"m": (density: 1000, model: StVK(young: 1e5, poisson: 0.3))}},
                bodies: [(name: "b", shape: Box(size: (1, 1, 1), cells: (1, 1, 1)), material: "m")],
                gravity: (0, 0, 0), integrator: {text}, time: (step: 0.01, duration: 1))"#
        );
        let built = Simulation::new(&scene);
        let called = built.world.integrator().name();
        // A tableau of one's own belongs to none of the named methods.
        assert!(
            known.contains(&called) || called == "Runge-Kutta",
            "{called} is not in the registry"
        );
    }
}
