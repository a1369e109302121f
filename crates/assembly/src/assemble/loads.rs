//! Loads of bodies: conservative loads and follower loads.

use super::body::nodes_in_region;
use super::discretisation::Discretisation;
use super::error;
use super::faces;
use resile_energy::{
    Factor, FollowerLaw, FollowerLoad, Force, Gas, GasLaw, Hydrostatic, Liquid, Pressure, Schedule,
    Sine, SpreadTorque,
};
use resile_math::Vec3;
use resile_scene::description::{
    ForceSpread, Formula, Problem, Region, Term, TimeFunction, expression,
};
use resile_system::Energy;

/// The load of a term that follows the deformation and has no potential; `None` for other terms.
pub(super) fn follower_load(
    term: &Term,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Option<FollowerLoad>, Problem> {
    let region_path = || format!("{path}.region");
    let (law, start, end, factor) = match term {
        Term::SurfacePressure { pressure, region, follows: true, start, end, factor } => {
            let patch = faces::patch_in_region(region, discretisation, region_path())?;
            (FollowerLaw::Pressure(patch, constant_value(pressure)), start, end, factor)
        }
        Term::Hydrostatic { surface, density, gravity, region, inside, start, end, factor } => {
            let patch = faces::patch_in_region(region, discretisation, region_path())?;
            if patch.is_closed() {
                return Ok(None);
            }
            let liquid = liquid_below([*surface, *gravity], *density, *inside);
            (FollowerLaw::Hydrostatic(patch.flat(), liquid), start, end, factor)
        }
        Term::Torque { torque, region, spread, follows: true, start, end, factor } => {
            let torque = spread_torque(*torque, (region, *spread), discretisation, path)?;
            (FollowerLaw::Torque(torque), start, end, factor)
        }
        _ => return Ok(None),
    };
    let factor = time_factor(*start, *end, factor.as_ref(), path)?;
    Ok(Some(FollowerLoad::new(law, factor)))
}

/// The potential of the load of a term.
pub(super) fn load_potential(
    term: &Term,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Box<dyn Energy>, Problem> {
    let (count, region_path) = (discretisation.start.len(), || format!("{path}.region"));
    let force_term = |forces: Vec<(usize, Vec3)>, factor: Factor, help: &str| {
        let load = Force::new(count, forces, factor).map_err(|e| error(path, e, help))?;
        Ok(Box::new(load) as Box<dyn Energy>)
    };
    match term {
        Term::Force { force, region, spread, start, end, factor } => {
            let weights = node_weights(region, *spread, discretisation, region_path())?;
            let factor = time_factor(*start, *end, factor.as_ref(), path)?;
            let load = Force::spread(count, Vec3::from_array(*force), &weights, factor)
                .map_err(|e| error(path, e, "correct the force"))?;
            Ok(Box::new(load))
        }
        Term::Traction { traction, region, start, end, factor } => {
            let patch = faces::patch_in_region(region, discretisation, region_path())?;
            let areas = patch.areas(&discretisation.placed).into_iter();
            let traction = Vec3::from_array(traction.each_ref().map(constant_value));
            let nodal_forces = areas.map(|(node, area)| (node, traction * area));
            let factor = time_factor(*start, *end, factor.as_ref(), path)?;
            force_term(nodal_forces.collect(), factor, "correct the traction")
        }
        Term::SurfacePressure { pressure, region, start, end, factor, .. } => {
            let patch = faces::patch_in_region(region, discretisation, region_path())?;
            let areas = patch.area_vectors(&discretisation.placed).into_iter();
            let nodal_forces =
                areas.map(|(node, area)| (node, area * -constant_value(pressure))).collect();
            let factor = time_factor(*start, *end, factor.as_ref(), path)?;
            force_term(nodal_forces, factor, "correct the pressure")
        }
        Term::Torque { torque, region, spread, start, end, factor, .. } => {
            let torque = spread_torque(*torque, (region, *spread), discretisation, path)?;
            let nodal_forces = torque.forces(&discretisation.placed);
            let nodal_forces =
                nodal_forces.map_err(|e| error(region_path(), e, COLLINEAR_REGION_HINT))?;
            let factor = time_factor(*start, *end, factor.as_ref(), path)?;
            force_term(nodal_forces, factor, "correct the torque")
        }
        Term::Hydrostatic { surface, density, gravity, region, inside, start, end, factor } => {
            let liquid = liquid_below([*surface, *gravity], *density, *inside);
            let triangles = faces::patch_in_region(region, discretisation, region_path())?.flat();
            let factor = time_factor(*start, *end, factor.as_ref(), path)?;
            let load = Hydrostatic::new(count, &triangles, liquid, factor);
            Ok(Box::new(load.map_err(|e| error(path, e, "correct the liquid"))?))
        }
        Term::Pressure { pressure, start, end, factor } => {
            let factor = time_factor(*start, *end, factor.as_ref(), path)?;
            let triangles = discretisation.surface.triangles();
            let load = Pressure::new(count, triangles, *pressure, factor);
            Ok(Box::new(load.map_err(|e| error(path, e, "pressure needs a closed surface"))?))
        }
        Term::Gas { pressure, outside, exponent, region, factor } => {
            let triangles = faces::patch_in_region(region, discretisation, region_path())?.flat();
            let law = GasLaw { pressure: *pressure, exponent: *exponent, outside: *outside };
            let amount = scheduled_factor(Schedule::constant(1.0), factor.as_ref(), path)?;
            let load = Gas::new(&discretisation.placed, &triangles, law, amount);
            let help = "gas needs closed faces: choose a `region` that has them";
            Ok(Box::new(load.map_err(|e| error(region_path(), e, help))?))
        }
        _ => Err(error(path, "the term is no load", "correct the term")),
    }
}

/// Remedy for a torque on nodes of one line.
const COLLINEAR_REGION_HINT: &str =
    "make the region larger, so that its nodes do not lie on one line";

/// The nodes of a region, with weights that distribute a load over them.
fn node_weights(
    region: &Region,
    spread: ForceSpread,
    discretisation: &Discretisation,
    path: String,
) -> Result<Vec<(usize, f64)>, Problem> {
    match spread {
        ForceSpread::Area => {
            Ok(faces::patch_in_region(region, discretisation, path)?.areas(&discretisation.placed))
        }
        ForceSpread::Equal => {
            let nodes = nodes_in_region(region, discretisation, path)?;
            Ok(nodes.into_iter().map(|node| (node, 1.0)).collect())
        }
        ForceSpread::Mass => {
            let nodes = nodes_in_region(region, discretisation, path)?.into_iter();
            Ok(nodes.map(|node| (node, discretisation.masses[node])).collect())
        }
    }
}

/// A torque that is distributed over the nodes of a region. Fails if the initial positions do not allow it.
fn spread_torque(
    torque: [f64; 3],
    (region, spread): (&Region, ForceSpread),
    discretisation: &Discretisation,
    path: &str,
) -> Result<SpreadTorque, Problem> {
    let region_path = || format!("{path}.region");
    let weights = node_weights(region, spread, discretisation, region_path())?;
    let load = SpreadTorque::new(Vec3::from_array(torque), weights)
        .map_err(|e| error(path, e, "correct the torque"))?;
    load.forces(&discretisation.start)
        .map_err(|e| error(region_path(), e, COLLINEAR_REGION_HINT))?;
    Ok(load)
}

/// A liquid of a `density` (kg/m^3) below a point of its surface (m), in a field of gravity (m/s^2).
fn liquid_below([surface, gravity]: [[f64; 3]; 2], density: f64, inside: bool) -> Liquid {
    let weight = Vec3::from_array(gravity) * density;
    Liquid { surface: Vec3::from_array(surface), weight, inside }
}

/// A factor that acts between two times and is zero outside.
pub(super) fn time_factor(
    start: f64,
    end: Option<f64>,
    factor: Option<&TimeFunction>,
    path: &str,
) -> Result<Factor, Problem> {
    let window = Schedule::window(start, end.unwrap_or(f64::INFINITY));
    scheduled_factor(window.map_err(|e| error(path, e, "correct the times"))?, factor, path)
}

/// The value of a formula that is a number. Loads with expressions are [field loads](super::field_loads).
fn constant_value(formula: &Formula) -> f64 {
    formula.number().unwrap_or(0.0)
}

/// A function of time, times a schedule.
fn scheduled_factor(
    schedule: Schedule<f64>,
    factor: Option<&TimeFunction>,
    path: &str,
) -> Result<Factor, Problem> {
    let table = |points: Vec<(f64, f64)>| {
        Factor::table(schedule.clone(), points).map_err(|e| error(path, e, "correct the times"))
    };
    match factor {
        None => Ok(schedule.into()),
        Some(TimeFunction::Expression(text)) => Ok(Factor::expression(schedule, expression(text))),
        Some(TimeFunction::Ramp { start, end }) => table(vec![(*start, 0.0), (*end, 1.0)]),
        Some(TimeFunction::Table { points }) => {
            table(points.iter().map(|&[t, f]| (t, f)).collect())
        }
        Some(&TimeFunction::Sine { frequency, amplitude, phase, offset }) => {
            let phase = phase.to_radians();
            Ok(Factor::sine(schedule, Sine { frequency, amplitude, phase, offset }))
        }
    }
}
