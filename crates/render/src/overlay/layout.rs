//! Areas of an image that overlays cover.

/// A rectangle in an image (pixels from its upper left corner).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
}

impl Area {
    /// Whether the interiors of two areas intersect.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

/// Part of an image that is kept free of bodies, from each edge (fraction of its width or height).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Insets {
    pub(crate) left: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
}
