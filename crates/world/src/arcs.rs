//! Prescribed motion, cut into pieces of which each is as good as straight.
//!
//! A step takes what is prescribed straight from place to place, and collision detection looks at
//! that chord: a blade that turns by a radian in a step would pass over what lies on its
//! arc. So a step is cut where the sagitta, or a turning point between two keys, is more than
//! a quarter of `d_hat` off the chord. What moves straight or slowly is not cut, and only
//! bodies that may meet what turns take the smaller steps.

use resile_contact::CollisionMesh;
use resile_math::Vec3;
use resile_system::{Bend, Body, Motion, Prescribed, Samples};
use std::sync::Arc;

/// How far chord and arc may be apart, over `d_hat`. The barrier is as wide as `d_hat`, so what
/// the chord leaves out moves a force by a part of its range.
const SHARE_OF_D_HAT: f64 = 0.25;

/// Into how many pieces a step may be cut: a rotor of half a metre that makes forty turns in
/// a step needs as many at a `d_hat` of a millimetre.
const MOST_PIECES: usize = 4096;

/// Words about an angle (rad); none about what does not turn.
pub fn turning(angle: f64) -> String {
    if angle == 0.0 { String::new() } else { format!(" and turns by {angle:.2} rad") }
}

/// A body that moves on an arc which would take too many pieces.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "\"{body}\" moves at up to {speed:.4} m/s{} in a step of {step:.3e} s: \
     its path would be cut into more than {MOST_PIECES} pieces to stay within {limit:.1e} m, a quarter of \
     contact.d_hat, of their chords; choose a smaller time.step, a larger contact.d_hat or a slower motion",
    turning(*angle)
)]
pub struct TooFast {
    /// Its name.
    pub body: String,
    /// The largest speed of its points where the step begins (m/s).
    pub speed: f64,
    /// How far it turns in the step (rad).
    pub angle: f64,
    /// The step (s).
    pub step: f64,
    /// How far chord and arc may be apart (m).
    pub limit: f64,
}

/// What of a body is prescribed. Empty for most bodies.
#[derive(Debug, Clone, Default)]
pub struct PrescribedMotions {
    name: String,
    moved: Vec<Moved>,
}

/// Points that go together: on the straight path of a step all of them are equally far.
#[derive(Debug, Clone)]
enum Moved {
    /// Rigidly: the motion, and where the points are at its start pose (m).
    Rigid(Motion, Vec<Vec3>),
    /// Through samples of their own.
    Sampled(Arc<Samples>),
}

impl Moved {
    fn bend(&self, times: [f64; 2]) -> Bend {
        match self {
            Self::Rigid(motion, points) => motion.bend(points, times),
            Self::Sampled(samples) => samples.bend(0..samples.point_count(), times),
        }
    }

    /// The largest speed of a point (m/s).
    fn speed(&self, time: f64) -> f64 {
        match self {
            Self::Rigid(motion, points) => {
                let speeds = points.iter().map(|x0| motion.velocity(*x0, time).length());
                speeds.fold(0.0, f64::max)
            }
            Self::Sampled(samples) => samples.fastest(time),
        }
    }

    /// The angle (rad) by which they turn as one.
    fn angle(&self, times: [f64; 2]) -> f64 {
        match self {
            Self::Rigid(motion, _) => motion.angle(times),
            Self::Sampled(_) => 0.0,
        }
    }

    /// When it may be faster than before, for steps of `h` (s).
    fn busy(&self, h: f64) -> Vec<f64> {
        let middle = |from: f64, to: f64| 0.5 * (from + to - h);
        match self {
            Self::Rigid(Motion::Steady { start, .. }, _) => vec![*start],
            Self::Rigid(Motion::Keyframes(keyframes), _) => {
                let keys = keyframes.keys().windows(2);
                keys.map(|k| middle(k[0].time, k[1].time)).collect()
            }
            Self::Rigid(Motion::Fixed | Motion::Sampled { .. }, _) => Vec::new(),
            // Bent at samples, or between them.
            Self::Sampled(samples) => {
                let at = samples.times().windows(2).map(|t| middle(t[0], t[1]));
                at.chain(samples.times().iter().map(|time| time - 0.5 * h)).collect()
            }
        }
    }
}

impl PrescribedMotions {
    /// The prescribed nodes of a body; the corners of the box around its surface where all of it is
    /// moved alike, for its nodes are not around all of it.
    pub fn of(body: &Body, surface: &CollisionMesh) -> Self {
        let moving: Vec<&Prescribed> =
            body.prescribed.iter().filter(|node| !node.motion.is_fixed()).collect();
        let Some(first) = moving.first() else { return Self::default() };
        let as_one = body.prescribed.iter().all(|node| node.motion == first.motion);
        if as_one && body.is_held() {
            let mut starts = vec![Vec3::ZERO; body.node_count()];
            body.prescribed.iter().for_each(|node| starts[node.node] = node.start);
            let moved = vec![Moved::Rigid(first.motion.clone(), corners(surface, &starts))];
            return Self { name: body.name.clone(), moved };
        }
        let mut moved: Vec<Moved> = Vec::new();
        for node in moving {
            match &node.motion {
                Motion::Sampled { samples, .. } => {
                    let is_known =
                        |of: &Moved| matches!(of, Moved::Sampled(own) if Arc::ptr_eq(own, samples));
                    // Points that go together are neighbours, so the last one tells.
                    if !moved.last().is_some_and(is_known) {
                        moved.push(Moved::Sampled(samples.clone()));
                    }
                }
                motion => moved.push(Moved::Rigid(motion.clone(), vec![node.start])),
            }
        }
        Self { name: body.name.clone(), moved }
    }

    /// Whether nothing moves.
    pub fn is_empty(&self) -> bool {
        self.moved.is_empty()
    }

    fn bend(&self, times: [f64; 2]) -> Bend {
        self.moved.iter().map(|moved| moved.bend(times)).fold(Bend::default(), Bend::or)
    }

    /// What there is to say of a step between these times that would take too many pieces.
    pub fn too_fast(&self, times: [f64; 2], limit: f64) -> TooFast {
        TooFast {
            body: self.name.clone(),
            speed: self.moved.iter().map(|moved| moved.speed(times[0])).fold(0.0, f64::max),
            angle: self.moved.iter().map(|moved| moved.angle(times)).fold(0.0, f64::max),
            step: times[1] - times[0],
            limit,
        }
    }

    /// One step after another in which the motion is as fast as it ever is: their starts (s),
    /// for steps of `h`.
    pub fn busiest(&self, h: f64) -> Vec<f64> {
        let mut starts: Vec<f64> = self.moved.iter().flat_map(|moved| moved.busy(h)).collect();
        starts.sort_by(f64::total_cmp);
        starts.dedup();
        starts
    }
}

fn corners(surface: &CollisionMesh, starts: &[Vec3]) -> Vec<Vec3> {
    let points = surface.points(starts);
    let empty = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    let ends = points.iter().fold(empty, |[low, high], x| [low.min(*x), high.max(*x)]);
    let pick = |k: usize, axis: usize| ends[(k >> axis) & 1][axis];
    (0..8).map(|k| Vec3::new(pick(k, 0), pick(k, 1), pick(k, 2))).collect()
}

/// Of those that are prescribed the one that is farthest off its chord.
pub fn fastest(bodies: &[&PrescribedMotions], times: [f64; 2], limit: f64) -> TooFast {
    let all = bodies.iter().map(|body| (body.bend(times).bound, body));
    let farthest = all.reduce(|a, b| if b.0 > a.0 { b } else { a });
    farthest.expect("something is prescribed").1.too_fast(times, limit)
}

/// How far chord and arc may be apart (m).
pub fn limit(d_hat: f64) -> f64 {
    SHARE_OF_D_HAT * d_hat
}

/// The ends (s) of the pieces into which the time between two others has to be cut, so that
/// nothing of `bodies` is farther than `limit` (m) from its chord; the last is `times[1]` to the
/// bit. `None` if they are too many.
///
/// Where a turning point is what is off the chord, the cut is there, else in the middle: a
/// steady turn is cut into equal pieces.
pub fn pieces(bodies: &[&PrescribedMotions], times: [f64; 2], limit: f64) -> Option<Vec<f64>> {
    let mut ends = Vec::new();
    let moving: Vec<&PrescribedMotions> =
        bodies.iter().copied().filter(|body| !body.is_empty()).collect();
    cut(&moving, times, limit, &mut ends).then_some(ends)
}

/// Whether there was room for all of them.
fn cut(
    bodies: &[&PrescribedMotions],
    [from, to]: [f64; 2],
    limit: f64,
    ends: &mut Vec<f64>,
) -> bool {
    if ends.len() >= MOST_PIECES {
        return false;
    }
    let bend = bodies.iter().map(|body| body.bend([from, to])).fold(Bend::default(), Bend::or);
    let middle = match bend.jump {
        // One nearer to the chord may be as near to an end of it: no piece gets shorter than
        // the way of half the limit takes.
        Some((time, off)) if off > 0.5 * limit => time,
        _ => 0.5 * (from + to),
    };
    if !bend.bound.is_finite() {
        return false;
    }
    if bend.bound <= limit || middle <= from || to <= middle {
        ends.push(to);
        return true;
    }
    cut(bodies, [from, middle], limit, ends) && cut(bodies, [middle, to], limit, ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_system::{Interpolation, Key, Keyframes};

    fn prescribed(motion: Motion, points: &[Vec3]) -> PrescribedMotions {
        let moved = vec![Moved::Rigid(motion, points.to_vec())];
        PrescribedMotions { name: "rotor".to_owned(), moved }
    }

    fn turning(omega: f64) -> PrescribedMotions {
        let motion = Motion::Steady {
            start: 0.0,
            end: f64::INFINITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::Y * omega,
            pivot: Vec3::ZERO,
        };
        prescribed(motion, &[Vec3::X * 0.5])
    }

    #[test]
    fn a_steady_turn_is_cut_into_equal_pieces_as_short_as_the_limit_asks() {
        let (h, limit) = (1.0 / 120.0, 2.5e-4);
        let ends = pieces(&[&turning(150.0)], [0.0, h], limit).expect("they are few");
        assert_eq!(ends.len(), 32);
        assert_eq!(ends.last(), Some(&h));
        for (k, end) in (1..).zip(&ends) {
            assert!((end - h * f64::from(k) / 32.0).abs() < 1e-17);
        }
        let sagitta = |pieces: f64| 0.5 * (1.0 - (75.0 * h / pieces).cos());
        assert!(sagitta(32.0) < limit && sagitta(16.0) > limit);
        assert_eq!(pieces(&[&turning(7.0)], [0.0, h], limit), Some(vec![h]), "slow");
        assert_eq!(pieces(&[], [0.0, h], limit), Some(vec![h]));
    }

    #[test]
    fn a_punch_within_a_step_is_cut_at_its_turning_point() {
        let key = |time, y| Key { time, translation: Vec3::Y * y, rotation: Vec3::ZERO };
        let keys = vec![key(0.011, 0.0), key(0.013, -0.1), key(0.018, 0.0)];
        let keyframes = Keyframes::new(Vec3::ZERO, Interpolation::Linear, keys).expect("in order");
        let punch = prescribed(Motion::Keyframes(Arc::new(keyframes)), &[Vec3::ZERO]);
        assert_eq!(pieces(&[&punch], [0.01, 0.02], 2.5e-4), Some(vec![0.013, 0.02]));
    }

    #[test]
    fn too_many_pieces_are_refused_and_the_body_is_named() {
        let (fast, times) = (turning(1e6), [0.0, 0.01]);
        assert_eq!(pieces(&[&fast], times, 2.5e-4), None);
        assert_eq!(pieces(&[&turning(1e300)], times, 2.5e-4), None);
        let said = fast.too_fast(times, 2.5e-4).to_string();
        assert!(said.contains("\"rotor\" moves at up to 500000.0000 m/s"), "{said}");
        assert!(said.contains("turns by 10000.00 rad"), "{said}");
    }
}
