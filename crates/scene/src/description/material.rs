//! Elastic materials.

use super::Damping;
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
    /// The same material with another Young's modulus (Pa).
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
    #[serde(default = "one")]
    pub exponent: f64,
}

fn one() -> f64 {
    1.0
}

/// A model of viscosity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Viscosity {
    /// A Prony series: the model is the instantaneous response, of which these parts relax.
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

/// A hyperelastic law with its constants.
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
    /// Quadratic in the logarithms of stretches; infinite energy at zero volume. The only law with
    /// plasticity.
    Hencky {
        /// Young's modulus (Pa).
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
    /// Saint Venant-Kirchhoff; softens under strong compression.
    StVK {
        /// Young's modulus (Pa).
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
    /// Linear elasticity: small strains and small rotations of solids.
    Linear {
        /// Young's modulus (Pa).
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
    /// Mooney and Rivlin's rubber: `c10 (I1 - 3) + c01 (I2 - 3) + bulk/2 (ln J)^2`.
    MooneyRivlin {
        /// Constant of the first isochoric invariant (Pa).
        c10: f64,
        /// Constant of the second one (Pa).
        c01: f64,
        /// Bulk modulus (Pa).
        bulk: f64,
    },
    /// Yeoh's rubber: `c10 (I1 - 3) + c20 (I1 - 3)^2 + c30 (I1 - 3)^3 + bulk/2 (ln J)^2`.
    Yeoh {
        /// Constant of the first power (Pa).
        c10: f64,
        /// Constant of the second one (Pa).
        #[serde(default)]
        c20: f64,
        /// Constant of the third (Pa).
        #[serde(default)]
        c30: f64,
        /// Bulk modulus (Pa).
        bulk: f64,
    },
    /// Ogden's rubber of one to three terms `mu/alpha (s_1^alpha + s_2^alpha + s_3^alpha - 3)`, and `bulk/2 (ln J)^2`.
    Ogden {
        /// `mu` (Pa) and `alpha` of the first term.
        first: [f64; 2],
        /// `mu` (Pa) and `alpha` of the second term; default: none.
        #[serde(default)]
        second: Option<[f64; 2]>,
        /// `mu` (Pa) and `alpha` of the third term; default: none.
        #[serde(default)]
        third: Option<[f64; 2]>,
        /// Bulk modulus (Pa).
        bulk: f64,
    },
    /// A `NeoHookean` matrix with one family of fibres that bear tension only.
    Fibre {
        /// Young's modulus (Pa) of the matrix.
        young: f64,
        /// Poisson's ratio of the matrix.
        poisson: f64,
        /// Stiffness k1 (Pa) of the fibres.
        stiffness: f64,
        /// Exponent k2 of the fibres.
        #[serde(default)]
        exponent: f64,
        /// Direction of the fibres in the frame of the shape, of any length.
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
            | Self::Linear { young, .. }
            | Self::Fibre { young, .. } => *young,
            Self::Orthogonal { stiffness } => 8.0 * stiffness,
            Self::MooneyRivlin { .. } | Self::Yeoh { .. } | Self::Ogden { .. } => {
                let [shear, bulk] = self.small_strain();
                9.0 * bulk * shear / (3.0 * bulk + shear)
            }
        }
    }

    /// Whether it is isotropic and resists inversion without limit.
    pub(crate) fn can_relax(&self) -> bool {
        matches!(
            self,
            Self::NeoHookean { .. }
                | Self::Hencky { .. }
                | Self::MooneyRivlin { .. }
                | Self::Yeoh { .. }
                | Self::Ogden { .. }
        )
    }

    /// The shear modulus (Pa) at small strain.
    pub fn shear(&self) -> f64 {
        self.young() / (2.0 * (1.0 + self.poisson()))
    }

    /// The same law with its resistance to changes of shape times `factor`, and the same bulk modulus.
    #[must_use]
    pub fn with_shear_scaled(mut self, factor: f64) -> Self {
        let (shear, ratio) = (factor * self.shear(), self.poisson());
        let bulk = self.young() / (3.0 * (1.0 - 2.0 * ratio));
        match &mut self {
            Self::MooneyRivlin { c10, c01, .. } => {
                [c10, c01].into_iter().for_each(|constant| *constant *= factor);
            }
            Self::Yeoh { c10, c20, c30, .. } => {
                [c10, c20, c30].into_iter().for_each(|constant| *constant *= factor);
            }
            Self::Ogden { first, second, third, .. } => {
                let terms = [Some(first), second.as_mut(), third.as_mut()];
                terms.into_iter().flatten().for_each(|[mu, _]| *mu *= factor);
            }
            Self::NeoHookean { young, poisson }
            | Self::Hencky { young, poisson }
            | Self::Corotated { young, poisson }
            | Self::StVK { young, poisson }
            | Self::Linear { young, poisson }
            | Self::Fibre { young, poisson, .. } => {
                *young = 9.0 * bulk * shear / (3.0 * bulk + shear);
                *poisson = (3.0 * bulk - 2.0 * shear) / (2.0 * (3.0 * bulk + shear));
            }
            Self::Orthogonal { stiffness } => *stiffness *= factor,
        }
        self
    }

    /// Shear and bulk modulus (Pa) of rubber at small strain.
    fn small_strain(&self) -> [f64; 2] {
        match self {
            Self::MooneyRivlin { c10, c01, bulk } => [2.0 * (c10 + c01), *bulk],
            Self::Yeoh { c10, bulk, .. } => [2.0 * c10, *bulk],
            Self::Ogden { first, second, third, bulk } => {
                let terms = [Some(*first), *second, *third].into_iter().flatten();
                [terms.map(|[mu, alpha]| 0.5 * mu * alpha).sum(), *bulk]
            }
            _ => [0.0; 2],
        }
    }

    /// Poisson's ratio.
    pub fn poisson(&self) -> f64 {
        match self {
            Self::NeoHookean { poisson, .. }
            | Self::Hencky { poisson, .. }
            | Self::Corotated { poisson, .. }
            | Self::StVK { poisson, .. }
            | Self::Linear { poisson, .. }
            | Self::Fibre { poisson, .. } => *poisson,
            Self::Orthogonal { .. } => 0.0,
            Self::MooneyRivlin { .. } | Self::Yeoh { .. } | Self::Ogden { .. } => {
                let [shear, bulk] = self.small_strain();
                (3.0 * bulk - 2.0 * shear) / (2.0 * (3.0 * bulk + shear))
            }
        }
    }

    /// The same law with another Young's modulus (Pa).
    pub fn with_young(mut self, value: f64) -> Self {
        let ratio = value / self.young();
        match &mut self {
            Self::MooneyRivlin { c10, c01, bulk } => {
                [c10, c01, bulk].into_iter().for_each(|constant| *constant *= ratio);
            }
            Self::Yeoh { c10, c20, c30, bulk } => {
                [c10, c20, c30, bulk].into_iter().for_each(|constant| *constant *= ratio);
            }
            Self::Ogden { first, second, third, bulk } => {
                let terms = [Some(first), second.as_mut(), third.as_mut()];
                terms.into_iter().flatten().for_each(|[mu, _]| *mu *= ratio);
                *bulk *= ratio;
            }
            Self::NeoHookean { young, .. }
            | Self::Hencky { young, .. }
            | Self::Corotated { young, .. }
            | Self::StVK { young, .. }
            | Self::Linear { young, .. }
            | Self::Fibre { young, .. } => *young = value,
            Self::Orthogonal { stiffness } => *stiffness = value / 8.0,
        }
        self
    }
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
