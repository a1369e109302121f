//! Default values of physical fields.
//!
//! They apply to texts of version 2. Version 1 requires all of these fields except `contact`, which is `Off` there.

use super::{Contact, FrictionRule, Obstacle, Scene, StepSize};
use std::collections::BTreeSet;

/// Coefficient of friction of bodies and obstacles.
///
/// 0.5 is between those of dry metals and of rubber, and the default of Bullet, Rapier and Drake.
pub const DEFAULT_FRICTION: f64 = 0.5;

/// Stiffness of the barrier between bodies without materials (Pa).
const KAPPA_WITHOUT_MATERIAL: f64 = 1e5;

/// Speed of the impact from which the default of `kappa` follows (m/s): that of a fall from 5 m.
const IMPACT_SPEED: f64 = 10.0;

/// Whether a value is the default of its type, so that the field is not written.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Default of factors and exponents.
pub(super) fn one() -> f64 {
    1.0
}

/// Default of flags that are set.
pub(super) fn yes() -> bool {
    true
}

/// Whether a flag is set, so that it is not written.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) fn is_true(value: &bool) -> bool {
    *value
}

/// Standard gravity along -y (m/s^2).
pub(super) fn gravity() -> [f64; 3] {
    [0.0, -9.81, 0.0]
}

/// Range of the barrier (m). It depends on no mesh, so neither refinement nor another body changes a contact.
pub(super) fn d_hat() -> f64 {
    1e-3
}

/// Rule of friction: the only one for which a coefficient of 0 removes friction, equal coefficients are kept, and the
/// result depends on both coefficients.
pub(super) fn friction_rule() -> FrictionRule {
    FrictionRule::GeometricMean
}

/// Time step (s).
pub(super) fn step() -> StepSize {
    StepSize::Fraction { numerator: 1, denominator: 120 }
}

/// Serialisation of a field that may be absent but may not be written as `None`.
pub(super) mod plain {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        value: &Option<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => value.serialize(serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        f64::deserialize(deserializer).map(Some)
    }
}

impl Scene {
    /// The default of `contact.kappa` (Pa), to two digits: the pressure `sqrt(density young) v` of a plane impact at v
    /// = 10 m/s on the material for which this pressure is lowest, or 1e5 if no body has a material.
    pub fn default_kappa(&self) -> f64 {
        let bodies = self.bodies.iter();
        let material_names =
            bodies.flat_map(|body| body.material.iter().chain(body.group_materials.values()));
        let min_impedance = material_names
            .collect::<BTreeSet<_>>()
            .into_iter()
            .filter_map(|name| self.material_named(name))
            .map(|material| (material.density * material.model.young()).sqrt())
            .filter(|impedance| *impedance > 0.0 && impedance.is_finite())
            .min_by(f64::total_cmp);
        min_impedance
            .map_or(KAPPA_WITHOUT_MATERIAL, |impedance| two_digits(IMPACT_SPEED * impedance))
    }

    /// Sets omitted coefficients of friction and the stiffness of the barrier to their defaults.
    pub(crate) fn set_defaults(&mut self) {
        let default_kappa = self.default_kappa();
        let Contact::Barrier { kappa, .. } = &mut self.contact else { return };
        kappa.get_or_insert(default_kappa);
        for body in &mut self.bodies {
            if body.shape.particle_count().is_none() && !body.varies_friction() {
                body.friction.get_or_insert(DEFAULT_FRICTION);
            }
        }
        for obstacle in &mut self.obstacles {
            let (Obstacle::Plane { friction, .. }
            | Obstacle::Mesh { friction, .. }
            | Obstacle::Shape { friction, .. }
            | Obstacle::Animated { friction, .. }) = obstacle;
            friction.get_or_insert(DEFAULT_FRICTION);
        }
    }
}

/// A number rounded to two decimal digits.
fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}
