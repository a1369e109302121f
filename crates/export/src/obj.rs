//! Wavefront OBJ: a sequence of surfaces, with names as objects and colours as materials.
//!
//! Numbers are the shortest decimals that parse to those of the frames.

use crate::destination::Output;
use crate::excerpt::{Excerpt, Sample};
use crate::original::{self, IndexOffsets};
use crate::part::Part;
use crate::{ExportError, Grouping};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Name of the material library.
const MATERIALS: &str = "materials.mtl";

/// Writes the material library and, for each sample, one surface file or one file per part. A fixed part has a single
/// file.
pub(crate) fn write(
    excerpt: &Excerpt<'_>,
    grouping: Grouping,
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    write_materials(excerpt, output)?;
    excerpt.each_sample(output, |output, sample_index, sample| {
        let parts: Vec<&Part> = excerpt.parts.iter().collect();
        if grouping == Grouping::AllBodies {
            return write_surface(&format!("frame_{sample_index:06}.obj"), &parts, sample, output);
        }
        for part in parts.iter().filter(|part| part.is_moving() || sample_index == 0) {
            let name = match part.is_moving() {
                true => format!("{}_{sample_index:06}.obj", part.unique_name),
                false => format!("{}.obj", part.unique_name),
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
    output.write_file(MATERIALS, |out| {
        for part in &excerpt.parts {
            let [r, g, b] = part.srgb().map(|byte| f32::from(byte) / 255.0);
            writeln!(out, "newmtl {}\nKd {r:.4} {g:.4} {b:.4}\nillum 1", part.unique_name)?;
        }
        let mut written: BTreeSet<&str> =
            excerpt.parts.iter().map(|part| &*part.unique_name).collect();
        for (name, color) in original::materials(&excerpt.parts) {
            if written.insert(name) {
                let [r, g, b] = color.map(|byte| f32::from(byte) / 255.0);
                writeln!(out, "newmtl {name}\nKd {r:.4} {g:.4} {b:.4}\nillum 1")?;
            }
        }
        Ok(())
    })
}

/// Writes the file `name` with these parts at one sample time.
fn write_surface(
    name: &str,
    parts: &[&Part],
    sample: &Sample,
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    output.write_file(name, |out| {
        writeln!(out, "mtllib {MATERIALS}")?;
        let mut offsets = IndexOffsets::default();
        for part in parts {
            offsets = write_part(out, part, sample.positions(part), offsets)?;
        }
        Ok(())
    })
}

/// Writes a part as an object, with its indices increased by `offsets`; returns the offsets of the next part.
fn write_part(
    out: &mut dyn Write,
    part: &Part,
    positions: &[[f32; 3]],
    offsets: IndexOffsets,
) -> io::Result<IndexOffsets> {
    writeln!(out, "o {}", part.unique_name)?;
    if let Some(original) = &part.original {
        if !original::names_materials(original) {
            writeln!(out, "usemtl {}", part.unique_name)?;
        }
        return original::write(out, original, positions, offsets);
    }
    // OBJ counts vertices from 1, over all objects of the file.
    let first_vertex = offsets.vertices as u32 + 1;
    for [x, y, z] in positions {
        writeln!(out, "v {x} {y} {z}")?;
    }
    writeln!(out, "usemtl {}", part.unique_name)?;
    for [a, b, c] in part.triangles.iter().map(|t| t.map(|corner| corner + first_vertex)) {
        writeln!(out, "f {a} {b} {c}")?;
    }
    for [a, b] in part.edges.iter().map(|ends| ends.map(|end| end + first_vertex)) {
        writeln!(out, "l {a} {b}")?;
    }
    for point in &part.points {
        writeln!(out, "p {}", point + first_vertex)?;
    }
    Ok(IndexOffsets { vertices: offsets.vertices + part.vertex_count(), ..offsets })
}

/// Writes the mesh file of a cache: one part with the positions of the first sample.
pub(crate) fn write_mesh(
    part: &Part,
    positions: &[[f32; 3]],
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    output.write_file(&format!("{}.obj", part.unique_name), |out| {
        writeln!(out, "mtllib {MATERIALS}")?;
        write_part(out, part, positions, IndexOffsets::default()).map(|_| ())
    })
}
