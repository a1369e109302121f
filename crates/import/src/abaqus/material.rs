//! `*MATERIAL` and its subordinate cards: constitutive laws and densities.

use super::deck::{Card, Row};
use super::history::{Plastic, Prony};
use crate::refusal::Findings;
use crate::ron::{Field, Ron};
use std::collections::BTreeMap;

/// Density (kg/m^3) where a static deck has none; it has no effect there.
const UNUSED_DENSITY: f64 = 1.0;

/// An elastic law for small strains, or a hyperelastic one.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Elasticity {
    /// Young's modulus (Pa) and Poisson's ratio.
    SmallStrain { young: f64, poisson: f64 },
    /// `C10` (Pa) and `D1` (1/Pa).
    NeoHooke { c10: f64, d1: f64 },
    /// `C10`, `C01` (Pa) and `D1` (1/Pa).
    MooneyRivlin { c10: f64, c01: f64, d1: f64 },
    /// `C10`, `C20`, `C30` (Pa) and `D1` (1/Pa).
    Yeoh { c10: f64, c20: f64, c30: f64, d1: f64 },
}

/// A material of a deck.
#[derive(Debug, Clone, Default)]
pub(super) struct Material {
    law: Option<Elasticity>,
    /// Density (kg/m^3).
    density: Option<f64>,
    plastic: Plastic,
    viscous: Prony,
    /// Whether the elastic constants are the instantaneous ones, before relaxation.
    instantaneous: bool,
    /// Whether a card of the material is refused.
    is_refused: bool,
}

/// Reads the materials of all cards.
pub(super) fn read(cards: &[Card], findings: &mut Findings) -> BTreeMap<String, Material> {
    let mut materials = BTreeMap::new();
    let mut current: Option<String> = None;
    for card in cards {
        if card.keyword == "MATERIAL" {
            card.allow_only(&["NAME"], findings);
            current = card.required("NAME", findings).map(str::to_owned);
            current.iter().for_each(|name| {
                materials.insert(name.clone(), Material::default());
            });
        } else if is_of_material(&card.keyword) {
            match current.as_ref().and_then(|name| materials.get_mut(name)) {
                Some(material) => material.add(card, findings),
                None => card.refuse(findings, "there is no `*MATERIAL` above this keyword"),
            }
        }
    }
    materials
}

/// Whether a keyword belongs to the preceding material.
pub(super) fn is_of_material(keyword: &str) -> bool {
    [
        "ELASTIC",
        "HYPERELASTIC",
        "DENSITY",
        "PLASTIC",
        "CYCLIC HARDENING",
        "RATE DEPENDENT",
        "VISCOELASTIC",
    ]
    .contains(&keyword)
}

impl Material {
    /// Adds the property of a card that belongs to a material.
    fn add(&mut self, card: &Card, findings: &mut Findings) {
        let refusal_count = findings.refusals.len();
        match card.keyword.as_str() {
            "PLASTIC" => self.plastic.read(card, findings),
            "CYCLIC HARDENING" => self.plastic.read_cyclic(card, findings),
            "RATE DEPENDENT" => self.plastic.read_rate(card, findings),
            "VISCOELASTIC" => self.viscous = Prony::read(card, findings),
            _ => self.read_constants(card, findings),
        }
        self.is_refused |= findings.refusals.len() > refusal_count;
    }

    /// Whether the deck has no law for the material, not even one that is refused.
    pub(super) fn lacks_law(&self) -> bool {
        self.law.is_none() && !self.is_refused
    }

    /// Reads `*DENSITY`, `*ELASTIC` or `*HYPERELASTIC`. Refuses anisotropic elasticity, and values that depend on
    /// temperature.
    fn read_constants(&mut self, card: &Card, findings: &mut Findings) {
        if !is_isotropic(card) {
            return card.refuse(findings, "only isotropic elasticity can be expressed");
        }
        let rows: Option<Vec<Vec<f64>>> = card.rows.iter().map(Row::numbers).collect();
        let Some(rows) = rows else {
            return card.refuse(findings, format!("`*{}` needs numbers", card.keyword));
        };
        if rows.len() > 1 {
            return card.refuse(findings, "values that depend on temperature cannot be expressed");
        }
        let constants = rows.concat();
        if card.keyword == "DENSITY" {
            self.density = constants.first().copied();
            return;
        }
        self.instantaneous = card.parameter("MODULI") == Some("INSTANTANEOUS");
        let law = match card.keyword.as_str() {
            "ELASTIC" => read_elastic(card, &constants, findings),
            _ => read_hyperelastic(card, &constants, findings),
        };
        self.law = law.or(self.law);
    }

    /// The material in scene syntax, for small or (`nonlinear`) for large displacements; `None` without a law.
    pub(super) fn ron(&self, nonlinear: bool) -> Option<Ron> {
        let model = self.instantaneous_law()?.ron(nonlinear, self.has_history());
        let density = self.density.unwrap_or(UNUSED_DENSITY);
        let mut fields = vec![Field::new("density", density), Field::new("model", model)];
        fields.extend(self.plastic.ron().map(|flow| Field::new("plasticity", flow)));
        fields.extend(self.viscous.ron().map(|series| Field::new("viscosity", series)));
        Some(Ron::Struct("", fields))
    }

    /// The elastic law before relaxation; `None` without a law.
    fn instantaneous_law(&self) -> Option<Elasticity> {
        let law = self.law?;
        Some(match self.viscous.is_present() && !self.instantaneous {
            true => law.with_shear_scaled(1.0 / self.viscous.relaxed_fraction()),
            false => law,
        })
    }

    /// Instantaneous Young's modulus (Pa) at small strains; `None` without a law.
    pub(super) fn young(&self) -> Option<f64> {
        self.instantaneous_law().map(Elasticity::young)
    }

    /// Whether the stress depends on the past.
    pub(super) fn has_history(&self) -> bool {
        self.plastic.is_present() || self.viscous.is_present()
    }

    /// Whether the stress depends on the rate of plastic flow.
    pub(super) fn depends_on_rate(&self) -> bool {
        self.plastic.depends_on_rate()
    }

    /// Whether the material relaxes.
    pub(super) fn is_viscous(&self) -> bool {
        self.viscous.is_present()
    }

    /// Why plasticity or viscosity cannot be combined with the rest of the material.
    pub(super) fn conflict(&self) -> Option<&'static str> {
        match (self.plastic.is_present(), self.viscous.is_present()) {
            (true, true) => Some("yields and relaxes"),
            (true, false) if self.is_hyperelastic() => {
                Some("is hyperelastic and yields; only `*ELASTIC` can")
            }
            _ => None,
        }
    }

    /// Whether the deck gives a density.
    pub(super) fn has_density(&self) -> bool {
        self.density.is_some()
    }

    /// Whether the law was given by `*HYPERELASTIC`.
    pub(super) fn is_hyperelastic(&self) -> bool {
        self.law.is_some_and(|law| !matches!(law, Elasticity::SmallStrain { .. }))
    }
}

impl Elasticity {
    /// The law in scene syntax. A law for small strains becomes Hencky's law if the stress depends on the past, or
    /// else the St. Venant-Kirchhoff law if displacements are large (`nonlinear`).
    fn ron(self, nonlinear: bool, has_history: bool) -> Ron {
        let model = |name: &'static str, values: &[(&'static str, f64)]| {
            let fields = values.iter().map(|(name, value)| Field::new(name, *value));
            Ron::Struct(name, fields.collect())
        };
        match self {
            Self::SmallStrain { young, poisson } => {
                let name = match (has_history, nonlinear) {
                    (true, _) => "Hencky",
                    (false, true) => "StVK",
                    (false, false) => "Linear",
                };
                model(name, &[("young", young), ("poisson", poisson)])
            }
            Self::NeoHooke { c10, d1 } => {
                model("MooneyRivlin", &[("c10", c10), ("c01", 0.0), ("bulk", 2.0 / d1)])
            }
            Self::MooneyRivlin { c10, c01, d1 } => {
                model("MooneyRivlin", &[("c10", c10), ("c01", c01), ("bulk", 2.0 / d1)])
            }
            Self::Yeoh { c10, c20, c30, d1 } => {
                model("Yeoh", &[("c10", c10), ("c20", c20), ("c30", c30), ("bulk", 2.0 / d1)])
            }
        }
    }

    /// Young's modulus (Pa) at small strains.
    fn young(self) -> f64 {
        let young_of_moduli = |shear: f64, d1: f64| {
            let bulk = 2.0 / d1;
            9.0 * bulk * shear / (3.0 * bulk + shear)
        };
        match self {
            Self::SmallStrain { young, .. } => young,
            Self::NeoHooke { c10, d1 } | Self::Yeoh { c10, d1, .. } => {
                young_of_moduli(2.0 * c10, d1)
            }
            Self::MooneyRivlin { c10, c01, d1 } => young_of_moduli(2.0 * (c10 + c01), d1),
        }
    }

    /// This law with its shear stiffness multiplied by `factor`, and the same bulk modulus.
    fn with_shear_scaled(self, factor: f64) -> Self {
        match self {
            Self::SmallStrain { young, poisson } => {
                let shear = factor * young / (2.0 * (1.0 + poisson));
                let bulk = young / (3.0 * (1.0 - 2.0 * poisson));
                Self::SmallStrain {
                    young: 9.0 * bulk * shear / (3.0 * bulk + shear),
                    poisson: (3.0 * bulk - 2.0 * shear) / (2.0 * (3.0 * bulk + shear)),
                }
            }
            Self::NeoHooke { c10, d1 } => Self::NeoHooke { c10: factor * c10, d1 },
            Self::MooneyRivlin { c10, c01, d1 } => {
                Self::MooneyRivlin { c10: factor * c10, c01: factor * c01, d1 }
            }
            Self::Yeoh { c10, c20, c30, d1 } => {
                Self::Yeoh { c10: factor * c10, c20: factor * c20, c30: factor * c30, d1 }
            }
        }
    }
}

/// Whether a card is no anisotropic `*ELASTIC`.
fn is_isotropic(card: &Card) -> bool {
    card.keyword != "ELASTIC" || card.parameter("TYPE").is_none_or(|kind| kind.starts_with("ISO"))
}

/// Reads the constants of `*ELASTIC`. Refuses constants of materials that are not stable.
fn read_elastic(card: &Card, constants: &[f64], findings: &mut Findings) -> Option<Elasticity> {
    card.allow_only(&["TYPE", "MODULI"], findings);
    let [young, poisson, ..] = *constants else {
        card.refuse(findings, "needs Young's modulus and Poisson's ratio");
        return None;
    };
    if !(young > 0.0 && poisson > -1.0 && poisson < 0.5) {
        let range = "Young's modulus has to be positive, and Poisson's ratio between -1 and 0.5";
        card.refuse(findings, format!("{range}; they are {young} and {poisson}"));
        return None;
    }
    Some(Elasticity::SmallStrain { young, poisson })
}

/// Reads the constants of `*HYPERELASTIC`: `NEO HOOKE`, `MOONEY-RIVLIN` or `YEOH` with one compressibility `D1`.
/// Refuses other laws and incompressible ones (`D1 <= 0`).
fn read_hyperelastic(
    card: &Card,
    constants: &[f64],
    findings: &mut Findings,
) -> Option<Elasticity> {
    card.allow_only(&["NEO HOOKE", "MOONEY-RIVLIN", "YEOH", "MODULI"], findings);
    let has_parameter = |kind: &str| card.parameter(kind).is_some();
    let (law, d1) = match *constants {
        [c10, d1] | [c10, d1, _] if has_parameter("NEO HOOKE") => {
            (Elasticity::NeoHooke { c10, d1 }, d1)
        }
        [c10, c01, d1] | [c10, c01, d1, _] if has_parameter("MOONEY-RIVLIN") => {
            (Elasticity::MooneyRivlin { c10, c01, d1 }, d1)
        }
        [c10, c20, c30, d1] | [c10, c20, c30, d1, 0.0, 0.0] | [c10, c20, c30, d1, 0.0, 0.0, _]
            if has_parameter("YEOH") =>
        {
            (Elasticity::Yeoh { c10, c20, c30, d1 }, d1)
        }
        _ => {
            let message = "needs the constants of NEO HOOKE (C10, D1), MOONEY-RIVLIN (C10, C01, D1) or YEOH (C10, \
                        C20, C30, D1, D2, D3, of which the last two must be zero)";
            card.refuse(findings, message);
            return None;
        }
    };
    if d1 <= 0.0 {
        card.refuse(
            findings,
            "`D1` must be positive: fully incompressible laws cannot be expressed",
        );
        return None;
    }
    findings.note(
        "the energy of the change of volume of hyperelastic laws is `bulk/2 (ln J)^2` with bulk = 2/D1, in place of \
         `(J - 1)^2/D1`; both agree for small changes",
    );
    Some(law)
}
