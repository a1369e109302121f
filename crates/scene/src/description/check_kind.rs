//! Checks that shape, kind and material of a body are compatible, and joints with their bodies.

use super::Motor;
use super::check_body;
use super::problem::{Checker, Names};
use super::{
    Body, FillMesh, FillSurface, Geometry, Joint, Kind, Masses, Region, Repeat, Scene, Shape,
    SheetModel, Term, Vary,
};
use std::collections::BTreeMap;

impl Kind {
    /// Returns the name of the kind in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Solid => "Solid",
            Self::Affine => "Affine",
            Self::Shell { .. } => "Shell",
            Self::Rod { .. } => "Rod",
            Self::Springs { .. } => "Springs",
        }
    }
}

/// Checks that the kind of a body suits its shape, and that fields which depend on the kind suit it.
pub(super) fn check_kind(c: &mut Checker, path: &str, body: &Body) {
    let kind_path = format!("{path}.kind");
    check_geometry(c, &kind_path, body);
    check_elements(c, path, body);
    check_part_materials(c, path, body);
    check_fill_surface(c, path, body);
    check_turns(c, &kind_path, body.kind);
    if body.kind == Kind::Affine {
        check_affine(c, path, body);
    }
}

/// Checks that the kind of a body, at `kind_path`, suits the geometry of its shape.
fn check_geometry(c: &mut Checker, kind_path: &str, body: &Body) {
    let name = &body.name;
    match (body.kind, body.shape.geometry()) {
        (Kind::Solid, Geometry::Surface) => c.error(
            kind_path,
            format!("\"{name}\" is a surface, which has no inside to be an elastic solid"),
            "add `kind: Affine` for a stiff body, `kind: Shell(thickness: ...)` for a thin one, `kind: Rod(radius: ...)` for the lines of an .obj file, fill a file with `shape: Fill(file: ..., resolution: Tets(20000))`, or choose a solid shape",
        ),
        (Kind::Rod { .. }, Geometry::Curve) => {}
        // Whether a file has curves shows when it is read.
        (Kind::Rod { .. }, Geometry::Surface) if matches!(body.shape, Shape::File(_)) => {}
        (Kind::Rod { .. }, Geometry::Solid | Geometry::Surface) => c.error(
            kind_path,
            format!("\"{name}\" is no curve that could be a rod"),
            "rods are of `shape: Curve(points: [...])`, `Circle`, `Helix`, or an .obj file of lines",
        ),
        (kind, Geometry::Curve) => c.error(
            kind_path,
            format!("\"{name}\" is a curve, which cannot be `{}`", kind.name()),
            "add `kind: Rod(radius: 0.002)`",
        ),
        (kind, Geometry::Points) if kind != Kind::Solid => {
            let message = format!("\"{name}\" consists of particles, which cannot be `{}`", kind.name());
            c.error(kind_path, message, "remove `kind`");
        }
        _ => {}
    }
}

/// Checks that only solids have quadratic elements or lumped masses, and not both.
fn check_elements(c: &mut Checker, path: &str, body: &Body) {
    let name = &body.name;
    let is_solid = body.kind == Kind::Solid && body.shape.geometry() == Geometry::Solid;
    if body.elements.is_quadratic() && !is_solid {
        let message = format!("\"{name}\" is no solid of tetrahedra that could be quadratic");
        c.error(&format!("{path}.elements"), message, "remove `elements`, or make it a `Solid`");
    }
    if body.masses == Masses::Lumped && (!is_solid || body.elements.is_quadratic()) {
        let message =
            format!("\"{name}\" is no solid of linear tetrahedra whose masses could be lumped");
        c.error(&format!("{path}.masses"), message, "remove `masses`");
    }
}

/// Checks the turns and the motor of a rod whose `kind` is at `kind_path`.
fn check_turns(c: &mut Checker, kind_path: &str, kind: Kind) {
    if let Kind::Rod { turns, motor: Some(Motor { start, end, .. }), .. } = kind {
        let motor_path = format!("{kind_path}.motor");
        check_body::check_time_window(c, &motor_path, start, end);
        if turns.is_none() {
            let message = "a motor turns a clamp, and the rod has none";
            let help =
                "add `turns: 0`, and `hold` the first two of its nodes together and its last two";
            c.error(&motor_path, message, help);
        }
    }
    if let Kind::Rod { turns: Some(_), rest_shape, .. } = kind
        && !rest_shape.is_straight()
    {
        let message =
            "`turns` are spread evenly over a rod, which is so only if it is straight at rest";
        let help = "remove `turns`: ends that are held without a rotation do not rotate about their axis, or remove `rest_shape`";
        c.error(&format!("{kind_path}.turns"), message, help);
    }
}

/// Checks the surfaces of a filled body.
fn check_fill_surface(c: &mut Checker, path: &str, body: &Body) {
    let Shape::Fill { file, surface, .. } = &body.shape else { return };
    let (path, name) = (format!("{path}.shape.surface"), &body.name);
    match *surface {
        FillSurface { draw: FillMesh::Boundary, contact: FillMesh::Boundary } => {}
        _ if body.kind != Kind::Solid => {
            let message = format!("\"{name}\" is no solid that its original surface could follow");
            c.error(&path, message, format!("use the surface itself: `shape: File(\"{file}\")`"));
        }
        FillSurface { draw: FillMesh::Boundary, contact: FillMesh::Original } => c.error(
            &path,
            format!("what touches others of \"{name}\" would be invisible"),
            "`(draw: Original, contact: Original)`, or `(draw: Original, contact: Boundary)` for a surface without contact",
        ),
        FillSurface { draw: FillMesh::Original, .. } => {}
    }
}

/// Checks that bodies with materials by group or cell data are solids of tetrahedra from files.
fn check_part_materials(c: &mut Checker, path: &str, body: &Body) {
    let fields = [
        ("group_materials", !body.group_materials.is_empty()),
        ("young_field", body.young_field.is_some()),
    ];
    for (field, _) in fields.into_iter().filter(|(_, is_given)| *is_given) {
        let path = format!("{path}.{field}");
        let name = &body.name;
        if body.kind != Kind::Solid
            || body.shape.geometry() != Geometry::Solid
            || !body.shape.is_from_file()
        {
            let message = format!("\"{name}\" is no solid of the tetrahedra of a file");
            let help = "groups and data belong to a `shape: File(...)` of tetrahedra";
            c.error(&path, message, help);
        }
    }
}

/// Checks the fields of an affine body. Its four nodes are not vertices of its surface, so regions cannot select parts
/// of the body.
fn check_affine(c: &mut Checker, path: &str, body: &Body) {
    for (k, hold) in body.hold.iter().enumerate() {
        if hold.region != Region::All {
            c.error(
                &format!("{path}.hold[{k}].region"),
                format!("\"{}\" is affine and can only be held whole", body.name),
                "hold `All` of it, tie it with `attach`, or use a joint with the world",
            );
        }
    }
    if !body.deform.is_empty() {
        let message = format!("\"{}\" is affine and starts undeformed", body.name);
        c.error(&format!("{path}.deform"), message, "remove `deform`, or make it a `Solid`");
    }
    for (k, term) in body.terms.iter().enumerate() {
        check_affine_term(c, &format!("{path}.terms[{k}]"), &body.name, term);
    }
    if body.velocity_field.is_some() {
        let message = format!(
            "\"{}\" is affine: the field would be taken at four nodes inside it, not where its \
             surface is",
            body.name
        );
        let help = "use `velocity`, `angular_velocity` or `spin`, or make it a `Solid`";
        c.error(&format!("{path}.velocity_field"), message, help);
    }
}

/// Checks an energy term of an affine body. The four nodes of the body have its mass, centre of mass and second
/// moments, and lie inside it. A force on the whole body, distributed by mass, is therefore correct; terms that depend
/// on positions or select nodes are not.
fn check_affine_term(c: &mut Checker, path: &str, name: &str, term: &Term) {
    match term {
        Term::Force { region: Region::All, .. } => {}
        Term::Force { .. } => c.error(
            &format!("{path}.region"),
            format!("\"{name}\" is affine: its four nodes lie inside it, so no part can be chosen"),
            "push `All` of it, or tie points of its surface with `attach`, or use a joint",
        ),
        _ => c.error(
            path,
            format!("\"{name}\" is affine: the term would act on four nodes inside it"),
            "only a `Force` on `All` of it can be given; walls are obstacles, springs are `attach` \
             or joints; or make it a `Solid`",
        ),
    }
}

/// Checks that the quantities that vary between copies have an effect on this kind of body.
pub(super) fn check_varied(c: &mut Checker, path: &str, body: &Body) {
    let name = &body.name;
    for (k, vary) in body.repeat.iter().flat_map(Repeat::vary).enumerate() {
        let (message, help) = match (body.kind, vary) {
            (Kind::Springs { .. }, Vary::Young(_) | Vary::Density(_)) => (
                format!("\"{name}\" is cloth of springs, which is made of no material"),
                "write out the bodies: masses and stiffnesses stand in `kind`",
            ),
            (Kind::Shell { area_density: Some(_), .. }, Vary::Density(_)) => (
                format!("\"{name}\" has its mass from `area_density`, so no density counts"),
                "remove `area_density`: the mass per area is density times thickness",
            ),
            _ => continue,
        };
        c.error(&format!("{path}.repeat.vary[{k}]"), message, help);
    }
}

impl Scene {
    /// Checks that the material of a shell has a law for shells.
    pub(super) fn check_shell_material(&self, c: &mut Checker, path: &str, body: &Body) {
        let Kind::Shell { .. } = body.kind else { return };
        let material = self.material_of(body);
        if material.is_some_and(|material| SheetModel::of(&material.model).is_none()) {
            let message = format!("\"{}\" is a shell, and its material is for solids", body.name);
            c.error(&format!("{path}.material"), message, "shells are `StVK` or `NeoHookean`");
        }
    }

    /// Checks that joints connect two affine bodies, or one with the world, in which case they may have a motion.
    pub(super) fn check_joints(&self, c: &mut Checker) {
        if self.joints.is_empty() {
            return;
        }
        let known_names = Names::new(self.body_names());
        let body_by_name: BTreeMap<&str, &Body> =
            self.bodies.iter().rev().map(|body| (body.name.as_str(), body)).collect();
        for (k, joint) in self.joints.iter().enumerate() {
            let path = format!("joints[{k}]");
            let (Joint::Ball { a, b, motion, .. } | Joint::Hinge { a, b, motion, .. }) = joint;
            let sides = [("a", Some(a)), ("b", b.as_ref())];
            for (side, name) in sides.into_iter().filter_map(|(side, name)| Some((side, name?))) {
                let path = format!("{path}.{side}");
                c.check_name(&path, "body", name, &known_names);
                check_is_affine(c, &body_by_name, &path, name);
            }
            match (b, motion) {
                (Some(b), _) if a == b => {
                    c.error(&format!("{path}.b"), "a body cannot be joined to itself", "");
                }
                (Some(_), Some(_)) => {
                    let message = "`motion` is for joints with the world";
                    c.error(&format!("{path}.motion"), message, "remove `motion`, or `b`");
                }
                (None, Some(motion)) => {
                    check_body::check_motion(c, &format!("{path}.motion"), motion);
                }
                (_, None) => {}
            }
        }
    }
}

/// Checks that `name` is the name of a single affine body. Unknown names are reported elsewhere.
fn check_is_affine(c: &mut Checker, body_by_name: &BTreeMap<&str, &Body>, path: &str, name: &str) {
    let body_name = name.split('[').next().unwrap_or(name);
    let Some(body) = body_by_name.get(body_name) else { return };
    if body.kind != Kind::Affine {
        let message = format!("\"{name}\" is not affine");
        c.error(path, message, "joints tie bodies of `kind: Affine`; others have `attach`");
    } else if body.repeat.is_some() && name == body_name {
        let message = format!("\"{name}\" stands for several bodies");
        c.error(path, message, format!("name one of them, such as \"{name}[0]\""));
    }
}
