//! Contact and obstacles.

use super::animation::{AfterFrames, Animation, BetweenFrames, has_extension};
use super::{Geometry, MotionDescription, Placement, Shape, defaults};
use resile_contact::{AdhesionPotential, Barrier, FrictionRule};
use serde::{Deserialize, Serialize};

/// Contact between bodies and with obstacles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Contact {
    /// Bodies pass through each other and through obstacles.
    Off,
    /// Intersection-free contact by a barrier, with smoothed Coulomb friction.
    Barrier {
        /// Range of the barrier (m).
        #[serde(default = "defaults::d_hat")]
        d_hat: f64,
        /// Stiffness of the barrier (Pa); default: [`Scene::default_kappa`](super::Scene::default_kappa).
        #[serde(default, with = "defaults::plain", skip_serializing_if = "Option::is_none")]
        kappa: Option<f64>,
        /// Barrier function.
        #[serde(default)]
        barrier: Barrier,
        /// Attraction of surfaces; default: none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        adhesion: Option<Adhesion>,
        /// Slip speed below which friction is regularised (m/s).
        #[serde(default = "default_slip_speed")]
        slip_speed: f64,
        /// Rule that combines the coefficients of two bodies.
        #[serde(default = "defaults::friction_rule")]
        friction_rule: FrictionRule,
        /// Rule that combines the coefficients of restitution.
        #[serde(
            default = "default_restitution_rule",
            skip_serializing_if = "is_default_restitution_rule"
        )]
        restitution_rule: FrictionRule,
        /// Coefficients of pairs, instead of the rules.
        #[serde(default)]
        pairs: Vec<PairFriction>,
        /// Pairs that do not collide. A body paired with itself has no self-contact.
        #[serde(default)]
        exclude: Vec<(String, String)>,
        /// Treatment of contact at the start.
        #[serde(default, skip_serializing_if = "defaults::is_default")]
        start: ContactStart,
        /// Whether a vertex near a surface has the barrier energy of its distance from the surface, no matter how many
        /// triangles lie within `d_hat` (improved max operator). With `false` the energy counts once for each of these
        /// triangles, as in IPC.
        #[serde(default = "defaults::yes", skip_serializing_if = "defaults::is_true")]
        improved_max: bool,
        /// Whether the areas of vertices on planes exclude triangles that are perpendicular to the plane.
        #[serde(default, skip_serializing_if = "defaults::is_default")]
        rim_weights: bool,
    },
}

impl Default for Contact {
    fn default() -> Self {
        Self::Barrier {
            d_hat: defaults::d_hat(),
            kappa: None,
            barrier: Barrier::default(),
            adhesion: None,
            slip_speed: default_slip_speed(),
            friction_rule: defaults::friction_rule(),
            restitution_rule: default_restitution_rule(),
            pairs: Vec::new(),
            exclude: Vec::new(),
            start: ContactStart::default(),
            improved_max: true,
            rim_weights: false,
        }
    }
}

/// Attraction between the surfaces of different bodies and obstacles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adhesion {
    /// Largest traction (Pa).
    pub strength: f64,
    /// Gap of the largest traction (m).
    pub peak: f64,
    /// Gap at and beyond which surfaces do not attract each other (m).
    pub range: f64,
    /// Resistance to slip; default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangential: Option<TangentialAdhesion>,
}

/// Resistance of adhering surfaces to slip.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TangentialAdhesion {
    /// Largest tangential traction relative to the strength of the adhesion.
    pub coefficient: f64,
    /// Slip speed below which bonds hold (m/s).
    #[serde(default = "default_slip_speed")]
    pub slip_speed: f64,
}

impl Adhesion {
    /// The potential of the attraction.
    pub fn potential(self) -> AdhesionPotential {
        let Self { strength, peak, range, .. } = self;
        AdhesionPotential { strength, peak, range }
    }

    /// The law of the resistance to slip.
    pub fn bonds(self) -> Option<resile_contact::TangentialAdhesion> {
        let TangentialAdhesion { coefficient, slip_speed } = self.tangential?;
        Some(resile_contact::TangentialAdhesion { coefficient, slip_speed })
    }
}

/// Treatment of contact at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ContactStart {
    /// Bodies that start within `d_hat` are moved until contact forces balance.
    #[default]
    Balanced,
    /// Bodies start where they are placed; the barrier accelerates those within `d_hat`.
    AsPlaced,
}

fn default_restitution_rule() -> FrictionRule {
    FrictionRule::Min
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_default_restitution_rule(rule: &FrictionRule) -> bool {
    *rule == default_restitution_rule()
}

fn default_slip_speed() -> f64 {
    1e-3
}

/// Coefficients of one pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairFriction {
    /// A body or obstacle; the name of a repeated body means all its copies.
    pub a: String,
    /// The other body or obstacle, or the same.
    pub b: String,
    /// Coefficient of friction; default: by the rule.
    pub friction: Option<f64>,
    /// Coefficient of static friction; default: `friction`, or else by the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Coefficient of restitution; default: by the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Contact damping (s); default: the maximum of both surfaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact_damping: Option<f64>,
    /// Coefficient of rolling friction (m); default: the maximum of both surfaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_friction: Option<f64>,
}

/// An obstacle: it collides with bodies, and its motion is prescribed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Obstacle {
    /// An infinite plane; the normal points to where the bodies are.
    Plane {
        /// Name, to which pairs refer.
        name: String,
        /// A point of the plane (m).
        point: [f64; 3],
        /// Outward normal, of any length.
        normal: [f64; 3],
        /// Coefficient of friction, which readers set to [`DEFAULT_FRICTION`](super::DEFAULT_FRICTION) if contact is
        /// on.
        friction: Option<f64>,
        /// Coefficient of static friction; default: `friction`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        static_friction: Option<f64>,
        /// Coefficient of restitution; default: that of the other surface, or else none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restitution: Option<f64>,
        /// Contact damping (s); default: that of the other surface, or else none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        contact_damping: Option<f64>,
        /// Coefficient of rolling friction (m); default: that of the other surface, or else none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rolling_friction: Option<f64>,
    },
    /// A triangle mesh, of which both sides collide, or segments and points.
    Mesh {
        /// Name, to which pairs refer.
        name: String,
        /// Path of a mesh file, relative to the scene file; of a solid, the boundary is used. Segments and points are
        /// read from `.seg`, `.pt` and, with a `motion`, an `.obj` of lines alone.
        file: String,
        /// Placement.
        #[serde(default)]
        placement: Placement,
        /// Coefficient of friction, which readers set to [`DEFAULT_FRICTION`](super::DEFAULT_FRICTION) if contact is
        /// on.
        friction: Option<f64>,
        /// Coefficient of static friction; default: `friction`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        static_friction: Option<f64>,
        /// Coefficient of restitution; default: that of the other surface, or else none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restitution: Option<f64>,
        /// Contact damping (s); default: that of the other surface, or else none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        contact_damping: Option<f64>,
        /// Coefficient of rolling friction (m); default: that of the other surface, or else none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rolling_friction: Option<f64>,
        /// Motion; default: none.
        motion: Option<MotionDescription>,
    },
    /// The surface of a shape, of which both sides collide, or a curve.
    Shape {
        /// Name, to which pairs refer.
        name: String,
        /// The shape.
        shape: Shape,
        /// Placement.
        #[serde(default)]
        placement: Placement,
        /// Coefficient of friction, which readers set to [`DEFAULT_FRICTION`](super::DEFAULT_FRICTION) if contact is
        /// on.
        friction: Option<f64>,
        /// Coefficient of static friction; default: `friction`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        static_friction: Option<f64>,
        /// Coefficient of restitution; default: that of the other surface, or else none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restitution: Option<f64>,
        /// Contact damping (s); default: that of the other surface, or else none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        contact_damping: Option<f64>,
        /// Coefficient of rolling friction (m); default: that of the other surface, or else none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rolling_friction: Option<f64>,
        /// Motion; default: none.
        motion: Option<MotionDescription>,
    },
    /// A triangle mesh whose vertices are animated by files.
    Animated {
        /// Name, to which pairs refer.
        name: String,
        /// A mesh file with the triangles. The frames move its vertices, whose positions in the file are ignored.
        file: String,
        /// A point cache, `.pc2` or `.mdd`, or the name of mesh files with `#` for each digit
        /// of their numbers.
        frames: String,
        /// Frames per second (1/s); required unless the cache has times.
        frame_rate: Option<f64>,
        /// Time of the first frame (s); before it the obstacle is at rest.
        #[serde(default)]
        start: f64,
        /// Interpolation between frames.
        interpolation: BetweenFrames,
        /// Behaviour after the last frame; required if the run continues.
        after: Option<AfterFrames>,
        /// Placement.
        #[serde(default)]
        placement: Placement,
        /// Coefficient of friction, which readers set to [`DEFAULT_FRICTION`](super::DEFAULT_FRICTION) if contact is
        /// on.
        friction: Option<f64>,
        /// Coefficient of static friction; default: `friction`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        static_friction: Option<f64>,
        /// Coefficient of restitution; default: that of the other surface, or else none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restitution: Option<f64>,
        /// Contact damping (s); default: that of the other surface, or else none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        contact_damping: Option<f64>,
        /// Coefficient of rolling friction (m); default: that of the other surface, or else none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rolling_friction: Option<f64>,
    },
}

/// Whether a file has segments or points, by its extension: `.seg` or `.pt`.
pub fn is_wireframe_file(name: &str) -> bool {
    ["seg", "pt"].iter().any(|extension| has_extension(name, extension))
}

/// Accessors of the coefficients that all variants of [`Obstacle`] have.
macro_rules! surface_coefficients {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        $($(#[$doc])*
        pub fn $name(&self) -> Option<f64> {
            let (Self::Plane { $name, .. }
            | Self::Mesh { $name, .. }
            | Self::Shape { $name, .. }
            | Self::Animated { $name, .. }) = self;
            *$name
        })*
    };
}

impl Obstacle {
    /// Its name.
    pub fn name(&self) -> &str {
        let (Self::Plane { name, .. }
        | Self::Mesh { name, .. }
        | Self::Shape { name, .. }
        | Self::Animated { name, .. }) = self;
        name
    }

    surface_coefficients! {
        /// Coefficient of friction of the obstacle.
        friction,
        /// Coefficient of static friction of the obstacle, if it has its own.
        static_friction,
        /// Contact damping of the obstacle (s).
        contact_damping,
        /// Coefficient of rolling friction of the obstacle (m).
        rolling_friction,
        /// Coefficient of restitution of the obstacle.
        restitution,
    }

    /// Whether the world has it as a body with prescribed nodes: it has a motion, an animation, or segments or points.
    pub fn moves(&self) -> bool {
        self.motion().is_some() || self.animation().is_some()
    }

    /// Rigid motion of the obstacle, if any; `Fixed` for segments and points at rest.
    pub fn motion(&self) -> Option<&MotionDescription> {
        match self {
            Self::Plane { .. } | Self::Animated { .. } => None,
            Self::Mesh { motion, .. } | Self::Shape { motion, .. } => {
                motion.as_ref().or_else(|| self.is_wireframe().then_some(&MotionDescription::Fixed))
            }
        }
    }

    /// Whether its description shows that it has segments or points and no triangles.
    fn is_wireframe(&self) -> bool {
        match self {
            Self::Mesh { file, .. } => is_wireframe_file(file),
            Self::Shape { shape, .. } => shape.geometry() == Geometry::Curve,
            Self::Plane { .. } | Self::Animated { .. } => false,
        }
    }

    /// The files that animate its vertices, if any.
    pub fn animation(&self) -> Option<Animation<'_>> {
        match self {
            Self::Animated { file, frames, frame_rate, start, interpolation, after, .. } => {
                Some(Animation {
                    file,
                    frames,
                    frame_rate: *frame_rate,
                    start: *start,
                    interpolation: *interpolation,
                    after: *after,
                })
            }
            Self::Plane { .. } | Self::Mesh { .. } | Self::Shape { .. } => None,
        }
    }
}
