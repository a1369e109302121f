//! Extent of most of a run, for the initial camera.
//!
//! A body that slides far away would make all others small, so the farthest bodies over all times are
//! excluded.

use crate::pose::double;
use resile_math::Vec3;

/// Fraction of bodies and times that are included.
const INCLUDED_FRACTION: f64 = 0.85;
/// Extent of included obstacles, relative to that of bodies.
const OBSTACLE_FACTOR: f64 = 1.2;

/// Balls around all bodies at all times.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outline {
    balls: Vec<(Vec3, f64)>,
    /// Number of balls of the first frame, which is fully included.
    first: usize,
    obstacles: Vec<Vec3>,
}

impl Outline {
    /// Adds fixed positions.
    pub(crate) fn add_fixed_positions(&mut self, positions: &[[f32; 3]]) {
        self.obstacles.extend(positions.iter().map(double));
    }

    /// Adds a frame: the vertices of each body.
    pub(crate) fn add_frame<'a>(&mut self, bodies: impl Iterator<Item = &'a [[f32; 3]]>) {
        let is_first = self.balls.is_empty();
        self.balls.extend(bodies.filter(|body| !body.is_empty()).map(ball));
        if is_first {
            self.first = self.balls.len();
        }
    }

    /// Support points of the extent along the 26 directions to the faces, edges and corners of a cube.
    pub(crate) fn points(&self) -> Vec<[f64; 3]> {
        let visible = self.seen();
        let farthest = |direction: Vec3| {
            let reach = |&(center, radius): &(Vec3, f64)| center.dot(direction) + radius;
            let ball = visible.iter().max_by(|a, b| reach(a).total_cmp(&reach(b)));
            ball.map(|(center, radius)| (*center + *radius * direction).to_array())
        };
        directions().filter_map(farthest).collect()
    }

    /// The balls that the initial camera shows: those near the median centre.
    fn seen(&self) -> Vec<(Vec3, f64)> {
        let middle = Vec3::from_array(
            [0, 1, 2]
                .map(|k| quantile(self.balls.iter().map(|(center, _)| center[k]).collect(), 0.5)),
        );
        let away = |center: Vec3| (center - middle).length();
        let limit = quantile(
            self.balls.iter().map(|(center, _)| away(*center)).collect(),
            INCLUDED_FRACTION,
        );
        let balls = self.balls.iter().enumerate();
        let near = balls.filter(|(n, (center, _))| *n < self.first || away(*center) <= limit);
        let mut seen: Vec<_> = near.map(|(_, ball)| *ball).collect();
        let widest = seen.iter().fold(0.0_f64, |max, (_, radius)| max.max(*radius));
        let neighbours =
            self.obstacles.iter().filter(|p| away(**p) <= OBSTACLE_FACTOR * limit + widest);
        seen.extend(neighbours.map(|p| (*p, 0.0)));
        seen
    }
}

/// Ball around the centre of some points.
fn ball(points: &[[f32; 3]]) -> (Vec3, f64) {
    let center = points.iter().map(double).sum::<Vec3>() / points.len() as f64;
    let away = points.iter().map(|p| (double(p) - center).length());
    (center, away.fold(0.0, f64::max))
}

/// Quantile of some values; zero if there are none.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((share * last as f64).ceil() as usize).copied().unwrap_or(0.0)
}

fn directions() -> impl Iterator<Item = Vec3> {
    let steps = || [-1.0, 0.0, 1.0].into_iter();
    let all = steps().flat_map(move |x| steps().flat_map(move |y| steps().map(move |z| [x, y, z])));
    all.filter_map(|d| Vec3::from_array(d).try_normalize())
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
