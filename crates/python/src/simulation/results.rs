//! Energies and contact forces as dictionaries.

use super::Simulation;
use crate::arrays::{row_array, vector_array};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use resile_math::Vec3;
use resile_record::Heat;
use resile_runner::EnergyFlows;
use resile_world::{Observed, WorldForces};

/// The entries of `Simulation.energies`.
pub(super) fn energy_entries<'py>(
    py: Python<'py>,
    observation: &Observed,
    flows: &EnergyFlows,
    heat: &Heat,
) -> PyResult<Bound<'py, PyDict>> {
    let entries = PyDict::new(py);
    entries.set_item("kinetic", observation.kinetic())?;
    entries.set_item("potential", observation.potential())?;
    entries.set_item("total", observation.total())?;
    entries.set_item("target", observation.target())?;
    let terms = PyDict::new(py);
    observation.terms.iter().try_for_each(|(name, value)| terms.set_item(name, value))?;
    entries.set_item("terms", terms)?;
    entries.set_item("start", flows.start)?;
    entries.set_item("dissipated", flows.dissipated)?;
    let heat_by_cause = PyDict::new(py);
    heat_by_cause.set_item("friction", heat.friction)?;
    heat_by_cause.set_item("damping", heat.damping)?;
    heat_by_cause.set_item("plastic_flow", heat.plastic_flow)?;
    heat_by_cause.set_item("contact_damping", heat.contact_damping)?;
    heat_by_cause.set_item("contact", heat.contact)?;
    entries.set_item("heat", heat_by_cause)?;
    entries.set_item("work", flows.work)?;
    entries.set_item("rest_loss", flows.rest_loss)?;
    entries.set_item("min_distance", observation.certificate.min_distance)?;
    entries.set_item("min_det_f", observation.certificate.min_det_f)?;
    Ok(entries)
}

/// The fields of `resile.Contacts`.
pub(super) fn contact_entries<'py>(
    py: Python<'py>,
    forces: Option<WorldForces>,
    simulation: &Simulation,
) -> PyResult<Bound<'py, PyDict>> {
    let (pairs, bodies) =
        forces.map_or_else(Default::default, |forces| (forces.pairs, forces.bodies));
    let entries = PyDict::new(py);
    let name = |collider: usize| simulation.collider_names[collider].as_str();
    let names: Vec<[&str; 2]> = pairs.iter().map(|pair| pair.colliders.map(name)).collect();
    entries.set_item("names", names)?;
    let collider_indices = pairs.iter().map(|pair| pair.colliders.map(|k| k as i64));
    entries.set_item("pairs", row_array(py, collider_indices)?)?;
    let gaps = pairs.iter().map(|pair| pair.smallest_gap).collect();
    entries.set_item("gaps", PyArray1::from_vec(py, gaps))?;
    let counts = pairs.iter().map(|pair| pair.contacts as i64).collect();
    entries.set_item("counts", PyArray1::from_vec(py, counts))?;
    let normal: Vec<Vec3> = pairs.iter().map(|pair| pair.normal).collect();
    let friction: Vec<Vec3> = pairs.iter().map(|pair| pair.friction).collect();
    entries.set_item("normal", vector_array(py, &normal)?)?;
    entries.set_item("friction", vector_array(py, &friction)?)?;
    let by_body = PyDict::new(py);
    for (name, forces) in simulation.names.iter().zip(&bodies) {
        let normal = vector_array(py, &forces.normal)?;
        let friction = vector_array(py, &forces.friction)?;
        by_body.set_item(name, (normal, friction))?;
    }
    entries.set_item("bodies", by_body)?;
    Ok(entries)
}
