//! glTF 2.0, binary: a scene with one node per body, colours, and one animation.
//!
//! A rigidly moving body is an animated node. Each sample of a deforming body is a morph target with
//! normals; its weights interpolate linearly between samples. glTF has triangles only, and is always in
//! metres with y up.

mod animation;
mod buffer;
mod mesh;

use crate::destination::Output;
use crate::excerpt::{Excerpt, PartData, Track};
use crate::motion::{Motion, center};
use crate::part::Part;
use crate::{ExportError, ExportOptions, Up};
use animation::{Animation, Interpolation};
use buffer::Buffer;
use mesh::PartMesh;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Tolerance of a rigid motion, relative to the extent of the body: smaller deformations are invisible.
const RIGID_TOLERANCE: f64 = 1e-4;
/// Largest number of morph targets of a body: the number of weights is its square.
const MAX_TARGETS: usize = 4000;
/// Bytes of the file header.
const HEADER_LENGTH: usize = 12;
/// Bytes of the header of a chunk.
const CHUNK_HEADER_LENGTH: usize = 8;

/// Rejects options that glTF does not support.
pub(crate) fn check_options(options: &ExportOptions) -> Result<(), ExportError> {
    let unsupported = |option: String, reason: &str| {
        Err(ExportError::Format { format: "glb", what: option, reason: reason.into() })
    };
    if options.up == Some(Up::Z) {
        return unsupported(
            "z up".into(),
            "glTF has y up, and programs that read it know; leave --up out",
        );
    }
    if options.scale != 1.0 {
        return unsupported(
            format!("the scale {}", options.scale),
            "glTF is in metres, and programs that read it know; leave --scale out",
        );
    }
    Ok(())
}

/// Writes `scene.glb`.
pub(crate) fn write(excerpt: &Excerpt<'_>, output: &mut Output<'_>) -> Result<(), ExportError> {
    let interpolation =
        if excerpt.has_shapes() { Interpolation::Step } else { Interpolation::Linear };
    let mut document = Document::new(&excerpt.timeline.times, interpolation);
    excerpt.each_track(PartData::Positions, output, |_, part_index, track| {
        document.add_part(&excerpt.parts[part_index], track)
    })?;
    let Chunks { text, binary } = document.finish();
    // The format stores the lengths of the file and of its chunks as 32-bit integers.
    let length = HEADER_LENGTH + 2 * CHUNK_HEADER_LENGTH + text.len() + binary.len();
    let Ok(length) = u32::try_from(length) else {
        return Err(ExportError::Format {
            format: "glb",
            what: format!("{:.1} GB", length as f64 / 1e9),
            reason: "a file has at most 4.2 GB; lower the rate, or choose a part of the time or \
                     of the bodies"
                .into(),
        });
    };
    output.write_file("scene.glb", |out| write_chunks(out, length, &text, &binary))
}

/// Writes the header with the `length` of the file (bytes), the JSON chunk `text` and the `binary` chunk.
fn write_chunks(out: &mut dyn Write, length: u32, text: &[u8], binary: &[u8]) -> io::Result<()> {
    out.write_all(b"glTF")?;
    out.write_all(&2_u32.to_le_bytes())?;
    out.write_all(&length.to_le_bytes())?;
    for (chunk, chunk_type) in [(text, b"JSON"), (binary, b"BIN\0")] {
        out.write_all(&(chunk.len() as u32).to_le_bytes())?;
        out.write_all(chunk_type)?;
        out.write_all(chunk)?;
    }
    Ok(())
}

/// Chunks of a file, each padded to a multiple of four bytes.
struct Chunks {
    /// The JSON chunk.
    text: Vec<u8>,
    /// The binary chunk.
    binary: Vec<u8>,
}

/// A file under construction.
#[derive(Debug)]
struct Document<'a> {
    /// Sample times (s).
    times: &'a [f64],
    buffer: Buffer,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    animation: Animation,
}

impl<'a> Document<'a> {
    fn new(times: &'a [f64], interpolation: Interpolation) -> Self {
        Self {
            times,
            buffer: Buffer::default(),
            nodes: Vec::new(),
            meshes: Vec::new(),
            materials: Vec::new(),
            animation: Animation::new(interpolation),
        }
    }

    /// Adds a part as a node with a mesh and its materials.
    fn add_part(&mut self, part: &Part, track: &Track) -> Result<(), ExportError> {
        let motion = Motion::rigid(track, RIGID_TOLERANCE);
        let sample_count = track.positions.len();
        if motion == Motion::Deforming && sample_count > MAX_TARGETS {
            return Err(ExportError::Format {
                format: "glb",
                what: format!("{sample_count} shapes of \"{}\"", part.name),
                reason: format!(
                    "at most {MAX_TARGETS} are of use; lower --fps, or take usda or pc2"
                ),
            });
        }
        // The node rotates about the body's centre.
        let pivot = center(&track.positions[0]).to_array().map(|x| x as f32);
        let (material, deforms) = (self.materials.len(), motion == Motion::Deforming);
        let mesh = PartMesh { part, track, pivot, deforms, material }.write(&mut self.buffer);
        self.materials.push(material_json(&part.name, part.color));
        let of_faces = part.face_materials().into_iter();
        self.materials.extend(of_faces.map(|(name, color)| material_json(name, color)));
        let node = self.nodes.len();
        self.nodes.push(json!({
            "name": part.name, "mesh": self.meshes.len(), "translation": pivot,
            "extras": { "role": part.role.word() },
        }));
        self.meshes.push(mesh);
        match motion {
            Motion::Fixed => {}
            Motion::Maps(maps) => {
                self.animation.add_rigid_motion(&mut self.buffer, self.times, node, &maps);
            }
            Motion::Deforming => self.animation.add_morph(&mut self.buffer, self.times, node),
        }
        Ok(())
    }

    /// Returns the chunks of the file.
    fn finish(mut self) -> Chunks {
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "resile" },
            "scene": 0,
            "scenes": [{ "nodes": (0..self.nodes.len()).collect::<Vec<_>>() }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.buffer.accessors,
            "bufferViews": self.buffer.views,
            "buffers": [{ "byteLength": self.buffer.bytes.len() }],
        });
        if let Some(animation) = self.animation.finish() {
            document["animations"] = json!([animation]);
        }
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        self.buffer.bytes.resize(self.buffer.bytes.len().next_multiple_of(4), 0);
        Chunks { text, binary: self.buffer.bytes }
    }
}

/// The JSON object of a matt material of a linear colour.
fn material_json(name: &str, [r, g, b]: [f32; 3]) -> Value {
    json!({
        "name": name,
        "doubleSided": true,
        "pbrMetallicRoughness": {
            "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.6,
        },
    })
}
