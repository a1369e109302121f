//! Kinematic hardening: Prager's law for any path of small strains, cyclic loops, heat.

use crate::common::{Evolving, deformed, gradient, grid, lame};
use resile_energy::{
    ElastoPlastic, KinematicHardening, QuadraticTetElasticity, TetElasticity, VonMises,
    VonMisesError,
};
use resile_math::{Mat3, Vec3};
use resile_mesh::TetMesh;
use resile_system::NodalStress;
use resile_system::check::energy_derivatives;

/// The elastic and the yielding term over the same elements, and the positions at rest.
type Overlaid = ([Evolving; 2], Vec<Vec3>);

/// Pa.
const YIELD: f64 = 0.03;
/// Factor of yield stresses whose strains are small to six digits.
const SMALL: f64 = 1e-6;

/// The terms of a box with this hardening, of linear or of quadratic elements, with the rest positions.
fn bodies(isotropic: f64, kinematic: f64) -> Vec<Overlaid> {
    let flow = VonMises::new(YIELD, isotropic).expect("parameters in range");
    let plastic = ElastoPlastic { lame: lame(), flow };
    let law = KinematicHardening::new(plastic, kinematic).expect("a modulus in range");
    let (positions, tets) = grid(2, 1, 1);
    let mesh = TetMesh { positions: positions.clone(), tets: tets.clone() }.quadratic();
    let linear =
        |material| TetElasticity::new(&positions, &tets, material).expect("a mesh of elements");
    let quadratic = |material| {
        QuadraticTetElasticity::new(&mesh.positions, &mesh.elements, material).expect("a mesh")
    };
    vec![
        (
            [Evolving::new(linear(law.spring)), Evolving::new(linear(law.slider).overlaid())],
            positions.clone(),
        ),
        (
            [Evolving::new(quadratic(law.spring)), Evolving::new(quadratic(law.slider).overlaid())],
            mesh.positions.clone(),
        ),
    ]
}

/// The Cauchy stress at a node under a homogeneous deformation at the end of a step, its plastic strain, and the heat (J).
fn flowed(terms: &mut [Evolving; 2], rest: &[Vec3], f: Mat3) -> (Mat3, f64, f64) {
    let x = deformed(rest, f, 0.0);
    let heat = terms.iter_mut().map(|term| term.flow(0.0, &x).plastic).sum();
    let mut stress = NodalStress::new(x.len());
    terms.iter().for_each(|term| term.add_stress(&x, &mut stress));
    let plastic = stress.plastic_strain(0).expect("elements are around it");
    (stress.cauchy(0).expect("elements are around it"), plastic, heat)
}

/// Prager's law at small strains by radial return (Simo & Hughes 1998, box 3.2).
struct Prager {
    plastic: Mat3,
    alpha: f64,
}

impl Prager {
    fn new() -> Self {
        Self { plastic: Mat3::ZERO, alpha: 0.0 }
    }

    fn stress(&mut self, strain: Mat3, isotropic: f64, kinematic: f64) -> Mat3 {
        let mu = lame().mu();
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        let deviator = strain - Mat3::from_diagonal(Vec3::splat(trace / 3.0));
        let relative =
            |plastic: Mat3| (deviator - plastic) * (2.0 * mu) - plastic * (2.0 / 3.0 * kinematic);
        let trial = relative(self.plastic);
        let size = norm(trial);
        let over = size - (2.0f64 / 3.0).sqrt() * (YIELD + isotropic * self.alpha);
        if over > 0.0 {
            let slip = over / (2.0 * mu + 2.0 / 3.0 * (isotropic + kinematic));
            self.plastic += trial * (slip / size);
            self.alpha += (2.0f64 / 3.0).sqrt() * slip;
        }
        let pressure = (lame().lambda() + 2.0 / 3.0 * mu) * trace;
        (deviator - self.plastic) * (2.0 * mu) + Mat3::from_diagonal(Vec3::splat(pressure))
    }
}

fn norm(a: Mat3) -> f64 {
    a.to_cols_array().iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}

/// Paths that turn in the space of strains, where a yield surface that moves differs from one that grows.
#[test]
fn overlay_follows_pragers_law_on_any_path_of_small_strains() {
    let scale = SMALL * YIELD / lame().mu();
    for (isotropic, kinematic) in [(0.0, 0.2), (0.3, 0.2), (0.1, 5.0)] {
        for (mut terms, rest) in small_bodies(isotropic, kinematic) {
            let mut prager = Prager::new();
            for k in 0..60 {
                let angle = 0.2 * f64::from(k);
                let (a, b) = (3.0 * angle.cos() - 1.0, 2.0 * (1.7 * angle).sin());
                let strain = scale
                    * Mat3::from_cols(
                        Vec3::new(a, b, 0.4 * a),
                        Vec3::new(b, -0.5 * a, b),
                        Vec3::new(0.4 * a, b, 0.3 * b),
                    );
                let (stress, plastic, _) = flowed(&mut terms, &rest, Mat3::IDENTITY + strain);
                let expected = prager.stress(strain / SMALL, isotropic, kinematic) * SMALL;
                let off = norm(stress - expected) / (SMALL * YIELD);
                assert!(off < 1e-5, "step {k}: off by {off}");
                let want = prager.alpha * SMALL;
                assert!((plastic - want).abs() <= 1e-5 * want, "step {k}: {plastic} for {want}");
            }
            assert!(prager.alpha > 5.0 * YIELD / lame().mu(), "it has yielded many times");
        }
    }
}

/// Bodies whose yield stress is so small that strains are small while they yield.
fn small_bodies(isotropic: f64, kinematic: f64) -> Vec<Overlaid> {
    let flow = VonMises::new(SMALL * YIELD, isotropic).expect("parameters in range");
    let plastic = ElastoPlastic { lame: lame(), flow };
    let law = KinematicHardening::new(plastic, kinematic).expect("a modulus in range");
    let (positions, tets) = grid(1, 1, 1);
    let of = |material| TetElasticity::new(&positions, &tets, material).expect("a mesh");
    let terms = [Evolving::new(of(law.spring)), Evolving::new(of(law.slider).overlaid())];
    vec![(terms, positions.clone())]
}

/// Pulled and pushed at constant volume: the elastic range is twice the yield stress wherever it lies (Bauschinger), and grows with
/// isotropic hardening alone; beyond it the slope is that of both moduli.
#[test]
fn elastic_range_moves_with_plastic_strain() {
    let three_mu = 3.0 * lame().mu();
    let ends = [0.05, -0.04, 0.06];
    for (isotropic, kinematic) in [(0.0, 0.4), (0.3, 0.4)] {
        for (mut terms, rest) in bodies(isotropic, kinematic) {
            let (mut strain, mut plastic, mut alpha) = (0.0f64, 0.0f64, 0.0f64);
            for end in ends {
                for part in 1..=7 {
                    let next = strain + (end - strain) * f64::from(part) / 7.0;
                    let side = (-0.5 * next).exp();
                    let f = Mat3::from_diagonal(Vec3::new(next.exp(), side, side));
                    let (stress, told, _) = flowed(&mut terms, &rest, f);
                    let trial = three_mu * (next - plastic) - kinematic * plastic;
                    let over = trial.abs() - YIELD - isotropic * alpha;
                    if over > 0.0 {
                        let slip = over / (three_mu + isotropic + kinematic);
                        plastic += slip * trial.signum();
                        alpha += slip;
                    }
                    let found = stress.x_axis.x - stress.y_axis.y;
                    let expected = three_mu * (next - plastic);
                    assert!(
                        (found - expected).abs() < 1e-12,
                        "{found} Pa for {expected} Pa at {next}"
                    );
                    assert!((told - alpha).abs() < 1e-12, "plastic strain {told} for {alpha}");
                }
                strain = end;
            }
            assert!(alpha > 0.1, "it has yielded each way: {alpha}");
        }
    }
}

/// A closed loop without isotropic hardening returns to the same stress, and its heat is the area of the loop.
#[test]
fn heat_of_a_closed_loop_is_its_area() {
    let (mut terms, rest) = bodies(0.0, 0.4).remove(0);
    let volume = 2.0;
    let (mut strain, mut stress) = (0.0f64, 0.0);
    let mut cycle = |steps: u32| {
        let (mut heat, mut work) = (0.0, 0.0);
        for part in 1..=2 * steps {
            let down = f64::from(part.min(2 * steps - part)) / f64::from(steps);
            let next = 0.04 - 0.08 * down;
            let side = (-0.5 * next).exp();
            let f = Mat3::from_diagonal(Vec3::new(next.exp(), side, side));
            let (now, _, taken) = flowed(&mut terms, &rest, f);
            let now = now.x_axis.x - now.y_axis.y;
            heat += taken;
            work += 0.5 * (stress + now) * (next - strain);
            (strain, stress) = (next, now);
        }
        (heat / volume, work)
    };
    cycle(400);
    let (heat, _) = cycle(400);
    let (again, work) = cycle(400);
    assert!((heat / again - 1.0).abs() < 1e-9, "{heat} J/m^3, then {again}");
    assert!((heat / work - 1.0).abs() < 2e-2, "{heat} J/m^3 of heat, {work} of work");
}

#[test]
fn derivatives_of_overlays_agree_with_differences() {
    for (mut terms, rest) in bodies(0.1, 0.5) {
        let f = Mat3::from_cols(Vec3::X * 1.1, Vec3::new(0.2, 0.95, 0.0), Vec3::Z);
        let x = deformed(&rest, f, 0.02);
        let beyond = deformed(&rest, f * Mat3::from_diagonal(Vec3::new(1.2, 0.9, 1.0)), 0.02);
        for term in &mut terms {
            term.flow(0.0, &x);
            let errors = energy_derivatives(&**term, &beyond, 1e-5).expect("it is strained");
            assert!(errors.gradient < 1e-6 && errors.hessian < 1e-5, "{errors:?}");
        }
        assert!(gradient(&*terms[1], &beyond).iter().any(|g| g.length() > 1e-4));
    }
}

#[test]
fn invalid_kinematic_moduli_are_rejected() {
    let flow = VonMises::new(1.0, 0.0).expect("parameters in range");
    let plastic = ElastoPlastic { lame: lame(), flow };
    for modulus in [0.0, -1.0, f64::INFINITY] {
        let refused = KinematicHardening::new(plastic, modulus).err();
        assert_eq!(refused, Some(VonMisesError::KinematicHardening { modulus }));
    }
}
