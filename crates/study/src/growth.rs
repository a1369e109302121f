//! Growth of the cost of a step with the number of bodies and with the resolution.
//!
//! The scenes are piles of cubes that fall onto a floor and onto each other (`scenes/bench/pile-affine-*`). A series
//! varies one size. The exponent of a cost is the slope of the least-squares line through the logarithms of size and
//! cost.

use crate::drive::{StudyError, Watch};
use crate::table::Table;
use crate::track::{build_scene, builtin_text, scene_with};
use resile_plot::{Axis, Curve, Graph, Marks};
use resile_scene::description::Scene;
use std::ops::RangeInclusive;
use std::time::Instant;

/// Young's modulus (Pa) of solid cubes, which deform visibly.
const SOFT_MODULUS: f64 = 3e5;
/// Cells per edge of the cubes whose number varies.
const CELLS: u32 = 4;
/// Number of bodies along each edge of the pile whose resolution varies.
const EDGE: u32 = 2;

/// Parameter that varies in a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// The number of affine cubes.
    AffineBodies,
    /// The number of solid cubes of 4 x 4 x 4 cells.
    SolidBodies,
    /// The number of cells of 8 solid cubes.
    Resolution,
}

/// A pile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pile {
    /// Its series.
    pub series: Series,
    /// Number of bodies along each edge of the pile.
    pub edge: u32,
    /// Number of cells along each edge of a body, each of six tetrahedra; `None` for affine bodies.
    pub cells: Option<u32>,
}

/// Piles, and the steps to measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrowthPlan {
    /// The piles; those of one series are consecutive, in ascending order.
    pub piles: Vec<Pile>,
    /// The measured steps, counted from one.
    pub steps: RangeInclusive<u64>,
}

impl GrowthPlan {
    /// All piles in the steps in which bodies lie on each other, or with `quick` the small ones in the first impacts.
    pub fn new(quick: bool) -> Self {
        let affine = |edge| Pile { series: Series::AffineBodies, edge, cells: None };
        let solid = |edge| Pile { series: Series::SolidBodies, edge, cells: Some(CELLS) };
        let fine = |cells| Pile { series: Series::Resolution, edge: EDGE, cells: Some(cells) };
        if quick {
            let piles = vec![affine(2), affine(4), fine(2), fine(3)];
            return Self { piles, steps: 8..=12 };
        }
        let piles = [2, 4, 8].map(affine).into_iter();
        let piles = piles.chain([2, 4, 8].map(solid)).chain([2, 4, 6, 8, 12].map(fine)).collect();
        Self { piles, steps: 41..=60 }
    }
}

impl Series {
    const ALL: [Self; 3] = [Self::AffineBodies, Self::SolidBodies, Self::Resolution];

    /// What varies, in tables.
    fn name(self) -> &'static str {
        match self {
            Self::AffineBodies => "affine cubes",
            Self::SolidBodies => "solid cubes",
            Self::Resolution => "tetrahedra of 8 cubes",
        }
    }
}

impl Pile {
    /// Number of bodies.
    pub fn bodies(&self) -> u64 {
        u64::from(self.edge).pow(3)
    }

    /// Number of tetrahedra of all bodies; zero for affine bodies.
    pub fn tetrahedra(&self) -> u64 {
        self.cells.map_or(0, |cells| 6 * u64::from(cells).pow(3) * self.bodies())
    }

    /// The size that varies in its series: the number of bodies or of tetrahedra.
    pub fn size(&self) -> u64 {
        match self.series {
            Series::AffineBodies | Series::SolidBodies => self.bodies(),
            Series::Resolution => self.tetrahedra(),
        }
    }

    /// The scene of the pile.
    fn scene(&self) -> Result<Scene, StudyError> {
        let name = format!("bench/pile-affine-{}", self.bodies());
        let solid = self.cells.map(|n| {
            [
                "bodies.cube.kind=Solid".to_owned(),
                format!("bodies.cube.shape.cells=({n}, {n}, {n})"),
                format!("materials.rubber.model.young={SOFT_MODULUS:e}"),
            ]
        });
        scene_with(&name, builtin_text(&name)?, solid.iter().flatten().map(String::as_str))
    }
}

/// The mean cost of a measured step of a pile.
#[derive(Debug, Clone, PartialEq)]
pub struct GrowthEntry {
    /// The pile.
    pub pile: Pile,
    /// Wall time (ms).
    pub milliseconds: f64,
    /// Newton iterations of all islands.
    pub iterations: f64,
    /// Newton iterations of some bodies of an island alone.
    pub part_iterations: f64,
    /// Halvings of line searches.
    pub halvings: f64,
    /// Pairs in contact at the end.
    pub contacts: f64,
    /// The error that ended the run early.
    pub failure: Option<String>,
}

/// Runs all piles one after another.
///
/// # Errors
/// If a scene is invalid. A failed step ends its run without an error.
pub fn measure(plan: &GrowthPlan, watch: Watch<'_>) -> Result<Vec<GrowthEntry>, StudyError> {
    let run_pile = |pile: &Pile| {
        let entry = mean_cost(*pile, &plan.steps)?;
        let (name, size) = (pile.series.name(), pile.size());
        watch(&format!("{size} {name}: {:.3} ms a step", entry.milliseconds));
        Ok(entry)
    };
    plan.piles.iter().map(run_pile).collect()
}

/// Measures the mean cost of the given steps of a pile. A failed step ends the run early.
fn mean_cost(pile: Pile, steps: &RangeInclusive<u64>) -> Result<GrowthEntry, StudyError> {
    let scene = pile.scene()?;
    let mut world = build_scene(&scene, pile.series.name())?.world;
    let h = scene.time.step.seconds();
    let mut entry = GrowthEntry {
        pile,
        milliseconds: 0.0,
        iterations: 0.0,
        part_iterations: 0.0,
        halvings: 0.0,
        contacts: 0.0,
        failure: None,
    };
    let weight = 1.0 / steps.clone().count() as f64;
    for step in 1..=*steps.end() {
        let start = Instant::now();
        let record = match world.step(h, scene.time.step.time_after(step)) {
            Ok(record) => record,
            Err(failure) => {
                entry.failure = Some(failure.to_string());
                break;
            }
        };
        if steps.contains(&step) {
            entry.milliseconds += weight * 1e3 * start.elapsed().as_secs_f64();
            entry.iterations += weight * record.solve.iterations as f64;
            entry.part_iterations += weight * record.solve.part_iterations as f64;
            entry.halvings += weight * record.solve.backtracks as f64;
            entry.contacts += weight * record.observed.certificate.contacts as f64;
        }
    }
    Ok(entry)
}

/// The exponent `p` of `cost = c size^p` by least squares of the logarithms; `None` without two different sizes or if a
/// number is not positive.
pub fn exponent(points: &[[f64; 2]]) -> Option<f64> {
    let logarithms: Vec<[f64; 2]> = points.iter().map(|point| point.map(libm::log)).collect();
    let mean =
        |k: usize| logarithms.iter().map(|point| point[k]).sum::<f64>() / points.len() as f64;
    let [mean_x, mean_y] = [mean(0), mean(1)];
    let sum_of = |f: &dyn Fn(f64, f64) -> f64| {
        logarithms.iter().map(|logarithm| f(logarithm[0] - mean_x, logarithm[1] - mean_y)).sum()
    };
    let (covariance, variance): (f64, f64) = (sum_of(&|dx, dy| dx * dy), sum_of(&|dx, _| dx * dx));
    Some(covariance / variance).filter(|slope| slope.is_finite())
}

/// One row per pile.
pub fn table(entries: &[GrowthEntry]) -> Table {
    Table::with_rows("growth", entries)
        .column("series", |e| e.pile.series.name())
        .column("bodies", |e| e.pile.bodies())
        .column("tetrahedra", |e| e.pile.cells.map(|_| e.pile.tetrahedra()))
        .number("ms/step", 3, |e| e.milliseconds)
        .number("iterations/step", 4, |e| e.iterations)
        .number("of some bodies alone", 4, |e| e.part_iterations)
        .number("halvings/step", 4, |e| e.halvings)
        .number("contacts", 4, |e| e.contacts)
        .column("failure", |e| e.failure.as_deref())
        .table()
}

/// A cost whose exponent is determined.
type CostOf = fn(&GrowthEntry) -> f64;

/// Size and cost of the completed piles of a series.
fn points(entries: &[GrowthEntry], series: Series, cost: CostOf) -> Vec<[f64; 2]> {
    let completed = entries.iter().filter(|e| e.pile.series == series && e.failure.is_none());
    completed.map(|e| [e.pile.size() as f64, cost(e)]).collect()
}

/// One row per series: exponents of time, of Newton iterations, and of time per iteration of all bodies.
pub fn exponents(entries: &[GrowthEntry]) -> Table {
    let has_entries = |series| !points(entries, series, |e| e.milliseconds).is_empty();
    let series: Vec<Series> =
        Series::ALL.into_iter().filter(|&series| has_entries(series)).collect();
    let sizes = |series| {
        points(entries, series, |e| e.milliseconds).into_iter().map(|[size, _]| size as u64)
    };
    let fit = |series, cost| exponent(&points(entries, series, cost));
    Table::with_rows("growth-exponents", &series)
        .column("series", |series| series.name())
        .column("sizes", |&series| sizes(series).count())
        .column("from", |&series| sizes(series).next())
        .column("to", |&series| sizes(series).next_back())
        .number("exponent of ms/step", 3, |&series| fit(series, |e| e.milliseconds))
        .number("of iterations/step", 3, |&series| fit(series, |e| e.iterations))
        .number("of contacts", 3, |&series| fit(series, |e| e.contacts))
        .table()
}

/// Time per step over size, both relative to the smallest pile of the series.
pub fn chart(entries: &[GrowthEntry]) -> Graph {
    let curve = |(color_index, series): (usize, Series)| {
        let times = points(entries, series, |e| e.milliseconds);
        let relative = |point: &[f64; 2]| (point[0] / times[0][0], point[1] / times[0][1]);
        Curve::new(series.name(), color_index, times.iter().map(relative).collect())
    };
    let curves: Vec<Curve> = Series::ALL.into_iter().enumerate().map(curve).collect();
    let axis = |name: &str, highest: f64| {
        Axis::logarithmic(name, [1.0, 10f64.powf(libm::log10(highest).ceil().max(1.0))])
    };
    let highest = |coordinate: fn(&(f64, f64)) -> f64| {
        curves.iter().flat_map(|curve| &curve.points).map(coordinate).fold(1.0, f64::max)
    };
    Graph {
        name: "growth".to_owned(),
        x: axis("size over the smallest", highest(|point| point.0)),
        y: axis("time per step over that of the smallest", highest(|point| point.1)),
        marks: Marks::DotsAndLines,
        curves,
    }
}
