//! Velocities of prescribed nodes at the stages of a step.
//!
//! A body sticks to a support if both have the same velocity at each stage. Chords of an accelerated motion have the
//! velocity of their middle. A method that evaluates friction at another time lets bodies creep at up to half a step
//! times the acceleration of the support. Stages therefore have the velocity of the motion at their own time: the
//! derivative of the parabola through the positions at the start, the middle and the end of the step. It depends only
//! on positions within the step, so a jump of the velocity between two steps does not count.
//!
//! Prescribed nodes may lag behind their motion by a tolerance of the solver. Their next step then begins where they are.

use super::{StageSolver, Step};
use crate::stage::Lag;
use resile_math::Vec3;
use resile_system::{State, System};

impl StageSolver {
    /// Begins a step from `state` to the time `end` (s) that may be subdivided, up to [`end_whole_step`]: blocked
    /// prescribed nodes may lag at the end of each part as at its end, so that the
    /// [tolerance](Self::dirichlet_tolerance) does not become smaller where the step is subdivided. O(nodes).
    ///
    /// [`end_whole_step`]: Self::end_whole_step
    pub fn begin_whole_step(&mut self, system: &System, state: &State, end: f64) {
        self.permitted_lag = Some(self.lag_permitted_until(system, state, end));
    }

    /// Ends the [whole step](Self::begin_whole_step).
    pub fn end_whole_step(&mut self) {
        self.permitted_lag = None;
    }

    /// The root of the sum of the squared distances (m) of prescribed nodes from their targets at which blocked nodes may
    /// stay at the time `end` (s): the [tolerance](Self::dirichlet_tolerance) times the way of their motion from the time of
    /// `state`. Nodes that lag in `state` may also stay there, so that they need not catch up when their motion ends. Counts
    /// only nodes of bodies that have free nodes, because no others lag.
    fn lag_permitted_until(&self, system: &System, state: &State, end: f64) -> f64 {
        if self.dirichlet_tolerance == 0.0 {
            return 0.0;
        }
        let has_free_nodes = |b: &usize| system.free()[system.nodes(*b)].contains(&true);
        let lagging_nodes: Vec<bool> = (0..system.bodies().len())
            .flat_map(|b| vec![has_free_nodes(&b); system.nodes(b).len()])
            .collect();
        let norm = |displacements: &mut dyn Iterator<Item = (usize, Vec3)>| {
            let lagging = displacements.filter(|(node, _)| lagging_nodes[*node]);
            let held = lagging.map(|(node, displacement)| system.held_part(node, displacement));
            held.map(Vec3::length_squared).sum::<f64>().sqrt()
        };
        let targets = || system.prescribed(state.time);
        let ways = targets().zip(system.prescribed(end));
        let way = norm(&mut ways.map(|((node, from), (_, to))| (node, to - from)));
        let x = &state.positions;
        let lag = norm(&mut targets().map(|(node, target)| (node, target - x[node])));
        lag.max(self.dirichlet_tolerance * way)
    }
}

impl Step<'_> {
    /// The root of the sum of the squared distances (m) of prescribed nodes from their targets at which blocked nodes may
    /// stay: that of the [whole step](StageSolver::begin_whole_step), or of this step if none was begun.
    pub(super) fn permitted_lag(&self) -> f64 {
        let of_step = || self.solver.lag_permitted_until(&self.system, self.state, self.end_time());
        self.solver.permitted_lag.unwrap_or_else(of_step)
    }

    /// The velocities (m/s) at the start, at which friction and damping act there.
    pub(crate) fn velocities_at_start(&self) -> Vec<Vec3> {
        let mut v = self.state.velocities.clone();
        self.set_prescribed_velocities(0.0, &mut v);
        v
    }

    /// Replaces the velocities `v` (m/s) of prescribed nodes by those at a `fraction` of the step; of guided nodes in
    /// the held directions.
    pub(crate) fn set_prescribed_velocities(&self, fraction: f64, v: &mut [Vec3]) {
        for (node, velocity) in self.prescribed_velocities(fraction) {
            v[node] = self.system.compose(node, v[node], velocity);
        }
    }

    /// `lag` with the velocities of prescribed nodes at a `fraction` of the step, once these have their positions at the
    /// time `stage_time` (s) of the unknown.
    pub(crate) fn with_prescribed_velocities(
        &self,
        fraction: f64,
        stage_time: f64,
        mut lag: Lag,
    ) -> Lag {
        let targets = self.system.prescribed(stage_time);
        for ((node, target), (_, velocity)) in targets.zip(self.prescribed_velocities(fraction)) {
            let held_shift = velocity - lag.rate * target;
            lag.shift[node] = self.system.compose(node, lag.shift[node], held_shift);
        }
        lag
    }

    /// Prescribed nodes with their velocities (m/s) at a `fraction` of the step.
    fn prescribed_velocities(&self, fraction: f64) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        let middle_positions = self.system.prescribed(self.time_at(0.5));
        let end_positions = self.system.prescribed(self.end_time());
        middle_positions.zip(end_positions).map(move |((node, middle), (_, end))| {
            let start = self.system.held_part(node, self.state.positions[node]);
            // `end - 2 middle + start` is a quarter of the acceleration times the square of the step.
            let half_acceleration = 2.0 * (end - 2.0 * middle + start);
            let velocity = end - start + (2.0 * fraction - 1.0) * half_acceleration;
            (node, velocity / self.h)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_solver::NewtonSettings;
    use resile_system::{Body, Held, Motion, Prescribed};

    /// Speed of the held nodes (m/s).
    const SPEED: f64 = 2.0;
    const TOLERANCE: f64 = 1e-2;

    /// A body with two nodes that are held and one that is not, and a body that is held altogether.
    fn system() -> System {
        let motion = Motion::Steady {
            start: 0.0,
            end: 1.0,
            velocity: SPEED * Vec3::X,
            angular_velocity: Vec3::ZERO,
            pivot: Vec3::ZERO,
        };
        let held = |node: usize| Prescribed {
            node,
            start: Vec3::ZERO,
            motion: motion.clone(),
            until: None,
            held: Held::All,
        };
        let mut dragged = Body::new("dragged", vec![1.0; 3]);
        dragged.prescribed = vec![held(1), held(2)];
        let mut plate = Body::new("plate", vec![1.0]);
        plate.prescribed = vec![held(0)];
        System::new(vec![dragged, plate])
    }

    /// The state at a time (s) in which the second node lags by `lag` (m).
    fn state(time: f64, lag: f64) -> State {
        let mut positions = vec![SPEED * time.min(1.0) * Vec3::X; 4];
        positions[1].y += lag;
        let velocities = vec![Vec3::ZERO; positions.len()];
        State::new(time, positions, velocities)
    }

    #[test]
    fn permitted_lag_is_the_tolerance_times_the_way_or_the_lag_at_the_start() {
        let system = system();
        let solver =
            StageSolver::new(1e-3, NewtonSettings::default()).with_dirichlet_tolerance(TOLERANCE);
        let permitted = |lag: f64, [time, end]: [f64; 2]| {
            solver.lag_permitted_until(&system, &state(time, lag), end)
        };
        // Two nodes with the same way; the body without free nodes does not count.
        let of_way = TOLERANCE * SPEED * 0.5 * 2.0_f64.sqrt();
        for (lag, expected) in [(0.0, of_way), (0.5 * of_way, of_way), (2.0 * of_way, 2.0 * of_way)]
        {
            assert!((permitted(lag, [0.25, 0.75]) - expected).abs() < 1e-15, "{lag}");
        }
        // After the end of the motion.
        assert!((permitted(3e-3, [1.0, 1.5]) - 3e-3).abs() < 1e-15);
        let exact = StageSolver::new(1e-3, NewtonSettings::default());
        assert_eq!(exact.lag_permitted_until(&system, &state(0.25, 3e-3), 0.75), 0.0);
    }
}
