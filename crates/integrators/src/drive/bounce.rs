//! Velocities after an impact.
//!
//! They are
//!
//! ```text
//! argmin_v  1/2 |v - w|_M^2 + h^2/2 (v - r)^T K (v - r) + sum over pairs of phi(u(v) - t)
//! ```
//!
//! with the velocities `w` before the impact, the rigid motion `r` in them, and the projected Hessian `K` of the
//! internal energy of each body. Solids and affine bodies without Dirichlet conditions bounce as rigid bodies: their
//! velocities `v` are those of a rigid motion. Newton's law then applies to the body, and does not depend on the step or
//! on how many steps the contact of a soft body lasts. In other bodies an impulse over the duration of a step moves the
//! part that elastic waves reach within a step. The rates of deformation by the impact are excluded by `r`; otherwise the
//! surface of a stiff body would separate faster than its centre of mass. `u` is the rate at which the gap of a pair
//! opens, `t` its target, and `phi` a penalty that is stiff relative to the masses of the bodies. Friction resists slip
//! with `mu` times the resulting impulse, in a second solve; friction of the approach is part of the step. A pair that
//! pulls cancels a part of the impulse of the barrier in the step, and with it the friction of this part: the tangential
//! impulse `mu` times the pull in the direction of slip is returned.

use crate::drive::impact_unknowns::ImpactUnknowns;
use crate::step::impacts::{ImpactConstraint, OpeningCondition};
use resile_math::{Mat3, Vec3, outer};
use resile_solver::{Linearisation, Newton, NewtonSettings, Objective, SolveError};
use resile_sparse::{Assembly, BlockSink as _, SymmetricBlockMatrix};
use resile_system::{Prepared, Psd};

/// Stiffness of the penalty over the mass of the lighter body; its inverse is about the relative error of velocities.
const RELATIVE_PENALTY: f64 = 1e4;

/// Tolerance of the solves, relative to that of stages.
const RELATIVE_TOLERANCE: f64 = 1e-5;

/// The solution of [`solve_impact`].
pub(crate) struct ImpactSolution {
    /// The velocities (m/s) of all nodes after the impact.
    pub(crate) velocities: Vec<Vec3>,
    /// The impulse (N s) of each constraint.
    pub(crate) impulses: Vec<f64>,
    /// The heat of friction (J) of the step that each constraint returns.
    pub(crate) returned_heat: Vec<f64>,
}

/// The relative velocity (m/s) of a constraint.
struct RelativeVelocity {
    /// The rate at which the gap opens.
    opening: f64,
    /// The tangential component.
    slip: Vec3,
}

/// The penalty of a constraint as a function of its opening rate.
struct Penalty {
    /// The value (J).
    value: f64,
    /// The first derivative (N s).
    derivative: f64,
    /// The second derivative (kg).
    curvature: f64,
}

/// The friction potential of a constraint as a function of its slip velocity.
struct FrictionPotential {
    /// The value (J).
    value: f64,
    /// The first derivative (N s).
    gradient: Vec3,
    /// The second derivative (kg).
    hessian: Mat3,
}

/// The motion of the unknowns relative to the rigid motion `r`.
struct RelativeMotion {
    /// `v - r` (m/s) in the free directions.
    velocities: Vec<Vec3>,
    /// `(M + h^2 K) (v - r)` (N s).
    momenta: Vec<Vec3>,
}

/// The objective over the unknown velocities (m/s) of impacted bodies.
struct ImpactObjective<'a> {
    constraints: &'a [ImpactConstraint],
    /// The relative velocity of each constraint as a sum over unknowns, each multiplied by a matrix.
    factors: Vec<Vec<(usize, Mat3)>>,
    /// The penalty stiffness (kg) of each constraint.
    stiffness: Vec<f64>,
    /// The largest impulse of friction (N s) of each constraint.
    friction_limits: Vec<f64>,
    /// The impulse of friction (N s) that each constraint returns.
    returned_friction: Vec<Vec3>,
    /// The slip speed (m/s) below which friction is proportional to the slip.
    slip_speed: f64,
    unknowns: ImpactUnknowns,
    /// Whether each unknown is free in some direction.
    free: Vec<bool>,
    /// The unknowns that are free in some directions only, with the projectors onto these.
    guided: Vec<(usize, Mat3)>,
    /// `M + h^2 K`.
    matrix: SymmetricBlockMatrix,
    /// The rigid motion `r` (m/s) at each unknown.
    rigid: Vec<Vec3>,
    /// `M (w - r)` (N s) at each unknown.
    deformation_momentum: Vec<Vec3>,
}

/// Solves for the velocities after an impact with the given `constraints` in a step of `h` (s), for nodes at `x` (m) with
/// the velocities `w` (m/s) before the impact. `tolerance` (m/s) is that of stages, and the slip speed of friction.
///
/// # Errors
/// If the solve does not converge.
pub(crate) fn solve_impact(
    system: &Prepared<'_>,
    (x, w): (&[Vec3], &[Vec3]),
    h: f64,
    constraints: &[ImpactConstraint],
    tolerance: f64,
) -> Result<ImpactSolution, SolveError> {
    let mut objective = ImpactObjective::new(system, (x, w), h, constraints, tolerance);
    let mut v = objective.unknowns.gather(w);
    let solve_tolerance = RELATIVE_TOLERANCE * tolerance;
    let mut newton = Newton::new(NewtonSettings::default());
    newton.minimise(&mut objective, &mut v, solve_tolerance)?;
    if objective.add_friction(w, &v) {
        newton.minimise(&mut objective, &mut v, solve_tolerance)?;
    }
    let impulses = objective.normal_impulses(&v);
    let mut velocities = w.to_vec();
    objective.unknowns.set_velocities(&v, &mut velocities);
    let returned_heat = objective.returned_heat([w, &velocities]);
    Ok(ImpactSolution { velocities, impulses, returned_heat })
}

impl<'a> ImpactObjective<'a> {
    /// The objective for nodes at `x` (m) with the velocities `w` (m/s) before the impact, without friction.
    fn new(
        system: &Prepared<'_>,
        (x, w): (&[Vec3], &[Vec3]),
        h: f64,
        constraints: &'a [ImpactConstraint],
        slip_speed: f64,
    ) -> Self {
        let unknowns = ImpactUnknowns::new(system, x, &impacted_bodies(system, constraints));
        let factors = constraints
            .iter()
            .map(|constraint| unknowns.factors(system, &constraint.impact.nodes))
            .collect();
        let (rigid, deformation_momentum) = unknowns.rigid_velocities(system, (x, w));
        let mut assembly = Assembly::new(unknowns.len());
        assembly.begin();
        unknowns.add_inertia(system, x, h, &mut assembly);
        assembly.end_static();
        Self {
            constraints,
            factors,
            stiffness: penalty_stiffness(system, constraints),
            friction_limits: vec![0.0; constraints.len()],
            returned_friction: vec![Vec3::ZERO; constraints.len()],
            slip_speed,
            free: unknowns.free(system),
            guided: unknowns.guided(system),
            unknowns,
            matrix: assembly.finish().clone(),
            rigid,
            deformation_momentum,
        }
    }

    /// The relative velocity of constraint `k` at the velocities `v` (m/s) of the unknowns.
    fn relative_velocity(&self, k: usize, v: &[Vec3]) -> RelativeVelocity {
        let normal = self.constraints[k].impact.normal;
        let relative: Vec3 = self.factors[k].iter().map(|&(i, factor)| factor * v[i]).sum();
        let opening = normal.dot(relative);
        RelativeVelocity { opening, slip: relative - normal * opening }
    }

    /// The normal impulse (N s) of each constraint at the velocities `v` of the unknowns.
    fn normal_impulses(&self, v: &[Vec3]) -> Vec<f64> {
        (0..self.constraints.len()).map(|k| -self.penalty(k, v).derivative).collect()
    }

    /// Adds friction with the normal impulses at the velocities `v` of the unknowns: positive ones limit it, and where a
    /// constraint pulls, the friction of the pull is returned in the direction of the slip at the velocities `w` of all
    /// nodes. Returns whether there is any.
    fn add_friction(&mut self, w: &[Vec3], v: &[Vec3]) -> bool {
        let normal_impulses = self.normal_impulses(v);
        for (k, (constraint, normal_impulse)) in
            self.constraints.iter().zip(normal_impulses).enumerate()
        {
            let limit = constraint.impact.friction * normal_impulse;
            self.friction_limits[k] = limit.max(0.0);
            let slip = constraint.impact.slip(|node| w[node]);
            let speed = slip.length();
            if limit < 0.0 && speed > self.slip_speed {
                self.returned_friction[k] = slip * (-limit / speed);
            }
        }
        let has_limit = self.friction_limits.iter().any(|limit| *limit > 0.0);
        has_limit || self.returned_friction.iter().any(|impulse| *impulse != Vec3::ZERO)
    }

    /// The work (J) of the returned friction of each constraint, between the velocities of all nodes before and after the
    /// impact.
    fn returned_heat(&self, [before, after]: [&[Vec3]; 2]) -> Vec<f64> {
        let heat = |(constraint, returned): (&ImpactConstraint, &Vec3)| {
            let slip = |v: &[Vec3]| constraint.impact.slip(|node| v[node]);
            0.5 * returned.dot(slip(before) + slip(after))
        };
        self.constraints.iter().zip(&self.returned_friction).map(heat).collect()
    }

    /// The friction potential of constraint `k` at the velocities `v` (m/s) of the unknowns. Below the slip speed it is
    /// quadratic in the slip, above linear. Returned friction has a linear potential.
    fn friction(&self, k: usize, v: &[Vec3]) -> FrictionPotential {
        let (impact, limit) = (&self.constraints[k].impact, self.friction_limits[k]);
        let returned = self.returned_friction[k];
        if limit == 0.0 && returned == Vec3::ZERO {
            return FrictionPotential { value: 0.0, gradient: Vec3::ZERO, hessian: Mat3::ZERO };
        }
        let RelativeVelocity { slip, .. } = self.relative_velocity(k, v);
        if limit == 0.0 {
            let value = -returned.dot(slip);
            return FrictionPotential { value, gradient: -returned, hessian: Mat3::ZERO };
        }
        let speed = slip.length();
        let tangential_projector = Mat3::IDENTITY - outer(impact.normal, impact.normal);
        if speed < self.slip_speed {
            let secant = limit / self.slip_speed;
            let value = 0.5 * secant * (speed * speed + self.slip_speed * self.slip_speed);
            let (gradient, hessian) = (slip * secant, tangential_projector * secant);
            return FrictionPotential { value, gradient, hessian };
        }
        let direction = slip / speed;
        let hessian = (tangential_projector - outer(direction, direction)) * (limit / speed);
        FrictionPotential { value: limit * speed, gradient: direction * limit, hessian }
    }

    /// The penalty `phi` of constraint `k` at the velocities `v` (m/s) of the unknowns. It is quadratic in the excess of
    /// the opening rate over its target, zero below the smallest impulse of the condition, and linear above the largest.
    fn penalty(&self, k: usize, v: &[Vec3]) -> Penalty {
        let constraint = &self.constraints[k];
        let excess = self.relative_velocity(k, v).opening - constraint.target_rate;
        let c = self.stiffness[k];
        let (min, max) = match constraint.condition {
            OpeningCondition::Equal { pull } => (f64::NEG_INFINITY, pull),
            OpeningCondition::AtMost { pull } => (0.0, pull),
            OpeningCondition::AtLeast => (f64::NEG_INFINITY, 0.0),
        };
        let impulse = c * excess;
        if impulse > max {
            let value = max * (excess - 0.5 * max / c);
            Penalty { value, derivative: max, curvature: 0.0 }
        } else if impulse < min {
            Penalty { value: 0.0, derivative: 0.0, curvature: 0.0 }
        } else {
            Penalty { value: 0.5 * impulse * excess, derivative: impulse, curvature: c }
        }
    }

    /// The motion of the unknowns at the velocities `v` (m/s) relative to the rigid motion.
    fn relative_motion(&self, v: &[Vec3]) -> RelativeMotion {
        let relative = |i: usize| if self.free[i] { v[i] - self.rigid[i] } else { Vec3::ZERO };
        let mut velocities: Vec<Vec3> = (0..v.len()).map(relative).collect();
        for &(i, projector) in &self.guided {
            velocities[i] = projector * velocities[i];
        }
        let mut momenta = vec![Vec3::ZERO; velocities.len()];
        self.matrix.multiply(&velocities, &mut momenta);
        RelativeMotion { velocities, momenta }
    }
}

/// The bodies of the constraints and of the nodes on which they act, ascending.
fn impacted_bodies(system: &Prepared<'_>, constraints: &[ImpactConstraint]) -> Vec<usize> {
    let mut impacted = vec![false; system.bodies().len()];
    for constraint in constraints {
        constraint.impact.bodies.iter().for_each(|&b| impacted[b] = true);
        for &(node, _) in &constraint.impact.nodes {
            impacted[system.body_of(node)] = true;
        }
    }
    (0..impacted.len()).filter(|&b| impacted[b]).collect()
}

/// The penalty stiffness (kg) of each constraint.
fn penalty_stiffness(system: &Prepared<'_>, constraints: &[ImpactConstraint]) -> Vec<f64> {
    let body_masses = system.sum_by_body(|i| system.masses()[i]);
    let lighter_mass = |constraint: &ImpactConstraint| {
        constraint.impact.bodies.iter().map(|&b| body_masses[b]).fold(f64::INFINITY, f64::min)
    };
    constraints.iter().map(|constraint| RELATIVE_PENALTY * lighter_mass(constraint)).collect()
}

impl Objective for ImpactObjective<'_> {
    fn len(&self) -> usize {
        self.unknowns.len()
    }

    fn free(&self) -> &[bool] {
        &self.free
    }

    fn guided(&self) -> &[(usize, Mat3)] {
        &self.guided
    }

    fn prescribed(&self) -> &[(usize, Vec3)] {
        &[]
    }

    /// With `d = v - r`: `1/2 d . (M + h^2 K) d - d . M (w - r)` plus penalties and friction, which differs from the
    /// objective of the module by a constant.
    fn value(&self, v: &[Vec3]) -> f64 {
        let RelativeMotion { velocities, momenta } = self.relative_motion(v);
        let inertial_value =
            |i: usize| velocities[i].dot(0.5 * momenta[i] - self.deformation_momentum[i]);
        let inertial: f64 = (0..velocities.len()).map(inertial_value).sum();
        let constraint_value = |k: usize| self.penalty(k, v).value + self.friction(k, v).value;
        inertial + (0..self.constraints.len()).map(constraint_value).sum::<f64>()
    }

    fn gradient(&self, v: &[Vec3], out: &mut [Vec3]) {
        let RelativeMotion { momenta, .. } = self.relative_motion(v);
        for (i, out) in out.iter_mut().enumerate() {
            *out = momenta[i] - self.deformation_momentum[i];
        }
        for (k, constraint) in self.constraints.iter().enumerate() {
            let impulse = constraint.impact.normal * self.penalty(k, v).derivative
                + self.friction(k, v).gradient;
            for &(i, factor) in &self.factors[k] {
                out[i] += factor.transpose() * impulse;
            }
        }
    }

    fn hessian(&self, v: &[Vec3], _: &Linearisation, _: Psd, out: &mut Assembly) {
        out.begin();
        for ((i, j), block) in self.matrix.pattern.pairs().zip(&self.matrix.blocks) {
            out.add(i as usize, j as usize, *block);
        }
        out.end_static();
        for (k, constraint) in self.constraints.iter().enumerate() {
            let normal = constraint.impact.normal;
            let normal_block = outer(normal, normal) * self.penalty(k, v).curvature;
            let block = normal_block + self.friction(k, v).hessian;
            if block == Mat3::ZERO {
                continue;
            }
            let factors: Vec<_> = self.factors[k].iter().filter(|&&(i, _)| self.free[i]).collect();
            for (first, &&(i, left)) in factors.iter().enumerate() {
                for &&(j, right) in &factors[first..] {
                    out.add(i, j, left.transpose() * block * right);
                }
            }
        }
        out.finish();
    }

    /// The unknowns are velocities, so steps are not bounded.
    fn step_bound(&mut self, _: &[Vec3], _: &[Vec3]) -> f64 {
        1.0
    }
}
