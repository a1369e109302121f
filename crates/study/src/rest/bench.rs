//! The scenes and the quantity that each measures.

use crate::drive::StudyError;
use crate::track::{Track, scene_with};
use resile_scene::description::Scene;

/// The kind of the bodies of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Elastic, with all their nodes.
    Solid,
    /// Elastic as a whole, with four nodes.
    Affine,
}

impl Kind {
    /// The name in scenes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Solid => "Solid",
            Self::Affine => "Affine",
        }
    }
}

/// The quantity that a scene measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MeasuredQuantity {
    /// Whether all bodies are at rest at the end.
    Rest,
    /// The acceleration (m/s^2) of the first body along x.
    Acceleration {
        /// The exact value for a rolling ball.
        rolling: f64,
    },
    /// The final speed (m/s) of the first body along x.
    Speed {
        /// The exact value for a ball that rolls after slipping.
        rolling: f64,
    },
    /// The sliding distance (m) of the first body.
    Distance {
        /// The exact value by Coulomb's law.
        coulomb: f64,
        /// Initial speed (m/s); a method of first order moves half a step at this speed less.
        speed: f64,
    },
    /// The fraction of the energy that becomes heat.
    Heat,
    /// The final speed (m/s) of the last body along x.
    LastSpeed,
}

impl MeasuredQuantity {
    /// The name of the quantity, with its unit.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Acceleration { .. } => "acceleration (m/s^2)",
            Self::Speed { .. } => "end speed (m/s)",
            Self::Distance { .. } => "distance (m)",
            Self::Heat => "heat/energy",
            Self::LastSpeed => "speed of last ball (m/s)",
        }
    }

    /// The measured value of a run; `None` if the scene measures no number.
    pub(super) fn measured(self, track: &Track) -> Option<f64> {
        let mean_speed = |body, part| track.velocity(body, part).x;
        match self {
            Self::Rest => None,
            // The second and the last quarter of the run, whose mean speeds are taken, are half a run apart.
            Self::Acceleration { .. } => {
                let speed_change = mean_speed(0, [0.75, 1.0]) - mean_speed(0, [0.25, 0.5]);
                Some(speed_change / (0.5 * track.duration()))
            }
            Self::Speed { .. } => Some(mean_speed(0, [0.75, 1.0])),
            Self::Distance { .. } => Some(track.displacement(0).x),
            Self::Heat => Some(track.heat() / track.available()),
            Self::LastSpeed => Some(mean_speed(track.bodies.len() - 1, [0.95, 1.0])),
        }
    }

    /// The exact value with steps of `h` seconds, if it is known.
    pub(super) fn exact(self, h: f64) -> Option<f64> {
        match self {
            Self::Rest | Self::Heat | Self::LastSpeed => None,
            Self::Acceleration { rolling } | Self::Speed { rolling } => Some(rolling),
            Self::Distance { coulomb, speed } => Some(coulomb - 0.5 * speed * h),
        }
    }

    /// The relative tolerance of the value.
    pub(super) fn tolerance(self) -> f64 {
        if matches!(self, Self::Distance { .. }) { 0.05 } else { 0.01 }
    }
}

/// A scene of the study.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bench {
    /// Name of the scene.
    pub name: &'static str,
    /// Kinds of bodies to measure; the scene file has the first.
    pub kinds: &'static [Kind],
    /// The quantity that it measures.
    pub quantity: MeasuredQuantity,
    /// Number of bodies in the file.
    body_count: usize,
    /// The text of the file.
    text: &'static str,
}

const SOLID_AND_AFFINE: &[Kind] = &[Kind::Solid, Kind::Affine];
const AFFINE: &[Kind] = &[Kind::Affine];

macro_rules! bench {
    ($name:literal, $kinds:expr, $body_count:literal, $quantity:expr) => {
        Bench {
            name: $name,
            kinds: $kinds,
            quantity: $quantity,
            body_count: $body_count,
            text: include_str!(concat!("../../scenes/", $name, ".ron")),
        }
    };
}

/// All scenes: rest, then friction and rolling, then collisions.
pub static BENCHES: [Bench; 10] = [
    bench!("slope", SOLID_AND_AFFINE, 1, MeasuredQuantity::Rest),
    bench!("stack", SOLID_AND_AFFINE, 1, MeasuredQuantity::Rest),
    bench!("cards", AFFINE, 2, MeasuredQuantity::Rest),
    bench!("arch", AFFINE, 7, MeasuredQuantity::Rest),
    bench!("drop", SOLID_AND_AFFINE, 1, MeasuredQuantity::Rest),
    bench!(
        "sliding",
        SOLID_AND_AFFINE,
        1,
        MeasuredQuantity::Distance { coulomb: 0.1699, speed: 1.0 }
    ),
    bench!("rolling", AFFINE, 1, MeasuredQuantity::Acceleration { rolling: 1.2168 }),
    bench!("billiard", AFFINE, 1, MeasuredQuantity::Speed { rolling: 5.0 / 7.0 }),
    bench!("balls", SOLID_AND_AFFINE, 2, MeasuredQuantity::Heat),
    bench!("cradle", AFFINE, 5, MeasuredQuantity::LastSpeed),
];

impl Bench {
    /// The scene of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        BENCHES.iter().find(|bench| bench.name == name)
    }

    /// The scene with this kind of bodies, this method and this number of steps per second.
    pub(super) fn scene(
        &self,
        kind: Kind,
        method: &str,
        resolution: u32,
    ) -> Result<Scene, StudyError> {
        let mut fields = vec![
            format!("integrator={method}"),
            format!("time.step=1/{resolution}"),
            "solver.tolerance=1e-3".to_owned(),
        ];
        if self.kinds.first() != Some(&kind) {
            let kind_override = |body| format!("bodies[{body}].kind={}", kind.name());
            fields.extend((0..self.body_count).map(kind_override));
        }
        let name = format!("{} under {method}", self.name);
        scene_with(&name, self.text, fields.iter().map(String::as_str))
    }
}
