//! Measurements of probes.

use resile_assembly::{PlacedProbe, ProbeSite};
use resile_math::{Mat3, Vec3};
use resile_record::ProbeRow;
use resile_system::{NodalStress, von_mises};
use resile_world::World;
use std::collections::BTreeMap;

/// One row per probe of the state after `step`, at `time` (s).
pub(super) fn rows<'p>(
    probes: &'p [PlacedProbe],
    world: &mut World,
    step: u64,
    time: f64,
) -> Vec<ProbeRow<'p>> {
    let needs_forces = probes.iter().any(|probe| !matches!(probe.site, ProbeSite::Mixture(_)));
    let forces = needs_forces.then(|| world.net_forces());
    let mut stresses: BTreeMap<usize, Vec<NodalStress>> = BTreeMap::new();
    let world = &*world;
    let row = |probe: &'p PlacedProbe| {
        let stresses = stresses.entry(probe.body).or_insert_with(|| world.stresses(probe.body));
        let (state, masses) = (world.state(probe.body), world.masses(probe.body));
        let [position, velocity] =
            [&state.positions, &state.velocities].map(|field| probe.site.mean(masses, field));
        let force = forces.as_ref().and_then(|forces| site_force(&probe.site, &forces[probe.body]));
        ProbeRow {
            step,
            time,
            probe: &probe.name,
            position,
            velocity,
            force: force.filter(|_| !world.is_kinematic(probe.body)),
            displacement: position - probe.rest,
            stress: site_stress(&probe.site, stresses),
        }
    };
    probes.iter().map(row).collect()
}

/// The sum of the forces (N) on the nodes of a site; `None` for a point between nodes.
fn site_force(site: &ProbeSite, forces: &[Vec3]) -> Option<Vec3> {
    match site {
        ProbeSite::Mixture(_) => None,
        ProbeSite::Nodes(nodes) => Some(nodes.iter().map(|&node| forces[node]).sum()),
        ProbeSite::Whole => Some(forces.iter().sum()),
    }
}

/// The Cauchy stress (Pa) of a site. Of several nodes and materials, that with the largest von Mises stress is taken.
/// At a point between nodes, the stress of each material that all its nodes have is interpolated.
fn site_stress(site: &ProbeSite, materials: &[NodalStress]) -> Option<Mat3> {
    let stress_at_site = |stress: &NodalStress| {
        let largest_of = |nodes: &mut dyn Iterator<Item = usize>| {
            nodes.filter_map(|node| stress.cauchy(node)).reduce(larger_von_mises)
        };
        match site {
            ProbeSite::Mixture(mixture) => {
                let nonzero = mixture.iter().filter(|(_, weight)| *weight != 0.0);
                let terms = nonzero.map(|(node, weight)| Some(stress.cauchy(*node)? * *weight));
                terms.reduce(|sum, term| Some(sum? + term?)).flatten()
            }
            ProbeSite::Nodes(nodes) => largest_of(&mut nodes.iter().copied()),
            ProbeSite::Whole => largest_of(&mut (0..stress.node_count())),
        }
    };
    materials.iter().filter_map(stress_at_site).reduce(larger_von_mises)
}

/// The stress with the larger von Mises stress; `a` if they are equal.
fn larger_von_mises(a: Mat3, b: Mat3) -> Mat3 {
    if von_mises(b) > von_mises(a) { b } else { a }
}
