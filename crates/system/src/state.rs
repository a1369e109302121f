//! Everything that evolves.

use crate::Vec3;

/// The last but one point of a trajectory, which multistep methods need.
#[derive(Debug, Clone, PartialEq)]
pub struct Previous {
    /// Positions one step before (m).
    pub positions: Vec<Vec3>,
    /// Velocities one step before (m/s).
    pub velocities: Vec<Vec3>,
    /// The step (s) that led from them to the present.
    pub step: f64,
}

/// What energy control knows of one body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyControl {
    /// The body's share of the energy target (J).
    pub target: f64,
    /// Energy minus target (J) after the last step and after the one before.
    pub deviations: [f64; 2],
    /// The body's share of the running mean of the energy (J), for control that
    /// steers the mean.
    pub mean: f64,
    /// For how many steps on end the body, which touches another surface, has not moved as
    /// its velocities say: they stand for vibrations that the step does not resolve.
    pub unresolved: u32,
    /// Whether it has rubbed on another surface so far.
    pub rubbed: bool,
    /// The lowest potential energy (J) that the body has had at the end of a step, moved along
    /// with the work done on it since, for control that asks what energy can change hands.
    pub lowest: f64,
}

/// The state of a system: all that a step reads and writes, so all that a
/// checkpoint has to hold. Integrators themselves are plain descriptions.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// Node positions (m).
    pub positions: Vec<Vec3>,
    /// Node velocities (m/s).
    pub velocities: Vec<Vec3>,
    /// What a multistep method remembers; `None` at a start or restart.
    pub previous: Option<Previous>,
    /// Energy control of each body; `None` until a method that controls energy
    /// has taken a step.
    pub control: Option<Vec<EnergyControl>>,
    /// `grad P` (N) by which the last step balanced, for methods that need it
    /// again; `None` until such a method has taken a step.
    pub gradient: Option<Vec<Vec3>>,
    /// The step (s) that adaptive stepping proposes next; `None` before its first.
    pub pace: Option<f64>,
}

impl State {
    /// A state at `time` without a past.
    pub fn new(time: f64, positions: Vec<Vec3>, velocities: Vec<Vec3>) -> Self {
        assert_eq!(positions.len(), velocities.len(), "one velocity a node");
        Self {
            time,
            positions,
            velocities,
            previous: None,
            control: None,
            gradient: None,
            pace: None,
        }
    }
}
