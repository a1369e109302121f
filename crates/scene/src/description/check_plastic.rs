//! Checks of plasticity.

use super::problem::Checker;
use super::{
    Bending, BendingModel, Body, Damping, Kind, Material, Model, Plasticity, Scene, SheetModel,
    SolverMethod,
};

/// Checks that the elastic law of a plastic material supports plasticity.
pub(super) fn check_plastic_material(c: &mut Checker, path: &str, material: &Material) {
    if material.plasticity.is_none() {
        return;
    }
    let path = format!("{path}.plasticity");
    if !matches!(material.model, Model::Hencky { .. }) && SheetModel::of(&material.model).is_none()
    {
        refuse_other_law(c, &path, material);
    }
}

/// Reports that the law of a plastic material of solids is not `Hencky`.
fn refuse_other_law(c: &mut Checker, path: &str, material: &Material) {
    let (young, poisson) = (material.model.young(), material.model.poisson());
    let help = format!(
        "write `model: Hencky(young: {young:e}, poisson: {poisson})`, which is the same at small strains"
    );
    c.error(path, "only `Hencky` material can yield", help);
}

/// Refuses plasticity of shells that are not plates of one layer.
fn check_yielding_shell(
    c: &mut Checker,
    path: &str,
    body: &Body,
    has_kinematic_hardening: bool,
    has_rate: bool,
) {
    let Kind::Shell { bending, bending_model, .. } = body.kind else { return };
    let name = &body.name;
    if has_kinematic_hardening {
        let message = format!("\"{name}\" is a shell, whose bending hardens isotropically");
        let help = "write `hardening` in place of `kinematic_hardening`";
        c.error(&format!("{path}.material"), message, help);
    }
    if has_rate {
        let message = format!("\"{name}\" is a shell, whose bending does not depend on its rate");
        let help = "remove `rate`, or name another material";
        c.error(&format!("{path}.material"), message, help);
    }
    if bending_model == BendingModel::Hinges {
        let message = format!("\"{name}\" yields in bending, which hinges cannot");
        let help = "remove `bending_model: Hinges`, or name a material without `plasticity`";
        c.error(&format!("{path}.kind.bending_model"), message, help);
    }
    if bending == Bending::Off {
        let message = format!("\"{name}\" yields in bending, which nothing resists");
        let help = "remove `bending: Off`, or name a material without `plasticity`";
        c.error(&format!("{path}.kind.bending"), message, help);
    }
    if !body.layers.is_empty() {
        let message = format!("\"{name}\" has layers, and its material yields");
        let help = "shells of layers are elastic: name a material without `plasticity`";
        c.error(&format!("{path}.layers"), message, help);
    }
}

/// Whether a material has kinematic hardening.
fn hardens_kinematically(material: &Material) -> bool {
    matches!(
        material.plasticity,
        Some(Plasticity::VonMises { kinematic_hardening, .. }) if kinematic_hardening != 0.0
    )
}

/// Whether the yield stress of a material depends on the rate of flow.
fn depends_on_rate(material: &Material) -> bool {
    matches!(material.plasticity, Some(Plasticity::VonMises { rate: Some(_), .. }))
}

/// Whether a body of these materials has stiffness damping.
pub(super) fn is_damped_by_stiffness(body: &Body, materials: &[Material]) -> bool {
    let material_damping = materials.iter().flat_map(|material| &material.damping);
    let mut models = material_damping.chain(&body.damping);
    models.any(|damping| matches!(damping, Damping::Stiffness { .. }))
}

impl Scene {
    /// The material of a body, followed by those of its groups.
    pub(super) fn materials_of(&self, body: &Body) -> Vec<Material> {
        let group_materials =
            body.group_materials.values().filter_map(|name| self.material_named(name));
        self.material_of(body).into_iter().chain(group_materials).collect()
    }

    /// Refuses plastic materials of solids whose law is one for shells.
    fn check_yielding_solid(&self, c: &mut Checker, body: &Body) {
        for name in body.material.iter().chain(body.group_materials.values()) {
            let Some(material) = self.material_named(name) else { continue };
            if material.plasticity.is_some() && SheetModel::of(&material.model).is_some() {
                refuse_other_law(c, &format!("materials.{name}.plasticity"), &material);
            }
        }
    }

    /// Checks that a body of a yielding material is a solid or a plate, and that no other field requires the rest
    /// shape of its elements.
    pub(super) fn check_plastic(&self, c: &mut Checker, path: &str, body: &Body) {
        let materials = self.materials_of(body);
        if materials.iter().all(|material| material.plasticity.is_none()) {
            return;
        }
        let name = &body.name;
        match body.kind {
            // `check_shell_material` refuses `Hencky` materials of shells.
            Kind::Shell { .. } => {
                let has_kinematic_hardening = materials.iter().any(hardens_kinematically);
                let has_rate = materials.iter().any(depends_on_rate);
                check_yielding_shell(c, path, body, has_kinematic_hardening, has_rate);
            }
            _ => self.check_yielding_solid(c, body),
        }
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
        if is_damped_by_stiffness(body, &materials) {
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
