//! Elastic materials.

use super::Damping;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What a body is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Mass per rest volume (kg/m^3).
    pub density: f64,
    /// The law of elasticity.
    pub model: Model,
    /// How it yields; of solids of `Hencky` material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plasticity: Option<Plasticity>,
    /// What takes energy from bodies of this material.
    #[serde(default)]
    pub damping: Vec<Damping>,
}

impl Material {
    /// The same material with another Young's modulus (Pa).
    #[must_use]
    pub fn with_young(self, value: f64) -> Self {
        Self { model: self.model.with_young(value), ..self }
    }
}

/// How a material yields.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Plasticity {
    /// Von Mises' flow with linear isotropic hardening.
    VonMises {
        /// The stress (Pa) at which it begins in a tensile test.
        yield_stress: f64,
        /// By how much (Pa) that rises with plastic strain.
        #[serde(default)]
        hardening: f64,
    },
}

/// A law of elasticity with its constants.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Model {
    /// Logarithmic neo-Hookean; infinite energy at zero volume.
    NeoHookean {
        /// Young's modulus (Pa).
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
    /// Fixed corotated.
    Corotated {
        /// Young's modulus (Pa).
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
    /// Linear in the logarithms of stretches; infinite energy at zero volume. The one that may
    /// yield.
    Hencky {
        /// Young's modulus (Pa).
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
    /// Saint Venant-Kirchhoff; weak in strong compression.
    StVK {
        /// Young's modulus (Pa).
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
    /// A `NeoHookean` matrix with fibres of one direction that bear tension only.
    Fibre {
        /// Young's modulus (Pa) of the matrix.
        young: f64,
        /// Poisson's ratio of the matrix.
        poisson: f64,
        /// Stiffness k1 (Pa) of the fibres.
        stiffness: f64,
        /// How fast they stiffen: k2 of the exponential.
        #[serde(default)]
        exponent: f64,
        /// Their direction in the frame of the shape, of any length.
        direction: [f64; 3],
    },
    /// The orthogonality potential of affine bodies, `stiffness |F F^T - I|^2`: `StVK` of
    /// Young's modulus `8 stiffness` and Poisson's ratio zero.
    Orthogonal {
        /// Stiffness (Pa).
        stiffness: f64,
    },
}

impl Model {
    /// Young's modulus (Pa); of fibres in a matrix, that of the matrix.
    pub fn young(&self) -> f64 {
        match self {
            Self::NeoHookean { young, .. }
            | Self::Hencky { young, .. }
            | Self::Corotated { young, .. }
            | Self::StVK { young, .. }
            | Self::Fibre { young, .. } => *young,
            Self::Orthogonal { stiffness } => 8.0 * stiffness,
        }
    }

    /// Poisson's ratio.
    pub fn poisson(&self) -> f64 {
        match self {
            Self::NeoHookean { poisson, .. }
            | Self::Hencky { poisson, .. }
            | Self::Corotated { poisson, .. }
            | Self::StVK { poisson, .. }
            | Self::Fibre { poisson, .. } => *poisson,
            Self::Orthogonal { .. } => 0.0,
        }
    }

    /// The same law with another Young's modulus (Pa).
    pub fn with_young(mut self, value: f64) -> Self {
        match &mut self {
            Self::NeoHookean { young, .. }
            | Self::Hencky { young, .. }
            | Self::Corotated { young, .. }
            | Self::StVK { young, .. }
            | Self::Fibre { young, .. } => *young = value,
            Self::Orthogonal { stiffness } => *stiffness = value / 8.0,
        }
        self
    }
}

/// Reads the materials and refuses a name that is there twice: a map would keep
/// the last silently.
pub(super) fn unique_names<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Material>, D::Error> {
    struct Materials;
    impl<'de> Visitor<'de> for Materials {
        type Value = BTreeMap<String, Material>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("materials by name, such as `{\"rubber\": (density: ..., model: ...)}`")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut materials = BTreeMap::new();
            while let Some(name) = map.next_key::<String>()? {
                if materials.contains_key(&name) {
                    return Err(A::Error::custom(format!("material \"{name}\" is defined twice")));
                }
                let material = map.next_value()?;
                materials.insert(name, material);
            }
            Ok(materials)
        }
    }
    deserializer.deserialize_map(Materials)
}
