//! Motions and forces that a program gives from step to step.

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

/// How many steps of the past a motion keeps: as many as any method remembers positions of.
const REMEMBERED: u32 = 3;
/// Rounding of a position (m, and over the position).
const POSITION_ROUNDING: f64 = 1e-9;

/// Targets or forces that a body cannot be given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ControlError {
    /// Nothing of it is prescribed.
    #[error("no node of \"{body}\" has a prescribed motion")]
    NothingPrescribed {
        /// The body.
        body: String,
    },
    /// All of it is prescribed.
    #[error("no force moves \"{body}\": its motion is prescribed")]
    Prescribed {
        /// The body.
        body: String,
    },
    /// There are more or fewer vectors than nodes.
    #[error("\"{body}\" has {nodes} nodes, and {given} vectors are given")]
    Count {
        /// The body.
        body: String,
        /// Its nodes.
        nodes: usize,
        /// How many vectors were given.
        given: usize,
    },
    /// A force is not finite.
    #[error("the force on node {node} of \"{body}\" is {force} N, not finite")]
    Force {
        /// The body.
        body: String,
        /// The node.
        node: usize,
        /// What was given (N).
        force: Vec3,
    },
    /// A target is not finite, or the time does not ascend.
    #[error(transparent)]
    Targets(#[from] SamplesError),
}

/// What was changed of which bodies.
#[derive(Debug, Default)]
pub(super) struct Controls {
    /// Bodies whose first dissipation is supplied forces.
    forced: BTreeSet<usize>,
    /// The prescribed nodes of bodies whose motions targets replaced, as they were.
    replaced: BTreeMap<usize, Vec<Prescribed>>,
}

impl World {
    /// Moves the prescribed nodes of a body straight to `targets` (m, one for each node) until the time `end` (s) of
    /// the next step; they rest there afterwards. Targets of other nodes are ignored, and those of guided nodes count in
    /// the directions in which they are held. This replaces the motion that the nodes had.
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
        let mut past = Vec::new();
        for ago in (1..=REMEMBERED).rev() {
            let time = start - (end - start) * f64::from(ago);
            let mut at = member.state.positions.clone();
            for prescribed in &member.body.prescribed {
                at[prescribed.node] = prescribed.motion.position(prescribed.start, time);
            }
            past.push((time, at));
        }
        past.push((start, member.state.positions.clone()));
        let mut there = member.state.positions.clone();
        for prescribed in &member.body.prescribed {
            there[prescribed.node] = targets[prescribed.node];
        }
        past.push((end, there));
        self.prescribe(body, past)
    }

    /// Lets forces (N, one for each node) act on a body from now on, in place of those that were given before. Their
    /// work counts as negative heat.
    ///
    /// # Errors
    /// If all of the body is prescribed, or these are not as many finite vectors as it has nodes. Nothing is changed then.
    pub fn set_forces(&mut self, body: usize, forces: &[Vec3]) -> Result<(), ControlError> {
        self.check_count(body, forces)?;
        if self.members[body].role == Role::Kinematic {
            return Err(ControlError::Prescribed { body: self.name(body).to_owned() });
        }
        if let Some(node) = forces.iter().position(|force| !force.is_finite()) {
            let body = self.name(body).to_owned();
            return Err(ControlError::Force { body, node, force: forces[node] });
        }
        let term = Box::new(SuppliedForces::new(forces.to_vec()));
        let dissipations = &mut self.members[body].body.dissipations;
        if !self.controls.forced.insert(body) {
            dissipations[0] = term;
            return Ok(());
        }
        // The first one, for the terms of a hand are the last.
        dissipations.insert(0, term);
        self.solvers = Solvers::new(&self.settings, &self.interrupt);
        Ok(())
    }

    /// Takes back all targets and forces. Prescribed nodes that are then not where their motion has them rest where
    /// they are.
    ///
    /// # Errors
    /// If a state is not finite.
    pub fn reset_controls(&mut self) -> Result<(), ControlError> {
        let Controls { forced, replaced } = std::mem::take(&mut self.controls);
        if !forced.is_empty() {
            self.solvers = Solvers::new(&self.settings, &self.interrupt);
        }
        for body in forced {
            self.members[body].body.dissipations.remove(0);
        }
        for (body, scripted) in replaced {
            for now in &mut self.members[body].body.prescribed {
                // Nodes that were released meanwhile are not among them.
                let same = |own: &&Prescribed| (own.node, own.held) == (now.node, now.held);
                if let Some(own) = scripted.iter().find(same) {
                    now.motion = own.motion.clone();
                }
            }
            self.find_motions(body);
        }
        let strays: Vec<usize> =
            (0..self.members.len()).filter(|&body| self.members[body].strays()).collect();
        for body in strays {
            let state = &self.members[body].state;
            let here = vec![(state.time, state.positions.clone())];
            self.prescribe(body, here)?;
        }
        Ok(())
    }

    fn check_count(&self, body: usize, given: &[Vec3]) -> Result<(), ControlError> {
        let nodes = self.members[body].body.node_count();
        if given.len() == nodes {
            return Ok(());
        }
        Err(ControlError::Count { body: self.name(body).to_owned(), nodes, given: given.len() })
    }

    /// Makes the motion of the prescribed nodes one straight from place to place, of all nodes (m) at each time (s).
    fn prescribe(&mut self, body: usize, way: Vec<(f64, Vec<Vec3>)>) -> Result<(), ControlError> {
        let prescribed = &mut self.members[body].body.prescribed;
        if prescribed.is_empty() {
            return Err(ControlError::NothingPrescribed { body: self.name(body).to_owned() });
        }
        let (times, places) = way.into_iter().unzip();
        let samples = Samples::new(times, places, SampleInterpolation::Linear, AfterLast::Rest)?;
        let samples = Arc::new(samples);
        self.controls.replaced.entry(body).or_insert_with(|| prescribed.clone());
        for node in prescribed {
            node.motion = Motion::Sampled { point: node.node, samples: samples.clone() };
        }
        self.find_motions(body);
        Ok(())
    }

    /// Finds what of a body is prescribed.
    fn find_motions(&mut self, body: usize) {
        if let Some(collisions) = &self.collisions {
            let member = &mut self.members[body];
            member.prescribed = PrescribedMotions::of(&member.body, &collisions.surfaces[body]);
        }
    }
}

impl WorldBody {
    /// Whether a prescribed node is not where its motion has it.
    fn strays(&self) -> bool {
        let State { time, positions, .. } = &self.state;
        self.body.prescribed.iter().any(|prescribed| {
            let there = prescribed.motion.position(prescribed.start, *time);
            let off = prescribed.held.part(positions[prescribed.node] - there).length();
            off > POSITION_ROUNDING * (1.0 + there.length())
        })
    }
}
