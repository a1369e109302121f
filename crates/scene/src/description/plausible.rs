//! Warnings of numbers that are valid but probably not intended.

use super::implausible_terms::GRAVITY_RANGE;
use super::problem::Checker;
use super::slips;
use super::{
    Analysis, Contact, EnergyTarget, ExpandedBody, Ground, Problem, Scene, Severity, Shape, Units,
};

impl Scene {
    /// Warns of implausible numbers, with the likely cause. The scene must be
    /// free of errors.
    pub(super) fn warn_implausible(&self, c: &mut Checker) {
        for (name, material) in &self.materials {
            let path = format!("materials.{name}");
            warn_material(c, &path, material.density, material.model.young());
            slips::warn_modulus_unit(c, &path, material);
            if !c.has_problem_at(&path) {
                slips::warn_density_unit(c, &path, material);
            }
        }
        let g = norm(self.gravity);
        if g > 0.0 && !GRAVITY_RANGE.contains(&g) {
            let message = format!("gravity is {}", self.units.show(g, "m/s^2"));
            c.warn("gravity", message, format!("on Earth {}", self.gravity_on_earth()));
        } else if self.gravity[1] > 0.0 {
            let help = format!("y is up: gravity on Earth is {}", self.gravity_on_earth());
            c.warn("gravity", "gravity points up", help);
        }
        self.warn_gravity_parallel_to_planes(c);
        self.warn_liquids(c);
        self.warn_stiffness_damping(c);
        let mut last_source = None;
        for body in self.expand() {
            // Copies of a body follow each other; only the first is checked.
            if last_source != Some(body.source) {
                self.warn_body(c, &body);
            }
            last_source = Some(body.source);
        }
        self.warn_contact(c);
        self.warn_settings(c);
        self.warn_rest_height(c);
        self.warn_unresolved_times(c);
        self.warn_without_effect(c);
    }

    /// Gravity on Earth as text, along the axis of the gravity of the scene, or along -y if that gravity is oblique.
    pub(super) fn gravity_on_earth(&self) -> String {
        let axis = slips::only_axis(self.gravity).unwrap_or(1);
        let mut earth = [0.0; 3];
        // Along x and z, either direction may be down.
        earth[axis] = if axis != 1 && self.gravity[axis] > 0.0 { 9.81 } else { -9.81 };
        let [x, y, z] = earth.map(|g| self.units.number(g, "m/s^2"));
        format!("({x}, {y}, {z})")
    }

    /// Warns of a ground energy given as a height if gravity changes, because the energy at a height depends on
    /// gravity.
    fn warn_rest_height(&self, c: &mut Checker) {
        if let Some((path, EnergyTarget { ground: Some(Ground::RestHeight(_)), .. })) =
            self.integrator.target()
            && !self.gravity_changes.is_empty()
        {
            c.warn_steps(
                &format!("integrator.{path}.ground"),
                "`RestHeight` counts with the gravity of the start alone, and gravity changes",
                "give the energy at rest in the last field: `ground: Joules(...)`",
            );
        }
    }

    /// Warns of the size of a body, and of a barrier that is wide for its cells.
    fn warn_body(&self, c: &mut Checker, body: &ExpandedBody) {
        let path = format!("bodies[{}]", body.source);
        let Some((size, cell)) = extent(&body.body.shape, body.body.placement.scale.0) else {
            return;
        };
        if let Some(problem) =
            implausible_size(&path, &self.bodies[body.source].name, (size, self.units))
        {
            c.problems.push(problem);
        }
        if let Contact::Barrier { d_hat, .. } = self.contact
            && d_hat > 0.5 * cell
        {
            let [d_hat, cell] = [d_hat, cell].map(|length| self.units.show(length, "m"));
            c.warn(
                "contact.d_hat",
                format!("d_hat = {d_hat} is more than half an edge of {path} ({cell})"),
                "neighbouring parts of a surface push each other apart: choose d_hat below a tenth of an edge, or coarser cells",
            );
        }
    }

    /// Warns of an unusual time step, duration, number of steps, tolerance or `alpha_max`.
    fn warn_settings(&self, c: &mut Checker) {
        let h = self.time.step.seconds();
        // The time of a static analysis is only a load parameter.
        if h > 0.1 && self.analysis == Analysis::Dynamic {
            c.warn_steps(
                "time.step",
                format!("the time step is {h} s"),
                "usual are \"1/30\" to \"1/1000\"",
            );
        }
        if h > self.time.duration {
            let message =
                format!("the duration, {} s, is shorter than one step, {h} s", self.time.duration);
            c.warn_steps("time.duration", message, "one whole step is taken");
        }
        if self.time.steps() > 10_000_000 {
            let message = format!("the run has {} steps", self.time.steps());
            c.warn_steps("time", message, "a longer step or a shorter duration");
        }
        if self.solver.tolerance > 1.0 {
            let message =
                format!("the tolerance is {}", self.units.show(self.solver.tolerance, "m/s"));
            let suggested = self.units.number(0.01, "m/s");
            let help = format!("velocities of that size are not resolved; usual is {suggested}");
            c.warn_steps("solver.tolerance", message, help);
        }
        let method = self.integrator.method();
        if let Some([_, alpha_max]) = method.ok().and_then(|method| method.alpha_limits())
            && alpha_max > 2.0
        {
            let message = format!("alpha_max is {alpha_max}");
            c.warn_steps(
                "integrator",
                message,
                "far above 1 a stiff impact overshoots; usual is 1.1",
            );
        }
    }
}

/// Whether a warning concerns the magnitude of a number, which is meaningless if the unit is unknown.
pub fn is_magnitude_warning(problem: &Problem) -> bool {
    const MESSAGES: [&str; 5] = [
        "density is ",
        "Young's modulus is ",
        "gravity is ",
        "the time step is ",
        "the tolerance is ",
    ];
    problem.severity == Severity::Warning
        && (MESSAGES.iter().any(|message| problem.message.starts_with(message))
            || problem.message.ends_with(" across"))
}

/// Warns of a body whose size (m) is implausible in the units of the scene.
pub fn implausible_size(path: &str, name: &str, (size, units): (f64, Units)) -> Option<Problem> {
    (!(1e-4..=50.0).contains(&size)).then(|| Problem {
        severity: Severity::Warning,
        path: format!("{path}.shape"),
        // In single precision, so that the rounding of a rotation is not shown.
        message: format!(
            "\"{name}\" is {} {} across",
            units.length(size) as f32,
            units.symbol("m")
        ),
        help: match units {
            Units::Metres => {
                "lengths are in metres; for a mesh in millimetres, `placement: (scale: 0.001)` or `units: Millimetres`"
            }
            Units::Millimetres => "lengths are in millimetres, those of mesh files too",
            Units::Centimetres => "lengths are in centimetres, those of mesh files too",
        }
        .to_owned(),
        concerns_steps: false,
    })
}

/// Warns of a density or a Young's modulus that no common material has.
fn warn_material(c: &mut Checker, path: &str, density: f64, young: f64) {
    if !(5.0..=25_000.0).contains(&density) {
        let [shown, foam, water, steel] =
            [density, 30.0, 1000.0, 7850.0].map(|density| c.units.show(density, "kg/m^3"));
        let help = match c.units {
            Units::Metres => {
                "kg/m^3: foam 30, water 1000, steel 7850; 1 g/cm^3 is 1000 kg/m^3".to_owned()
            }
            _ => format!("foam {foam}, water {water}, steel {steel}"),
        };
        c.warn(&format!("{path}.density"), format!("density is {shown}"), help);
    }
    if !(100.0..=1e12).contains(&young) {
        let unit = c.units.symbol("Pa");
        let [shown, soft, rubber, steel] =
            [young, 5e4, 1e6, 2e11].map(|modulus| c.units.number(modulus, "Pa"));
        let mut help = format!("{unit}: soft rubber {soft:e}, rubber {rubber:e}, steel {steel:e}");
        if c.units == Units::Metres {
            help += "; 1 MPa is 1e6 Pa";
        }
        c.warn(&format!("{path}.model.young"), format!("Young's modulus is {shown} {unit}"), help);
    }
}

/// The largest extent of a shape and the shortest edge of its cells (m); `None` for shapes without regular cells, and
/// for files, which are not read here.
fn extent(shape: &Shape, scale: [f64; 3]) -> Option<(f64, f64)> {
    let (size, cells) = match *shape {
        Shape::Box { size, cells } => (size, cells),
        Shape::Ball { radius, layers } => ([2.0 * radius; 3], [2 * layers; 3]),
        Shape::Cylinder { radius, height, rings, layers } => {
            ([2.0 * radius, height, 2.0 * radius], [2 * rings, layers, 2 * rings])
        }
        Shape::Sheet { size, cells } => {
            // 0 / 0 is NaN, which `f64::min` ignores.
            ([size[0], 0.0, size[1]], [cells[0], 0, cells[1]])
        }
        Shape::Disc { radius, rings } => {
            ([2.0 * radius, 0.0, 2.0 * radius], [2 * rings, 0, 2 * rings])
        }
        Shape::Sphere { radius, subdivisions } => {
            // Five edges of an icosahedron form a closed loop.
            ([2.0 * radius; 3], [2 << subdivisions; 3])
        }
        Shape::Implicit { .. }
        | Shape::Torus { .. }
        | Shape::Link { .. }
        | Shape::Gear { .. }
        | Shape::Extrusion { .. }
        | Shape::Stairs { .. }
        | Shape::File(_)
        | Shape::Part { .. }
        | Shape::Fill { .. }
        | Shape::Particles { .. }
        | Shape::Line { .. }
        | Shape::Curve { .. }
        | Shape::Circle { .. }
        | Shape::Helix { .. } => return None,
    };
    let size = [0, 1, 2].map(|k| size[k] * scale[k]);
    let edges = [0, 1, 2].map(|k| size[k] / f64::from(cells[k]));
    Some((size.into_iter().fold(0.0, f64::max), edges.into_iter().fold(f64::INFINITY, f64::min)))
}

/// The Euclidean norm.
fn norm(vector: [f64; 3]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}
