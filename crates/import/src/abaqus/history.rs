//! `*PLASTIC`, `*CYCLIC HARDENING`, `*RATE DEPENDENT` and `*VISCOELASTIC`: materials whose stress depends on the past.

use super::deck::{Card, Row};
use crate::refusal::Findings;
use crate::ron::{Field, Ron};

/// Largest deviation of a hardening curve from a straight line, relative to the initial yield stress.
const MAX_CURVATURE: f64 = 1e-6;

/// Linear hardening: yield stress (Pa) at zero plastic strain, and slope (Pa) over the plastic strain.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Curve {
    yield_stress: f64,
    slope: f64,
}

/// `HARDENING` of `*PLASTIC`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hardening {
    Isotropic,
    Kinematic,
    Combined,
}

/// Power law of the overstress, `*RATE DEPENDENT`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RateLaw {
    /// Rate of plastic strain (1/s).
    reference_rate: f64,
    exponent: f64,
}

/// Von Mises plasticity of a deck.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Plastic {
    curve: Option<(Hardening, Curve)>,
    /// `*CYCLIC HARDENING`, the isotropic part of combined hardening.
    cyclic: Option<Curve>,
    rate_law: Option<RateLaw>,
}

impl Plastic {
    /// Reads `*PLASTIC`. The rows are the isotropic curve, or the kinematic curve for kinematic and combined hardening.
    /// With `DATA TYPE=PARAMETERS`, the only row is a yield stress and the parameters of one back stress.
    pub(super) fn read(&mut self, card: &Card, findings: &mut Findings) {
        card.allow_only(&["HARDENING", "DATA TYPE", "NUMBER BACKSTRESSES"], findings);
        let hardening = match card.parameter("HARDENING") {
            None | Some("ISOTROPIC") => Hardening::Isotropic,
            Some("KINEMATIC") => Hardening::Kinematic,
            Some("COMBINED") => Hardening::Combined,
            Some(other) => {
                let message = format!("`HARDENING={other}` cannot be expressed");
                return card.refuse(findings, message);
            }
        };
        let curve = match card.parameter("DATA TYPE") {
            None => read_curve(card, findings),
            Some("PARAMETERS") => read_back_stress(card, findings),
            Some(other) => {
                let message = format!("`DATA TYPE={other}` cannot be expressed, only PARAMETERS");
                return card.refuse(findings, message);
            }
        };
        self.curve = curve.map(|curve| (hardening, curve));
    }

    /// Reads `*CYCLIC HARDENING`, the isotropic curve of combined hardening. Refuses it for other hardening.
    pub(super) fn read_cyclic(&mut self, card: &Card, findings: &mut Findings) {
        card.allow_only(&[], findings);
        match self.curve {
            Some((Hardening::Combined, _)) => self.cyclic = read_curve(card, findings),
            _ => card.refuse(findings, "needs `*PLASTIC, HARDENING=COMBINED` above it"),
        }
    }

    /// Reads `*RATE DEPENDENT`, a power law of the overstress. Refuses other laws.
    pub(super) fn read_rate(&mut self, card: &Card, findings: &mut Findings) {
        card.allow_only(&["TYPE"], findings);
        if card.parameter("TYPE").is_some_and(|kind| kind != "POWER LAW") {
            return card.refuse(findings, "only `TYPE=POWER LAW` can be expressed");
        }
        if self.curve.is_none() {
            return card.refuse(findings, "needs `*PLASTIC` above it");
        }
        match rows_at_one_temperature(card, 2, findings).as_deref() {
            Some([row]) if row[0] > 0.0 && row[1] >= 1.0 => {
                self.rate_law = Some(RateLaw { reference_rate: row[0], exponent: row[1] });
            }
            Some(_) => {
                let message =
                    "needs one line of a positive multiplier and an exponent of at least 1";
                card.refuse(findings, message);
            }
            None => {}
        }
    }

    /// Whether the stress depends on the rate of flow.
    pub(super) fn depends_on_rate(&self) -> bool {
        self.rate_law.is_some()
    }

    /// Whether the material yields.
    pub(super) fn is_present(&self) -> bool {
        self.curve.is_some()
    }

    /// The plasticity in scene syntax; `None` without `*PLASTIC`. Combined hardening yields at the stress of its
    /// isotropic curve.
    pub(super) fn ron(&self) -> Option<Ron> {
        let (hardening, curve) = self.curve?;
        let [yield_stress, isotropic, kinematic] = match (hardening, self.cyclic) {
            (Hardening::Isotropic, _) => [curve.yield_stress, curve.slope, 0.0],
            (Hardening::Combined, Some(cyclic)) => [cyclic.yield_stress, cyclic.slope, curve.slope],
            _ => [curve.yield_stress, 0.0, curve.slope],
        };
        let mut fields = vec![Field::new("yield_stress", yield_stress)];
        for (name, modulus) in [("hardening", isotropic), ("kinematic_hardening", kinematic)] {
            if modulus > 0.0 {
                fields.push(Field::new(name, modulus));
            }
        }
        if let Some(RateLaw { reference_rate, exponent }) = self.rate_law {
            let rate_fields =
                vec![Field::new("reference", reference_rate), Field::new("exponent", exponent)];
            fields.push(Field::new("rate", Ron::Struct("", rate_fields)));
        }
        Some(Ron::Struct("VonMises", fields))
    }
}

/// Numbers of the rows. The optional column `temperature_column` (from 0) is a temperature, which must be the same in
/// all rows. Refuses rows with fewer numbers than the columns before it, and fields that are not numbers.
fn rows_at_one_temperature(
    card: &Card,
    temperature_column: usize,
    findings: &mut Findings,
) -> Option<Vec<Vec<f64>>> {
    let numbers = |row: &Row| row.numbers().filter(|numbers| numbers.len() >= temperature_column);
    let rows: Option<Vec<Vec<f64>>> = card.rows.iter().map(numbers).collect();
    let Some(rows) = rows.filter(|rows| !rows.is_empty()) else {
        card.refuse(findings, format!("needs rows of {temperature_column} numbers"));
        return None;
    };
    let temperature = rows[0].get(temperature_column);
    let deviating_row = rows.iter().position(|row| row.get(temperature_column) != temperature);
    if let Some(row) = deviating_row {
        let message = "values that depend on temperature cannot be expressed";
        card.refuse_row(&card.rows[row], findings, message);
        return None;
    }
    Some(rows)
}

/// Reads rows of a yield stress (Pa) and a plastic strain. Refuses curves that are not straight, do not start at zero
/// strain, or fall.
fn read_curve(card: &Card, findings: &mut Findings) -> Option<Curve> {
    let rows = rows_at_one_temperature(card, 2, findings)?;
    let points: Vec<(f64, f64)> = rows.iter().map(|row| (row[0], row[1])).collect();
    let (yield_stress, first_strain) = points[0];
    let (last_stress, last_strain) = points[points.len() - 1];
    if !(yield_stress > 0.0 && first_strain == 0.0) {
        let message = "a hardening curve starts at a positive stress and no plastic strain";
        card.refuse_row(&card.rows[0], findings, message);
        return None;
    }
    let slope = if points.len() > 1 { (last_stress - yield_stress) / last_strain } else { 0.0 };
    let deviation = |(stress, strain): (f64, f64)| (stress - yield_stress - slope * strain).abs();
    let bent_row = points.iter().position(|point| deviation(*point) > MAX_CURVATURE * yield_stress);
    if let Some(bent_row) = bent_row {
        let message = format!(
            "the yield stress of a scene grows linearly with the plastic strain, by {slope} from the first row to the last"
        );
        card.refuse_row(&card.rows[bent_row], findings, message);
        return None;
    }
    let strains_grow = points.is_sorted_by(|(_, strain), (_, next_strain)| strain < next_strain);
    if !(slope >= 0.0 && slope.is_finite() && strains_grow) {
        card.refuse(findings, "yield stresses must not fall, and plastic strains must grow");
        return None;
    }
    if slope > 0.0 {
        findings.note(format!(
            "the yield stress grows on beyond the last row, a plastic strain of {last_strain}, where that of the deck \
             remains constant"
        ));
    }
    Some(Curve { yield_stress, slope })
}

/// Reads the row of one back stress: yield stress (Pa), modulus C (Pa) and gamma. Refuses a nonzero gamma, which makes
/// hardening nonlinear, and several back stresses.
fn read_back_stress(card: &Card, findings: &mut Findings) -> Option<Curve> {
    let rows = rows_at_one_temperature(card, 3, findings)?;
    match rows[..] {
        [ref row]
            if row[0] > 0.0
                && row[1] >= 0.0
                && row[2] == 0.0
                && card.parameter("NUMBER BACKSTRESSES").is_none_or(|count| count == "1") =>
        {
            Some(Curve { yield_stress: row[0], slope: row[1] })
        }
        _ => {
            let message =
                "only one back stress with a positive yield stress and gamma = 0 can be expressed";
            card.refuse(findings, message);
            None
        }
    }
}

/// A term of a Prony series.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Branch {
    /// Fraction of the instantaneous shear modulus.
    fraction: f64,
    /// Relaxation time (s).
    time: f64,
}

/// A Prony series of the shear modulus.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Prony {
    branches: Vec<Branch>,
}

impl Prony {
    /// Reads `*VISCOELASTIC, TIME=PRONY`: rows of a fraction of the shear modulus, a fraction of the bulk modulus and a
    /// relaxation time (s). Refuses other data, bulk moduli that relax, and shear moduli that relax to zero.
    pub(super) fn read(card: &Card, findings: &mut Findings) -> Self {
        card.allow_only(&["TIME"], findings);
        if card.parameter("TIME") != Some("PRONY") {
            card.refuse(findings, "only `TIME=PRONY` can be expressed");
            return Self::default();
        }
        let Some(rows) = rows_at_one_temperature(card, 3, findings) else { return Self::default() };
        let mut series = Self::default();
        for (row, numbers) in card.rows.iter().zip(&rows) {
            let [fraction, bulk_fraction, time] = [0, 1, 2].map(|column| numbers[column]);
            if bulk_fraction != 0.0 {
                let message = format!(
                    "the bulk modulus of a scene does not relax, but its part is {bulk_fraction}"
                );
                card.refuse_row(row, findings, message);
            } else if !(fraction > 0.0 && time > 0.0) {
                let message = "the part of the shear modulus and the time must be positive";
                card.refuse_row(row, findings, message);
            } else {
                series.branches.push(Branch { fraction, time });
            }
        }
        if series.relaxed_fraction() <= 0.0 {
            card.refuse(findings, "the parts of the shear modulus must add up to less than 1");
            return Self::default();
        }
        series
    }

    /// Whether the material relaxes.
    pub(super) fn is_present(&self) -> bool {
        !self.branches.is_empty()
    }

    /// Fraction of the instantaneous shear modulus that remains after relaxation.
    pub(super) fn relaxed_fraction(&self) -> f64 {
        1.0 - self.branches.iter().map(|branch| branch.fraction).sum::<f64>()
    }

    /// The Prony series in scene syntax; `None` without branches.
    pub(super) fn ron(&self) -> Option<Ron> {
        let branch = |branch: &Branch| {
            let fields =
                vec![Field::new("modulus", branch.fraction), Field::new("time", branch.time)];
            Ron::Struct("", fields)
        };
        let branches = Ron::List(self.branches.iter().map(branch).collect());
        self.is_present().then(|| Ron::Tagged("Prony", Box::new(branches)))
    }
}
