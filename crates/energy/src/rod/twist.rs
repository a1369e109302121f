//! Twist of rods that are closed, or clamped at both ends.

use super::error::positive;
use super::turn::{Turn, at_nodes, blocks_at_nodes};
use super::{RodError, writhing};
use crate::gather::Gather;
use resile_mesh::{Polylines, Strand, StrandEnds};
use resile_system::{Energy, Hessian, Psd, Vec3};
use std::f64::consts::TAU;

/// `P(x) = sum C Theta^2 / (2 L)`, `Theta = 2 pi (turns - (Wr(x) - Wr(rest)))`: twist of rods of the length L at
/// rest that are closed or clamped at both ends, there between the middles of the pieces that are held, with the torsional rigidity C (N m^2).
///
/// The linking number of the rod's axis and of a line drawn on its side is that of its twist and its writhe
/// together (Călugăreanu 1959, White 1969, Fuller 1971), and what does not pass through itself keeps
/// it. So what the writhe changes by, the twist changes by the other way; and as it spreads evenly (Bergou et
/// al. 2008, section 5.1), it is one number. `turns`, which need not be whole, is the twist of the shape as given,
/// right-handed. The writhe is known at all positions, so that nothing has to be remembered, but it jumps by 2 where a
/// rod crosses itself: only contact makes this an energy.
///
/// A rod that is [clamped](OpenEnds::Clamped) has the writhe of the curve that goes on straight from both its
/// ends to infinity. Its first and its last piece have to be held, and keep
/// their directions: a clamp that turns would need to know how often it has. A rod that passes over the line
/// in which a clamp holds it loses or gains two turns, as a rope does that is lifted over its hook.
///
/// The gradient is exact, by the curvature binormals (Bergou et al. 2008, eq. 9). The second derivatives are
/// `-C Theta / L` times those of the writhe, which couple neighbours alone, and `C / L` times the square of the
/// gradient of Theta, which couples all nodes. That last part is positive and *left out* of the
/// Hessian, exact or clamped. It is zero for plane curves; elsewhere Newton's method needs more iterations:
/// none more where the ring of `scenes/rods/ring.ron` writhes, damped, twice as many where a ring writhes
/// undamped, each of them cheaper as the matrix stays sparse.
///
/// A [motor](Motor) adds to the turns as time goes on. Its work is that of its moment, `C Theta / L`, on the angle by
/// which it turns.
///
/// Values and gradients are O(n^2) for a rod of n nodes, with a small constant: 1 ms for 250 nodes.
#[derive(Debug, Clone)]
pub struct RodTwist {
    rods: Vec<TwistedRod>,
    corners: Vec<[u32; 3]>,
    /// The rod of each corner.
    rod_of: Vec<u32>,
    gather: Gather<3>,
    motor: Option<Motor>,
    /// By how much the motor has turned each rod (rad), at the time last set.
    turned: f64,
}

/// What turns one clamp of each rod about its axis, at a constant rate between two times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motor {
    /// Turns in a second (1/s), right-handed like those of the rod.
    pub rate: f64,
    /// When it begins (s).
    pub start: f64,
    /// When it ends (s); infinite if it does not.
    pub end: f64,
}

impl Motor {
    /// By how much (rad) it has turned at `time` (s).
    fn angle(&self, time: f64) -> f64 {
        TAU * self.rate * (time.min(self.end) - self.start).max(0.0)
    }
}

/// What the ends of open rods may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenEnds {
    /// At least one can turn, until no twist is left.
    Free,
    /// The first and the last piece are held in their directions, and cannot turn around them.
    Clamped,
}

#[derive(Debug, Clone)]
struct TwistedRod {
    nodes: Vec<u32>,
    /// Whether its ends are joined, or clamped.
    ends: StrandEnds,
    /// `C / L` (J).
    stiffness: f64,
    /// Twist and writhe together (rad).
    link: f64,
}

impl TwistedRod {
    /// What writhing leaves of the turns (rad).
    fn twist(&self, x: &[Vec3], turned: f64) -> f64 {
        self.link + turned - self.writhe(x)
    }

    /// That of the closed curve (rad).
    fn writhe(&self, x: &[Vec3]) -> f64 {
        let points: Vec<Vec3> = self.nodes.iter().map(|&node| x[node as usize]).collect();
        match self.ends {
            StrandEnds::Joined => writhing::angle(&points),
            StrandEnds::Free => writhing::angle_between_rays(&points),
        }
    }
}

impl RodTwist {
    /// Twist of rods, each with `turns` of it as given, with the rigidity C (N m^2). Open ones have none
    /// unless they are clamped.
    ///
    /// # Errors
    /// A rigidity that is not positive, turns that are no number, curves that are none; clamped rods of
    /// fewer than two pieces.
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
        let mut made = Self {
            rods: vec![],
            corners: vec![],
            rod_of: vec![],
            gather: Gather::of(&[]),
            motor: None,
            turned: 0.0,
        };
        let is_twisted = |strand: &&Strand| strand.is_closed() || open == OpenEnds::Clamped;
        for strand in rods.strands.iter().filter(is_twisted) {
            if strand.nodes.len() < 4 && !strand.is_closed() {
                return Err(RodError::TooShort { nodes: strand.nodes.len() });
            }
            let stiffness = rigidity / twisted_length(strand, &rods.positions);
            let nodes = strand.nodes.clone();
            let mut rod = TwistedRod { nodes, ends: strand.ends, stiffness, link: 0.0 };
            let writhe = rod.writhe(&rods.positions);
            if !writhe.is_finite() {
                return Err(RodError::Crossed);
            }
            rod.link = TAU * turns + writhe;
            made.corners.extend(strand.corners());
            made.rod_of.resize(made.corners.len(), made.rods.len() as u32);
            made.rods.push(rod);
        }
        made.gather = Gather::of(&made.corners);
        Ok(made)
    }

    /// The same rods, one clamp of each turned by a motor.
    ///
    /// # Errors
    /// A rate or a start that is not finite; an end that is no time.
    pub fn driven(self, motor: Motor) -> Result<Self, RodError> {
        let Motor { rate, start, end } = motor;
        if !(rate.is_finite() && start.is_finite() && end >= start) {
            return Err(RodError::Motor { rate, start, end });
        }
        Ok(Self { motor: Some(motor), turned: motor.angle(0.0), ..self })
    }

    /// Number of rods that have twist.
    pub fn rods(&self) -> usize {
        self.rods.len()
    }

    /// The twist of each of them at `x`, in turns.
    pub fn turns(&self, x: &[Vec3]) -> Vec<f64> {
        self.rods.iter().map(|rod| rod.twist(x, self.turned) / TAU).collect()
    }

    /// The moment (N m) of each corner's rod times `scale`.
    fn moments(&self, x: &[Vec3], scale: f64) -> Vec<f64> {
        let of_rods: Vec<f64> =
            self.rods.iter().map(|rod| scale * rod.stiffness * rod.twist(x, self.turned)).collect();
        self.rod_of.iter().map(|&rod| of_rods[rod as usize]).collect()
    }

    fn turn(&self, x: &[Vec3], number: usize) -> Turn {
        Turn::new(self.corners[number].map(|node| x[node as usize]))
    }
}

/// The length (m) on which a rod twists: a clamp holds its piece in the middle.
fn twisted_length(strand: &Strand, x: &[Vec3]) -> f64 {
    let of_corner = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|node| x[node as usize]);
        0.5 * (a.distance(b) + b.distance(c))
    };
    strand.corners().map(of_corner).sum()
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

    fn set_time(&mut self, time: f64) {
        self.turned = self.motor.map_or(0.0, |motor| motor.angle(time));
    }

    fn next_change(&self, time: f64) -> f64 {
        let changes = self.motor.into_iter().flat_map(|motor| [motor.start, motor.end]);
        changes.filter(|change| *change > time).fold(f64::INFINITY, f64::min)
    }

    /// `(M_0 + M_1)/2 (theta_1 - theta_0)` with the moments `M = C Theta / L` at both ends: the trapezoidal rule, exact
    /// where the twist changes at a constant rate.
    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        let Some(motor) = self.motor else { return 0.0 };
        let [before, after] = times.map(|time| motor.angle(time));
        if before == after {
            return 0.0;
        }
        let twice =
            |rod: &TwistedRod| rod.stiffness * (rod.twist(from, before) + rod.twist(to, after));
        0.5 * (after - before) * self.rods.iter().map(twice).sum::<f64>()
    }

    fn value(&self, x: &[Vec3]) -> f64 {
        let energy = |rod: &TwistedRod| 0.5 * rod.stiffness * rod.twist(x, self.turned).powi(2);
        let sum: f64 = self.rods.iter().map(energy).sum();
        // Positions that are not finite.
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let moments = self.moments(x, scale);
        self.gather.add_gradients(out, |number| {
            at_nodes(self.turn(x, number).writhing().map(|w| w * -moments[number]))
        });
    }

    fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        let moments = self.moments(x, 1.0);
        self.gather.add_hessians(out, |number| {
            let by_edges = self.turn(x, number).writhing_by_edges();
            let scaled = by_edges.map(|row| row.map(|block| block * -moments[number]));
            blocks_at_nodes(&scaled, psd)
        });
    }
}
