//! Animations of the keyword `script`.
//!
//! Source of the rules and of their numbers (fractions of the extent, speeds in m/s and intervals in m): `AnimScripter`
//! of IPC. Rules that depend on positions in the previous step are evaluated here step by step. Rules that depend on
//! deformations cannot be evaluated.

mod obstacles;
mod pulls;

use super::motion::{reciprocating_motion, with_rotation};
use super::place::PlacedShape;
use super::script::{Script, ScriptAnimation};
use crate::choose;
use crate::draft::{Hold, Motion};
use crate::refusal::Findings;
use resile_math::{Aabb, Vec3};
use std::path::Path;

/// Effects of an animation on the shapes.
#[derive(Debug, Default)]
pub(super) struct AnimationEffects {
    /// Displacement (m) of all shapes before the start.
    pub(super) shift: Vec3,
    /// Initial velocity (m/s) of every solid.
    pub(super) velocity: Vec3,
    /// Holds of each shape.
    pub(super) holds: Vec<Vec<Hold>>,
    /// Motion of each fully prescribed shape.
    pub(super) prescribed: Vec<Option<Motion>>,
    /// Motion of each mesh object (`meshCO`).
    pub(super) objects: Vec<Motion>,
    /// For each shape, the forces per mass (m/s^2), each with flags of the nodes on which it acts.
    pub(super) forces: Vec<Vec<(Vec<bool>, Vec3)>>,
}

/// Relative slack of time in the count of steps, which absorbs rounding.
const STEP_SLACK: f64 = 1e-9;

/// Selects points (m).
type PointPredicate<'a> = &'a dyn Fn(Vec3) -> bool;

/// Converts the animation of a script to effects on its shapes.
pub(super) struct Animator<'a> {
    file: &'a Path,
    script: &'a Script,
    shapes: &'a [PlacedShape<'a>],
    /// Positions (m) of the nodes of each shape before the start.
    points: Vec<Vec<Vec3>>,
    /// Bounding box (m) of all shapes.
    bounds: Aabb,
    effects: AnimationEffects,
}

impl<'a> Animator<'a> {
    /// Prepares the animation with the positions of all shapes and no effects.
    pub(super) fn new(file: &'a Path, script: &'a Script, shapes: &'a [PlacedShape<'a>]) -> Self {
        let points: Vec<Vec<Vec3>> = shapes.iter().map(PlacedShape::points).collect();
        let bounds = Aabb::of_points(points.iter().flatten().copied());
        let effects = AnimationEffects {
            holds: vec![Vec::new(); shapes.len()],
            prescribed: vec![None; shapes.len()],
            objects: vec![Motion::Fixed; script.objects.len()],
            forces: vec![Vec::new(); shapes.len()],
            ..AnimationEffects::default()
        };
        Self { file, script, shapes, points, bounds, effects }
    }

    /// Number of time steps of the script.
    fn step_count(&self) -> u64 {
        (self.script.duration / self.script.step - STEP_SLACK).ceil() as u64
    }

    /// Coordinate (m) along `axis` above the lower bound of the model, by a fraction of its extent.
    fn low_coordinate(&self, axis: usize, fraction: f64) -> f64 {
        self.bounds.min[axis] + fraction * self.bounds.size()[axis]
    }

    /// Coordinate (m) along `axis` below the upper bound of the model, by a fraction of its extent.
    fn high_coordinate(&self, axis: usize, fraction: f64) -> f64 {
        self.bounds.max[axis] - fraction * self.bounds.size()[axis]
    }

    /// Lifts all shapes by half of their common diagonal, as the source does before it evaluates positions.
    fn lift(&mut self) {
        let shift = Vec3::new(0.0, 0.5 * self.bounds.size().length(), 0.0);
        self.effects.shift = shift;
        self.points.iter_mut().flatten().for_each(|point| *point += shift);
        self.bounds = Aabb { min: self.bounds.min + shift, max: self.bounds.max + shift };
    }

    /// Adds a hold of the nodes that `selects` selects to each shape that has any. The nodes are released at the time
    /// `until` (s), if there is one.
    fn hold(&mut self, selects: PointPredicate<'_>, motion: &Motion, until: Option<f64>) {
        for (shape_index, points) in self.points.iter().enumerate() {
            let selected: Vec<bool> = points.iter().map(|point| selects(*point)).collect();
            let vertex_indices = &self.shapes[shape_index].mesh.vertex_indices;
            if let Some(region) = choose::region(points, vertex_indices, &selected) {
                self.effects.holds[shape_index]
                    .push(Hold { until, ..Hold::new(region, motion.clone()) });
            }
        }
    }

    /// Adds a force per mass (m/s^2) on the nodes that `selects` selects to each shape that has any.
    fn accelerate(&mut self, selects: PointPredicate<'_>, force_per_mass: Vec3) {
        for (shape_index, points) in self.points.iter().enumerate() {
            let selected: Vec<bool> = points.iter().map(|point| selects(*point)).collect();
            if selected.contains(&true) {
                self.effects.forces[shape_index].push((selected, force_per_mass));
            }
        }
    }

    /// First time (s), rounded up to a step, at which a node with a given speed (m/s) has covered a distance (m).
    fn time_to_cover(&self, speed: f64, distance: f64) -> f64 {
        self.script.step * (distance / (speed * self.script.step) - STEP_SLACK).ceil()
    }

    /// Fixes surfaces, segments and points without a prescribed motion, because they have no mass.
    fn fix_surfaces(&mut self) {
        for (shape, prescribed) in self.shapes.iter().zip(&mut self.effects.prescribed) {
            if !shape.is_solid() && prescribed.is_none() {
                *prescribed = Some(Motion::Fixed);
            }
        }
    }

    /// Holds both ends along x. `motion` returns the motion of an end by its sign: 1 on the left, -1 on the right.
    fn hold_ends(&mut self, motion: &dyn Fn(&Self, f64) -> Motion) {
        let (left, right) = (
            self.low_coordinate(0, self.script.handle_ratio),
            self.high_coordinate(0, self.script.handle_ratio),
        );
        let end_motion = motion(self, 1.0);
        self.hold(&|p| p.x < left, &end_motion, None);
        let end_motion = motion(self, -1.0);
        self.hold(&|p| p.x > right, &end_motion, None);
    }

    /// Converts the animation of the script. Refuses unknown animations, and animations of the ends of a rotated model.
    pub(super) fn apply(mut self, findings: &mut Findings) -> AnimationEffects {
        let ScriptAnimation { line, name, .. } = &self.script.animation;
        let is_known = self.apply_fixed_nodes()
            || self.apply_constant_velocities()
            || self.apply_forces()
            || self.apply_reversals()
            || self.apply_pulls(findings)
            || self.apply_obstacle_motions();
        if !is_known {
            findings.refuse(
                self.file,
                *line,
                format!("script: the animation `{name}` cannot be expressed"),
            );
        }
        if self.script.turn.is_some()
            && ["twist", "stretch", "squash", "bend"].iter().any(|prefix| name.starts_with(prefix))
        {
            findings.refuse(self.file, *line, "script: ends of a model that `rotateModel` turns");
        }
        self.fix_surfaces();
        self.effects
    }

    /// Applies animations that fix nodes, lift the shapes or set an initial velocity. Returns `false` for other
    /// animations.
    fn apply_fixed_nodes(&mut self) -> bool {
        let fixed = Motion::Fixed;
        match self.script.animation.name.as_str() {
            "null" | "DCOFix" | "fallNoShift" => {}
            "fall" => self.lift(),
            "drop" => self.effects.velocity = -Vec3::Y,
            "DCOBallHitWall" => {
                let speed =
                    self.script.animation.parameters.get(1).and_then(|word| word.parse().ok());
                self.effects.velocity = Vec3::X * speed.unwrap_or(1000.0);
            }
            "hang2" => {
                let top = self.high_coordinate(1, 0.01);
                self.hold(&|p| p.y > top, &fixed, None);
            }
            "stand" | "fixLowerHalf" => {
                let holds_lower_half = self.script.animation.name == "fixLowerHalf";
                let bottom = self.low_coordinate(1, if holds_lower_half { 0.5 } else { 0.01 });
                self.hold(&|p| p.y < bottom, &fixed, None);
            }
            "topbottomfix" => {
                let (bottom, top) = (self.low_coordinate(1, 0.02), self.high_coordinate(1, 0.02));
                self.hold(&|p| p.y < bottom, &fixed, None);
                self.hold(&|p| p.y > top, &fixed, None);
            }
            "corner" => {
                let [left, bottom, low_z] = [0, 1, 2].map(|axis| self.low_coordinate(axis, 0.01));
                self.hold(&|p| p.x < left || p.y < bottom || p.z < low_z, &fixed, None);
            }
            "stamp" | "hangLeft" | "stampBoth" => self.fix_ends(),
            _ => return false,
        }
        true
    }

    /// Applies the animations `stamp`, `hangLeft` and `stampBoth`: fixes the left end, and in the last also the right.
    fn fix_ends(&mut self) {
        let ratio = self.script.handle_ratio;
        let (left, right) = (self.low_coordinate(0, ratio), self.high_coordinate(0, ratio));
        self.hold(&|p| p.x < left, &Motion::Fixed, None);
        if self.script.animation.name == "stampBoth" {
            self.hold(&|p| p.x > right, &Motion::Fixed, None);
        }
    }

    /// Applies animations that move nodes at a constant velocity. Returns `false` for other animations.
    fn apply_constant_velocities(&mut self) -> bool {
        let moving = |x: f64, y: f64| Motion::moving([x, y, 0.0]);
        match self.script.animation.name.as_str() {
            "stretch" => self.hold_ends(&|_, sign| moving(-0.1 * sign, 0.0)),
            "squash" => self.hold_ends(&|_, sign| moving(0.03 * sign, 0.0)),
            "twist" => self.hold_ends(&|animator, sign| {
                with_rotation(Motion::Fixed, 0, -72.0 * sign, animator.bounds.center())
            }),
            "twistnstretch" => self.hold_ends(&|animator, sign| {
                with_rotation(moving(-0.1 * sign, 0.0), 0, -18.0 * sign, animator.bounds.center())
            }),
            "dragdown" => {
                self.lift();
                let (bottom, left, right) = (
                    self.low_coordinate(1, 0.1),
                    self.low_coordinate(0, 0.42),
                    self.low_coordinate(0, 0.52),
                );
                let motion = moving(0.0, -1.5);
                self.hold(&|p| p.y < bottom && p.x > left && p.x < right, &motion, None);
            }
            _ => return false,
        }
        true
    }

    /// Applies animations that fix nodes at the bottom and load those at the top. Returns `false` for other animations.
    fn apply_forces(&mut self) -> bool {
        let (bottom, top, force_per_mass) = match self.script.animation.name.as_str() {
            name @ ("NMFixBottomDragLeft" | "NMFixBottomDragForward") => {
                let is_left = name == "NMFixBottomDragLeft";
                let force_per_mass = if is_left { Vec3::X * -600.0 } else { Vec3::Z * 600.0 };
                (self.low_coordinate(1, 0.05), self.high_coordinate(1, 0.05), force_per_mass)
            }
            "utopiaComparison" => {
                let margin = 1e-4 * self.bounds.size().x;
                (self.bounds.min.y + margin, self.bounds.max.y - margin, Vec3::Y * -1.5)
            }
            _ => return false,
        };
        self.hold(&|p| p.y < bottom, &Motion::Fixed, None);
        self.accelerate(&|p| p.y > top, force_per_mass);
        true
    }

    /// Applies animations that reverse the motion of nodes. Returns `false` for other animations.
    fn apply_reversals(&mut self) -> bool {
        let (step, step_count) = (self.script.step, self.step_count());
        match self.script.animation.name.as_str() {
            "upndown" | "undstamp" => {
                let holds_left_only = self.script.animation.name == "undstamp";
                let ratio = self.script.handle_ratio;
                let (left, right) = (self.low_coordinate(0, ratio), self.high_coordinate(0, ratio));
                let up = reciprocating_motion(step, step_count, 1, 1.8, [-0.6, 0.6]);
                let down = reciprocating_motion(step, step_count, 1, -1.8, [-0.6, 0.6]);
                self.hold(&|p| p.x < left, &up, None);
                if !holds_left_only {
                    self.hold(&|p| p.x > right, &down, None);
                }
            }
            "stretchnsquash" => self.hold_ends(&|_, sign| {
                let interval = if sign > 0.0 { [-0.8, 0.4] } else { [-0.4, 0.8] };
                reciprocating_motion(step, step_count, 0, -0.9 * sign, interval)
            }),
            name @ ("twistnsns" | "twistnsns_old") => {
                let (speed, amplitude) = if name == "twistnsns" { (1.2, 1.2) } else { (0.9, 0.8) };
                self.hold_ends(&|animator, sign| {
                    let interval = if sign > 0.0 { [-amplitude, 0.4] } else { [-0.4, amplitude] };
                    let motion = reciprocating_motion(step, step_count, 0, -speed * sign, interval);
                    with_rotation(motion, 0, -72.0 * sign, animator.bounds.center())
                });
            }
            _ => return false,
        }
        true
    }
}
