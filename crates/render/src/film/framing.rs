//! Framing: a camera position that keeps the whole film in view.

use super::survey::Survey;
use crate::camera::Camera;
use crate::geometry::Bounds;
use crate::light::Stage;
use crate::overlay::Insets;
use glam::{DQuat, DVec3, Vec3};

/// Vertical angle of view (rad).
const ANGLE: f64 = 0.5;
/// Free margin of an image, as a fraction of half its size.
const MARGIN: f64 = 0.12;
/// Bodies farther from the centre than this multiple of the 90 % quantile are outliers, which the framing
/// ignores.
const OUTLIER_FACTOR: f32 = 3.0;
/// Number of boxes above which the boxes of each frame are merged.
const MAX_SEPARATE_BOXES: usize = 20_000;
/// Height of the image relative to the size of the followed body.
const FOLLOW_FACTOR: f32 = 4.0;
/// Smallest fraction of an image's width and height that is reserved for bodies.
const MIN_FREE_FRACTION: f64 = 0.35;

/// Extent of all motion in a film.
#[derive(Debug, Clone)]
pub(super) struct MotionExtent {
    /// Boxes that all images should show.
    boxes: Vec<Bounds>,
    /// Bounding box of all of them.
    pub(super) whole: Bounds,
}

impl MotionExtent {
    /// Extent of these bodies without outliers, and of nearby fixed parts.
    pub(super) fn new(survey: &Survey, bodies: &[usize], still: &[Bounds]) -> Self {
        let of_frame = |frame: &Vec<Option<Bounds>>| -> Vec<Bounds> {
            bodies.iter().filter_map(|&body| frame[body]).collect()
        };
        let mut frames: Vec<Vec<Bounds>> = survey.boxes.iter().map(of_frame).collect();
        let all: Vec<Bounds> = frames.concat();
        let middle = median(&all);
        let distance = |b: &Bounds| b.center().distance(middle) + 0.5 * b.size().length();
        let limit = OUTLIER_FACTOR * usual(all.iter().map(distance).collect());
        // The first frame is always included: the start of a falling body would count as an outlier.
        frames.iter_mut().skip(1).for_each(|frame| frame.retain(|b| distance(b) <= limit));
        if all.len() > MAX_SEPARATE_BOXES {
            frames.iter_mut().for_each(|frame| {
                *frame = frame.iter().copied().reduce(Bounds::joined).into_iter().collect();
            });
        }
        let mut boxes = frames.concat();
        let origin = Bounds { min: Vec3::ZERO, max: Vec3::ZERO };
        let moved = boxes.iter().copied().reduce(Bounds::joined).unwrap_or(origin);
        boxes.extend(still.iter().filter_map(|b| b.common(moved.scaled(1.4))));
        let whole = boxes.iter().copied().reduce(Bounds::joined).unwrap_or(origin);
        Self { boxes, whole }
    }

    /// Bounding ball of the motion.
    pub(super) fn stage(&self) -> Stage {
        stage(&self.whole)
    }

    fn corners(&self) -> impl Iterator<Item = DVec3> {
        self.boxes.iter().flat_map(Bounds::corners).map(|p| p.as_dvec3())
    }
}

/// Bounding ball of a box; one metre for a box without size.
pub(super) fn stage(whole: &Bounds) -> Stage {
    let radius = 0.5 * whole.size().length();
    let radius = if radius > 1e-6 * (1e-3 + whole.center().length()) { radius } else { 1.0 };
    Stage { center: whole.center(), radius }
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
        let high = (0.5 * ANGLE).tan();
        let wide = high * width as f64 / height as f64;
        let [left, right, bottom] = [insets.left, insets.right, insets.bottom].map(f64::from);
        // Distance from the centre to an edge, over half of the image. Beside an inset, half of the margin
        // stays free.
        let edge = |inset: f64| match inset > 0.0 {
            true => (1.0 - 2.0 * inset - 0.5 * MARGIN).min(1.0 - MARGIN),
            false => 1.0 - MARGIN,
        };
        let [right, left] = widened([edge(right), edge(left)]);
        let [top, bottom] = widened([edge(0.0), edge(bottom)]);
        Self { right: wide * right, left: wide * left, top: high * top, bottom: high * bottom }
    }

    /// Centre of the window, to the right and upwards.
    fn middle(self) -> [f64; 2] {
        [0.5 * (self.right - self.left), 0.5 * (self.top - self.bottom)]
    }

    /// Half of the window's width and height.
    fn half(self) -> [f64; 2] {
        [0.5 * (self.right + self.left), 0.5 * (self.top + self.bottom)]
    }
}

/// Widens two opposite edges to the smallest window.
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
    /// An oblique view from above, with the longer side of the extent across the image.
    pub(super) fn usual(whole: &Bounds, up: DVec3) -> Self {
        let across = up.any_orthonormal_pair();
        // Horizontal coordinate axes, or any two horizontal directions.
        let level = |axis: DVec3| (axis - axis.dot(up) * up).try_normalize();
        let mut axes: Vec<DVec3> = [DVec3::X, DVec3::Y, DVec3::Z]
            .into_iter()
            .filter(|axis| axis.dot(up).abs() < 0.7)
            .filter_map(level)
            .collect();
        if axes.len() < 2 {
            axes = vec![across.0, across.1];
        }
        let size = whole.size().as_dvec3();
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

    /// The view rotated about the up direction (degrees).
    pub(super) fn turned(self, degrees: f64) -> Self {
        let turn = DQuat::from_axis_angle(self.up, degrees.to_radians());
        Self { toward: turn * self.toward, up: self.up }
    }

    /// A camera at a distance from a point, which is at the centre of the image.
    pub(super) fn from(self, target: DVec3, distance: f64) -> Camera {
        Camera::looking_at(target + distance * self.toward, target, self.up, ANGLE)
    }

    /// A camera at a distance from a point, which is at the centre of a window.
    pub(super) fn through(self, window: Window, target: DVec3, distance: f64) -> Camera {
        let camera = self.from(target, distance);
        let [x, y] = window.middle();
        let eye = camera.eye - distance * (x * camera.right + y * camera.up);
        Camera { eye, ..camera }
    }

    /// The nearest camera with the whole extent in a window; among several windows, the one that permits the
    /// nearest camera.
    pub(super) fn of_all(self, places: &MotionExtent, windows: &[Window]) -> Camera {
        let cameras = windows.iter().map(|&window| self.of_all_in(places, window));
        let nearness = |camera: &Camera| camera.forward.dot(camera.eye);
        cameras
            .reduce(|best, other| if nearness(&other) > nearness(&best) { other } else { best })
            .expect("there is a window")
    }

    fn of_all_in(self, places: &MotionExtent, window: Window) -> Camera {
        let camera = self.from(DVec3::ZERO, 1.0);
        // Constraints that the extent imposes on each image edge.
        let mut edges = [f64::NEG_INFINITY; 4];
        for p in places.corners() {
            let [x, y, z] = [camera.right, camera.up, camera.forward].map(|axis| axis.dot(p));
            let Window { right, left, top, bottom } = window;
            let pushed = [x - right * z, -x - left * z, y - top * z, -y - bottom * z];
            edges = std::array::from_fn(|k| edges[k].max(pushed[k]));
        }
        let [right, left, top, bottom] = edges;
        let [wide, high] = window.half();
        let back = (-(right + left) / (2.0 * wide)).min(-(top + bottom) / (2.0 * high));
        let margin = 1e-3 * f64::from(places.stage().radius);
        let nearest = camera.forward.dot(places.stage().center.as_dvec3()) - margin;
        let back = back.min(nearest);
        let [x, y] = window.middle();
        let eye = (0.5 * (right - left) + x * back) * camera.right
            + (0.5 * (top - bottom) + y * back) * camera.up
            + back * camera.forward;
        Camera { eye, ..camera }
    }

    /// Distance from the centre at which an orbiting camera keeps the extent in a window over the whole orbit.
    pub(super) fn distance_around(
        self,
        places: &MotionExtent,
        window: Window,
        degrees: f64,
    ) -> f64 {
        const STOPS: u32 = 36;
        let center = places.stage().center.as_dvec3();
        let Window { right, left, top, bottom } = window;
        let [wide, high] = window.half();
        let mut distance = 1e-3 * f64::from(places.stage().radius);
        for stop in 0..=STOPS {
            let view = self.turned(degrees * f64::from(stop) / f64::from(STOPS));
            let camera = view.from(DVec3::ZERO, 1.0);
            for p in places.corners() {
                let [x, y, z] =
                    [camera.right, camera.up, camera.forward].map(|axis| axis.dot(p - center));
                let across = (x - right * z).max(-x - left * z) / wide;
                let along = (y - top * z).max(-y - bottom * z) / high;
                distance = distance.max(across).max(along);
            }
        }
        distance
    }
}

/// Distance at which a body of this size is seen with its surroundings (m).
pub(super) fn distance_to_follow(size: f32) -> f64 {
    f64::from(FOLLOW_FACTOR * size) / (2.0 * (0.5 * ANGLE).tan())
}

/// Median of the centres, along each axis.
fn median(boxes: &[Bounds]) -> Vec3 {
    let along = |axis: usize| {
        let mut places: Vec<f32> = boxes.iter().map(|b| b.center()[axis]).collect();
        places.sort_unstable_by(f32::total_cmp);
        places.get(places.len() / 2).copied().unwrap_or(0.0)
    };
    Vec3::new(along(0), along(1), along(2))
}

/// The 90 % quantile.
fn usual(mut numbers: Vec<f32>) -> f32 {
    numbers.sort_unstable_by(f32::total_cmp);
    numbers.get(numbers.len().saturating_sub(1) * 9 / 10).copied().unwrap_or(0.0)
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
            let [x, y, _] = camera.place(p, SIZE).expect("it is in front of the camera");
            ((x - half_width).abs() / half_width).max((y - half_height).abs() / half_height)
        };
        places.corners().map(out).fold(0.0, f64::max)
    }

    #[test]
    fn framing_fits_the_scene_tightly_from_any_direction() {
        let directions = [[0.4, 0.4, 0.9], [-1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.2, -0.9, -0.3]];
        for (scale, shift) in [(1.0, Vec3::ZERO), (1e-3, Vec3::X), (300.0, Vec3::splat(5000.0))] {
            let places = ways(scale, shift);
            let usual = View::usual(&places.whole, DVec3::Y);
            let given =
                directions.map(|d| View { toward: DVec3::from(d).normalize(), up: DVec3::Y });
            for view in given.into_iter().chain([usual]) {
                let reach = out(&view.of_all(&places, &[whole()]), &places);
                assert!((reach - (1.0 - MARGIN)).abs() < 1e-4, "{reach} from {}", view.toward);
            }
        }
    }

    #[test]
    fn orbiting_camera_keeps_the_scene_in_view() {
        let places = ways(1.0, Vec3::Y);
        let view = View::usual(&places.whole, DVec3::Y);
        let distance = view.distance_around(&places, whole(), 360.0);
        let center = places.stage().center.as_dvec3();
        let reaches = (0..36).map(|k| {
            let camera = view.turned(f64::from(k) * 10.0).from(center, distance);
            out(&camera, &places)
        });
        let most = reaches.fold(0.0, f64::max);
        assert!((most - (1.0 - MARGIN)).abs() < 1e-9, "{most}");
    }

    /// Bounding box of everything in view (fractions of the image size from its upper left corner).
    fn reach(camera: &Camera, places: &MotionExtent) -> [f64; 4] {
        let start = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        places.corners().fold(start, |[left, top, right, bottom], p| {
            let [x, y, _] = camera.place(p, SIZE).expect("it is in front of the camera");
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
                let [left, top, right, bottom] = reach(&view.of_all(&places, &[window]), &places);
                assert!(left >= f64::from(insets.left) && right <= 1.0 - f64::from(insets.right));
                assert!(top >= 0.0 && bottom <= 1.0 - f64::from(insets.bottom));
                let distance = view.distance_around(&places, window, 360.0);
                let center = places.stage().center.as_dvec3();
                for k in 0..36 {
                    let camera = view.turned(f64::from(k) * 10.0).through(window, center, distance);
                    let [left, _, right, bottom] = reach(&camera, &places);
                    assert!(left >= f64::from(insets.left), "{left} after {k}");
                    assert!(right <= 1.0 - f64::from(insets.right), "{right} after {k}");
                    assert!(bottom <= 1.0 - f64::from(insets.bottom), "{bottom} after {k}");
                }
            }
            let nearest = view.of_all(&places, &windows);
            let either = windows.map(|window| view.of_all(&places, &[window]).eye);
            assert!(either.contains(&nearest.eye));
        }
    }

    #[test]
    fn framing_reserves_a_minimum_window_for_bodies() {
        let all = Insets { left: 0.7, right: 0.6, bottom: 0.9 };
        let [wide, high] = Window::new([100, 100], all).half();
        let least = MIN_FREE_FRACTION * (0.5 * ANGLE).tan();
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
        assert!(places.whole.size().max_element() < 2.0, "{:?}", places.whole);
        assert!(places.whole.max.x > 0.4, "all that stays is seen");
    }

    #[test]
    fn framing_includes_the_start_of_a_falling_body() {
        let fall = |n: u16| 1.0 - 0.01 * f32::from(n.min(10)).powi(2);
        let places = seen((0..400).map(|n| vec![ball(fall(n) * Vec3::Y, 0.05)]).collect());
        let expected = ball(Vec3::Y, 0.05).joined(ball(Vec3::ZERO, 0.05));
        assert_eq!(places.whole, expected);
    }

    #[test]
    fn framing_of_a_point_uses_a_finite_distance() {
        let places = seen(vec![vec![ball(Vec3::ONE, 0.0)]]);
        let view = View::usual(&places.whole, DVec3::Z);
        let camera = view.of_all(&places, &[whole()]);
        assert!(camera.eye.is_finite() && camera.view(DVec3::ONE).z > 0.0, "{camera:?}");
    }

    #[test]
    fn row_of_bodies_runs_across_the_picture_for_any_up_axis() {
        for (up, row) in
            [(DVec3::Y, Vec3::X), (DVec3::Y, Vec3::Z), (DVec3::Z, Vec3::Y), (-DVec3::Y, Vec3::Z)]
        {
            let size = Vec3::splat(0.1) + row;
            let view = View::usual(&Bounds { min: -size, max: size }, up);
            assert!(view.toward.dot(row.as_dvec3()).abs() < 0.5 && view.toward.dot(up) > 0.3);
        }
    }
}
