//! Motions and forces set by a program between steps.

use super::island::Solvers;
use super::{World, WorldBody};
use crate::PrescribedMotions;
use resile_contact::Role;
use resile_energy::SuppliedForces;
use resile_system::{
    AfterLast, Motion, Prescribed, SampleInterpolation, Samples, SamplesError, State, Vec3,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Number of past steps that a replaced motion retains: the longest history of positions of any method.
const PAST_STEPS: u32 = 3;
/// Rounding tolerance of a position, absolute (m) and relative to the position.
const POSITION_ROUNDING: f64 = 1e-9;

/// Invalid targets or forces.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ControlError {
    /// No node of the body is prescribed.
    #[error("no node of \"{body}\" has a prescribed motion")]
    NothingPrescribed {
        /// The body.
        body: String,
    },
    /// All nodes of the body are prescribed.
    #[error("no force moves \"{body}\": its motion is prescribed")]
    Prescribed {
        /// The body.
        body: String,
    },
    /// The number of vectors differs from the number of nodes.
    #[error("\"{body}\" has {nodes} nodes, and {given} vectors are given")]
    Count {
        /// The body.
        body: String,
        /// Number of nodes.
        nodes: usize,
        /// Number of vectors.
        given: usize,
    },
    /// A force is not finite.
    #[error("the force on node {node} of \"{body}\" is {force} N, not finite")]
    Force {
        /// The body.
        body: String,
        /// The node.
        node: usize,
        /// Force (N).
        force: Vec3,
    },
    /// A target is not finite, or the time does not ascend.
    #[error(transparent)]
    Targets(#[from] SamplesError),
}

/// The bodies that a program controls.
#[derive(Debug, Default)]
pub(super) struct Controls {
    /// Bodies whose first dissipation is supplied forces.
    bodies_with_forces: BTreeSet<usize>,
    /// Original prescribed nodes of bodies whose motions were replaced by targets.
    original_nodes: BTreeMap<usize, Vec<Prescribed>>,
}

impl World {
    /// Moves the prescribed nodes of a body straight to `targets` (m, one for each node) until the time `end` (s)
    /// of the next step; they rest there afterwards. Targets of other nodes are ignored, and those of guided nodes
    /// count in their constrained directions. This replaces the motion that the nodes had.
    ///
    /// # Errors
    /// If no node of the body is prescribed, or the targets are not as many finite vectors as it has nodes. Nothing is
    /// changed then.
    pub fn set_targets(
        &mut self,
        body: usize,
        targets: &[Vec3],
        end: f64,
    ) -> Result<(), ControlError> {
        self.check_count(body, targets)?;
        let member = &self.members[body];
        let start = member.state.time;
        let mut keyframes = Vec::new();
        // Multistep methods read the past of a motion.
        for steps_back in (1..=PAST_STEPS).rev() {
            let time = start - (end - start) * f64::from(steps_back);
            let mut past = member.state.positions.clone();
            for prescribed in &member.body.prescribed {
                past[prescribed.node] = prescribed.motion.position(prescribed.start, time);
            }
            keyframes.push((time, past));
        }
        keyframes.push((start, member.state.positions.clone()));
        let mut next = member.state.positions.clone();
        for prescribed in &member.body.prescribed {
            next[prescribed.node] = targets[prescribed.node];
        }
        keyframes.push((end, next));
        self.prescribe(body, keyframes)
    }

    /// Applies forces (N, one for each node) to a body in all further steps, replacing previous ones. Their work counts
    /// as negative heat.
    ///
    /// # Errors
    /// If all nodes of the body are prescribed, or the forces are not as many finite vectors as it has nodes.
    /// Nothing is changed then.
    pub fn set_forces(&mut self, body: usize, forces: &[Vec3]) -> Result<(), ControlError> {
        self.check_count(body, forces)?;
        if self.members[body].role == Role::Kinematic {
            return Err(ControlError::Prescribed { body: self.name(body).to_owned() });
        }
        if let Some(node) = forces.iter().position(|force| !force.is_finite()) {
            let body = self.name(body).to_owned();
            return Err(ControlError::Force { body, node, force: forces[node] });
        }
        let term = Arc::new(SuppliedForces::new(forces.to_vec()));
        let dissipations = &mut self.members[body].body.dissipations;
        if !self.controls.bodies_with_forces.insert(body) {
            dissipations[0] = term;
            return Ok(());
        }
        // At the front, because the terms of a hand are the last ones.
        dissipations.insert(0, term);
        self.solvers = Solvers::new(&self.settings, &self.interrupt);
        Ok(())
    }

    /// Removes all targets and forces. Prescribed nodes that deviate from their original motion rest at their
    /// present positions.
    ///
    /// # Errors
    /// If a state is not finite.
    pub fn reset_controls(&mut self) -> Result<(), ControlError> {
        let Controls { bodies_with_forces, original_nodes } = std::mem::take(&mut self.controls);
        if !bodies_with_forces.is_empty() {
            self.solvers = Solvers::new(&self.settings, &self.interrupt);
        }
        for body in bodies_with_forces {
            self.members[body].body.dissipations.remove(0);
        }
        for (body, original_nodes) in original_nodes {
            self.restore_motions(body, &original_nodes);
        }
        let deviating_bodies: Vec<usize> =
            (0..self.members.len()).filter(|&body| self.members[body].has_deviated()).collect();
        for body in deviating_bodies {
            let state = &self.members[body].state;
            let samples = vec![(state.time, state.positions.clone())];
            self.prescribe(body, samples)?;
        }
        Ok(())
    }

    /// Replaces the motions of the prescribed nodes of a body by those that they have in `original_nodes`.
    fn restore_motions(&mut self, body: usize, original_nodes: &[Prescribed]) {
        // These include nodes that have been released since then.
        for current in &mut self.members[body].body.prescribed {
            let has_same_directions = |original: &&Prescribed| {
                (original.node, original.held) == (current.node, current.held)
            };
            if let Some(original) = original_nodes.iter().find(has_same_directions) {
                current.motion = original.motion.clone();
            }
        }
        self.update_prescribed_motions(body);
    }

    /// Checks that there is one vector for each node of a body.
    fn check_count(&self, body: usize, vectors: &[Vec3]) -> Result<(), ControlError> {
        let nodes = self.members[body].body.node_count();
        if vectors.len() == nodes {
            return Ok(());
        }
        Err(ControlError::Count { body: self.name(body).to_owned(), nodes, given: vectors.len() })
    }

    /// Replaces the motion of the prescribed nodes by linear interpolation between the positions of all nodes (m)
    /// at given times (s).
    fn prescribe(
        &mut self,
        body: usize,
        keyframes: Vec<(f64, Vec<Vec3>)>,
    ) -> Result<(), ControlError> {
        let prescribed = &mut self.members[body].body.prescribed;
        if prescribed.is_empty() {
            return Err(ControlError::NothingPrescribed { body: self.name(body).to_owned() });
        }
        let (times, positions) = keyframes.into_iter().unzip();
        let samples = Samples::new(times, positions, SampleInterpolation::Linear, AfterLast::Rest)?;
        let samples = Arc::new(samples);
        self.controls.original_nodes.entry(body).or_insert_with(|| prescribed.clone());
        for node in prescribed {
            node.motion = Motion::Sampled { point: node.node, samples: samples.clone() };
        }
        self.update_prescribed_motions(body);
        Ok(())
    }

    /// Updates the prescribed motions of a body for collision detection.
    fn update_prescribed_motions(&mut self, body: usize) {
        if let Some(collisions) = &self.collisions {
            let member = &mut self.members[body];
            member.prescribed = PrescribedMotions::new(&member.body, &collisions.surfaces[body]);
        }
    }
}

impl WorldBody {
    /// Whether a prescribed node deviates from its motion.
    fn has_deviated(&self) -> bool {
        let State { time, positions, .. } = &self.state;
        self.body.prescribed.iter().any(|prescribed| {
            let prescribed_position = prescribed.motion.position(prescribed.start, *time);
            let deviation =
                prescribed.held.part(positions[prescribed.node] - prescribed_position).length();
            deviation > POSITION_ROUNDING * (1.0 + prescribed_position.length())
        })
    }
}
