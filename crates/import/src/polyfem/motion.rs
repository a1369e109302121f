//! Conversion of displacement expressions of x, y, z and t to motions of a scene.

use super::signal::{self, Signal};
use crate::draft::{Key, Motion};
use crate::pose::Turn;
use crate::ron::{format_number, rounded as round};
use resile_math::{Mat3, Quat, Vec3, elementary};

/// Tolerance of a motion compared with its expression, relative to the size of the moving part.
const MOTION_TOLERANCE: f64 = 1e-9;
/// Tolerance of a uniform motion over the whole simulation, relative to the size of the moving part. It is larger
/// because the rounding of the velocity of the first step grows with time.
const UNIFORM_TOLERANCE: f64 = 1e3 * MOTION_TOLERANCE;
/// Smallest size of a moving part (m), for tolerances.
const MIN_SIZE: f64 = 1e-3;
/// Smallest rotation within a step (rad).
const MIN_STEP_ROTATION: f64 = 1e-12;

/// Displacement components (m) as functions of rest position and time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Displacement(pub(super) [Signal; 3]);

/// Time steps of a simulation. The source evaluates functions of time at their ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Steps {
    /// Length of a step (s).
    pub(super) length: f64,
    pub(super) count: u64,
}

/// The rigid motion `x -> rotation x + translation` of points (m).
#[derive(Debug, Clone, Copy)]
struct RigidMap {
    rotation: Mat3,
    translation: Vec3,
}

impl Displacement {
    /// Displacement (m) at a rest position (m) and a time (s).
    fn at(&self, position: Vec3, time: f64) -> Vec3 {
        Vec3::from_array([0, 1, 2].map(|k| self.0[k].at(position.to_array(), time)))
    }

    /// Rigid motion of these points (m) at a time (s); `None` if their displacement is not rigid. The displacement must
    /// be rigid also between the origin and the unit vectors, from which the motion is computed.
    fn rigid_map(&self, points: &[Vec3], time: f64) -> Option<RigidMap> {
        let current_position = |position: Vec3| position + self.at(position, time);
        let origin = current_position(Vec3::ZERO);
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| current_position(axis) - origin);
        let rotation = Mat3::from_cols(axes[0], axes[1], axes[2]);
        let max_radius = points.iter().map(|p| p.length()).fold(1.0, f64::max);
        let is_orthogonal = (rotation.transpose() * rotation - Mat3::IDENTITY)
            .abs_diff_eq(Mat3::ZERO, MOTION_TOLERANCE);
        let is_mapped = |p: &Vec3| {
            (rotation * *p + origin - current_position(*p)).length()
                <= MOTION_TOLERANCE * max_radius
        };
        let is_rigid =
            is_orthogonal && rotation.determinant() > 0.0 && points.iter().all(is_mapped);
        is_rigid.then_some(RigidMap { rotation, translation: origin })
    }

    /// Translation of points (m) with a common displacement, exact at the ends of steps; `None` if their
    /// displacements differ.
    pub(super) fn common_translation(&self, points: &[Vec3], steps: Steps) -> Option<Motion> {
        let max_radius = points.iter().map(|p| p.length()).fold(MIN_SIZE, f64::max);
        let mut poses = Vec::new();
        for step_index in 1..=steps.count {
            let time = step_index as f64 * steps.length;
            let translation = self.at(*points.first()?, time);
            let is_translated = |p: &Vec3| {
                (self.at(*p, time) - translation).length() <= MOTION_TOLERANCE * max_radius
            };
            if !points.iter().all(is_translated) {
                return None;
            }
            poses.push(RigidMap { rotation: Mat3::IDENTITY, translation });
        }
        Some(motion_through_poses(&poses, steps, max_radius))
    }

    /// The motion of these points (m) as expressions; `None` if a component cannot be expressed. A motion that does not
    /// begin at zero grows to its values during the first step.
    pub(super) fn as_expressions(&self, points: &[Vec3], steps: Steps) -> Option<Motion> {
        let begins_at_zero = points.iter().all(|point| self.at(*point, 0.0) == Vec3::ZERO);
        let ramp = (!begins_at_zero).then(|| format!("min(t/{}, 1)", format_number(steps.length)));
        signal::formulas(&self.0, 1.0, ramp.as_deref()).map(Motion::Displacement)
    }

    /// Rigid motion of these points (m), exact at the ends of steps; `None` if it is not rigid.
    pub(super) fn motion(&self, points: &[Vec3], steps: Steps) -> Option<Motion> {
        let end_times = (1..=steps.count).map(|step_index| step_index as f64 * steps.length);
        let poses: Vec<RigidMap> =
            end_times.map(|time| self.rigid_map(points, time)).collect::<Option<_>>()?;
        let max_radius = points.iter().map(|p| p.length()).fold(MIN_SIZE, f64::max);
        Some(motion_through_poses(&poses, steps, max_radius))
    }
}

/// Motion of a part of a given size (m) through these poses at the ends of steps: a uniform motion if it agrees, or
/// else keyframes.
fn motion_through_poses(poses: &[RigidMap], steps: Steps, size: f64) -> Motion {
    if let Some(motion) = uniform_motion(poses, steps, size) {
        return motion;
    }
    let time = |step_index: u64| step_index as f64 * steps.length;
    let is_rotating =
        poses.iter().any(|pose| !pose.rotation.abs_diff_eq(Mat3::IDENTITY, MOTION_TOLERANCE));
    let mut keys = vec![Key { time: 0.0, translate: [0.0; 3], turn: None }];
    keys.extend((1..).zip(poses).map(|(step_index, pose)| Key {
        time: round(time(step_index), 1e-12 * time(step_index)),
        translate: pose.translation.to_array().map(|x| round(x, 1e-14 * size)),
        turn: is_rotating.then(|| turn(pose.rotation)).flatten(),
    }));
    if !is_rotating {
        keys = drop_collinear_keys(keys, MOTION_TOLERANCE * size);
    }
    Motion::Keys { keys, pivot: is_rotating.then_some([0.0; 3]) }
}

/// Motion of a part of a given size (m) through poses at the ends of steps, if it is at rest or has a constant velocity
/// and a constant rotation about a fixed axis; `None` for other motions.
fn uniform_motion(poses: &[RigidMap], steps: Steps, size: f64) -> Option<Motion> {
    let first = *poses.first()?;
    let angular_velocity =
        elementary::rotation_vector(Quat::from_mat3(&first.rotation)) / steps.length;
    let angular_speed = angular_velocity.length();
    let agrees = |motion: UniformMotion| {
        (1..).zip(poses).all(|(step_index, pose)| {
            motion.agrees_with(pose, f64::from(step_index) * steps.length, size)
        })
    };
    let remove_rounding = |v: Vec3, scale: f64| v.to_array().map(|x| round(x, 1e-12 * scale));
    if angular_speed * steps.length < MIN_STEP_ROTATION {
        let velocity = first.translation / steps.length;
        let rounded_velocity = remove_rounding(velocity, velocity.length());
        return agrees(UniformMotion { velocity, angular_velocity, pivot: Vec3::ZERO })
            .then(|| Motion::moving(rounded_velocity));
    }
    // The displacement of the first step perpendicular to the axis determines the fixed point, and the one
    // along it the velocity.
    let axis = angular_velocity / angular_speed;
    let along = axis * first.translation.dot(axis);
    let across = first.translation - along;
    let half_angle = 0.5 * angular_speed * steps.length;
    let cotangent = elementary::cos(half_angle) / elementary::sin(half_angle);
    let pivot = 0.5 * (across + axis.cross(across) * cotangent);
    let velocity = along / steps.length;
    agrees(UniformMotion { velocity, angular_velocity, pivot }).then(|| Motion::Move {
        velocity: remove_rounding(velocity, size / steps.length),
        angular_velocity: remove_rounding(angular_velocity, angular_speed),
        pivot: remove_rounding(pivot, size),
        end: None,
    })
}

/// A rotation (rad/s) about an axis through `pivot` (m), with a translation (m/s).
#[derive(Debug, Clone, Copy)]
struct UniformMotion {
    velocity: Vec3,
    angular_velocity: Vec3,
    pivot: Vec3,
}

impl UniformMotion {
    /// Whether a part of a given size (m) has this pose at a time (s).
    fn agrees_with(self, pose: &RigidMap, time: f64, size: f64) -> bool {
        let angular_speed = self.angular_velocity.length();
        let rotation = match angular_speed > 0.0 {
            true => {
                elementary::rotation(self.angular_velocity / angular_speed, angular_speed * time)
            }
            false => Mat3::IDENTITY,
        };
        let translation = self.pivot - rotation * self.pivot + self.velocity * time;
        (pose.rotation - rotation).abs_diff_eq(Mat3::ZERO, UNIFORM_TOLERANCE)
            && (translation - pose.translation).length() <= UNIFORM_TOLERANCE * size
    }
}

/// Axis and angle of a rotation matrix; `None` for the identity.
fn turn(rotation: Mat3) -> Option<Turn> {
    let vector = elementary::rotation_vector(Quat::from_mat3(&rotation));
    let angle = vector.length();
    let axis = (vector / angle).to_array().map(|x| round(x, 1e-14));
    (angle > 1e-14).then(|| Turn { axis, degrees: round(angle.to_degrees(), 1e-12) })
}

/// Removes keyframes whose translations are within a tolerance (m) of the linear interpolation of their neighbours.
/// Their rotations are ignored.
fn drop_collinear_keys(keys: Vec<Key>, tolerance: f64) -> Vec<Key> {
    let mut reduced: Vec<Key> = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        let neighbours = reduced.last().zip(keys.get(index + 1));
        if !neighbours.is_some_and(|(previous, next)| is_collinear(key, previous, next, tolerance))
        {
            reduced.push(*key);
        }
    }
    reduced
}

/// Whether the translation of a keyframe is within a tolerance (m) of the linear interpolation of two others.
fn is_collinear(key: &Key, previous: &Key, next: &Key, tolerance: f64) -> bool {
    let fraction = (key.time - previous.time) / (next.time - previous.time);
    (0..3).all(|axis| {
        let interpolated =
            previous.translate[axis] + fraction * (next.translate[axis] - previous.translate[axis]);
        (interpolated - key.translate[axis]).abs() <= tolerance
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ron::Ron;
    use resile_expression::{Expression, Grammar};

    const STEPS: Steps = Steps { length: 0.04, count: 50 };

    fn displacement(texts: [&str; 3]) -> Displacement {
        Displacement(texts.map(|text| {
            Signal::from_expression(Expression::parse(text, Grammar::TinyExpr).unwrap())
        }))
    }

    fn motion(texts: [&str; 3]) -> Option<Motion> {
        let points =
            [Vec3::new(0.5, 0.1, 0.2), Vec3::new(0.5, -0.3, 0.1), Vec3::new(0.4, 0.0, 1.0)];
        displacement(texts).motion(&points, STEPS)
    }

    #[test]
    fn constant_velocity_becomes_a_linear_move() {
        assert_eq!(motion(["10*t", "0", "-t"]), Some(Motion::moving([10.0, 0.0, -1.0])));
        assert_eq!(motion(["0", "0", "0"]), Some(Motion::Fixed));
    }

    #[test]
    fn rotation_about_an_axis_is_recognised() {
        let turned = motion([
            "0.5*t",
            "(y-1)*cos(-0.4*pi*t)-z*sin(-0.4*pi*t)-(y-1)",
            "(y-1)*sin(-0.4*pi*t)+z*cos(-0.4*pi*t)-z",
        ]);
        let Some(Motion::Move { velocity, angular_velocity, pivot, end: None }) = turned else {
            panic!("{turned:?}")
        };
        assert_eq!((velocity, pivot), ([0.5, 0.0, 0.0], [0.0, 1.0, 0.0]));
        assert!((angular_velocity[0] + 0.4 * std::f64::consts::PI).abs() < 1e-11);
        assert_eq!(angular_velocity[1..], [0.0, 0.0]);
    }

    #[test]
    fn jumps_and_curves_become_keys_at_their_bends() {
        let Some(Motion::Keys { keys, pivot: None }) = motion(["0.1", "0", "0"]) else { panic!() };
        let times: Vec<f64> = keys.iter().map(|key| key.time).collect();
        assert_eq!(times, [0.0, 0.04, 2.0]);
        assert_eq!(keys[1].translate, [0.1, 0.0, 0.0]);
        let Some(Motion::Keys { keys, .. }) = motion(["t^2", "0", "0"]) else { panic!() };
        assert_eq!(keys.len(), 51);
        assert!((keys[50].translate[0] - 4.0).abs() < 1e-12);
    }

    #[test]
    fn nonrigid_motion_is_not_recognised() {
        assert_eq!(motion(["0.1*x", "0", "0"]), None);
        assert_eq!(motion(["y*t", "0", "0"]), None);
    }

    #[test]
    fn what_is_not_rigid_is_an_expression() {
        let points = [Vec3::new(1.0, 2.0, 3.0), Vec3::ZERO];
        let of = |texts| displacement(texts).as_expressions(&points, STEPS);
        let displaced = |text: &str| Some(Motion::Displacement(Ron::Raw(text.to_owned())));
        assert_eq!(of(["0.1*x*t", "0", "-y^2*t"]), displaced(r#"("0.1*x*t", 0, "(-y)^2*t")"#));
        // Not zero at the start: in the first step it grows to its values.
        assert_eq!(
            of(["0.1*x", "0", "2"]),
            displaced(r#"("min(t/0.04, 1)*(0.1*x)", 0, "min(t/0.04, 1)*(2)")"#)
        );
    }

    #[test]
    fn points_of_a_side_with_one_displacement_are_a_translation() {
        let side = [Vec3::new(2.0, 0.0, 1.0), Vec3::new(2.0, 3.0, 0.0)];
        let stretched = displacement(["0.1*x*t", "0", "0"]);
        assert_eq!(stretched.motion(&side, STEPS), None);
        assert_eq!(
            stretched.common_translation(&side, STEPS),
            Some(Motion::moving([0.2, 0.0, 0.0]))
        );
        assert_eq!(stretched.common_translation(&[side[0], Vec3::ZERO], STEPS), None);
    }
}
