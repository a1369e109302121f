//! Shells that yield in bending.

use super::Simulation;
use resile_math::Vec3;

const THICKNESS: f64 = 1e-3;
const WIDTH: f64 = 0.02;
const YOUNG: f64 = 1e9;

/// A strip of 0.2 m along x, clamped at one end, under a torque about z at the other end: it grows for 2 s, remains for 1 s, and
/// vanishes in 2 s, slowly enough for statics.
fn strip(torque: f64, hardening: f64) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (
                density: 1000,
                model: StVK(young: {YOUNG}, poisson: 0),
                plasticity: VonMises(yield_stress: 1e6, hardening: {hardening}),
            ) }},
            bodies: [(
                name: "strip",
                shape: Sheet(size: (0.2, {WIDTH}), cells: (40, 4)),
                kind: Shell(thickness: {THICKNESS}),
                material: "m",
                hold: [(region: Plane(point: (-0.0949, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],
                terms: [Torque(
                    torque: (0, 0, {torque}),
                    region: Plane(point: (0.0949, 0, 0), normal: (1, 0, 0)),
                    spread: Area,
                    factor: Table(points: [(0, 0), (2, 1), (3, 1), (5, 0)]),
                )],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: 0.02, duration: 6),
            solver: (tolerance: 1e-7),
        )"#
    ))
}

/// Curvature (1/m) along the middle of a strip.
fn curvature(strip: &Simulation) -> f64 {
    let x = &strip.world.state(0).positions;
    let direction = |column: usize| {
        let [a, b] = [column, column + 1].map(|i| x[i + 41 * 2]);
        (b.y - a.y).atan2(b.x - a.x)
    };
    (direction(28) - direction(10)) / (18.0 * 0.005)
}

/// Advances to a time (s). Returns the heat of plastic flow (J).
fn go(strip: &mut Simulation, end: f64) -> f64 {
    let mut heat = 0.0;
    while strip.steps < (end / 0.02).round() as u64 {
        let record = strip.advance();
        assert!(record.plastic[0] >= 0.0, "{} J", record.plastic[0]);
        heat += record.plastic[0];
    }
    heat
}

/// Bending with hardening in closed form: `k = m/D + (m - M)/H`, and `(m - M)/H` remains without the torque.
#[test]
fn a_strip_that_was_bent_keeps_its_angle() {
    let (rigidity, first) = (YOUNG * THICKNESS.powi(3) / 12.0, 1e6 * THICKNESS * THICKNESS / 4.0);
    for (modulus, moment) in [(1e9, 0.35), (3e8, 0.3), (1e9, 0.2)] {
        let hardening = modulus * THICKNESS.powi(3) / 12.0;
        let mut strip = strip(moment * WIDTH, modulus);
        let heat = go(&mut strip, 3.0);
        let plastic = ((moment - first) / hardening).max(0.0);
        let bent = curvature(&strip);
        let expected = moment / rigidity + plastic;
        assert!((bent / expected - 1.0).abs() < 0.02, "bent by {bent} for {expected} 1/m");
        assert_eq!(heat > 0.0, plastic > 0.0, "{heat} J");
        let more = go(&mut strip, 6.0);
        assert!(more <= 1e-6 * heat, "unloading is elastic: {more} J");
        let rest = curvature(&strip);
        assert!((rest - plastic).abs() < 0.02 * expected, "keeps {rest} for {plastic} 1/m");
    }
}

/// The scene, with its mesh by its path.
fn can(overrides: &[&str]) -> Simulation {
    let mesh = format!("{}/../scenes/shells/can.obj", env!("CARGO_MANIFEST_DIR"));
    let shape = format!("bodies.can.shape=File(\"{mesh}\")");
    Simulation::of_file("shells/can", &[overrides, &[&shape[..]]].concat())
}

/// How deep the dent of the can is (m) at its deepest and at the end, the heat of plastic flow (J) and what energy remains (J).
fn dent(overrides: &[&str]) -> [f64; 4] {
    let mut can = can(overrides);
    let rest = can.world.state(0).positions.clone();
    let depth = |can: &Simulation| {
        let now = &can.world.state(0).positions;
        rest.iter().zip(now).map(|(a, b)| (*a - *b).x).fold(0.0, f64::max)
    };
    let (mut deepest, mut heat) = (0.0_f64, 0.0);
    for _ in 0..100 {
        let record = can.advance();
        assert!(record.plastic[0] >= 0.0, "{} J", record.plastic[0]);
        deepest = deepest.max(depth(&can));
        heat += record.plastic[0];
    }
    [deepest, depth(&can), heat, can.observe().total()]
}

#[test]
fn a_can_keeps_its_dent_and_an_elastic_one_springs_back() {
    let [deepest, end, heat, _] = dent(&[]);
    assert!(deepest > 0.008, "it was dented by {deepest} m");
    assert!(end > 0.2 * deepest && heat > 0.0, "{end} m of {deepest} m remain, heat {heat} J");
    let [deepest, end, heat, energy] = dent(&["materials.tin.plasticity.yield_stress=1e12"]);
    assert!(deepest > 0.008 && end < 0.02 * deepest, "{end} m of {deepest} m remain");
    assert_eq!(heat, 0.0);
    assert!(energy < 1e-3, "{energy} J");
}

/// A world that takes over the state of another one in the middle of a dent continues with the same bits.
#[test]
fn what_has_yielded_continues_to_the_bit() {
    let mut one = can(&[]);
    (0..20).for_each(|_| drop(one.advance()));
    let mut other = can(&[]);
    other.world.set_state(0, one.world.state(0).clone());
    other.steps = one.steps;
    assert!(!one.world.state(0).internal.of(0).is_empty(), "it has yielded");
    for _ in 0..10 {
        let [a, b] = [&mut one, &mut other].map(Simulation::advance);
        assert_eq!(a.plastic[0].to_bits(), b.plastic[0].to_bits());
    }
    let [a, b]: [Vec<Vec3>; 2] = [&one, &other].map(|can| can.world.state(0).positions.clone());
    assert_eq!(a, b);
    assert_eq!(one.world.state(0).internal, other.world.state(0).internal);
}
