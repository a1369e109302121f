//! Bodies: shape, placement, initial velocity and deformation, Dirichlet conditions.

use super::{
    Damping, Elements, Formula, Kind, Masses, MotionDescription, PaintedMap, Repeat, Scale, Shape,
    Term, VelocityField,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An elastic body, or a row or grid of copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name; the copies of a repeated body are called `name[0]`, `name[1]`, ...
    pub name: String,
    /// The undeformed shape, around its own origin.
    pub shape: Shape,
    /// The kind of body that the shape becomes.
    #[serde(default)]
    pub kind: Kind,
    /// Order of the elements of a solid.
    #[serde(default)]
    pub elements: Elements,
    /// How the mass of a solid is distributed over its nodes.
    #[serde(default, skip_serializing_if = "super::defaults::is_default")]
    pub masses: Masses,
    /// Name of a material; required except for particles and cloth of springs.
    pub material: Option<String>,
    /// Materials by group of the mesh file of a solid; other elements have `material`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub group_materials: BTreeMap<String, String>,
    /// Cell data of the mesh file with Young's moduli (Pa) that replace that of the material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub young_field: Option<String>,
    /// Factors of the masses of the vertices of the mesh file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_map: Option<PaintedMap>,
    /// Factors of the stiffness around the vertices of the mesh file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness_map: Option<PaintedMap>,
    /// Factors of the thickness of a shell around the vertices of its mesh file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thickness_map: Option<PaintedMap>,
    /// Thicknesses of parts of a shell, by the groups of its mesh file; other parts have that of its kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub group_thickness: Vec<GroupThickness>,
    /// Layers of a shell, from one surface to the other; default: one layer of its material.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
    /// Placement of the shape.
    #[serde(default)]
    pub placement: Placement,
    /// Initial linear velocity (m/s).
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Initial velocities of single particles (m/s), added to the others.
    #[serde(default)]
    pub velocities: Vec<[f64; 3]>,
    /// Initial angular velocity about the centre of mass (rad/s).
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Initial rotation about a line in space, added to the velocities.
    pub spin: Option<Spin>,
    /// Initial velocity as a function of position, added to the velocities.
    pub velocity_field: Option<VelocityField>,
    /// Coefficient of friction, which readers set to [`DEFAULT_FRICTION`](super::DEFAULT_FRICTION) if contact is on.
    pub friction: Option<f64>,
    /// Coefficient of static friction; default: `friction`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Coefficient of restitution; default: that of the other surface, or else none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Time (s) by which the stiffness of contact is multiplied for its damping; absent: that of the other surface, or
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact_damping: Option<f64>,
    /// Coefficient of rolling friction (m); default: that of the other surface, or else none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_friction: Option<f64>,
    /// Thickness of the surface for contact (m), half of it on either side. Default: the thickness of a shell, zero
    /// for other bodies.
    pub contact_thickness: Option<f64>,
    /// Initial deformations of the shape before placement, in this order.
    #[serde(default)]
    pub deform: Vec<Deformation>,
    /// Initial displacement from the placed shape (m), after `deform`: a function of the position at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub displacement: Option<[Formula; 3]>,
    /// Nodes whose motion is prescribed.
    #[serde(default)]
    pub hold: Vec<Hold>,
    /// Nodes tied by springs to their initial positions or to moving targets.
    #[serde(default)]
    pub attach: Vec<Attachment>,
    /// Potentials in addition to elasticity and gravity.
    #[serde(default)]
    pub terms: Vec<Term>,
    /// Damping.
    #[serde(default)]
    pub damping: Vec<Damping>,
    /// Copies of the body in a row or grid.
    pub repeat: Option<Repeat>,
}

/// The thickness of a part of a shell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupThickness {
    /// Name of a group of the mesh file.
    pub group: String,
    /// Its thickness (m).
    pub thickness: f64,
}

/// A layer of a shell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// Name of a material.
    pub material: String,
    /// Its thickness (m).
    pub thickness: f64,
}

/// Placement of a shape: scaled, then rotated, then translated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Placement {
    /// Scale, one factor or three.
    pub scale: Scale,
    /// Rotations about the origin of the shape, applied in this order.
    pub rotate: Vec<Rotation>,
    /// Translation (m).
    pub translate: [f64; 3],
}

/// A rotation about an axis through the origin, right-handed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// The axis, of any length.
    pub axis: [f64; 3],
    /// The angle (degrees).
    pub degrees: f64,
}

/// A rotation about a line in space.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spin {
    /// A point of the line (m).
    pub point: [f64; 3],
    /// The direction of the line, of any length.
    pub axis: [f64; 3],
    /// Angular velocity, right-handed (rad/s).
    pub rate: f64,
}

/// An axis of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

/// An initial deformation of a shape in its coordinates.
///
/// The end of the shape with the smallest coordinate does not move, so that
/// it can be held.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Deformation {
    /// Cross-sections turn about the axis, in proportion to the distance along it.
    Twist {
        /// The axis, through the middle of the shape.
        axis: Axis,
        /// Angle of the last cross-section against the first (degrees).
        degrees: f64,
    },
    /// The axis becomes an arc of a circle; its length and the cross-sections do not change.
    Bend {
        /// The axis that is bent, through the middle of the shape.
        axis: Axis,
        /// The axis about which the cross-sections rotate.
        about: Axis,
        /// Angle of the last cross-section against the first (degrees).
        degrees: f64,
    },
    /// Lengths along an axis are multiplied.
    Stretch {
        /// The axis.
        axis: Axis,
        /// New length over old.
        factor: f64,
    },
    /// All lengths are multiplied, about the shape's origin.
    Dilate {
        /// New length over old.
        factor: f64,
    },
}

/// A selection of nodes of a body: by number, by data of the mesh file, or by position after placement and before any
/// initial deformation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Region {
    /// All nodes.
    #[default]
    All,
    /// Nodes on the open edges of a surface.
    Boundary,
    /// Nodes by number, from 0.
    Nodes(Vec<u32>),
    /// Nodes of a group of the mesh file: a physical group of Gmsh, an integer of cells of VTK such as
    /// `material=3`, a group, object or material of OBJ.
    Group(String),
    /// Nodes whose value in the point data of the mesh file is at least a threshold.
    Painted {
        /// Name of the data.
        data: String,
        /// The threshold.
        #[serde(default = "default_threshold")]
        threshold: f64,
    },
    /// Nodes inside a box or on its sides.
    Box {
        /// Smallest coordinates (m).
        min: [f64; 3],
        /// Largest coordinates (m).
        max: [f64; 3],
    },
    /// Nodes on a plane or on the side of its normal.
    Plane {
        /// A point of the plane (m).
        point: [f64; 3],
        /// The normal, of any length.
        normal: [f64; 3],
    },
    /// Nodes inside a sphere or on it.
    Sphere {
        /// Its centre (m).
        center: [f64; 3],
        /// Radius (m).
        radius: f64,
    },
}

fn default_threshold() -> f64 {
    0.5
}

/// Nodes whose motion is prescribed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// The nodes.
    pub region: Region,
    /// Their motion.
    pub motion: MotionDescription,
    /// Time of release (s); default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// The axes along which the nodes are held, letters of "xyz"; default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<String>,
    /// Rotation from the axes of the scene to the axes of the hold; default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<Rotation>,
}

/// Springs from nodes to targets that start where the nodes start, or to points of another body or of an obstacle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// The nodes, or the surface points of an affine body.
    pub region: Region,
    /// Stiffness of the spring of each node or point (N/m).
    pub stiffness: f64,
    /// Factors of the stiffness by vertex of the mesh file; no spring where the factor is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_map: Option<PaintedMap>,
    /// Motion of the targets, from the initial positions of the nodes (or of the points of an affine body). If the
    /// motion does not start there at t = 0, the springs pull at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionDescription>,
    /// The body or obstacle to whose surface the springs lead, instead of a motion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}
