//! Rods against theory, at three resolutions each. `cargo test -p resile-energy --test energy rod_theory --
//! --nocapture` prints the table of `docs/rods.md`.

use crate::common::{gradient, hessian};
use nalgebra::{DMatrix, DVector};
use resile_energy::{OpenEnds, RodBending, RodSection, RodTwist, SpringLaw, Springs, rod_springs};
use resile_math::Vec3;
use resile_mesh::generate::{Circle, Helix};
use resile_mesh::{Polylines, StrandEnds};
use resile_system::{Energy, Hessian, Psd};
use std::f64::consts::{PI, TAU};

/// Stretching, bending and twist of one rod.
struct Rod {
    section: RodSection,
    terms: Vec<Box<dyn Energy>>,
}

impl Rod {
    fn new(rods: &Polylines, section: RodSection, turns: f64) -> Self {
        Self::with_ends(rods, section, turns, OpenEnds::Free)
    }

    fn clamped(rods: &Polylines, section: RodSection, turns: f64) -> Self {
        Self::with_ends(rods, section, turns, OpenEnds::Clamped)
    }

    fn with_ends(rods: &Polylines, section: RodSection, turns: f64, ends: OpenEnds) -> Self {
        let springs = rod_springs(rods, section.stretching()).unwrap();
        let springs = Springs::new(rods.positions.len(), springs, SpringLaw::Hooke).unwrap();
        let bending = RodBending::new(rods, section.bending()).unwrap();
        let twist = RodTwist::new(rods, section.twisting(), turns, ends).unwrap();
        Self { section, terms: vec![Box::new(springs), Box::new(bending), Box::new(twist)] }
    }
}

impl Energy for Rod {
    fn name(&self) -> &str {
        "rod"
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        self.terms.iter().map(|term| term.value(time, x)).sum()
    }

    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.terms.iter().for_each(|term| term.add_gradient(time, x, scale, out));
    }

    fn add_hessian(&self, time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.terms.iter().for_each(|term| term.add_hessian(time, x, psd, out));
    }
}

fn section() -> RodSection {
    RodSection::new(1e9, 0.3, 1e-3).unwrap()
}

fn straight(nodes: usize, step: f64) -> Polylines {
    Polylines::from_points(
        (0..nodes).map(|i| Vec3::X * (step * i as f64)).collect(),
        StrandEnds::Free,
    )
}

/// Rows and columns of a matrix.
fn part(m: &DMatrix<f64>, free: &[usize]) -> DMatrix<f64> {
    DMatrix::from_fn(free.len(), free.len(), |i, j| m[(free[i], free[j])])
}

/// Tells errors at three resolutions, and that each is a quarter of the one before.
#[allow(clippy::print_stdout, reason = "the table of docs/rods.md")]
fn report(law: &str, resolutions: [usize; 3], errors: [f64; 3], last: f64) {
    let cells: Vec<String> =
        resolutions.iter().zip(errors).map(|(n, e)| format!("{n}: {e:+.1e}")).collect();
    println!("{law:<48} {}", cells.join("   "));
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((1.8..2.3).contains(&order), "{law}: {errors:?}, order {order}");
    }
    assert!(errors[2].abs() < last, "{law}: {errors:?}");
}

const RESOLUTIONS: [usize; 3] = [10, 20, 40];

/// The end of a clamped rod sinks by `F l^3 / (3 B)`. The piece that is held reaches half way over
/// the clamp.
#[test]
fn a_cantilever_sinks_under_a_load_at_its_end() {
    let errors = RESOLUTIONS.map(|pieces| {
        let step = 1.0 / (pieces as f64 + 0.5);
        let rods = straight(pieces + 2, step);
        let rod = Rod::new(&rods, section(), 0.0);
        let free: Vec<usize> = (6..3 * rods.positions.len()).collect();
        let k = part(&hessian(&rod, &rods.positions, Psd::Exact), &free);
        let mut load = DVector::zeros(free.len());
        let end = free.len() - 2;
        load[end] = 1e-9;
        let sinks = k.cholesky().expect("it is clamped").solve(&load)[end];
        sinks / (1e-9 / (3.0 * rod.section.bending())) - 1.0
    });
    report("cantilever with a load at its end: deflection", RESOLUTIONS, errors, 2e-3);
}

/// `P = pi^2 B / l^2` between two hinges.
#[test]
fn a_rod_buckles_at_the_load_of_euler() {
    let errors = RESOLUTIONS.map(|pieces| {
        let rods = straight(pieces + 1, 1.0 / pieces as f64);
        let rod = Rod::new(&rods, section(), 0.0);
        let expected = PI * PI * rod.section.bending();
        let last = 3 * pieces;
        // Its ends stay on the axis; one may move along it.
        let free: Vec<usize> = (3..=last).collect();
        let stable = |load: f64| {
            let shorter = 1.0 - load / rod.section.stretching();
            let x: Vec<Vec3> = rods.positions.iter().map(|x| *x * shorter).collect();
            part(&hessian(&rod, &x, Psd::Exact), &free).cholesky().is_some()
        };
        threshold(0.5 * expected, 1.5 * expected, stable) / expected - 1.0
    });
    report("Euler's column: buckling load", RESOLUTIONS, errors, 1e-3);
}

/// A ring of a rod that is straight at rest leaves its plane when it is twisted by more than
/// `2 pi sqrt(3) B / C` (Michell 1889; Zajac 1962).
#[test]
fn a_ring_leaves_its_plane_at_the_twist_of_michell() {
    let resolutions = [20, 40, 80];
    let errors = resolutions.map(|pieces| {
        let ring = Circle { radius: 1.0, segments: pieces }.build().unwrap();
        let section = section();
        let expected = 3f64.sqrt() * section.bending() / section.twisting();
        let at_rest = widened(&ring, section);
        let stable = |turns: f64| {
            let rod = Rod::new(&ring, section, turns);
            let k = hessian(&rod, &at_rest, Psd::Exact);
            let softest = section.bending() * 1e-4;
            let values = k.symmetric_eigenvalues();
            values.iter().all(|value| *value > -softest)
        };
        threshold(0.5 * expected, 2.0 * expected, stable) / expected - 1.0
    });
    report("Michell's ring: twist that it bears", resolutions, errors, 1e-2);
}

/// The ring is bent, and stretches a little until it is in equilibrium.
fn widened(ring: &Polylines, section: RodSection) -> Vec<Vec3> {
    let rod = Rod::new(ring, section, 0.0);
    let scaled = |s: f64| ring.positions.iter().map(|x| *x * s).collect::<Vec<_>>();
    let pull = |s: f64| {
        let x = scaled(s);
        gradient(&rod, &x).iter().zip(&x).map(|(g, x)| g.dot(*x)).sum::<f64>()
    };
    scaled(threshold(1.0 - 1e-3, 1.0 + 1e-3, |s| pull(s) < 0.0))
}

/// Where something ends to hold between two numbers.
fn threshold(mut holds: f64, mut fails: f64, test: impl Fn(f64) -> bool) -> f64 {
    assert!(test(holds) && !test(fails), "it holds at one end and fails at the other");
    for _ in 0..50 {
        let middle = 0.5 * (holds + fails);
        if test(middle) {
            holds = middle;
        } else {
            fails = middle;
        }
    }
    0.5 * (holds + fails)
}

/// A straight rod between clamps that keep its ends in line, and let them come nearer, bears the twist
/// `Theta = 8.987 B / C` (Greenhill 1883).
#[test]
fn a_clamped_rod_bears_the_twist_of_greenhill() {
    let errors = RESOLUTIONS.map(|pieces| {
        let rods = straight(pieces + 2, 1.0 / pieces as f64);
        let section = section();
        // tan(m / 2) = m / 2 for the moment m = C Theta l / B.
        let expected = 2.0 * 4.493_409_457_909_064 * section.bending() / section.twisting() / TAU;
        let free: Vec<usize> = (6..3 * pieces).collect();
        let stable = |turns: f64| {
            let rod = Rod::clamped(&rods, section, turns);
            part(&hessian(&rod, &rods.positions, Psd::Exact), &free).cholesky().is_some()
        };
        threshold(0.5 * expected, 2.0 * expected, stable) / expected - 1.0
    });
    report("Greenhill's shaft: twist that it bears", RESOLUTIONS, errors, 2e-2);
}

/// A helix of the curvature k and the torsion t is an equilibrium of a twisted rod under the tension
/// `t (M - B t)`, where M is its moment of twist (Kirchhoff 1859; Love, section 270).
#[test]
fn a_helix_of_a_straight_rod_is_in_equilibrium_under_the_tension_of_kirchhoff() {
    let resolutions = [80, 160, 320];
    let errors = resolutions.map(|segments| {
        let [radius, pitch] = [0.5, 0.8];
        let rods = Helix { radius, pitch, turns: 2.0, segments }.build().unwrap();
        let section = section();
        let (bending, twisting) = (section.bending(), section.twisting());
        let x = &rods.positions;
        let terms: [Box<dyn Energy>; 2] = [
            Box::new(RodBending::new(&rods, bending).unwrap()),
            Box::new(RodTwist::new(&rods, twisting, 0.7, OpenEnds::Clamped).unwrap()),
        ];
        let rise = pitch / TAU;
        let torsion = rise / (radius * radius + rise * rise);
        let length = rods.strands[0].length(x) * (1.0 - 1.0 / segments as f64);
        let moment = twisting * TAU * 0.7 / length;
        let expected = torsion * (moment - bending * torsion);
        let middle = segments / 2;
        let pull: Vec3 = terms.iter().map(|term| gradient(&**term, x)[middle]).sum();
        let unit = |a: usize, b: usize| (x[b] - x[a]).normalize();
        let turn = unit(middle, middle + 1) - unit(middle - 1, middle);
        let tension = pull.dot(turn) / turn.length_squared();
        let aside = (pull - turn * tension).length() / pull.length();
        assert!(aside < 1e-6, "no other force is left over: {aside}");
        tension / expected - 1.0
    });
    report("Kirchhoff's helix: tension", resolutions, errors, 1e-2);
}

/// The energy of twist that a ring gives up is what its writhe takes from it: `C (2 pi)^2 (Tw^2 - Tw'^2) / (2 l)`.
#[test]
fn the_moment_of_twist_is_that_of_its_turns() {
    let ring = Circle { radius: 0.2, segments: 50 }.build().unwrap();
    let length = ring.strands[0].length(&ring.positions);
    let section = section();
    let twist = RodTwist::new(&ring, section.twisting(), 1.5, OpenEnds::Free).unwrap();
    let expected = section.twisting() * (1.5 * TAU).powi(2) / (2.0 * length);
    assert!((twist.value(0.0, &ring.positions) / expected - 1.0).abs() < 1e-12);
}
