//! `*MATERIAL` and its subordinate cards: constitutive laws and densities.

use super::deck::Card;
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
    density: Option<f64>,
}

/// Reads the materials of all cards.
pub(super) fn read(cards: &[Card], findings: &mut Findings) -> BTreeMap<String, Material> {
    let mut materials = BTreeMap::new();
    let mut current: Option<String> = None;
    for card in cards {
        if card.keyword == "MATERIAL" {
            card.only(&["NAME"], findings);
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
    ["ELASTIC", "HYPERELASTIC", "DENSITY"].contains(&keyword)
}

impl Material {
    /// Adds a property: `*DENSITY`, isotropic `*ELASTIC` or `*HYPERELASTIC`. Refuses anisotropic laws and values
    /// that depend on temperature.
    fn add(&mut self, card: &Card, findings: &mut Findings) {
        let numbers: Option<Vec<f64>> = card
            .rows
            .iter()
            .map(|row| row.numbers())
            .collect::<Option<Vec<_>>>()
            .map(|r| r.concat());
        let Some(numbers) = numbers else {
            return card.refuse(findings, format!("`*{}` needs numbers", card.keyword));
        };
        if card.rows.len() > 1 {
            return card.refuse(findings, "values that depend on temperature cannot be expressed");
        }
        match card.keyword.as_str() {
            "DENSITY" => self.density = numbers.first().copied(),
            "ELASTIC" => {
                card.only(&["TYPE"], findings);
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
            _ => self.law = hyperelastic(card, &numbers, findings).or(self.law),
        }
    }

    /// The law in scene syntax, for small or for finite strains; `None` without a law.
    pub(super) fn ron(&self, nonlinear: bool) -> Option<Ron> {
        let fields = |values: &[(&'static str, f64)]| {
            values.iter().map(|(name, value)| Field::new(name, *value)).collect()
        };
        let model = match self.law? {
            Elasticity::SmallStrain { young, poisson } => {
                let name = if nonlinear { "StVK" } else { "Linear" };
                Ron::Struct(name, fields(&[("young", young), ("poisson", poisson)]))
            }
            Elasticity::NeoHooke { c10, d1 } => Ron::Struct(
                "MooneyRivlin",
                fields(&[("c10", c10), ("c01", 0.0), ("bulk", 2.0 / d1)]),
            ),
            Elasticity::MooneyRivlin { c10, c01, d1 } => Ron::Struct(
                "MooneyRivlin",
                fields(&[("c10", c10), ("c01", c01), ("bulk", 2.0 / d1)]),
            ),
            Elasticity::Yeoh { c10, c20, c30, d1 } => Ron::Struct(
                "Yeoh",
                fields(&[("c10", c10), ("c20", c20), ("c30", c30), ("bulk", 2.0 / d1)]),
            ),
        };
        let density = self.density.unwrap_or(UNUSED_DENSITY);
        Some(Ron::Struct("", vec![Field::new("density", density), Field::new("model", model)]))
    }

    pub(super) fn has_density(&self) -> bool {
        self.density.is_some()
    }

    pub(super) fn is_hyperelastic(&self) -> bool {
        self.law.is_some_and(|law| !matches!(law, Elasticity::SmallStrain { .. }))
    }
}

/// Reads the constants of `*HYPERELASTIC`: `NEO HOOKE`, `MOONEY-RIVLIN` or `YEOH` with one compressibility `D1`.
/// Refuses other laws and incompressible ones (`D1 <= 0`).
fn hyperelastic(card: &Card, numbers: &[f64], findings: &mut Findings) -> Option<Elasticity> {
    card.only(&["NEO HOOKE", "MOONEY-RIVLIN", "YEOH"], findings);
    let is = |kind: &str| card.parameter(kind).is_some();
    let law = match *numbers {
        [c10, d1] if is("NEO HOOKE") => Elasticity::NeoHooke { c10, d1 },
        [c10, c01, d1] if is("MOONEY-RIVLIN") => Elasticity::MooneyRivlin { c10, c01, d1 },
        [c10, c20, c30, d1, d2, d3] if is("YEOH") && d2 == 0.0 && d3 == 0.0 => {
            Elasticity::Yeoh { c10, c20, c30, d1 }
        }
        [c10, c20, c30, d1] if is("YEOH") => Elasticity::Yeoh { c10, c20, c30, d1 },
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
