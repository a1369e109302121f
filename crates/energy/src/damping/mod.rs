//! Damping: dissipation potentials D(v) in watts, all quadratic.
//!
//! A quadratic D dissipates `2 D` watts. Each potential here is at least zero and
//! zero at rest, so no damping can ever do work on a body.

mod mass;
mod point;
mod rigid;
mod stiffness;

pub use mass::{EtherDrag, MassDamping};
pub use point::{PointDrag, PointDragError};
pub use rigid::RigidPreservingDamping;
pub use stiffness::StiffnessDamping;
