//! Areas of a picture that overlays cover.

/// A rectangle in a picture (pixels from its upper left corner).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
}

impl Area {
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

/// What of a picture is kept free of bodies, from each edge (part of its width or height).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Insets {
    pub(crate) left: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
}
