//! Estimate of the remaining time of a sweep.

/// Unfinished runs of a sweep.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunsLeft {
    /// For each run in progress: seconds since its start, and the fraction (0 to 1) done since.
    pub running: Vec<[f64; 2]>,
    /// Number of runs that have not started.
    pub waiting: usize,
    /// Number of simultaneous runs.
    pub workers: usize,
}

/// Fraction of a run after which its speed predicts its total length.
const MIN_FRACTION_FOR_ESTIMATE: f64 = 0.05;

/// Interval (s) of the remaining time of a sweep, from the lengths (s) of `finished` runs; `None` without any
/// data.
///
/// The mean length of a run has the standard error s / sqrt(n), and the sum of the w waiting runs has the
/// standard deviation s sqrt(w). The interval has two standard deviations of both on each side. It is not
/// narrower than the longest run in progress permits.
pub fn remaining_seconds(finished: &[f64], runs: &RunsLeft) -> Option<[f64; 2]> {
    let predicted = runs.running.iter().filter(|[_, part]| *part >= MIN_FRACTION_FOR_ESTIMATE);
    let predicted: Vec<f64> = predicted.map(|[seconds, part]| seconds / part).collect();
    let lengths: Vec<f64> = finished.iter().copied().chain(predicted).collect();
    let n = lengths.len() as f64;
    if lengths.is_empty() {
        return None;
    }
    let mean = lengths.iter().sum::<f64>() / n;
    let squares = lengths.iter().map(|length| (length - mean) * (length - mean)).sum::<f64>();
    // The deviation of a single run is unknown; its length is assumed.
    let deviation = if n > 1.0 { f64::sqrt(squares / (n - 1.0)) } else { mean };
    let rest = |[seconds, part]: &[f64; 2]| match *part >= MIN_FRACTION_FOR_ESTIMATE {
        true => seconds * (1.0 - part) / part,
        false => (mean - seconds).max(0.0),
    };
    let rests: Vec<f64> = runs.running.iter().map(rest).collect();
    let waiting = runs.waiting as f64;
    let work = waiting * mean + rests.iter().sum::<f64>();
    let scatter = 2.0 * deviation * f64::sqrt(waiting + waiting * waiting / n);
    let longest = rests.iter().copied().fold(0.0, f64::max);
    let workers = runs.workers.max(1) as f64;
    Some([work - scatter, work + scatter].map(|work| (work / workers).max(longest)))
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
