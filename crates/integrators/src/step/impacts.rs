//! Impacts of surfaces with a coefficient of restitution (`drive/restitution.rs`): where they occur and how fast the
//! surfaces approach.

use crate::rigid::free_flight::FreeFlight;
use crate::rigid::inertia::Shape;
use crate::step::Step;
use resile_math::Vec3;
use resile_system::{Body, Impact, ImpulseResponse, Prepared, RotationResponse, State, System};

/// Number of steps of free fall whose speed is the lower limit for a rebound: a body that leaves at this speed returns after
/// four steps.
const MIN_FALL_STEPS: f64 = 2.0;

/// The condition on the rate at which the gap of a pair opens after the impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum OpeningCondition {
    /// The rate equals its target. The pair may pull with at most `pull` (N s), the impulse of the barrier in the step.
    Equal { pull: f64 },
    /// The rate is at most its target; `pull` as above.
    AtMost { pull: f64 },
    /// The rate is at least its target.
    AtLeast,
}

/// A pair of surfaces that is in contact in the step, with the condition on its rate.
#[derive(Debug, Clone)]
pub(crate) struct ImpactConstraint {
    pub(crate) impact: Impact,
    /// The target of the rate (m/s) at which the gap opens after the impact.
    pub(crate) target_rate: f64,
    /// How the rate is related to its target.
    pub(crate) condition: OpeningCondition,
    /// The smallest rate of approach (m/s) with a rebound.
    pub(crate) min_rebound_speed: f64,
}

impl ImpactConstraint {
    /// Whether the pair approaches fast enough for a rebound.
    pub(crate) fn rebounds(&self) -> bool {
        matches!(self.condition, OpeningCondition::Equal { .. })
    }
}

/// The data of a step from which its impacts follow.
pub(crate) struct ImpactContext<'a> {
    /// The time step (s).
    pub(crate) h: f64,
    /// The velocities (m/s) at the start, the mean ones of the step, and those at its end.
    pub(crate) velocities: [&'a [Vec3]; 3],
    /// The acceleration (m/s^2) of each body by uniform fields.
    pub(crate) uniform_accelerations: &'a [Vec3],
    /// The tolerance (m/s) of stages.
    pub(crate) tolerance: f64,
}

impl ImpactContext<'_> {
    /// The condition on the opening rate of a pair: a rebound if the pair approaches fast enough, at most free
    /// separation if it separates at the start or in the step, otherwise no approach.
    pub(crate) fn constraint(&self, system: &System, impact: Impact) -> ImpactConstraint {
        let [start, mean, end] = self.velocities.map(|v| impact.opening(|node| v[node]));
        let node_acceleration = |node: usize| self.uniform_accelerations[system.body_of(node)];
        let field_acceleration = impact.opening(node_acceleration);
        let largest_acceleration = impact
            .bodies
            .map(|b| self.uniform_accelerations[b].length())
            .into_iter()
            .fold(0.0, f64::max);
        let min_rebound_speed =
            (MIN_FALL_STEPS * self.h * largest_acceleration).max(self.tolerance);
        let pull = self.h * impact.force;
        let (target_rate, condition) = if start < -min_rebound_speed {
            // The rate of approach at the impact, after the part of the step before it.
            let time_to_impact = (mean / start).clamp(0.0, 1.0) * self.h;
            let approach = (start + time_to_impact * field_acceleration).min(0.0);
            (-impact.restitution * approach, OpeningCondition::Equal { pull })
        } else if start > self.tolerance {
            (start + self.h * field_acceleration, OpeningCondition::AtMost { pull })
        } else if mean.max(end) > self.tolerance {
            // The barrier releases what an earlier impact or slow approach has stored.
            let free_rate = start + self.h * field_acceleration;
            (free_rate.max(0.0), OpeningCondition::AtMost { pull })
        } else {
            (end.min(0.0), OpeningCondition::AtLeast)
        };
        ImpactConstraint { impact, target_rate, condition, min_rebound_speed }
    }
}

/// The acceleration (m/s^2) that uniform fields give each body.
pub(crate) fn uniform_accelerations(system: &System, time: f64) -> Vec<Vec3> {
    system.bodies().iter().map(|body| body.uniform_acceleration(time)).collect()
}

/// The impacts of pairs with a coefficient of restitution that are active at `x` (m) in a step of `h` (s), where the system
/// must be prepared.
pub(crate) fn impacts(system: &Prepared<'_>, x: &[Vec3], h: f64) -> Vec<Impact> {
    let response = |(b, body): (usize, &Body)| {
        let nodes = system.nodes(b);
        let rotation = body.bounces_as_a_whole().then(|| {
            let shape = Shape::regularised(&system.masses()[nodes.clone()], &x[nodes]);
            RotationResponse { centre: shape.centre, compliance: shape.compliance }
        });
        ImpulseResponse { reach: body.impulse_reach(h), rotation }
    };
    let responses: Vec<_> = system.bodies().iter().enumerate().map(response).collect();
    system.impacts(x, &responses)
}

/// Velocities that are carried along by the rotation of each body.
pub(crate) struct CarriedVelocities {
    /// The velocities (m/s): while a body rotates freely, they are those of its nodes after the rotation. Those of bodies
    /// that [bounce as a whole](resile_system::Body::bounces_as_a_whole) are without deformation.
    pub(crate) velocities: Vec<Vec3>,
    /// The change of the velocities (m/s) by the rotation.
    rotation_changes: Vec<Vec3>,
}

impl CarriedVelocities {
    /// The mean velocities (m/s) in a step of `h` (s) between two `positions` (m), without the rotation from the start to
    /// the end.
    pub(crate) fn mean_velocities(&self, [start, end]: [&[Vec3]; 2], h: f64) -> Vec<Vec3> {
        let mean_velocity = |i: usize| (end[i] - start[i]) / h + 0.5 * self.rotation_changes[i];
        (0..end.len()).map(mean_velocity).collect()
    }
}

/// The velocities `v` (m/s) at the positions `from` (m), carried along to the positions `to`.
pub(crate) fn carried_velocities(
    system: &System,
    [from, to]: [&[Vec3]; 2],
    v: &[Vec3],
) -> CarriedVelocities {
    let (mut velocities, mut rotation_changes) = (v.to_vec(), vec![Vec3::ZERO; v.len()]);
    for (b, body) in system.bodies().iter().enumerate() {
        if !body.prescribed.is_empty() || body.masses.is_empty() {
            continue;
        }
        let nodes = system.nodes(b);
        let masses = &system.masses()[nodes.clone()];
        let start = Shape::regularised(masses, &from[nodes.clone()]);
        let end = Shape::regularised(masses, &to[nodes.clone()]);
        let motion = start.motion(&v[nodes.clone()]);
        for (i, (start_arm, end_arm)) in nodes.zip(start.arms.iter().zip(&end.arms)) {
            rotation_changes[i] = motion.spin.cross(*end_arm - *start_arm);
            velocities[i] = match body.bounces_as_a_whole() {
                true => motion.at_arm(*end_arm),
                false => v[i] + rotation_changes[i],
            };
        }
    }
    CarriedVelocities { velocities, rotation_changes }
}

/// Whether the free motion from `state` in a step of `h` seconds leads to an impact with restitution. Stages of a method
/// that enter the range of the barrier would rebound by it, and end outside of the range. `tolerance` (m/s) is that of
/// stages.
pub(crate) fn is_impact_ahead(
    system: &mut System,
    (state, flight): (&State, &FreeFlight),
    h: f64,
    tolerance: f64,
) -> bool {
    let uniform_accelerations = uniform_accelerations(system, state.time);
    let Some((prepared, x)) = flight.first_contact(system, state, h) else { return false };
    let impacts = impacts(&prepared, &x, h);
    if impacts.is_empty() {
        return false;
    }
    let start = carried_velocities(&prepared, [&state.positions, &x], &state.velocities);
    let velocities = [&start.velocities[..]; 3];
    let context =
        ImpactContext { h, velocities, uniform_accelerations: &uniform_accelerations, tolerance };
    let condition = |impact| context.constraint(&prepared, impact).condition;
    impacts.into_iter().any(|impact| condition(impact) != OpeningCondition::AtLeast)
}

/// Marks both bodies of a pair.
fn mark(bodies: [usize; 2], marks: &mut [bool]) {
    bodies.into_iter().for_each(|b| marks[b] = true);
}

impl Step<'_> {
    /// Whether each body has a pair with a coefficient of restitution that separates at the start of the step; empty if
    /// no pair has a coefficient.
    pub(crate) fn separating(&self) -> Vec<bool> {
        if !self.system.has_restitution_pairs() {
            return Vec::new();
        }
        let mut separating = vec![false; self.system.bodies().len()];
        let x = &self.state.positions;
        let v = carried_velocities(&self.system, [x, x], &self.start_velocities()).velocities;
        for impact in impacts(&self.system, &self.state.positions, self.h) {
            if impact.opening(|node| v[node]) > self.tolerance() {
                mark(impact.bodies, &mut separating);
            }
        }
        separating
    }

    /// Whether each body bounces or separates in a step to the positions `x` (m), where the system must be prepared, and to the
    /// velocities `v` (m/s). Empty if no pair has a coefficient of restitution.
    pub(crate) fn impacted(&self, x: &[Vec3], v: &[Vec3]) -> Vec<bool> {
        let mut impacted = self.separating.clone();
        if impacted.is_empty() {
            return impacted;
        }
        let impacts = impacts(&self.system, x, self.h);
        if impacts.is_empty() {
            return impacted;
        }
        let paths = [&self.state.positions[..], x];
        let start = carried_velocities(&self.system, paths, &self.start_velocities());
        let uniform_accelerations = uniform_accelerations(&self.system, self.state.time);
        let mean_velocities = start.mean_velocities(paths, self.h);
        let end_velocities = carried_velocities(&self.system, [x, x], v).velocities;
        let context = ImpactContext {
            h: self.h,
            velocities: [&start.velocities, &mean_velocities, &end_velocities],
            uniform_accelerations: &uniform_accelerations,
            tolerance: self.tolerance(),
        };
        for impact in impacts {
            let bodies = impact.bodies;
            if context.constraint(&self.system, impact).condition != OpeningCondition::AtLeast {
                mark(bodies, &mut impacted);
            }
        }
        impacted
    }
}
