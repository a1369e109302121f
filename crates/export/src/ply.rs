//! PLY: a sequence of binary surfaces, with velocities, colours and body numbers.
//!
//! PLY has no names; comments map body numbers to names.

use crate::destination::Output;
use crate::excerpt::{Excerpt, Sample};
use crate::part::Part;
use crate::{ExportError, Grouping};
use std::io::{self, Write};

/// Writes, for each sample, one surface file or one file per part. A fixed part has a single file.
pub(crate) fn write(
    excerpt: &Excerpt<'_>,
    grouping: Grouping,
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    excerpt.each_sample(output, |output, sample_index, sample| {
        let time = excerpt.timeline.times[sample_index];
        let parts: Vec<&Part> = excerpt.parts.iter().collect();
        if grouping == Grouping::AllBodies {
            let name = format!("frame_{sample_index:06}.ply");
            return output.write_file(&name, |out| write_surface(out, &parts, sample, time));
        }
        for part in parts.iter().filter(|part| part.is_moving() || sample_index == 0) {
            let name = match part.is_moving() {
                true => format!("{}_{sample_index:06}.ply", part.unique_name),
                false => format!("{}.ply", part.unique_name),
            };
            output.write_file(&name, |out| write_surface(out, &[part], sample, time))?;
        }
        Ok(())
    })
}

/// Writes all parts as one binary little-endian PLY: vertices with velocity, colour and body number, then triangles
/// and edges with indices over all parts.
fn write_surface(
    out: &mut dyn Write,
    parts: &[&Part],
    sample: &Sample,
    time: f64,
) -> io::Result<()> {
    write_header(out, parts, time)?;
    for part in parts {
        let positions = sample.positions(part);
        for (vertex, position) in positions.iter().enumerate() {
            let velocity =
                sample.velocities(part).map_or([0.0; 3], |velocities| velocities[vertex]);
            for component in position.iter().chain(&velocity) {
                out.write_all(&component.to_le_bytes())?;
            }
            out.write_all(&part.srgb())?;
            out.write_all(&part.body_number.to_le_bytes())?;
        }
    }
    let parts_with_first_vertex = || {
        parts.iter().scan(0, |next_vertex, part| {
            let first_vertex = *next_vertex;
            *next_vertex += part.vertex_count() as u32;
            Some((part, first_vertex))
        })
    };
    for (part, first_vertex) in parts_with_first_vertex() {
        for corners in &part.triangles {
            out.write_all(&[3])?;
            for corner in corners {
                out.write_all(&(corner + first_vertex).to_le_bytes())?;
            }
        }
    }
    for (part, first_vertex) in parts_with_first_vertex() {
        for end in part.edges.as_flattened() {
            out.write_all(&(end + first_vertex).to_le_bytes())?;
        }
    }
    Ok(())
}

/// Writes the header: the time (s), the name of each body, and the elements with their properties.
fn write_header(out: &mut dyn Write, parts: &[&Part], time: f64) -> io::Result<()> {
    let total = |count: fn(&Part) -> usize| parts.iter().map(|part| count(part)).sum::<usize>();
    writeln!(out, "ply\nformat binary_little_endian 1.0\ncomment time {time} s")?;
    for part in parts {
        writeln!(
            out,
            "comment body {} {} {}",
            part.body_number,
            part.role.word(),
            part.unique_name
        )?;
    }
    writeln!(out, "element vertex {}", total(Part::vertex_count))?;
    for name in ["x", "y", "z", "vx", "vy", "vz"] {
        writeln!(out, "property float {name}")?;
    }
    for name in ["red", "green", "blue"] {
        writeln!(out, "property uchar {name}")?;
    }
    writeln!(out, "property uint body")?;
    writeln!(out, "element face {}", total(|part| part.triangles.len()))?;
    writeln!(out, "property list uchar uint vertex_indices")?;
    let edges = total(|part| part.edges.len());
    if edges > 0 {
        writeln!(out, "element edge {edges}\nproperty uint vertex1\nproperty uint vertex2")?;
    }
    writeln!(out, "end_header")
}
