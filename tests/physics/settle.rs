//! Static equilibrium of the start, before time begins.

use super::Simulation;
use rayon::ThreadPoolBuilder;
use resile_math::Vec3;
use resile_world::{SettleFailure, Settled, Settling};

/// Settles to the end.
pub(super) fn settle(simulation: &mut Simulation) -> Result<Settled, SettleFailure> {
    let mut settling = Settling::new(&mut simulation.world, simulation.step.seconds());
    loop {
        if let Some(settled) = settling.advance(&mut simulation.world)?.settled {
            return Ok(settled);
        }
    }
}

/// Where the nodes of all bodies are (m).
fn positions(simulation: &Simulation) -> Vec<Vec3> {
    let world = &simulation.world;
    (0..world.body_count()).flat_map(|b| world.state(b).positions.clone()).collect()
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn hanging_bar_elongates_by_its_weight() {
    let bar = |cells: u32| {
        let mut bar = Simulation::new(&format!(
            r#"(
                version: 1,
                materials: {{ "rubber": (density: 1000, model: StVK(young: 1e6, poisson: 0)) }},
                bodies: [(
                    name: "bar",
                    shape: Box(size: (0.1, 1, 0.1), cells: (1, {cells}, 1)),
                    material: "rubber",
                    friction: 0,
                    velocity: (0, 0, 0.5),
                    hold: [(region: Plane(point: (0, 0.5, 0), normal: (0, 1, 0)), motion: Fixed)],
                )],
                gravity: (0, -9.81, 0),
                integrator: ASearch(),
                time: (step: "1/120", duration: 1),
            )"#
        ));
        let settled = settle(&mut bar).unwrap_or_else(|failure| panic!("{failure}"));
        let state = bar.world.state(0);
        assert_eq!(state.time, 0.0);
        assert!(state.velocities.iter().any(|v| v.z == 0.5), "the start's velocity is kept");
        let lowest = state.positions.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        assert!(settled.moved > 0.004);
        -0.5 - lowest
    };
    let analytic = 1000.0 * 9.81 / (2.0 * 1e6);
    let [coarse, fine] = [8, 32].map(|cells| bar(cells) / analytic - 1.0);
    // StVK's own bend of Hooke's law is of the order of the largest strain, 1 %.
    assert!(coarse.abs() < 0.02 && fine.abs() < 0.015, "{coarse} {fine}");
}

/// A cantilever of 48 m that a given force bends; the force (N) that its support bears, and the steps that it took.
fn cantilever(density: f64, young: f64) -> (Vec3, Settled) {
    let force = young / 16.0;
    let mut beam = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "soft": (density: {density:?}, model: NeoHookean(young: {young:?}, poisson: 0.3333)) }},
            bodies: [(
                name: "beam", shape: Box(size: (48, 16, 4), cells: (6, 2, 1)), material: "soft",
                hold: [(region: Plane(point: (-24, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],
                terms: [Force(region: Plane(point: (24, 0, 0), normal: (1, 0, 0)), force: (0, {force:?}, 0))],
            )],
            gravity: (0, 0, 0),
            integrator: ImplicitEuler,
            time: (step: 0.01, duration: 1),
        )"#
    ));
    let settled = settle(&mut beam).unwrap_or_else(|failure| panic!("{failure}"));
    let held = |x: &Vec3| (x.x + 24.0).abs() < 1e-9;
    let start = beam.world.state(0).positions.clone();
    let forces = beam.world.net_forces();
    let reaction =
        forces[0].iter().zip(&start).filter(|(_, x)| held(x)).map(|(f, _)| *f).sum::<Vec3>();
    (reaction / force, settled)
}

#[test]
fn static_equilibrium_is_independent_of_mass() {
    let (_, first) = cantilever(1000.0, 1.0);
    assert!(first.steps < 20 && first.moved > 0.9, "{first:?}");
    for (density, young) in [(1.0, 1.0), (1e3, 1.0), (1e6, 1.0), (1e3, 1e6), (7.85e-9, 2.1e5)] {
        let (reaction, settled) = cantilever(density, young);
        // The support feels all of the load, and nothing across it.
        let error = (reaction - Vec3::Y).length();
        assert!(error < 1e-9, "{density} kg/m^3, {young} Pa: the reaction is off by {error:e}");
        assert_eq!(settled.steps, first.steps, "{density} kg/m^3, {young} Pa");
        let other = (settled.moved - first.moved).abs() / first.moved;
        assert!(other < 1e-9, "{density} kg/m^3, {young} Pa: moved otherwise by {other:e}");
    }
}

/// The default tolerance leaves A-search velocities of its own size; a tight one shows what
/// energy is left: that of creep towards less shear.
#[test]
fn settled_stack_stays() {
    for (tolerance, most) in [("1e-2", 1e-4), ("1e-6", 2e-9)] {
        let tolerance = format!("solver.tolerance={tolerance}");
        let mut stack = Simulation::of_file("rest/stack", &["settle=true", &tolerance]);
        let settled = settle(&mut stack).unwrap_or_else(|failure| panic!("{failure}"));
        // Creep is steady to a thousandth of the slip speed, or was below it for thirty steps.
        let is_steady = settled.residual_change <= 1e-6;
        assert!(settled.residual_speed <= 1e-3 && settled.smallest_distance > 0.0, "{settled:?}");
        assert!(is_steady || settled.steps > 30, "{settled:?}");
        let unit = stack.world.mass() * 9.81 * 1e-3;
        for _ in 0..60 {
            let before = positions(&stack);
            let kinetic = stack.advance().observed.kinetic() / unit;
            let speed = 120.0 * farthest(&before, &positions(&stack));
            assert!(speed < 3e-5, "{speed} m/s, beside a slip speed of 1e-3 m/s");
            assert!(kinetic < most, "{kinetic:e} of m g d_hat");
        }
        assert!(stack.world.intersections(1).is_empty());
    }
}

#[test]
fn leaning_cards_stand() {
    let mut cards = Simulation::of_file("rest/cards", &["settle=true"]);
    let settled = settle(&mut cards).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(settled.residual_speed < 1e-3);
    let start = positions(&cards);
    (0..120).for_each(|_| drop(cards.advance()));
    let moved = farthest(&start, &positions(&cards));
    assert!(moved < 1e-3, "{moved} m in a second: more than the slip speed");
}

/// A cloth on two corners and a net of chain links with a ball in it begin flat, far from where they hang.
#[test]
fn settled_cloth_and_net_start_in_equilibrium() {
    let coarse = "bodies.cloth.shape=Sheet(size: (0.4, 0.4), cells: (10, 10))";
    for (name, set) in [("cloth-hang", coarse), ("chain-net-small", "settle=true")] {
        let mut scene = Simulation::of_file(name, &["settle=true", set]);
        let settled = settle(&mut scene).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert!(settled.steps < 50 && settled.moved > 0.2, "{name}: {settled:?}");
        let start = positions(&scene);
        (0..24).for_each(|_| drop(scene.advance()));
        let moved = farthest(&start, &positions(&scene));
        // A fifth of a second, in which what is not held falls by 0.2 m.
        assert!(moved < 2e-4, "{name}: {moved} m, more than the slip speed of 1e-3 m/s");
        assert!(scene.world.intersections(1).is_empty());
    }
}

/// A block in contact with a slope of 20 degrees.
fn block(friction: f64) -> Simulation {
    let friction = [
        format!("bodies.block.friction={friction}"),
        "bodies.block.kind=Affine".to_owned(),
        "settle=true".to_owned(),
    ];
    Simulation::of_file("rest/slope", &friction.each_ref().map(String::as_str))
}

#[test]
fn block_settles_on_a_slope_only_below_the_friction_angle() {
    let settled = settle(&mut block(0.6)).unwrap_or_else(|failure| panic!("{failure}"));
    // f1(s) = s (2 - s) = 0.364 / 0.6 has its root at s = 0.37 slip speeds.
    assert!((3e-4..4.5e-4).contains(&settled.residual_speed), "{settled:?}");
    let failure = settle(&mut block(0.3)).expect_err("tan 20 is 0.36");
    let SettleFailure::Moves { body, moved, .. } = &failure else { panic!("{failure}") };
    assert!(body == "block" && *moved > 0.1, "{failure}");
    let said = failure.to_string();
    assert!(said.contains("did not settle in 1000 steps: \"block\" still moves by"), "{said}");
    assert!(said.contains("hold what falls or slides"), "{said}");
}

#[test]
fn settling_keeps_prescribed_nodes_and_the_time() {
    let settled = |motion: &str| {
        let mut block = Simulation::new(&format!(
            r#"(
                version: 1,
                materials: {{ "rubber": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
                bodies: [(name: "block", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "rubber",
                    friction: 0.5, placement: (translate: (0, 0.0509, 0)))],
                gravity: (0, -9.81, 0),
                gravity_changes: [(start: 0.001, gravity: (0, 50, 0))],
                obstacles: [Shape(name: "table", shape: Box(size: (0.4, 0.1, 0.4), cells: (1, 1, 1)),
                    placement: (translate: (0, -0.05, 0)), friction: 0.5{motion})],
                contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
                integrator: ImplicitEuler,
                time: (step: "1/120", duration: 1),
            )"#
        ));
        settle(&mut block).unwrap_or_else(|failure| panic!("{failure}"));
        assert!((0..block.world.body_count()).all(|b| block.world.state(b).time == 0.0));
        block.world.state(0).positions.clone()
    };
    let still = settled("");
    let prescribed = settled(", motion: Move(velocity: (3, 0, 0))");
    let deviation = farthest(&still, &prescribed);
    assert!(deviation < 1e-6, "{deviation} m apart");
}

#[test]
fn equilibrium_is_bitwise_equal_for_any_number_of_threads() {
    let settled = |threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let three = "bodies.box.repeat.count=3";
            let mut stack = Simulation::of_file("rest/stack", &["settle=true", three]);
            settle(&mut stack).unwrap_or_else(|failure| panic!("{failure}"));
            positions(&stack)
        })
    };
    assert_eq!(settled(1), settled(3));
}
