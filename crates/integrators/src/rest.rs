//! Rest: what a step cannot resolve is let go where bodies lie on each other.
//!
//! A mode of which a period is much shorter than the step is carried along by A-search in its
//! velocity alone: implicit Euler takes the velocity away within one step, so that nothing
//! moves, and the correction gives it back, `v_n+1` being `v_n` turned by a sixth of a circle
//! (the eigenvalues `exp(+-i pi/3)` of A-1 for infinite stiffness). In an impact this memory is
//! what gives the rebound. A body that lies on another one keeps it for ever, shakes, and
//! creeps. So a group of bodies that touch something takes implicit Euler's velocities, and
//! its target becomes the energy that it has then, the rest of it heat,
//!
//! * if for one whole period of that, six steps on end, it moved much less than its
//!   velocities say;
//! * if each of its bodies is slower, before, in and after the step, than what its own
//!   forces (weight, mostly) would make of it in one step. A bounce that slow would be over
//!   within two steps.

use crate::memory::EnergyControl;
use crate::step::Step;
use resile_math::Vec3;
use resile_system::Links;

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

/// For each body whether it may rest: `x` is the end of the step, `made` and `changed` are the
/// kinetic energies (J) of each body that belong to the mean velocities of the step and to their
/// correction. Counts in `control` for how many steps bodies
/// have not moved as their velocities say.
pub(crate) fn may_rest(
    step: &Step<'_>,
    x: &[Vec3],
    [made, changed]: [&[f64]; 2],
    links: &Links,
    control: &mut [EnergyControl],
) -> Vec<bool> {
    let system = &step.system;
    let said = system.kinetic_by_body(&step.state.velocities);
    let masses = system.sum_by_body(|i| system.masses()[i]);
    let of_body = |(b, own): (usize, &mut EnergyControl)| {
        if !links.touches(b) {
            own.unresolved = 0;
            return false;
        }
        own.unresolved = if made[b] < MADE * said[b] { own.unresolved + 1 } else { 0 };
        if own.unresolved >= PERIOD {
            return true;
        }
        made[b].max(said[b]).max(changed[b]) <= slow(step, b, masses[b], x)
    };
    control.iter_mut().enumerate().map(of_body).collect()
}

/// The kinetic energy (J) that its own forces give a body at `x` in one step from rest.
fn slow(step: &Step<'_>, body: usize, mass: f64, x: &[Vec3]) -> f64 {
    let impulse = step.h * step.system.own_force(body, x).length();
    0.5 * impulse * impulse / mass
}

/// Lowers the targets of bodies that rest at `x` to their `energies` (J), and returns of each body
/// what became heat (J). Raises those that are below by more than a slow body moves with: what
/// rests has no energy left to give, so a lower target is a debt that a motion later on would pay for.
pub(crate) fn settle(
    step: &Step<'_>,
    x: &[Vec3],
    bodies: &[usize],
    energies: &[f64],
    control: &mut [EnergyControl],
) -> Vec<f64> {
    let mut heat = vec![0.0; control.len()];
    let masses = step.system.sum_by_body(|i| step.system.masses()[i]);
    for &b in bodies {
        let own = &mut control[b];
        let slow = slow(step, b, masses[b], x);
        if slow > 0.0 && energies[b] - own.target > slow {
            (own.target, own.mean) = (energies[b], energies[b]);
        }
        heat[b] = (own.target - energies[b]).max(0.0);
        own.target -= heat[b];
        own.mean = own.mean.min(own.target);
        own.deviations = [0.0; 2];
        own.unresolved = 0;
    }
    heat
}
