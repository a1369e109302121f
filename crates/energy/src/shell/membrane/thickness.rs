//! The thickness of a neo-Hookean sheet in plane stress.
//!
//! The tetrahedra's law with the squared stretch `c` of the thickness,
//!
//! ```text
//! psi = mu/2 (tr C + c - 3) - mu ln J + lambda/2 (ln J)^2,    ln J = ln J_2 + ln(c)/2
//! ```
//!
//! has no stress across the sheet where dpsi/dc = 0. With `lambda / mu = 2 nu / (1 - 2 nu)`
//!
//! ```text
//! f(w) = (1 - 2 nu) (e^w - 1) + 2 nu (w/2 + ln J_2) = 0,    w = ln c
//! ```
//!
//! which holds for nu = 0 (c = 1) and nu = 1/2 (`c = 1/J_2^2`) alike. There
//! `lambda ln J = -mu (c - 1)`, so neither psi nor its derivatives need lambda, which is infinite
//! for nu = 1/2:
//!
//! ```text
//! psi = mu/2 (tr C - 2 + (c - 1) (1 - ln J) - 2 ln J)
//! S = mu (I - c C^-1)
//! dc / d ln J_2 = -4 nu c / (2 (1 - 2 nu) c + 2 nu)
//! ```

use resile_math::lanes::Lane;

/// Largest number of Newton steps: nine are needed for `|ln J_2| = 300`, four for 1.
const MAX_NEWTON_STEPS: usize = 12;

/// Step length at which Newton's method stops; the error is at most half its square, since f'' <= f'.
const STEP_TOLERANCE: f64 = 1e-8;

/// The thickness of eight sheets in plane stress.
#[derive(Debug, Clone, Copy)]
pub(super) struct Thickness {
    /// The squared stretch c of the thickness.
    pub(super) square: Lane,
    /// `c - 1`, with all digits of small strains.
    excess: Lane,
    /// The logarithm of the ratio of volumes.
    ln_j: Lane,
}

impl Thickness {
    /// The thickness of sheets whose areas are multiplied by the square root of `j2`, `0 <= nu <= 1/2`.
    ///
    /// f is convex and increasing, so Newton's method from the right of the root converges monotonically. The start
    /// is the best of three upper bounds of the root: the tangent at w = 0, and for `ln J_2 < 0`, where c > 1, the
    /// roots of each of the two terms of f with the constant term.
    #[inline(always)]
    pub(super) fn new(j2: Lane, nu: Lane) -> Self {
        let ln_j2 = j2.ln() * Lane::HALF;
        let (volumetric, shear) = (nu + nu, Lane::ONE - (nu + nu));
        let load = volumetric * ln_j2;
        let tangent = -load / (shear + nu);
        let incompressible = -(ln_j2 + ln_j2);
        let unconstrained = (Lane::ONE - load / shear).ln();
        let smallest_bound = tangent.fast_min(incompressible).fast_min(unconstrained);
        let is_compressed = ln_j2.simd_lt(Lane::ZERO);
        let mut w = is_compressed.select(smallest_bound, tangent);
        for _ in 0..MAX_NEWTON_STEPS {
            let [c, excess] = exponential(w);
            let f = shear.mul_add(excess, nu.mul_add(w, load));
            let step = f / shear.mul_add(c, nu);
            w -= step;
            if step.abs().simd_lt(Lane::splat(STEP_TOLERANCE)).all() {
                break;
            }
        }
        let [square, excess] = exponential(w);
        Self { square, excess, ln_j: w.mul_add(Lane::HALF, ln_j2) }
    }

    /// The energy density psi over mu/2, with the trace of the metric of the sheet.
    #[inline(always)]
    pub(super) fn energy(&self, trace: Lane) -> Lane {
        let ln_j = self.ln_j;
        self.excess.mul_add(Lane::ONE - ln_j, trace - Lane::splat(2.0)) - (ln_j + ln_j)
    }

    /// `-dc / d ln J_2`.
    #[inline(always)]
    pub(super) fn decrease(&self, nu: Lane) -> Lane {
        let volumetric = nu + nu;
        let shear = Lane::ONE - volumetric;
        (volumetric + volumetric) * self.square / (shear + shear).mul_add(self.square, volumetric)
    }
}

/// Largest `|w|` for which `e^w - 1` is evaluated by Taylor's polynomial of degree ten, whose remainder is then 3e-18 of
/// the first term.
const MAX_SMALL_EXPONENT: f64 = 0.1;

/// `e^w` and `e^w - 1` to full accuracy.
#[inline(always)]
fn exponential(w: Lane) -> [Lane; 2] {
    const INVERSE_FACTORIALS: [f64; 9] = [
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
    ];
    let highest = Lane::splat(1.0 / 3_628_800.0);
    let polynomial = INVERSE_FACTORIALS
        .iter()
        .fold(highest, |sum, &coefficient| sum.mul_add(w, Lane::splat(coefficient)))
        * w;
    let is_small = w.abs().simd_lt(Lane::splat(MAX_SMALL_EXPONENT));
    if is_small.all() {
        return [polynomial + Lane::ONE, polynomial];
    }
    let power = w.exp();
    [power, is_small.select(polynomial, power - Lane::ONE)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_is_accurate_to_rounding() {
        for k in -4000..4000 {
            let w = f64::from(k) * 1e-3;
            let [power, excess] = exponential(Lane::splat(w)).map(|lane| lane.as_array()[0]);
            assert!((power - w.exp()).abs() <= 1e-15 * w.exp(), "{w}");
            assert!((excess - w.exp_m1()).abs() <= 2e-15 * w.exp_m1().abs(), "{w}");
        }
    }

    #[test]
    fn sheet_has_no_transverse_stress() {
        for nu in (0..=100).map(|k| f64::from(k) * 0.005).chain([0.49999, 1e-9]) {
            for ln_j2 in (-300..=300).flat_map(|k| [f64::from(k), f64::from(k) * 1e-2]) {
                let j2 = (2.0 * ln_j2).exp();
                let thickness = Thickness::new(Lane::splat(j2), Lane::splat(nu));
                let c = thickness.square.as_array()[0];
                let terms = [(1.0 - 2.0 * nu) * (c - 1.0), nu * c.ln(), 2.0 * nu * ln_j2];
                let size = terms.iter().fold(c * 1e-3 + 1e-3, |size, term| size + term.abs());
                assert!(terms.iter().sum::<f64>().abs() < 1e-12 * size, "{nu} {ln_j2}: {c}");
            }
        }
    }
}
