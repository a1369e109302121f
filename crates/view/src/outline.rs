//! Extent of most of a run, for the initial camera.
//!
//! If the initial view included a body that slides far away, all others would be small. The bodies farthest from the median
//! centre, over all times, are therefore excluded.

use crate::pose::to_vec3;
use resile_math::Vec3;

/// Fraction of bodies and times that are included.
const INCLUDED_FRACTION: f64 = 0.85;
/// Distance within which obstacles are included, relative to that of bodies.
const OBSTACLE_FACTOR: f64 = 1.2;

/// Balls around all bodies at all times.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outline {
    /// Balls of the bodies, frame by frame.
    balls: Vec<Ball>,
    /// Number of balls of the first frame, which is fully included.
    first_frame_balls: usize,
    /// Positions of the vertices of obstacles (m).
    obstacle_points: Vec<Vec3>,
}

/// A ball around some points.
#[derive(Debug, Clone, Copy)]
struct Ball {
    /// Centre (m).
    center: Vec3,
    /// Radius (m).
    radius: f64,
}

impl Ball {
    /// Ball around the mean of points, of which there is at least one.
    fn around(points: &[[f32; 3]]) -> Self {
        let center = points.iter().map(to_vec3).sum::<Vec3>() / points.len() as f64;
        let distances = points.iter().map(|p| (to_vec3(p) - center).length());
        Self { center, radius: distances.fold(0.0, f64::max) }
    }

    /// Largest coordinate along a unit direction (m).
    fn max_coordinate(&self, direction: Vec3) -> f64 {
        self.center.dot(direction) + self.radius
    }
}

impl Outline {
    /// Adds the positions of the vertices of a fixed obstacle (m).
    pub(crate) fn add_fixed_positions(&mut self, positions: &[[f32; 3]]) {
        self.obstacle_points.extend(positions.iter().map(to_vec3));
    }

    /// Adds a frame: the positions of the vertices of each body (m).
    pub(crate) fn add_frame<'a>(&mut self, bodies: impl Iterator<Item = &'a [[f32; 3]]>) {
        let is_first = self.balls.is_empty();
        self.balls.extend(bodies.filter(|body| !body.is_empty()).map(Ball::around));
        if is_first {
            self.first_frame_balls = self.balls.len();
        }
    }

    /// Support points of the extent (m) along the 26 directions to the faces, edges and corners of a cube; none if
    /// there are no bodies and obstacles.
    pub(crate) fn points(&self) -> Vec<[f64; 3]> {
        let included = self.included_balls();
        let support_point = |direction: Vec3| {
            let farthest_ball = included.iter().max_by(|a, b| {
                a.max_coordinate(direction).total_cmp(&b.max_coordinate(direction))
            })?;
            Some((farthest_ball.center + farthest_ball.radius * direction).to_array())
        };
        cube_directions().filter_map(support_point).collect()
    }

    /// The balls that the initial camera shows: those near the median centre, those of the first frame, and points of
    /// nearby obstacles as balls without radius.
    fn included_balls(&self) -> Vec<Ball> {
        let coordinates = |axis: usize| self.balls.iter().map(|ball| ball.center[axis]).collect();
        let median = Vec3::from_array([0, 1, 2].map(|axis| quantile(coordinates(axis), 0.5)));
        let distance = |point: Vec3| (point - median).length();
        let distances = self.balls.iter().map(|ball| distance(ball.center)).collect();
        let max_distance = quantile(distances, INCLUDED_FRACTION);
        let (first_frame, later_frames) = self.balls.split_at(self.first_frame_balls);
        let near = later_frames.iter().filter(|ball| distance(ball.center) <= max_distance);
        let mut included: Vec<Ball> = first_frame.iter().chain(near).copied().collect();
        let max_radius = included.iter().fold(0.0_f64, |max, ball| max.max(ball.radius));
        let max_obstacle_distance = OBSTACLE_FACTOR * max_distance + max_radius;
        let near_points =
            self.obstacle_points.iter().filter(|p| distance(**p) <= max_obstacle_distance);
        included.extend(near_points.map(|&center| Ball { center, radius: 0.0 }));
        included
    }
}

/// Quantile of values for a fraction from 0 to 1; zero if there are none.
fn quantile(mut values: Vec<f64>, fraction: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((fraction * last as f64).ceil() as usize).copied().unwrap_or(0.0)
}

/// Unit directions from the centre of a cube to its faces, edges and corners.
fn cube_directions() -> impl Iterator<Item = Vec3> {
    let steps = || [-1.0, 0.0, 1.0].into_iter();
    let lattice =
        steps().flat_map(move |x| steps().flat_map(move |y| steps().map(move |z| [x, y, z])));
    lattice.filter_map(|d| Vec3::from_array(d).try_normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outline_excludes_an_outlier_but_includes_its_start() {
        let mut outline = Outline::default();
        assert!(outline.points().is_empty());
        for frame in 0..100 {
            // Nine bodies stay together; one starts next to them and leaves after a tenth of the time.
            let away = 5.0 + f32::max(0.0, frame as f32 - 10.0);
            let stays = (0..9).map(|n| [[n as f32 * 0.1, 0.0, 0.0], [n as f32 * 0.1, 0.2, 0.0]]);
            let bodies: Vec<_> = stays.chain([[[away, 0.0, 0.0], [away, 0.2, 0.0]]]).collect();
            outline.add_frame(bodies.iter().map(|body| &body[..]));
        }
        outline.add_fixed_positions(&[[0.4, -0.5, 0.0], [0.0, -40.0, 0.0]]);
        let points = outline.points();
        let reach =
            |k: usize, sign: f64| points.iter().fold(0.0_f64, |most, p| most.max(sign * p[k]));
        assert_eq!(points.len(), 26);
        assert!((reach(0, 1.0) - 5.1).abs() < 1e-6, "{}", reach(0, 1.0));
        assert!((reach(1, 1.0) - 0.2).abs() < 1e-6, "{}", reach(1, 1.0));
        assert!((reach(1, -1.0) - 0.5).abs() < 1e-6, "{}", reach(1, -1.0));
    }
}
