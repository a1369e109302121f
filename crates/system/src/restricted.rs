//! Restriction of a system to some of its bodies, as a borrow of the system.

use crate::prepared::Searched;
use crate::{Coupling, PreparedOn, SystemOf};
use std::ops::{Deref, DerefMut};

/// A coupling restricted to some bodies, as returned by [`Coupling::restricted`].
#[derive(Debug)]
pub enum CouplingPart<'t> {
    /// A term without the pairs of other bodies. It may borrow the whole coupling.
    Own(Box<dyn Coupling + 't>),
    /// The whole coupling; nothing is omitted.
    Whole(&'t mut (dyn Coupling + 'static)),
}

impl CouplingPart<'_> {
    /// The restriction of the coupling to the flagged bodies.
    fn restricted(&mut self, bodies: &[bool]) -> CouplingPart<'_> {
        match self {
            Self::Own(term) => term.restricted(bodies),
            Self::Whole(coupling) => coupling.restricted(bodies),
        }
    }
}

impl<'t> Deref for CouplingPart<'t> {
    type Target = dyn Coupling + 't;

    fn deref(&self) -> &(dyn Coupling + 't) {
        match self {
            Self::Own(term) => &**term,
            Self::Whole(coupling) => &**coupling,
        }
    }
}

impl<'t> DerefMut for CouplingPart<'t> {
    fn deref_mut(&mut self) -> &mut (dyn Coupling + 't) {
        match self {
            Self::Own(term) => &mut **term,
            Self::Whole(coupling) => &mut **coupling,
        }
    }
}

/// A system in which only some bodies move. It borrows the whole system. When it is dropped, the whole system refers
/// to the paths of the last search in the restriction, without a new search; if there was none, to its own earlier
/// paths.
#[derive(Debug)]
pub struct Restricted<'p> {
    system: SystemOf<'p>,
    /// The searched paths of the unrestricted system.
    searched_of_all: &'p mut Searched,
}

impl<'p> Deref for Restricted<'p> {
    type Target = SystemOf<'p>;

    fn deref(&self) -> &SystemOf<'p> {
        &self.system
    }
}

impl<'p> DerefMut for Restricted<'p> {
    fn deref_mut(&mut self) -> &mut SystemOf<'p> {
        &mut self.system
    }
}

impl Drop for Restricted<'_> {
    fn drop(&mut self) {
        self.searched_of_all.hints = std::mem::take(&mut self.system.searched.hints);
        if !self.searched_of_all.is_empty() && !self.system.searched.is_empty() {
            self.searched_of_all.replace_paths(&mut self.system.searched);
        }
    }
}

impl SystemOf<'_> {
    /// The system in which only the bodies `acting` move; see
    /// [`PreparedOn::restricted`](crate::PreparedOn::restricted).
    pub(crate) fn restricted(&mut self, acting: &[usize]) -> PreparedOn<'_, Restricted<'_>> {
        let mut is_acting = vec![false; self.bodies.len()];
        acting.iter().for_each(|&b| is_acting[b] = true);
        let Self { bodies, couplings, dissipations, layout, searched, .. } = self;
        let couplings = couplings.iter_mut().map(|c| c.restricted(&is_acting)).collect();
        let system = SystemOf {
            bodies: bodies.clone(),
            couplings,
            dissipations: dissipations.clone(),
            layout: layout.clone(),
            acting: acting.to_vec(),
            searched: Searched::with_hints(std::mem::take(&mut searched.hints)),
        };
        PreparedOn::new(Restricted { system, searched_of_all: searched })
    }
}
