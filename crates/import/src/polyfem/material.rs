//! `materials`: laws and their numbers, by volume.

use super::reader::Reader;
use crate::ron::{Field, Ron};
use serde_json::Value;

/// A law with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Law {
    pub(super) name: &'static str,
    pub(super) density: f64,
    pub(super) young: f64,
    pub(super) poisson: f64,
}

impl Law {
    pub(super) fn ron(&self) -> Ron {
        let model = vec![Field::new("young", self.young), Field::new("poisson", self.poisson)];
        let model = Field::new("model", Ron::Struct(self.name, model));
        Ron::Struct("", vec![Field::new("density", self.density), model])
    }
}

/// The law of a volume; one that is no list is for all.
pub(super) fn of_volume(reader: &mut Reader<'_>, volume: i64) -> Option<Law> {
    let for_all = reader.get("materials").is_some_and(Value::is_object);
    for path in reader.items("materials") {
        let ids = reader.ids(&format!("{path}/id")).filter(|_| !for_all);
        if ids.is_none_or(|ids| ids.contains(&volume)) {
            return law(reader, &path);
        }
    }
    reader.refuse("materials", format!("there is no material for the volume {volume}"));
    None
}

fn law(reader: &mut Reader<'_>, path: &str) -> Option<Law> {
    let at = |field: &str| format!("{path}/{field}");
    let density = reader.number_or(&at("rho"), 1.0);
    let kind = reader.text(&at("type")).unwrap_or_default();
    let name = match kind {
        "NeoHookean" | "IncompressibleNeoHookean" => "NeoHookean",
        "FixedCorotational" => "Corotated",
        "SaintVenant" => "StVK",
        "LinearElasticity" | "HookeLinearElasticity" => {
            reader.findings.note(
                "linear elasticity is the law of Saint Venant and Kirchhoff, which agrees with it \
                 for small displacements",
            );
            "StVK"
        }
        "MaterialSum" => {
            let models = reader.items(&at("models"));
            let is = |model: &String, name| reader.text(&format!("{model}/type")) == Some(name);
            let elastic: Vec<&String> =
                models.iter().filter(|model| !is(model, "InversionBarrier")).collect();
            let [model] = elastic[..] else {
                reader.refuse(path, "a sum of elastic laws cannot be expressed");
                return None;
            };
            reader.findings.note(
                "the barrier against inversion beside the elastic law is left out: elements of this \
                 law never invert",
            );
            let law = law(reader, model)?;
            return Some(Law { density, ..law });
        }
        kind => {
            reader.refuse(&at("type"), format!("the law {kind} cannot be expressed"));
            return None;
        }
    };
    reader.only(
        path,
        &["id", "type", "rho", "E", "nu", "lambda", "mu", "phi", "psi", "elasticity_tensor"],
    );
    if reader
        .get(&at("elasticity_tensor"))
        .is_some_and(|v| v.as_array().is_none_or(|l| !l.is_empty()))
    {
        reader.refuse(&at("elasticity_tensor"), "anisotropic elasticity cannot be expressed");
    }
    for damping in ["phi", "psi"] {
        if reader.get(&at(damping)).is_some_and(|value| value.as_f64() != Some(0.0)) {
            reader.refuse(&at(damping), "this damping cannot be expressed");
        }
    }
    let (young, poisson) = match (reader.get(&at("E")), reader.get(&at("lambda"))) {
        (Some(_), _) => (reader.number(&at("E"))?, reader.number(&at("nu"))?),
        (None, Some(_)) => {
            let (lambda, mu) = (reader.number(&at("lambda"))?, reader.number(&at("mu"))?);
            (mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu), 0.5 * lambda / (lambda + mu))
        }
        (None, None) => {
            reader.refuse(path, "neither E and nu nor lambda and mu are given");
            return None;
        }
    };
    Some(Law { name, density, young, poisson })
}

/// Whether all items of a list are volumes of this number, or there is no list.
pub(super) fn order(reader: &mut Reader<'_>, volume: i64) -> u32 {
    let path = "space/discr_order";
    let mut order = 1.0;
    match reader.get(path) {
        Some(Value::Array(_)) => {
            for item in reader.items(path) {
                if reader.ids(&format!("{item}/id")).is_some_and(|ids| ids.contains(&volume)) {
                    order = reader.number_or(&format!("{item}/order"), 1.0);
                }
            }
        }
        Some(Value::String(_)) => reader.refuse(path, "orders from a file are not imported"),
        _ => order = reader.number_or(path, 1.0),
    }
    if order != 1.0 && order != 2.0 {
        reader.refuse(path, "elements are linear or quadratic");
    }
    order as u32
}
