//! What ends a path.

use crate::{Path, Prepared};

/// What allows no more of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathLimit {
    /// Two colliders would touch.
    Impact {
        /// Their numbers, as the coupling between bodies tells them.
        colliders: [usize; 2],
    },
    /// A term inside a body: an element would invert.
    Term {
        /// The body.
        body: usize,
        /// The name of the term.
        term: String,
    },
}

impl Prepared<'_> {
    /// What sets the [fraction](Prepared::fraction) of these paths, which are those that were searched last; nothing if they
    /// are free. Of several the first: terms of bodies in their order, then couplings. Computes the bounds again.
    pub fn limit(&mut self, paths: &[Path<'_>]) -> Option<PathLimit> {
        let fraction = self.fraction();
        if fraction >= 1.0 {
            return None;
        }
        if let Some([body, energy]) = self.system.own_limit(paths, fraction) {
            let term = self.bodies()[body].energies[energy].name().to_owned();
            return Some(PathLimit::Term { body, term });
        }
        let impact = self.couplings.iter().find_map(|coupling| coupling.first_impact(paths));
        impact.map(|colliders| PathLimit::Impact { colliders })
    }
}
