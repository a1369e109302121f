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
use crate::drive::impact_sequence::propagate_impacts;
use crate::drive::rebound_energy::ReboundLimit;
use crate::error::StepError;
use crate::step::StepReport;
use crate::step::impacts::{
    CarriedVelocities, ImpactConstraint, ImpactContext, carried_velocities, impacts,
    uniform_accelerations,
};
use crate::step::memory::{self, EnergyControl};
use resile_math::Vec3;
use resile_solver::SolveError;
use resile_system::{Links, Path, Prepared, State, System};

/// The state and the report of a step from `start` to `next` after impacts: the velocities of the `impacted` bodies,
/// which are those of implicit Euler, are replaced. `None` if no body is impacted. `tolerance` (m/s) is that of stages.
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
    let (h, end_time) = (report.step, next.time);
    let mut links = Links::new(system.bodies().len());
    let start_energies = {
        let system = system.along(&[Path::at(&start.positions)]);
        system.link(&start.positions, &mut links);
        energies_by_body(&system, start)
    };
    let uniform_accelerations = uniform_accelerations(system, start.time);
    let system = system.along(&[Path::at(&next.positions)]);
    system.link(&next.positions, &mut links);
    let context = StepWithImpacts { h, impacted, uniform_accelerations, tolerance };
    let impulses = Impulses::solve(&system, [start, &next], &context)
        .map_err(|cause| StepError::Solve { time: end_time, step: h, cause })?;
    book_impulses(&system, &impulses, &mut report);
    let expected_energy =
        |b: usize| start_energies[b] + report.work[b] - report.dissipated[b] - report.rest_loss[b];
    let expected_energies: Vec<f64> = (0..start_energies.len()).map(expected_energy).collect();
    let limit = ReboundLimit::new(&system, &links, &expected_energies, &next);
    let Impulses { velocities, owed, .. } = impulses;
    let velocities_before_impact = std::mem::replace(&mut next.velocities, velocities);
    let mut withheld = limit.reduce(&velocities_before_impact, &mut next.velocities);
    if let Some(owed) = owed {
        limit.return_owed(&owed, &mut next.velocities, &mut withheld);
    }
    memory::remember_withheld_velocities(withheld, &mut next.memory);
    let end_energies = energies_by_body(&system, &next);
    let booked = BookedEnergies {
        expected: &expected_energies,
        end: &end_energies,
        kinetic: &system.kinetic_by_body(&next.velocities),
    };
    book_losses(&links, booked, impacted, &mut next, &mut report);
    Ok(Some((next, report)))
}

/// A step of `h` (s) with impacts.
struct StepWithImpacts<'a> {
    h: f64,
    /// Whether each body is impacted.
    impacted: &'a [bool],
    /// The accelerations (m/s^2) of the bodies by uniform fields.
    uniform_accelerations: Vec<Vec3>,
    /// The tolerance (m/s) of stages.
    tolerance: f64,
}

/// The impulses of the impacts of a step.
struct Impulses {
    constraints: Vec<ImpactConstraint>,
    /// The impulse (N s) of each constraint.
    impulses: Vec<f64>,
    /// The heat of friction (J) of the step that each constraint returns.
    returned_heat: Vec<f64>,
    /// The velocities (m/s) of all nodes after the impacts.
    velocities: Vec<Vec3>,
    /// The [withheld velocities](ReboundLimit) (m/s) of earlier steps after the impacts, by which they pass on to other bodies.
    owed: Option<Vec<Vec3>>,
}

impl Impulses {
    /// Solves for the impulses at the end of a step between two states, where the system must be prepared. The owed velocities
    /// are the difference of the solutions with and without them.
    ///
    /// # Errors
    /// If a solve does not converge.
    fn solve(
        system: &Prepared<'_>,
        [start, end]: [&State; 2],
        step: &StepWithImpacts<'_>,
    ) -> Result<Self, SolveError> {
        let (constraints, solution) = solve_impulses(system, [start, end], step)?;
        let ImpactSolution { velocities, impulses, returned_heat } = solution;
        let owed = match memory::withheld_velocities(&start.memory) {
            None => None,
            Some(owed) => {
                let [start, end] = [start, end].map(|state| with_added_velocities(state, owed));
                let (_, with_owed) = solve_impulses(system, [&start, &end], step)?;
                let pairs = with_owed.velocities.iter().zip(&velocities);
                Some(pairs.map(|(with, without)| *with - *without).collect())
            }
        };
        Ok(Self { constraints, impulses, returned_heat, velocities, owed })
    }
}

/// The state with `added` velocities (m/s).
fn with_added_velocities(state: &State, added: &[Vec3]) -> State {
    let velocities = state.velocities.iter().zip(added).map(|(v, added)| *v + *added).collect();
    State { velocities, ..state.clone() }
}

/// Solves for the impulses of the impacts at the end of a step between two states, where the system must be prepared. Returns
/// them with their constraints.
///
/// # Errors
/// If a solve does not converge.
fn solve_impulses(
    system: &Prepared<'_>,
    [start, end]: [&State; 2],
    step: &StepWithImpacts<'_>,
) -> Result<(Vec<ImpactConstraint>, ImpactSolution), SolveError> {
    let &StepWithImpacts { h, impacted, tolerance, .. } = step;
    let carried = carried_start_velocities(system, [start, end]);
    let mut constraints = impact_constraints(system, [start, end], &carried, step);
    constraints.retain(|constraint| constraint.impact.bodies.iter().any(|&b| impacted[b]));
    let x = &end.positions[..];
    propagate_impacts(system, (x, &carried.velocities), h, &mut constraints, tolerance)?;
    let solution = solve_impact(system, (x, &end.velocities), h, &constraints, tolerance)?;
    Ok((constraints, solution))
}

/// The velocities at the start of a step between two states, carried along to its end. Held directions have those of the
/// end.
fn carried_start_velocities(system: &System, [start, end]: [&State; 2]) -> CarriedVelocities {
    let velocities: Vec<Vec3> = (0..start.velocities.len())
        .map(|i| system.compose(i, start.velocities[i], end.velocities[i]))
        .collect();
    carried_velocities(system, [&start.positions, &end.positions], &velocities)
}

/// The constraints of all impacts at the end of a step between two states, where the system must be prepared. `carried` are
/// the velocities at the start.
fn impact_constraints(
    system: &Prepared<'_>,
    [start, end]: [&State; 2],
    carried: &CarriedVelocities,
    &StepWithImpacts { h, ref uniform_accelerations, tolerance, .. }: &StepWithImpacts<'_>,
) -> Vec<ImpactConstraint> {
    let (start_positions, end_positions) = (&start.positions, &end.positions);
    let mean_velocities = carried.mean_velocities([start_positions, end_positions], h);
    let end_velocities =
        carried_velocities(system, [end_positions, end_positions], &end.velocities).velocities;
    let context = ImpactContext {
        h,
        velocities: [&carried.velocities, &mean_velocities, &end_velocities],
        uniform_accelerations,
        tolerance,
    };
    let impacts = impacts(system, end_positions, h).into_iter();
    impacts.map(|impact| context.constraint(system, impact)).collect()
}

/// Books the work of prescribed motions by the impulses, and subtracts the heat of returned friction.
fn book_impulses(system: &Prepared<'_>, impulses: &Impulses, report: &mut StepReport) {
    let Impulses { constraints, impulses, returned_heat, velocities, .. } = impulses;
    for (constraint, impulse) in constraints.iter().zip(impulses) {
        let prescribed_rate =
            constraint.impact.opening(|node| system.held_part(node, velocities[node]));
        report.work[constraint.impact.bodies[0]] -= impulse * prescribed_rate;
    }
    for (constraint, heat) in constraints.iter().zip(returned_heat) {
        constraint.impact.bodies.iter().for_each(|&b| report.dissipated[b] -= 0.5 * heat);
    }
}

/// The energies (J) of all bodies around a step with impacts.
#[derive(Clone, Copy)]
struct BookedEnergies<'a> {
    /// The energies at the start, with the work and the heat of the step.
    expected: &'a [f64],
    /// The energies at the end.
    end: &'a [f64],
    /// The kinetic energies at the end.
    kinetic: &'a [f64],
}

/// The sum of potential and kinetic energy of each body (J).
fn energies_by_body(system: &Prepared<'_>, state: &State) -> Vec<f64> {
    let kinetic = system.kinetic_by_body(&state.velocities);
    let potential = system.potential_by_body(state.time, &state.positions);
    potential.iter().zip(kinetic).map(|(p, k)| p + k).collect()
}

/// Books the energy that groups with an impacted body have lost as heat of contact of their impacted bodies, and distributes
/// their targets by the energies of their bodies after the impact. A target above the energy of its group is lowered to it.
fn book_losses(
    links: &Links,
    energies: BookedEnergies<'_>,
    impacted: &[bool],
    next: &mut State,
    report: &mut StepReport,
) {
    let BookedEnergies { expected, end, kinetic } = energies;
    let mut control = EnergyControl::recall(&next.memory);
    for group in links.groups() {
        if !group.iter().any(|&b| impacted[b]) {
            continue;
        }
        let sum = |quantity: &dyn Fn(usize) -> f64| group.iter().map(|&b| quantity(b)).sum::<f64>();
        let loss = sum(&|b| expected[b] - end[b]).max(0.0);
        let impacted_bodies: Vec<usize> = group.iter().copied().filter(|&b| impacted[b]).collect();
        for &b in &impacted_bodies {
            let body_loss = loss / impacted_bodies.len() as f64;
            report.contact[b] += body_loss;
            report.dissipated[b] += body_loss;
        }
        let Some(control) = &mut control else { continue };
        // A target above the energy would restore the energy that the impact has dissipated.
        let excess = sum(&|b| end[b] - control[b].target).max(0.0);
        let group_kinetic = sum(&|b| kinetic[b]);
        let keeps_targets = excess > 0.0 && (group.len() == 1 || group_kinetic == 0.0);
        for &b in group.iter().filter(|_| !keeps_targets) {
            let fraction = if excess > 0.0 { kinetic[b] / group_kinetic } else { 0.0 };
            let body_control = &mut control[b];
            body_control.target = end[b] - fraction * excess;
            (body_control.mean, body_control.deviations) = (end[b], [fraction * excess, 0.0]);
        }
        for alpha in report.alphas.iter_mut().filter(|a| a.bodies.iter().any(|b| group.contains(b)))
        {
            alpha.energy = alpha.bodies.iter().map(|&b| end[b]).sum();
            alpha.target = alpha.bodies.iter().map(|&b| control[b].target).sum();
        }
    }
    if let Some(control) = control {
        EnergyControl::remember(&control, &mut next.memory);
    }
}
