//! The terms of a body that do not follow from its material, and its damping.

use super::discretisation::{Discretisation, Elastic};
use super::error;
use super::evaluated::{Evaluated, undefined_factor};
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

/// Adds the described terms to the body. Pressures that follow the surface and have a potential are combined
/// ([`follower_pressure`]).
pub(super) fn add_terms(
    mut body: Body,
    described: &Described,
    discretisation: &Discretisation,
    prescribed: &[Prescribed],
    path: &str,
    evaluated: &mut Vec<Evaluated>,
) -> Result<Body, Vec<Problem>> {
    let (pressures, replaced) =
        follower_pressure::pressure_potentials(&described.terms, discretisation, prescribed, path)
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
        if let Some(load) =
            loads::follower_load(term, discretisation, &path).map_err(|p| vec![p])?
        {
            body = body.with_dissipation(load);
            continue;
        }
        body.energies.push(term_energy(term, discretisation, &path).map_err(|p| vec![p])?.into());
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
    let (node_count, masses) = (body.node_count(), body.masses.clone());
    let material_damping =
        expanded.typed.material().into_iter().flat_map(|material| &material.damping);
    for damping in material_damping.chain(&described.damping) {
        let dissipation: Box<dyn Dissipation> = match *damping {
            Damping::Mass { rate } => Box::new(MassDamping::new(masses.clone(), rate)),
            Damping::Drag { coefficient } => Box::new(EtherDrag::new(node_count, coefficient)),
            Damping::RigidPreserving { rate } => {
                Box::new(RigidPreservingDamping::new(masses.clone(), rate))
            }
            Damping::Stiffness { time } => {
                let dissipations = stiffness_damping(described, discretisation, time, path)?;
                body.dissipations.extend(dissipations.into_iter().map(Arc::from));
                continue;
            }
        };
        body.dissipations.push(dissipation.into());
    }
    Ok(body)
}

/// Stiffness damping for each elastic term of a body. Each dissipation has an energy of its own, constructed from the
/// description.
fn stiffness_damping(
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
        let energy = term_energy(term, discretisation, &format!("{path}.terms[{k}]"))
            .map_err(|p| vec![p])?;
        dissipations.push(Box::new(StiffnessDamping::new(energy, count, time)));
    }
    Ok(dissipations)
}

/// The lines to be drawn: springs and intervals between particles, and segments of rods. Bodies with elements or
/// triangles have none.
pub(super) fn drawn_lines(described: &Described, discretisation: &Discretisation) -> Vec<[u32; 2]> {
    if !(discretisation.tets.is_empty() && discretisation.triangles.is_empty()) {
        return Vec::new();
    }
    if let Elastic::Rod(rod) = &discretisation.elastic {
        return rod.rods.edges().collect();
    }
    let lines = described.terms.iter().flat_map(|term| match term {
        Term::Springs { pairs, .. } => spring_ends(pairs.as_deref(), discretisation),
        Term::Intervals { nodes, .. } => {
            consecutive_pairs(&node_list(nodes.as_deref(), discretisation))
        }
        _ => Vec::new(),
    });
    let mut lines: Vec<[u32; 2]> = lines.map(|pair| pair.map(|node| node as u32)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Constructs a term and checks that it is finite at the start.
fn term_energy(
    term: &Term,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Box<dyn Energy>, Problem> {
    let count = discretisation.start.len();
    if let Some((field, message)) = term.missing_node(count) {
        return Err(error(format!("{path}.{field}"), message, "nodes are counted from 0"));
    }
    let energy: Box<dyn Energy> = match term {
        Term::Polynomial { axis, coefficients, nodes } => {
            let law = CoordinateLaw::Polynomial { coefficients: coefficients.clone() };
            coordinate_term(*axis, nodes.as_deref(), law, discretisation)
        }
        Term::Cosine { axis, amplitude, nodes } => {
            let law = CoordinateLaw::Cosine { amplitude: *amplitude };
            coordinate_term(*axis, nodes.as_deref(), law, discretisation)
        }
        Term::PenaltyWall { axis, at, stiffness, nodes } => {
            let law = CoordinateLaw::PenaltyWall { at: *at, stiffness: *stiffness };
            coordinate_term(*axis, nodes.as_deref(), law, discretisation)
        }
        Term::BarrierWall { axis, at, kappa, d_hat, nodes } => {
            let wall_nodes = node_list(nodes.as_deref(), discretisation);
            refuse_behind(*axis, *at, &wall_nodes, discretisation, path)?;
            let law = CoordinateLaw::BarrierWall { at: *at, kappa: *kappa, d_hat: *d_hat };
            coordinate_term(*axis, nodes.as_deref(), law, discretisation)
        }
        Term::Central { center, strength, nodes } => {
            let mut masses = vec![0.0; count];
            for node in node_list(nodes.as_deref(), discretisation) {
                masses[node] = discretisation.masses[node];
            }
            Box::new(CentralField::new(masses, Vec3::from_array(*center), *strength))
        }
        Term::Springs { pairs, stiffness, rest_length, law } => {
            let pairs = spring_ends(pairs.as_deref(), discretisation);
            spring_term(pairs, (*stiffness, *rest_length), *law, discretisation, path)?
        }
        Term::Force { .. }
        | Term::BodyForce { .. }
        | Term::Traction { .. }
        | Term::SurfacePressure { .. }
        | Term::Hydrostatic { .. }
        | Term::Torque { .. }
        | Term::Pressure { .. }
        | Term::Gas { .. } => loads::load_potential(term, discretisation, path)?,
        Term::Repulsion { from, stiffness, nodes } => {
            let stiffnesses = node_list(nodes.as_deref(), discretisation)
                .into_iter()
                .map(|node| (node, *stiffness));
            let repulsion = Repulsion::new(count, repelling_solid(from), stiffnesses.collect());
            Box::new(repulsion.map_err(|e| error(path, e, "correct the repulsion"))?)
        }
        Term::Intervals { axis, modulus, nodes } => {
            let chain = node_list(nodes.as_deref(), discretisation);
            let rest_lengths = interval_lengths(&chain, *axis, discretisation, path)?;
            Box::new(Intervals::new(chain, axis_index(*axis), rest_lengths, *modulus))
        }
    };
    if energy.value(0.0, &discretisation.start).is_finite() {
        Ok(energy)
    } else if let Some(problem) = undefined_factor(term, path) {
        Err(problem)
    } else {
        let message = "the energy of the term is not finite at the start";
        Err(error(path, message, "move the nodes, or the term"))
    }
}

/// The solid of a repulsion term.
fn repelling_solid(from: &Repeller) -> Solid {
    let vector = Vec3::from_array;
    match *from {
        Repeller::Plane { point, normal } => {
            Solid::HalfSpace { point: vector(point), normal: vector(normal) }
        }
        Repeller::Sphere { center, radius } => Solid::Ball { center: vector(center), radius },
        Repeller::Hollow { center, radius } => Solid::Cavity { center: vector(center), radius },
    }
}

/// A potential of one coordinate of nodes.
fn coordinate_term(
    axis: Axis,
    nodes: Option<&[u32]>,
    law: CoordinateLaw,
    discretisation: &Discretisation,
) -> Box<dyn Energy> {
    Box::new(CoordinateTerm::new(node_list(nodes, discretisation), axis_index(axis), law))
}

/// Refuses nodes that start behind a wall, where the barrier is not defined.
fn refuse_behind(
    axis: Axis,
    wall: f64,
    nodes: &[usize],
    discretisation: &Discretisation,
    path: &str,
) -> Result<(), Problem> {
    let coordinate = |node: usize| discretisation.start[node].dot(axis.vector());
    match nodes.iter().find(|&&node| coordinate(node) <= wall) {
        None => Ok(()),
        Some(&node) => {
            let message = format!(
                "node {node} starts at {} = {}, behind the wall at {}",
                axis_name(axis),
                discretisation.units.show(coordinate(node), "m"),
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

/// Springs of equal stiffness between pairs of nodes. Without a rest length, that of each spring is its length in the
/// placed shape before any deformation.
fn spring_term(
    pairs: Vec<[usize; 2]>,
    (stiffness, rest_length): (f64, Option<f64>),
    law: Law,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Box<dyn Energy>, Problem> {
    let spring = |nodes: [usize; 2]| {
        let [a, b] = nodes.map(|node| discretisation.placed[node]);
        let rest = rest_length.unwrap_or_else(|| a.distance(b));
        SpringElement { nodes, rest, stiffness }
    };
    let elements = pairs.into_iter().map(spring).collect();
    let springs = Springs::new(discretisation.start.len(), elements, spring_law(law))
        .map_err(|e| error(path, e, "correct the springs"))?;
    Ok(Box::new(springs))
}

/// The law of the energy crate.
pub(super) fn spring_law(law: Law) -> SpringLaw {
    match law {
        Law::Hooke => SpringLaw::Hooke,
        Law::StVK => SpringLaw::StVenantKirchhoff,
    }
}

/// Rest lengths of the intervals of a chain, which must be ordered along its axis.
fn interval_lengths(
    chain: &[usize],
    axis: Axis,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Vec<f64>, Problem> {
    let coordinate = |x: &[Vec3], node: usize| x[node].dot(axis.vector());
    let show = |interval_length: f64| discretisation.units.show(interval_length, "m");
    for (x, when) in
        [(&discretisation.placed, "in the placed shape"), (&discretisation.start, "at the start")]
    {
        let is_unordered = |pair: &&[usize]| coordinate(x, pair[1]) <= coordinate(x, pair[0]);
        if let Some(&[a, b]) = chain.windows(2).find(is_unordered) {
            let (name, at_a, at_b) =
                (axis_name(axis), show(coordinate(x, a)), show(coordinate(x, b)));
            let message = format!(
                "node {b} must come after node {a} along {name}, but {when} it is at {name} = {at_b} and the other at {at_a}"
            );
            let help = "list the nodes in the order of their coordinates, or choose another axis";
            return Err(error(path, message, help));
        }
    }
    let interval_length = |pair: &[usize]| {
        coordinate(&discretisation.placed, pair[1]) - coordinate(&discretisation.placed, pair[0])
    };
    Ok(chain.windows(2).map(interval_length).collect())
}

/// The given nodes, or all nodes of the body.
fn node_list(nodes: Option<&[u32]>, discretisation: &Discretisation) -> Vec<usize> {
    match nodes {
        Some(nodes) => nodes.iter().map(|&node| node as usize).collect(),
        None => (0..discretisation.start.len()).collect(),
    }
}

/// The given pairs of nodes, or each node and the next.
fn spring_ends(pairs: Option<&[[u32; 2]]>, discretisation: &Discretisation) -> Vec<[usize; 2]> {
    match pairs {
        Some(pairs) => pairs.iter().map(|pair| pair.map(|node| node as usize)).collect(),
        None => consecutive_pairs(&node_list(None, discretisation)),
    }
}

/// Each node of a chain and the next.
fn consecutive_pairs(chain: &[usize]) -> Vec<[usize; 2]> {
    chain.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// The index of an axis.
fn axis_index(axis: Axis) -> usize {
    match axis {
        Axis::X => 0,
        Axis::Y => 1,
        Axis::Z => 2,
    }
}

/// The name of an axis.
fn axis_name(axis: Axis) -> &'static str {
    ["x", "y", "z"][axis_index(axis)]
}
