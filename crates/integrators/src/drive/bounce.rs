//! Velocities after an impact.
//!
//! They are
//!
//! ```text
//! argmin_v  1/2 |v - w|_M^2 + h^2/2 (v - r)^T K (v - r) + sum over pairs of phi(u(v) - t)
//! ```
//!
//! with the velocities `w` before the impact, the rigid motion `r` in them, and the projected Hessian `K` of the
//! internal energy of each body: an impulse over the duration of a step moves the part of a body that elastic waves
//! reach within a step, and a stiff body as a whole. For affine bodies `h` is at least so long that the body moves as a
//! whole, because Newton's law applies to the body and must not depend on the step. The rates of deformation by the impact are excluded by `r`;
//! otherwise the surface of a stiff body would separate faster than its centre of mass. `u` is the rate at which the
//! gap of a pair opens, `t` its target, and `phi` a penalty that is stiff relative to the masses of the bodies.
//! Friction resists slip with `mu` times the resulting impulse, in a second solve; friction of the approach is part of
//! the step. Where a pair pulls, it takes back a part of the impulse of the barrier in the step, and with it the friction
//! of this part: the tangential impulse `mu` times the pull in the direction of slip is returned.

use crate::rigid::inertia::Shape;
use crate::step::NO_INDEX;
use crate::step::impacts::{ImpactConstraint, OpeningCondition};
use resile_math::{Mat3, Vec3, outer};
use resile_solver::{Newton, NewtonSettings, Objective, SolveError};
use resile_sparse::{Assembly, BlockSink as _, NO_ROW, SymmetricBlockMatrix};
use resile_system::{Prepared, Psd};
use std::sync::Arc;

/// Stiffness of the penalty over the mass of the lighter body; its inverse is about the relative error of velocities.
const RELATIVE_PENALTY: f64 = 1e4;

/// Number of nodes of an affine body.
const AFFINE_NODES: usize = 4;

/// Smallest mean of `h^2 K` over that of `M` for an affine body, so that its deformation is negligible in an impact: a
/// relative velocity of its points of 1e-6 of that of the impact, and 4e-4 for a rod with a slenderness of 20.
const MIN_RIGIDITY: f64 = 1e6;

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

/// The objective over the velocities (m/s) of the nodes of impacted bodies.
struct ImpactObjective<'a> {
    constraints: &'a [ImpactConstraint],
    /// The penalty stiffness (kg) of each constraint.
    stiffness: Vec<f64>,
    /// The largest impulse of friction (N s) of each constraint.
    friction_limits: Vec<f64>,
    /// The impulse of friction (N s) that each constraint returns.
    returned_friction: Vec<Vec3>,
    /// The slip speed (m/s) below which friction is proportional to the slip.
    slip_speed: f64,
    /// The nodes whose velocities are unknowns.
    nodes: Vec<usize>,
    /// Index of each node of the system among the unknowns, or [`NO_INDEX`].
    unknown_index: Vec<usize>,
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
    let mut unknowns: Vec<Vec3> = objective.nodes.iter().map(|&node| w[node]).collect();
    let solve_tolerance = RELATIVE_TOLERANCE * tolerance;
    let mut newton = Newton::new(NewtonSettings::default());
    newton.minimise(&mut objective, &mut unknowns, solve_tolerance)?;
    if objective.add_friction(w, &unknowns) {
        newton.minimise(&mut objective, &mut unknowns, solve_tolerance)?;
    }
    let impulses = objective.normal_impulses(&unknowns);
    let mut velocities = w.to_vec();
    objective.nodes.iter().zip(&unknowns).for_each(|(&node, v)| velocities[node] = *v);
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
        let nodes: Vec<usize> = bodies.iter().flat_map(|&b| system.nodes(b)).collect();
        let mut unknown_index = vec![NO_INDEX; w.len()];
        nodes.iter().enumerate().for_each(|(index, &node)| unknown_index[node] = index);
        let free: Vec<bool> = nodes.iter().map(|&node| system.free()[node]).collect();
        let guided = system.guided().iter().filter(|(node, _)| unknown_index[*node] != NO_INDEX);
        let guided = guided.map(|&(node, projector)| (unknown_index[node], projector)).collect();
        let matrix = impact_inertia(system, x, h, &bodies, &unknown_index);
        let friction_limits = vec![0.0; constraints.len()];
        let returned_friction = vec![Vec3::ZERO; constraints.len()];
        let mut rigid = Vec::with_capacity(nodes.len());
        for &b in &bodies {
            let body_nodes = system.nodes(b);
            let mut field = w[body_nodes.clone()].to_vec();
            if system.bodies()[b].is_kinematic() {
                rigid.append(&mut field);
                continue;
            }
            let masses = &system.masses()[body_nodes.clone()];
            rigid.extend(Shape::regularised(masses, &x[body_nodes]).remove_motion(&mut field));
        }
        let node_momentum = |(&node, rigid): (&usize, &Vec3)| {
            system.free_part(node, system.masses()[node] * (w[node] - *rigid))
        };
        let deformation_momentum = nodes.iter().zip(&rigid).map(node_momentum).collect();
        Self {
            constraints,
            stiffness,
            friction_limits,
            returned_friction,
            slip_speed,
            nodes,
            unknown_index,
            free,
            guided,
            matrix,
            rigid,
            deformation_momentum,
        }
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
        let slip = impact.slip(|node| v[self.unknown_index[node]]);
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
        let excess =
            constraint.impact.opening(|node| v[self.unknown_index[node]]) - constraint.target_rate;
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

/// The matrix `M + h^2 K` of the impacted `bodies` at `x` (m), in the order of the unknowns.
fn impact_inertia(
    system: &Prepared<'_>,
    x: &[Vec3],
    h: f64,
    bodies: &[usize],
    unknown_index: &[usize],
) -> SymmetricBlockMatrix {
    let count = bodies.iter().map(|&b| system.nodes(b).len()).sum();
    let mut assembly = Assembly::new(count);
    assembly.begin();
    for &b in bodies {
        let nodes = system.nodes(b);
        for node in nodes.clone() {
            let mass = Mat3::from_diagonal(Vec3::splat(system.masses()[node]));
            assembly.add(unknown_index[node], unknown_index[node], mass);
        }
        if !system.bodies()[b].is_kinematic() {
            let row =
                |node: usize| if system.free()[node] { unknown_index[node] as u32 } else { NO_ROW };
            let rows: Arc<[u32]> = nodes.map(row).collect();
            let scale = (h * h).max(rigid_scale(system, b, x));
            assembly.renumbered(&rows, |out| {
                system.add_internal_hessian(b, x, scale, Psd::Clamp, out);
            });
        }
    }
    assembly.end_static();
    assembly.finish().clone()
}

/// The square (s^2) of the duration over which an impulse moves an affine body as a whole; zero for other bodies.
fn rigid_scale(system: &Prepared<'_>, b: usize, x: &[Vec3]) -> f64 {
    let nodes = system.nodes(b);
    if nodes.len() != AFFINE_NODES {
        return 0.0;
    }
    let mut assembly = Assembly::new(AFFINE_NODES);
    assembly.begin();
    system.add_internal_hessian(b, x, 1.0, Psd::Clamp, &mut assembly);
    assembly.end_static();
    let matrix = assembly.finish();
    let entries = matrix.pattern.pairs().zip(&matrix.blocks).filter(|((i, j), _)| i == j);
    let stiffness: f64 = entries.map(|(_, m)| m.x_axis.x + m.y_axis.y + m.z_axis.z).sum();
    let mass: f64 = nodes.map(|node| 3.0 * system.masses()[node]).sum();
    if stiffness > 0.0 { MIN_RIGIDITY * mass / stiffness } else { 0.0 }
}

impl Objective for ImpactObjective<'_> {
    fn len(&self) -> usize {
        self.nodes.len()
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
            for &(node, weight) in &constraint.impact.nodes {
                out[self.unknown_index[node]] += impulse * weight;
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
            let is_free = |&&(node, _): &&(usize, f64)| self.free[self.unknown_index[node]];
            let nodes: Vec<_> = constraint.impact.nodes.iter().filter(is_free).collect();
            for (first, &&(a, weight_a)) in nodes.iter().enumerate() {
                for &&(b, weight_b) in &nodes[first..] {
                    out.add(
                        self.unknown_index[a],
                        self.unknown_index[b],
                        block * (weight_a * weight_b),
                    );
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
