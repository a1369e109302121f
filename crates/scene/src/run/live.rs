//! A scene that is simulated interactively: it is shown as it runs, and the user pulls at its bodies.

use super::clock::Clock;
use super::frames::Frames;
use super::skins::Skins;
use super::totals::Totals;
use super::{RunError, RunFolder};
use crate::assemble::{Built, Skin};
use crate::description::{FrameFormat, Output, Scene};
use resile_contact::CollisionMesh;
use resile_energy::Anchor;
use resile_math::Vec3;
use resile_record::{Existing, Written};
use resile_system::State;
use resile_watch::{Activity, Interrupt};
use resile_world::{Hand, StepFailure, StepRecord, World};
use std::path::Path;
use std::sync::Arc;

/// A scene that runs for as long as a page is open and leaves no files. What its bodies do is
/// what a run of the scene does, until a hand reaches in.
#[derive(Debug)]
pub struct LiveScene {
    world: World,
    clock: Clock,
    /// The length of a step (s).
    h: f64,
    steps: u64,
    /// The states of the start.
    start: Vec<State>,
    /// How the points that are drawn follow from nodes.
    surfaces: Vec<Arc<CollisionMesh>>,
    skins: Skins,
    /// The body of each skin.
    skinned: Vec<(usize, Arc<Skin>)>,
    /// What is held, and where the hand was at the end of the last step.
    held: Option<(usize, Vec3)>,
    /// How far a hand is at most from the point that it holds (m).
    reach: f64,
}

/// The reach of a hand, in sizes of the scene.
const REACH: f64 = 4.0;
/// No place is farther from the origin (m): the bound of positions in scenes.
const FARTHEST: f64 = 1e9;

impl LiveScene {
    /// Begins, and writes the first frame to `folder`, which is new or empty, from which the page is drawn. A start that is
    /// to settle settles before their eyes.
    ///
    /// # Errors
    /// If the frame cannot be written.
    pub fn start(scene: &Scene, mut built: Built, folder: &Path) -> Result<Self, RunError> {
        let output =
            Output { formats: vec![FrameFormat::Vtu], fields: Vec::new(), ..scene.output.clone() };
        let drawn = Scene { output, ..scene.clone() };
        let folder = RunFolder::open(folder, Existing::Refuse)?;
        if !scene.settle
            && let Some(mut settling) = super::beginning(scene, &mut built.world)
        {
            while settling.advance(&mut built.world)?.settled.is_none() {}
        }
        let totals = Totals::at_start(&mut built.world);
        let clock = Clock::new(&scene.time, built.world.state(0).time);
        let shapes = (&built.meshes[..], &built.obstacles[..]);
        let mut frames = Frames::open(&drawn, &folder, shapes, (&totals, &Written::default()))?;
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
            skins: Skins::of(&built.meshes),
            skinned: skinned.filter_map(|(b, mesh)| Some((b, mesh.skin.clone()?))).collect(),
            world: built.world,
            held: None,
            reach: 0.0,
        };
        live.reach = REACH * size(&live.points());
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

    /// The bodies as they are.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// From now on steps end when `interrupt` is raised, and list in `activity` what is being solved.
    pub fn watch(&mut self, interrupt: Interrupt, activity: Activity) {
        self.world.watch(interrupt, activity);
    }

    /// Begins anew, with no body held.
    pub fn restart(&mut self) {
        self.let_go();
        for (body, state) in self.start.iter().enumerate() {
            self.world.set_state(body, state.clone());
        }
        self.steps = 0;
    }

    /// Holds a point, by its number among those of frames, in a hand that goes to `place` (m) in the next step; a hand
    /// that takes hold begins where the point is. Points of what does not move by forces are not held. A hand is
    /// never farther from the point than four times the size of the scene at its start, wherever it is told to go.
    pub fn pull(&mut self, point: usize, place: Vec3) {
        let Some((body, anchor)) = self.anchor(point) else { return self.let_go() };
        let here = anchor.at(&self.world.state(body).positions);
        let Some(place) = within(here, self.reach, place) else { return self.let_go() };
        let from = self.held.filter(|(held, _)| *held == point).map_or(here, |(_, place)| place);
        let hand = Hand { body, point: anchor, path: [from, place] };
        self.held = self.world.pull(Some(hand), self.h).is_ok().then_some((point, place));
    }

    /// Holds nothing any more.
    pub fn let_go(&mut self) {
        self.held = None;
        // To let go of what is held, or of nothing, has no cause to fail.
        let _ = self.world.pull(None, self.h);
    }

    /// Takes a step.
    ///
    /// # Errors
    /// If it fails; nothing has moved then.
    pub fn advance(&mut self) -> Result<StepRecord, StepFailure> {
        let record = self.world.step(self.h, self.clock.after(self.steps + 1))?;
        self.steps += 1;
        Ok(record)
    }

    /// Where the points of frames are (m), in their order.
    pub fn points(&self) -> Vec<Vec3> {
        let mut points = Vec::new();
        for (body, surface) in self.surfaces.iter().enumerate() {
            points.extend_from_slice(&surface.points(&self.world.state(body).positions));
        }
        self.skins.extend(&mut points);
        points
    }

    /// Whether something is held.
    pub fn holds(&self) -> bool {
        self.held.is_some()
    }

    /// The body of a point of frames, and how the point hangs on its nodes.
    fn anchor(&self, point: usize) -> Option<(usize, Anchor)> {
        let mut left = point;
        for (body, surface) in self.surfaces.iter().enumerate() {
            if left < surface.point_count() {
                let anchor = match surface.embedding() {
                    None => Anchor::from(left),
                    Some(points) => Anchor::new(points[left].terms().collect()),
                };
                return Some((body, anchor));
            }
            left -= surface.point_count();
        }
        for (body, skin) in &self.skinned {
            match skin.points.get(left) {
                Some(point) => return Some((*body, Anchor::new(point.terms().collect()))),
                None => left -= skin.points.len(),
            }
        }
        None
    }
}

/// The place nearest to `place` that is no farther than `reach` from `here`; none of what is no place.
fn within(here: Vec3, reach: f64, place: Vec3) -> Option<Vec3> {
    let bound = Vec3::splat(FARTHEST);
    let way = place.clamp(-bound, bound) - here;
    (!place.is_nan()).then(|| here + way.clamp_length_max(reach))
}

/// The diagonal (m) of the box around points.
fn size(points: &[Vec3]) -> f64 {
    let low = points.iter().copied().reduce(Vec3::min);
    let high = points.iter().copied().reduce(Vec3::max);
    low.zip(high).map_or(0.0, |(low, high)| (high - low).length())
}
