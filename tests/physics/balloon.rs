//! Balloons of rubber under pressure, and filled with gas.

use super::Simulation;

const RADIUS: f64 = 0.1;
const THICKNESS: f64 = 1e-3;
const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.495;

/// The stretch at which a sphere of incompressible rubber bears the largest pressure (Holzapfel, Nonlinear
/// Solid Mechanics, section 6.5), and that pressure (Pa).
fn limit() -> (f64, f64) {
    let stretch = 7_f64.powf(1.0 / 6.0);
    let shear = YOUNG / (2.0 * (1.0 + POISSON));
    let pressure = 2.0 * shear * THICKNESS / RADIUS * (1.0 / stretch - stretch.powi(-7));
    (stretch, pressure)
}

/// A sphere under this share of the largest pressure, heavily damped.
fn balloon(share: f64) -> Simulation {
    let pressure = share * limit().1;
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "rubber": (density: 1000, model: NeoHookean(young: {YOUNG}, poisson: {POISSON})) }},
            bodies: [(
                name: "balloon",
                shape: Sphere(radius: {RADIUS}, subdivisions: 3),
                kind: Shell(thickness: {THICKNESS}),
                material: "rubber",
                terms: [Pressure(pressure: {pressure})],
                damping: [Mass(rate: 30)],
            )],
            gravity: (0, 0, 0),
            integrator: ImplicitEuler,
            time: (step: "1/60", duration: 1),
            solver: (tolerance: 1e-6),
        )"#
    ))
}

fn stretch(balloon: &Simulation) -> f64 {
    let x = &balloon.world.state(0).positions;
    x.iter().map(|x| x.length()).sum::<f64>() / x.len() as f64 / RADIUS
}

/// Below the limit it stays where theory has it: `1/s - s^-7` is the share of its largest value.
#[test]
fn balloon_below_its_limit_pressure_follows_rubber_theory() {
    let mut balloon = balloon(0.97);
    for _ in 0..60 {
        balloon.advance();
    }
    let bears = |s: f64| 1.0 / s - s.powi(-7);
    let (mut low, mut high) = (1.0, limit().0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if bears(middle) < 0.97 * bears(limit().0) { low = middle } else { high = middle }
    }
    assert!((stretch(&balloon) / low - 1.0).abs() < 0.003, "{} for {low}", stretch(&balloon));
}

#[test]
fn balloon_above_its_limit_pressure_bursts() {
    let mut balloon = balloon(1.03);
    let bursts = (0..60).any(|_| balloon.try_advance().is_err() || stretch(&balloon) > 2.0);
    assert!(bursts, "{}", stretch(&balloon));
}

const AIR: f64 = 101_325.0;

/// A sphere that is filled as `factor` says.
fn filled(exponent: f64, factor: &str, [integrator, time]: [&str; 2]) -> Simulation {
    Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "rubber": (density: 1000, model: NeoHookean(young: {YOUNG}, poisson: {POISSON})) }},
            bodies: [(
                name: "balloon",
                shape: Sphere(radius: {RADIUS}, subdivisions: 3),
                kind: Shell(thickness: {THICKNESS}),
                material: "rubber",
                terms: [Gas(pressure: {AIR}, outside: {AIR}, exponent: {exponent}, factor: {factor})],
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: {integrator},
            {time}
        )"#
    ))
}

/// The gas stretches it to where `s p_0 (V_0 / V)^n` is the pressure of air and that which rubber bears, before the largest pressure
/// and beyond it.
#[test]
fn gas_filled_balloon_stretches_to_pressure_balance() {
    let time = "analysis: Static, time: (step: 0.25, duration: 1), solver: (tolerance: 1e-7),";
    let shear = YOUNG / (2.0 * (1.0 + POISSON));
    for (exponent, amount) in [(1.0, 1.5), (1.4, 1.5), (1.0, 6.0)] {
        let factor = format!("Table(points: [(0, 1), (1, {amount})])");
        let mut balloon = filled(exponent, &factor, ["ImplicitEuler", time]);
        for step in 1..=4 {
            balloon.world.load_step(0.25, 0.25 * f64::from(step)).expect("an equilibrium");
        }
        let over = |s: f64| {
            let rubber = 2.0 * shear * THICKNESS / RADIUS * (1.0 / s - s.powi(-7));
            AIR + rubber - amount * AIR * s.powf(-3.0 * exponent)
        };
        let (mut low, mut high) = (1.0, 3.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if over(middle) < 0.0 { low = middle } else { high = middle }
        }
        let found = stretch(&balloon);
        assert!(
            (found / low - 1.0).abs() < 0.003,
            "n = {exponent}, s = {amount}: {found}, not {low}"
        );
    }
}

/// Steps of a 20th of a second with an amount of gas: the largest difference (J) between the energy gained and the work, the work, and
/// the largest stretch.
fn filling(factor: &str, steps: u32) -> (f64, f64, f64) {
    let time =
        format!("time: (step: \"1/{}\", duration: 0.05), solver: (tolerance: 1e-8),", 20 * steps);
    let mut balloon = filled(1.4, factor, ["ImplicitMidpoint", &time]);
    let start = balloon.observe().total();
    let (mut work, mut off, mut most) = (0.0, 0.0_f64, 0.0_f64);
    for _ in 0..steps {
        work += balloon.advance().work.iter().sum::<f64>();
        off = off.max((balloon.observe().total() - start - work).abs());
        most = most.max(stretch(&balloon));
    }
    (off, work, most)
}

/// A balloon that is let go overfilled breathes, and keeps its energy.
#[test]
fn balloon_conserves_energy() {
    let (off, work, most) = filling("Table(points: [(0, 1.2)])", 100);
    let exchanged = 0.1 * AIR * 4.2e-3 * 0.2;
    assert_eq!(work, 0.0);
    assert!(most > 1.01 && off < 1e-2 * exchanged, "{most}: {off} J of {exchanged} J");
}

/// Where its gas grows, the work is what it gains, to the first order in the step.
#[test]
fn work_of_filling_a_balloon_equals_its_energy_gain() {
    let [coarse, fine] =
        [100, 200].map(|steps| filling("Table(points: [(0, 1), (0.04, 1.3)])", steps));
    assert!(coarse.0 < 0.02 * coarse.1.abs(), "{coarse:?}");
    assert!(fine.0 < 0.6 * coarse.0, "{fine:?}, {coarse:?}");
}
