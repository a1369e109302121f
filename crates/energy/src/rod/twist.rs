//! Twist of rods that are closed, or clamped at both ends.

use super::error::positive;
use super::turn::{Turn, at_nodes, blocks_at_nodes};
use super::{RodError, writhing};
use crate::gather::Gather;
use resile_mesh::{Polylines, Strand, StrandEnds};
use resile_system::{Energy, Hessian, Psd, Vec3};
use std::f64::consts::TAU;

/// `P(x) = sum C Theta^2 / (2 L)`, `Theta = 2 pi (turns - (Wr(x) - Wr(rest)))`: twist of rods that are closed or
/// clamped at both ends, with the torsional rigidity C (N m^2). L is the rest length, between the midpoints of the
/// held segments for a clamped rod.
///
/// The linking number of the axis and of a line on the surface of the rod is the sum of twist and writhe (Călugăreanu
/// 1959, White 1969, Fuller 1971), and is constant unless the rod passes through itself. A change of the
/// writhe is therefore balanced by the twist, which is uniform (Bergou et al. 2008, section 5.1) and hence one
/// number. `turns`, which need not be an integer, is the right-handed twist of the given shape. The writhe is a
/// function of positions, so there are no history variables, but it jumps by 2 where a rod crosses itself: P is
/// continuous only if contact prevents this.
///
/// The writhe of a [clamped](OpenEnds::Clamped) rod is that of its curve extended straight to infinity at both
/// ends. Its first and last segment must be held in constant directions, because the rotation of a clamp is not
/// tracked. A rod that passes over the extended axis of a clamp loses or gains two turns, like a rope that is lifted
/// over its hook.
///
/// The gradient is exact, by the curvature binormals (Bergou et al. 2008, eq. 9). The second derivatives are
/// `-C Theta / L` times those of the writhe, which couple neighbours only, and `C / L` times the outer product of the
/// gradient of Theta, which couples all nodes. The latter part is positive semi-definite, and the Hessian *omits* it,
/// exact or clamped. It is zero for plane curves; for other curves Newton's method may need more iterations (twice as
/// many for an undamped ring that buckles, none more for `scenes/rods/ring.ron`), but the matrix stays sparse.
///
/// A [motor](Motor) increases the turns with time. Its work is the integral of its moment, `C Theta / L`, over its
/// angle.
///
/// Values and gradients are O(n^2) for a rod of n nodes, with a small constant: 1 ms for 250 nodes.
#[derive(Debug, Clone)]
pub struct RodTwist {
    rods: Vec<TwistedRod>,
    corners: Vec<[u32; 3]>,
    /// Index of the rod of each corner.
    corner_rods: Vec<u32>,
    gather: Gather<3>,
    motor: Option<Motor>,
}

/// Rotates one clamp of each rod about its axis, at a constant rate between two times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motor {
    /// Turns per second (1/s), right-handed like those of the rod.
    pub rate: f64,
    /// Start time (s).
    pub start: f64,
    /// End time (s), may be infinite.
    pub end: f64,
}

impl Motor {
    /// Angle (rad) at `time` (s).
    fn angle(&self, time: f64) -> f64 {
        TAU * self.rate * (time.min(self.end) - self.start).max(0.0)
    }
}

/// The boundary conditions of the ends of open rods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenEnds {
    /// At least one end can rotate, so there is no twist.
    Free,
    /// The first and last segment are held in direction and cannot rotate about it.
    Clamped,
}

/// Smallest number of nodes of a clamped rod: a held segment at each end and a free one between them.
const MIN_CLAMPED_NODES: usize = 4;

/// A rod that has twist.
#[derive(Debug, Clone)]
struct TwistedRod {
    nodes: Vec<u32>,
    /// Whether the rod is closed or clamped.
    ends: StrandEnds,
    /// `C / L` (J).
    stiffness: f64,
    /// Sum of twist and writhe (rad).
    link: f64,
}

impl TwistedRod {
    /// A closed or clamped rod with nodes at `x` (m), initially twisted by `turns` revolutions.
    fn new(strand: &Strand, x: &[Vec3], rigidity: f64, turns: f64) -> Result<Self, RodError> {
        if strand.nodes.len() < MIN_CLAMPED_NODES && !strand.is_closed() {
            return Err(RodError::TooShort { nodes: strand.nodes.len() });
        }
        let stiffness = rigidity / twisted_length(strand, x);
        let rod = Self { nodes: strand.nodes.clone(), ends: strand.ends, stiffness, link: 0.0 };
        let writhe = rod.writhe(x);
        match writhe.is_finite() {
            true => Ok(Self { link: TAU * turns + writhe, ..rod }),
            false => Err(RodError::Crossed),
        }
    }

    /// The twist (rad) at `x`: link plus the angle of the motor, minus the writhe.
    fn twist(&self, x: &[Vec3], motor_angle: f64) -> f64 {
        self.link + motor_angle - self.writhe(x)
    }

    /// 2 pi times the writhe of the (extended) curve.
    fn writhe(&self, x: &[Vec3]) -> f64 {
        let points: Vec<Vec3> = self.nodes.iter().map(|&node| x[node as usize]).collect();
        match self.ends {
            StrandEnds::Joined => writhing::angle(&points),
            StrandEnds::Free => writhing::angle_between_rays(&points),
        }
    }
}

impl RodTwist {
    /// Twist of rods with the torsional rigidity C (N m^2). Each rod is initially twisted by `turns` revolutions. Open
    /// rods have no twist unless they are clamped.
    ///
    /// # Errors
    /// A rigidity that is not positive, turns that are not finite, invalid curves; clamped rods of fewer than three
    /// segments; rods that cross themselves.
    pub fn new(
        rods: &Polylines,
        rigidity: f64,
        turns: f64,
        open: OpenEnds,
    ) -> Result<Self, RodError> {
        rods.check()?;
        positive("the torsional rigidity", rigidity, "N m^2")?;
        if !turns.is_finite() {
            return Err(RodError::Turns { turns });
        }
        let (mut twisted, mut corners, mut corner_rods) = (Vec::new(), Vec::new(), Vec::new());
        let is_twisted = |strand: &&Strand| strand.is_closed() || open == OpenEnds::Clamped;
        for strand in rods.strands.iter().filter(is_twisted) {
            corners.extend(strand.corners());
            corner_rods.resize(corners.len(), twisted.len() as u32);
            twisted.push(TwistedRod::new(strand, &rods.positions, rigidity, turns)?);
        }
        let gather = Gather::unchecked(&corners);
        Ok(Self { rods: twisted, corners, corner_rods, gather, motor: None })
    }

    /// Adds a motor at one clamp of each rod.
    ///
    /// # Errors
    /// A rate or start that is not finite; an end before the start.
    pub fn driven(self, motor: Motor) -> Result<Self, RodError> {
        let Motor { rate, start, end } = motor;
        if !(rate.is_finite() && start.is_finite() && end >= start) {
            return Err(RodError::Motor { rate, start, end });
        }
        Ok(Self { motor: Some(motor), ..self })
    }

    /// Multiplies the rigidity by a factor at each node. The moment remains uniform along a rod, so its stiffness
    /// is that of springs in series. `rest` are the rods at rest.
    ///
    /// # Panics
    /// If a node of the rods has no factor.
    #[must_use]
    pub fn scaled(mut self, rest: &Polylines, factors: &[f64]) -> Self {
        let mut lengths = vec![[0.0; 2]; self.rods.len()];
        for (corner, rod) in self.corners.iter().zip(&self.corner_rods) {
            let [a, b, c] = corner.map(|node| rest.positions[node as usize]);
            let length = 0.5 * (a.distance(b) + b.distance(c));
            let [unscaled, scaled] = &mut lengths[*rod as usize];
            *unscaled += length;
            *scaled += length / factors[corner[1] as usize];
        }
        let rods = self.rods.iter_mut().zip(lengths);
        rods.for_each(|(rod, [unscaled, scaled])| rod.stiffness *= unscaled / scaled);
        self
    }

    /// Number of rods that have twist.
    pub fn rods(&self) -> usize {
        self.rods.len()
    }

    /// Twist of each rod with twist at `time` (s) and `x`, in turns.
    pub fn turns(&self, time: f64, x: &[Vec3]) -> Vec<f64> {
        let motor_angle = self.motor_angle(time);
        self.rods.iter().map(|rod| rod.twist(x, motor_angle) / TAU).collect()
    }

    /// The angle (rad) by which the motor has turned the ends of the rods at `time` (s).
    fn motor_angle(&self, time: f64) -> f64 {
        self.motor.map_or(0.0, |motor| motor.angle(time))
    }

    /// `scale` times the moment (N m) of the rod of each corner at `time` (s).
    fn moments(&self, time: f64, x: &[Vec3], scale: f64) -> Vec<f64> {
        let motor_angle = self.motor_angle(time);
        let rod_moments: Vec<f64> =
            self.rods.iter().map(|rod| scale * rod.stiffness * rod.twist(x, motor_angle)).collect();
        self.corner_rods.iter().map(|&rod| rod_moments[rod as usize]).collect()
    }

    /// The geometry of a corner for nodes at `x` (m).
    fn turn(&self, x: &[Vec3], corner_index: usize) -> Turn {
        Turn::new(self.corners[corner_index].map(|node| x[node as usize]))
    }
}

/// The length (m) along which a rod with nodes at `x` (m) is twisted. Of a clamped rod the outer halves of both end
/// segments are held.
fn twisted_length(strand: &Strand, x: &[Vec3]) -> f64 {
    let corner_length = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|node| x[node as usize]);
        0.5 * (a.distance(b) + b.distance(c))
    };
    strand.corners().map(corner_length).sum()
}

impl Energy for RodTwist {
    fn name(&self) -> &str {
        "twist"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn is_internal(&self) -> bool {
        self.motor.is_none()
    }

    fn next_change(&self, time: f64) -> f64 {
        let changes = self.motor.into_iter().flat_map(|motor| [motor.start, motor.end]);
        changes.filter(|change| *change > time).fold(f64::INFINITY, f64::min)
    }

    /// `(M_0 + M_1)/2 (theta_1 - theta_0)` with the moments `M = C Theta / L` at both ends: the trapezoidal rule, exact
    /// where the twist changes at a constant rate.
    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        let Some(motor) = self.motor else { return 0.0 };
        let [start_angle, end_angle] = times.map(|time| motor.angle(time));
        if start_angle == end_angle {
            return 0.0;
        }
        let moment_sum = |rod: &TwistedRod| {
            rod.stiffness * (rod.twist(from, start_angle) + rod.twist(to, end_angle))
        };
        0.5 * (end_angle - start_angle) * self.rods.iter().map(moment_sum).sum::<f64>()
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        let motor_angle = self.motor_angle(time);
        let energy = |rod: &TwistedRod| 0.5 * rod.stiffness * rod.twist(x, motor_angle).powi(2);
        let sum: f64 = self.rods.iter().map(energy).sum();
        // NaN stems from positions that are not finite.
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let moments = self.moments(time, x, scale);
        self.gather.add_gradients(out, |corner_index| {
            at_nodes(self.turn(x, corner_index).writhing().map(|w| w * -moments[corner_index]))
        });
    }

    fn add_hessian(&self, time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        let moments = self.moments(time, x, 1.0);
        self.gather.add_hessians(out, |corner_index| {
            let by_edges = self.turn(x, corner_index).writhing_by_edges();
            let scaled = by_edges.map(|row| row.map(|block| block * -moments[corner_index]));
            blocks_at_nodes(&scaled, psd)
        });
    }
}
