//! Preview of a sweep.

use super::prepare::PreparedSweep;
use crate::aligned::aligned;
use crate::report::counted;
use crate::stream::one_line;
use indicatif::HumanDuration;
use resile_runner::memory;
use std::time::Duration;

/// Largest number of runs that are all listed; of more runs, only the first and the last ones are listed.
const MAX_LISTED: usize = 40;

/// The table of the parameters of all runs, and the predicted time and memory for `jobs` concurrent runs.
pub(super) fn preview_text(prepared: &PreparedSweep, jobs: u16) -> String {
    let (plan, predicted_cost) = (&prepared.plan, &prepared.predicted_cost);
    let run_count = plan.run_count();
    let header = plan.parameters().iter().map(|parameter| one_line(&parameter.path).into_owned());
    let mut lines: Vec<Vec<String>> =
        vec![[String::from("run")].into_iter().chain(header).collect()];
    let run_line = |run: usize| {
        let values = plan.values(run).iter().map(|value| one_line(value).into_owned());
        [run.to_string()].into_iter().chain(values).collect::<Vec<_>>()
    };
    if run_count <= MAX_LISTED {
        lines.extend((0..run_count).map(run_line));
    } else {
        lines.extend((0..MAX_LISTED - 3).map(run_line));
        lines.push(vec!["...".to_owned(); 1 + plan.parameters().len()]);
        lines.extend((run_count - 2..run_count).map(run_line));
    }
    let job_count = usize::from(jobs).min(run_count).max(1);
    let time = match predicted_cost.seconds {
        None => "a time that cannot be predicted".to_owned(),
        Some(seconds) => {
            let seconds = (seconds / job_count as f64).clamp(0.0, 1e12);
            match seconds < 1.0 {
                true => "less than a second".to_owned(),
                false => format!("about {}", HumanDuration(Duration::from_secs_f64(seconds))),
            }
        }
    };
    format!(
        "{}\n{}, {} steps in all; {job_count} at once take {time} and {} of memory, plus contact\n\
         folder: {}",
        aligned(&lines, &[]),
        counted(run_count, "run", "runs"),
        predicted_cost.steps,
        memory::format_bytes(predicted_cost.memory * job_count as u64),
        prepared.path.display(),
    )
}
