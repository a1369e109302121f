//! Search for the root nearest to one of an expensive function.

use crate::step::AlphaOutcome;

/// Maximum number of evaluations.
const MAX_EVALUATIONS: usize = 30;

/// Tolerance of the value, relative to the range of known values.
const RELATIVE_TOLERANCE: f64 = 1e-10;

/// Length of a bracket below which it is not refined: rounding of arguments of about one.
const MIN_BRACKET: f64 = 1e-14;

/// Number of evaluations up to which a bracket is refined by interpolation alone.
const INTERPOLATED_EVALUATIONS: usize = 5;

/// Period of the bisections among later evaluations, for functions that are not smooth.
const BISECTION_PERIOD: usize = 3;

/// An argument with the value of the function.
#[derive(Debug, Clone, Copy)]
struct Sample {
    alpha: f64,
    /// The value minus the goal.
    deviation: f64,
}

/// Searches within limits for the argument alpha at which a smooth function, nearly a parabola, reaches its goal from
/// below; of several the one nearest to one.
/// [`next`](Self::next) gives the argument to evaluate, [`add_value`](Self::add_value) takes the value.
#[derive(Debug, Clone)]
pub(crate) struct RootNearestOne {
    /// The value to be reached.
    goal: f64,
    /// Lower and upper limit of the argument.
    limits: [f64; 2],
    /// The known values, in ascending order of their arguments.
    samples: Vec<Sample>,
}

impl RootNearestOne {
    /// A search without a known value.
    pub(crate) fn new(goal: f64, limits: [f64; 2]) -> Self {
        Self { goal, limits, samples: Vec::new() }
    }

    /// Adds the value at `alpha`, unless it is known; returns whether it is the best so far.
    pub(crate) fn add_value(&mut self, alpha: f64, value: f64) -> bool {
        if self.is_known(alpha) {
            return false;
        }
        let index = self.samples.partition_point(|sample| sample.alpha < alpha);
        self.samples.insert(index, Sample { alpha, deviation: value - self.goal });
        self.best_known().alpha == alpha
    }

    /// Whether the value at `alpha` is known.
    pub(crate) fn is_known(&self, alpha: f64) -> bool {
        self.samples.iter().any(|sample| sample.alpha == alpha)
    }

    /// The next argument to evaluate; the best known one at the end of the search.
    pub(crate) fn next(&self) -> f64 {
        let best = self.best_known();
        if self.samples.len() >= MAX_EVALUATIONS || self.is_converged(best.deviation) {
            return best.alpha;
        }
        self.next_argument().unwrap_or(best.alpha)
    }

    /// The outcome of the search, for reports.
    pub(crate) fn outcome(&self) -> AlphaOutcome {
        let Sample { alpha, deviation } = self.best_known();
        if self.is_converged(deviation) || self.bracket().is_some() {
            AlphaOutcome::Met
        } else if self.limits.contains(&alpha) {
            AlphaOutcome::Clipped
        } else {
            AlphaOutcome::Closest
        }
    }

    /// Whether all known values are above the goal.
    pub(crate) fn is_above(&self) -> bool {
        self.samples.iter().all(|sample| sample.deviation > 0.0)
    }

    /// Whether a value with this deviation from the goal ends the search: it is below the goal and within the
    /// tolerance.
    fn is_converged(&self, deviation: f64) -> bool {
        let range =
            self.samples.iter().fold(0.0, |range: f64, sample| range.max(sample.deviation.abs()));
        deviation <= 0.0 && deviation >= -RELATIVE_TOLERANCE * range
    }

    /// The best known sample: the nearest to the goal from below (of equal ones that with the argument nearest to one);
    /// if all are above the goal, the lowest.
    fn best_known(&self) -> Sample {
        let distance_from_one = |sample: &Sample| (sample.alpha - 1.0).abs();
        let below = self.samples.iter().filter(|sample| sample.deviation <= 0.0);
        let nearest = below.max_by(|a, b| {
            let by_distance = distance_from_one(b).total_cmp(&distance_from_one(a));
            a.deviation.total_cmp(&b.deviation).then(by_distance)
        });
        let lowest = || self.samples.iter().min_by(|a, b| a.deviation.total_cmp(&b.deviation));
        *nearest.or_else(lowest).expect("a value is known")
    }

    /// The index of the first sample of the bracket of the goal that is nearest to one; `None` if the goal is not
    /// bracketed.
    fn bracket(&self) -> Option<usize> {
        let distance_from_one = |k: usize| {
            let [a, b] = [self.samples[k].alpha, self.samples[k + 1].alpha];
            if (a..=b).contains(&1.0) { 0.0 } else { (a - 1.0).abs().min((b - 1.0).abs()) }
        };
        let is_below = |k: usize| self.samples[k].deviation <= 0.0;
        let brackets_goal = |k: &usize| is_below(*k) != is_below(k + 1);
        let brackets = (0..self.samples.len().saturating_sub(1)).filter(brackets_goal);
        brackets.min_by(|&a, &b| distance_from_one(a).total_cmp(&distance_from_one(b)))
    }

    /// The next argument to evaluate; `None` if further evaluations would not improve the result.
    fn next_argument(&self) -> Option<f64> {
        let is_new = |alpha: &f64| !self.is_known(*alpha);
        let [low, high] = self.limits;
        if let Some(k) = self.bracket() {
            return self.interpolated_root(k).filter(is_new);
        }
        // Without a bracket: the permitted argument nearest to one, then the lower limit.
        if let Some(end) = [1.0_f64.clamp(low, high), low].into_iter().find(is_new) {
            return Some(end);
        }
        // If the known values are below the goal, the upper limit; if they are above it, the minimum of the function.
        if self.samples[0].deviation <= 0.0 {
            return Some(high).filter(is_new);
        }
        self.vertex().map(|alpha| alpha.clamp(low, high)).filter(is_new)
    }

    /// The argument between samples `k` and `k + 1` at which the parabola through them and the nearest further sample
    /// crosses the goal; without a third sample, the line through them. It is the middle of the interval if the
    /// crossing is not inside, and in every third of the later evaluations. `None` if the interval is too short.
    fn interpolated_root(&self, k: usize) -> Option<f64> {
        let [first, second] = [self.samples[k], self.samples[k + 1]];
        let (a, b) = (first.alpha, second.alpha);
        let width = b - a;
        if width <= MIN_BRACKET {
            return None;
        }
        let neighbours = [k.checked_sub(1), Some(k + 2)].into_iter().flatten();
        let distance = |sample: &Sample| (sample.alpha - 0.5 * (a + b)).abs();
        let third = neighbours
            .filter_map(|k| self.samples.get(k))
            .min_by(|p, q| distance(p).total_cmp(&distance(q)));
        let linear_root = a - first.deviation * width / (second.deviation - first.deviation);
        let root =
            third.and_then(|third| parabola_root([first, second, *third])).unwrap_or(linear_root);
        let evaluations = self.samples.len();
        let bisects =
            evaluations > INTERPOLATED_EVALUATIONS && evaluations.is_multiple_of(BISECTION_PERIOD);
        let uses_root = root > a && root < b && !bisects;
        Some(if uses_root { root } else { 0.5 * (a + b) })
    }

    /// The vertex of the parabola through the lowest sample and its neighbours; `None` if that sample has only one
    /// neighbour or the vertex is not between them. While fewer than three samples are known, the middle of the sampled
    /// interval.
    fn vertex(&self) -> Option<f64> {
        if self.samples.len() < 3 {
            return Some(0.5 * (self.samples[0].alpha + self.samples.last()?.alpha));
        }
        let lowest = (0..self.samples.len())
            .min_by(|&a, &b| self.samples[a].deviation.total_cmp(&self.samples[b].deviation))?;
        if lowest == 0 || lowest + 1 == self.samples.len() {
            return None;
        }
        let samples = [lowest - 1, lowest, lowest + 1].map(|k| self.samples[k]);
        let ([a, b, c], [fa, fb, fc]) =
            (samples.map(|sample| sample.alpha), samples.map(|sample| sample.deviation));
        let (p, q) = ((b - a) * (fb - fc), (b - c) * (fb - fa));
        let vertex = b - 0.5 * ((b - a) * p - (b - c) * q) / (p - q);
        (vertex > a && vertex < c).then_some(vertex)
    }
}

/// The root between the first two samples of the parabola through three samples; `None` without one.
fn parabola_root(samples: [Sample; 3]) -> Option<f64> {
    let ([a, b, c], [fa, fb, fc]) =
        (samples.map(|sample| sample.alpha), samples.map(|sample| sample.deviation));
    let first_difference = (fb - fa) / (b - a);
    let second_difference = ((fc - fb) / (c - b) - first_difference) / (c - a);
    // With divided differences: f = fa + (x - a) (first + second (x - b)).
    let slope = first_difference + second_difference * (a - b);
    let discriminant = slope * slope - 4.0 * second_difference * fa;
    if discriminant < 0.0 {
        return None;
    }
    let sum = slope + discriminant.sqrt().copysign(slope);
    let roots = [-2.0 * fa / sum, -sum / (2.0 * second_difference)].map(|t| a + t);
    roots.into_iter().find(|x| *x > a && *x < b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use AlphaOutcome::{Clipped, Closest, Met};

    fn run(goal: f64, limits: [f64; 2], f: impl Fn(f64) -> f64) -> (f64, AlphaOutcome, usize) {
        let mut search = RootNearestOne::new(goal, limits);
        let mut alpha = 1.0;
        for count in 1.. {
            search.add_value(alpha, f(alpha));
            let next = search.next();
            if next == alpha || count > 40 {
                return (alpha, search.outcome(), count);
            }
            alpha = next;
        }
        unreachable!()
    }

    #[test]
    fn nearest_root_is_found_from_below() {
        let parabola = |x: f64| 3.0 - 4.0 * x + 2.0 * x * x;
        let (alpha, outcome, count) = run(1.5, [0.0, 1.1], parabola);
        assert_eq!((alpha, outcome), (0.5, Met));
        assert!(count <= 6, "{count}");
        for goal in [0.8, 1.0, 1.3, 2.0] {
            let bent = |x: f64| 1.0 + x * x + 0.3 * (x - 0.7).abs() * x;
            let (alpha, outcome, count) = run(goal, [0.0, 1.1], bent);
            if goal < 1.0 {
                assert_eq!((alpha, outcome), (0.0, Clipped));
            } else {
                assert_eq!(outcome, Met);
                let deviation = bent(alpha) - goal;
                assert!((-2e-10..=0.0).contains(&deviation), "{deviation:e} after {count}");
            }
        }
        let (alpha, outcome, _) = run(9.0, [0.0, 1.1], |x| 1.0 + x);
        assert_eq!((alpha, outcome), (1.1, Clipped));
        let (alpha, outcome, _) = run(0.5, [0.0, 1.1], |x| 1.0 + (x - 0.6) * (x - 0.6));
        assert!((alpha - 0.6).abs() < 1e-9 && outcome == Closest, "{alpha}");
    }
}
