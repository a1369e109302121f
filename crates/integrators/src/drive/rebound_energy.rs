//! The energy of rebounds.
//!
//! At the end of a step with an impact a part of the energy is in the barrier and in deformation, up to a quarter of the
//! kinetic energy of the approach. The rebound would then have more energy than the bodies had before, so its velocities
//! are reduced. The velocities that are withheld are returned in the next steps, while the barrier and the deformation
//! release this energy.

use resile_math::Vec3;
use resile_system::{Links, Prepared, State};

/// The limit of the kinetic energy of groups of bodies at the end of a step.
pub(super) struct ReboundLimit<'a> {
    system: &'a Prepared<'a>,
    links: &'a Links,
    /// The largest kinetic energy (J) of each body; those of a group are summed.
    max_kinetic: Vec<f64>,
}

impl<'a> ReboundLimit<'a> {
    /// The limit for bodies with the `expected` energies (J) at the positions of `end`, where the system must be prepared.
    pub(super) fn new(
        system: &'a Prepared<'a>,
        links: &'a Links,
        expected: &[f64],
        end: &State,
    ) -> Self {
        let potential = system.potential_by_body(end.time, &end.positions);
        let max_kinetic = expected.iter().zip(potential).map(|(e, p)| e - p).collect();
        Self { system, links, max_kinetic }
    }

    /// Reduces the impulses of impacts that would give a group of bodies more energy than its limit, and returns the
    /// velocities (m/s) that are withheld. The approach speed at an impact within a step is an estimate, so a coefficient of
    /// one can gain up to a percent. `before` are the velocities (m/s) before the impact, `v` those after it. The work of
    /// prescribed motions remains that of the unreduced impulses, so the difference counts as heat.
    pub(super) fn reduce(&self, before: &[Vec3], v: &mut [Vec3]) -> Vec<Vec3> {
        let mut withheld = vec![Vec3::ZERO; v.len()];
        let kinetic = self.system.kinetic_by_body(before);
        for group in self.links.groups() {
            let available = self.available(&group, &kinetic);
            if available < 0.0 {
                continue;
            }
            let changes = self.changes(&group, |i| v[i] - before[i]);
            let fraction = self.permitted_fraction(before, &changes, available);
            if fraction < 1.0 {
                for (i, change) in changes {
                    v[i] = before[i] + change * fraction;
                    withheld[i] = change * (1.0 - fraction);
                }
            }
        }
        withheld
    }

    /// Adds the `owed` velocities (m/s) of earlier steps to `v`, as far as the limits of all groups permit, and the rest to
    /// `withheld`. The same fraction for all groups conserves momentum if the bodies of an impact have separated.
    pub(super) fn return_owed(&self, owed: &[Vec3], v: &mut [Vec3], withheld: &mut [Vec3]) {
        let kinetic = self.system.kinetic_by_body(v);
        let group_fraction = |group: Vec<usize>| {
            let available = self.available(&group, &kinetic).max(0.0);
            self.permitted_fraction(v, &self.changes(&group, |i| owed[i]), available)
        };
        let fraction = self.links.groups().into_iter().map(group_fraction).fold(1.0, f64::min);
        for (i, owed) in owed.iter().enumerate() {
            v[i] += *owed * fraction;
            withheld[i] += *owed * (1.0 - fraction);
        }
    }

    /// The limit of a group minus its kinetic energy (J), from the `kinetic` energies of the bodies.
    fn available(&self, group: &[usize], kinetic: &[f64]) -> f64 {
        group.iter().map(|&b| self.max_kinetic[b] - kinetic[b]).sum()
    }

    /// The nodes of a group with the changes (m/s) of their velocities.
    fn changes(&self, group: &[usize], change: impl Fn(usize) -> Vec3) -> Vec<(usize, Vec3)> {
        let nodes = group.iter().flat_map(|&b| self.system.nodes(b));
        nodes.map(|i| (i, change(i))).collect()
    }

    /// The largest fraction, at most one, of `changes` (m/s) of the velocities `v` (m/s) of nodes by which their kinetic energy
    /// grows by at most `available` (J), which is not negative. It grows by `s slope + s^2 curvature / 2` with the fraction s.
    fn permitted_fraction(&self, v: &[Vec3], changes: &[(usize, Vec3)], available: f64) -> f64 {
        let masses = self.system.masses();
        let slope: f64 = changes.iter().map(|&(i, change)| masses[i] * v[i].dot(change)).sum();
        let curvature: f64 =
            changes.iter().map(|&(i, change)| masses[i] * change.length_squared()).sum();
        if slope + 0.5 * curvature <= available {
            return 1.0;
        }
        (((slope * slope + 2.0 * curvature * available).sqrt() - slope) / curvature).min(1.0)
    }
}
