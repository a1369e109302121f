//! Settings of contact.

use super::RELATIVE_PRECISION;
use crate::ron::{Field, Ron, quoted, rounded, word};

/// Contact parameters: barrier and friction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DraftContact {
    /// Distance (m) below which contact forces act.
    pub(crate) d_hat: f64,
    pub(crate) d_hat_comment: Option<String>,
    /// Stiffness (Pa) of the barrier.
    pub(crate) kappa: f64,
    pub(crate) kappa_comment: String,
    pub(crate) adhesion: Option<DraftAdhesion>,
    /// Whether a vertex near several triangles is counted once.
    pub(crate) improved_max: bool,
    /// Speed (m/s) below which friction is smaller than its limit.
    pub(crate) slip_speed: f64,
    /// Rule that combines two coefficients of friction, in scene syntax.
    pub(crate) friction_rule: &'static str,
    /// Names of two bodies or obstacles with the coefficient of friction between them.
    pub(crate) pairs: Vec<(String, String, f64)>,
    /// Names of two bodies without contact between them.
    pub(crate) excluded: Vec<(String, String)>,
}

/// Attraction of surfaces.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DraftAdhesion {
    /// Largest traction (Pa).
    pub(crate) strength: f64,
    pub(crate) strength_comment: Option<String>,
    /// Gap of the largest traction (m).
    pub(crate) peak: f64,
    /// Gap beyond which there is none (m).
    pub(crate) range: f64,
    pub(crate) tangential: Option<DraftBonds>,
}

/// Resistance of adhering surfaces to slip.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DraftBonds {
    /// Largest tangential traction relative to the largest normal one.
    pub(crate) coefficient: f64,
    pub(crate) coefficient_comment: String,
    /// Speed (m/s) below which it is smaller.
    pub(crate) slip_speed: f64,
}

impl DraftAdhesion {
    /// The field of contact in scene syntax.
    fn field(&self) -> Field {
        let in_digits = |value: f64| rounded(value, RELATIVE_PRECISION * value);
        let mut strength = Field::new("strength", in_digits(self.strength));
        strength.comment.clone_from(&self.strength_comment);
        let [peak, range] = [("peak", self.peak), ("range", self.range)]
            .map(|(name, gap)| Field::new(name, in_digits(gap)));
        let mut fields = vec![strength, peak, range];
        fields.extend(self.tangential.as_ref().map(DraftBonds::field));
        Field::new("adhesion", Ron::Struct("", fields))
    }
}

impl DraftBonds {
    /// The field of adhesion in scene syntax.
    fn field(&self) -> Field {
        let [coefficient, slip_speed] =
            [("coefficient", self.coefficient), ("slip_speed", self.slip_speed)]
                .map(|(name, value)| Field::new(name, rounded(value, RELATIVE_PRECISION * value)));
        let coefficient = coefficient.with_comment(&self.coefficient_comment);
        Field::new("tangential", Ron::Struct("", vec![coefficient, slip_speed]))
    }
}

impl DraftContact {
    /// The contact settings in scene syntax.
    pub(super) fn ron(&self) -> Ron {
        let mut d_hat = Field::new("d_hat", rounded(self.d_hat, RELATIVE_PRECISION * self.d_hat));
        d_hat.comment.clone_from(&self.d_hat_comment);
        let mut fields = vec![
            d_hat,
            Field::new("kappa", self.kappa).with_comment(&self.kappa_comment),
            Field::new(
                "slip_speed",
                rounded(self.slip_speed, RELATIVE_PRECISION * self.slip_speed),
            ),
            Field::new("friction_rule", word(self.friction_rule)),
        ];
        fields.extend(self.adhesion.as_ref().map(DraftAdhesion::field));
        fields.extend(self.exceptions());
        fields.push(
            Field::new("start", word("AsPlaced"))
                .with_comment("Bodies start where they are placed, as in the source."),
        );
        if !self.improved_max {
            fields.push(
                Field::new("improved_max", word("false")).with_comment(
                    "A vertex counts once for each triangle near it, as in the source.",
                ),
            );
        }
        Ron::Struct("Barrier", fields)
    }

    /// The fields of pairs with their own friction and of pairs without contact, without empty lists.
    fn exceptions(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        let pair = |(a, b, friction): &(String, String, f64)| {
            let named = [("a", quoted(a)), ("b", quoted(b)), ("friction", Ron::from(*friction))];
            Ron::Struct("", named.map(|(name, value)| Field::new(name, value)).to_vec())
        };
        if !self.pairs.is_empty() {
            fields.push(Field::new("pairs", Ron::List(self.pairs.iter().map(pair).collect())));
        }
        let pair_of_names = |(a, b): &(String, String)| {
            Ron::Raw(format!("({}, {})", quoted(a).printed(0), quoted(b).printed(0)))
        };
        if !self.excluded.is_empty() {
            fields.push(Field::new(
                "exclude",
                Ron::List(self.excluded.iter().map(pair_of_names).collect()),
            ));
        }
        fields
    }
}
