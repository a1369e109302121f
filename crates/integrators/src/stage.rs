//! One implicit problem, as data.

use resile_math::Vec3;
use resile_system::{CoRotation, DissipationFrame};
use std::sync::Arc;

/// A potential evaluated at `a u + (1 - a) base`.
#[derive(Debug, Clone)]
pub struct PotentialTerm {
    /// The time (s) at which the potential is evaluated.
    pub time: f64,
    /// Factor of the potential (s^2).
    pub weight: f64,
    /// The fraction `a` of the unknown in the point of evaluation.
    pub fraction: f64,
    /// The known point; not read where `fraction` is one.
    pub base: Vec<Vec3>,
}

/// Lagged dissipation, evaluated at the velocity `rate * u + shift`.
#[derive(Debug, Clone)]
pub struct Lag {
    /// The time (s) at which the dissipation is evaluated.
    pub time: f64,
    /// Factor of the dissipative force -dD/dv in the stage's equation (s^2).
    pub force_weight: f64,
    /// Derivative of the velocity with respect to the unknown (1/s).
    pub rate: f64,
    /// The velocity at `u = 0` (m/s).
    pub shift: Vec<Vec3>,
    /// The rotation of bodies to the point at which the velocity acts; see [`DissipationFrame`].
    pub co_rotation: Option<Arc<CoRotation>>,
}

impl Lag {
    /// Dissipation at `time` (s) and the mean velocity of the step, `(u - x_n) / h`, without rotation of bodies.
    pub fn mean_velocity(time: f64, force_weight: f64, x_n: &[Vec3], h: f64) -> Self {
        let shift = x_n.iter().map(|x| -*x / h).collect();
        Self { time, force_weight, rate: 1.0 / h, shift, co_rotation: None }
    }

    /// As [`mean_velocity`](Self::mean_velocity), with the rotation of bodies to the point at which the velocity acts.
    pub(crate) fn rotating(self, co_rotation: Option<Arc<CoRotation>>) -> Self {
        Self { co_rotation, ..self }
    }

    /// The frame in which dissipation is evaluated.
    pub fn frame(&self) -> DissipationFrame {
        DissipationFrame { time: self.time, co_rotation: self.co_rotation.clone() }
    }

    /// As [`mean_velocity`](Self::mean_velocity), for straightened positions; `motion_offset` (m) is the displacement
    /// by rotation and fall.
    pub(crate) fn straightened(mut self, motion_offset: &[Vec3]) -> Self {
        self.shift
            .iter_mut()
            .zip(motion_offset)
            .for_each(|(shift, offset)| *shift -= self.rate * *offset);
        self
    }

    /// The velocity of a node at `u` (m/s).
    pub fn velocity(&self, node: usize, u: Vec3) -> Vec3 {
        self.rate * u + self.shift[node]
    }
}

/// Minimise `1/2 |u - y|_m^2 + sum_k w_k P(a_k u + (1 - a_k) b_k, t_k) + c D(v(u), t)`
/// over the free nodes' positions `u`.
#[derive(Debug, Clone)]
pub struct Stage {
    /// The time (s) of the unknown, at which prescribed nodes have their positions.
    pub time: f64,
    /// The inertial target `y` (m).
    pub predictor: Vec<Vec3>,
    /// The potential terms. Methods whose forces are not taken at the end point
    /// have no term of fraction one.
    pub terms: Vec<PotentialTerm>,
    /// Friction and damping.
    pub lag: Lag,
}

impl Stage {
    /// A stage whose forces are all evaluated at the unknown and at `time` (s).
    pub fn at_end(time: f64, predictor: Vec<Vec3>, weight: f64, lag: Lag) -> Self {
        let terms = vec![PotentialTerm { time, weight, fraction: 1.0, base: Vec::new() }];
        Self { time, predictor, terms, lag }
    }
}
