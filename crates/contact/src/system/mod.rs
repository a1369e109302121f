//! Contact as a term of a system, its forces and impacts.

pub(crate) mod contact;
pub(crate) mod forces;
pub(crate) mod impacts;
