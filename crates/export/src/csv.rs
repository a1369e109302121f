//! CSV: a row for each vertex at each time.

use crate::ExportError;
use crate::destination::Output;
use crate::excerpt::{Excerpt, Sample};
use ::csv::Writer;
use resile_record::plain_text;
use std::io::{self, Write};

/// Columns: time (s), body name, vertex number in the body, position and velocity components.
const COLUMNS: [&str; 9] = ["time", "body", "vertex", "x", "y", "z", "vx", "vy", "vz"];

/// Writes the table. Fixed parts have rows at the first time only.
pub(crate) fn write(excerpt: &Excerpt<'_>, output: &mut Output<'_>) -> Result<(), ExportError> {
    output.stream_file("paths.csv", |progress, out| {
        let mut table = Writer::from_writer(out);
        table.write_record(COLUMNS).map_err(io::Error::from)?;
        excerpt.each_sample(progress, |_, sample_index, sample| {
            Ok(write_rows(&mut table, excerpt, sample_index, sample)?)
        })?;
        Ok(table.flush()?)
    })
}

/// Writes the rows of one sample, part by part. The first sample includes the fixed parts.
fn write_rows(
    table: &mut Writer<&mut dyn Write>,
    excerpt: &Excerpt<'_>,
    sample_index: usize,
    sample: &Sample,
) -> io::Result<()> {
    let time = excerpt.timeline.times[sample_index].to_string();
    for part in excerpt.parts.iter().filter(|part| part.is_moving() || sample_index == 0) {
        let name = plain_text(&part.name);
        for (vertex, position) in sample.positions(part).iter().enumerate() {
            let position = position.map(|x| x.to_string());
            // Fields of unknown velocities are empty.
            let velocity = sample
                .velocities(part)
                .map_or_else(Default::default, |v| v[vertex].map(|x| x.to_string()));
            let keys = [time.as_str(), &name, &vertex.to_string()];
            let components = position.iter().chain(&velocity).map(String::as_str);
            table.write_record(keys.into_iter().chain(components))?;
        }
    }
    Ok(())
}
