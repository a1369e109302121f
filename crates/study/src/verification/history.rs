//! Materials whose stress depends on the past: a cyclic loop of a plastic bar, and creep.

use super::{CaseOnMesh, VerificationEntry, world_of_scene};
use crate::drive::{StudyError, scene_error};
use resile_system::Vec3;
use resile_world::World;

const ISOTROPIC_LOOP: &str = "cyclic tension, isotropic hardening (closed form)";
const KINEMATIC_LOOP: &str = "cyclic tension, kinematic hardening (closed form)";
const COMBINED_LOOP: &str = "cyclic tension, combined hardening (closed form)";
const CREEP: &str = "creep of a Kelvin-Voigt bar";
const PRONY: &str = "creep of a Prony bar (closed form)";
const VISCOPLASTIC: &str = "viscoplastic bar, n = 1 (closed form)";
const VISCOPLASTIC_CUBIC: &str = "viscoplastic bar, n = 3 (closed form)";

/// Returns the case `case` on a mesh of one linear cell.
fn on_one_cell(case: &'static str) -> CaseOnMesh {
    CaseOnMesh { case, mesh: "1 x 1 x 1, linear".to_owned() }
}

/// Returns the text of the scene of a unit cube on three planes of symmetry. `fields` are further fields of the body,
/// and `step` is the length of a step (s). The text contains the placeholder HOLD for a further hold.
fn cube(material: &str, fields: &str, integrator: &str, step: f64) -> String {
    let roller = |axis: &str, point: &str, normal: &str| {
        format!(
            r#"(region: Plane(point: ({point}), normal: ({normal})), motion: Fixed, axes: "{axis}")"#
        )
    };
    let holds = [
        roller("x", "-0.4999, 0, 0", "-1, 0, 0"),
        roller("y", "0, -0.4999, 0", "0, -1, 0"),
        roller("z", "0, 0, -0.4999", "0, 0, -1"),
    ];
    format!(
        r#"(
            version: 2,
            materials: {{ "m": {material} }},
            bodies: [(
                name: "bar",
                shape: Box(size: (1, 1, 1), cells: (1, 1, 1)),
                material: "m",
                hold: [{}, HOLD],
                {fields}
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: {integrator},
            solver: (tolerance: 1e-9),
            time: (step: {step}, duration: 100),
        )"#,
        holds.join(", ")
    )
}

/// Returns the Kirchhoff stress (Pa) along a bar in uniform tension: the Cauchy stress times det F.
fn kirchhoff_stress(world: &World) -> f64 {
    let stress_field = world.stress(0);
    let cauchy = stress_field.cauchy(0).map_or(0.0, |stress| stress.x_axis.x);
    cauchy * stress_field.determinant(0).unwrap_or(1.0)
}

/// The moduli and the yield stress of a plastic bar (Pa).
#[derive(Clone, Copy)]
struct PlasticBar {
    young: f64,
    /// Initial yield stress.
    yield_stress: f64,
    /// Modulus of isotropic hardening.
    hardening: f64,
    /// Modulus of kinematic hardening.
    kinematic: f64,
}

/// Computes the stress (Pa) of a one-dimensional bar with linear isotropic and kinematic hardening at each of the
/// successive `strains`. The bar is undeformed at the start, and the strain is monotonic between successive values.
fn theoretical_stresses(bar: PlasticBar, strains: &[f64]) -> Vec<f64> {
    let PlasticBar { young, yield_stress, hardening, kinematic } = bar;
    let (mut plastic_strain, mut accumulated_strain) = (0.0f64, 0.0);
    let next_stress = |&strain: &f64| {
        let relative_stress = young * (strain - plastic_strain) - kinematic * plastic_strain;
        let overstress = relative_stress.abs() - yield_stress - hardening * accumulated_strain;
        if overstress > 0.0 {
            let increment = overstress / (young + hardening + kinematic);
            plastic_strain += increment * relative_stress.signum();
            accumulated_strain += increment;
        }
        young * (strain - plastic_strain)
    };
    strains.iter().map(next_stress).collect()
}

/// Compares hysteresis loops with closed forms: Hencky's law with von Mises plasticity, for isotropic, kinematic and
/// combined hardening.
pub(super) fn cyclic(_quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let isotropic = PlasticBar { young: 1e6, yield_stress: 1e4, hardening: 1e5, kinematic: 0.0 };
    let kinematic = PlasticBar { hardening: 0.0, kinematic: 1e5, ..isotropic };
    let mut entries = hysteresis(ISOTROPIC_LOOP, isotropic)?;
    entries.extend(hysteresis(KINEMATIC_LOOP, kinematic)?);
    entries.extend(hysteresis(COMBINED_LOOP, PlasticBar { hardening: 5e4, ..kinematic })?);
    Ok(entries)
}

/// Compares a hysteresis loop of a plastic cube under cyclic strain with the closed form: the stress (Pa) at three
/// reversals of the logarithmic strain between plus and minus 0.03. Ten load steps lead to each reversal.
fn hysteresis(case: &'static str, bar: PlasticBar) -> Result<Vec<VerificationEntry>, StudyError> {
    let PlasticBar { young, yield_stress, hardening, kinematic } = bar;
    let strains = [0.03, -0.03, 0.03];
    let keys: String = strains
        .iter()
        .enumerate()
        .map(|(k, strain)| {
            format!("(time: {}, translate: ({:?}, 0, 0)), ", k + 1, libm::exp(*strain) - 1.0)
        })
        .collect();
    let flow = format!(
        "VonMises(yield_stress: {yield_stress}, hardening: {hardening}, kinematic_hardening: {kinematic})"
    );
    let material =
        format!("(density: 1000, model: Hencky(young: {young}, poisson: 0.3), plasticity: {flow})");
    let hold = format!(
        r#"(
            region: Plane(point: (0.4999, 0, 0), normal: (1, 0, 0)), axes: "x",
            motion: Keys(keys: [(time: 0), {keys}], interpolation: Linear),
        )"#
    );
    let step = 0.1;
    let text = cube(&material, "", "ImplicitEuler", step).replace("HOLD", &hold);
    let mut world = world_of_scene(&text, case)?;
    let targets = theoretical_stresses(bar, &strains);
    let quantities =
        ["stress at the first reversal (Pa)", "at the second (Pa)", "at the third (Pa)"];
    let mut entries = Vec::new();
    for (k, (quantity, target)) in quantities.into_iter().zip(targets).enumerate() {
        for load_step in 1..=10 {
            let end = step * (10 * k + load_step) as f64;
            world.load_step(step, end).map_err(|failure| scene_error(case, failure))?;
        }
        entries.push(on_one_cell(case).entry(quantity, kirchhoff_stress(&world), target, 1e-3));
    }
    Ok(entries)
}

/// Compares the stress of a viscoplastic bar under Perzyna's law, with a yield stress of 1e4 Pa, with closed forms. The
/// bar is pulled for one second at a logarithmic strain rate of 0.05 1/s and then held. Each second of simulated time
/// takes 500 implicit Euler steps.
///
/// With the yield stress `sigma_y`, Young's modulus E, the reference rate D and `tau = sigma_y / (E D)`, the overstress
/// of a linear law grows as `1 - exp(-t / tau)` after yielding, and decays as `exp(-t / tau)` while the bar is held.
/// With the exponent n the overstress of any law approaches `sigma_y (rate / D)^(1/n)`.
pub(super) fn viscoplastic(_quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let ViscoplasticBar { young, yield_stress, strain_rate } = VISCOPLASTIC_BAR;
    // The reference rate of the linear law is the rate of pulling, so both times are equal.
    let [tau, yield_time] =
        [yield_stress / (young * strain_rate), yield_stress / (young * strain_rate)];
    let linear_law_stress =
        |time: f64| yield_stress * (2.0 - libm::exp(-(time - yield_time) / tau));
    let relaxed_stress = yield_stress + (linear_law_stress(1.0) - yield_stress) * libm::exp(-1.0);
    let linear_targets = [
        ("stress 0.2 s after yielding (Pa)", 0.4, linear_law_stress(0.4)),
        ("stress at the end of loading (Pa)", 1.0, linear_law_stress(1.0)),
        ("stress 0.2 s later (Pa)", 1.2, relaxed_stress),
    ];
    let cubic_targets = [("stress at the end of loading (Pa)", 1.0, 1.5 * yield_stress)];
    let mut entries = compare_stresses(VISCOPLASTIC, strain_rate, 1.0, &linear_targets)?;
    entries.extend(compare_stresses(VISCOPLASTIC_CUBIC, 8.0 * strain_rate, 3.0, &cubic_targets)?);
    Ok(entries)
}

/// A bar that is pulled at a constant rate.
struct ViscoplasticBar {
    /// Young's modulus (Pa).
    young: f64,
    /// Yield stress (Pa).
    yield_stress: f64,
    /// Rate of the logarithmic strain while the bar is pulled (1/s).
    strain_rate: f64,
}

const VISCOPLASTIC_BAR: ViscoplasticBar =
    ViscoplasticBar { young: 1e6, yield_stress: 1e4, strain_rate: 0.05 };

/// Simulates the bar under Perzyna's law with a reference rate (1/s) and an exponent, and compares the stress (Pa) with
/// `targets`, each of a quantity, a time (s) and a stress (Pa).
fn compare_stresses(
    case: &'static str,
    reference_rate: f64,
    exponent: f64,
    targets: &[(&'static str, f64, f64)],
) -> Result<Vec<VerificationEntry>, StudyError> {
    let ViscoplasticBar { young, yield_stress, .. } = VISCOPLASTIC_BAR;
    let flow = format!(
        "VonMises(yield_stress: {yield_stress}, rate: (reference: {reference_rate}, exponent: {exponent}))"
    );
    let material =
        format!("(density: 1e-3, model: Hencky(young: {young}, poisson: 0.3), plasticity: {flow})");
    let step = 1.0 / 500.0;
    let text = cube(&material, "", "ImplicitEuler", step).replace("HOLD", &pulled_end());
    let mut world = world_of_scene(&text, case)?;
    let mut entries = Vec::new();
    let mut step_count = 0;
    for &(quantity, end_time, target) in targets {
        while f64::from(step_count) * step < end_time - 0.5 * step {
            step_count += 1;
            let record = world.step(step, f64::from(step_count) * step);
            record.map_err(|failure| scene_error(case, failure))?;
        }
        entries.push(on_one_cell(case).entry(quantity, kirchhoff_stress(&world), target, 5e-3));
    }
    Ok(entries)
}

/// The prescribed motion of the end of the viscoplastic bar in scene syntax: one second at a constant rate of the
/// logarithmic strain, and rest after it.
fn pulled_end() -> String {
    let key = |k: i32| {
        let time = 0.05 * f64::from(k);
        let displacement = libm::exp(VISCOPLASTIC_BAR.strain_rate * time) - 1.0;
        format!("(time: {time}, translate: ({displacement:?}, 0, 0)), ")
    };
    let keys: String = (1..=20).map(key).collect();
    format!(
        r#"(
            region: Plane(point: (0.4999, 0, 0), normal: (1, 0, 0)), axes: "x",
            motion: Keys(keys: [(time: 0), {keys}], interpolation: Linear),
        )"#
    )
}

/// Compares the creep of a bar under a traction with the closed form. Half of the shear modulus of the bar relaxes, and
/// each relaxation time takes 200 BDF2 steps. With the bulk modulus K, the instantaneous shear modulus `mu`, the
/// relaxed one `mu_r` and the relaxation time `tau`, the compliance (1/Pa) is
///
/// ```text
///   1 / (9 K) + (1 / mu_r - (1 / mu_r - 1 / mu) exp(-t mu_r / (mu tau))) / 3
/// ```
pub(super) fn prony(_quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let [young, poisson, traction, relaxing_fraction, relaxation]: [f64; 5] =
        [1e5, 0.3, 100.0, 0.5, 0.2];
    let step = relaxation / 200.0;
    let fields = format!(
        "terms: [Traction(traction: ({traction}, 0, 0), region: Plane(point: (0.4999, 0, 0), normal: (1, 0, 0)))],"
    );
    let material = format!(
        "(density: 1e-3, model: Hencky(young: {young}, poisson: {poisson}), viscosity: Prony([(modulus: {relaxing_fraction}, time: {relaxation})]))"
    );
    let text = cube(&material, &fields, "Bdf2", step).replace(", HOLD", "");
    let mut world = world_of_scene(&text, PRONY)?;
    let (shear, bulk) = (young / (2.0 * (1.0 + poisson)), young / (3.0 * (1.0 - 2.0 * poisson)));
    let relaxed = (1.0 - relaxing_fraction) * shear;
    let target = |time: f64| {
        let decay = libm::exp(-time * (1.0 - relaxing_fraction) / relaxation);
        let shear_compliance = 1.0 / relaxed - (1.0 / relaxed - 1.0 / shear) * decay;
        traction * (1.0 / (9.0 * bulk) + shear_compliance / 3.0)
    };
    let mut entries = Vec::new();
    let mut step_count = 0;
    for (quantity, last_step) in [
        ("strain at once", 10),
        ("strain after one relaxation time", 200),
        ("strain after five", 1000),
    ] {
        while step_count < last_step {
            step_count += 1;
            let record = world.step(step, f64::from(step_count) * step);
            record.map_err(|failure| scene_error(PRONY, failure))?;
        }
        entries.push(on_one_cell(PRONY).entry(
            quantity,
            far_end(&world) - 0.5,
            target(f64::from(step_count) * step),
            5e-3,
        ));
    }
    Ok(entries)
}

/// Returns the largest coordinate (m) of a node along the bar.
fn far_end(world: &World) -> f64 {
    world.state(0).positions.iter().map(|x| x.x).fold(f64::NEG_INFINITY, f64::max)
}

/// Compares the creep of a bar with stiffness damping under a traction with the closed form
/// `strain = stress / E (1 - exp(-t / tau))`. Each relaxation time `tau` takes 200 BDF2 steps.
pub(super) fn creep(_quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let [young, traction, relaxation]: [f64; 3] = [1e5, 100.0, 0.2];
    let step = relaxation / 200.0;
    let fields = format!(
        "terms: [Traction(traction: ({traction}, 0, 0), region: Plane(point: (0.4999, 0, 0), normal: (1, 0, 0)))],
         damping: [Stiffness(time: {relaxation})],"
    );
    let material = format!("(density: 1e-3, model: Linear(young: {young}, poisson: 0))");
    let text = cube(&material, &fields, "Bdf2", step).replace(", HOLD", "");
    let mut world = world_of_scene(&text, CREEP)?;
    let is_far_end = |x: &&Vec3| x.x > 0.0;
    let start = world.state(0).positions.iter().find(is_far_end).map_or(0.0, |x| x.x);
    let mut entries = Vec::new();
    for (quantity, relaxation_times) in
        [("strain after one relaxation time", 1_u32), ("strain after three", 3)]
    {
        let steps_done = entries.len() as u32 * 200;
        for step_index in steps_done + 1..=200 * relaxation_times {
            let record = world.step(step, f64::from(step_index) * step);
            record.map_err(|failure| scene_error(CREEP, failure))?;
        }
        let far_position = world.state(0).positions.iter().find(is_far_end).map_or(0.0, |x| x.x);
        entries.push(on_one_cell(CREEP).entry(
            quantity,
            far_position - start,
            traction / young * (1.0 - libm::exp(-f64::from(relaxation_times))),
            5e-3,
        ));
    }
    Ok(entries)
}
