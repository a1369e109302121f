//! Wavefront OBJ: a sequence of surfaces, with names as objects and colours as materials.
//!
//! Numbers are the shortest decimals that parse to those of the frames.

use crate::destination::Output;
use crate::excerpt::{Excerpt, Sample};
use crate::original::{self, IndexOffsets};
use crate::part::Part;
use crate::{ExportError, Pieces};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Name of the material library.
const MATERIALS: &str = "materials.mtl";

pub(crate) fn write(
    excerpt: &Excerpt<'_>,
    pieces: Pieces,
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    write_materials(excerpt, output)?;
    excerpt.each_sample(output, |output, number, sample| {
        let parts: Vec<&Part> = excerpt.parts.iter().collect();
        if pieces == Pieces::Together {
            return write_surface(&format!("frame_{number:06}.obj"), &parts, sample, output);
        }
        for part in parts.iter().filter(|part| part.moves() || number == 0) {
            let name = match part.moves() {
                true => format!("{}_{number:06}.obj", part.word),
                false => format!("{}.obj", part.word),
            };
            write_surface(&name, &[part], sample, output)?;
        }
        Ok(())
    })
}

/// Writes the material library, which every surface file references.
pub(crate) fn write_materials(
    excerpt: &Excerpt<'_>,
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    output.file(MATERIALS, |out| {
        for part in &excerpt.parts {
            let [r, g, b] = part.srgb().map(|byte| f32::from(byte) / 255.0);
            writeln!(out, "newmtl {}\nKd {r:.4} {g:.4} {b:.4}\nillum 1", part.word)?;
        }
        let mut written: BTreeSet<&str> = excerpt.parts.iter().map(|part| &*part.word).collect();
        for (name, color) in original::materials(&excerpt.parts) {
            if written.insert(name) {
                let [r, g, b] = color.map(|byte| f32::from(byte) / 255.0);
                writeln!(out, "newmtl {name}\nKd {r:.4} {g:.4} {b:.4}\nillum 1")?;
            }
        }
        Ok(())
    })
}

fn write_surface(
    name: &str,
    parts: &[&Part],
    sample: &Sample,
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    output.file(name, |out| {
        writeln!(out, "mtllib {MATERIALS}")?;
        let mut before = IndexOffsets::default();
        for part in parts {
            before = write_part(out, part, sample.positions(part), before)?;
        }
        Ok(())
    })
}

/// Writes a part as an object, with vertices numbered after those `before`; returns the new counts.
fn write_part(
    out: &mut dyn Write,
    part: &Part,
    positions: &[[f32; 3]],
    before: IndexOffsets,
) -> io::Result<IndexOffsets> {
    writeln!(out, "o {}", part.word)?;
    if let Some(original) = &part.original {
        if !original::names_materials(original) {
            writeln!(out, "usemtl {}", part.word)?;
        }
        return original::write(out, original, positions, before);
    }
    let first = before.vertices as u32 + 1;
    for [x, y, z] in positions {
        writeln!(out, "v {x} {y} {z}")?;
    }
    writeln!(out, "usemtl {}", part.word)?;
    for [a, b, c] in part.triangles.iter().map(|t| t.map(|corner| corner + first)) {
        writeln!(out, "f {a} {b} {c}")?;
    }
    for [a, b] in part.edges.iter().map(|ends| ends.map(|end| end + first)) {
        writeln!(out, "l {a} {b}")?;
    }
    for point in &part.points {
        writeln!(out, "p {}", point + first)?;
    }
    Ok(IndexOffsets { vertices: before.vertices + part.vertices(), ..before })
}

/// Writes the mesh file of a cache: one part at the first time.
pub(crate) fn write_mesh(
    part: &Part,
    positions: &[[f32; 3]],
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    output.file(&format!("{}.obj", part.word), |out| {
        writeln!(out, "mtllib {MATERIALS}")?;
        write_part(out, part, positions, IndexOffsets::default()).map(|_| ())
    })
}
