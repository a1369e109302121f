//! BLEND's Table 2: stability of the implicit midpoint rule with substeps.
//!
//! Blending stabilises the midpoint rule at the cost of a second solve when energy overshoots; the alternative is
//! smaller steps. BLEND's meshes are not available. The cases have similar numbers of elements as its three smallest
//! rows, its disordered cactus and its cloth, with its steps and ten local/global iterations per solve. Contact is the
//! barrier, not the paper's springs.

use crate::drive::{StudyError, Watch};
use crate::table::Table;
use crate::track::{Track, scene_with};
use rayon::prelude::*;
use resile_scene::description::Scene;

/// BLEND's numbers of substeps.
pub const SUBSTEPS: [u32; 5] = [1, 5, 10, 20, 100];
/// Largest energy gain of a stable run, relative to its available energy.
const MAX_GAIN: f64 = 0.05;

/// A case, run with blending and with substeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    /// The name in tables.
    pub name: &'static str,
    /// The corresponding row of BLEND's Table 2.
    pub paper: &'static str,
    /// BLEND's step (s).
    pub step: f64,
    /// Duration of the run (s).
    pub seconds: f64,
    /// Bodies, gravity and contact of the scene.
    fields: &'static str,
}

/// All cases.
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
    /// The scene with a method and substeps.
    fn scene(&self, integrator: &str, substeps: u32) -> Result<Scene, StudyError> {
        let text = format!(
            r#"(
            version: 2,
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
        scene_with(self.name, &text, [])
    }
}

/// Results of a method in a case.
#[derive(Debug, Clone, PartialEq)]
pub struct SubstepsEntry {
    /// The case.
    pub case: Case,
    /// Number of substeps; `None` for blending.
    pub substeps: Option<u32>,
    /// Energy gain over available energy.
    pub gain: f64,
    /// Local/global iterations of all solves.
    pub iterations: usize,
    /// The error that ended the run early.
    pub failure: Option<String>,
}

impl SubstepsEntry {
    /// Whether the run was completed with a gain of at most `MAX_GAIN`.
    pub fn is_stable(&self) -> bool {
        self.failure.is_none() && self.gain <= MAX_GAIN
    }
}

/// Runs all cases with blending, and with the midpoint rule for each number of substeps.
///
/// # Errors
/// If a scene is invalid.
pub fn measure(substeps: &[u32], watch: Watch<'_>) -> Result<Vec<SubstepsEntry>, StudyError> {
    let runs = CASES.iter().flat_map(|case| {
        std::iter::once(None)
            .chain(substeps.iter().copied().map(Some))
            .map(move |count| (*case, count))
    });
    let runs: Vec<(Case, Option<u32>)> = runs.collect();
    let run_case = |(case, substeps): (Case, Option<u32>)| {
        let integrator = if substeps.is_some() { "ImplicitMidpoint" } else { "Blend()" };
        let scene = case.scene(integrator, substeps.unwrap_or(1))?;
        let track = Track::new(&scene, case.name)?;
        let gain = track.gain() / track.available();
        let (iterations, failure) = (track.newton_iterations, track.failure);
        watch(&format!("{}, {integrator}, {} substeps", case.name, substeps.unwrap_or(1)));
        Ok(SubstepsEntry { case, substeps, gain, iterations, failure })
    };
    runs.into_par_iter().with_max_len(1).map(run_case).collect()
}

/// One row per run: green if it is stable, with the energy gain and the iterations relative to blending.
pub fn table(entries: &[SubstepsEntry]) -> Table {
    let blending = |case: &Case| {
        let blending_entry =
            entries.iter().find(|e| e.case.name == case.name && e.substeps.is_none());
        blending_entry.map_or(1.0, |e| e.iterations as f64)
    };
    Table::with_rows("substeps", entries)
        .column("case", |e| e.case.name)
        .column("BLEND's row", |e| e.case.paper)
        .number("step (s)", 2, |e| e.case.step)
        .column("method", |e| e.substeps.map_or("blending", |_| "implicit midpoint"))
        .column("substeps", |e| e.substeps.unwrap_or(1))
        .column("colour", |e| if e.is_stable() { "green" } else { "red" })
        .number("energy gain/available", 2, |e| e.gain)
        .number("iterations/blending's", 2, |e| e.iterations as f64 / blending(&e.case))
        .column("failure", |e| e.failure.as_deref())
        .table()
}
