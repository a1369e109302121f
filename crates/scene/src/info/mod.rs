//! What is in a file: a mesh or a scene, as data that can be printed or written as JSON.

mod check;
mod mesh;
mod scene;

pub use check::{CheckInfo, write_crossings};
pub use mesh::{
    CurvesInfo, GroupInfo, Histogram, MeshInfo, MeshInfoError, SolidInfo, Spread, SurfaceInfo,
};
pub use scene::{BodyInfo, ContactInfo, MaterialInfo, ObstacleInfo, SceneInfo};

use serde::Serialize;

/// Any of these as JSON, indented.
pub fn to_json(info: &impl Serialize) -> String {
    serde_json::to_string_pretty(info).expect("numbers and texts can be written")
}
