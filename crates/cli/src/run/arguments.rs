//! Arguments of `sim run` and `sim static`.

use crate::options::{SceneArguments, WorkArguments};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) scene: SceneArguments,
    /// Folder for the results [default: out/NAME, with the name of the scene].
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing run in the folder.
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,
    /// Continue from the checkpoint in the folder, or start a run if there is none.
    /// The result is bitwise equal to that of an uninterrupted run.
    ///
    /// Only `time.duration`, `output` and `solver` may differ from the interrupted
    /// scene: a run can be extended, and a failed run continued with other solver
    /// settings.
    #[arg(long)]
    pub(crate) resume: bool,
    /// Whether the command has no `--resume`, so that no message may offer it.
    #[arg(skip)]
    pub(crate) never_resumes: bool,
    /// Stop after this many steps, counted from the start of the scene.
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,
    /// Simulated time in seconds; short for --set time.duration=S.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) duration: Option<f64>,
    /// Memory limit of the program, such as 4GiB [default, on Linux: 90 % of the free memory].
    ///
    /// A scene whose lower estimate exceeds the limit is refused. A run that reaches the limit
    /// fails and keeps its last checkpoint.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,
    /// Record the time of each phase of a step in profile.csv and profile.svg.
    #[arg(long)]
    pub(crate) profile: bool,
    /// Write a row for each iteration of the solver to a .csv file, and a chart to a .svg file of the same name.
    ///
    /// The rows tell what a step is cut by (impact and which bodies, inversion of an element, insufficient
    /// decrease), and how the linear system was solved. The motion is bitwise the same. With
    /// --resume an existing trace is continued, with --force it is replaced.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Show the run in the browser while it is computed.
    ///
    /// The page is served on 127.0.0.1 until the run ends; `sim view` writes a permanent page.
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) view: bool,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

#[derive(Debug, Args)]
pub(crate) struct StaticArguments {
    #[command(flatten)]
    run: RunArguments,
    /// Follow the path of equilibria in steps of this length; short for --set analysis=ArcLength(length:LENGTH).
    ///
    /// The length is the root mean square of the displacements of all nodes, in the scene's unit of length. The
    /// load of each step is in path.csv.
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    arc_length: Option<f64>,
}

impl StaticArguments {
    /// The arguments of the run by load steps, or along an equilibrium path.
    pub(crate) fn into_run(self) -> RunArguments {
        let mut run = self.run;
        match self.arc_length {
            Some(length) => {
                run.scene.set.push(format!("analysis=ArcLength(length: {length:?})"));
            }
            None => run.scene.replaces_dynamics = true,
        }
        run
    }
}

impl RunArguments {
    /// The arguments of a run that another command starts from its beginning and that cannot be resumed.
    pub(crate) fn unresumed(
        scene: SceneArguments,
        output: Option<PathBuf>,
        force: bool,
        work: WorkArguments,
    ) -> Self {
        Self {
            scene,
            output,
            force,
            resume: false,
            never_resumes: true,
            steps: None,
            duration: None,
            memory: None,
            profile: false,
            trace: None,
            view: false,
            work,
        }
    }

    /// These arguments with an override that replaces dynamics by load steps.
    pub(crate) fn into_static(mut self) -> Self {
        self.scene.set.push("analysis=Static".to_owned());
        self
    }
}

/// Parses an amount of memory: a number with its unit.
fn parse_bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 13] = [
        ("KiB", 1024.0),
        ("MiB", 1048576.0),
        ("GiB", 1073741824.0),
        ("TiB", 1099511627776.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("K", 1024.0),
        ("M", 1048576.0),
        ("G", 1073741824.0),
        ("T", 1099511627776.0),
        ("B", 1.0),
    ];
    let number_and_factor =
        UNITS.iter().find_map(|(name, factor)| Some((text.strip_suffix(name)?, *factor)));
    let bytes = number_and_factor
        .and_then(|(number, factor)| Some(number.trim().parse::<f64>().ok()? * factor));
    match bytes {
        Some(bytes) if bytes >= 1.0 && bytes.is_finite() => Ok(bytes as u64),
        _ => Err("must be a number with its unit, such as 4GiB or 500MB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_sizes_need_a_unit() {
        let read = ["4GiB", "1.5 GB", "512M", "100000B"].map(|text| parse_bytes(text).ok());
        let sizes = [4 << 30, 1_500_000_000, 512 << 20, 100_000];
        assert_eq!(read, sizes.map(Some));
        for invalid in ["", "4", "GiB", "-1GiB", "0GiB", "4 gib", "nanGB", "infGB"] {
            assert!(parse_bytes(invalid).is_err(), "{invalid}");
        }
    }
}
