//! Elastic rods.

use super::body::nodes_in_region;
use super::discretisation::{
    Discretisation, Elastic, deform_and_place, place_points, refuse_not_finite,
};
use super::error;
use resile_contact::{CollisionMesh, CurvePlace};
use resile_energy::{
    CurvedRods, Motor, OpenEnds, RodBending, RodError, RodRest, RodSection, RodTwist, SpringLaw,
    Springs, rod_springs,
};
use resile_math::Vec3;
use resile_mesh::{Polylines, Strand};
use resile_scene::description::{
    Body, Contact, Formula, MotionDescription, Problem, RestShape, Rod, Scene, Units,
};
use resile_system::Energy;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The stiffnesses of a rod and its placed rest curves.
pub(super) struct RodStiffness {
    section: RodSection,
    pub(super) rods: Polylines,
    turns: Option<f64>,
    motor: Option<Motor>,
    ends: OpenEnds,
    /// Factors of the stiffness at each node.
    pub(super) factors: Option<Vec<f64>>,
    /// The rest shape of rods that are not straight at rest.
    rest: Option<HeldRest>,
}

/// The rest shapes of rods, and for each rod whether its first and its last end cannot rotate.
type HeldRest = (RodRest, Vec<[bool; 2]>);

impl RodStiffness {
    /// Stretching, bending and twisting energies. Rods that are curved at rest have one energy of bending and twist.
    pub(super) fn energies(&self, path: &str) -> Result<Vec<Box<dyn Energy>>, Vec<Problem>> {
        let Self { section, rods, turns, motor, ends, rest, factors } = self;
        let curve_problem = |e: &dyn ToString| {
            vec![error(format!("{path}.shape"), e.to_string(), "repair the curve")]
        };
        let mut springs = rod_springs(rods, section.stretching()).map_err(|e| curve_problem(&e))?;
        if let Some(factors) = factors {
            let mean_factor = |nodes: [usize; 2]| 0.5 * (factors[nodes[0]] + factors[nodes[1]]);
            springs.iter_mut().for_each(|spring| spring.stiffness *= mean_factor(spring.nodes));
        }
        let springs = Springs::new(rods.positions.len(), springs, SpringLaw::Hooke);
        let mut energies: Vec<Box<dyn Energy>> =
            vec![Box::new(springs.map_err(|e| curve_problem(&e))?)];
        if let Some((rest, held)) = rest {
            let curved = CurvedRods::new(rods, rest, section.bending(), section.twisting());
            let curved = curved.map_err(|e| curve_problem(&e))?.holding(held);
            energies.push(Box::new(match factors {
                Some(factors) => curved.scaled(factors),
                None => curved,
            }));
            return Ok(energies);
        }
        let mut bending =
            RodBending::new(rods, section.bending()).map_err(|e| curve_problem(&e))?;
        if let Some(factors) = factors {
            bending = bending.scaled(factors);
        }
        energies.push(Box::new(bending));
        let mut twist = RodTwist::new(rods, section.twisting(), turns.unwrap_or(0.0), *ends)
            .map_err(|e| curve_problem(&e))?;
        if let Some(motor) = *motor {
            twist = twist.driven(motor).map_err(|e| curve_problem(&e))?;
        }
        if let Some(factors) = factors {
            twist = twist.scaled(rods, factors);
        }
        if twist.rods() > 0 {
            energies.push(Box::new(twist));
        }
        Ok(energies)
    }

    /// Radius of a circular section with these stiffnesses.
    pub(super) fn radius(&self) -> f64 {
        self.section.radius()
    }
}

/// A body whose nodes are the vertices of curves.
pub(super) fn discretise(
    described: &Body,
    rod: &Rod,
    shape: Polylines,
    path: &str,
) -> Result<Discretisation, Vec<Problem>> {
    let start = deform_and_place(described, &shape.positions);
    refuse_not_finite(described, &start, path)?;
    let rods = Polylines { positions: place_points(described, &shape.positions), ..shape };
    let model = &rod.material.model;
    let section = RodSection::new(model.young(), model.poisson(), rod.radius)
        .map_err(|e| vec![error(format!("{path}.kind"), e, "correct the rod or its material")])?;
    let thickness = described.contact_thickness.unwrap_or(2.0 * rod.radius);
    let surface = contact_curves(&rods, 2.0 * rod.radius, path)?;
    let rest = rest_shape(described, rod, &rods, path).map_err(|problem| vec![problem])?;
    let mass_per_length = rod.material.density * section.area();
    let masses = rods.lengths().into_iter().map(|length| mass_per_length * length).collect();
    let discretisation = Discretisation {
        placed: rods.positions.clone(),
        start,
        masses,
        elastic: Elastic::Rod(RodStiffness {
            section,
            rods,
            turns: rod.turns,
            motor: rod.motor.map(|motor| Motor {
                rate: motor.rate,
                start: motor.start,
                end: motor.end.unwrap_or(f64::INFINITY),
            }),
            ends: OpenEnds::Free,
            rest,
            factors: None,
        }),
        surface: Arc::new(surface),
        tets: Vec::new(),
        triangles: Arc::default(),
        thickness,
        skin: None,
        groups: BTreeMap::new(),
        element_groups: Vec::new(),
        vertex_map: None,
        units: Units::default(),
        fields: BTreeMap::new(),
    };
    // The energies are constructed here only to report errors early.
    discretisation.elastic_energies(path)?;
    Ok(discretisation)
}

/// The rest shape of rods; `None` if they are straight. [`clamp`] later marks the ends that cannot rotate.
fn rest_shape(
    described: &Body,
    rod: &Rod,
    rods: &Polylines,
    path: &str,
) -> Result<Option<HeldRest>, Problem> {
    let rest = match rod.rest_shape {
        RestShape::Straight => return Ok(None),
        RestShape::Shape => RodRest::as_given(rods),
        RestShape::Curved { curvature, torsion, binormal } => {
            let binormal = Vec3::from_array(binormal.unwrap_or_default());
            let binormal = described.placement.apply_to_direction(binormal);
            RodRest::curved(rods, curvature, torsion, binormal)
        }
    };
    let rest = rest.map_err(|e| {
        let help = match e {
            RodError::ClosedRest => "open the curve, or remove `rest_shape`",
            RodError::RestAngle { .. } => "divide the curve into more segments",
            _ => "repair the curve",
        };
        error(format!("{path}.kind.rest_shape"), e, help)
    })?;
    Ok(Some((rest, vec![[false; 2]; rods.strands.len()])))
}

/// The edges of rods for contact, with the arc length of each node.
fn contact_curves(rods: &Polylines, width: f64, path: &str) -> Result<CollisionMesh, Vec<Problem>> {
    let edges: Vec<[u32; 2]> = rods.edges().collect();
    let mesh = CollisionMesh::with_codimensional(&rods.positions, &[], &edges, &[], width)
        .map_err(|e| vec![error(format!("{path}.shape"), e, "repair the curve")])?;
    let no_curve = CurvePlace { curve: u32::MAX, arc_length: 0.0, closed_length: f64::INFINITY };
    let mut curve_places = vec![no_curve; rods.positions.len()];
    for (curve, strand) in (0..).zip(&rods.strands) {
        let length = strand.length(&rods.positions);
        let closed_length = if strand.is_closed() { length } else { f64::INFINITY };
        let mut arc_length = 0.0;
        curve_places[strand.nodes[0] as usize] = CurvePlace { curve, arc_length, closed_length };
        for [a, b] in strand.edges().take(strand.nodes.len() - 1) {
            arc_length += rods.positions[a as usize].distance(rods.positions[b as usize]);
            curve_places[b as usize] = CurvePlace { curve, arc_length, closed_length };
        }
    }
    Ok(mesh.along_curves(curve_places))
}

/// Clamps the ends of open rods with `turns`, which must be held, and of rods that are curved at rest, if they are
/// held. An end is held if one hold covers the two nodes of its last segment.
pub(super) fn clamp(
    described: &Body,
    discretisation: &mut Discretisation,
    path: &str,
) -> Result<(), Vec<Problem>> {
    let hold_of_node =
        full_holds(described, discretisation, path).map_err(|problem| vec![problem])?;
    let Elastic::Rod(rod) = &mut discretisation.elastic else { return Ok(()) };
    let open_strands = || rod.rods.strands.iter().filter(|strand| !strand.is_closed());
    if rod.motor.is_some() && rod.rods.strands.iter().any(Strand::is_closed) {
        let message =
            format!("\"{}\" is closed: it has no end that a motor could turn", described.name);
        let help = "open the curve, or remove `motor`";
        return Err(vec![error(format!("{path}.kind.motor"), message, help)]);
    }
    let are_held_together = |pair: &[u32]| match pair {
        [a, b] => hold_of_node.get(a).is_some_and(|hold| hold_of_node.get(b) == Some(hold)),
        _ => false,
    };
    if let Some((_, ends)) = &mut rod.rest {
        let cannot_rotate = |pair: &[u32]| {
            let fixes_direction =
                |k: usize| described.hold[k].until.is_none() && !rotates(&described.hold[k].motion);
            are_held_together(pair) && fixes_direction(hold_of_node[&pair[0]])
        };
        let fixed_ends = |strand: &Strand| {
            let nodes = &strand.nodes;
            [cannot_rotate(&nodes[..2]), cannot_rotate(&nodes[nodes.len() - 2..])]
        };
        *ends = rod.rods.strands.iter().map(fixed_ends).collect();
        return Ok(());
    }
    if rod.turns.is_none() || open_strands().next().is_none() {
        return Ok(());
    }
    let turns_path = format!("{path}.kind.turns");
    let is_clamped = |strand: &Strand| {
        let nodes = &strand.nodes;
        nodes.len() >= 4
            && are_held_together(&nodes[..2])
            && are_held_together(&nodes[nodes.len() - 2..])
    };
    if !open_strands().all(is_clamped) {
        let message =
            format!("an end of \"{}\" is free, and turns until no twist is left", described.name);
        let help = "`hold` the first two of its nodes together and its last two, close the curve, or remove `turns`";
        return Err(vec![error(turns_path, message, help)]);
    }
    let ends =
        open_strands().flat_map(|strand| [strand.nodes[0], strand.nodes[strand.nodes.len() - 1]]);
    let rotating_hold =
        ends.map(|node| hold_of_node[&node]).find(|&hold| rotates(&described.hold[hold].motion));
    if let Some(hold) = rotating_hold {
        let message =
            format!("it turns a clamp of \"{}\", whose turns are not counted", described.name);
        let help = "move it without a rotation and let `motor: (rate: ...)` of `kind` turn it about its axis, or remove `turns`";
        return Err(vec![error(format!("{path}.hold[{hold}].motion"), message, help)]);
    }
    rod.ends = OpenEnds::Clamped;
    discretisation.elastic_energies(path).map(drop)
}

/// For each node that is held along all axes, the index of its entry of `hold`.
fn full_holds(
    described: &Body,
    discretisation: &Discretisation,
    path: &str,
) -> Result<BTreeMap<u32, usize>, Problem> {
    let mut hold_of_node = BTreeMap::new();
    let holds = described.hold.iter().enumerate().filter(|(_, hold)| hold.axes.is_none());
    for (k, hold) in holds {
        let nodes =
            nodes_in_region(&hold.region, discretisation, format!("{path}.hold[{k}].region"))?;
        hold_of_node.extend(nodes.into_iter().map(|node| (node as u32, k)));
    }
    Ok(hold_of_node)
}

/// Whether a motion may rotate nodes relative to each other.
fn rotates(motion: &MotionDescription) -> bool {
    match motion {
        MotionDescription::Fixed => false,
        MotionDescription::Follow(_) => true,
        MotionDescription::Displacement(by) => by.iter().any(Formula::has_place),
        MotionDescription::Move { angular_velocity, .. } => *angular_velocity != [0.0; 3],
        MotionDescription::Keys { keys, .. } => keys.iter().any(|key| key.rotate.is_some()),
    }
}

/// Refuses a rod with twist that may pass through itself, because the writhe, from which the twist is computed, would
/// jump.
pub(super) fn refuse_without_contact(
    scene: &Scene,
    described: &Body,
    discretisation: &Discretisation,
    path: &str,
) -> Result<(), Vec<Problem>> {
    let Elastic::Rod(rod) = &discretisation.elastic else { return Ok(()) };
    let is_clamped = rod.ends == OpenEnds::Clamped;
    let has_twist = is_clamped || rod.rods.strands.iter().any(Strand::is_closed);
    let source_name = described.name.split('[').next().unwrap_or(&described.name);
    let is_meant = |other: &String| *other == described.name || other == source_name;
    let touches_itself = match &scene.contact {
        Contact::Barrier { exclude, .. } => {
            !exclude.iter().any(|(a, b)| is_meant(a) && is_meant(b))
        }
        _ => false,
    };
    if !has_twist || touches_itself {
        return Ok(());
    }
    let message = format!(
        "\"{}\" has twist and may pass through itself, where that would jump by two turns",
        described.name
    );
    Err(vec![error(
        format!("{path}.kind"),
        message,
        "turn on contact of the rod with itself, or let an end of it be free",
    )])
}
