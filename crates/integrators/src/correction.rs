//! Velocities corrected by a share of a known change, `v = w - alpha dv`: whole, or as
//! much of it as brings the energy to its target.

use crate::control::{AlphaRule, EnergyCurve, GroupAlpha};
use crate::step::Step;
use crate::target::{EnergyTarget, share_out};
use resile_linalg::Vec3;
use resile_system::{EnergyControl, Links, State};

/// A step solved, its velocity not yet corrected.
pub(crate) struct Correction {
    /// The end, with velocities `w`.
    pub(crate) end: State,
    /// What is subtracted from `w` at alpha = 1 (m/s).
    pub(crate) dv: Vec<Vec3>,
    /// What exchanged force.
    pub(crate) links: Links,
}

impl Correction {
    /// With alpha = 1 everywhere.
    pub(crate) fn whole(self) -> State {
        let mut end = self.end;
        end.velocities.iter_mut().zip(&self.dv).for_each(|(v, dv)| *v -= *dv);
        end
    }

    /// With an alpha for each group of bodies.
    pub(crate) fn steered(
        self,
        step: &mut Step<'_>,
        target: &EnergyTarget,
        rule: AlphaRule,
        mut control: Vec<EnergyControl>,
    ) -> State {
        step.account_work(&self.end.positions);
        let dissipated = step.report().dissipated.clone();
        target.advance(step, &dissipated, &mut control);
        let potential = step.system.potential_by_body(&self.end.positions);
        let curves = self.energy_curves(step, &potential);
        let groups = target.groups(&self.links, control.len());
        let chosen: Vec<(GroupAlpha, f64)> =
            groups.into_iter().map(|bodies| rule.choose(bodies, &curves, &control)).collect();

        let mut end = self.end;
        for (group, _) in &chosen {
            for node in group.bodies.iter().flat_map(|&b| step.system.nodes(b)) {
                end.velocities[node] -= group.alpha * self.dv[node];
            }
        }
        let kinetic = step.system.kinetic_by_body(&end.velocities);
        let energies: Vec<f64> = potential.iter().zip(&kinetic).map(|(p, k)| p + k).collect();
        for (group, mean) in &chosen {
            share_out(group, *mean, &energies, &kinetic, &mut control);
        }
        step.set_alphas(chosen.into_iter().map(|(group, _)| group).collect());
        end.control = Some(control);
        end
    }

    /// `H(alpha)` of each body.
    fn energy_curves(&self, step: &Step<'_>, potential: &[f64]) -> Vec<EnergyCurve> {
        let (system, w) = (&*step.system, &self.end.velocities);
        let kinetic = system.kinetic_by_body(w);
        let quadratic = system.kinetic_by_body(&self.dv);
        let linear = system.sum_by_body(|i| system.masses()[i] * w[i].dot(self.dv[i]));
        let curve = |b: usize| EnergyCurve {
            constant: potential[b] + kinetic[b],
            linear: linear[b],
            quadratic: quadratic[b],
            kinetic: kinetic[b],
        };
        (0..potential.len()).map(curve).collect()
    }
}
