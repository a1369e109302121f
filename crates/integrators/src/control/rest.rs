//! Rest: A-search without unresolved vibrations of bodies in persistent contact.
//!
//! A-search keeps the energy of a mode with a period much shorter than the step in its velocity alone. Implicit Euler
//! damps the mode within one step, so the displacement is nearly zero, and the correction restores the velocity,
//! rotated by pi/3 per step (the eigenvalues `exp(+-i pi/3)` of A-1 for infinite stiffness). In an impact this velocity
//! produces the rebound. In persistent contact it never decays: the body vibrates and creeps. A group of
//! bodies in contact therefore takes the velocities of implicit Euler, and its target becomes its energy with them (the
//! difference is `rest_loss`, which is not heat of friction or damping),
//!
//! * if for one period of that rotation, six consecutive steps, the kinetic energy of its displacements was much
//!   smaller than that of its velocities;
//! * if the speed of each of its bodies at the start, in and after the step is below the one that its own forces
//!   (mostly weight) produce in one step from rest. A rebound at that speed would last less than two steps.
//!
//! A body on which prescribed motions of its nodes do work in the step never rests, and neither does one whose support
//! accelerates. A body that its own forces accelerate from rest, or that turns on a slope, rests for a few steps: energy that
//! it has lost while it was fast must not be restored when it is slow, where it would be hops.

use crate::step::memory::EnergyControl;
use crate::step::{Rest, Step};
use resile_math::Vec3;
use resile_system::Links;

/// Work of moving supports, relative to the kinetic energies of the body, above which the body is driven; less is
/// rounding.
const MIN_RELATIVE_SUPPORT_WORK: f64 = 1e-9;

/// Change of the velocity of a support in half a step, relative to the change of velocity in a step by the own forces of the
/// body, above which the body is driven: an acceleration of the support by 4 % of gravity. Below it the body rests at the
/// velocity of implicit Euler, half a step late, and loses `m a^2 t h / 2` of its kinetic energy in the time t
/// (`docs/notes/2026-11-30.md`, rest on lifts).
const MIN_RELATIVE_DRIVE: f64 = 0.02;

/// Consecutive steps of unresolved vibrations after which a body is at rest: the period at which a vibration is
/// resolved, with 0.91 of its energy in the mean velocities (`step/motion.rs`).
const VIBRATION_PERIOD: u32 = 6;

/// Ratio of the kinetic energy of the mean velocities of the step to that of the velocities at its start below
/// which these are unresolved vibrations. A mode of angular frequency f has the ratio `(sin(f h/2) / (f h/2))^2`
/// (`step/motion.rs`), which is 1/4 at a period of 1.66 steps.
const MIN_MOTION: f64 = 0.25;

/// Records in `control` which bodies are in contact in a step with friction.
pub(crate) fn record_friction_contact(links: &Links, control: &mut [EnergyControl]) {
    for (b, body) in control.iter_mut().enumerate() {
        body.had_friction |= links.touches(b);
    }
}

/// The criterion by which each body rests; `None` if it moves. `x` are the positions (m) at the end, `work` (J) is the
/// external work on each body, and `kinetic_of_motion` and `kinetic_of_correction` are the kinetic energies (J) of the
/// mean velocities and of their correction. Updates the number of unresolved steps in `control`.
pub(crate) fn rest_criteria(
    step: &Step<'_>,
    x: &[Vec3],
    work: &[f64],
    kinetic_of_motion: &[f64],
    kinetic_of_correction: &[f64],
    links: &Links,
    control: &mut [EnergyControl],
) -> Vec<Option<Rest>> {
    let system = &step.system;
    let kinetic_at_start = step.kinetic(&step.state.velocities);
    let masses = system.sum_by_body(|i| system.masses()[i]);
    let driven = driven_bodies(step, x, links, &masses);
    let criterion = |(b, body_control): (usize, &mut EnergyControl)| {
        if !links.touches(b) {
            body_control.unresolved = 0;
            return None;
        }
        body_control.unresolved = if kinetic_of_motion[b] < MIN_MOTION * kinetic_at_start[b] {
            body_control.unresolved + 1
        } else {
            0
        };
        let slow_energy = slow_motion_energy(step, b, masses[b], x);
        let largest_energy =
            kinetic_of_motion[b].max(kinetic_at_start[b]).max(kinetic_of_correction[b]);
        let is_moved = system.bodies()[b].prescribed.iter().any(|p| !p.motion.is_fixed());
        let has_work = work[b].abs() > MIN_RELATIVE_SUPPORT_WORK * slow_energy.max(largest_energy);
        if driven[b] || (is_moved && has_work) {
            return None;
        }
        if body_control.unresolved >= VIBRATION_PERIOD {
            return Some(Rest::Unresolved);
        }
        (largest_energy <= slow_energy).then_some(Rest::Slow)
    };
    control.iter_mut().enumerate().map(criterion).collect()
}

/// Whether the support of each body accelerates in a step to `x` (m), where the system must be prepared: its velocity changes
/// from the mean of the step to its end by more than [`MIN_RELATIVE_DRIVE`] times the change that the own forces of the body
/// cause in a step from rest. `masses` (kg) are those of the bodies.
fn driven_bodies(step: &Step<'_>, x: &[Vec3], links: &Links, masses: &[f64]) -> Vec<bool> {
    let system = &step.system;
    let support_changes = step.support_velocity_changes(x, links);
    let is_driven = |b: usize| {
        let Some(change) = support_changes.get(b).filter(|_| links.touches(b)) else {
            return false;
        };
        let own_force = system.own_force(b, step.end_time(), x);
        change.length() > MIN_RELATIVE_DRIVE * step.h * own_force.length() / masses[b]
    };
    (0..system.bodies().len()).map(is_driven).collect()
}

/// The kinetic energy (J) that the own forces of a body of this `mass` (kg) at `x` (m) produce in one step from rest.
pub(crate) fn slow_motion_energy(step: &Step<'_>, body: usize, mass: f64, x: &[Vec3]) -> f64 {
    let impulse = step.h * step.system.own_force(body, step.end_time(), x).length();
    0.5 * impulse * impulse / mass
}

/// Lowers the targets in `control` of `bodies` that rest at `x` (m) to their `energies` (J) and returns the loss (J) of
/// each body of the system. Raises targets that are lower by more than the kinetic energy of slow motion, because a later
/// motion would lose the difference.
pub(crate) fn reset_targets(
    step: &Step<'_>,
    x: &[Vec3],
    bodies: &[usize],
    energies: &[f64],
    control: &mut [EnergyControl],
) -> Vec<f64> {
    let mut losses = vec![0.0; control.len()];
    let masses = step.system.sum_by_body(|i| step.system.masses()[i]);
    for &b in bodies {
        let body_control = &mut control[b];
        let slow_energy = slow_motion_energy(step, b, masses[b], x);
        if slow_energy > 0.0 && energies[b] - body_control.target > slow_energy {
            (body_control.target, body_control.mean) = (energies[b], energies[b]);
        }
        losses[b] = (body_control.target - energies[b]).max(0.0);
        body_control.target -= losses[b];
        body_control.mean = body_control.mean.min(body_control.target);
        body_control.deviations = [0.0; 2];
        body_control.unresolved = 0;
    }
    losses
}
