//! Interactive simulation of a scene with bodies that can be dragged.

use super::frames::Frames;
use super::skins::Skins;
use super::totals::Totals;
use super::{RunError, RunFolder};
use resile_assembly::{Built, Clock, Skin, settle};
use resile_contact::CollisionMesh;
use resile_energy::Anchor;
use resile_math::Vec3;
use resile_record::{Existing, FileExtents};
use resile_scene::description::{FrameFormat, Output, Scene};
use resile_system::State;
use resile_watch::{Activity, Interrupt};
use resile_world::{Hand, StepFailure, StepRecord, World};
use std::path::Path;
use std::sync::Arc;

/// An interactive scene without output files. Without dragging the motion is that of a run of the scene.
#[derive(Debug)]
pub struct LiveScene {
    world: World,
    clock: Clock,
    /// The length of a step (s).
    h: f64,
    steps: u64,
    /// The initial states.
    start: Vec<State>,
    /// Embeddings of the drawn points.
    surfaces: Vec<Arc<CollisionMesh>>,
    skins: Skins,
    /// Each skin with the index of its body.
    skins_by_body: Vec<(usize, Arc<Skin>)>,
    /// The dragged point, and its target at the end of the last step (m).
    drag: Option<(usize, Vec3)>,
    /// Maximum distance between the target and the dragged point (m).
    max_drag_distance: f64,
}

/// Maximum distance between the target and the dragged point, relative to the size of the scene.
const DRAG_DISTANCE_RATIO: f64 = 4.0;
/// Largest coordinate of a target (m), which is also that of positions in scenes.
const MAX_COORDINATE: f64 = 1e9;

impl LiveScene {
    /// Begins the simulation and writes the first frame to the empty `folder`, for the page. A start that has to settle
    /// settles during the first steps.
    ///
    /// # Errors
    /// If the frame cannot be written.
    pub fn start(scene: &Scene, mut built: Built, folder: &Path) -> Result<Self, RunError> {
        let output =
            Output { formats: vec![FrameFormat::Vtu], fields: Vec::new(), ..scene.output.clone() };
        let vtu_scene = Scene { output, ..scene.clone() };
        let folder = RunFolder::open(folder, Existing::Refuse)?;
        if !scene.settle {
            settle(scene, &mut built.world)?;
        }
        let totals = Totals::at_start(&mut built.world);
        let clock = Clock::new(&scene.time, built.world.state(0).time);
        let shapes = (&built.meshes[..], &built.obstacles[..]);
        let mut frames =
            Frames::open(&vtu_scene, &folder, shapes, (&totals, &FileExtents::default()))?;
        frames.write(&mut built.world, clock.after(0))?;
        frames.flush()?;
        let bodies = 0..built.world.body_count();
        let skinned = built.meshes.iter().enumerate();
        let mut live = Self {
            clock,
            h: scene.time.step.seconds(),
            steps: 0,
            start: bodies.map(|body| built.world.state(body).clone()).collect(),
            surfaces: built.meshes.iter().map(|mesh| mesh.surface.clone()).collect(),
            skins: Skins::new(&built.meshes),
            skins_by_body: skinned.filter_map(|(b, mesh)| Some((b, mesh.skin.clone()?))).collect(),
            world: built.world,
            drag: None,
            max_drag_distance: 0.0,
        };
        live.max_drag_distance = DRAG_DISTANCE_RATIO * diagonal(&live.points());
        Ok(live)
    }

    /// The time (s) of the bodies' states.
    pub fn time(&self) -> f64 {
        self.clock.after(self.steps)
    }

    /// The length of a step (s).
    pub fn step(&self) -> f64 {
        self.h
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Makes the following steps end when `interrupt` is raised, and list solves in progress in `activity`.
    pub fn watch(&mut self, interrupt: Interrupt, activity: Activity) {
        self.world.watch(interrupt, activity);
    }

    /// Restarts from the initial states, without dragging.
    pub fn restart(&mut self) {
        self.let_go();
        for (body, state) in self.start.iter().enumerate() {
            self.world.set_state(body, state.clone());
        }
        self.steps = 0;
    }

    /// Drags a point, by its index in frames, towards `target` (m) in the next step; dragging begins at the present
    /// position of the point. Points with prescribed motion are ignored. The distance of the target from the point is
    /// at most four times the initial size of the scene.
    pub fn pull(&mut self, point: usize, target: Vec3) {
        let Some((body, anchor)) = self.anchor(point) else { return self.let_go() };
        let position = anchor.at(&self.world.state(body).positions);
        let limited_target = limit_distance(position, self.max_drag_distance, target);
        let Some(target) = limited_target else { return self.let_go() };
        let drag_of_point = self.drag.filter(|(dragged_point, _)| *dragged_point == point);
        let previous_target = drag_of_point.map_or(position, |(_, previous)| previous);
        let hand = Hand { body, point: anchor, path: [previous_target, target] };
        self.drag = self.world.pull(Some(hand), self.h).is_ok().then_some((point, target));
    }

    /// Ends dragging.
    pub fn let_go(&mut self) {
        self.drag = None;
        // Ending dragging cannot fail.
        let _ = self.world.pull(None, self.h);
    }

    /// Performs a step.
    ///
    /// # Errors
    /// If it fails; the state is then unchanged.
    pub fn advance(&mut self) -> Result<StepRecord, StepFailure> {
        let record = self.world.step(self.h, self.clock.after(self.steps + 1))?;
        self.steps += 1;
        Ok(record)
    }

    /// Positions of the points of frames (m), in their order.
    pub fn points(&self) -> Vec<Vec3> {
        let mut points = Vec::new();
        for (body, surface) in self.surfaces.iter().enumerate() {
            points.extend_from_slice(&surface.points(&self.world.state(body).positions));
        }
        self.skins.extend(&mut points);
        points
    }

    /// Whether a point is dragged.
    pub fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }

    /// The body of a point of frames, and the point as a weighted mean of nodes of the body; `None` beyond the last
    /// point.
    fn anchor(&self, point: usize) -> Option<(usize, Anchor)> {
        let mut remaining = point;
        for (body, surface) in self.surfaces.iter().enumerate() {
            if remaining < surface.point_count() {
                let anchor = match surface.embedding() {
                    None => Anchor::from(remaining),
                    Some(points) => Anchor::new(points[remaining].terms().collect()),
                };
                return Some((body, anchor));
            }
            remaining -= surface.point_count();
        }
        for (body, skin) in &self.skins_by_body {
            match skin.points.get(remaining) {
                Some(point) => return Some((*body, Anchor::new(point.terms().collect()))),
                None => remaining -= skin.points.len(),
            }
        }
        None
    }
}

/// The point nearest to `point` within the distance `max_distance` of `center`; `None` if `point` is NaN.
fn limit_distance(center: Vec3, max_distance: f64, point: Vec3) -> Option<Vec3> {
    let bound = Vec3::splat(MAX_COORDINATE);
    let offset = point.clamp(-bound, bound) - center;
    (!point.is_nan()).then(|| center + offset.clamp_length_max(max_distance))
}

/// The diagonal (m) of the bounding box of points.
fn diagonal(points: &[Vec3]) -> f64 {
    let low = points.iter().copied().reduce(Vec3::min);
    let high = points.iter().copied().reduce(Vec3::max);
    low.zip(high).map_or(0.0, |(low, high)| (high - low).length())
}
