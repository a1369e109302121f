//! Initial velocities and displacements of volumes.

use super::signal::{self, Signal};
use super::unit::Dimension;
use super::writer::ProblemWriter;
use crate::ron::Ron;

impl ProblemWriter<'_> {
    /// Initial velocity (m/s) of a volume. Components that depend on the position are zero, because `initial_field`
    /// reads them. Refuses initial accelerations.
    pub(super) fn uniform_velocity(&mut self, volume: i64) -> [f64; 3] {
        let reader = &mut self.reader;
        let mut velocity = [0.0; 3];
        for path in reader.items("initial_conditions/velocity") {
            let ids = reader.ids(&format!("{path}/id"));
            if ids.is_none_or(|ids| ids.contains(&volume)) {
                let values = reader.items(&format!("{path}/value"));
                for (component, item) in velocity.iter_mut().zip(values) {
                    let value = reader.signal(&item, Dimension::VELOCITY);
                    *component = value.and_then(|value| value.number()).unwrap_or(0.0);
                }
            }
        }
        for path in reader.items("initial_conditions/acceleration") {
            let values = reader.items(&format!("{path}/value"));
            if values.iter().any(|item| reader.number(item) != Some(0.0)) {
                reader.refuse(&path, "initial accelerations are not imported");
            }
        }
        velocity
    }

    /// Expressions of the initial `velocity` (m/s) or `solution` (displacements, m) of a volume by the position.
    /// Constant components of a velocity are zero in them, because `uniform_velocity` reads these. `None` if all
    /// components are zero. Refuses expressions that depend on time, and other numbers of components than three.
    pub(super) fn initial_field(&mut self, name: &str, volume: i64) -> Option<Ron> {
        let reader = &mut self.reader;
        let is_velocity = name == "velocity";
        let dimension = if is_velocity { Dimension::VELOCITY } else { Dimension::LENGTH };
        for path in reader.items(&format!("initial_conditions/{name}")) {
            let ids = reader.ids(&format!("{path}/id"));
            if ids.is_some_and(|ids| !ids.contains(&volume)) {
                continue;
            }
            let items = reader.items(&format!("{path}/value"));
            let signals: Vec<Signal> =
                items.iter().filter_map(|item| reader.signal(item, dimension)).collect();
            if signals.len() != 3 {
                reader.refuse(&path, "there must be three components");
                return None;
            }
            let is_expressed = |signal: &Signal| match is_velocity {
                true => signal.number().is_none(),
                false => signal.number() != Some(0.0),
            };
            if !signals.iter().any(is_expressed) {
                continue;
            }
            if signals.iter().any(Signal::depends_on_time) {
                reader.refuse(&path, "initial conditions that depend on time");
                return None;
            }
            let expressed = signals.into_iter().map(|signal| match is_expressed(&signal) {
                true => signal,
                false => Signal::zero(),
            });
            return signal::formulas(&expressed.collect::<Vec<_>>(), 1.0, None);
        }
        None
    }
}
