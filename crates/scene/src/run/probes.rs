//! Measurements of probes.

use crate::assemble::{PlacedProbe, ProbeSite};
use resile_math::Vec3;
use resile_record::ProbeRow;
use resile_system::NodalStress;
use resile_world::World;
use std::collections::BTreeMap;

/// One row per probe of the state after `step`, at `time` (s).
pub(super) fn rows<'p>(
    probes: &'p [PlacedProbe],
    world: &mut World,
    step: u64,
    time: f64,
) -> Vec<ProbeRow<'p>> {
    let any_force = probes.iter().any(|probe| !matches!(probe.site, ProbeSite::Mixture(_)));
    let forces = any_force.then(|| world.net_forces());
    let mut stresses: BTreeMap<usize, NodalStress> = BTreeMap::new();
    let world = &*world;
    let row = |probe: &'p PlacedProbe| {
        let stress = stresses.entry(probe.body).or_insert_with(|| world.stress(probe.body));
        let [position, velocity] = motion(probe, world);
        let force = forces.as_ref().and_then(|forces| force(&probe.site, &forces[probe.body]));
        let von_mises = von_mises(&probe.site, stress);
        let force = force.filter(|_| !world.is_kinematic(probe.body));
        ProbeRow { step, time, probe: &probe.name, position, velocity, force, von_mises }
    };
    probes.iter().map(row).collect()
}

/// Position (m) and velocity (m/s) of a point, or the mean over nodes weighted by mass.
fn motion(probe: &PlacedProbe, world: &World) -> [Vec3; 2] {
    let state = world.state(probe.body);
    let fields = [&state.positions, &state.velocities];
    let mean = |nodes: &[usize]| {
        let masses = world.masses(probe.body);
        let mass: f64 = nodes.iter().map(|&node| masses[node]).sum();
        // Prescribed nodes may have no mass.
        let weight = |node: usize| match mass > 0.0 {
            true => masses[node] / mass,
            false => 1.0 / nodes.len() as f64,
        };
        fields.map(|values| nodes.iter().map(|&node| weight(node) * values[node]).sum())
    };
    match &probe.site {
        ProbeSite::Mixture(mixture) => {
            fields.map(|values| mixture.iter().map(|(node, weight)| *weight * values[*node]).sum())
        }
        ProbeSite::Nodes(nodes) => mean(nodes),
        ProbeSite::Whole => mean(&(0..state.positions.len()).collect::<Vec<_>>()),
    }
}

/// The sum of the forces (N) on nodes; `None` for points between nodes.
fn force(site: &ProbeSite, forces: &[Vec3]) -> Option<Vec3> {
    match site {
        ProbeSite::Mixture(_) => None,
        ProbeSite::Nodes(nodes) => Some(nodes.iter().map(|&node| forces[node]).sum()),
        ProbeSite::Whole => Some(forces.iter().sum()),
    }
}

/// The interpolated stress (Pa) at a point between nodes, or the largest of several nodes.
fn von_mises(site: &ProbeSite, stress: &NodalStress) -> Option<f64> {
    let largest = |nodes: &mut dyn Iterator<Item = usize>| {
        nodes.filter_map(|node| stress.von_mises(node)).reduce(f64::max)
    };
    match site {
        ProbeSite::Mixture(mixture) => {
            let terms =
                mixture.iter().map(|(node, weight)| Some(weight * stress.von_mises(*node)?));
            terms.sum()
        }
        ProbeSite::Nodes(nodes) => largest(&mut nodes.iter().copied()),
        ProbeSite::Whole => largest(&mut (0..stress.node_count())),
    }
}
