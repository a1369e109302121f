//! Checks of plasticity.

use super::problem::Checker;
use super::{Body, Damping, Kind, Material, Model, Scene, SolverMethod};

/// Checks that the elastic law of a plastic material supports plasticity.
pub(super) fn material(c: &mut Checker, path: &str, material: &Material) {
    if material.plasticity.is_none() {
        return;
    }
    let path = format!("{path}.plasticity");
    let Model::Hencky { .. } = material.model else {
        let (young, poisson) = (material.model.young(), material.model.poisson());
        let help = format!(
            "write `model: Hencky(young: {young:e}, poisson: {poisson})`, which is the same at small strains"
        );
        c.error(&path, "only `Hencky` material can yield", help);
        return;
    };
}

impl Scene {
    /// That a body of a material that yields is a solid, and that nothing keeps a copy of what its
    /// elements were at rest.
    pub(super) fn check_plastic(&self, c: &mut Checker, path: &str, body: &Body) {
        let parts = body.group_materials.values().filter_map(|name| self.material_named(name));
        let materials: Vec<Material> = self.material_of(body).into_iter().chain(parts).collect();
        if materials.iter().all(|material| material.plasticity.is_none()) {
            return;
        }
        let name = &body.name;
        // Of shells every `Hencky` material is refused.
        if body.kind == Kind::Affine {
            let message = format!("\"{name}\" is affine, and its material yields");
            let help = "remove `kind: Affine`, or name a material without `plasticity`";
            c.error(&format!("{path}.material"), message, help);
        }
        if let Kind::Rod { .. } = body.kind {
            let message = format!("\"{name}\" is a rod, and its material yields");
            let help = "rods are elastic: name a material without `plasticity`";
            c.error(&format!("{path}.material"), message, help);
        }
        let of_materials = materials.iter().flat_map(|material| &material.damping);
        let mut all = of_materials.chain(&body.damping);
        if all.any(|damping| matches!(damping, Damping::Stiffness { .. })) {
            let message =
                format!("\"{name}\" yields, and would be damped by the stiffness it had before");
            let help = "damp it by `RigidPreserving` or `Mass`, or not at all: flow takes energy of its own";
            c.error(&format!("{path}.damping"), message, help);
        }
        if let SolverMethod::LocalGlobal { .. } = self.solver.method {
            let message = format!(
                "\"{name}\" yields, and `LocalGlobal` has a matrix of rest shapes that stay"
            );
            c.error("solver.method", message, "use `Newton`");
        }
    }
}
