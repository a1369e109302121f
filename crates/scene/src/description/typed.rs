//! Bodies as a type that admits only valid combinations of shape, kind and material.

use super::{
    Bending, BendingModel, Body, Elements, Kind, Material, Model, Motor, RestAngles, RestShape,
    SpringLaw,
};

/// The kind of a body with its material.
#[derive(Debug, Clone, PartialEq)]
pub enum TypedBody {
    /// An elastic solid.
    Solid {
        /// Material.
        material: Material,
        /// Order of its elements.
        elements: Elements,
    },
    /// An affine body with a closed surface.
    Affine {
        /// Material.
        material: Material,
    },
    /// A thin elastic shell.
    Shell(Shell),
    /// An elastic rod.
    Rod(Rod),
    /// Cloth of masses and springs.
    Cloth {
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
    /// Particles, with their masses.
    Particles {
        /// Positions relative to the origin of the shape (m).
        positions: Vec<[f64; 3]>,
        /// Masses (kg).
        masses: Vec<f64>,
    },
}

/// A thin elastic shell.
#[derive(Debug, Clone, PartialEq)]
pub struct Shell {
    /// Material, except for `model`.
    pub material: Material,
    /// Membrane law.
    pub model: SheetModel,
    /// Thickness (m).
    pub thickness: f64,
    /// Bending stiffness.
    pub bending: Bending,
    /// Bending model.
    pub bending_model: BendingModel,
    /// The state without bending.
    pub rest_angles: RestAngles,
    /// Mass per area (kg/m^2).
    pub area_density: f64,
}

/// An elastic rod of circular section.
#[derive(Debug, Clone, PartialEq)]
pub struct Rod {
    /// Material, of which only Young's modulus and Poisson's ratio are used.
    pub material: Material,
    /// Radius (m).
    pub radius: f64,
    /// Number of turns by which the rod is twisted in the given shape; with it, an open rod is clamped.
    pub turns: Option<f64>,
    /// Motor at its last clamp.
    pub motor: Option<Motor>,
    /// The shape without bending and twist.
    pub rest_shape: RestShape,
}

/// A hyperelastic law of shells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SheetModel {
    /// Logarithmic neo-Hookean.
    NeoHookean,
    /// Saint Venant-Kirchhoff.
    StVK,
}

impl SheetModel {
    /// The law of a shell of this material; `None` if it is for solids only.
    pub fn of(model: &Model) -> Option<Self> {
        match model {
            Model::NeoHookean { .. } => Some(Self::NeoHookean),
            Model::StVK { .. } => Some(Self::StVK),
            _ => None,
        }
    }
}

impl TypedBody {
    /// Combines the kind of a body with its material. `None` if the kind requires a material and there is none, or if
    /// the material is not one for shells; the checks report both.
    pub(super) fn resolve(body: &Body, material: Option<Material>) -> Option<Self> {
        if let Some((positions, masses)) = body.shape.particles() {
            return Some(Self::Particles { positions, masses });
        }
        Some(match body.kind {
            Kind::Solid => Self::Solid { material: material?, elements: body.elements },
            Kind::Affine => Self::Affine { material: material? },
            Kind::Shell { thickness, bending, bending_model, rest_angles, area_density } => {
                let material = material?;
                let model = SheetModel::of(&material.model)?;
                let area_density = area_density.unwrap_or(material.density * thickness);
                Self::Shell(Shell {
                    material,
                    model,
                    thickness,
                    bending,
                    bending_model,
                    rest_angles,
                    area_density,
                })
            }
            Kind::Rod { radius, turns, motor, rest_shape } => {
                Self::Rod(Rod { material: material?, radius, turns, motor, rest_shape })
            }
            Kind::Springs { area_density, structural, shear, bending, law } => {
                Self::Cloth { area_density, structural, shear, bending, law }
            }
        })
    }

    /// The material, if any.
    pub fn material(&self) -> Option<&Material> {
        match self {
            Self::Solid { material, .. }
            | Self::Affine { material }
            | Self::Shell(Shell { material, .. })
            | Self::Rod(Rod { material, .. }) => Some(material),
            Self::Cloth { .. } | Self::Particles { .. } => None,
        }
    }
}
