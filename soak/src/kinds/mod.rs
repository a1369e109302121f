//! What is tried: one file a kind.

mod checkpoints;
mod disk;
mod folders;
mod kills;
mod limits;
mod names;
mod pipes;
pub(crate) mod readers;
mod scenes;
mod set;
mod threads;
mod two;

use crate::place::Place;
use crate::random::Random;

/// What is tried in a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum Kind {
    /// Damaged scenes, checked and run for two steps.
    Scenes,
    /// Overrides of fields that are there or not, by values that fit or not.
    Set,
    /// Damaged mesh files, in every reader and through `sim info` and `sim mesh`.
    Readers,
    /// Names with everything that a name may have, and tables and plots with them.
    Names,
    /// Damaged checkpoints, also such with a right checksum.
    Checkpoints,
    /// Damaged, cut and missing files of a run that is taken up.
    Folders,
    /// Runs that are killed or stopped again and again, and taken up each time.
    Kills,
    /// Runs on a disk that is too small, taken up on a larger one.
    Disk,
    /// Few open files, little memory, a small stack.
    Limits,
    /// Closed or full output pipes.
    Pipes,
    /// Two processes with one folder.
    Two,
    /// Any number of threads.
    Threads,
}

/// All kinds, the quick ones more often: a round of cases takes each of these once.
pub(crate) const ROUND: [Kind; 30] = {
    use Kind::{
        Checkpoints, Disk, Folders, Kills, Limits, Names, Pipes, Readers, Scenes, Set, Threads, Two,
    };
    [
        Scenes,
        Set,
        Checkpoints,
        Kills,
        Scenes,
        Names,
        Folders,
        Readers,
        Scenes,
        Set,
        Checkpoints,
        Disk,
        Scenes,
        Pipes,
        Folders,
        Limits,
        Scenes,
        Set,
        Checkpoints,
        Kills,
        Scenes,
        Two,
        Folders,
        Threads,
        Scenes,
        Set,
        Checkpoints,
        Disk,
        Scenes,
        Limits,
    ]
};

impl Kind {
    /// Runs a case of this kind; what went wrong, if anything.
    pub(crate) fn run(self, place: &Place<'_>, random: &mut Random) -> Result<(), String> {
        match self {
            Self::Scenes => scenes::run(place, random),
            Self::Set => set::run(place, random),
            Self::Readers => readers::run(place, random),
            Self::Names => names::run(place, random),
            Self::Checkpoints => checkpoints::run(place, random),
            Self::Folders => folders::run(place, random),
            Self::Kills => kills::run(place, random),
            Self::Disk => disk::run(place, random),
            Self::Limits => limits::run(place, random),
            Self::Pipes => pipes::run(place, random),
            Self::Two => two::run(place, random),
            Self::Threads => threads::run(place, random),
        }
    }
}
