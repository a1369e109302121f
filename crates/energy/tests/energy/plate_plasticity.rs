//! Plates whose moments yield: derivatives, flow, and the closed forms of bending and twist.

use crate::common::{Evolving, deformed, gradient, hessian, noise};
use crate::shell_support::*;
use proptest::prelude::*;
use resile_energy::{
    MomentYield, PlateBending, PlateSection, PlateStiffness, RestAngles, SheetMaterial, ShellError,
    VonMises,
};
use resile_math::{Mat3, Vec3};
use resile_mesh::TriMesh;
use resile_system::check::energy_derivatives;
use resile_system::{Energy, Psd};

const THICKNESS: f64 = 0.05;

fn plate(mesh: &TriMesh, poisson: f64, moment: f64, hardening: f64) -> Evolving {
    let section = PlateSection {
        stiffness: PlateStiffness::new(RIGIDITY, poisson).expect("parameters in range"),
        factor: 1.0,
        yielding: Some(MomentYield::new(moment, hardening, THICKNESS).expect("in range")),
    };
    let sections = vec![section; mesh.triangles.len()];
    let angles = RestAngles::AsGiven;
    let plate = PlateBending::of_sections(&mesh.positions, &mesh.triangles, &sections, angles);
    Evolving::new(plate.expect("the mesh is a proper one"))
}

/// A curved surface at rest.
fn curved(cut: Cut) -> TriMesh {
    let mesh = rectangle(cut, [5, 4], [5.0, 4.0]);
    let positions = deformed(&mesh.positions, Mat3::from_rotation_x(0.5), 0.1);
    TriMesh { positions, ..mesh }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn derivatives_agree_with_differences_whatever_has_flowed(
        hardening in 0.0f64..1.0,
        sizes in (0.05f64..0.3, 0.3f64..0.5),
    ) {
        for cut in CUTS {
            let mesh = curved(cut);
            let mut term = plate(&mesh, 0.3, 0.05, hardening);
            prop_assert!(term.flow(0.0, &deformed(&mesh.positions, Mat3::IDENTITY, sizes.0)).plastic > 0.0);
            let x = deformed(&mesh.positions, Mat3::from_rotation_y(1.0), sizes.1);
            // The second derivative jumps where a triangle begins to yield. A difference across such a jump is wrong for one
            // length of the difference, but not for all.
            let errors = [1e-5, 1e-6, 1e-7].map(|h| energy_derivatives(&*term, &x, h).expect("it is bent"));
            let agree = errors.iter().any(|errors| errors.gradient < 1e-6 && errors.hessian < 1e-3);
            prop_assert!(agree, "{cut:?} {errors:?}");
        }
    }

    /// The potential falls by the heat, which is not negative; forces remain; a second flow has no heat.
    #[test]
    fn flow_takes_energy_and_leaves_force(hardening in 0.0f64..1.0, size in 0.05f64..0.4) {
        for cut in CUTS {
            let mesh = curved(cut);
            let mut term = plate(&mesh, 0.3, 0.05, hardening);
            for (k, size) in [size, 0.5 * size, 2.0 * size].into_iter().enumerate() {
                let x = deformed(&mesh.positions, Mat3::from_rotation_z(k as f64), size);
                let (value, force) = (term.value(0.0, &x), gradient(&*term, &x));
                let heat = term.flow(0.0, &x).plastic;
                let (after, same) = (term.value(0.0, &x), gradient(&*term, &x));
                prop_assert!(heat >= 0.0);
                prop_assert!((value - after - heat).abs() < 1e-12 * (1.0 + value), "{value} {after} {heat}");
                let far = force.iter().zip(&same).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
                let large = force.iter().map(|f| f.length()).fold(1.0, f64::max);
                prop_assert!(far < 1e-11 * large, "step {k}: force off by {far}");
                prop_assert!(term.flow(0.0, &x).plastic < 1e-12);
            }
        }
    }
}

#[test]
fn the_projection_of_a_yielding_plate_is_definite_and_a_majorant() {
    for (cut, hardening) in CUTS.into_iter().zip([0.0, 0.02, 0.5]) {
        for size in [0.05, 0.3] {
            let mesh = curved(cut);
            let term = plate(&mesh, 0.3, 0.05, hardening);
            let x = deformed(&mesh.positions, Mat3::from_rotation_y(1.0), size);
            let (exact, actual) =
                (hessian(&*term, &x, Psd::Exact), hessian(&*term, &x, Psd::Clamp));
            let norm = actual.norm();
            assert!(actual.clone().symmetric_eigenvalues().min() > -1e-13 * norm, "definite");
            assert!((&actual - &exact).symmetric_eigenvalues().min() > -1e-13 * norm, "majorant");
        }
    }
}

/// Up to rounding: a yielding plate sums over triangles, an elastic one over pairs of edges.
#[test]
fn a_plate_that_never_yields_is_elastic() {
    for cut in CUTS {
        let mesh = curved(cut);
        let strong = plate(&mesh, 0.3, 1e9, 0.1);
        let stiffness = PlateStiffness::new(0.7, 0.3).expect("parameters in range");
        let elastic = plate_bending(&mesh, stiffness, RestAngles::AsGiven);
        let x = deformed(&mesh.positions, Mat3::from_rotation_y(1.0), 0.2);
        let (a, b) = (strong.value(0.0, &x), elastic.value(0.0, &x));
        assert!((a - b).abs() < 1e-12 * b, "{cut:?}: {a} {b}");
        for psd in [Psd::Exact, Psd::Clamp] {
            let (a, b) = (hessian(&*strong, &x, psd), hessian(&elastic, &x, psd));
            assert!((&a - &b).norm() < 1e-12 * b.norm(), "{cut:?}");
        }
    }
}

#[test]
fn variables_are_all_that_flow_leaves() {
    let mesh = curved(Cut::Random);
    let [mut one, mut other] = [0, 1].map(|_| plate(&mesh, 0.3, 0.05, 0.1));
    let [x, y] = [0.2, 0.3].map(|size| deformed(&mesh.positions, Mat3::IDENTITY, size));
    let virgin = one.value(0.0, &y);
    assert!(one.flow(0.0, &x).plastic > 0.0);
    assert_eq!(one.inelastic().internal_count(), one.variables().len());
    let inelastic = other.inelastic();
    assert!(inelastic.admits_internal(one.variables()) && !inelastic.admits_internal(&[1.0; 7]));
    other.set_variables(one.variables(), 0.0);
    assert_eq!(one.value(0.0, &y).to_bits(), other.value(0.0, &y).to_bits());
    assert_eq!(gradient(&*one, &y), gradient(&*other, &y));
    assert_eq!(one.flow(0.0, &y).plastic.to_bits(), other.flow(0.0, &y).plastic.to_bits());
    assert_eq!(one.variables(), other.variables());
    one.set_variables(&[], 0.0);
    assert_eq!(one.value(0.0, &y), virgin);
}

/// A sheet along x, rolled up without stretching to a curvature; its moment per unit width by differences, from sheets of two lengths.
struct Strip([(TriMesh, Evolving); 2]);

const CELL: f64 = 1.0 / 40.0;
const WIDTH: f64 = 0.2;

impl Strip {
    fn new(moment: f64, hardening: f64) -> Self {
        Self([28, 24].map(|columns| {
            let mesh = rectangle(Cut::Crossed, [columns, 8], [columns as f64 * CELL, WIDTH]);
            let plate = plate(&mesh, 0.0, moment, hardening);
            (mesh, plate)
        }))
    }

    fn rolled(mesh: &TriMesh, curvature: f64) -> Vec<Vec3> {
        // Facets keep their length and turn by the same angle each.
        let turn = 2.0 * (0.5 * CELL * curvature).asin();
        let roll = |p: &Vec3| {
            let angle = turn * p.x / CELL;
            Vec3::new(angle.sin() / curvature, (1.0 - angle.cos()) / curvature, p.z)
        };
        mesh.positions.iter().map(roll).collect()
    }

    /// Of energies of both lengths, that of a unit area.
    fn per_area(energies: [f64; 2]) -> f64 {
        (energies[0] - energies[1]) / (4.0 * CELL * WIDTH)
    }

    fn moment(&self, curvature: f64) -> f64 {
        let energy = |curvature: f64| {
            let energies = self
                .0
                .each_ref()
                .map(|(mesh, plate)| plate.value(0.0, &Self::rolled(mesh, curvature)));
            Self::per_area(energies)
        };
        let d = 1e-4 * curvature;
        (energy(curvature + d) - energy(curvature - d)) / (2.0 * d)
    }

    fn flow(&mut self, curvature: f64) -> f64 {
        Self::per_area(
            self.0
                .each_mut()
                .map(|(mesh, plate)| plate.flow(0.0, &Self::rolled(mesh, curvature)).plastic),
        )
    }
}

const RIGIDITY: f64 = 0.7;

/// Plastic curvatures along and across, and the equivalent one.
#[derive(Clone, Copy)]
struct Flowed([f64; 2], f64);

/// The least of a convex function.
fn least(of: impl Fn(f64) -> f64) -> f64 {
    let golden = 0.5 * (5.0f64.sqrt() - 1.0);
    let (mut low, mut high) = (-20.0, 20.0);
    for _ in 0..90 {
        let part = golden * (high - low);
        if of(high - part) < of(low + part) { high = low + part } else { low = high - part }
    }
    0.5 * (low + high)
}

/// The plastic curvatures that a sheet with nu = 0 has after it was rolled up to a curvature, without curvature across: of those that
/// minimise energy and work of the flow, by golden section. Of the flow p the equivalent curvature is
/// `sqrt(4/3 (p_x^2 + p_x p_z + p_z^2))`.
fn rolled_up(curvature: f64, before: Flowed, (first, hardening): (f64, f64)) -> Flowed {
    let Flowed(known, alpha) = before;
    let slip = |[x, z]: [f64; 2]| {
        let [x, z] = [x - known[0], z - known[1]];
        (4.0 / 3.0 * (x * x + x * z + z * z)).sqrt()
    };
    let energy = |[x, z]: [f64; 2]| {
        let elastic = 0.5 * RIGIDITY * ((curvature - x).powi(2) + z * z);
        let slip = slip([x, z]);
        elastic + (first + hardening * alpha) * slip + 0.5 * hardening * slip * slip
    };
    let across = |x: f64| least(|z| energy([x, z]));
    let along = least(|x| energy([x, across(x)]));
    let plastic = [along, across(along)];
    Flowed(plastic, alpha + slip(plastic))
}

/// The same where no moment acts across: the flow is along the sheet only.
fn bent_freely(curvature: f64, before: Flowed, (first, hardening): (f64, f64)) -> Flowed {
    let Flowed([x, _], alpha) = before;
    let beyond = RIGIDITY * (curvature - x) - (first + hardening * alpha);
    let slip = beyond.max(0.0) / (RIGIDITY + hardening);
    Flowed([x + slip, 0.0], alpha + slip)
}

/// Moment, heat, residual curvature, and yielding again at the hardened moment. Triangles at the long sides, an eighth of all, bear
/// no moment across.
#[test]
fn a_rolled_sheet_has_the_moments_of_elastic_plastic_bending() {
    let first = 0.5;
    for hardening in [0.0, 0.1, 2.0] {
        let mut strip = Strip::new(first, hardening);
        let onset = first / RIGIDITY;
        let near = |found: f64, expected: f64, what: &str| {
            assert!(
                (found / expected - 1.0).abs() < 5e-3,
                "H = {hardening}, {what}: {found} for {expected}"
            );
        };
        near(strip.moment(0.5 * onset), 0.5 * first, "elastic moment");
        assert_eq!(strip.flow(0.5 * onset), 0.0);
        let law = (first, hardening);
        let mean = |inner: f64, side: f64| (7.0 * inner + side) / 8.0;
        let virgin = Flowed([0.0; 2], 0.0);
        let bent = 3.0 * onset;
        let (inner, side) = (rolled_up(bent, virgin, law), bent_freely(bent, virgin, law));
        let plastic = mean(inner.0[0], side.0[0]);
        near(strip.moment(bent), RIGIDITY * (bent - plastic), "moment");
        let heat = |Flowed(_, alpha): Flowed| alpha * (first + 0.5 * hardening * alpha);
        near(strip.flow(bent), mean(heat(inner), heat(side)), "heat");
        // Released, it has the residual curvature: no moment there, and the elastic slope on both sides.
        let part = 0.2 * plastic;
        near(strip.moment(plastic + part), part * RIGIDITY, "moment above the residual curvature");
        near(strip.moment(plastic - part), -part * RIGIDITY, "moment below it");
        let more = bent + onset;
        let (inner, side) = (rolled_up(more, inner, law), bent_freely(more, side, law));
        let plastic = mean(inner.0[0], side.0[0]);
        near(strip.moment(more), RIGIDITY * (more - plastic), "moment of more bending");
    }
}

/// The yield criterion is that of von Mises: twist yields at `M / sqrt(3)`, and its energy then grows linearly.
#[test]
fn twist_yields_at_the_moment_of_von_mises() {
    let (rigidity, first) = (0.7, 0.05);
    for cut in CUTS {
        let mesh = rectangle(cut, [7, 5], [1.4, 1.0]);
        let term = plate(&mesh, 0.3, first, 0.0);
        let energy = |twist: f64| {
            let lift = |p: &Vec3| *p + Vec3::Y * (twist * p.x * p.z);
            let x: Vec<Vec3> = mesh.positions.iter().map(lift).collect();
            term.value(0.0, &x) / 1.4
        };
        // The energy is `2 m_xy k_xy` to first order, with `m_xy = D (1 - nu) k_xy`.
        let onset = first / 3.0f64.sqrt() / (rigidity * 0.7);
        let slope = |twist: f64| (energy(1.01 * twist) - energy(0.99 * twist)) / (0.02 * twist);
        let elastic = slope(0.5 * onset) / (2.0 * rigidity * 0.7 * 0.5 * onset);
        assert!((elastic - 1.0).abs() < 0.01, "{cut:?}: {elastic}");
        // Free sides bear twist, so all triangles yield at once.
        let yielding = slope(2.0 * onset) / (2.0 * first / 3.0f64.sqrt());
        assert!((yielding - 1.0).abs() < 0.02, "{cut:?}: {yielding}");
    }
}

/// The layers of a section yield one after another; far beyond, its moment is that of the plate.
#[test]
fn a_section_that_yields_has_the_moment_of_its_layers() {
    let (young, yield_stress, hardening, t) = (2e11, 2.5e8, 2e9, 1e-3);
    let flow = VonMises::new(yield_stress, hardening).expect("parameters in range");
    let sheet = SheetMaterial::new(young, 0.0, t).expect("parameters in range");
    let yields = sheet.yielding(flow);
    let tangent = young * hardening / (young + hardening);
    let of_layers = |curvature: f64| {
        let layers = 20_000;
        let at = |k: usize| {
            let z = t * ((k as f64 + 0.5) / f64::from(layers) - 0.5);
            let strain = curvature * z;
            let beyond = (strain.abs() - yield_stress / young).max(0.0);
            let stress = young * (strain.abs() - beyond) + tangent * beyond;
            stress * z.abs() * t / f64::from(layers)
        };
        (0..layers as usize).map(at).sum::<f64>()
    };
    let rigidity = sheet.flexural_rigidity();
    let of_plate = |curvature: f64| {
        let slope = rigidity * yields.hardening() / (rigidity + yields.hardening());
        let beyond = yields.moment() + slope * (curvature - yields.moment() / rigidity);
        beyond.min(rigidity * curvature)
    };
    let onset = 2.0 * yield_stress / (young * t);
    let error = |times: f64| of_plate(times * onset) / of_layers(times * onset) - 1.0;
    assert!(error(5.0).abs() < 0.02 && error(10.0).abs() < 0.005, "{} {}", error(5.0), error(10.0));
    let largest = (10..60).map(|k| error(0.1 * f64::from(k))).fold(0.0, f64::max);
    assert!(largest > 0.1 && largest < 0.18, "{largest}");
}

#[test]
fn threads_do_not_change_bits() {
    let mesh = rectangle(Cut::Random, [30, 20], [30.0, 20.0]);
    let x: Vec<Vec3> =
        (0..).zip(&mesh.positions).map(|(k, p)| *p + Vec3::Y * (0.3 * noise(k))).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be started").install(|| {
            let mut term = plate(&mesh, 0.3, 0.05, 0.1);
            let before = (term.value(0.0, &x).to_bits(), gradient(&*term, &x));
            let matrix = hessian(&*term, &x, Psd::Clamp);
            (before, matrix, term.flow(0.0, &x).plastic.to_bits(), term.variables().to_vec())
        })
    };
    let one = run(1);
    assert!(run(2) == one && run(5) == one);
}

#[test]
fn parameters_of_no_yielding_are_refused() {
    assert!(MomentYield::new(0.0, 0.0, 1.0).is_err() && MomentYield::new(1.0, 0.0, 0.0).is_err());
    let refused = MomentYield::new(1.0, -1.0, 1.0);
    assert_eq!(refused, Err(ShellError::Hardening { hardening: -1.0 }));
    let mesh = rectangle(Cut::Crossed, [2, 2], [1.0, 1.0]);
    let stiffness = PlateStiffness::new(0.7, 0.3).expect("parameters in range");
    let elastic = PlateSection { stiffness, factor: 1.0, yielding: None };
    let yielding = Some(MomentYield::new(1.0, 0.0, 1.0).expect("in range"));
    let mut sections = vec![PlateSection { yielding, ..elastic }; mesh.triangles.len()];
    sections[3] = elastic;
    let of = |sections: &[PlateSection]| {
        PlateBending::of_sections(&mesh.positions, &mesh.triangles, sections, RestAngles::Flat)
            .err()
    };
    assert_eq!(of(&sections), Some(ShellError::PartlyYielding { triangle: 3 }));
    sections[3] = PlateSection { factor: -1.0, ..sections[0] };
    assert!(matches!(of(&sections), Some(ShellError::NotPositive { .. })));
}
