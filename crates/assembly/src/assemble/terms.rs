//! A body's further terms and its damping.

use super::discretisation::{Discretisation, Elastic};
use super::error;
use super::evaluated::Evaluated;
use super::{field_loads, follower_pressure, loads};
use resile_energy::{
    CentralField, CoordinateLaw, CoordinateTerm, EtherDrag, Intervals, MassDamping, Repulsion,
    RigidPreservingDamping, Solid, SpringElement, SpringLaw, Springs, StiffnessDamping,
};
use resile_math::Vec3;
use resile_scene::description::{
    Axis, Body as Described, Damping, ExpandedBody, Problem, Repeller, SpringLaw as Law, Term,
};
use resile_system::{Body, Dissipation, Energy, Prescribed};
use std::sync::Arc;

/// Adds the terms of the description to the body.
pub(super) fn add_terms(
    mut body: Body,
    described: &Described,
    discretisation: &Discretisation,
    prescribed: &[Prescribed],
    path: &str,
    evaluated: &mut Vec<Evaluated>,
) -> Result<Body, Vec<Problem>> {
    let (pressures, replaced) =
        follower_pressure::potentials(&described.terms, discretisation, prescribed, path)
            .map_err(|p| vec![p])?;
    for (k, term) in described.terms.iter().enumerate().filter(|(k, _)| !replaced.contains(k)) {
        let path = format!("{path}.terms[{k}]");
        if let Some((load, expressions)) =
            field_loads::field_load(term, discretisation, &path).map_err(|p| vec![p])?
        {
            evaluated.push(expressions);
            body = body.with(load);
            continue;
        }
        if let Some(load) = loads::follower(term, discretisation, &path).map_err(|p| vec![p])? {
            body = body.with_dissipation(load);
            continue;
        }
        body.energies.push(make(term, discretisation, &path).map_err(|p| vec![p])?.into());
    }
    for pressure in pressures {
        body = body.with(pressure);
    }
    Ok(body)
}

/// Adds the damping of the material and of the description to the body.
pub(super) fn add_damping(
    mut body: Body,
    expanded: &ExpandedBody,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Body, Vec<Problem>> {
    let described = &expanded.body;
    let (count, masses) = (body.node_count(), body.masses.clone());
    let of_material = expanded.typed.material().into_iter().flat_map(|material| &material.damping);
    for damping in of_material.chain(&described.damping) {
        let one: Box<dyn Dissipation> = match *damping {
            Damping::Mass { rate } => Box::new(MassDamping::new(masses.clone(), rate)),
            Damping::Drag { coefficient } => Box::new(EtherDrag::new(count, coefficient)),
            Damping::RigidPreserving { rate } => {
                Box::new(RigidPreservingDamping::new(masses.clone(), rate))
            }
            Damping::Stiffness { time } => {
                let dissipations = stiffness(described, discretisation, time, path)?;
                body.dissipations.extend(dissipations.into_iter().map(Arc::from));
                continue;
            }
        };
        body.dissipations.push(one.into());
    }
    Ok(body)
}

/// Stiffness damping for each elastic term of a body, with a copy of the term.
fn stiffness(
    described: &Described,
    discretisation: &Discretisation,
    time: f64,
    path: &str,
) -> Result<Vec<Box<dyn Dissipation>>, Vec<Problem>> {
    let count = discretisation.start.len();
    let mut dissipations: Vec<Box<dyn Dissipation>> = Vec::new();
    for elastic in discretisation.elastic_energies(path)? {
        dissipations.push(Box::new(StiffnessDamping::new(elastic, count, time)));
    }
    for (k, term) in described.terms.iter().enumerate().filter(|(_, term)| term.is_elastic()) {
        let copy =
            make(term, discretisation, &format!("{path}.terms[{k}]")).map_err(|p| vec![p])?;
        dissipations.push(Box::new(StiffnessDamping::new(copy, count, time)));
    }
    Ok(dissipations)
}

/// Drawn lines: springs and intervals between particles, and segments of rods.
pub(super) fn drawn_lines(described: &Described, discretisation: &Discretisation) -> Vec<[u32; 2]> {
    if !(discretisation.tets.is_empty() && discretisation.triangles.is_empty()) {
        return Vec::new();
    }
    if let Elastic::Rod(rod) = &discretisation.elastic {
        return rod.rods.edges().collect();
    }
    let lines = described.terms.iter().flat_map(|term| match term {
        Term::Springs { pairs, .. } => ends(pairs.as_deref(), discretisation),
        Term::Intervals { nodes, .. } => {
            consecutive_pairs(&chosen(nodes.as_deref(), discretisation))
        }
        _ => Vec::new(),
    });
    let mut lines: Vec<[u32; 2]> = lines.map(|pair| pair.map(|node| node as u32)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Constructs a term and checks that it is finite at the start.
fn make(
    term: &Term,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Box<dyn Energy>, Problem> {
    let count = discretisation.start.len();
    if let Some((field, message)) = term.missing_node(count) {
        return Err(error(format!("{path}.{field}"), message, "nodes are counted from 0"));
    }
    let term_energy: Box<dyn Energy> = match term {
        Term::Polynomial { axis, coefficients, nodes } => {
            let law = CoordinateLaw::Polynomial { coefficients: coefficients.clone() };
            coordinate(*axis, nodes.as_deref(), law, discretisation)
        }
        Term::Cosine { axis, amplitude, nodes } => {
            let law = CoordinateLaw::Cosine { amplitude: *amplitude };
            coordinate(*axis, nodes.as_deref(), law, discretisation)
        }
        Term::PenaltyWall { axis, at, stiffness, nodes } => {
            let law = CoordinateLaw::PenaltyWall { at: *at, stiffness: *stiffness };
            coordinate(*axis, nodes.as_deref(), law, discretisation)
        }
        Term::BarrierWall { axis, at, kappa, d_hat, nodes } => {
            let behind = chosen(nodes.as_deref(), discretisation);
            refuse_behind(*axis, *at, &behind, discretisation, path)?;
            let law = CoordinateLaw::BarrierWall { at: *at, kappa: *kappa, d_hat: *d_hat };
            coordinate(*axis, nodes.as_deref(), law, discretisation)
        }
        Term::Central { center, strength, nodes } => {
            let mut masses = vec![0.0; count];
            for node in chosen(nodes.as_deref(), discretisation) {
                masses[node] = discretisation.masses[node];
            }
            Box::new(CentralField::new(masses, Vec3::from_array(*center), *strength))
        }
        Term::Springs { pairs, stiffness, rest_length, law } => {
            let pairs = ends(pairs.as_deref(), discretisation);
            springs(pairs, (*stiffness, *rest_length), *law, discretisation, path)?
        }
        Term::Force { .. }
        | Term::BodyForce { .. }
        | Term::Traction { .. }
        | Term::SurfacePressure { .. }
        | Term::Hydrostatic { .. }
        | Term::Torque { .. }
        | Term::Pressure { .. }
        | Term::Gas { .. } => loads::potential(term, discretisation, path)?,
        Term::Repulsion { from, stiffness, nodes } => {
            let springs =
                chosen(nodes.as_deref(), discretisation).into_iter().map(|node| (node, *stiffness));
            let term_energy = Repulsion::new(count, solid(from), springs.collect());
            Box::new(term_energy.map_err(|e| error(path, e, "correct the repulsion"))?)
        }
        Term::Intervals { axis, modulus, nodes } => {
            let chain = chosen(nodes.as_deref(), discretisation);
            let rest = lengths(&chain, *axis, discretisation, path)?;
            Box::new(Intervals::new(chain, index(*axis), rest, *modulus))
        }
    };
    if term_energy.value(0.0, &discretisation.start).is_finite() {
        Ok(term_energy)
    } else {
        let message = "the energy of the term is not finite at the start";
        Err(error(path, message, "move the nodes, or the term"))
    }
}

/// Converts the solid of a repulsion term.
fn solid(from: &Repeller) -> Solid {
    let at = Vec3::from_array;
    match *from {
        Repeller::Plane { point, normal } => {
            Solid::HalfSpace { point: at(point), normal: at(normal) }
        }
        Repeller::Sphere { center, radius } => Solid::Ball { center: at(center), radius },
        Repeller::Hollow { center, radius } => Solid::Cavity { center: at(center), radius },
    }
}

fn coordinate(
    axis: Axis,
    nodes: Option<&[u32]>,
    law: CoordinateLaw,
    discretisation: &Discretisation,
) -> Box<dyn Energy> {
    Box::new(CoordinateTerm::new(chosen(nodes, discretisation), index(axis), law))
}

/// Refuses nodes that start behind a barrier.
fn refuse_behind(
    axis: Axis,
    wall: f64,
    nodes: &[usize],
    discretisation: &Discretisation,
    path: &str,
) -> Result<(), Problem> {
    let place = |node: usize| discretisation.start[node].dot(axis.vector());
    match nodes.iter().find(|&&node| place(node) <= wall) {
        None => Ok(()),
        Some(&node) => {
            let message = format!(
                "node {node} starts at {} = {}, behind the wall at {}",
                name(axis),
                discretisation.units.show(place(node), "m"),
                discretisation.units.show(wall, "m")
            );
            Err(error(
                format!("{path}.at"),
                message,
                "the free side is where the coordinate is larger",
            ))
        }
    }
}

/// Springs of equal stiffness between pairs of nodes. Without `rest`, each spring has the rest length of its undeformed
/// placement.
fn springs(
    pairs: Vec<[usize; 2]>,
    (stiffness, rest): (f64, Option<f64>),
    law: Law,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Box<dyn Energy>, Problem> {
    let spring = |nodes: [usize; 2]| {
        let [a, b] = nodes.map(|node| discretisation.placed[node]);
        let rest = rest.unwrap_or_else(|| a.distance(b));
        SpringElement { nodes, rest, stiffness }
    };
    let elements = pairs.into_iter().map(spring).collect();
    let springs = Springs::new(discretisation.start.len(), elements, spring_law(law))
        .map_err(|e| error(path, e, "correct the springs"))?;
    Ok(Box::new(springs))
}

pub(super) fn spring_law(law: Law) -> SpringLaw {
    match law {
        Law::Hooke => SpringLaw::Hooke,
        Law::StVK => SpringLaw::StVenantKirchhoff,
    }
}

/// Rest lengths of the intervals of a chain, which must be ordered along its axis.
fn lengths(
    chain: &[usize],
    axis: Axis,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Vec<f64>, Problem> {
    let at = |x: &[Vec3], node: usize| x[node].dot(axis.vector());
    let show = |length: f64| discretisation.units.show(length, "m");
    for (x, when) in
        [(&discretisation.placed, "in the placed shape"), (&discretisation.start, "at the start")]
    {
        let unordered = |pair: &&[usize]| at(x, pair[1]) <= at(x, pair[0]);
        if let Some(&[a, b]) = chain.windows(2).find(unordered) {
            let (name, at_a, at_b) = (name(axis), show(at(x, a)), show(at(x, b)));
            let message = format!(
                "node {b} must come after node {a} along {name}, but {when} it is at {name} = {at_b} and the other at {at_a}"
            );
            let help = "list the nodes in the order of their coordinates, or choose another axis";
            return Err(error(path, message, help));
        }
    }
    let length =
        |pair: &[usize]| at(&discretisation.placed, pair[1]) - at(&discretisation.placed, pair[0]);
    Ok(chain.windows(2).map(length).collect())
}

/// The given nodes, or all.
fn chosen(nodes: Option<&[u32]>, discretisation: &Discretisation) -> Vec<usize> {
    match nodes {
        Some(nodes) => nodes.iter().map(|&node| node as usize).collect(),
        None => (0..discretisation.start.len()).collect(),
    }
}

/// The given pairs of nodes, or each node and the next.
fn ends(pairs: Option<&[[u32; 2]]>, discretisation: &Discretisation) -> Vec<[usize; 2]> {
    match pairs {
        Some(pairs) => pairs.iter().map(|pair| pair.map(|node| node as usize)).collect(),
        None => consecutive_pairs(&chosen(None, discretisation)),
    }
}

fn consecutive_pairs(chain: &[usize]) -> Vec<[usize; 2]> {
    chain.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

fn index(axis: Axis) -> usize {
    match axis {
        Axis::X => 0,
        Axis::Y => 1,
        Axis::Z => 2,
    }
}

fn name(axis: Axis) -> &'static str {
    ["x", "y", "z"][index(axis)]
}
