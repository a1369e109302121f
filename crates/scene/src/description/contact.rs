//! Contact and obstacles.

use super::animation::{AfterFrames, Animation, BetweenFrames};
use super::{MotionDescription, Placement, Shape};
use serde::{Deserialize, Serialize};

/// Whether and how bodies collide.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Contact {
    /// Bodies pass through each other and through obstacles.
    #[default]
    Off,
    /// Intersection-free contact by a barrier, with smoothed Coulomb friction.
    Barrier {
        /// Distance at which the barrier sets in (m).
        d_hat: f64,
        /// Stiffness of the barrier (Pa).
        kappa: f64,
        /// Which function of the gap repels.
        #[serde(default)]
        barrier: BarrierFunction,
        /// Slip speed below which friction counts as static (m/s).
        #[serde(default = "default_slip_speed")]
        slip_speed: f64,
        /// How the coefficients of two bodies make one.
        friction_rule: FrictionRule,
        /// How the coefficients of restitution of two bodies make one.
        #[serde(
            default = "default_restitution_rule",
            skip_serializing_if = "is_default_restitution_rule"
        )]
        restitution_rule: FrictionRule,
        /// Coefficients of single pairs, before the rules.
        #[serde(default)]
        pairs: Vec<PairFriction>,
        /// Pairs that do not collide; a body with itself: no self-contact.
        #[serde(default)]
        off: Vec<(String, String)>,
        /// What becomes of contact that is there before the first step.
        #[serde(default, skip_serializing_if = "ContactStart::is_default")]
        start: ContactStart,
    },
}

/// What becomes of contact that is there before the first step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ContactStart {
    /// Bodies that begin nearer to something than `d_hat` are moved to where contact carries them.
    #[default]
    Balanced,
    /// Bodies begin where they are placed, and the barrier throws what is placed too near.
    AsPlaced,
}

impl ContactStart {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Which function of the gap repels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum BarrierFunction {
    /// The clamped logarithm (Li et al. 2020).
    #[default]
    ClampedLog,
    /// The clamped logarithm, squared (Huang et al. 2024).
    ClampedLogSquared,
    /// The cubic barrier (Ando 2024), finite at contact: it carries at most `2 kappa`.
    Cubic,
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

/// How the coefficients of two bodies make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrictionRule {
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// Their arithmetic mean.
    Mean,
    /// The square root of their product.
    GeometricMean,
    /// Their product.
    Product,
}

impl FrictionRule {
    /// The coefficient between surfaces of coefficients `a` and `b`.
    pub fn combine(self, a: f64, b: f64) -> f64 {
        resile_contact::FrictionRule::from(self).combine(a, b)
    }
}

impl From<FrictionRule> for resile_contact::FrictionRule {
    fn from(described: FrictionRule) -> Self {
        match described {
            FrictionRule::Min => Self::Min,
            FrictionRule::Max => Self::Max,
            FrictionRule::Mean => Self::Mean,
            FrictionRule::GeometricMean => Self::GeometricMean,
            FrictionRule::Product => Self::Product,
        }
    }
}

/// The coefficient of one pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairFriction {
    /// A body or obstacle; the name of a repeated body means all its copies.
    pub a: String,
    /// Another one, or the same.
    pub b: String,
    /// Coefficient of friction; absent: by the rule.
    #[serde(default)]
    pub friction: Option<f64>,
    /// Coefficient of friction of what does not slide yet; absent: `friction`, or by the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Coefficient of restitution; absent: by the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Contact damping (s); absent: the larger one of both surfaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact_damping: Option<f64>,
    /// Coefficient of rolling friction (m); absent: the larger one of both surfaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_friction: Option<f64>,
}

/// Something that bodies collide with, and that goes its way whatever they do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Obstacle {
    /// An infinite plane; the normal points to where the bodies are.
    Plane {
        /// Name, by which pairs are chosen.
        name: String,
        /// A point of the plane (m).
        point: [f64; 3],
        /// The side that is free; need not be of unit length.
        normal: [f64; 3],
        /// Coefficient of friction; needed where there is contact.
        #[serde(default)]
        friction: Option<f64>,
        /// Coefficient of friction of what does not slide yet; absent: `friction`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        static_friction: Option<f64>,
        /// Coefficient of restitution; absent: that of the other surface, or contact without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restitution: Option<f64>,
        /// Contact damping (s); absent: that of the other surface, or none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        contact_damping: Option<f64>,
        /// Coefficient of rolling friction (m); absent: that of the other surface, or none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rolling_friction: Option<f64>,
    },
    /// A triangle mesh; both sides are solid walls.
    Mesh {
        /// Name, by which pairs are chosen.
        name: String,
        /// A mesh file of any kind, relative to the scene file; of a solid its boundary.
        file: String,
        /// Where it stands.
        #[serde(default)]
        placement: Placement,
        /// Coefficient of friction; needed where there is contact.
        #[serde(default)]
        friction: Option<f64>,
        /// Coefficient of friction of what does not slide yet; absent: `friction`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        static_friction: Option<f64>,
        /// Coefficient of restitution; absent: that of the other surface, or contact without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restitution: Option<f64>,
        /// Contact damping (s); absent: that of the other surface, or none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        contact_damping: Option<f64>,
        /// Coefficient of rolling friction (m); absent: that of the other surface, or none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rolling_friction: Option<f64>,
        /// How it moves; absent: not at all.
        #[serde(default)]
        motion: Option<MotionDescription>,
    },
    /// The surface of a shape; both sides are solid walls.
    Shape {
        /// Name, by which pairs are chosen.
        name: String,
        /// The shape.
        shape: Shape,
        /// Where it stands.
        #[serde(default)]
        placement: Placement,
        /// Coefficient of friction; needed where there is contact.
        #[serde(default)]
        friction: Option<f64>,
        /// Coefficient of friction of what does not slide yet; absent: `friction`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        static_friction: Option<f64>,
        /// Coefficient of restitution; absent: that of the other surface, or contact without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restitution: Option<f64>,
        /// Contact damping (s); absent: that of the other surface, or none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        contact_damping: Option<f64>,
        /// Coefficient of rolling friction (m); absent: that of the other surface, or none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rolling_friction: Option<f64>,
        /// How it moves; absent: not at all.
        #[serde(default)]
        motion: Option<MotionDescription>,
    },
    /// A triangle mesh, each vertex of which is moved by files: an animated character.
    Animated {
        /// Name, by which pairs are chosen.
        name: String,
        /// A mesh file with the triangles, whose vertices the frames move; where they are in it does
        /// not count.
        file: String,
        /// A point cache, `.pc2` or `.mdd`, or the name of mesh files with `#` for each digit
        /// of their numbers.
        frames: String,
        /// Frames in a second (1/s); needed unless the cache has times.
        #[serde(default)]
        frame_rate: Option<f64>,
        /// When the first frame is (s); it rests there before.
        #[serde(default)]
        start: f64,
        /// What happens between two frames.
        interpolation: BetweenFrames,
        /// What happens after the last frame; needed if the run goes on.
        #[serde(default)]
        after: Option<AfterFrames>,
        /// Where it stands.
        #[serde(default)]
        placement: Placement,
        /// Coefficient of friction; needed where there is contact.
        #[serde(default)]
        friction: Option<f64>,
        /// Coefficient of friction of what does not slide yet; absent: `friction`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        static_friction: Option<f64>,
        /// Coefficient of restitution; absent: that of the other surface, or contact without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restitution: Option<f64>,
        /// Contact damping (s); absent: that of the other surface, or none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        contact_damping: Option<f64>,
        /// Coefficient of rolling friction (m); absent: that of the other surface, or none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rolling_friction: Option<f64>,
    },
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

    /// Its coefficient of friction.
    pub fn friction(&self) -> Option<f64> {
        let (Self::Plane { friction, .. }
        | Self::Mesh { friction, .. }
        | Self::Shape { friction, .. }
        | Self::Animated { friction, .. }) = self;
        *friction
    }

    /// Its coefficient of static friction, if it has one of its own.
    pub fn static_friction(&self) -> Option<f64> {
        let (Self::Plane { static_friction, .. }
        | Self::Mesh { static_friction, .. }
        | Self::Shape { static_friction, .. }
        | Self::Animated { static_friction, .. }) = self;
        *static_friction
    }

    /// Its contact damping (s).
    pub fn contact_damping(&self) -> Option<f64> {
        let (Self::Plane { contact_damping, .. }
        | Self::Mesh { contact_damping, .. }
        | Self::Shape { contact_damping, .. }
        | Self::Animated { contact_damping, .. }) = self;
        *contact_damping
    }

    /// Its coefficient of rolling friction (m).
    pub fn rolling_friction(&self) -> Option<f64> {
        let (Self::Plane { rolling_friction, .. }
        | Self::Mesh { rolling_friction, .. }
        | Self::Shape { rolling_friction, .. }
        | Self::Animated { rolling_friction, .. }) = self;
        *rolling_friction
    }

    /// Its coefficient of restitution.
    pub fn restitution(&self) -> Option<f64> {
        let (Self::Plane { restitution, .. }
        | Self::Mesh { restitution, .. }
        | Self::Shape { restitution, .. }
        | Self::Animated { restitution, .. }) = self;
        *restitution
    }

    /// Whether it moves, so that it is a body of prescribed nodes.
    pub fn moves(&self) -> bool {
        self.motion().is_some() || self.animation().is_some()
    }

    /// How it moves as a whole, if it does.
    pub fn motion(&self) -> Option<&MotionDescription> {
        match self {
            Self::Plane { .. } | Self::Animated { .. } => None,
            Self::Mesh { motion, .. } | Self::Shape { motion, .. } => motion.as_ref(),
        }
    }
    /// What moves its vertices, if files do.
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
