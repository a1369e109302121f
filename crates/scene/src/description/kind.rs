//! Kinds of bodies.

use super::SpringLaw;
use serde::{Deserialize, Serialize};

/// The kind of a body.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Kind {
    /// An elastic solid, whose degrees of freedom are the nodes of its tetrahedra. Particles also have this kind.
    #[default]
    Solid,
    /// A stiff affine body with twelve degrees of freedom. Its four nodes lie inside it. `attach` ties each point of
    /// its surface by a separate spring.
    Affine,
    /// A thin elastic shell.
    Shell {
        /// Thickness (m).
        thickness: f64,
        /// Bending stiffness; default: that of the material at this thickness.
        #[serde(default)]
        bending: Bending,
        /// Bending model; default: a plate.
        #[serde(default)]
        bending_model: BendingModel,
        /// The state without bending.
        #[serde(default)]
        rest_angles: RestAngles,
        /// Mass per area (kg/m^2); default: density times thickness.
        area_density: Option<f64>,
    },
    /// An elastic rod along a curve, of circular section: a strand, a cable, a hair.
    Rod {
        /// Radius (m).
        radius: f64,
        /// Number of turns by which it is twisted in the given shape, right-handed. Default: a closed rod has no
        /// twist, and an open rod can rotate at its ends. An open rod with `turns` (0 or more) is clamped: `hold` its
        /// first and its last segment.
        turns: Option<f64>,
        /// Motor that rotates the last clamp of an open rod with `turns` about its axis.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        motor: Option<Motor>,
        /// The shape without bending and twist.
        #[serde(default, skip_serializing_if = "super::defaults::is_default")]
        rest_shape: RestShape,
    },
    /// Cloth of masses and springs on the nodes and edges of a surface.
    Springs {
        /// Mass per area (kg/m^2).
        area_density: f64,
        /// Stiffness of the springs along edges (N/m; N/m^3 for `StVK`).
        structural: f64,
        /// Stiffness of the springs along both diagonals of cells.
        shear: f64,
        /// Stiffness of the springs across edges.
        bending: f64,
        /// Energy as a function of length.
        law: SpringLaw,
    },
}

/// The shape of a rod without bending and twist. Its segments have the lengths of those of the given shape.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum RestShape {
    /// Straight.
    #[default]
    Straight,
    /// The shape of the body.
    Shape,
    /// An arc or a helix.
    Curved {
        /// Curvature (1/m).
        curvature: f64,
        /// Torsion (rad/m), right-handed.
        #[serde(default)]
        torsion: f64,
        /// The axis about which the first segment bends, before placement.
        binormal: Option<[f64; 3]>,
    },
}

impl RestShape {
    /// Whether this is the default.
    pub fn is_straight(&self) -> bool {
        *self == Self::Straight
    }
}

/// A motor that rotates an end of a rod about its axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Motor {
    /// Revolutions per second (1/s), in the direction of `turns`.
    pub rate: f64,
    /// Start time (s).
    #[serde(default)]
    pub start: f64,
    /// End time (s); default: none.
    pub end: Option<f64>,
}

/// Order of the elements of a solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Elements {
    /// Linear tetrahedra of four nodes, with constant strain.
    #[default]
    Linear,
    /// Tetrahedra of ten nodes: four corners and the middles of six edges. They bend. Edges on a `Ball` or `Cylinder` are
    /// curved at rest, and so are those of second-order elements of files; nearly incompressible materials lock with curved
    /// edges. Contact and frames treat each as eight linear ones.
    Quadratic,
    /// Quadratic tetrahedra with edges that are straight at rest, also for nearly incompressible materials.
    StraightQuadratic,
}

impl Elements {
    /// Whether elements have ten nodes.
    pub fn is_quadratic(self) -> bool {
        self != Self::Linear
    }
}

/// How the mass of a solid is distributed over its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Masses {
    /// Lumped such that mass, centre of mass and second moments equal those of the solid.
    #[default]
    Fitted,
    /// A quarter of the mass of each linear tetrahedron at each of its nodes, as in most programs. Weights are then
    /// those of the finite elements, but second moments are too large.
    Lumped,
}

/// Bending stiffness of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Bending {
    /// `E t^3 / (12 (1 - nu^2))` of the material.
    #[default]
    Material,
    /// The flexural rigidity of a plate with another Young's modulus (Pa).
    Young(f64),
    /// The flexural rigidity D (N m).
    Rigidity(f64),
    /// None.
    Off,
}

/// Bending model of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum BendingModel {
    /// As an isotropic plate, with Poisson's ratio of the material.
    #[default]
    Plate,
    /// Hinges at edges: cheaper; approximates a plate on some meshes only.
    Hinges,
}

/// The state of a shell without bending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RestAngles {
    /// The undeformed shape.
    #[default]
    Shape,
    /// Flat.
    Flat,
}
