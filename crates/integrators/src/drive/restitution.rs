//! Restitution: the speed at which surfaces separate after an impact.
//!
//! A stiff impact lasts for a few steps or less, and its rebound under any method depends on its phase. Pairs of
//! surfaces with a coefficient `e` therefore obey Newton's law, as in time stepping of rigid bodies (Moreau 1988;
//! Anitescu & Potra 1997). In the step in which the barrier meets a pair that approaches at `u-`, positions are those
//! of implicit Euler, which brings the surfaces together without a rebound of its own, and impulses change the
//! velocities to
//!
//! ```text
//! u+ = -e u-,        u- = u_n + theta h a,        theta = (mean rate of the step) / u_n
//! ```
//!
//! `u` is the rate at which the gap opens, and `a` its acceleration by uniform fields in the part of the step before
//! the impact. While separating surfaces are within the range of the barrier, it slows approach but does not
//! accelerate them. Approach slower than two steps of free fall does not rebound.
//!
//! The dissipated energy, including the loss of implicit Euler in these steps, is heat of contact.

use crate::drive::bounce::{ImpactSolution, solve_impact};
use crate::error::StepError;
use crate::step::StepReport;
use crate::step::impacts::{
    ImpactConstraint, ImpactContext, carried_velocities, uniform_accelerations,
};
use crate::step::memory::EnergyControl;
use resile_math::Vec3;
use resile_system::{Links, Path, Prepared, State, System};

/// The state and the report of a step from `start` to `next` after impacts: the velocities of the `impacted` bodies,
/// which have those of implicit Euler, are replaced. `None` if no body is impacted. `tolerance` (m/s) is that of
/// stages.
///
/// # Errors
/// If impulses cannot be solved for.
pub(crate) fn bounce(
    system: &mut System,
    [start, next]: [&State; 2],
    report: &StepReport,
    impacted: &[bool],
    tolerance: f64,
) -> Result<Option<(State, StepReport)>, StepError> {
    if !impacted.contains(&true) {
        return Ok(None);
    }
    let (mut next, mut report) = (next.clone(), report.clone());
    let h = report.step;
    let mut links = Links::new(system.bodies().len());
    let start_energies = {
        let system = system.along(&[Path::at(&start.positions)]);
        system.link(&start.positions, &mut links);
        energies(&system, start)
    };
    let uniform_accelerations = uniform_accelerations(system, start.time);
    let system = system.along(&[Path::at(&next.positions)]);
    system.link(&next.positions, &mut links);
    let velocities_after_impact = {
        let (start_positions, end_positions) = (&start.positions, &next.positions);
        let start_velocities: Vec<Vec3> = (0..start_positions.len())
            .map(|i| system.compose(i, start.velocities[i], next.velocities[i]))
            .collect();
        let carried =
            carried_velocities(&system, [start_positions, end_positions], &start_velocities);
        // The mean rate in the step without the rotation from the start to the end.
        let mean_velocity = |i: usize| {
            (end_positions[i] - start_positions[i]) / h + 0.5 * carried.rotation_changes[i]
        };
        let mean_velocities: Vec<Vec3> = (0..end_positions.len()).map(mean_velocity).collect();
        let end_velocities =
            carried_velocities(&system, [end_positions, end_positions], &next.velocities)
                .velocities;
        let context = ImpactContext {
            h,
            velocities: [&carried.velocities, &mean_velocities, &end_velocities],
            uniform_accelerations: &uniform_accelerations,
            tolerance,
        };
        let impacts = system.impacts(end_positions, h).into_iter();
        let relevant_impacts = impacts.filter(|impact| impact.bodies.iter().any(|&b| impacted[b]));
        let constraints: Vec<ImpactConstraint> =
            relevant_impacts.map(|impact| context.constraint(&system, impact)).collect();
        let positions_and_velocities = (&end_positions[..], &next.velocities[..]);
        let solution = solve_impact(&system, positions_and_velocities, h, &constraints, tolerance);
        let ImpactSolution { velocities, impulses, returned_heat } =
            solution.map_err(|cause| StepError::Solve { time: next.time, step: h, cause })?;
        for (constraint, impulse) in constraints.iter().zip(impulses) {
            let prescribed_rate =
                constraint.impact.opening(|node| system.held_part(node, velocities[node]));
            report.work[constraint.impact.bodies[0]] -= impulse * prescribed_rate;
        }
        for (constraint, heat) in constraints.iter().zip(returned_heat) {
            constraint.impact.bodies.iter().for_each(|&b| report.dissipated[b] -= 0.5 * heat);
        }
        velocities
    };
    let velocities_before_impact = std::mem::replace(&mut next.velocities, velocities_after_impact);
    let expected_energy = |b: usize, report: &StepReport| {
        start_energies[b] + report.work[b] - report.dissipated[b] - report.rest_loss[b]
    };
    let expected_energies: Vec<f64> =
        (0..start_energies.len()).map(|b| expected_energy(b, &report)).collect();
    limit_rebound(&system, &links, &expected_energies, &velocities_before_impact, &mut next);
    let end_energies = energies(&system, &next);
    let booked_energies = [&expected_energies[..], &end_energies];
    book_losses(&links, booked_energies, impacted, &mut next, &mut report);
    Ok(Some((next, report)))
}

/// Reduces the impulses of impacts that would give a group of bodies more energy than it is `expected` to have (J). The
/// approach speed at an impact within a step is an estimate, so that a coefficient of one can gain up to a percent.
/// `before` are the velocities before the impact (m/s). The work of prescribed motions remains that of the unreduced impulses,
/// so the difference counts as heat.
fn limit_rebound(
    system: &Prepared<'_>,
    links: &Links,
    expected: &[f64],
    before: &[Vec3],
    next: &mut State,
) {
    let potential = system.potential_by_body(next.time, &next.positions);
    let [kinetic_before, kinetic_after] =
        [before, &next.velocities].map(|v| system.kinetic_by_body(v));
    for group in links.groups() {
        let sum = |energies: &[f64]| group.iter().map(|&b| energies[b]).sum::<f64>();
        let [before_impact, after_impact] = [sum(&kinetic_before), sum(&kinetic_after)];
        let available = sum(expected) - sum(&potential) - before_impact;
        // The kinetic energy with the fraction s of the impulses is `before_impact + s slope + s^2 curvature / 2`.
        let nodes = || group.iter().flat_map(|&b| system.nodes(b));
        let change =
            |i: usize| system.masses()[i] * (next.velocities[i] - before[i]).length_squared();
        let curvature: f64 = nodes().map(change).sum();
        let slope = after_impact - before_impact - 0.5 * curvature;
        if available < 0.0 || after_impact - before_impact <= available {
            continue;
        }
        let fraction = ((slope * slope + 2.0 * curvature * available).sqrt() - slope) / curvature;
        for i in nodes() {
            next.velocities[i] = before[i].lerp(next.velocities[i], fraction);
        }
    }
}

/// The sum of potential and kinetic energy of each body (J).
fn energies(system: &Prepared<'_>, state: &State) -> Vec<f64> {
    let kinetic = system.kinetic_by_body(&state.velocities);
    let potential = system.potential_by_body(state.time, &state.positions);
    potential.iter().zip(kinetic).map(|(p, k)| p + k).collect()
}

/// Books the energy that groups with an impacted body have lost as heat of contact, and lowers their targets to their
/// energies. The energies (J) of bodies are the expected ones and those at the end of the step.
fn book_losses(
    links: &Links,
    [expected_energies, end_energies]: [&[f64]; 2],
    impacted: &[bool],
    next: &mut State,
    report: &mut StepReport,
) {
    let mut control = EnergyControl::recall(&next.memory);
    for group in links.groups() {
        if !group.iter().any(|&b| impacted[b]) {
            continue;
        }
        let sum = |quantity: &dyn Fn(usize) -> f64| group.iter().map(|&b| quantity(b)).sum::<f64>();
        let loss = sum(&|b| expected_energies[b] - end_energies[b]).max(0.0);
        let impacted_bodies: Vec<usize> = group.iter().copied().filter(|&b| impacted[b]).collect();
        for &b in &impacted_bodies {
            let share = loss / impacted_bodies.len() as f64;
            report.contact[b] += share;
            report.dissipated[b] += share;
        }
        let Some(control) = &mut control else { continue };
        // A target above the energy would restore the energy that the impact has dissipated.
        if sum(&|b| control[b].target) > sum(&|b| end_energies[b]) {
            for &b in &group {
                let body_control = &mut control[b];
                (body_control.target, body_control.mean, body_control.deviations) =
                    (end_energies[b], end_energies[b], [0.0; 2]);
            }
        }
        for alpha in report.alphas.iter_mut().filter(|a| a.bodies.iter().any(|b| group.contains(b)))
        {
            alpha.energy = alpha.bodies.iter().map(|&b| end_energies[b]).sum();
            alpha.target = alpha.bodies.iter().map(|&b| control[b].target).sum();
        }
    }
    if let Some(control) = control {
        EnergyControl::remember(&control, &mut next.memory);
    }
}
