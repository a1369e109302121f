//! Damping: dissipation potentials D(v) in watts. All are quadratic except that of supplied forces,
//! which is linear.
//!
//! A quadratic D dissipates `2 D` watts. It is non-negative and zero at rest, so damping never does
//! positive work on a body. Supplied forces can.

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
