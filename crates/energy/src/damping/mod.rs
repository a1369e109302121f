//! Damping: dissipation potentials D(v) in watts, all quadratic but for that of supplied forces.
//!
//! A quadratic D dissipates `2 D` watts. Each potential of damping is at least zero and
//! zero at rest, so no damping can ever do work on a body. Supplied forces have a linear one, and do.

mod mass;
mod point;
mod rigid;
mod stiffness;
mod supplied;

pub use mass::{EtherDrag, MassDamping};
pub use point::{PointDrag, PointDragError};
pub use rigid::RigidPreservingDamping;
pub use stiffness::StiffnessDamping;
pub use supplied::SuppliedForces;
