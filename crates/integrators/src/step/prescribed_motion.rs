//! Velocities of prescribed nodes at the stages of a step.
//!
//! A body sticks to a support if both have the same velocity at each stage. Chords of an accelerated motion have the
//! velocity of their middle. A method that evaluates friction at another time lets bodies creep at up to half a step
//! times the acceleration of the support. Stages therefore have the velocity of the motion at their own time: the
//! derivative of the parabola through the positions at the start, the middle and the end of the step. It depends only
//! on positions within the step, so a jump of the velocity between two steps does not count.
//!
//! Prescribed nodes may lag behind their motion by a tolerance of the solver. Their next step then begins where they are.

use super::Step;
use crate::stage::Lag;
use resile_math::Vec3;

impl Step<'_> {
    /// The root of the sum of the squared distances (m) of prescribed nodes from their targets at which blocked nodes may
    /// stay: the [tolerance](crate::StageSolver::dirichlet_tolerance) times their displacements in the step. Nodes that lag at
    /// the start may also stay where they are, so that they need not catch up when their motion ends. Counts only nodes of
    /// bodies that have free nodes, because no others lag.
    pub(super) fn permitted_lag(&self) -> f64 {
        let tolerance = self.solver.dirichlet_tolerance;
        if tolerance == 0.0 {
            return 0.0;
        }
        let system = &self.system;
        let has_free_nodes = |b: &usize| system.free()[system.nodes(*b)].contains(&true);
        let lagging_nodes: Vec<bool> = (0..system.bodies().len())
            .flat_map(|b| vec![has_free_nodes(&b); system.nodes(b).len()])
            .collect();
        let distance = |time: f64| {
            let nodes = system.prescribed(time).filter(|(node, _)| lagging_nodes[*node]);
            let displacement = |(node, target): (usize, Vec3)| {
                system.held_part(node, target - self.state.positions[node])
            };
            nodes.map(|node| displacement(node).length_squared()).sum::<f64>().sqrt()
        };
        (tolerance * distance(self.end_time())).max(distance(self.state.time))
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
