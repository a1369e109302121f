//! Rest: what a step cannot resolve is let go where bodies lie on each other.
//!
//! A mode of which a period is much shorter than the step is carried along by A-search in its
//! velocity alone: implicit Euler takes the velocity away within one step, so that nothing
//! moves, and the correction gives it back, `v_n+1` being `v_n` turned by a sixth of a circle
//! (the eigenvalues `exp(+-i pi/3)` of A-1 for infinite stiffness). In an impact this memory is
//! what gives the rebound. A body that lies on another one keeps it for ever, shakes, and
//! creeps. So a group of bodies that touch something takes implicit Euler's velocities, and
//! its target becomes the energy that it has then, the rest of it is lost (`rest_loss`, no heat of friction or damping),
//!
//! * if for one whole period of that, six steps on end, it moved much less than its
//!   velocities say;
//! * if each of its bodies is slower, before, in and after the step, than what its own
//!   forces (weight, mostly) would make of it in one step. A bounce that slow would be over
//!   within two steps.
//!
//! What holds drive does not rest: a body on which moving holds do work in the step is slow because they are.

use crate::memory::EnergyControl;
use crate::step::Step;
use resile_math::Vec3;
use resile_system::Links;

/// Why a body rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// It is slower than its own forces would make it in one step.
    Slow,
    /// For a whole period of what a step does not resolve it has not moved as its velocities say.
    Unresolved,
}

impl Rest {
    /// The word for it in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Unresolved => "unresolved",
        }
    }
}

/// Work (J) over the energy that is slow or was said or made, from which on a body is driven: less is rounding.
const DRIVEN: f64 = 1e-9;

/// Steps on end: the period of what is not resolved.
const PERIOD: u32 = 6;

/// The kinetic energy of the motion that was made, over that of the velocities at the start,
/// below which they stand for something else.
const MADE: f64 = 0.25;

/// Notes in `control` the bodies that touch something in a step with friction.
pub(crate) fn note_rubbing(links: &Links, control: &mut [EnergyControl]) {
    for (b, own) in control.iter_mut().enumerate() {
        own.rubbed |= links.touches(b);
    }
}

/// For each body why it may rest: `x` is the end of the step, `work` (J) what was done on each body in it, `made` and `changed` are the
/// kinetic energies (J) of each body that belong to the mean velocities of the step and to their
/// correction. Counts in `control` for how many steps bodies
/// have not moved as their velocities say.
pub(crate) fn may_rest(
    step: &Step<'_>,
    (x, work): (&[Vec3], &[f64]),
    [made, changed]: [&[f64]; 2],
    links: &Links,
    control: &mut [EnergyControl],
) -> Vec<Option<Rest>> {
    let system = &step.system;
    let said = step.kinetic(&step.state.velocities);
    let masses = system.sum_by_body(|i| system.masses()[i]);
    let of_body = |(b, own): (usize, &mut EnergyControl)| {
        if !links.touches(b) {
            own.unresolved = 0;
            return None;
        }
        own.unresolved = if made[b] < MADE * said[b] { own.unresolved + 1 } else { 0 };
        let slow = slow(step, b, masses[b], x);
        let fastest = made[b].max(said[b]).max(changed[b]);
        let has_hands = system.bodies()[b].prescribed.iter().any(|p| !p.motion.is_fixed());
        if has_hands && work[b].abs() > DRIVEN * slow.max(fastest) {
            return None;
        }
        if own.unresolved >= PERIOD {
            return Some(Rest::Unresolved);
        }
        (fastest <= slow).then_some(Rest::Slow)
    };
    control.iter_mut().enumerate().map(of_body).collect()
}

/// The kinetic energy (J) that its own forces give a body at `x` in one step from rest.
fn slow(step: &Step<'_>, body: usize, mass: f64, x: &[Vec3]) -> f64 {
    let impulse = step.h * step.system.own_force(body, x).length();
    0.5 * impulse * impulse / mass
}

/// Lowers the targets of bodies that rest at `x` to their `energies` (J), and returns of each body
/// what they lost (J). Raises those that are below by more than a slow body moves with: what
/// rests has no energy left to give, so a lower target is a debt that a motion later on would pay for.
pub(crate) fn settle(
    step: &Step<'_>,
    x: &[Vec3],
    bodies: &[usize],
    energies: &[f64],
    control: &mut [EnergyControl],
) -> Vec<f64> {
    let mut lost = vec![0.0; control.len()];
    let masses = step.system.sum_by_body(|i| step.system.masses()[i]);
    for &b in bodies {
        let own = &mut control[b];
        let slow = slow(step, b, masses[b], x);
        if slow > 0.0 && energies[b] - own.target > slow {
            (own.target, own.mean) = (energies[b], energies[b]);
        }
        lost[b] = (own.target - energies[b]).max(0.0);
        own.target -= lost[b];
        own.mean = own.mean.min(own.target);
        own.deviations = [0.0; 2];
        own.unresolved = 0;
    }
    lost
}
