#![doc = include_str!("../README.md")]
//! # Design
//!
//! The page is handwritten, in `page/`: a skeleton, a style sheet and modules, each with one purpose.
//! They are included in this crate as text; nothing is built or fetched. The data of a run are one block
//! of JSON and blocks of bytes, deflated and in base64. Names occur only in the JSON, which escapes `<`,
//! so that no text of a scene can become markup.
//!
//! Frames are read twice: for the ranges of values, and for the data.

mod arrows;
mod block;
mod coding;
mod error;
mod frames;
mod header;
mod http;
mod live;
mod outline;
mod page;
mod pose;
mod scalar;
mod server;
mod survey;
mod table;

pub use error::ViewError;
pub use http::{Request, RequestError};
pub use live::{Command, Commands, LiveServer, LiveState};
pub use page::{PAGE_START, PageMode, policy};
pub use server::Server;

use block::BlockWriter;
use header::Header;
use resile_record::{Columns, Playback};
use std::io::Write;
use survey::Survey;

/// Statistics of a written page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageStatistics {
    /// Number of frames.
    pub frames: usize,
    /// Largest quantisation error of a position along each axis (m).
    pub error: f64,
}

/// Writes a run as one HTML file.
///
/// `progress` is called with the number of frames read and the total; each frame is read twice.
///
/// # Errors
/// If the run cannot be read, or the page cannot be written.
pub fn write_page(
    run: &Playback,
    title: &str,
    showing: PageMode,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<PageStatistics, ViewError> {
    let frames = run.times().len();
    let survey = Survey::new(run, &mut |read| progress(read, 2 * frames))?;
    let history = match showing {
        // A live simulation has no history.
        PageMode::Live => Columns::parse("", ""),
        PageMode::Whole | PageMode::Growing => run.history().map_err(ViewError::History)?,
    };
    let groups = frames::groups(&survey, frames);
    let header = Header::new(run, title, showing, &survey, &history, &groups);
    let [head, tail] = page::around(showing);
    out.write_all(head.as_bytes())?;
    let mut blocks = BlockWriter::new(out);
    blocks.json("run", &header)?;
    blocks.bytes("id=\"shape\"", |to| survey::write_shape(run, &survey, to))?;
    blocks.bytes("id=\"history\"", |to| table::write(&history, to))?;
    let mut read = frames;
    frames::write(run, &survey, &groups, &mut blocks, &mut || {
        read += 1;
        progress(read, 2 * frames);
    })?;
    out.write_all(tail.as_bytes())?;
    out.flush()?;
    Ok(PageStatistics { frames, error: survey.quanta.iter().fold(0.0, |max, q| q.max(max)) / 2.0 })
}
