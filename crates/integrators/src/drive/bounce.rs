//! Velocities after an impact.
//!
//! They are
//!
//! ```text
//! argmin_v  1/2 |v - w|_M^2 + h^2/2 (v - r)^T K (v - r) + sum over pairs of phi(u(v) - t)
//! ```
//!
//! with the velocities `w` before the impact, the rigid motion `r` in them, and the projected Hessian `K` of the internal
//! energy of each body: an impulse over the duration of a step moves the part of a body that elastic waves reach within
//! a step, and a stiff body as a whole. The rates of deformation by the impact are excluded by `r`; otherwise the surface of
//! a stiff body would separate faster than its centre of mass. `u` is the rate at which the gap of a pair opens, `t` its
//! target, and `phi` a penalty that is stiff relative to the masses of the bodies. Friction resists slip with `mu` times
//! the resulting impulse, in a second solve; friction of the approach is part of the step.

use crate::rigid::momenta::Rigid;
use crate::step::impacts::{Bound, Strike};
use resile_linalg::{Assembly, BlockSink as _, NO_ROW, SymmetricBlockMatrix};
use resile_math::{Mat3, Vec3, outer};
use resile_solver::{Newton, NewtonSettings, Objective, SolveError};
use resile_system::{Prepared, Psd};
use std::sync::Arc;

/// Stiffness of the penalty over the mass of the lighter body; its inverse is about the relative error of velocities.
const STIFFNESS: f64 = 1e4;

/// Tolerance of the solves, relative to that of stages.
const TOLERANCE: f64 = 1e-5;

/// Marks nodes without an index.
const NONE: usize = usize::MAX;

/// The velocities of all nodes after an impact, and the impulse of each strike (N s).
pub(crate) struct Bounced {
    pub(crate) velocities: Vec<Vec3>,
    pub(crate) impulses: Vec<f64>,
}

/// The objective over the velocities (m/s) of the nodes of struck bodies.
struct Bounce<'a> {
    strikes: &'a [Strike],
    /// Of each (kg).
    stiffness: Vec<f64>,
    /// The largest impulse of friction of each (N s).
    rubbing: Vec<f64>,
    /// The slip speed (m/s) below which friction is smaller.
    slip_speed: f64,
    nodes: Vec<usize>,
    /// The index of each node among them.
    places: Vec<usize>,
    free: Vec<bool>,
    /// Projectors onto the free directions of nodes that are held in some.
    guided: Vec<(usize, Mat3)>,
    /// `M + h^2 K`.
    matrix: SymmetricBlockMatrix,
    /// `r` (m/s), and `M (w - r)` (N s).
    rigid: Vec<Vec3>,
    other: Vec<Vec3>,
}

/// The velocities after the `strikes` of bodies at `x` (m) that move at `w` (m/s). `tolerance` (m/s) is that of stages.
///
/// # Errors
/// If the solve does not converge.
pub(crate) fn bounced(
    system: &Prepared<'_>,
    (x, w): (&[Vec3], &[Vec3]),
    h: f64,
    strikes: &[Strike],
    tolerance: f64,
) -> Result<Bounced, SolveError> {
    let mut bounce = Bounce::new(system, (x, w), h, strikes, tolerance);
    let mut found: Vec<Vec3> = bounce.nodes.iter().map(|&node| w[node]).collect();
    let mut newton = Newton::new(NewtonSettings::default());
    newton.minimise(&mut bounce, &mut found, TOLERANCE * tolerance)?;
    let impulses = |bounce: &Bounce<'_>, found: &[Vec3]| -> Vec<f64> {
        (0..strikes.len()).map(|k| -bounce.penalty(k, found).1).collect()
    };
    let limit = |(s, impulse): (&Strike, f64)| s.impact.friction * impulse.max(0.0);
    bounce.rubbing = strikes.iter().zip(impulses(&bounce, &found)).map(limit).collect();
    if bounce.rubbing.iter().any(|limit| *limit > 0.0) {
        newton.minimise(&mut bounce, &mut found, TOLERANCE * tolerance)?;
    }
    let impulses = impulses(&bounce, &found);
    let mut velocities = w.to_vec();
    bounce.nodes.iter().zip(&found).for_each(|(&node, v)| velocities[node] = *v);
    Ok(Bounced { velocities, impulses })
}

impl<'a> Bounce<'a> {
    fn new(
        system: &Prepared<'_>,
        (x, w): (&[Vec3], &[Vec3]),
        h: f64,
        strikes: &'a [Strike],
        slip_speed: f64,
    ) -> Self {
        let masses = system.sum_by_body(|i| system.masses()[i]);
        let mut struck = vec![false; masses.len()];
        for strike in strikes {
            strike.impact.bodies.iter().for_each(|&b| struck[b] = true);
            for &(node, _) in &strike.impact.nodes {
                struck[system.body_of(node)] = true;
            }
        }
        let lighter =
            |s: &Strike| s.impact.bodies.iter().map(|&b| masses[b]).fold(f64::INFINITY, f64::min);
        let stiffness = strikes.iter().map(|s| STIFFNESS * lighter(s)).collect();
        let bodies: Vec<usize> = (0..masses.len()).filter(|&b| struck[b]).collect();
        let nodes: Vec<usize> = bodies.iter().flat_map(|&b| system.nodes(b)).collect();
        let mut places = vec![NONE; w.len()];
        nodes.iter().enumerate().for_each(|(place, &node)| places[node] = place);
        let free: Vec<bool> = nodes.iter().map(|&node| system.free()[node]).collect();
        let guided = system.guided().iter().filter(|(node, _)| places[*node] != NONE);
        let guided = guided.map(|&(node, projector)| (places[node], projector)).collect();
        let matrix = matrix(system, x, h, &bodies, &places);
        let rubbing = vec![0.0; strikes.len()];
        let mut rigid = Vec::with_capacity(nodes.len());
        for &b in &bodies {
            let own = system.nodes(b);
            let mut field = w[own.clone()].to_vec();
            if system.bodies()[b].is_kinematic() {
                rigid.append(&mut field);
                continue;
            }
            let masses = &system.masses()[own.clone()];
            rigid.extend(Rigid::of(masses, &x[own]).take_from(masses, &mut field));
        }
        let other = |(&node, rigid): (&usize, &Vec3)| {
            system.free_part(node, system.masses()[node] * (w[node] - *rigid))
        };
        let other = nodes.iter().zip(&rigid).map(other).collect();
        Self {
            strikes,
            stiffness,
            rubbing,
            slip_speed,
            nodes,
            places,
            free,
            guided,
            matrix,
            rigid,
            other,
        }
    }

    /// The potential of friction of a strike (J), its derivative by the slip (N s), and the second one (kg).
    fn friction(&self, k: usize, v: &[Vec3]) -> (f64, Vec3, Mat3) {
        let (impact, limit) = (&self.strikes[k].impact, self.rubbing[k]);
        if limit == 0.0 {
            return (0.0, Vec3::ZERO, Mat3::ZERO);
        }
        let slip = impact.slip(|node| v[self.places[node]]);
        let speed = slip.length();
        let across = Mat3::IDENTITY - outer(impact.normal, impact.normal);
        if speed < self.slip_speed {
            let secant = limit / self.slip_speed;
            let value = 0.5 * secant * (speed * speed + self.slip_speed * self.slip_speed);
            return (value, slip * secant, across * secant);
        }
        let along = slip / speed;
        let curvature = (across - outer(along, along)) * (limit / speed);
        (limit * speed, along * limit, curvature)
    }

    /// `phi` of a strike and its first two derivatives at the velocities `v` of the nodes solved for.
    fn penalty(&self, k: usize, v: &[Vec3]) -> (f64, f64, f64) {
        let strike = &self.strikes[k];
        let excess = strike.impact.opening(|node| v[self.places[node]]) - strike.opening;
        let c = self.stiffness[k];
        let (least, most) = match strike.bound {
            Bound::Equal { pull } => (f64::NEG_INFINITY, pull),
            Bound::AtMost { pull } => (0.0, pull),
            Bound::AtLeast => (f64::NEG_INFINITY, 0.0),
        };
        let force = c * excess;
        if force > most {
            (most * (excess - 0.5 * most / c), most, 0.0)
        } else if force < least {
            (0.0, 0.0, 0.0)
        } else {
            (0.5 * force * excess, force, c)
        }
    }

    /// `v - r` (m/s) in free directions, and `(M + h^2 K) (v - r)` (N s).
    fn inertia(&self, v: &[Vec3]) -> (Vec<Vec3>, Vec<Vec3>) {
        let change = |k: usize| if self.free[k] { v[k] - self.rigid[k] } else { Vec3::ZERO };
        let mut change: Vec<Vec3> = (0..v.len()).map(change).collect();
        for &(k, projector) in &self.guided {
            change[k] = projector * change[k];
        }
        let mut force = vec![Vec3::ZERO; change.len()];
        self.matrix.multiply(&change, &mut force);
        (change, force)
    }
}

/// `M + h^2 K` of these bodies at `x`, in the order of `places`.
fn matrix(
    system: &Prepared<'_>,
    x: &[Vec3],
    h: f64,
    bodies: &[usize],
    places: &[usize],
) -> SymmetricBlockMatrix {
    let count = bodies.iter().map(|&b| system.nodes(b).len()).sum();
    let mut assembly = Assembly::new(count);
    assembly.begin();
    for &b in bodies {
        let nodes = system.nodes(b);
        for node in nodes.clone() {
            let mass = Mat3::from_diagonal(Vec3::splat(system.masses()[node]));
            assembly.add(places[node], places[node], mass);
        }
        if !system.bodies()[b].is_kinematic() {
            let row = |node: usize| if system.free()[node] { places[node] as u32 } else { NO_ROW };
            let rows: Arc<[u32]> = nodes.map(row).collect();
            assembly.renumbered(&rows, |out| {
                system.add_internal_hessian(b, x, h * h, Psd::Clamp, out);
            });
        }
    }
    assembly.end_static();
    assembly.finish().clone()
}

impl Objective for Bounce<'_> {
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

    fn value(&self, v: &[Vec3]) -> f64 {
        let (change, force) = self.inertia(v);
        let inertia = |k: usize| change[k].dot(0.5 * force[k] - self.other[k]);
        let inertia: f64 = (0..change.len()).map(inertia).sum();
        let of = |k: usize| self.penalty(k, v).0 + self.friction(k, v).0;
        inertia + (0..self.strikes.len()).map(of).sum::<f64>()
    }

    fn gradient(&self, v: &[Vec3], out: &mut [Vec3]) {
        let force = self.inertia(v).1;
        for (out, (force, other)) in out.iter_mut().zip(force.iter().zip(&self.other)) {
            *out = *force - *other;
        }
        for (k, strike) in self.strikes.iter().enumerate() {
            let impulse = strike.impact.normal * self.penalty(k, v).1 + self.friction(k, v).1;
            for &(node, weight) in &strike.impact.nodes {
                out[self.places[node]] += impulse * weight;
            }
        }
    }

    fn hessian(&self, v: &[Vec3], _: Psd, out: &mut Assembly) {
        out.begin();
        for ((i, j), block) in self.matrix.pattern.pairs().zip(&self.matrix.blocks) {
            out.add(i as usize, j as usize, *block);
        }
        out.end_static();
        for (k, strike) in self.strikes.iter().enumerate() {
            let normal = outer(strike.impact.normal, strike.impact.normal) * self.penalty(k, v).2;
            let block = normal + self.friction(k, v).2;
            if block == Mat3::ZERO {
                continue;
            }
            let nodes = &strike.impact.nodes;
            for (k, &(a, weight)) in nodes.iter().enumerate() {
                for &(b, other) in &nodes[k..] {
                    out.add(self.places[a], self.places[b], block * (weight * other));
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
