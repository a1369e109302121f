#![doc = include_str!("../README.md")]
//! # Design
//!
//! The page is written by hand, in `page/`: a skeleton, a style sheet and modules, each one idea.
//! They are part of this crate as text; nothing is built or fetched. What a run brings along is
//! data: one block of JSON, and blocks of bytes, deflated and in base64. Names are in the JSON
//! only, in which no `<` is left, so that nothing of a scene can become markup.
//!
//! Frames are read twice: to see what ranges numbers have, and to store them.

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
pub use page::{Showing, policy};
pub use server::Server;

use block::Blocks;
use header::Header;
use resile_record::{Columns, Playback};
use std::io::Write;
use survey::Survey;

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Written {
    /// How many frames.
    pub frames: usize,
    /// How far a position of the page is at most from that of a frame, along each axis (m).
    pub error: f64,
}

/// Writes a run as one HTML file.
///
/// `told` hears how many frames of how many have been read; each is read twice.
///
/// # Errors
/// If the run cannot be read, or the page not be written.
pub fn write_page(
    run: &Playback,
    title: &str,
    showing: Showing,
    out: &mut dyn Write,
    told: &mut dyn FnMut(usize, usize),
) -> Result<Written, ViewError> {
    let frames = run.times().len();
    let survey = Survey::of(run, &mut |read| told(read, 2 * frames))?;
    let history = match showing {
        // Nothing is written down of what is looked at while it is computed.
        Showing::Live => Columns::parse("", ""),
        Showing::Whole | Showing::Growing => run.history().map_err(ViewError::History)?,
    };
    let groups = frames::groups(&survey, frames);
    let header = Header::of(run, (title, showing), &survey, &history, &groups);
    let [head, tail] = page::around(showing);
    out.write_all(head.as_bytes())?;
    let mut blocks = Blocks::new(out);
    blocks.json("run", &header)?;
    blocks.bytes("id=\"shape\"", |to| survey::write_shape(run, &survey, to))?;
    blocks.bytes("id=\"history\"", |to| table::write(&history, to))?;
    let mut read = frames;
    frames::write(run, &survey, &groups, &mut blocks, &mut || {
        read += 1;
        told(read, 2 * frames);
    })?;
    out.write_all(tail.as_bytes())?;
    out.flush()?;
    Ok(Written { frames, error: survey.quanta.iter().fold(0.0, |most, q| q.max(most)) / 2.0 })
}
