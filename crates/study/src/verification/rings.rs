//! Buckling of rings under external pressure, which depends on how the load follows the surface.

use super::mapped::{MappedSolid, Order, elastic, is_at, world};
use super::{CaseOnMesh, VerificationEntry};
use crate::drive::{StudyError, scene_error};
use resile_energy::{
    FollowerLaw, FollowerLoad, Material, MembraneLaw, PatchPressure, PlateBending, RestAngles,
    Schedule, SheetMaterial, ShellMembrane, SurfacePatch,
};
use resile_mesh::TriMesh;
use resile_system::{Body, Held, Mat3, Motion, Prescribed, State, Vec3};
use resile_world::World;
use std::f64::consts::{FRAC_PI_2, TAU};

const TUBE: &str = "long tube under external pressure";
const RING: &str = "ring under external pressure (Levy 1884)";
/// Young's modulus (Pa).
const YOUNG: f64 = 1e7;
/// Wall thickness over the mean radius of 1 m.
const THICKNESS: f64 = 0.02;
/// The load of the analysis over the critical one.
const LOAD_FRACTION: f64 = 0.1;

/// `E I / R^3` (Pa) for a wall of this thickness and a mean radius of 1 m.
fn ring_stiffness(young: f64) -> f64 {
    young * THICKNESS.powi(3) / 12.0
}

/// The smallest factor of the load of `loaded` at which it buckles; `unloaded` is the same body without load.
fn load_factor(unloaded: &World, mut loaded: World, case: &str) -> Result<f64, StudyError> {
    let stiffness = unloaded.stiffness(0);
    loaded.load_step(1.0, 1.0).map_err(|failure| scene_error(case, failure))?;
    let modes = loaded.buckling(0, &stiffness, 1).map_err(|failure| scene_error(case, failure))?;
    modes.first().map(|mode| mode.factor).ok_or_else(|| scene_error(case, "there is no mode"))
}

/// A tube in plane strain by solids: a quarter between planes of symmetry. A pressure that follows the surface has the
/// critical value `3 E I / (1 - nu^2) R^3`; one that keeps its direction, `4 E I / (1 - nu^2) R^3` (Levy 1884; Singer
/// and Babcock 1970, *On the buckling of rings under constant directional and centrally directed pressure*).
pub(super) fn tube(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let poisson = 0.3;
    let (inner, outer) = (1.0 - 0.5 * THICKNESS, 1.0 + 0.5 * THICKNESS);
    let map = |unit: Vec3| {
        let (radius, angle) = (inner + THICKNESS * unit.x, FRAC_PI_2 * unit.y);
        let cosine = if is_at(unit.y, 1.0) { 0.0 } else { libm::cos(angle) };
        Vec3::new(radius * cosine, radius * libm::sin(angle), 0.05 * unit.z)
    };
    let solid = MappedSolid::new([1, if quick { 24 } else { 48 }, 1], Order::Curved, map);
    let held = |unit: Vec3| {
        [is_at(unit.y, 1.0), is_at(unit.y, 0.0), is_at(unit.z, 0.0) || is_at(unit.z, 1.0)]
    };
    let material = || elastic(Material::StVenantKirchhoff, YOUNG, poisson);
    let unit_pressure = ring_stiffness(YOUNG / (1.0 - poisson * poisson)) / outer;
    let case = CaseOnMesh { case: TUBE, mesh: solid.description() };
    let unloaded = solid.world(material(), Vec::new(), held);
    let following = {
        let pressure = 3.0 * LOAD_FRACTION * unit_pressure;
        let (body, state) = solid.body(material(), Vec::new(), held);
        let free = |node: usize| {
            Mat3::from_diagonal(Vec3::from_array(
                held(solid.unit(node)).map(|held| f64::from(u8::from(!held))),
            ))
        };
        let always = Schedule::constant(1.0);
        let load = PatchPressure::new(solid.side(0, 1.0), &state.positions, free, pressure, always);
        let load = load.ok_or_else(|| scene_error(TUBE, "the pressure has no potential"))?;
        world(vec![(body.with(load), state)], None, solid.extent())
    };
    let dead = {
        let pressure = 4.0 * LOAD_FRACTION * unit_pressure;
        solid.world(material(), solid.pressure(0, 1.0, pressure), held)
    };
    // The theory is that of a thin ring: its error is of the order of the thickness over the radius.
    let tolerance = 1.5 * THICKNESS;
    Ok(vec![
        case.entry(
            "critical pressure that follows over E I / (1 - nu^2) R^3",
            3.0 * LOAD_FRACTION * load_factor(&unloaded, following, TUBE)?,
            3.0,
            tolerance,
        ),
        case.entry(
            "critical dead pressure over E I / (1 - nu^2) R^3",
            4.0 * LOAD_FRACTION * load_factor(&unloaded, dead, TUBE)?,
            4.0,
            tolerance,
        ),
    ])
}

/// A ring by shells with free rims, on which a pressure that follows the surface has no potential: `3 E I / R^3`.
pub(super) fn ring(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let mesh = ring_mesh(if quick { 48 } else { 96 });
    let patch = SurfacePatch { triangles: mesh.triangles.clone(), quadratic: Vec::new() };
    let unloaded = ring_world(&mesh, |body| body);
    let loaded = ring_world(&mesh, |body| {
        let pressure = 3.0 * LOAD_FRACTION * ring_stiffness(YOUNG);
        let law = FollowerLaw::Pressure(patch.clone(), pressure);
        body.with_dissipation(FollowerLoad::new(law, Schedule::constant(1.0)))
    });
    let case =
        CaseOnMesh { case: RING, mesh: format!("{} triangles, shell", mesh.triangles.len()) };
    Ok(vec![case.entry(
        "critical pressure that follows over E I / R^3",
        3.0 * LOAD_FRACTION * load_factor(&unloaded, loaded, RING)?,
        3.0,
        THICKNESS,
    )])
}

/// A ring about the z axis, two cells wide.
fn ring_mesh(sides: usize) -> TriMesh {
    let half_width = 0.5 * TAU / sides as f64;
    let node = |k: usize| {
        let angle = TAU * (k / 3) as f64 / sides as f64;
        Vec3::new(libm::cos(angle), libm::sin(angle), half_width * ((k % 3) as f64 - 1.0))
    };
    let cell = |k: usize| {
        let [a, b] = [k / 2, (k / 2 + 1) % sides].map(|column| (3 * column + k % 2) as u32);
        // Alternating diagonals.
        if (k / 2 + k).is_multiple_of(2) {
            [[a, b, b + 1], [a, b + 1, a + 1]]
        } else {
            [[a, b, a + 1], [b, b + 1, a + 1]]
        }
    };
    TriMesh {
        positions: (0..3 * sides).map(node).collect(),
        triangles: (0..2 * sides).flat_map(cell).collect(),
    }
}

/// A ring with a load. Its middle line is held along z, and points at the axes against rigid motions in the plane, of
/// which the buckling shape `cos 2 theta` has none.
fn ring_world(mesh: &TriMesh, load: impl Fn(Body) -> Body) -> World {
    let sheet = SheetMaterial::new(YOUNG, 0.0, THICKNESS).expect("a proper material");
    let law = MembraneLaw::StVenantKirchhoff(sheet.plane());
    let TriMesh { positions, triangles } = mesh;
    let membrane = ShellMembrane::new(positions, triangles, law).expect("a proper mesh");
    let angles = RestAngles::AsGiven;
    let bending = PlateBending::new(positions, triangles, sheet.plate(), angles, None);
    let areas = mesh.surface().vertex_areas(positions);
    let masses = areas.into_iter().map(|area| area * THICKNESS).collect();
    let mut body =
        load(Body::new("ring", masses).with(membrane).with(bending.expect("a proper mesh")));
    let quarter = positions.len() / 4;
    let hold = |node: usize| {
        let is_in_middle = node % 3 == 1;
        let axes = [
            is_in_middle && node / quarter == 1 && node % quarter == 1,
            is_in_middle && (node / quarter).is_multiple_of(2) && node % quarter == 1,
            is_in_middle,
        ];
        axes.contains(&true).then(|| Prescribed {
            node,
            start: positions[node],
            motion: Motion::Fixed,
            until: None,
            held: Held::axes(Mat3::IDENTITY, axes),
        })
    };
    body.prescribed = (0..positions.len()).filter_map(hold).collect();
    let state = State::new(0.0, positions.clone(), vec![Vec3::ZERO; positions.len()]);
    world(vec![(body, state)], None, 1.0)
}
