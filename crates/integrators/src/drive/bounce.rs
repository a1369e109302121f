//! Velocities after an impact.
//!
//! They are
//!
//! ```text
//! argmin_v  1/2 |v - w|_M^2 + h^2/2 (v - r)^T K (v - r) + sum over pairs of phi(u(v) - t)
//! ```
//!
//! with the velocities `w` before the impact, the rigid motion `r` in them, and the projected Hessian `K` of the
//! internal energy of each body. Solids and affine bodies without Dirichlet conditions bounce as a whole: their
//! velocities `v` are those of a rigid motion. Newton's law then applies to the body, and does not depend on the step or
//! on how many steps the contact of a soft body lasts. In other bodies an impulse over the duration of a step moves the
//! part that elastic waves reach within a step. The rates of deformation by the impact are excluded by `r`; otherwise the
//! surface of a stiff body would separate faster than its centre of mass. `u` is the rate at which the gap of a pair
//! opens, `t` its target, and `phi` a penalty that is stiff relative to the masses of the bodies. Friction resists slip
//! with `mu` times the resulting impulse, in a second solve; friction of the approach is part of the step. Where a pair
//! pulls, it takes back a part of the impulse of the barrier in the step, and with it the friction of this part: the
//! tangential impulse `mu` times the pull in the direction of slip is returned.

use crate::drive::impact_unknowns::ImpactUnknowns;
use crate::step::impacts::{ImpactConstraint, OpeningCondition};
use resile_math::{Mat3, Vec3, outer};
use resile_solver::{Newton, NewtonSettings, Objective, SolveError};
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
    /// The unknowns that are held in some directions, with the projectors onto their free directions.
    guided: Vec<(usize, Mat3)>,
    /// `M + h^2 K`.
    matrix: SymmetricBlockMatrix,
    /// The rigid motion `r` (m/s) at each unknown.
    rigid: Vec<Vec3>,
    /// `M (w - r)` (N s) at each unknown.
    deformation_momentum: Vec<Vec3>,
}

/// Solves for the velocities after an impact with the given `constraints`, for bodies at `x` (m) with velocities `w`
/// (m/s). `tolerance` (m/s) is that of stages.
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
    let mut unknowns = objective.unknowns.gather(w);
    let solve_tolerance = RELATIVE_TOLERANCE * tolerance;
    let mut newton = Newton::new(NewtonSettings::default());
    newton.minimise(&mut objective, &mut unknowns, solve_tolerance)?;
    if objective.add_friction(w, &unknowns) {
        newton.minimise(&mut objective, &mut unknowns, solve_tolerance)?;
    }
    let impulses = objective.normal_impulses(&unknowns);
    let mut velocities = w.to_vec();
    objective.unknowns.set_velocities(&unknowns, &mut velocities);
    let returned_heat = objective.returned_heat([w, &velocities]);
    Ok(ImpactSolution { velocities, impulses, returned_heat })
}

impl<'a> ImpactObjective<'a> {
    /// The objective for bodies at `x` (m) with the velocities `w` (m/s) before the impact.
    fn new(
        system: &Prepared<'_>,
        (x, w): (&[Vec3], &[Vec3]),
        h: f64,
        constraints: &'a [ImpactConstraint],
        slip_speed: f64,
    ) -> Self {
        let body_masses = system.sum_by_body(|i| system.masses()[i]);
        let mut impacted = vec![false; body_masses.len()];
        for constraint in constraints {
            constraint.impact.bodies.iter().for_each(|&b| impacted[b] = true);
            for &(node, _) in &constraint.impact.nodes {
                impacted[system.body_of(node)] = true;
            }
        }
        let lighter_mass = |constraint: &ImpactConstraint| {
            constraint.impact.bodies.iter().map(|&b| body_masses[b]).fold(f64::INFINITY, f64::min)
        };
        let stiffness = constraints
            .iter()
            .map(|constraint| RELATIVE_PENALTY * lighter_mass(constraint))
            .collect();
        let bodies: Vec<usize> = (0..body_masses.len()).filter(|&b| impacted[b]).collect();
        let unknowns = ImpactUnknowns::new(system, x, &bodies);
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
            stiffness,
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

    /// The opening rate (m/s) and the slip velocity (m/s) of constraint `k` at the unknowns `v`.
    fn relative_velocity(&self, k: usize, v: &[Vec3]) -> (f64, Vec3) {
        let normal = self.constraints[k].impact.normal;
        let relative: Vec3 = self.factors[k].iter().map(|&(i, factor)| factor * v[i]).sum();
        let opening = normal.dot(relative);
        (opening, relative - normal * opening)
    }

    /// The normal impulse (N s) of each constraint at the velocities `v` of the unknowns.
    fn normal_impulses(&self, v: &[Vec3]) -> Vec<f64> {
        (0..self.constraints.len()).map(|k| -self.penalty(k, v).1).collect()
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

    /// The friction potential of constraint `k` (J), its first derivative by the slip (N s) and its second derivative
    /// (kg). Below the slip speed it is quadratic in the slip, above linear. Returned friction has a linear potential.
    fn friction(&self, k: usize, v: &[Vec3]) -> (f64, Vec3, Mat3) {
        let (impact, limit) = (&self.constraints[k].impact, self.friction_limits[k]);
        let returned = self.returned_friction[k];
        if limit == 0.0 && returned == Vec3::ZERO {
            return (0.0, Vec3::ZERO, Mat3::ZERO);
        }
        let slip = self.relative_velocity(k, v).1;
        if limit == 0.0 {
            return (-returned.dot(slip), -returned, Mat3::ZERO);
        }
        let speed = slip.length();
        let tangential_projector = Mat3::IDENTITY - outer(impact.normal, impact.normal);
        if speed < self.slip_speed {
            let secant = limit / self.slip_speed;
            let value = 0.5 * secant * (speed * speed + self.slip_speed * self.slip_speed);
            return (value, slip * secant, tangential_projector * secant);
        }
        let direction = slip / speed;
        let curvature = (tangential_projector - outer(direction, direction)) * (limit / speed);
        (limit * speed, direction * limit, curvature)
    }

    /// The penalty `phi` of constraint `k` (J) and its first (N s) and second (kg) derivative by the opening rate, at
    /// the velocities `v` of the unknowns.
    fn penalty(&self, k: usize, v: &[Vec3]) -> (f64, f64, f64) {
        let constraint = &self.constraints[k];
        let excess = self.relative_velocity(k, v).0 - constraint.target_rate;
        let c = self.stiffness[k];
        let (min, max) = match constraint.condition {
            OpeningCondition::Equal { pull } => (f64::NEG_INFINITY, pull),
            OpeningCondition::AtMost { pull } => (0.0, pull),
            OpeningCondition::AtLeast => (f64::NEG_INFINITY, 0.0),
        };
        // Quadratic in the excess, zero below the smallest impulse, and linear above the largest one.
        let impulse = c * excess;
        if impulse > max {
            (max * (excess - 0.5 * max / c), max, 0.0)
        } else if impulse < min {
            (0.0, 0.0, 0.0)
        } else {
            (0.5 * impulse * excess, impulse, c)
        }
    }

    /// `v - r` (m/s) in the free directions, and `(M + h^2 K) (v - r)` (N s).
    fn inertia(&self, v: &[Vec3]) -> (Vec<Vec3>, Vec<Vec3>) {
        let node_change = |k: usize| if self.free[k] { v[k] - self.rigid[k] } else { Vec3::ZERO };
        let mut change: Vec<Vec3> = (0..v.len()).map(node_change).collect();
        for &(k, projector) in &self.guided {
            change[k] = projector * change[k];
        }
        let mut force = vec![Vec3::ZERO; change.len()];
        self.matrix.multiply(&change, &mut force);
        (change, force)
    }
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
        let (change, force) = self.inertia(v);
        let node_value = |k: usize| change[k].dot(0.5 * force[k] - self.deformation_momentum[k]);
        let inertial: f64 = (0..change.len()).map(node_value).sum();
        let constraint_value = |k: usize| self.penalty(k, v).0 + self.friction(k, v).0;
        inertial + (0..self.constraints.len()).map(constraint_value).sum::<f64>()
    }

    fn gradient(&self, v: &[Vec3], out: &mut [Vec3]) {
        let force = self.inertia(v).1;
        for (out, (force, momentum)) in
            out.iter_mut().zip(force.iter().zip(&self.deformation_momentum))
        {
            *out = *force - *momentum;
        }
        for (k, constraint) in self.constraints.iter().enumerate() {
            let impulse = constraint.impact.normal * self.penalty(k, v).1 + self.friction(k, v).1;
            for &(i, factor) in &self.factors[k] {
                out[i] += factor.transpose() * impulse;
            }
        }
    }

    fn hessian(&self, v: &[Vec3], _: Psd, out: &mut Assembly) {
        out.begin();
        for ((i, j), block) in self.matrix.pattern.pairs().zip(&self.matrix.blocks) {
            out.add(i as usize, j as usize, *block);
        }
        out.end_static();
        for (k, constraint) in self.constraints.iter().enumerate() {
            let normal_block =
                outer(constraint.impact.normal, constraint.impact.normal) * self.penalty(k, v).2;
            let block = normal_block + self.friction(k, v).2;
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
