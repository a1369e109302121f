//! Checks of equilibrium paths.

use super::problem::Checker;
use super::{Analysis, Scene};

impl Scene {
    /// Checks that an equilibrium path is that of one elastic body without contact.
    pub(super) fn check_path(&self, c: &mut Checker) {
        if !matches!(self.analysis, Analysis::ArcLength { .. }) {
            return;
        }
        if self.bodies.len() != 1 || self.has_contact() {
            let message = "an equilibrium path is that of one body without contact";
            c.error(
                "analysis",
                message,
                "use `Static`, or leave the other bodies and `contact` out",
            );
        }
        for (i, body) in self.bodies.iter().enumerate() {
            let group_materials = body.group_materials.iter();
            let group_materials =
                group_materials.map(|(group, name)| (format!(".group_materials.{group}"), name));
            let body_material = body.material.iter().map(|name| (".material".to_owned(), name));
            for (field, name) in body_material.chain(group_materials) {
                self.check_path_material(c, &format!("bodies[{i}]{field}"), name);
            }
        }
    }

    /// Checks that the state of a material is a function of the deformation.
    fn check_path_material(&self, c: &mut Checker, path: &str, name: &str) {
        let Some(material) = self.material_named(name) else { return };
        if material.plasticity.is_some() {
            let message = format!(
                "\"{name}\" yields: its stress depends on its history, and an equilibrium path has none"
            );
            let help = "use `analysis: Static`, or a material without `plasticity`";
            c.error(path, message, help);
        }
        if material.viscosity.is_some() {
            let message = format!(
                "\"{name}\" is viscous: it relaxes over time, which on an equilibrium path is the parameter of the loads"
            );
            let help = "use `analysis: Static`, or a material without `viscosity`";
            c.error(path, message, help);
        }
    }
}
