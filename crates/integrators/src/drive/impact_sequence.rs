//! Impacts that follow from each other within a step.
//!
//! A body that has been hit may hit the next one before the step ends, as in a Newton's cradle. All pairs of the step are
//! therefore passed through in rounds (generalised reflections of Smith et al. 2012, *Reflections on simultaneous impact*):
//! the pairs that approach rebound at once, and the next round starts from the velocities after that. Pairs that approach in
//! the same round remain one simultaneous impact, so a symmetric impact stays symmetric.

use crate::drive::bounce::solve_impact;
use crate::step::impacts::{ImpactConstraint, OpeningCondition};
use resile_math::Vec3;
use resile_solver::SolveError;
use resile_system::Prepared;

/// Most rounds in a step. In a train of bodies each round moves the impact on by one body. Rounds of partly elastic impacts
/// against a support decrease the approach by a factor; what then remains of it is stopped in the last solve.
const MAX_ROUNDS: usize = 32;

/// Replaces the target rates of pairs by those after all rounds if there is more than one. `v` are the velocities (m/s) at
/// the start of the step, at the positions `x` (m) of its end; `tolerance` (m/s) is that of stages.
///
/// # Errors
/// If impulses cannot be solved for.
pub(super) fn propagate_impacts(
    system: &Prepared<'_>,
    (x, v): (&[Vec3], &[Vec3]),
    h: f64,
    constraints: &mut [ImpactConstraint],
    tolerance: f64,
) -> Result<(), SolveError> {
    let rebounding = constraints.iter().filter(|constraint| constraint.rebounds()).count();
    if rebounding == 0 || rebounding == constraints.len() {
        return Ok(());
    }
    let initial_rate = |c: &ImpactConstraint| c.rebounds().then_some(c.target_rate);
    let mut target_rates: Vec<Option<f64>> = constraints.iter().map(initial_rate).collect();
    let mut has_rebounded = vec![false; constraints.len()];
    let mut v = v.to_vec();
    let mut rounds = 0;
    while rounds < MAX_ROUNDS && target_rates.iter().any(Option::is_some) {
        has_rebounded.iter_mut().zip(&target_rates).for_each(|(has, rate)| *has |= rate.is_some());
        let round = approaching_pairs(constraints, &target_rates);
        v = solve_impact(system, (x, &v), h, &round, tolerance)?.velocities;
        target_rates = constraints.iter().map(|constraint| rebound_rate(constraint, &v)).collect();
        rounds += 1;
    }
    if rounds > 1 {
        for (constraint, _) in constraints.iter_mut().zip(has_rebounded).filter(|(_, has)| *has) {
            constraint.target_rate = constraint.impact.opening(|node| v[node]).max(0.0);
            constraint.condition = OpeningCondition::Equal { pull: h * constraint.impact.force };
        }
    }
    Ok(())
}

/// The constraints of the pairs that have a target rate (m/s), which do not pull.
fn approaching_pairs(
    constraints: &[ImpactConstraint],
    target_rates: &[Option<f64>],
) -> Vec<ImpactConstraint> {
    let pairs = constraints.iter().zip(target_rates);
    let round_constraint = |(constraint, rate): (&ImpactConstraint, &Option<f64>)| {
        let condition = OpeningCondition::Equal { pull: 0.0 };
        (*rate).map(|target_rate| ImpactConstraint { target_rate, condition, ..constraint.clone() })
    };
    pairs.filter_map(round_constraint).collect()
}

/// The rate (m/s) at which a pair separates after its rebound from the velocities `v` (m/s); `None` if it does not approach
/// fast enough.
fn rebound_rate(constraint: &ImpactConstraint, v: &[Vec3]) -> Option<f64> {
    let rate = constraint.impact.opening(|node| v[node]);
    (rate < -constraint.min_rebound_speed).then(|| -constraint.impact.restitution * rate)
}
