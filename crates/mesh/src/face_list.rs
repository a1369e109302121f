//! Faces with any number of corners.

/// A list of faces with any number of corners, as vertex indices.
///
/// ```
/// let mut faces = resile_mesh::FaceList::of_triangles(&[[0, 1, 2]]);
/// faces.push([3, 4, 5, 6]);
/// let corners: Vec<&[u32]> = faces.iter().collect();
/// assert_eq!(corners, [&[0, 1, 2][..], &[3, 4, 5, 6]]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FaceList {
    corners: Vec<u32>,
    /// For each face, the end of its corners in the concatenated list.
    ends: Vec<u32>,
}

impl FaceList {
    /// Converts triangles to a face list.
    pub fn of_triangles(triangles: &[[u32; 3]]) -> Self {
        let ends = (1..=triangles.len() as u32).map(|count| 3 * count).collect();
        Self { corners: triangles.as_flattened().to_vec(), ends }
    }

    /// Appends a face.
    pub fn push(&mut self, corners: impl IntoIterator<Item = u32>) {
        self.corners.extend(corners);
        self.ends.push(self.corners.len() as u32);
    }

    /// Iterates over the corners of each face.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.ends.len()).map(|face| self.face(face))
    }

    /// Corners of a face.
    ///
    /// # Panics
    /// If `index` is out of range.
    pub fn face(&self, index: usize) -> &[u32] {
        &self.corners[self.first_corner(index)..self.ends[index] as usize]
    }

    /// Index of a face's first corner in [`corners`](Self::corners).
    pub fn first_corner(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(0, |previous| self.ends[previous] as usize)
    }

    /// Corners of all faces, face by face.
    pub fn corners(&self) -> &[u32] {
        &self.corners
    }

    /// Number of faces.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}
