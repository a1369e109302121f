//! The gap between surfaces under a pressure.
//!
//! A flat contact with the gap `s d_hat` carries the pressure `-kappa b'(s)` (in the units of
//! [`Barrier`]), so the gap is a function of pressure over kappa. The study compares this with the gap of a block
//! at rest on a plane, whose pressure is weight over area.
//!
//! The contact area is the sum over vertices of a third of their incident triangles (Li et al. 2020). At the boundary
//! of a face these include triangles of the side faces, so the area and the force are too large by a fraction of about
//! 1.5 edge lengths over the size of the face. The study measures both.

use crate::drive::{StudyError, Watch, scene_error};
use crate::table::{Deviation, Table};
use crate::track::{build_scene, scene_with};
use resile_assembly::BodyMesh;
use resile_contact::Barrier;
use resile_plot::{Axis, Curve, Graph, Marks};
use resile_system::Vec3;
use resile_world::Settling;

/// A stiff block of 10 cm and 1000 kg/m^3, whose distance from a plane is slightly less than `d_hat`.
const SCENE: &str = r#"(
    version: 2,
    materials: {"stiff": (density: 1000, model: NeoHookean(young: 1e11, poisson: 0.3))},
    bodies: [(name: "block", shape: Box(size: (0.1, 0.1, 0.1)), kind: Affine,
        material: "stiff", friction: 0, placement: (translate: (0, 0.05095, 0)))],
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ImplicitEuler,
    time: (step: "1/120", duration: 1),
    solver: (tolerance: 1e-6),
)"#;
/// Values of the scene: `d_hat` (m), kappa (Pa), and pressure per gravity (Pa / (m/s^2)).
const D_HAT: f64 = 1e-3;
const KAPPA: f64 = 1e5;
const PRESSURE_BY_GRAVITY: f64 = 100.0;
/// Area of the lower face (m^2).
const FACE_AREA: f64 = 0.01;
/// Cells along an edge of the block, unless varied.
const DEFAULT_CELLS: u32 = 32;
/// Tolerance of the gap, relative to `d_hat`.
const TOLERANCE: f64 = 1e-3;
/// The limit pressure of the cubic barrier over kappa.
const CUBIC_LIMIT: f64 = 2.0;

/// A block at rest on a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarrierEntry {
    /// The barrier.
    pub barrier: Barrier,
    /// Cells along each of its edges.
    pub cells: u32,
    /// Area of the vertices in contact, relative to that of the face.
    pub area: f64,
    /// Weight over area of the face, over kappa.
    pub pressure: f64,
    /// Mean gap over `d_hat`.
    pub gap: f64,
    /// Gap over `d_hat` at which the barrier carries the weight on the measured area.
    pub expected: f64,
    /// Contact stiffness `b''` in units of kappa over `d_hat`.
    pub stiffness: f64,
}

/// The gap over `d_hat` at which a barrier carries `pressure` (over kappa), by bisection; `None` if there is
/// none.
pub fn gap_under(barrier: Barrier, pressure: f64) -> Option<f64> {
    let carries = |gap: f64| -barrier.at(gap, 1.0).first >= pressure;
    let (mut lower, mut upper) = (f64::MIN_POSITIVE, 1.0);
    if !carries(lower) {
        return None;
    }
    for _ in 0..2000 {
        let middle = 0.5 * (lower + upper);
        *(if carries(middle) { &mut lower } else { &mut upper }) = middle;
    }
    Some(lower)
}

/// The contact area (m^2): a third of each incident triangle for each vertex below `d_hat`.
fn contact_area(mesh: &BodyMesh, positions: &[Vec3]) -> f64 {
    let points = mesh.surface.points(positions);
    let area_of = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|i| points[i as usize]);
        let corners_below = [a, b, c].iter().filter(|p| p.y < D_HAT).count();
        corners_below as f64 / 3.0 * 0.5 * (b - a).cross(c - a).length()
    };
    mesh.surface.triangles().iter().map(area_of).sum()
}

/// The mean gap (m) between the vertices below `d_hat` and the floor at height 0. The gaps differ: the block tilts
/// slightly, because its corners have different numbers of triangles.
fn mean_gap(mesh: &BodyMesh, positions: &[Vec3]) -> f64 {
    let heights = || mesh.surface.points(positions).into_owned().into_iter().map(|p| p.y);
    let heights_below: Vec<f64> = heights().filter(|y| *y < D_HAT).collect();
    heights_below.iter().sum::<f64>() / heights_below.len() as f64
}

/// Settles a block with `cells` cells per edge, whose gravity is such that its pressure over kappa is `pressure`, and
/// measures its gap.
///
/// # Errors
/// If it does not come to rest.
fn settle_block(barrier: Barrier, cells: u32, pressure: f64) -> Result<BarrierEntry, StudyError> {
    let name = format!("the block under {pressure} kappa and {barrier:?}");
    let gravity = pressure * KAPPA / PRESSURE_BY_GRAVITY;
    let fields = [
        format!("contact.barrier={barrier:?}"),
        format!("gravity=(0, -{gravity}, 0)"),
        format!("bodies.block.shape.Box.cells=({cells}, {cells}, {cells})"),
    ];
    let scene = scene_with(&name, SCENE, fields.iter().map(String::as_str))?;
    let built = build_scene(&scene, &name)?;
    let mut world = built.world;
    let area = contact_area(&built.meshes[0], &world.state(0).positions) / FACE_AREA;
    let mut settling = Settling::new(&mut world, scene.time.step.seconds());
    while (settling.advance(&mut world).map_err(|failure| scene_error(&name, failure))?)
        .settled
        .is_none()
    {}
    let gap = mean_gap(&built.meshes[0], &world.state(0).positions) / D_HAT;
    let expected = gap_under(barrier, pressure / area).unwrap_or(f64::NAN);
    let stiffness = barrier.at(gap, 1.0).second;
    Ok(BarrierEntry { barrier, cells, area, pressure, gap, expected, stiffness })
}

/// All barriers under pressures of 0.01 to 100 kappa below their limit pressure; the clamped logarithm under kappa also
/// with coarser cells.
///
/// # Errors
/// If a block does not come to rest.
pub fn measure(watch: Watch<'_>) -> Result<Vec<BarrierEntry>, StudyError> {
    let mut entries = Vec::new();
    for barrier in Barrier::ALL {
        let limit = if barrier == Barrier::Cubic { CUBIC_LIMIT } else { f64::INFINITY };
        for pressure in [0.01, 0.1, 1.0, 10.0, 100.0].into_iter().filter(|p| *p < limit) {
            entries.push(settle_block(barrier, DEFAULT_CELLS, pressure)?);
            watch(&format!("{barrier:?}, {pressure} kappa"));
        }
    }
    for cells in [2, 4, 8, 16] {
        entries.push(settle_block(Barrier::ClampedLog, cells, 1.0)?);
        watch(&format!("{cells} cells"));
    }
    Ok(entries)
}

/// One row per block.
pub fn table(entries: &[BarrierEntry]) -> Table {
    Table::with_rows("barrier", entries)
        .column("barrier", |e| format!("{:?}", e.barrier))
        .column("cells", |e| e.cells)
        .number("area/face", 3, |e| e.area)
        .number("pressure/kappa", 1, |e| e.pressure)
        .number("gap/d_hat", 3, |e| e.gap)
        .number("expected", 3, |e| e.expected)
        .number("stiffness d_hat/kappa", 2, |e| e.stiffness)
        .column("as expected", |e| (e.gap - e.expected).abs() < TOLERANCE)
        .compare("from expected (%)", Deviation::Percent, "gap/d_hat", "expected")
        .table()
}

/// Ratio of the pressure at the end of a cross to that in its middle.
const CROSS_RATIO: f64 = 1.15;
/// Half of the height of a cross, in units of the gap.
const CROSS_HALF_HEIGHT: f64 = 0.015;

/// Graph of the gap over the pressure: curves of the formulas, and a cross for each block with the default number of
/// cells.
pub fn chart(entries: &[BarrierEntry]) -> Graph {
    let curve = |(color_index, &barrier): (usize, &Barrier)| {
        let gaps = (1..1000).map(|k| f64::from(k) / 1000.0);
        let points = gaps.map(|gap| (-barrier.at(gap, 1.0).first, gap));
        let in_range = points.filter(|(pressure, _)| (1e-3..1e3).contains(pressure));
        Curve::new(format!("{barrier:?}"), color_index, in_range.collect())
    };
    // Each cross consists of two short strokes.
    let cross = |entry: &BarrierEntry| {
        let color_index = Barrier::ALL.iter().position(|b| *b == entry.barrier).unwrap_or(0);
        let (pressure, gap) = (entry.pressure, entry.gap);
        let horizontal = vec![(pressure / CROSS_RATIO, gap), (pressure * CROSS_RATIO, gap)];
        let vertical =
            vec![(pressure, gap - CROSS_HALF_HEIGHT), (pressure, gap + CROSS_HALF_HEIGHT)];
        [horizontal, vertical].map(|points| Curve::new("", color_index, points))
    };
    let curves = Barrier::ALL.iter().enumerate().map(curve);
    Graph {
        name: "barrier".to_owned(),
        x: Axis::logarithmic("pressure over kappa", [1e-3, 1e3]),
        y: Axis::linear("gap over d_hat", [0.0, 1.0]),
        marks: Marks::Lines,
        curves: curves
            .chain(entries.iter().filter(|e| e.cells == DEFAULT_CELLS).flat_map(cross))
            .collect(),
    }
}
