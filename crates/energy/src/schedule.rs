//! Schedules: values that are constant between given times.
//!
//! A potential `P(x, s)` that depends on time through such a value s alone is conservative between
//! two switches. At a switch P jumps at fixed positions, which is the work `P(x, new) - P(x, old)`.
//! [`Energy::work`] returns the sum over the switches in a step ([`Schedule::work`] computes it); the
//! positions at a switch are interpolated linearly between the ends of the step.
//!
//! *The new value holds at the time of the switch.* A force in the window `[start, end)` acts at
//! `start` and not at `end`, and `work` over `[t_0, t_1]` includes the switches in `(t_0, t_1]`. If
//! each step begins at exactly the time at which the previous one ended, each switch is counted once
//! and `H(t_1) - H(t_0) = work` telescopes. A method that evaluates forces at the end `t_1` only
//! thus has the new value throughout a step that contains a switch or ends at it, the midpoint rule
//! throughout one with a switch in its first half. The integrator
//! displaces a switch by up to one step, an error of first order; `work` still equals the jump of P.
//! For an exact switch, choose a time just after the end of a step.
//!
//! [`Energy::work`]: resile_system::Energy::work

use resile_system::Vec3;

/// The times of a schedule are invalid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ScheduleError {
    /// A time is not a number.
    #[error("change {change} is at {time} s, but must be at a finite time")]
    NotFinite {
        /// The change, counted from zero.
        change: usize,
        /// Time of the change (s).
        time: f64,
    },
    /// A factor of a table is not a number.
    #[error("point {point} at {time} s has the factor {factor}, but factors must be finite")]
    FactorNotFinite {
        /// The point of the table, counted from zero.
        point: usize,
        /// Time of the point (s).
        time: f64,
        /// The factor.
        factor: f64,
    },
    /// The times of the changes do not ascend.
    #[error("change {change} is at {time} s, which is not after the one before it, at {before} s")]
    NotAscending {
        /// The later of the two changes, counted from zero.
        change: usize,
        /// Time of the change (s).
        time: f64,
        /// Time (s) of the previous change.
        before: f64,
    },
    /// The start of a window is not finite, or the end is not after it.
    #[error(
        "a window must begin at a finite time and end after it, but goes from {start} s to {end} s"
    )]
    Window {
        /// The given start (s).
        start: f64,
        /// The given end (s).
        end: f64,
    },
}

/// A value that is constant between changes at given times.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule<T> {
    /// The value before the first change.
    before: T,
    /// Times (s) of changes, ascending, and the values from these times on.
    changes: Vec<(f64, T)>,
}

impl<T: Copy> Schedule<T> {
    /// A constant value.
    pub fn constant(value: T) -> Self {
        Self { before: value, changes: Vec::new() }
    }

    /// The value `before` until the first of the `changes`, each a time (s) and the value from that
    /// time on.
    ///
    /// # Errors
    /// If times are not finite or do not ascend.
    pub fn changing(before: T, changes: Vec<(f64, T)>) -> Result<Self, ScheduleError> {
        for (change, &(time, _)) in changes.iter().enumerate() {
            if !time.is_finite() {
                return Err(ScheduleError::NotFinite { change, time });
            }
            let previous = change.checked_sub(1).map(|previous| &changes[previous]);
            if let Some(&(before, _)) = previous
                && time <= before
            {
                return Err(ScheduleError::NotAscending { change, time, before });
            }
        }
        Ok(Self { before, changes })
    }

    /// The value at `time` (s); at the time of a change, the new one. O(log changes).
    pub fn at(&self, time: f64) -> T {
        let next_index = self.changes.partition_point(|(start, _)| *start <= time);
        let last_change = self.changes[..next_index].last();
        last_change.map_or(self.before, |&(_, value)| value)
    }

    /// The first change after `time` (s); infinite if there is none. O(log changes).
    pub fn next_change(&self, time: f64) -> f64 {
        let next_index = self.changes.partition_point(|(start, _)| *start <= time);
        self.changes.get(next_index).map_or(f64::INFINITY, |(start, _)| *start)
    }

    /// All values in the order of time.
    pub fn values(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::once(self.before).chain(self.changes.iter().map(|(_, value)| *value))
    }

    /// The sum of `P(x, new) - P(x, old)` (J) over the changes in `(times[0], times[1]]`,
    /// where `potential(fraction, value)` is P at this fraction of the path through the step.
    pub(crate) fn work(&self, times: [f64; 2], potential: impl Fn(f64, T) -> f64) -> f64 {
        let [from, to] = times;
        let first = self.changes.partition_point(|(time, _)| *time <= from);
        let mut old = self.at(from);
        let mut work = 0.0;
        for &(time, new) in self.changes[first..].iter().take_while(|(time, _)| *time <= to) {
            let fraction = (time - from) / (to - from);
            work += potential(fraction, new) - potential(fraction, old);
            old = new;
        }
        work
    }
}

impl Schedule<f64> {
    /// The value 1 in the window `[start, end)` (s), zero outside; `end` may be infinite.
    ///
    /// # Errors
    /// If the start is not finite, or the end is not after it.
    pub fn window(start: f64, end: f64) -> Result<Self, ScheduleError> {
        if !(start.is_finite() && end > start) {
            return Err(ScheduleError::Window { start, end });
        }
        let end_change = (end < f64::INFINITY).then_some((end, 0.0));
        Ok(Self { before: 0.0, changes: [(start, 1.0)].into_iter().chain(end_change).collect() })
    }
}

/// The point at a `fraction` of the straight path between two points.
pub(crate) fn between(from: Vec3, to: Vec3, fraction: f64) -> Vec3 {
    from + (to - from) * fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instant_of_a_change_belongs_to_the_new_value() {
        let schedule = Schedule::changing(1.0, vec![(2.0, 5.0), (3.0, -1.0)]).expect("ascending");
        let at = [-9.0, 1.999, 2.0, 2.5, 3.0, 9.0].map(|t| schedule.at(t));
        assert_eq!(at, [1.0, 1.0, 5.0, 5.0, -1.0, -1.0]);
        assert_eq!(schedule.values().collect::<Vec<_>>(), [1.0, 5.0, -1.0]);
        assert_eq!(Schedule::constant(7.0).at(0.0), 7.0);
        let next = [-9.0, 2.0, 2.5, 3.0].map(|t| schedule.next_change(t));
        assert_eq!(next, [2.0, 3.0, 3.0, f64::INFINITY]);
    }

    #[test]
    fn a_window_is_closed_at_its_start_and_open_at_its_end() {
        let window = Schedule::window(1.0, 2.0).expect("a window");
        assert_eq!([0.9, 1.0, 1.9, 2.0].map(|t| window.at(t)), [0.0, 1.0, 1.0, 0.0]);
        let ever = Schedule::window(1.0, f64::INFINITY).expect("a window");
        assert_eq!([0.9, 1.0, 1e9].map(|t| ever.at(t)), [0.0, 1.0, 1.0]);
    }

    #[test]
    fn each_change_is_counted_in_exactly_one_step() {
        let schedule = Schedule::changing(1.0, vec![(2.0, 5.0), (3.0, -1.0)]).expect("ascending");
        // P = s q with q = 1 + 10 fraction
        let work = |from, to| schedule.work([from, to], |fraction, s| s * (1.0 + 10.0 * fraction));
        assert_eq!(work(0.0, 1.0), 0.0);
        assert_eq!(work(0.0, 2.0), 4.0 * 11.0);
        assert_eq!(work(2.0, 2.5), 0.0);
        assert_eq!(work(2.0, 3.0), -6.0 * 11.0);
        assert_eq!(work(1.0, 5.0), 4.0 * 3.5 - 6.0 * 6.0);
    }

    #[test]
    fn times_that_make_no_schedule_are_refused() {
        let twice = Schedule::changing(0.0, vec![(1.0, 1.0), (1.0, 2.0)]);
        let refused = ScheduleError::NotAscending { change: 1, time: 1.0, before: 1.0 };
        assert_eq!(twice, Err(refused));
        let never = Schedule::changing(0.0, vec![(1.0, 1.0), (f64::INFINITY, 2.0)]);
        assert_eq!(never, Err(ScheduleError::NotFinite { change: 1, time: f64::INFINITY }));
        for (start, end) in [(2.0, 2.0), (3.0, 2.0), (f64::NEG_INFINITY, 2.0)] {
            assert_eq!(Schedule::window(start, end), Err(ScheduleError::Window { start, end }));
        }
        assert!(
            Schedule::window(f64::NAN, 2.0).is_err() && Schedule::window(0.0, f64::NAN).is_err()
        );
    }
}
