//! Estimate of the remaining time of a sweep.

/// Unfinished runs of a sweep.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunsLeft {
    /// For each run in progress, the time (s) since its start, and the fraction (0 to 1) of the run completed since
    /// then.
    pub running: Vec<[f64; 2]>,
    /// Number of runs that have not started.
    pub waiting: usize,
    /// Number of simultaneous runs.
    pub workers: usize,
}

/// Completed fraction of a run from which on its total duration is extrapolated.
const MIN_FRACTION_FOR_ESTIMATE: f64 = 0.05;

/// Bounds (s) of the remaining time of a sweep, from the durations (s) of `finished` runs and the progress of running
/// ones; `None` without any data.
///
/// With the standard deviation s of n durations, the mean duration has the standard error s / sqrt(n), and the sum of
/// the durations of w waiting runs has the standard deviation s sqrt(w). The bounds are two standard deviations of both
/// below and above the expected value, but at least the remaining time of the longest run in progress.
pub fn remaining_seconds(finished: &[f64], runs: &RunsLeft) -> Option<[f64; 2]> {
    let predicted =
        runs.running.iter().filter(|[_, fraction]| *fraction >= MIN_FRACTION_FOR_ESTIMATE);
    let predicted: Vec<f64> = predicted.map(|[seconds, fraction]| seconds / fraction).collect();
    let durations: Vec<f64> = finished.iter().copied().chain(predicted).collect();
    let n = durations.len() as f64;
    if durations.is_empty() {
        return None;
    }
    let mean = durations.iter().sum::<f64>() / n;
    let squared_deviations =
        durations.iter().map(|duration| (duration - mean) * (duration - mean)).sum::<f64>();
    // A single duration has no deviation; its value is assumed.
    let deviation = if n > 1.0 { f64::sqrt(squared_deviations / (n - 1.0)) } else { mean };
    let remaining = |[seconds, fraction]: &[f64; 2]| match *fraction >= MIN_FRACTION_FOR_ESTIMATE {
        true => seconds * (1.0 - fraction) / fraction,
        false => (mean - seconds).max(0.0),
    };
    let remaining_times: Vec<f64> = runs.running.iter().map(remaining).collect();
    let waiting = runs.waiting as f64;
    let work = waiting * mean + remaining_times.iter().sum::<f64>();
    let uncertainty = 2.0 * deviation * f64::sqrt(waiting + waiting * waiting / n);
    let longest = remaining_times.iter().copied().fold(0.0, f64::max);
    let workers = runs.workers.max(1) as f64;
    Some([work - uncertainty, work + uncertainty].map(|work| (work / workers).max(longest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_runs_take_their_count_times_their_duration() {
        let left = RunsLeft { running: vec![[1.0, 0.5], [1.0, 0.5]], waiting: 6, workers: 2 };
        assert_eq!(remaining_seconds(&[2.0; 4], &left), Some([7.0, 7.0]));
        assert_eq!(remaining_seconds(&[], &left), Some([7.0, 7.0]));
    }

    #[test]
    fn no_estimate_before_the_first_finished_run() {
        let left = RunsLeft { running: vec![[3.0, 0.01]], waiting: 6, workers: 1 };
        assert_eq!(remaining_seconds(&[], &left), None);
    }

    #[test]
    fn interval_narrows_with_the_number_of_finished_runs() {
        let left = RunsLeft { running: vec![], waiting: 100, workers: 1 };
        let width = |n: usize| {
            let finished: Vec<f64> = (0..n).map(|k| if k % 2 == 0 { 1.0 } else { 3.0 }).collect();
            let [low, high] = remaining_seconds(&finished, &left).expect("runs are finished");
            assert!(low < 200.0 && 200.0 < high, "{low} to {high}");
            high - low
        };
        assert!(width(2) > width(10) && width(10) > width(100));
    }

    #[test]
    fn long_run_in_progress_raises_the_estimate() {
        let left = RunsLeft { running: vec![[10.0, 0.1]], waiting: 0, workers: 8 };
        assert_eq!(remaining_seconds(&[1.0; 9], &left).map(|[low, _]| low), Some(90.0));
    }
}
