//! The binary chunk: consecutive arrays, with their accessors and buffer views.

use serde_json::{Value, json};

/// Component type of 32-bit floats.
const COMPONENT_FLOAT: u32 = 5126;
/// Component type of 32-bit unsigned integers.
const COMPONENT_UNSIGNED_INT: u32 = 5125;

/// Use of a buffer view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// Vertex attributes.
    Vertices,
    /// Vertex indices.
    Indices,
    /// Keyframes of animations.
    Keys,
}

/// Arrays of four-byte numbers.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// Contents of the binary chunk.
    pub(super) bytes: Vec<u8>,
    /// JSON objects of the buffer views.
    pub(super) views: Vec<Value>,
    /// JSON objects of the accessors.
    pub(super) accessors: Vec<Value>,
}

impl Buffer {
    /// Adds an array of `f32` vectors or scalars of the accessor type `element_type` (`"SCALAR"`, `"VEC3"`, ...) with
    /// their bounds, which the specification requires for positions and times. Returns the index of the accessor.
    pub(super) fn add_floats<const N: usize>(
        &mut self,
        element_type: &'static str,
        rows: impl ExactSizeIterator<Item = [f32; N]>,
        target: Target,
    ) -> usize {
        let (count, start) = (rows.len(), self.bytes.len());
        let (mut min, mut max) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
        for row in rows {
            for (k, component) in row.into_iter().enumerate() {
                self.bytes.extend_from_slice(&component.to_le_bytes());
                (min[k], max[k]) = (min[k].min(component), max[k].max(component));
            }
        }
        self.add_accessor(start, COMPONENT_FLOAT, count, element_type, target);
        let accessor = self.accessors.last_mut().expect("it was just added");
        accessor["min"] = json!(min.as_slice());
        accessor["max"] = json!(max.as_slice());
        self.accessors.len() - 1
    }

    /// Adds an array of vertex indices; returns the index of the accessor.
    pub(super) fn add_indices(&mut self, indices: &[u32]) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(indices.iter().flat_map(|index| index.to_le_bytes()));
        self.add_accessor(start, COMPONENT_UNSIGNED_INT, indices.len(), "SCALAR", Target::Indices);
        self.accessors.len() - 1
    }

    /// Adds a buffer view of the bytes from `start` to the end, and an accessor that reads them as `count` elements.
    fn add_accessor(
        &mut self,
        start: usize,
        component_type: u32,
        count: usize,
        element_type: &str,
        target: Target,
    ) {
        let length = self.bytes.len() - start;
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": length });
        match target {
            Target::Vertices => view["target"] = json!(34962),
            Target::Indices => view["target"] = json!(34963),
            Target::Keys => {}
        }
        self.accessors.push(json!({
            "bufferView": self.views.len(), "componentType": component_type, "count": count,
            "type": element_type,
        }));
        self.views.push(view);
    }
}
