//! Built-in materials.

use super::{Body, Material, Model, Scene};
use std::collections::BTreeMap;

/// A common material, with properties for small strains and about 20 degrees Celsius.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Density (kg/m^3).
    density: f64,
    model: Model,
    /// Thickness (m), for a material of shells.
    pub thickness: Option<f64>,
    /// Source of the numbers.
    pub source: &'static str,
}

impl Preset {
    /// The material, without any damping.
    pub fn material(&self) -> Material {
        let (density, model) = (self.density, self.model);
        Material { density, model, plasticity: None, viscosity: None, damping: Vec::new() }
    }
}

/// The law of a material for solids.
const fn solid(young: f64, poisson: f64) -> Model {
    Model::NeoHookean { young, poisson }
}

/// The law of a material for shells.
const fn sheet(young: f64, poisson: f64) -> Model {
    Model::StVK { young, poisson }
}

/// Source of the properties of rubbers.
const ASHBY: &str =
    "Ashby, Materials Selection in Mechanical Design, appendix A: the lower end of the ranges";
/// Source of the properties of cloth. It gives the stretching stiffness S (N/m), the bending stiffness B (N m) and the
/// mass per area, from which the thickness `sqrt(12 B / S)` follows.
const CLOTH: &str =
    "Wang, O'Brien & Ramamoorthi 2011, Data-driven elastic models for cloth, ACM TOG 30(4)";

/// All presets, sorted by name.
static PRESETS: [Preset; 7] = [
    Preset {
        name: "cotton",
        density: 240.0,
        model: sheet(5.2e5, 0.2),
        thickness: Some(0.77e-3),
        source: CLOTH,
    },
    Preset {
        name: "denim",
        density: 380.0,
        model: sheet(1.2e6, 0.05),
        thickness: Some(0.85e-3),
        source: CLOTH,
    },
    Preset {
        name: "gelatine",
        density: 1030.0,
        model: solid(1.8e4, 0.49),
        thickness: None,
        source: "Bonavia 2025, arXiv:2512.20502: the power law at nine parts of water",
    },
    Preset {
        name: "paper",
        density: 800.0,
        model: sheet(3e9, 0.33),
        thickness: Some(0.1e-3),
        source: "Ashby, Materials and the Environment, paper and cardboard; copy paper of 80 g/m^2",
    },
    Preset {
        name: "rubber",
        density: 920.0,
        model: solid(1.5e6, 0.49),
        thickness: None,
        source: ASHBY,
    },
    Preset {
        name: "silicone",
        density: 1300.0,
        model: solid(5e6, 0.49),
        thickness: None,
        source: ASHBY,
    },
    Preset {
        name: "steel",
        density: 7850.0,
        model: solid(2.1e11, 0.3),
        thickness: None,
        source: "EN 1993-1-1:2005, 3.2.6; density of EN 1991-1-1:2002, table A.4",
    },
];

/// All presets, sorted by name.
pub fn presets() -> &'static [Preset] {
    &PRESETS
}

impl Scene {
    /// The material that a body names: one of the scene, or else a preset.
    pub fn material_of(&self, body: &Body) -> Option<Material> {
        self.material_named(body.material.as_ref()?)
    }

    /// A material of the scene or, if there is none of this name, a preset.
    pub(super) fn material_named(&self, name: &str) -> Option<Material> {
        let material = self.materials.get(name).cloned();
        material.or_else(|| Some(presets().iter().find(|preset| preset.name == name)?.material()))
    }

    /// The materials of the scene, and the presets that its bodies name.
    pub fn materials_in_use(&self) -> BTreeMap<String, Material> {
        let names = self
            .bodies
            .iter()
            .flat_map(|body| body.material.iter().chain(body.group_materials.values()));
        let used_materials =
            names.filter_map(|name| Some((name.clone(), self.material_named(name)?)));
        used_materials.chain(self.materials.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::TypedBody;

    /// By the thickness of a preset its stiffnesses and its mass per area follow from the numbers of the source.
    #[test]
    fn cloth_presets_have_the_measured_stiffness() {
        let sheet = |name| {
            let preset = presets().iter().find(|preset| preset.name == name).expect("it is there");
            let (material, h) = (preset.material(), preset.thickness.expect("it is a sheet"));
            let (young, poisson) = (material.model.young(), material.model.poisson());
            let bending = young * h.powi(3) / (12.0 * (1.0 - poisson * poisson));
            [material.density * h, young * h, bending]
        };
        let near = |found: [f64; 3], expected: [f64; 3]| {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found / expected - 1.0).abs() < 0.1, "{found} for {expected}");
            }
        };
        near(sheet("denim"), [0.324, 1050.0, 6.2e-5]);
        near(sheet("cotton"), [0.187, 410.0, 2e-5]);
        assert!((sheet("paper")[0] - 0.08).abs() < 1e-9);
    }

    #[test]
    fn preset_names_are_sorted_and_a_scene_may_override_them() {
        assert!(presets().windows(2).all(|pair| pair[0].name < pair[1].name));
        let text = |materials: &str| {
            let scene = format!(
                "(version: 1, materials: {{{materials}}}, bodies: [(name: \"a\", \
                 shape: Box(size: (1, 1, 1), cells: (1, 1, 1)), material: \"steel\")], \
                 gravity: (0, 0, 0), integrator: ImplicitEuler, time: (step: 1, duration: 1))"
            );
            crate::text::SceneText::new("scene.ron", &scene).load().expect("it is a scene").scene
        };
        let young = |scene: &Scene| match &scene.expand()[0].typed {
            TypedBody::Solid { material, .. } => Some(material.model.young()),
            _ => None,
        };
        let preset = text("");
        assert_eq!(young(&preset), Some(2.1e11));
        assert_eq!(preset.materials_in_use().len(), 1);
        let own = text("\"steel\": (density: 1, model: NeoHookean(young: 7, poisson: 0))");
        assert_eq!(young(&own), Some(7.0));
        assert_ne!(preset.motion_text(), own.motion_text());
    }
}
