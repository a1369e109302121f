//! Dependence of yielding on the rate of flow.
//!
//! Perzyna's overstress law (Perzyna 1966, *Fundamental problems in viscoplasticity*): stress may exceed the yield
//! stress, and the excess drives the flow,
//!
//! ```text
//!   alpha' = D (sigma / (sigma_y + H alpha) - 1)^n
//!   sigma = (sigma_y + H alpha) (1 + (alpha' / D)^(1/n))
//! ```
//!
//! The second form is Cowper and Symonds' (1957). In terms of the slip s of a step, with the radius R of the yield
//! surface, its slope S, and the slip `c = sqrt(3/2) D h` that the reference rate D gives in the time h, the radius
//! during flow at a constant rate is
//!
//! ```text
//!   K(s) = (R + S s) (1 + y),   y = (s / c)^(1/n)
//! ```
//!
//! The slip solves `2 mu (|e| - s) = K(s)`. Its work per volume in the potential of a step, of which K is the
//! derivative, is
//!
//! ```text
//!   W(s) = R s + S s^2 / 2 + y (R s n / (n + 1) + S s^2 n / (2 n + 1))
//! ```
//!
//! (Ortiz & Stainier 1999, section 3.1). What the flow dissipates at a constant rate is the larger `(R s + S s^2 / 2)
//! (1 + y)`.

use super::VonMisesError;
use resile_math::elementary;
use resile_math::lanes::{LANES, Lane};

/// Largest exponent.
const MAX_EXPONENT: f64 = 1000.0;
/// Largest number of iterations of Newton's method, which converges quadratically from above.
const MAX_ITERATIONS: usize = 60;
/// Largest ratio of dK/ds to `2 mu`, which is infinite without slip.
const MAX_HARDENING: f64 = 1e12;

/// Perzyna's law: rate of flow per relative overstress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateDependence {
    reference: f64,
    exponent: f64,
}

impl RateDependence {
    /// A law of the rate D of plastic strain (1/s) at which the stress is twice the yield stress, and of the exponent
    /// n.
    ///
    /// # Errors
    /// Unless D is positive and finite, and n from 1 to 1000.
    pub fn new(reference: f64, exponent: f64) -> Result<Self, VonMisesError> {
        if !(reference > 0.0 && reference.is_finite()) {
            return Err(VonMisesError::ReferenceRate { reference });
        }
        if !(1.0..=MAX_EXPONENT).contains(&exponent) {
            return Err(VonMisesError::RateExponent { exponent });
        }
        Ok(Self { reference, exponent })
    }

    /// The reference rate D (1/s).
    pub fn reference(&self) -> f64 {
        self.reference
    }

    /// The exponent n.
    pub fn exponent(&self) -> f64 {
        self.exponent
    }

    /// This law for elements whose plastic strain is `ratio` times smaller.
    pub(super) fn beside_spring(self, ratio: f64) -> Self {
        Self { reference: self.reference / ratio, ..self }
    }
}

/// The laws of eight elements at a given time after the last flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overstress {
    /// `sqrt(3/2) D` (1/s).
    reference: Lane,
    exponent: Lane,
    /// c; infinite if the flow is so slow that its rate has no effect.
    extent: Lane,
}

/// Slip of eight elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slip {
    pub(super) slip: Lane,
    /// dK/ds (Pa).
    pub(super) hardening: Lane,
    /// W (J/m^3).
    pub(super) work: Lane,
    /// Dissipation in excess of the work W (J/m^3).
    pub(super) overstress: Lane,
}

/// Slip of an element at a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RateSlip {
    /// Slip s.
    s: f64,
    /// Relative overstress y.
    y: f64,
}

/// The yield surface of an element and its elastic stress.
#[derive(Debug, Clone, Copy)]
struct YieldSurface {
    /// `2 mu |e|` (Pa).
    trial: f64,
    /// `2 mu` (Pa).
    two_mu: f64,
    /// R (Pa).
    radius: f64,
    /// S (Pa).
    slope: f64,
}

impl Overstress {
    /// The laws of eight elements; `None` if none depends on the rate.
    pub(super) fn new(laws: &[Option<RateDependence>; LANES]) -> Option<Self> {
        laws.iter().any(Option::is_some).then(|| Self {
            reference: Lane::new(
                laws.map(|law| law.map_or(f64::INFINITY, |law| 1.5f64.sqrt() * law.reference)),
            ),
            exponent: Lane::new(laws.map(|law| law.map_or(1.0, |law| law.exponent))),
            extent: Lane::splat(f64::INFINITY),
        })
    }

    /// The laws `elapsed` seconds after the last flow, from zero to infinity.
    pub(super) fn after(self, elapsed: f64) -> Self {
        let extent = match elapsed > 0.0 {
            true => self.reference * Lane::splat(elapsed),
            false => Lane::ZERO,
        };
        Self { extent, ..self }
    }

    /// The slip at the elastic stress `trial = 2 mu |e|` (Pa), for the yield surface of the `radius` R (Pa) and the `slope`
    /// S (Pa); zero without flow.
    pub(super) fn slip(&self, trial: Lane, two_mu: Lane, radius: Lane, slope: Lane) -> Slip {
        let [mut slip, mut hardening] = [[0.0; LANES], slope.to_array()];
        let [mut work, mut overstress] = [[0.0; LANES]; 2];
        for l in 0..LANES {
            let entry = |lane: &Lane| lane.as_array()[l];
            let surface = YieldSurface {
                trial: entry(&trial),
                two_mu: entry(&two_mu),
                radius: entry(&radius),
                slope: entry(&slope),
            };
            let exponent = entry(&self.exponent);
            let Some(RateSlip { s, y }) = surface.slip(entry(&self.extent), exponent) else {
                continue;
            };
            let [linear, square] = [surface.radius * s, surface.slope * s * s];
            slip[l] = s;
            hardening[l] = surface.hardening(s, y, exponent);
            work[l] = linear
                + 0.5 * square
                + y * (linear * exponent / (exponent + 1.0)
                    + square * exponent / (2.0 * exponent + 1.0));
            overstress[l] = y * (linear / (exponent + 1.0) + 0.5 * square / (2.0 * exponent + 1.0));
        }
        let [slip, hardening, work, overstress] =
            [slip, hardening, work, overstress].map(Lane::new);
        Slip { slip, hardening, work, overstress }
    }
}

impl YieldSurface {
    /// The root of `2 mu (|e| - s) = K(s)` for the slip `extent` c and the `exponent` n, by Newton's method; `None` without
    /// flow.
    fn slip(&self, extent: f64, exponent: f64) -> Option<RateSlip> {
        let Self { trial, two_mu, radius, slope } = *self;
        let overstress = trial - radius;
        if !(overstress > 0.0 && extent > 0.0) {
            return None;
        }
        let rate_free_slip = overstress / (two_mu + slope);
        if extent == f64::INFINITY {
            return Some(RateSlip { s: rate_free_slip, y: 0.0 });
        }
        // The residual is convex in y and not negative at both bounds.
        let mut y =
            (overstress / radius).min(elementary::pow(rate_free_slip / extent, 1.0 / exponent));
        let mut s = extent * elementary::pow(y, exponent);
        for _ in 0..MAX_ITERATIONS {
            let residual = two_mu * s + (radius + slope * s) * (1.0 + y) - trial;
            let derivative = (two_mu + slope * (1.0 + y)) * exponent * s / y + radius + slope * s;
            let next = y - residual / derivative;
            if !(next < y && next > 0.0) {
                break;
            }
            let is_converged = y - next <= f64::EPSILON * y;
            (y, s) = (next, extent * elementary::pow(next, exponent));
            if is_converged {
                break;
            }
        }
        (s > 0.0).then_some(RateSlip { s, y })
    }

    /// dK/ds (Pa) at the slip s and the relative overstress y, at most [`MAX_HARDENING`] times `2 mu`.
    fn hardening(&self, s: f64, y: f64, exponent: f64) -> f64 {
        let rate_part = (self.radius + self.slope * s) * y / (exponent * s);
        (self.slope * (1.0 + y) + rate_part).min(MAX_HARDENING * self.two_mu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K at the slip equals the elastic stress; dW/ds is K; dK/ds is the hardening; the dissipation is that at a
    /// constant rate.
    #[test]
    fn slip_balances_elastic_stress_and_overstress() {
        for exponent in [1.0, 1.7, 5.0, 20.0] {
            for extent in [1e-12, 1e-4, 0.02, 1.0, 1e6] {
                for (radius, slope) in [(1.0, 0.0), (0.3, 2.0)] {
                    for trial in [1.0001, 1.5, 30.0] {
                        let surface = YieldSurface { trial, two_mu: 4.0, radius, slope };
                        let RateSlip { s, y } = surface.slip(extent, exponent).expect("it flows");
                        let k = |s: f64| {
                            (radius + slope * s) * (1.0 + (s / extent).powf(1.0 / exponent))
                        };
                        let stress = trial - 4.0 * s;
                        let scale = stress.abs() + trial * 1e-3;
                        assert!((k(s) - stress).abs() < 1e-9 * scale, "{} for {stress}", k(s));
                        let step = 1e-5 * s;
                        let slope_of_k = (k(s + step) - k(s - step)) / (2.0 * step);
                        let found = surface.hardening(s, y, exponent);
                        let limit = MAX_HARDENING * 4.0;
                        // The rounding of a difference of K.
                        let rounding = 1e-10 * stress / s;
                        let off = (found - slope_of_k.min(limit)).abs();
                        assert!(off < 1e-4 * found + rounding, "{found} for {slope_of_k}");
                    }
                }
            }
        }
    }

    #[test]
    fn work_has_the_derivative_of_the_radius_and_dissipation_exceeds_it() {
        let law = RateDependence::new(2.0, 3.0).expect("a law in range");
        let laws = Overstress::new(&[Some(law); LANES]).expect("a law").after(0.1);
        let [two_mu, radius, slope] = [4.0, 1.0, 2.0].map(Lane::splat);
        let at = |trial: f64| laws.slip(Lane::splat(trial), two_mu, radius, slope);
        for trial in [1.1, 2.0, 9.0] {
            let [a, b, here] = [trial - 1e-5, trial + 1e-5, trial].map(at);
            let first = |lane: &Lane| lane.as_array()[0];
            let by_slip = (first(&b.work) - first(&a.work)) / (first(&b.slip) - first(&a.slip));
            let stress = trial - 4.0 * first(&here.slip);
            assert!((by_slip / stress - 1.0).abs() < 1e-6, "{by_slip} for {stress}");
            let s = first(&here.slip);
            let dissipated = (s + s * s) * (stress / (1.0 + 2.0 * s));
            let found = first(&here.work) + first(&here.overstress);
            assert!((found / dissipated - 1.0).abs() < 1e-12, "{found} for {dissipated}");
        }
    }

    #[test]
    fn slow_flow_does_not_depend_on_the_rate_and_sudden_strain_is_elastic() {
        let surface = YieldSurface { trial: 3.0, two_mu: 4.0, radius: 1.0, slope: 1.0 };
        assert_eq!(surface.slip(f64::INFINITY, 5.0), Some(RateSlip { s: 0.4, y: 0.0 }));
        assert_eq!(surface.slip(0.0, 5.0), None);
        let slow = surface.slip(1e12, 1.0).expect("it flows");
        assert!((slow.s - 0.4).abs() < 1e-11, "{slow:?}");
    }
}
