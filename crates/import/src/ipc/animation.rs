//! Animations of the keyword `script`.
//!
//! Source of the rules: `AnimScripter` of IPC. Rules that depend on positions in the previous step are
//! evaluated here step by step. Rules that depend on deformations cannot be evaluated.

use super::motion::{motion_by_steps, reciprocating_motion, with_rotation};
use super::place::PlacedShape;
use super::script::{Script, ScriptAnimation};
use crate::choose;
use crate::draft::{Hold, Motion};
use crate::refusal::Findings;
use resile_math::elementary::rotation;
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
    /// Motion of each `meshCO`.
    pub(super) objects: Vec<Motion>,
    /// For each shape, the forces per mass (m/s^2), each with a flag for every node that tells whether it acts there.
    pub(super) forces: Vec<Vec<(Vec<bool>, Vec3)>>,
}

/// Selects points (m).
type PointPredicate<'a> = &'a dyn Fn(Vec3) -> bool;

/// The animation of a script, acting on its shapes.
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
        (self.script.duration / self.script.step - 1e-9).ceil() as u64
    }

    /// Coordinate (m) that lies above the lower bound of the model by a fraction of its extent along `axis`.
    fn low_coordinate(&self, axis: usize, fraction: f64) -> f64 {
        self.bounds.min[axis] + fraction * self.bounds.size()[axis]
    }

    /// Coordinate (m) that lies below the upper bound of the model by a fraction of its extent along `axis`.
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

    /// Adds a hold of the chosen nodes to each shape that has any; they are released at the time `until` (s).
    fn hold(&mut self, chosen: PointPredicate<'_>, motion: &Motion, until: Option<f64>) {
        for (shape_index, points) in self.points.iter().enumerate() {
            let selected: Vec<bool> = points.iter().map(|point| chosen(*point)).collect();
            let vertex_indices = &self.shapes[shape_index].mesh.vertex_indices;
            if let Some(region) = choose::region(points, vertex_indices, &selected) {
                self.effects.holds[shape_index]
                    .push(Hold { until, ..Hold::new(region, motion.clone()) });
            }
        }
    }

    /// Adds a force per mass (m/s^2) on the chosen nodes to each shape that has any.
    fn accelerate(&mut self, chosen: PointPredicate<'_>, force_per_mass: Vec3) {
        for (shape_index, points) in self.points.iter().enumerate() {
            let selected: Vec<bool> = points.iter().map(|point| chosen(*point)).collect();
            if selected.contains(&true) {
                self.effects.forces[shape_index].push((selected, force_per_mass));
            }
        }
    }

    /// First time (s), rounded up to a step, at which a node with a given speed (m/s) has covered a distance (m).
    fn time_to_cover(&self, speed: f64, distance: f64) -> f64 {
        self.script.step * (distance / (speed * self.script.step) - 1e-9).ceil()
    }

    /// Fixes surfaces, segments and points, which have no mass.
    fn fix_surfaces(&mut self) {
        for (shape, prescribed) in self.shapes.iter().zip(&mut self.effects.prescribed) {
            if !shape.is_solid() && prescribed.is_none() {
                *prescribed = Some(Motion::Fixed);
            }
        }
    }

    /// Holds both ends along x. `motion` has the sign of the end: 1 on the left, -1 on the right.
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

    /// Prescribes rotations of the first shapes about the centres of their bounds, with angular velocities `rates`
    /// (rad/s).
    fn rotate_shapes(&mut self, rates: &[Vec3]) {
        for (shape_index, rate) in rates.iter().enumerate().take(self.shapes.len()) {
            let pivot = self.shapes[shape_index].bounds().center().to_array();
            let (velocity, angular_velocity) = ([0.0; 3], rate.to_array());
            let motion = Motion::Move { velocity, angular_velocity, pivot, end: None };
            self.effects.prescribed[shape_index] = Some(motion);
        }
    }

    /// Moves `pair_count` pairs of shapes towards each other, at most three, one along each axis. They reverse while
    /// the gap of the first pair is small.
    fn squash(&mut self, pair_count: usize) {
        let [left, right] = [0, 1].map(|shape| self.shapes.get(shape).map(PlacedShape::bounds));
        let (Some(left), Some(right)) = (left, right) else { return };
        let gap = right.min.x - left.max.x;
        for pair in 0..pair_count {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let mut speed = 1.0;
                let motion = motion_by_steps(self.script.step, self.step_count(), |displacement| {
                    // Both shapes move by the same amount, so one displacement determines the gap.
                    if gap - 2.0 * sign * displacement[pair] < 0.1 {
                        speed = -speed;
                    }
                    let mut velocity = Vec3::ZERO;
                    velocity[pair] = sign * speed;
                    velocity
                });
                if let Some(prescribed) = self.effects.prescribed.get_mut(2 * pair + side) {
                    *prescribed = Some(motion);
                }
            }
        }
    }

    /// Moves the shape with an index at a constant velocity (m/s) while `is_moving` returns true for its displacement
    /// (m).
    fn move_while(&mut self, shape_index: usize, velocity: Vec3, is_moving: &dyn Fn(Vec3) -> bool) {
        let motion = motion_by_steps(self.script.step, self.step_count(), |displacement| {
            match is_moving(displacement) {
                true => velocity,
                false => Vec3::ZERO,
            }
        });
        if let Some(prescribed) = self.effects.prescribed.get_mut(shape_index) {
            *prescribed = Some(motion);
        }
    }

    /// Converts the animation of the script. Refuses unknown animations.
    pub(super) fn apply(mut self, findings: &mut Findings) -> AnimationEffects {
        let ScriptAnimation { line, name, .. } = &self.script.animation;
        let matched =
            self.apply_holds() || self.apply_pulls(findings) || self.apply_obstacle_motions();
        if !matched {
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

    /// Applies animations that hold nodes, at rest or with a constant velocity. Returns `false` for other animations.
    fn apply_holds(&mut self) -> bool {
        let fixed = Motion::Fixed;
        let moving = |x: f64, y: f64| Motion::moving([x, y, 0.0]);
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
            "stamp" | "stampBoth" => {
                let holds_both_ends = self.script.animation.name == "stampBoth";
                let ratio = self.script.handle_ratio;
                let (left, right) = (self.low_coordinate(0, ratio), self.high_coordinate(0, ratio));
                self.hold(&|p| p.x < left, &fixed, None);
                if holds_both_ends {
                    self.hold(&|p| p.x > right, &fixed, None);
                }
            }
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
            "NMFixBottomDragLeft" | "NMFixBottomDragForward" => {
                let (bottom, top) = (self.low_coordinate(1, 0.05), self.high_coordinate(1, 0.05));
                let left = self.script.animation.name == "NMFixBottomDragLeft";
                let force = if left { Vec3::X * -600.0 } else { Vec3::Z * 600.0 };
                self.hold(&|p| p.y < bottom, &fixed, None);
                self.accelerate(&|p| p.y > top, force);
            }
            "utopiaComparison" => {
                let margin = 1e-4 * self.bounds.size().x;
                let (bottom, top) = (self.bounds.min.y + margin, self.bounds.max.y - margin);
                self.hold(&|p| p.y < bottom, &fixed, None);
                self.accelerate(&|p| p.y > top, Vec3::Y * -1.5);
            }
            _ => return false,
        }
        true
    }

    /// Applies animations that reverse, stop or release nodes. Returns `false` for other animations.
    fn apply_pulls(&mut self, findings: &mut Findings) -> bool {
        let fixed = Motion::Fixed;
        let (step, step_count) = (self.script.step, self.step_count());
        let stopped = |velocity: [f64; 3], end: f64| Motion::Move {
            velocity,
            angular_velocity: [0.0; 3],
            pivot: [0.0; 3],
            end: Some(end),
        };
        match self.script.animation.name.as_str() {
            "dragright" => {
                self.lift();
                let right = self.high_coordinate(0, 0.04);
                self.hold(&|p| p.x > right, &Motion::moving([0.5, 0.0, 0.0]), None);
                findings.note(
                    "the script `dragright` lets the nodes go once all of the body is past the \
                     obstacle; here they are held to the end, because no hold ends by position",
                );
            }
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
            "push" => {
                let (bottom, top) = (self.low_coordinate(1, 0.01), self.high_coordinate(1, 0.01));
                let end = self.time_to_cover(1.0, 0.5);
                self.hold(&|p| p.y < bottom, &fixed, None);
                self.hold(&|p| p.y > top, &stopped([0.0, -1.0, 0.0], end), None);
            }
            "rubberBandPull" => {
                let (bottom, top) = (self.low_coordinate(1, 0.02), self.high_coordinate(1, 0.02));
                let (low, high) = (self.low_coordinate(1, 0.48), self.high_coordinate(1, 0.48));
                let end = self.time_to_cover(2.5, 5.0);
                self.hold(&|p| p.y < bottom, &stopped([0.0, -0.2, 0.0], end), None);
                self.hold(&|p| p.y > top, &stopped([0.0, 0.2, 0.0], end), None);
                let middle = Motion::moving([-2.5, 0.0, 0.0]);
                self.hold(&|p| p.y > low && p.y < high, &middle, Some(end));
            }
            "fourLegPull" => self.four_legs(),
            "headTailPull" => {
                let (left, right) = (self.low_coordinate(2, 0.02), self.high_coordinate(2, 0.02));
                let (low, high) = (self.low_coordinate(2, 0.46), self.low_coordinate(2, 0.54));
                let (end, ends) = (self.time_to_cover(3.5, 4.5), Motion::moving([3.5, 0.0, 0.0]));
                self.hold(&|p| p.z < left, &ends, Some(end));
                self.hold(&|p| p.z > right, &ends, Some(end));
                self.hold(&|p| p.z > low && p.z < high, &fixed, None);
            }
            "toggleTop" => {
                let (top, end) = (self.high_coordinate(1, 0.02), self.time_to_cover(0.5, 0.1));
                self.hold(&|p| p.y > top, &Motion::moving([-0.5, 0.0, 0.0]), Some(end));
            }
            "curtain" => self.curtain(),
            _ => return false,
        }
        true
    }

    /// The animation `fourLegPull`: holds one leg and pulls the other three.
    fn four_legs(&mut self) {
        let end = self.time_to_cover(3.5, 5.0);
        let (top, top_left) = (self.high_coordinate(1, 0.16), self.high_coordinate(1, 0.129));
        let (left, right) = (self.low_coordinate(0, 0.16), self.high_coordinate(0, 0.16));
        let (bottom, low_left, low_right) = (
            self.low_coordinate(1, 0.02),
            self.low_coordinate(0, 0.25),
            self.high_coordinate(0, 0.25),
        );
        let (right_velocity, down_velocity) = ([2.5, 0.0, 0.0], [0.0, -3.5, 0.0]);
        let stopped = Motion::Move {
            velocity: down_velocity,
            angular_velocity: [0.0; 3],
            pivot: [0.0; 3],
            end: Some(end),
        };
        self.hold(&|p| p.y > top_left && p.x < left, &Motion::Fixed, None);
        self.hold(&|p| p.y > top && p.x > right, &Motion::moving(right_velocity), Some(end));
        let diagonal = Motion::moving([2.5, -3.5, 0.0]);
        self.hold(&|p| p.y < bottom && p.x > low_right, &diagonal, Some(end));
        self.hold(&|p| p.y < bottom && p.x < low_left, &stopped, None);
    }

    /// The animation `curtain`: eight pins along the top edge, which move with speeds that decrease along x.
    fn curtain(&mut self) {
        let (top, width) = (self.high_coordinate(1, 0.005), self.bounds.size().x);
        for pin in 0..8 {
            let x = self.low_coordinate(0, f64::from(pin) / 7.0);
            let speed = 0.04 * f64::from(7 - pin) / 7.0;
            let is_at_pin = move |p: Vec3| (p.x - x).abs() < 0.0025 * width && p.y > top;
            self.hold(&is_at_pin, &Motion::moving([speed, 0.0, 0.0]), None);
        }
    }

    /// Applies animations of whole shapes and obstacles. Returns `false` for other animations.
    fn apply_obstacle_motions(&mut self) -> bool {
        let quarter_turn = std::f64::consts::FRAC_PI_2;
        match self.script.animation.name.as_str() {
            "DCOSquash" => self.squash(1),
            "DCOSquash6" => self.squash(3),
            "DCORotCylinders" => self.rotate_shapes(&[
                Vec3::X * quarter_turn,
                Vec3::X * -quarter_turn,
                Vec3::Z * -quarter_turn,
                Vec3::Z * quarter_turn,
            ]),
            "DCOVerschoorRoller" => self.rotate_shapes(&[
                Vec3::Z * -4.0,
                Vec3::Z * -2.0,
                Vec3::Z * 2.0,
                Vec3::Z * 4.0,
                Vec3::X * 2.0,
                Vec3::X * -2.0,
            ]),
            "DCOCut" => {
                let bottom = self.shapes.get(1).map_or(0.0, |shape| shape.bounds().min.y);
                self.move_while(1, Vec3::new(0.0, -1.0, -1.0), &|displacement| {
                    bottom + displacement.y > 0.001
                });
            }
            "DCOHammerWalnut" => self.hammer(),
            "DCOSqueezeOut" => {
                let bounds: Vec<Aabb> =
                    self.shapes.iter().take(2).map(PlacedShape::bounds).collect();
                let [top, bottom] = bounds[..] else { return false };
                let height = bottom.min.y + bottom.size().y / 3.8 * 0.9;
                self.move_while(0, Vec3::Y * -0.3, &|displacement| {
                    top.max.y + displacement.y > height
                });
            }
            "MCOSquash" if self.script.objects.len() >= 2 => {
                let [left, right] = [0, 1].map(|object| self.script.objects[object].origin[0]);
                let gap = right - left;
                for (object_index, sign) in [(0, 1.0), (1, -1.0)] {
                    let mut speed = 1.0;
                    self.effects.objects[object_index] =
                        motion_by_steps(self.script.step, self.step_count(), |displacement| {
                            if gap - 2.0 * sign * displacement.x < 1.5 {
                                speed = -speed;
                            }
                            Vec3::X * (sign * speed)
                        });
                }
            }
            name @ ("MCORotSquash" | "MCORotCylinders") => {
                let rates = match name {
                    "MCORotSquash" => vec![Vec3::Z * (2.0 * quarter_turn); 2],
                    _ => vec![
                        Vec3::X * quarter_turn,
                        Vec3::X * -quarter_turn,
                        Vec3::Z * -quarter_turn,
                        Vec3::Z * quarter_turn,
                    ],
                };
                for (object_index, rate) in rates.iter().enumerate().take(self.script.objects.len())
                {
                    let object = &self.script.objects[object_index];
                    let mut pivot = object.origin;
                    if name == "MCORotSquash" {
                        pivot[1] += if object_index == 0 { 0.5 } else { -0.5 } * object.size;
                    }
                    let (velocity, angular_velocity) = ([0.0; 3], rate.to_array());
                    self.effects.objects[object_index] =
                        Motion::Move { velocity, angular_velocity, pivot, end: None };
                }
            }
            _ => return false,
        }
        true
    }

    /// The animation `DCOHammerWalnut`: rotates the second shape about a lower edge until it is near the ground.
    fn hammer(&mut self) {
        let Some(shape) = self.shapes.get(1) else { return };
        let (bounds, points) = (shape.bounds(), shape.points());
        let pivot = Vec3::new(bounds.max.x, bounds.min.y, bounds.center().z);
        let angular_speed = std::f64::consts::PI / 6.0;
        let lowest_height = |time: f64| {
            let rotation = rotation(Vec3::Z, angular_speed * time);
            points.iter().map(|p| (rotation * (*p - pivot) + pivot).y).fold(f64::INFINITY, f64::min)
        };
        let step = self.script.step;
        let stop_step = (0..self.step_count()).find(|n| lowest_height(*n as f64 * step) <= 0.05);
        self.effects.prescribed[1] = Some(Motion::Move {
            velocity: [0.0; 3],
            angular_velocity: [0.0, 0.0, angular_speed],
            pivot: pivot.to_array(),
            end: stop_step.map(|n| n as f64 * step),
        });
    }
}
