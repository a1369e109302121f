//! Filters of the velocity correction.
//!
//! A-search takes `v = w - alpha dv` with `dv` the change of the conservative forces over a step of implicit Euler. In
//! one linear mode with `hbar = h^2 k/m` the step matrix has the determinant `1 + (alpha - 1) hbar / (1 + hbar)`. An
//! unresolved mode persists in its velocity alone, rotated by pi/3 per step, and grows by `sqrt(alpha)` per step for
//! alpha > 1. A search for the total energy then adds the energy lost in an impact to the unresolved modes, which grow
//! fastest.
//!
//! The correction of each body is therefore filtered by its stiffness,
//!
//! ```text
//! dv <- (M + c h^2 K)^-1 M dv,
//! ```
//!
//! with the projected Hessian `K` of its internal energies at the end of the step. A mode is corrected by
//! `alpha / (1 + c hbar)`: resolved modes are corrected as without the filter, to first order in the step, and
//! unresolved ones decay for any alpha. A contact impulse on a few nodes is distributed over the body as far as elastic
//! waves travel in a step. `K` excludes contact and supports, so that a rebound from a stiff wall is not
//! filtered.
//!
//! The rigid motion of a free body has all of its momentum and angular momentum. It is separated first and added
//! afterwards, so that these are exact for any error of the solve. In a stressed body rotations are not in the kernel
//! of `K`.

use crate::control::alpha_rule::MIN_RELATIVE_CORRECTION;
use crate::rigid::inertia::Shape;
use crate::step::Step;
use crate::step::elastic_inertia::ElasticInertia;
use crate::step::filters::{BodyFilter, FilterMatrix, guided_nodes};
use resile_math::Vec3;
use resile_math::parameters::{Allowed, OutOfRange};

/// The part of the change of forces that corrects velocities.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename = "Correction", deny_unknown_fields)
)]
pub enum CorrectionRule {
    /// The whole change (the paper's rule). In steps with friction, the correction of affine bodies is filtered by
    /// their elastic inertia (`step/elastic_inertia.rs`).
    #[default]
    Plain,
    /// The change filtered by `(M + c h^2 K)^-1 M`, with the stiffness `K` of each body.
    Resolved {
        /// The factor c: zero for no filter, infinity for a rigid motion.
        #[cfg_attr(feature = "serde", serde(default = "default_c"))]
        c: f64,
    },
    /// The rigid part of the change of each free body, and a fraction of the remainder.
    Split {
        /// The fraction.
        #[cfg_attr(feature = "serde", serde(default))]
        elastic: f64,
    },
    /// The component of the change along the mean velocity of each body in the step.
    Along,
}

#[cfg(feature = "serde")]
fn default_c() -> f64 {
    CorrectionRule::C
}

impl CorrectionRule {
    /// Range of the factors `c` and `elastic`.
    pub const FACTOR: Allowed = Allowed::NotNegative;

    /// The default of `c`; `docs/integrators.md` has measurements.
    pub const C: f64 = 0.05;

    /// Checks the parameters.
    pub(crate) fn check(self) -> Result<(), OutOfRange> {
        match self {
            Self::Plain | Self::Along => Ok(()),
            Self::Resolved { c } => Self::FACTOR.check("c", c),
            Self::Split { elastic } => Self::FACTOR.check("elastic", elastic),
        }
    }

    /// Filters `dv` (m/s), the change of velocities in a step to `x` (m) with the mean velocities `w` (m/s), body by
    /// body. The system must be prepared at `x`.
    pub(crate) fn filter(self, step: &mut Step<'_>, x: &[Vec3], w: &[Vec3], dv: &mut [Vec3]) {
        if self == Self::Plain {
            return;
        }
        let weight = match self {
            Self::Resolved { c } => c * step.h * step.h,
            _ => 0.0,
        };
        let (system, filters) = step.filters();
        filters.body_filters.resize_with(system.bodies().len(), BodyFilter::default);
        for (body, filter) in filters.body_filters.iter_mut().enumerate() {
            let matrix = FilterMatrix { system, body, x, weight };
            let nodes = system.nodes(body);
            self.filter_body(filter, &matrix, &w[nodes.clone()], &mut dv[nodes]);
        }
    }

    /// The elastic inertia of each body for friction, in the order of bodies. Rules without a factor `c` use
    /// [`C`](Self::C).
    pub(crate) fn elastic_inertias(self, step: &Step<'_>, x: &[Vec3]) -> Vec<ElasticInertia> {
        let c = if let Self::Resolved { c } = self { c } else { Self::C };
        let bodies = 0..step.system.bodies().len();
        let inertia = |b| ElasticInertia::new(&step.system, b, x, c * step.h * step.h);
        bodies.filter_map(inertia).collect()
    }

    /// Filters `dv` (m/s) of the nodes of the body of `matrix`, whose mean velocities (m/s) are `w`. The rigid motion of a
    /// free body is not filtered, except by [`Along`](Self::Along).
    fn filter_body(
        self,
        filter: &mut BodyFilter,
        matrix: &FilterMatrix<'_, '_>,
        w: &[Vec3],
        dv: &mut [Vec3],
    ) {
        let FilterMatrix { system, body, x, .. } = *matrix;
        let nodes = system.nodes(body);
        let (masses, free) = (&system.masses()[nodes.clone()], &system.free()[nodes.clone()]);
        if is_small(masses, dv, w) {
            return;
        }
        let guided = guided_nodes(system, &nodes);
        if self == Self::Along {
            project_onto(masses, free, w, dv);
            guided.iter().for_each(|&(i, projector)| dv[i] = projector * dv[i]);
            return;
        }
        let is_free = guided.is_empty() && free.iter().all(|free| *free);
        let rigid_shape = is_free.then(|| Shape::regularised(masses, &x[nodes]));
        let rigid_parts = rigid_shape.as_ref().map(|shape| shape.remove_motion(dv));
        match self {
            Self::Resolved { .. } if !is_small(masses, dv, w) => {
                filter.solve(matrix, dv);
            }
            Self::Split { elastic } => dv.iter_mut().for_each(|dv| *dv *= elastic),
            Self::Resolved { .. } | Self::Plain | Self::Along => {}
        }
        if let (Some(rigid_shape), Some(rigid_parts)) = (rigid_shape, rigid_parts) {
            rigid_shape.remove_motion(dv);
            dv.iter_mut().zip(rigid_parts).for_each(|(dv, rigid_part)| *dv += rigid_part);
        }
    }
}

/// Whether a correction is too small to be filtered.
fn is_small(masses: &[f64], dv: &[Vec3], w: &[Vec3]) -> bool {
    mass_inner_product(masses, dv, dv)
        <= MIN_RELATIVE_CORRECTION * MIN_RELATIVE_CORRECTION * mass_inner_product(masses, w, w)
}

/// The inner product `sum m a . b`.
fn mass_inner_product(masses: &[f64], a: &[Vec3], b: &[Vec3]) -> f64 {
    masses.iter().zip(a.iter().zip(b)).map(|(m, (a, b))| m * a.dot(*b)).sum()
}

/// Replaces `dv` by its projection onto `w` in the inner product of the free masses; zero if `w` vanishes.
fn project_onto(masses: &[f64], free: &[bool], w: &[Vec3], dv: &mut [Vec3]) {
    let free_masses: Vec<f64> =
        masses.iter().zip(free).map(|(m, free)| if *free { *m } else { 0.0 }).collect();
    let squared_norm = mass_inner_product(&free_masses, w, w);
    let coefficient = if squared_norm > 0.0 {
        mass_inner_product(&free_masses, w, dv) / squared_norm
    } else {
        0.0
    };
    for (dv, (w, free)) in dv.iter_mut().zip(w.iter().zip(free)) {
        *dv = if *free { coefficient * *w } else { Vec3::ZERO };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_energy::{Gravity, SpringElement, SpringLaw, Springs};
    use resile_system::{Body, System};

    const STIFFNESS: f64 = 50.0;

    /// A tetrahedron of springs, stretched, of different masses.
    fn body() -> (System, Vec<Vec3>) {
        let x = vec![Vec3::ZERO, Vec3::X, Vec3::new(0.2, 1.3, 0.0), Vec3::new(0.1, 0.3, 0.9)];
        let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let spring = |nodes| SpringElement { nodes, rest: 0.8, stiffness: STIFFNESS };
        let springs = Springs::new(4, edges.map(spring).to_vec(), SpringLaw::Hooke);
        let masses = vec![1.0, 2.0, 0.5, 3.0];
        let gravity = Gravity::new(masses.clone(), Vec3::NEG_Y);
        let body = Body::new("body", masses).with(springs.expect("four nodes")).with(gravity);
        (System::new(vec![body]), x)
    }

    fn momenta(masses: &[f64], x: &[Vec3], v: &[Vec3]) -> [Vec3; 2] {
        let each = || masses.iter().zip(x.iter().zip(v));
        let linear = each().map(|(m, (_, v))| *m * *v).sum();
        [linear, each().map(|(m, (x, v))| *m * x.cross(*v)).sum()]
    }

    /// Holds for every rule, and for any change of the stiffness by rotation and stress.
    #[test]
    fn filter_conserves_momenta_and_keeps_rigid_motion() {
        let (mut system, x) = body();
        let masses = system.masses().to_vec();
        let system = system.at(&x);
        let (drift, spin) = (Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.3, 4.0, -1.0));
        let rigid: Vec<Vec3> = x.iter().map(|x| drift + spin.cross(*x)).collect();
        let other = [Vec3::Y, Vec3::NEG_Z, Vec3::splat(2.0), Vec3::X];
        let w = vec![Vec3::ONE; 4];
        for rule in [CorrectionRule::Resolved { c: 0.3 }, CorrectionRule::Split { elastic: 0.2 }] {
            for (mut dv, is_rigid) in [(rigid.clone(), true), (other.to_vec(), false)] {
                let before = (dv.clone(), momenta(&masses, &x, &dv));
                let mut filter = BodyFilter::default();
                let matrix = FilterMatrix { system: &system, body: 0, x: &x, weight: 0.3 };
                rule.filter_body(&mut filter, &matrix, &w, &mut dv);
                let after = momenta(&masses, &x, &dv);
                for (a, b) in before.1.iter().zip(after) {
                    assert!((*a - b).length() < 1e-12, "{rule:?}: {a} became {b}");
                }
                let changed = dv.iter().zip(&before.0).map(|(a, b)| (*a - *b).length());
                let changed = changed.fold(0.0, f64::max);
                assert_eq!(changed < 1e-12, is_rigid, "{rule:?}: {changed} m/s");
            }
        }
    }

    /// A mode of a body is attenuated by `1 / (1 + c hbar)`.
    #[test]
    fn filter_attenuates_a_mode_by_its_stiffness() {
        let spring = SpringElement { nodes: [0, 1], rest: 1.0, stiffness: STIFFNESS };
        let springs = Springs::new(2, vec![spring], SpringLaw::Hooke).expect("two nodes");
        let mut system = System::new(vec![Body::new("dumbbell", vec![0.5; 2]).with(springs)]);
        let x = [Vec3::ZERO, Vec3::X];
        let system = system.at(&x);
        let (c, h) = (0.05, 0.7);
        let hbar = h * h * STIFFNESS / 0.25;
        let (drift, mode) = (Vec3::new(0.3, 1.0, 0.0), Vec3::X);
        let mut dv = vec![drift - mode, drift + mode];
        let matrix = FilterMatrix { system: &system, body: 0, x: &x, weight: c * h * h };
        CorrectionRule::Resolved { c }.filter_body(
            &mut BodyFilter::default(),
            &matrix,
            &[Vec3::ONE; 2],
            &mut dv,
        );
        let left = mode / (1.0 + c * hbar);
        assert!((dv[0] - drift + left).length() < 1e-12 && (dv[1] - drift - left).length() < 1e-12);
    }

    /// Components orthogonal to the motion are removed, the others are kept.
    #[test]
    fn filter_along_the_motion_is_a_scalar() {
        let w = [Vec3::X, Vec3::X];
        let mut dv = vec![Vec3::new(1.0, 5.0, 0.0), Vec3::new(3.0, -5.0, 0.0)];
        project_onto(&[1.0, 1.0], &[true, true], &w, &mut dv);
        assert_eq!(dv, vec![Vec3::X * 2.0; 2]);
    }
}
