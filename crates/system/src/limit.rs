//! Causes of step bounds.

use crate::{Path, PreparedOn, SystemOf};
use std::ops::DerefMut;

/// The cause of a step bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathLimit {
    /// An impact of two colliders.
    Impact {
        /// Indices of the two colliders in the coupling.
        colliders: [usize; 2],
    },
    /// A term of a body, such as an element that would invert.
    Term {
        /// The body.
        body: usize,
        /// The name of the term.
        term: String,
    },
}

impl<'t, S: DerefMut<Target = SystemOf<'t>>> PreparedOn<'t, S> {
    /// The first term that sets the [fraction](Self::fraction) of these paths (the last searched ones), terms of bodies
    /// before couplings; `None` if the paths are free. Computes the bounds again.
    pub fn limit(&mut self, paths: &[Path<'_>]) -> Option<PathLimit> {
        let fraction = self.fraction();
        if fraction >= 1.0 {
            return None;
        }
        if let Some([body, energy]) = self.system.limiting_term(paths, fraction) {
            let term = self.bodies()[body].energies[energy].name().to_owned();
            return Some(PathLimit::Term { body, term });
        }
        let impact = self.couplings.iter().find_map(|coupling| coupling.first_impact(paths));
        impact.map(|colliders| PathLimit::Impact { colliders })
    }
}
