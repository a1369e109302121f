//! `*STEP` and the procedure in it.

use super::deck::Card;
use crate::refusal::Findings;
use crate::ron::{Field, Ron, word};
use std::path::Path;

/// Number of load steps of an incremental static step without a length of the first increment.
const LOAD_STEPS: f64 = 10.0;
/// Default of the parameter of Hilber, Hughes and Taylor (manual of `CalculiX` 2.20, `*DYNAMIC`).
const DYNAMIC_ALPHA: f64 = -0.05;

/// Procedures that no scene has.
const OTHER_PROCEDURES: [&str; 7] = [
    "BUCKLE",
    "VISCO",
    "HEAT TRANSFER",
    "COUPLED TEMPERATURE-DISPLACEMENT",
    "MODAL DYNAMIC",
    "STEADY STATE DYNAMICS",
    "COMPLEX FREQUENCY",
];

/// Kind of analysis of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Static,
    Dynamic,
    Frequency,
}

/// The analysis procedure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Procedure {
    pub(super) method: Method,
    /// Whether displacements are large (`NLGEOM`).
    pub(super) nonlinear: bool,
    /// Whether viscoelastic materials are relaxed (`LONG TERM`).
    pub(super) long_term: bool,
    /// Length of an increment (s).
    pub(super) step: f64,
    /// Length of the whole step (s).
    pub(super) duration: f64,
    /// Parameter of the Hilber-Hughes-Taylor method.
    alpha: f64,
}

impl Procedure {
    /// Result for a procedure that is refused.
    const REFUSED: Self = Self {
        method: Method::Static,
        nonlinear: false,
        long_term: false,
        step: 1.0,
        duration: 1.0,
        alpha: 0.0,
    };

    /// Whether loads grow over several steps of a static procedure.
    pub(super) fn is_in_load_steps(self) -> bool {
        self.method == Method::Static && self.step < self.duration
    }

    /// Integrator of the scene; static and modal procedures do not use it.
    pub(super) fn integrator(self) -> Ron {
        match (self.method, self.alpha == 0.0) {
            (Method::Dynamic, true) => word("Trapezoidal"),
            (Method::Dynamic, false) => Ron::Struct(
                "GeneralizedAlpha",
                vec![Field::new("rho_inf", (1.0 + self.alpha) / (1.0 - self.alpha))],
            ),
            _ => word("ImplicitEuler"),
        }
    }
}

/// Reads the step and its procedure. A static one takes several load steps if displacements are large or if
/// `is_incremental`: with contact or materials whose stress depends on the past. Refuses decks without a step, with
/// several steps, or with another procedure.
pub(super) fn read(
    file: &Path,
    cards: &[Card],
    is_incremental: bool,
    findings: &mut Findings,
) -> Procedure {
    let steps: Vec<&Card> = cards.iter().filter(|card| card.keyword == "STEP").collect();
    let Some(step) = steps.first() else {
        let message = match cards.iter().any(|card| card.keyword == "MATERIAL") {
            true => "there is no `*STEP`",
            false => {
                "there are no materials and no `*STEP`: this is a mesh alone; save it as .msh or .vtk to use it as the \
                 mesh of a body"
            }
        };
        findings.refuse(file, None, message);
        return Procedure::REFUSED;
    };
    step.allow_only(&["NLGEOM", "INC", "PERTURBATION", "NAME"], findings);
    for other in &steps[1..] {
        other.refuse(findings, "a second step cannot be expressed");
    }
    let nonlinear = step.parameter("NLGEOM").is_some_and(|value| value != "NO");
    let procedures = ["STATIC", "DYNAMIC", "FREQUENCY"];
    let Some(card) = cards.iter().find(|card| procedures.contains(&card.keyword.as_str())) else {
        // Unknown keywords are refused by name.
        if cards.iter().any(|card| OTHER_PROCEDURES.contains(&card.keyword.as_str())) {
            return Procedure::REFUSED;
        }
        step.refuse(findings, "its procedure is none of `*STATIC`, `*DYNAMIC`, `*FREQUENCY`");
        return Procedure::REFUSED;
    };
    let times = card.rows.first().map(|row| [row.number(0), row.number(1)]).unwrap_or_default();
    match card.keyword.as_str() {
        "STATIC" => read_static(card, [nonlinear, is_incremental], times, findings),
        "DYNAMIC" => read_dynamic(card, nonlinear, times, findings),
        _ => Procedure { method: Method::Frequency, nonlinear, ..Procedure::REFUSED },
    }
}

/// Reads `*STATIC` with the first increment and the duration (s). A problem that is neither `nonlinear` nor incremental
/// takes one increment; others take increments of the given length or [`LOAD_STEPS`] of them.
fn read_static(
    card: &Card,
    [nonlinear, is_incremental]: [bool; 2],
    [increment, total_time]: [Option<f64>; 2],
    findings: &mut Findings,
) -> Procedure {
    card.allow_only(&["DIRECT", "SOLVER", "LONG TERM"], findings);
    let long_term = card.parameter("LONG TERM").is_some();
    let duration = positive_time(card, total_time, 1.0, findings);
    let step = match (nonlinear || is_incremental, increment) {
        (false, _) => duration,
        (true, Some(increment)) => {
            positive_time(card, Some(increment), 1.0, findings).min(duration)
        }
        (true, None) => duration / LOAD_STEPS,
    };
    Procedure { method: Method::Static, nonlinear, long_term, step, duration, alpha: 0.0 }
}

/// Reads `*DYNAMIC` with the increment and the duration (s). The method of Hilber, Hughes and Taylor with `ALPHA`
/// becomes generalized-alpha with constant steps. Refuses cards without both times, and `ALPHA` outside of [-1/3, 0].
fn read_dynamic(
    card: &Card,
    nonlinear: bool,
    [increment, total_time]: [Option<f64>; 2],
    findings: &mut Findings,
) -> Procedure {
    card.allow_only(&["DIRECT", "ALPHA", "SOLVER"], findings);
    let alpha = card.parameter("ALPHA").map_or(Some(DYNAMIC_ALPHA), |text| text.parse().ok());
    let alpha = alpha.filter(|alpha| (-1.0 / 3.0..=0.0).contains(alpha)).unwrap_or_else(|| {
        card.refuse(findings, "`ALPHA` is a number from -1/3 to 0");
        0.0
    });
    if alpha != 0.0 {
        findings.note(format!(
            "the method of Hilber, Hughes and Taylor with alpha = {alpha} is the generalized-alpha method with the same \
             damping of the highest frequencies"
        ));
    }
    let (Some(step), Some(duration)) = (increment, total_time) else {
        card.refuse(findings, "needs the length of an increment and of the whole step");
        return Procedure::REFUSED;
    };
    let step = positive_time(card, Some(step), 1.0, findings);
    let duration = positive_time(card, Some(duration), step, findings);
    if card.parameter("DIRECT").is_none() {
        findings.note("increments have the length of the first one");
    }
    Procedure { method: Method::Dynamic, nonlinear, long_term: false, step, duration, alpha }
}

/// A positive time (s) from the deck, or `default` if it is missing. Refuses times that are not positive.
fn positive_time(card: &Card, value: Option<f64>, default: f64, findings: &mut Findings) -> f64 {
    match value {
        Some(value) if value > 0.0 => value,
        Some(_) => {
            card.refuse(findings, "lengths of time must be positive");
            default
        }
        None => default,
    }
}
