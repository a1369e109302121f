//! Studies by name, and what they return.

use crate::drive::{StudyError, Watch};
use crate::table::Table;
use crate::{
    avf, barrier, blend, blend_table1, controllers, convergence, drum, explicit, growth,
    manufactured, motion, rebound, rest, shells, spectrum, stability, substeps, table1, table2,
    verification,
};
use resile_plot::Graph;

/// A study.
#[derive(Debug, Clone, Copy)]
pub struct Study {
    /// The name of the study, with which the names of its tables and charts begin.
    pub name: &'static str,
    /// What it measures.
    pub about: &'static str,
    /// Runs the study.
    ///
    /// # Errors
    /// If a scene is invalid, or a method fails where it must not.
    pub run: fn(&Extent<'_>, Watch<'_>) -> Result<Results, StudyError>,
}

/// An entry of [`STUDIES`].
const fn study(
    name: &'static str,
    about: &'static str,
    run: fn(&Extent<'_>, Watch<'_>) -> Result<Results, StudyError>,
) -> Study {
    Study { name, about, run }
}

/// All studies.
pub static STUDIES: [Study; 20] = [
    study("table1", "Table 1 of ASEARCH: cost of its scenes", |extent, watch| {
        Ok(table1::table(&table1::measure(table1::RunExtent::new(extent.quick), watch)?).into())
    }),
    study("table2", "Table 2 of ASEARCH: a bar thrown against a wall", |extent, watch| {
        let resolutions = &table2::RESOLUTIONS[..if extent.quick { 2 } else { 4 }];
        Ok(table2::table(&table2::measure(resolutions, &table2::SOUND_SPEEDS, watch)).into())
    }),
    study("convergence", "Orders of accuracy", |extent, watch| {
        let mut cases = convergence::SMALL_PROBLEMS.to_vec();
        if !extent.quick {
            cases.extend(convergence::SOLID);
        }
        let entries = convergence::measure(&cases, watch)?;
        Ok(Results {
            files: vec![convergence::errors(&entries)],
            ..convergence::table(&entries).into()
        })
    }),
    study("stability", "Stability: step matrices of the linear oscillator", |_, _| {
        let entries = stability::measure(20)?;
        Ok(Results {
            tables: vec![
                stability::summary(&entries),
                stability::appendix_c_table(&stability::appendix_c()?),
            ],
            files: vec![stability::table(&entries)],
            charts: vec![stability::chart(&entries)],
        })
    }),
    study("controllers", "Control rules for alpha", |extent, _| {
        let compared = controllers::compare(&[0.02, 0.2], &[0.1, 0.5])?;
        let ablation = controllers::ablation(&[30, 300, 3000][..if extent.quick { 2 } else { 3 }])?;
        let tables = vec![
            controllers::table("controllers", &compared),
            controllers::table("controllers-ablation", &ablation),
        ];
        Ok(Results { tables, ..Results::default() })
    }),
    study(
        "rebound",
        "Figure 20 of ASEARCH: a bouncing ball under control rules for alpha",
        |extent, watch| {
            let entries = rebound::measure(if extent.quick { 0.6 } else { 10.0 }, watch)?;
            Ok(Results {
                charts: vec![rebound::chart(&entries)],
                ..rebound::table(&entries).into()
            })
        },
    ),
    study("avf", "Energy conservation of average vector fields", |extent, watch| {
        let (particle, solid) = if extent.quick { (10_000, 30) } else { (100_000, 1000) };
        Ok(avf::table(&avf::measure(particle, solid, watch)).into())
    }),
    study("barrier", "Gap between surfaces under a pressure", |_, watch| {
        let entries = barrier::measure(watch)?;
        Ok(Results { charts: vec![barrier::chart(&entries)], ..barrier::table(&entries).into() })
    }),
    study("blend", "Spring, wall and disordered body of BLEND", |extent, watch| {
        let steps = if extent.quick { 100 } else { 1000 };
        let rest_with = |damping| blend::measure_rest(3, 1.0, damping, steps, watch);
        let rest = [rest_with(blend::Damping::InTheStep), rest_with(blend::Damping::AfterTheStep)]
            .concat();
        let tables = vec![
            blend::spring_table(&blend::measure_spring(2000)),
            blend::wall_table(&blend::measure_wall(&[0.1, 1.0, 10.0, 1e8])),
            blend::rest_table(&rest),
        ];
        Ok(Results { tables, ..Results::default() })
    }),
    study("spectrum", "Energy by mode after a collision", |extent, watch| {
        let resolutions = &[30, 300, 3000][..if extent.quick { 1 } else { 3 }];
        let entries = spectrum::measure(resolutions, &table2::SOUND_SPEEDS, watch)?;
        let files = vec![spectrum::table(&entries)];
        Ok(Results {
            files,
            charts: spectrum::charts(&entries),
            ..spectrum::summary(&entries).into()
        })
    }),
    study("drum", "Decay of a vibration mode of a membrane", |extent, watch| {
        let rings = if extent.quick { 8 } else { 24 };
        let entries = drum::measure(drum::Drum { rings, speed: 1.0 }, 3, watch)?;
        Ok(Results { charts: vec![drum::chart(&entries)], ..drum::table(&entries).into() })
    }),
    study("explicit", "Benchmark of EXPLICIT", |extent, watch| {
        let (damping, entries) = explicit::measure(if extent.quick { 0.5 } else { 5.0 }, watch);
        watch(&format!("damping {damping:.1} 1/s"));
        Ok(explicit::table(&entries).into())
    }),
    study("blend-table1", "Table 1 of BLEND: cost of a step", |extent, watch| {
        let (rows, steps) = if extent.quick {
            (&blend_table1::ROWS[..3], 3)
        } else {
            (&blend_table1::ROWS[..], u32::MAX)
        };
        Ok(blend_table1::table(&blend_table1::measure(rows, steps, watch)?).into())
    }),
    study("substeps", "Table 2 of BLEND: the midpoint rule with smaller steps", |extent, watch| {
        let substeps =
            &substeps::SUBSTEPS[..if extent.quick { 1 } else { substeps::SUBSTEPS.len() }];
        Ok(substeps::table(&substeps::measure(substeps, watch)?).into())
    }),
    study("rest", "Rest, friction and rotation of bodies", |extent, watch| {
        let methods = &rest::METHODS[..if extent.quick { 1 } else { rest::METHODS.len() }];
        let entries = rest::measure(methods, extent.resolutions(), watch)?;
        Ok(Results { files: vec![rest::bodies(&entries)], ..rest::table(&entries).into() })
    }),
    study("verification", "Engineers' static and modal benchmarks", |extent, watch| {
        Ok(verification::table(&verification::measure(extent.quick, watch)?).into())
    }),
    study("shells", "Test problems of shell elements on three kinds of meshes", |extent, watch| {
        let entries = shells::measure(extent.quick, watch)?;
        Ok(Results { charts: shells::charts(&entries), ..shells::table(&entries).into() })
    }),
    study(
        "manufactured",
        "Orders of convergence of elements by manufactured solutions",
        |extent, watch| {
            let entries = manufactured::measure(extent.quick, watch)?;
            Ok(Results {
                charts: manufactured::charts(&entries),
                ..manufactured::table(&entries).into()
            })
        },
    ),
    study(
        "motion",
        "Share of kinetic energy that displaces nothing, under A-search",
        |extent, watch| {
            let entries = motion::measure(extent.quick, extent.resolutions(), watch)?;
            Ok(Results { charts: vec![motion::chart(&entries)], ..motion::table(&entries).into() })
        },
    ),
    study(
        "growth",
        "Growth of the cost of a step with the number of bodies and with the resolution",
        |extent, watch| {
            let entries = growth::measure(&growth::GrowthPlan::new(extent.quick), watch)?;
            let tables = vec![growth::table(&entries), growth::exponents(&entries)];
            Ok(Results { tables, charts: vec![growth::chart(&entries)], ..Results::default() })
        },
    ),
];

/// The study of this name.
pub fn study_named(name: &str) -> Option<&'static Study> {
    STUDIES.iter().find(|study| study.name == name)
}

/// Extent of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent<'a> {
    /// Whether the reduced version is run, which takes seconds instead of minutes.
    pub quick: bool,
    /// Steps per second of [`rest`] and [`motion`]; 120 if empty.
    pub steps_per_second: &'a [u32],
}

impl Extent<'_> {
    /// Steps per second, or the default.
    pub(crate) fn resolutions(&self) -> &[u32] {
        if self.steps_per_second.is_empty() { &[120] } else { self.steps_per_second }
    }
}

/// The results of a study.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Results {
    /// Tables.
    pub tables: Vec<Table>,
    /// Long tables, which are written to files only.
    pub files: Vec<Table>,
    /// Charts.
    pub charts: Vec<Graph>,
}

impl Results {
    /// Number of verdicts that are NO.
    pub fn failed_verdicts(&self) -> usize {
        self.tables.iter().chain(&self.files).map(Table::failed_verdicts).sum()
    }
}

impl From<Table> for Results {
    fn from(table: Table) -> Self {
        Self { tables: vec![table], ..Self::default() }
    }
}
