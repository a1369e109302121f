//! Methods without energy control.

pub(crate) mod avf;
pub(crate) mod energy_limit;
pub(crate) mod generalized_alpha;
pub(crate) mod kick;
pub(crate) mod multistep;
pub(crate) mod newmark;
pub(crate) mod newmark_formulas;
pub(crate) mod one_step;
pub(crate) mod runge_kutta;
pub(crate) mod tableaux;

pub use avf::Avf;
pub use generalized_alpha::GeneralizedAlpha;
pub use multistep::Bdf2;
pub use newmark::Newmark;
pub use one_step::{ImplicitEuler, Theta};
pub use runge_kutta::{Companion, RungeKutta};
