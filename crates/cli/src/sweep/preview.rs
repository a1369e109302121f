//! Preview of a sweep.

use super::prepare::PreparedSweep;
use crate::aligned::aligned;
use crate::report::counted;
use crate::stream::one_line;
use indicatif::HumanDuration;
use resile_runner::memory;
use std::time::Duration;

/// Largest number of runs listed completely; otherwise only the first and last ones are listed.
const MAX_LISTED: usize = 40;

/// The parameters of the runs with predicted time and memory.
pub(super) fn preview_text(prepared: &PreparedSweep, jobs: u16) -> String {
    let (plan, predicted) = (&prepared.plan, &prepared.predicted);
    let count = plan.run_count();
    let header = plan.parameters().iter().map(|parameter| one_line(&parameter.path).into_owned());
    let mut lines: Vec<Vec<String>> =
        vec![[String::from("run")].into_iter().chain(header).collect()];
    let line = |run: usize| {
        let values = plan.values(run).iter().map(|value| one_line(value).into_owned());
        [run.to_string()].into_iter().chain(values).collect::<Vec<_>>()
    };
    if count <= MAX_LISTED {
        lines.extend((0..count).map(line));
    } else {
        lines.extend((0..MAX_LISTED - 3).map(line));
        lines.push(vec!["...".to_owned(); 1 + plan.parameters().len()]);
        lines.extend((count - 2..count).map(line));
    }
    let jobs_used = usize::from(jobs).min(count).max(1);
    let time = match predicted.seconds {
        None => "a time that cannot be predicted".to_owned(),
        Some(seconds) => {
            let seconds = (seconds / jobs_used as f64).clamp(0.0, 1e12);
            match seconds < 1.0 {
                true => "less than a second".to_owned(),
                false => format!("about {}", HumanDuration(Duration::from_secs_f64(seconds))),
            }
        }
    };
    format!(
        "{}\n{}, {} steps in all; {jobs_used} at once take {time} and {} of memory, plus contact\n\
         folder: {}",
        aligned(&lines, &[]),
        counted(count, "run", "runs"),
        predicted.steps,
        memory::format_bytes(predicted.memory * jobs_used as u64),
        prepared.path.display(),
    )
}
