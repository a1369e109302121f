//! The gap between surfaces under a pressure.
//!
//! A flat contact with the gap `s d_hat` carries the pressure `-kappa b'(s)` (in the units of
//! [`Barrier`]), so the gap is a function of pressure over kappa. The study compares this with the gap of a block
//! at rest on a plane, whose pressure is weight over area.
//!
//! The contact area is the sum over vertices of a third of their incident triangles (Li et al. 2020). At the
//! boundary of a face these include triangles of the side faces, so the area and the force are too large by a fraction of
//! about 1.5 edge lengths over the size of the face. The study measures both.

use crate::drive::{StudyError, Watch, unfit};
use crate::table::{Deviation, Table};
use crate::track::{built, overridden};
use resile_assembly::BodyMesh;
use resile_contact::Barrier;
use resile_plot::{Axis, Curve, Graph, Marks};
use resile_system::Vec3;
use resile_world::Settling;

/// A stiff block of 10 cm and 1000 kg/m^3 just inside `d_hat` of a plane.
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
const FACE: f64 = 0.01;
/// Cells along an edge of the block, unless varied.
const CELLS: u32 = 32;
/// Tolerance of the gap, relative to `d_hat`.
const TOLERANCE: f64 = 1e-3;
/// The limit pressure of the cubic barrier over kappa.
const CUBIC_LIMIT: f64 = 2.0;

/// A block at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarrierEntry {
    /// The barrier.
    pub barrier: Barrier,
    /// Cells along each of its edges.
    pub cells: u32,
    /// Area of the vertices in contact, relative to that of the face.
    pub area: f64,
    /// Its weight over its area, over kappa.
    pub pressure: f64,
    /// Its mean gap over `d_hat`.
    pub gap: f64,
    /// The expected gap over `d_hat` from the pressure on that area.
    pub expected: f64,
    /// Contact stiffness `b''` in units of kappa over `d_hat`.
    pub stiffness: f64,
}

/// The gap over `d_hat` at which a barrier carries `pressure` (over kappa), by bisection; `None` if there is
/// none.
pub fn gap_under(barrier: Barrier, pressure: f64) -> Option<f64> {
    let carries = |gap: f64| -barrier.at(gap, 1.0).first >= pressure;
    let (mut near, mut far) = (f64::MIN_POSITIVE, 1.0);
    if !carries(near) {
        return None;
    }
    for _ in 0..2000 {
        let middle = 0.5 * (near + far);
        *(if carries(middle) { &mut near } else { &mut far }) = middle;
    }
    Some(near)
}

/// The area (m^2) of the lowest vertices: a third of each incident triangle.
fn area_below(mesh: &BodyMesh, positions: &[Vec3]) -> f64 {
    let points = mesh.surface.points(positions);
    let area_of = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|i| points[i as usize]);
        let below = [a, b, c].iter().filter(|p| p.y < D_HAT).count();
        below as f64 / 3.0 * 0.5 * (b - a).cross(c - a).length()
    };
    mesh.surface.triangles().iter().map(area_of).sum()
}

/// The mean height (m) of the lowest vertices above the floor at 0. The block tilts slightly, because corners have
/// different numbers of triangles.
fn gap_below(mesh: &BodyMesh, positions: &[Vec3]) -> f64 {
    let heights = || mesh.surface.points(positions).into_owned().into_iter().map(|p| p.y);
    let below: Vec<f64> = heights().filter(|y| *y < D_HAT).collect();
    below.iter().sum::<f64>() / below.len() as f64
}

/// A block with `cells` cells per edge under this pressure (over kappa).
///
/// # Errors
/// If it does not come to rest.
fn entry(barrier: Barrier, cells: u32, pressure: f64) -> Result<BarrierEntry, StudyError> {
    let name = format!("the block under {pressure} kappa and {barrier:?}");
    let gravity = pressure * KAPPA / PRESSURE_BY_GRAVITY;
    let fields = [
        format!("contact.barrier={barrier:?}"),
        format!("gravity=(0, -{gravity}, 0)"),
        format!("bodies.block.shape.Box.cells=({cells}, {cells}, {cells})"),
    ];
    let scene = overridden(&name, SCENE, fields.iter().map(String::as_str))?;
    let built = built(&scene, &name)?;
    let mut world = built.world;
    let area = area_below(&built.meshes[0], &world.state(0).positions) / FACE;
    let mut settling = Settling::new(&mut world, scene.time.step.seconds());
    while (settling.advance(&mut world).map_err(|failure| unfit(&name, failure))?).settled.is_none()
    {
    }
    let gap = gap_below(&built.meshes[0], &world.state(0).positions) / D_HAT;
    let expected = gap_under(barrier, pressure / area).unwrap_or(f64::NAN);
    let stiffness = barrier.at(gap, 1.0).second;
    Ok(BarrierEntry { barrier, cells, area, pressure, gap, expected, stiffness })
}

/// All barriers under pressures of 0.01 to 100 kappa, up to their limit pressure; the first also under kappa
/// with coarser cells.
///
/// # Errors
/// If a block does not come to rest.
pub fn measure(watch: Watch<'_>) -> Result<Vec<BarrierEntry>, StudyError> {
    let mut entries = Vec::new();
    for barrier in Barrier::ALL {
        let limit = if barrier == Barrier::Cubic { CUBIC_LIMIT } else { f64::INFINITY };
        for pressure in [0.01, 0.1, 1.0, 10.0, 100.0].into_iter().filter(|p| *p < limit) {
            entries.push(entry(barrier, CELLS, pressure)?);
            watch(&format!("{barrier:?}, {pressure} kappa"));
        }
    }
    for cells in [2, 4, 8, 16] {
        entries.push(entry(Barrier::ClampedLog, cells, 1.0)?);
        watch(&format!("{cells} cells"));
    }
    Ok(entries)
}

/// One row per block.
pub fn table(entries: &[BarrierEntry]) -> Table {
    Table::of("barrier", entries)
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

/// Gap over pressure: curves of the formulas, and a cross for each block.
pub fn chart(entries: &[BarrierEntry]) -> Graph {
    let curve = |(place, &barrier): (usize, &Barrier)| {
        let gaps = (1..1000).map(|k| f64::from(k) / 1000.0);
        let points = gaps.map(|gap| (-barrier.at(gap, 1.0).first, gap));
        let shown = points.filter(|(pressure, _)| (1e-3..1e3).contains(pressure));
        Curve::new(format!("{barrier:?}"), place, shown.collect())
    };
    // Each cross consists of two short strokes.
    let cross = |(place, e): (usize, &BarrierEntry)| {
        let color_index = Barrier::ALL.iter().position(|b| *b == e.barrier).unwrap_or(place);
        let across = vec![(e.pressure / 1.15, e.gap), (e.pressure * 1.15, e.gap)];
        let upwards = vec![(e.pressure, e.gap - 0.015), (e.pressure, e.gap + 0.015)];
        [across, upwards].map(|points| Curve::new("", color_index, points))
    };
    let curves = Barrier::ALL.iter().enumerate().map(curve);
    Graph {
        name: "barrier".to_owned(),
        x: Axis::logarithmic("pressure over kappa", [1e-3, 1e3]),
        y: Axis::linear("gap over d_hat", [0.0, 1.0]),
        marks: Marks::Lines,
        curves: curves
            .chain(entries.iter().filter(|e| e.cells == CELLS).enumerate().flat_map(cross))
            .collect(),
    }
}
