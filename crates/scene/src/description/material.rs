//! Elastic materials.

use super::{Damping, Model};
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Mass density at rest (kg/m^3).
    pub density: f64,
    /// Constitutive law.
    pub model: Model,
    /// Plasticity: of solids of `Hencky` material, and of shells in bending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plasticity: Option<Plasticity>,
    /// Viscosity of solids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viscosity: Option<Viscosity>,
    /// Damping of bodies of this material.
    #[serde(default)]
    pub damping: Vec<Damping>,
}

impl Material {
    /// This material with another Young's modulus (Pa).
    #[must_use]
    pub fn with_young(self, value: f64) -> Self {
        Self { model: self.model.with_young(value), ..self }
    }
}

/// A model of plasticity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Plasticity {
    /// Von Mises plasticity with linear isotropic and kinematic hardening.
    VonMises {
        /// Yield stress in tension (Pa).
        yield_stress: f64,
        /// Hardening modulus: yield stress per plastic strain (Pa).
        #[serde(default)]
        hardening: f64,
        /// Modulus of kinematic hardening of solids: shift of the yield surface per plastic strain (Pa).
        #[serde(default)]
        kinematic_hardening: f64,
        /// Dependence of the stress of solids on the rate of flow; default: none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rate: Option<RateDependence>,
    },
}

/// Perzyna's law of overstress.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateDependence {
    /// Rate of plastic strain (1/s) at which the stress is twice the yield stress.
    pub reference: f64,
    /// Exponent of the relative overstress.
    #[serde(default = "super::defaults::one")]
    pub exponent: f64,
}

/// A model of viscosity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Viscosity {
    /// A Prony series: the elastic model is the instantaneous response, of which the branches relax.
    Prony(Vec<PronyBranch>),
}

/// A branch of a Prony series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PronyBranch {
    /// Its fraction of the instantaneous shear modulus.
    pub modulus: f64,
    /// Relaxation time (s).
    pub time: f64,
}

/// Reads the materials and rejects repeated names, of which a map would silently keep the last.
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
