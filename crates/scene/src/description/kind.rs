//! What a shape is filled with, or made into.

use super::SpringLaw;
use serde::{Deserialize, Serialize};

/// What becomes of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Kind {
    /// An elastic solid: every node of its tetrahedra moves. Particles are of this kind, too.
    #[default]
    Solid,
    /// A stiff body that moves and deforms as one, with twelve unknowns. Its four nodes lie
    /// inside it; `attach` ties points of its surface, each by a spring of its own.
    Affine,
    /// A thin elastic shell.
    Shell {
        /// Its thickness (m).
        thickness: f64,
        /// Resistance to bending; absent: that of the material at this thickness.
        #[serde(default)]
        bending: Bending,
        /// How it bends; absent: as a plate.
        #[serde(default)]
        bending_model: BendingModel,
        /// What it takes for unbent.
        #[serde(default)]
        rest_angles: RestAngles,
        /// Mass per area (kg/m^2); absent: density times thickness.
        #[serde(default)]
        area_density: Option<f64>,
    },
    /// An elastic rod along a curve, of circular section: a strand, a cable, a hair.
    Rod {
        /// Its radius (m).
        radius: f64,
        /// How often it is twisted in the shape as given, right-handed; absent: a closed one is not, and an
        /// open one can turn at its ends. An open one with `turns`, 0 or more, is clamped: `hold` both its
        /// first and its last piece.
        #[serde(default)]
        turns: Option<f64>,
        /// What turns the last clamp of an open one with `turns` about its axis.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        motor: Option<Motor>,
        /// The shape in which it is free of bending and twist.
        #[serde(default, skip_serializing_if = "RestShape::is_straight")]
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

/// The shape in which a rod is free of bending and twist; its segments are as long as those of its shape.
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
        /// Angle between directions by length (1/m).
        curvature: f64,
        /// Rotation of the plane of bending by length (rad/m), right-handed.
        #[serde(default)]
        torsion: f64,
        /// The axis about which the first segment bends, before placement.
        #[serde(default)]
        binormal: Option<[f64; 3]>,
    },
}

impl RestShape {
    /// Whether it is the default.
    pub fn is_straight(&self) -> bool {
        *self == Self::Straight
    }
}

/// A motor that turns an end of a rod about its axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Motor {
    /// Turns in a second (1/s), in the direction of `turns`.
    pub rate: f64,
    /// When it begins (s).
    #[serde(default)]
    pub start: f64,
    /// When it ends (s); absent: never.
    #[serde(default)]
    pub end: Option<f64>,
}

/// What the elements of a solid are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Elements {
    /// Tetrahedra of four nodes, in each of which deformation is uniform.
    #[default]
    Linear,
    /// Tetrahedra of ten nodes, four corners and the middles of six edges: they bend, and they
    /// are not stiff for being nearly incompressible. Contact and frames see each as eight linear ones.
    Quadratic,
}

/// How the mass of a solid is distributed over its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Masses {
    /// With the mass, the centre of mass and the second moments of the solid.
    #[default]
    Fitted,
    /// A quarter of the mass of each linear tetrahedron at each of its nodes, as in most programs: weights are then
    /// those of the finite elements, and second moments too large.
    Lumped,
}

impl Masses {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A shell's resistance to bending.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Bending {
    /// `E t^3 / (12 (1 - nu^2))` of the material.
    #[default]
    Material,
    /// The same with another Young's modulus (Pa).
    Young(f64),
    /// The flexural rigidity D itself (N m).
    Rigidity(f64),
    /// None.
    Off,
}

/// How a shell bends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum BendingModel {
    /// As an isotropic plate, with Poisson's ratio of the material.
    #[default]
    Plate,
    /// At a hinge on each edge: cheaper, and a plate only for some meshes.
    Hinges,
}

/// The angles between triangles at which a shell is unbent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RestAngles {
    /// Those of the undeformed shape.
    #[default]
    Shape,
    /// None: it wants to be flat.
    Flat,
}
