//! Follower loads: loads that move with the nodes on which they act.

use crate::factor::Factor;
use crate::hydrostatic::Liquid;
use crate::surface_patch::SurfacePatch;
use crate::torque::SpreadTorque;
use resile_system::{Dissipation, DissipationPotential, Hessian, Psd, Vec3};
use std::sync::Arc;

/// The forces of a follower load as a function of positions.
#[derive(Debug, Clone, PartialEq)]
pub enum FollowerLaw {
    /// `f_i = -p integral of N_i n dA`: the pressure p (Pa) against a patch.
    Pressure(SurfacePatch, f64),
    /// Hydrostatic pressure on triangles.
    Hydrostatic(Vec<[u32; 3]>, Liquid),
    /// A torque.
    Torque(SpreadTorque),
}

impl FollowerLaw {
    /// Forces (N) by nodes for nodes at `x` (m).
    fn forces(&self, x: &[Vec3]) -> Vec<(usize, Vec3)> {
        match self {
            Self::Pressure(patch, pressure) => {
                let areas = patch.area_vectors(x).into_iter();
                areas.map(|(node, area)| (node, area * -*pressure)).collect()
            }
            Self::Hydrostatic(triangles, liquid) => liquid.forces(triangles, x),
            // Collinear nodes cannot bear a torque.
            Self::Torque(torque) => torque.forces(x).unwrap_or_default(),
        }
    }
}

impl FollowerLaw {
    /// Adds `scale` times the symmetric part of the derivative of minus the forces (N/m).
    fn add_load_stiffness(&self, x: &[Vec3], scale: f64, out: &mut Hessian<'_>) {
        match self {
            Self::Pressure(patch, pressure) => patch.add_area_derivatives(x, scale * pressure, out),
            Self::Hydrostatic(triangles, liquid) => {
                liquid.add_load_stiffness(triangles, x, scale, out);
            }
            Self::Torque(torque) => torque.add_load_stiffness(x, scale, out),
        }
    }

    /// `out += scale * A u`, where A is the antisymmetric part of the derivative of minus the forces (N/m).
    fn add_antisymmetric_load(&self, at: (&[Vec3], &[Vec3]), scale: f64, out: &mut [Vec3]) {
        match self {
            Self::Pressure(patch, pressure) => {
                patch.add_antisymmetric_area_derivatives(at, scale * pressure, out);
            }
            Self::Hydrostatic(triangles, liquid) => {
                liquid.add_antisymmetric_load(triangles, at, scale, out);
            }
            Self::Torque(torque) => torque.add_antisymmetric_load(at, scale, out),
        }
    }
}

/// A load that rotates and deforms with its nodes: s(t) times the forces of a [`FollowerLaw`].
///
/// Such a load is not conservative unless the boundary of its surface is held or lies in planes of symmetry: its
/// work depends on the path. The forces are therefore those at the start of a step, and within the step the load
/// is `D(v) = -f . v`. The ledger books its work as negative heat, like that of wind. The error is of
/// first order in the step. A static equilibrium has no such error, because its positions do not change in a step.
///
/// The derivative of the forces by the positions acts in natural modes and buckling: its symmetric part, which is the
/// whole derivative where the load has a potential (Schweizerhof & Ramm 1984, *Displacement dependent pressure loads in
/// nonlinear finite element analyses*).
#[derive(Debug, Clone, PartialEq)]
pub struct FollowerLoad {
    law: FollowerLaw,
    factor: Factor,
}

/// The load with constant forces.
struct LaggedLoad {
    factor: Factor,
    /// Forces (N) by nodes, without the factor.
    forces: Vec<(usize, Vec3)>,
}

impl FollowerLoad {
    /// The load times a `factor`.
    pub fn new(law: FollowerLaw, factor: impl Into<Factor>) -> Self {
        Self { law, factor: factor.into() }
    }
}

impl Dissipation for FollowerLoad {
    fn name(&self) -> &str {
        match self.law {
            FollowerLaw::Pressure(..) => "follower pressure",
            FollowerLaw::Hydrostatic(..) => "hydrostatic pressure",
            FollowerLaw::Torque(..) => "torque",
        }
    }

    fn next_change(&self, time: f64) -> f64 {
        self.factor.next_change(time)
    }

    fn lagged(&self, x: &[Vec3]) -> Arc<dyn DissipationPotential> {
        Arc::new(LaggedLoad { factor: self.factor.clone(), forces: self.law.forces(x) })
    }

    fn add_load_stiffness(&self, time: f64, x: &[Vec3], out: &mut Hessian<'_>) {
        self.law.add_load_stiffness(x, self.factor.at(time), out);
    }

    fn add_antisymmetric_load(
        &self,
        time: f64,
        (x, u): (&[Vec3], &[Vec3]),
        scale: f64,
        out: &mut [Vec3],
    ) {
        self.law.add_antisymmetric_load((x, u), scale * self.factor.at(time), out);
    }
}

impl DissipationPotential for LaggedLoad {
    fn value(&self, time: f64, v: &[Vec3]) -> f64 {
        -self.factor.at(time)
            * self.forces.iter().map(|&(node, force)| force.dot(v[node])).sum::<f64>()
    }

    fn add_gradient(&self, time: f64, _v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let factor = self.factor.at(time);
        for &(node, force) in &self.forces {
            out[node] -= force * (scale * factor);
        }
    }

    /// Zero: the potential is linear.
    fn add_hessian(&self, _time: f64, _v: &[Vec3], _psd: Psd, _out: &mut Hessian<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schedule;

    /// Two triangles at an angle.
    fn bent() -> (Vec<Vec3>, SurfacePatch) {
        let x = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.1, 0.9, 0.3), Vec3::new(-0.1, 1.0, -0.2)];
        let triangles = vec![[0, 1, 2], [0, 2, 3]];
        (x, SurfacePatch { triangles, quadratic: Vec::new() })
    }

    #[test]
    fn the_load_pushes_inwards_and_follows_the_surface_from_step_to_step() {
        let (x, patch) = bent();
        let law = FollowerLaw::Pressure(patch.clone(), 5.0);
        let load = FollowerLoad::new(law, Schedule::constant(2.0));
        let turned: Vec<Vec3> = x.iter().map(|x| Vec3::new(-x.y, x.x, x.z)).collect();
        let force = |load: &dyn DissipationPotential| {
            let mut gradient = vec![Vec3::ZERO; x.len()];
            load.add_gradient(0.0, &[], 1.0, &mut gradient);
            gradient.into_iter().map(|g| -g).collect::<Vec<_>>()
        };
        let before = force(&*load.lagged(&x));
        for (node, area) in patch.area_vectors(&x) {
            assert!((before[node] + 10.0 * area).length() < 1e-13);
        }
        let load = load.lagged(&turned);
        for (now, before) in force(&*load).iter().zip(&before) {
            assert!((*now - Vec3::new(-before.y, before.x, before.z)).length() < 1e-13);
        }
        let v: Vec<Vec3> = x.iter().map(|x| Vec3::new(x.y, 0.3 - x.x, x.z)).collect();
        let power: f64 = force(&*load).iter().zip(&v).map(|(f, v)| f.dot(*v)).sum();
        assert!((load.value(0.0, &v) + power).abs() < 1e-13);
    }
}
