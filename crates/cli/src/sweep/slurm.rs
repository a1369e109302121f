//! The array job of a sweep for Slurm.

use super::folder_failure;
use super::prepare::PreparedSweep;
use crate::Failure;
use crate::report::shell_word;
use crate::stream::print;
use anyhow::Context as _;
use indicatif::HumanDuration;
use resile_sweep::{JOB_FILE, SweepFolder};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// Maximum number of tasks of an array: the default limit of Slurm (`MaxArraySize` 1001).
const MAX_TASKS: usize = 1000;

/// Minimum requested memory (MiB).
const MIN_MEMORY_MIB: u64 = 512;

/// Factor on the predicted memory, which excludes contact.
const MEMORY_FACTOR: u64 = 2;

/// Writes the script.
pub(super) fn write(
    prepared: &PreparedSweep,
    folder: &SweepFolder,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    let program = std::env::current_exe().context("the path of this program is unknown")?;
    let path = std::path::absolute(folder.path()).context("the folder has no absolute path")?;
    let text = script(prepared, &program, &path);
    folder.write(JOB_FILE, &text).map_err(folder_failure)?;
    if !quiet {
        let script_path = folder.path().join(JOB_FILE);
        print(format_args!(
            "sbatch {}\nand, when all tasks have ended:\nsim sweep {} --collect",
            shell_word(&script_path),
            shell_word(folder.path())
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The text of the script. A task of the array computes several runs if there are more runs than tasks.
fn script(prepared: &PreparedSweep, program: &Path, folder: &Path) -> String {
    let run_count = prepared.plan.run_count();
    let runs_per_task = run_count.div_ceil(MAX_TASKS).max(1);
    let tasks = run_count.div_ceil(runs_per_task);
    let memory = (MEMORY_FACTOR * prepared.predicted_cost.memory / (1 << 20)).max(MIN_MEMORY_MIB);
    let time = prepared.predicted_cost.seconds.map_or_else(
        || "unknown".to_owned(),
        |seconds| {
            let task_seconds = (seconds / tasks as f64).clamp(1.0, 1e12);
            format!(
                "about {} without contact",
                HumanDuration(Duration::from_secs_f64(task_seconds))
            )
        },
    );
    let (program, folder) = (shell_word(program), shell_word(folder));
    format!(
        "#!/bin/sh\n\
         #SBATCH --job-name=sweep\n\
         #SBATCH --array=0-{}\n\
         #SBATCH --ntasks=1\n\
         #SBATCH --cpus-per-task=1\n\
         #SBATCH --mem={memory}M\n\
         # Expected time of a task: {time}. Add your limit: #SBATCH --time=HH:MM:SS\n\
         first=$((SLURM_ARRAY_TASK_ID * {runs_per_task}))\n\
         exec {program} sweep {folder} --only \"$first-$((first + {}))\" -j 1 --plain\n",
        tasks - 1,
        runs_per_task - 1
    )
}
