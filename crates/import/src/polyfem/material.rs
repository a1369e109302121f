//! `materials`: constitutive laws with their parameters, by volume.

use super::reader::Reader;
use super::unit::Dimension;
use super::volumes::Volumes;
use crate::ron::{Field, Ron, format_number};
use serde_json::Value;
use std::collections::BTreeMap;

/// Highest polynomial order of the elements of a scene.
const MAX_ORDER: f64 = 2.0;

/// A constitutive law with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Law {
    name: &'static str,
    /// Parameters other than the density, in scene syntax.
    parameters: Vec<Field>,
    /// Density (kg/m^3).
    pub(super) density: f64,
    /// Young's modulus (Pa) at small strains.
    pub(super) young: f64,
    /// Poisson's ratio, for laws with two elastic constants.
    poisson: Option<f64>,
}

/// A law with two elastic constants, of which the divergence of the stress is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IsotropicLaw {
    Linear,
    NeoHookean,
    SaintVenantKirchhoff,
}

impl Law {
    /// The material in scene syntax.
    pub(super) fn ron(&self) -> Ron {
        let model = Field::new("model", Ron::Struct(self.name, self.parameters.clone()));
        Ron::Struct("", vec![Field::new("density", self.density), model])
    }

    /// The law as one of [`IsotropicLaw`], with Lamé's constants lambda and mu (Pa); `None` for other laws.
    pub(super) fn isotropic(&self) -> Option<(IsotropicLaw, [f64; 2])> {
        let model = match self.name {
            "Linear" => IsotropicLaw::Linear,
            "NeoHookean" => IsotropicLaw::NeoHookean,
            "StVK" => IsotropicLaw::SaintVenantKirchhoff,
            _ => return None,
        };
        let poisson = self.poisson?;
        let lambda = self.young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Some((model, [lambda, 0.5 * self.young / (1.0 + poisson)]))
    }

    /// A law with a density (kg/m^3), Young's modulus (Pa) and Poisson's ratio.
    fn of_young(name: &'static str, density: f64, young: f64, poisson: f64) -> Self {
        let parameters = vec![Field::new("young", young), Field::new("poisson", poisson)];
        Self { name, parameters, density, young, poisson: Some(poisson) }
    }

    /// A rubber law with a density (kg/m^3), a shear and a bulk modulus (Pa), and additional parameters.
    fn rubber(
        name: &'static str,
        density: f64,
        (shear, bulk): (f64, f64),
        mut parameters: Vec<Field>,
    ) -> Self {
        parameters.push(Field::new("bulk", bulk));
        let young = 9.0 * bulk * shear / (3.0 * bulk + shear);
        Self { name, parameters, density, young, poisson: None }
    }
}

/// Reads the law of a volume: the first one with its id or without ids. A single law without a list applies to all
/// volumes. Refuses volumes without a law.
pub(super) fn law_of_volume(reader: &mut Reader<'_>, volume: i64) -> Option<Law> {
    let is_single = reader.get("materials").is_some_and(Value::is_object);
    for path in reader.items("materials") {
        let ids = reader.ids(&format!("{path}/id")).filter(|_| !is_single);
        if ids.is_none_or(|ids| ids.contains(&volume)) {
            return read_law(reader, &path);
        }
    }
    reader.refuse("materials", format!("there is no material for the volume {volume}"));
    None
}

/// Whether a law of the source has a counterpart.
fn is_known(kind: &str) -> bool {
    const LAWS: [&str; 14] = [
        "NeoHookean",
        "IncompressibleNeoHookean",
        "FixedCorotational",
        "SaintVenant",
        "LinearElasticity",
        "HookeLinearElasticity",
        "MaterialSum",
        "IncompressibleOgden",
        "UnconstrainedOgden",
        "IsochoricNeoHookean",
        "MooneyRivlin",
        "MooneyRivlin3Param",
        "MooneyRivlin3ParamSymbolic",
        "VolumePenalty",
    ];
    LAWS.contains(&kind)
}

/// Reads the material at `path`. Refuses anisotropic elasticity, damping and unknown laws.
fn read_law(reader: &mut Reader<'_>, path: &str) -> Option<Law> {
    let field_path = |field: &str| format!("{path}/{field}");
    let density = reader.quantity_or(
        &field_path("rho"),
        Dimension::DENSITY,
        reader.units.si_value(Dimension::DENSITY),
    );
    let name = match reader.text(&field_path("type")).unwrap_or_default() {
        "NeoHookean" | "IncompressibleNeoHookean" => "NeoHookean",
        "FixedCorotational" => "Corotated",
        "SaintVenant" => "StVK",
        "LinearElasticity" | "HookeLinearElasticity" => "Linear",
        "MaterialSum" => return read_sum(reader, path, density),
        "IncompressibleOgden" | "UnconstrainedOgden" => return read_ogden(reader, path, density),
        _ => {
            let rubber = Rubber::read(reader, path)?;
            return rubber.law(reader, path, density);
        }
    };
    let mut fields =
        vec!["E", "nu", "lambda", "mu", "phi", "psi", "elasticity_tensor", "fiber_direction"];
    fields.extend(COMMON_FIELDS);
    reader.allow_only(path, &fields);
    refuse_damping(reader, path);
    if has_elasticity_tensor(reader, path) {
        return None;
    }
    let (young, poisson) = read_young_and_poisson(reader, path)?;
    Some(Law::of_young(name, density, young, poisson))
}

/// Whether a law at `path` has an elasticity tensor, which is refused. `fiber_direction`, a rotation of the tensor, has no
/// effect on an isotropic law.
fn has_elasticity_tensor(reader: &mut Reader<'_>, path: &str) -> bool {
    let tensor = format!("{path}/elasticity_tensor");
    let is_nonempty = |value: &Value| value.as_array().is_none_or(|entries| !entries.is_empty());
    let is_given = reader.get(&tensor).is_some_and(is_nonempty);
    if is_given {
        reader.refuse(&tensor, "anisotropic elasticity cannot be expressed");
    }
    is_given
}

/// Refuses fields of a law at `path` that damp it.
fn refuse_damping(reader: &mut Reader<'_>, path: &str) {
    for field in ["phi", "psi"] {
        let path = format!("{path}/{field}");
        if reader.get(&path).is_some_and(|value| value.as_f64() != Some(0.0)) {
            reader.refuse(&path, "this damping cannot be expressed");
        }
    }
}

/// Fields of all laws.
const COMMON_FIELDS: [&str; 3] = ["id", "type", "rho"];

/// Reads `E` and `nu`, or converts `lambda` and `mu` to Young's modulus (Pa) and Poisson's ratio. Refuses laws with
/// neither.
fn read_young_and_poisson(reader: &mut Reader<'_>, path: &str) -> Option<(f64, f64)> {
    let field_path = |field: &str| format!("{path}/{field}");
    if reader.get(&field_path("E")).is_some() {
        let young = reader.quantity(&field_path("E"), Dimension::STRESS)?;
        return Some((young, reader.number(&field_path("nu"))?));
    }
    if reader.get(&field_path("lambda")).is_none() {
        reader.refuse(path, "neither E and nu nor lambda and mu are given");
        return None;
    }
    let lambda = reader.quantity(&field_path("lambda"), Dimension::STRESS)?;
    let mu = reader.quantity(&field_path("mu"), Dimension::STRESS)?;
    Some((mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu), 0.5 * lambda / (lambda + mu)))
}

/// Reads a sum of laws with a density (kg/m^3): one elastic law, or the terms of a rubber law. A barrier against
/// inversion is left out and noted.
fn read_sum(reader: &mut Reader<'_>, path: &str, density: f64) -> Option<Law> {
    let models = reader.items(&format!("{path}/models"));
    let has_type = |model: &String, name| reader.text(&format!("{model}/type")) == Some(name);
    let elastic: Vec<String> =
        models.iter().filter(|model| !has_type(model, "InversionBarrier")).cloned().collect();
    if elastic.len() < models.len() {
        reader.findings.note(
            "the barrier against inversion beside the elastic law is left out: elements of this \
             law never invert",
        );
    }
    if let [model] = &elastic[..] {
        let law = read_law(reader, model)?;
        return Some(Law { density, ..law });
    }
    let unknown: Vec<String> = elastic
        .iter()
        .filter(|model| !reader.text(&format!("{model}/type")).is_some_and(is_known))
        .cloned()
        .collect();
    for model in &unknown {
        let kind = reader.text(&format!("{model}/type")).unwrap_or_default();
        reader.refuse(&format!("{model}/type"), format!("the law {kind} cannot be expressed"));
    }
    if !unknown.is_empty() {
        return None;
    }
    let mut total = Rubber::default();
    for model in &elastic {
        let term = Rubber::read(reader, model)?;
        total = Rubber {
            c10: total.c10 + term.c10,
            c01: total.c01 + term.c01,
            bulk: total.bulk + term.bulk,
        };
    }
    total.law(reader, path, density)
}

/// A Mooney-Rivlin law, or one of its terms, with constants in Pa.
#[derive(Debug, Clone, Copy, Default)]
struct Rubber {
    c10: f64,
    c01: f64,
    bulk: f64,
}

impl Rubber {
    /// Reads the law of rubber at `path`: the isochoric neo-Hookean law, Mooney-Rivlin with two or three constants, or
    /// a volume penalty. Refuses other laws, and the product of both invariants.
    fn read(reader: &mut Reader<'_>, path: &str) -> Option<Self> {
        let field_path = |field: &str| format!("{path}/{field}");
        let kind = reader.text(&field_path("type")).unwrap_or_default();
        let parameter_names: &[&str] = match kind {
            "IsochoricNeoHookean" => &["E", "nu", "lambda", "mu"],
            "MooneyRivlin" => &["c1", "c2", "k"],
            "MooneyRivlin3Param" | "MooneyRivlin3ParamSymbolic" => &["c1", "c2", "c3", "d1"],
            "VolumePenalty" => &["k"],
            kind => {
                let what = if is_known(kind) { "as a term of a sum" } else { "as a law" };
                reader.refuse(&field_path("type"), format!("{kind} cannot be expressed {what}"));
                return None;
            }
        };
        reader.allow_only(path, &[parameter_names, &COMMON_FIELDS].concat());
        if kind == "IsochoricNeoHookean" {
            let (young, poisson) = read_young_and_poisson(reader, path)?;
            return Some(Self { c10: 0.25 * young / (1.0 + poisson), ..Self::default() });
        }
        if kind == "VolumePenalty" {
            reader.findings.note(
                "the energy of a change of volume J is bulk/2 (ln J)^2 in place of bulk/4 (J^2 - 1 - 2 ln J), \
                 which agrees with it for small changes",
            );
            return Some(Self {
                bulk: reader.quantity(&field_path("k"), Dimension::STRESS)?,
                ..Self::default()
            });
        }
        let mut stress = |field: &str| reader.quantity(&field_path(field), Dimension::STRESS);
        let (c10, c01) = (stress("c1")?, stress("c2")?);
        if kind == "MooneyRivlin" {
            return Some(Self { c10, c01, bulk: stress("k")? });
        }
        let (c3, d1) = (stress("c3")?, stress("d1")?);
        if c3 != 0.0 {
            reader.refuse(&field_path("c3"), "the product of both invariants cannot be expressed");
        }
        Some(Self { c10, c01, bulk: 2.0 * d1 })
    }

    /// Converts the constants to a law with a density (kg/m^3). Refuses laws without shear or bulk stiffness.
    fn law(self, reader: &mut Reader<'_>, path: &str, density: f64) -> Option<Law> {
        if self.bulk <= 0.0 || self.c10 + self.c01 <= 0.0 {
            reader.refuse(path, "a law without resistance to shear or to changes of volume");
            return None;
        }
        let parameters = vec![Field::new("c10", self.c10), Field::new("c01", self.c01)];
        let moduli = (2.0 * (self.c10 + self.c01), self.bulk);
        Some(Law::rubber("MooneyRivlin", density, moduli, parameters))
    }
}

/// Reads Ogden's law with a density (kg/m^3). The terms of the source are `c/m^2 (sum s^m - 3)` for the incompressible
/// law, and `2 mu/alpha^2 (sum s^alpha - 3)` for the unconstrained one; those of a scene are
/// `mu/alpha (sum s^alpha - 3)`. Refuses more than three terms and terms without an exponent.
fn read_ogden(reader: &mut Reader<'_>, path: &str, density: f64) -> Option<Law> {
    let field_path = |field: &str| format!("{path}/{field}");
    let is_unconstrained = reader.text(&field_path("type")) == Some("UnconstrainedOgden");
    let (factor_field, exponent_field, volume_field) =
        if is_unconstrained { ("mus", "alphas", "Ds") } else { ("c", "m", "k") };
    let fields = [factor_field, exponent_field, volume_field];
    reader.allow_only(path, &[&fields[..], &COMMON_FIELDS].concat());
    let list = |reader: &mut Reader<'_>, name: &str, dimension| -> Option<Vec<f64>> {
        reader
            .items(&field_path(name))
            .iter()
            .map(|item| reader.quantity(item, dimension))
            .collect()
    };
    let coefficients = list(reader, factor_field, Dimension::STRESS)?;
    let exponents = list(reader, exponent_field, Dimension::NONE)?;
    if coefficients.len() != exponents.len()
        || !(1..=3).contains(&coefficients.len())
        || exponents.contains(&0.0)
    {
        reader.refuse(path, "Ogden's law has one to three terms, each with an exponent");
        return None;
    }
    let bulk = match is_unconstrained {
        true => read_divisor_as_bulk(reader, &field_path(volume_field))?,
        false => reader.quantity(&field_path(volume_field), Dimension::STRESS)?,
    };
    let factor = if is_unconstrained { 2.0 } else { 1.0 };
    let terms: Vec<[f64; 2]> = coefficients
        .iter()
        .zip(&exponents)
        .map(|(coefficient, exponent)| [factor * coefficient / exponent, *exponent])
        .collect();
    Some(ogden_law(density, bulk, &terms))
}

/// Reads the first entry `D` of the list at `path`, of the energy `(J - 1)^2/D` of a change of volume, as a bulk
/// modulus (Pa). Notes that scenes have another energy.
fn read_divisor_as_bulk(reader: &mut Reader<'_>, path: &str) -> Option<f64> {
    reader.findings.note(
        "the energy of a change of volume J is bulk/2 (ln J)^2 in place of powers of J - 1, which agrees \
         with it for small changes",
    );
    // The source converts it as a stress, although it is a divisor.
    let unit = reader.units.si_value(Dimension::STRESS);
    let divisor = reader.quantity(reader.items(path).first()?, Dimension::STRESS)? / unit;
    Some(2.0 * unit / divisor)
}

/// Ogden's law with a density (kg/m^3), a bulk modulus (Pa), and one to three terms of `mu` (Pa) and `alpha`.
fn ogden_law(density: f64, bulk: f64, terms: &[[f64; 2]]) -> Law {
    let pair = |[mu, alpha]: &[f64; 2]| {
        Ron::Raw(format!("({}, {})", format_number(*mu), format_number(*alpha)))
    };
    let names = ["first", "second", "third"].into_iter();
    let parameters = names.zip(terms).map(|(name, term)| Field::new(name, pair(term))).collect();
    let shear = terms.iter().map(|[mu, alpha]| 0.5 * mu * alpha).sum();
    Law::rubber("Ogden", density, (shear, bulk), parameters)
}

/// Reads the polynomial order of the elements of a mesh, 1 or 2: the highest of `discr_order` of its volumes and of
/// `discr_orderq`, which is that of hexahedra, prisms and pyramids. Notes different orders, and higher ones, for which
/// quadratic elements are substituted.
pub(super) fn element_order(reader: &mut Reader<'_>, volumes: &Volumes) -> u32 {
    let path = "space/discr_order";
    let mut order = 1.0;
    match reader.get(path) {
        Some(Value::Array(_)) => {
            let mut orders: BTreeMap<i64, f64> = volumes.ids().map(|id| (id, order)).collect();
            for item in reader.items(path) {
                let item_order = reader.number_or(&format!("{item}/order"), 1.0);
                for id in reader.ids(&format!("{item}/id")).unwrap_or_default() {
                    orders.entry(id).and_modify(|order| *order = item_order);
                }
            }
            if orders.values().any(|other| *other != orders[&volumes.first]) {
                reader.note(path, "all elements of a mesh have the highest order of its volumes");
            }
            order = orders.values().copied().fold(order, f64::max);
        }
        Some(Value::String(_)) => reader.refuse(path, "orders from a file are not imported"),
        _ => order = reader.number_or(path, 1.0),
    }
    let order_of_other_shapes = "space/discr_orderq";
    if reader.get(order_of_other_shapes).and_then(Value::as_f64).is_some_and(|other| other != order)
    {
        reader.note(
            order_of_other_shapes,
            "all elements are tetrahedra of one order, the higher one of `discr_order` and this",
        );
    }
    order = order.max(reader.number_or(order_of_other_shapes, 1.0));
    if order > MAX_ORDER {
        reader.note(path, format!("elements of order {order} are quadratic here"));
        order = MAX_ORDER;
    }
    if order != 1.0 && order != MAX_ORDER {
        reader.refuse(path, "elements are linear or quadratic");
    }
    order as u32
}
