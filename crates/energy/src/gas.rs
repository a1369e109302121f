//! Gas inside a closed surface.

use crate::closed_surface::ClosedSurface;
use crate::factor::Factor;
use crate::pressure::PressureError;
use crate::schedule::between;
use resile_math::elementary::{exp, ln};
use resile_system::{Energy, Hessian, Psd, Vec3};

/// The state of a gas, `p V^n = const`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GasLaw {
    /// Pressure `p_0` (Pa, absolute) in the reference volume.
    pub pressure: f64,
    /// Polytropic exponent n: 1 for isothermal changes, the ratio of heat capacities (1.4 for air) for adiabatic
    /// ones.
    pub exponent: f64,
    /// The pressure `p_a` (Pa, absolute) outside.
    pub outside: f64,
}

/// An invalid gas.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum GasError {
    /// The surface is not closed or has invalid triangles.
    #[error(transparent)]
    Surface(#[from] PressureError),
    /// A number of the law is out of range.
    #[error(
        "a gas has a pressure and an exponent above 0 and a pressure outside of 0 or more, not {pressure} Pa, {exponent} and {outside} Pa"
    )]
    Law {
        /// Pressure (Pa).
        pressure: f64,
        /// Exponent.
        exponent: f64,
        /// The pressure outside (Pa).
        outside: f64,
    },
    /// The enclosed volume is zero or not finite.
    #[error("the surface encloses a volume of {volume} m^3")]
    Volume {
        /// The volume (m^3).
        volume: f64,
    },
}

/// `P(x, t) = s(t) p_0 V_0 (r^(n-1) - 1) / (n - 1) + p_a (V - V_0)` with `r = V_0 / V`: the energy of the gas
/// inside a closed surface of volume V and of the air outside; for n = 1 the first part is `s p_0 V_0 ln r`. The
/// pressure is `s p_0 r^n`, where s is the amount of gas relative to the reference. P is infinite for V <= 0.
///
/// # Hessian
/// The part `-(p - p_a) d2V/dx2` is that of a [`Pressure`](crate::Pressure), whose projection also omits it. The
/// part `n p / V (dV/dx)(dV/dx)^T` is positive semi-definite, of rank one, and couples all nodes of the surface. It
/// is added as [a dyad](Hessian::add_dyad), which matrices store beside their blocks: products and solutions are
/// exact, without fill-in.
///
/// O(triangles). Bitwise equal for any number of threads.
#[derive(Debug, Clone)]
pub struct Gas {
    surface: ClosedSurface,
    nodes: Vec<usize>,
    law: GasLaw,
    /// `V_0` (m^3).
    volume: f64,
    amount: Factor,
}

impl GasLaw {
    /// Checks that all numbers are finite, the pressure and the exponent positive, and the outside pressure not
    /// negative.
    fn check(&self) -> Result<(), GasError> {
        let Self { pressure, exponent, outside } = *self;
        let is_positive = |number: f64| number > 0.0 && number.is_finite();
        match is_positive(pressure)
            && is_positive(exponent)
            && outside >= 0.0
            && outside.is_finite()
        {
            true => Ok(()),
            false => Err(GasError::Law { pressure, exponent, outside }),
        }
    }
}

impl Gas {
    /// A gas inside `triangles` of a body. The positions `reference` (m) define the reference volume, `amount` the
    /// amount over time. All triangles are counter-clockwise seen from outside, or all
    /// clockwise, like those of a cavity in a solid.
    ///
    /// # Errors
    /// A surface that is not closed or has no volume; numbers of the `law` out of range.
    pub fn new(
        reference: &[Vec3],
        triangles: &[[u32; 3]],
        law: GasLaw,
        amount: impl Into<Factor>,
    ) -> Result<Self, GasError> {
        law.check()?;
        let mut surface = ClosedSurface::new(reference.len(), triangles)?;
        let mut volume = surface.volume(|node| reference[node]);
        if volume < 0.0 {
            let reversed: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
            surface = ClosedSurface::new(reference.len(), &reversed)?;
            volume = surface.volume(|node| reference[node]);
        }
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(GasError::Volume { volume });
        }
        let amount = amount.into();
        Ok(Self { nodes: surface.nodes(), surface, law, volume, amount })
    }

    /// The logarithmic compression `ln (V_0 / V)` of a volume V (m^3).
    fn compression(&self, volume: f64) -> f64 {
        ln(self.volume / volume)
    }

    /// The pressure (Pa, absolute) of the reference amount in a volume (m^3).
    fn pressure(&self, volume: f64) -> f64 {
        self.law.pressure * exp(self.law.exponent * self.compression(volume))
    }

    /// The energy (J) of the reference amount in a volume (m^3).
    fn stored_energy(&self, volume: f64) -> f64 {
        if volume <= 0.0 {
            return f64::INFINITY;
        }
        let log = self.compression(volume);
        // (e^y - 1) / y without cancellation (Kahan; Higham 2002, *Accuracy and Stability of Numerical Algorithms*,
        // section 1.14.1).
        let power = exp((self.law.exponent - 1.0) * log);
        let slope = if power == 1.0 { 1.0 } else { (power - 1.0) / ln(power) };
        self.law.pressure * self.volume * log * slope
    }
}

impl Energy for Gas {
    fn name(&self) -> &str {
        "gas"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn next_change(&self, time: f64) -> f64 {
        self.amount.next_change(time)
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        let volume = self.surface.volume(|node| x[node]);
        if volume <= 0.0 {
            return f64::INFINITY;
        }
        self.amount.at(time) * self.stored_energy(volume)
            + self.law.outside * (volume - self.volume)
    }

    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let volume = self.surface.volume(|node| x[node]);
        let gauge_pressure = self.amount.at(time) * self.pressure(volume) - self.law.outside;
        self.surface.add_gradient(x, -scale * gauge_pressure, out);
    }

    fn add_hessian(&self, time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        let volume = self.surface.volume(|node| x[node]);
        let pressure = self.amount.at(time) * self.pressure(volume);
        let gauge_pressure = if psd == Psd::Exact { pressure - self.law.outside } else { 0.0 };
        self.surface.add_hessian(x, -gauge_pressure, out);
        let mut gradient = vec![Vec3::ZERO; x.len()];
        self.surface.add_gradient(x, 1.0, &mut gradient);
        let entries: Vec<_> = self.nodes.iter().map(|&node| (node, gradient[node])).collect();
        let stiffness = self.law.exponent * pressure / volume;
        out.add_dyad(if psd == Psd::Exact { stiffness } else { stiffness.max(0.0) }, &entries);
    }

    /// `integral of q ds`, where q is the energy of the reference amount of gas.
    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        self.amount.work(times, |fraction, amount| {
            let position = |node: usize| between(from[node], to[node], fraction);
            amount * self.stored_energy(self.surface.volume(position))
        })
    }
}
