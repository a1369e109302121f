//! One step of the world.

use super::island::{Accept, Advance, Island};
use super::observe::{Observed, StepRecord};
use super::{Islands, World};
use rayon::prelude::*;
use resile_integrators::StepError;
use resile_system::Links;

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
        let mut links = self.guess_islands(h);
        let mut islands = self.gather(links.groups());
        loop {
            let (integrator, settings) = (&*self.integrator, &self.settings);
            islands
                .par_iter_mut()
                .filter(|island| island.outcome.is_none())
                .for_each(|island| island.advance(integrator, settings, h));
            if !self.join_conflicting(&islands, &mut links) {
                break;
            }
            islands = self.regroup(islands, &links.groups());
        }
        self.commit(islands, h, end)
    }

    /// What can be told of the present state without a step.
    pub fn observe(&mut self) -> Observed {
        let mut islands = self.gather(self.guess_islands(0.0).groups());
        let mut observed = Observed::new(self.members.len());
        for island in &mut islands {
            let observation = island.look();
            observed.add(&island.bodies, &observation);
        }
        self.dissolve(islands, Accept::No);
        observed
    }

    fn guess_islands(&self, h: f64) -> Links {
        let mut links = Links::new(self.members.len());
        match (self.islands, &self.collisions) {
            (Islands::One, _) => (1..self.members.len()).for_each(|b| links.join(0, b)),
            (Islands::Found, None) => {}
            (Islands::Found, Some(collisions)) => {
                let guess = |b: usize| Some(collisions.guess_sweep(b, &self.members[b].state, h));
                let sweeps: Vec<_> = (0..self.members.len()).map(guess).collect();
                collisions.join_meeting(&sweeps, &mut links);
            }
        }
        links
    }

    /// Joins islands whose accepted motions came too near each other.
    fn join_conflicting(&self, islands: &[Island], links: &mut Links) -> bool {
        let Some(collisions) = &self.collisions else { return false };
        let mut sweeps: Vec<_> = (0..self.members.len()).map(|_| None).collect();
        for island in islands {
            if let Some(Ok(advance)) = &island.outcome {
                for (k, &b) in island.bodies.iter().enumerate() {
                    sweeps[b] = Some(collisions.sweep(b, &advance.swept[k]));
                }
            }
        }
        let before = links.clone();
        collisions.join_meeting(&sweeps, links);
        *links != before
    }

    /// Keeps the islands that are still whole, results included, and makes those
    /// that were joined.
    fn regroup(&mut self, islands: Vec<Island>, groups: &[Vec<usize>]) -> Vec<Island> {
        let (mut kept, broken): (Vec<Island>, Vec<Island>) =
            islands.into_iter().partition(|island| groups.contains(&island.bodies));
        self.dissolve(broken, Accept::No);
        let missing = groups
            .iter()
            .filter(|group| !kept.iter().any(|island| island.bodies == **group))
            .cloned()
            .collect();
        kept.extend(self.gather(missing));
        kept.sort_by_key(|island| island.bodies[0]);
        kept
    }

    fn gather(&mut self, groups: Vec<Vec<usize>>) -> Vec<Island> {
        let (members, collisions) = (&mut self.members, self.collisions.as_ref());
        let solvers = &mut self.solvers;
        groups.into_iter().map(|g| Island::gather(g, members, collisions, solvers)).collect()
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
        let bodies: Vec<_> = islands.iter().map(|island| island.bodies.clone()).collect();
        let failed = outcomes.iter().position(Result::is_err);
        self.dissolve(islands, if failed.is_some() { Accept::No } else { Accept::Yes });
        let advances: Result<Vec<Advance>, _> = outcomes.into_iter().collect();
        match (advances, failed) {
            (Ok(advances), _) => {
                self.members.iter_mut().for_each(|member| member.state.time = end);
                Ok(StepRecord::new(self.members.len(), bodies.iter().zip(advances)))
            }
            (Err(cause), failed) => Err(StepFailure {
                bodies: failed.map_or_else(Vec::new, |k| {
                    bodies[k].iter().map(|&b| self.name(b).to_owned()).collect()
                }),
                substeps: (h / cause.step()).round() as u64,
                cause,
            }),
        }
    }
}
