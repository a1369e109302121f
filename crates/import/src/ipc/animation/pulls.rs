//! Animations that move nodes until they are somewhere, or move a few nodes only.

use super::{Animator, STEP_SLACK};
use crate::choose;
use crate::draft::{Hold, Motion};
use crate::refusal::Findings;
use resile_math::Vec3;

/// Coordinate (m) along x beyond which the left end stops in the animation `stretchAndPause`.
const PAUSE_COORDINATE: f64 = -0.28;

impl Animator<'_> {
    /// Applies animations that pull nodes and then stop or release them. Notes animations that release them by
    /// position. Returns `false` for other animations.
    pub(super) fn apply_pulls(&mut self, findings: &mut Findings) -> bool {
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
            "push" => {
                let (bottom, top) = (self.low_coordinate(1, 0.01), self.high_coordinate(1, 0.01));
                let end = self.time_to_cover(1.0, 0.5);
                self.hold(&|p| p.y < bottom, &Motion::Fixed, None);
                self.hold(&|p| p.y > top, &moving_until(end, [0.0, -1.0, 0.0]), None);
            }
            "rubberBandPull" => self.pull_rubber_band(),
            "fourLegPull" => self.pull_four_legs(),
            "headTailPull" => self.pull_head_and_tail(),
            "toggleTop" => {
                let (top, end) = (self.high_coordinate(1, 0.02), self.time_to_cover(0.5, 0.1));
                self.hold(&|p| p.y > top, &Motion::moving([-0.5, 0.0, 0.0]), Some(end));
            }
            "stretchAndPause" => self.stretch_and_pause(),
            "fixRightMost1" => self.hold_rightmost_node(&Motion::Fixed),
            "pushRightMost1" => self.hold_rightmost_node(&Motion::moving([-0.15, 0.0, 0.0])),
            "curtain" => self.pull_curtain(),
            _ => return false,
        }
        true
    }

    /// Applies the animation `rubberBandPull`: draws the ends apart and the middle to the left, and releases the middle.
    fn pull_rubber_band(&mut self) {
        let (bottom, top) = (self.low_coordinate(1, 0.02), self.high_coordinate(1, 0.02));
        let (low, high) = (self.low_coordinate(1, 0.48), self.high_coordinate(1, 0.48));
        let end = self.time_to_cover(2.5, 5.0);
        self.hold(&|p| p.y < bottom, &moving_until(end, [0.0, -0.2, 0.0]), None);
        self.hold(&|p| p.y > top, &moving_until(end, [0.0, 0.2, 0.0]), None);
        let middle = Motion::moving([-2.5, 0.0, 0.0]);
        self.hold(&|p| p.y > low && p.y < high, &middle, Some(end));
    }

    /// Applies the animation `headTailPull`: pulls both ends along x and releases them; the middle is fixed.
    fn pull_head_and_tail(&mut self) {
        let (back, front) = (self.low_coordinate(2, 0.02), self.high_coordinate(2, 0.02));
        let (low, high) = (self.low_coordinate(2, 0.46), self.low_coordinate(2, 0.54));
        let end = self.time_to_cover(3.5, 4.5);
        let motion = Motion::moving([3.5, 0.0, 0.0]);
        self.hold(&|p| p.z < back, &motion, Some(end));
        self.hold(&|p| p.z > front, &motion, Some(end));
        self.hold(&|p| p.z > low && p.z < high, &Motion::Fixed, None);
    }

    /// Applies the animation `fourLegPull`: holds one leg and pulls the other three. Three are released at the end of
    /// the pull, and the one on the lower left stops.
    fn pull_four_legs(&mut self) {
        let end = self.time_to_cover(3.5, 5.0);
        let (top, top_left) = (self.high_coordinate(1, 0.16), self.high_coordinate(1, 0.129));
        let (left, right) = (self.low_coordinate(0, 0.16), self.high_coordinate(0, 0.16));
        let (bottom, low_left, low_right) = (
            self.low_coordinate(1, 0.02),
            self.low_coordinate(0, 0.25),
            self.high_coordinate(0, 0.25),
        );
        let rightwards = Motion::moving([2.5, 0.0, 0.0]);
        let diagonal = Motion::moving([2.5, -3.5, 0.0]);
        let downwards = moving_until(end, [0.0, -3.5, 0.0]);
        self.hold(&|p| p.y > top_left && p.x < left, &Motion::Fixed, None);
        self.hold(&|p| p.y > top && p.x > right, &rightwards, Some(end));
        self.hold(&|p| p.y < bottom && p.x > low_right, &diagonal, Some(end));
        self.hold(&|p| p.y < bottom && p.x < low_left, &downwards, None);
    }

    /// Applies the animation `curtain`: eight pins along the top edge, whose speeds decrease along x.
    fn pull_curtain(&mut self) {
        let (top, width) = (self.high_coordinate(1, 0.005), self.bounds.size().x);
        for pin in 0..8 {
            let x = self.low_coordinate(0, f64::from(pin) / 7.0);
            let speed = 0.04 * f64::from(7 - pin) / 7.0;
            let is_at_pin = move |p: Vec3| (p.x - x).abs() < 0.0025 * width && p.y > top;
            self.hold(&is_at_pin, &Motion::moving([speed, 0.0, 0.0]), None);
        }
    }

    /// Applies the animation `stretchAndPause`: pulls both ends apart at 1 m/s each. They stop after the step in which
    /// the first node on the left passes [`PAUSE_COORDINATE`].
    fn stretch_and_pause(&mut self) {
        let (left, right) = (self.low_coordinate(0, 0.01), self.high_coordinate(0, 0.01));
        let Some(start) = self.points.iter().flatten().map(|p| p.x).find(|x| *x < left) else {
            return;
        };
        let step = self.script.step;
        let steps_to_pause = ((start - PAUSE_COORDINATE) / step + STEP_SLACK).floor() + 1.0;
        let pulled_along_x = |velocity: f64| match steps_to_pause > 0.0 {
            true => moving_until(step * steps_to_pause, [velocity, 0.0, 0.0]),
            false => Motion::Fixed,
        };
        self.hold(&|p| p.x < left, &pulled_along_x(-1.0), None);
        self.hold(&|p| p.x > right, &pulled_along_x(1.0), None);
    }

    /// Holds the first node among those within a thousandth of the extent from the right.
    fn hold_rightmost_node(&mut self, motion: &Motion) {
        let right = self.high_coordinate(0, 1e-3);
        for (shape_index, points) in self.points.iter().enumerate() {
            let Some(rightmost) = points.iter().position(|p| p.x > right) else { continue };
            let selected: Vec<bool> = (0..points.len()).map(|node| node == rightmost).collect();
            let vertex_indices = &self.shapes[shape_index].mesh.vertex_indices;
            let region = choose::region(points, vertex_indices, &selected);
            self.effects.holds[shape_index]
                .extend(region.map(|region| Hold::new(region, motion.clone())));
            return;
        }
    }
}

/// A translation with a velocity (m/s) that stops at the time `end` (s).
fn moving_until(end: f64, velocity: [f64; 3]) -> Motion {
    Motion::Move { velocity, angular_velocity: [0.0; 3], pivot: [0.0; 3], end: Some(end) }
}
