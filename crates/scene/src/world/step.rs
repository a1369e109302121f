//! One step of the world.

use super::company::{Company, Group};
use super::island::{Accept, Advance, Island};
use super::observe::{Observed, StepRecord};
use super::standby::with_standby;
use super::{Islands, Member, World, scripted};
use rayon::prelude::*;
use resile_contact::Role;
use resile_integrators::StepError;
use std::collections::BTreeSet;

/// A step that no halving saved. The world is as it was before it.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{} could not be advanced, even in {substeps} substeps: {cause}", bodies.join(", "))]
pub struct StepFailure {
    /// The bodies of the island that failed.
    pub bodies: Vec<String>,
    /// Into how many substeps the step was cut at last.
    pub substeps: u64,
    /// Why the last attempt failed.
    pub cause: StepError,
}

impl World {
    /// Advances all bodies from `time` by `h`, to the time `end`, which is
    /// `time + h` but for rounding.
    ///
    /// # Errors
    /// If an island could not be advanced; the world is then as it was.
    pub fn step(&mut self, h: f64, end: f64) -> Result<StepRecord, StepFailure> {
        // All of it on a thread of the pool: from another one each small parallel section
        // is handed over and waited for, thousands in a step.
        let nodes = self.members.iter().map(|member| member.state.positions.len()).sum();
        with_standby(nodes, || self.step_in_pool(h, end))
    }

    fn step_in_pool(&mut self, h: f64, end: f64) -> Result<StepRecord, StepFailure> {
        let mut company = self.guess_islands(h);
        let mut islands = self.gather(company.groups());
        loop {
            let (integrator, settings) = (&*self.integrator, &self.settings);
            islands
                .par_iter_mut()
                .filter(|island| island.outcome.is_none())
                .for_each(|island| island.advance(integrator, settings, h, end));
            if !self.join_conflicting(&islands, &mut company) {
                break;
            }
            islands = self.regroup(islands, company.groups());
        }
        self.solvers.forget_idle();
        self.commit(islands, h, end)
    }

    /// What can be told of the present state without a step.
    pub fn observe(&mut self) -> Observed {
        let mut islands = self.gather(self.guess_islands(0.0).groups());
        let mut observed = Observed::new(self.members.len());
        for island in &mut islands {
            let observation = island.look();
            observed.add(&island.group.bodies, &observation);
        }
        observed.add_scripted(&self.scripted());
        self.dissolve(islands, Accept::No);
        observed
    }

    /// The scripted bodies.
    fn scripted(&self) -> Vec<usize> {
        let all = 0..self.members.len();
        all.filter(|&b| self.members[b].role == Role::Scripted).collect()
    }

    fn guess_islands(&self, h: f64) -> Company {
        let mut company = Company::new(self.members.iter().map(|member| member.role).collect());
        self.joints.iter().for_each(|joint| company.join(joint.bodies[0], joint.bodies[1]));
        match (self.islands, &self.collisions) {
            (Islands::One, _) => company.join_all(),
            (Islands::Found, None) => {}
            (Islands::Found, Some(collisions)) => {
                let members = self.members.iter().enumerate();
                let guesses = members.map(|(b, Member { body, state, role })| match role {
                    Role::Simulated => collisions.guess_sweep(b, state, h),
                    Role::Scripted => {
                        collisions.scripted_sweep(b, body, &[state.time, state.time + h])
                    }
                });
                let sweeps: Vec<_> = guesses.map(Some).collect();
                collisions.join_meeting(&sweeps, &mut company);
            }
        }
        company
    }

    /// Joins islands whose accepted motions came too near each other, or near a scripted
    /// body that they have no copy of.
    fn join_conflicting(&self, islands: &[Island], company: &mut Company) -> bool {
        let Some(collisions) = &self.collisions else { return false };
        let mut sweeps: Vec<_> = (0..self.members.len()).map(|_| None).collect();
        let mut times = Vec::new();
        for island in islands {
            if let Some(Ok(advance)) = &island.outcome {
                for (k, &b) in island.group.bodies.iter().enumerate() {
                    sweeps[b] = Some(collisions.sweep(b, &advance.swept[k]));
                }
                times.extend_from_slice(&advance.times);
            }
        }
        // A scripted body moves straight between the ends of an island's substeps: its box
        // over those of all islands holds every such way.
        times.sort_by(f64::total_cmp);
        times.dedup();
        if !times.is_empty() {
            for b in self.scripted() {
                let body = &self.members[b].body;
                sweeps[b] = Some(collisions.scripted_sweep(b, body, &times));
            }
        }
        let before = company.groups();
        collisions.join_meeting(&sweeps, company);
        company.groups() != before
    }

    /// Keeps the islands that are still whole, results included, and makes those
    /// that were joined.
    fn regroup(&mut self, islands: Vec<Island>, groups: Vec<Group>) -> Vec<Island> {
        let mut missing: BTreeSet<Group> = groups.into_iter().collect();
        let (mut kept, broken): (Vec<Island>, Vec<Island>) =
            islands.into_iter().partition(|island| missing.remove(&island.group));
        self.dissolve(broken, Accept::No);
        kept.extend(self.gather(missing));
        kept.sort_by_key(|island| island.group.bodies[0]);
        kept
    }

    fn gather(&mut self, groups: impl IntoIterator<Item = Group>) -> Vec<Island> {
        let (members, collisions) = (&mut self.members, self.collisions.as_ref());
        let (joints, solvers) = (&self.joints, &mut self.solvers);
        let gather = |group| Island::gather(group, members, collisions, joints, solvers);
        groups.into_iter().map(gather).collect()
    }

    fn dissolve(&mut self, islands: Vec<Island>, accept: Accept) {
        for island in islands {
            island.release(&mut self.members, &mut self.solvers, accept);
        }
    }

    /// Makes the results the world's state if every island has one.
    fn commit(
        &mut self,
        mut islands: Vec<Island>,
        h: f64,
        end: f64,
    ) -> Result<StepRecord, StepFailure> {
        let outcomes: Vec<_> = islands
            .iter_mut()
            .map(|i| i.outcome.take().expect("every island was advanced"))
            .collect();
        let groups: Vec<_> = islands.iter().map(|island| island.group.clone()).collect();
        let failed = outcomes.iter().position(Result::is_err);
        self.dissolve(islands, if failed.is_some() { Accept::No } else { Accept::Yes });
        let advances: Result<Vec<Advance>, _> = outcomes.into_iter().collect();
        match (advances, failed) {
            (Ok(advances), _) => {
                for Member { body, state, role } in &mut self.members {
                    if *role == Role::Scripted {
                        scripted::lead(body, state, h, end);
                    }
                }
                let islands = groups.iter().map(|group| &group.bodies).zip(advances);
                let mut record = StepRecord::new(self.members.len(), h, islands);
                record.observed.add_scripted(&self.scripted());
                Ok(record)
            }
            (Err(cause), failed) => Err(StepFailure {
                bodies: failed.map_or_else(Vec::new, |k| {
                    groups[k].bodies.iter().map(|&b| self.name(b).to_owned()).collect()
                }),
                substeps: (h / cause.step()).round() as u64,
                cause,
            }),
        }
    }
}
