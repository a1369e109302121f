//! Time, integrator, contact and solver of a problem.

use super::geometry::{self, Geometry};
use super::material::Law;
use super::motion::Steps;
use super::reader::Reader;
use super::unit::Dimension;
use super::writer::ProblemWriter;
use crate::draft::{DraftAdhesion, DraftBonds, DraftContact};
use crate::ron::{Field, Ron, rounded, word};
use serde_json::Value;

/// Number of friction iterations that replaces an unlimited number.
const MAX_FRICTION_ITERATIONS: usize = 20;
/// Step length of a static problem, in transit times of elastic waves across the diagonal of the scene.
const STATIC_TRANSIT_TIMES: f64 = 1e5;
/// Shortest transit time of elastic waves (s), for scenes without extent.
const MIN_TRANSIT_TIME: f64 = 1e-12;
/// Relative precision to which the step length of a static problem is rounded.
const STATIC_STEP_PRECISION: f64 = 0.2;
/// Tolerance of velocities (1/s) of dynamic problems, relative to the diagonal of the scene.
const TOLERANCE: f64 = 1e-7;
/// Tolerance of displacements of static problems, relative to the diagonal of the scene.
const STATIC_TOLERANCE: f64 = 1e-9;
/// Smallest speed (m/s) of a scene, and so its smallest tolerance.
const MIN_TOLERANCE: f64 = 1e-15;
/// Relative precision to which tolerances are rounded.
const TOLERANCE_PRECISION: f64 = 0.3;
/// Default of `dhat` and `epsv` in the units of the file (`json-specs/input-spec.json`).
const DEFAULT_CONTACT_DISTANCE: f64 = 1e-3;

/// Highest order of the BDF of the source.
const MAX_BDF_ORDER: u32 = 6;
/// Default of `dhat_percentage`, a fraction of the shortest edge of a surface (`json-specs/input-spec.json`).
const DEFAULT_EDGE_FRACTION: f64 = 0.8;

/// Time steps and integrator.
pub(super) struct Clock {
    pub(super) steps: Steps,
    pub(super) integrator: Ron,
    /// Whether the problem has no time: one step is its whole solution.
    pub(super) is_static: bool,
    /// Whether each step ends in static equilibrium.
    pub(super) is_quasistatic: bool,
}

impl ProblemWriter<'_> {
    /// Reads steps and integrator. A static problem is one long step of implicit Euler, whose length follows from the
    /// laws and the diagonal of the scene (m). Refuses other starts than time 0, and times that do not determine the
    /// steps.
    pub(super) fn clock(&mut self, laws: &[Option<Law>], diagonal: f64) -> Clock {
        let reader = &mut self.reader;
        if reader.get("time").is_none() {
            let steps = Steps { length: static_step(laws, diagonal), count: 1 };
            let integrator = word("ImplicitEuler");
            return Clock { steps, integrator, is_static: true, is_quasistatic: false };
        }
        let start = reader.quantity_or("time/t0", Dimension::TIME, 0.0);
        if start != 0.0 {
            reader.refuse("time/t0", "time begins at 0");
        }
        let (end, step, count) = (
            reader.quantity("time/tend", Dimension::TIME),
            reader.quantity("time/dt", Dimension::TIME),
            reader.number("time/time_steps"),
        );
        let (length, count) = match (end, step, count) {
            (_, Some(step), Some(count)) => (step, count),
            (Some(end), Some(step), None) => (step, (end / step).round()),
            (Some(end), None, Some(count)) => (rounded(end / count, 1e-16), count),
            _ => {
                reader.refuse("time", "two of tend, dt and time_steps must be given");
                (1.0, 1.0)
            }
        };
        let steps = Steps { length, count: count.max(1.0) as u64 };
        let is_quasistatic = reader.flag("time/quasistatic", false);
        if !is_quasistatic && !reader.flag("solver/advanced/lump_mass_matrix", false) {
            reader.findings.note(
                "masses are those of nodes; without `lump_mass_matrix` the source has a mass matrix with other entries, \
                 which agrees with them for uniform motion",
            );
        }
        Clock { steps, integrator: integrator(reader), is_static: false, is_quasistatic }
    }

    /// Converts the contact parameters. The stiffness is the softest Young's modulus, because the source measures it in
    /// another way.
    pub(super) fn contact(
        &mut self,
        geometry: &Geometry,
        materials: &[(String, Law)],
    ) -> DraftContact {
        let (d_hat, d_hat_comment) = self.activation_distance(geometry);
        let adhesion = self.adhesion(geometry);
        let min_young = materials.iter().map(|(_, law)| law.young).fold(f64::INFINITY, f64::min);
        let reader = &mut self.reader;
        let speed_unit = reader.units.si_value(Dimension::VELOCITY);
        let stiffness = reader.get("solver/contact/barrier_stiffness").and_then(Value::as_f64);
        let kappa_comment = match stiffness {
            Some(stiffness) => format!(
                "The source has a barrier of squared distances without areas, with the stiffness {stiffness}; \
                 here it is the softest Young's modulus."
            ),
            None => "The source adapts its stiffness of contact; here it is the softest Young's modulus.".to_owned(),
        };
        DraftContact {
            d_hat,
            d_hat_comment,
            kappa: min_young,
            kappa_comment,
            adhesion,
            improved_max: reader.flag("contact/use_convergent_formulation", false)
                && reader.flag("contact/use_improved_max_operator", true),
            slip_speed: reader.quantity_or(
                "contact/epsv",
                Dimension::VELOCITY,
                DEFAULT_CONTACT_DISTANCE * speed_unit,
            ),
            friction_rule: "Max",
            pairs: Vec::new(),
            excluded: Vec::new(),
        }
    }

    /// Converts the parameters of adhesion, if it is enabled; `None` also if they are refused.
    ///
    /// Without weights of area the source has its strength at each pair of primitives. Here it is a traction, so it is
    /// divided by the mean area of a vertex.
    fn adhesion(&mut self, geometry: &Geometry) -> Option<DraftAdhesion> {
        let reader = &mut self.reader;
        if !reader.flag("contact/adhesion/adhesion_enabled", false) {
            return None;
        }
        if reader.get("contact/adhesion/dhat").is_some() {
            reader
                .note("contact/adhesion/dhat", "without effect: `contact.dhat` is that of contact");
        }
        let has_areas = reader.flag("contact/use_convergent_formulation", false)
            && reader.flag("contact/use_area_weighting", true);
        let dimension = if has_areas { Dimension::STRESS } else { Dimension::FORCE };
        let numbers = [
            ("contact/adhesion/adhesion_strength", dimension),
            ("contact/adhesion/dhat_p", Dimension::LENGTH),
            ("contact/adhesion/dhat_a", Dimension::LENGTH),
        ]
        .map(|(path, dimension)| reader.quantity(path, dimension));
        let [Some(strength), Some(peak), Some(range)] = numbers else {
            let what = "adhesion_strength, dhat_p and dhat_a must be given";
            reader.refuse("contact/adhesion", what);
            return None;
        };
        let tangential = self.bonds(peak);
        if has_areas {
            return Some(DraftAdhesion {
                strength,
                strength_comment: None,
                peak,
                range,
                tangential,
            });
        }
        let comment = format!(
            "The source has a force of {strength} N at each pair of primitives; here it is divided by the mean area of a \
             vertex of the surfaces."
        );
        let strength = strength / geometry::mean_vertex_area(geometry);
        Some(DraftAdhesion { strength, strength_comment: Some(comment), peak, range, tangential })
    }

    /// Converts the parameters of tangential adhesion with the gap `peak` (m) of the largest normal traction; `None`
    /// without tangential adhesion.
    ///
    /// The source applies its coefficient to the largest derivative of the energy of a pair by the squared distance,
    /// `strength / (2 dhat_p)`, in its own unit of length.
    fn bonds(&mut self, peak: f64) -> Option<DraftBonds> {
        let reader = &mut self.reader;
        let path = "contact/adhesion/tangential_adhesion_coefficient";
        let coefficient = reader.number_or(path, 0.0);
        if coefficient == 0.0 {
            return None;
        }
        if reader.get("time").is_none() {
            reader.refuse(
                path,
                "tangential adhesion depends on velocities, of which a static problem has none",
            );
            return None;
        }
        let peak_number = peak / reader.units.si_value(Dimension::LENGTH);
        let coefficient_comment = format!(
            "The source applies its coefficient of {coefficient} to the derivative of its energy by the squared distance: \
             the strength over 2 dhat_p."
        );
        let speed_unit = reader.units.si_value(Dimension::VELOCITY);
        let default_speed = DEFAULT_CONTACT_DISTANCE * speed_unit;
        let slip_speed =
            reader.quantity_or("contact/adhesion/epsa", Dimension::VELOCITY, default_speed);
        let coefficient = coefficient / (2.0 * peak_number);
        Some(DraftBonds { coefficient, coefficient_comment, slip_speed })
    }

    /// Distance (m) at which contact begins, with a comment if it depends on the meshes: without `dhat` it is
    /// [`DEFAULT_CONTACT_DISTANCE`], or a fraction of the shortest edge of a surface if that edge is shorter.
    fn activation_distance(&mut self, geometry: &Geometry) -> (f64, Option<String>) {
        let reader = &mut self.reader;
        let default = DEFAULT_CONTACT_DISTANCE * reader.units.si_value(Dimension::LENGTH);
        if reader.get("contact/dhat").is_some() {
            return (reader.quantity_or("contact/dhat", Dimension::LENGTH, default), None);
        }
        let shortest_edge = geometry::shortest_surface_edge(reader, geometry);
        if shortest_edge >= default {
            return (default, None);
        }
        let fraction = reader.number_or("contact/dhat_percentage", DEFAULT_EDGE_FRACTION);
        let d_hat = rounded(fraction * shortest_edge, 1e-12 * shortest_edge);
        let comment = format!("{fraction} of the shortest edge of a surface, as in the source.");
        (d_hat, Some(comment))
    }

    /// Converts the solver settings, for the diagonal of the scene (m) and the coefficient of friction. The tolerance
    /// is much smaller than that of the source, so that its norms can be reproduced.
    pub(super) fn solver(&mut self, diagonal: f64, friction: f64, clock: &Clock) -> Vec<Field> {
        let duration = if clock.is_static { clock.steps.length } else { 1.0 };
        let tolerance =
            diagonal * if clock.is_static { STATIC_TOLERANCE } else { TOLERANCE } / duration;
        let tolerance = rounded(tolerance, TOLERANCE_PRECISION * tolerance).max(MIN_TOLERANCE);
        let comment = "Tight, so that norms can be compared with those of the source.";
        let mut fields = vec![Field::new("tolerance", tolerance).with_comment(comment)];
        if friction > 0.0 {
            let path = "solver/contact/friction_iterations";
            let iterations = self.reader.number_or(path, 1.0);
            let rounds = match iterations > 0.0 {
                true => iterations as usize - 1,
                false => MAX_FRICTION_ITERATIONS,
            };
            let rounds = Ron::Struct("", vec![Field::new("rounds", rounds)]);
            fields.push(
                Field::new("friction", rounds)
                    .with_comment(format!("`friction_iterations: {iterations}` of the source.")),
            );
        }
        fields
    }
}

/// Length (s) of the only step of a static problem: many transit times of elastic waves across the diagonal (m), so
/// that inertia has no effect.
fn static_step(laws: &[Option<Law>], diagonal: f64) -> f64 {
    let slowness = laws.iter().flatten().map(|law| (law.density / law.young).sqrt());
    let transit_time = diagonal * slowness.fold(0.0, f64::max);
    rounded(
        STATIC_TRANSIT_TIMES * transit_time.max(MIN_TRANSIT_TIME),
        STATIC_STEP_PRECISION * STATIC_TRANSIT_TIMES * transit_time,
    )
}

/// Reads `time/integrator`: implicit Euler, BDF or Newmark. Notes a BDF of order three or more, for which that of order
/// two is substituted, and refuses others.
fn integrator(reader: &mut Reader<'_>) -> Ron {
    let path = "time/integrator";
    let kind = match reader.get(path) {
        None => "ImplicitEuler",
        Some(Value::String(kind)) => kind,
        Some(_) => reader.text(&format!("{path}/type")).unwrap_or_default(),
    };
    let parameters: &[&str] = match kind {
        "BDF" => &["type", "fe_space", "steps"],
        "ImplicitNewmark" => &["type", "fe_space", "beta", "gamma"],
        _ => &["type", "fe_space"],
    };
    reader.allow_only(path, parameters);
    let order = match kind.strip_prefix("BDF") {
        Some("") => reader.number_or(&format!("{path}/steps"), 1.0) as u32,
        Some(order) => order.parse().unwrap_or(0),
        None => 0,
    };
    match (kind, order) {
        ("ImplicitEuler", _) | (_, 1) => word("ImplicitEuler"),
        (_, 2) => word("Bdf2"),
        (_, 3..=MAX_BDF_ORDER) => {
            reader.note(path, format!("BDF2 takes the place of BDF of order {order}"));
            word("Bdf2")
        }
        ("ImplicitNewmark", _) => {
            let beta = reader.number_or(&format!("{path}/beta"), 0.25);
            let gamma = reader.number_or(&format!("{path}/gamma"), 0.5);
            Ron::Struct("Newmark", vec![Field::new("beta", beta), Field::new("gamma", gamma)])
        }
        _ => {
            reader.refuse(
                path,
                format!("the integrator {kind} of order {order} cannot be expressed"),
            );
            word("ImplicitEuler")
        }
    }
}
