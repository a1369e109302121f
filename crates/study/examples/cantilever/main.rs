//! How far a cantilever bends, over what beam theory says, and what an iteration costs:
//!
//! ```text
//! cargo run --release -p resile-study --example cantilever
//! ```
//!
//! A beam of 1 m x 0.1 m x 0.1 m, Young's modulus 1e6 Pa, neo-Hookean, of cubic cells, held at one end and
//! pulled sideways at the other by a force that bends it by a ten-thousandth of its length
//! (`F L^3 / 3 E I + F L / k G A`, `k = 10 (1 + nu) / (12 + 11 nu)`; Timoshenko, Cowper
//! 1966). A step of implicit Euler so long that inertia does not count finds the equilibrium, by
//! factorisation. Times are of one thread, a Newton iteration each. Elements of which the strains are means about
//! nodes are those of small strains (`patches.rs`), so that only their deflection and their solves compare.
#![allow(clippy::print_stdout, reason = "a program to be run by hand")]

mod patches;

use patches::{ByNode, Patches};
use resile_energy::{Force, Lame, Material, QuadraticTetElasticity, Schedule, TetElasticity};
use resile_integrators::{ImplicitEuler, StageSolver, advance};
use resile_math::Vec3;
use resile_mesh::generate::BoxGrid;
use resile_solver::{LinearChoice, NewtonSettings, SolveReport};
use resile_system::{Body, Energy, Held, Motion, Prescribed, State, System};
use std::error::Error;
use std::time::Duration;

const LENGTH: f64 = 1.0;
const WIDTH: f64 = 0.1;
const YOUNG: f64 = 1e6;

#[derive(Clone, Copy, Debug)]
enum Elements {
    Linear,
    Quadratic,
    /// Linear ones, of which something is a mean about nodes.
    Mean(ByNode),
}

const ALL: [Elements; 4] = [
    Elements::Linear,
    Elements::Quadratic,
    Elements::Mean(ByNode::Volume),
    Elements::Mean(ByNode::Strain),
];

struct Measured {
    nodes: usize,
    elements: usize,
    /// Over that of the theory.
    deflection: f64,
    report: SolveReport,
}

type AnyError = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), AnyError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    println!(
        "| cells | elements | nodes | deflection, nu 0.3 | nu 0.49 | evaluation, ms | solve, ms |"
    );
    println!("|---|---|---|---|---|---|---|");
    for cells in [1, 2, 4] {
        for elements in ALL {
            let measure = |nu| pool.install(|| measure(cells, elements, nu));
            let (soft, stiff) = (measure(0.3)?, measure(0.49)?);
            let iterations = soft.report.iterations as f64;
            let phases = soft.report.phases;
            let milliseconds = |time: Duration| 1e3 * time.as_secs_f64() / iterations;
            println!(
                "| {cells} | {} {elements:?} | {} | {:.3} | {:.3} | {:.2} | {:.2} |",
                soft.elements,
                soft.nodes,
                soft.deflection,
                stiff.deflection,
                milliseconds(phases.assembly + phases.collision + phases.line_search),
                milliseconds(phases.linear_solve),
            );
        }
    }
    Ok(())
}

fn measure(cells: usize, elements: Elements, nu: f64) -> Result<Measured, AnyError> {
    let size = Vec3::new(LENGTH, WIDTH, WIDTH);
    let linear = BoxGrid { cells: [10 * cells, cells, cells], size }.build()?;
    let lame = Lame::from_young_poisson(YOUNG, nu)?;
    let material = Material::NeoHookean(lame);
    let (rest, masses, elastic): (Vec<Vec3>, Vec<f64>, Box<dyn Energy>) = match elements {
        Elements::Linear => {
            let elastic = TetElasticity::new(&linear.positions, &linear.tets, material)?;
            (linear.positions.clone(), linear.node_masses(1000.0), Box::new(elastic))
        }
        Elements::Mean(by_node) => {
            let elastic = Patches::new(&linear, lame, by_node);
            (linear.positions.clone(), linear.node_masses(1000.0), Box::new(elastic))
        }
        Elements::Quadratic => {
            let mesh = linear.quadratic();
            let elastic = QuadraticTetElasticity::new(&mesh.positions, &mesh.elements, material)?;
            (mesh.positions.clone(), mesh.node_masses(1000.0), Box::new(elastic))
        }
    };
    let force = 1e-4 * LENGTH / flexibility(nu);
    let at = |x: f64| (0..rest.len()).filter(|&node| (rest[node].x - x).abs() < 1e-9).collect();
    let (held, pulled): (Vec<usize>, Vec<usize>) = (at(-0.5 * LENGTH), at(0.5 * LENGTH));
    let weights: Vec<(usize, f64)> = pulled.iter().map(|&node| (node, 1.0)).collect();
    let force = Force::spread(rest.len(), force * Vec3::Y, &weights, Schedule::constant(1.0))?;
    let mut body = Body::new("beam", masses).with(force);
    body.energies.push(elastic.into());
    let prescribed = |&node: &usize| Prescribed {
        node,
        start: rest[node],
        motion: Motion::Fixed,
        until: None,
        held: Held::All,
    };
    body.prescribed = held.iter().map(prescribed).collect();
    let mut system = System::new(vec![body]);
    let mut state = State::new(0.0, rest.clone(), vec![Vec3::ZERO; rest.len()]);
    let settings = NewtonSettings { linear: LinearChoice::Direct, ..NewtonSettings::default() };
    let mut solver = StageSolver::new(1e-12, settings);
    let report = advance(&ImplicitEuler, &mut system, &mut solver, &mut state, 1e3)?;
    let moved = |node: &usize| state.positions[*node].y - rest[*node].y;
    let deflection = pulled.iter().map(moved).sum::<f64>() / pulled.len() as f64;
    let (nodes, elements) = (rest.len(), linear.tets.len());
    let deflection = deflection / (1e-4 * LENGTH);
    Ok(Measured { nodes, elements, deflection, report: report.solve })
}

/// Deflection (m) by a force of 1 N at the end.
fn flexibility(nu: f64) -> f64 {
    let inertia = WIDTH.powi(4) / 12.0;
    let shear = YOUNG / (2.0 * (1.0 + nu));
    let correction = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
    LENGTH.powi(3) / (3.0 * YOUNG * inertia) + LENGTH / (correction * shear * WIDTH * WIDTH)
}
