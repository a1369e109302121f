//! BLEND's Table 2: is the implicit midpoint rule stable if its steps are made smaller?
//!
//! Blending makes the midpoint rule stable at the cost of a second solve where energy overshoots. One could make its
//! steps smaller instead. BLEND's meshes are not to be had; the cases here are bodies made of
//! about the numbers of elements of its three smallest rows, its disordered cactus and its cloth, at its steps, with ten iterations of
//! local and global steps a solve as there. Where bodies meet the contact is the barrier, not the paper's springs.

use crate::drive::{StudyError, Watch};
use crate::table::{Cell, Table};
use crate::track::{Track, overridden};
use rayon::prelude::*;
use resile_scene::description::Scene;

/// Into how many substeps BLEND cuts its steps.
pub const SUBSTEPS: [u32; 5] = [1, 5, 10, 20, 100];
/// What a stable run may gain of the energy there is to spend.
const TOLERABLE: f64 = 0.05;

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    /// What it is.
    pub name: &'static str,
    /// The row of BLEND's Table 2 that it stands for.
    pub paper: &'static str,
    /// BLEND's step (s).
    pub step: f64,
    /// How long it is run (s).
    pub seconds: f64,
    /// Material, bodies and all else of a scene.
    fields: &'static str,
}

/// The rows.
pub const CASES: [Case; 5] = [
    Case {
        name: "twisted bar",
        paper: "Bar, 716 elements",
        step: 0.033,
        seconds: 3.3,
        fields: r#"
            bodies: [(
                name: "bar", shape: Box(size: (0.15, 0.01, 0.01), cells: (30, 2, 2)), material: "soft",
                deform: [Twist(axis: X, degrees: 90)],
                hold: [(region: Plane(point: (-0.075, 0, 0), normal: (-1, 0, 0)), motion: Fixed)],
            )],
            gravity: (0, 0, 0), contact: Off,"#,
    },
    Case {
        name: "turning cube",
        paper: "Cube (Figure 5), 996 elements",
        step: 0.033,
        seconds: 3.3,
        fields: r#"
            bodies: [(
                name: "cube", shape: Box(size: (0.1, 0.1, 0.1), cells: (5, 5, 6)), material: "soft",
                angular_velocity: (0, 10, 0), deform: [Stretch(axis: X, factor: 1.3)],
            )],
            gravity: (0, 0, 0), contact: Off,"#,
    },
    Case {
        name: "cube on balls",
        paper: "Cube (Figure 15), 996 elements",
        step: 0.01,
        seconds: 1.0,
        fields: r#"
            bodies: [(
                name: "cube", shape: Box(size: (0.1, 0.1, 0.1), cells: (5, 5, 6)), material: "soft",
                placement: (translate: (0, 0.2, 0)), friction: 0,
            )],
            obstacles: [
                Shape(name: "left", shape: Sphere(radius: 0.03, subdivisions: 2), friction: 0,
                    placement: (translate: (-0.04, 0, 0.01))),
                Shape(name: "right", shape: Sphere(radius: 0.03, subdivisions: 2), friction: 0,
                    placement: (translate: (0.04, 0, -0.02))),
                Shape(name: "behind", shape: Sphere(radius: 0.03, subdivisions: 2), friction: 0,
                    placement: (translate: (0, 0, 0.06))),
            ],
            gravity: (0, -9.8, 0), contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),"#,
    },
    Case {
        name: "crushed block",
        paper: "Cactus, 17,187 elements",
        step: 0.033,
        seconds: 3.3,
        fields: r#"
            bodies: [(
                name: "block", shape: Box(size: (0.1, 0.1, 0.1), cells: (5, 5, 6)), material: "soft",
                deform: [
                    Stretch(axis: X, factor: 0.2), Twist(axis: Y, degrees: 120), Bend(axis: X, about: Z, degrees: 60),
                ],
            )],
            gravity: (0, 0, 0), contact: Off,"#,
    },
    Case {
        name: "cloth",
        paper: "Cloth, 50,200 springs",
        step: 0.033,
        seconds: 3.3,
        fields: r#"
            bodies: [(
                name: "cloth", shape: Sheet(size: (1, 1), cells: (20, 20)), kind: Springs(
                    area_density: 0.2, structural: 100, shear: 50, bending: 5, law: Hooke),
                hold: [(region: Nodes([0, 20]), motion: Fixed)],
            )],
            gravity: (0, -9.8, 0), contact: Off,"#,
    },
];

impl Case {
    /// The scene under a method, with each step cut into so many.
    fn scene(&self, integrator: &str, substeps: u32) -> Result<Scene, StudyError> {
        let text = format!(
            r#"(
            version: 1,
            materials: {{"soft": (density: 1000, model: Corotated(young: 1e5, poisson: 0.3))}},
            {}
            integrator: {integrator},
            time: (step: {:e}, duration: {:e}),
            solver: (method: LocalGlobal(iterations: 10)),
            )"#,
            self.fields,
            self.step / f64::from(substeps),
            self.seconds,
        );
        overridden(self.name, &text, [])
    }
}

/// What a method made of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct SubstepsEntry {
    /// The case.
    pub case: Case,
    /// Into how many each step was cut; none for blending, whose steps stay whole.
    pub substeps: Option<u32>,
    /// Energy gained over all there was to spend.
    pub gain: f64,
    /// Local and global steps, all solves together.
    pub iterations: usize,
    /// Why it ended early, if it did.
    pub stopped: Option<String>,
}

impl SubstepsEntry {
    /// Whether it came to its end and gained no more than a twentieth of what there was to spend.
    pub fn is_stable(&self) -> bool {
        self.stopped.is_none() && self.gain <= TOLERABLE
    }
}

/// Blending with whole steps, and the midpoint rule with each of these numbers of substeps, on all cases.
///
/// # Errors
/// If a scene cannot be had.
pub fn measure(substeps: &[u32], watch: Watch<'_>) -> Result<Vec<SubstepsEntry>, StudyError> {
    let runs = CASES.iter().flat_map(|case| {
        std::iter::once(None).chain(substeps.iter().copied().map(Some)).map(move |cut| (*case, cut))
    });
    let runs: Vec<(Case, Option<u32>)> = runs.collect();
    let of = |(case, substeps): (Case, Option<u32>)| {
        let integrator = if substeps.is_some() { "ImplicitMidpoint" } else { "Blend()" };
        let scene = case.scene(integrator, substeps.unwrap_or(1))?;
        let track = Track::of(&scene, case.name)?;
        let gain = track.gain() / track.available();
        let (iterations, stopped) = (track.newton, track.stopped);
        watch(&format!("{}, {integrator}, {} substeps", case.name, substeps.unwrap_or(1)));
        Ok(SubstepsEntry { case, substeps, gain, iterations, stopped })
    };
    runs.into_par_iter().with_max_len(1).map(of).collect()
}

/// The table of these entries: green where a run is stable, with the energy gained and the iterations over those of blending.
pub fn table(entries: &[SubstepsEntry]) -> Table {
    let columns = [
        "case",
        "BLEND's row",
        "step (s)",
        "method",
        "substeps",
        "colour",
        "energy gain/available",
        "iterations/blending's",
        "failure",
    ];
    let mut table = Table::new("substeps", &columns);
    let mut blending = 1.0;
    for entry in entries {
        if entry.substeps.is_none() {
            blending = entry.iterations as f64;
        }
        table.push(vec![
            Cell::text(entry.case.name),
            Cell::text(entry.case.paper),
            Cell::Number(entry.case.step, 2),
            Cell::text(if entry.substeps.is_some() { "implicit midpoint" } else { "blending" }),
            Cell::Count(u64::from(entry.substeps.unwrap_or(1))),
            Cell::text(if entry.is_stable() { "green" } else { "red" }),
            Cell::Number(entry.gain, 2),
            Cell::Number(entry.iterations as f64 / blending, 2),
            entry.stopped.clone().map_or(Cell::Nothing, Cell::text),
        ]);
    }
    table
}
