//! Bodies that rest, rub and roll: at rest in no force, and under energy control with friction.

use super::Simulation;
use resile_world::StepRecord;

/// Numbers in [0, 1), the same in every run (Vigna's splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[(self.next() * all.len() as f64) as usize]
    }
}

/// A body of some kind, material, size and place, at rest in no force.
fn resting_body(numbers: &mut Numbers, integrator: &str) -> String {
    let size = 10f64.powf(numbers.between(-3.0, 2.0));
    let young = 10f64.powf(numbers.between(4.0, 9.0));
    let mut place = || {
        let far = 10f64.powf(numbers.between(-2.0, 6.0));
        let axis = [(); 3].map(|()| numbers.between(-1.0, 1.0));
        let degrees = numbers.between(-180.0, 180.0);
        let to = [(); 3].map(|()| far * numbers.between(-1.0, 1.0));
        format!(
            "rotate: [(axis: ({:?}, {:?}, {:?}), degrees: {degrees:?})], translate: ({:?}, {:?}, {:?})",
            axis[0], axis[1], axis[2], to[0], to[1], to[2]
        )
    };
    let place = place();
    let (kind, thin) = match numbers.of(&["solid", "affine", "shell"]) {
        "solid" => ("Solid".to_owned(), false),
        "affine" => ("Affine".to_owned(), false),
        _ => (format!("Shell(thickness: {:?})", 0.01 * size), true),
    };
    let models: &[&str] =
        if thin { &["NeoHookean", "StVK"] } else { &["NeoHookean", "Corotated", "StVK"] };
    let model = numbers.of(models);
    let shape = match thin {
        true => format!("Sheet(size: ({size:?}, {size:?}), cells: (3, 3))"),
        false => format!("Box(size: ({size:?}, {:?}, {size:?}), cells: (2, 1, 2))", 0.4 * size),
    };
    format!(
        r#"(version: 1,
            materials: {{"m": (density: 1000, model: {model}(young: {young:?}, poisson: 0.3))}},
            bodies: [(name: "b", shape: {shape}, kind: {kind}, material: "m", placement: ({place}))],
            gravity: (0, 0, 0), integrator: {integrator}, time: (step: "1/120", duration: 1))"#
    )
}

/// Methods that solve for positions; explicit ones have no Newton iterations, and at this step
/// rounding grows under them.
const SOLVED: [&str; 12] = [
    "ImplicitEuler",
    "Bdf2",
    "ASearch()",
    "A1",
    "ASearch(control: Filtered())",
    "Trapezoidal",
    "ImplicitMidpoint",
    "ThetaOuter(theta: 0.6)",
    "Sdirk2",
    "TrBdf2",
    "Blend()",
    "Newmark(beta: 0.3025, gamma: 0.6)",
];

/// A gradient of rounding never falls: no solve may wait for it.
#[test]
fn resting_bodies_stay_at_rest_in_two_iterations_per_solve() {
    let mut numbers = Numbers(7);
    for k in 0..1000 {
        let integrator = SOLVED[k % SOLVED.len()];
        let text = resting_body(&mut numbers, integrator);
        let mut simulation = Simulation::new(&text);
        for _ in 0..2 {
            let record = simulation
                .try_advance()
                .unwrap_or_else(|failure| panic!("body {k}: {failure}\n{text}"));
            // Methods of several stages have as many solves, blending two.
            let solves = match integrator {
                "Sdirk2" | "TrBdf2" | "Blend()" => 2,
                _ => 1,
            };
            assert!(
                record.iterations <= 2 * solves,
                "body {k}: {} iterations\n{text}",
                record.iterations
            );
        }
    }
}

/// The energy there is, what becomes heat added and what is given taken off.
#[derive(Default)]
struct Ledger {
    heat: f64,
    work: f64,
}

impl Ledger {
    fn sum(&mut self, record: &StepRecord) -> f64 {
        self.heat += record.dissipated.iter().chain(&record.rest_loss).sum::<f64>();
        self.work += record.work.iter().sum::<f64>();
        record.observed.total() + self.heat - self.work
    }
}

/// Largest gain (J) over the energy at the start in so many steps, and the largest kinetic energy.
fn largest_gain(simulation: &mut Simulation, steps: usize) -> [f64; 2] {
    let start = simulation.world.observe().total();
    let mut ledger = Ledger::default();
    let (mut gain, mut kinetic) = (f64::NEG_INFINITY, 0.0f64);
    for _ in 0..steps {
        let record = simulation.advance();
        gain = gain.max(ledger.sum(&record) - start);
        kinetic = kinetic.max(record.observed.kinetic());
    }
    [gain, kinetic]
}

const TIGHT: &str = "solver=(tolerance: 1e-3)";

fn scene(name: &str, overrides: &[&str]) -> Simulation {
    let all: Vec<&str> = [TIGHT].into_iter().chain(overrides.iter().copied()).collect();
    Simulation::of_file(&format!("rest/{name}"), &all)
}

#[test]
fn tilted_falling_box_with_friction_comes_to_rest_without_energy_gain() {
    for integrator in ["ASearch()", "A1", "ASearch(control: Filtered())"] {
        let mut simulation = scene("drop", &[&format!("integrator={integrator}")]);
        let [gain, kinetic] = largest_gain(&mut simulation, 240);
        let most = if integrator == "ASearch()" { 1e-9 } else { 0.02 };
        assert!(gain <= most * kinetic, "{integrator}: {gain:e} J of {kinetic} J");
    }
    let mut simulation = scene("drop", &[]);
    (0..540).for_each(|_| drop(simulation.advance()));
    let before = simulation.world.center_of_mass(0);
    let kinetic: f64 = (0..60).map(|_| simulation.advance().observed.kinetic()).sum();
    let after = simulation.world.center_of_mass(0);
    assert!(kinetic < 1e-9 && (after - before).length() < 1e-6, "{kinetic:e} J");
}

/// Methods with forces at the start of a step threw this stack by metres. Its start is not brought to balance here, as a
/// run does, so that boxes hop on barriers that are compressed. Flights are not followed: hops then are as low as before.
#[test]
fn compressed_stack_stays() {
    let methods = [
        "ASearch()",
        "A1",
        "ASearch(control: Filtered())",
        "ASearch(control: Sparse())",
        "TrBdf2",
        "Bathe",
        "ThetaOuter(theta: 0.55)",
        "Newmark(beta: 0.3025, gamma: 0.6)",
    ];
    for integrator in methods {
        let integrator_is = format!("integrator={integrator}");
        let mut simulation = scene("stack", &["flight=Plain", &integrator_is]);
        let places =
            |s: &Simulation| (0..10).map(|b| s.world.center_of_mass(b)).collect::<Vec<_>>();
        let start = places(&simulation);
        let [gain, _] = largest_gain(&mut simulation, 60);
        // Of the 0.45 J that the stack can give.
        assert!(gain < 0.02 * 0.45, "{integrator}: {gain} J");
        for (b, (now, start)) in places(&simulation).iter().zip(&start).enumerate() {
            let far = (*now - *start).length();
            assert!(far < 2e-3, "{integrator}: box {b} went {far} m");
        }
    }
}

/// A coarse tolerance leaves each solve for velocities an energy of its own; the one that the search
/// chose by must be the one that is taken.
#[test]
fn coarse_tolerance_gains_no_energy_under_friction() {
    let set = ["solver.tolerance=1e-2", "bodies[0].kind=Affine"];
    let mut simulation = scene("stack", &set);
    let [gain, _] = largest_gain(&mut simulation, 30);
    // Of the 0.45 J that the stack can give.
    assert!(gain < 1e-9 * 0.45, "{gain:e} J");
}

#[test]
fn friction_holds_a_block_on_a_slope_under_energy_control() {
    let rules = ["ASearch()", "A1", "ASearch(control: Filtered())", "ASearch(control: Sparse())"];
    for kind in ["Solid", "Affine"] {
        for integrator in rules {
            let set = [format!("integrator={integrator}"), format!("bodies[0].kind={kind}")];
            let mut simulation = scene("slope", &[&set[0], &set[1]]);
            (0..180).for_each(|_| drop(simulation.advance()));
            let before = simulation.world.center_of_mass(0);
            (0..60).for_each(|_| drop(simulation.advance()));
            let speed = (simulation.world.center_of_mass(0) - before).length() / 0.5;
            // The slip speed is 1 mm/s.
            assert!(speed < 1e-3, "{kind}, {integrator}: {speed} m/s");
        }
    }
}

/// By its way, and by its velocities in the faster half, where it turns by a fifth of a radian in a step.
#[test]
fn ball_rolls_down_a_slope_with_five_sevenths_of_the_acceleration() {
    for subdivisions in [4, 5] {
        let shape = format!("bodies[0].shape=Sphere(radius: 0.1, subdivisions: {subdivisions})");
        let mut simulation = scene("rolling", &[&shape]);
        let place = |s: &Simulation| s.world.center_of_mass(0).x;
        let mut ways = vec![place(&simulation)];
        for _ in 0..4 {
            (0..60).for_each(|_| drop(simulation.advance()));
            ways.push(place(&simulation));
        }
        // Positions move with the velocity at the end of each step: a t (t + h) / 2.
        let by_way = 2.0 * (ways[4] - ways[0]) / (2.0 * (2.0 + 1.0 / 120.0));
        let speed = |quarter: usize| (ways[quarter + 1] - ways[quarter]) / 0.5;
        let by_velocities = speed(3) - speed(1);
        let exact = 5.0 / 7.0 * 9.81 * 10f64.to_radians().sin();
        for found in [by_way, by_velocities] {
            assert!(
                (found / exact - 1.0).abs() < 0.01,
                "{subdivisions}: {found}, not {exact} m/s^2"
            );
        }
    }
}

#[test]
fn sliding_ball_ends_rolling_at_five_sevenths_of_its_speed() {
    let mut simulation = scene("billiard", &[]);
    (0..60).for_each(|_| drop(simulation.advance()));
    let before = simulation.world.center_of_mass(0).x;
    (0..30).for_each(|_| drop(simulation.advance()));
    let speed = (simulation.world.center_of_mass(0).x - before) * 4.0;
    assert!((speed * 7.0 / 5.0 - 1.0).abs() < 0.01, "{speed} m/s");
}

#[test]
fn sliding_block_stops_at_the_coulomb_distance_under_energy_control() {
    let mut simulation = scene("sliding", &[]);
    (0..60).for_each(|_| drop(simulation.advance()));
    let way = simulation.world.center_of_mass(0).x;
    // v^2 / (2 mu g), less v h / 2 of implicit Euler's end velocities.
    let exact = 1.0 / (2.0 * 0.3 * 9.81) - 0.5 / 120.0;
    assert!((way / exact - 1.0).abs() < 0.03, "{way} m, not {exact}");
}

/// An affine block of 1 kg on a lift that accelerates upwards at 2 m/s^2. Every second step counted as rest, and 0.033 J were
/// lost to it.
#[test]
fn a_body_on_an_accelerating_lift_does_not_rest() {
    let mut block = Simulation::begun(
        r#"(
            version: 2,
            materials: {"m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3))},
            bodies: [(name: "b", shape: Box(size: (0.2, 0.05, 0.1), cells: (2, 1, 2)), kind: Affine, material: "m",
                friction: 0.3, placement: (translate: (0, 0.02597, 0)))],
            gravity: (0, -9.81, 0),
            obstacles: [Shape(name: "l", shape: Box(size: (1, 0.1, 1), cells: (1, 1, 1)), placement: (translate: (0, -0.05, 0)),
                friction: 0.3, motion: Displacement((0, "t^2", 0)))],
            contact: Barrier(d_hat: 1e-3, kappa: 1e6, friction_rule: Min),
            integrator: ASearch(),
            time: (step: "1/60", duration: 1),
        )"#,
    );
    let start = block.com().y;
    let (mut loss, mut work) = (0.0, 0.0);
    for _ in 0..60 {
        let record = block.advance();
        loss += record.rest_loss.iter().sum::<f64>();
        work += record.work.iter().sum::<f64>();
    }
    assert!(loss < 1e-3, "{loss} J");
    assert!((block.com().y - start - 1.0).abs() < 2e-3, "{} m", block.com().y - start);
    // Half of m v^2 and m g z.
    assert!((work / 11.81 - 1.0).abs() < 5e-3, "{work} J");
}
