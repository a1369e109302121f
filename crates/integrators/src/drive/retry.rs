//! Rules for repeating a step that could be solved.

use crate::step::{Integrator, Repeat};

/// Decides how the next attempt at a step is made. The number of repetitions is finite: each repetition for contact
/// takes the free motion of at least one body away, and a step by implicit Euler is repeated for no other reason.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attempts {
    /// Whether the method itself handles impacts with restitution.
    handles_restitution: bool,
    /// Permitted relative gain of energy in contact; `None` if there is no limit.
    max_energy_gain: Option<f64>,
    /// Whether all further attempts use implicit Euler.
    by_implicit_euler: bool,
    /// The repetitions so far, in order.
    repeats: Vec<Repeat>,
}

impl Attempts {
    /// The rules for a method, before the first attempt.
    pub(super) fn new(integrator: &dyn Integrator) -> Self {
        Self {
            handles_restitution: integrator.handles_restitution(),
            max_energy_gain: integrator.max_energy_gain(),
            by_implicit_euler: false,
            repeats: Vec::new(),
        }
    }

    /// Begins an attempt and returns whether it uses implicit Euler. `has_impact` is whether bodies with a coefficient of
    /// restitution separate at its start or approach an impact.
    pub(super) fn begin(&mut self, has_impact: bool) -> bool {
        self.by_implicit_euler |= has_impact && !self.handles_restitution;
        self.by_implicit_euler
    }

    /// Whether the step is repeated because bodies in free motion came into contact (`has_new_contact`), or because
    /// bodies with a coefficient of restitution collided (`has_impact`); records the repetition.
    pub(super) fn repeats_for_contact(&mut self, has_new_contact: bool, has_impact: bool) -> bool {
        let repeats_for_impact = has_impact && !self.by_implicit_euler && !self.handles_restitution;
        self.by_implicit_euler |= repeats_for_impact;
        self.repeats.extend(has_new_contact.then_some(Repeat::WithoutFreeMotion));
        self.repeats.extend(repeats_for_impact.then_some(Repeat::Bouncing));
        has_new_contact || repeats_for_impact
    }

    /// Gain of energy in contact, relative to the kinetic energy, beyond which the step is repeated; `None` if it is not
    /// repeated for a gain.
    pub(super) fn max_energy_gain(&self) -> Option<f64> {
        self.max_energy_gain.filter(|_| !self.by_implicit_euler)
    }

    /// Records that the step is repeated by implicit Euler, for the last time, because it gained energy.
    pub(super) fn repeat_for_gain(&mut self) {
        self.by_implicit_euler = true;
        self.repeats.push(Repeat::GainingEnergy);
    }

    /// The repetitions in order.
    pub(super) fn into_repeats(self) -> impl Iterator<Item = Repeat> {
        self.repeats.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::integrator::{
        MAX_GAIN_OF_TWO_STEPS, MAX_GAIN_WITH_START_FORCES, MAX_GAIN_WITHOUT_START_FORCES,
    };
    use crate::{ASearch, ImplicitEuler, Newmark, RungeKutta, Theta};

    const DAMPED_NEWMARK: Newmark = Newmark { beta: 0.4, gamma: 0.7 };

    fn repeats(attempts: &Attempts) -> &[Repeat] {
        &attempts.repeats
    }

    #[test]
    fn contact_free_step_is_taken_once_by_its_method() {
        let mut attempts = Attempts::new(&ImplicitEuler);
        assert!(!attempts.begin(false));
        assert!(!attempts.repeats_for_contact(false, false));
        assert_eq!(attempts.into_repeats().count(), 0);
    }

    #[test]
    fn free_motion_is_withdrawn_body_by_body_under_the_same_method() {
        let mut attempts = Attempts::new(&Theta::MIDPOINT);
        for _ in 0..2 {
            assert!(!attempts.begin(false));
            assert!(attempts.repeats_for_contact(true, false));
        }
        assert!(!attempts.begin(false));
        assert!(!attempts.repeats_for_contact(false, false));
        assert_eq!(repeats(&attempts), [Repeat::WithoutFreeMotion; 2]);
    }

    #[test]
    fn impact_step_is_repeated_once_by_implicit_euler() {
        let mut attempts = Attempts::new(&Theta::MIDPOINT);
        assert!(!attempts.begin(false));
        assert!(attempts.repeats_for_contact(true, true), "both at once");
        assert!(attempts.begin(false), "by implicit Euler");
        assert!(!attempts.repeats_for_contact(false, true));
        assert_eq!(repeats(&attempts), [Repeat::WithoutFreeMotion, Repeat::Bouncing]);
    }

    #[test]
    fn separating_bodies_use_implicit_euler_from_the_start() {
        let mut attempts = Attempts::new(&Theta::MIDPOINT);
        assert!(attempts.begin(true));
        assert!(!attempts.repeats_for_contact(false, true) && repeats(&attempts).is_empty());
    }

    #[test]
    fn rebounding_method_is_kept_at_impact() {
        let mut attempts = Attempts::new(&ASearch::default());
        assert!(!attempts.begin(true));
        assert!(!attempts.repeats_for_contact(false, true) && repeats(&attempts).is_empty());
    }

    #[test]
    fn only_methods_that_lose_energy_are_guarded_and_only_once() {
        let max_gain = |method: &dyn Integrator| Attempts::new(method).max_energy_gain();
        assert_eq!(max_gain(&Theta::MIDPOINT), None);
        assert_eq!(max_gain(&RungeKutta::trapezoidal()), None);
        let start_forces = [max_gain(&RungeKutta::tr_bdf2()), max_gain(&DAMPED_NEWMARK)];
        assert_eq!(start_forces, [Some(MAX_GAIN_WITH_START_FORCES); 2]);
        assert_eq!(max_gain(&RungeKutta::sdirk2()), Some(MAX_GAIN_WITHOUT_START_FORCES));
        assert_eq!(max_gain(&crate::Bdf2), Some(MAX_GAIN_OF_TWO_STEPS));
        let mut attempts = Attempts::new(&DAMPED_NEWMARK);
        assert!(!attempts.begin(false) && attempts.max_energy_gain().is_some());
        attempts.repeat_for_gain();
        assert!(attempts.begin(false) && attempts.max_energy_gain().is_none());
        assert_eq!(repeats(&attempts), [Repeat::GainingEnergy]);
    }
}
