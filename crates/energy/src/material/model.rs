//! Hyperelastic laws by their engineering constants: the format of scenes.

use super::{Fibre, FibreError, Lame, Material, MaterialError, Ogden, Yeoh};
use resile_math::Vec3;
use resile_math::parameters::{Allowed, NumberField, OutOfRange};

/// A hyperelastic law with its constants. With the feature `serde` it is read from the field `model` of a material of a
/// scene.
///
/// ```
/// use resile_energy::{Lame, Material, Model};
/// let model = Model::NeoHookean { young: 1e6, poisson: 0.3 };
/// let lame = Lame::from_young_poisson(1e6, 0.3).unwrap();
/// assert_eq!(model.law(), Ok(Material::NeoHookean(lame)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
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
        /// Constant of the second isochoric invariant (Pa).
        c01: f64,
        /// Bulk modulus (Pa).
        bulk: f64,
    },
    /// Yeoh's rubber: `c10 (I1 - 3) + c20 (I1 - 3)^2 + c30 (I1 - 3)^3 + bulk/2 (ln J)^2`.
    Yeoh {
        /// Constant of the first power (Pa).
        c10: f64,
        /// Constant of the second power (Pa).
        #[cfg_attr(feature = "serde", serde(default))]
        c20: f64,
        /// Constant of the third power (Pa).
        #[cfg_attr(feature = "serde", serde(default))]
        c30: f64,
        /// Bulk modulus (Pa).
        bulk: f64,
    },
    /// Ogden's rubber of one to three terms `mu/alpha (s_1^alpha + s_2^alpha + s_3^alpha - 3)`, and `bulk/2 (ln J)^2`.
    Ogden {
        /// `mu` (Pa) and `alpha` of the first term.
        first: [f64; 2],
        /// `mu` (Pa) and `alpha` of the second term; default: none.
        #[cfg_attr(feature = "serde", serde(default))]
        second: Option<[f64; 2]>,
        /// `mu` (Pa) and `alpha` of the third term; default: none.
        #[cfg_attr(feature = "serde", serde(default))]
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
        #[cfg_attr(feature = "serde", serde(default))]
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

/// The constants of a [`Model`] define no material.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A constant is out of range.
    #[error(transparent)]
    Constant(#[from] OutOfRange),
    /// The shear modulus at rest is not positive.
    #[error("the shear modulus at rest would be {shear} Pa, but must be positive")]
    Shear {
        /// Its value (Pa).
        shear: f64,
    },
    /// Young's modulus or Poisson's ratio at rest is out of range.
    #[error(transparent)]
    Moduli(#[from] MaterialError),
    /// The parameters of the fibres are out of range.
    #[error(transparent)]
    Fibre(#[from] FibreError),
}

/// Range of a constant of rubber (Pa).
const CONSTANT: Allowed = Allowed::Finite;
/// Range of the bulk modulus (Pa).
const BULK: Allowed = Allowed::Positive;
/// Range of the stiffness (Pa) of the orthogonality potential.
const ORTHOGONAL: Allowed = Allowed::Positive;

/// The field of Young's modulus of the variant `owner`.
const fn young(owner: &'static str) -> NumberField {
    NumberField::new(owner, "young", "Young's modulus (Pa)", Lame::YOUNG)
}

/// The field of Poisson's ratio of the variant `owner`.
const fn poisson(owner: &'static str) -> NumberField {
    NumberField::new(owner, "poisson", "Poisson's ratio", Lame::POISSON)
}

/// The field of a rubber constant of the variant `owner`.
const fn constant(owner: &'static str, field: &'static str) -> NumberField {
    NumberField::new(owner, field, "constant (Pa)", CONSTANT)
}

/// The field of the bulk modulus of the variant `owner`.
const fn bulk(owner: &'static str) -> NumberField {
    NumberField::new(owner, "bulk", "bulk modulus (Pa)", BULK)
}

/// A field with a term of Ogden's law.
const fn term(field: &'static str) -> NumberField {
    NumberField::new("Model::Ogden", field, "mu and alpha (Pa, -)", Allowed::Jointly)
}

impl Model {
    /// Range of the exponents of Ogden's law.
    pub const EXPONENT: Allowed = Allowed::NotZero;

    /// The numeric fields of all laws.
    pub const NUMBERS: [NumberField; 27] = [
        young("Model::NeoHookean"),
        poisson("Model::NeoHookean"),
        young("Model::Corotated"),
        poisson("Model::Corotated"),
        young("Model::Hencky"),
        poisson("Model::Hencky"),
        young("Model::StVK"),
        poisson("Model::StVK"),
        young("Model::Linear"),
        poisson("Model::Linear"),
        constant("Model::MooneyRivlin", "c10"),
        constant("Model::MooneyRivlin", "c01"),
        bulk("Model::MooneyRivlin"),
        constant("Model::Yeoh", "c10"),
        constant("Model::Yeoh", "c20"),
        constant("Model::Yeoh", "c30"),
        bulk("Model::Yeoh"),
        term("first"),
        term("second"),
        term("third"),
        bulk("Model::Ogden"),
        young("Model::Fibre"),
        poisson("Model::Fibre"),
        NumberField::new(
            "Model::Fibre",
            "stiffness",
            "stiffness of the fibres (Pa)",
            Fibre::STIFFNESS,
        ),
        NumberField::new("Model::Fibre", "exponent", "exponent of the fibres", Fibre::EXPONENT),
        NumberField::new(
            "Model::Fibre",
            "direction",
            "direction of the fibres",
            Allowed::Direction,
        ),
        NumberField::new("Model::Orthogonal", "stiffness", "stiffness (Pa)", ORTHOGONAL),
    ];

    /// The material.
    ///
    /// # Errors
    /// If a constant is out of range, or a modulus at rest is not positive.
    pub fn law(&self) -> Result<Material, ModelError> {
        self.check_constants()?;
        let lame = Lame::from_young_poisson(self.young(), self.poisson())?;
        Ok(match *self {
            Self::NeoHookean { .. } => Material::NeoHookean(lame),
            Self::Corotated { .. } => Material::Corotated(lame),
            Self::Linear { .. } => Material::Linear(lame),
            Self::Hencky { .. } => Material::Hencky(lame),
            Self::StVK { .. } | Self::Orthogonal { .. } => Material::StVenantKirchhoff(lame),
            Self::MooneyRivlin { c10, c01, bulk } => {
                Material::Ogden(Ogden::mooney_rivlin(c10, c01, bulk))
            }
            Self::Yeoh { c10, c20, c30, bulk } => {
                Material::Yeoh(Yeoh { coefficients: [c10, c20, c30], bulk })
            }
            Self::Ogden { first, second, third, bulk } => {
                let term =
                    |term: Option<[f64; 2]>| term.map_or((0.0, 1.0), |[mu, alpha]| (mu, alpha));
                Material::Ogden(Ogden { terms: [Some(first), second, third].map(term), bulk })
            }
            Self::Fibre { stiffness, exponent, direction, .. } => {
                let direction = Vec3::from_array(direction);
                Material::Fibre(Fibre::new(lame, stiffness, exponent, direction)?)
            }
        })
    }

    /// Checks the constants of rubber laws and of the orthogonality potential. Those of the other laws are checked by
    /// [`Lame`] and [`Fibre`].
    fn check_constants(&self) -> Result<(), ModelError> {
        let check = |constants: &[(&'static str, f64)], bulk: f64| {
            constants.iter().try_for_each(|&(name, value)| CONSTANT.check(name, value))?;
            BULK.check("bulk", bulk)
        };
        match *self {
            Self::MooneyRivlin { c10, c01, bulk } => check(&[("c10", c10), ("c01", c01)], bulk)?,
            Self::Yeoh { c10, c20, c30, bulk } => {
                check(&[("c10", c10), ("c20", c20), ("c30", c30)], bulk)?;
            }
            Self::Ogden { first, second, third, bulk } => {
                for [mu, alpha] in [Some(first), second, third].into_iter().flatten() {
                    CONSTANT.check("mu", mu)?;
                    Self::EXPONENT.check("alpha", alpha)?;
                }
                BULK.check("bulk", bulk)?;
            }
            Self::Orthogonal { stiffness } => ORTHOGONAL.check("stiffness", stiffness)?,
            _ => return Ok(()),
        }
        let shear = self.shear();
        if shear.is_finite() && shear <= 0.0 { Err(ModelError::Shear { shear }) } else { Ok(()) }
    }

    /// This law with its directions rotated by `turn`, which preserves lengths.
    #[must_use]
    pub fn turned(mut self, turn: impl Fn(Vec3) -> Vec3) -> Self {
        if let Self::Fibre { direction, .. } = &mut self {
            *direction = turn(Vec3::from_array(*direction)).to_array();
        }
        self
    }

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
                let [shear, bulk] = self.small_strain_moduli();
                9.0 * bulk * shear / (3.0 * bulk + shear)
            }
        }
    }

    /// Whether viscous relaxation is possible: the law is isotropic, and its resistance to inversion is unbounded.
    pub fn can_relax(&self) -> bool {
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

    /// This law with its shear stiffness multiplied by `factor`, and the same bulk modulus.
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
    fn small_strain_moduli(&self) -> [f64; 2] {
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

    /// The bulk modulus (Pa) of laws of rubber; `None` for others.
    pub fn bulk(&self) -> Option<f64> {
        match self {
            Self::MooneyRivlin { bulk, .. }
            | Self::Yeoh { bulk, .. }
            | Self::Ogden { bulk, .. } => Some(*bulk),
            _ => None,
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
                let [shear, bulk] = self.small_strain_moduli();
                (3.0 * bulk - 2.0 * shear) / (2.0 * (3.0 * bulk + shear))
            }
        }
    }

    /// This law with another Young's modulus (Pa).
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
