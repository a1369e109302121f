//! Faces, curves and points of a part, each a prim.
//!
//! A single shape has the name of its part, because importers that merge a transform with its only child keep the name
//! of the child (Blender 4.2). Several shapes have the name with a suffix.

use super::strands::{Strands, strands};
use super::text::{Tuple, direction, write_values};
use crate::excerpt::Track;
use crate::motion::to_vec3;
use crate::part::Part;
use crate::surface::{Surface, to_vec3s};
use resile_math::Vec3;
use resile_mesh::{Creases, StrandEnds};
use std::fmt::Display;
use std::io::{self, Write};

/// Thickness of drawn edges, relative to their mean length.
const RELATIVE_THICKNESS: f32 = 0.1;
/// Thickness (m) of a body that has neither edges nor an extent, such as a single particle. Programs do not draw curves
/// and points of zero width.
const SMALLEST_BODY_THICKNESS: f64 = 0.01;

/// Faces, curves and points of a part.
pub(super) struct Shapes<'a> {
    pub(super) part: &'a Part,
    /// Identifier of the part.
    pub(super) name: &'a str,
    pub(super) track: &'a Track,
    /// Time codes of samples.
    pub(super) time_codes: &'a [f64],
    /// Time codes per second.
    pub(super) rate: f64,
    /// Origin of the positions.
    pub(super) pivot: Vec3,
    /// Whether vertices move relative to the transform prim; otherwise only the first sample is written.
    pub(super) deforms: bool,
    /// Units of length per metre.
    pub(super) scale: f64,
    /// Paths of the materials of the faces.
    pub(super) materials: &'a [String],
}

/// Suffixes of the names of the prims of a part that has several.
pub(super) const SUFFIXES: [&str; 4] = [SURFACE, EDGES, LOOPS, PARTICLES];
const SURFACE: &str = "surface";
const EDGES: &str = "edges";
const LOOPS: &str = "loops";
const PARTICLES: &str = "particles";

impl Shapes<'_> {
    /// Writes a mesh prim, curve prims and a point prim, as far as the part has triangles, edges and particles.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let strands = strands(self.part, &to_vec3s(&self.track.positions[0]));
        let (has_mesh, has_points) =
            (!self.part.triangles.is_empty(), !self.part.points.is_empty());
        let prim_count = usize::from(has_mesh) + strands.len() + usize::from(has_points);
        let prim_name = |suffix: &str| match prim_count {
            1 => self.name.to_owned(),
            _ => format!("{}_{suffix}", self.name),
        };
        if has_mesh {
            self.write_mesh(out, &prim_name(SURFACE))?;
        }
        let thickness = self.thickness();
        for strands in strands {
            let suffix = match strands.ends {
                StrandEnds::Free => EDGES,
                StrandEnds::Joined => LOOPS,
            };
            self.write_curves(out, &prim_name(suffix), &strands, thickness)?;
        }
        if has_points {
            writeln!(out, "        def Points \"{}\"\n        {{", prim_name(PARTICLES))?;
            self.write_widths(out, 2.0 * thickness)?;
            self.write_points(out, &self.part.points, thickness)?;
        }
        Ok(())
    }

    /// Writes a mesh prim with polygons, texture coordinates, normals and positions.
    fn write_mesh(&self, out: &mut dyn Write, name: &str) -> io::Result<()> {
        let surface = Surface::of_polygons(self.part, &self.track.positions[0]);
        let faces = surface.faces();
        writeln!(out, "        def Mesh \"{name}\"\n        {{")?;
        writeln!(out, "            uniform token subdivisionScheme = \"none\"")?;
        writeln!(out, "            uniform bool doubleSided = 1")?;
        write_array(out, "int[] faceVertexCounts", faces.iter().map(<[u32]>::len))?;
        write_array(out, "int[] faceVertexIndices", faces.corners())?;
        if let Some(texture) = &surface.texture {
            let coordinates = texture.coordinates.iter().map(|uv| Tuple(*uv));
            write!(out, "            texCoord2f[] primvars:st = ")?;
            write_values(out, coordinates)?;
            write_interpolation(out, "faceVarying")?;
            write_array(out, "int[] primvars:st:indices", &texture.corners)?;
        }
        self.write_normals(out, &surface.creases)?;
        self.write_subsets(out, &surface)?;
        let vertices: Vec<u32> = (0..self.part.vertex_count() as u32).collect();
        self.write_points(out, &vertices, 0.0)
    }

    /// Writes a subset of the faces for each of their materials. Other faces have the material of the part.
    fn write_subsets(&self, out: &mut dyn Write, surface: &Surface) -> io::Result<()> {
        if surface.materials.iter().all(Option::is_none) {
            return Ok(());
        }
        let family = match surface.materials.iter().all(Option::is_some) {
            true => "partition",
            false => "nonOverlapping",
        };
        writeln!(
            out,
            "            uniform token subsetFamily:materialBind:familyType = \"{family}\""
        )?;
        for (index, path) in self.materials.iter().enumerate() {
            let faces = surface.materials.iter().enumerate();
            let faces = faces.filter(|(_, material)| **material == Some(index));
            let faces: Vec<usize> = faces.map(|(face, _)| face).collect();
            if faces.is_empty() {
                continue;
            }
            let name = path.rsplit('/').next().unwrap_or_default();
            writeln!(out, "            def GeomSubset \"{name}\" (")?;
            writeln!(out, "                prepend apiSchemas = [\"MaterialBindingAPI\"]")?;
            writeln!(out, "            )\n            {{")?;
            writeln!(out, "                uniform token elementType = \"face\"")?;
            writeln!(out, "                uniform token familyName = \"materialBind\"")?;
            write_array(out, "    int[] indices", faces)?;
            writeln!(out, "                rel material:binding = <{path}>")?;
            writeln!(out, "            }}")?;
        }
        Ok(())
    }

    /// Writes normals, unless the surface has no smooth edges. Normals are interpolated between vertices if no vertex
    /// has several, otherwise between the corners of each face.
    fn write_normals(&self, out: &mut dyn Write, creases: &Creases) -> io::Result<()> {
        if !creases.any_smooth() {
            return Ok(());
        }
        let vertex_normals = vertex_normal_indices(creases, self.part.vertex_count());
        let normal_indices = vertex_normals.as_deref().unwrap_or(creases.corners());
        let interpolation = if vertex_normals.is_some() { "vertex" } else { "faceVarying" };
        let attribute = ("normal3f[] normals", Some(interpolation));
        self.write_samples(out, attribute, &self.track.positions, |out, sample| {
            let normals = creases.normals(&to_vec3s(sample));
            // A vertex without faces has an invalid index and gets an arbitrary normal.
            let normal = |&index: &u32| normals.get(index as usize).copied().unwrap_or(Vec3::Y);
            write_values(out, normal_indices.iter().map(|index| direction(normal(index))))
        })
    }

    /// Writes a prim of polylines with this width (units of the file).
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
        write_array(out, "int[] curveVertexCounts", &strands.counts)?;
        self.write_widths(out, width)?;
        self.write_points(out, &strands.vertices, 0.5 * width)
    }

    /// Writes the colour, the positions of these vertices relative to the pivot, their bounds enlarged by `margin`
    /// (units of the file) and their velocities; ends the prim.
    fn write_points(&self, out: &mut dyn Write, vertices: &[u32], margin: f32) -> io::Result<()> {
        let [r, g, b] = self.part.color;
        writeln!(out, "            color3f[] primvars:displayColor = [({r}, {g}, {b})]")?;
        let positions = &self.track.positions;
        let local_points = |sample: &[[f32; 3]]| -> Vec<[f32; 3]> {
            let offset = |&vertex: &u32| to_vec3(&sample[vertex as usize]) - self.pivot;
            vertices.iter().map(|vertex| offset(vertex).to_array().map(|x| x as f32)).collect()
        };
        self.write_samples(out, ("point3f[] points", None), positions, |out, sample| {
            write_values(out, local_points(sample).into_iter().map(Tuple))
        })?;
        self.write_samples(out, ("float3[] extent", None), positions, |out, sample| {
            let points = local_points(sample);
            let extreme = |initial: f32, select: fn(f32, f32) -> f32| {
                [0, 1, 2].map(|axis: usize| points.iter().map(|p| p[axis]).fold(initial, select))
            };
            let min = extreme(f32::INFINITY, f32::min).map(|x| x - margin);
            let max = extreme(f32::NEG_INFINITY, f32::max).map(|x| x + margin);
            write_values(out, [min, max].map(Tuple))
        })?;
        let velocities = self.mean_velocities();
        if !velocities.is_empty() {
            let attribute = ("vector3f[] velocities", None);
            self.write_samples(out, attribute, &velocities, |out, sample| {
                write_values(out, vertices.iter().map(|&vertex| Tuple(sample[vertex as usize])))
            })?;
        }
        writeln!(out, "        }}")
    }

    /// Mean velocities (units of the file per second) of the vertices between each sample and the next, and the
    /// velocities of the run at the last sample; empty for shapes that do not deform. `UsdGeomPointBased` moves the
    /// points of a sample by its velocities until the time of the next sample. With mean velocities they arrive at the
    /// positions of the next sample; with the velocities of the run they would overshoot a contact within the interval.
    fn mean_velocities(&self) -> Vec<Vec<[f32; 3]>> {
        let Track { positions, velocities } = self.track;
        let Some(last) = velocities.last().filter(|_| self.deforms) else { return Vec::new() };
        let durations =
            self.time_codes.array_windows().map(|[start, end]| (end - start) / self.rate);
        let interval_velocities = |([start, end], duration): (&[Vec<[f32; 3]>; 2], f64)| {
            let mean_velocity =
                |(a, b)| ((to_vec3(b) - to_vec3(a)) / duration).to_array().map(|v| v as f32);
            start.iter().zip(end).map(mean_velocity).collect()
        };
        let intervals = positions.array_windows().zip(durations);
        intervals.map(interval_velocities).chain([last.clone()]).collect()
    }

    /// Writes an attribute with its type and name: time samples if the shape deforms, otherwise the value of the first
    /// sample. `value` writes the value of a sample. The interpolation is written unless it is `None`, the default.
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
        for (time_code, sample) in self.time_codes.iter().zip(samples) {
            write!(out, "                {time_code}: ")?;
            value(out, sample)?;
            writeln!(out, ",")?;
        }
        writeln!(out, "            }}")
    }

    /// Writes one width (units of the file) for all points of a prim.
    fn write_widths(&self, out: &mut dyn Write, width: f32) -> io::Result<()> {
        write!(out, "            float[] widths = [{width}]")?;
        write_interpolation(out, "constant")
    }

    /// Diameter of a rod; otherwise a fraction of the mean edge length, or of the extent of a body without edges. In
    /// units of the file.
    fn thickness(&self) -> f32 {
        if let Some(radius) = self.part.radius {
            return 2.0 * (f64::from(radius) * self.scale) as f32;
        }
        let first = &self.track.positions[0];
        let distance = |a: &[f32; 3], b: &[f32; 3]| (to_vec3(a) - to_vec3(b)).length() as f32;
        let edges = &self.part.edges;
        let total_length: f32 =
            edges.iter().map(|&[a, b]| distance(&first[a as usize], &first[b as usize])).sum();
        let reference_length = match edges.len() {
            0 => first.iter().map(|p| distance(p, &first[0])).fold(0.0, f32::max) * 0.1,
            count => total_length / count as f32,
        };
        match RELATIVE_THICKNESS * reference_length {
            thickness if thickness > 0.0 => thickness,
            _ => (SMALLEST_BODY_THICKNESS * self.scale) as f32,
        }
    }
}

/// Index of the normal of each vertex, or `None` if a vertex has several normals. Vertices without faces have the
/// invalid index `u32::MAX`.
fn vertex_normal_indices(creases: &Creases, vertex_count: usize) -> Option<Vec<u32>> {
    let mut normal_indices = vec![u32::MAX; vertex_count];
    for (&vertex, &normal) in creases.faces().corners().iter().zip(creases.corners()) {
        let index = &mut normal_indices[vertex as usize];
        if *index != u32::MAX && *index != normal {
            return None;
        }
        *index = normal;
    }
    Some(normal_indices)
}

/// Writes an attribute, given by its type and name, with an array of values.
fn write_array<T: Display>(
    out: &mut dyn Write,
    attribute: &str,
    values: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write!(out, "            {attribute} = ")?;
    write_values(out, values)?;
    writeln!(out)
}

/// Writes the interpolation of the preceding attribute.
fn write_interpolation(out: &mut dyn Write, word: &str) -> io::Result<()> {
    writeln!(out, " (\n                interpolation = \"{word}\"\n            )")
}
