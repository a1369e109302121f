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
    output.stream("paths.csv", |progress, out| {
        let mut table = Writer::from_writer(out);
        table.write_record(COLUMNS).map_err(io::Error::from)?;
        excerpt.each_sample(progress, |_, number, sample| {
            Ok(write_rows(&mut table, excerpt, number, sample)?)
        })?;
        Ok(table.flush()?)
    })
}

fn write_rows(
    table: &mut Writer<&mut dyn Write>,
    excerpt: &Excerpt<'_>,
    number: usize,
    sample: &Sample,
) -> io::Result<()> {
    let time = excerpt.timeline.times[number].to_string();
    for part in excerpt.parts.iter().filter(|part| part.moves() || number == 0) {
        let name = plain_text(&part.name);
        for (vertex, position) in sample.positions(part).iter().enumerate() {
            let velocity = sample.velocities(part).map(|all| all[vertex]);
            let position = position.map(|x| x.to_string());
            let velocity = velocity.map_or_else(Default::default, |v| v.map(|x| x.to_string()));
            let begin = [time.as_str(), &name, &vertex.to_string()];
            let numbers = position.iter().chain(&velocity).map(String::as_str);
            table.write_record(begin.into_iter().chain(numbers))?;
        }
    }
    Ok(())
}
