//! Rolling friction: a torque that resists rolling of bodies with an affine motion.
//!
//! A pair with the coefficient `rho` (m), lagged at some positions, has the normal force `lambda` (N). Where its
//! two bodies rotate against each other at the angular velocity `w` (rad/s, without the part along the normal), it
//! dissipates
//!
//! ```text
//!   D(w) = rho lambda f0(|w|)  [W]
//!   f0(y) = -y^3/(3 eps^2) + y^2/eps + eps/3  for y < eps,   y  otherwise
//! ```
//!
//! The torque is `rho lambda` above the angular speed `eps`, and grows smoothly from zero below it, as friction
//! does at its slip speed: `eps` is that speed divided by the distance of the contact from the centre of the body.
//! The coefficient is the rolling friction of `MuJoCo` (Todorov, Erez & Tassa 2012; `condim 6`): the lever arm by
//! which the normal force is shifted ahead of the contact. A ball of the radius R rests on slopes with a tangent
//! below `rho / R` and rolls down steeper ones.
//!
//! An affine motion with the nodes `x_k` and the gradients `g_k` of their weights has the angular velocity
//! `w = sum g_k x v_k / 2`, the curl of its velocity over two. Other bodies have no angular velocity of their own,
//! and no rolling friction: their resistance to rolling comes from their deformation and
//! [damping](crate::ContactDamping).

mod lagged;
mod term;

pub use term::{LaggedRollingFriction, RollingFriction};
