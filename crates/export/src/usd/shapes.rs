//! Faces, curves and points of a part, each a prim.
//!
//! A single shape has the name of its part, because importers that merge a transform with its only child keep the name
//! of the child (Blender 4.2). Several shapes have the name with a suffix.

use super::strands::{Strands, strands};
use super::text::{Tuple, direction, list};
use crate::excerpt::Track;
use crate::motion::double;
use crate::part::Part;
use crate::surface::{Surface, doubles};
use resile_math::Vec3;
use resile_mesh::{Creases, StrandEnds};
use std::fmt::Display;
use std::io::{self, Write};

/// Thickness of drawn edges, relative to their mean length.
const RELATIVE_THICKNESS: f32 = 0.1;
/// Thickness (m) of a body that has neither edges nor a size, such as a single particle: a width of zero is not drawn.
const SMALLEST_BODY_THICKNESS: f64 = 0.01;

/// Faces, curves and points of a part.
pub(super) struct Shapes<'a> {
    pub(super) part: &'a Part,
    /// Identifier of the part.
    pub(super) name: &'a str,
    pub(super) track: &'a Track,
    /// Time codes of samples.
    pub(super) codes: &'a [f64],
    /// Time codes per second.
    pub(super) rate: f64,
    /// Origin of the positions.
    pub(super) pivot: Vec3,
    /// Whether its vertices move; otherwise only the first sample is written.
    pub(super) deforms: bool,
    /// Units of length per metre.
    pub(super) scale: f64,
}

impl Shapes<'_> {
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let strands = strands(self.part, &doubles(&self.track.positions[0]));
        let (has_mesh, has_points) =
            (!self.part.triangles.is_empty(), !self.part.points.is_empty());
        let count = usize::from(has_mesh) + strands.len() + usize::from(has_points);
        let name = |suffix: &str| match count {
            1 => self.name.to_owned(),
            _ => format!("{}_{suffix}", self.name),
        };
        if has_mesh {
            self.write_mesh(out, &name("surface"))?;
        }
        let thickness = self.thickness();
        for strands in strands {
            let suffix = match strands.ends {
                StrandEnds::Free => "edges",
                StrandEnds::Joined => "loops",
            };
            self.write_curves(out, &name(suffix), &strands, thickness)?;
        }
        if has_points {
            writeln!(out, "        def Points \"{}\"\n        {{", name("particles"))?;
            self.write_widths(out, 2.0 * thickness)?;
            self.write_points(out, &self.part.points, thickness)?;
        }
        Ok(())
    }

    fn write_mesh(&self, out: &mut dyn Write, name: &str) -> io::Result<()> {
        let surface = Surface::of_polygons(self.part, &self.track.positions[0]);
        let faces = surface.faces();
        writeln!(out, "        def Mesh \"{name}\"\n        {{")?;
        writeln!(out, "            uniform token subdivisionScheme = \"none\"")?;
        writeln!(out, "            uniform bool doubleSided = 1")?;
        write_list(out, "int[] faceVertexCounts", faces.iter().map(<[u32]>::len))?;
        write_list(out, "int[] faceVertexIndices", faces.corners())?;
        if let Some(texture) = &surface.texture {
            let coordinates = texture.coordinates.iter().map(|pair| Tuple(*pair));
            write!(out, "            texCoord2f[] primvars:st = ")?;
            list(out, coordinates)?;
            write_interpolation(out, "faceVarying")?;
            write_list(out, "int[] primvars:st:indices", &texture.corners)?;
        }
        self.write_normals(out, &surface.creases)?;
        let vertices: Vec<u32> = (0..self.part.vertices() as u32).collect();
        self.write_points(out, &vertices, 0.0)
    }

    /// Writes normals, unless the surface has no smooth edges.
    fn write_normals(&self, out: &mut dyn Write, creases: &Creases) -> io::Result<()> {
        if !creases.any_smooth() {
            return Ok(());
        }
        let of_vertices = normals_of_vertices(creases, self.part.vertices());
        let numbers = of_vertices.as_deref().unwrap_or(creases.corners());
        let interpolation = if of_vertices.is_some() { "vertex" } else { "faceVarying" };
        let attribute = ("normal3f[] normals", Some(interpolation));
        self.write_samples(out, attribute, &self.track.positions, |out, sample| {
            let normals = creases.normals(&doubles(sample));
            let normal = |&number: &u32| normals.get(number as usize).copied().unwrap_or(Vec3::Y);
            list(out, numbers.iter().map(|number| direction(normal(number))))
        })
    }

    fn write_curves(
        &self,
        out: &mut dyn Write,
        name: &str,
        strands: &Strands,
        width: f32,
    ) -> io::Result<()> {
        let wrap = match strands.ends {
            StrandEnds::Free => "nonperiodic",
            StrandEnds::Joined => "periodic",
        };
        writeln!(out, "        def BasisCurves \"{name}\"\n        {{")?;
        writeln!(out, "            uniform token type = \"linear\"")?;
        writeln!(out, "            uniform token wrap = \"{wrap}\"")?;
        write_list(out, "int[] curveVertexCounts", &strands.counts)?;
        self.write_widths(out, width)?;
        self.write_points(out, &strands.vertices, 0.5 * width)
    }

    /// Writes positions and velocities of these vertices, their bounds with a margin, and the colour; ends the
    /// prim.
    fn write_points(&self, out: &mut dyn Write, vertices: &[u32], margin: f32) -> io::Result<()> {
        let [r, g, b] = self.part.color;
        writeln!(out, "            color3f[] primvars:displayColor = [({r}, {g}, {b})]")?;
        let positions = &self.track.positions;
        let local = |sample: &[[f32; 3]]| -> Vec<[f32; 3]> {
            let at = |&vertex: &u32| (double(&sample[vertex as usize]) - self.pivot).to_array();
            vertices.iter().map(|vertex| at(vertex).map(|x| x as f32)).collect()
        };
        self.write_samples(out, ("point3f[] points", None), positions, |out, sample| {
            list(out, local(sample).into_iter().map(Tuple))
        })?;
        self.write_samples(out, ("float3[] extent", None), positions, |out, sample| {
            let points = local(sample);
            let bound = |start: f32, margin: f32, pick: fn(f32, f32) -> f32| {
                let axis = |k: usize| points.iter().map(|p| p[k]).fold(start, pick) + margin;
                Tuple([0, 1, 2].map(axis))
            };
            list(
                out,
                [
                    bound(f32::INFINITY, -margin, f32::min),
                    bound(f32::NEG_INFINITY, margin, f32::max),
                ],
            )
        })?;
        let velocities = self.mean_velocities();
        if !velocities.is_empty() {
            let attribute = ("vector3f[] velocities", None);
            self.write_samples(out, attribute, &velocities, |out, sample| {
                list(out, vertices.iter().map(|&vertex| Tuple(sample[vertex as usize])))
            })?;
        }
        writeln!(out, "        }}")
    }

    /// Mean velocities between each sample and the next, and those of the run at the last one; empty for shapes that do not
    /// deform. `UsdGeomPointBased` moves the points of a sample by its velocities until the time of the next sample. With mean
    /// velocities they arrive there; with those of the run they would overshoot a contact within the interval.
    fn mean_velocities(&self) -> Vec<Vec<[f32; 3]>> {
        let Track { positions, velocities } = self.track;
        let Some(last) = velocities.last().filter(|_| self.deforms) else { return Vec::new() };
        let times = self.codes.windows(2).map(|codes| (codes[1] - codes[0]) / self.rate);
        let mean = |(pair, time): (&[Vec<[f32; 3]>], f64)| {
            let change = |(a, b)| ((double(b) - double(a)) / time).to_array().map(|v| v as f32);
            pair[0].iter().zip(&pair[1]).map(change).collect()
        };
        positions.windows(2).zip(times).map(mean).chain([last.clone()]).collect()
    }

    /// Writes an attribute: time samples if the shape deforms, otherwise a single value. `interpolation` is written unless it is the
    /// default.
    fn write_samples(
        &self,
        out: &mut dyn Write,
        (attribute, interpolation): (&str, Option<&str>),
        samples: &[Vec<[f32; 3]>],
        value: impl Fn(&mut dyn Write, &[[f32; 3]]) -> io::Result<()>,
    ) -> io::Result<()> {
        if !self.deforms {
            write!(out, "            {attribute} = ")?;
            value(out, &samples[0])?;
            return match interpolation {
                Some(word) => write_interpolation(out, word),
                None => writeln!(out),
            };
        }
        if let Some(word) = interpolation {
            write!(out, "            {attribute}")?;
            write_interpolation(out, word)?;
        }
        writeln!(out, "            {attribute}.timeSamples = {{")?;
        for (code, sample) in self.codes.iter().zip(samples) {
            write!(out, "                {code}: ")?;
            value(out, sample)?;
            writeln!(out, ",")?;
        }
        writeln!(out, "            }}")
    }

    fn write_widths(&self, out: &mut dyn Write, width: f32) -> io::Result<()> {
        write!(out, "            float[] widths = [{width}]")?;
        write_interpolation(out, "constant")
    }

    /// Diameter of a rod; otherwise a fraction of the mean edge length, or of the size of a body without edges.
    fn thickness(&self) -> f32 {
        if let Some(radius) = self.part.radius {
            return 2.0 * (f64::from(radius) * self.scale) as f32;
        }
        let first = &self.track.positions[0];
        let length = |a: &[f32; 3], b: &[f32; 3]| (double(a) - double(b)).length() as f32;
        let edges = &self.part.edges;
        let total: f32 =
            edges.iter().map(|[a, b]| length(&first[*a as usize], &first[*b as usize])).sum();
        let mean = match edges.len() {
            0 => first.iter().map(|p| length(p, &first[0])).fold(0.0, f32::max) * 0.1,
            count => total / count as f32,
        };
        match RELATIVE_THICKNESS * mean {
            thickness if thickness > 0.0 => thickness,
            _ => (SMALLEST_BODY_THICKNESS * self.scale) as f32,
        }
    }
}

/// Normal index of each vertex, if none has several; an invalid index for vertices without faces.
fn normals_of_vertices(creases: &Creases, vertices: usize) -> Option<Vec<u32>> {
    let mut of_vertices = vec![u32::MAX; vertices];
    for (&vertex, &normal) in creases.faces().corners().iter().zip(creases.corners()) {
        let normals = &mut of_vertices[vertex as usize];
        if *normals != u32::MAX && *normals != normal {
            return None;
        }
        *normals = normal;
    }
    Some(of_vertices)
}

fn write_list<T: Display>(
    out: &mut dyn Write,
    attribute: &str,
    numbers: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write!(out, "            {attribute} = ")?;
    list(out, numbers)?;
    writeln!(out)
}

/// Writes the interpolation of the preceding attribute.
fn write_interpolation(out: &mut dyn Write, word: &str) -> io::Result<()> {
    writeln!(out, " (\n                interpolation = \"{word}\"\n            )")
}
