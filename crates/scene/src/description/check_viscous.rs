//! Checks of viscosity.

use super::check_plastic::is_damped_by_stiffness;
use super::problem::Checker;
use super::{Body, Kind, Material, Scene, SolverMethod, Viscosity};

/// Checks that the law of a viscous material can relax, and that the moduli of its Prony series sum to less than 1.
pub(super) fn check_viscous_material(c: &mut Checker, path: &str, material: &Material) {
    let Some(Viscosity::Prony(branches)) = &material.viscosity else { return };
    let viscosity_path = format!("{path}.viscosity");
    if !material.model.can_relax() {
        let (young, poisson) = (material.model.young(), material.model.poisson());
        let help = format!(
            "write `model: NeoHookean(young: {young:e}, poisson: {poisson})`, which is the same at small strains"
        );
        let message =
            "only `NeoHookean`, `Hencky`, `MooneyRivlin`, `Yeoh` and `Ogden` can be viscous";
        c.error(&viscosity_path, message, help);
    }
    if material.plasticity.is_some() {
        let message = "a material cannot be viscous and yield";
        c.error(&viscosity_path, message, "remove `viscosity` or `plasticity`");
    }
    if branches.is_empty() {
        let help = "write `Prony([(modulus: 0.3, time: 0.1)])`, or leave `viscosity` out";
        c.error(&viscosity_path, "the Prony series has no branches", help);
    }
    let sum: f64 = branches.iter().map(|branch| branch.modulus).sum();
    if sum >= 1.0 {
        let message =
            format!("the moduli of the branches add up to {sum}, so nothing resists in the end");
        c.error(
            &viscosity_path,
            message,
            "their sum must be less than 1: they are fractions of the instantaneous modulus",
        );
    }
}

impl Scene {
    /// Refuses viscous materials of bodies that are not solids or that have stiffness damping.
    pub(super) fn check_viscous(&self, c: &mut Checker, path: &str, body: &Body) {
        let materials = self.materials_of(body);
        if materials.iter().all(|material| material.viscosity.is_none()) {
            return;
        }
        let name = &body.name;
        if body.kind != Kind::Solid {
            let message = format!("\"{name}\" is no solid, and its material is viscous");
            let help = "remove its `kind`, or name a material without `viscosity`";
            c.error(&format!("{path}.material"), message, help);
        }
        if is_damped_by_stiffness(body, &materials) {
            let message =
                format!("\"{name}\" is viscous, and would be damped by its stiffness, too");
            let help = "write the damping as a branch of `viscosity` with a short time";
            c.error(&format!("{path}.damping"), message, help);
        }
        if let SolverMethod::LocalGlobal { .. } = self.solver.method {
            let message = format!("\"{name}\" relaxes, and `LocalGlobal` has a constant matrix");
            c.error("solver.method", message, "use `Newton`");
        }
    }
}
