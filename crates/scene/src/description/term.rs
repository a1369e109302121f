//! Terms that a body has in addition to those of its material: springs, loads, walls, and damping.

use super::{Axis, ForceSpread, Formula, Region, TimeFunction};
use serde::{Deserialize, Serialize};

/// A potential on nodes of a body. Node numbers start at zero: particles in their order in the scene, those of a line
/// from its start, those of a mesh in the order of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Term {
    /// Polynomial `c_0 + c_1 x + c_2 x^2 + ...` (J) of one coordinate of each node.
    Polynomial {
        /// The coordinate.
        axis: Axis,
        /// Coefficients from the constant on (J, J/m, J/m^2, ...).
        coefficients: Vec<f64>,
        /// The nodes; default: all.
        nodes: Option<Vec<u32>>,
    },
    /// `-amplitude cos x` of one coordinate of each node (rad).
    Cosine {
        /// The coordinate.
        axis: Axis,
        /// Amplitude (J).
        amplitude: f64,
        /// The nodes; default: all.
        nodes: Option<Vec<u32>>,
    },
    /// A penalty wall: `stiffness/2 (x - at)^2` where x < at.
    PenaltyWall {
        /// The coordinate.
        axis: Axis,
        /// Coordinate of the wall (m); nodes lie above it.
        at: f64,
        /// Stiffness per node (N/m).
        stiffness: f64,
        /// The nodes; default: all.
        nodes: Option<Vec<u32>>,
    },
    /// A barrier wall: `-kappa (d/d_hat - 1)^2 ln(d/d_hat)` where the
    /// distance d = x - at is less than `d_hat`.
    BarrierWall {
        /// The coordinate.
        axis: Axis,
        /// Coordinate of the wall (m); nodes lie above it.
        at: f64,
        /// Stiffness per node (J).
        kappa: f64,
        /// Range of the barrier (m).
        d_hat: f64,
        /// The nodes; default: all.
        nodes: Option<Vec<u32>>,
    },
    /// Attraction by a fixed centre: `-strength m / r` for a node of mass m at
    /// distance r.
    Central {
        /// The centre (m).
        center: [f64; 3],
        /// Constant of gravity times mass of the centre (m^3/s^2).
        strength: f64,
        /// The nodes; default: all.
        nodes: Option<Vec<u32>>,
    },
    /// Springs between pairs of nodes.
    Springs {
        /// The end nodes of each spring; default: each node and the next.
        pairs: Option<Vec<[u32; 2]>>,
        /// Stiffness of each spring (N/m; N/m^3 for `StVK`).
        stiffness: f64,
        /// Rest length of each spring (m); default: its length in the placed shape before any deformation.
        rest_length: Option<f64>,
        /// Energy as a function of length.
        law: SpringLaw,
    },
    /// An elastic bar along one coordinate, neo-Hookean between each node and the
    /// next; its rest shape is the placed shape before any deformation.
    Intervals {
        /// The coordinate.
        axis: Axis,
        /// Shear modulus mu times cross-section (N).
        modulus: f64,
        /// The nodes in their order along the axis; default: all.
        nodes: Option<Vec<u32>>,
    },
    /// A force of constant direction, spread over nodes.
    Force {
        /// Total force (N).
        force: [f64; 3],
        /// The nodes.
        #[serde(default)]
        region: Region,
        /// Distribution over the nodes.
        #[serde(default, skip_serializing_if = "super::defaults::is_default")]
        spread: ForceSpread,
        /// Start time (s).
        #[serde(default)]
        start: f64,
        /// End time (s); default: none.
        end: Option<f64>,
        /// Factor as a function of time; default: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        factor: Option<TimeFunction>,
    },
    /// A force per volume inside a solid, as a function of the position at rest and of time.
    BodyForce {
        /// Force per volume at rest (N/m^3).
        force: [Formula; 3],
        /// Start time (s).
        #[serde(default)]
        start: f64,
        /// End time (s); default: none.
        end: Option<f64>,
        /// Factor as a function of time; default: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        factor: Option<TimeFunction>,
    },
    /// A traction on part of the surface, by its area at rest; its direction does not turn.
    Traction {
        /// Force per area at rest (Pa).
        traction: [Formula; 3],
        /// The region: faces whose nodes all lie in it.
        #[serde(default)]
        region: Region,
        /// Start time (s).
        #[serde(default)]
        start: f64,
        /// End time (s); default: none.
        end: Option<f64>,
        /// Factor as a function of time; default: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        factor: Option<TimeFunction>,
    },
    /// Pressure against part of the surface, from outside.
    SurfacePressure {
        /// Pressure, positive inwards (Pa).
        pressure: Formula,
        /// The region: faces whose nodes all lie in it.
        #[serde(default)]
        region: Region,
        /// Whether the load follows the deformed surface; otherwise it acts on that of the placed shape.
        #[serde(default = "super::defaults::yes")]
        follows: bool,
        /// Start time (s).
        #[serde(default)]
        start: f64,
        /// End time (s); default: none.
        end: Option<f64>,
        /// Factor as a function of time; default: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        factor: Option<TimeFunction>,
    },
    /// Pressure of a liquid at rest against part of the surface.
    Hydrostatic {
        /// A point of the surface of the liquid (m).
        surface: [f64; 3],
        /// Density of the liquid (kg/m^3).
        density: f64,
        /// Gravitational acceleration of the liquid (m/s^2), to which its surface is perpendicular.
        gravity: [f64; 3],
        /// The region: faces whose nodes all lie in it.
        #[serde(default)]
        region: Region,
        /// Whether the liquid is on the inner side of the faces, as in a tank.
        #[serde(default)]
        inside: bool,
        /// Start time (s).
        #[serde(default)]
        start: f64,
        /// End time (s); default: none.
        end: Option<f64>,
        /// Factor as a function of time; default: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        factor: Option<TimeFunction>,
    },
    /// A torque, spread over nodes by forces whose sum is zero.
    Torque {
        /// Total torque (N m).
        torque: [f64; 3],
        /// The nodes.
        #[serde(default)]
        region: Region,
        /// Distribution over the nodes.
        #[serde(default, skip_serializing_if = "super::defaults::is_default")]
        spread: ForceSpread,
        /// Whether the forces follow the nodes, so that the torque is constant; otherwise they are fixed.
        #[serde(default = "super::defaults::yes")]
        follows: bool,
        /// Start time (s).
        #[serde(default)]
        start: f64,
        /// End time (s); default: none.
        end: Option<f64>,
        /// Factor as a function of time; default: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        factor: Option<TimeFunction>,
    },
    /// Pressure inside the closed surface of the body, less that outside.
    Pressure {
        /// Pressure, positive outwards (Pa).
        pressure: f64,
        /// Start time (s).
        #[serde(default)]
        start: f64,
        /// End time (s); default: none.
        end: Option<f64>,
        /// Factor as a function of time; default: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        factor: Option<TimeFunction>,
    },
    /// Gas inside closed faces of the body, for which `p V^n` is constant, and a constant pressure outside.
    Gas {
        /// Pressure of the gas in the placed shape (Pa, absolute).
        pressure: f64,
        /// The pressure outside (Pa, absolute).
        outside: f64,
        /// The exponent n: 1 for constant temperature, 1.4 for air without exchange of heat.
        #[serde(default = "super::defaults::one")]
        exponent: f64,
        /// The faces that enclose the gas: those with all nodes in this region.
        #[serde(default)]
        region: Region,
        /// Amount of the gas over time, relative to that in the placed shape; default: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        factor: Option<TimeFunction>,
    },
    /// Repulsion by a soft plane or sphere: `stiffness/2 depth^2` of each node behind it. This is penalty contact
    /// without guarantees.
    Repulsion {
        /// The repelling shape.
        from: Repeller,
        /// Force over depth, for each node (N/m).
        stiffness: f64,
        /// The nodes; default: all.
        nodes: Option<Vec<u32>>,
    },
}

/// A repelling shape.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Repeller {
    /// The half-space below a plane.
    Plane {
        /// A point of the plane (m).
        point: [f64; 3],
        /// Outward normal, of any length.
        normal: [f64; 3],
    },
    /// A solid sphere.
    Sphere {
        /// Centre (m).
        center: [f64; 3],
        /// Radius (m).
        radius: f64,
    },
    /// A sphere that keeps nodes inside.
    Hollow {
        /// Centre (m).
        center: [f64; 3],
        /// Radius (m).
        radius: f64,
    },
}

/// The energy of a spring of length l and rest length r.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SpringLaw {
    /// `k/2 (l - r)^2`.
    Hooke,
    /// `k/2 (l^2 - r^2)^2`.
    StVK,
}

/// A damping model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Damping {
    /// Mass-proportional: `-rate m v` on each node.
    Mass {
        /// Rate of decay (1/s): free motion decreases to 1/e in the time `1/rate`.
        rate: f64,
    },
    /// `-time K v`, where K is the stiffness of the elastic terms of the body at the start of each step.
    Stiffness {
        /// The time that multiplies the stiffness (s).
        time: f64,
    },
    /// `-coefficient v` on each node, independently of its mass.
    Drag {
        /// Force on each node over its velocity (kg/s).
        coefficient: f64,
    },
    /// `-rate m (v - u)` on each node, where u is the rigid motion of the body: conserves linear and angular
    /// momentum.
    RigidPreserving {
        /// Rate of decay (1/s): deformation decreases to 1/e in the time `1/rate`.
        rate: f64,
    },
}

impl Term {
    /// The field that names nodes, with these nodes; `None` if the term applies to all nodes.
    pub(crate) fn named_nodes(&self) -> Option<(&'static str, Vec<u32>)> {
        match self {
            Self::Polynomial { nodes, .. }
            | Self::Cosine { nodes, .. }
            | Self::PenaltyWall { nodes, .. }
            | Self::BarrierWall { nodes, .. }
            | Self::Central { nodes, .. }
            | Self::Repulsion { nodes, .. }
            | Self::Intervals { nodes, .. } => Some(("nodes", nodes.clone()?)),
            Self::Springs { pairs, .. } => Some(("pairs", pairs.as_ref()?.as_flattened().to_vec())),
            Self::Force { .. }
            | Self::BodyForce { .. }
            | Self::Pressure { .. }
            | Self::Traction { .. }
            | Self::SurfacePressure { .. }
            | Self::Hydrostatic { .. }
            | Self::Torque { .. }
            | Self::Gas { .. } => None,
        }
    }

    /// For a term that names a node beyond the `count` nodes of a body: the field and the message.
    pub fn missing_node(&self, count: usize) -> Option<(&'static str, String)> {
        let (field, nodes) = self.named_nodes()?;
        let missing = nodes.into_iter().find(|&node| node as usize >= count)?;
        let node_range = match count {
            // Another check refuses bodies without nodes.
            0 => return None,
            1 => "one node, number 0".to_owned(),
            _ => format!("{count} nodes, numbered 0 to {}", count - 1),
        };
        Some((field, format!("there is no node {missing}: the body has {node_range}")))
    }

    /// Whether the term resists deformation, so that [`Damping::Stiffness`] acts
    /// through it; fields and walls do not.
    pub fn is_elastic(&self) -> bool {
        matches!(self, Self::Springs { .. } | Self::Intervals { .. } | Self::Polynomial { .. })
    }
}
