//! Painted maps: point data of a mesh file as factors of quantities.

use super::problem::Checker;
use super::{Body, Kind, Scene, Shape};
use serde::{Deserialize, Serialize};

/// A factor for each vertex of a mesh file, linear in the point data of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaintedMap {
    /// Name of the data: `red`, `green` or `blue` for vertex colours, which are from 0 to 1, or the name of an array.
    pub data: String,
    /// The factor for the value 0; for other values it is interpolated or extrapolated linearly.
    #[serde(default)]
    pub at_zero: f64,
    /// The factor for the value 1.
    #[serde(default = "super::defaults::one")]
    pub at_one: f64,
}

impl PaintedMap {
    /// The factor for a value of the data.
    pub fn factor(&self, value: f64) -> f64 {
        self.at_zero + (self.at_one - self.at_zero) * value
    }

    /// Checks that the data have a name.
    pub(super) fn check(&self, c: &mut Checker, path: &str) {
        if self.data.is_empty() {
            let help =
                "data have the names of the mesh file, such as \"red\"; `sim info` lists them";
            c.error(&format!("{path}.data"), "the name of the data is empty", help);
        }
    }
}

impl Scene {
    /// Checks that maps belong to files and to bodies with the mapped property.
    pub(super) fn check_maps(&self, c: &mut Checker, path: &str, body: &Body) {
        let weight_maps = body.attach.iter().enumerate().map(|(k, attachment)| {
            (format!("attach[{k}].weight_map"), attachment.weight_map.as_ref())
        });
        let body_maps = [
            ("mass_map".to_owned(), body.mass_map.as_ref()),
            ("stiffness_map".to_owned(), body.stiffness_map.as_ref()),
            ("thickness_map".to_owned(), body.thickness_map.as_ref()),
        ];
        for (field, map) in body_maps.into_iter().chain(weight_maps) {
            let Some(map) = map else { continue };
            let path = format!("{path}.{field}");
            map.check(c, &path);
            let is_from_file =
                body.shape.is_from_file() || matches!(body.shape, Shape::Fill { .. });
            if !is_from_file {
                let message =
                    format!("\"{}\" has no vertices that a file says something of", body.name);
                let help = "maps are painted on a `shape: File(...)`, or on the surface of a `Fill(file: ...)`";
                c.error(&path, message, help);
            } else if field == "mass_map" && body.kind == Kind::Affine {
                let message =
                    format!("\"{}\" is affine: its mass is that of its volume", body.name);
                c.error(&path, message, "change `density`, or make it a `Solid` or a `Shell`");
            } else if field == "stiffness_map" && body.kind == Kind::Affine {
                let message = format!("\"{}\" has one stiffness for all of it", body.name);
                c.error(&path, message, "maps of stiffness are for solids, shells, cloth and rods");
            }
        }
    }
}
