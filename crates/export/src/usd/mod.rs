//! USD as text: a prim per body with its material and time samples.
//!
//! A body that moves by affine maps has one mesh and one matrix per sample. A deforming body has points,
//! mean velocities until the next sample and smooth normals per sample. Time codes are times multiplied by the sample
//! rate, so they are fractional for samples at uneven intervals. <https://openusd.org/release/api/class_usd_geom_mesh.html>

mod shapes;
mod strands;
mod text;

use crate::destination::Output;
use crate::excerpt::{Excerpt, PartData, Track};
use crate::motion::{Map, Motion, center};
use crate::names::{Names, Rule};
use crate::part::Part;
use crate::{ExportError, Up};
use resile_math::Vec3;
use shapes::{SUFFIXES, Shapes};
use std::io::{self, Write};
use text::quoted;

/// Writes `scene.usda`; `scale` is the number of units of length per metre.
pub(crate) fn write(
    excerpt: &Excerpt<'_>,
    scale: f64,
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    output.stream_file("scene.usda", |progress, out| {
        let timeline = &excerpt.timeline;
        let first = timeline.times[0];
        let time_codes: Vec<f64> =
            timeline.times.iter().map(|t| time_code(t - first, timeline.rate)).collect();
        write_header(out, excerpt, scale, time_codes[time_codes.len() - 1])?;
        let held_codes = held_time_codes(&time_codes);
        let mut names = Names::new(Rule::Identifier);
        let data = PartData::PositionsAndVelocities;
        excerpt.each_track(data, progress, |_, part_index, track| {
            let part = &excerpt.parts[part_index];
            let (rate, name) = (timeline.rate, names.unique(&part.name));
            if excerpt.has_shapes() {
                let (track, time_codes) = (&held_track(track), &held_codes[..]);
                return Ok(Prim { part, track, time_codes, rate, scale }.write(out, &name)?);
            }
            Ok(Prim { part, track, time_codes: &time_codes, rate, scale }.write(out, &name)?)
        })?;
        Ok(writeln!(out, "}}")?)
    })
}

/// The part of the interval between two mode shapes in which the first changes to the second. USD interpolates between
/// time samples linearly and has no attribute that says otherwise.
const SHAPE_CHANGE: f64 = 1e-3;

/// Time codes at which each sample begins and, except for the last, ends.
fn held_time_codes(time_codes: &[f64]) -> Vec<f64> {
    let intervals = time_codes.array_windows();
    let mut held: Vec<f64> =
        intervals.flat_map(|&[start, end]| [start, end - SHAPE_CHANGE * (end - start)]).collect();
    held.extend(time_codes.last());
    held
}

/// The positions of a track with each sample but the last twice, for [`held_time_codes`], and without velocities. A fixed
/// part has one sample.
fn held_track(track: &Track) -> Track {
    let mut positions: Vec<_> =
        track.positions.iter().flat_map(|x| [x.clone(), x.clone()]).collect();
    positions.pop();
    Track { positions, velocities: Vec::new() }
}

/// Time code of a time since the start; an integer, up to rounding, for evenly spaced samples.
fn time_code(time: f64, rate: f64) -> f64 {
    let time_code = time * rate;
    let rounded = time_code.round();
    if (time_code - rounded).abs() < 1e-6 { rounded } else { time_code }
}

/// Writes the layer metadata and opens the root prim. `last` is the time code of the last sample, `scale` the number of
/// units of length per metre.
fn write_header(
    out: &mut dyn Write,
    excerpt: &Excerpt<'_>,
    scale: f64,
    last: f64,
) -> io::Result<()> {
    let up = if excerpt.axes.file_up == Up::Y { "Y" } else { "Z" };
    let rate = excerpt.timeline.rate;
    writeln!(out, "#usda 1.0\n(")?;
    writeln!(out, "    defaultPrim = \"run\"\n    upAxis = \"{up}\"")?;
    writeln!(out, "    metersPerUnit = {}", 1.0 / scale)?;
    writeln!(out, "    timeCodesPerSecond = {rate}\n    framesPerSecond = {rate}")?;
    writeln!(out, "    startTimeCode = 0\n    endTimeCode = {last}\n)\n")?;
    writeln!(out, "def Xform \"run\" (\n    kind = \"component\"\n)\n{{")
}

/// Name of the material of each part.
const MATERIAL: &str = "material";

/// A part being written.
struct Prim<'a> {
    part: &'a Part,
    track: &'a Track,
    /// Time codes of samples.
    time_codes: &'a [f64],
    /// Time codes per second.
    rate: f64,
    /// Units of length per metre.
    scale: f64,
}

impl Prim<'_> {
    /// Writes a transform prim with the identifier `name`, which contains the shapes and the material of the part.
    fn write(&self, out: &mut dyn Write, name: &str) -> io::Result<()> {
        let motion = Motion::affine(self.track);
        let Self { part, track, time_codes, rate, scale } = *self;
        writeln!(out, "    def Xform \"{name}\" (\n        displayName = {}", quoted(&part.name))?;
        writeln!(out, "        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {{")?;
        writeln!(out, "        custom string role = \"{}\"", part.role.word())?;
        writeln!(out, "        rel material:binding = </run/{name}/{MATERIAL}>")?;
        let pivot = match &motion {
            Motion::Maps(maps) => {
                self.write_matrices(out, maps)?;
                center(&track.positions[0])
            }
            Motion::Fixed | Motion::Deforming => Vec3::ZERO,
        };
        let deforms = motion == Motion::Deforming;
        // Siblings must have different names, so a part called like the material has shapes with another name.
        let shape_name = if name == MATERIAL { "material_shape" } else { name };
        let materials = subset_materials(part, shape_name);
        let paths: Vec<String> =
            materials.iter().map(|(material, _)| format!("/run/{name}/{material}")).collect();
        Shapes {
            part,
            name: shape_name,
            track,
            time_codes,
            rate,
            pivot,
            deforms,
            scale,
            materials: &paths,
        }
        .write(out)?;
        write_material(out, &format!("/run/{name}"), (MATERIAL, None), part.color)?;
        for ((identifier, color), (display_name, _)) in materials.iter().zip(part.face_materials())
        {
            let names = (&identifier[..], Some(display_name));
            write_material(out, &format!("/run/{name}"), names, *color)?;
        }
        writeln!(out, "    }}")
    }

    /// Writes the map of each sample as a matrix that multiplies row vectors: its rows are the columns of the linear
    /// part, then the translation.
    fn write_matrices(&self, out: &mut dyn Write, maps: &[Map]) -> io::Result<()> {
        writeln!(out, "        matrix4d xformOp:transform.timeSamples = {{")?;
        for (time_code, map) in self.time_codes.iter().zip(maps) {
            write!(out, "            {time_code}: (")?;
            for column in [map.linear.x_axis, map.linear.y_axis, map.linear.z_axis] {
                write!(out, "({}, {}, {}, 0), ", column.x, column.y, column.z)?;
            }
            let Vec3 { x, y, z } = map.center;
            writeln!(out, "({x}, {y}, {z}, 1)),")?;
        }
        writeln!(out, "        }}")?;
        writeln!(out, "        uniform token[] xformOpOrder = [\"xformOp:transform\"]")
    }
}

/// The identifiers of the materials of the faces of a part, each with its linear colour. They differ from those of the
/// shapes of the part, which begin with `shape_name`.
fn subset_materials(part: &Part, shape_name: &str) -> Vec<(String, [f32; 3])> {
    let mut names = Names::new(Rule::Identifier);
    names.unique(MATERIAL);
    names.unique(shape_name);
    SUFFIXES.iter().for_each(|suffix| drop(names.unique(&format!("{shape_name}_{suffix}"))));
    let materials = part.face_materials().into_iter();
    materials.map(|(name, color)| (names.unique(&format!("{MATERIAL}_{name}")), color)).collect()
}

/// Writes a matt material of this linear colour below the prim at `parent`, with the roughness of glTF exports. Its
/// names are an identifier and, if it differs, that of the original file.
fn write_material(
    out: &mut dyn Write,
    parent: &str,
    (name, display_name): (&str, Option<&str>),
    [r, g, b]: [f32; 3],
) -> io::Result<()> {
    let shader = format!("{parent}/{name}/surface.outputs:surface");
    write!(out, "        def Material \"{name}\"")?;
    if let Some(display_name) = display_name {
        write!(out, " (\n            displayName = {}\n        )", quoted(display_name))?;
    }
    writeln!(out, "\n        {{")?;
    writeln!(out, "            token outputs:surface.connect = <{shader}>")?;
    writeln!(out, "            def Shader \"surface\"\n            {{")?;
    writeln!(out, "                uniform token info:id = \"UsdPreviewSurface\"")?;
    writeln!(out, "                color3f inputs:diffuseColor = ({r}, {g}, {b})")?;
    writeln!(
        out,
        "                float inputs:metallic = 0\n                float inputs:roughness = 0.6"
    )?;
    writeln!(out, "                token outputs:surface\n            }}\n        }}")
}
