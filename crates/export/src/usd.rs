//! USD as text: a prim for each body, what moves in samples over time.
//!
//! A body that moves by affine maps has one mesh and a matrix a sample; of one that deforms each
//! sample has its points. Time codes are frames of the rate, those of frames between exactly where
//! they are. <https://openusd.org/release/api/class_usd_geom_mesh.html>

use crate::destination::Output;
use crate::excerpt::{Excerpt, Fields, Track};
use crate::motion::{Map, Motion, center, double};
use crate::names::{Names, Rule};
use crate::part::Part;
use crate::{ExportError, Up};
use resile_math::Vec3;
use std::io::{self, Write};

/// How thick edges are, over their mean length.
const THICK: f32 = 0.1;

/// Writes the file.
pub(crate) fn write(
    excerpt: &Excerpt<'_>,
    scale: f64,
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    output.stream("scene.usda", |progress, out| {
        let timeline = &excerpt.timeline;
        let first = timeline.times[0];
        let codes: Vec<f64> =
            timeline.times.iter().map(|t| code(t - first, timeline.rate)).collect();
        write_header(out, excerpt, scale, codes[codes.len() - 1])?;
        let mut names = Names::new(Rule::Identifier);
        excerpt.each_track(Fields::Positions, progress, |_, number, track| {
            let part = &excerpt.parts[number];
            Ok(Prim { part, track, codes: &codes }.write(out, &names.of(&part.name))?)
        })?;
        Ok(writeln!(out, "}}")?)
    })
}

/// The time code of a time since the start, which is a whole number up to rounding where samples are
/// evenly spaced.
fn code(time: f64, rate: f64) -> f64 {
    let code = time * rate;
    let whole = code.round();
    if (code - whole).abs() < 1e-6 { whole } else { code }
}

fn write_header(
    out: &mut dyn Write,
    excerpt: &Excerpt<'_>,
    scale: f64,
    last: f64,
) -> io::Result<()> {
    let up = if excerpt.axes.to == Up::Y { "Y" } else { "Z" };
    let rate = excerpt.timeline.rate;
    writeln!(out, "#usda 1.0\n(")?;
    writeln!(out, "    defaultPrim = \"run\"\n    upAxis = \"{up}\"")?;
    writeln!(out, "    metersPerUnit = {}", 1.0 / scale)?;
    writeln!(out, "    timeCodesPerSecond = {rate}\n    framesPerSecond = {rate}")?;
    writeln!(out, "    startTimeCode = 0\n    endTimeCode = {last}\n)\n")?;
    writeln!(out, "def Xform \"run\" (\n    kind = \"component\"\n)\n{{")
}

/// A part on its way to the file.
struct Prim<'a> {
    part: &'a Part,
    track: &'a Track,
    codes: &'a [f64],
}

impl Prim<'_> {
    fn write(&self, out: &mut dyn Write, name: &str) -> io::Result<()> {
        let motion = Motion::affine(self.track);
        writeln!(
            out,
            "    def Xform \"{name}\" (\n        displayName = {}",
            quoted(&self.part.name)
        )?;
        writeln!(out, "    )\n    {{")?;
        writeln!(out, "        custom string role = \"{}\"", self.part.role.word())?;
        let pivot = match &motion {
            Motion::Maps(maps) => {
                self.write_matrices(out, maps)?;
                center(&self.track.positions[0])
            }
            Motion::Stands | Motion::Deforms => Vec3::ZERO,
        };
        let samples = if motion == Motion::Deforms { self.track.positions.len() } else { 1 };
        let shapes = Shapes { positions: &self.track.positions[..samples], pivot, prim: self };
        shapes.write(out)?;
        writeln!(out, "    }}")
    }

    /// Matrices of rows to multiply from the left, the shift in the last row.
    fn write_matrices(&self, out: &mut dyn Write, maps: &[Map]) -> io::Result<()> {
        writeln!(out, "        matrix4d xformOp:transform.timeSamples = {{")?;
        for (code, map) in self.codes.iter().zip(maps) {
            write!(out, "            {code}: (")?;
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

/// Triangles, edges and points of a part, each a prim.
struct Shapes<'a> {
    /// In samples, or one for all times.
    positions: &'a [Vec<[f32; 3]>],
    /// From where they are taken.
    pivot: Vec3,
    prim: &'a Prim<'a>,
}

impl Shapes<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let part = self.prim.part;
        if !part.triangles.is_empty() {
            writeln!(out, "        def Mesh \"surface\"\n        {{")?;
            writeln!(out, "            uniform token subdivisionScheme = \"none\"")?;
            writeln!(out, "            uniform bool doubleSided = 1")?;
            self.write_list(out, "int[] faceVertexCounts", part.triangles.iter().map(|_| 3))?;
            let corners = part.triangles.as_flattened().iter().copied();
            self.write_list(out, "int[] faceVertexIndices", corners)?;
            let all: Vec<u32> = (0..part.vertices() as u32).collect();
            self.write_points(out, &all)?;
        }
        let (ends, thickness) = (part.edges.as_flattened(), self.thickness());
        if !ends.is_empty() {
            writeln!(out, "        def BasisCurves \"edges\"\n        {{")?;
            writeln!(out, "            uniform token type = \"linear\"")?;
            self.write_list(out, "int[] curveVertexCounts", part.edges.iter().map(|_| 2))?;
            self.write_widths(out, thickness)?;
            self.write_points(out, ends)?;
        }
        if !part.points.is_empty() {
            writeln!(out, "        def Points \"particles\"\n        {{")?;
            self.write_widths(out, 2.0 * thickness)?;
            self.write_points(out, &part.points)?;
        }
        Ok(())
    }

    /// The points of these vertices, how far they reach, and the colour; ends the prim.
    fn write_points(&self, out: &mut dyn Write, vertices: &[u32]) -> io::Result<()> {
        let [r, g, b] = self.prim.part.color;
        writeln!(out, "            color3f[] primvars:displayColor = [({r}, {g}, {b})]")?;
        self.write_samples(out, "point3f[] points", vertices, |out, points| {
            list(out, points.iter().map(|p| Tuple(*p)))
        })?;
        self.write_samples(out, "float3[] extent", vertices, |out, points| {
            let bound = |start: f32, pick: fn(f32, f32) -> f32| {
                Tuple([0, 1, 2].map(|k| points.iter().map(|p| p[k]).fold(start, pick)))
            };
            list(out, [bound(f32::INFINITY, f32::min), bound(f32::NEG_INFINITY, f32::max)])
        })?;
        writeln!(out, "        }}")
    }

    /// An attribute in samples, or once.
    fn write_samples(
        &self,
        out: &mut dyn Write,
        attribute: &str,
        vertices: &[u32],
        value: impl Fn(&mut dyn Write, &[[f32; 3]]) -> io::Result<()>,
    ) -> io::Result<()> {
        let of = |sample: &[[f32; 3]]| -> Vec<[f32; 3]> {
            let at = |&vertex: &u32| (double(&sample[vertex as usize]) - self.pivot).to_array();
            vertices.iter().map(|vertex| at(vertex).map(|x| x as f32)).collect()
        };
        if let [only] = self.positions {
            write!(out, "            {attribute} = ")?;
            value(out, &of(only))?;
            return writeln!(out);
        }
        writeln!(out, "            {attribute}.timeSamples = {{")?;
        for (code, sample) in self.prim.codes.iter().zip(self.positions) {
            write!(out, "                {code}: ")?;
            value(out, &of(sample))?;
            writeln!(out, ",")?;
        }
        writeln!(out, "            }}")
    }

    fn write_list(
        &self,
        out: &mut dyn Write,
        attribute: &str,
        numbers: impl IntoIterator<Item = u32>,
    ) -> io::Result<()> {
        write!(out, "            {attribute} = ")?;
        list(out, numbers)?;
        writeln!(out)
    }

    fn write_widths(&self, out: &mut dyn Write, width: f32) -> io::Result<()> {
        writeln!(
            out,
            "            float[] widths = [{width}] (\n                interpolation = \"constant\"\n            )"
        )
    }

    /// The diameter of a rod; else a part of the mean length of edges, or of the size of a body without.
    fn thickness(&self) -> f32 {
        if let Some(radius) = self.prim.part.radius {
            return 2.0 * radius;
        }
        let first = &self.positions[0];
        let length = |a: &[f32; 3], b: &[f32; 3]| (double(a) - double(b)).length() as f32;
        let edges = &self.prim.part.edges;
        let total: f32 =
            edges.iter().map(|[a, b]| length(&first[*a as usize], &first[*b as usize])).sum();
        let mean = match edges.len() {
            0 => first.iter().map(|p| length(p, &first[0])).fold(0.0, f32::max) * 0.1,
            count => total / count as f32,
        };
        THICK * mean
    }
}

/// Three numbers as USD writes them.
struct Tuple([f32; 3]);

impl std::fmt::Display for Tuple {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x}, {y}, {z})")
    }
}

fn list<T: std::fmt::Display>(
    out: &mut dyn Write,
    items: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write!(out, "[")?;
    for (number, item) in items.into_iter().enumerate() {
        write!(out, "{}{item}", if number > 0 { ", " } else { "" })?;
    }
    write!(out, "]")
}

/// A text with its quotes, escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
