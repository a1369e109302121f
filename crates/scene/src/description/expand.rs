//! Rows and grids of copies of bodies.

use super::{Body, Layer, Material, Rotation, Scene, TypedBody};
use resile_math::elementary;
use serde::{Deserialize, Serialize};

/// Copies of a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Repeat {
    /// Copies in a row.
    Row {
        /// Number of copies, including the first.
        count: u32,
        /// Spacing (m).
        step: [f64; 3],
        /// Quantities that vary between copies.
        #[serde(default)]
        vary: Vec<Vary>,
    },
    /// Copies in a grid; the first index runs fastest.
    Grid {
        /// Numbers of copies along x, y and z.
        counts: [u32; 3],
        /// Spacings along x, y and z (m).
        spacing: [f64; 3],
        /// Quantities that vary between copies.
        #[serde(default)]
        vary: Vec<Vary>,
    },
}

impl Repeat {
    /// Total number of copies, including the first.
    pub fn count(&self) -> u64 {
        match self {
            Self::Row { count, .. } => u64::from(*count),
            Self::Grid { counts, .. } => {
                counts.iter().fold(1, |n, &count| n.saturating_mul(u64::from(count)))
            }
        }
    }

    /// Quantities that vary between copies.
    pub fn vary(&self) -> &[Vary] {
        let (Self::Row { vary, .. } | Self::Grid { vary, .. }) = self;
        vary
    }

    /// The shift of copy `index` from the first (m).
    fn offset(&self, index: u64) -> [f64; 3] {
        match self {
            Self::Row { step, .. } => step.map(|s| s * index as f64),
            Self::Grid { counts, spacing, .. } => {
                let [nx, ny, _] = counts.map(u64::from);
                let cell = [index % nx, index / nx % ny, index / (nx * ny)];
                [0, 1, 2].map(|k| spacing[k] * cell[k] as f64)
            }
        }
    }
}

/// A quantity that varies between copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Vary {
    /// Coefficient of friction.
    Friction(Series),
    /// Young's modulus (Pa).
    Young(Series),
    /// Density (kg/m^3).
    Density(Series),
    /// An additional rotation, after those of the placement.
    Rotate {
        /// The axis, through the shape's origin.
        axis: [f64; 3],
        /// The angle (degrees).
        degrees: Series,
    },
    /// An additional translation along a direction.
    Translate {
        /// The direction; its length multiplies the distance.
        along: [f64; 3],
        /// The distance (m).
        distance: Series,
    },
    /// An additional initial velocity along a direction.
    Velocity {
        /// The direction; its length multiplies the speed.
        along: [f64; 3],
        /// The speed (m/s).
        speed: Series,
    },
    /// An additional initial angular velocity about an axis.
    AngularVelocity {
        /// The axis; its length multiplies the rate.
        axis: [f64; 3],
        /// The rate (rad/s).
        rate: Series,
    },
}

/// A number for each copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Series {
    /// A list, one number for each copy.
    List(Vec<f64>),
    /// Linear from the first copy to the last.
    Linear {
        /// Value of the first copy.
        from: f64,
        /// Value of the last copy.
        to: f64,
    },
    /// `from + (to - from) (i / (n - 1))^exponent` for copy i of n.
    Power {
        /// Value of the first copy.
        from: f64,
        /// Value of the last copy.
        to: f64,
        /// The exponent; 2 for a quadratic increase.
        exponent: f64,
    },
}

impl Series {
    /// The number of copy `index` of `count`; 0 past the end of a list.
    pub fn value(&self, index: u64, count: u64) -> f64 {
        let fraction = if count > 1 { index as f64 / (count - 1) as f64 } else { 0.0 };
        match self {
            Self::List(values) => values.get(index as usize).copied().unwrap_or(0.0),
            Self::Linear { from, to } => from + (to - from) * fraction,
            Self::Power { from, to, exponent } => {
                from + (to - from) * elementary::pow(fraction, *exponent)
            }
        }
    }
}

/// A body after expansion, with its material.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpandedBody {
    /// Index in [`Scene::bodies`] of the body that it is, or is a copy of.
    pub source: usize,
    /// The body, named after its copy and without `repeat`.
    pub body: Body,
    /// Its kind with the material.
    pub typed: TypedBody,
    /// Groups of its mesh with other materials. [`Vary`] changes the material of the body, not of its groups.
    pub group_materials: Vec<(String, Material)>,
    /// Materials and thicknesses (m) of the layers of a shell; none: one layer of its material.
    pub layers: Vec<(Material, f64)>,
}

impl Body {
    /// Whether its copies have different coefficients of friction.
    pub(super) fn varies_friction(&self) -> bool {
        let mut varied = self.repeat.iter().flat_map(Repeat::vary);
        varied.any(|vary| matches!(vary, Vary::Friction(_)))
    }
}

impl Scene {
    /// All bodies with rows and grids expanded, in the order of the file.
    ///
    /// Bodies that need a material and have no suitable one are left out; [`Scene::check`] reports them.
    pub fn expand(&self) -> Vec<ExpandedBody> {
        let mut expanded = Vec::new();
        for (source, body) in self.bodies.iter().enumerate() {
            let material = self.material_of(body);
            let Some(repeat) = &body.repeat else {
                expanded.extend(self.resolve(source, body.clone(), material));
                continue;
            };
            let count = repeat.count();
            // The lists of `repeat` may have a number for each copy, and are not cloned with each.
            let template = Body { repeat: None, ..body.clone() };
            expanded.extend((0..count).filter_map(|index| {
                let (body, material) = copy(&template, repeat, material.clone(), index, count);
                self.resolve(source, body, material)
            }));
        }
        expanded
    }

    /// Resolves the materials of an expanded body; `None` if it lacks a suitable one.
    fn resolve(
        &self,
        source: usize,
        body: Body,
        material: Option<Material>,
    ) -> Option<ExpandedBody> {
        let typed = TypedBody::resolve(&body, material)?;
        let group_material =
            |(group, name): (&String, &String)| Some((group.clone(), self.material_named(name)?));
        let group_materials = body.group_materials.iter().filter_map(group_material).collect();
        let layer_material =
            |layer: &Layer| Some((self.material_named(&layer.material)?, layer.thickness));
        let layers = body.layers.iter().filter_map(layer_material).collect();
        Some(ExpandedBody { source, body, typed, group_materials, layers })
    }
}

/// Copy `index` of `count` copies of a body without `repeat`, and its material, with the varied quantities.
fn copy(
    template: &Body,
    repeat: &Repeat,
    mut material: Option<Material>,
    index: u64,
    count: u64,
) -> (Body, Option<Material>) {
    let mut body = template.clone();
    body.name = format!("{}[{index}]", template.name);
    add_scaled(&mut body.placement.translate, repeat.offset(index), 1.0);
    for vary in repeat.vary() {
        let value_of = |series: &Series| series.value(index, count);
        match vary {
            Vary::Friction(series) => body.friction = Some(value_of(series)),
            Vary::Young(series) => {
                material = material.map(|m| m.with_young(value_of(series)));
            }
            Vary::Density(series) => {
                material = material.map(|m| Material { density: value_of(series), ..m });
            }
            Vary::Rotate { axis, degrees } => {
                body.placement.rotate.push(Rotation { axis: *axis, degrees: value_of(degrees) });
            }
            Vary::Translate { along, distance } => {
                add_scaled(&mut body.placement.translate, *along, value_of(distance));
            }
            Vary::Velocity { along, speed } => {
                add_scaled(&mut body.velocity, *along, value_of(speed));
            }
            Vary::AngularVelocity { axis, rate } => {
                add_scaled(&mut body.angular_velocity, *axis, value_of(rate));
            }
        }
    }
    (body, material)
}

/// Adds `scale` times `direction` to `sum`.
fn add_scaled(sum: &mut [f64; 3], direction: [f64; 3], scale: f64) {
    for (sum, d) in sum.iter_mut().zip(direction) {
        *sum += d * scale;
    }
}
