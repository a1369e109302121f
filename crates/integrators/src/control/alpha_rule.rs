//! Choice of alpha, the fraction of the velocity correction, for each group of bodies.
//!
//! A-search corrects the velocity of an implicit Euler step, `v = w - alpha dv`,
//! so that the energy
//!
//! ```text
//! H(alpha) = P(x) + 1/2 |w - alpha dv|_m^2
//! ```
//!
//! meets a target (ASEARCH, section 4.4 and algorithm 1). The paper uses one alpha for the whole scene, which transfers
//! energy between bodies without contact: energy lost in the impact of one body is given to another one
//! (`tests/two_bars.rs` shows it grow more than fivefold). Here alpha belongs to a *group*, the bodies that exchange
//! force at either end of the step. Momentum is conserved because each pair of forces acts within one group.

use crate::parameters::ParameterError;
use crate::step::AlphaOutcome;
use crate::step::memory::EnergyControl;
use resile_math::parameters::Allowed;
use resile_system::Links;

/// Search for alpha.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub enum Control {
    /// At every step, to meet the target at once (the paper's rule).
    #[default]
    Deadbeat,
    /// Alpha is always one, which is A-1, except for bodies in contact whose full correction would increase the energy.
    /// It is not part of the format of scenes, where it is called A-1.
    #[cfg_attr(feature = "serde", serde(skip))]
    Whole,
    /// Only if the energies of this step at alpha = 1 and of the two steps before
    /// lie on one side of the target, farther from it than `dead_band` times
    /// its size; otherwise alpha = 1.
    Sparse {
        /// Relative width of the band around the target within which velocities are not corrected, so that rounding
        /// has no effect.
        #[cfg_attr(feature = "serde", serde(default = "default_dead_band"))]
        dead_band: f64,
    },
    /// A gradual correction of the mean energy instead of its oscillation:
    ///
    /// ```text
    /// Hbar <- (1 - memory) Hbar + memory (H(1) - S)
    /// H(alpha) - H(1) = gain (E - Hbar)
    /// Hbar <- Hbar + memory (H(alpha) - H(1))
    /// ```
    ///
    /// The energy of a symplectic step deviates from its mean by `S = h/2 grad P . (v - h/2 m^-1 grad P)`, with the
    /// forces and velocities at the end of the step. In a linear mode `H - h/2 grad P . (v - h m^-1 grad P)` is
    /// constant under A-1, and the subtracted term has the mean of `-h^2/4 |grad P|^2 / m`. The mean of `S` is
    /// therefore zero. The paper's rule cuts off the maxima and cannot raise the minima, so the mean decreases. This
    /// rule (ours) controls the mean and lets the energy oscillate. A mean of `H` itself follows oscillations that are
    /// longer than its window, such as that of an eccentric orbit, and control amplifies them. In contact `S` measures
    /// the impact instead of an oscillation and is omitted.
    Filtered {
        /// Fraction of the error of the mean that a step corrects.
        #[cfg_attr(feature = "serde", serde(default = "default_gain"))]
        gain: f64,
        /// Weight of the present energy in the mean.
        #[cfg_attr(feature = "serde", serde(default = "default_gain"))]
        memory: f64,
    },
}

#[cfg(feature = "serde")]
pub(crate) fn default_alpha_max() -> f64 {
    AlphaRule::PAPER_MAX
}

#[cfg(feature = "serde")]
fn default_dead_band() -> f64 {
    1e-9
}

#[cfg(feature = "serde")]
fn default_gain() -> f64 {
    0.1
}

impl Control {
    /// Range of `dead_band`.
    pub const DEAD_BAND: Allowed = Allowed::NotNegative;
    /// Range of `gain`.
    pub const GAIN: Allowed = Allowed::Fraction;
    /// Range of `memory`.
    pub const MEMORY: Allowed = Allowed::Fraction;
    /// The gain and memory that `docs/methods.md` measured.
    pub const FILTERED: Self = Self::Filtered { gain: 0.1, memory: 0.1 };
}

/// Choice of alpha.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlphaRule {
    /// Limits of alpha; the paper's are 0 (implicit Euler) and 1.1.
    pub limits: [f64; 2],
    /// Search for alpha.
    pub control: Control,
}

impl Default for AlphaRule {
    /// The paper's limits and rule.
    fn default() -> Self {
        Self { limits: [0.0, Self::PAPER_MAX], control: Control::Deadbeat }
    }
}

impl AlphaRule {
    /// Range of the lower limit of alpha.
    pub const MIN_ALPHA: Allowed = Allowed::NotNegative;
    /// Range of the upper limit of alpha, which is not below the lower one.
    pub const MAX_ALPHA: Allowed = Allowed::Finite;
    /// The paper's upper limit of alpha.
    pub const PAPER_MAX: f64 = 1.1;

    /// Checks the parameters.
    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        let limits @ [min, max] = self.limits;
        Self::MIN_ALPHA.check("the lower limit of alpha", min)?;
        if !(max.is_finite() && min <= max) {
            return Err(ParameterError::Limits { limits });
        }
        match self.control {
            Control::Deadbeat | Control::Whole => Ok(()),
            Control::Sparse { dead_band } => Ok(Control::DEAD_BAND.check("dead_band", dead_band)?),
            Control::Filtered { gain, memory } => {
                Control::GAIN.check("gain", gain)?;
                Ok(Control::MEMORY.check("memory", memory)?)
            }
        }
    }
}

/// Permitted excess of the energy over the target, as a fraction of the kinetic energy at the target. It applies to
/// groups that are in contact or have had friction, under rules that permit oscillations of the energy. The oscillation
/// is `h/2 grad P . v`, which is otherwise unbounded for stiff contacts out of equilibrium. Friction that dissipates
/// energy at a maximum leaves too little at the minimum.
pub(crate) const MAX_OSCILLATION: f64 = 0.015;

/// Permitted excess of the energy over the target under [`Control::Filtered`], as a fraction of the exchangeable energy. In
/// a linear mode of the angular frequency `w` the oscillation `S` has the amplitude `h w / 2` times the energy of the mode,
/// so the limit acts on modes with about `h w > 1`, of less than six steps a period. An initially deformed body may have
/// such modes: without the limit they begin with about `(h w)^2` times their potential energy.
const MAX_FILTERED_EXCESS: f64 = 0.5;

/// A group of bodies with its total energies at the end of a step.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// Bodies of the system, ascending.
    pub(crate) bodies: Vec<usize>,
    /// The target of the group (J), before the friction of this step.
    pub(crate) target: f64,
    /// Running mean of the energy (J).
    pub(crate) mean: f64,
    /// Oscillation of the energy at alpha = 1 (J); zero in contact.
    pub(crate) oscillation: f64,
    /// Energy minus target (J) after the last step and after the one before.
    pub(crate) deviations: [f64; 2],
    /// Upper bound of the energy (J); infinite if oscillations are not limited.
    pub(crate) max_energy: f64,
    /// The target minus the lowest potential energy so far (J), which motion and deformation can exchange.
    pub(crate) exchangeable_energy: f64,
    /// Whether the group is at rest and therefore not corrected; see [`crate::control::rest`].
    pub(crate) rests: bool,
    /// Whether one of its bodies bounces, so that the group is not corrected; see [`crate::drive::restitution`].
    pub(crate) bounces: bool,
}

impl Group {
    /// The group of these bodies with the sums of their energies at the end of the step.
    pub(crate) fn new(
        bodies: Vec<usize>,
        control: &[EnergyControl],
        potential: &[f64],
        links: &Links,
    ) -> Self {
        let sum =
            |quantity: &dyn Fn(usize) -> f64| bodies.iter().map(|&b| quantity(b)).sum::<f64>();
        let target = sum(&|b| control[b].target);
        let kinetic_at_target = (target - sum(&|b| potential[b])).max(0.0);
        let is_bounded = bodies.iter().any(|&b| links.touches(b) || control[b].had_friction);
        Self {
            target,
            mean: sum(&|b| control[b].mean),
            deviations: [0, 1].map(|k| sum(&|b| control[b].deviations[k])),
            max_energy: if is_bounded {
                target + MAX_OSCILLATION * kinetic_at_target
            } else {
                f64::INFINITY
            },
            exchangeable_energy: (target - sum(&|b| control[b].lowest)).max(0.0),
            oscillation: 0.0,
            rests: false,
            bounces: false,
            bodies,
        }
    }

    /// Whether the group has the velocities of implicit Euler, alpha = 0.
    pub(crate) fn is_uncorrected(&self) -> bool {
        self.rests || self.bounces
    }

    /// The outcome of a group with alpha = 0.
    pub(crate) fn uncorrected_outcome(&self) -> AlphaOutcome {
        if self.rests { AlphaOutcome::Resting } else { AlphaOutcome::Bouncing }
    }
}

/// The energy that a group should have at the end of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim {
    /// The energy (J) to be met; `None` leaves alpha at one.
    pub(crate) goal: Option<f64>,
    /// The outcome if the goal is met.
    pub(crate) outcome_if_met: AlphaOutcome,
    /// Mean energy (J) if alpha is one.
    mean: f64,
    /// Energy (J) if alpha is one.
    energy_at_one: f64,
}

impl AlphaRule {
    /// The energy at which the rule aims for a group whose energy at alpha = 1 is `energy` (J).
    pub(crate) fn aim(&self, group: &Group, energy: f64) -> Aim {
        let Group { target, max_energy, deviations: [last, before_last], .. } = *group;
        let mut aim = Aim {
            goal: None,
            outcome_if_met: AlphaOutcome::Met,
            mean: group.mean,
            energy_at_one: energy,
        };
        match self.control {
            Control::Deadbeat => aim.goal = Some(target),
            Control::Whole => {}
            Control::Sparse { dead_band } => {
                let deviations = [energy - target, last, before_last];
                let searches = sparse_rule_searches(deviations, dead_band * target.abs());
                aim.goal = searches.then_some(target);
            }
            Control::Filtered { gain, memory } => {
                aim.mean += memory * (energy - group.oscillation - aim.mean);
                let ceiling = target + MAX_FILTERED_EXCESS * group.exchangeable_energy;
                aim.goal = Some((energy + gain * (target - aim.mean)).min(ceiling));
                aim.outcome_if_met = AlphaOutcome::Steered;
            }
        }
        if aim.goal.unwrap_or(energy) > max_energy {
            aim.goal = Some(max_energy);
            aim.outcome_if_met = AlphaOutcome::Met;
        }
        aim
    }

    /// The running mean (J) of a group that ends the step with the energy `end_energy` (J).
    pub(crate) fn mean_after(&self, aim: &Aim, end_energy: f64) -> f64 {
        match self.control {
            Control::Filtered { memory, .. } => {
                aim.mean + memory * (end_energy - aim.energy_at_one)
            }
            _ => aim.mean,
        }
    }
}

/// `H(alpha) = constant - linear alpha + quadratic alpha^2` (J).
#[derive(Debug, Clone, Copy)]
pub(crate) struct EnergyCurve {
    /// `P + 1/2 |w|_m^2`.
    pub(crate) constant: f64,
    /// `(w . dv)_m`.
    pub(crate) linear: f64,
    /// `1/2 |dv|_m^2`.
    pub(crate) quadratic: f64,
    /// `1/2 |w|_m^2`, the larger one of the co-moving frame and the frame of the ground: the scale of rounding.
    pub(crate) kinetic: f64,
}

/// Ratio of the norms of `dv` and `w` below which a correction is not filtered. It could change the energy by two parts
/// in 1e9, and most of such a `dv` is rounding.
pub(crate) const MIN_RELATIVE_CORRECTION: f64 = 1e-9;

impl EnergyCurve {
    /// The curve of a group: the sum of the curves of its bodies.
    pub(crate) fn sum<'a>(curves: impl Iterator<Item = &'a Self>) -> Self {
        let zero = Self { constant: 0.0, linear: 0.0, quadratic: 0.0, kinetic: 0.0 };
        curves.fold(zero, |a, b| Self {
            constant: a.constant + b.constant,
            linear: a.linear + b.linear,
            quadratic: a.quadratic + b.quadratic,
            kinetic: a.kinetic + b.kinetic,
        })
    }

    /// `H(alpha)` (J).
    pub(crate) fn energy_at(&self, alpha: f64) -> f64 {
        self.constant + alpha * (alpha * self.quadratic - self.linear)
    }

    /// The alpha with `H(alpha) = target` that is nearest to one, within limits.
    pub(crate) fn search(&self, target: f64, limits: [f64; 2]) -> (f64, AlphaOutcome) {
        if self.quadratic <= MIN_RELATIVE_CORRECTION * MIN_RELATIVE_CORRECTION * self.kinetic {
            return (1.0, AlphaOutcome::Powerless);
        }
        let vertex = self.linear / (2.0 * self.quadratic);
        // H(alpha) - target = quadratic ((alpha - vertex)^2 - squared_half_distance)
        let squared_half_distance = vertex * vertex - (self.constant - target) / self.quadratic;
        let (root, outcome) = if squared_half_distance < 0.0 {
            (vertex, AlphaOutcome::Closest)
        } else {
            (self.root_nearest_one(target, vertex, squared_half_distance.sqrt()), AlphaOutcome::Met)
        };
        let alpha = root.clamp(limits[0], limits[1]);
        (alpha, if alpha == root { outcome } else { AlphaOutcome::Clipped })
    }

    /// The root nearest to one of the two roots `vertex -+ half_distance`. The root of smaller magnitude is computed
    /// from the product of both roots, which avoids cancellation.
    fn root_nearest_one(&self, target: f64, vertex: f64, half_distance: f64) -> f64 {
        let large = vertex + half_distance.copysign(vertex);
        if large == 0.0 {
            return 0.0;
        }
        let small = (self.constant - target) / self.quadratic / large;
        if (small - 1.0).abs() < (large - 1.0).abs() { small } else { large }
    }
}

/// Whether the sparse rule corrects the energy: all three deviations (J) from the target have the same sign and lie
/// outside the dead band.
pub(crate) fn sparse_rule_searches(deviations: [f64; 3], band: f64) -> bool {
    deviations.iter().all(|d| *d > band) || deviations.iter().all(|d| *d < -band)
}

#[cfg(test)]
mod tests {
    use super::*;
    use AlphaOutcome::{Clipped, Closest, Met, Powerless};

    #[test]
    fn nearest_root_to_one_is_found_and_clipped() {
        // H = 3 - 4 alpha + 2 alpha^2 has its lowest point, 1, at alpha = 1.
        let curve = EnergyCurve { constant: 3.0, linear: 4.0, quadratic: 2.0, kinetic: 3.0 };
        assert_eq!(curve.search(1.0, [0.0, 1.1]), (1.0, Met));
        assert_eq!(curve.search(0.5, [0.0, 1.1]), (1.0, Closest));
        let (alpha, outcome) = curve.search(1.005, [0.0, 1.1]);
        assert_eq!(outcome, Met);
        assert!((curve.energy_at(alpha) - 1.005).abs() < 1e-15);
        // H = alpha^2 - 1.9 alpha: the roots of H = 0.6 are -0.27 and 2.17.
        let curve = EnergyCurve { constant: 0.0, linear: 1.9, quadratic: 1.0, kinetic: 0.0 };
        assert_eq!(curve.search(0.6, [0.0, 1.1]), (1.1, Clipped));
        let powerless = EnergyCurve { quadratic: 1e-19, kinetic: 1.0, ..curve };
        assert_eq!(powerless.search(0.6, [0.0, 1.1]), (1.0, Powerless));
        // A thousand times the rounding level is a significant coefficient.
        let weak = EnergyCurve { constant: 1.0, linear: 1e-6, quadratic: 1e-12, kinetic: 1.0 };
        let (alpha, outcome) = weak.search(weak.energy_at(0.5), [0.0, 1.1]);
        assert!(outcome == Met && (alpha - 0.5).abs() < 1e-9, "{alpha} {outcome:?}");
    }

    #[test]
    fn small_root_beside_a_huge_one_is_exact() {
        let curve = EnergyCurve { constant: 1.0, linear: 1e12, quadratic: 1.0, kinetic: 0.0 };
        let (alpha, outcome) = curve.search(0.5, [0.0, 1.1]);
        assert_eq!(outcome, Met);
        assert!((alpha - 0.5e-12).abs() < 1e-24);
    }

    #[test]
    fn group_energy_curve_is_the_sum_over_its_bodies() {
        let a = EnergyCurve { constant: 3.0, linear: 4.0, quadratic: 2.0, kinetic: 3.0 };
        let b = EnergyCurve { constant: 0.5, linear: -1.0, quadratic: 0.25, kinetic: 0.125 };
        let sum = EnergyCurve::sum([&a, &b].into_iter());
        assert_eq!(sum.energy_at(0.5), a.energy_at(0.5) + b.energy_at(0.5));
        assert_eq!((sum.energy_at(0.0), sum.kinetic), (3.5, 3.125));
    }

    /// A group with the target 10 J and the mean 8 J, whose last two deviations were 1 J.
    fn group(max_energy: f64) -> Group {
        let (deviations, bodies) = ([1.0; 2], vec![0]);
        Group {
            bodies,
            target: 10.0,
            mean: 8.0,
            deviations,
            max_energy,
            exchangeable_energy: 6.0,
            oscillation: 0.0,
            rests: false,
            bounces: false,
        }
    }

    fn aim(control: Control, group: &Group, energy: f64) -> Aim {
        AlphaRule { control, ..AlphaRule::default() }.aim(group, energy)
    }

    #[test]
    fn each_alpha_rule_aims_at_its_target() {
        let free = group(f64::INFINITY);
        assert_eq!(aim(Control::Deadbeat, &free, 12.0).goal, Some(10.0));
        assert_eq!(aim(Control::Whole, &free, 12.0).goal, None);
        // No search within a band of half a joule; beyond it the target is met.
        let sparse = Control::Sparse { dead_band: 0.05 };
        let goals = [9.0, 10.4, 10.6].map(|whole| aim(sparse, &free, whole).goal);
        assert_eq!(goals, [None, None, Some(10.0)]);
        let below = Group { deviations: [-1.0; 2], ..free.clone() };
        let goals = [9.4, 9.6, 11.0].map(|whole| aim(sparse, &below, whole).goal);
        assert_eq!(goals, [Some(10.0), None, None]);
        // Hbar = 8 + 1/4 (12 - 8), H(alpha) = 12 + 1/2 (10 - Hbar).
        let filtered = AlphaRule {
            control: Control::Filtered { gain: 0.5, memory: 0.25 },
            ..AlphaRule::default()
        };
        let aim = filtered.aim(&free, 12.0);
        assert_eq!(
            (aim.goal, aim.outcome_if_met, aim.mean),
            (Some(12.5), AlphaOutcome::Steered, 9.0)
        );
        assert_eq!(filtered.mean_after(&aim, 12.5), 9.125);
        assert_eq!(AlphaRule::default().mean_after(&aim, 12.5), 9.0);
        // Of the energy at alpha = 1, 2 J are an oscillation about its mean: Hbar = 8 + 1/4 (12 - 2 - 8).
        let swinging = Group { oscillation: 2.0, ..free };
        let aim = filtered.aim(&swinging, 12.0);
        assert_eq!((aim.goal, aim.mean), (Some(12.75), 8.5));
    }

    #[test]
    fn filtered_rule_aims_at_most_half_of_the_exchangeable_energy_above_the_target() {
        let filtered = Control::Filtered { gain: 0.5, memory: 0.25 };
        let aim = aim(filtered, &group(f64::INFINITY), 400.0);
        assert_eq!((aim.goal, aim.outcome_if_met), (Some(13.0), AlphaOutcome::Steered));
    }

    #[test]
    fn no_alpha_rule_aims_above_the_ceiling() {
        let filtered = Control::Filtered { gain: 0.5, memory: 0.25 };
        for (control, whole, goal) in [
            (Control::Whole, 10.0, None),
            (Control::Whole, 12.0, Some(11.0)),
            (filtered, 12.0, Some(11.0)),
        ] {
            let aim = aim(control, &group(11.0), whole);
            assert_eq!((aim.goal, aim.outcome_if_met), (goal, Met), "{control:?}");
        }
    }

    /// A group is the sum of its bodies; with earlier friction it may exceed its target by `MAX_OSCILLATION` of the
    /// kinetic energy at the target.
    #[test]
    fn group_target_is_the_sum_of_bodies_and_bounded_after_friction() {
        let own = |target: f64, had_friction| EnergyControl {
            target,
            deviations: [0.1 * target, 0.2 * target],
            mean: 2.0 * target,
            unresolved: 0,
            had_friction,
            lowest: 0.0,
        };
        let of = |had_friction, potential: f64| {
            let control = [own(1.0, false), own(2.0, had_friction), own(4.0, true)];
            Group::new(vec![0, 1], &control, &[potential, 0.5, 9.0], &Links::new(3))
        };
        let free = of(false, 0.5);
        assert_eq!((free.target, free.mean, free.max_energy), (3.0, 6.0, f64::INFINITY));
        assert!(
            (free.deviations[0] - 0.3).abs() < 1e-15 && (free.deviations[1] - 0.6).abs() < 1e-15
        );
        assert_eq!(of(true, 0.5).max_energy, 3.0 + MAX_OSCILLATION * 2.0);
        assert_eq!(of(true, 7.0).max_energy, 3.0, "more potential energy than the target has");
    }
}
