//! Search of near pairs on a path: broad and narrow phase.

pub(crate) mod broad_phase;
pub(crate) mod budget;
pub(crate) mod candidates;
pub(crate) mod external_pairs;
pub(crate) mod first_impact;
pub(crate) mod intersection;
pub(crate) mod narrow_phase;
pub mod neighbours;
pub(crate) mod pair_lists;
pub(crate) mod path_search;
pub(crate) mod plane_separation;
pub(crate) mod searched;
pub(crate) mod sides;
pub(crate) mod surface;
pub(crate) mod task;
pub(crate) mod walk;
