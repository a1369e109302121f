//! Animations that prescribe the motions of whole shapes and of mesh objects (`DCO`, `MCO`).

use super::Animator;
use crate::draft::Motion;
use crate::ipc::motion::motion_by_steps;
use crate::ipc::place::PlacedShape;
use resile_math::elementary::rotation;
use resile_math::{Aabb, Vec3};
use std::f64::consts::{FRAC_PI_2, PI};

impl Animator<'_> {
    /// Applies animations that prescribe the motions of whole shapes and mesh objects. Returns `false` for other
    /// animations, and if the script lacks the shapes or mesh objects.
    pub(super) fn apply_obstacle_motions(&mut self) -> bool {
        match self.script.animation.name.as_str() {
            "DCOSquash" => self.squash(1),
            "DCOSquash6" => self.squash(3),
            "DCORotCylinders" => self.rotate_shapes(&cylinder_angular_velocities()),
            "DCOVerschoorRoller" => self.rotate_shapes(&[
                Vec3::Z * -4.0,
                Vec3::Z * -2.0,
                Vec3::Z * 2.0,
                Vec3::Z * 4.0,
                Vec3::X * 2.0,
                Vec3::X * -2.0,
            ]),
            "DCOCut" => self.cut(),
            "DCOHammerWalnut" => self.hammer(),
            "DCOSqueezeOut" => return self.squeeze_out(),
            "DCOSegBedSquash" => self.squash_beds(),
            "MCOSquash" if self.script.objects.len() >= 2 => {
                let [left, right] = [0, 1].map(|object| self.script.objects[object].origin[0]);
                for (object_index, sign) in [(0, 1.0), (1, -1.0)] {
                    self.effects.objects[object_index] = self.approach(right - left, 1.5, 0, sign);
                }
            }
            "MCORotSquash" => {
                let lever = |object_index: usize| if object_index == 0 { 0.5 } else { -0.5 };
                self.rotate_objects(&[Vec3::Z * PI; 2], &lever);
            }
            "MCORotCylinders" => self.rotate_objects(&cylinder_angular_velocities(), &|_| 0.0),
            _ => return false,
        }
        true
    }

    /// Applies the animation `DCOCut`: moves the second shape down and back until it is near the ground.
    fn cut(&mut self) {
        let bottom = self.shapes.get(1).map_or(0.0, |shape| shape.bounds().min.y);
        self.move_while(1, Vec3::new(0.0, -1.0, -1.0), &|displacement| {
            bottom + displacement.y > 0.001
        });
    }

    /// Applies the animation `DCOSqueezeOut`: moves the first shape down into the second. Returns `false` if there are
    /// fewer than two shapes.
    fn squeeze_out(&mut self) -> bool {
        let first_bounds: Vec<Aabb> = self.shapes.iter().take(2).map(PlacedShape::bounds).collect();
        let [top, bottom] = first_bounds[..] else { return false };
        let height = bottom.min.y + bottom.size().y / 3.8 * 0.9;
        self.move_while(0, Vec3::Y * -0.3, &|displacement| top.max.y + displacement.y > height);
        true
    }

    /// Rotates the first shapes about the centres of their bounds, with these angular velocities (rad/s).
    fn rotate_shapes(&mut self, angular_velocities: &[Vec3]) {
        for (shape_index, angular_velocity) in
            angular_velocities.iter().enumerate().take(self.shapes.len())
        {
            let pivot = self.shapes[shape_index].bounds().center();
            self.effects.prescribed[shape_index] = Some(rotation_about(pivot, *angular_velocity));
        }
    }

    /// Rotates the first mesh objects with these angular velocities (rad/s). The pivot of an object is above its centre
    /// by `lever` of its index, relative to its size.
    fn rotate_objects(&mut self, angular_velocities: &[Vec3], lever: &dyn Fn(usize) -> f64) {
        let objects = self.script.objects.iter();
        for (object_index, (object, angular_velocity)) in
            objects.zip(angular_velocities).enumerate()
        {
            let mut pivot = object.origin;
            pivot[1] += lever(object_index) * object.size;
            self.effects.objects[object_index] =
                rotation_about(Vec3::from_array(pivot), *angular_velocity);
        }
    }

    /// Moves `pair_count` pairs of shapes towards each other, at most three, one along each axis. Their velocity is
    /// reversed in each step in which the gap of the first pair, reduced by their own displacements, is too small.
    fn squash(&mut self, pair_count: usize) {
        let [left, right] = [0, 1].map(|shape| self.shapes.get(shape).map(PlacedShape::bounds));
        let (Some(left), Some(right)) = (left, right) else { return };
        let gap = right.min.x - left.max.x;
        for axis in 0..pair_count {
            for (index_in_pair, sign) in [(0, 1.0), (1, -1.0)] {
                let motion = self.approach(gap, 0.1, axis, sign);
                if let Some(prescribed) = self.effects.prescribed.get_mut(2 * axis + index_in_pair)
                {
                    *prescribed = Some(motion);
                }
            }
        }
    }

    /// Motion along an axis of one of two objects that approach each other at 1 m/s each, from a distance `gap` (m).
    /// The velocity is reversed in each step in which the gap is less than `min_gap` (m). `sign` is that of the
    /// velocity.
    fn approach(&self, gap: f64, min_gap: f64, axis: usize, sign: f64) -> Motion {
        let mut speed = 1.0;
        motion_by_steps(self.script.step, self.step_count(), |displacement| {
            // Both objects move by the same amount, so one displacement determines the gap.
            if gap - 2.0 * sign * displacement[axis] < min_gap {
                speed = -speed;
            }
            let mut velocity = Vec3::ZERO;
            velocity[axis] = sign * speed;
            velocity
        })
    }

    /// Moves a shape, if there is one with this index, at a constant velocity (m/s) while `is_moving` returns true for
    /// its displacement (m).
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

    /// Applies the animation `DCOSegBedSquash`: surfaces, segments and points in the second half of the shapes move down
    /// while their lowest point is more than 0.1 m above the highest point of those in the first half.
    fn squash_beds(&mut self) {
        let half = self.shapes.len().div_ceil(2);
        let (mut top_min, mut bottom_max) = (f64::INFINITY, f64::NEG_INFINITY);
        for (shape_index, shape) in
            self.shapes.iter().enumerate().filter(|(_, shape)| !shape.is_solid())
        {
            match shape_index >= half {
                true => top_min = top_min.min(shape.bounds().min.y),
                false => bottom_max = bottom_max.max(shape.bounds().max.y),
            }
        }
        let motion = motion_by_steps(self.script.step, self.step_count(), |displacement| {
            match top_min + displacement.y - bottom_max > 0.1 {
                true => -Vec3::Y,
                false => Vec3::ZERO,
            }
        });
        for (shape, prescribed) in self.shapes.iter().zip(&mut self.effects.prescribed).skip(half) {
            if !shape.is_solid() {
                *prescribed = Some(motion.clone());
            }
        }
    }

    /// Applies the animation `DCOHammerWalnut`: rotates the second shape about a lower edge until it is near the
    /// ground.
    fn hammer(&mut self) {
        let Some(shape) = self.shapes.get(1) else { return };
        let (bounds, points) = (shape.bounds(), shape.points());
        let pivot = Vec3::new(bounds.max.x, bounds.min.y, bounds.center().z);
        let angular_speed = PI / 6.0;
        let lowest_height = |time: f64| {
            let rotation = rotation(Vec3::Z, angular_speed * time);
            points.iter().map(|p| (rotation * (*p - pivot) + pivot).y).fold(f64::INFINITY, f64::min)
        };
        let step = self.script.step;
        let stop_step =
            (0..self.step_count()).find(|index| lowest_height(*index as f64 * step) <= 0.05);
        self.effects.prescribed[1] = Some(Motion::Move {
            velocity: [0.0; 3],
            angular_velocity: [0.0, 0.0, angular_speed],
            pivot: pivot.to_array(),
            end: stop_step.map(|index| index as f64 * step),
        });
    }
}

/// Angular velocities (rad/s) of the four cylinders of `DCORotCylinders` and `MCORotCylinders`.
fn cylinder_angular_velocities() -> [Vec3; 4] {
    [Vec3::X * FRAC_PI_2, Vec3::X * -FRAC_PI_2, Vec3::Z * -FRAC_PI_2, Vec3::Z * FRAC_PI_2]
}

/// A rotation about `pivot` (m) with an angular velocity (rad/s), for the whole simulation.
fn rotation_about(pivot: Vec3, angular_velocity: Vec3) -> Motion {
    Motion::Move {
        velocity: [0.0; 3],
        angular_velocity: angular_velocity.to_array(),
        pivot: pivot.to_array(),
        end: None,
    }
}
