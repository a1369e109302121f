//! Affine bodies against rigid ones, and chains of them against the catenary.

use super::Simulation;
use resile_math::{Mat3, Vec3, outer};

/// The deformation gradient from the nodes at the start to the nodes now.
fn deformation(start: &[Vec3], now: &[Vec3]) -> Mat3 {
    let edges = |x: &[Vec3]| Mat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
    edges(now) * edges(start).inverse()
}

/// The rotation nearest to `a`, by Newton's iteration for the polar factor.
fn rotation(a: Mat3) -> Mat3 {
    (0..30).fold(a, |r, _| (r + r.inverse().transpose()) * 0.5)
}

/// A free cuboid, spun about its middle axis with a small wobble.
fn tumbling() -> Simulation {
    Simulation::new(
        r#"(
            version: 1,
            materials: { "steel": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) },
            bodies: [(
                name: "racket",
                shape: Box(size: (0.2, 0.1, 0.03), cells: (1, 1, 1)),
                kind: Affine,
                material: "steel",
                angular_velocity: (0.2, 20, 0),
            )],
            gravity: (0, 0, 0),
            integrator: ImplicitMidpoint,
            time: (step: "1/8000", duration: 2),
            solver: (tolerance: 1e-8),
        )"#,
    )
}

/// A rigid body with the mass properties of nodes, free of forces.
struct Rigid {
    inertia: Mat3,
    momentum: Vec3,
    rotation: Mat3,
}

impl Rigid {
    fn new(masses: &[f64], x: &[Vec3], v: &[Vec3]) -> Self {
        let mass: f64 = masses.iter().sum();
        let center = masses.iter().zip(x).map(|(m, x)| *m * *x).sum::<Vec3>() / mass;
        let (mut inertia, mut momentum) = (Mat3::ZERO, Vec3::ZERO);
        for i in 0..x.len() {
            let r = x[i] - center;
            inertia += (Mat3::IDENTITY * r.length_squared() - outer(r, r)) * masses[i];
            momentum += masses[i] * r.cross(v[i]);
        }
        Self { inertia, momentum, rotation: Mat3::IDENTITY }
    }

    /// `dR/dt = omega x R`.
    fn rate(&self, r: Mat3) -> Mat3 {
        let omega = r * (self.inertia.inverse() * (r.transpose() * self.momentum));
        Mat3::from_cols(omega.cross(r.x_axis), omega.cross(r.y_axis), omega.cross(r.z_axis))
    }

    /// The classical Runge-Kutta method.
    fn advance(&mut self, h: f64) {
        let r = self.rotation;
        let k1 = self.rate(r);
        let k2 = self.rate(r + k1 * (0.5 * h));
        let k3 = self.rate(r + k2 * (0.5 * h));
        let k4 = self.rate(r + k3 * h);
        self.rotation = rotation(r + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0));
    }
}

/// The flip of a body that turns about its middle axis (Poinsot; seen by Dzhanibekov). The angle
/// is off by the centrifugal strain times the angle of a step, each step: 2.8e-3 rad at 1/4000 s.
#[test]
fn affine_cuboid_tumbles_like_a_rigid_one() {
    let mut free = tumbling();
    let start = free.world.state(0).clone();
    // Four equal masses; only their ratio to the moments matters.
    let mut rigid = Rigid::new(&[0.15; 4], &start.positions, &start.velocities);
    let (mut turned, mut worst) = (0, 0.0f64);
    let mut upright = true;
    for _ in 0..16000 {
        free.advance();
        rigid.advance(1.0 / 8000.0);
        let now = rotation(deformation(&start.positions, &free.world.state(0).positions));
        let error = (now - rigid.rotation).to_cols_array().iter().fold(0.0, |e, d| d.abs().max(e));
        worst = worst.max(error);
        if upright != (rigid.rotation.y_axis.y > 0.0) {
            upright = !upright;
            turned += 1;
        }
    }
    assert!(turned >= 2, "it turned over {turned} times");
    assert!(worst < 0.002, "largest error of the rotation {worst}");
}

#[test]
fn stiff_cube_keeps_its_edge_lengths_in_contact() {
    let mut cube = Simulation::new(
        r#"(
            version: 1,
            materials: { "hard": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) },
            bodies: [(
                name: "cube",
                shape: Box(size: (0.1, 0.1, 0.1), cells: (4, 4, 4)),
                kind: Affine,
                material: "hard",
                friction: 0.3,
                placement: (rotate: [(axis: (1, 0, 1), degrees: 30)], translate: (0, 0.2, 0)),
                angular_velocity: (3, 1, 0),
            )],
            gravity: (0, -9.8, 0),
            obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 1)],
            contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
            integrator: ASearch(),
            time: (step: "1/120", duration: 1),
        )"#,
    );
    let start = cube.world.state(0).positions.clone();
    let placed = Mat3::from_axis_angle(Vec3::new(1.0, 0.0, 1.0).normalize(), 30f64.to_radians());
    let (mut contacts, mut worst) = (0, 0.0f64);
    for _ in 0..120 {
        contacts += cube.advance().observed.certificate.contacts;
        let f = deformation(&start, &cube.world.state(0).positions);
        for edge in [placed.x_axis, placed.y_axis, placed.z_axis] {
            worst = worst.max(((f * edge).length() - 1.0).abs());
        }
    }
    assert!(contacts > 0, "it has touched the floor");
    assert!(worst < 1e-3, "an edge is off by {worst} of its length");
}

/// Rods of a chain and their joints, in a V between two places of the world.
fn chain(rods: usize, length: f64, span: f64) -> Simulation {
    let rod = length / rods as f64;
    let degrees = (span / length).acos().to_degrees();
    let slope = degrees.to_radians();
    let half = rods / 2;
    let joint = |k: usize| {
        let down = (half as f64 - (k as f64 - half as f64).abs()) * rod * slope.sin();
        (k as f64 * rod * slope.cos() - 0.5 * span, -down)
    };
    let mut bodies = String::new();
    let mut joints = String::new();
    for k in 0..rods {
        let ((x0, y0), (x1, y1)) = (joint(k), joint(k + 1));
        let (x, y) = (0.5 * (x0 + x1), 0.5 * (y0 + y1));
        let turn = if k < half { -degrees } else { degrees };
        bodies += &format!(
            "(name: \"rod{k}\", shape: Box(size: ({rod}, 0.004, 0.004), cells: (1, 1, 1)), \
             kind: Affine, material: \"steel\", damping: [Mass(rate: 4)], placement: (rotate: \
             [(axis: (0, 0, 1), degrees: {turn})], translate: ({x}, {y}, 0))),"
        );
        let b = if k == 0 { String::new() } else { format!("b: \"rod{}\", ", k - 1) };
        joints += &format!("Ball(a: \"rod{k}\", {b}at: ({x0}, {y0}, 0), stiffness: 1e6),");
    }
    let ((x, y), last) = (joint(rods), rods - 1);
    joints += &format!("Ball(a: \"rod{last}\", at: ({x}, {y}, 0), stiffness: 1e6)");
    Simulation::new(&format!(
        "(version: 1, materials: {{ \"steel\": (density: 7800, model: NeoHookean(young: 1e9, \
         poisson: 0.3)) }}, bodies: [{bodies}], joints: [{joints}], gravity: (0, -9.8, 0), \
         integrator: ImplicitEuler, time: (step: \"1/60\", duration: 5))"
    ))
}

/// The parameter `a` of the catenary `y = a cosh(x/a)` of a length over a span: the root of
/// `2 a sinh(span / 2a) = length`, by bisection.
fn catenary(length: f64, span: f64) -> f64 {
    let (mut low, mut high) = (0.05 * span, 100.0 * span);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        if 2.0 * a * (0.5 * span / a).sinh() > length { low = a } else { high = a }
    }
    0.5 * (low + high)
}

#[test]
fn chain_of_links_hangs_in_a_catenary() {
    let (rods, length, span) = (24, 1.0, 0.6);
    let mut chain = chain(rods, length, span);
    let mut still = 0.0;
    for _ in 0..300 {
        let record = chain.advance();
        still = record.observed.kinetic();
    }
    assert!(still < 1e-7, "it still has {still} J");
    let a = catenary(length, span);
    let hang = |x: f64| a * (x / a).cosh() - a * (0.5 * span / a).cosh();
    let sag = -hang(0.0);
    for k in 0..rods {
        let center = chain.world.center_of_mass(k);
        let error = (center.y - hang(center.x)).abs() / sag;
        // A polygon of 24 straight rods lies within 0.2 % of the sag of its curve.
        assert!(error < 0.01, "rod {k} is off by {error} of the sag at x = {}", center.x);
    }
}

/// A rod that hangs by its end from a hinge with the world: `T = 2 pi sqrt(I / m g d)
/// (1 + theta^2/16 + ...)` (Goldstein, *Classical Mechanics*; the series of the complete
/// elliptic integral).
#[test]
fn hinged_rod_has_the_period_of_a_physical_pendulum() {
    let (length, side, theta, g, h) = (0.4, 0.02, 0.3_f64, 9.8, 1.0 / 500.0);
    let (x, y) = (0.5 * length * theta.sin(), -0.5 * length * theta.cos());
    let mut rod = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "steel": (density: 7800, model: NeoHookean(young: 1e9, poisson: 0.3)) }},
            bodies: [(
                name: "rod",
                shape: Box(size: ({side}, {length}, {side}), cells: (1, 1, 1)),
                kind: Affine,
                material: "steel",
                placement: (
                    rotate: [(axis: (0, 0, 1), degrees: {})],
                    translate: ({x}, {y}, 0),
                ),
            )],
            joints: [Hinge(a: "rod", at: (0, 0, 0), axis: (0, 0, 0.1), stiffness: 1e6)],
            gravity: (0, {}, 0),
            integrator: ImplicitMidpoint,
            time: (step: "1/500", duration: 6),
            solver: (tolerance: 1e-11),
        )"#,
        theta.to_degrees(),
        -g
    ));
    // Times at which it goes through the vertical to the left, by linear interpolation.
    let (mut through, mut before) = (Vec::new(), rod.com().x);
    for step in 1..=3000 {
        rod.advance();
        let now = rod.com().x;
        if before > 0.0 && now <= 0.0 {
            through.push(h * (f64::from(step) - now / (now - before)));
        }
        before = now;
    }
    let swings = through.len() - 1;
    assert!(swings >= 4, "it swings to and fro {swings} times");
    let period = (through[swings] - through[0]) / swings as f64;
    let arm = 0.5 * length;
    let inertia = (length * length + side * side) / 12.0 + arm * arm;
    let finite = 1.0 + theta.powi(2) / 16.0 + 11.0 / 3072.0 * theta.powi(4);
    let expected = std::f64::consts::TAU * (inertia / (g * arm)).sqrt() * finite;
    assert!((period / expected - 1.0).abs() < 2e-4, "{period} s, not {expected} s");
}

/// Work (J) of the joint with the world that lifts a hanging cube, what damping took, and
/// what the cube gained.
fn lifted(step: &str, steps: usize) -> [f64; 3] {
    let mut cube = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "hard": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
            bodies: [(
                name: "cube",
                shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)),
                kind: Affine,
                material: "hard",
                damping: [Mass(rate: 2)],
            )],
            joints: [Ball(
                a: "cube",
                at: (0, 0.05, 0),
                stiffness: 1e3,
                motion: Move(velocity: (0.1, 0.5, 0), start: 0.1, end: 0.7),
            )],
            gravity: (0, -9.8, 0),
            integrator: ImplicitMidpoint,
            time: (step: {step}, duration: 1),
            solver: (tolerance: 1e-11),
        )"#
    ));
    let start = cube.observe().total();
    let (mut work, mut lost) = (0.0, 0.0);
    for _ in 0..steps {
        let record = cube.advance();
        work += record.work[0];
        lost += record.dissipated[0] + record.rest_loss[0];
    }
    [work, lost, cube.observe().total() - start]
}

#[test]
fn work_of_a_moving_joint_equals_the_lifted_energy() {
    let [coarse, fine] = [lifted("\"1/1000\"", 1000), lifted("\"1/2000\"", 2000)];
    let [work, lost, gain] = fine;
    // One kilogram is lifted by 0.3 m, sinks into the spring by m g / k = 1 cm, and swings.
    assert!((gain - 9.8 * 0.3).abs() < 0.1, "{gain} J");
    assert!(lost > 0.05, "damping plays its part: {lost} J");
    // The midpoint rule takes its force in the middle of the step with the target of the end,
    // which gives the body k/2 dx . dtarget in each step more than the target's way costs: an
    // error of the first order, and nothing else.
    let [of_coarse, of_fine] = [coarse, fine].map(|[work, lost, gain]| gain - (work - lost));
    assert!(of_fine.abs() < 0.03 * work, "{gain} J by {work} J of work, {lost} J lost");
    let limit = 2.0 * of_fine - of_coarse;
    assert!(limit.abs() < 0.002 * work, "{of_coarse} J, {of_fine} J, {limit} J");
}

/// Five stiff rods joined end to end, the first hinged to the world, and a heavy bob at the last,
/// let go from the horizontal.
fn steel_chain(integrator: &str) -> Simulation {
    let rod = |i: u32| {
        format!(
            r#"(
                name: "rod {i}", shape: Box(size: (0.2, 0.02, 0.02), cells: (1, 1, 1)), kind: Affine,
                material: "steel", placement: (translate: ({}, 0, 0)),
            )"#,
            0.2 * (f64::from(i) + 0.5)
        )
    };
    let ball = |i: u32| {
        let at = 0.2 * f64::from(i + 1);
        let next = if i == 4 { "bob".to_owned() } else { format!("rod {}", i + 1) };
        format!(r#"Ball(a: "rod {i}", b: "{next}", at: ({at}, 0, 0), stiffness: 1e6)"#)
    };
    let bodies: Vec<String> = (0..5).map(rod).collect();
    let joints: Vec<String> = (0..5).map(ball).collect();
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{
                "steel": (density: 1000, model: NeoHookean(young: 2e11, poisson: 0.3)),
                "lead": (density: 4400, model: NeoHookean(young: 2e11, poisson: 0.3)),
            }},
            bodies: [
                {},
                (
                    name: "bob", shape: Sphere(radius: 0.06, subdivisions: 2), kind: Affine,
                    material: "lead", placement: (translate: (1.06, 0, 0)),
                ),
            ],
            joints: [
                Hinge(a: "rod 0", at: (0, 0, 0), axis: (0, 0, 0.02), stiffness: 1e6),
                {},
            ],
            gravity: (0, -9.81, 0),
            contact: Off,
            integrator: {integrator},
            time: (step: "1/120", duration: 2),
        )"#,
        bodies.join(","),
        joints.join(",")
    ))
}

#[test]
fn line_search_does_not_shorten_stiff_rotation() {
    let of = |integrator: &str| {
        let mut chain = steel_chain(integrator);
        let start = chain.observe().total();
        let iterations: usize = (0..240).map(|_| chain.advance().solve.iterations).sum();
        (iterations, (chain.observe().total() - start).abs())
    };
    let ((bdf2, _), (a_search, off)) = (of("Bdf2"), of("ASearch()"));
    assert!(a_search < 3 * bdf2 && a_search < 240 * 6, "{a_search}, with BDF2 {bdf2}");
    // 4 kg fall by up to a metre.
    assert!(off < 0.4, "{off} J of energy");
}
