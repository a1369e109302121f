//! `profile.csv`: computing time of each step by phase.
//!
//! It is separate from the history because times are not reproducible, while the history is except for
//! one column.

use super::table::{Table, TableWriter};
use super::{Counts, PhaseSeconds};

/// The work of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileRow {
    /// Number of the step.
    pub step: u64,
    /// Time after the step (s).
    pub time: f64,
    /// Wall time of the step, without `phases.output` (s).
    pub seconds: f64,
    /// Wall time by phase. Phases of the solver are summed over islands; output is the time of writing
    /// since the previous row, so a checkpoint counts for the step after it.
    pub phases: PhaseSeconds,
    /// Counters of the solver.
    pub counts: Counts,
}

/// The table `profile.csv`.
#[derive(Debug)]
pub enum ProfileTable {}

/// Writes `profile.csv`.
pub type ProfileWriter = TableWriter<ProfileTable>;

impl Table for ProfileTable {
    type Row<'a> = ProfileRow;

    const COLUMNS: &'static str = "\
        step,time [s],seconds [s],assembly [s],linear_solve [s],collision [s],line_search [s],\
        other [s],output [s],newton,island_iterations,part_iterations,linear,projected,\
        direct_solves,backtracks,islands,largest_island";

    fn line(row: &ProfileRow) -> String {
        let ProfileRow { step, time, seconds, phases, counts } = row;
        let PhaseSeconds { assembly, linear_solve, collision, line_search, output } = phases;
        let other = phases.outside_solver(*seconds);
        let Counts { newton_iterations, island_iterations, linear_iterations, .. } = counts;
        let Counts { part_iterations, projected_iterations, direct_solves, backtracks, .. } =
            counts;
        let Counts { most_islands, largest_island, .. } = counts;
        format!(
            "{step},{time:?},{seconds:?},\
             {assembly:?},{linear_solve:?},{collision:?},{line_search:?},{other:?},{output:?},\
             {newton_iterations},{island_iterations},{part_iterations},{linear_iterations},\
             {projected_iterations},{direct_solves},{backtracks},{most_islands},{largest_island}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::units::Units;

    fn row(step: u64) -> ProfileRow {
        ProfileRow {
            step,
            time: 0.5,
            seconds: 1.0,
            phases: PhaseSeconds {
                assembly: 0.25,
                linear_solve: 0.125,
                collision: 0.0625,
                line_search: 0.03125,
                output: 2.0,
            },
            counts: Counts {
                newton_iterations: 1,
                island_iterations: 2,
                part_iterations: 9,
                linear_iterations: 3,
                projected_iterations: 4,
                direct_solves: 5,
                unconverged_solves: 0,
                backtracks: 6,
                most_islands: 7,
                largest_island: 8,
            },
        }
    }

    #[test]
    fn profile_numbers_stand_in_their_columns() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("profile.csv");
        let mut writer = ProfileWriter::create(&path, Units::Metres).expect("it is new");
        writer.write(&row(1)).and_then(|()| writer.flush()).expect("the folder can be written");
        let text = std::fs::read_to_string(&path).expect("it was written");
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let (header, cells) = (lines.next().expect("a header"), lines.next().expect("a row"));
        let expected = [
            ("step", "1"),
            ("time", "0.5"),
            ("seconds", "1.0"),
            ("assembly", "0.25"),
            ("linear_solve", "0.125"),
            ("collision", "0.0625"),
            ("line_search", "0.03125"),
            ("other", "0.53125"),
            ("output", "2.0"),
            ("newton", "1"),
            ("island_iterations", "2"),
            ("part_iterations", "9"),
            ("linear", "3"),
            ("projected", "4"),
            ("direct_solves", "5"),
            ("backtracks", "6"),
            ("islands", "7"),
            ("largest_island", "8"),
        ];
        let found: Vec<_> = header.into_iter().zip(cells).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn parallel_islands_leave_no_negative_remainder() {
        let PhaseSeconds { output, .. } = row(1).phases;
        assert_eq!(row(1).phases.outside_solver(0.1), 0.0);
        assert_eq!(row(1).phases.solving() + output, 2.46875);
    }

    #[test]
    fn late_profile_killed_before_a_checkpoint_resumes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("profile.csv");
        let write = |mut writer: ProfileWriter, steps: std::ops::RangeInclusive<u64>| {
            for step in steps {
                writer.write(&row(step)).expect("the folder can be written");
            }
            writer.flush().expect("the folder can be written");
            writer.extent()
        };
        let steps = || {
            let text = std::fs::read_to_string(&path).expect("it was written");
            let step = |line: &str| line.split(',').next().map(str::to_owned);
            text.lines().skip(1).filter_map(step).collect::<Vec<_>>().join(" ")
        };
        write(ProfileWriter::create(&path, Units::Metres).expect("it is new"), 11..=13);
        let begun =
            ProfileWriter::resume(&path, Units::Metres, 10, None).expect("it begins after step 10");
        let known = write(begun, 11..=15);
        assert_eq!(steps(), "11 12 13 14 15");
        let resumed = ProfileWriter::resume(&path, Units::Metres, 15, Some(known))
            .expect("it reaches step 15");
        write(resumed, 16..=16);
        assert_eq!(steps(), "11 12 13 14 15 16");
        let gap = ProfileWriter::resume(&path, Units::Metres, 20, Some(known));
        assert!(matches!(gap, Err(crate::OutputError::History { .. })), "{gap:?}");
    }
}
