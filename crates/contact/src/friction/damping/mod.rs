//! Damping of contact: viscous resistance to the approach of surfaces, without adhesion.
//!
//! A pair with a contact damping `tau` (s), lagged at some positions, has the stiffness `k = d2E/dd2` (N/m) of the
//! barrier. Where its gap opens at the speed `s` (m/s, negative in approach), it dissipates
//!
//! ```text
//!   D(s) = tau k min(s, 0)^2 / 2  [W]
//! ```
//!
//! This is stiffness-proportional (Rayleigh) damping of the barrier, lagged like the normal force of friction
//! (Brown, Overby, Forootaninia & Narain 2018, *Accurate dissipative forces in optimization integrators*). It acts
//! in approach only. In separation it would pull surfaces together where it exceeds the normal force, which a
//! viscous contact law must exclude (Schwager & Poeschel 2007, *Coefficient of restitution and linear-dashpot model
//! revisited*). A lagged bound by the normal force would not exclude this in steps in which surfaces separate. D is
//! convex, so its heat is never negative.

mod lagged;
mod term;

pub use term::{ContactDamping, LaggedContactDamping};
