//! `*MATERIAL` and its subordinate cards: constitutive laws and densities.

use super::deck::Card;
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
    /// Adds a property: `*DENSITY`, isotropic `*ELASTIC`, `*HYPERELASTIC`, plasticity or viscosity. Refuses anisotropic
    /// laws and values that depend on temperature.
    fn add(&mut self, card: &Card, findings: &mut Findings) {
        match card.keyword.as_str() {
            "PLASTIC" => return self.plastic.read(card, findings),
            "CYCLIC HARDENING" => return self.plastic.read_cyclic(card, findings),
            "RATE DEPENDENT" => return self.plastic.read_rate(card, findings),
            "VISCOELASTIC" => {
                self.viscous = Prony::read(card, findings);
                return;
            }
            _ => {}
        }
        let numbers: Option<Vec<f64>> = card
            .rows
            .iter()
            .map(|row| row.numbers())
            .collect::<Option<Vec<_>>>()
            .map(|rows| rows.concat());
        let Some(numbers) = numbers else {
            return card.refuse(findings, format!("`*{}` needs numbers", card.keyword));
        };
        if card.rows.len() > 1 {
            return card.refuse(findings, "values that depend on temperature cannot be expressed");
        }
        match card.keyword.as_str() {
            "DENSITY" => self.density = numbers.first().copied(),
            "ELASTIC" => {
                card.allow_only(&["TYPE", "MODULI"], findings);
                self.instantaneous = card.parameter("MODULI") == Some("INSTANTANEOUS");
                let isotropic = card.parameter("TYPE").is_none_or(|kind| kind.starts_with("ISO"));
                match (isotropic, &numbers[..]) {
                    (true, [young, poisson, ..])
                        if !(*young > 0.0 && *poisson > -1.0 && *poisson < 0.5) =>
                    {
                        let range = "Young's modulus has to be positive, and Poisson's ratio between -1 and 0.5";
                        card.refuse(findings, format!("{range}; they are {young} and {poisson}"));
                    }
                    (true, [young, poisson, ..]) => {
                        self.law =
                            Some(Elasticity::SmallStrain { young: *young, poisson: *poisson });
                    }
                    (true, _) => card.refuse(findings, "needs Young's modulus and Poisson's ratio"),
                    _ => card.refuse(findings, "only isotropic elasticity can be expressed"),
                }
            }
            _ => {
                self.instantaneous = card.parameter("MODULI") == Some("INSTANTANEOUS");
                self.law = hyperelastic(card, &numbers, findings).or(self.law);
            }
        }
    }

    /// The law in scene syntax, for small or for finite strains; `None` without a law.
    pub(super) fn ron(&self, nonlinear: bool) -> Option<Ron> {
        let model = self.model()?.ron(nonlinear, self.has_history());
        let density = self.density.unwrap_or(UNUSED_DENSITY);
        let mut fields = vec![Field::new("density", density), Field::new("model", model)];
        fields.extend(self.plastic.ron().map(|flow| Field::new("plasticity", flow)));
        fields.extend(self.viscous.ron().map(|series| Field::new("viscosity", series)));
        Some(Ron::Struct("", fields))
    }

    /// The elastic law. For a material that relaxes, it is the instantaneous law.
    fn model(&self) -> Option<Elasticity> {
        let law = self.law?;
        Some(match self.viscous.is_present() && !self.instantaneous {
            true => law.with_shear_scaled(1.0 / self.viscous.relaxed()),
            false => law,
        })
    }

    /// Young's modulus (Pa) at small strains.
    pub(super) fn young(&self) -> Option<f64> {
        self.model().map(Elasticity::young)
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

    /// Whether the law is one for finite strains.
    pub(super) fn is_hyperelastic(&self) -> bool {
        self.law.is_some_and(|law| !matches!(law, Elasticity::SmallStrain { .. }))
    }
}

impl Elasticity {
    /// The law in scene syntax. A law for small strains becomes Hencky's law if the stress depends on the past.
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

/// Reads the constants of `*HYPERELASTIC`: `NEO HOOKE`, `MOONEY-RIVLIN` or `YEOH` with one compressibility `D1`.
/// Refuses other laws and incompressible ones (`D1 <= 0`).
fn hyperelastic(card: &Card, numbers: &[f64], findings: &mut Findings) -> Option<Elasticity> {
    card.allow_only(&["NEO HOOKE", "MOONEY-RIVLIN", "YEOH", "MODULI"], findings);
    let has_parameter = |kind: &str| card.parameter(kind).is_some();
    let law = match *numbers {
        [c10, d1] if has_parameter("NEO HOOKE") => Elasticity::NeoHooke { c10, d1 },
        [c10, c01, d1] if has_parameter("MOONEY-RIVLIN") => {
            Elasticity::MooneyRivlin { c10, c01, d1 }
        }
        [c10, c20, c30, d1, d2, d3] if has_parameter("YEOH") && d2 == 0.0 && d3 == 0.0 => {
            Elasticity::Yeoh { c10, c20, c30, d1 }
        }
        [c10, c20, c30, d1] if has_parameter("YEOH") => Elasticity::Yeoh { c10, c20, c30, d1 },
        _ => {
            let message = "needs the constants of NEO HOOKE (C10, D1), MOONEY-RIVLIN (C10, C01, D1) or YEOH (C10, \
                        C20, C30, D1)";
            card.refuse(findings, message);
            return None;
        }
    };
    let d1 = match law {
        Elasticity::NeoHooke { d1, .. }
        | Elasticity::MooneyRivlin { d1, .. }
        | Elasticity::Yeoh { d1, .. } => d1,
        Elasticity::SmallStrain { .. } => return Some(law),
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
