//! PLY: a sequence of binary surfaces, with velocities, colours and body numbers.
//!
//! PLY has no names; comments map body numbers to names.

use crate::destination::Output;
use crate::excerpt::{Excerpt, Sample};
use crate::part::Part;
use crate::{ExportError, Pieces};
use std::io::{self, Write};

pub(crate) fn write(
    excerpt: &Excerpt<'_>,
    pieces: Pieces,
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    excerpt.each_sample(output, |output, number, sample| {
        let time = excerpt.timeline.times[number];
        let parts: Vec<&Part> = excerpt.parts.iter().collect();
        if pieces == Pieces::Together {
            let name = format!("frame_{number:06}.ply");
            return output.file(&name, |out| write_surface(out, &parts, sample, time));
        }
        for part in parts.iter().filter(|part| part.moves() || number == 0) {
            let name = match part.moves() {
                true => format!("{}_{number:06}.ply", part.word),
                false => format!("{}.ply", part.word),
            };
            output.file(&name, |out| write_surface(out, &[part], sample, time))?;
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
            let velocity = sample.velocities(part).map_or([0.0; 3], |all| all[vertex]);
            for number in position.iter().chain(&velocity) {
                out.write_all(&number.to_le_bytes())?;
            }
            out.write_all(&part.srgb())?;
            out.write_all(&part.number.to_le_bytes())?;
        }
    }
    let with_first = || {
        parts.iter().scan(0, |first, part| {
            let now = *first;
            *first += part.vertices() as u32;
            Some((part, now))
        })
    };
    for (part, first) in with_first() {
        for corners in &part.triangles {
            out.write_all(&[3])?;
            corners.iter().try_for_each(|corner| out.write_all(&(corner + first).to_le_bytes()))?;
        }
    }
    for (part, first) in with_first() {
        let ends = part.edges.as_flattened().iter();
        ends.map(|end| (end + first).to_le_bytes()).try_for_each(|bytes| out.write_all(&bytes))?;
    }
    Ok(())
}

fn write_header(out: &mut dyn Write, parts: &[&Part], time: f64) -> io::Result<()> {
    let sum = |count: fn(&Part) -> usize| parts.iter().map(|part| count(part)).sum::<usize>();
    writeln!(out, "ply\nformat binary_little_endian 1.0\ncomment time {time} s")?;
    for part in parts {
        writeln!(out, "comment body {} {} {}", part.number, part.role.word(), part.word)?;
    }
    writeln!(out, "element vertex {}", sum(Part::vertices))?;
    for name in ["x", "y", "z", "vx", "vy", "vz"] {
        writeln!(out, "property float {name}")?;
    }
    for name in ["red", "green", "blue"] {
        writeln!(out, "property uchar {name}")?;
    }
    writeln!(out, "property uint body")?;
    writeln!(out, "element face {}", sum(|part| part.triangles.len()))?;
    writeln!(out, "property list uchar uint vertex_indices")?;
    let edges = sum(|part| part.edges.len());
    if edges > 0 {
        writeln!(out, "element edge {edges}\nproperty uint vertex1\nproperty uint vertex2")?;
    }
    writeln!(out, "end_header")
}
