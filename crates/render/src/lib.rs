#![doc = include_str!("../README.md")]

mod camera;
pub mod color;
mod encode;
mod film;
mod geometry;
mod image;
mod light;
mod overlay;
mod picture;

pub use camera::Camera;
pub use encode::{Apng, EncodeError, FilmFile, Gif, Mp4, Palette, write_png};
pub use film::{Coloring, Film, FilmError, FilmOptions, Overlay, SectionEffect};
pub use image::Image;
pub use light::{Lamps, Stage};
pub use picture::{CutFace, Mesh, Paint, Plane, Scene, Section, Triangle, draw};
