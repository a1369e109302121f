//! The start of a solve in a frame that moves with the supports, or without any with the centre of mass.
//!
//! Newton's method approaches prescribed nodes and the motion of all others at the same time, and line searches judge
//! points at which supports have gone a part of their way. If all of a system moves uniformly besides, these points
//! and their values change, and in an impact the solve may end in another minimum. If all prescribed nodes have the
//! same displacement, the solve therefore begins at positions that are displaced by it. Its iterates are then those in
//! the frame of the supports. A system without prescribed nodes and other supports is displaced with its centre of mass.
//!
//! At the start of a step a sliding body is at rest in this frame. The first iterates would find a body that sticks, and
//! an inertia that pulls it. If a body slips, the solve therefore begins at the inertial target of the stage, where the
//! body has kept its velocity, if the path to it is free and the value there is lower.

use super::Step;
use super::objective::StageObjective;
use crate::stage::Stage;
use resile_math::Vec3;
use resile_solver::Objective as _;
use resile_system::{Body, Links};

/// Largest difference of two displacements that count as equal, relative to their length. Rounding of positions of a
/// kilometre is 1e-10 of a millimetre.
const MAX_DEVIATION: f64 = 1e-9;

impl Step<'_> {
    /// The positions (m) at which a solve of `stage` from the admissible positions `start` (m) begins: displaced with the
    /// supports, if all of them have the same displacement, no body touches an obstacle with another one, and the path is
    /// free. A system without supports is displaced with its centre of mass. Afterwards the system is prepared at the
    /// result.
    pub(super) fn start_of_solve(&mut self, stage: &Stage, start: &[Vec3]) -> Vec<Vec3> {
        let displaced = self.displaced_start(stage, start);
        match self.slips_at_start(stage, start) {
            true => self.sliding_start(stage, displaced),
            false => displaced,
        }
    }

    /// Whether `start` (m) is the start of the step, and a body slips there.
    fn slips_at_start(&self, stage: &Stage, start: &[Vec3]) -> bool {
        !stage.terms.is_empty()
            && self.dissipation.has_friction()
            && start == &self.state.positions[..]
            && self
                .dissipation
                .slipping_limits(&self.velocities_at_start())
                .iter()
                .any(|l| *l > 0.0)
    }

    /// The inertial target of a `stage`, with prescribed nodes at their targets, if the path to it from the admissible
    /// positions `start` (m) is free and the value is lower there; otherwise `start`.
    fn sliding_start(&mut self, stage: &Stage, start: Vec<Vec3>) -> Vec<Vec3> {
        let mut target = stage.predictor.clone();
        for (node, prescribed) in self.system.prescribed(stage.time) {
            target[node] = self.system.compose(node, target[node], prescribed);
        }
        if !target.iter().all(|x| x.is_finite())
            || self.prepare_along(stage, [&start, &target]) < 1.0
        {
            return start;
        }
        let objective = StageObjective::new(self.system.reborrow(), &self.dissipation, stage);
        // The comparison is also false for NaN.
        let is_lower = objective.value(&target) < objective.value(&start);
        if is_lower { target } else { start }
    }

    /// The positions (m) at which a solve of `stage` from the admissible positions `start` (m) begins if no body slips: see
    /// [`start_of_solve`](Self::start_of_solve).
    fn displaced_start(&mut self, stage: &Stage, start: &[Vec3]) -> Vec<Vec3> {
        let Some(displacement) = self.common_displacement(stage, start) else {
            return start.to_vec();
        };
        let mut translated: Vec<Vec3> = start.iter().map(|x| *x + displacement).collect();
        self.system.prescribed(stage.time).for_each(|(node, target)| translated[node] = target);
        let bound = self.prepare_along(stage, [start, &translated]);
        if bound == 1.0 && !self.touches_other_obstacles(start, &translated, displacement) {
            return translated;
        }
        self.prepare_along(stage, [start, start]);
        start.to_vec()
    }

    /// Prepares the system for paths of the unknown of `stage`, and returns the admissible fraction of them.
    fn prepare_along(&mut self, stage: &Stage, [from, to]: [&[Vec3]; 2]) -> f64 {
        StageObjective::new(self.system.reborrow(), &self.dissipation, stage).step_bound(from, to)
    }

    /// The displacement (m) of all prescribed nodes from `start` (m) to their targets in `stage`, or of the centre of mass
    /// to its inertial target if there are no supports; `None` if it is zero or not the same for all prescribed nodes.
    fn common_displacement(&self, stage: &Stage, start: &[Vec3]) -> Option<Vec3> {
        if stage.terms.is_empty() || !self.system.guided().is_empty() {
            return None;
        }
        let mut displacements =
            self.system.prescribed(stage.time).map(|(node, target)| target - start[node]);
        let Some(first) = displacements.next() else {
            return self.mean_inertial_displacement(stage, start);
        };
        let limit = MAX_DEVIATION * first.length();
        let is_common = limit > 0.0 && displacements.all(|next| next.distance(first) <= limit);
        is_common.then_some(first)
    }

    /// The displacement (m) of the centre of mass from `start` (m) to its inertial target in `stage`; `None` if it is zero
    /// or a body is attached to the ground.
    fn mean_inertial_displacement(&self, stage: &Stage, start: &[Vec3]) -> Option<Vec3> {
        if !self.system.bodies().iter().all(Body::is_free) {
            return None;
        }
        let masses = self.system.masses();
        let nodes = masses.iter().zip(stage.predictor.iter().zip(start));
        let moment: Vec3 = nodes.map(|(m, (target, start))| *m * (*target - *start)).sum();
        let displacement = moment / masses.iter().sum::<f64>();
        (displacement.is_finite() && displacement != Vec3::ZERO).then_some(displacement)
    }

    /// Whether a body touches an obstacle with another displacement (m) than this one, at `start` (m) or at the
    /// `translated` positions (m).
    fn touches_other_obstacles(
        &self,
        start: &[Vec3],
        translated: &[Vec3],
        displacement: Vec3,
    ) -> bool {
        let bodies = self.system.bodies().len();
        let mut links = Links::new(bodies).with_velocities(vec![displacement; start.len()]);
        [start, translated].iter().for_each(|x| self.system.link(x, &mut links));
        let limit = MAX_DEVIATION * displacement.length();
        let moves_otherwise = |b: usize| {
            let velocity = links.obstacle_velocity(&[b]);
            velocity.is_some_and(|velocity| velocity.distance(displacement) > limit)
        };
        (0..bodies).any(moves_otherwise)
    }
}
