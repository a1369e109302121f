//! Subdivision of prescribed motion into nearly straight pieces.
//!
//! A step moves prescribed nodes on a straight path, and collision detection tests this chord. A blade that rotates
//! by a radian in a step would miss obstacles on its arc. A step is therefore cut if the sagitta, or a turning
//! point between two keyframes, deviates from the chord by more than a quarter of `d_hat`. Straight or slow motion
//! is not cut, and only bodies that may collide with a rotating one take the smaller steps.

use resile_contact::CollisionMesh;
use resile_math::Vec3;
use resile_system::{Bend, Body, Motion, Prescribed, Samples, VelocityJump};
use std::sync::Arc;

/// Largest distance between chord and arc, relative to `d_hat`. The barrier acts over `d_hat`, so this error changes
/// forces by a fraction of their range.
const MAX_RELATIVE_SAGITTA: f64 = 0.25;

/// Maximum number of pieces of a step, as needed by a rotor of half a metre that makes forty revolutions in a step,
/// at a `d_hat` of a millimetre.
const MAX_PIECES: usize = 4096;

/// Text about the angle (rad) for the message of [`TooFast`]; empty without rotation.
pub fn turning(angle: f64) -> String {
    if angle == 0.0 { String::new() } else { format!(" and turns by {angle:.2} rad") }
}

/// A body moves on an arc that requires too many pieces.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "\"{body}\" moves at up to {speed:.4} m/s{} in a step of {step:.3e} s: \
     its path would be cut into more than {MAX_PIECES} pieces to stay within {limit:.1e} m, a quarter of \
     contact.d_hat, of their chords; choose a smaller time.step, a larger contact.d_hat or a slower motion",
    turning(*angle)
)]
pub struct TooFast {
    /// Name of the body.
    pub body: String,
    /// Largest speed of its points at the start of the step (m/s).
    pub speed: f64,
    /// Angle of its rotation in the step (rad).
    pub angle: f64,
    /// Length of the step (s).
    pub step: f64,
    /// Largest permitted distance between chord and arc (m).
    pub limit: f64,
}

/// Prescribed motions of a body. Empty for most bodies.
#[derive(Debug, Clone, Default)]
pub struct PrescribedMotions {
    /// Name of the body.
    name: String,
    /// The motions of its points; empty if no node moves.
    point_motions: Vec<PointMotion>,
}

/// Points with a common motion.
#[derive(Debug, Clone)]
enum PointMotion {
    /// A rigid motion, and the positions of the points in its start pose (m).
    Rigid(Motion, Vec<Vec3>),
    /// Motion by samples of each point.
    Sampled(Arc<Samples>),
}

impl PointMotion {
    /// The deviation from the chord between two times (s).
    fn bend(&self, times: [f64; 2]) -> Bend {
        match self {
            Self::Rigid(motion, points) => motion.bend(points, times),
            Self::Sampled(samples) => samples.bend(0..samples.point_count(), times),
        }
    }

    /// Largest speed of a point (m/s) at a time (s).
    fn speed(&self, time: f64) -> f64 {
        match self {
            Self::Rigid(motion, points) => {
                let speeds = points.iter().map(|x0| motion.velocity(*x0, time).length());
                speeds.fold(0.0, f64::max)
            }
            Self::Sampled(samples) => samples.fastest(time),
        }
    }

    /// Angle (rad) of the common rotation of the points between two times (s); zero for samples.
    fn angle(&self, times: [f64; 2]) -> f64 {
        match self {
            Self::Rigid(motion, _) => motion.angle(times),
            Self::Sampled(_) => 0.0,
        }
    }

    /// Starts (s) of the steps of length `h` (s) in which the motion may be faster than before.
    fn candidate_starts(&self, h: f64) -> Vec<f64> {
        // Start of the step whose middle is that of an interval.
        let centred = |from: f64, to: f64| 0.5 * (from + to - h);
        match self {
            Self::Rigid(Motion::Steady { start, .. }, _) => vec![*start],
            Self::Rigid(Motion::Keyframes(keyframes), _) => {
                let keys = keyframes.keys().windows(2);
                keys.map(|k| centred(k[0].time, k[1].time)).collect()
            }
            Self::Rigid(Motion::Fixed | Motion::Sampled { .. }, _) => Vec::new(),
            Self::Rigid(Motion::Displaced(_), _) => vec![0.0],
            // The largest deviation is at samples or between them.
            Self::Sampled(samples) => {
                let between_samples = samples.times().windows(2).map(|t| centred(t[0], t[1]));
                between_samples.chain(samples.times().iter().map(|time| time - 0.5 * h)).collect()
            }
        }
    }
}

impl PrescribedMotions {
    /// Prescribed motions of the nodes of a body. If all nodes have the same motion, the corners of the bounding
    /// box of the surface replace the nodes, since these need not enclose the surface.
    pub fn new(body: &Body, surface: &CollisionMesh) -> Self {
        let moving: Vec<&Prescribed> =
            body.prescribed.iter().filter(|hold| !hold.motion.is_fixed()).collect();
        let Some(first) = moving.first() else { return Self::default() };
        let has_common_motion = body.prescribed.iter().all(|hold| hold.motion == first.motion);
        let is_rigid = first.motion.pose(0.0).is_some();
        let point_motions = if has_common_motion && is_rigid && body.is_held() {
            let mut starts = vec![Vec3::ZERO; body.node_count()];
            body.prescribed.iter().for_each(|hold| starts[hold.node] = hold.start);
            vec![PointMotion::Rigid(first.motion.clone(), corners(surface, &starts))]
        } else {
            node_motions(&moving)
        };
        Self { name: body.name.clone(), point_motions }
    }

    /// Whether no node moves.
    pub fn is_empty(&self) -> bool {
        self.point_motions.is_empty()
    }

    /// The largest deviation of a point from its chord between two times (s).
    fn bend(&self, times: [f64; 2]) -> Bend {
        self.point_motions.iter().map(|motion| motion.bend(times)).fold(Bend::default(), Bend::or)
    }

    /// The error for a step between these times that requires too many pieces.
    pub fn too_fast(&self, times: [f64; 2], limit: f64) -> TooFast {
        TooFast {
            body: self.name.clone(),
            speed: self
                .point_motions
                .iter()
                .map(|motion| motion.speed(times[0]))
                .fold(0.0, f64::max),
            angle: self.point_motions.iter().map(|motion| motion.angle(times)).fold(0.0, f64::max),
            step: times[1] - times[0],
            limit,
        }
    }

    /// Candidates for the step of length `h` with the fastest motion: their start times (s), ascending.
    pub fn fastest_steps(&self, h: f64) -> Vec<f64> {
        let mut starts: Vec<f64> =
            self.point_motions.iter().flat_map(|motion| motion.candidate_starts(h)).collect();
        starts.sort_by(f64::total_cmp);
        starts.dedup();
        starts
    }
}

/// The motions of these nodes one by one, except that common samples of consecutive nodes are listed once.
fn node_motions(moving: &[&Prescribed]) -> Vec<PointMotion> {
    let mut motions: Vec<PointMotion> = Vec::new();
    for hold in moving {
        let Motion::Sampled { samples, .. } = &hold.motion else {
            motions.push(PointMotion::Rigid(hold.motion.clone(), vec![hold.start]));
            continue;
        };
        let has_same_samples = |motion: &PointMotion| match motion {
            PointMotion::Sampled(known) => Arc::ptr_eq(known, samples),
            PointMotion::Rigid(..) => false,
        };
        if !motions.last().is_some_and(has_same_samples) {
            motions.push(PointMotion::Sampled(samples.clone()));
        }
    }
    motions
}

/// The corners of the bounding box of a surface whose body has its nodes at `starts` (m).
fn corners(surface: &CollisionMesh, starts: &[Vec3]) -> Vec<Vec3> {
    let points = surface.points(starts);
    let empty_box = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    let bounds = points.iter().fold(empty_box, |[low, high], x| [low.min(*x), high.max(*x)]);
    // Bit `axis` of the corner index chooses the lower or the upper bound.
    let coordinate = |k: usize, axis: usize| bounds[(k >> axis) & 1][axis];
    (0..8).map(|k| Vec3::new(coordinate(k, 0), coordinate(k, 1), coordinate(k, 2))).collect()
}

/// The error for the body with the largest deviation from its chord.
pub fn fastest(bodies: &[&PrescribedMotions], times: [f64; 2], limit: f64) -> TooFast {
    let deviations = bodies.iter().map(|body| (body.bend(times).bound, body));
    let (_, fastest_body) = deviations
        .reduce(
            |(bound, body), (other_bound, other)| {
                if other_bound > bound { (other_bound, other) } else { (bound, body) }
            },
        )
        .expect("a motion is prescribed");
    fastest_body.too_fast(times, limit)
}

/// Largest permitted distance between chord and arc (m).
pub fn limit(d_hat: f64) -> f64 {
    MAX_RELATIVE_SAGITTA * d_hat
}

/// End times (s) of the pieces into which the interval `times` must be cut so that no point of `bodies` deviates
/// from its chord by more than `limit` (m). The last one is bitwise equal to `times[1]`. `None` if there are too
/// many pieces.
///
/// The cut is at a turning point if that deviates from the chord, otherwise in the middle. A steady rotation is cut
/// into equal pieces.
pub fn pieces(bodies: &[&PrescribedMotions], times: [f64; 2], limit: f64) -> Option<Vec<f64>> {
    let mut ends = Vec::new();
    let moving: Vec<&PrescribedMotions> =
        bodies.iter().copied().filter(|body| !body.is_empty()).collect();
    subdivide(&moving, times, limit, &mut ends).then_some(ends)
}

/// Appends the end times of the pieces of an interval to `ends`, in order; returns false if there are too many or a
/// motion is not finite.
fn subdivide(
    bodies: &[&PrescribedMotions],
    [from, to]: [f64; 2],
    limit: f64,
    ends: &mut Vec<f64>,
) -> bool {
    if ends.len() >= MAX_PIECES {
        return false;
    }
    let bend = bodies.iter().map(|body| body.bend([from, to])).fold(Bend::default(), Bend::or);
    let cut = match bend.jump {
        // A turning point near the chord may be arbitrarily near to an end of the interval. The condition limits how
        // short pieces become.
        Some(VelocityJump { time, deviation }) if deviation > 0.5 * limit => time,
        _ => 0.5 * (from + to),
    };
    if !bend.bound.is_finite() {
        return false;
    }
    if bend.bound <= limit || cut <= from || to <= cut {
        ends.push(to);
        return true;
    }
    subdivide(bodies, [from, cut], limit, ends) && subdivide(bodies, [cut, to], limit, ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_system::{Interpolation, Key, Keyframes};

    fn prescribed(motion: Motion, points: &[Vec3]) -> PrescribedMotions {
        let point_motions = vec![PointMotion::Rigid(motion, points.to_vec())];
        PrescribedMotions { name: "rotor".to_owned(), point_motions }
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
