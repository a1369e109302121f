//! Framing: a camera position that keeps the whole film in view.

use super::survey::Survey;
use crate::camera::Camera;
use crate::geometry::Bounds;
use crate::light::Stage;
use crate::overlay::Insets;
use glam::{DQuat, DVec3, Vec3};

/// Vertical angle of view (rad).
const VERTICAL_ANGLE: f64 = 0.5;
/// Free margin of an image, as a fraction of half its size.
const MARGIN: f64 = 0.12;
/// Bodies whose distance from the median centre exceeds this multiple of the 90 % quantile of all distances are
/// outliers, which the framing ignores.
const OUTLIER_FACTOR: f32 = 3.0;
/// Extent of the vicinity of bodies, relative to that of the bodies, in which obstacles are shown.
const VICINITY_FACTOR: f32 = 1.4;
/// Number of boxes above which the boxes of each frame are merged.
const MAX_SEPARATE_BOXES: usize = 20_000;
/// Height of the image relative to the extent of the followed body.
const FOLLOW_FACTOR: f32 = 4.0;
/// Smallest fraction of an image's width and height that is reserved for bodies.
const MIN_FREE_FRACTION: f64 = 0.35;

/// Extent of all motion in a film.
#[derive(Debug, Clone)]
pub(super) struct MotionExtent {
    /// Boxes that all images should show.
    boxes: Vec<Bounds>,
    /// Bounding box of all `boxes`.
    pub(super) bounds: Bounds,
}

impl MotionExtent {
    /// Extent of the bodies with these indices without outliers, and of what is near them of all other parts: the
    /// moving ones and the `fixed_boxes`. A near part is included as a whole unless it is larger than the extent of the
    /// bodies.
    pub(super) fn new(survey: &Survey, bodies: &[usize], fixed_boxes: &[Bounds]) -> Self {
        let boxes_of_bodies = |frame: &Vec<Option<Bounds>>| -> Vec<Bounds> {
            bodies.iter().filter_map(|&body| frame[body]).collect()
        };
        let mut frames: Vec<Vec<Bounds>> = survey.boxes.iter().map(boxes_of_bodies).collect();
        let moving_boxes: Vec<Bounds> = frames.concat();
        let center = median_center(&moving_boxes);
        let distance = |b: &Bounds| b.center().distance(center) + 0.5 * b.size().length();
        let distances = moving_boxes.iter().map(distance).collect();
        let max_distance = OUTLIER_FACTOR * quantile_90(distances);
        // The first frame is always included: the start of a falling body would count as an outlier.
        frames.iter_mut().skip(1).for_each(|frame| frame.retain(|b| distance(b) <= max_distance));
        if moving_boxes.len() > MAX_SEPARATE_BOXES {
            frames.iter_mut().for_each(|frame| {
                *frame = frame.iter().copied().reduce(Bounds::joined).into_iter().collect();
            });
        }
        let mut boxes = frames.concat();
        let origin = Bounds { min: Vec3::ZERO, max: Vec3::ZERO };
        let moving_bounds = boxes.iter().copied().reduce(Bounds::joined).unwrap_or(origin);
        boxes.extend(boxes_of_obstacles(survey, bodies, fixed_boxes, moving_bounds));
        let bounds = boxes.iter().copied().reduce(Bounds::joined).unwrap_or(origin);
        Self { boxes, bounds }
    }

    /// Bounding ball of the motion.
    pub(super) fn stage(&self) -> Stage {
        bounding_ball(&self.bounds)
    }

    /// Corners of all boxes (m).
    fn corners(&self) -> impl Iterator<Item = DVec3> {
        self.boxes.iter().flat_map(Bounds::corners).map(|p| p.as_dvec3())
    }
}

/// Boxes of the parts that are not among the `bodies`, as far as images should show them: those near `bounds`, the
/// extent of the bodies, and of larger ones the portion that is near. The boxes of the frames of each moving part are
/// joined if there are many.
fn boxes_of_obstacles(
    survey: &Survey,
    bodies: &[usize],
    fixed_boxes: &[Bounds],
    bounds: Bounds,
) -> Vec<Bounds> {
    let max_size = bounds.size().length();
    let clipped_to = bounds.scaled(VICINITY_FACTOR);
    let reach = Vec3::splat(0.5 * (VICINITY_FACTOR - 1.0) * max_size);
    let vicinity = Bounds { min: bounds.min - reach, max: bounds.max + reach };
    let shown_part = |part: Bounds| match part.size().length() <= max_size {
        true => part.intersection(vicinity).map(|_| part),
        false => part.intersection(clipped_to),
    };
    let part_count = survey.boxes.first().map_or(0, Vec::len);
    let moving = (0..part_count).filter(|part| !bodies.contains(part)).flat_map(|part| {
        let boxes = survey.boxes.iter().filter_map(|frame| shown_part(frame[part]?));
        let boxes: Vec<Bounds> = boxes.collect();
        match boxes.len() * (part_count - bodies.len()) > MAX_SEPARATE_BOXES {
            true => boxes.into_iter().reduce(Bounds::joined).into_iter().collect(),
            false => boxes,
        }
    });
    moving.chain(fixed_boxes.iter().filter_map(|part| shown_part(*part))).collect()
}

/// Bounding ball of a box. Its radius is one metre if the box is a point up to rounding.
fn bounding_ball(bounds: &Bounds) -> Stage {
    let half_diagonal = 0.5 * bounds.size().length();
    let rounding = 1e-6 * (1e-3 + bounds.center().length());
    let radius = if half_diagonal > rounding { half_diagonal } else { 1.0 };
    Stage { center: bounds.center(), radius }
}

/// Window of an image for bodies: tangents of the angles from the image centre to the window's right, left,
/// upper and lower edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Window {
    right: f64,
    left: f64,
    top: f64,
    bottom: f64,
}

impl Window {
    /// The window of an image of this size (pixels) without its insets.
    pub(super) fn new([width, height]: [usize; 2], insets: Insets) -> Self {
        let half_height = (0.5 * VERTICAL_ANGLE).tan();
        let half_width = half_height * width as f64 / height as f64;
        // Distance from the centre to an edge, relative to half of the side of the image. Beside an inset, half of the
        // margin stays free.
        let edge = |inset: f32| match inset > 0.0 {
            true => (1.0 - 2.0 * f64::from(inset) - 0.5 * MARGIN).min(1.0 - MARGIN),
            false => 1.0 - MARGIN,
        };
        let [right, left] = widened([edge(insets.right), edge(insets.left)]);
        let [top, bottom] = widened([edge(0.0), edge(insets.bottom)]);
        Self {
            right: half_width * right,
            left: half_width * left,
            top: half_height * top,
            bottom: half_height * bottom,
        }
    }

    /// Tangents of the angles from the image centre to the window centre, to the right and upwards.
    fn center(self) -> [f64; 2] {
        [0.5 * (self.right - self.left), 0.5 * (self.top - self.bottom)]
    }

    /// Half of the width and of the height of the window, as tangents.
    fn half_size(self) -> [f64; 2] {
        [0.5 * (self.right + self.left), 0.5 * (self.top + self.bottom)]
    }
}

/// Moves two opposite edges outwards, if necessary, so that the window has at least [`MIN_FREE_FRACTION`] of the image.
/// Edges are distances from the centre, relative to half of the side of the image.
fn widened(edges: [f64; 2]) -> [f64; 2] {
    let missing = (2.0 * MIN_FREE_FRACTION - edges[0] - edges[1]).max(0.0);
    edges.map(|edge| edge + 0.5 * missing)
}

/// A viewing direction with an up direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// Unit direction towards the eye.
    pub(super) toward: DVec3,
    /// Unit up direction.
    pub(super) up: DVec3,
}

impl View {
    /// An oblique view from above, with the longer horizontal side of the extent across the image.
    pub(super) fn automatic(bounds: &Bounds, up: DVec3) -> Self {
        // Coordinate axes made horizontal, or any two perpendicular horizontal directions.
        let horizontal = |axis: DVec3| (axis - axis.dot(up) * up).try_normalize();
        let mut axes: Vec<DVec3> = [DVec3::X, DVec3::Y, DVec3::Z]
            .into_iter()
            .filter(|axis| axis.dot(up).abs() < 0.7)
            .filter_map(horizontal)
            .collect();
        if axes.len() < 2 {
            let (first, second) = up.any_orthonormal_pair();
            axes = vec![first, second];
        }
        let size = bounds.size().as_dvec3();
        let extent = |axis: DVec3| axis.abs().dot(size);
        // With equal extents x points to the right and z towards the eye.
        let (long, short) = match extent(axes[1]) > 1.2 * extent(axes[0]) {
            true => (axes[1], axes[0]),
            false => (axes[0], axes[1]),
        };
        // The directions towards the eye, right and up form a right-handed system.
        let toward = if long.cross(up).dot(short) < 0.0 { -short } else { short };
        Self { toward: (0.9 * toward + 0.42 * long + 0.46 * up).normalize(), up }
    }

    /// The view rotated about the up direction by an angle (degrees).
    pub(super) fn rotated(self, degrees: f64) -> Self {
        let rotation = DQuat::from_axis_angle(self.up, degrees.to_radians());
        Self { toward: rotation * self.toward, up: self.up }
    }

    /// A camera at a distance (m) from the point `target` (m), which it shows at the centre of the image.
    pub(super) fn camera_at(self, target: DVec3, distance: f64) -> Camera {
        Camera::looking_at(target + distance * self.toward, target, self.up, VERTICAL_ANGLE)
    }

    /// A camera at a distance (m) from the point `target` (m), which it shows at the centre of a window.
    pub(super) fn camera_with_window(self, window: Window, target: DVec3, distance: f64) -> Camera {
        let camera = self.camera_at(target, distance);
        let [x, y] = window.center();
        let eye = camera.eye - distance * (x * camera.right + y * camera.up);
        Camera { eye, ..camera }
    }

    /// The nearest camera that shows the whole extent in one of the windows.
    pub(super) fn nearest_camera(self, extent: &MotionExtent, windows: &[Window]) -> Camera {
        let cameras = windows.iter().map(|&window| self.nearest_camera_in(extent, window));
        let nearness = |camera: &Camera| camera.forward.dot(camera.eye);
        cameras
            .reduce(|best, other| if nearness(&other) > nearness(&best) { other } else { best })
            .expect("there is a window")
    }

    /// The nearest camera that shows the whole extent in this window.
    ///
    /// In coordinates along the right, up and forward directions, an eye e sees a point p left of the right edge of the
    /// window if `p_x - right p_z <= e_x - right e_z`, and correspondingly for the other edges. The maximum of the
    /// left-hand side over all corners of the extent bounds e; the sums of opposite bounds determine `e_z`, their
    /// differences `e_x` and `e_y`.
    fn nearest_camera_in(self, extent: &MotionExtent, window: Window) -> Camera {
        let camera = self.camera_at(DVec3::ZERO, 1.0);
        let Window { right, left, top, bottom } = window;
        let mut bounds = [f64::NEG_INFINITY; 4];
        for p in extent.corners() {
            let [x, y, z] = [camera.right, camera.up, camera.forward].map(|axis| axis.dot(p));
            let bounds_of_point = [x - right * z, -x - left * z, y - top * z, -y - bottom * z];
            bounds = std::array::from_fn(|k| bounds[k].max(bounds_of_point[k]));
        }
        let [right_bound, left_bound, top_bound, bottom_bound] = bounds;
        let [half_width, half_height] = window.half_size();
        let eye_z = (-(right_bound + left_bound) / (2.0 * half_width))
            .min(-(top_bound + bottom_bound) / (2.0 * half_height));
        // The eye stays behind the centre even if the extent is a point.
        let margin = 1e-3 * f64::from(extent.stage().radius);
        let center_z = camera.forward.dot(extent.stage().center.as_dvec3());
        let eye_z = eye_z.min(center_z - margin);
        let [center_x, center_y] = window.center();
        let eye = (0.5 * (right_bound - left_bound) + center_x * eye_z) * camera.right
            + (0.5 * (top_bound - bottom_bound) + center_y * eye_z) * camera.up
            + eye_z * camera.forward;
        Camera { eye, ..camera }
    }

    /// Distance (m) from the centre at which a camera that orbits by this angle (degrees) keeps the extent in a window.
    pub(super) fn orbit_distance(self, extent: &MotionExtent, window: Window, degrees: f64) -> f64 {
        const SAMPLES: u32 = 36;
        let center = extent.stage().center.as_dvec3();
        let Window { right, left, top, bottom } = window;
        let [half_width, half_height] = window.half_size();
        let mut distance = 1e-3 * f64::from(extent.stage().radius);
        for sample in 0..=SAMPLES {
            let view = self.rotated(degrees * f64::from(sample) / f64::from(SAMPLES));
            let camera = view.camera_at(DVec3::ZERO, 1.0);
            for p in extent.corners() {
                let [x, y, z] =
                    [camera.right, camera.up, camera.forward].map(|axis| axis.dot(p - center));
                let horizontal = (x - right * z).max(-x - left * z) / half_width;
                let vertical = (y - top * z).max(-y - bottom * z) / half_height;
                distance = distance.max(horizontal).max(vertical);
            }
        }
        distance
    }
}

/// Distance (m) at which a body of this extent (m) is seen with its surroundings.
pub(super) fn follow_distance(body_extent: f32) -> f64 {
    f64::from(FOLLOW_FACTOR * body_extent) / (2.0 * (0.5 * VERTICAL_ANGLE).tan())
}

/// Median of the centres of boxes along each axis (m); zero if there are none.
fn median_center(boxes: &[Bounds]) -> Vec3 {
    let median = |axis: usize| {
        let mut coordinates: Vec<f32> = boxes.iter().map(|b| b.center()[axis]).collect();
        coordinates.sort_unstable_by(f32::total_cmp);
        coordinates.get(coordinates.len() / 2).copied().unwrap_or(0.0)
    };
    Vec3::new(median(0), median(1), median(2))
}

/// The 90 % quantile of values; zero if there are none.
fn quantile_90(mut values: Vec<f32>) -> f32 {
    values.sort_unstable_by(f32::total_cmp);
    values.get(values.len().saturating_sub(1) * 9 / 10).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [usize; 2] = [1280, 720];

    fn ball(center: Vec3, radius: f32) -> Bounds {
        Bounds { min: center - radius, max: center + radius }
    }

    fn seen(frames: Vec<Vec<Bounds>>) -> MotionExtent {
        let bodies: Vec<usize> = (0..frames[0].len()).collect();
        let boxes = frames.into_iter().map(|f| f.into_iter().map(Some).collect()).collect();
        MotionExtent::new(&Survey { boxes, range: [0.0, 1.0] }, &bodies, &[])
    }

    /// Paths of two balls, one along `x` and one down.
    fn ways(scale: f32, shift: Vec3) -> MotionExtent {
        let frame = |n: u16| {
            let s = f32::from(n) / 20.0;
            let places = [Vec3::new(3.0 * s, 0.1, 0.0), Vec3::new(0.5, 1.5 * (1.0 - s), 1.0)];
            places.map(|p| ball(scale * p + shift, 0.1 * scale)).to_vec()
        };
        seen((0..=20).map(frame).collect())
    }

    fn whole() -> Window {
        Window::new(SIZE, Insets::default())
    }

    /// Largest image coordinate of the corners of all boxes: 1 is the edge of the image.
    fn out(camera: &Camera, places: &MotionExtent) -> f64 {
        let [half_width, half_height] = SIZE.map(|side| 0.5 * side as f64);
        let out = |p: DVec3| {
            let [x, y, _] = camera.project(p, SIZE).expect("it is in front of the camera");
            ((x - half_width).abs() / half_width).max((y - half_height).abs() / half_height)
        };
        places.corners().map(out).fold(0.0, f64::max)
    }

    #[test]
    fn framing_fits_the_scene_tightly_from_any_direction() {
        let directions = [[0.4, 0.4, 0.9], [-1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.2, -0.9, -0.3]];
        for (scale, shift) in [(1.0, Vec3::ZERO), (1e-3, Vec3::X), (300.0, Vec3::splat(5000.0))] {
            let places = ways(scale, shift);
            let usual = View::automatic(&places.bounds, DVec3::Y);
            let given =
                directions.map(|d| View { toward: DVec3::from(d).normalize(), up: DVec3::Y });
            for view in given.into_iter().chain([usual]) {
                let reach = out(&view.nearest_camera(&places, &[whole()]), &places);
                assert!((reach - (1.0 - MARGIN)).abs() < 1e-4, "{reach} from {}", view.toward);
            }
        }
    }

    #[test]
    fn orbiting_camera_keeps_the_scene_in_view() {
        let places = ways(1.0, Vec3::Y);
        let view = View::automatic(&places.bounds, DVec3::Y);
        let distance = view.orbit_distance(&places, whole(), 360.0);
        let center = places.stage().center.as_dvec3();
        let reaches = (0..36).map(|k| {
            let camera = view.rotated(f64::from(k) * 10.0).camera_at(center, distance);
            out(&camera, &places)
        });
        let most = reaches.fold(0.0, f64::max);
        assert!((most - (1.0 - MARGIN)).abs() < 1e-9, "{most}");
    }

    /// Bounding box of everything in view (fractions of the image size from its upper left corner).
    fn reach(camera: &Camera, places: &MotionExtent) -> [f64; 4] {
        let start = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        places.corners().fold(start, |[left, top, right, bottom], p| {
            let [x, y, _] = camera.project(p, SIZE).expect("it is in front of the camera");
            let [x, y] = [x / SIZE[0] as f64, y / SIZE[1] as f64];
            [left.min(x), top.min(y), right.max(x), bottom.max(y)]
        })
    }

    #[test]
    fn framing_keeps_bodies_out_of_overlays() {
        let places = ways(1.0, Vec3::Y);
        let below = Insets { right: 0.2, bottom: 0.4, ..Insets::default() };
        let beside = Insets { right: 0.2, left: 0.35, ..Insets::default() };
        let windows = [below, beside].map(|insets| Window::new(SIZE, insets));
        for direction in [[0.4, 0.4, 0.9], [-1.0, 0.1, 0.0], [0.2, 0.9, -0.3]] {
            let view = View { toward: DVec3::from(direction).normalize(), up: DVec3::Y };
            for (insets, window) in [below, beside].into_iter().zip(windows) {
                let [left, top, right, bottom] =
                    reach(&view.nearest_camera(&places, &[window]), &places);
                assert!(left >= f64::from(insets.left) && right <= 1.0 - f64::from(insets.right));
                assert!(top >= 0.0 && bottom <= 1.0 - f64::from(insets.bottom));
                let distance = view.orbit_distance(&places, window, 360.0);
                let center = places.stage().center.as_dvec3();
                for k in 0..36 {
                    let camera = view
                        .rotated(f64::from(k) * 10.0)
                        .camera_with_window(window, center, distance);
                    let [left, _, right, bottom] = reach(&camera, &places);
                    assert!(left >= f64::from(insets.left), "{left} after {k}");
                    assert!(right <= 1.0 - f64::from(insets.right), "{right} after {k}");
                    assert!(bottom <= 1.0 - f64::from(insets.bottom), "{bottom} after {k}");
                }
            }
            let nearest = view.nearest_camera(&places, &windows);
            let either = windows.map(|window| view.nearest_camera(&places, &[window]).eye);
            assert!(either.contains(&nearest.eye));
        }
    }

    #[test]
    fn framing_reserves_a_minimum_window_for_bodies() {
        let all = Insets { left: 0.7, right: 0.6, bottom: 0.9 };
        let [wide, high] = Window::new([100, 100], all).half_size();
        let least = MIN_FREE_FRACTION * (0.5 * VERTICAL_ANGLE).tan();
        assert!((wide - least).abs() < 1e-12 && (high - least).abs() < 1e-12, "{wide} {high}");
    }

    #[test]
    fn framing_ignores_an_outlier_that_flies_off() {
        let stays = |n: u16| ball(Vec3::new(0.01 * f32::from(n), 0.0, 0.0), 0.1);
        let frame = |n: u16| {
            let flies = ball(Vec3::Y * f32::from(n) * f32::from(n), 0.1);
            let others = (0..30).map(|k| stays(k + n % 3));
            others.chain([flies]).collect()
        };
        let places = seen((0..100).map(frame).collect());
        assert!(places.bounds.size().max_element() < 2.0, "{:?}", places.bounds);
        assert!(places.bounds.max.x > 0.4, "all that stays is seen");
    }

    /// A driving wheel belongs to the scene, a wall and what is far away do not.
    #[test]
    fn framing_includes_near_obstacles_that_are_not_larger_than_the_bodies() {
        let bodies = ball(Vec3::ZERO, 1.0);
        let wheel = |n: u16| ball(Vec3::new(1.5 + 0.1 * f32::from(n), 0.0, 0.0), 0.7);
        let far = ball(9.0 * Vec3::Y, 0.1);
        let frames = (0..5).map(|n| vec![Some(bodies), Some(wheel(n)), Some(far)]);
        let survey = Survey { boxes: frames.collect(), range: [0.0, 1.0] };
        let wall = Bounds { min: Vec3::new(-50.0, -50.0, -9.0), max: Vec3::new(50.0, 50.0, -1.2) };
        let fixed = [wall, ball(-1.5 * Vec3::Y, 0.6), far];
        let extent = MotionExtent::new(&survey, &[0], &fixed);
        let expected = Bounds { min: Vec3::new(-1.4, -2.1, -1.4), max: Vec3::new(2.6, 1.4, 1.0) };
        let error =
            (extent.bounds.min - expected.min).abs() + (extent.bounds.max - expected.max).abs();
        assert!(error.max_element() < 1e-6, "{:?}", extent.bounds);
    }

    #[test]
    fn framing_includes_the_start_of_a_falling_body() {
        let fall = |n: u16| 1.0 - 0.01 * f32::from(n.min(10)).powi(2);
        let places = seen((0..400).map(|n| vec![ball(fall(n) * Vec3::Y, 0.05)]).collect());
        let expected = ball(Vec3::Y, 0.05).joined(ball(Vec3::ZERO, 0.05));
        assert_eq!(places.bounds, expected);
    }

    #[test]
    fn framing_of_a_point_uses_a_finite_distance() {
        let places = seen(vec![vec![ball(Vec3::ONE, 0.0)]]);
        let view = View::automatic(&places.bounds, DVec3::Z);
        let camera = view.nearest_camera(&places, &[whole()]);
        assert!(camera.eye.is_finite() && camera.view(DVec3::ONE).z > 0.0, "{camera:?}");
    }

    #[test]
    fn row_of_bodies_runs_across_the_picture_for_any_up_axis() {
        for (up, row) in
            [(DVec3::Y, Vec3::X), (DVec3::Y, Vec3::Z), (DVec3::Z, Vec3::Y), (-DVec3::Y, Vec3::Z)]
        {
            let size = Vec3::splat(0.1) + row;
            let view = View::automatic(&Bounds { min: -size, max: size }, up);
            assert!(view.toward.dot(row.as_dvec3()).abs() < 0.5 && view.toward.dot(up) > 0.3);
        }
    }
}
