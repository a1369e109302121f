//! What presses on bodies that block a prescribed motion.

use super::analysis::AnalysisFailure;
use super::trace::collider_names;
use resile_integrators::StepError;
use resile_scene::description::Scene;
use resile_solver::SolveError;
use resile_world::{SettleFailure, StepFailure, World};
use std::collections::BTreeMap;
use std::fmt;

/// Smallest normal force of a collider that is said to press on a body, relative to the largest one on that body.
const MIN_RELATIVE_FORCE: f64 = 0.1;

/// A body that blocks a prescribed motion, and the colliders that press on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pressed {
    /// Name of the body.
    pub body: String,
    /// Names of the colliders, in the order of the scene; at least one.
    pub by: Vec<String>,
    /// Whether one of them is a moving obstacle.
    pub by_motion: bool,
}

impl Pressed {
    /// Whether a moving obstacle presses the body against something else, so that smaller steps give it no room.
    pub fn is_crushed(&self) -> bool {
        self.by_motion && self.by.len() > 1
    }
}

impl fmt::Display for Pressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by: Vec<String> = self.by.iter().map(|name| format!("\"{name}\"")).collect();
        let verb = if by.len() > 1 { "press" } else { "presses" };
        write!(f, "{} {verb} on \"{}\"", by.join(" and "), self.body)?;
        match self.is_crushed() {
            true => f.write_str(": leave it more room, or let the motion end earlier"),
            false => Ok(()),
        }
    }
}

/// The bodies of the failed island that something presses on in the present state, if the step failed because
/// prescribed motion is blocked. Costs a search for contacts.
pub(super) fn pressed_bodies(
    scene: &Scene,
    world: &World,
    failure: &AnalysisFailure,
) -> Vec<Pressed> {
    let Some(bodies) = blocked_bodies(failure) else { return Vec::new() };
    let names = collider_names(scene, world);
    let mut forces_by_body: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
    for pair in world.normal_forces() {
        let [a, b] = pair.colliders;
        for (body, other) in [(a, b), (b, a)] {
            if names.get(body).is_some_and(|name| bodies.contains(name)) {
                forces_by_body.entry(body).or_default().insert(other, pair.normal.length());
            }
        }
    }
    let pressed = |(body, forces): (usize, BTreeMap<usize, f64>)| {
        let largest = forces.values().copied().fold(0.0, f64::max);
        let is_pressing = |force: f64| force > 0.0 && force >= MIN_RELATIVE_FORCE * largest;
        let pressing = forces.into_iter().filter(|(_, force)| is_pressing(*force));
        let pressing: Vec<usize> = pressing.map(|(other, _)| other).collect();
        let is_moving = |other: &usize| *other < world.body_count() && world.is_kinematic(*other);
        let by_motion = pressing.iter().any(is_moving);
        let by = pressing.iter().filter_map(|&other| names.get(other).cloned()).collect();
        (!pressing.is_empty()).then(|| Pressed { body: names[body].clone(), by, by_motion })
    };
    forces_by_body.into_iter().filter_map(pressed).collect()
}

/// The bodies of an island whose step failed because prescribed motion is blocked.
fn blocked_bodies(failure: &AnalysisFailure) -> Option<&[String]> {
    let failure = match failure {
        AnalysisFailure::Time(failure) => failure,
        AnalysisFailure::Load(SettleFailure::Load { cause }) => cause,
        AnalysisFailure::Load(_) | AnalysisFailure::Path(_) => return None,
    };
    match failure {
        StepFailure::Unsolved {
            bodies,
            cause: StepError::Solve { cause: SolveError::PrescribedBlocked { .. }, .. },
            ..
        } => Some(bodies),
        _ => None,
    }
}
