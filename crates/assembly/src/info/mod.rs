//! Descriptions of meshes and scenes, as data for printing and JSON.

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
