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
mod inside;
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
use std::ops::ControlFlow;
use survey::Survey;

/// Statistics of a written page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageStatistics {
    /// Number of frames.
    pub frames: usize,
    /// Largest quantisation error of a position along each axis (m).
    pub error: f64,
}

/// Writes a run as one HTML file with this title.
///
/// `progress` is called with the number of frames read so far and the number of reads in total: each frame is read
/// twice. It may cancel.
///
/// # Errors
/// If the run cannot be read, the page cannot be written, or `progress` cancels it.
pub fn write_page(
    run: &Playback,
    title: &str,
    mode: PageMode,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<PageStatistics, ViewError> {
    let frame_count = run.times().len();
    let mut report = |frames_read| match progress(frames_read, 2 * frame_count) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(ViewError::Cancelled),
    };
    let survey = Survey::new(run, &mut report)?;
    let history = match mode {
        // A live simulation has no history.
        PageMode::Live => Columns::parse("", ""),
        PageMode::Whole | PageMode::Growing => run.history().map_err(ViewError::History)?,
    };
    let frames_per_block = frames::frames_per_block(&survey, frame_count);
    let header = Header::new(run, title, mode, &survey, &history, &frames_per_block);
    let [head, tail] = page::text_around_data(mode);
    out.write_all(head.as_bytes())?;
    let mut blocks = BlockWriter::new(out);
    blocks.json("run", &header)?;
    blocks.bytes("id=\"shape\"", |block| survey::write_shape(run, &survey, block))?;
    blocks.bytes("id=\"history\"", |block| table::write(&history, block))?;
    if survey.inside.tet_count() > 0 {
        blocks.bytes("id=\"inside\"", |block| survey.inside.write(block))?;
    }
    let mut frames_read = frame_count;
    frames::write(run, &survey, &frames_per_block, &mut blocks, &mut || {
        frames_read += 1;
        report(frames_read)
    })?;
    out.write_all(tail.as_bytes())?;
    out.flush()?;
    let max_quantum = survey.quanta.iter().fold(0.0, |max, quantum| quantum.max(max));
    Ok(PageStatistics { frames: frame_count, error: max_quantum / 2.0 })
}
